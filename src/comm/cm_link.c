// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The byte stream over a queue pair that rdma_cm connects. See cm_link.h. */
#include "comm/cm_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/conn.h"
#include "util/wait.h"
#include "verbs/connect/cm.h"
#include "verbs/queue.h"

#define SENDS		 16
#define CHUNK		 4096 /* maximum bytes per SEND */
#define CREDITS_SIZE	 4    /* bytes at the end of a SEND, big-endian, without immediate data */
#define CLOSE_MS	 1000 /* time for the last data to arrive */
#define MOST_POLLS	 16   /* in a row, so that a peer that floods this side does not block it */
#define NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))

static const uint8_t magic[4] = {'P', 'F', 'T', 'Z'};

/* --- the queue pair --- */

static uint8_t *receive_buffer(const struct comm_cm_link *link, unsigned buffer)
{
	return link->memory + (size_t)buffer * CHUNK;
}

static uint8_t *send_buffer(const struct comm_cm_link *link, unsigned buffer)
{
	return receive_buffer(link, COMM_CM_LINK_RECEIVES + buffer);
}

static int comm_cm_link_post_receive(struct comm_cm_link *link, unsigned buffer)
{
	struct ibv_sge sge = {.addr = (uintptr_t)receive_buffer(link, buffer), .length = CHUNK, .lkey = link->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = buffer, .sg_list = &sge, .num_sge = 1}, *bad;

	return -abs(ibv_post_recv(link->id->qp, &wr, &bad)); /* some libraries return a negative errno */
}

/* Sends length bytes that the caller has put into the next buffer, and the credits owed. */
static int comm_cm_link_post_send(struct comm_cm_link *link, uint32_t length)
{
	uint8_t *buffer = send_buffer(link, link->next_send);
	struct ibv_sge sge = {
		.addr = (uintptr_t)buffer,
		.length = length + (link->in_band ? CREDITS_SIZE : 0),
		.lkey = link->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = COMM_CM_LINK_RECEIVES + link->next_send,
		.sg_list = &sge,
		.num_sge = sge.length > 0,
		.opcode = link->counts && !link->in_band ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(link->owed),
	};
	struct ibv_send_wr *bad;
	int err;

	if (link->in_band)
		memcpy(buffer + length, &wr.imm_data, CREDITS_SIZE);
	err = -abs(ibv_post_send(link->id->qp, &wr, &bad));
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

/* Posts a receive again. */
static void recycle(struct comm_cm_link *link, unsigned buffer)
{
	if (comm_cm_link_post_receive(link, buffer))
		link->error = -EIO; /* whatever it returns: this side has not posted more than there is room for */
	else
		link->owed++;
}

/* The device's library may be wrong, and on a software device the peer writes into the queue. */
static void arrive(struct comm_cm_link *link, const struct ibv_wc *wc)
{
	const unsigned buffer = (unsigned)wc->wr_id;
	uint32_t length = wc->byte_len, credits;

	if (length > CHUNK || link->num_arrived == COMM_CM_LINK_RECEIVES || (link->in_band && length < CREDITS_SIZE)) {
		link->error = -EBADMSG;
		return;
	}
	if (link->in_band) {
		length -= CREDITS_SIZE;
		memcpy(&credits, receive_buffer(link, buffer) + length, CREDITS_SIZE);
		link->credits += ntohl(credits);
	} else if (!link->counts) {
		link->credits = 1;
	} else if (wc->wc_flags & IBV_WC_WITH_IMM) {
		link->credits += ntohl(wc->imm_data);
	}
	if (!length) {
		recycle(link, buffer);
		return;
	}
	link->arrived[(link->first + link->num_arrived) % COMM_CM_LINK_RECEIVES] =
		(struct arrived){.buffer = buffer, .length = length};
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

/* Polls and handles completions. */
static void progress(struct comm_cm_link *link)
{
	struct ibv_wc wc[COMM_CM_LINK_RECEIVES + SENDS];
	unsigned polls = 0;
	int count;

	do {
		count = cq_poll(link->cq, NUMBER_OF(wc), wc);
		for (int i = 0; i < count; i++) {
			if (wc[i].status != IBV_WC_SUCCESS) {
				/* The first one gives the reason; the others follow from it. */
				if (!link->error)
					link->error = broken_by(wc[i].status);
			} else if (wc[i].wr_id < COMM_CM_LINK_RECEIVES) {
				arrive(link, &wc[i]);
			} else {
				link->in_flight--;
			}
		}
	} while (count == NUMBER_OF(wc) && ++polls < MOST_POLLS);
	if (count < 0)
		link->error = count;
	/* A peer that only sends would run out of credits. */
	if (link->counts && link->owed >= COMM_CM_LINK_RECEIVES / 2 && link->credits && link->in_flight < SENDS &&
	    !link->error)
		comm_cm_link_post_send(link, 0);
}

/* Did rdma_cm report that the connection is over? */
static void comm_cm_link_drain(struct comm_cm_link *link)
{
	struct rdma_cm_event *event;

	while (!cm_get_event(link->channel, &event)) {
		if (cm_judge(event->event, event->status).verdict != CM_GOES_ON)
			link->disconnected = true;
		rdma_ack_cm_event(event);
	}
}

static bool comm_cm_link_is_over(const struct comm_cm_link *link)
{
	return link->disconnected || link->error;
}

static bool can_send(const struct comm_cm_link *link)
{
	return !comm_cm_link_is_over(link) && link->in_flight < SENDS && link->credits > link->counts;
}

/* --- the carrier --- */

static ssize_t comm_cm_link_end(const struct comm_cm_link *link)
{
	return link->error ? link->error : -ECONNRESET;
}

static ssize_t comm_cm_link_send(struct conn *conn, const void *bytes, size_t length)
{
	struct comm_cm_link *link = conn->handle;
	size_t done = 0;

	progress(link);
	while (done < length && can_send(link)) {
		size_t chunk = length - done;

		if (chunk > link->peer_chunk)
			chunk = link->peer_chunk;
		memcpy(send_buffer(link, link->next_send), (const uint8_t *)bytes + done, chunk);
		if (comm_cm_link_post_send(link, (uint32_t)chunk))
			break;
		done += chunk;
	}
	return done || !comm_cm_link_is_over(link) ? (ssize_t)done : comm_cm_link_end(link);
}

static ssize_t comm_cm_link_receive(struct conn *conn, void *bytes, size_t size)
{
	struct comm_cm_link *link = conn->handle;
	size_t done = 0;

	/* In this order: what arrived before the end is read before the end is reported. */
	comm_cm_link_drain(link);
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

			link->first = (link->first + 1) % COMM_CM_LINK_RECEIVES;
			link->num_arrived--;
			link->taken = 0;
			recycle(link, buffer);
		}
	}
	if (done)
		progress(link); /* tells the peer about reposted receives */
	return done || !comm_cm_link_is_over(link) ? (ssize_t)done : comm_cm_link_end(link);
}

static bool is_ready(struct comm_cm_link *link, short events)
{
	comm_cm_link_drain(link);
	progress(link);
	return comm_cm_link_is_over(link) || (events & POLLIN && link->num_arrived) ||
	       (events & POLLOUT && can_send(link));
}

static void take_completion_event(struct comm_cm_link *link)
{
	struct ibv_cq *cq;
	void *context;

	if (!ibv_get_cq_event(link->completions, &cq, &context))
		link->events++;
}

static int comm_cm_link_poll_fds(struct conn *conn, short events, struct pollfd *fds)
{
	struct comm_cm_link *link = conn->handle;

	if (is_ready(link, events))
		return 0;
	/* A completion between the poll and the request causes no event: poll again. */
	if (ibv_req_notify_cq(link->cq, 0 /* not only solicited ones */))
		return -EIO;
	if (is_ready(link, events))
		return 0;
	fds[0] = (struct pollfd){.fd = link->completions->fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = link->channel->fd, .events = POLLIN};
	return CARRIER_FDS;
}

/* SENDs without data cause a wakeup, but were not awaited. */
static void wake(struct conn *conn, const struct pollfd *fds)
{
	if (fds[0].revents)
		take_completion_event(conn->handle);
}

static void comm_cm_link_addresses(const struct conn *conn, struct addresses *addresses)
{
	const struct comm_cm_link *link = conn->handle;
	const struct sockaddr *local = rdma_get_local_addr(link->id);
	const struct sockaddr *peer = rdma_get_peer_addr(link->id);

	snprintf(addresses->device, sizeof(addresses->device), "%s", ibv_get_device_name(link->id->verbs->device));
	addresses->port = link->id->port_num;
	memcpy(&addresses->local, local, address_length(local));
	memcpy(&addresses->peer, peer, address_length(peer));
}

void comm_cm_link_free(struct comm_cm_link *link)
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

/*
 * A classic program polls for the next message without a limit, and never checks with rdma_cm whether there still is a
 * peer. More bytes than its receive holds complete that receive with an error, and end the program. If its receive is
 * not posted yet, the device retries.
 */
static void break_off(struct conn *conn)
{
	struct comm_cm_link *link = conn->handle;

	progress(link);
	if (comm_cm_link_is_over(link) || link->counts || link->in_flight == SENDS)
		return;
	memset(send_buffer(link, link->next_send), 0, CHUNK);
	link->credits++;
	comm_cm_link_post_send(link, CHUNK);
}

static void close_link(struct conn *conn)
{
	struct comm_cm_link *link = conn->handle;
	const struct deadline deadline = deadline_in_ms(CLOSE_MS);

	/* A disconnect discards what is still in flight. This ignores the user's stop, as it ends by itself. */
	for (;;) {
		struct pollfd fds[] = {{.fd = link->completions->fd, .events = POLLIN},
				       {.fd = link->channel->fd, .events = POLLIN}};

		if (ibv_req_notify_cq(link->cq, 0 /* not only solicited ones */))
			break;
		is_ready(link, 0);
		if (comm_cm_link_is_over(link) || !link->in_flight || deadline_passed(deadline))
			break;
		if (!wait_fds_after_stop(fds, NUMBER_OF(fds), deadline) && fds[0].revents)
			take_completion_event(link);
	}
	rdma_disconnect(link->id);
	comm_cm_link_free(link);
	conn->handle = NULL;
}

const struct carrier carrier_rdma_cm = {
	.name = "rdma_cm",
	.packets = true,
	.send_now = comm_cm_link_send,
	.receive_now = comm_cm_link_receive,
	.poll_fds = comm_cm_link_poll_fds,
	.wake = wake,
	.addresses = comm_cm_link_addresses,
	.break_off = break_off,
	.close = close_link,
};

int comm_cm_link_open(struct comm_cm_link *link)
{
	struct ibv_qp_init_attr attr = {
		.cap = {.max_send_wr = SENDS,
			.max_recv_wr = COMM_CM_LINK_RECEIVES,
			.max_send_sge = 1,
			.max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 0,
	};
	const size_t size = (size_t)(COMM_CM_LINK_RECEIVES + SENDS) * CHUNK;
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
	link->cq =
		ibv_create_cq(link->id->verbs, COMM_CM_LINK_RECEIVES + SENDS, NULL, link->completions, 0 /* vector */);
	if (!link->cq)
		goto failed;
	link->mr = ibv_reg_mr(link->id->pd, memory, size, IBV_ACCESS_LOCAL_WRITE);
	if (!link->mr)
		goto failed;
	attr.send_cq = link->cq;
	attr.recv_cq = link->cq;
	if (rdma_create_qp(link->id, NULL /* the id's own domain */, &attr))
		goto failed;
	for (unsigned i = 0; i < COMM_CM_LINK_RECEIVES; i++) {
		err = comm_cm_link_post_receive(link, i);
		if (err)
			return err;
	}
	return 0;

failed:
	return errno ? -errno : -EIO;
}

struct rdma_conn_param comm_cm_link_param(struct comm_cm_link_mark *mark)
{
	*mark = (struct comm_cm_link_mark){.receives = htons(COMM_CM_LINK_RECEIVES), .chunk = htons(CHUNK)};
	memcpy(mark->magic, magic, sizeof(magic));
	return (struct rdma_conn_param){
		.private_data = mark,
		.private_data_len = sizeof(*mark),
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
}

void comm_cm_link_read_mark(struct comm_cm_link *link, const struct rdma_conn_param *param)
{
	struct comm_cm_link_mark mark;

	link->counts = false;
	link->in_band = false;
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
	link->in_band = link->id->verbs->device->transport_type == IBV_TRANSPORT_IWARP;
	if (link->in_band)
		link->peer_chunk -= CREDITS_SIZE;
}
