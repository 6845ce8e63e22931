// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The processes of several pairs. See group.h. */
#include <config.h>

#include "session/group/group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comm/perftest_communication.h"
#include "util/log.h"
#include "util/stop.h"
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
	struct member_message message = {.type = type};

	snprintf(message.reason, sizeof(message.reason), "%s", reason);
	/* If the process is gone, its end is noticed elsewhere. */
	(void)!send(process->fd, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The group prints the results. */
static void silence_stdout(void)
{
	const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)dup2(fd, STDOUT_FILENO);
	close(fd);
	clearerr(stdout); /* the group reports what could not be written */
}

/*
 * What a terminal, a shell or timeout(1) sends to all processes of a job reaches only the group's process, which passes
 * it on: each member gets it once. Ctrl-Z is not passed on: it stops that process alone, not the pairs.
 */
static void own_process_group(pid_t pid)
{
	(void)setpgid(pid, pid);
}

/* Releases what belongs to the group. */
static void leave_group(const struct processes *processes, pid_t parent)
{
	/* Without the group nothing starts it, and its results are not printed. */
	stop_with_parent(parent, SIGTERM);
	own_process_group(0);
	/* It may then write to a terminal even if that stops background processes ("stty tostop"). */
	signal(SIGTTOU, SIG_IGN);
	for (unsigned i = 0; i < processes->count; i++)
		if (process_is_live(&processes->list[i]))
			close(processes->list[i].fd);
	if (processes->listener)
		comm_listener_forget(processes->listener);
	silence_stdout();
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
	log_forget_warnings(0); /* the group's */
	status = processes->ops->run(&params, &member, comm);
	member_keep_warnings(member.slot);
	exit((int)status);
}

int process_fork(struct processes *processes, unsigned n, const char *name, struct comm *comm)
{
	struct group_process *process = &processes->list[n];
	struct member_slot *slot = process->slot;
	const pid_t parent = getpid();
	int fds[2], ret = 0;
	pid_t pid = -1;

	memset(slot, 0, sizeof(*slot));
	slot->process = REPORT_NOT_KNOWN;
	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds)) {
		ret = -errno;
	} else {
		pid = fork();
		if (pid < 0) {
			ret = -errno;
			close(fds[0]);
			close(fds[1]);
		}
	}
	if (ret)
		return log_fail(ret, "cannot start the process of a pair: %s", strerror(-ret));
	if (!pid) {
		close(fds[0]);
		leave_group(processes, parent);
		process_run(processes, n, fds[1], name, comm);
	}
	own_process_group(pid); /* whichever of the two comes first */
	close(fds[1]);
	*process = (struct group_process){.pid = pid, .fd = fds[0], .slot = slot};
	snprintf(process->name, sizeof(process->name), "%s", name);
	if (comm)
		comm_forget(comm);
	return 0;
}

enum exit_status process_await(pid_t pid, int *signal_number)
{
	int status;

	*signal_number = 0;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_STATUS_FAILURE;
	if (WIFSIGNALED(status))
		*signal_number = WTERMSIG(status);
	return WIFEXITED(status) ? (enum exit_status)WEXITSTATUS(status) : EXIT_STATUS_FAILURE;
}
