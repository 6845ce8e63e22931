// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See provenance.h. */
#include "report/provenance.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/envelope.h"
#include "report/row.h"

#define MOST_OPENED 32 /* the parser takes stack for each */

static json_t *known_count(unsigned value)
{
	return value ? json_integer(value) : json_null();
}

json_t *provenance_adapter(const struct report_info *run_info)
{
	return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o}}", "name",
			 envelope_text(run_info->device), "software", run_info->software_measures != NULL, "numa_node",
			 run_info->numa_node < 0 ? json_null() : json_integer(run_info->numa_node),
			 "link_rate_gigabits_per_second", envelope_above_zero(run_info->link_gbits), "link_width_lanes",
			 known_count(run_info->link_lanes), "driver", envelope_known(run_info->driver),
			 "firmware_version", envelope_known(run_info->firmware), "provider_library",
			 envelope_known(run_info->provider), "pci_address", envelope_known(run_info->pci_address),
			 "pcie_rate_gigatransfers_per_second", envelope_above_zero(run_info->pcie_rate),
			 "pcie_width_lanes", known_count(run_info->pcie_lanes), "memory", "kind",
			 envelope_known(run_info->memory));
}

static json_t *provenance(const struct report_info *run_info)
{
	return json_pack("{s:o, s:o, s:o}", "build", envelope_build(), "system", envelope_host(), "device",
			 provenance_adapter(run_info));
}

void provenance_write(const struct report_info *run_info, char *text, size_t size)
{
	json_t *own = provenance(run_info);
	char *dump = own ? json_dumps(own, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	text[0] = '\0';
	if (dump && strlen(dump) < size)
		strcpy(text, dump);
	free(dump);
	json_decref(own);
}

/* Is it nested no deeper than what this suite sends, which has no brackets and few braces? */
static bool is_flat(const char *text)
{
	unsigned opened = 0;

	for (; *text; text++)
		opened += *text == '{' || *text == '[';
	return opened <= MOST_OPENED;
}

/* model: what this side would have sent. theirs NULL: nothing. */
static json_t *resembling(const json_t *model, json_t *theirs)
{
	const char *key;
	json_t *value, *found;

	if (!json_is_object(model))
		return theirs && !json_is_object(theirs) && !json_is_array(theirs) ? json_incref(theirs) : json_null();
	found = json_object();
	json_object_foreach((json_t *)model, key, value)
		json_object_set_new(found, key, resembling(value, json_object_get(theirs, key)));
	return found;
}

json_t *provenance_read(const char *text)
{
	const struct report_info none = {.numa_node = -1};
	json_t *theirs = text && is_flat(text) ? json_loads(text, 0 /* no flags */, NULL) : NULL;
	json_t *model = provenance(&none), *found = resembling(model, theirs);

	json_decref(model);
	json_decref(theirs);
	return found;
}

json_t *provenance_peer(const char *text, const char *address, const char *host, const char *version)
{
	json_t *peer = provenance_read(text);

	json_object_set_new(peer, "address", envelope_known(address));
	json_object_set_new(peer, "host", envelope_known(host));
	json_object_set_new(peer, "version", envelope_known(version));
	return peer;
}
