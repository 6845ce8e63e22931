/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The side channel: how the two ends of a test meet, agree, exchange endpoints, start together
 * and compare results. Bytes are made and read by wire.c; this layer moves them, with a limit
 * on every wait.
 *
 * Errors: 0 or -errno; the reason is reported once, here. -ETIMEDOUT: the peer was silent
 * longer than timeout_ms. -ECONNRESET: it went away. -EBADMSG: it sent what no perftest sends.
 * -EPROTO: the two sides are not at the same point or not of the same size.
 * -ECANCELED: it ended the test and said why (reported with its words). -EPROTONOSUPPORT: it is
 * a perftest, but of a kind or version that this one does not talk to. -EINTR: the user stopped;
 * that is no error, so nothing is reported.
 */
#ifndef COMM_PERFTEST_COMMUNICATION_H
#define COMM_PERFTEST_COMMUNICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"
#include "comm/greeting.h"
#include "comm/intervals.h"
#include "net/pending.h"

int comm_listen(struct comm_listener *listener, const struct comm_address *address);
/*
 * Waits without limit (until the user stops the program) for a client that has greeted and, where it does, said what it
 * wants. Others that connect are heard at the same time, for 10 s each, and stay with the listener. greets:
 * false with --dont_xchg_versions, where what a connection says is not for this layer to judge. timeout_ms is for the
 * waits after it, and bounds those 10 s.
 */
int comm_await_client(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms);
/*
 * The same for a program with a wait of its own, which serves several at once: comm_next_client() until it says
 * -EAGAIN, comm_listener_poll_fds() into the wait (COMM_LISTENER_FDS at most; *deadline becomes earlier where there is
 * something to do before), comm_listener_wake() behind it. Other errors are reported.
 */
#define COMM_LISTENER_FDS (PENDING_LISTENER_FDS + PENDING_MAX_FDS)
int comm_next_client(struct comm *comm, struct comm_listener *listener, int64_t timeout_ms);
unsigned comm_listener_poll_fds(struct comm_listener *listener, struct pollfd *fds, struct deadline *deadline);
void comm_listener_wake(struct comm_listener *listener);
/* Those that are connected have not been heard for a while: each has its whole time again. */
void comm_listener_renew(struct comm_listener *listener);
/* In a forked process, in which all of it is another one's: nothing is said to anyone. */
void comm_listener_forget(struct comm_listener *listener);
void comm_forget(struct comm *comm);
/* "Ethernet" or "rdma_cm": what the connection is made of. */
const char *comm_carrier_name(const struct comm *comm);
bool comm_is_by_rdma_cm(const struct comm *comm);
void comm_listener_close(struct comm_listener *listener);
/*
 * Leaves rdma_cm's port to the queue pairs of a test, which linux-rdma perftest connects on it. Until it is taken
 * back, only TCP connections can come. 0 or -errno, reported.
 */
void comm_listener_lend(struct comm_listener *listener);
int comm_listener_take_back(struct comm_listener *listener, const struct comm_address *address);
/* In place of all that is above: a side without a side channel (silent.c). */
void comm_open_silent(struct comm *comm, bool client, int64_t timeout_ms);
/* -EHOSTUNREACH: the name or the local address does not resolve; -ECONNREFUSED: no program listens. */
int comm_connect(struct comm *comm, const struct comm_address *address, int64_t timeout_ms);

/* How long the side channel's round trip takes, by TCP's own measure; 0: not known. Microseconds. */
uint32_t comm_round_trip_us(const struct comm *comm);

/*
 * From now on the peer has so long; then looks and waits end with -ETIMEDOUT, reported. What passes between
 * comm_send_wait() and the barrier behind it does not count.
 */
void comm_bound(struct comm *comm, int64_t ms);

/*
 * With a classic peer, in place of asking and agreeing: both sides go by their own options. Keeps
 * the plan; *peer_page_bytes: small messages of the peer walk over so much of a buffer, 0 unknown.
 */
int comm_settle(struct comm *comm, const struct comm_plan *plan, uint32_t *peer_page_bytes);
/* Client: sends its requests and waits for the verdict. A refusal is reported with the server's reason: -ECANCELED. */
int comm_ask(struct comm *comm, const struct comm_hello *hello, struct comm_hello *answer);
/* Server: reads the client's requests, then one of the two. */
int comm_read_hello(struct comm *comm, struct comm_hello *hello);
int comm_agree(struct comm *comm, const struct comm_hello *answer);
int comm_refuse(struct comm *comm, const char *reason);
void comm_hello_clear(struct comm_hello *hello);

/* With a classic peer and -R: this side is ready to be connected by rdma_cm; and again once it is. */
int comm_announce(struct comm *comm, const struct endpoint *local, unsigned count);
/*
 * All endpoints in one message each way (of a classic peer, one after the other). remote has room for
 * count (1..16384); the peer must send as many, or it is -EPROTO. Both arrays stay until comm_close().
 */
int comm_exchange_endpoints(struct comm *comm, const struct endpoint *local, struct endpoint *remote, unsigned count);
/* Both reach the point called tag, an enum comm_point or COMM_SIZE + n. Clears peer_done. */
int comm_barrier(struct comm *comm, uint32_t tag);
/*
 * A classic peer tells only what it is asked for: of one-sided tests the last size, of receivers nothing (zeros, and
 * COMM_NOT_TOLD).
 */
int comm_exchange_result(struct comm *comm, const struct comm_result *local, struct comm_result *remote);
/*
 * Of a peer that has COMM_VALIDATES.
 * A round is agreed on in two steps, because the user may stop the waiting side at any time and both must
 * go on together all the same: after -EINTR the second may be called again. It clears peer_done.
 */
int comm_send_round(struct comm *comm, const struct comm_round *round);
int comm_receive_round(struct comm *comm, struct comm_round *round);
int comm_exchange_verdict(struct comm *comm, const struct comm_verdict *local, struct comm_verdict *remote);
/* Of a peer that has COMM_REPEATS: what both sides want in the end. */
int comm_exchange_vote(struct comm *comm, enum comm_vote local, enum comm_vote *common);

/* Can the peer be one of several that are measured at once? If so: */
bool comm_gathers(const struct comm *comm);
/* After a look: does the peer wait at the next barrier already? */
bool comm_at_barrier(const struct comm *comm);
/* "The start waits for so many of you." Before a barrier; each starts the limit of the peer's wait anew, for an hour.
 */
int comm_send_wait(struct comm *comm, uint32_t missing);
int comm_send_samples(struct comm *comm, const struct comm_samples *samples);
/* samples->buckets has room for COMM_MOST_BUCKETS. */
int comm_receive_samples(struct comm *comm, struct comm_samples *samples);
/* As comm_wait(), until then or until fd can be read: 0, -ETIMEDOUT or -EINTR, not reported. */
int comm_wait_beside(struct comm *comm, int fd, int64_t timeout_ms);

/* --- while a loop runs --- */
/* "I have sent all, so many messages." Does not block. */
int comm_send_done(struct comm *comm, const struct comm_done *done);
/* "I am alive": sent about once a second by a side that measures alone; starts the limit of the peer's wait anew. */
int comm_send_heartbeat(struct comm *comm);
/*
 * The end of an interval, to a peer that tells_intervals. While a loop runs it does not block, and is left out when
 * something waits to be sent; the last one, behind the loop, is always sent.
 */
int comm_send_interval(struct comm *comm, const struct comm_interval *interval);
/*
 * Looks without blocking. 0: nothing but heartbeats; 1: the peer is done (peer_done); or an error, reported. That a
 * peer without words for it has closed the connection is said by the second look: poll for completions before it.
 * Frames that belong to later exchanges stay queued. One recv() that does not block; neither allocates nor waits.
 */
int comm_look(struct comm *comm);
/* Waits until there may be something to look at: 0, or -ETIMEDOUT or -EINTR, not reported. */
int comm_wait(struct comm *comm, int64_t timeout_ms);
/* Waits until the peer is done; each heartbeat starts the limit anew. 0 or an error. */
int comm_wait_done(struct comm *comm);

/* Tells the peer that this side ends the test and why; best effort, does not block, heeds no stop. */
void comm_abort(struct comm *comm, const char *reason);
void comm_close(struct comm *comm);

#endif
