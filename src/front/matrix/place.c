// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See place.h. */
#include "front/matrix/place.h"

#include <dlfcn.h>
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

/* --- PMIx --- */

/*
 * The declarations are those of the PMIx standard, version 3 and later (https://pmix.github.io): what is read here has
 * not changed since. No fence is needed, which would wait for all ranks: the server knows this from the start.
 */
#define PMIX_SUCCESS	   0
#define PMIX_RANK_WILDCARD (UINT32_MAX - 1)

enum pmix_type { PMIX_BOOL = 1, PMIX_STRING = 3, PMIX_UINT32 = 14 };

struct pmix_proc {
	char job[256];
	uint32_t rank;
};

struct pmix_value {
	uint16_t type;
	union {
		bool flag;
		char *string;
		uint32_t uint32;
		void *largest[3];
	} data;
};

struct pmix_info {
	char key[512];
	uint32_t flags;
	struct pmix_value value;
};

struct pmix {
	int (*init)(struct pmix_proc *proc, struct pmix_info *infos, size_t num_infos);
	int (*get)(const struct pmix_proc *proc, const char *key, const struct pmix_info *infos, size_t num_infos,
		   struct pmix_value **value);
	int (*finalize)(const struct pmix_info *infos, size_t num_infos);
};

/* Of a rank, or of the job; NULL: it is not known. It is not freed: these bytes go with the process. */
static const struct pmix_value *value_get(const struct pmix *pmix, const struct pmix_proc *own, uint32_t rank,
					  const char *key, enum pmix_type type)
{
	/* Only what is here: else the library asks rank 0's host, and waits until that answers. */
	static const struct pmix_info is_here = {"pmix.optional", 0, {PMIX_BOOL, {.flag = true}}};
	struct pmix_proc proc = *own;
	struct pmix_value *found = NULL;

	proc.rank = rank;
	if (pmix->get(&proc, key, &is_here, 1, &found) != PMIX_SUCCESS || !found || found->type != type)
		return NULL;
	return found;
}

/* It stays open: it may have threads. */
static bool library_open(struct pmix *pmix)
{
	void *library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	*(void **)&pmix->init = dlsym(library, "PMIx_Init");
	*(void **)&pmix->get = dlsym(library, "PMIx_Get");
	*(void **)&pmix->finalize = dlsym(library, "PMIx_Finalize");
	return pmix->init && pmix->get && pmix->finalize;
}

void pmix_complete(struct launch_place *place)
{
	const struct pmix_value *value;
	struct pmix_proc own = {0};
	struct pmix pmix;

	/* Without these the library would look for some server by itself. */
	if (!getenv("PMIX_RANK") || !getenv("PMIX_NAMESPACE") || !library_open(&pmix) ||
	    pmix.init(&own, NULL, 0) != PMIX_SUCCESS)
		return;
	value = value_get(&pmix, &own, PMIX_RANK_WILDCARD, "pmix.job.size", PMIX_UINT32);
	if (value && place->count == PLACE_NONE)
		place->count = value->data.uint32;
	value = value_get(&pmix, &own, 0, "pmix.hname", PMIX_STRING);
	if (value && value->data.string && !place->controller[0])
		snprintf(place->controller, sizeof(place->controller), "%s", value->data.string);
	pmix.finalize(NULL, 0);
}
