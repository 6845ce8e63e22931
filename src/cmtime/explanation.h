/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --explain: what this instance, and of two the other one, saw while the tests ran, and what that says about their
 * figures; among more the controller gathers what all saw. Called by cmtime.c.
 */
#pragma once

#include "cmtime/engine.h"
#include "explain/explainer.h"

struct device_identity;
struct results;

/* Before the warm-up, after which explainer_begin() is due. device: this instance's; a name of "": it has none. */
void cmtime_watch_prepare(struct explainer *explainer, const struct engine *engine,
			  const struct device_identity *device);
/* After the tests, with their figures: sends what was seen to the other one of two, or the controller. */
void cmtime_watch_end(struct explainer *explainer, struct engine *engine, struct conn_stats *const *stats,
		      unsigned num_tests);
/* Once all instances have reached the last point. 0 or -ENOMEM, reported. */
int cmtime_explain(struct explainer *explainer, struct engine *engine, bool is_controller, struct results *results);
