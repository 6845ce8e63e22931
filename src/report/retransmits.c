// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Retransmission counters at the start of a test, and their increase. See retransmits.h. */
#include "report/retransmits.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/counter_class.h"

void retransmits_begin(struct retransmits *retransmits, const char *root, const char *device, unsigned port)
{
	*retransmits = (struct retransmits){.port = port};
	snprintf(retransmits->root, sizeof(retransmits->root), "%s", root);
	snprintf(retransmits->device, sizeof(retransmits->device), "%s", device);
	for (const struct known_counter *counter = known_counters; counter->name; counter++) {
		if (counter->class != RETRANSMISSION || retransmits->count == RETRANSMITS_COUNTERS)
			continue;
		retransmits->list[retransmits->count].name = counter->name;
		retransmits->count += known_counter_read(root, device, port, counter->name,
							 &retransmits->list[retransmits->count].before);
	}
}

const char *retransmits_text(const struct retransmits *retransmits, char *text, size_t size)
{
	size_t used = 0;
	uint64_t now;

	text[0] = '\0';
	for (unsigned i = 0; i < retransmits->count && used < size; i++) {
		const uint64_t before = retransmits->list[i].before;
		const char *name = retransmits->list[i].name;

		if (!known_counter_read(retransmits->root, retransmits->device, retransmits->port, name, &now) ||
		    now <= before)
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
