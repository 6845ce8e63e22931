/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tracks the connected processes and whether each is alive. The kernel closes the descriptors of a process when it
 * exits, for whatever reason, so the end of a connection means the end of the process. See liveness.c.
 */
#pragma once

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A connection that the service thread polls. */
struct connection {
	int fd;
	uint32_t slot;	   /* of the process at the other end, as instance */
	uint32_t instance; /* of the process at the other end, 0: not announced yet */
	bool is_outgoing;  /* we are the initiator: it carries no data, its end means that the peer is gone */
};

/* The bell is an eventfd that wakes the service thread for new connections, or other work. */
int soft_liveness_open(void);
void soft_liveness_close(void); /* also closes every incoming connection */
int soft_liveness_bell(void);	/* its descriptor */
void soft_liveness_ring(void);
void soft_liveness_received(void);						 /* clears the bell */
void soft_liveness_reset(void);							 /* in a forked child */
extern pthread_mutex_t soft_liveness_lock __attribute__((visibility("hidden"))); /* innermost */

/* Adds a connection to that process; call soft_liveness_forget() before closing it. */
int soft_liveness_watch(int fd, uint32_t slot, uint32_t instance);
void soft_liveness_forget(int fd);
/* Adds an accepted connection, which is closed here from now on; the other sets the process at its other end. */
int soft_liveness_accept(int fd);
void soft_liveness_name(int fd, uint32_t slot, uint32_t instance);
/* Accepted connections whose process is not announced yet; returns how many, at most `max`. */
size_t soft_liveness_strangers(int *fds, size_t max);
/* Descriptors for the thread to poll, after its own `fixed` entries; *count: of all, 0: no memory. */
struct pollfd *soft_liveness_polls(size_t fixed, size_t *count);
/* *found: a copy of the entry of fd. True: it is an outgoing connection that has ended, and is no longer polled. */
bool soft_liveness_find(int fd, struct connection *found);

/* Has that process, which maps our memory, exited or closed its connection? */
bool soft_liveness_initiator_is_gone(uint32_t instance);
/* The same of the holder of a lock in our memory, which may be none, or this process. */
bool soft_liveness_holder_is_gone(uint32_t holder);
