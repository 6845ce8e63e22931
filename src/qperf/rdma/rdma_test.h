/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files of an RDMA test: rdma.c runs it, rdma_setup.c opens it, rdma_idle.c handles the other side. */
#pragma once

#include "loops/run.h"
#include "qperf/control/session.h"
#include "qperf/rdma/rdma_kind.h"
#include "verbs/device/async_event.h"
#include "verbs/perftest_resources.h"
#include "verbs/verbs_config.h"

#define RDMA_TICK_NS 1e8 /* interval of rdma_tick() */

struct losses {
	uint64_t messages; /* unanswered */
	uint64_t cycles;   /* spent waiting for them */
};

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
/* Writes session->sides->path. mtu: of the path, bytes; until the sides are connected that of the port. */
void rdma_find_path(const struct qperf_session *session, const struct rdma *rdma, uint32_t mtu);
/*
 * The server sends its own after it has the client's, so that impossible combinations are refused before anything is
 * tried.
 */
int rdma_connect_by_endpoints(struct qperf_session *session, struct rdma *rdma);
/*
 * The same with a qperf 0.4.11 peer, whose messages are those of wire.h, and connects the QP with rdma_cm: without
 * that, the version only supports LIDs, and cannot connect over Ethernet.
 */
int rdma_connect_classic(struct qperf_session *session, struct rdma *rdma);
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

/* --- ping.c: ping-pongs that loops/ does not have. Each has the interface of a loop of loops/run.h. --- */

/*
 * Over UC or UD, which may lose messages without any error. Each message has a number as immediate data, which the
 * answer repeats: a message without a timely answer is lost, and the next one is sent; a later answer is recognized by
 * its number, and discarded. finish_cycles is the time of the last answer.
 */
int ping_numbered(struct run *run, uint64_t timeout_cycles, struct losses *losses);
/*
 * rc_rdma_write_poll_lat of qperf 0.4.11: each side waits until the first and last byte of its memory have the values
 * that only the other side writes. received: memory of run's message.
 */
int ping_classic(struct run *run, bool client, volatile uint8_t *received);

/* --- verify.c: the loop of tests that check the values that atomics return --- */

#define VERIFY_MAX_DEPTH 1024 /* requests in flight, each with its own place for the returned value */

struct verify_mistake {
	uint64_t request; /* index, from 0 */
	uint64_t expected;
	uint64_t found;
};

/*
 * Requests are sent in order, and a responder executes those of a QP in order, so the result of the n-th is known.
 * FETCH_AND_ADD of 1 returns n. CMP_AND_SWP replaces a value of a sequence by the next one. The 8 bytes at the
 * responder start as 0. slots: registered memory for `depth` results of 8 bytes; the queue's first request points to
 * its start. Has the interface of a loop_fn; -EBADMSG: a result was wrong, see *mistake.
 */
int verify_atomics(struct run *run, uint64_t *slots, unsigned depth, struct verify_mistake *mistake);
