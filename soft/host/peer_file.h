/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Maps a peer's memory that is in a file of its program, or in a SysV segment. See peer_file.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/layout.h"
#include "host/wire.h"

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

/*
 * Maps the region of that key as its owner's reply describes it; mrs are the owner's rows; the caller keeps `fd`. NULL:
 * the description is wrong.
 */
uint8_t *soft_peer_file_map(struct peer_files *files, const struct mr_row *mrs, uint32_t key,
			    const struct wire_reply *reply, int fd, uint64_t length, bool is_writable);
void soft_peer_files_unmap(struct peer_files *files);
void soft_peer_files_reset(void); /* in a forked child */

/* Number of peers' files found truncated so far. */
extern uint32_t soft_peer_files_lost __attribute__((visibility("hidden")));
bool soft_peer_file_lost_at(const void *addr);

/* Is the address in a file that was truncated during use? Called after a copy, part of which is then lost. */
static inline bool soft_peer_file_is_lost(const void *addr)
{
	return __builtin_expect(__atomic_load_n(&soft_peer_files_lost, __ATOMIC_RELAXED) != 0, 0) &&
	       soft_peer_file_lost_at(addr);
}
