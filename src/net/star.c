// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A barrier of many instances that detects dead ones. See star.h. */
#include "net/star.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIVE_MS 1000
#define LAST_MS	 2000 /* time for the last messages to be sent */
/*
 * An instance sends a heartbeat once per second, and at each step of a run, of which there are less than a hundred
 * between two points. An instance that sends many more keeps the others from being read. All other messages are bounded
 * by their order.
 */
#define MAX_ALIVE 1000 /* in ALIVE_MS, or until the next point */
/* An instance that sends heartbeats but makes no progress delays all others: for this many times the timeout. */
#define LATE_TIMEOUTS 5

static const char out_of_order[] = "it is out of order";

void star_wake(struct star *star)
{
	wakeup_ring(&star->wakeup);
}

static void send_one(struct star *star, struct star_conn *peer, unsigned type, const void *from)
{
	const int ret = peer->conn.fd >= 0 ? message_send(&peer->conn, star->protocol, type, from) : 0;

	/* That a connection is broken is found when it is read. */
	if (ret == -ENOMEM || ret == -ENOBUFS)
		peer->unsent = ret;
}

void star_send_one(struct star *star, struct star_conn *peer, unsigned type, const void *from)
{
	send_one(star, peer, type, from);
	star_wake(star);
}

void star_send(struct star *star, unsigned type, const void *from)
{
	for (uint32_t i = 0; i < star->num_conns; i++)
		send_one(star, &star->conns[i], type, from);
	star_wake(star);
}

void star_lose(struct star *star, struct star_conn *peer, const char *how)
{
	star->ops->lose(star, peer, how);
	conn_close(&peer->conn);
}

/* --- received messages --- */

/*
 * One read, and the messages in it. What is left in the socket is read after the other peers had their turn. NULL; or
 * why the connection is lost.
 */
static const char *star_read(struct star *star, struct star_conn *peer, char *how, size_t size)
{
	const bool gone = conn_fill_all(&peer->conn, star->most) != 0;
	struct message_header header;
	const char *fault = NULL;
	int ret = 0;

	while (!fault && (ret = message_front(&peer->conn, star->protocol, &header, &fault)) > 0) {
		peer->silence = deadline_in_ms(star->timeout_ms);
		fault = star->ops->take(star, peer, &header);
		if (header.type != MESSAGE_ALIVE)
			wakeup_ring(star->main);
		message_drop(&peer->conn, &header);
	}
	if (!fault && gone)
		return star->ops->ended ? star->ops->ended(star, peer) : "died or was cut off";
	if (!fault)
		return NULL;
	snprintf(how, size, "sent an invalid message%s%s: %s", ret > 0 ? ", its " : "",
		 ret > 0 ? message_noun(star->protocol, header.type) : "", fault);
	return how;
}

const char *star_received_alive(struct star_conn *peer)
{
	if (deadline_passed(peer->interval)) {
		peer->interval = deadline_in_ms(ALIVE_MS);
		peer->num_alive = 0;
	}
	return ++peer->num_alive > MAX_ALIVE ? "there are too many of them" : NULL;
}

/* It must be the next one, which the last release announced; or all is over. */
const char *star_received_arrived(struct star *star, struct star_conn *peer, uint32_t point)
{
	if (point <= peer->arrived || (point != star->released + 1 && point != STAR_LAST_POINT))
		return out_of_order;
	peer->arrived = point;
	peer->num_alive = 0;
	return NULL;
}

const char *star_received_released(struct star *star, uint32_t point)
{
	if (point <= star->released || point > star->arrived)
		return out_of_order;
	star->released = point;
	star->conns[0].num_alive = 0;
	return NULL;
}

void star_arrive(struct star *star, uint32_t point)
{
	star->arrived = point;
	star_wake(star);
}

/* --- the hub --- */

/* Have all reached the next point? */
static void look_around(struct star *star)
{
	uint32_t reached = star->arrived;

	for (uint32_t i = 0; i < star->num_conns; i++)
		if (star->conns[i].arrived < reached)
			reached = star->conns[i].arrived;
	if (reached <= star->released)
		return;
	star->released = reached;
	star->ops->send_released(star, reached);
	wakeup_ring(star->main);
}

/* An instance's progress: all go through points and the program's counts in the same order. */
static uint64_t count_done(uint32_t arrived, uint32_t progress)
{
	return (uint64_t)arrived + progress;
}

/* Is an instance behind, and has none made progress for long? */
static void look_for_late(struct star *star)
{
	uint64_t furthest = count_done(star->arrived, star->progress), total = furthest;
	struct star_conn *late = NULL;
	char how[64];

	for (uint32_t i = 0; i < star->num_conns; i++) {
		const uint64_t done = count_done(star->conns[i].arrived, star->conns[i].progress);

		total += done;
		furthest = done > furthest ? done : furthest;
	}
	for (uint32_t i = 0; i < star->num_conns && !late; i++) {
		struct star_conn *peer = &star->conns[i];

		if (peer->conn.fd >= 0 && count_done(peer->arrived, peer->progress) < furthest)
			late = peer;
	}
	if (!late || total != star->total) {
		star->total = total;
		star->lateness = deadline_in_ms(LATE_TIMEOUTS * star->timeout_ms);
	} else if (deadline_passed(star->lateness)) {
		snprintf(how, sizeof(how), "has kept the others waiting for %" PRId64 " s",
			 LATE_TIMEOUTS * star->timeout_ms / 1000);
		star_lose(star, late, how);
	}
}

/* --- the thread --- */

static bool has_output(const struct star *star)
{
	for (uint32_t i = 0; i < star->num_conns; i++)
		if (star->conns[i].conn.fd >= 0 && conn_has_output(&star->conns[i].conn))
			return true;
	return false;
}

static void star_serve(struct star *star, const struct pollfd *fds)
{
	char how[256];

	for (uint32_t i = 0; i < star->num_conns; i++) {
		struct star_conn *peer = &star->conns[i];
		const char *lost = NULL;

		if (peer->conn.fd < 0)
			continue;
		if (fds[i].revents & (POLLIN | POLLHUP | POLLERR))
			lost = star_read(star, peer, how, sizeof(how));
		if (!lost)
			conn_flush(&peer->conn);
		if (!lost && peer->unsent) {
			snprintf(how, sizeof(how), "could not be sent a message: %s", strerror(-peer->unsent));
			lost = how;
		}
		if (!lost && deadline_passed(peer->silence)) {
			snprintf(how, sizeof(how), "has been silent for %" PRId64 " s", star->timeout_ms / 1000);
			lost = how;
		}
		if (lost)
			star_lose(star, peer, lost);
	}
	if (!star->is_hub || star->is_over)
		return;
	if (star->ops->turned)
		star->ops->turned(star);
	look_around(star);
	look_for_late(star);
}

/* While this instance was stopped, the others may have been, too; and what they sent is yet to be read. */
static void forgive_silence(struct star *star)
{
	const int64_t stopped_ns = deadline_stopped_ns(&star->due, ALIVE_MS);

	if (deadline_passed(star->resumed))
		star->stopped_ns = 0;
	if (stopped_ns > star->stopped_ns) {
		star->stopped_ns = stopped_ns;
		star->resumed = deadline_in_ms(star->timeout_ms);
	}
	for (uint32_t i = 0; i < star->num_conns; i++)
		deadline_postpone(&star->conns[i].silence, stopped_ns);
	deadline_postpone(&star->lateness, stopped_ns);
}

bool star_turn(struct star *star, int64_t limit_ns)
{
	const int64_t alive_ns = deadline_left_ns(star->alive);
	bool over;

	pthread_mutex_lock(&star->lock);
	if (star->stopping && star->last.at_ns == INT64_MAX)
		star->last = deadline_in_ms(LAST_MS);
	over = star->stopping && (!has_output(star) || deadline_passed(star->last));
	for (uint32_t i = 0; i < star->num_conns; i++) {
		struct conn *conn = &star->conns[i].conn;

		star->fds[i + 1].fd = conn->fd;
		star->fds[i + 1].events = (short)(POLLIN | (conn_has_output(conn) ? POLLOUT : 0));
	}
	pthread_mutex_unlock(&star->lock);
	if (over)
		return false;
	wakeup_wait_thread(&star->wakeup, star->fds, star->num_conns,
			   limit_ns >= 0 && limit_ns < alive_ns ? limit_ns : alive_ns);
	pthread_mutex_lock(&star->lock);
	if (deadline_passed(star->alive)) {
		star_send(star, MESSAGE_ALIVE, star->pulse);
		star->alive = deadline_in_ms(ALIVE_MS);
	}
	forgive_silence(star);
	star_serve(star, star->fds + 1);
	pthread_mutex_unlock(&star->lock);
	return true;
}

static void *star_thread(void *arg)
{
	while (star_turn(arg, -1 /* as long as nothing is due */))
		;
	return NULL;
}

/* --- open and close --- */

int star_open(struct star *star)
{
	pthread_mutex_init(&star->lock, NULL);
	star->wakeup.fd = -1;
	star->alive = deadline_in_ms(ALIVE_MS);
	star->last = deadline_in_ms(-1); /* not yet */
	for (uint32_t i = 0; i < star->num_conns; i++)
		star->conns[i].silence = deadline_in_ms(star->timeout_ms);
	star->fds = calloc(star->num_conns + 1, sizeof(*star->fds));
	return star->fds ? wakeup_open(&star->wakeup) : -ENOMEM;
}

int star_start(struct star *star)
{
	const int ret = pthread_create(&star->thread, NULL, star_thread, star);

	star->has_thread = !ret;
	return -ret;
}

void star_close(struct star *star)
{
	if (star->has_thread) {
		pthread_mutex_lock(&star->lock);
		star->stopping = true;
		pthread_mutex_unlock(&star->lock);
		star_wake(star);
		pthread_join(star->thread, NULL);
	}
	for (uint32_t i = 0; i < star->num_conns; i++)
		conn_close(&star->conns[i].conn);
	wakeup_close(&star->wakeup);
	free(star->fds);
	pthread_mutex_destroy(&star->lock);
}
