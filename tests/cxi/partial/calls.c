// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A libcxi that lacks a function that is always needed: cxil_map. */
#define STANDIN_PARTIAL
#include "../calls.c"
