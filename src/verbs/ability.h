/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What of a test can a device not do? Said in one line that names the device, before anything is made: what a device
 * answers to a request that it has not is an EINVAL or a completion error. Called by session before the peer is met,
 * and by qp.c with what both sides have agreed on.
 */
#ifndef VERBS_ABILITY_H
#define VERBS_ABILITY_H

#include <infiniband/verbs.h>
#include <stdbool.h>

struct device; /* verbs/device.h */
struct transport_traits;
struct verbs_config;

/* The operation, which no option changes. 0, or -EOPNOTSUPP, reported. */
int ability_check_verb(const struct device *device, const struct verbs_config *config);
/* On-demand paging, where it is asked for. 0, or -EOPNOTSUPP, reported. */
int ability_check_paging(const struct device *device, const struct verbs_config *config);
/* A null region that the peer's requests reach. 0, or -EOPNOTSUPP, reported. */
int ability_check_null(const struct device *device, const struct verbs_config *config);
/* A rate that the device itself is to keep (--rate_limit_type=HW). 0, or -EINVAL or -EOPNOTSUPP, reported. */
int ability_check_rate(const struct device *device, const struct verbs_config *config);
/* It was told one, and does not have it. -EOPNOTSUPP, reported. */
int ability_refuse_rate(const struct device *device, const struct verbs_config *config);
/* What only a provider's queue pairs and libraries have, where it is asked for. 0 or -errno, reported. */
int ability_check_provider(const struct device *device, const struct verbs_config *config);
/* The transport, and how its queue pairs are connected. 0, or -EOPNOTSUPP, reported. */
int ability_check_transport(const struct device *device, const struct verbs_config *config);

/*
 * A queue pair was refused: is it because the device makes none of the transport? True: it is, reported with what it
 * makes. By trying: no attribute says which types a device has.
 */
bool ability_lacks_transport(const struct device *device, const struct transport_traits *transport, struct ibv_pd *pd,
			     struct ibv_cq *cq);

#endif
