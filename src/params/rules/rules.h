/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * THE rules between options, one row each. params_resolve() checks them after every request has been turned into a
 * value; the manual pages list their sentences.
 */
#ifndef PARAMS_RULES_H
#define PARAMS_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "params/perftest_parameters.h"

#define RULE_MAX_OPTIONS 3

struct rule {
	unsigned programs; /* with all the options that it is about */
	bool (*broken)(const struct params *params);
	const char *sentence; /* what is not possible, and why or what to do instead */
	/* long names of the options involved; their values follow the sentence */
	const char *options[RULE_MAX_OPTIONS];
};

/* The condition of a row, an expression of params. */
#define CONDITION(name, condition)                                                                                     \
	static bool name(const struct params *params)                                                                  \
	{                                                                                                              \
		return condition;                                                                                      \
	}

struct rule_set {
	const struct rule *rows;
	size_t count;
};

/* One file each, rules_ethernet.c and so on. */
extern const struct rule_set rules_ethernet;
extern const struct rule_set rules_time;
extern const struct rule_set rules_memory;
extern const struct rule_set rules_crypto;
extern const struct rule_set rules_queues;
extern const struct rule_set rules_threads;
extern const struct rule_set rules_rate;
extern const struct rule_set rules_multicast;
extern const struct rule_set rules_ports;
extern const struct rule_set rules_host;
extern const struct rule_set rules_clients;

/* The n-th of all; NULL after the last. */
const struct rule *rules_at(size_t n);

/* The first violated rule, or NULL. */
const struct rule *rules_check(const struct params *params);

/* The rule's sentence with the values that violate it: "... (--post_list 64, --tx-depth 16)". Returns buffer. */
const char *rule_text(const struct rule *rule, const struct params *params, char *buffer, size_t size);

/*
 * Combinations that are accepted, as in the classic suite, but in which an option has no effect. The n-th such sentence
 * about this command line, or NULL if there are no more.
 */
const char *rules_idle(const struct params *params, size_t n);

/* Has this option, if it was given, no effect for that reason? Known of those that rules_idle.c names as its options.
 */
bool rules_idle_option(const struct params *params, const char *long_name);

#endif
