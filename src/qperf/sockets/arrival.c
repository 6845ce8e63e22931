// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What all receive loops of datagram sockets share: the first datagram, which identifies the sender; datagrams that
 * were coalesced below the socket; and those that arrive after the loop.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "qperf/sockets/socket.h"
#include "stats/clock.h"
#include "util/deadline.h"
#include "util/wait.h"

#define QUIET_MS   100	/* after the sender has reported how many it sent; then the missing ones are lost */
#define LATE_CALLS 4096 /* between two checks of the control connection */
#define NS_PER_MS  1000000

bool arrival_meet(struct qperf_session *session, const struct sockaddr_storage *from, socklen_t size)
{
	struct link *link = session->own;

	if (!control_is_of_peer(session->control, from))
		return false;
	link->connected = !connect(link->fd, (const struct sockaddr *)from, size);
	return true;
}

/* Bytes of a segment, from the control message; without one, all of the data is a single datagram. */
static uint64_t arrival_segment_size(struct msghdr *message, uint64_t received)
{
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(message); cmsg; cmsg = CMSG_NXTHDR(message, cmsg)) {
		int size;

		if (cmsg->cmsg_level != IPPROTO_UDP || cmsg->cmsg_type != UDP_GRO)
			continue;
		memcpy(&size, CMSG_DATA(cmsg), sizeof(size));
		return (uint64_t)size;
	}
	return received;
}

int64_t arrival_take(struct qperf_session *session, int flags)
{
	static char data[65536]; /* the kernel does not coalesce more */
	const struct link *link = session->own;
	char control[CMSG_SPACE(sizeof(int))];
	struct sockaddr_storage from;
	struct iovec piece = {data, sizeof(data)};
	struct msghdr message = {
		.msg_name = link->connected ? NULL : &from,
		.msg_namelen = link->connected ? 0 : sizeof(from),
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	const ssize_t n = recvmsg(link->fd, &message, flags);

	if (n >= 0 && !link->connected && !arrival_meet(session, &from, message.msg_namelen)) {
		errno = EAGAIN;
		return -1;
	}
	if (n > 0 && link->access)
		access_data(data, (size_t)n);
	if (n <= 0)
		return n;
	return arrival_segment_size(&message, (uint64_t)n) == link->size ? n / (ssize_t)link->size : 0;
}

/* Receives what is there. With a number of messages none is late, and the last one ends the measured time. */
static void arrival_take_late(struct qperf_session *session)
{
	const struct link *link = session->own;
	struct account *account = &session->account;
	const bool by_number = session->side.number[PARAM_NO_MSGS] != 0 && !session->over;

	for (unsigned i = 0; i < LATE_CALLS; i++) {
		const int64_t msgs = arrival_take(session, MSG_DONTWAIT);

		if (msgs < 0)
			return;
		if (!msgs) {
			account->received.errors++;
		} else if (by_number) {
			account->received.msgs += (uint64_t)msgs;
			account->received.bytes += (uint64_t)msgs * link->size;
			session_end_at(session, clock_cycles());
		} else {
			account->late_received += (uint64_t)msgs;
		}
	}
}

static int arrival_settle(struct qperf_session *session, struct account *peer)
{
	const struct link *link = session->own;
	const struct account *account = &session->account;
	const struct deadline deadline = deadline_in_ms((int64_t)(session->control->timeout_ns / NS_PER_MS));
	struct pollfd fds[] = {{.fd = link->fd, .events = POLLIN}, {.fd = session->control->conn.fd, .events = POLLIN}};
	bool has_account = false;
	int ret;

	do {
		ret = has_account ? wait_fds_after_stop(fds, 1, deadline_in_ms(QUIET_MS)) : wait_fds(fds, 2, deadline);
		arrival_take_late(session);
		if (!has_account && (ret || fds[1].revents)) {
			ret = session_receive_account(session, peer);
			if (ret)
				return ret;
			has_account = true;
			continue; /* an interrupted wait does not mean that nothing will arrive */
		}
		if (has_account && (ret || deadline_passed(deadline)))
			return 0; /* the others are lost */
	} while (!has_account || account->received.msgs + account->late_received < peer->sent.msgs);
	return 0;
}

void arrival_unsettled(struct qperf_session *session)
{
	if (session->control->native && !session->stopped && !session->peer_gone)
		session->settle = arrival_settle;
}
