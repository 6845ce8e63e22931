// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sends requests to the subnet administrator with libibumad. See sa_member.h. */
#include "verbs/connect/sa_member.h"

#include <errno.h>
#include <infiniband/umad.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/deadline.h"
#include "util/library.h"
#include "util/log.h"
#include "util/stop.h"

#define SA_QP	   1
#define SA_QKEY	   ((int)0x80010000) /* of QP1 and all general services */
#define SA_CLASS   3
#define SA_VERSION 2
#define RESEND_MS  1000
#define RESENDS	   4
#define ANSWER_MS  6000 /* after the last of these */
#define LOOK_MS	   100
#define LEAVE_MS   2000 /* at the end of a test, for which the user waits */

/* Opened at run time: only multicast on InfiniBand needs it. */
#define UMAD_FUNCTIONS(X)                                                                                              \
	X(init)                                                                                                        \
	X(get_port) X(release_port) X(open_port) X(close_port) X(size) X(get_mad) X(set_addr) X(status) X(send) X(recv)
#define MEMBER(name) __typeof__(&umad_##name) name;
#define ROW(name)    LIBRARY_ROW_IN(struct umad_library, name, "umad_" #name),

struct umad_library {
	UMAD_FUNCTIONS(MEMBER)
	__typeof__(&umad_register) enlist; /* the function's name is a keyword */
};

static const struct library_symbol symbols[] = {
	UMAD_FUNCTIONS(ROW) LIBRARY_ROW_IN(struct umad_library, enlist, "umad_register"), {.name = NULL}};
static const struct library library = {
	.files = {"libibumad.so.3"}, .symbols = symbols, .comes_with = "libibumad3 (Debian) or libibumad (Fedora)"};

struct sa_member {
	struct umad_library umad;
	int port;  /* of libibumad; < 0: not open */
	int agent; /* < 0: none */
	unsigned sm_lid, sm_sl;
	void *datagram; /* including libibumad's header */
	struct sa_request request;
	bool joined;
};

/* Queries the port and its subnet manager. 0 or -errno, reported. */
static int learn_port(struct sa_member *member, const struct sa_group *group)
{
	umad_port_t port;
	int err = member->umad.get_port(group->device, group->port, &port);

	if (err)
		return log_fail(-ENODEV, "libibumad does not find port %u of %s: load the module ib_umad", group->port,
				group->device);
	member->sm_lid = port.sm_lid;
	member->sm_sl = port.sm_sl;
	memcpy(member->request.port, &port.gid_prefix, 8);
	memcpy(member->request.port + 8, &port.port_guid, 8);
	if (!port.sm_lid) {
		log_error("port %u of %s has no subnet manager, which manages multicast groups: is opensm running "
			  "somewhere?",
			  group->port, group->device);
		err = -ENETDOWN;
	} else if (group->pkey_index >= port.pkeys_size) {
		log_error("port %u of %s has no P_Key at index %u", group->port, group->device, group->pkey_index);
		err = -EINVAL;
	} else {
		member->request.pkey = port.pkeys[group->pkey_index];
	}
	member->umad.release_port(&port);
	return err;
}

static int open_agent(struct sa_member *member, const struct sa_group *group)
{
	member->port = member->umad.open_port(group->device, group->port);
	if (member->port < 0)
		return log_fail(-EACCES,
				"cannot send management datagrams from port %u of %s: %s; multicast on InfiniBand "
				"needs root, or access to /dev/infiniband/umad*",
				group->port, group->device, strerror(errno ? errno : ENODEV));
	member->agent = member->umad.enlist(member->port, SA_CLASS, SA_VERSION, 0 /* RMPP */, NULL);
	member->datagram = calloc(1, member->umad.size() + SA_MAD_SIZE);
	if (member->agent < 0 || !member->datagram)
		return log_fail(-ENOMEM,
				"cannot register with libibumad as a client of the subnet administrator over %s",
				group->device);
	return 0;
}

/*
 * Sends a request and waits for the answer. 0, -ETIMEDOUT, -EINTR (ends_on_stop, and the user has stopped the test), or
 * another -errno; not reported.
 */
static int ask(struct sa_member *member, bool ends_on_stop, int limit_ms, struct sa_answer *answer)
{
	const struct deadline deadline = deadline_in_ms(limit_ms);
	const size_t room = member->umad.size() + SA_MAD_SIZE;

	memset(member->datagram, 0, room);
	member->umad.set_addr(member->datagram, (int)member->sm_lid, SA_QP, (int)member->sm_sl, SA_QKEY);
	sa_record_write(&member->request, member->umad.get_mad(member->datagram));
	if (member->umad.send(member->port, member->agent, member->datagram, SA_MAD_SIZE, RESEND_MS, RESENDS) < 0)
		return errno ? -errno : -EIO;
	do {
		int length = SA_MAD_SIZE;
		const int found = member->umad.recv(member->port, member->datagram, &length, LOOK_MS);

		if (found >= 0 && member->umad.status(member->datagram))
			return -member->umad.status(member->datagram);
		if (found >= 0 &&
		    !sa_record_read(member->umad.get_mad(member->datagram), (size_t)length, &member->request, answer))
			return 0;
		if (ends_on_stop && stop_requested())
			return -EINTR;
	} while (!deadline_passed(deadline));
	return -ETIMEDOUT;
}

static int join(struct sa_member *member, const struct sa_group *group, struct sa_answer *answer)
{
	int err = ask(member, true /* stops with the user */, ANSWER_MS, answer);

	if (err == -EINTR) {
		member->joined = true; /* possibly: the request was sent */
		return err;
	}
	if (err)
		log_error("the subnet administrator (LID 0x%x) does not answer the multicast request of port %u of %s: "
			  "%s",
			  member->sm_lid, group->port, group->device, strerror(-err));
	else if (answer->status)
		log_error("the subnet administrator (LID 0x%x) refuses to let port %u of %s join the multicast group: "
			  "%s (status 0x%04x)",
			  member->sm_lid, group->port, group->device, sa_status_text(answer->status), answer->status);
	/* An unanswered request may still be carried out, so it is undone. */
	member->joined = !answer->status;
	return err ? err : answer->status ? -EPROTO : 0;
}

static void sa_member_leave(struct sa_member *member)
{
	struct sa_answer answer;

	if (!member)
		return;
	if (member->joined) {
		member->request.order = member->request.order == SA_JOIN ? SA_LEAVE : SA_LEAVE_SEND;
		member->request.number += 2;
		if (ask(member, false /* stops with the user */, LEAVE_MS, &answer))
			log_warning(
				"the subnet administrator could not be told that this port leaves the multicast group");
	}
	if (member->port >= 0)
		member->umad.close_port(member->port);
	free(member->datagram);
	free(member);
}

static int sa_member_join(const struct sa_group *group, struct sa_answer *answer, struct sa_member **made)
{
	struct sa_member *member = calloc(1, sizeof(*member));
	struct sa_answer joined = {0};
	char reason[LOG_TEXT_SIZE];
	int err;

	if (!member)
		return log_fail(-ENOMEM, "no memory for a multicast group");
	member->port = member->agent = -1;
	member->request.order = group->sends_only ? SA_JOIN_SEND : SA_JOIN;
	member->request.number = (uint32_t)getpid() << 8 | group->sends_only;
	member->request.qkey = group->qkey;
	memcpy(member->request.group, group->gid, sizeof(group->gid));
	err = library_open(&library, &member->umad, "multicast on InfiniBand", reason, sizeof(reason));
	if (err)
		log_error("%s", reason);
	if (!err && member->umad.init() < 0) {
		log_error("libibumad cannot be used: %s", strerror(errno));
		err = -EIO;
	}
	err = err ?: learn_port(member, group);
	err = err ?: open_agent(member, group);
	err = err ?: join(member, group, &joined);
	if (err) {
		sa_member_leave(member);
		return err;
	}
	*answer = joined;
	*made = member;
	return 0;
}

const struct sa_ops sa_ops = {.join = sa_member_join, .leave = sa_member_leave};
