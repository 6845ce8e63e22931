// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See pmix.h. The declarations are those of the PMIx standard, version 3 and later (https://pmix.github.io): what is
 * read here has not changed since. No fence is needed, which would wait for all ranks: the server knows this from the
 * start.
 */
#include "front/matrix/pmix.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
