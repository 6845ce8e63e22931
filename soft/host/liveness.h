/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which processes is this one connected with, and does each of them live? The kernel closes what a process had open
 * when it ends, however it ends: the end of a connection is the end of the process. See liveness.c.
 */
#ifndef SOFT_LIVENESS_H
#define SOFT_LIVENESS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A connection that the service thread listens to. */
struct connection {
	int fd;
	uint32_t slot;	   /* of the process at the other end, as instance */
	uint32_t instance; /* of the process at the other end, 0: has not said yet */
	bool is_outgoing;  /* we are the initiator: its end tells of the peer, nothing else comes */
};

/* The bell wakes the service thread: there is something new to listen to, or to do. */
int soft_liveness_open(void);
void soft_liveness_close(void); /* and every incoming connection */
int soft_liveness_bell(void);	/* its descriptor */
void soft_liveness_ring(void);
void soft_liveness_heard(void); /* the bell was heard */
void soft_liveness_reset(void); /* in a forked child */
void soft_liveness_fork_prepare(void);
void soft_liveness_fork_parent(void);

/* A connection to that process; soft_liveness_forget() it before it is closed. */
int soft_liveness_watch(int fd, uint32_t slot, uint32_t instance);
void soft_liveness_forget(int fd);
/* One that came in, which is closed here from now on, and whose it turned out to be. */
int soft_liveness_accept(int fd);
void soft_liveness_name(int fd, uint32_t slot, uint32_t instance);
/* Those that came in and have not said whose they are; how many, at most `max`. */
size_t soft_liveness_strangers(int *fds, size_t max);
/* What the thread is to poll, behind the `fixed` entries of its own; how many there are now, 0: no memory. */
size_t soft_liveness_polls(struct pollfd **polls, size_t fixed);
void soft_liveness_polls_drop(struct pollfd **polls);
/* *found: a copy of what is known of fd. True: it is outgoing and has ended, and is not listened to any more. */
bool soft_liveness_find(int fd, struct connection *found);

/* Has that process, which maps our memory, ended, or let go of it? */
bool soft_liveness_initiator_is_gone(uint32_t instance);
/* Its process id, as this process knows it, 0: it is in another namespace; and the slot that it says is its own. False:
 * it is gone. */
bool soft_liveness_initiator(uint32_t instance, pid_t *pid, uint32_t *slot);

#endif
