// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* May this process lock and use the memory that a test needs? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/checks.h"
#include "util/terminal.h"

#define CAPABILITY_IPC_LOCK 14
#define ENOUGH_LOCKED	    (64LL << 20) /* bytes: both halves of the buffers of -a, and the queues */

/* Does the process have CAP_IPC_LOCK? From /proc/self/status, in hexadecimal. */
static bool may_lock_all(struct subject *subject)
{
	char text[64], *end;
	unsigned long long capabilities;

	if (tree_line(&subject->tree, text, sizeof(text), "/proc/self/status", "CapEff"))
		return false;
	capabilities = strtoull(text, &end, 16);
	return end != text && !*end && (capabilities >> CAPABILITY_IPC_LOCK & 1);
}

int check_locked_memory(struct subject *subject, struct finding *finding)
{
	char text[128], *end;
	long long limit;

	if (may_lock_all(subject))
		return finding_ok(finding, "this process may lock any amount of memory (CAP_IPC_LOCK)");
	if (tree_line(&subject->tree, text, sizeof(text), "/proc/self/limits", "Max locked memory"))
		return UNREAD;
	if (strncmp(text, "unlimited", strlen("unlimited")) == 0)
		return finding_ok(finding, "unlimited");
	errno = 0;
	limit = strtoll(text, &end, 10);
	if (end == text || *end != ' ' || limit < 0 || errno)
		return tree_malformed(&subject->tree, "/proc/self/limits", text, "which is no limit");
	if (limit < ENOUGH_LOCKED)
		return finding_look(finding,
				    "at most %lld KiB: registering buffers will fail with 'Cannot allocate "
				    "memory'\nulimit -l unlimited; permanently: memlock in /etc/security/limits.conf, "
				    "LimitMEMLOCK= of a service, or --ulimit memlock=-1 of a container",
				    limit / 1024);
	return finding_ok(finding, "at most %lld MiB", limit >> 20);
}

int check_huge_pages(struct subject *subject, struct finding *finding)
{
	char names[16][TREE_NAME], list[512] = "";
	int64_t total, vacant, all_vacant = 0;
	int count;

	count = tree_names(&subject->tree, names, 16, "/sys/kernel/mm/hugepages");
	if (count < 0)
		return UNREAD;
	for (int i = 0; i < count; i++) {
		if (tree_number(&subject->tree, &total, "/sys/kernel/mm/hugepages/%s/nr_hugepages", names[i]) ||
		    tree_number(&subject->tree, &vacant, "/sys/kernel/mm/hugepages/%s/free_hugepages", names[i]))
			return UNREAD;
		if (!total)
			continue;
		text_add(list, sizeof(list), "%s%lld of %lld free of %s", list[0] ? ", " : "", (long long)vacant,
			 (long long)total, names[i] + (strncmp(names[i], "hugepages-", 10) == 0 ? 10 : 0));
		all_vacant += vacant;
	}
	if (!all_vacant && subject->options->use_hugepages)
		return finding_look(finding, "%s, and this test needs some\nsysctl vm.nr_hugepages=512",
				    list[0] ? list : "none are reserved");
	return finding_ok(finding, "%s", list[0] ? list : "none are reserved[; --use_hugepages would need some]");
}

/* "always [madvise] never" */
int check_transparent_huge_pages(struct subject *subject, struct finding *finding)
{
	char text[128], *open, *close;

	if (tree_text(&subject->tree, text, sizeof(text), "/sys/kernel/mm/transparent_hugepage/enabled"))
		return UNREAD;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return tree_malformed(&subject->tree, "/sys/kernel/mm/transparent_hugepage/enabled", text,
				      "which chooses none");
	*close = '\0';
	return finding_ok(finding, "transparent huge pages: %s", open + 1);
}

int check_memfd(struct subject *subject, struct finding *finding)
{
	const int error = subject->probe.memfd_error;

	if (!error)
		return finding_ok(finding, "memory can be shared between processes");
	return finding_look(finding,
			    "memfd_create: %s; the software device cannot share memory without it\na sandbox forbids "
			    "it, or the kernel is older than 3.17",
			    strerror(-error));
}

int check_runtime_dir(struct subject *subject, struct finding *finding)
{
	const struct probe *probe = &subject->probe;

	if (probe->runtime_dir_is_ours)
		return finding_ok(finding, "%s", probe->runtime_dir);
	return finding_look(finding,
			    "%s is not a folder of this user: the two sides look for each other in /tmp\nset "
			    "XDG_RUNTIME_DIR to the same folder (mode 700) for both, or for neither",
			    probe->runtime_dir);
}
