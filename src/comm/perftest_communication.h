/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The side channel: how the two ends of a test meet, agree, exchange endpoints, start together and compare results.
 * wire.c encodes and decodes messages; this layer transfers them, with a limit on every wait.
 *
 * Errors: 0 or -errno; the reason is reported once, here. -ETIMEDOUT: the peer was silent for longer than timeout_ms.
 * -ECONNRESET: it disconnected. -EBADMSG: it sent what no perftest sends. -EPROTO: the two sides are at different
 * points or of different sizes. -ECANCELED: it ended the test and said why (reported with its words). -EPROTONOSUPPORT:
 * it is a perftest of a kind or version that this one does not support. -EINTR: the user stopped the program; this is
 * no error, so nothing is reported.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"

int comm_listen(struct comm_listener *listener, const struct comm_address *address);
/* In a forked process that does not own any of it: sends nothing. */
void comm_listener_forget(struct comm_listener *listener);
void comm_forget(struct comm *comm);
/* "Ethernet" or "rdma_cm": the kind of connection. */
const char *comm_carrier_name(const struct comm *comm);
bool comm_is_by_rdma_cm(const struct comm *comm);

/* What the peer is, for messages: its address, "10.0.0.1:43210", and "server" or "client". */
static inline const char *comm_peer(const struct comm *comm)
{
	return channel_peer(&comm->channel);
}

static inline const char *comm_peer_role(const struct comm *comm)
{
	return channel_peer_role(&comm->channel);
}

void comm_listener_close(struct comm_listener *listener);
/*
 * Gives up rdma_cm's port for the queue pairs of a test, which linux-rdma perftest connects on it. Until it is
 * reclaimed, only TCP connections can be accepted. 0 or -errno, reported.
 */
void comm_listener_share(struct comm_listener *listener);
int comm_listener_take_back(struct comm_listener *listener, const struct comm_address *address);
/* Instead of all of the above: a side without a side channel. */
void comm_open_silent(struct comm *comm, bool client);
/* -EHOSTUNREACH: the name or the local address does not resolve; -ECONNREFUSED: no program listens. */
int comm_connect(struct comm *comm, const struct comm_address *address, int64_t timeout_ms);

/*
 * With a classic peer, instead of asking and agreeing: both sides use their own options, and exchange only their page
 * size, cache line size and MTU. Keeps the plan; *peer_page_bytes: the part of a buffer over which the peer's small
 * messages cycle, 0 unknown.
 */
int comm_exchange_sizes(struct comm *comm, const struct comm_plan *plan, uint32_t *peer_page_bytes);
void comm_hello_clear(struct comm_hello *hello);

/* With a classic peer and -R: this side is ready to be connected with rdma_cm; and again once it is. */
int comm_exchange_readiness(struct comm *comm, const struct endpoint *local, unsigned count);
/*
 * All endpoints in one message each way (of a classic peer, one after the other). remote has room for count (1..16384);
 * the peer must send the same number, or it is -EPROTO. Both arrays must stay valid until comm_close().
 */
int comm_exchange_endpoints(struct comm *comm, const struct endpoint *local, struct endpoint *remote, unsigned count);
/*
 * How long the peer's loop takes by time, 0 unknown; and when the test has to be over, at_ns 0: never. per_port:
 * results contain those of two ports.
 */
void comm_bound(struct comm *comm, int64_t loop_ms, struct deadline end, bool per_port);
/* Before the barrier of a measurement: sets epoch_ns, if the peer's protocol supports it. */
int comm_compare_clocks(struct comm *comm);
/* Both sides reach the point called tag, an enum comm_point or COMM_SIZE + n. Clears peer_done. */
int comm_barrier(struct comm *comm, uint32_t tag);
/*
 * The messages of a test, as the struct of their type; NULL if it has none: to the peer, from it, or both.
 *
 * HELLO, both ways: a client's request, and the server's answer, which is an AGREE; a refusal is reported with its
 * reason: -ECANCELED. A server receives HELLO and transmits AGREE or REFUSE.
 * RESULT, both ways: a classic peer tells only what it must: with one-sided tests the last size, on receivers nothing
 * (COMM_UNKNOWN).
 * ROUND, for a peer that supports COMM_VALIDATES: in two steps, because the user may stop the waiting side at any time
 * and both must still proceed together: after -EINTR the second step may be called again. It clears peer_done and done.
 * VERDICT: both ways.
 * VOTE, both ways, for a peer that supports COMM_REPEATS.
 * WAIT, before a barrier, for a peer that supports COMM_JOINS: restarts its limit, for an hour. SAMPLES, likewise.
 *
 * DONE, from a peer that announces_done: waits until it is done, if it was not; each ALIVE restarts the limit. It
 * has no struct: comm->done is set.
 *
 * While a loop runs, without blocking: DONE; ALIVE, twice a second at least, by a side that measures alone; it
 * restarts the limit of the peer's wait.
 */
int comm_transmit(struct comm *comm, unsigned type, const void *own);
int comm_receive(struct comm *comm, unsigned type, void *theirs);
int comm_swap(struct comm *comm, unsigned type, const void *own, void *theirs);

/* After a look, for a peer that supports COMM_JOINS: is it waiting at the next barrier already? */
bool comm_at_barrier(const struct comm *comm);
/* Waits until there may be something to read, or fd (-1: none) can be read: 0, -ETIMEDOUT or -EINTR, not reported. */
int comm_wait_beside(struct comm *comm, int fd, int64_t timeout_ms);

/* --- while a loop runs --- */
/*
 * Checks for messages without blocking. 0: nothing but heartbeats; 1: the peer is done (peer_done); or an error,
 * reported. If a peer without an ABORT message has closed the connection, only the second look reports it: poll for
 * completions before it. Frames of later exchanges stay queued. One non-blocking recv(); neither allocates nor waits.
 */
int comm_look(struct comm *comm);

/* Tells the peer that this side ends the test and why; best effort, does not block, ignores the user's stop. */
void comm_abort(struct comm *comm, const char *reason);
void comm_close(struct comm *comm);

/* --- which protocol does the peer use? The exchange of version texts, the first of all messages. --- */

/* Both sides: exchanges version texts; sets ops, and comm->traits to those of the peer. */
int comm_greet(struct comm *comm);
/* Instead of comm_greet() (--dont_xchg_versions): assumes a classic peer that was given the same option. */
void comm_assume_classic(struct comm *comm);
/*
 * The second half of comm_greet(): the peer's greeting has arrived. Returns the same, but a peer that is not perftest
 * (-EBADMSG) is not reported; text: what it is, to follow its name.
 */
int comm_answer_greeting(struct comm *comm, char *text, size_t size);

/*
 * --- pending_client.c ---
 *
 * Finds a client with a test among the connections. Any program can open one: a port scan, a browser, one that then
 * sends nothing. All connections are read at the same time, each has a short limit, and the first that has sent its
 * request is served, by comm_await_client() or comm_next_client(). One that ends before that is reported in a line and
 * does not count. The others stay with the listener while one is served.
 */

/* The time for a connection to greet and to send its request. */
#define PENDING_CLIENT_MS 10000

/* Accepts a waiting connection. 0, or -EAGAIN: there is none, or another -errno; not reported. */
int pending_client_accept(struct comm *comm, struct comm_listener *listener, int64_t timeout_ms);
/*
 * Waits without a limit (until the user stops the program) for a client that has greeted and, if its protocol has one,
 * sent its request. Other connections are read at the same time, for 10 s each, and stay with the listener. greets:
 * false with --dont_xchg_versions, when this layer cannot judge what a connection sends. timeout_ms applies to later
 * waits, and limits those 10 s.
 */
int comm_await_client(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms);
/*
 * The same for a program with its own wait, which serves several at once: call comm_next_client() until it returns
 * -EAGAIN, add comm_listener_poll_fds() to the wait (at most COMM_LISTENER_FDS; *deadline becomes earlier if something
 * is to be done before), and call pending_wake() after it. Other errors are reported.
 */
int comm_next_client(struct comm *comm, struct comm_listener *listener, int64_t timeout_ms);
/* For the caller's wait, as comm_next_client() says. */
#define COMM_LISTENER_FDS (PENDING_LISTENER_FDS + PENDING_MAX_FDS)
unsigned comm_listener_poll_fds(struct comm_listener *listener, struct pollfd *fds, struct deadline *deadline);
/* Closes all connections. forgets: without sending anything, in a process that does not own them. */
void pending_client_close(struct comm_listener *listener, bool forgets);
