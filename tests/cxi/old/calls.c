// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* libcxi before cxil_alloc_trig_cp. */
#define STANDIN_OLD
#include "../calls.c"
