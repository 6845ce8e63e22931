/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The C library's own headers include this one too. */
#include_next <linux/errno.h>
