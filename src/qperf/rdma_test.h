/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of an RDMA test share: rdma.c runs it, rdma_setup.c opens it, rdma_idle.c heeds the other side. */
#ifndef QPERF_RDMA_TEST_H
#define QPERF_RDMA_TEST_H

#include "loops/run.h"
#include "qperf/session.h"
#include "qperf/unreliable.h"
#include "verbs/async_event.h"
#include "verbs/perftest_resources.h"
#include "verbs/verbs_config.h"

#define RDMA_TICK_NS 1e8 /* between two looks at what else goes on */

/* session->own of an RDMA test. */
struct rdma {
	char device_name[PARAM_TEXT_SIZE];
	struct verbs_config config;
	struct device device;
	struct traffic traffic;
	struct resources resources;
	struct async_events events;
	struct run run;
	struct latency own_samples; /* of a side that is not asked for them */

	/* Both directions: each side says that it has sent all. Once read, session->peer_done does not know of it. */
	bool told_done;
	bool heard_done;

	bool failed;	      /* and what failed is reported */
	bool parts;	      /* the connection is to be taken down in words, which qperf 0.4.11 waits for */
	uint64_t done_cycles; /* when the peer said so; 0: not yet */
	struct losses losses;
	uint64_t moved;	       /* messages, of both directions, when rdma_idle() saw them last */
	uint64_t moved_cycles; /* and when that was more than before */
};

/* A ping-pong that may lose messages: those that arrive as such have numbers, */
bool rdma_has_numbers(const struct test_row *test);
/* and those that only change memory can be written twice. */
bool rdma_writes_again(const struct test_row *test);

/* 0 or -errno, reported, as all that return int here. qperf's parameters, as the layers below know them. */
int rdma_configure(const struct qperf_session *session, struct rdma *rdma);
int rdma_open_resources(struct qperf_session *session, struct rdma *rdma);
/* The server's comes when it has the client's, so that what can't work is refused before anything is tried. */
int rdma_exchange_endpoints(struct qperf_session *session, struct rdma *rdma);
/* What is a default may be less, and comes out the same on both sides, which know both MTUs by then. */
int rdma_check_size(struct qperf_session *session, struct rdma *rdma, uint64_t most);

/* Both directions: each side says once that it has sent all, or that its user stopped it, which ends the other, too. */
int rdma_tell_done(struct qperf_session *session, struct rdma *rdma);
int rdma_hear_done(struct qperf_session *session, struct rdma *rdma);

/* What completes has come here: the data of READs. Of atomics 0.4.11 says that the client sends them. */
bool rdma_brings(const struct rdma *rdma);

/* Hooks of the loops. */
uint64_t rdma_tick(struct run *run, uint64_t now);
enum idle_answer rdma_idle(struct run *run);
/* The side whose memory the other reads: it has nothing to do but to be there. */
void rdma_sit(struct qperf_session *session);

#endif
