/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process of the same user that speaks wire.h by hand: it claims a slot, connects to processes in other slots, and
 * maps their tables. For tests of processes that trust it.
 */
#pragma once

#include "config.h"

#include <dirent.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "host/layout.h"
#include "host/wire.h"
#include "soft_rig.h"

#define LIAR_SLOT     7u
#define LIAR_QPN      QPN(LIAR_SLOT, 1)
#define NO_SLOT	      255u /* a slot that no process of a test uses */
#define DEAD_INSTANCE 0xdead1u

/* It exits with the test. */
static inline pid_t child_start(void)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return child;
}

static inline struct sockaddr_un slot_address(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/perftest-soft/%.8s", getenv("XDG_RUNTIME_DIR"), name);
	return address;
}

/* The liar's slot. Its previous owner has exited. */
static inline int slot_bind(void)
{
	struct sockaddr_un folder = slot_address(""), address;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	char name[8];

	snprintf(name, sizeof(name), "%u", LIAR_SLOT);
	address = slot_address(name);
	RIG_CHECK(mkdir(folder.sun_path, 0700) == 0 || errno == EEXIST);
	RIG_CHECK(unlink(address.sun_path) == 0 || errno == ENOENT);
	RIG_CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 8) == 0);
	return fd;
}

/* The socket of a process also remains if it crashed. */
static inline void slots_remove(void)
{
	struct sockaddr_un address = slot_address("");
	DIR *folder = opendir(address.sun_path);
	struct dirent *entry;

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(folder), entry->d_name, 0);
	}
	closedir(folder);
	assert_int_equal(rmdir(address.sun_path), 0);
}

/* -1: no process uses it. */
static inline int slot_connect(const char *name)
{
	struct sockaddr_un address = slot_address(name);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* As a process that claims to own slot `from`. */
static inline bool request_send(int fd, uint32_t kind, uint32_t from, uint32_t instance)
{
	struct wire_request request = {
		.magic = WIRE_MAGIC, .version = LAYOUT_VERSION, .kind = kind, .slot = from, .instance = instance};

	return send(fd, &request, sizeof(request), MSG_NOSIGNAL) == sizeof(request);
}

/* The two descriptors in a reply; without any, count 0. */
static inline bool reply_receive(int fd, struct wire_reply *reply, int *fds, int *count)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec part = {reply, sizeof(*reply)};
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof(control.room)};

	if (recvmsg(fd, &message, 0) != sizeof(*reply))
		return false;
	*count = CMSG_FIRSTHDR(&message) ? 2 : 0;
	if (*count)
		memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), 2 * sizeof(int));
	return true;
}

/* The control file of the answering process, mapped as a peer does; NULL: it sends none. */
static inline uint8_t *control_map(int fd, uint32_t from, uint32_t instance)
{
	struct wire_reply reply;
	int fds[2], count;
	void *base;

	if (!request_send(fd, WIRE_CONNECT, from, instance) || !reply_receive(fd, &reply, fds, &count) || !count)
		return NULL;
	base = mmap(NULL, LAYOUT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fds[0], 0);
	close(fds[0]);
	close(fds[1]);
	return base == MAP_FAILED ? NULL : base;
}

/* Connects to this process itself, which owns `slot`, ... */
static inline int own_connect(uint32_t slot)
{
	char name[8];
	int fd;

	snprintf(name, sizeof(name), "%u", slot & 0xffff);
	fd = slot_connect(name);
	RIG_CHECK(fd >= 0);
	return fd;
}

/* ... to send it a request as a process that claims to own slot `from`, ... */
static inline int own_ask(uint32_t slot, uint32_t from, uint32_t kind)
{
	int fd = own_connect(slot);

	RIG_CHECK(request_send(fd, kind, from, DEAD_INSTANCE));
	return fd;
}

/* ... or to get its control file; *fd is the connection. */
static inline uint8_t *own_control(uint32_t slot, uint32_t from, int *fd)
{
	uint8_t *base;

	*fd = own_connect(slot);
	base = control_map(*fd, from, DEAD_INSTANCE);
	RIG_CHECK(base);
	return base;
}

static inline struct qp_row *control_qp(uint8_t *control, uint32_t qpn)
{
	return (struct qp_row *)(void *)(control + LAYOUT_QP_OFFSET) + QPN_INDEX(qpn);
}

/* Where that queue pair's receives are. */
static inline struct rq_row *control_rq(uint8_t *control, uint32_t qpn)
{
	return (struct rq_row *)(void *)(control + LAYOUT_RQ_OFFSET) + control_qp(control, qpn)->receive_queue;
}

static inline struct cq_row *control_receive_cq(uint8_t *control, uint32_t qpn)
{
	return (struct cq_row *)(void *)(control + LAYOUT_CQ_OFFSET) + control_qp(control, qpn)->receive_cq;
}

/* The runtime directory, for a group of tests that each have a state: the group's own state would replace it. */
static void *slots_directory;

static inline int slots_directory_make(void **state)
{
	return rig_directory_make(&slots_directory);
}

static inline int slots_directory_remove(void **state)
{
	return rig_directory_remove(&slots_directory);
}
