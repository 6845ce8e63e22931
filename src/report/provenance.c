// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See provenance.h. */
#include "report/provenance.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/envelope.h"
#include "util/device_identity.h"

#define MOST_OPENED 32 /* the parser takes stack for each */

static json_t *known_count(unsigned value)
{
	return value ? json_integer(value) : json_null();
}

json_t *provenance_device(const struct device_identity *device)
{
	return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o}}", "name",
			 envelope_known(device->name), "software", device->is_software, "numa_node",
			 device->numa_node < 0 ? json_null() : json_integer(device->numa_node),
			 "link_rate_gigabits_per_second", envelope_above_zero(device->link_gbits), "link_width_lanes",
			 known_count(device->link_lanes), "driver", envelope_known(device->driver), "firmware_version",
			 envelope_known(device->firmware), "provider_library", envelope_known(device->provider),
			 "pci_address", envelope_known(device->pci_address), "pcie_rate_gigatransfers_per_second",
			 envelope_above_zero(device->pcie_rate), "pcie_width_lanes", known_count(device->pcie_lanes),
			 "memory", "kind", envelope_known(device->memory));
}

static json_t *provenance(json_t *device)
{
	return json_pack("{s:o, s:o, s:o}", "build", envelope_build(), "system", envelope_host(), "device", device);
}

void provenance_write(const struct device_identity *device, char *text, size_t size)
{
	json_t *own = provenance(device->name[0] ? provenance_device(device) : json_null());
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
	const struct device_identity none = {.numa_node = -1};
	json_t *theirs = text && is_flat(text) ? json_loads(text, 0 /* no flags */, NULL) : NULL;
	json_t *model = provenance(provenance_device(&none)), *found = resembling(model, theirs);

	if (json_is_null(json_object_get(theirs, "device")))
		json_object_set_new(found, "device", json_null());
	json_decref(model);
	json_decref(theirs);
	return found;
}

json_t *provenance_peer(const char *text, const char *address, const char *host, const char *version)
{
	json_t *peer = provenance_read(text);
	const char *name = json_string_value(json_object_get(json_object_get(peer, "system"), "name"));

	json_object_set_new(peer, "address", envelope_known(address));
	json_object_set_new(peer, "host", envelope_known(host ? host : name));
	json_object_set_new(peer, "version", envelope_known(version));
	return peer;
}
