/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of a connection: its CM id, its verbs objects, and its progress.
 *
 * One thread owns an endpoint, and only it creates and destroys the objects. CM events and completions only record what
 * happened and wake it; they neither free nor wait, since devices call them with their locks held. A completion
 * increments a counter, so early completions are not lost.
 */
#ifndef KRPING_ENDPOINT_H
#define KRPING_ENDPOINT_H

#include <linux/kref.h>
#include <linux/scatterlist.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "krping.h"

/* The one message of the exchange, in both directions. */
struct krping_message {
	__be64 address;
	__be32 rkey;
	__be32 size; /* bytes */
} __packed;

/* What a client sends when it connects; a peer that sends nothing requests the ping exchange. */
struct krping_hello {
	__be32 magic;
	__u8 version;
	__u8 reserved[3]; /* 0 */
	__be32 options;	  /* bits of enum krping_option */
	__be32 size;	  /* bytes */
	__be64 count;
} __packed;

#define KRPING_HELLO_MAGIC   0x6b727067 /* "krpg" */
#define KRPING_HELLO_VERSION 1

/* Memory of the peer. */
struct krping_remote {
	u64 address;
	u32 rkey;
	u32 size; /* bytes */
};

/* A source or target of data transfers; buffer.c. */
struct krping_buffer {
	void *data;
	size_t size;	       /* bytes */
	struct scatterlist sg; /* one piece, mapped for the device */
	bool is_mapped;
	struct ib_mr *mr;   /* mem_mode=reg */
	bool is_registered; /* mr is currently registered for the buffer */
	u8 key;		    /* changes with each registration */
};

/* A received message. */
struct krping_arrival {
	struct krping_remote remote;
	u32 invalidated_rkey; /* rkey that the peer invalidated with it; 0: none */
};

/* The peer may be two messages ahead: its buffer and, when it writes as well, its final message. */
#define KRPING_RECEIVES 2

/* Messages in memory that the device can access. */
struct krping_control {
	struct krping_message *message;
	unsigned int messages;
	u64 dma;
	bool is_mapped;
};

/* Requests of one kind. Only the difference of posted and done matters, so they may wrap. */
struct krping_work {
	struct ib_cqe cqe;
	struct krping_endpoint *endpoint;
	const char *what;		/* it is, in messages */
	struct krping_traffic *traffic; /* where each is counted, or NULL */
	u32 bytes;			/* of each in flight */
	u32 posted;			/* by the thread */
	u32 done;			/* by completions */
};

struct krping_endpoint {
	struct kref ref; /* held by its thread, and by the listener that started it */
	struct krping_result *result;
	const struct krping_command *command; /* in result */
	wait_queue_head_t wait;		      /* of its thread */

	/* set by the CM handler */
	bool address_is_resolved;
	bool route_is_resolved;
	bool is_established;
	bool is_disconnected; /* or its requests were flushed */

	struct rdma_cm_id *cm_id; /* and its QP */
	bool may_have_traffic;	  /* the QP has been, or may have been, ready to send */
	bool spins;		  /* poll: its thread polls the CQ instead of sleeping */
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct krping_buffer source; /* of the peer's reads, and of our writes */
	struct krping_buffer sink;   /* of the peer's writes, and of our reads */
	struct krping_control send, recv;

	struct ib_cqe recv_cqe;
	struct krping_work sends, reads, writes, queries, registrations;
	u32 received, consumed;
	u32 writes_wanted;				 /* what krping_writes_are_done() waits for */
	u64 last_write_ns;				 /* when writes.done grew */
	struct krping_arrival arrivals[KRPING_RECEIVES]; /* message n is at n % KRPING_RECEIVES */
	u32 invalidated_rkey;				 /* of the message that was consumed last */
	u8 expected;					 /* wlat: the byte that the peer writes next */

	/* of a server */
	struct list_head node; /* in the listener's list */
	struct task_struct *task;
	void *listener;
	bool is_finished; /* the thread is about to exit */
};

static inline bool krping_is_client(const struct krping_endpoint *endpoint)
{
	return endpoint->result->role == KRPING_ROLE_CLIENT;
}

typedef bool (*krping_ready_fn)(const struct krping_endpoint *endpoint);

/* endpoint.c */
struct krping_endpoint *krping_endpoint_new(struct krping_result *result);
void krping_endpoint_put(struct krping_endpoint *endpoint);
/* Creates everything on the device that the CM found, up to a QP with its first receive posted. */
int krping_endpoint_open(struct krping_endpoint *endpoint);
/* Disconnects, waits until the device is done, and frees everything except the endpoint itself. */
void krping_endpoint_close(struct krping_endpoint *endpoint);
int krping_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event);

/* wait.c: 0, the run's error, or -ENOTCONN if the peer disconnected and that is not an error (yet) */
int krping_wait(struct krping_endpoint *endpoint, krping_ready_fn ready, const char *what);
int krping_spin(struct krping_endpoint *endpoint, krping_ready_fn ready, const char *what);
int krping_wait_or_end(struct krping_endpoint *endpoint, krping_ready_fn ready, const char *what);
/*
 * Part of a wait: at most `limit` jiffies. 0: time is over; < 0: a signal; otherwise it is ready, or the run is over.
 */
long krping_pause(struct krping_endpoint *endpoint, krping_ready_fn ready, long limit);
/* The result of a wait that ended this way, as above. */
int krping_verdict(struct krping_endpoint *endpoint, krping_ready_fn ready, long left, const char *what);
bool krping_is_over(const struct krping_endpoint *endpoint);
long krping_limit(const struct krping_endpoint *endpoint); /* of a wait, in jiffies */
/* Makes -ENOTCONN an error of a client's run; a server's may end that way, see krping_test_run(). */
int krping_not_expected(struct krping_endpoint *endpoint, int err, const char *what);

/* buffer.c */
int krping_buffer_open(struct krping_endpoint *endpoint, struct krping_buffer *buffer);
void krping_buffer_close(struct krping_endpoint *endpoint, struct krping_buffer *buffer);
/* Records whether the peer invalidated the key that was advertised last. */
void krping_buffer_note_invalidation(struct krping_endpoint *endpoint, struct krping_buffer *buffer);
struct krping_remote krping_buffer_advert(const struct krping_endpoint *endpoint, const struct krping_buffer *buffer);
/* The first `size` bytes, for a local operation. */
struct ib_sge krping_buffer_sge(const struct krping_endpoint *endpoint, const struct krping_buffer *buffer, u32 size,
				bool is_source_of_write);
int krping_buffer_sink_access(const struct krping_endpoint *endpoint);
void krping_buffer_to_cpu(struct krping_endpoint *endpoint, struct krping_buffer *buffer);
void krping_buffer_to_device(struct krping_endpoint *endpoint, struct krping_buffer *buffer);

/* post.c */
void krping_post_init(struct krping_endpoint *endpoint);
/* slot: the message's number modulo KRPING_RECEIVES. */
int krping_post_recv(struct krping_endpoint *endpoint, unsigned int slot);
/* Sends a message; if `invalidate` is not 0, it invalidates that key of the peer. */
int krping_post_send(struct krping_endpoint *endpoint, struct krping_remote content, u32 invalidate);
/* Waits until the peer's device has acknowledged all messages. */
int krping_finish_sends(struct krping_endpoint *endpoint);
/* Buffer <- remote; returns when the data is there. */
int krping_read(struct krping_endpoint *endpoint, struct krping_buffer *buffer, const struct krping_remote *remote,
		bool invalidates);
int krping_post_write(struct krping_endpoint *endpoint, struct krping_buffer *buffer,
		      const struct krping_remote *remote, u32 size);
/* Gives a buffer a new key with these rights, IB_ACCESS_*; does nothing with mem_mode=dma. */
int krping_buffer_register(struct krping_endpoint *endpoint, struct krping_buffer *buffer, int access);
/* Sends a query to the peer's device; the other returns whether it has answered the last one. */
int krping_post_alive(struct krping_endpoint *endpoint);
bool krping_is_alive(const struct krping_endpoint *endpoint);
bool krping_message_is_there(const struct krping_endpoint *endpoint);
bool krping_writes_are_done(const struct krping_endpoint *endpoint);
/* Waits for all writes. */
int krping_finish_writes(struct krping_endpoint *endpoint);
/* Waits for the next message. */
int krping_await_message(struct krping_endpoint *endpoint, struct krping_remote *remote, const char *what);

/*
 * swap.c: start and end of the other tests. Both sides advertise a buffer, the client first; when the measuring side is
 * done, it sends its figures.
 */
int krping_swap(struct krping_endpoint *endpoint, struct krping_buffer *buffer, int access,
		struct krping_remote *remote);
int krping_send_end(struct krping_endpoint *endpoint);
/* Receives the peer's figures; -ENOTCONN if it disconnects instead. */
int krping_await_end(struct krping_endpoint *endpoint);
/* Waits until the peer disconnects, which is how a test succeeds on the server. */
int krping_await_disconnect(struct krping_endpoint *endpoint);
/* The tests; each returns 0 or the run's error. */
int krping_test_run(struct krping_endpoint *endpoint);
int krping_ping_client(struct krping_endpoint *endpoint); /* ping.c */
int krping_ping_server(struct krping_endpoint *endpoint);
int krping_wlat(struct krping_endpoint *endpoint); /* latency.c */
int krping_rlat(struct krping_endpoint *endpoint);
int krping_bw(struct krping_endpoint *endpoint); /* bandwidth.c */

#endif
