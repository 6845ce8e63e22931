/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs from creation to RTS. Called by perftest_resources.c in this order. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct device;
struct resources;
struct verbs_config;
struct endpoint;

#define QP_KEY 0x11111111 /* Q_Key of all UD QPs, as in linux-rdma perftest */

/*
 * What is chosen for the device and the transport, unless options say otherwise: bytes of inline data to ask for;
 * ibv_wr_*() or ibv_post_send()?
 */
uint32_t qp_wanted_inline(const struct resources *resources);
bool qp_prefers_calls(const struct resources *resources);

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
/* endpoint: index of an endpoint of this side, see resources.h. */
struct ibv_qp *qp_of(const struct resources *resources, unsigned endpoint);
unsigned qp_access_flags(const struct resources *resources);
/* 0 or -errno, reported. */
int qp_to_init(const struct resources *resources, unsigned endpoint);
void qp_close(struct resources *resources);
