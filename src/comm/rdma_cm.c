// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How two ends connect with rdma_cm (-z, -R). See cm_link.h; cm_link.c transfers data then. The files of this
 * layer with that name are the only ones that use verbs: the side channel is an RC queue pair of its own.
 */

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/cm_link.h"
#include "net/conn.h"
#include "util/log.h"
#include "util/wait.h"
#include "verbs/connect/cm.h"
#include "verbs/verbs_config.h"

struct comm_cm_listener {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *ids[2]; /* NULL: none */
	bool takes_tcp;		   /* cm_takes_tcp() */
	struct deadline notes_end; /* end of the period that num_notes counts */
	unsigned num_notes;	   /* messages about failed connections */
};

#define MAX_NOTES 8 /* in NOTES_MS */
#define NOTES_MS  60000

/* The next event of a connecting id. 0: the wanted one, which the caller acks; otherwise -errno, with the reason. */
static int expect(struct comm_cm_link *link, enum rdma_cm_event_type wanted, struct deadline deadline,
		  struct rdma_cm_event **event, struct cm_reason *reason)
{
	struct rdma_cm_event *came;
	int rc;

	for (;;) {
		rc = cm_wait_event(link->channel, deadline, &came);
		if (!rc && deadline_passed(deadline)) {
			rdma_ack_cm_event(came);
			rc = -ETIMEDOUT;
		}
		if (rc) {
			*reason = (struct cm_reason){.verdict = CM_FAILED, .error = rc};
			return rc;
		}
		*reason = cm_judge(came->event, came->status);
		if (came->event == wanted) {
			*event = came;
			return 0;
		}
		rdma_ack_cm_event(came);
		if (reason->verdict != CM_GOES_ON)
			return reason->error;
	}
}

static int pass(struct comm_cm_link *link, enum rdma_cm_event_type wanted, struct deadline deadline,
		struct cm_reason *reason)
{
	struct rdma_cm_event *event;
	int rc = expect(link, wanted, deadline, &event, reason);

	if (!rc)
		rdma_ack_cm_event(event);
	return rc;
}

/* A call of librdmacm failed. */
static int comm_cm_link_failed_call(struct cm_reason *reason)
{
	*reason = cm_judge_call(errno ? -errno : -EIO);
	return reason->error;
}

/* Takes ownership of the link, also on failure. */
static int open_conn(struct conn *conn, struct comm_cm_link *link, const char *role)
{
	struct conn made = {.carrier = &carrier_rdma_cm, .fd = -1, .handle = link, .role = role};
	int rc;

	address_text(rdma_get_peer_addr(link->id), made.peer);
	rc = conn_open(&made);
	if (!rc)
		*conn = made;
	return rc;
}

/* --- client --- */

static int try_once(struct comm_cm_link *link, struct sockaddr *from, struct sockaddr *to, struct deadline deadline,
		    struct cm_reason *reason)
{
	struct rdma_conn_param param;
	struct rdma_cm_event *event;
	struct comm_cm_link_mark mark;
	int rc;

	errno = 0;
	if (rdma_create_id(link->channel, &link->id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(link->id, from, to, CM_RESOLVE_MS))
		return comm_cm_link_failed_call(reason);
	rc = pass(link, RDMA_CM_EVENT_ADDR_RESOLVED, deadline, reason);
	if (rc)
		return rc;
	if (rdma_resolve_route(link->id, CM_RESOLVE_MS))
		return comm_cm_link_failed_call(reason);
	rc = pass(link, RDMA_CM_EVENT_ROUTE_RESOLVED, deadline, reason);
	if (rc)
		return rc;
	rc = comm_cm_link_open(link);
	if (rc) {
		*reason = (struct cm_reason){CM_FAILED, rc, strerror(-rc)};
		return rc;
	}
	param = comm_cm_link_param(&mark);
	if (rdma_connect(link->id, &param))
		return comm_cm_link_failed_call(reason);
	rc = expect(link, RDMA_CM_EVENT_ESTABLISHED, deadline, &event, reason);
	/* The report says what it means. */
	if (rc == -ECONNREFUSED)
		reason->words = link->id->verbs->device->transport_type == IBV_TRANSPORT_IWARP
					? "; if one runs there, it refused: see its own message"
					: cm_reach_text(link->id->verbs);
	if (rc)
		return rc;
	comm_cm_link_read_mark(link, &event->param.conn);
	rdma_ack_cm_event(event);
	return 0;
}

/* Tries one of the server's addresses, as often as makes sense. */
static int comm_cm_link_connect_to(struct sockaddr *from, struct sockaddr *to, struct deadline deadline,
				   struct comm_cm_link **made, struct cm_reason *reason)
{
	const char *words = NULL;
	char name[ADDRESS_TEXT_SIZE], what[160];
	int rc = -ENOMEM;

	for (unsigned attempt = 0; attempt < CM_ATTEMPTS; attempt++) {
		struct comm_cm_link *link = calloc(1, sizeof(*link));

		if (attempt == 1) {
			snprintf(what, sizeof(what), "%s does not answer yet with rdma_cm", address_text(to, name));
			wait_report(what, deadline);
		}
		*reason = (struct cm_reason){CM_FAILED, rc, "out of memory"};
		if (!link)
			return rc;
		rc = cm_open_channel(&link->channel);
		if (rc)
			*reason = (struct cm_reason){CM_FAILED, rc, strerror(-rc)};
		else
			rc = try_once(link, from, to, deadline, reason);
		if (!rc) {
			*made = link;
			return 0;
		}
		comm_cm_link_free(link);
		/* This attempt timed out: the reason is that of the previous one. */
		if (rc == -ETIMEDOUT && reason->verdict == CM_FAILED)
			reason->words = words;
		words = reason->words;
		/* As with TCP, a client does not wait for a server that is not running. */
		if (reason->verdict != CM_AGAIN || rc == -ECONNREFUSED)
			break;
		/* Waits only for the end of the pause. */
		if (wait_fds(NULL, 0, deadline_in_ms(CM_PAUSE_MS)) == -EINTR)
			return -EINTR;
		if (deadline_passed(deadline))
			return -ETIMEDOUT;
	}
	return rc;
}

static void comm_cm_link_report_connect(const struct address *address, int64_t timeout_ms, int rc, const char *text)
{
	if (rc != -EINTR && address->unreached)
		address->unreached(address);
	switch (rc) {
	case -EINTR:
		break;
	case -ECONNREFUSED:
		log_error(
			"no server listens with rdma_cm on %s port %u: start the same program there first, with -R or "
			"-z, without a host name%s%s",
			address->host, address->port, address->refused ? address->refused : "", text ? text : "");
		break;
	case -EAFNOSUPPORT:
		log_error("%s has no address that can be reached from %s", address->host,
			  address->bind_ip ? address->bind_ip : "this device");
		break;
	default:
		if (rc == -ETIMEDOUT && !text)
			log_error(
				"no answer with rdma_cm from %s port %u within %g s: does the host have an RDMA device "
				"with that address?",
				address->host, address->port, timeout_ms / 1e3);
		else
			log_error("cannot connect with rdma_cm to %s port %u: %s", address->host, address->port,
				  text ? text : strerror(-rc));
	}
}

/* The source address; NULL: the kernel chooses. -EAFNOSUPPORT: --bind_source_ip is of the other family. */
static int comm_cm_link_find_source(const struct comm_address *address, const struct sockaddr *to,
				    struct addrinfo **found)
{
	const char *ip = address->at.bind_ip;
	char text[INET6_ADDRSTRLEN];

	*found = NULL;
	if (!ip && address->find_source)
		ip = address->find_source(address->owner, to, text, sizeof(text));
	if (!ip)
		return 0;
	return address_resolve(ip, 0, to->sa_family, AI_NUMERICHOST, found) ? -EAFNOSUPPORT : 0;
}

struct comm_cm_link_attempt {
	const struct comm_address *address;
	struct comm_cm_link *link; /* created by the attempt that succeeds */
	const char *text;	   /* the first informative reason for a failure */
	const char *reach;	   /* -ECONNREFUSED: cm_reach_text(), or the other cause on iWARP */
};

static int comm_cm_link_attempt_connect(const struct addrinfo *at, struct deadline deadline, void *context)
{
	struct comm_cm_link_attempt *attempt = context;
	struct cm_reason reason = {0};
	struct addrinfo *from;
	int rc = comm_cm_link_find_source(attempt->address, at->ai_addr, &from);

	if (rc)
		return rc;
	rc = comm_cm_link_connect_to(from ? from->ai_addr : NULL, at->ai_addr, deadline, &attempt->link, &reason);
	if (from)
		freeaddrinfo(from);
	if (rc == -ECONNREFUSED)
		attempt->reach = reason.words;
	if (rc && rc != -EAFNOSUPPORT && !attempt->text)
		attempt->text = reason.words;
	return rc;
}

int comm_cm_connect(struct conn *conn, const struct comm_address *address, int64_t timeout_ms)
{
	struct comm_cm_link_attempt attempt = {.address = address};
	struct rdma_event_channel *channel;
	struct addrinfo *found;
	int rc = cm_open_channel(&channel);

	if (rc) {
		cm_report_missing(rc, option_names_ib.rdma_cm);
		return rc;
	}
	rdma_destroy_event_channel(channel);
	rc = address_resolve_server(&address->at, &found);
	if (rc)
		return rc;
	rc = address_try_until(found, timeout_ms, address->at.retry_ms, comm_cm_link_attempt_connect, &attempt);
	freeaddrinfo(found);
	if (rc) {
		comm_cm_link_report_connect(&address->at, timeout_ms, rc,
					    rc == -ECONNREFUSED ? attempt.reach : attempt.text);
		return rc;
	}
	rc = open_conn(conn, attempt.link, "server");
	return rc ? log_fail(rc, "out of memory for the side channel") : 0;
}

/* --- server --- */

/* family AF_UNSPEC: both. */
static int bind_any(struct rdma_cm_id *id, uint16_t port, int family)
{
	struct sockaddr_in6 both = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
	struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	int only = family == AF_INET6;

	if (family == AF_INET)
		return rdma_bind_addr(id, (struct sockaddr *)&ipv4) ? -errno : 0;
	if (rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &only, sizeof(only)))
		return -errno;
	if (!rdma_bind_addr(id, (struct sockaddr *)&both))
		return 0;
	if (errno == EADDRINUSE || only)
		return -errno;
	/* The kernel has no IPv6. */
	return rdma_bind_addr(id, (struct sockaddr *)&ipv4) ? -errno : 0;
}

static int bind_one(struct rdma_cm_id *id, const struct address *address)
{
	struct addrinfo *found;
	int rc;

	if (address_resolve(address->bind_ip, address->port, AF_UNSPEC, AI_NUMERICHOST, &found))
		return -EADDRNOTAVAIL;
	rc = rdma_bind_addr(id, found->ai_addr) ? -errno : 0;
	freeaddrinfo(found);
	return rc;
}

void comm_cm_unlisten(struct comm_cm_listener *listener)
{
	if (!listener)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (listener->ids[i])
			rdma_destroy_id(listener->ids[i]);
	if (listener->channel)
		rdma_destroy_event_channel(listener->channel);
	free(listener);
}

static int listen_with(struct comm_cm_listener *listener, struct rdma_cm_id **id, const struct address *address,
		       int family)
{
	int rc = rdma_create_id(listener->channel, id, NULL, RDMA_PS_TCP) ? -errno : 0;

	if (rc)
		return rc;
	rc = address->bind_ip ? bind_one(*id, address) : bind_any(*id, address->port, family);
	if (!rc)
		rc = rdma_listen(*id, CM_BACKLOG) ? -errno : 0;
	if (rc) {
		rdma_destroy_id(*id);
		*id = NULL;
	}
	return rc;
}

/* An iWARP device that listens on the wildcard of IPv6 accepts no IPv4 connection with it: each family has an ID. */
static int listen_with_ids(struct comm_cm_listener *listener, const struct address *address)
{
	int rc, rc_ipv6;

	if (!listener->takes_tcp || address->bind_ip || address->family != AF_UNSPEC)
		return listen_with(listener, &listener->ids[0], address, address->family);
	rc = listen_with(listener, &listener->ids[0], address, AF_INET);
	if (rc)
		return rc;
	rc_ipv6 = listen_with(listener, &listener->ids[1], address, AF_INET6);
	return rc_ipv6 == -EADDRINUSE ? rc_ipv6 : 0; /* the kernel may have no IPv6 */
}

int comm_cm_listen(struct comm_cm_listener **listener, const struct comm_address *address)
{
	const bool takes_tcp = cm_present() && cm_takes_tcp();
	struct comm_cm_listener *made;
	int rc;

	/* Most clients use TCP: a port for clients with -R must not prevent that. */
	if (!address->rdma_cm && takes_tcp)
		log_detail("this server does not listen with rdma_cm, which would take its TCP port (this host has an "
			   "iWARP device): give it -R or -z for clients with -R or -z");
	if (!address->rdma_cm && (!cm_present() || takes_tcp))
		return 0;
	made = calloc(1, sizeof(*made));
	if (!made)
		return log_fail(-ENOMEM, "out of memory for the side channel");
	made->takes_tcp = takes_tcp;
	rc = cm_open_channel(&made->channel);
	if (rc) {
		if (address->rdma_cm)
			cm_report_missing(rc, option_names_ib.rdma_cm);
		goto err_free;
	}
	rc = listen_with_ids(made, &address->at);
	if (rc) {
		if (address->rdma_cm)
			address_report_listen(&address->at, " with rdma_cm", rc, cm_judge_call(rc).words);
		goto err_free;
	}
	*listener = made;
	return 0;

err_free:
	comm_cm_unlisten(made);
	return address->rdma_cm ? rc : 0;
}

bool comm_cm_takes_tcp(const struct comm_cm_listener *listener)
{
	return listener && listener->takes_tcp;
}

int comm_cm_listener_fd(const struct comm_cm_listener *listener)
{
	return listener->channel->fd;
}

/*
 * Accepts a connection request. 0 or -errno, with the reason. Does not wait for the client's confirmation: its first
 * message says the same, and if neither arrives it is one of those that send nothing.
 */
static int comm_cm_link_answer(struct comm_cm_link *link, struct cm_reason *reason)
{
	struct rdma_conn_param param;
	struct comm_cm_link_mark mark;
	int rc;

	errno = 0;
	rc = cm_open_channel(&link->channel);
	/* So far the id has its events on the listener's channel. */
	if (!rc && rdma_migrate_id(link->id, link->channel))
		rc = errno ? -errno : -EIO;
	if (!rc)
		rc = comm_cm_link_open(link);
	if (rc) {
		*reason = (struct cm_reason){CM_FAILED, rc, strerror(-rc)};
		return rc;
	}
	param = comm_cm_link_param(&mark);
	if (rdma_accept(link->id, &param))
		return comm_cm_link_failed_call(reason);
	return 0;
}

int comm_cm_accept(struct comm_cm_listener *listener, struct conn *conn)
{
	struct comm_cm_link *link;
	struct rdma_cm_event *event;
	struct cm_reason reason;
	int rc;

	rc = cm_get_event(listener->channel, &event);
	if (rc)
		return rc;
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST) {
		rdma_ack_cm_event(event);
		return -EAGAIN;
	}
	link = calloc(1, sizeof(*link));
	if (link) {
		link->id = event->id;
		comm_cm_link_read_mark(link, &event->param.conn);
	} else {
		rdma_reject(event->id, NULL, 0);
	}
	rdma_ack_cm_event(event);
	if (!link)
		return -ENOMEM;
	rc = comm_cm_link_answer(link, &reason);
	if (!rc)
		return open_conn(conn, link, "client");
	comm_cm_link_free(link);
	if (rc == -EINTR)
		return rc;
	/* The next connection may succeed. */
	if (deadline_passed(listener->notes_end)) {
		listener->notes_end = deadline_in_ms(NOTES_MS);
		listener->num_notes = 0;
	}
	if (++listener->num_notes <= MAX_NOTES)
		log_info("a client could not connect with rdma_cm: %s%s",
			 reason.words ? reason.words : "it did not complete the connection in time",
			 listener->num_notes == MAX_NOTES ? "; further ones in this minute are not reported" : "");
	return -EAGAIN;
}
