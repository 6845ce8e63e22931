// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Have errors occurred on this port since its driver was loaded? Counters are never reset, so a nonzero one does not
 * say when they did. -W shows by how much they increase during a test.
 */
#include <stdio.h>
#include <string.h>

#include "doctor/checks.h"
#include "report/counter_class.h"

#define SHOWN 8

/* Counters of one class. */
struct counter_tally {
	unsigned known;	  /* that this device has */
	unsigned nonzero; /* of those */
	char list[768];
	char failure[640]; /* why one could not be read; "" if all were */
};

static void tally_count(struct counter_tally *tally, const char *name, uint64_t value)
{
	tally->known++;
	if (!value)
		return;
	if (tally->nonzero++ < SHOWN)
		text_add(tally->list, sizeof(tally->list), "%s%s %llu", tally->list[0] ? ", " : "", name,
			 (unsigned long long)value);
}

/* Of the port, and of the device. */
static void count_files(struct subject *subject, struct counter_tally *tally, enum counter_class class)
{
	static const char *const folders[] = {"counters", "hw_counters", "../../hw_counters"};
	int64_t value;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		for (const struct known_counter *counter = known_counters; counter->name; counter++) {
			if (counter->class != class ||
			    !tree_exists(&subject->tree, "%s/%s/%s", subject->folder, folders[i], counter->name))
				continue;
			if (tree_number(&subject->tree, &value, "%s/%s/%s", subject->folder, folders[i], counter->name))
				snprintf(tally->failure, sizeof(tally->failure), "%s", subject->tree.failure);
			else
				tally_count(tally, counter->name, (uint64_t)value);
		}
}

/* Counters of the interface: pause frames, and dropped packets. */
static void count_nic(const struct subject *subject, struct counter_tally *tally, enum counter_class class)
{
	const struct nic *nic = &subject->probe.nic;

	for (unsigned i = 0; i < nic->num_counters; i++) {
		const char *name = nic->counters[i].name;

		if ((class == CONGESTION && nic_counts_pause(name)) || (class == RECEIVER && nic_counts_drops(name)))
			tally_count(tally, name, nic->counters[i].value);
	}
}

static int counters_look(struct subject *subject, struct finding *finding, enum counter_class class, const char *advice)
{
	struct counter_tally tally = {0};

	count_files(subject, &tally, class);
	count_nic(subject, &tally, class);
	if (tally.nonzero) {
		if (tally.nonzero > SHOWN)
			text_add(tally.list, sizeof(tally.list), ", and %u more", tally.nonzero - SHOWN);
		finding_look(finding, NULL, "since the driver was loaded: %s", tally.list);
		return finding_advise(
			finding, "%s; is it still rising? look again after a test, or name counters to -W", advice);
	}
	if (tally.failure[0])
		return finding_unknown(finding, "%s", tally.failure);
	if (tally.known)
		return finding_ok(finding, "%u counter%s, all 0", tally.known, tally.known == 1 ? "" : "s");
	return finding_unknown(finding, "%s has no known counter of this kind", subject->device);
}

int check_congestion(struct subject *subject, struct finding *finding)
{
	return counters_look(
		subject, finding, CONGESTION,
		"senders were told to pause or to slow down: a receiver or link is slower than its sender, or is "
		"shared (ECN, CNP, pause frames)");
}

int check_retransmission(struct subject *subject, struct finding *finding)
{
	return counters_look(subject, finding, RETRANSMISSION,
			     "packets were lost or reordered and were retransmitted: check link errors, drops in the "
			     "switches, and that PFC or pause is configured alike along the path");
}

int check_receiver(struct subject *subject, struct finding *finding)
{
	return counters_look(
		subject, finding, RECEIVER,
		"messages arrived when no receive was posted, or the host processed packets too slowly: use a "
		"larger -r, and see CPU and NUMA below");
}

int check_link_errors(struct subject *subject, struct finding *finding)
{
	return counters_look(subject, finding, LINK_ERRORS,
			     "a bad cable, a dirty connector, or a port that was taken down");
}
