/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of keys that sign and check data in transit. See signed_memory.c. */
#ifndef SOFT_SIGNED_MEMORY_H
#define SOFT_SIGNED_MEMORY_H

#include "host/layout.h"
#include "host/peer.h"

/* Set once this process has used such a key: the following two functions then have work to do. */
extern uint32_t soft_signed_is_used SOFT_HIDDEN;

/*
 * The bytes on the wire for a request that names such a key, at address 0: whole blocks with their signatures on the
 * wire. For a write (see access), soft_signed_arrive() later moves them to the memory. NULL: it is not such a key, or
 * it does not allow the request.
 */
void *soft_signed_memory(struct soft_peer *owner, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
			 uint32_t pd);
bool soft_signed_arrive_all(void);
void soft_signed_drop_all(void);
bool soft_signed_has_staged(void);

/*
 * Checks the data copied to the bytes of soft_signed_memory() and moves it to the memory. True: part of the data was
 * lost, as for soft_peer_file_is_lost().
 */
static inline bool soft_signed_arrive(void)
{
	return unlikely(__atomic_load_n(&soft_signed_is_used, __ATOMIC_RELAXED)) && soft_signed_arrive_all();
}

/* A request starts: drops what the previous one left. */
static inline void soft_signed_drop(void)
{
	if (unlikely(__atomic_load_n(&soft_signed_is_used, __ATOMIC_RELAXED)))
		soft_signed_drop_all();
}

/* Datagrams do not support such keys. */
static inline bool soft_signed_is_staged(void)
{
	return unlikely(__atomic_load_n(&soft_signed_is_used, __ATOMIC_RELAXED)) && soft_signed_has_staged();
}

/* Executes a request that configures a key of this process; returns an enum ibv_wc_status. */
int soft_signed_configure(uint32_t pd, uint32_t key, const uint8_t *config, uint64_t length);
/* Resets a new key: not configured, no error. */
void soft_signed_clear(uint32_t key);
/* A process has exited: releases its locks in the rows of such keys. */
void soft_signed_repair_all(uint32_t instance);
/* For fault.c: corrupts the byte at that offset on the wire of the next request that is sent from such a key. */
void soft_signed_corrupt(uint64_t offset);

#endif
