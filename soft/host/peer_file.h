/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A peer's memory that lies in a file of its program's, or in a SysV segment, as it is mapped here. See peer_file.c. */
#ifndef SOFT_PEER_FILE_H
#define SOFT_PEER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/layout.h"
#include "host/wire.h"

#define PEER_FILE_RESERVED 64 /* mappings of old keys whose addresses are not given back yet */

struct peer_file {
	uint32_t key;	 /* of a SysV segment: 0 */
	int64_t sysv_id; /* -1: a file */
	void *base;
	size_t length; /* of the mapping; of a SysV segment as it says itself */
	bool is_writable;
	struct peer_file_watch *watch; /* NULL: a SysV segment, which can't be cut short */
};

/* What one peer has; its lock is held. */
struct peer_files {
	struct peer_file *files;
	uint32_t count;
	uint32_t room;
	struct {
		void *base;
		size_t length;
	} reserved[PEER_FILE_RESERVED]; /* a ring */
	uint32_t reserved_next;
};

/* The region of that key, by what its owner says of it; mrs are the rows that it shows; `fd` stays the caller's. NULL:
 * it is not as said. */
uint8_t *soft_peer_file_map(struct peer_files *files, const struct mr_row *mrs, uint32_t key,
			    const struct wire_reply *reply, int fd, uint64_t length, bool is_writable);
void soft_peer_files_unmap(struct peer_files *files);
void soft_peer_files_reset(void); /* in a forked child */

/* Files of peers that were found cut short so far. */
extern uint32_t soft_peer_files_lost __attribute__((visibility("hidden")));
bool soft_peer_file_lost_at(const void *addr);

/* Does the address lie in a file that was cut short while it was in use? Asked after a copy: part of it went nowhere.
 */
static inline bool soft_peer_file_is_lost(const void *addr)
{
	return __builtin_expect(__atomic_load_n(&soft_peer_files_lost, __ATOMIC_RELAXED) != 0, 0) &&
	       soft_peer_file_lost_at(addr);
}

#endif
