/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How far a run is: what this layer keeps of it while its loop moves messages. */
#ifndef SESSION_RUN_PROGRESS_H
#define SESSION_RUN_PROGRESS_H

#include "session/state.h"

struct intervals {
	bool sums;   /* both sides tell each other, and the rows are of both */
	bool failed; /* the loop was ended by an error */
	uint64_t begin;
	uint64_t count; /* messages before the interval */
	uint64_t arrivals;
	struct run_result load_before;	 /* --rate: as it was at the begin */
	struct comm_intervals own;	 /* sums: told, and without a row */
	struct comm_interval printed[2]; /* sums: of this side and of the peer: what the last row ended with */
	double printed_s;		 /* sums: when it ended, seconds since the start */
};

/* What this side had done while the other one ran. */
struct together {
	struct run_result result;
	uint64_t cycles; /* when that was; 0: never */
};

struct run_progress {
	struct session *session;
	bool counts_arrivals;	    /* this side counts what arrives, not what it posts */
	struct latency *total;	    /* latency with intervals: all of them together; run->latency is the interval's */
	struct latency *total_post; /* the same of open.since_post */
	uint64_t interval_cycles;
	struct intervals interval;
	uint64_t heartbeat_cycles;
	uint64_t next_interval; /* UINT64_MAX: no row but the last one */
	uint64_t interval_end; /* by time: the last interval ends here, and has its row behind the loop; else UINT64_MAX
				*/
	uint64_t next_heartbeat; /* UINT64_MAX: none, the peer sees our messages */
	uint64_t start_cycles;
	uint64_t idle_count;	  /* messages when idle was called last */
	uint64_t next_event_look; /* stamp from which idle asks the device what happened */
	uint64_t idle_since;	  /* stamp of the last progress that idle saw; 0: none yet */
	uint64_t drain_since;	  /* since when nothing has come of a peer that has sent all; 0: it has not */
	uint64_t earlier;	  /* messages of the rounds before (--data_validation) */
	uint64_t planned;	  /* of all rounds; 0: there is but one */
	bool done_sent;		  /* the peer knows that this side has sent all, */
	bool stop_sent;		  /* and that its user has ended it */
	bool awaits_peer;	  /* by time: the clock starts with the first answer */
	bool time_over;		  /* by time, with a classic peer: this side's clock ended the loop */
	int error;		  /* what ended the loop from here; reported; 0: nothing */
	/* With -b: */
	struct together together; /* at the last look that did not find the other side to have ended early */
	struct together heard;	  /* at the last one to which it had spoken since the one before */
	uint64_t interim;	  /* by then, of struct comm */
	bool left_alone;	  /* then a look found that it had ended early */
};

#endif
