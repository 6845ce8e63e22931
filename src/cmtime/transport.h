/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Implementations of connections: rdma_cm with QPs, or sockets. The engine has the steps and their order; a transport
 * makes the calls. None of them waits for the peer: answers are reported as events.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "cmtime/conn_stats.h"

struct engine;
struct ibv_context;
struct timed_conn;

typedef void (*pool_work_fn)(struct timed_conn *conn);

/* A timed connection. The engine owns it, and the pool while work is due. */
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

struct conn_ops {
	bool has_qps;	    /* and addresses and routes to resolve, and requests to accept */
	bool destroy_waits; /* after destroy_id() no event refers to the connection */

	/* Uses the address engine->local; if listening, sets its port. 0 or -errno, reported. */
	int (*open)(struct engine *engine);
	int (*listen)(struct engine *engine, struct sockaddr_storage *address);
	/* The device, and its port, that is open; NULL: there is none. */
	struct ibv_context *(*device)(const struct engine *engine, uint8_t *port);
	void (*close)(struct engine *engine);
	/*
	 * The descriptor that becomes readable with events, and the handler, which calls the functions of engine.h for
	 * them.
	 */
	int (*event_fd)(const struct engine *engine);
	void (*read_events)(struct engine *engine);

	/*
	 * Each is one call; returns 0 or -errno. If an event answers it, another thread may be using the connection
	 * before the call returns, so it must not be accessed afterwards. By step: those of a client from its ID to its
	 * end, without those of QPs; with has_qps also of addresses, routes and ESTABLISH.
	 */
	int (*calls[STEP_COUNT])(struct timed_conn *conn);
	int (*create_qp)(struct timed_conn *conn); /* has_qps only, as the next three */
	int (*qp_attr)(struct timed_conn *conn,
		       enum step step);		     /* queries the attributes for STEP_INIT_QP and the like ... */
	int (*modify_qp)(struct timed_conn *conn);   /* ... and applies them */
	void (*destroy_qp)(struct timed_conn *conn); /* does nothing if there is none */
	/*
	 * Undoes what was created for a connection that the peer considers stale, so that it can be created again, with
	 * a QP that has another number. has_qps only.
	 */
	void (*renew)(struct timed_conn *conn);
	int (*introduce)(struct timed_conn *conn);   /* NULL: the call to connect has already identified the client */
	int (*accept)(struct timed_conn *conn);	     /* has_qps only: otherwise incoming connections are established */
	void (*destroy_id)(struct timed_conn *conn); /* does nothing if there is none */

	/* Explains an error of create_qp and the like, and what to do; NULL: only strerror() is known. */
	const char *(*hint)(int error);
};

extern const struct conn_ops transport_rdma;
extern const struct conn_ops transport_sockets;

/* "consumer reject: ...", for the status of a rejected connection. */
const char *transport_reject_text(int status, char *text, unsigned size);
