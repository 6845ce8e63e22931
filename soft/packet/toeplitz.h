/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The Toeplitz hash of the fields that identify a flow, as defined for RSS. Pure functions. */
#pragma once

#include <stdint.h>

#include "packet/frame.h"

#define TOEPLITZ_KEY_SIZE 40u /* bytes: the longest input, IPv6 addresses and ports, plus the 32 bits of the hash */

uint32_t soft_toeplitz(const uint8_t key[TOEPLITZ_KEY_SIZE], const uint8_t *data, uint32_t length);
/*
 * Hashes those of the fields (enum ibv_rx_hash_fields) that the frame has, in the order source address, destination
 * address, source port, destination port; 0: it has none.
 */
uint32_t soft_toeplitz_frame(const uint8_t key[TOEPLITZ_KEY_SIZE], uint64_t fields, const struct soft_frame *frame);
