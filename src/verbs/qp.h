/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs from creation to ready-to-send; perftest_resources.c calls, in this order. */
#ifndef VERBS_QP_H
#define VERBS_QP_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

struct resources;
struct verbs_config;
struct endpoint;

#define QP_KEY 0x11111111 /* of all datagrams' queue pairs, as every perftest has it */

/*
 * What a queue pair of this side holds. The send depth is never 0; a receive depth of 0 says that
 * nothing is received.
 */
uint32_t qp_send_depth(const struct resources *resources);
uint32_t qp_recv_depth(const struct resources *resources);

/*
 * Are the depths and the number of queue pairs within the device's limits? Settles rx_depth. 0 or
 * -EINVAL, reported.
 */
int qp_check_limits(struct resources *resources);
/*
 * Creates every tx_queue's qp (and qpx) in INIT; fills wr_api and inline_size with what the device
 * granted. 0 or -errno, reported.
 */
int qp_open(struct resources *resources);
/*
 * For the connectors, which bring RTR and RTS: what of a step's attributes the parameters and both
 * endpoints decide, however queue pairs find their peers.
 */
/* Of an endpoint of this side: see resources.h. */
struct ibv_qp *qp_of(const struct resources *resources, unsigned endpoint);
/* Which attributes RTR and RTS take, of its kind. */
int qp_mask(const struct resources *resources, unsigned endpoint, enum ibv_qp_state state);
unsigned qp_access_flags(const struct resources *resources);
void qp_fill_rtr(const struct resources *resources, unsigned index, struct ibv_qp_attr *attr);
void qp_fill_rts(const struct resources *resources, struct ibv_qp_attr *attr);
void qp_fill_address(const struct resources *resources, unsigned index, const struct endpoint *remote,
		     enum ibv_rate rate, struct ibv_ah_attr *attr);
/* --flow_label of a queue pair. */
uint32_t qp_flow_label(const struct verbs_config *config, unsigned index);
/* The steps. 0 or -errno, reported. */
int qp_to_init(const struct resources *resources, unsigned endpoint);
int qp_open_address(struct resources *resources, unsigned index, struct ibv_ah_attr *attr, uint32_t qpn, uint32_t qkey);
/* Into a request, where it has no other place for it: see struct wr_address. */
void qp_name_destination(const struct resources *resources, unsigned index, struct ibv_send_wr *wr);
/* Reports with the path that the device refused a step, "ready-to-send (RTS)", with err as ibv_modify_qp() returned it.
 * -err. */
int qp_refused(const struct resources *resources, unsigned index, const char *step, int err);
void qp_close(struct resources *resources);
/* "from GID 1 ... to GID 3 ..., QP 0x000012, MTU 1024, ..." of a queue pair, for messages. Returns text. */
const char *qp_path_text(const struct resources *resources, unsigned index, char *text, size_t size);

#endif
