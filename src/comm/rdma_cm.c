// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do two ends meet by rdma_cm (-z, -R), and what do they say then? See rdma_cm.h. The one file of
 * this layer that knows verbs: the side channel is an RC queue pair of its own, which carries the
 * stream of bytes as SENDs.
 *
 * A SEND that finds no receive posted is tried again by the device after a pause, over and over, and
 * the pauses would be in the barriers. So each end counts the receives that the other has left
 * (credits). Both tell in the private data of the connection how many they start with; each SEND brings,
 * as immediate data, how many were posted anew. The last credit is kept for telling that, so that two ends
 * that have used up all others are not stuck.
 *
 * linux-rdma perftest has no such private data, no immediate data, and one receive at a time: there an answer
 * is what says that the next message may go.
 */
#include "comm/rdma_cm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/address.h"
#include "comm/carrier.h"
#include "util/log.h"
#include "util/wait.h"
#include "verbs/cm.h"

#define RECEIVES	 16
#define SENDS		 16
#define CHUNK		 4096 /* bytes that one SEND carries at most */
#define BACKLOG		 16   /* clients that wait while another one is served */
#define ACCEPT_MS	 10000
#define CLOSE_MS	 1000 /* what was sent last has so long to arrive */
#define NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Private data of the request to connect and of the answer; numbers are big-endian. */
struct mark {
	uint8_t magic[4];
	uint16_t receives; /* posted from the start, 2 or more */
	uint16_t chunk;	   /* bytes that each of them holds, 64 or more */
};

static const uint8_t magic[4] = {'P', 'F', 'T', 'Z'};

struct arrived {
	unsigned buffer;
	uint32_t length;
};

struct rdma_cm_link {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id; /* with the queue pair */
	struct ibv_comp_channel *completions;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *memory; /* RECEIVES buffers to receive in, SENDS to send from */
	unsigned events; /* of the completion channel, to be acknowledged in the end */

	/* What came and was not read yet, oldest first. */
	struct arrived arrived[RECEIVES];
	unsigned first, num_arrived;
	uint32_t taken; /* bytes of the oldest that were read */
	unsigned owed;	/* receives posted anew that the peer was not told of */

	unsigned next_send; /* buffer; they are used and freed in order */
	unsigned in_flight;
	unsigned credits;    /* receives that the peer has left for us */
	uint32_t peer_chunk; /* bytes that each of them holds */
	bool counts;	     /* the peer counts credits, as this suite does */

	bool disconnected;
	int error; /* what broke the queue pair; 0: nothing */
};

struct rdma_cm_listener {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
};

/* --- the queue pair --- */

static uint8_t *receive_buffer(const struct rdma_cm_link *link, unsigned buffer)
{
	return link->memory + (size_t)buffer * CHUNK;
}

static uint8_t *send_buffer(const struct rdma_cm_link *link, unsigned buffer)
{
	return receive_buffer(link, RECEIVES + buffer);
}

static int post_receive(struct rdma_cm_link *link, unsigned buffer)
{
	struct ibv_sge sge = {.addr = (uintptr_t)receive_buffer(link, buffer), .length = CHUNK, .lkey = link->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = buffer, .sg_list = &sge, .num_sge = 1}, *bad;

	return -ibv_post_recv(link->id->qp, &wr, &bad);
}

/* Sends length bytes of the next buffer, where the caller has put them, and what is owed. */
static int post_send(struct rdma_cm_link *link, uint32_t length)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)send_buffer(link, link->next_send), .length = length, .lkey = link->mr->lkey};
	struct ibv_send_wr wr = {
		.wr_id = RECEIVES + link->next_send,
		.sg_list = &sge,
		.num_sge = length > 0,
		.opcode = link->counts ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(link->owed),
	};
	struct ibv_send_wr *bad;
	int err = -ibv_post_send(link->id->qp, &wr, &bad);

	if (err) {
		link->error = err;
		return err;
	}
	link->owed = 0;
	link->credits--;
	link->in_flight++;
	link->next_send = (link->next_send + 1) % SENDS;
	return 0;
}

/* Gives a receive back to the device. */
static void recycle(struct rdma_cm_link *link, unsigned buffer)
{
	int err = post_receive(link, buffer);

	if (err)
		link->error = err;
	else
		link->owed++;
}

static void arrive(struct rdma_cm_link *link, const struct ibv_wc *wc)
{
	const unsigned buffer = (unsigned)wc->wr_id;

	if (!link->counts)
		link->credits = 1;
	else if (wc->wc_flags & IBV_WC_WITH_IMM)
		link->credits += ntohl(wc->imm_data);
	if (!wc->byte_len) {
		recycle(link, buffer);
		return;
	}
	link->arrived[(link->first + link->num_arrived) % RECEIVES] =
		(struct arrived){.buffer = buffer, .length = wc->byte_len};
	link->num_arrived++;
}

static int broken_by(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_WR_FLUSH_ERR:
		return -ECONNRESET;
	case IBV_WC_RETRY_EXC_ERR:
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return -EHOSTDOWN;
	default:
		return -EIO;
	}
}

/* Takes note of what the device has done. */
static void progress(struct rdma_cm_link *link)
{
	struct ibv_wc wc[RECEIVES + SENDS];
	int count;

	do {
		count = ibv_poll_cq(link->cq, NUMBER_OF(wc), wc);
		for (int i = 0; i < count; i++) {
			if (wc[i].status != IBV_WC_SUCCESS) {
				/* The first one says why; the others follow from it. */
				if (!link->error)
					link->error = broken_by(wc[i].status);
			} else if (wc[i].wr_id < RECEIVES) {
				arrive(link, &wc[i]);
			} else {
				link->in_flight--;
			}
		}
	} while (count == NUMBER_OF(wc));
	if (count < 0)
		link->error = -EIO;
	/* A peer that only sends would run out of credits. */
	if (link->counts && link->owed >= RECEIVES / 2 && link->credits && link->in_flight < SENDS && !link->error)
		post_send(link, 0);
}

/* Did rdma_cm say that the connection is over? */
static void hear(struct rdma_cm_link *link)
{
	struct rdma_cm_event *event;

	while (!cm_get_event(link->channel, &event)) {
		if (cm_judge(event->event, event->status).verdict != CM_GOES_ON)
			link->disconnected = true;
		rdma_ack_cm_event(event);
	}
}

static bool is_over(const struct rdma_cm_link *link)
{
	return link->disconnected || link->error;
}

static bool can_send(const struct rdma_cm_link *link)
{
	return !is_over(link) && link->in_flight < SENDS && link->credits > link->counts;
}

/* --- the carrier --- */

static ssize_t end_of(const struct rdma_cm_link *link)
{
	return link->error ? link->error : -ECONNRESET;
}

static ssize_t send_now(struct comm *comm, const void *bytes, size_t length)
{
	struct rdma_cm_link *link = comm->link;
	size_t done = 0;

	progress(link);
	while (done < length && can_send(link)) {
		size_t chunk = length - done;

		if (chunk > link->peer_chunk)
			chunk = link->peer_chunk;
		memcpy(send_buffer(link, link->next_send), (const uint8_t *)bytes + done, chunk);
		if (post_send(link, (uint32_t)chunk))
			break;
		done += chunk;
	}
	return done || !is_over(link) ? (ssize_t)done : end_of(link);
}

static ssize_t receive_now(struct comm *comm, void *bytes, size_t size)
{
	struct rdma_cm_link *link = comm->link;
	size_t done = 0;

	/* In this order: what came before the end is read before the end is told. */
	hear(link);
	progress(link);
	while (done < size && link->num_arrived) {
		const struct arrived *oldest = &link->arrived[link->first];
		size_t part = oldest->length - link->taken;

		if (part > size - done)
			part = size - done;
		memcpy((uint8_t *)bytes + done, receive_buffer(link, oldest->buffer) + link->taken, part);
		done += part;
		link->taken += (uint32_t)part;
		if (link->taken == oldest->length) {
			const unsigned buffer = oldest->buffer;

			link->first = (link->first + 1) % RECEIVES;
			link->num_arrived--;
			link->taken = 0;
			recycle(link, buffer);
		}
	}
	if (done)
		progress(link); /* tells the peer of the receives that are free again */
	return done || !is_over(link) ? (ssize_t)done : end_of(link);
}

static bool is_ready(struct rdma_cm_link *link, short events)
{
	hear(link);
	progress(link);
	return is_over(link) || (events & POLLIN && link->num_arrived) || (events & POLLOUT && can_send(link));
}

static void take_completion_event(struct rdma_cm_link *link)
{
	struct ibv_cq *cq;
	void *context;

	if (!ibv_get_cq_event(link->completions, &cq, &context))
		link->events++;
}

static int wait_for(struct comm *comm, short events, struct deadline deadline)
{
	struct rdma_cm_link *link = comm->link;

	for (;;) {
		struct pollfd fds[] = {{.fd = link->completions->fd, .events = POLLIN},
				       {.fd = link->channel->fd, .events = POLLIN}};
		int rc;

		if (is_ready(link, events))
			return 0;
		/* What completes between the look and the request makes no event: look again. */
		if (ibv_req_notify_cq(link->cq, 0 /* not only solicited ones */))
			return -EIO;
		if (is_ready(link, events))
			return 0;
		rc = wait_fds(fds, NUMBER_OF(fds), deadline);
		if (rc)
			return rc;
		if (fds[0].revents)
			take_completion_event(link);
	}
}

static socklen_t length_of(const struct sockaddr *address)
{
	return address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static void find_addresses(const struct comm *comm, struct addresses *addresses)
{
	const struct sockaddr *local = rdma_get_local_addr(comm->link->id);
	const struct sockaddr *peer = rdma_get_peer_addr(comm->link->id);

	snprintf(addresses->device, sizeof(addresses->device), "%s",
		 ibv_get_device_name(comm->link->id->verbs->device));
	addresses->port = comm->link->id->port_num;
	memcpy(&addresses->local, local, length_of(local));
	memcpy(&addresses->peer, peer, length_of(peer));
}

/* Takes a link in any state of being made. */
static void link_free(struct rdma_cm_link *link)
{
	if (!link)
		return;
	if (link->id && link->id->qp)
		rdma_destroy_qp(link->id);
	if (link->mr)
		ibv_dereg_mr(link->mr);
	if (link->cq) {
		ibv_ack_cq_events(link->cq, link->events);
		ibv_destroy_cq(link->cq);
	}
	if (link->completions)
		ibv_destroy_comp_channel(link->completions);
	if (link->id)
		rdma_destroy_id(link->id);
	if (link->channel)
		rdma_destroy_event_channel(link->channel);
	free(link->memory);
	free(link);
}

static void close_link(struct comm *comm)
{
	struct rdma_cm_link *link = comm->link;
	const struct deadline deadline = deadline_in_ms(CLOSE_MS);

	/* A disconnect takes back what is still on its way. It heeds no stop, as it ends by itself. */
	for (;;) {
		struct pollfd fds[] = {{.fd = link->completions->fd, .events = POLLIN},
				       {.fd = link->channel->fd, .events = POLLIN}};

		if (ibv_req_notify_cq(link->cq, 0 /* not only solicited ones */))
			break;
		is_ready(link, 0);
		if (is_over(link) || !link->in_flight || deadline_passed(deadline))
			break;
		if (poll(fds, NUMBER_OF(fds), deadline_poll_ms(deadline)) > 0 && fds[0].revents)
			take_completion_event(link);
	}
	rdma_disconnect(link->id);
	link_free(link);
	comm->link = NULL;
}

const struct carrier carrier_rdma_cm = {
	.name = "rdma_cm",
	.packets = true,
	.send_now = send_now,
	.receive_now = receive_now,
	.wait = wait_for,
	.addresses = find_addresses,
	.close = close_link,
};

/* --- making a connection --- */

/* The queue pair and its receives, on the device that rdma_cm found for the id. 0 or -errno. */
static int open_queue_pair(struct rdma_cm_link *link)
{
	struct ibv_qp_init_attr attr = {
		.cap = {.max_send_wr = SENDS, .max_recv_wr = RECEIVES, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 0,
	};
	const size_t size = (size_t)(RECEIVES + SENDS) * CHUNK;
	void *memory;
	int err;

	errno = 0;
	if (posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), size))
		return -ENOMEM;
	memset(memory, 0, size);
	link->memory = memory;
	link->completions = ibv_create_comp_channel(link->id->verbs);
	if (!link->completions)
		goto failed;
	link->cq = ibv_create_cq(link->id->verbs, RECEIVES + SENDS, NULL, link->completions, 0 /* vector */);
	if (!link->cq)
		goto failed;
	link->mr = ibv_reg_mr(link->id->pd, memory, size, IBV_ACCESS_LOCAL_WRITE);
	if (!link->mr)
		goto failed;
	attr.send_cq = link->cq;
	attr.recv_cq = link->cq;
	if (rdma_create_qp(link->id, NULL /* the id's own domain */, &attr))
		goto failed;
	for (unsigned i = 0; i < RECEIVES; i++) {
		err = post_receive(link, i);
		if (err)
			return err;
	}
	return 0;

failed:
	return errno ? -errno : -EIO;
}

static void fill_mark(struct mark *mark)
{
	*mark = (struct mark){.receives = htons(RECEIVES), .chunk = htons(CHUNK)};
	memcpy(mark->magic, magic, sizeof(magic));
}

/* What does the peer say of itself? */
static void read_mark(struct rdma_cm_link *link, const struct rdma_conn_param *param)
{
	struct mark mark;

	link->counts = false;
	link->credits = 1;
	link->peer_chunk = CHUNK;
	if (!param->private_data || param->private_data_len < sizeof(mark))
		return;
	memcpy(&mark, param->private_data, sizeof(mark));
	if (memcmp(mark.magic, magic, sizeof(magic)) != 0 || ntohs(mark.receives) < 2 || ntohs(mark.chunk) < 64)
		return;
	link->counts = true;
	link->credits = ntohs(mark.receives);
	if (ntohs(mark.chunk) < CHUNK)
		link->peer_chunk = ntohs(mark.chunk);
}

/*
 * The next event of an id that is being connected. 0: the wanted one came, and the caller acknowledges it;
 * otherwise -errno, with the reason.
 */
static int expect(struct rdma_cm_link *link, enum rdma_cm_event_type wanted, struct deadline deadline,
		  struct rdma_cm_event **event, struct cm_reason *reason)
{
	struct rdma_cm_event *came;
	int rc;

	for (;;) {
		rc = cm_wait_event(link->channel, deadline, &came);
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

static int pass(struct rdma_cm_link *link, enum rdma_cm_event_type wanted, struct deadline deadline,
		struct cm_reason *reason)
{
	struct rdma_cm_event *event;
	int rc = expect(link, wanted, deadline, &event, reason);

	if (!rc)
		rdma_ack_cm_event(event);
	return rc;
}

/* A call of librdmacm failed. */
static int failed_call(struct cm_reason *reason)
{
	*reason = cm_judge_call(errno ? -errno : -EIO);
	return reason->error;
}

static void set_peer(struct comm *comm, struct rdma_cm_link *link)
{
	const struct sockaddr *peer = rdma_get_peer_addr(link->id);

	address_text(peer, length_of(peer), comm->peer, sizeof(comm->peer));
	comm->link = link;
	comm->carrier = &carrier_rdma_cm;
	comm->fd = -1;
}

/* --- client --- */

/* Retries without limit where no receive is posted: a classic peer posts one at a time. */
static void fill_param(struct rdma_conn_param *param, const struct mark *mark)
{
	*param = (struct rdma_conn_param){
		.private_data = mark,
		.private_data_len = sizeof(*mark),
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
}

static int try_once(struct rdma_cm_link *link, struct sockaddr *from, struct sockaddr *to, struct deadline deadline,
		    struct cm_reason *reason)
{
	struct rdma_conn_param param;
	struct rdma_cm_event *event;
	struct mark mark;
	int rc;

	errno = 0;
	if (rdma_create_id(link->channel, &link->id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(link->id, from, to, CM_RESOLVE_MS))
		return failed_call(reason);
	rc = pass(link, RDMA_CM_EVENT_ADDR_RESOLVED, deadline, reason);
	if (rc)
		return rc;
	if (rdma_resolve_route(link->id, CM_RESOLVE_MS))
		return failed_call(reason);
	rc = pass(link, RDMA_CM_EVENT_ROUTE_RESOLVED, deadline, reason);
	if (rc)
		return rc;
	rc = open_queue_pair(link);
	if (rc) {
		*reason = (struct cm_reason){CM_FAILED, rc, strerror(-rc)};
		return rc;
	}
	fill_mark(&mark);
	fill_param(&param, &mark);
	if (rdma_connect(link->id, &param))
		return failed_call(reason);
	rc = expect(link, RDMA_CM_EVENT_ESTABLISHED, deadline, &event, reason);
	if (rc)
		return rc;
	read_mark(link, &event->param.conn);
	rdma_ack_cm_event(event);
	return 0;
}

/* One of the server's addresses, with as many attempts as make sense. */
static int connect_to(struct sockaddr *from, struct sockaddr *to, struct deadline deadline, struct rdma_cm_link **made,
		      struct cm_reason *reason)
{
	const char *words = NULL;
	int rc = -ENOMEM;

	for (unsigned attempt = 0; attempt < CM_ATTEMPTS; attempt++) {
		struct rdma_cm_link *link = calloc(1, sizeof(*link));

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
		link_free(link);
		/* Time ran out in this attempt: the reason is that of the one before. */
		if (rc == -ETIMEDOUT && reason->verdict == CM_FAILED)
			reason->words = words;
		words = reason->words;
		/* As with TCP, nobody waits for a server that was not started. */
		if (reason->verdict != CM_AGAIN || rc == -ECONNREFUSED)
			break;
		/* Nothing to wait for but the end of the pause. */
		if (wait_fds(NULL, 0, deadline_in_ms(CM_PAUSE_MS)) == -EINTR)
			return -EINTR;
		if (deadline_passed(deadline))
			return -ETIMEDOUT;
	}
	return rc;
}

static void report_connect(const struct comm_address *address, int timeout_ms, int rc, const char *words)
{
	switch (rc) {
	case -EINTR:
		break;
	case -ECONNREFUSED:
		log_error("no server listens by rdma_cm on %s port %u: start the same program there first, with -R or "
			  "-z, without a host name",
			  address->host, address->port);
		break;
	case -EAFNOSUPPORT:
		log_error("%s has no address that can be reached from %s", address->host,
			  address->bind_ip ? address->bind_ip : "this device");
		break;
	default:
		if (rc == -ETIMEDOUT && timeout_ms >= 0 && !words)
			log_error("no answer by rdma_cm from %s port %u within %g s: does the host have an RDMA device "
				  "with that address?",
				  address->host, address->port, timeout_ms / 1e3);
		else
			log_error("cannot connect by rdma_cm to %s port %u: %s", address->host, address->port,
				  words ? words : strerror(-rc));
	}
}

/* Where to start from for that family; NULL: the kernel chooses. -EAFNOSUPPORT: --bind_source_ip is of the other. */
static int find_source(const struct comm_address *address, int family, struct addrinfo **found)
{
	const char *ip = address->bind_ip ? address->bind_ip : address->source_ip[family == AF_INET6];

	*found = NULL;
	if (!ip)
		return 0;
	return address_resolve(ip, 0, family, AI_NUMERICHOST, found) ? -EAFNOSUPPORT : 0;
}

struct attempt {
	const struct comm_address *address;
	struct rdma_cm_link *link; /* made by the attempt that succeeds */
	const char *words;	   /* why the first one failed that says something */
};

static int attempt_connect(const struct addrinfo *at, struct deadline deadline, void *context)
{
	struct attempt *attempt = context;
	struct cm_reason reason = {0};
	struct addrinfo *from;
	int rc = find_source(attempt->address, at->ai_family, &from);

	if (rc)
		return rc;
	rc = connect_to(from ? from->ai_addr : NULL, at->ai_addr, deadline, &attempt->link, &reason);
	if (from)
		freeaddrinfo(from);
	if (rc && rc != -EAFNOSUPPORT && !attempt->words)
		attempt->words = reason.words;
	return rc;
}

int rdma_cm_connect(const struct comm_address *address, int timeout_ms, struct comm *comm)
{
	const struct deadline deadline = deadline_in_ms(timeout_ms);
	struct attempt attempt = {.address = address};
	struct rdma_event_channel *channel;
	struct addrinfo *found;
	int rc = cm_open_channel(&channel);

	if (rc) {
		cm_report_missing(rc);
		return rc;
	}
	rdma_destroy_event_channel(channel);
	rc = address_resolve_server(address, &found);
	if (rc)
		return rc;
	rc = address_try_each(found, deadline, attempt_connect, &attempt);
	freeaddrinfo(found);
	if (rc) {
		report_connect(address, timeout_ms, rc, attempt.words);
		return rc;
	}
	set_peer(comm, attempt.link);
	return 0;
}

/* --- server --- */

static int bind_any(struct rdma_cm_id *id, uint16_t port, bool ipv6_only)
{
	struct sockaddr_in6 both = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
	struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	int only = ipv6_only;

	if (rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &only, sizeof(only)))
		return -errno;
	if (!rdma_bind_addr(id, (struct sockaddr *)&both))
		return 0;
	if (errno == EADDRINUSE || ipv6_only)
		return -errno;
	/* A kernel without IPv6. */
	return rdma_bind_addr(id, (struct sockaddr *)&ipv4) ? -errno : 0;
}

static int bind_one(struct rdma_cm_id *id, const struct comm_address *address)
{
	struct addrinfo *found;
	int rc;

	if (address_resolve(address->bind_ip, address->port, AF_UNSPEC, AI_NUMERICHOST, &found))
		return -EADDRNOTAVAIL;
	rc = rdma_bind_addr(id, found->ai_addr) ? -errno : 0;
	freeaddrinfo(found);
	return rc;
}

void rdma_cm_unlisten(struct rdma_cm_listener *listener)
{
	if (!listener)
		return;
	if (listener->id)
		rdma_destroy_id(listener->id);
	if (listener->channel)
		rdma_destroy_event_channel(listener->channel);
	free(listener);
}

static void report_listen(const struct comm_address *address, int rc)
{
	const char *where = address->bind_ip ? address->bind_ip : "any address";

	if (rc == -EADDRINUSE)
		log_error("port %u is in use by rdma_cm; choose another with -p", address->port);
	else
		log_error("cannot listen by rdma_cm on %s port %u: %s", where, address->port, cm_judge_call(rc).words);
}

int rdma_cm_listen(struct rdma_cm_listener **listener, const struct comm_address *address)
{
	struct rdma_cm_listener *made;
	int rc;

	if (!address->rdma_cm && !cm_present())
		return 0;
	made = calloc(1, sizeof(*made));
	if (!made) {
		log_error("out of memory for the side channel");
		return -ENOMEM;
	}
	rc = cm_open_channel(&made->channel);
	if (rc) {
		if (address->rdma_cm)
			cm_report_missing(rc);
		goto err_free;
	}
	rc = rdma_create_id(made->channel, &made->id, NULL, RDMA_PS_TCP) ? -errno : 0;
	if (!rc)
		rc = address->bind_ip ? bind_one(made->id, address) : bind_any(made->id, address->port, address->ipv6);
	if (!rc)
		rc = rdma_listen(made->id, BACKLOG) ? -errno : 0;
	if (rc) {
		if (address->rdma_cm)
			report_listen(address, rc);
		goto err_free;
	}
	*listener = made;
	return 0;

err_free:
	rdma_cm_unlisten(made);
	return address->rdma_cm ? rc : 0;
}

int rdma_cm_listener_fd(const struct rdma_cm_listener *listener)
{
	return listener->channel->fd;
}

/* Answers a request to connect. 0 or -errno, with the reason. */
static int answer(struct rdma_cm_link *link, struct deadline deadline, struct cm_reason *reason)
{
	struct rdma_conn_param param;
	struct mark mark;
	int rc;

	errno = 0;
	rc = cm_open_channel(&link->channel);
	/* The id has its events on the listener's channel so far. */
	if (!rc && rdma_migrate_id(link->id, link->channel))
		rc = errno ? -errno : -EIO;
	if (!rc)
		rc = open_queue_pair(link);
	if (rc) {
		*reason = (struct cm_reason){CM_FAILED, rc, strerror(-rc)};
		return rc;
	}
	fill_mark(&mark);
	fill_param(&param, &mark);
	if (rdma_accept(link->id, &param))
		return failed_call(reason);
	return pass(link, RDMA_CM_EVENT_ESTABLISHED, deadline, reason);
}

int rdma_cm_accept(struct rdma_cm_listener *listener, struct comm *comm, int timeout_ms)
{
	const int limit_ms = timeout_ms >= 0 && timeout_ms < ACCEPT_MS ? timeout_ms : ACCEPT_MS;
	struct rdma_cm_link *link;
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
		read_mark(link, &event->param.conn);
	} else {
		rdma_reject(event->id, NULL, 0);
	}
	rdma_ack_cm_event(event);
	if (!link)
		return -ENOMEM;
	rc = answer(link, deadline_in_ms(limit_ms), &reason);
	if (!rc) {
		set_peer(comm, link);
		return 0;
	}
	link_free(link);
	if (rc == -EINTR)
		return rc;
	/* The next one may do better. */
	log_warning("a client's connection by rdma_cm was not made: %s",
		    reason.words ? reason.words : "its last word did not come in time");
	return -EAGAIN;
}
