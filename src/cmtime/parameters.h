/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What cmtime was asked to do: inputs only. The rows of options.c fill it. */
#ifndef CMTIME_PARAMETERS_H
#define CMTIME_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "params/common.h"
#include "params/opt.h"

#define CMTIME_MAX_OPTIONS     32
#define CMTIME_MAX_PERCENTILES 16

struct cmtime_params {
	bool show_help;
	bool show_version;

	/* rendezvous */
	char controller[256]; /* name or address of the instance that keeps all in step */
	uint16_t port;	      /* its TCP port */
	uint32_t peers;	      /* instances in all, 2 or more */
	uint32_t timeout_s;   /* silence or standstill after which an instance gives up */
	uint32_t join_timeout_s;

	/* where connections begin and end */
	char bind_interface[16]; /* "": bind_address is given */
	char bind_address[256];	 /* or a name */
	bool listen;		 /* a server */

	/* what is done */
	uint32_t connections; /* of each client with each server */
	bool sockets;
	int64_t mimic_us;    /* a sleep in place of the calls on queue pairs; -1: real queue pairs */
	uint32_t base_qpn;   /* of queue pairs that do not exist */
	uint32_t threads;    /* that work on connections */
	uint32_t retries;    /* of resolving an address or a route, and of stale connections */
	uint32_t timeout_ms; /* of one attempt */
	uint32_t window;     /* connections of each client in flight; 0: all at once, step by step */
	double rate;	     /* connections that each client begins a second; 0: as they come */
	uint32_t duration_s; /* 0: until -c are made */

	/* what is printed */
	double percentiles[CMTIME_MAX_PERCENTILES]; /* columns of the text, ascending */
	unsigned num_percentiles;
	bool queueing; /* columns of the text */
	bool merged;   /* the controller's text is of all instances, not of itself */
	struct output_options output;

	bool given[CMTIME_MAX_OPTIONS]; /* on the command line, by row */
	bool idle[CMTIME_MAX_OPTIONS];
};

/* Every row is in the one program that this table is of. */
#define CMTIME_PROGRAM 1U

extern const struct opt_table cmtime_options;

void cmtime_params_init(struct cmtime_params *params);
/* 0, or -EINVAL and a reason. The rules are not checked yet: --help needs none of them. */
int cmtime_params_parse(struct cmtime_params *params, int argc, char **argv, char *reason, size_t reason_size);
/* The first broken rule's sentence, or NULL. */
const char *cmtime_rules_check(const struct cmtime_params *params);
/* The n-th rule's sentence, NULL when there are no more. */
const char *cmtime_rule(size_t n);
bool cmtime_given(const struct cmtime_params *params, const char *long_name);
/* Connections are pipelined through all steps, rather than all of them taken through one step after the other. */
bool cmtime_is_flow(const struct cmtime_params *params);

#endif
