/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The buckets of a histogram in a message: 32 bits with the number of those that have samples, and for each of them, in
 * ascending order, its index, in as many bytes as the field says, and 64 bits with its number of samples.
 */
#pragma once

#include "net/codec.h"

/* Of a field that is a struct histogram, which is empty before reading. */
extern const struct codec_ops histogram_codec;
