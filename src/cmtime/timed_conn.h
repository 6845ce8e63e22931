/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A connection that is timed, step by step: the engine's, and while something is due the pool's. */
#ifndef CMTIME_TIMED_CONN_H
#define CMTIME_TIMED_CONN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "cmtime/step.h"

struct engine;
struct timed_conn;

typedef void (*pool_work_fn)(struct timed_conn *conn);

struct timed_conn {
	struct engine *engine;
	struct timed_conn *next;    /* in the pool's queue, or among the free ones */
	struct timed_conn *sibling; /* flow: among all of them */
	pool_work_fn work;	    /* what is due */
	uint64_t asked;		    /* cycles: since when it is due; 0: it is not */
	uint64_t due;	/* cycles: when --rate wanted it begun, or where it is made anew, when it was; 0: no matter */
	uint32_t index; /* for messages */
	const struct sockaddr_storage *remote; /* a client's: which server */
	uint32_t retries;		       /* left, of resolving */
	uint32_t renewals;		       /* left, of connecting by another queue pair */
	uint32_t qpn;			       /* of a queue pair that is not made */
	_Atomic uint32_t parts; /* what has still to happen before it can go: its call to disconnect, the answer */
	_Atomic bool leaving;	/* it was told to disconnect */
	bool in_use;
	bool renewed; /* it goes from step to step also where the others wait for each other */
	bool established;
	/* the transport's */
	void *id;	/* struct rdma_cm_id */
	void *qp;	/* struct ibv_qp */
	void *stale_qp; /* the one before, kept until there is a new one */
	int fd;		/* -1 none */
	bool connected; /* a socket that has told so */

	struct step_times times[STEP_COUNT];
};

#endif
