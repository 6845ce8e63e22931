/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the device has and refuses: PERFTEST_SOFT=profile=NAME makes it refuse what the adapters of that driver do. What
 * it accepts is executed as without a profile, in another order where the adapter has none, so figures are still those
 * of this host.
 */
#ifndef SOFT_PROFILE_H
#define SOFT_PROFILE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define PROFILE_SILENT	   (-1) /* a call fails and leaves errno as it is */
#define PROFILE_ANY_OPCODE 0xffffffffu

/* One driver; profile.c has the table. Limits are those of struct ibv_device_attr. */
struct soft_profile {
	const char *name;
	uint32_t vendor, part; /* of its PCI function */
	enum ibv_node_type node;
	enum ibv_transport_type transport;
	uint32_t types;	    /* QP_*: those that can be created */
	int refuses_type;   /* errno for others, or PROFILE_SILENT */
	int refuses_cap;    /* the same for limits that are exceeded */
	uint32_t opcodes;   /* 1 << IBV_WR_*: those that can be posted; EINVAL for others */
	unsigned int flags; /* IBV_DEVICE_* */
	enum ibv_atomic_cap atomic;
	uint32_t max_qp_wr, max_cqe, max_srq;
	uint32_t max_send_sge, max_recv_sge, max_sge_rd;
	uint32_t max_inline;	/* bytes; found only by creating a queue pair */
	uint32_t max_rd_atomic; /* per queue pair, as initiator and as responder */
	uint64_t max_mr_size;
	uint32_t max_message; /* bytes: max_msg_sz of the port */
	uint32_t max_receive; /* bytes of one entry of a receive's list; 0: as long as its memory */
	uint32_t gids;	      /* entries of its GID table that are filled */
	bool has_calls;	      /* ibv_wr_*() */
	bool has_times;	      /* completions with timestamps */
	bool has_paging, has_device_memory, has_null_region, has_flush;
	bool has_no_path;   /* an address vector is ignored; others are refused without a GRH: IBA A17.4.3 */
	bool needs_signals; /* a request without a completion is refused */
	bool reverses;	    /* SRD: the requests of a list arrive, and what one poll finds, in reverse order */
	bool needs_handle;  /* a target answers RDMA only if it has an address handle of the initiator */
};

/* Does that text of PERFTEST_SOFT name a profile, known or not? */
bool soft_profile_is_asked(const char *mode);

/* Takes the profile of that text, if it names one. False: an unknown one. */
bool soft_profile_read(const char *mode);
void soft_profile_report_unknown(const char *mode);

/* Of this process; the device without a profile has one, too. */
const struct soft_profile *soft_profile(void);

#endif
