// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See explainer.h. */
#include "explain/explainer.h"

#include "util/log.h"
#include "util/sysfs.h"

void explainer_begin(struct explainer *explainer)
{
	explainer->watch.proc = "/proc";
	explainer->watch.sys = sysfs_root();
	watch_begin(&explainer->watch);
}

void explainer_end(struct explainer *explainer, int fd, bool has_messages)
{
	struct facts *facts = &explainer->explanation.facts[0];
	const struct diagnosis doctor = facts->doctor;

	watch_end(&explainer->watch, facts);
	watch_connection(facts, fd, has_messages);
	facts->doctor = doctor;
}

void explainer_write(const struct explainer *explainer, char words[MESSAGE_FACTS_SIZE])
{
	facts_write(&explainer->explanation.facts[0], words);
}

void explainer_take(struct explainer *explainer, const char *words, const char *role)
{
	explainer->explanation.has_peer = !facts_read(&explainer->explanation.facts[1], words);
	if (!explainer->explanation.has_peer)
		log_warning("--explain: the facts of the %s are malformed", role);
}
