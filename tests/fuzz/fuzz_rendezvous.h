/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fuzzer of cmtime's meeting of instances, under the name that libFuzzer calls; a unit test replays its corpus. */
#ifndef FUZZ_FUZZ_MEETING_H
#define FUZZ_FUZZ_MEETING_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#endif
