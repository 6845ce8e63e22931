// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The processes of several pairs. See group.h. */
#include <config.h>

#include "session/group/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "comm/perftest_communication.h"
#include "util/log.h"
#include "util/terminal.h"

static size_t shared_size(unsigned count)
{
	return sizeof(struct shared) + count * sizeof(struct member_slot);
}

int processes_open(struct processes *processes, unsigned count)
{
	void *memory = mmap(NULL, shared_size(count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*processes = (struct processes){.count = count, .shared = memory == MAP_FAILED ? NULL : memory};
	processes->list = calloc(count, sizeof(*processes->list));
	if (!processes->shared || !processes->list) {
		processes_close(processes);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < count; i++)
		processes->list[i].slot = &processes->shared->slots[i];
	processes->shared->missing = count;
	processes->shared->run_id = run_id_draw();
	return 0;
}

void processes_close(struct processes *processes)
{
	if (processes->shared)
		munmap(processes->shared, shared_size(processes->count));
	free(processes->list);
	*processes = (struct processes){0};
}

const char *process_title(const struct processes *processes, const struct group_process *process,
			  char title[PROCESS_TITLE_SIZE])
{
	const struct member_slot *slot = process->slot;

	snprintf(title, PROCESS_TITLE_SIZE, "%s %s", processes->listener ? "client" : "server", process->name);
	if (!process->joined || !slot->host[0])
		return title;
	if (slot->process != REPORT_NOT_KNOWN)
		text_add(title, PROCESS_TITLE_SIZE, " (%s, process %llu)", slot->host,
			 (unsigned long long)slot->process);
	else
		text_add(title, PROCESS_TITLE_SIZE, " (%s)", slot->host);
	return title;
}

void process_send(const struct group_process *process, enum member_message_type type, const char *reason)
{
	(void)pair_send(process->fd, type, reason, false /* waits */);
}

/* Releases what belongs to the group. */
static void leave_group(const struct processes *processes)
{
	for (unsigned i = 0; i < processes->count; i++)
		if (process_is_live(&processes->list[i]))
			close(processes->list[i].fd);
	if (processes->listener)
		comm_listener_forget(processes->listener);
}

static void __attribute__((noreturn))
process_run(const struct processes *processes, unsigned n, int fd, const char *name, struct comm *comm)
{
	struct group_member member = {.fd = fd,
				      .slot = &processes->shared->slots[n],
				      .sent = &processes->shared->sent,
				      .run_id = &processes->shared->run_id,
				      .missing = &processes->shared->missing};
	struct params params = *processes->params;
	char subject[LOG_SUBJECT_SIZE];
	enum exit_status status;

	if (!comm)
		params_take_server(&params, n);
	snprintf(subject, sizeof(subject), "%.60s", name);
	log_set_subject(subject);
	status = processes->ops->run(&params, &member, comm);
	member_keep_warnings(member.slot);
	exit((int)status);
}

int process_fork(struct processes *processes, unsigned n, const char *name, struct comm *comm)
{
	struct group_process *process = &processes->list[n];
	struct member_slot *slot = process->slot;
	pid_t pid;
	int fd;

	memset(slot, 0, sizeof(*slot));
	slot->process = REPORT_NOT_KNOWN;
	pid = pair_fork(&fd);
	if (pid < 0)
		return (int)pid;
	if (!pid) {
		leave_group(processes);
		process_run(processes, n, fd, name, comm);
	}
	*process = (struct group_process){.pid = pid, .fd = fd, .slot = slot};
	snprintf(process->name, sizeof(process->name), "%s", name);
	if (comm)
		comm_forget(comm);
	return 0;
}
