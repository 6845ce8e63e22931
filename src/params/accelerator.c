// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The accelerator whose memory is requested. Called by rules and session. */
#include "params/perftest_parameters.h"

bool params_accelerator_is_used(const struct params *params, enum accelerator which)
{
	const struct params_accelerator *accelerator = &params->memory.accelerator[which];

	/* A Gaudi has no number. */
	return accelerator->bus_id[0] || (which != ACCELERATOR_HL && accelerator->index >= 0);
}

unsigned params_accelerators(const struct params *params)
{
	unsigned count = 0;

	for (int i = 0; i < ACCELERATORS; i++)
		count += params_accelerator_is_used(params, (enum accelerator)i);
	return count;
}

enum accelerator params_accelerator(const struct params *params)
{
	int i = 0;

	while (i < ACCELERATORS && !params_accelerator_is_used(params, (enum accelerator)i))
		i++;
	return (enum accelerator)i;
}
