/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the stack large enough? Each program checks it before it does anything. */
#pragma once

/* 0, or -ENOMEM, reported, under a small ulimit -s, where the program would end with SIGSEGV. */
int stack_check(void);
