/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who answers for this process while its program computes? See service.c. */
#ifndef SOFT_SERVICE_H
#define SOFT_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

struct local_lock;
struct notice;
struct soft_peer;
struct wire_reply;
struct wire_request;

/* What the thread does for others. Called by it alone, but for `notice`, which this process may send to itself. */
struct service_ops {
	void (*notice)(const struct notice *notice);
	/* A process that maps our memory has ended, or let go of it. */
	void (*initiator_ended)(uint32_t instance);
	/* A process that ours are connected to has died, without a word. */
	void (*peer_died)(struct soft_peer *peer);
	/* How a peer maps the region of that key: fills offset, page size and SysV id. *fd is closed by the caller; -1:
	 * none. 0 or a negative errno. */
	int (*region_find)(uint32_t key, struct wire_reply *reply, int *fd);
	/* Shares pages of an implicit region. 0 or a negative errno. */
	int (*demand)(const struct wire_request *request);
	/* The eventfd of that completion channel, to be closed by the caller; -1: there is none. */
	int (*channel_find)(uint32_t number);
	/* Retries what waits unless the program does; false: nothing waits. */
	bool (*retry)(void);
	bool (*waits)(void);
};

int soft_service_start(int data_fd, const struct service_ops *ops); /* claims a slot */
void soft_service_stop(void);
void soft_service_abandon(void); /* gives the slot back, where there is one; the thread goes on: at exit */
void soft_service_reset(void);	 /* in a forked child */
/* Keeps the service thread from all memory but what poll() fills, until resume; false: it is busy. */
bool soft_service_rest(void);
void soft_service_resume(void);
bool soft_service_is_running(void);
bool soft_service_is_here(void); /* is it the thread that calls? */
/* For whatever waits long: if it is the service thread that waits, it answers those who ask meanwhile. Is it? */
bool soft_service_answer_meanwhile(void);
/*
 * Takes a lock that threads have while they ask other processes. False: another has it, and it is the service thread
 * that wants it, which must not wait for who waits for such as itself; after soft_locks_contend(), as
 * soft_local_lock_try().
 */
bool soft_service_lock(struct local_lock *lock, bool *biased);
void soft_service_tick(void); /* requests wait: see to them if the program does not */

#endif
