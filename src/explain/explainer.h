/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --explain, in the order of a run: called by session, qperf, cxi_send_bw and cmtime. */
#pragma once

#include "explain/explain.h"
#include "explain/watch.h"

struct explainer {
	struct watch watch;		/* the caller sets what is watched, but for proc and sys, */
	struct explanation explanation; /* ... the test, by its end, and what the doctor says of this side, before */
};

/* Before the first message is timed. */
void explainer_begin(struct explainer *explainer);
/* After the last one. fd: as in watch_connection(). */
void explainer_end(struct explainer *explainer, int fd, bool has_messages);
/* What this side has seen, for the peer. */
void explainer_write(const struct explainer *explainer, char words[MESSAGE_FACTS_SIZE]);
/* The peer's words, as they came; malformed: warns. role: "server" */
void explainer_take(struct explainer *explainer, const char *words, const char *role);
