/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parameters of cmtime, filled by the rows of options.c: inputs only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "params/engine/cli.h"
#include "params/engine/common.h"
#include "params/engine/opt.h"
#include "stats/series.h"

#define CMTIME_MAX_OPTIONS     48
#define CMTIME_MAX_PERCENTILES 16

struct cmtime_params {
	struct cli_asked asked;

	/* rendezvous */
	char controller[256]; /* name or address of the instance that synchronizes all */
	uint16_t port;	      /* its TCP port */
	uint32_t peers;	      /* number of instances, at least 2 */
	uint32_t timeout_s;   /* without a sign of life or progress an instance gives up */
	uint32_t join_timeout_s;
	bool keep_serving;

	/* addresses of connections */
	char bind_interface[16]; /* "": bind_address is given */
	char bind_address[256];	 /* or a name */
	bool listen;		 /* a server */

	/* what is run */
	uint32_t connections; /* from each client to each server */
	bool sockets;
	int64_t mimic_us;	   /* sleep instead of the calls on QPs; -1: real QPs */
	uint32_t base_qpn;	   /* of QPs that are not created */
	uint32_t threads;	   /* that make the calls of connections */
	uint32_t retries;	   /* of resolving an address or a route, and of stale connections */
	uint32_t timeout_ms;	   /* of one attempt */
	uint32_t window;	   /* connections in flight per client; 0: all at once, step by step */
	double rate;		   /* connections that each client starts per second; 0: as fast as possible */
	uint32_t duration_s;	   /* 0: until -c connections were made */
	struct series_plan repeat; /* of each test */

	/* what is printed */
	double percentiles[CMTIME_MAX_PERCENTILES]; /* columns of the text, ascending */
	unsigned num_percentiles;
	bool queueing;		  /* columns of the text */
	bool merged;		  /* the controller's text shows all instances, not itself */
	double report_interval_s; /* of a flow; 0: no rows for intervals */
	bool timestamps;
	bool cpu_util;
	bool explain;
	double limit_rate;	       /* connections per second; 0: none */
	bool limit_intervals;	       /* it also holds for each interval */
	bool limit_peers;	       /* the controller's limits hold for each client */
	char counters[512];	       /* -W, as struct report_config has it */
	struct latency_limits latency; /* of full connect */
	struct output_options output;

	bool given[CMTIME_MAX_OPTIONS]; /* on the command line, by row */
	bool idle[CMTIME_MAX_OPTIONS];
};

/* The table belongs to a single program, which has every row. */
#define CMTIME_PROGRAM 1U

extern const struct opt_table cmtime_options;

void cmtime_params_init(struct cmtime_params *params);
/* 0, or -EINVAL and a reason. Does not check the rules, which do not matter for --help. */
int cmtime_params_parse(struct cmtime_params *params, int argc, char **argv, char *reason, size_t reason_size);
/* The text of the first rule that is broken, or NULL. */
const char *cmtime_rules_check(const struct cmtime_params *params);
/* For the page: the text of the n-th rule, NULL after the last one. */
const char *cmtime_rule(const struct cli *cli, size_t n);
/* Each connection goes through all steps, instead of all connections through one step after the other. */
bool cmtime_is_flow(const struct cmtime_params *params);
