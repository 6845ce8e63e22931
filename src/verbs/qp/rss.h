/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Receive-side scaling (RSS): one QP, to which steering rules direct frames, and work queues over which the device
 * spreads them by a hash of their addresses and ports (ibv_create_rwq_ind_table(3)). Each QP that the configuration
 * counts is a work queue here, with its own rx_queue.
 */
#pragma once

struct resources;

/* Does the device support the configuration? 0 or -EOPNOTSUPP, reported. */
int rss_check(const struct resources *resources);
/*
 * Creates the work queues, ready for rx_queue_post(), and the QP that every tx_queue refers to. 0 or -errno, reported;
 * rss_close() cleans up even after a failure.
 */
int rss_open(struct resources *resources);
/* After the steering rules, and before the CQs; also if there is nothing to close. */
void rss_close(struct resources *resources);
