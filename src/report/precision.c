// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See precision.h. */
#include "report/precision.h"

#include <math.h>
#include <stdio.h>

#include "report/envelope.h"
#include "util/log.h"

void precision_warn(const char *what, const struct series_plan *plan, const struct series_result *result,
		    const char *longer)
{
	const double percent = confidence_percent(&result->confidence);
	char found[96] = "no confidence interval is known";

	if (plan->until_percent > 0 && !result->reached) {
		if (!isnan(percent))
			snprintf(found, sizeof(found), "the 95 %% confidence interval is within %.3g %%, not %g",
				 percent, plan->until_percent);
		log_warning("%s: after %u measurement%s %s: raise --max_repeats or --max_time, or %s for measurements "
			    "that differ less",
			    what, result->count, result->count == 1 ? "" : "s", found, longer);
	}
	if (plan->steady && !(plan->until_percent > 0) && isnan(result->confidence.low))
		log_warning("%s: there is no confidence interval: %u of %u measurements are left out as a warm-up, "
			    "and the others are too few: raise --repeat",
			    what, result->left_out, result->left_out + result->count);
}

json_t *precision_each(const struct series_result *result, double scale)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < result->left_out + result->count; i++)
		if (json_array_append_new(array, envelope_number(result->each[i] * scale)))
			goto no_memory;
	return array;

no_memory:
	json_decref(array);
	return NULL;
}
