// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See place.h. */
#include "front/matrix/place.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/matrix/hostlist.h"

/*
 * In this order: mpirun within an allocation of Slurm starts its daemons with srun, so that SLURM_PROCID is that of the
 * daemon. PMIX_RANK is also set by srun, which says more.
 */
static const struct launcher {
	const char *name;
	const char *rank, *count; /* variables; NULL: there is none */
	const char *hosts;	  /* a list that begins with the host of rank 0, or NULL */
	const char *job;
} launchers[] = {
	{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, "PMIX_NAMESPACE"},
	{"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_NODELIST", "SLURM_JOB_ID"},
	{"PMI", "PMI_RANK", "PMI_SIZE", NULL, "PMI_JOBID"},
	{"PMIx", "PMIX_RANK", NULL, NULL, "PMIX_NAMESPACE"},
	{"Kubernetes", "JOB_COMPLETION_INDEX", NULL, NULL, NULL},
};

#define MOST_INSTANCES 1000000

static uint32_t number_of(const char *text)
{
	unsigned long value;
	char *end;

	if (!text || text[0] < '0' || text[0] > '9')
		return PLACE_NONE;
	errno = 0;
	value = strtoul(text, &end, 10);
	return *end || errno || value > MOST_INSTANCES ? PLACE_NONE : (uint32_t)value;
}

static bool host_take(void *host, const char *name)
{
	snprintf(host, PLACE_HOST_SIZE, "%s", name);
	return false;
}

void place_first_host(const char *list, char host[PLACE_HOST_SIZE])
{
	host[0] = '\0';
	hostlist_each(list, host_take, host);
}

void place_find(struct launch_place *place, char *(*get)(const char *name))
{
	*place = (struct launch_place){.rank = PLACE_NONE, .count = PLACE_NONE};
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		const struct launcher *row = &launchers[i];
		const uint32_t rank = number_of(get(row->rank));
		const char *hosts = row->hosts ? get(row->hosts) : NULL, *job = row->job ? get(row->job) : NULL;

		if (rank == PLACE_NONE)
			continue;
		place->launcher = row->name;
		place->rank = rank;
		place->count = row->count ? number_of(get(row->count)) : PLACE_NONE;
		if (hosts)
			place_first_host(hosts, place->controller);
		snprintf(place->job, sizeof(place->job), "%s", job ? job : "");
		return;
	}
}
