// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Several pairs at once. See group.h. */
#include "cxi/group.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "life/life.h"
#include "life/pair.h"
#include "params/engine/host.h"
#include "report/output_file.h"
#include "stats/spans.h"
#include "util/allowance.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/stop.h"
#include "util/wait.h"

#define REPORT_MS 400 /* between two messages to a peer that waits; the shortest --timeout is a second */

/* --- in the process of a pair --- */

static int member_send(const struct cxi_member *member, enum member_message_type type)
{
	return pair_send(member->fd, type, "", true /* waits */) ? pair_report_gone(-ECONNRESET) : 0;
}

/* 0, -EAGAIN: there is none yet; another -errno, reported: the group ends the test, or is gone. */
static int member_look(const struct cxi_member *member, struct cxi_channel *channel)
{
	struct member_message message;
	const int ret = pair_receive(member->fd, &message);

	if (ret == -ECONNRESET)
		return pair_report_gone(-ECONNRESET);
	if (ret || (message.type != GROUP_ENDS && message.type != GROUP_REFUSES))
		return ret;
	if (message.type == GROUP_REFUSES)
		return log_fail(-ECANCELED, "%s", message.reason);
	/* The group's process has told this side's user. */
	channel_end(&channel->is, MESSAGE_ABORT, message.reason);
	return -ECANCELED;
}

int cxi_member_join(const struct cxi_member *member, struct cxi_channel *channel, const struct cxi_params *params)
{
	struct pollfd fd = {.fd = member->fd, .events = POLLIN};
	int ret;

	if (!channel->dialect->waits)
		return conn_error(&channel->is.conn, -EPROTO,
				  "is HPE's cxi_send_bw, which cannot wait for others: omit --clients, or name one "
				  "server");
	cxi_options_export(params, member->slot->options);
	ret = member_send(member, MEMBER_AGREED);
	while (!ret) {
		ret = wait_fds(&fd, 1, deadline_in_ms(-1));
		if (!ret)
			ret = member_look(member, channel);
		if (!ret)
			break;
		ret = ret == -EAGAIN ? 0 : ret;
	}
	return ret;
}

void cxi_member_keep(const struct cxi_member *member, const struct cxi_adapter *adapter, const struct cxi_facts *facts)
{
	struct cxi_slot *slot = member->slot;

	slot->link = *facts->link;
	slot->adapter = *adapter;
	slot->path = *facts->path;
	slot->own = *facts->own;
	slot->peer = *facts->peer;
	snprintf(slot->peer_address, sizeof(slot->peer_address), "%s", facts->peer_address);
	slot->facts = *facts;
	slot->facts.link = &slot->link;
	slot->facts.adapter = &slot->adapter.identity;
	slot->facts.path = &slot->path;
	slot->facts.own = &slot->own;
	slot->facts.peer = &slot->peer;
	slot->facts.peer_address = slot->peer_address;
}

/* Is the peer at its barrier? 1, 0 or -errno, reported. */
static int peer_is_ready(struct cxi_channel *channel)
{
	struct message_header header;
	struct cxi_frame frame;
	const int ret = channel_look(&channel->is, &header);

	if (ret <= 0 || header.type == MESSAGE_BARRIER)
		return ret;
	return channel_receive(&channel->is, MESSAGE_BARRIER, &frame); /* reports what it is */
}

/* A common start must be simultaneous: the peer has to be ready, too, and is told that it must wait. */
int cxi_member_start(const struct cxi_member *member, struct cxi_channel *channel)
{
	const struct deadline limit = deadline_in_ms(channel->is.timeout_ms);
	struct deadline next = deadline_in_ms(0);
	bool ready = false;

	for (;;) {
		struct pollfd fds[] = {{.fd = member->fd, .events = POLLIN},
				       {.fd = channel_fd(&channel->is), .events = POLLIN}};
		int ret = peer_is_ready(channel);

		if (ret > 0 && !ready) {
			ready = true;
			ret = member_send(member, MEMBER_READY);
		}
		if (ret < 0)
			return ret;
		if (!ready && deadline_passed(limit))
			return channel_report(&channel->is, -ETIMEDOUT, "readiness");
		if (ready && deadline_passed(next)) {
			const struct cxi_frame frame = {.missing = *member->missing};

			next = deadline_in_ms(REPORT_MS);
			ret = channel_post(&channel->is, CXI_FRAME_WAIT, &frame, true /* droppable */);
			if (ret)
				return ret;
		}
		ret = member_look(member, channel);
		if (ret != -EAGAIN)
			return ret;
		/* What follows the peer's barrier stays: once there is no room for more, no wait would last. */
		ret = wait_fds(fds, conn_is_full(&channel->is.conn) ? 1 : 2,
			       deadline_sooner(ready ? next : limit, deadline_in_ms(REPORT_MS)));
		if (ret && ret != -ETIMEDOUT)
			return ret;
	}
}

int cxi_member_measured(const struct cxi_member *member, const struct cxi_account *account,
			const struct cxi_figures *figures, const struct cxi_outcome *outcome, uint64_t lists)
{
	struct cxi_slot *slot = member->slot;
	const uint64_t own = outcome->own.elapsed_ns, peer = outcome->peer.elapsed_ns;
	const uint64_t partial = (uint64_t)(outcome->seen.seconds * 1e9);

	slot->account = *account;
	slot->figures = *figures;
	slot->lists = lists;
	slot->begin_ns = outcome->begin_ns;
	slot->end_ns = outcome->begin_ns + (int64_t)(figures->partial ? partial : own > peer ? own : peer);
	slot->error_ns = outcome->begin_error_ns;
	return member_send(member, MEMBER_MEASURED);
}

/* --- the group --- */

struct cxi_pair {
	pid_t pid; /* 0: free */
	int fd;
	char name[CXI_PEER_SIZE]; /* "10.0.0.1:43210"; of a server as the user wrote it */
	bool joined, ready, measured, ended;
	struct cxi_slot *slot;
};

/* What the processes share. */
struct cxi_shared {
	volatile uint32_t missing;
	struct cxi_slot slots[];
};

struct cxi_group {
	const struct cxi_params *params;
	const struct cxi_group_ops *ops;
	struct cxi_acceptor *acceptor; /* NULL: this side is the client */
	unsigned count;
	struct cxi_shared *shared;
	struct cxi_pair *list;
	struct cxi_peer *peers;
	double *shares;
	struct pollfd *fds;
	struct run_id run_id;
	bool complete;	      /* no other pair is awaited */
	bool given_up;	      /* before that */
	bool stopping;	      /* by its user */
	bool cannot_accept;   /* no client can be accepted any more */
	unsigned refused;     /* that left before they joined, since the last that joined */
	unsigned most_joined; /* maximum so far; one more pair restarts the others' --timeout */
	struct deadline next; /* by when the next pair must join */
	struct cxi_params shown;
	struct cxi_report report;
	bool is_open; /* the report's header is printed */
	struct ending ending;
};

static bool is_live(const struct cxi_pair *pair)
{
	return pair->pid && !pair->ended;
}

static unsigned count_live(const struct cxi_group *group)
{
	unsigned count = 0;

	for (unsigned i = 0; i < group->count; i++)
		count += is_live(&group->list[i]);
	return count;
}

static unsigned count_joined(const struct cxi_group *group)
{
	unsigned count = 0;

	for (unsigned i = 0; i < group->count; i++)
		count += group->list[i].joined;
	return count;
}

static const char *peers_role(const struct cxi_group *group)
{
	return group->acceptor ? "client" : "server";
}

static void send_all(struct cxi_group *group, enum member_message_type type, const char *reason)
{
	for (unsigned i = 0; i < group->count; i++)
		if (is_live(&group->list[i]))
			(void)pair_send(group->list[i].fd, type, reason, false /* waits */);
}

static void signal_all(const struct cxi_group *group, int number)
{
	for (unsigned i = 0; i < group->count; i++)
		if (is_live(&group->list[i]))
			kill(group->list[i].pid, number);
}

static void fail_with(struct cxi_group *group, const char *reason)
{
	group->ending.interrupted = true;
	if (!group->ending.failure[0])
		snprintf(group->ending.failure, sizeof(group->ending.failure), "%s", reason);
}

/* Ends the test because of this side, and tells all peers why. */
static void end_all(struct cxi_group *group, const char *reason)
{
	fail_with(group, reason);
	group->given_up = true;
	send_all(group, GROUP_ENDS, reason);
	signal_all(group, SIGINT);
}

static void follow_user(struct cxi_group *group)
{
	const int number = stop_flag;

	if (!number)
		return;
	stop_flag = 0;
	group->stopping = true;
	group->ending.interrupted = true;
	signal_all(group, number);
}

/* --- joining and leaving --- */

/* 0 or -errno, reported; the caller then still owns conn. NULL: it connects. */
static int start_pair(struct cxi_group *group, unsigned n, const char *name, struct conn *conn)
{
	struct cxi_pair *pair = &group->list[n];
	struct cxi_member member = {.slot = pair->slot, .run_id = group->run_id, .missing = &group->shared->missing};
	struct cxi_params params = *group->params;
	char subject[LOG_SUBJECT_SIZE];
	pid_t pid;

	memset(pair->slot, 0, sizeof(*pair->slot));
	pid = pair_fork(&member.fd);
	if (pid < 0)
		return (int)pid;
	if (pid) {
		*pair = (struct cxi_pair){.pid = pid, .fd = member.fd, .slot = pair->slot};
		snprintf(pair->name, sizeof(pair->name), "%s", name);
		if (conn)
			close(conn_release(conn));
		return 0;
	}
	for (unsigned i = 0; i < group->count; i++)
		if (is_live(&group->list[i]))
			close(group->list[i].fd);
	if (group->acceptor)
		cxi_acceptor_forget(group->acceptor);
	if (!conn)
		cxi_params_take_server(&params, n);
	/* The group prints, and compares with the limits. */
	params.output = (struct output_options){0};
	params.limit_bw = params.limit_msgrate = 0;
	params.bw_unit = params.msgrate_unit = 0;
	params.limit_peers = params.possible = false;
	snprintf(subject, sizeof(subject), "%.60s", name);
	log_set_subject(subject);
	exit((int)group->ops->run(&params, group->acceptor, &member, conn));
}

static unsigned free_pair(const struct cxi_group *group)
{
	unsigned n = 0;

	while (n < group->count && group->list[n].pid)
		n++;
	return n;
}

/* Those that come when the group is complete are refused or, if another group follows, wait for that. */
static bool reads_clients(const struct cxi_group *group)
{
	if (!group->acceptor || group->given_up || group->stopping)
		return false;
	return group->complete ? !group->params->keep_serving : free_pair(group) < group->count;
}

static void refuse_client(struct conn *conn, const char *reason)
{
	log_info("client %s was refused: %s", conn->peer, reason);
	message_post_end(conn, &cxi_messages, MESSAGE_REFUSE, reason);
	conn_close(conn);
}

/* 0 or -errno, reported. */
static int take_clients(struct cxi_group *group)
{
	while (reads_clients(group)) {
		char reason[160];
		struct conn conn;
		int ret = cxi_acceptor_next(group->acceptor, &conn);

		group->cannot_accept = ret && ret != -EAGAIN;
		if (ret)
			return ret == -EAGAIN ? 0 : ret;
		if (group->complete) {
			snprintf(reason, sizeof(reason), "this server already has all of its %u clients (--clients)",
				 group->count);
			refuse_client(&conn, reason);
			continue;
		}
		ret = start_pair(group, free_pair(group), conn.peer, &conn);
		if (!ret)
			continue;
		refuse_client(&conn, log_last_error());
		return ret;
	}
	return 0;
}

static void count_missing(struct cxi_group *group)
{
	unsigned missing = 0;

	for (unsigned i = 0; i < group->count; i++)
		missing += !group->list[i].joined && !group->list[i].ended;
	group->shared->missing = missing;
	group->complete |= !missing;
}

/* All must ask for what the first one asks for. */
static const char *first_options(const struct cxi_group *group)
{
	for (unsigned i = 0; i < group->count; i++)
		if (group->list[i].joined)
			return group->list[i].slot->options;
	return NULL;
}

static void take_agreed(struct cxi_group *group, struct cxi_pair *pair)
{
	const char *options = first_options(group);

	if (options && strncmp(options, pair->slot->options, CXI_OPTIONS_SIZE) != 0) {
		(void)pair_send(pair->fd, GROUP_REFUSES,
				"all clients must ask for the same test, and this one asks for another than the first",
				false /* waits */);
		return;
	}
	pair->joined = true;
	group->refused = 0;
	/* A client that repeatedly joins and leaves does not make the others wait forever. */
	if (count_joined(group) > group->most_joined) {
		group->most_joined = count_joined(group);
		group->next = deadline_in_ms((int64_t)group->params->timeout_s * 1000);
	}
	count_missing(group);
	(void)pair_send(pair->fd, GROUP_TAKES, "", false /* waits */);
	log_line(log_is_verbose() ? LOG_OF_INFO : LOG_OF_HUMAN, "%s %s has connected, %u of %u", peers_role(group),
		 pair->name, count_joined(group), group->count);
}

static void reap(struct cxi_group *group, struct cxi_pair *pair)
{
	char text[CXI_PEER_SIZE + 32];
	enum exit_status status;
	int number;

	status = pair_await(pair->pid, &number);
	close(pair->fd);
	pair->ended = true;
	pair->ready = false;
	if (number)
		log_error("the process that tested with %s %s was killed by signal %d (%s)", peers_role(group),
			  pair->name, number, strsignal(number));
	if (group->acceptor && !group->complete && !group->given_up && !group->stopping) {
		if (pair->joined)
			log_info("client %s disconnected before the start; another client may take its place",
				 pair->name);
		group->refused += !pair->joined;
		*pair = (struct cxi_pair){.slot = pair->slot};
		pending_renew(&group->acceptor->pending);
		if (!count_joined(group))
			group->most_joined = 0;
		count_missing(group);
		return;
	}
	count_missing(group);
	if (status == EXIT_STATUS_VALIDATION) {
		group->ending.wrong_data = true;
		snprintf(text, sizeof(text), "%s %s: wrong data", peers_role(group), pair->name);
		fail_with(group, text);
	} else if (status != EXIT_STATUS_OK && !group->stopping) {
		snprintf(text, sizeof(text), "%s %s was lost", peers_role(group), pair->name);
		fail_with(group, text);
		if (!group->given_up)
			log_warning("%s", text);
	}
}

static void pair_read(struct cxi_group *group, struct cxi_pair *pair)
{
	struct member_message message;
	int ret;

	while (!(ret = pair_receive(pair->fd, &message))) {
		if (message.type == MEMBER_AGREED)
			take_agreed(group, pair);
		pair->ready |= message.type == MEMBER_READY;
		pair->measured |= message.type == MEMBER_MEASURED;
	}
	if (ret != -EAGAIN)
		reap(group, pair);
}

/* --- the common steps: 0 or -errno, reported --- */

static int open_report(struct cxi_group *group)
{
	const struct cxi_facts **pairs = calloc(group->count, sizeof(*pairs));
	char reason[OPT_TEXT_SIZE];
	struct cxi_facts facts;
	unsigned n = 0;
	int ret = 0;

	if (!pairs)
		return log_fail(-ENOMEM, "no memory for %u pairs", group->count);
	for (unsigned i = 0; i < group->count; i++)
		if (is_live(&group->list[i]))
			pairs[n++] = &group->list[i].slot->facts;
	facts = *pairs[0];
	facts.pairs = pairs;
	facts.num_pairs = n;
	/* They have been adopted by the pairs' processes. */
	if (group->acceptor)
		ret = cxi_options_adopt(&group->shown, first_options(group), reason, sizeof(reason));
	if (ret)
		log_error("%s", reason);
	else
		ret = cxi_report_begin(&group->report, &facts);
	group->is_open = !ret;
	free(pairs);
	return ret;
}

static int start_all(struct cxi_group *group)
{
	const int ret = group->is_open ? 0 : open_report(group);

	if (ret)
		return ret;
	for (unsigned i = 0; i < group->count; i++)
		group->list[i].ready = false;
	send_all(group, GROUP_STARTS, "");
	return 0;
}

/* What was moved in all of the common time: rates of times that are not the same are never added up. */
static int print_row(struct cxi_group *group)
{
	struct cxi_peers peers = {.list = group->peers, .num_listed = group->count};
	struct cxi_figures sum = {.peers = &peers, .cpu_percent = NAN, .repeats = series_of_one()};
	const struct cxi_account *account = NULL;
	struct spans spans = {0};
	uint64_t lists = 0;

	for (unsigned i = 0; i < group->count; i++)
		if (group->list[i].measured)
			spans_add(&spans, group->list[i].slot->begin_ns, group->list[i].slot->end_ns);
	for (unsigned i = 0; i < group->count; i++) {
		const struct cxi_pair *pair = &group->list[i];
		const struct cxi_slot *slot = pair->slot;
		const struct cxi_figures *one = &slot->figures;

		group->peers[i] = (struct cxi_peer){pair->name, pair->measured ? one : NULL,
						    (double)(slot->begin_ns - spans.first_begin) / 1e9};
		if (!pair->measured)
			continue;
		account = &slot->account;
		lists += slot->lists;
		sum.has_sends = one->has_sends;
		sum.sends += one->sends;
		sum.has_verify = one->has_verify;
		sum.checked += one->checked;
		sum.wrong += one->wrong;
		sum.partial |= one->partial;
		sum.cpu_percent = fmax(sum.cpu_percent, one->cpu_percent);
		peers.least = peers.count ? fmin(peers.least, one->bandwidth) : one->bandwidth;
		peers.most = fmax(peers.most, one->bandwidth);
		peers.error_s = fmax(peers.error_s, (double)slot->error_ns / 1e9);
		group->shares[peers.count++] = one->bandwidth;
	}
	for (unsigned i = 0; i < group->count; i++)
		group->list[i].measured = false;
	peers.fairness = fairness_of(group->shares, peers.count);
	peers.overlap_percent = spans_overlap_percent(&spans);
	sum.partial |= peers.count < group->count;
	cxi_figures_seen(account, lists, spans_seconds(&spans), &sum);
	return cxi_report_row(&group->report, &sum);
}

/* Does what the state of all processes requires. */
static int group_advance(struct cxi_group *group)
{
	unsigned live = 0, ready = 0, measured = 0, waited_for = 0;
	int ret = 0;

	for (unsigned i = 0; i < group->count; i++) {
		const struct cxi_pair *pair = &group->list[i];

		live += is_live(pair);
		ready += is_live(pair) && pair->ready;
		measured += pair->measured;
		waited_for += is_live(pair) && !pair->measured;
	}
	if (measured && !waited_for)
		ret = print_row(group);
	if (!ret && group->complete && live && ready == live)
		ret = start_all(group);
	return ret;
}

static bool is_gathering(const struct cxi_group *group)
{
	return group->acceptor && !group->given_up && !group->stopping && !group->complete;
}

/* Once one has joined, the others have until this. */
static struct deadline gathering_end(const struct cxi_group *group)
{
	return is_gathering(group) && count_joined(group) ? group->next : deadline_in_ms(-1);
}

/* Not all have joined in time, or as many as are awaited were refused: they would be again. */
static void check_joining(struct cxi_group *group)
{
	char reason[160];

	if (is_gathering(group) && !count_live(group) && group->refused >= group->count)
		snprintf(reason, sizeof(reason),
			 "none of %u clients could join, and this server waits for %u (--clients)", group->refused,
			 group->count);
	else if (deadline_passed(gathering_end(group)))
		snprintf(reason, sizeof(reason),
			 "only %u of %u clients connected, and no further one within %u s (--timeout)",
			 count_joined(group), group->count, group->params->timeout_s);
	else
		return;
	log_error("%s", reason);
	end_all(group, reason);
}

/* Until something happens. */
static void await_any(struct cxi_group *group)
{
	const bool reads = reads_clients(group);
	struct deadline deadline = gathering_end(group);
	unsigned count = 0;

	if (reads) {
		count = listener_poll_fds(&group->acceptor->listener, group->fds);
		count += pending_poll_fds(&group->acceptor->pending, group->fds + count, &deadline);
	}
	for (unsigned i = 0; i < group->count; i++)
		if (is_live(&group->list[i]))
			group->fds[count++] = (struct pollfd){.fd = group->list[i].fd, .events = POLLIN};
	if (!wait_fds(group->fds, count, deadline) && reads)
		pending_wake(&group->acceptor->pending);
}

/* From the first client to the end of the last. 0 or -errno, reported. */
static int run_group(struct cxi_group *group)
{
	int ret, failed = 0;

	for (;;) {
		follow_user(group);
		ret = take_clients(group);
		for (unsigned i = 0; i < group->count; i++)
			if (is_live(&group->list[i]))
				pair_read(group, &group->list[i]);
		if (!ret && !failed)
			ret = group_advance(group);
		if (ret && !failed) {
			failed = ret;
			end_all(group, log_last_error());
		}
		check_joining(group);
		if (!count_live(group) && !is_gathering(group))
			return failed;
		await_any(group);
	}
}

/* --- start and end of a group --- */

static size_t shared_size(unsigned count)
{
	return sizeof(struct cxi_shared) + count * sizeof(struct cxi_slot);
}

static int group_open(struct cxi_group *group, unsigned number)
{
	const unsigned count = group->count;
	void *memory = mmap(NULL, shared_size(count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct output_options *output = &group->shown.output;
	int ret = 0;

	group->shared = memory == MAP_FAILED ? NULL : memory;
	group->list = calloc(count, sizeof(*group->list));
	group->peers = calloc(count, sizeof(*group->peers));
	group->shares = calloc(count, sizeof(*group->shares));
	group->fds = calloc(count + PENDING_LISTENER_FDS + PENDING_MAX_FDS, sizeof(*group->fds));
	if (!group->shared || !group->list || !group->peers || !group->shares || !group->fds)
		return log_fail(-ENOMEM, "no memory for %u pairs", count);
	for (unsigned i = 0; i < count; i++)
		group->list[i].slot = &group->shared->slots[i];
	group->shared->missing = count;
	group->run_id = run_id_draw();
	group->shown = *group->params;
	if (group->params->keep_serving)
		ret = output_file_number_client(output->json_file, sizeof(output->json_file), number);
	return ret ? ret : cxi_report_open(&group->report, &group->shown, stdout);
}

static int report_end(void *own, const char *status, const char *reason)
{
	return cxi_report_close(&((struct cxi_group *)own)->report, status, reason);
}

static enum exit_status group_end(struct cxi_group *group, int ret)
{
	enum exit_status status;

	group->ending.limit_failed = group->report.results.envelope.missed_limits;
	status = life_conclude(&group->ending, report_end, group, ret);
	if (group->shared)
		munmap(group->shared, shared_size(group->count));
	free(group->list);
	free(group->peers);
	free(group->shares);
	free(group->fds);
	return status;
}

/* One group after the other, each with its own clients. */
static enum exit_status serve(const struct cxi_params *params, const struct cxi_group_ops *ops)
{
	static struct cxi_acceptor acceptor;
	const size_t warnings = log_warning_count();
	enum exit_status status;
	unsigned number = 0;
	bool left;
	int ret;

	do {
		struct cxi_group group = {
			.params = params, .ops = ops, .acceptor = &acceptor, .count = params->num_clients};

		log_forget_warnings(warnings);
		pending_renew(&acceptor.pending);
		ret = group_open(&group, ++number);
		if (!ret)
			ret = cxi_acceptor_listen(&acceptor, params);
		left = ret; /* the next group could not begin either */
		if (!ret)
			ret = run_group(&group);
		left |= group.stopping || group.cannot_accept;
		status = group_end(&group, ret);
		/* Ctrl-C is the regular end of a server that keeps serving. */
		if (group.stopping && params->keep_serving && !group.complete)
			status = EXIT_STATUS_OK;
	} while (params->keep_serving && !left);
	cxi_acceptor_close(&acceptor);
	return status;
}

static enum exit_status meet(const struct cxi_params *params, const struct cxi_group_ops *ops)
{
	struct cxi_group group = {.params = params, .ops = ops, .count = params->num_hosts};
	int ret = group_open(&group, 0);

	for (unsigned i = 0; !ret && i < group.count; i++) {
		char name[CXI_PEER_SIZE];
		size_t length;
		const char *at = hosts_at(params->host, i, &length);

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		ret = start_pair(&group, i, name, NULL /* it connects */);
	}
	if (ret && group.list)
		end_all(&group, log_last_error());
	if (group.list)
		ret = run_group(&group) || ret ? -ECHILD : 0;
	return group_end(&group, ret);
}

/* Forked members would otherwise share what it opens. */
static enum exit_status probe(const struct cxi_params *params, const struct cxi_group_ops *ops)
{
	int fd, number;
	enum exit_status status;
	const pid_t pid = pair_fork(&fd);

	if (!pid)
		exit((int)ops->probe(params));
	if (pid < 0)
		return EXIT_STATUS_FAILURE;
	status = pair_await(pid, &number);
	close(fd);
	if (number)
		log_error("the process that looked for the transport was killed by signal %d (%s)", number,
			  strsignal(number));
	return status;
}

enum exit_status cxi_group_main(const struct cxi_params *params, const struct cxi_group_ops *ops)
{
	const enum exit_status status = probe(params, ops);

	if (status)
		return status;
	return params->host[0] ? meet(params, ops) : serve(params, ops);
}
