/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What do the messages of a test pass through on this side? The facts of traffic/payload_limit.h, from the device and
 * the parameters. Called by session.c: before the peer is connected, to check -w and -y, and once the path's MTU is
 * known.
 */
#ifndef SESSION_PAYLOAD_PATH_H
#define SESSION_PAYLOAD_PATH_H

#include "params/perftest_parameters.h"
#include "traffic/payload_limit.h"
#include "verbs/device/device.h"

/*
 * mtu: bytes. 0, or -EOPNOTSUPP, reported: -w or -y asks for a share of what is possible, and that is unknown here.
 * *path is always written.
 */
int payload_path_find(struct payload_path *path, const struct params *params, const struct device *device,
		      uint32_t mtu);

#endif
