/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The attributes of QPs that depend on the parameters and both endpoints, however the QPs are connected. endpoint:
 * index of an endpoint of this side, see resources.h; index: of a queue pair.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct endpoint;
struct resources;
struct verbs_config;

#define QP_RETRY_COUNT 7

/* The index of the peer's endpoint that an endpoint is connected to: initiators to targets, and vice versa. */
unsigned qp_counterpart(const struct resources *resources, unsigned endpoint);
/* Attribute mask for RTR and RTS, by QP type. */
int qp_mask(const struct resources *resources, unsigned endpoint, enum ibv_qp_state state);
void qp_fill_rtr(const struct resources *resources, unsigned index, struct ibv_qp_attr *attr);
void qp_fill_rts(const struct resources *resources, struct ibv_qp_attr *attr);
void qp_fill_address(const struct resources *resources, unsigned index, const struct endpoint *remote,
		     enum ibv_rate rate, struct ibv_ah_attr *attr);
/* --flow_label of a queue pair. */
uint32_t qp_flow_label(const struct verbs_config *config, unsigned index);
/* Is an address handle of the peer created for that endpoint? */
bool qp_needs_handle(const struct resources *resources, unsigned endpoint);
/* Creates it. 0 or -errno, reported. */
int qp_open_address(struct resources *resources, unsigned index, struct ibv_ah_attr *attr, uint32_t qpn, uint32_t qkey);
/* Sets the destination of the requests if the QP has none: see struct wr_address. */
void qp_name_destination(const struct resources *resources, unsigned index);
/* Moves a QP without a peer of its own to RTS. qkey NULL: the QP keeps its own. 0 or -errno, reported. */
int qp_move_datagrams(const struct resources *resources, unsigned index, struct ibv_qp *qp, const uint32_t *qkey);
/*
 * Reports, with the path, that the device refused a transition, "ready-to-send (RTS)", with err as returned by
 * ibv_modify_qp(). Returns -err.
 */
int qp_refused(const struct resources *resources, unsigned index, const char *step, int err);
/* "from GID 1 ... to GID 3 ..., QP 0x000012, MTU 1024, ...": path of a QP, for messages. Returns text. */
const char *qp_path_text(const struct resources *resources, unsigned index, char *text, size_t size);
