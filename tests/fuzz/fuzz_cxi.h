/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fuzzer of cxi_send_bw's messages, under the name that libFuzzer calls; the unit test calls it with fixed inputs.
 */
#ifndef FUZZ_FUZZ_CXI_H
#define FUZZ_FUZZ_CXI_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#endif
