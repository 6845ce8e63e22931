// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does the device do with what is in its queues? One thread looks at the doorbells, takes requests out of the send
 * queues, lets the target's process execute them, and writes the completions, each in the order of its queue. A request
 * on a connection waits for a receive, a datagram without one is lost.
 */
#define _GNU_SOURCE 1 /* process_vm_readv() */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "rig.h"

#define MAX_IN_FLIGHT 16 /* of one queue pair: fewer packets than a socket takes in */
#define IDLE_US	      50
#define GRH_BYTES     40

struct rig_pending {
	struct rig_pending *next;
	bool done; /* of one sent: it has an answer */
	enum rig_status status;
	struct wire_packet packet;
};

static bool is_datagram(const struct rig_qp *qp)
{
	return qp->type == IBV_QPT_UD || qp->type == IBV_QPT_RAW_PACKET;
}

static void append(struct rig_pending **list, struct rig_pending *pending)
{
	while (*list)
		list = &(*list)->next;
	*list = pending;
}

/* --- events --- */

static bool is_due(struct rig_cq *cq)
{
	if (!cq->is_armed || cq->produced == cq->armed_at)
		return false;
	cq->is_armed = false;
	return true;
}

static void notify(struct rig_cq *cq)
{
	struct ib_uverbs_comp_event_desc event = {.cq_handle = cq->user_handle};

	if (cq->channel >= 0 && (rig_provider->notify ? rig_provider->notify(cq) : is_due(cq)))
		(void)!send(cq->channel, &event, sizeof(event), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* --- the side that posts --- */

static void complete_in_order(struct rig_qp *qp)
{
	struct rig_pending *first;

	while ((first = qp->first_sent) && first->done) {
		qp->first_sent = first->next;
		qp->in_flight--;
		if (first->packet.request.signaled || first->status != RIG_OK)
			rig_provider->complete_send(qp, &first->packet.request, first->status);
		free(first);
	}
}

static bool post(struct rig_qp *qp)
{
	struct rig_pending *pending = calloc(1, sizeof(*pending));
	struct rig_request *request = &pending->packet.request;
	int err;

	if (!pending)
		abort();
	if (!rig_provider->next_send(qp, request)) {
		free(pending);
		return false;
	}
	request->sequence = qp->sent++;
	if (!request->dst_qpn)
		request->dst_qpn = qp->dst_qpn;
	pending->packet.kind = WIRE_REQUEST;
	pending->packet.pid = getpid();
	pending->packet.src_qpn = qp->qpn;
	pending->packet.dst_qpn = request->dst_qpn;
	pending->packet.sequence = request->sequence;
	append(&qp->first_sent, pending);
	qp->in_flight++;
	for (unsigned i = 0; i < request->count; i++) {
		if (!request->iov[i].iov_base && request->iov[i].iov_len)
			pending->status = RIG_LOCAL_KEY;
	}
	if (request->opcode == RIG_NOP || pending->status != RIG_OK) {
		pending->done = true;
		return true;
	}
	err = wire_send(&pending->packet);
	if (err) {
		pending->done = true;
		pending->status = is_datagram(qp) ? RIG_OK : RIG_NO_ANSWER;
	}
	return true;
}

static void take_answer(struct rig_qp *qp, const struct wire_packet *packet)
{
	for (struct rig_pending *pending = qp->first_sent; pending; pending = pending->next) {
		if (pending->packet.sequence != packet->sequence)
			continue;
		pending->done = true;
		pending->status = packet->status;
	}
}

/* --- the side that is written to or read from --- */

static void answer(struct rig_qp *qp, const struct wire_packet *request, enum rig_status status)
{
	struct wire_packet packet = {
		.kind = WIRE_ANSWER,
		.status = status,
		.src_qpn = qp ? qp->qpn : 0,
		.dst_qpn = request->src_qpn,
		.sequence = request->sequence,
	};

	wire_send(&packet);
}

/* Between memory of the process that posted and that of this one. */
static bool copy(const struct wire_packet *packet, const struct iovec *local, unsigned count, bool to_peer)
{
	const struct rig_request *request = &packet->request;
	ssize_t bytes;

	if (!request->length)
		return true;
	bytes = to_peer ? process_vm_writev(packet->pid, local, count, request->iov, request->count, 0)
			: process_vm_readv(packet->pid, local, count, request->iov, request->count, 0);
	if (bytes == (ssize_t)request->length)
		return true;
	/* The process that posted has ended since, on a busy machine: as if it had not been sent. */
	if (bytes >= 0 || errno != ESRCH)
		rig_fault("copied %zd of %llu bytes of process %d: %s", bytes, (unsigned long long)request->length,
			  packet->pid, strerror(errno));
	return false;
}

/* The first bytes of a list. */
static unsigned cut(struct iovec *cut_iov, const struct rig_receive *receive, uint64_t skip, uint64_t bytes)
{
	unsigned count = 0;

	for (unsigned i = 0; i < receive->count && bytes; i++) {
		struct iovec piece = receive->iov[i];
		uint64_t skipped = skip < piece.iov_len ? skip : piece.iov_len;

		piece.iov_base = (char *)piece.iov_base + skipped;
		piece.iov_len -= skipped;
		skip -= skipped;
		if (piece.iov_len > bytes)
			piece.iov_len = bytes;
		bytes -= piece.iov_len;
		if (piece.iov_len)
			cut_iov[count++] = piece;
	}
	return count;
}

static enum rig_status execute_memory(const struct wire_packet *packet)
{
	static const uint32_t needed[] = {
		[RIG_WRITE] = IBV_ACCESS_REMOTE_WRITE,
		[RIG_READ] = IBV_ACCESS_REMOTE_READ,
		[RIG_COMPARE_SWAP] = IBV_ACCESS_REMOTE_ATOMIC,
		[RIG_FETCH_ADD] = IBV_ACCESS_REMOTE_ATOMIC,
	};
	const struct rig_request *request = &packet->request;
	uint64_t address, old;
	struct iovec local;

	if (!request->length)
		return RIG_OK;
	if (rig_provider->demands_ah && !rig_has_ah())
		return RIG_UNKNOWN_PEER;
	address = rig_translate(request->rkey, request->raddr, request->length, needed[request->opcode]);
	if (!address)
		return RIG_REMOTE_ACCESS;
	local = (struct iovec){(void *)(uintptr_t)address, request->length}; // NOLINT
	if (request->opcode == RIG_WRITE || request->opcode == RIG_READ)
		return copy(packet, &local, 1, request->opcode == RIG_READ) ? RIG_OK : RIG_REMOTE_ACCESS;
	if (address % 8 != 0 || request->length != 8)
		return RIG_REMOTE_ACCESS;
	if (request->opcode == RIG_FETCH_ADD) {
		old = __atomic_fetch_add((uint64_t *)(uintptr_t)address, request->swap_add, __ATOMIC_SEQ_CST); // NOLINT
	} else {
		old = request->compare;
		__atomic_compare_exchange_n((uint64_t *)(uintptr_t)address, &old, request->swap_add, false, // NOLINT
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
	local.iov_base = &old;
	return copy(packet, &local, 1, true) ? RIG_OK : RIG_REMOTE_ACCESS;
}

static enum rig_status fill_receive(struct rig_qp *qp, const struct wire_packet *packet,
				    const struct rig_receive *receive)
{
	const struct rig_request *request = &packet->request;
	uint64_t header = qp->type == IBV_QPT_UD ? rig_provider->datagram_bytes : 0;
	struct iovec local[RIG_MAX_IOV];
	bool small = request->length && rig_provider->small_bytes && request->length <= rig_provider->small_bytes(qp);
	char message[64];
	enum rig_status status = RIG_OK;

	if (request->opcode == RIG_SEND && request->length + header > receive->length)
		status = RIG_LOCAL_LENGTH;
	else if (request->opcode == RIG_SEND && small)
		copy(packet, &(struct iovec){message, request->length}, 1, false);
	else if (request->opcode == RIG_SEND)
		copy(packet, local, cut(local, receive, header, request->length), false);
	rig_provider->complete_receive(qp, receive, request, packet->src_qpn, status,
				       small && request->opcode == RIG_SEND ? message : NULL);
	return status == RIG_LOCAL_LENGTH ? RIG_REMOTE_LENGTH : status;
}

/* false: it has to wait for a receive. */
static bool execute(struct rig_qp *qp, const struct wire_packet *packet)
{
	const struct rig_request *request = &packet->request;
	enum rig_status status = RIG_OK;
	struct rig_receive receive = {0};

	bool consumes = request->opcode == RIG_SEND || request->has_imm;

	if (consumes && !rig_provider->next_receive(qp, request, &receive)) {
		if (!is_datagram(qp))
			return false;
		consumes = false;
	}
	if (request->opcode != RIG_SEND)
		status = execute_memory(packet);
	if (status == RIG_OK && consumes)
		status = fill_receive(qp, packet, &receive);
	answer(qp, packet, is_datagram(qp) ? RIG_OK : status);
	return true;
}

static void execute_arrived(struct rig_qp *qp)
{
	struct rig_pending *first;

	while ((first = qp->first_arrived) && execute(qp, &first->packet)) {
		qp->first_arrived = first->next;
		free(first);
	}
}

static struct rig_qp *qp_of(uint32_t qpn)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		struct rig_qp *qp = rig_qp_at(i);

		if (qp && (qp->qpn == qpn || (rig_is_frame(qpn) && qp->is_steered)))
			return qp;
	}
	return NULL;
}

static void take(const struct wire_packet *packet)
{
	struct rig_qp *qp = qp_of(packet->dst_qpn);
	struct rig_pending *pending;

	if (packet->kind == WIRE_ANSWER) {
		if (qp)
			take_answer(qp, packet);
		return;
	}
	if (!qp || (qp->state != IBV_QPS_RTR && qp->state != IBV_QPS_RTS)) {
		answer(NULL, packet, RIG_NO_ANSWER);
		return;
	}
	if (packet->request.key != qp->key) {
		answer(qp, packet, is_datagram(qp) ? RIG_OK : RIG_NO_ANSWER);
		return;
	}
	pending = calloc(1, sizeof(*pending));
	if (!pending)
		abort();
	pending->packet = *packet;
	append(&qp->first_arrived, pending);
	execute_arrived(qp);
}

void engine_forget(struct rig_qp *qp)
{
	struct rig_pending *first;

	while ((first = qp->first_arrived)) {
		qp->first_arrived = first->next;
		answer(NULL, &first->packet, RIG_NO_ANSWER);
		free(first);
	}
	while ((first = qp->first_sent)) {
		qp->first_sent = first->next;
		free(first);
	}
	qp->in_flight = 0;
}

/* --- the thread --- */

static bool work(void)
{
	struct wire_packet packet;
	bool worked = false;

	wire_flush();
	for (unsigned i = 0; i < 64 && wire_receive(&packet); i++) {
		take(&packet);
		worked = true;
	}
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		struct rig_qp *qp = rig_qp_at(i);

		if (!qp)
			continue;
		execute_arrived(qp);
		while (qp->state == IBV_QPS_RTS && qp->in_flight < MAX_IN_FLIGHT && post(qp))
			worked = true;
		complete_in_order(qp);
	}
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (rig_cq_at(i))
			notify(rig_cq_at(i));
	}
	return worked;
}

static void *run(void *unused)
{
	for (;;) {
		bool worked;

		rig_lock();
		worked = work();
		rig_unlock();
		wire_wait(worked ? 0 : IDLE_US);
	}
	return unused;
}

int engine_start(void)
{
	pthread_t thread;

	return -pthread_create(&thread, NULL, run, NULL);
}
