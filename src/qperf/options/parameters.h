/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parameters of a qperf client or server: inputs only. The options fill them from left to right; a test runs with
 * what has been set so far.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "params/engine/limits.h"
#include "stats/series.h"
#include "util/output.h"

/*
 * The parameters of a test, in the order in which -vu shows them. Each side has its own values. Names and meaning up to
 * use_cm are those of qperf 0.4.11, whose requests contain them.
 */
enum parameter {
	PARAM_ACCESS_RECV,
	PARAM_AFFINITY, /* CPU + 1; 0: any */
	PARAM_ALT_PORT,
	PARAM_FLIP,
	PARAM_ID,	/* text */
	PARAM_MSG_SIZE, /* bytes */
	PARAM_MTU_SIZE, /* bytes */
	PARAM_NO_MSGS,	/* 0: limited by time */
	PARAM_POLL_MODE,
	PARAM_PORT,	 /* of the data connection; 0: any */
	PARAM_RD_ATOMIC, /* 0: the device's limit */
	PARAM_SERVICE_LEVEL,
	PARAM_SOCK_BUF_SIZE, /* bytes; 0: the system's */
	PARAM_SRC_PATH_BITS,
	PARAM_STATIC_RATE, /* text */
	PARAM_TIME,	   /* ns; 0: until the user stops it */
	PARAM_TIMEOUT,	   /* ns, for each exchange on the control connection */
	PARAM_USE_CM,
	/* not in qperf 0.4.11 from here on */
	PARAM_CONGESTION, /* text */
	PARAM_RECEIVE,	  /* enum receive_mode */
	PARAM_SEND,	  /* enum send_mode */
	PARAM_SPIN,
	NUM_PARAMETERS,
};

#define NS_PER_S 1000000000ULL

#define NUM_CLASSIC_PARAMETERS PARAM_CONGESTION
#define PARAM_BIT(parameter)   (1U << (parameter))
#define PARAM_TEXT_SIZE	       64 /* including the NUL, as in the request of 0.4.11 */

enum send_mode { SEND_PLAIN, SEND_BATCH, SEND_SEGMENT, SEND_ZEROCOPY, SEND_FILE, NUM_SEND_MODES };
enum receive_mode { RECEIVE_PLAIN, RECEIVE_BATCH, RECEIVE_COALESCE, RECEIVE_TRUNC, NUM_RECEIVE_MODES };

/* One side's values. */
struct qperf_side {
	uint64_t number[NUM_PARAMETERS]; /* of numeric parameters */
	char id[PARAM_TEXT_SIZE];	 /* "mlx5_0:1" */
	char static_rate[PARAM_TEXT_SIZE];
	char congestion[PARAM_TEXT_SIZE]; /* a TCP algorithm; "": the system's */
};

/* The member for a text parameter; NULL: it is a number. */
static inline char *side_text(struct qperf_side *side, enum parameter parameter)
{
	switch (parameter) {
	case PARAM_ID:
		return side->id;
	case PARAM_STATIC_RATE:
		return side->static_rate;
	case PARAM_CONGESTION:
		return side->congestion;
	default:
		return NULL;
	}
}

/* The classes of rows that -v... turns on, with a level: 0, 1 (-v.), 2 (-vv.). */
enum verbose_class { VERBOSE_CONF, VERBOSE_STAT, VERBOSE_TIME, VERBOSE_USED, NUM_VERBOSE };

/* The format of the results. */
struct style {
	uint64_t precision; /* significant digits */
	bool unify_nodes;   /* loc_ and rem_ instead of send_ and recv_ */
	bool unify_units;   /* no scaling */
	bool bits;	    /* bandwidth in bits */
	uint8_t verbose[NUM_VERBOSE];
	bool details;  /* rows that 0.4.11 does not have */
	bool cpu_util; /* --cpu_util */
};

struct qperf_params {
	struct qperf_side local;
	struct qperf_side remote;
	uint32_t given_local; /* PARAM_BITs that were set by the user */
	uint32_t given_remote;
	const char *spelling[NUM_PARAMETERS]; /* the last spelling used; points into argv */

	uint64_t listen_port;
	bool port_given; /* with --listen_port */
	bool debug;

	/* client */
	char host[256]; /* "": not given yet; as given, with its port: see command_split_host() */
	uint64_t wait_server_ns;
	struct style style;
	struct output_options output;
	bool timestamps;
	bool possible;		   /* --report_possible */
	char counters[512];	   /* --report_counters, as struct report_config has it */
	uint64_t interval_ns;	   /* of interval rows; 0: none */
	struct series_plan repeat; /* of each test; as given: qperf_plan() completes it */
	struct {
		double bw;	  /* per second, in the unit of style.bits; 0, as of all: none */
		double msgrate;	  /* per second */
		unsigned bw_unit; /* an enum limit_unit, as the next: with one the limit is a percentage */
		unsigned msgrate_unit;
		struct latency_limits latency;
		bool intervals; /* bw and msgrate hold for those, too */
	} limits;
	/* of a server for a client's test, 0: no limit; of a client, with a goal, until the last run starts */
	uint64_t max_time_ns;
	bool explain;
	bool show_version;

	/* server */
	uint64_t max_clients;
	char bind_address[256]; /* "": all */
	char allow[256];	/* networks, comma separated; "": all */
	bool no_quit;
	bool daemon;
};

void qperf_params_init(struct qperf_params *params);
