/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The banner and the rows of cxi_send_bw, in the format of the manual page, as CSV, and as a JSON document like the
 * other programs'. Called by cxi.c. A row is computed from counts, as the manual page defines it: bandwidth is the
 * bytes sent, divided by the time of the sending side; the packet rate counts packets of CXI_MTU bytes; with both
 * directions the rates of both sides are added.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cxi/control/wire.h"
#include "cxi/parameters.h"
#include "report/judge.h"
#include "report/payload_share.h"
#include "report/results.h"
#include "util/run_id.h"

#define CXI_RULE "---------------------------------------------------"

#define CXI_PEER_SIZE 128

struct cxi_figures;

/* One of several peers that were measured at once. */
struct cxi_peer {
	const char *address;	       /* "10.0.0.1:43210"; of a server as the user wrote it */
	const struct cxi_figures *row; /* its own; NULL: it was lost */
	double begin_s;		       /* start of its measured time, since the first of all */
};

/* For a row of all of them. */
struct cxi_peers {
	unsigned count;	    /* in the row */
	double least, most; /* of their bandwidths */
	double fairness;    /* as fairness_of() */
	double overlap_percent;
	double error_s;		     /* each start may be so much later */
	const struct cxi_peer *list; /* including those lost */
	unsigned num_listed;
};

/* The results for one size, in SI units. */
struct cxi_figures {
	bool is_interval;
	bool partial;		       /* the run was interrupted */
	uint64_t size;		       /* bytes of a send */
	bool has_sends;		       /* this side sends; the server shows none in a unidirectional test */
	uint64_t sends;		       /* by this side */
	double begin_s;		       /* of an interval, since the start of the size */
	double seconds;		       /* duration of this side's results */
	double bandwidth;	       /* bytes per second, sum of both sides */
	double sends_rate;	       /* per second, sum of both sides, also on one NIC */
	double packets;		       /* per second, likewise; NaN: the transport has no such packets */
	bool has_verify;	       /* never of an interval */
	uint64_t checked, wrong;       /* sends that were checked, and those with errors, on both sides */
	uint64_t over_cycles;	       /* its end; 0: now */
	double cpu_percent;	       /* --cpu_util; NaN: unknown, or not asked for */
	const char *time;	       /* --timestamps; set by report.c */
	const struct cxi_peers *peers; /* of a row of all of them */
	const char *peer;	       /* of a row of one of several */
	struct series_result repeats;  /* whose mean the rates are; sums are of those left out, too */
};

/* Number of packets for a send. */
uint64_t cxi_packets(uint64_t size);

struct cxi_account {
	uint64_t size;
	uint32_t list;	  /* sends of a list */
	bool has_packets; /* of CXI_MTU bytes */
	bool doubled;	  /* both sides send, on the same NIC */
};

/* own, peer: all zero for a side that sends nothing. */
void cxi_figures_make(const struct cxi_account *account, const struct cxi_sent *own, const struct cxi_sent *peer,
		      struct cxi_figures *figures);
/* What this side alone has seen: that many lists, in either direction, within that time. */
void cxi_figures_seen(const struct cxi_account *account, uint64_t lists, double seconds, struct cxi_figures *figures);

/* The rates that belong to a bandwidth of both sides together. */
void cxi_figures_rate(const struct cxi_account *account, double bandwidth, struct cxi_figures *figures);

struct cxi_report {
	const struct cxi_params *params;
	struct results results;
	struct table table;
	bool has_table;			  /* the heading was printed */
	struct judge_intervals intervals; /* --limit_intervals */
	struct payload_path path;
	bool doubled; /* as in struct cxi_account */
	struct payload_best best;
};

/* For the banner and the document: known when both sides are connected. */
struct cxi_facts {
	const struct cxi_link *link;
	uint64_t buffer_length; /* in use */
	bool pages_are_huge;	/* system memory of this side */
	bool has_idc;		/* immediate data commands or injection is used for small sizes */
	const struct device_identity *adapter;
	const struct payload_path *path;
	const struct cxi_introduction *own, *peer;
	bool has_peer;			      /* that introduced itself */
	const char *peer_address;	      /* "10.0.0.1:49194" */
	struct run_id run_id;		      /* none: HPE's program is the peer */
	const struct cxi_facts *const *pairs; /* of several, measured at once: these are the first one's; NULL: one */
	unsigned num_pairs;
};

/* out: for text, CSV or JSON; stdout, except in tests. 0 or -errno, reported. */
int cxi_report_open(struct cxi_report *report, const struct cxi_params *params, FILE *out);
/*
 * Prints the banner, and the heading of the rows. 0 or -errno, reported: stdout could not be written, or a limit is a
 * share of what is possible, and that is unknown. A row: 0, or -errno if stdout could not be written.
 */
int cxi_report_begin(struct cxi_report *report, const struct cxi_facts *facts);
/* Also reports which limits the row misses. */
int cxi_report_row(struct cxi_report *report, const struct cxi_figures *figures);
/* After the last row: reports how many intervals missed a limit; of a complete test also that there was none. */
void cxi_report_sum_up(struct cxi_report *report, bool complete);
/* Prints the last line, or completes the document, and frees all. 0, or -errno if something could not be written. */
int cxi_report_close(struct cxi_report *report, const char *status, const char *reason);
