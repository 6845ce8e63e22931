/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A peer: another process that this one sends to. Its control file is mapped whole, its registered memory on first use.
 * The process is also its own peer. Referenced by queue pairs (a datagram queue pair references each process that it
 * sent to); unmapped when the last reference goes.
 */
#pragma once

#include "host/core.h"
#include "host/wire.h"

/*
 * A resolved key, valid while the region's row has that id. Only the id is read again: requests are checked against
 * what was mapped, whatever the peer writes into its row.
 */
struct peer_key {
	uint64_t id;
	uint64_t iova;
	uint64_t length;
	intptr_t offset; /* our address - the address in the request (iova) */
	uint32_t access;
	uint32_t pd;
	uint32_t qpn; /* of windows, as in struct mw_row */
} __attribute__((aligned(LAYOUT_LINE)));

struct peer_window {
	uint64_t start; /* in the peer's data file */
	uint64_t end;
	uint8_t *base;
};

/* Pages of an implicit region, shared by its owner. */
struct peer_demanded {
	uint64_t id; /* of the region */
	uint64_t start;
	uint64_t end;
	uint8_t *base;
	bool writes;
};

#define DEMANDED_MAX 64u

#define PEER_FILE_RESERVED 64 /* mappings of old keys whose addresses are not released yet */

struct peer_file {
	uint32_t key;	 /* of a SysV segment: 0 */
	int64_t sysv_id; /* -1: a file */
	void *base;
	size_t length; /* of the mapping; for a SysV segment as the kernel reports it */
	bool is_writable;
	struct peer_file_watch *watch; /* NULL: a SysV segment, which cannot be truncated */
};

/* The files of one peer; protected by its lock. */
struct peer_files {
	struct peer_file *files;
	uint32_t count;
	struct {
		void *base;
		size_t length;
	} reserved[PEER_FILE_RESERVED]; /* a ring */
	uint32_t reserved_next;
};

struct soft_peer {
	uint32_t dead;		/* set by the service thread */
	struct soft_peer *next; /* list of all, in peer.c */
	uint32_t slot;
	uint32_t instance;
	uint32_t users;
	union {
		uint8_t *control;
		struct control_header *header;
	};
	struct mr_row *mrs;
	struct mw_row *mws;
	struct peer_key *keys; /* [LAYOUT_MR_COUNT] of regions, then [LAYOUT_MW_COUNT] of windows; sparse */
	int connection;	       /* -1: this process itself */
	int data_fd;
	pthread_mutex_t lock; /* protects the following; held while waiting for the process: soft_slot_lock_take() */
	struct peer_window *windows;
	uint32_t window_count;
	struct peer_files files;
	struct peer_demanded *demanded; /* [DEMANDED_MAX], allocated on first use */
	uint32_t demanded_next;
	struct {
		uint32_t number;
		int fd;
	} * channels; /* [CHANNEL_COUNT], allocated on first use */
};

/* The peer in that slot, with a reference; NULL if no process (with our layout) runs there. */
struct soft_peer *soft_peer_get(uint32_t slot);
struct soft_peer *soft_peer_find(uint32_t slot); /* the same, only if already connected; never waits */
void soft_peer_put(struct soft_peer *peer);
extern struct soft_peer soft_self_peer SOFT_HIDDEN;
int soft_peer_open_self(void);
void soft_peer_close_self(void);
/* That process has exited. Returns its peer, with a reference; NULL: it no longer has one. */
struct soft_peer *soft_peer_mark_dead(uint32_t slot, uint32_t instance);
bool soft_peer_is_gone(const struct soft_peer *peer); /* asks the kernel, ahead of `dead` */
void soft_peer_reset(void);			      /* in a forked child */
extern pthread_mutex_t soft_peers_lock SOFT_HIDDEN;

/* A consistent copy of the row; false: it is of another key. */
bool soft_mr_row_read(const struct mr_row *row, uint32_t key, struct mr_row *out);
/* Maps the memory of `key`; false: it cannot be mapped. */
bool soft_peer_map(struct soft_peer *peer, uint32_t key);
/* For demand.c, with the lock held: maps pages of the data file, after their owner has put them there. */
uint8_t *soft_peer_pages(struct soft_peer *peer, uint64_t start, uint64_t end);
/* The eventfd of the peer's completion channel, or -1. The peer keeps it. */
int soft_peer_channel(struct soft_peer *peer, uint32_t number);

/*
 * peer_file.c: memory that is in a file of the peer's program, or in a SysV segment. Maps the region of that key as its
 * owner's reply describes it; mrs are the owner's rows; the caller keeps `fd`. NULL: the description is wrong.
 */
uint8_t *soft_peer_file_map(struct peer_files *files, const struct mr_row *mrs, uint32_t key,
			    const struct wire_reply *reply, int fd, uint64_t length, bool is_writable);
void soft_peer_files_unmap(struct peer_files *files);
void soft_peer_files_reset(void); /* in a forked child */

/* Number of peers' files found truncated so far. */
extern uint32_t soft_peer_files_lost SOFT_HIDDEN;
bool soft_peer_file_lost_at(const void *addr);

/* Is the address in a file that was truncated during use? Called after a copy, part of which is then lost. */
static inline bool soft_peer_file_is_lost(const void *addr)
{
	return unlikely(__atomic_load_n(&soft_peer_files_lost, __ATOMIC_RELAXED)) && soft_peer_file_lost_at(addr);
}

static inline struct qp_row *soft_peer_qp(const struct soft_peer *peer, uint32_t qpn)
{
	return (struct qp_row *)(peer->control + LAYOUT_QP_OFFSET) + QPN_INDEX(qpn);
}

static inline struct cq_row *soft_peer_cq(const struct soft_peer *peer, uint32_t index)
{
	return (struct cq_row *)(peer->control + LAYOUT_CQ_OFFSET) + index % LAYOUT_CQ_COUNT;
}

static inline struct rq_row *soft_peer_rq(const struct soft_peer *peer, uint32_t index)
{
	return (struct rq_row *)(peer->control + LAYOUT_RQ_OFFSET) + index % LAYOUT_RQ_COUNT;
}

static inline const struct srq_row *soft_peer_srq(const struct soft_peer *peer, uint32_t number)
{
	return (const struct srq_row *)(peer->control + LAYOUT_SRQ_OFFSET) + QPN_INDEX(number);
}

/*
 * The address of an offset that was read from the peer's memory: within its file and aligned, whatever value was read.
 * An entry that starts at the very end of the file extends into LAYOUT_MARGIN.
 */
static inline void *soft_peer_at(const struct soft_peer *peer, uint64_t offset)
{
	return peer->control + (offset & (LAYOUT_SIZE - LAYOUT_ALIGN));
}

static inline void *soft_peer_line_at(const struct soft_peer *peer, uint64_t offset)
{
	return peer->control + (offset & (LAYOUT_SIZE - LAYOUT_LINE));
}

/* The memory that a request names, if the key is valid; NULL if bounds, domain or access rights do not allow it. */
static inline void *peer_key_memory(const struct peer_key *known, uint64_t addr, uint64_t length, uint32_t access,
				    uint32_t pd)
{
	uint64_t into = addr - known->iova;

	if (unlikely(into >= known->length || length > known->length - into || known->pd != pd ||
		     (known->access & access) != access))
		return NULL;
	return (void *)(uintptr_t)(addr + (uint64_t)known->offset);
}

/*
 * The memory that a request names, in our address space; NULL when the key, the bounds, the protection domain or the
 * access rights do not allow it, and if the key is not mapped yet. length is at least 1.
 */
static inline void *soft_peer_known_memory(const struct soft_peer *peer, uint32_t key, uint64_t addr, uint64_t length,
					   uint32_t access, uint32_t pd)
{
	uint32_t index = KEY_INDEX(key);
	const struct peer_key *known = &peer->keys[index];
	uint64_t id = __atomic_load_n(&peer->mrs[index].id, __ATOMIC_ACQUIRE);

	if (unlikely(MR_KEY(id) != key || key == 0 || __atomic_load_n(&known->id, __ATOMIC_ACQUIRE) != id))
		return NULL;
	return peer_key_memory(known, addr, length, access, pd);
}

/* The same, and maps the key. */
static inline void *soft_peer_memory(struct soft_peer *peer, uint32_t key, uint64_t addr, uint64_t length,
				     uint32_t access, uint32_t pd)
{
	void *memory = soft_peer_known_memory(peer, key, addr, length, access, pd);

	if (likely(memory) || !soft_peer_map(peer, key))
		return memory;
	return soft_peer_known_memory(peer, key, addr, length, access, pd);
}

/*
 * The same for the key of a window, KEY_IS_MW(); qpn is the queue pair that receives the request. The other invalidates
 * the window; false: it is not bound for that queue pair.
 */
void *soft_peer_mw_memory(struct soft_peer *peer, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
			  uint32_t pd, uint32_t qpn);
bool soft_peer_mw_invalidate(struct soft_peer *peer, uint32_t key, uint32_t qpn);

/* demand.c: the same, and soft_local_memory(), for keys of null and implicit regions, which these do not resolve. */
void *soft_demand_peer_memory(struct soft_peer *peer, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
			      uint32_t pd);
void *soft_demand_local_memory(uint32_t key, uint64_t addr, uint64_t length, uint32_t access, uint32_t pd);

/* The same for this process's own memory, which needs no mapping. */
static inline void *soft_local_memory(uint32_t key, uint64_t addr, uint64_t length, uint32_t access, uint32_t pd)
{
	const struct mr_row *mr = &soft_self.mrs[KEY_INDEX(key)];
	uint64_t into = addr - mr->iova;

	if (unlikely(MR_KEY(mr->id) != key || key == 0 || into >= mr->length || length > mr->length - into ||
		     mr->pd != pd || (mr->access & access) != access))
		return NULL;
	return (void *)(uintptr_t)(mr->addr + into);
}
