/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files of an RDMA test: rdma.c runs it, rdma_setup.c opens it, rdma_idle.c handles the other side. */
#pragma once

#include "loops/run.h"
#include "qperf/control/session.h"
#include "qperf/rdma/ping.h"
#include "qperf/rdma/rdma_kind.h"
#include "verbs/device/async_event.h"
#include "verbs/perftest_resources.h"
#include "verbs/verbs_config.h"

#define RDMA_TICK_NS 1e8 /* interval of rdma_tick() */

/* session->own of an RDMA test. */
struct rdma {
	struct verbs_config config;
	struct device device;
	struct traffic traffic;
	struct resources resources;
	struct async_events events;
	struct run run;
	/*
	 * Both directions: each side reports that it has sent everything. Once that was read, session->peer_done is not
	 * set any more.
	 */
	bool sent_done;
	bool received_done;

	bool failed;	      /* and the failure was reported */
	bool parts;	      /* qperf 0.4.11 waits for the connection to be disconnected */
	uint64_t done_cycles; /* when the peer's message arrived; 0: not yet */
	struct losses losses;
	uint64_t moved;	       /* messages in both directions, at the last check */
	uint64_t moved_cycles; /* and when it had last increased */
};

/* In a ping-pong that may lose messages, those that arrive as messages have numbers, */
bool rdma_has_numbers(const struct test_row *test);
/* and those that only change memory can be written again. */
bool rdma_writes_again(const struct test_row *test);

/*
 * Translates qperf's parameters for the layers below. 0 or -errno, reported, like all functions here that return int.
 */
int rdma_configure(const struct qperf_session *session, struct rdma *rdma);
int rdma_open_resources(struct qperf_session *session, struct rdma *rdma);
/*
 * The server sends its own after it has the client's, so that impossible combinations are refused before anything is
 * tried.
 */
int rdma_exchange_endpoints(struct qperf_session *session, struct rdma *rdma);
/*
 * The same with a qperf 0.4.11 peer, whose messages are those of wire.h, and connects the QP with rdma_cm: without
 * that, the version only supports LIDs, and cannot connect over Ethernet.
 */
int rdma_connect_classic(struct qperf_session *session, struct resources *resources);
/* A default size may be lowered, to the same value on both sides, which know both MTUs by then. */
int rdma_check_size(struct qperf_session *session, struct rdma *rdma, uint64_t most);

/*
 * Both directions: reports once that this side has sent everything, or that its user stopped it, which ends the other
 * side, too.
 */
int rdma_send_done(struct qperf_session *session, struct rdma *rdma);
int rdma_receive_done(struct qperf_session *session, struct rdma *rdma);

/*
 * Do completions mean that data has arrived here, as with READ? For atomics 0.4.11 counts messages sent by the client.
 */
bool rdma_brings(const struct rdma *rdma);

/* Hooks of the loops. */
uint64_t rdma_tick(struct run *run, uint64_t now);
enum idle_answer rdma_idle(struct run *run);
/* Waits on the passive side of a READ, or of other requests that only access its memory. */
void rdma_sit(struct qperf_session *session);
