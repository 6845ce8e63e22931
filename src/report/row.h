/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a test hands to the report: its run_info, its rows and its verdict, in SI units. */
#ifndef REPORT_ROW_H
#define REPORT_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "stats/latency.h"

/* The header's run_info; texts are copied. */
struct report_info {
	const char *device;	    /* "mlx5_0" */
	bool is_software;	    /* says so, and that the figures are this host's memory system */
	const char *transport_type; /* "IB", "IW", "Unknown" */
	const char *link_type;	    /* "Ethernet", "IB", "Unknown" */
	uint32_t mtu;		    /* bytes */
	int gid_index;		    /* -1 none */
	const char *gid;	    /* "::ffff:10.0.0.1"; NULL none */
	const char *gid_type;	    /* "RoCE v2"; NULL none */
	uint32_t inline_size;
	uint32_t outs;
	bool wr_api;
	const char *pcie_relaxed;  /* "ON", "OFF", "Unsupported", "Unknown" */
	double link_gbits;	   /* Gb/s; 0 unknown */
	unsigned link_lanes;	   /* 0 unknown */
	const char *driver;	   /* "mlx5_core"; NULL or "" unknown, as the following */
	const char *firmware;	   /* its version */
	const char *pci_address;   /* "0000:3b:00.0" */
	double pcie_rate;	   /* GT/s of a lane; 0 unknown */
	unsigned pcie_lanes;	   /* 0 unknown */
	const char *data_exchange; /* "Ethernet" */
	int numa_node;		   /* -1 unknown */
	bool clock_fallback;	   /* there is no cycle counter that can be trusted, or none was wanted */
	bool sends;		   /* TX depth is shown: on the side that posts first, with -b on both */
	bool receives;		   /* RX depth is shown: on the other one, with -b on both */
	bool lacks_peak;	   /* the figures are this side's own, and it only receives */
	uint64_t samples;	   /* of each latency row; 0 not known before, or there is none */
	const char *peer;	   /* "10.0.0.1:18515" or NULL */
	const char *peer_host;	   /* its host name, or NULL */
	const char *peer_version;
};

#define REPORT_NOT_KNOWN UINT64_MAX

/* Whose part of a bidirectional result. */
enum report_side { REPORT_OWN, REPORT_PEER };

/* One row. A test fills the part of its metric. */
struct report_row {
	uint64_t size;		 /* bytes */
	uint64_t iterations;	 /* as the column says: messages of all queue pairs */
	double seconds;		 /* what the averages were taken over */
	bool partial;		 /* cut short; marked in every format */
	bool is_interval;	 /* of --report_interval or --run_infinitely */
	double interval_begin_s; /* since the start of the run; intervals only */
	uint64_t end_cycles;	 /* when it ended; 0: now */
	struct timespec over;	 /* the same by CLOCK_REALTIME; report_result() sets it */

	/* bandwidth */
	double bw_peak;		   /* bytes per second; 0 not measured */
	double bw_average;	   /* bytes per second */
	double message_rate;	   /* messages per second */
	uint64_t lost;		   /* UC and UD: sent but never received; REPORT_NOT_KNOWN: not known here */
	uint64_t first_arrivals;   /* a receiver's, of iterations: those that are in no average */
	uint64_t iterations_of[2]; /* -b: of iterations, those of this side and of the peer; the row of the sum has them
				    */

	/* --data_validation, both directions together */
	uint64_t checked; /* messages, in full */
	uint64_t wrong;	  /* messages */

	double removal_seconds; /* steering rules: what taking back took; `seconds` is what making them took */

	const struct latency *latency; /* in ticks; NULL: of a bandwidth test */
	double tick_seconds;	       /* of what the columns show: half of a cycle, where that is half a round trip */
	double open_seconds; /* of the exchange that was open when the measured time ended; 0: none worth a word */
	bool open_answered;  /* it was answered later; otherwise it would have taken longer still */

	double cpu_percent; /* < 0: not asked for */
};

/* --data_validation: what became of all messages of a run, in both directions. */
struct report_validation {
	uint64_t messages; /* sent */
	uint64_t checked;  /* of them, in full */
	uint64_t bytes;	   /* of those */
	uint64_t lost;	   /* UC and UD */
	uint64_t wrong;	   /* messages */
	uint32_t qp;	   /* of the first wrong one: index of the queue pair, number of the message, first byte */
	uint64_t message;
	uint64_t offset;
};

/* which part of a bidirectional result a row is */
enum report_part { REPORT_TOTAL, REPORT_LOCAL, REPORT_REMOTE };

#endif
