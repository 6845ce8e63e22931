/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The directory in which the processes of a user find each other. See runtime_dir.c. All functions return 0 or a
 * negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Which one it is, by whatever path; creates it if there is none. Reports its errors. */
int soft_runtime_find(struct stat *directory);
/* Binds a free slot's socket and listens on it; removes the sockets of dead processes. Reports its errors. */
int soft_runtime_claim(uint32_t *slot, int *listen_fd);
/* A connection to the process in that slot; -ECONNREFUSED or -ENOENT if there is none. */
int soft_runtime_connect(uint32_t slot, int *fd);
/* When the slot was claimed (CLOCK_REALTIME, ns), to tell its process from the next one; 0: the slot is free. */
int64_t soft_runtime_claimed(uint32_t slot);
/* Reports, once, that no process can find this one any more, because its socket was removed. */
void soft_runtime_check(void);
/* Has the process at the other end of that connection closed it, or exited? */
bool soft_runtime_is_gone(int fd);
/* Does the process at the other end belong to this user? No other is accepted, from whatever namespace it comes. */
bool soft_runtime_is_same_user(int fd);
/*
 * Identifies the directory: "DEVICE:INODE PATH", with another number if that is not the one this process is in.
 * -ENOENT: no process of this user uses it now.
 */
int soft_runtime_identify(char *text, size_t size);
/* Marks this process as a member of multicast groups, until it exits. */
int soft_runtime_mark(void);
/*
 * Opens the directory, whose modification time changes with every mark; returns a negative errno on failure. The other
 * lists the marked slots, [SOFT_MAX_PROCESSES], some of which may belong to processes that died since.
 */
int soft_runtime_open(void);
int soft_runtime_marked(int dir_fd, bool *marked);
/* Removes the claimed socket, which its owner closes after that, and those of dead processes. */
void soft_runtime_leave(void);
