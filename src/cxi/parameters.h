/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What cxi_send_bw was asked to do: inputs only. The rows of options.c fill it; the environment fills what they left.
 */
#ifndef CXI_PARAMETERS_H
#define CXI_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cxi/ops.h"
#include "memory/gpu.h"
#include "params/common.h"
#include "params/opt.h"

#define CXI_MAX_OPTIONS	 40
#define CXI_DEFAULT_PORT "49194"
#define CXI_DEFAULT_SVC	 "1"
#define CXI_NO_GPU	 (-1)

enum huge_pages { HUGE_OFF, HUGE_2M, HUGE_1G };

struct cxi_params {
	bool show_help;
	bool show_version;

	/* this side's own */
	char device[64]; /* "cxi0"; with a provider "" where it was not given */
	uint32_t svc_id; /* 1.. */
	uint16_t vni;	 /* of SLINGSHOT_VNIS; 0: none was said */
	char provider[64];
	int tx_gpu, rx_gpu; /* index, or CXI_NO_GPU */
	int gpu_type;	    /* enum gpu_type */

	/* meeting */
	char host[256]; /* the server's; "": this is the server */
	uint16_t port;
	bool ipv6;
	uint32_t timeout_s; /* silence or standstill after which this side gives up */

	/* what is done; both sides' */
	uint64_t iters;
	uint32_t duration_s; /* of each size; 0: iters */
	char size[64];	     /* "MIN[:MAX]" as it was written */
	uint16_t list;
	bool bidirectional;
	bool no_idc;
	bool rdzv;
	uint64_t buf_size;
	uint64_t buf_align;
	int huge_pages; /* enum huge_pages */
	bool verify;

	/* what is printed */
	double report_interval_s; /* 0: no such rows */
	struct output_options output;

	bool given[CXI_MAX_OPTIONS]; /* on the command line, by row */
	bool idle[CXI_MAX_OPTIONS];
};

/* Every row is in the one program that this table is of. */
#define CXI_PROGRAM 1U

extern const struct opt_table cxi_options;

void cxi_params_init(struct cxi_params *params);
/* 0, or -EINVAL and a reason. Neither the rules are checked yet nor is the environment asked: --help needs neither. */
int cxi_params_parse(struct cxi_params *params, int argc, char **argv, char *reason, size_t reason_size);
/*
 * The device, the service and the VNI that the job's launcher assigned, where no option says which: SLINGSHOT_DEVICES
 * and SLINGSHOT_SVC_IDS have one entry for each device, separated by commas, and SLINGSHOT_VNIS the job's, of which the
 * first is taken. read_variable: getenv().
 * 0, or -EINVAL and a reason: an entry that is none.
 */
int cxi_params_environment(struct cxi_params *params, char *(*read_variable)(const char *name), char *reason,
			   size_t reason_size);
/* The first broken rule's sentence, or NULL. */
const char *cxi_rules_check(const struct cxi_params *params);
/* The n-th rule's sentence, NULL when there are no more. */
const char *cxi_rule(size_t n);
bool cxi_given(const struct cxi_params *params, const char *long_name);

/* --size as numbers, of a text that its row has taken. */
void cxi_sizes(const struct cxi_params *params, uint64_t *min, uint64_t *max);
/* What is wrong with a text for --size, or NULL. */
const char *cxi_check_size(const char *text);

/* --- what travels, as params/opt_exchange.h has it --- */

#define CXI_OPTIONS_SIZE 2048 /* all shared options as text, with the NUL */

const char *cxi_options_export(const struct cxi_params *params, char text[CXI_OPTIONS_SIZE]);
/*
 * The server takes the client's over. 0, or -EINVAL and a reason for both sides: text that can't be read, or a value
 * that contradicts one that the server was given.
 */
int cxi_options_adopt(struct cxi_params *params, const char *text, char *reason, size_t reason_size);

#endif
