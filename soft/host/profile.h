/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the device has and refuses: PERFTEST_SOFT=profile=NAME makes it refuse what the adapters of that driver do. What
 * it accepts is executed as without a profile, in another order where the adapter has none, so figures are still those
 * of this host.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define PROFILE_SILENT (-1) /* a call fails and leaves errno as it is */

/* Calls of libibverbs that its provider has; others fail with EOPNOTSUPP. */
#define PROFILE_EXTENDED_CQS  (1u << 0) /* ibv_create_cq_ex() */
#define PROFILE_TIMES	      (1u << 1) /* completions with timestamps */
#define PROFILE_CLOCK	      (1u << 2) /* ibv_query_rt_values_ex() */
#define PROFILE_DOMAINS	      (1u << 3) /* parent domains */
#define PROFILE_WINDOWS	      (1u << 4) /* memory windows, whatever its flags say */
#define PROFILE_MULTICAST     (1u << 5)
#define PROFILE_QUERY_QP      (1u << 6)
#define PROFILE_PAGING	      (1u << 7)
#define PROFILE_DEVICE_MEMORY (1u << 8)
#define PROFILE_NULL_REGION   (1u << 9)
#define PROFILE_THREADS	      (1u << 10) /* thread domains */
#define PROFILE_CHANGES	      (1u << 11) /* ibv_rereg_mr() */

/* One driver; profile.c has the table. Limits are those of struct ibv_device_attr. */
struct soft_profile {
	const char *name;
	uint32_t vendor, part;		   /* as in its struct ibv_device_attr */
	enum ibv_transport_type transport; /* determines the type of its node */
	uint32_t types;			   /* QP_*: those that can be created */
	uint32_t calls;			   /* QP_*: those with ibv_wr_*() */
	uint32_t opcodes;		   /* 1 << IBV_WR_*: those that can be posted */
	int refuses_opcode;		   /* what posting another one returns; 0: EINVAL */
	int refuses_inline;		   /* the same for inline data that is too long */
	unsigned int flags;		   /* IBV_DEVICE_* */
	uint32_t has;			   /* PROFILE_* */
	uint32_t domains_lack;		   /* IBV_PARENT_DOMAIN_INIT_ATTR_*: what parent domains are refused with */
	enum ibv_atomic_cap atomic;
	uint32_t max_qp_wr, max_cqe, max_srq;
	uint32_t max_wide_wr; /* of an SRD queue pair whose WRITEs may have inline data; 0: all may */
	uint32_t max_recv_wr; /* of a queue pair, times the entries of each; 0: max_qp_wr, with any entries */
	uint32_t min_recv_wr, min_recv_sge; /* of a queue pair, also of one that only sends */
	uint32_t max_send_sge, max_recv_sge, max_sge_rd;
	uint32_t max_inline;	 /* bytes; found only by creating a queue pair */
	uint32_t max_rd_atomic;	 /* per queue pair, as initiator and as responder */
	uint32_t max_reads;	 /* requests before a READ, itself included, that are posted and not polled; 0: any */
	unsigned int accesses;	 /* IBV_ACCESS_*: those that a memory region can have; 0: all */
	int refuses_access;	 /* errno for others */
	int refuses_size;	 /* errno for regions longer than max_mr_size; 0: EINVAL */
	int refuses_pages;	 /* errno for memory that the kernel does not pin; 0: EFAULT */
	unsigned int send_flags; /* IBV_SEND_*: those of requests, which are refused with others; 0: all */
	uint64_t max_mr_size;
	uint32_t max_message;  /* bytes: max_msg_sz of the port; 0: its driver does not say */
	uint32_t max_receive;  /* bytes of one entry of a receive's list; 0: as long as its memory */
	bool has_one_gid;      /* its GID table has one entry; others have SOFT_GID_COUNT, and empty ones */
	bool refuses_silently; /* creating a queue pair fails and leaves errno as it is */
	bool grants_less;      /* inline data that is too long is cut when a queue pair is created */
	bool takes_plain_pds;  /* a completion queue with a protection domain that is no parent domain */
	bool has_no_cm;	       /* rdma_cm does not know it */
	bool has_no_path;      /* an address vector is ignored; others are refused without a GRH: IBA A17.4.3 */
	bool has_one_life;     /* a queue pair that was reset stays so */
	bool has_short_srqs;   /* shared receive queues are shorter than max_srq_wr */
	bool inlines_packets;  /* inline data longer than the path MTU is refused */
	bool negates;	       /* posting returns the negative errno */
	bool needs_signals;    /* a request without a completion is refused */
	bool reverses; /* SRD: messages overtake each other. The last packet of one arrives first, and of RC, if asked
			*/
	bool needs_handle; /* a target answers RDMA only if it has an address handle of the initiator */
};

/* Does that text of PERFTEST_SOFT name a profile, known or not? */
bool soft_profile_is_asked(const char *mode);

/* Takes the profile of that text, if it names one. False: an unknown one. */
bool soft_profile_read(const char *mode);
void soft_profile_report_unknown(const char *mode);

/* Of this process; the device without a profile has one, too. */
const struct soft_profile *soft_profile(void);
