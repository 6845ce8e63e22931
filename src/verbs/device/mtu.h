/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Path MTUs, in bytes and as enum ibv_mtu. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool mtu_is_one(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096;
}

/* IBV_MTU_256 is 1, and each next value doubles. 0 if it is not an MTU. */
static inline uint32_t mtu_bytes(enum ibv_mtu mtu)
{
	return mtu_is_one(mtu) ? 128U << (unsigned)mtu : 0;
}

/* The largest MTU of at most `bytes`, but no less than IBV_MTU_256. */
static inline enum ibv_mtu mtu_enum(uint32_t bytes)
{
	enum ibv_mtu mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && mtu_bytes(mtu + 1) <= bytes)
		mtu++;
	return mtu;
}
