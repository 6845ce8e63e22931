/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The progress of a run: what this layer records while its loop moves messages. */
#pragma once

#include "session/state.h"

struct intervals {
	bool failed; /* the loop was ended by an error */
	uint64_t begin;
	uint64_t count;		       /* messages before the interval */
	struct run_result load_before; /* --rate: as it was at its start */
};

struct run_progress {
	struct session *session;
	bool counts_arrivals;	    /* this side counts arrivals, not posts */
	struct latency *total;	    /* latency with intervals: all samples; run->latency has those of the interval */
	struct latency *total_post; /* the same for open.since_post */
	uint64_t interval_cycles;
	struct intervals interval;
	uint64_t heartbeat_cycles;
	uint64_t next_interval;	 /* UINT64_MAX: no further row but the last */
	uint64_t interval_end;	 /* by time: end of the last interval, whose row follows the loop; else UINT64_MAX */
	uint64_t next_heartbeat; /* UINT64_MAX: none, the peer sees our messages */
	uint64_t start_cycles;
	uint64_t beat_cycles;	  /* when this side sent its last heartbeat; before the first one, the start */
	uint64_t peer_messages;	  /* of the side channel, as of then, by struct comm's interim */
	uint64_t silent_cycles;	  /* since its last one, as far as this side was running */
	bool peer_beats;	  /* one has arrived since the start: more will */
	uint64_t idle_count;	  /* messages at the last call of idle */
	uint64_t next_event_look; /* stamp from which idle checks the device's events */
	uint64_t idle_since;	  /* stamp of the last progress that idle saw; 0: none yet */
	uint64_t idle_cycles;	  /* stamp of its last call */
	/* since when nothing has arrived from a peer that has sent everything; 0: it has not */
	uint64_t drain_since;
	uint64_t earlier; /* messages of earlier rounds (--data_validation) */
	uint64_t planned; /* of all rounds; 0: there is only one */
	bool done_sent;	  /* the peer knows that this side has sent everything, */
	bool stop_sent;	  /* and that its user has stopped it */
	bool awaits_peer; /* by time: the clock starts with the first answer */
	bool time_over;	  /* by time, with a classic peer: this side's clock ended the loop */
	int error;	  /* what ended the run on this side; reported; 0: nothing */
};
