/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inputs of a test: what the command line (and, on a server, the client) requested. Contains no results and no
 * objects. The life of a struct params:
 *
 *   params_init()    the program's defaults
 *   params_parse()   the command line, row by row of the option table
 *   params_export()  client: what the server must know, as text
 *   params_adopt()   server: takes over the client's text, reports contradictions
 *   params_resolve() checks the rules, fills in what was left to be chosen (CONFIG_AUTO)
 *
 * Text, names and ranges of every option are in options.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "memory/memory_config.h"
#include "params/engine/common.h"
#include "params/engine/limits.h"
#include "params/programs.h"
#include "report/report_config.h"
#include "stats/series.h"
#include "verbs/verbs_config.h"

#define PARAMS_MAX_OPTIONS 192

enum rate_units { RATE_UNITS_MEBIBYTES, RATE_UNITS_GIGABITS, RATE_UNITS_PACKETS }; /* M g p */
enum rate_limit_type { RATE_LIMIT_NONE, RATE_LIMIT_HW, RATE_LIMIT_SW, RATE_LIMIT_PP };

/*
 * What was requested, if the value that the test uses also depends on other options. Parsing and adopting write these
 * fields; params_resolve() derives the members of the groups below from them, the same way each time.
 */
struct params_asked {
	enum transport transport;
	uint32_t mtu;	      /* -m, bytes; 0: the port's active MTU */
	char flow_label[256]; /* --flow_label: "1,2,3"; "" 0 */
	uint32_t num_qps;     /* with -O per port */
	uint32_t duration_s;
	int margin_s;
	int tx_depth; /* CONFIG_AUTO in a latency test: depends on its kind */
	int rx_depth;
	int cq_mod;
	int cqe_poll;
	bool disable_dynamic_polling;
	enum rate_limit_type rate_limit_type;
	bool out_json;
};

/* Connection setup: the side channel. */
struct params_channel {
	uint16_t port;		 /* -p */
	char bind_source_ip[64]; /* --bind_source_ip; "" unset */
	bool ipv6_addr;		 /* --ipv6-addr: the side channel uses IPv6 */
	bool rdma_cm;		 /* -z: with rdma_cm instead of TCP */
	bool connectionless;	 /* --connectionless: there is no side channel, only messages */
	bool of_frames;		 /* --side_channel: there is one for raw Ethernet, too */
	bool dont_xchg_versions; /* --dont_xchg_versions: the peer is a classic one with the same option */
	uint32_t timeout_s;	 /* --timeout: maximum duration of any wait for the peer */
	uint32_t retry_s;	 /* --retry: a client tries for this long until a server listens */
	bool keep_serving;	 /* --keep_serving */
	uint32_t max_duration_s; /* --max_duration; 0: no limit */
};

/* Raw Ethernet: the role of this side, and the headers of its frames. */
struct params_ethernet {
	bool client, server;  /* -P, -Z */
	char source_mac[18];  /* -B, --local_mac: this side's; "" unset */
	char dest_mac[18];    /* -E, --remote_mac: the other side's; "" unset */
	char dest_ip[46];     /* -J: the server's; "" unset */
	char source_ip[46];   /* -j: the client's; "" unset */
	char local_ip[46];    /* --local_ip: this side's, instead of the two above; "" unset */
	char remote_ip[46];   /* --remote_ip; "" unset */
	uint16_t dest_port;   /* -K: the server's; 0 unset */
	uint16_t source_port; /* -k: the client's; 0 unset */
	uint16_t local_port;  /* --local_port: this side's, instead of the two above; 0 unset */
	uint16_t remote_port; /* --remote_port; 0 unset */
	bool tcp;	      /* --tcp */
	bool ipv6;	      /* --raw_ipv6 */
	uint8_t hop_limit;    /* -L */
	uint16_t ethertype;   /* --ethertype; 0: depends on the next header */
	bool vlan;	      /* --vlan_en */
	uint8_t vlan_pcp;     /* --vlan_pcp; 8: increases from frame to frame */
	bool mcast;	      /* --raw_mcast */
	uint16_t reply_every; /* --reply_every */
	bool mac_fwd;	      /* --mac_fwd: implies -b */
};

/* Traffic. */
struct params_test {
	char sizes[64];		    /* --sizes; "off" */
	uint64_t iters;		    /* -n, per queue pair */
	uint32_t duration_s;	    /* -D; 0: by iterations; with --run_infinitely the length of an interval */
	int margin_s;		    /* -f; resolved: duration / 4 unless given, 0 with --run_infinitely */
	bool run_infinitely;	    /* --run_infinitely */
	double interval_s;	    /* --report_interval; 0: no interval rows */
	bool no_peak;		    /* -N */
	bool reversed;		    /* --reversed: the server sends */
	char mgid[64];		    /* -M: its GID */
	bool data_validation_debug; /* --data_validation_debug */
};

/* Queues and completions. */
struct params_queues {
	uint32_t num_qps;	      /* -q; resolved: of both ports, in a latency test one per thread */
	bool use_srq;		      /* --use-srq: all queue pairs share one receive queue */
	uint32_t cqe_poll;	      /* --cqe_poll: completions per poll */
	bool disable_dynamic_polling; /* --disable_dynamic_polling, or --cqe_poll was given */
	bool no_reorder;	      /* --no_enhanced_reorder; has no effect */
};

/* Rate control, and what happens around the measurement. */
struct params_rate {
	double limit; /* --rate_limit, in units; 0: none */
	enum rate_units units;
	enum rate_limit_type limit_type;
	uint16_t typical_size;	 /* --typical_pkt_size, bytes; 0: not given */
	uint32_t burst_size;	 /* --burst_size, messages; 0: params_burst() chooses */
	uint32_t latency_gap_us; /* --latency_gap */
	char open_rate[32];	 /* --rate: "1000", or "10%..90%:20%"; "off": the loop is closed. See struct load. */
	bool poisson;		 /* --arrival */
	uint64_t seed;		 /* --arrival_seed */
	bool warm_up;		 /* --perform_warm_up */
	uint32_t wait_destroy_s; /* --wait_destroy */
};

/* On which CPUs this side runs. */
struct params_cpus {
	char pin_cores[256]; /* --pin_cores: "0,2-3"; "" unset */
	int numa_node;	     /* --numa_node; CONFIG_AUTO: the device's */
	bool disable_numa;   /* --disable_numa: leave placement to the kernel */
};

/* What a figure is compared with. */
struct params_limits {
	double bw;	  /* -w, in the printed unit; 0: none */
	double msgrate;	  /* -y, 10^6 messages per second; 0: none */
	unsigned bw_unit; /* an enum limit_unit, as the next */
	unsigned msgrate_unit;
	struct latency_limits latency;
	bool intervals; /* --limit_intervals: also for each interval */
	bool peers;	/* --limit_peers: for each peer, not for all together */
};

/* General. */
struct params_general {
	bool cpu_freq;	  /* -F; has no effect */
	bool doctor;	  /* --doctor */
	bool list_memory; /* --memory=list */
	bool explain;	  /* --explain */
	struct cli_asked asked;
};

/* One member per group of the help; the rows of each are in the file rows_<group>.h. */
struct params {
	const struct program *program;
	/* The server's name or address on a client, "" on a server; with several servers the operand: "a,b:18516". */
	char host[1024];

	struct params_general general;
	struct params_channel channel;
	struct verbs_config verbs;
	struct traffic_spec spec; /* the kind of test */
	struct params_ethernet ethernet;
	struct params_test test;
	struct params_queues queues;
	struct params_rate rate;
	struct series_plan repeat; /* of each message size */
	struct memory_config memory;
	struct params_cpus cpus;
	struct params_limits limits;
	struct report_config report;

	struct params_asked asked;

	bool has_adopted; /* on a server: its client's options */
	/* Which rows of the option table were given on the command line, by index of the row. */
	bool given[PARAMS_MAX_OPTIONS];
	/* Those given that have no effect in this program; see params_note_idle(). */
	bool idle[PARAMS_MAX_OPTIONS];
	/* Those given with a suffix that has no meaning; see there. */
	bool suffixed[PARAMS_MAX_OPTIONS];
};

/* Is a message size measured more than once, for a row with a confidence interval? */
static inline bool params_repeats(const struct params *params)
{
	return series_repeats(&params->repeat);
}

/* The longest wait for the peer. */
static inline int64_t params_timeout_ms(const struct params *params)
{
	return (int64_t)params->channel.timeout_s * 1000;
}

/* Is a figure compared with a limit? */
static inline bool params_has_limit(const struct params *params)
{
	const struct params_limits *limits = &params->limits;

	return limits->bw > 0 || limits->msgrate > 0 || latency_limits_are_given(&limits->latency);
}

/* Was it given, by its number or its address? */
bool params_accelerator_is_used(const struct params *params, enum gpu_type which);
/* The accelerator whose memory contains the buffers; GPU_TYPES: none. */
enum gpu_type params_accelerator(const struct params *params);
/* The number given. */
unsigned params_accelerators(const struct params *params);

/* Does this side measure with several others at once, for one row? With --clients, or several HOSTs. */
bool params_gathers(const struct params *params);
/* Their number. */
unsigned params_num_peers(const struct params *params);
/* For a client of several servers: makes the n-th the only one. */
void params_take_server(struct params *params, unsigned n);

/* Is there no side channel, so that each side uses its own options? */
static inline bool params_is_silent(const struct params *params)
{
	return (params->program->silent && !params->channel.of_frames) || params->channel.connectionless;
}

/* Which side is this? Without a side channel --reversed swaps the roles. */
static inline bool params_is_client(const struct params *params)
{
	if (params->program->silent && params_is_silent(params))
		return params->ethernet.client != params->test.reversed;
	return params->host[0] != '\0';
}

/* Raw Ethernet: the addresses and ports of both sides, whichever options gave them; "" and 0: none. */
const char *params_local_ip(const struct params *params);
const char *params_remote_ip(const struct params *params);
bool params_has_ip(const struct params *params); /* one of them, or both */
uint16_t params_local_port(const struct params *params);
uint16_t params_remote_port(const struct params *params);

/* Does time, or the user, end the run rather than a number of messages? */
static inline bool params_by_time(const struct params *params)
{
	return params->test.duration_s || params->test.run_infinitely;
}

/* Does the side channel use rdma_cm? Queue pairs that it connects need its addresses. */
static inline bool params_meet_by_rdma_cm(const struct params *params)
{
	return params->channel.rdma_cm || params->verbs.rdma_cm;
}

/* --- the load of an open loop, from --rate: messages per second, or shares of the measured maximum --- */
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

/* --- */

/* Defaults of the options alone: what follows from them is there once a command line was parsed. */
void params_init(struct params *params, const struct program *program);

/*
 * Parses argv. 0, or -EINVAL after one log_error() that names the option, what is wrong and what is allowed. -h and -V
 * only set their flags; the caller prints and exits with 0.
 */
int params_parse(struct params *params, int argc, char **argv);

/* params_parse() with its message in reason instead of on stderr. */
int params_parse_text(struct params *params, int argc, char **argv, char *reason, size_t reason_size);

/*
 * One log_info() for each option that was accepted without effect. Separate from parsing, because a program that
 * restarts itself with the software device parses twice.
 */
void params_note_idle(const struct params *params);

/* Was the option with this long name given on the command line? The name must be in the table. */
bool params_given(const struct params *params, const char *long_name);

/*
 * What the server must know of the client's requests: one "long-name=value\n" per option of this program that is not
 * local to one side, with a '?' before those at their default (exchange.c). Resolving does not change it. The caller
 * frees *text. 0 or -ENOMEM.
 */
int params_export(const struct params *params, char **text);

/*
 * Takes over what params_export() wrote on the client. If an option that both sides must share was given here with
 * another value, that is a contradiction: -EEXIST, and reason says "--size is 4096 on the client and 8192 on the
 * server". One that was given here but may differ keeps its value; one on which no figure of this side depends takes
 * the client's, with one log_info(). Text that is not an export of ours: -EBADMSG, with a reason. params is written
 * only on success.
 */
int params_adopt(struct params *params, const char *text, char *reason, size_t reason_size);

/*
 * Checks every rule between options (rules_*.c), then fills in what is CONFIG_AUTO or depends on other options (depths
 * lowered to the iterations, moderation, margin). 0, or -EINVAL and the sentence of the violated rule in reason. Called
 * after parsing, and again after adopting.
 */
int params_resolve(struct params *params, char *reason, size_t reason_size);

/* Derives all values that depend on others from params->asked; checks nothing. */
void resolve_values(struct params *params);
void resolve_report(struct params *params); /* its part for the report */

/*
 * Messages of this size per completion: one above 8 KiB, unless -Q or -l says otherwise; with a rate limit by the
 * program, the last message of a burst is always signalled. A sweep (-a) calls it for each of its sizes.
 */
uint32_t params_cq_mod(const struct params *params, uint64_t size);

/* Which side does what in the test that the parameters describe. */
struct traffic params_traffic(const struct params *params, enum side side);

/* --rate_limit by the program: messages of this size per second; 0: no limit, or the device's. */
double params_message_limit(const struct params *params, uint64_t size);
/*
 * Messages of this size in a burst of that limit, at least 1: --burst_size, or as many as the limit allows in a
 * millisecond, up to the TX depth.
 */
uint32_t params_burst(const struct params *params, uint64_t size);

/* In an open loop that polls memory: the maximum number of messages of its size in flight. */
uint32_t params_open_slots(const struct params *params);

/* Do messages consume receives? */
bool params_has_arrivals(const struct params *params);
