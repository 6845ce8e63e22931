/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs from creation to RTS. Called by perftest_resources.c in this order. */
#ifndef VERBS_QP_H
#define VERBS_QP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
struct resources;
struct verbs_config;
struct endpoint;

#define QP_KEY 0x11111111 /* Q_Key of all UD QPs, as in linux-rdma perftest */

/*
 * What is chosen for the device and the transport, unless options say otherwise: bytes of inline data to ask for;
 * ibv_wr_*() or ibv_post_send(); is an address handle of the peer created for that endpoint?
 */
uint32_t qp_wanted_inline(const struct resources *resources);
bool qp_prefers_calls(const struct resources *resources);
bool qp_needs_handle(const struct resources *resources, unsigned endpoint);

/* Capacity of a QP of this side. The send depth is never 0; a receive depth of 0 means that nothing is received. */
uint32_t qp_send_depth(const struct resources *resources);
uint32_t qp_recv_depth(const struct resources *resources);

/*
 * Are the depths and the number of queue pairs within the device's limits? Settles rx_depth. 0 or
 * -EINVAL, reported.
 */
int qp_check_limits(struct resources *resources);
/* Does the port have a P_Key at the index that was given? 0 or -EINVAL, reported. */
int qp_check_pkey(const struct resources *resources, const struct device *device);
/*
 * Creates every tx_queue's qp (and qpx) in INIT; fills wr_api and inline_size with what the device
 * granted. 0 or -errno, reported unless it is -EINTR: the user has stopped the test.
 */
int qp_open(struct resources *resources);
/*
 * For the connectors, which move QPs to RTR and RTS: the attributes that depend on the parameters and both endpoints,
 * however the QPs are connected.
 */
/* endpoint: index of an endpoint of this side, see resources.h. */
struct ibv_qp *qp_of(const struct resources *resources, unsigned endpoint);
/* Attribute mask for RTR and RTS, by QP type. */
int qp_mask(const struct resources *resources, unsigned endpoint, enum ibv_qp_state state);
unsigned qp_access_flags(const struct resources *resources);
void qp_fill_rtr(const struct resources *resources, unsigned index, struct ibv_qp_attr *attr);
void qp_fill_rts(const struct resources *resources, struct ibv_qp_attr *attr);
void qp_fill_address(const struct resources *resources, unsigned index, const struct endpoint *remote,
		     enum ibv_rate rate, struct ibv_ah_attr *attr);
/* --flow_label of a queue pair. */
uint32_t qp_flow_label(const struct verbs_config *config, unsigned index);
/* State transitions. 0 or -errno, reported. */
int qp_to_init(const struct resources *resources, unsigned endpoint);
int qp_open_address(struct resources *resources, unsigned index, struct ibv_ah_attr *attr, uint32_t qpn, uint32_t qkey);
/* Sets the destination of the requests if the QP has none: see struct wr_address. */
void qp_name_destination(const struct resources *resources, unsigned index);
/*
 * Reports, with the path, that the device refused a transition, "ready-to-send (RTS)", with err as returned by
 * ibv_modify_qp(). Returns -err.
 */
int qp_refused(const struct resources *resources, unsigned index, const char *step, int err);
void qp_close(struct resources *resources);
/* "from GID 1 ... to GID 3 ..., QP 0x000012, MTU 1024, ...": path of a QP, for messages. Returns text. */
const char *qp_path_text(const struct resources *resources, unsigned index, char *text, size_t size);

#endif
