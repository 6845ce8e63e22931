/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What connections are made of: rdma_cm and queue pairs, or sockets. The steps and their order are the
 * engine's; a transport makes the calls. None of them waits for the peer: an answer comes as an event.
 */
#ifndef CMTIME_TRANSPORT_H
#define CMTIME_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct timed_conn;
struct engine;

enum qp_state {
	QP_TO_INIT,
	QP_TO_RTR,
	QP_TO_RTS,
};

struct conn_ops {
	bool has_qps;	    /* and addresses and routes to resolve, and requests to answer */
	bool destroy_waits; /* once destroy_id() is back no event tells of the connection any more */

	/* engine->local is the address to use; a listening one gets its port. 0 or -errno, reported. */
	int (*open)(struct engine *engine);
	int (*listen)(struct engine *engine, struct sockaddr_storage *address);
	void (*close)(struct engine *engine);
	/* A descriptor that is readable when there are events, and what they are: calls engine_on_*(). */
	int (*event_fd)(const struct engine *engine);
	void (*read_events)(struct engine *engine);

	/*
	 * Each is one call; 0 or -errno. Where an answer will come the connection may be on its way through
	 * another thread before the call returns, and must not be looked at any more.
	 */
	int (*create_id)(struct timed_conn *conn);
	int (*bind_addr)(struct timed_conn *conn);
	int (*resolve_addr)(struct timed_conn *conn);		      /* has_qps only */
	int (*resolve_route)(struct timed_conn *conn);		      /* has_qps only */
	int (*create_qp)(struct timed_conn *conn);		      /* has_qps only, as the next three */
	int (*qp_attr)(struct timed_conn *conn, enum qp_state state); /* asks for the attributes ... */
	int (*modify_qp)(struct timed_conn *conn);		      /* ... and applies them */
	void (*destroy_qp)(struct timed_conn *conn);		      /* takes one that has none */
	/*
	 * Takes back what was made of a connection that the other side took for an old one, so that it can be made
	 * anew: the next queue pair has another number than the last one. has_qps only.
	 */
	void (*renew)(struct timed_conn *conn);
	int (*connect)(struct timed_conn *conn);
	int (*introduce)(struct timed_conn *conn); /* NULL: connect() has said already who comes */
	int (*accept)(struct timed_conn *conn);	   /* has_qps only: otherwise what comes in is established */
	int (*establish)(struct timed_conn *conn); /* has_qps only */
	int (*disconnect)(struct timed_conn *conn);
	void (*destroy_id)(struct timed_conn *conn); /* takes one that has none */

	/* What an error of create_qp and the like means and what to do about it; NULL: only strerror() is known. */
	const char *(*hint)(const struct engine *engine, int error);
};

extern const struct conn_ops transport_rdma;
extern const struct conn_ops transport_sockets;

/* "consumer reject: ..." for the status of a rejected connection. */
const char *transport_reject_words(int status, char *text, unsigned size);

#endif
