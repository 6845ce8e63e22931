// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters of retransmission at the beginning of a test, and what became of them. See resent.h. */
#include "report/resent.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/trouble.h"
#include "util/units.h"

static bool read_value(const struct resent *resent, const char *name, uint64_t *value)
{
	char path[384], text[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", resent->folder, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return !units_parse_u64(text, 0, UINT64_MAX, value);
}

void resent_begin(struct resent *resent, const char *root, const char *device, unsigned port)
{
	*resent = (struct resent){0};
	snprintf(resent->device, sizeof(resent->device), "%s", device);
	snprintf(resent->folder, sizeof(resent->folder), "%s/class/infiniband/%s/ports/%u/hw_counters", root, device,
		 port);
	for (const struct trouble_counter *counter = trouble_counters; counter->name; counter++) {
		if (counter->trouble != RETRANSMISSION || resent->count == RESENT_COUNTERS)
			continue;
		resent->list[resent->count].name = counter->name;
		if (read_value(resent, counter->name, &resent->list[resent->count].before))
			resent->count++;
	}
}

const char *resent_text(const struct resent *resent, char *text, size_t size)
{
	size_t used = 0;
	uint64_t now;

	text[0] = '\0';
	for (unsigned i = 0; i < resent->count && used < size; i++) {
		const uint64_t before = resent->list[i].before;
		const char *name = resent->list[i].name;

		if (!read_value(resent, name, &now) || now <= before)
			continue;
		if (!used)
			used += (size_t)snprintf(text, size, "; %s counted meanwhile: %s %" PRIu64, resent->device,
						 name, now - before);
		else
			used += (size_t)snprintf(text + used, size - used, ", %s %" PRIu64, name, now - before);
	}
	if (used && used < size)
		snprintf(text + used, size - used, " (sent again; if late, not lost: raise -u)");
	return text;
}
