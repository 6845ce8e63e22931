// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Interprets rdma_cm's events and errors. See cm.h. */
#include "verbs/connect/cm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"
#include "util/wait.h"
#include "verbs/device/software.h"

#define DEVICE_FILE "/dev/infiniband/rdma_cm"
#define ANY_STATUS  INT32_MIN
/* Attributes that a program may set; kernels before 4.16 also set bits of the mask that only they may use. */
#define MASK_OF_PROGRAMS ((1 << 21) - 1)

bool cm_present(void)
{
	return access(DEVICE_FILE, R_OK | W_OK) == 0;
}

bool cm_takes_tcp(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	bool takes = false;

	for (unsigned i = 0; list && list[i]; i++)
		takes |= list[i]->transport_type == IBV_TRANSPORT_IWARP;
	if (list)
		ibv_free_device_list(list);
	return takes;
}

int cm_open_channel(struct rdma_event_channel **channel)
{
	struct rdma_event_channel *opened;
	int err;

	errno = 0;
	opened = rdma_create_event_channel();
	if (!opened)
		return errno ? -errno : -EIO;
	/* Nonblocking, so that a waiting program still reacts to its user and its peer. */
	if (fcntl(opened->fd, F_SETFL, O_NONBLOCK) || fcntl(opened->fd, F_SETFD, FD_CLOEXEC)) {
		err = -errno;
		rdma_destroy_event_channel(opened);
		return err;
	}
	*channel = opened;
	return 0;
}

bool cm_owns_address(const struct sockaddr_storage *address)
{
	struct sockaddr_storage copy = *address;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	bool owns = false;

	if (cm_open_channel(&channel))
		return false;
	if (!rdma_create_id(channel, &id, NULL, RDMA_PS_TCP)) {
		owns = !rdma_bind_addr(id, (struct sockaddr *)&copy) && id->verbs;
		rdma_destroy_id(id);
	}
	rdma_destroy_event_channel(channel);
	return owns;
}

void cm_report_missing(int error, const char *option)
{
	if (access(DEVICE_FILE, F_OK))
		log_error("there is no " DEVICE_FILE ", which %s needs: load it with modprobe rdma_ucm", option);
	else if (error == -ENODEV)
		log_error("rdma_cm finds no RDMA device on this host, so %s cannot be used", option);
	else
		log_error(DEVICE_FILE ", which %s needs, cannot be opened: %s", option, strerror(-error));
}

/* Rows of one event: the exact status first, ANY_STATUS last. */
/* clang-format off */
static const struct judgement {
	enum rdma_cm_event_type event;
	int status;
	struct cm_reason reason;
} judgements[] = {
	{RDMA_CM_EVENT_ADDR_ERROR, -ENODEV,
		{CM_FAILED, -ENODEV,
			"no RDMA device of this host reaches that address; see rdma link and ip route get"}},
	{RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH,
		{CM_FAILED, -ENETUNREACH, "this host has no route to that address; see ip route get"}},
	{RDMA_CM_EVENT_ADDR_ERROR, -ENONET, /* of soft0, which has reported more */
		{CM_FAILED, -ENONET, "it is on another host, which the software device cannot reach"}},
	{RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT,
		{CM_AGAIN, -ETIMEDOUT, "no host answered for that address (ARP or neighbour discovery)"}},
	{RDMA_CM_EVENT_ADDR_ERROR, -EHOSTUNREACH,
		{CM_AGAIN, -EHOSTUNREACH, "no host answered for that address (ARP or neighbour discovery)"}},
	{RDMA_CM_EVENT_ADDR_ERROR, ANY_STATUS,
		{CM_AGAIN, -EHOSTUNREACH, "the address can't be resolved to an RDMA port"}},
	{RDMA_CM_EVENT_ROUTE_ERROR, ANY_STATUS,
		{CM_AGAIN, -EHOSTUNREACH,
			"no path to that port was found; on InfiniBand, check that a subnet manager is running"}},
	{RDMA_CM_EVENT_UNREACHABLE, ANY_STATUS,
		{CM_AGAIN, -ETIMEDOUT,
			"the connection request was not answered; on RoCE, check that UDP port 4791 is open"}},
	{RDMA_CM_EVENT_CONNECT_ERROR, ANY_STATUS,
		{CM_AGAIN, -ECONNABORTED, "the connection broke while it was being established"}},
	{RDMA_CM_EVENT_DISCONNECTED, ANY_STATUS,
		{CM_FAILED, -ECONNRESET,
			"the other side disconnected while it was being established; see its own message"}},
	{RDMA_CM_EVENT_DEVICE_REMOVAL, ANY_STATUS, {CM_FAILED, -ENODEV, "the RDMA device was removed"}},
	{RDMA_CM_EVENT_ADDR_CHANGE, ANY_STATUS, {CM_AGAIN, -ENETDOWN, "the address moved to another port"}},
};
/* clang-format on */

/* Rejections, by the reason code of the InfiniBand Architecture Specification 1.3, table 111. */
static const struct cm_reason rejections[] = {
	[1] = {CM_FAILED, -ECONNABORTED, "the other side has no more queue pairs"},
	[3] = {CM_AGAIN, -ECONNABORTED, "the other side has no resources left"},
	[4] = {CM_AGAIN, -ETIMEDOUT, "the other side's answer came too late"},
	[5] = {CM_FAILED, -ECONNABORTED, "the other side does not support the request"},
	[6] = {CM_FAILED, -ECONNABORTED, "the communication ID is not known"},
	[7] = {CM_FAILED, -ECONNABORTED, "the communication instance is not known"},
	[8] = {CM_AGAIN, -ECONNREFUSED, "no program listens there (invalid service ID)"},
	[9] = {CM_FAILED, -ECONNABORTED, "the service type is not known"},
	[CM_REJECTED_STALE] = {CM_AGAIN, -ECONNABORTED,
			       "the other side considers it a stale connection with the same QP number"},
	[12] = {CM_FAILED, -ECONNABORTED, "the GID of the other side was not accepted"},
	[13] = {CM_FAILED, -ECONNABORTED, "the LID of the other side was not accepted"},
	[14] = {CM_FAILED, -ECONNABORTED, "the service level was not accepted"},
	[15] = {CM_FAILED, -ECONNABORTED, "the traffic class was not accepted"},
	[16] = {CM_FAILED, -ECONNABORTED, "the hop limit was not accepted"},
	[17] = {CM_FAILED, -ECONNABORTED, "the packet rate was not accepted"},
	[24] = {CM_FAILED, -ECONNABORTED, "the other side redirects to another port and connection manager"},
	[25] = {CM_FAILED, -ECONNABORTED, "the other side redirects to another port"},
	[26] = {CM_FAILED, -ECONNABORTED, "the path MTU was not accepted"},
	[27] = {CM_FAILED, -ECONNABORTED, "the other side does not support that many outstanding reads"},
	[28] = {CM_FAILED, -ECONNABORTED,
		"the other program refused it (consumer reject; see its own message), or too many clients wait"},
	[29] = {CM_FAILED, -ECONNABORTED, "the other side's receiver is not ready"},
	[30] = {CM_FAILED, -ECONNABORTED, "the communication ID is in use"},
	[31] = {CM_FAILED, -ECONNABORTED, "the protocol version was not accepted"},
	[32] = {CM_FAILED, -ECONNABORTED, "the flow label was not accepted"},
};

const char *cm_reach_text(struct ibv_context *context)
{
	struct ibv_device_attr attr;

	if (!context || ibv_query_device(context, &attr) || !device_is_software(&attr))
		return "";
	return "; with rdma_cm the software device reaches only programs of the same user, host and network namespace "
	       "(a container has its own)";
}

struct cm_reason cm_judge_rejection(int status)
{
	if (status > 0 && (size_t)status < sizeof(rejections) / sizeof(rejections[0]) && rejections[status].words)
		return rejections[status];
	/* iWARP: which code means a reset TCP connection, and which a refusal by MPA, differs between drivers. */
	if (status == -ECONNREFUSED || status == -ECONNRESET)
		return (struct cm_reason){CM_AGAIN, -ECONNREFUSED,
					  "no program listens there with rdma_cm, or it refuses; see its own message"};
	return (struct cm_reason){CM_FAILED, -ECONNABORTED, NULL};
}

struct cm_reason cm_judge(enum rdma_cm_event_type event, int status)
{
	if (event == RDMA_CM_EVENT_REJECTED) {
		struct cm_reason reason = cm_judge_rejection(status);

		if (!reason.words)
			reason.words = "the other side rejected it";
		return reason;
	}
	for (size_t i = 0; i < sizeof(judgements) / sizeof(judgements[0]); i++) {
		if (judgements[i].event == event &&
		    (judgements[i].status == status || judgements[i].status == ANY_STATUS))
			return judgements[i].reason;
	}
	return (struct cm_reason){.verdict = CM_GOES_ON};
}

struct cm_reason cm_judge_call(int error)
{
	switch (error) {
	case -ENODEV:
		return (struct cm_reason){CM_FAILED, error,
					  "the local address does not belong to an RDMA device of this host"};
	case -EADDRNOTAVAIL: /* from binding to one address, also instead of -EADDRINUSE */
		return (struct cm_reason){CM_FAILED, error,
					  "the local address does not belong to an RDMA device of this host, or "
					  "another program uses the port"};
	case -ENETUNREACH:
	case -EHOSTUNREACH:
		return cm_judge(RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH);
	default:
		return (struct cm_reason){CM_FAILED, error, strerror(-error)};
	}
}

int cm_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	return ibv_modify_qp(qp, attr, mask & MASK_OF_PROGRAMS);
}

int cm_get_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	errno = 0;
	if (!rdma_get_cm_event(channel, event))
		return 0;
	return errno ? -errno : -EIO;
}

int cm_wait_event(struct rdma_event_channel *channel, struct deadline deadline, struct rdma_cm_event **event)
{
	struct pollfd fd = {.fd = channel->fd, .events = POLLIN};

	for (;;) {
		int err = cm_get_event(channel, event);

		if (err != -EAGAIN)
			return err;
		err = wait_fds(&fd, 1, deadline);
		if (err)
			return err;
	}
}
