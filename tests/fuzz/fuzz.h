/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fuzzer's entry, under the name that libFuzzer calls; unit tests call it with inputs that are kept, or fixed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Always 0; a defect shows as a crash. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
