/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The rig lets an unmodified provider library (mlx5, efa, bnxt_re, irdma, hns, mana, erdma, qedr, cxgb4, ionic) drive a
 * device that does not exist. It is preloaded, and answers what the library asks of the kernel: files.c has the
 * interposed calls, commands.c the uverbs commands, trap.c the writes to registers, rdma_cm.c those of librdmacm. A
 * file for each provider knows its queues: what is in them, and how a completion looks. engine.c executes them in a
 * thread, wire.c connects the engines of several processes.
 *
 * What the library does wrong, or what the rig cannot do, is a line on stderr that begins with "rig:" (rig_fault).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

enum {
	RIG_MAX_IOV = 40, /* pieces of memory in one request */
	RIG_QP_BITS = 8,  /* of a queue pair's number; above them is the process's slot: EFA's numbers have 16 */
	RIG_MAX_SLOT = 254,
	RIG_MAX_OBJECTS = 1024, /* of each kind, in one process */
};

enum rig_opcode { RIG_NOP, RIG_SEND, RIG_WRITE, RIG_READ, RIG_COMPARE_SWAP, RIG_FETCH_ADD };

enum rig_status {
	RIG_OK,
	RIG_LOCAL_KEY,	   /* no such memory on the side that posted */
	RIG_LOCAL_LENGTH,  /* a receive was too short */
	RIG_REMOTE_LENGTH, /* the same, as the sender hears of it */
	RIG_REMOTE_ACCESS, /* no such memory, or not for this */
	RIG_NO_ANSWER,	   /* no such queue pair */
	RIG_UNKNOWN_PEER,  /* EFA: the target has no address handle for the initiator */
};

/* A send request as the provider found it in the queue. */
struct rig_request {
	uint64_t sequence; /* of this queue pair */
	enum rig_opcode opcode;
	bool has_imm, signaled, solicited;
	uint32_t imm;	  /* as it stands in the queue */
	uint32_t dst_qpn; /* of a datagram or DC; of a connection set by the engine */
	uint32_t srqn;	  /* of XRC */
	uint64_t key;	  /* Q_Key of a datagram, access key of DC */
	uint64_t raddr, compare, swap_add;
	uint32_t rkey;
	uint32_t index, code; /* the provider's, for the completion */
	uint64_t length;      /* bytes */
	uint32_t count;
	struct iovec iov[RIG_MAX_IOV]; /* in the process that posted */
};

struct rig_receive {
	const struct rig_srq *srq; /* that it is from, or NULL */
	uint32_t index;		   /* the provider's */
	uint64_t length;
	uint32_t count;
	struct iovec iov[RIG_MAX_IOV];
};

struct rig_mr {
	uint64_t start, length, iova; /* start: the address in this process */
	uint32_t key, access;
};

struct rig_cq {
	uint32_t handle, entries;
	uint32_t produced; /* completions written so far */
	bool is_armed;	   /* by a trapped doorbell, since so many: rig_cq_arm() */
	uint32_t armed_at;
	uint64_t user_handle;
	int channel; /* the end to which events are written, or -1 */
	void *ring;  /* the provider's */
};

/* Shared receive queue. */
struct rig_srq {
	uint32_t handle, max_wr, max_sge;
	struct rig_cq *cq; /* of XRC */
	void *ring;	   /* the provider's */
};

/* Frames name no queue pair: the number has the process alone. */
static inline bool rig_is_frame(uint32_t qpn)
{
	return !(qpn & ((1u << RIG_QP_BITS) - 1));
}

/* Types of queue pairs that only a provider has, beside enum ibv_qp_type: of rig_qp.steps. */
enum { RIG_SRD = 0x100, RIG_DCI, RIG_DCT };

struct rig_pending; /* a request on its way, or one that has arrived: engine.c */

struct rig_qp {
	uint32_t handle, qpn, type, state;
	uint32_t steps; /* the type by which its states are checked */
	uint32_t dst_qpn;
	uint8_t static_rate; /* enum ibv_rate */
	uint8_t reads;	     /* and atomics in flight, at most */
	uint64_t key;	     /* Q_Key, or access key of DC */
	bool sig_all;
	bool is_steered; /* of frames: a rule leads them here */
	struct rig_cq *send_cq, *recv_cq;
	struct rig_srq *srq;
	uint64_t sent; /* requests taken from the queue */
	unsigned in_flight;
	struct rig_pending *first_sent, *first_arrived;
	void *ring; /* the provider's */
};

/* Memory that the program maps through the device. */
struct rig_region {
	uint64_t offset, bytes;
	int fd;
	bool is_trapped; /* the provider is told what is written: registers */
	void *view;	 /* the rig's own mapping: the program may have been given it to read only */
};

/* The private data of a command; the answer's is zero at first. */
struct rig_private {
	const void *in;
	size_t in_bytes;
	void *out;
	size_t out_bytes;
};

struct rig_provider {
	unsigned datagram_bytes; /* in front of a received datagram */
	bool demands_ah;	 /* of the initiator at the target, for RDMA */
	uint32_t accesses;	 /* IBV_ACCESS_* that memory can have, beside the optional ones; 0: all */

	void (*get_context)(struct rig_private *data);
	void (*query_device)(struct ib_uverbs_query_device_resp *attr, struct rig_private *data);
	/* What a port of Ethernet does not have, and what the kernel's driver adds to an answer; or NULL. */
	void (*query_port)(struct ib_uverbs_query_port_resp *attr);
	void (*alloc_pd)(uint32_t handle, struct rig_private *data);
	void (*create_ah)(uint32_t handle, struct rig_private *data);
	int (*create_cq)(struct rig_cq *cq, struct rig_private *data);
	int (*create_qp)(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data);
	int (*create_srq)(struct rig_srq *srq, struct rig_private *data); /* or NULL, as the next */
	void (*modify_qp)(struct rig_qp *qp, struct rig_private *data);
	int (*own_command)(struct ib_uverbs_ioctl_hdr *header);	     /* that no other provider has; an errno */
	bool (*may_map)(uint64_t offset);			     /* memory that exists as soon as it is mapped */
	void (*written)(struct rig_region *region, uint64_t offset); /* to a trapped region, and where */

	bool (*next_send)(struct rig_qp *qp, struct rig_request *request);
	bool (*next_receive)(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive);
	void (*complete_send)(struct rig_qp *qp, const struct rig_request *request, enum rig_status status);
	/* source: the queue pair that sent; small: the message, if the completion shall contain it */
	void (*complete_receive)(struct rig_qp *qp, const struct rig_receive *receive,
				 const struct rig_request *request, uint32_t source, enum rig_status status,
				 const void *small);
	uint32_t (*small_bytes)(const struct rig_qp *qp); /* up to which a completion contains the message, or NULL */
	bool (*notify)(struct rig_cq *cq);		  /* does the program wait for an event now? NULL: is_armed */
};

extern const struct rig_provider mlx5_provider, efa_provider, bnxt_re_provider, irdma_provider, hns_provider,
	mana_provider, erdma_provider, qedr_provider, cxgb4_provider, ionic_provider;
extern const struct rig_provider *rig_provider; /* of this process */
/* For a provider whose library is answered with the handle alone. */
void rig_answer_handle(uint32_t handle, struct rig_private *data);
extern bool rig_roce; /* its port is of Ethernet */

/* commands.c: the objects; with rig_lock() held */
void rig_lock(void);
void rig_unlock(void);
bool rig_open(void); /* a context; false: the rig was not asked for */
ssize_t rig_command(const void *buffer, size_t bytes);
int rig_own_command(void *header);
struct rig_qp *rig_qp_at(unsigned i); /* up to RIG_MAX_OBJECTS, or NULL */
struct rig_cq *rig_cq_at(unsigned i);
const struct rig_srq *rig_srq_of(uint32_t number); /* its handle is its number */
const struct rig_mr *rig_mr_of(uint32_t key);
uint32_t rig_key_add(void);		   /* of no memory yet; 0: none is left */
bool rig_key_set(const struct rig_mr *mr); /* such a one; false: it does not exist */
/* The address in this process, or 0. access: IB_UVERBS_ACCESS_... that are needed, 0 for any */
uint64_t rig_translate(uint32_t key, uint64_t address, uint64_t bytes, uint32_t access);
bool rig_has_ah(void);
bool rig_is_iwarp(void);
void rig_connect(uint32_t qpn, uint32_t peer_qpn); /* takes the lock: as the kernel does for rdma_cm with iWARP */
void rig_cq_arm(uint32_t handle);		   /* an event is due when it gets a completion more than it has now */

/* files.c */
struct rig_region *rig_region_add(uint64_t offset, uint64_t bytes);
struct rig_region *rig_region_at(uint64_t offset);
void rig_region_remove(uint64_t offset);

/* mlx5_firmware.c */
int mlx5_firmware(struct ib_uverbs_ioctl_hdr *header); /* an own_command() */

/* states.c: as the kernel would; false: EINVAL */
bool states_accept(const struct rig_qp *qp, const struct ib_uverbs_modify_qp *in,
		   const struct ib_uverbs_query_device_resp *limits);

/* pieces.c: the memory of a request or a receive grows */
void request_add(struct rig_request *request, const void *start, uint64_t bytes);
void request_add_data(struct rig_request *request, uint32_t key, uint64_t address, uint32_t bytes);
void receive_add(struct rig_receive *receive, uint32_t key, uint64_t address, uint32_t bytes);
uint32_t power_of_two(uint32_t least);

/* trap.c */
int trap_start(void); /* -1: not on this processor */
bool trap_add(void *start, size_t bytes, struct rig_region *region);
void trap_remove(const void *start);

/* engine.c */
int engine_start(void);
void engine_forget(struct rig_qp *qp);

/* wire.c */
struct sockaddr_un;

/* Of processes with the same folder, as rdma_cm.c's. Returns its length. */
socklen_t rig_socket_name(struct sockaddr_un *address, const char *kind, int number);

struct wire_packet {
	enum { WIRE_REQUEST, WIRE_ANSWER } kind;
	enum rig_status status; /* of an answer */
	pid_t pid;
	uint32_t src_qpn, dst_qpn;
	uint64_t sequence;
	struct rig_request request; /* not in an answer */
};

int wire_open(void); /* this process's slot, or -errno */
/* -ECONNREFUSED: nobody is there. Otherwise it will arrive. */
int wire_send(const struct wire_packet *packet);
bool wire_receive(struct wire_packet *packet);
void wire_flush(void);		       /* sends what had to wait */
bool wire_wait(unsigned microseconds); /* until a packet arrives; without the lock */

/* trace.c: a line for each request, into the file that PERFTEST_PROVIDER_TRACE names with the slot behind it */
void trace_open(int slot);
bool trace_on(void);
void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *trace_place(uint32_t key, uint64_t address); /* in its memory region, which is the same in each run */

void rig_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
