/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parameters of cxi_send_bw, filled by the rows of options.c and then by the environment: inputs only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cxi/ops.h"
#include "memory/gpu.h"
#include "params/engine/cli.h"
#include "params/engine/common.h"
#include "params/engine/limits.h"
#include "params/engine/opt.h"
#include "stats/series.h"
#include "traffic/traffic.h"

#define CXI_MAX_OPTIONS	 48
#define CXI_DEFAULT_PORT "49194"
#define CXI_DEFAULT_SVC	 "1"
#define CXI_NO_GPU	 (-1)

enum huge_pages { HUGE_OFF, HUGE_2M, HUGE_1G };

struct cxi_params {
	struct cli_asked asked;

	/* this side only */
	struct cxi_place place;
	int tx_gpu, rx_gpu; /* index, or CXI_NO_GPU */
	int gpu_type;	    /* enum gpu_type */

	/* side channel */
	char host[1024];      /* the server's; several: as given; "": this is the server */
	unsigned num_hosts;   /* of a pair that is one of several, too; 0: this is the server */
	uint32_t num_clients; /* --clients; 0: one, which starts when it is ready */
	uint16_t port;
	bool ipv6;
	bool keep_serving;
	uint32_t max_duration_s; /* of a client's test; 0: not limited, unless the server stays */
	uint32_t timeout_s;	 /* without a sign of life or progress this side gives up */

	/* what is run; both sides */
	uint64_t iters;
	uint32_t duration_s; /* for each size; 0: use iters */
	char size[64];	     /* "MIN[:MAX[:STEP]]" as given */
	uint16_t list;
	bool bidirectional;
	bool no_idc;
	bool rdzv;
	uint64_t buf_size;
	uint64_t buf_align;
	int huge_pages; /* enum huge_pages */
	bool verify;
	struct series_plan repeat; /* of each size */

	/* what is printed */
	double report_interval_s; /* 0: no interval rows */
	bool possible;
	double limit_bw;      /* MB/s, or a percentage; 0: none */
	double limit_msgrate; /* 10^6 sends per second, or a percentage; 0: none */
	unsigned bw_unit;     /* an enum limit_unit, as the next */
	unsigned msgrate_unit;
	bool limit_intervals;
	bool limit_peers;
	bool timestamps;
	bool cpu_util;
	char counters[512]; /* -W, as struct report_config has it */
	bool explain;	    /* both sides */
	struct output_options output;

	bool given[CXI_MAX_OPTIONS]; /* on the command line, by row */
	bool idle[CXI_MAX_OPTIONS];
};

/* The table belongs to a single program, which has every row. */
#define CXI_PROGRAM 1U

extern const struct opt_table cxi_options;

void cxi_params_init(struct cxi_params *params);
/* 0, or -EINVAL and a reason. Neither checks the rules nor reads the environment, which --help does not need. */
int cxi_params_parse(struct cxi_params *params, int argc, char **argv, char *reason, size_t reason_size);
/*
 * The device, the service and the VNI that the job's launcher assigned, unless options set them: SLINGSHOT_DEVICES and
 * SLINGSHOT_SVC_IDS have one comma-separated entry for each device, and SLINGSHOT_VNIS those of the job, of which the
 * first is used. read_variable: getenv(). 0, or -EINVAL and a reason: an entry is invalid.
 */
int cxi_params_environment(struct cxi_params *params, char *(*read_variable)(const char *name), char *reason,
			   size_t reason_size);
/* The text of the first rule that is broken, or NULL. */
const char *cxi_rules_check(const struct cxi_params *params);
/* For the page: the text of the n-th rule, NULL after the last one. */
const char *cxi_rule(const struct cli *cli, size_t n);

/* Does this side start several pairs together? */
bool cxi_gathers(const struct cxi_params *params);
/* The parameters of the n-th pair of a client of several servers. */
void cxi_params_take_server(struct cxi_params *params, unsigned n);

/* --size as numbers, of which the last is a size, too; its row has checked the text. */
struct sweep cxi_sizes(const struct cxi_params *params);
/* Of a server, as allowance_s(). */
uint32_t cxi_allowed_s(const struct cxi_params *params);
/* Are they powers of two, one after the other? */
bool cxi_sizes_double(const struct sweep *sizes);
/* The error in a text for --size, or NULL. */
const char *cxi_check_size(const char *text);

/* --- exchange, in the format of params/engine/opt_exchange.h --- */

#define CXI_OPTIONS_SIZE 2048 /* all shared options as text, including the NUL */

const char *cxi_options_export(const struct cxi_params *params, char text[CXI_OPTIONS_SIZE]);
/*
 * The server adopts the client's. 0, or -EINVAL and a reason for both sides: invalid text, or a value that contradicts
 * one that the server was given.
 */
int cxi_options_adopt(struct cxi_params *params, const char *text, char *reason, size_t reason_size);
