/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --sizes: FIRST:LAST:STEP, or with * in front of STEP; a loop of qperf without the name of its variable. */
#pragma once

#include "traffic/sweep.h"

/* 0 or -EINVAL. */
int sizes_parse(const char *text, struct sweep *sweep);
/* For the option's row: what is wrong with the text, or NULL; "off" is right. */
const char *check_sizes(const char *text);
