/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The load of an open loop, from --rate: a number of messages per second, or shares of the measured maximum. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "params/perftest_parameters.h"

#define LOAD_OFF "off"

struct load {
	double rate; /* messages per second; 0: in shares of a maximum that is measured first, in percent: */
	unsigned first;
	unsigned last;
	unsigned step; /* from one to the next, 1 or more */
};

/* 0, or -EINVAL: the text is no load. */
int load_parse(const char *text, struct load *load);
/* What is wrong with it; NULL: nothing. */
const char *check_open_rate(const char *text);

static inline bool load_is_shares(const struct load *load)
{
	return !(load->rate > 0);
}

/* Number of measurements, without that of the maximum. */
static inline unsigned load_steps(const struct load *load)
{
	return load_is_shares(load) ? (load->last - load->first) / load->step + 1 : 1;
}

/* Does --rate request an open loop? */
static inline bool params_is_open_loop(const struct params *params)
{
	return strcmp(params->rate.open_rate, LOAD_OFF) != 0;
}
