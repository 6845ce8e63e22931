/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A libfabric provider as a transport of cxi_send_bw: one endpoint for reliable datagrams with tags. Portals needs only
 * one persistent entry for the receiver's buffer; here each send needs a receive. The tag of a receive contains the
 * size, the list and the send that it is for, so that data arrives at the sender's offset.
 */
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdbool.h>
#include <stdint.h>

#include "cxi/fabric/fabric_guard.h"
#include "cxi/ops.h"

#define FABRIC_API    FI_VERSION(1, 11)
#define FABRIC_SONAME "libfabric.so.1"

enum fabric_work { FABRIC_SEND, FABRIC_RECEIVE, FABRIC_RESPOND, FABRIC_RESPONSE };

/* An operation; its completion points to it. */
struct fabric_op {
	struct fi_context2 context; /* owned by the provider, with modes FI_CONTEXT and FI_CONTEXT2; must be first */
	enum fabric_work work;
	bool posted; /* and not completed */
};

/* The sends or receives of the current list. */
struct fabric_queue {
	struct fabric_op *ops; /* plan.list */
	uint64_t list;	       /* number of the list, from 0 */
	uint32_t posted, done; /* of plan.list */
	uint32_t depth;	       /* that the endpoint accepts at once */
};

struct fabric {
	/* Functions of the library; calls on objects are inline functions of its headers. */
	struct {
		int (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
			       const struct fi_info *hints, struct fi_info **info);
		void (*freeinfo)(struct fi_info *info);
		struct fi_info *(*dupinfo)(const struct fi_info *info);
		int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
		const char *(*strerror)(int error);
		uint32_t (*version)(void);
	} library;
	struct cxi_place place;
	struct cxi_plan plan;
	const struct buffer *tx, *rx;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	struct fid_mr *tx_mr, *rx_mr; /* NULL: not needed */
	fi_addr_t peer;
	struct cxi_run run;
	uint64_t runs; /* number of sizes prepared */
	struct fabric_queue sends, receives;
	struct fabric_op response_out, response_in;
	bool owes_response; /* it could not be posted yet */
	bool awaits_response;
	struct fabric_guard guard;
	bool has_name; /* the link's address is the name of a file that still exists */
	struct cxi_progress progress;
};

static inline struct fabric *fabric_of(const struct cxi_link *link)
{
	return link->private;
}

/* cxi_fault() for a negative code of libfabric: "DOING: its text". Returns an -errno. */
int fabric_fault(struct cxi_link *link, ssize_t error, const char *doing);

/* --- fabric_open.c: from the library to a connected endpoint, and its end; fabric_lists.c has the rest --- */
int fabric_open(struct cxi_link *link, const struct cxi_place *place);
int fabric_map(struct cxi_link *link, const struct cxi_plan *plan, const struct buffer *tx, const struct buffer *rx);
int fabric_connect(struct cxi_link *link, const struct cxi_address *peer);
void fabric_close(struct cxi_link *link);

/* Both sides are connected: removes the file that leads to this one. */
void fabric_drop_name(struct cxi_link *link);
