/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is what the verdict of `perftest matrix` suspects slow again when nothing else runs? Each suspect is measured several
 * times, a host with one peer after the other, and each time a pair of hosts that are not suspected, too.
 */
#pragma once

#include "front/matrix/result.h"

/* Measures a pair alone: its rate for each subject; NaN: it has none. 0 or -EINTR. */
typedef int (*suspects_measure_fn)(void *context, unsigned client, unsigned server, double rates[RESULT_SUBJECTS]);

/*
 * Fills in result->named. What was suspected for a little, and is not slow, is not in it; nor are links whose slow end
 * is. If it was interrupted, the suspects are as they are before they are measured again. 0, -EINTR or -ENOMEM.
 */
int suspects_judge(struct result *result, suspects_measure_fn measure, void *context);
