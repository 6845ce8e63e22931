/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A timed connection. The engine owns it, and the pool while work is due. */
#pragma once

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
	struct timed_conn *next;    /* in the pool's queue, or in the list of free ones */
	struct timed_conn *sibling; /* in the list of all connections */
	pool_work_fn work;	    /* what is due */
	enum step step;		    /* client: of that work */
	uint64_t asked;		    /* cycles: when it was queued; 0: it is not */
	uint64_t due;	/* cycles: when --rate wanted it to start or, if it is retried, when it started; 0: unset */
	uint32_t index; /* for messages */
	const struct sockaddr_storage *remote; /* client: the server */
	uint32_t retries;		       /* left, of resolving */
	uint32_t renewals;		       /* retries left for stale connections, with another QP */
	uint32_t qpn;			       /* of a QP that is not created */
	_Atomic uint32_t parts; /* events before it can be closed: our call to disconnect, and the reply */
	_Atomic bool leaving;	/* it was told to disconnect */
	bool in_use;
	bool renewed; /* continues with the next step even if the others wait for each other */
	bool established;
	/* owned by the transport */
	void *id;	/* struct rdma_cm_id */
	void *qp;	/* struct ibv_qp */
	void *stale_qp; /* the previous one, kept until there is a new one */
	int fd;		/* -1: none */
	bool connected; /* the socket's connection was reported */

	struct step_times times[STEP_COUNT];
};
