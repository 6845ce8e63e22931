// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Retransmission counters at the start of a test, and their increase. See retransmits.h. */
#include "report/retransmits.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/counter_class.h"
#include "util/sysfs.h"

static bool retransmits_read_value(const struct retransmits *retransmits, const char *name, uint64_t *value)
{
	char path[384];

	snprintf(path, sizeof(path), "%s/%s", retransmits->folder, name);
	return !sysfs_number(path, value);
}

static void find_counters(struct retransmits *retransmits)
{
	for (const struct known_counter *counter = known_counters; counter->name; counter++) {
		if (counter->class != RETRANSMISSION || retransmits->count == RETRANSMITS_COUNTERS)
			continue;
		retransmits->list[retransmits->count].name = counter->name;
		if (retransmits_read_value(retransmits, counter->name, &retransmits->list[retransmits->count].before))
			retransmits->count++;
	}
}

void retransmits_begin(struct retransmits *retransmits, const char *root, const char *device, unsigned port)
{
	*retransmits = (struct retransmits){0};
	snprintf(retransmits->device, sizeof(retransmits->device), "%s", device);
	snprintf(retransmits->folder, sizeof(retransmits->folder), "%s/class/infiniband/%s/ports/%u/hw_counters", root,
		 device, port);
	find_counters(retransmits);
	if (retransmits->count)
		return;
	/* cxgb4 has one TCP for all its ports. */
	snprintf(retransmits->folder, sizeof(retransmits->folder), "%s/class/infiniband/%s/hw_counters", root, device);
	find_counters(retransmits);
}

const char *retransmits_text(const struct retransmits *retransmits, char *text, size_t size)
{
	size_t used = 0;
	uint64_t now;

	text[0] = '\0';
	for (unsigned i = 0; i < retransmits->count && used < size; i++) {
		const uint64_t before = retransmits->list[i].before;
		const char *name = retransmits->list[i].name;

		if (!retransmits_read_value(retransmits, name, &now) || now <= before)
			continue;
		if (!used)
			used += (size_t)snprintf(text, size,
						 "; retransmission counters of %s during the run: %s +%" PRIu64,
						 retransmits->device, name, now - before);
		else
			used += (size_t)snprintf(text + used, size - used, ", %s +%" PRIu64, name, now - before);
	}
	if (used && used < size)
		snprintf(text + used, size - used, " (if ACKs are late, not lost, raise -u)");
	return text;
}
