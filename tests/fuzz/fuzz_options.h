/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entry that libFuzzer calls; the unit test drives it with fixed inputs as well. */
#ifndef FUZZ_FUZZ_OPTIONS_H
#define FUZZ_FUZZ_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Always 0; a defect shows as a crash. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#endif
