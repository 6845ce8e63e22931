/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How do the bytes of a request find their way? Shared by execute.c (connected) and ud.c (datagrams). */
#ifndef SOFT_EXECUTE_H
#define SOFT_EXECUTE_H

#include "data/copy.h"
#include "host/core.h"
#include "host/peer.h"

/* Resolved pieces of memory, none empty, in the order of the request. */
struct pieces {
	uint32_t count;
	uint64_t length;
	struct {
		uint8_t *base;
		uint32_t length;
	} piece[SOFT_MAX_SGE + 1]; /* and the header of a datagram */
};

static inline void pieces_add(struct pieces *pieces, void *base, uint32_t length)
{
	pieces->piece[pieces->count].base = base;
	pieces->piece[pieces->count++].length = length;
	pieces->length += length;
}

/* The local memory of a request; an enum ibv_wc_status. */
static inline int pieces_local(struct pieces *pieces, const struct ibv_send_wr *wr, uint32_t access, uint32_t pd)
{
	bool is_inline = wr->send_flags & IBV_SEND_INLINE;

	pieces->count = 0;
	pieces->length = 0;
	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];
		void *base;

		if (unlikely(sge->length == 0))
			continue;
		if (is_inline)
			base = (void *)(uintptr_t)sge->addr;
		else
			base = soft_local_memory(sge->lkey, sge->addr, sge->length, access, pd);
		if (unlikely(!base))
			return IBV_WC_LOC_PROT_ERR;
		pieces_add(pieces, base, sge->length);
	}
	return IBV_WC_SUCCESS;
}

/*
 * The memory of a receive request, as far as `length` bytes reach. LOC_LEN_ERR: it is too small;
 * LOC_PROT_ERR: a key of it does not hold.
 */
int soft_pieces_receive(struct pieces *pieces, struct soft_peer *peer, const struct receive *receive, uint64_t length,
			uint32_t pd);

/* All of `from`; `to` holds at least as much. The last byte is stored last. */
void soft_pieces_copy(const struct pieces *to, const struct pieces *from);

static inline void pieces_copy(const struct pieces *to, const struct pieces *from)
{
	if (likely(from->count == 1 && to->count == 1))
		copy_ordered(to->piece[0].base, from->piece[0].base, from->piece[0].length);
	else
		soft_pieces_copy(to, from);
}

static inline struct rq_block *receives_of(const struct soft_peer *peer, const struct qp_row *row)
{
	return soft_peer_line_at(peer, __atomic_load_n(&row->receives, __ATOMIC_ACQUIRE));
}

static inline struct receive *receive_at(const struct soft_peer *peer, const struct rq_block *queue, uint32_t index)
{
	uint64_t start = (uint64_t)((const uint8_t *)(queue + 1) - peer->control);

	return soft_peer_at(peer, start + ((uint64_t)(index & queue->mask) << (queue->shift & 63)));
}

#define EXECUTE_WAIT_RECEIVE	(-1) /* receiver not ready */
#define EXECUTE_WAIT_CONNECTION (-2) /* nobody answers (yet) */
#define EXECUTE_HELD		(-3) /* the send queue is drained: nothing starts */
#define EXECUTE_WAIT_LOCK	(-4) /* a queue of the target's is in the hands of a process that does not go on */
#define SOFT_OPERATION_COUNT	(IBV_WR_SEND_WITH_INV + 1)
extern const struct soft_operation soft_operations[SOFT_OPERATION_COUNT] SOFT_HIDDEN; /* by opcode */
/* An enum ibv_wc_status or EXECUTE_WAIT_*; *byte_len is set on success. */
int soft_execute(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		 uint32_t *byte_len);

/* ud.c */
int soft_execute_datagram(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
			  uint32_t *byte_len);

#endif
