/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What lies behind a key by which data is signed and checked on its way? See signed_memory.c. */
#ifndef SOFT_SIGNED_MEMORY_H
#define SOFT_SIGNED_MEMORY_H

#include "host/layout.h"
#include "host/peer.h"

/* Once this process has met such a key: the two functions behind it have something to do. */
extern uint32_t soft_signed_is_used SOFT_HIDDEN;

/*
 * The bytes on the wire of a request that names such a key, at address 0: whole blocks with what the wire has behind
 * them. Those that are to be written (access says so) come to the memory by soft_signed_arrive(). NULL: it is no such
 * key, or it allows no such request.
 */
void *soft_signed_memory(struct soft_peer *owner, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
			 uint32_t pd);
bool soft_signed_arrive_all(void);
void soft_signed_drop_all(void);
bool soft_signed_has_staged(void);

/*
 * What was copied to the bytes of soft_signed_memory() is checked and goes on to the memory. True: part of what is
 * behind such a key went nowhere, or came from nowhere, as of soft_peer_file_is_lost().
 */
static inline bool soft_signed_arrive(void)
{
	return unlikely(__atomic_load_n(&soft_signed_is_used, __ATOMIC_RELAXED)) && soft_signed_arrive_all();
}

/* A request begins: what the one before it has left is forgotten. */
static inline void soft_signed_drop(void)
{
	if (unlikely(__atomic_load_n(&soft_signed_is_used, __ATOMIC_RELAXED)))
		soft_signed_drop_all();
}

/* Datagrams take no such key. */
static inline bool soft_signed_is_staged(void)
{
	return unlikely(__atomic_load_n(&soft_signed_is_used, __ATOMIC_RELAXED)) && soft_signed_has_staged();
}

/* A request to set up a key of this process; an enum ibv_wc_status. */
int soft_signed_configure(uint32_t pd, uint32_t key, const uint8_t *config, uint64_t length);
/* It is new: nothing was said of it, and nothing found wrong. */
void soft_signed_clear(uint32_t key);
/* A process has ended: what it held in the rows of such keys is freed. */
void soft_signed_repair_all(uint32_t instance);
/* For fault.c: the byte at that place on the wire of the next request that is sent from such a key is turned. */
void soft_signed_corrupt(uint64_t offset);

#endif
