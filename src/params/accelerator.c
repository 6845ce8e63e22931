// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The accelerator whose memory is requested. Called by rules and session. */
#include "params/perftest_parameters.h"

bool params_accelerator_is_used(const struct params *params, enum gpu_type which)
{
	const struct gpu_config *accelerator = &params->memory.gpu[which];

	/* A Gaudi has no number. */
	return accelerator->bus_id[0] || (which != GPU_HABANA && accelerator->index >= 0);
}

unsigned params_accelerators(const struct params *params)
{
	unsigned count = 0;

	for (int i = 0; i < GPU_TYPES; i++)
		count += params_accelerator_is_used(params, (enum gpu_type)i);
	return count;
}

enum gpu_type params_accelerator(const struct params *params)
{
	int i = 0;

	while (i < GPU_TYPES && !params_accelerator_is_used(params, (enum gpu_type)i))
		i++;
	return (enum gpu_type)i;
}
