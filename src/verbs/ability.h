/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks whether the device can do what a test needs, and reports in one line that names the device what it cannot.
 * Without these checks the user would see an EINVAL or a completion error. Session calls them before it contacts the
 * peer, qp.c with the parameters on which both sides have agreed.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>

struct device; /* verbs/device/device.h */
struct transport_traits;
struct verbs_config;

/* All that it needs. 0 or -errno, reported. */
int ability_check(const struct device *device, const struct verbs_config *config);
/* What a server knows before its client: the verb, which no option changes, on-demand paging, and its own -R. As above.
 */
int ability_check_server(const struct device *device, const struct verbs_config *config);
/* Its parts. */
int ability_check_verb(const struct device *device, const struct verbs_config *config);
int ability_check_paging(const struct device *device, const struct verbs_config *config);
int ability_check_transport(const struct device *device, const struct verbs_config *config);
int ability_check_rate(const struct device *device, const struct verbs_config *config);
/*
 * Reports a rate that the device does not support although verbs defines it. taken: what it limits to instead, Gb/s; 0:
 * nothing. Returns -EOPNOTSUPP.
 */
int ability_refuse_rate(const struct device *device, const struct verbs_config *config, double taken);

/* Does linux-rdma perftest 6.28 and newer create queue pairs on such a device that consume receives out of order? */
bool ability_is_reordered(const struct device *device, const struct verbs_config *config);

/*
 * Has the device queue pairs of the test's transport? By trying, before the peer is met, except for RC: most tests need
 * it, and what has none is known. 0 or -errno, reported.
 */
int ability_check_type(const struct device *device, const struct verbs_config *config);
/*
 * Called after QP creation failed. True if the device does not support the transport at all; this is reported together
 * with the transports that it does support. Found out by trying: no attribute lists the QP types of a device.
 */
bool ability_lacks_transport(const struct device *device, const struct transport_traits *transport, struct ibv_pd *pd,
			     struct ibv_cq *cq);
