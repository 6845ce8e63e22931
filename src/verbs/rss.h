/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Receive-side scaling (RSS): one queue pair, to which steering rules bring frames, and work queues over which the
 * device spreads them by a hash of what tells flows apart (ibv_create_rwq_ind_table(3)). Each queue pair that the
 * configuration counts is a work queue here, with an rx_queue of its own.
 */
#ifndef VERBS_RSS_H
#define VERBS_RSS_H

struct resources;

/* Can the device do what is asked for? 0 or -EOPNOTSUPP, reported. */
int rss_check(const struct resources *resources);
/*
 * Makes the work queues, ready to be posted to through rx_queue_post(), and the queue pair, which every tx_queue names.
 * 0 or -errno, reported; rss_close() takes back what there is by then.
 */
int rss_open(struct resources *resources);
/* Behind the steering rules, and before the completion queues; also where there is nothing. */
void rss_close(struct resources *resources);

#endif
