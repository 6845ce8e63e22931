/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Several runs of a test of qperf, in its document, for those who read it: perftest metrics, compare and gate. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Is the result at this index one of several runs, which have a row together ("spread") behind them? */
bool spread_has(const json_t *measurements, size_t at);
