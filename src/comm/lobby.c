// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which of those that connect is a client with a test? See lobby.h. */
#include "comm/lobby.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "comm/carrier.h"
#include "comm/conversation.h"
#include "comm/rdma_cm.h"
#include "comm/stream.h"
#include "comm/wire.h"
#include "util/log.h"
#include "util/wait.h"

#define SEATS	   64 /* at most; one who comes when all are taken gets that of the guest who has been here longest */
#define MOST_NOTES 8  /* lines about guests who did not count, from one client to the next */
#define LISTENERS  3  /* descriptors of a listener: two of TCP, one of rdma_cm */
#define WORDS_SIZE 256

struct guest {
	struct comm comm;
	struct deadline patience;
};

struct lobby {
	struct guest guests[SEATS]; /* in the order in which they came */
	unsigned num_guests;
	unsigned num_notes;
};

enum state { STAYS, READY, LEAVES };

static void note(struct lobby *lobby, const struct comm *comm, const char *words)
{
	if (lobby->num_notes >= MOST_NOTES)
		return;
	lobby->num_notes++;
	log_info("a connection that is no client: %s %s%s", comm->peer, words,
		 lobby->num_notes == MOST_NOTES ? "; others like it are not told of" : "");
}

/* Takes a guest out; its connection is the caller's. */
static struct comm leave(struct lobby *lobby, unsigned index)
{
	const struct comm comm = lobby->guests[index].comm;

	lobby->num_guests--;
	memmove(&lobby->guests[index], &lobby->guests[index + 1],
		(lobby->num_guests - index) * sizeof(lobby->guests[0]));
	return comm;
}

static void send_away(struct lobby *lobby, unsigned index, const char *words)
{
	struct comm comm = leave(lobby, index);

	note(lobby, &comm, words);
	comm_close(&comm);
}

static struct deadline patience(int64_t timeout_ms)
{
	return deadline_in_ms(timeout_ms >= 0 && timeout_ms < LOBBY_MS ? timeout_ms : LOBBY_MS);
}

/* Guests take at most a quarter of what the process may open: the test of the one who is served needs the rest. */
static unsigned count_seats(void)
{
	struct rlimit limit;
	unsigned seats = SEATS;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 4 < seats)
		seats = (unsigned)(limit.rlim_cur / 4);
	return seats ? seats : 1;
}

/* What has run out, and comes back when somebody leaves? */
static bool is_used_up(int rc)
{
	return rc == -EMFILE || rc == -ENFILE || rc == -ENOBUFS || rc == -ENOMEM;
}

/* Lets in who waits. 0 or -errno. */
static int let_in(struct lobby *lobby, const struct comm_listener *listener, int64_t timeout_ms)
{
	const unsigned seats = count_seats();

	for (unsigned i = 0; i < SEATS; i++) {
		struct comm comm;
		int rc = comm_accept(&comm, listener, timeout_ms);

		if (is_used_up(rc) && lobby->num_guests) {
			send_away(lobby, 0, "was silent while others wait");
			continue;
		}
		if (rc)
			return rc == -EAGAIN ? 0 : rc;
		if (lobby->num_guests >= seats)
			send_away(lobby, 0, "was silent while others wait");
		lobby->guests[lobby->num_guests++] = (struct guest){.comm = comm, .patience = patience(timeout_ms)};
	}
	return 0;
}

/* Reads what is there. What of it is a greeting is answered; the wish stays where comm_read_hello() finds it. */
static enum state hear(struct comm *comm, bool greets, char words[WORDS_SIZE])
{
	int rc = stream_fill_ready(comm, comm->greeted ? comm->ops->wish_size(comm) : WIRE_GREETING_SIZE);

	if (!greets && comm->in_used)
		return READY;
	if (greets && !comm->greeted && comm->in_used >= WIRE_GREETING_SIZE) {
		int verdict = comm_answer_greeting(comm, words, WORDS_SIZE);

		if (verdict == -EBADMSG)
			return LEAVES;
		/* Who can't be served was told so, and so was this side's user. */
		if (verdict)
			return READY;
	}
	if (comm->greeted && (!comm->ops->wish_size || comm->in_used >= comm->ops->wish_size(comm)))
		return READY;
	snprintf(words, WORDS_SIZE, "%s before it said %s", rc ? "was closed" : "was silent for too long",
		 comm->greeted ? "what it wants" : "who it is");
	return rc ? LEAVES : STAYS;
}

/* The first who is ready, as the listener's client. 0, or -EAGAIN: nobody is. */
static int attend(struct lobby *lobby, bool greets, struct comm *comm)
{
	for (unsigned i = 0; i < lobby->num_guests;) {
		struct guest *guest = &lobby->guests[i];
		char words[WORDS_SIZE];

		switch (hear(&guest->comm, greets, words)) {
		case READY:
			*comm = leave(lobby, i);
			lobby->num_notes = 0;
			return 0;
		case LEAVES:
			send_away(lobby, i, words);
			break;
		case STAYS:
			if (deadline_passed(guest->patience))
				send_away(lobby, i, words);
			else
				i++;
		}
	}
	return -EAGAIN;
}

/* Until somebody comes or says something, or has been silent for too long. 0, or -errno. */
static int wait_for_words(struct lobby *lobby, const struct comm_listener *listener)
{
	struct pollfd fds[LISTENERS + SEATS * CARRIER_FDS];
	struct pollfd *of[SEATS];
	struct deadline nearest = deadline_in_ms(-1);
	unsigned count = 0;
	int rc;

	for (unsigned i = 0; i < listener->num_fds; i++)
		fds[count++] = (struct pollfd){.fd = listener->fd[i], .events = POLLIN};
	if (listener->rdma_cm)
		fds[count++] = (struct pollfd){.fd = rdma_cm_listener_fd(listener->rdma_cm), .events = POLLIN};
	for (unsigned i = 0; i < lobby->num_guests; i++) {
		struct guest *guest = &lobby->guests[i];
		int added = guest->comm.carrier->watch(&guest->comm, POLLIN, &fds[count]);

		of[i] = &fds[count];
		/* What is ready now, or broken, is for attend(). */
		if (added <= 0)
			nearest = deadline_in_ms(0);
		else
			count += (unsigned)added;
		if (guest->patience.at_ns < nearest.at_ns)
			nearest = guest->patience;
	}
	rc = wait_fds(fds, count, nearest);
	if (rc)
		return rc == -ETIMEDOUT ? 0 : rc;
	for (unsigned i = 0; i < lobby->num_guests; i++) {
		struct comm *comm = &lobby->guests[i].comm;

		if (comm->carrier->wake && of[i] < &fds[count])
			comm->carrier->wake(comm, of[i]);
	}
	return 0;
}

int lobby_await(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms)
{
	struct lobby *lobby = listener->lobby;
	int rc;

	if (!lobby)
		lobby = listener->lobby = calloc(1, sizeof(*lobby));
	if (!lobby)
		return -ENOMEM;
	/* Nobody heard them while another one was served. */
	for (unsigned i = 0; i < lobby->num_guests; i++)
		lobby->guests[i].patience = patience(timeout_ms);
	for (;;) {
		rc = let_in(lobby, listener, timeout_ms);
		if (!rc)
			rc = attend(lobby, greets, comm);
		if (rc == -EAGAIN)
			rc = wait_for_words(lobby, listener);
		else
			return rc;
		if (rc)
			return rc;
	}
}

void lobby_close(struct lobby *lobby)
{
	if (!lobby)
		return;
	while (lobby->num_guests) {
		struct comm comm = leave(lobby, 0);

		if (comm.greeted)
			comm_abort(&comm, "it serves another client, or was stopped");
		comm_close(&comm);
	}
	free(lobby);
}
