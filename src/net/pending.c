// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connections that have not sent a request yet. See pending.h. */
#include "net/pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "util/log.h"
#include "util/wait.h"

#define MAX_NOTES 8 /* messages about connections that did not count, between two that did */

static void pending_note(struct pending *pending, const struct conn *conn, const char *text)
{
	if (pending->num_notes >= MAX_NOTES || !text[0])
		return;
	pending->num_notes++;
	if (pending->ops->report) {
		pending->ops->report(pending->context, conn, text);
		return;
	}
	log_info("ignored a connection that is not a client: %s %s%s", conn->peer, text,
		 pending->num_notes == MAX_NOTES ? "; further ones are not reported" : "");
}

/* Removes one, which the caller then owns. */
static struct conn *pending_leave(struct pending *pending, unsigned index)
{
	struct conn *conn = pending->items[index].conn;

	pending->count--;
	memmove(&pending->items[index], &pending->items[index + 1],
		(pending->count - index) * sizeof(pending->items[0]));
	return conn;
}

static void pending_send_away(struct pending *pending, unsigned index, const char *text)
{
	struct conn *conn = pending_leave(pending, index);

	pending_note(pending, conn, text);
	pending->ops->drop(pending->context, conn);
}

/* At most a quarter of what the process may open: the served connections need the rest. */
static unsigned count_room(const struct pending *pending)
{
	struct rlimit limit;
	unsigned room = pending->max && pending->max < PENDING_MAX ? pending->max : PENDING_MAX;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 4 < room)
		room = (unsigned)(limit.rlim_cur / 4);
	return room ? room : 1;
}

/* A resource that is exhausted, and available again when a connection ends. */
static bool is_used_up(int rc)
{
	return rc == -EMFILE || rc == -ENFILE || rc == -ENOBUFS || rc == -ENOMEM;
}

static const char displaced[] = "was silent while others waited";

static void pending_displace(struct pending *pending)
{
	unsigned index = 0;

	while (index < pending->count && pending->items[index].greeted)
		index++;
	pending_send_away(pending, index < pending->count ? index : 0, displaced);
}

static void pending_put(struct pending *pending, struct conn *conn, unsigned room)
{
	if (pending->count >= room)
		pending_displace(pending);
	pending->items[pending->count++] =
		(struct pending_conn){.conn = conn, .deadline = deadline_in_ms(pending->limit_ms)};
}

void pending_add(struct pending *pending, struct conn *conn)
{
	pending_put(pending, conn, count_room(pending));
}

int pending_admit(struct pending *pending)
{
	const unsigned room = count_room(pending);

	for (unsigned i = 0; i < PENDING_MAX; i++) {
		struct conn *conn;
		int rc = pending->ops->accept(pending->context, &conn);

		/* New connections are read before one of them has to be dropped. */
		if (is_used_up(rc) && pending->count && i)
			return 0;
		if (is_used_up(rc) && pending->count) {
			pending_displace(pending);
			rc = pending->ops->accept(pending->context, &conn);
		}
		if (rc)
			return rc == -EAGAIN ? 0 : rc;
		pending_put(pending, conn, room);
	}
	return 0;
}

int pending_error(int error, const char *who)
{
	return log_fail(error, "cannot accept %s: %s%s", who, strerror(-error),
			error == -EMFILE ? "; see ulimit -n" : "");
}

int pending_take(struct pending *pending, struct conn **conn)
{
	for (unsigned i = 0; i < pending->count;) {
		struct pending_conn *item = &pending->items[i];
		char text[PENDING_TEXT_SIZE] = "was silent for too long";
		const enum pending_state state = pending->ops->receive(pending->context, item->conn, text);

		switch (state) {
		case PENDING_READY:
			*conn = pending_leave(pending, i);
			pending->num_notes = 0;
			return 0;
		case PENDING_LEAVES:
			pending_send_away(pending, i, text);
			break;
		case PENDING_STAYS:
		case PENDING_GREETED:
			item->greeted = state == PENDING_GREETED;
			if (deadline_passed(item->deadline))
				pending_send_away(pending, i, text);
			else
				i++;
		}
	}
	return -EAGAIN;
}

unsigned pending_poll_fds(struct pending *pending, struct pollfd *fds, struct deadline *deadline)
{
	unsigned count = 0;

	for (unsigned i = 0; i < pending->count; i++) {
		struct pending_conn *item = &pending->items[i];
		int added = item->conn->carrier->poll_fds(item->conn, POLLIN, &fds[count]);

		pending->fds[i] = added > 0 ? &fds[count] : NULL;
		/* What is ready now, or failed, is handled by pending_take(). */
		if (added <= 0)
			*deadline = deadline_in_ms(0);
		else
			count += (unsigned)added;
		*deadline = deadline_sooner(*deadline, item->deadline);
	}
	return count;
}

void pending_wake(struct pending *pending)
{
	for (unsigned i = 0; i < pending->count; i++) {
		struct conn *conn = pending->items[i].conn;

		if (conn->carrier->wake && pending->fds[i])
			conn->carrier->wake(conn, pending->fds[i]);
	}
}

void pending_renew(struct pending *pending)
{
	for (unsigned i = 0; i < pending->count; i++)
		pending->items[i].deadline = deadline_in_ms(pending->limit_ms);
}

/* Waits until a connection arrives or sends something, or has been silent for too long. 0, or -errno. */
static int wait_for_data(struct pending *pending, unsigned (*listener_fds)(void *context, struct pollfd *fds))
{
	struct pollfd fds[PENDING_LISTENER_FDS + PENDING_MAX_FDS];
	struct deadline nearest = deadline_in_ms(-1);
	unsigned count = listener_fds(pending->context, fds);
	int rc;

	if (!count && !pending->count)
		return -ENOTCONN;
	count += pending_poll_fds(pending, fds + count, &nearest);
	rc = wait_fds(fds, count, nearest);
	if (!rc)
		pending_wake(pending);
	return rc == -ETIMEDOUT ? 0 : rc;
}

int pending_await(struct pending *pending, unsigned (*listener_fds)(void *context, struct pollfd *fds),
		  struct conn **conn)
{
	for (;;) {
		int rc = pending_admit(pending);

		if (!rc)
			rc = pending_take(pending, conn);
		if (rc != -EAGAIN)
			return rc;
		rc = wait_for_data(pending, listener_fds);
		if (rc)
			return rc;
	}
}

void pending_close(struct pending *pending)
{
	while (pending->count)
		pending->ops->drop(pending->context, pending_leave(pending, 0));
}

int pending_conn_accept(struct listener *listener, size_t size, struct conn **conn)
{
	struct conn *made = calloc(1, size);
	int rc = made ? listener_accept(listener, made) : -ENOMEM;

	if (rc)
		free(made);
	else
		*conn = made;
	return rc;
}

void pending_conn_drop(void *context, struct conn *conn)
{
	(void)context;
	conn_close(conn);
	free(conn);
}
