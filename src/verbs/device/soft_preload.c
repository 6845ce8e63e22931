// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloads the software device if this run needs it. Called once, before any verbs object exists. The programs are
 * linked with plain libibverbs: on a real device the software device's library is not even loaded, so it cannot affect
 * the results. If it is needed, the program is executed again with the library in LD_PRELOAD.
 */
#define _GNU_SOURCE
#include "verbs/device/software.h"

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"
#include "verbs/device/device_diag.h"

#define LIBRARY "libperftest_soft.so"
/* Set for the new program, so that a library that cannot be loaded causes an error and not an endless loop. */
#define MARKER "PERFTEST_SOFT_STARTED"

/* Looks for a symbol that only our library has; also true if it is linked before libibverbs (sanitizer builds). */
static bool loaded(void)
{
	return dlsym(RTLD_DEFAULT, "perftest_soft_version") != NULL;
}

static bool device_present(void)
{
	int count = 0;
	struct ibv_device **list;

	list = ibv_get_device_list(&count);
	if (list)
		ibv_free_device_list(list);
	return count > 0;
}

static bool try_library(char *path, size_t size, const char *folder, const char *below)
{
	return (size_t)snprintf(path, size, "%s/%s%s", folder, below, LIBRARY) < size && access(path, R_OK) == 0;
}

/* PERFTEST_SOFT_LIB, the build tree or the lib folder beside the program, or the installation folder. */
static int find_library(const char *program, char *path, size_t size)
{
	const char *given = getenv("PERFTEST_SOFT_LIB");
	char folder[PATH_MAX];
	char *slash;

	if (given) {
		if ((size_t)snprintf(path, size, "%s", given) < size && access(path, R_OK) == 0)
			return 0;
		return log_fail(-ENOENT, "PERFTEST_SOFT_LIB is %s, which cannot be read", given);
	}
	snprintf(folder, sizeof(folder), "%s", program);
	slash = strrchr(folder, '/');
	if (slash) {
		*slash = '\0';
		if (try_library(path, size, folder, "soft/.libs/") ||
		    try_library(path, size, folder, "../lib/perftest/"))
			return 0;
	}
	if (try_library(path, size, PKGLIBDIR, ""))
		return 0;
	return log_fail(-ENOENT,
			"this machine has no RDMA device, and the software device %s is neither in soft/.libs nor in "
			"../lib/perftest beside the program, nor in %s; set PERFTEST_SOFT_LIB to its path",
			LIBRARY, PKGLIBDIR);
}

/*
 * A blank or a colon ends a name in LD_PRELOAD. A library whose path has blanks is given without its folder, which is
 * added to LD_LIBRARY_PATH: only colons separate names there.
 */
static int name_by_folder(const char **library)
{
	const char *folders = getenv("LD_LIBRARY_PATH");
	const char *slash = strrchr(*library, '/');
	char *value;
	int ret;

	if (!slash || !strpbrk(*library, " \t\n"))
		return 0;
	if (asprintf(&value, "%.*s%s%s", (int)(slash - *library), *library, folders ? ":" : "",
		     folders ? folders : "") < 0)
		return -ENOMEM;
	ret = setenv("LD_LIBRARY_PATH", value, 1) ? -errno : 0;
	free(value);
	*library = slash + 1;
	return ret;
}

static int set_environment(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *value;
	int ret = name_by_folder(&library);

	if (ret)
		return ret;
	if (others && *others) {
		if (asprintf(&value, "%s:%s", library, others) < 0)
			return -ENOMEM;
		ret = setenv("LD_PRELOAD", value, 1);
		free(value);
	} else {
		ret = setenv("LD_PRELOAD", library, 1);
	}
	/* Also use its rdma_cm: on a host with adapters the kernel's would only know those. */
	if (ret || setenv("PERFTEST_SOFT_CM", "1", 1) || setenv(MARKER, "1", 1))
		return -errno;
	return 0;
}

int soft_preload(const char *ib_dev, char **argv)
{
	bool asked = strncmp(ib_dev, "soft", 4) == 0;
	char program[PATH_MAX];
	char library[PATH_MAX];
	char why[768];
	ssize_t length;
	int ret;

	/* It also replaces libmlx5 and libefa (docs/soft.md). */
	if (setenv("PERFTEST_SOFT_DIRECT", "1", 0)) {
		ret = -errno;
		return log_fail(ret, "cannot set PERFTEST_SOFT_DIRECT for the software device: %s", strerror(-ret));
	}
	if (loaded()) {
		/* Printed here, after the exec, so that the JSON document contains it. */
		if (getenv(MARKER) && !asked && device_probe_explain_here("", why, sizeof(why)))
			log_warning("%s. The software device is used instead", why);
		return 0;
	}
	if (!asked && device_present())
		return 0;
	if (ib_dev[0] && device_probe_explain_here(ib_dev, why, sizeof(why)))
		return log_fail(-ENODEV, "%s", why);
	if (getenv(MARKER))
		return log_fail(-ENODEV, "the software device could not be preloaded; a program with privileges other "
					 "than its user's cannot use it");
	length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (length < 0) {
		ret = -errno;
		return log_fail(ret, "cannot restart with the software device: /proc/self/exe: %s", strerror(-ret));
	}
	program[length] = '\0';
	ret = find_library(program, library, sizeof(library));
	if (ret)
		return ret;
	ret = set_environment(library);
	if (!ret) {
		execv(program, argv);
		ret = -errno;
	}
	return log_fail(ret, "cannot restart with the software device: %s: %s", program, strerror(-ret));
}
