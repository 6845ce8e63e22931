/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma_cm without a kernel: shared by the files of soft/cm.
 *
 * librdmacm talks to the kernel by one character device, /dev/infiniband/rdma_cm: each open() is an event channel, each
 * write() a command of the ABI in <rdma/rdma_user_cm.h> (version 4), whose answer is in the caller's memory when
 * write() returns. node.c interposes open(), fstat(), write() and close() and answers for that file; everything above
 * it, librdmacm, rsockets and programs, is unmodified.
 *
 * An event channel is a semaphore eventfd whose count is the number of queued events, so poll(), O_NONBLOCK and signals
 * behave as with the kernel's. A cm id is a struct cm_id in this process. Ids of two processes talk over a UNIX socket
 * per connection (link.c); one thread per process, started with the first channel, reads those sockets and enforces the
 * time limits (thread.c).
 *
 * One lock, cm_lock, protects all of it; no function here blocks or calls a verb while it is held. Functions return 0
 * or a negative errno, and are called with cm_lock held unless they say otherwise.
 *
 * The states, events and their order are those of the kernel's drivers/infiniband/core/{ucma,cma,cm}.c as the manual
 * pages rdma_cm(7) and its neighbours describe them.
 */
#pragma once

#include <netinet/in.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>

#include "host/core.h"
#include "host/profile.h"

#define CM_MAX_IDS	  65535 /* the most that librdmacm can index */
#define CM_MAX_BACKLOG	  1024	/* the kernel's default limit */
#define CM_ANSWER_MS	  64000 /* the kernel's: 15 retries of a REQ, 4.3 s each */
#define CM_GREETING_MS	  5000	/* for the first message of a connection, and for a bound id to listen */
#define CM_UDP_QKEY	  0x01234567u
#define CM_MTU		  5  /* enum ib_mtu: 4096 bytes */
#define CM_GID_INDEX_IPV4 1  /* in the table of abi/device.c: the device's own address */
#define CM_LOCAL_ACK_TIME 17 /* 4.096 us * 2^17 = 0.54 s, unless RDMA_OPTION_ID_ACK_TIMEOUT is set */

/*
 * Bytes of private data that an event carries, padded with zeros, and hence the maximum that a program may pass: the
 * fields of the CM messages (IBTA 12.6, 12.11; a REQ and a SIDR_REQ lose 36 bytes to the IP addressing annex A11).
 */
#define CM_PRIVATE_REQ	    56
#define CM_PRIVATE_REP	    196
#define CM_PRIVATE_REJ	    148
#define CM_PRIVATE_SIDR_REQ 180
#define CM_PRIVATE_SIDR_REP 136

/* Statuses of REJECTED and UNREACHABLE events: IBTA 12.6.7.2 and 12.11.2.2. */
#define CM_REJ_INVALID_SERVICE_ID 8
#define CM_REJ_CONSUMER_DEFINED	  28
#define CM_SIDR_UNSUPPORTED	  1
#define CM_SIDR_REJECT		  2

/* Events, with the kernel's numbers; <rdma/rdma_cma.h> has the same ones, but comes with librdmacm. */
enum cm_event_type {
	CM_ADDR_RESOLVED,
	CM_ADDR_ERROR,
	CM_ROUTE_RESOLVED,
	CM_ROUTE_ERROR,
	CM_CONNECT_REQUEST,
	CM_CONNECT_RESPONSE,
	CM_CONNECT_ERROR,
	CM_UNREACHABLE,
	CM_REJECTED,
	CM_ESTABLISHED,
	CM_DISCONNECTED,
	CM_DEVICE_REMOVAL,
	CM_MULTICAST_JOIN,
};

/* Events that librdmacm creates itself, with a command that headers before Linux 6.16 lack: rdma_write_cm_event(3). */
#define CM_WRITE_EVENT 24 /* RDMA_USER_CM_CMD_WRITE_CM_EVENT */
enum cm_written_event { CM_USER = 18, CM_INTERNAL };

struct cm_write_event {
	uint32_t id;
	uint32_t reserved;
	uint32_t event;
	uint32_t status;
	union {
		struct rdma_ucm_conn_param conn;
		uint64_t arg;
	} param;
};

enum cm_state {
	CM_IDLE,
	CM_BOUND,
	CM_ADDRESS, /* resolved */
	CM_ROUTE,   /* resolved */
	CM_LISTENS,
	CM_GREETED,   /* passive: connected, no REQ yet; the program does not know this id */
	CM_ASKED,     /* passive: REQ received */
	CM_ASKING,    /* active: REQ to be sent, or sent */
	CM_ANSWERED,  /* passive: REP sent */
	CM_REPLIED,   /* active: REP received */
	CM_CONNECTED, /* RTU sent or received */
	CM_LEAVING,   /* DREQ sent */
	CM_ABANDONED, /* DREQ received */
	CM_ENDED,     /* rejected, disconnected, or a datagram id whose exchange is over */
};

/* IPv4 or IPv6; family 0: none yet. */
union cm_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

struct cm_channel {
	int fd;		    /* eventfd; -1 once the program closed it */
	unsigned int users; /* the file table, and calls in progress */
	struct cm_event *first, **last;
};

/* A multicast group that an id has joined. */
struct cm_group {
	struct cm_group *next; /* of the id's */
	uint32_t number;       /* unique among all groups, used by the program; never 0 */
	uint64_t uid;	       /* librdmacm's */
	uint32_t events_reported;
};

struct cm_id {
	uint32_t number; /* index in the table, never 0 */
	enum cm_state state;
	struct cm_channel *channel;
	struct cm_id *listener; /* passive, until accepted: the id whose backlog this is in */
	uint64_t uid;		/* librdmacm's; 0: a request not accepted yet */
	uint16_t port_space;	/* enum rdma_ucm_port_space */
	uint8_t qp_type;	/* enum ibv_qp_type */
	int device;		/* number of the soft device; -1: not decided yet */
	union cm_address source, destination;
	int fd;		 /* listening or connected socket; -1 */
	bool only_ipv6;	 /* RDMA_OPTION_ID_AFONLY */
	int peer_device; /* number of the soft device at the other end */
	uint32_t events_reported;
	uint32_t backlog;     /* listener: requests that it still accepts */
	int64_t deadline_ms;  /* for the event that the state waits for; 0: none */
	int64_t retry_ms;     /* active: when to retry connecting the socket; 0: no retry */
	bool has_ack_timeout; /* RDMA_OPTION_ID_ACK_TIMEOUT was set ... */
	uint8_t ack_timeout;  /* ... to this: 4.096 us * 2^n */
	uint32_t psn;
	uint32_t qkey;
	uint32_t peer_qpn;
	uint8_t responder_resources; /* of this side's queue pair */
	uint8_t initiator_depth;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	struct cm_group *groups;
	struct rdma_ucm_ece ece;	    /* to be sent with the next message */
	struct rdma_ucm_conn_param request; /* active: parameters of connect() */
	uint32_t stream_qpn;		    /* iWARP: this side's queue pair, once it is connected */
};

/* Messages between the ids of two processes of a user; they are checked anyway. */
#define CM_MESSAGE_MAGIC   0x50465443u /* "PFTC" */
#define CM_MESSAGE_VERSION 2

enum cm_message_kind {
	CM_REQ = 1,
	CM_REP,
	CM_RTU,
	CM_REJ,
	CM_DREQ,
	CM_DREP,
	CM_SIDR_REQ,
	CM_SIDR_REP,
};

/* One packet, in host byte order: both ends are on the same host. */
struct cm_message {
	uint32_t magic;
	uint32_t version;
	uint32_t kind;	 /* enum cm_message_kind */
	uint32_t device; /* of the sender, as the rest */
	uint32_t psn;	 /* the first PSN of both directions */
	uint32_t reason; /* REJ, SIDR_REP: 0 is success there */
	struct rdma_ucm_ece ece;
	union cm_address source, destination; /* REQ, SIDR_REQ */
	struct rdma_ucm_conn_param param;     /* with zeroes behind the private data */
};

extern pthread_mutex_t cm_lock __attribute__((visibility("hidden")));

/* command.c: executes one command of the ABI. Without cm_lock. Its length, or a negative errno. */
int64_t cm_command(struct cm_channel *channel, const void *buffer, size_t length);

/* event.c */
int cm_channel_open(int flags, struct cm_channel **channel); /* only O_CLOEXEC and O_NONBLOCK matter */
void cm_channel_put(struct cm_channel *channel);
/* Queues an event of that id; uid and id are filled in. Dropped if the id is not accepted yet, and so has none. */
int cm_event_raise(struct cm_id *id, enum cm_event_type type, int status, const struct rdma_ucm_event_resp *details);
int cm_event_write(struct cm_id *id, const struct cm_write_event *command);
/* Of a group of the id: uid and id are the group's. */
int cm_event_raise_join(struct cm_id *id, struct cm_group *group, const struct rdma_ucm_event_resp *details);
int cm_event_raise_request(struct cm_id *listener, struct cm_id *child, const struct rdma_ucm_event_resp *details);
void cm_event_drop(struct cm_id *id, const struct cm_group *group); /* queued ones of the group; NULL: all */
void cm_event_move(struct cm_id *id, struct cm_channel *to);
/* Waits for an event as a blocking or non-blocking read() does. Without cm_lock. */
int cm_event_take(struct cm_channel *channel, struct rdma_ucm_event_resp *event);

/* id.c */
struct cm_id *cm_id_create(struct cm_channel *channel); /* NULL: the table is full */
void cm_id_destroy(struct cm_id *id);			/* and peers that wait at it, unanswered: see cm_close() */
/* Also moves its events, and the peers that wait at it. */
void cm_id_move(struct cm_id *id, struct cm_channel *to);
int cm_id_find(const struct cm_channel *channel, uint32_t number, struct cm_id **found); /* -EINVAL: not of channel */
struct cm_id *cm_id_at(uint32_t number);						 /* of any channel; NULL */
struct cm_id *cm_id_next(uint32_t after); /* for loops over all; start with 0 */
void cm_id_forget_all(void);		  /* in a forked child */

static inline bool cm_id_is_datagram(const struct cm_id *id)
{
	return id->qp_type == IBV_QPT_UD;
}

/* iWARP: the kernel and the adapter move the queue pair to RTS. */
static inline bool cm_id_is_stream(const struct cm_id *id)
{
	return soft_profile()->transport == IBV_TRANSPORT_IWARP && !cm_id_is_datagram(id);
}

/* address.c */
int cm_device_of(const union cm_address *address, int otherwise);		 /* the device that the address names */
int cm_address_read(const struct sockaddr_in6 *from, union cm_address *address); /* -EINVAL: of neither family */
bool cm_address_is_any(const union cm_address *address);
bool cm_address_is_multicast(const union cm_address *address);
/* The kernel only binds a socket to an address of this host. */
bool cm_address_is_local(const union cm_address *address);
size_t cm_address_size(const union cm_address *address);       /* 0: no address */
union ibv_gid cm_address_gid(const union cm_address *address); /* of RoCE v2 */
in_port_t *cm_address_port(union cm_address *address);
void cm_address_of_device(int device, union cm_address *address); /* its own address, in the family that is set */

/* resolve.c: the source and destination of an id */
int cm_bind(struct cm_id *id, const struct sockaddr_in6 *address);
int cm_resolve_address(struct cm_id *id, const struct sockaddr_in6 *source, const struct sockaddr_in6 *destination);
int cm_resolve_route(struct cm_id *id);

/* qp_attr.c: the path to the other end, as reported, and attributes for ibv_modify_qp() */
void cm_query_route(const struct cm_id *id, struct rdma_ucm_query_route_resp *route);
void cm_fill_path(const struct cm_id *id, struct ib_uverbs_ah_attr *attr);
int cm_init_qp_attr(const struct cm_id *id, uint32_t state, struct ib_uverbs_qp_attr *attr);

/* Multicast. Joining returns the number of the group, and raises its event. */
int cm_group_join(struct cm_id *id, const union cm_address *address, uint64_t uid, uint32_t *number);
/* -ENOENT: not a group of the id; *events_reported: how many of its events the program has seen. */
int cm_group_leave(struct cm_id *id, uint32_t number, uint32_t *events_reported);

/* backlog.c: peers that have connected to an id, until their first message is read */
void cm_backlog_take(struct cm_id *id);	       /* one that has just connected to it */
void cm_backlog_watch(const struct cm_id *id); /* it listens: first messages are read */
void cm_backlog_refuse_all(struct cm_id *id);  /* it is bound but will not listen */
void cm_backlog_refuse(struct cm_id *child);   /* its first message was read */
void cm_backlog_refuse_unread(struct cm_id *child);
void cm_close(struct cm_id *id); /* the program is done with it: ends it, and refuses the peers that wait at it */

/* connect.c: connections, and the handling of their messages */
int cm_listen(struct cm_id *id, uint32_t backlog);
int cm_connect(struct cm_id *id, const struct rdma_ucm_connect *command);
int cm_accept(struct cm_id *id, const struct rdma_ucm_accept *command);
int cm_reject(struct cm_id *id, const struct rdma_ucm_reject *command);
/* iWARP: the program sees that its id is connected. 0 or a negative errno: its queue pair is not in INIT. */
int cm_establish(struct cm_id *id);
int cm_disconnect(struct cm_id *id);
int cm_notify(struct cm_id *id, uint32_t event);
void cm_readable(struct cm_id *id);		    /* its socket is readable */
void cm_time_passes(struct cm_id *id, int64_t now); /* a deadline or a retry may be due */

/* link.c: the sockets between ids */
/* Reserves the id's source port (0: chooses a free one and stores it) and listens on it. */
int cm_link_listen(struct cm_id *id);
/* A connection to the process that listens on the id's destination; -ECONNREFUSED, or -EAGAIN: try again later. */
int cm_link_connect(const struct cm_id *id, int *fd);
int cm_link_accept(int listen_fd, int *fd);
bool cm_link_lacks(int err);			      /* is it due to descriptors or memory that this process lacks? */
int cm_link_send(int fd, struct cm_message *message); /* fills magic and version */
/* -EAGAIN: no message; -EPROTO: not one of ours; -ECONNRESET: the other end is closed. */
int cm_link_receive(int fd, struct cm_message *message);
/* A port that no listener uses, for the source of an active id. */
in_port_t cm_link_some_port(void);

/* thread.c */
struct cm_thread_calls { /* called when due, with cm_lock held; may destroy the id */
	void (*readable)(struct cm_id *id);
	void (*time_passes)(struct cm_id *id, int64_t now);
};
int cm_thread_start(const struct cm_thread_calls *calls); /* those of the first start are used */
int cm_thread_watch(int fd, uint32_t id);
void cm_thread_rouse(void);			       /* a time limit was set */
void cm_thread_pause(void);			       /* nothing can be done now about a socket that is readable */
void cm_set_deadline(struct cm_id *id, int64_t in_ms); /* 0: none */
void cm_thread_forget(void);			       /* in a forked child */
