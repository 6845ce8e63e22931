/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where do the processes of a user find each other? See runtime_dir.c. All: 0 or a negative errno. */
#ifndef SOFT_RUNTIME_DIR_H
#define SOFT_RUNTIME_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the directory's path, PATH_MAX at most; it may not be there. */
int soft_runtime_path(char *path, size_t size);
/* Binds a free slot's socket and listens on it; removes what dead processes left. Reports its errors. */
int soft_runtime_claim(uint32_t *slot, int *listen_fd);
/* A connection to the process in that slot; -ECONNREFUSED or -ENOENT when there is none. */
int soft_runtime_connect(uint32_t slot, int *fd);
/* When its process claimed that slot (CLOCK_REALTIME, ns), to tell it from the next; 0: no process has. */
int64_t soft_runtime_claimed(uint32_t slot);
/* Has the process at the other end of that connection closed it, or ended? */
bool soft_runtime_is_gone(int fd);
/* Is the process at the other end one of this user's? No other gets in, from whatever namespace it comes. */
bool soft_runtime_is_same_user(int fd);
/* Which directory is it? "DEVICE:INODE PATH". -ENOENT: no process of this user uses it now. */
int soft_runtime_identify(char *text, size_t size);
/* Marks the process of that slot as one that is in multicast groups, for as long as it lives. */
int soft_runtime_mark(uint32_t slot);
/* The directory, whose time of modification changes with every mark, or a negative errno; and which slots are marked
 * there, [SOFT_MAX_PROCESSES]: some of them of processes that died since. */
int soft_runtime_open(void);
int soft_runtime_marked(int dir_fd, bool *marked);
/* Removes the slot's socket, what dead processes left, and the directory when it is empty. Closes *listen_fd, then -1.
 */
void soft_runtime_leave(uint32_t slot, int *listen_fd);

#endif
