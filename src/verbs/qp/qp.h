/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs from creation to RTS, and the queues that they use. Called by perftest_resources.c. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct device;
struct thread_domain;
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
/*
 * --unsolicited_write: RDMA WRITE with immediate data whose completion at the target consumes no receive, a feature of
 * EFA. The loops replace each consumed receive and count the posted ones; ibv_post_recv() on this one discards them.
 */
struct ibv_qp *unsolicited_receives(void);
void qp_close(struct resources *resources);

/* --- cq.c: completion queues, their channels (-e) and vector (-X) --- */

/*
 * --unsolicited_write: CQEs for incoming messages, whose number no receive limits: room for all messages of a
 * measurement (0: for as many as fit in the time) and for the receives, or as many as the device allows.
 */
uint64_t cq_unsolicited_entries(uint64_t receives, uint64_t messages, uint64_t most);
/* 0 or -errno, reported. send_depth, recv_depth: of one QP; recv_depth is 0 if nothing is received. */
int cq_open(struct resources *resources, uint32_t send_depth, uint32_t recv_depth);
void cq_close(struct resources *resources);

/*
 * --- cq.c: thread domains ---
 *
 * Lets the library omit its locks. A thread domain promises that only one thread at a time uses the objects in it, and
 * a parent domain combines it with a PD: QPs and CQs are created in the parent domain (ibv_alloc_td(3),
 * ibv_alloc_parent_domain(3)). MRs and address handles stay in the PD.
 */

/* 0 or -errno, reported. */
int thread_domain_open(struct thread_domain *domain, const struct device *device, struct ibv_pd *pd);
/* Does nothing if it is not open. */
void thread_domain_close(struct thread_domain *domain);

/* --- srq.c: shared receive queues, one for each queue set whose QPs share their receives --- */

/*
 * With XRC also creates the XRC domain of the SRQ, without a file: no other process can open it. Called after the PD
 * and the CQs, and before the QPs, which refer to it. Does nothing if QPs have their own receive queues. 0 or -errno,
 * reported.
 */
int srq_open(struct resources *resources);
/* SRQ number for the peer's requests to this QP; 0: none. */
uint32_t srq_number(const struct resources *resources, unsigned index);
void srq_close(struct resources *resources);

/*
 * --- rss.c: receive-side scaling ---
 *
 * One QP, to which steering rules direct frames, and work queues over which the device spreads them by a hash of their
 * addresses and ports (ibv_create_rwq_ind_table(3)). Each QP that the configuration counts is a work queue here, with
 * its own rx_queue.
 */

/* Does the device support the configuration? 0 or -EOPNOTSUPP, reported. */
int rss_check(const struct resources *resources);
/*
 * Creates the work queues, ready for rx_queue_post(), and the QP that every tx_queue refers to. 0 or -errno, reported;
 * rss_close() cleans up even after a failure.
 */
int rss_open(struct resources *resources);
/* After the steering rules, and before the CQs; also if there is nothing to close. */
void rss_close(struct resources *resources);
