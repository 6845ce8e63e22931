/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The service thread, which answers other processes while the program computes. See service.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct local_lock;
struct notice;
struct soft_peer;
struct wire_reply;
struct wire_request;

/* Operations of the service thread. Only it calls them, except for `notice`, which this process may send to itself. */
struct service_ops {
	void (*notice)(const struct notice *notice);
	/* A process that maps our memory has exited or disconnected. */
	void (*initiator_ended)(uint32_t instance);
	/* A process that our queue pairs are connected to has died without closing in order. */
	void (*peer_died)(struct soft_peer *peer);
	/*
	 * Describes how a peer maps the region of that key: fills offset, page size and SysV id. The caller closes *fd;
	 * -1: none. 0 or a negative errno.
	 */
	int (*region_find)(uint32_t key, struct wire_reply *reply, int *fd);
	/* Shares pages of an implicit region. 0 or a negative errno. */
	int (*demand)(const struct wire_request *request);
	/* The eventfd of that completion channel, which the caller closes; -1: there is none. */
	int (*channel_find)(uint32_t number);
	/* Retries waiting requests unless the program does; false: none waits. */
	bool (*retry)(void);
	bool (*waits)(void);
};

int soft_service_start(int data_fd, const struct service_ops *ops); /* claims a slot */
void soft_service_stop(void);
void soft_service_abandon(void); /* at exit: releases the slot, if there is one; the thread keeps running */
void soft_service_reset(void);	 /* in a forked child */
/* Keeps the service thread from accessing any memory except what poll() fills, until resume; false: it is busy. */
bool soft_service_rest(void);
void soft_service_resume(void);
bool soft_service_is_running(void);
bool soft_service_is_here(void); /* is it the calling thread? */
/* Called during long waits: if the service thread is the one waiting, it answers other processes. Is it? */
bool soft_service_answer_meanwhile(void);
/*
 * Takes a lock that threads hold while they ask other processes. False: another thread holds it and the caller is the
 * service thread, which must not wait for a thread that may itself wait for a service thread. After
 * soft_locks_contend(), as for soft_local_lock_try().
 */
bool soft_service_lock(struct local_lock *lock, bool *biased);
/* Sends a notice to the peer's process, this one among them: see enum notice_kind. */
void soft_notice_send(struct soft_peer *peer, uint32_t kind, uint32_t number, uint32_t event);
void soft_service_tick(void); /* requests wait: retry them if the program does not */
