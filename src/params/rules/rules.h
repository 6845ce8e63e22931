/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * THE rules between options. params_resolve() checks them after every request has been turned into a value; the manual
 * pages list their sentences.
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "params/perftest_parameters.h"

#define RULES_MOST 256

struct rule {
	unsigned programs; /* with all the options that it is about */
	bool is_broken;	   /* by the parameters for which it was listed */
	const char
		*options; /* long names of those involved, with spaces between them; their values follow the sentence */
	const char *sentence; /* what is not possible, and why or what to do instead */
};

struct rules {
	struct rule rows[RULES_MOST];
	size_t count;
};

/* For the files of rules: the next one. mask: of programs; the condition is evaluated for all. */
static inline void rule_add(struct rules *rules, unsigned mask, bool is_broken, const char *options,
			    const char *sentence)
{
	assert(rules->count < RULES_MOST);
	rules->rows[rules->count++] = (struct rule){mask, is_broken, options, sentence};
}

/* By subject. */
void rules_ethernet(struct rules *rules, const struct params *params);
void rules_time(struct rules *rules, const struct params *params);
void rules_memory(struct rules *rules, const struct params *params);
void rules_crypto(struct rules *rules, const struct params *params);
void rules_queues(struct rules *rules, const struct params *params);
void rules_threads(struct rules *rules, const struct params *params);
void rules_rate(struct rules *rules, const struct params *params);
void rules_multicast(struct rules *rules, const struct params *params);
void rules_ports(struct rules *rules, const struct params *params);
void rules_host(struct rules *rules, const struct params *params);
void rules_clients(struct rules *rules, const struct params *params);
/* Combinations that are accepted, as in the classic suite, but in which an option, the one named, has no effect. */
void rules_idle(struct rules *rules, const struct params *params);

/* All that refuse, of all programs, in the order in which they are checked. */
void rules_list(struct rules *rules, const struct params *params);

/*
 * Is a rule broken? text: the first one's sentence with the values that break it: "... (--post_list 64, --tx-depth
 * 16)".
 */
bool rules_refuse(const struct params *params, char *text, size_t size);

/*
 * The n-th sentence of rules_idle() that holds for this command line, or of those that name this option as theirs
 * (NULL: any): if it was given, it has no effect. NULL: there are no more.
 */
const char *rules_idle_sentence(const struct params *params, const char *option, size_t n);
