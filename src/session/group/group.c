// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Several pairs at once. See group.h. */
#include <config.h>

#include "session/group/group.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "explain/cluster.h"
#include "params/engine/host.h"
#include "params/perftest_parameters.h"
#include "session/measure/measurement.h"
#include "session/print/print.h"
#include "session/state.h"
#include "util/deadline.h"
#include "util/stop.h"
#include "util/wait.h"
#include "verbs/device/gid_form.h"

struct pair_group {
	struct processes processes;
	struct pollfd *fds;
	struct group_row merged;
	char *agreed;	      /* the options of the first pair that agreed; the others must have the same */
	bool complete;	      /* no other pair is awaited */
	bool given_up;	      /* gave up before it was complete */
	bool stopping;	      /* it ends early, and the members know */
	bool left;	      /* ... because of its user */
	bool cannot_accept;   /* no client can be accepted any more */
	unsigned refused;     /* clients of this suite that left before they joined, since the last that joined */
	unsigned departed;    /* ... that had joined, and left before the start */
	unsigned most_joined; /* maximum so far; one more pair restarts the others' --timeout */
	struct deadline next; /* by when the next pair must join */
	struct group_process *sender; /* multicast: it was told to send, and has not said that it has; or NULL */
	struct session whole;	      /* for the report and its limits; not of a pair */
};

static unsigned count_live(const struct pair_group *group)
{
	unsigned count = 0;

	for (unsigned i = 0; i < group->processes.count; i++)
		count += process_is_live(&group->processes.list[i]);
	return count;
}

static unsigned count_joined(const struct pair_group *group)
{
	unsigned count = 0;

	for (unsigned i = 0; i < group->processes.count; i++)
		count += group->processes.list[i].joined;
	return count;
}

static void stop_all(struct pair_group *group, int number)
{
	group->stopping = true;
	for (unsigned i = 0; i < group->processes.count; i++)
		if (process_is_live(&group->processes.list[i]))
			kill(group->processes.list[i].pid, number);
}

/* but: to all others; NULL: to all. */
static void send_all(struct pair_group *group, const struct group_process *but, enum member_message_type type,
		     const char *reason)
{
	for (unsigned i = 0; i < group->processes.count; i++)
		if (process_is_live(&group->processes.list[i]) && &group->processes.list[i] != but)
			process_send(&group->processes.list[i], type, reason);
}

/* Passes on each signal: the first ends a member's test in order, a second one cuts that short (loop.c). */
static void follow_user(struct pair_group *group)
{
	const int number = stop_flag;

	if (!number)
		return;
	stop_flag = 0;
	group->left = true;
	stop_all(group, number);
}

/* --- joining --- */

static void refuse(struct comm *comm, const char *reason)
{
	log_info("client %s was refused: %s", comm_peer(comm), reason);
	comm_transmit(comm, MESSAGE_REFUSE, reason);
	comm_close(comm);
}

static unsigned free_process_of(const struct pair_group *group)
{
	unsigned n = 0;

	while (n < group->processes.count && group->processes.list[n].pid)
		n++;
	return n;
}

/* A client that has said what it wants gets a process, if one is free; otherwise it is told why not. */
static int admit(struct pair_group *group, struct comm *comm)
{
	const unsigned n = free_process_of(group);
	char reason[160];
	int ret;

	if (comm->verdict) { /* reported, and told to the client */
		comm_close(comm);
		return 0;
	}
	if (comm->traits->lacks[COMM_JOINS]) {
		log_error("client %s is %s, %s (--clients): run this suite there, or run this server without --clients",
			  comm_peer(comm), comm->traits->name, comm->traits->lacks[COMM_JOINS]);
		comm_close(comm);
		return 0;
	}
	if (group->complete) {
		snprintf(reason, sizeof(reason), "this server already has all of its %u clients (--clients)",
			 group->processes.count);
		refuse(comm, reason);
		return 0;
	}
	ret = process_fork(&group->processes, n, comm_peer(comm), comm);
	if (!ret)
		return 0;
	refuse(comm, log_last_error());
	return ret;
}

static void count_missing(struct pair_group *group)
{
	unsigned missing = 0;

	for (unsigned i = 0; i < group->processes.count; i++)
		missing += !group->processes.list[i].joined && !group->processes.list[i].ended;
	group->processes.shared->missing = missing;
	if (!missing)
		group->complete = true;
}

/* The first difference between two exports of options, such as "size=64 here, size=128 there". */
static void report_difference(const char *agreed, const char *asked, char *reason, size_t size)
{
	size_t ours = 0, theirs = 0;

	while (ours = strcspn(agreed, "\n"), theirs = strcspn(asked, "\n"),
	       ours == theirs && ours && !strncmp(agreed, asked, ours)) {
		agreed += ours + (agreed[ours] != '\0');
		asked += theirs + (asked[theirs] != '\0');
	}
	agreed += *agreed == '?';
	asked += *asked == '?';
	snprintf(reason, size, "all clients must ask for the same test: %.*s, but for the first client %.*s",
		 (int)strcspn(asked, "\n"), asked, (int)strcspn(agreed, "\n"), agreed);
}

static void take_agreed(struct pair_group *group, struct group_process *process)
{
	char reason[sizeof(((struct member_message *)NULL)->reason)], title[256];
	char *asked;

	if (params_export(&process->slot->params, &asked)) {
		process_send(process, GROUP_REFUSES, "out of memory");
		return;
	}
	if (group->agreed && strcmp(group->agreed, asked) != 0) {
		report_difference(group->agreed, asked, reason, sizeof(reason));
		process_send(process, GROUP_REFUSES, reason);
		free(asked);
		return;
	}
	if (group->agreed)
		free(asked);
	else
		group->agreed = asked;
	process->joined = true;
	group->refused = 0;
	/* A client that repeatedly joins and leaves does not make the others wait forever. */
	if (count_joined(group) > group->most_joined) {
		group->most_joined = count_joined(group);
		group->next = deadline_in_ms(params_timeout_ms(group->processes.params));
	}
	count_missing(group);
	process_send(process, GROUP_TAKES, "");
	/* Of interest while waiting, or when looking for a client that does not connect. */
	log_line(log_is_verbose() ? LOG_OF_INFO : LOG_OF_HUMAN, "%s has connected, %u of %u",
		 process_title(&group->processes, process, title), count_joined(group), group->processes.count);
}

/* --- leaving --- */

static void process_free(struct pair_group *group, struct group_process *process)
{
	char title[256];

	if (process->joined) {
		group->departed++;
		log_info("%s disconnected before the start; another client may take its place",
			 process_title(&group->processes, process, title));
	} else {
		group->refused++;
	}
	*process = (struct group_process){.slot = process->slot};
	pending_renew(&group->processes.listener->pending); /* the next client may have been waiting for it */
	if (!count_joined(group)) {
		group->most_joined = 0;
		free(group->agreed);
		group->agreed = NULL;
	}
	count_missing(group);
}

static void note_lost(struct pair_group *group, const struct group_process *process)
{
	struct session *whole = &group->whole;
	char title[256];

	process_title(&group->processes, process, title);
	if (!whole->ending.failure[0])
		snprintf(whole->ending.failure, sizeof(whole->ending.failure), "%s was lost", title);
	whole->ending.interrupted = true;
	if (group->given_up)
		return;
	if (count_live(group))
		log_warning("%s was lost; the test continues with the other %u", title, count_live(group));
	else
		log_warning("%s was lost", title);
}

/* The group's document has those of all pairs, which have printed them. */
static void take_warnings(struct pair_group *group, const struct group_process *process)
{
	char title[PROCESS_TITLE_SIZE], text[PROCESS_TITLE_SIZE + MEMBER_WARNING_SIZE + 2];

	process_title(&group->processes, process, title);
	for (unsigned i = 0; i < MEMBER_WARNINGS && process->slot->warnings[i][0]; i++) {
		snprintf(text, sizeof(text), "%s: %.*s", title, MEMBER_WARNING_SIZE - 1, process->slot->warnings[i]);
		log_keep_warning(text);
	}
}

static void reap(struct pair_group *group, struct group_process *process)
{
	char title[256];
	int number;

	process->status = pair_await(process->pid, &number);
	close(process->fd);
	process->ended = true;
	process->ready = false;
	if (number)
		log_error("the process that tested with %s was killed by signal %d (%s)",
			  process_title(&group->processes, process, title), number, strsignal(number));
	if (group->processes.listener && !group->complete && !group->given_up && !group->stopping) {
		process_free(group, process);
		return;
	}
	count_missing(group);
	take_warnings(group, process);
	if (process->status == EXIT_STATUS_OK)
		return;
	if (group->stopping)
		group->whole.ending.interrupted = true;
	else
		note_lost(group, process);
}

/* --- the common steps --- */

/* --explain. The rows of all pairs follow; one of them says what kind of test it is. 0 or -ENOMEM, reported. */
static int begin_explanation(struct session *whole, const struct member_slot *slot, unsigned pairs)
{
	struct explain_test *test;

	whole->explainer = calloc(1, sizeof(*whole->explainer));
	if (!whole->explainer)
		return log_fail(-ENOMEM, "no memory for --explain");
	test = &whole->explainer->explanation.test;
	*test = slot->explainer.explanation.test;
	test->depth *= pairs;
	test->queue_pairs *= pairs;
	whole->resources.mtu = test->mtu;
	return 0;
}

/*
 * Once all pairs have ended: what each peer has seen, and this side, of whose processes the one counts that waited most
 * for a CPU.
 */
static void explain_all(struct pair_group *group)
{
	const struct explain_test *test = &group->whole.explainer->explanation.test;
	struct cluster_member *members = calloc(1 + group->processes.count, sizeof(*members)), *own = members;
	uint32_t count = 1;
	int ret = members ? 0 : -ENOMEM;

	for (unsigned i = 0; members && i < group->processes.count; i++) {
		const struct group_process *process = &group->processes.list[i];
		const struct explanation *pair = &process->slot->explainer.explanation;
		const double share =
			(double)process->slot->row.iterations / fmax(1, (double)group->merged.row.iterations);
		struct cluster_member *peer = &members[count];

		if (!process->joined || !pair->has_peer)
			continue;
		if (!own->has_facts || pair->facts[0].number[FACT_RUN_DELAY] > own->facts.number[FACT_RUN_DELAY])
			*own = (struct cluster_member){.test = *test, .has_facts = true, .facts = pair->facts[0]};
		*peer = (struct cluster_member){
			.peer = process->name, .test = *test, .has_facts = true, .facts = pair->facts[1]};
		peer->test.is_client = !test->is_client;
		peer->test.messages *= share;
		peer->test.packets *= share;
		snprintf(peer->name, sizeof(peer->name), "%s %s", test->is_client ? "server" : "client", process->name);
		count++;
	}
	if (count > 1) {
		snprintf(own->name, sizeof(own->name), "%s", test->is_client ? "client" : "server");
		ret = cluster_explain(members, count, 0 /* this side */, report_results(group->whole.report));
	}
	if (ret)
		log_error("no memory for --explain");
	free(members);
}

static int open_report(struct pair_group *group)
{
	const unsigned count = group->processes.count;
	const struct report_info **pairs;
	struct session *whole = &group->whole;
	const struct member_slot *asking = NULL;
	struct report_info info;
	unsigned n = 0;
	int ret;

	while (!process_is_live(&group->processes.list[n]))
		n++;
	whole->params = group->processes.list[n].slot->params;
	/* what is not of a pair, as given: params_take_server() */
	memcpy(whole->params.host, group->processes.params->host, sizeof(whole->params.host));
	whole->params.limits.peers = group->processes.params->limits.peers;
	resolve_report(&whole->params);
	whole->traffic = params_traffic(&whole->params, group->processes.listener ? SIDE_SERVER : SIDE_CLIENT);
	whole->path = group->processes.list[n].slot->path;
	whole->path.paced *= count_live(group);
	ret = session_open_report(whole);
	if (ret)
		return ret;
	info = group->processes.list[n].slot->info;
	pairs = calloc(count, sizeof(*pairs));
	for (unsigned i = n; i < count && pairs; i++) {
		const struct member_slot *slot = group->processes.list[i].slot;

		if (!process_is_live(&group->processes.list[i]))
			continue;
		pairs[info.num_pairs++] = &slot->info;
		asking = !asking && slot->params.general.explain ? slot : asking;
	}
	if (asking)
		ret = begin_explanation(whole, asking, info.num_pairs);
	if (ret)
		goto out;
	info.pairs = pairs;
	info.peer = info.peer_host = info.peer_version = info.peer_provenance = NULL;
	info.samples *= count_live(group);
	info.lacks_peak =
		whole->traffic.metric == METRIC_BW && !whole->params.test.no_peak && !whole->params.verbs.group.is_used;
	ret = report_header(whole->report, &info);
out:
	free(pairs);
	if (!ret)
		report_heading(whole->report);
	return ret;
}

/* Multicast: a receiver of another group than the first one's would get no message, and leaves. */
static bool refuse_other_groups(struct pair_group *group)
{
	const struct group_process *first = NULL;
	bool refused = false;

	for (unsigned i = 0; i < group->processes.count; i++) {
		struct group_process *process = &group->processes.list[i];
		char ours[64], theirs[64], reason[sizeof(((struct member_message *)NULL)->reason)];

		if (!process_is_live(process))
			continue;
		if (!first)
			first = process;
		if (!memcmp(&first->slot->multicast, &process->slot->multicast, sizeof(first->slot->multicast)))
			continue;
		snprintf(reason, sizeof(reason),
			 "server %.100s receives from the multicast group %s, server %.100s from %s: give them the "
			 "same -M",
			 process->name, gid_text(&process->slot->multicast, theirs, sizeof(theirs)), first->name,
			 gid_text(&first->slot->multicast, ours, sizeof(ours)));
		log_error("%s", reason);
		process->ready = false;
		process_send(process, GROUP_ENDS, reason);
		refused = true;
	}
	return refused;
}

/* All members start the next measurement. */
static int start_all(struct pair_group *group)
{
	int ret = 0;

	if (refuse_other_groups(group))
		return 0;
	if (!group->whole.report)
		ret = open_report(group);
	group->processes.shared->sent.row = (struct report_row){0};
	if (ret)
		return ret;
	for (unsigned i = 0; i < group->processes.count; i++)
		group->processes.list[i].ready = false;
	send_all(group, NULL, GROUP_STARTS, "");
	return 0;
}

/* Multicast: the receivers of all members run, and the first of these sends to all. */
static void start_sender(struct pair_group *group)
{
	for (unsigned i = 0; i < group->processes.count; i++) {
		struct group_process *process = &group->processes.list[i];

		/* One that has measured already was stopped by its peer. */
		if (!group->sender && process_is_live(process) && !process->measured)
			group->sender = process;
		process->runs = false;
	}
	if (group->sender)
		process_send(group->sender, GROUP_SENDS, "");
}

/* The others tell their receivers how many messages that were. */
static void take_sent(struct pair_group *group, const struct group_process *sender)
{
	group->sender = NULL;
	send_all(group, sender, GROUP_SENT, "");
}

static int group_print_row(struct pair_group *group)
{
	struct session *whole = &group->whole;
	const struct report_row *sent = whole->params.verbs.group.is_used ? &group->processes.shared->sent.row : NULL;
	const struct report_row *row = &group->merged.row;
	int ret;

	ret = group_row_make(&group->merged, group->processes.list, group->processes.count, sent);
	for (unsigned i = 0; i < group->processes.count; i++)
		group->processes.list[i].measured = false;
	if (ret)
		return log_fail(ret, "the pairs measured different message sizes, so there is no common row: give -s, "
				     "and with -c UD one that all of them can send");
	ret = report_result(whole->report, row, REPORT_TOTAL);
	session_warn_of_overlap(whole, row, "all pairs", "the peers' clocks are");
	session_check_limits(whole, row);
	session_explain_row(whole, row);
	if (row->partial && !group->stopping)
		whole->ending.interrupted = true;
	if (row->partial && !group->stopping && !whole->ending.failure[0])
		snprintf(whole->ending.failure, sizeof(whole->ending.failure), "ended early by a peer");
	return ret;
}

/* Does what the state of all processes requires. 0 or -errno, reported. */
static int group_advance(struct pair_group *group)
{
	unsigned live = 0, ready = 0, runs = 0, measured = 0, waited_for = 0;
	int ret = 0;

	for (unsigned i = 0; i < group->processes.count; i++) {
		const struct group_process *process = &group->processes.list[i];

		live += process_is_live(process);
		ready += process_is_live(process) && process->ready;
		runs += process_is_live(process) && process->runs;
		measured += process->measured;
		waited_for += process_is_live(process) && !process->measured;
	}
	if (group->sender && (!process_is_live(group->sender) || group->sender->measured)) {
		log_error("the pair that sends to all receivers, with server %s, ended early", group->sender->name);
		group->sender = NULL;
		return -ECHILD;
	}
	if (runs && runs == live)
		start_sender(group);
	if (measured && !waited_for)
		ret = group_print_row(group);
	if (!ret && group->complete && live && ready == live)
		ret = start_all(group);
	return ret;
}

static void process_read(struct pair_group *group, struct group_process *process)
{
	struct member_message message;
	char title[256];
	int ret;

	while (!(ret = pair_receive(process->fd, &message))) {
		switch (message.type) {
		case MEMBER_AGREED:
			take_agreed(group, process);
			break;
		case MEMBER_READY:
			process->ready = true;
			if (log_is_verbose())
				log_info("%s is ready", process_title(&group->processes, process, title));
			break;
		case MEMBER_MEASURED:
			process->measured = true;
			break;
		case MEMBER_RUNS:
			process->runs = true;
			break;
		case MEMBER_SENT:
			take_sent(group, process);
			break;
		default:
			break;
		}
	}
	if (ret != -EAGAIN)
		reap(group, process);
}

/* Ends the test because of this side, and tells all peers why. */
static void end_all(struct pair_group *group, const char *reason)
{
	snprintf(group->whole.ending.failure, sizeof(group->whole.ending.failure), "%s", reason);
	group->whole.ending.interrupted = true;
	send_all(group, NULL, GROUP_ENDS, reason);
}

/* Is it still waiting for clients? */
static bool is_gathering(const struct pair_group *group)
{
	return group->processes.listener && !group->given_up && !group->stopping && !group->complete;
}

/* Once one has joined, the others have until this. */
static struct deadline gathering_end(const struct pair_group *group)
{
	return is_gathering(group) && count_joined(group) ? group->next : deadline_in_ms(-1);
}

/* Not all have joined in time, or as many as are awaited were refused: they would be again. */
static void group_check_joining(struct pair_group *group)
{
	const unsigned count = group->processes.count;
	char reason[sizeof(((struct member_message *)NULL)->reason)], others[48] = "";

	if (group->departed)
		snprintf(others, sizeof(others), ", %u other%s joined and left again", group->departed,
			 group->departed == 1 ? "" : "s");
	if (is_gathering(group) && !count_live(group) && group->refused >= count)
		snprintf(reason, sizeof(reason),
			 "none of %u clients could join%s, and this server waits for %u (--clients)", group->refused,
			 others, count);
	else if (deadline_passed(gathering_end(group)))
		snprintf(reason, sizeof(reason),
			 "only %u of %u clients connected, and no further one within %u s (--timeout)",
			 count_joined(group), count, group->processes.params->channel.timeout_s);
	else
		return;
	log_error("%s", reason);
	group->given_up = true;
	end_all(group, reason);
}

/*
 * Clients that connect when the group is complete are refused or, if another group follows, wait for that. They also
 * wait while all processes are used by clients that may not agree, and leave again.
 */
static bool reads_clients(const struct pair_group *group)
{
	if (!group->processes.listener || group->given_up || group->stopping)
		return false;
	return group->complete ? !group->processes.params->channel.keep_serving
			       : free_process_of(group) < group->processes.count;
}

/* 0 or -errno, reported. */
static int take_clients(struct pair_group *group)
{
	int ret = 0;

	while (!ret && reads_clients(group)) {
		struct comm comm;

		ret = comm_next_client(&comm, group->processes.listener, params_timeout_ms(group->processes.params));
		group->cannot_accept = ret && ret != -EAGAIN;
		if (ret)
			return ret == -EAGAIN ? 0 : ret;
		ret = admit(group, &comm);
	}
	return ret;
}

/* Until something happens. */
static void await_any(struct pair_group *group)
{
	const bool reads = reads_clients(group);
	struct deadline deadline = gathering_end(group);
	unsigned count = reads ? comm_listener_poll_fds(group->processes.listener, group->fds, &deadline) : 0;
	int ret;

	for (unsigned i = 0; i < group->processes.count; i++)
		if (process_is_live(&group->processes.list[i]))
			group->fds[count++] = (struct pollfd){.fd = group->processes.list[i].fd, .events = POLLIN};
	ret = wait_fds(group->fds, count, deadline);
	if (!ret && reads)
		pending_wake(&group->processes.listener->pending);
}

/* From the first client to the end of the last. 0 or -errno, reported. */
static int run_group(struct pair_group *group)
{
	int ret = 0, failed = 0;

	for (;;) {
		/* Before checking which have ended: they may have ended by the same signal, sent to all. */
		follow_user(group);
		ret = take_clients(group);
		for (unsigned i = 0; i < group->processes.count; i++)
			if (process_is_live(&group->processes.list[i]))
				process_read(group, &group->processes.list[i]);
		if (!ret && !failed)
			ret = group_advance(group);
		if (ret && !failed) {
			failed = ret;
			end_all(group, log_last_error());
			stop_all(group, SIGINT);
		}
		group_check_joining(group);
		if (!count_live(group) &&
		    (!group->processes.listener || group->complete || group->given_up || group->stopping))
			return failed;
		await_any(group);
		ret = 0;
	}
}

static enum exit_status conclude(struct pair_group *group, int ret)
{
	struct session *whole = &group->whole;
	enum exit_status status;

	if (group->stopping && !ret && !whole->ending.failure[0])
		whole->ending.interrupted = true;
	if (whole->explainer)
		explain_all(group);
	status = life_conclude(&whole->ending, session_close_report, whole, ret);
	free(whole->explainer);
	report_free(whole->report);
	return status;
}

/* --- start and end of a group --- */

static void group_close(struct pair_group *group)
{
	processes_close(&group->processes);
	free(group->fds);
	free(group->agreed);
	group_row_close(&group->merged);
	free(group);
}

/* NULL: no memory, reported. */
static struct pair_group *group_open(const struct params *params, const struct group_ops *ops,
				     struct comm_listener *listener)
{
	const unsigned count = params_num_peers(params);
	struct pair_group *group = calloc(1, sizeof(*group));

	if (group && !processes_open(&group->processes, count) && !group_row_open(&group->merged, count))
		group->fds = calloc(count + COMM_LISTENER_FDS, sizeof(*group->fds));
	if (!group || !group->fds) {
		log_error("no memory for %u pairs", count);
		if (group)
			group_close(group);
		return NULL;
	}
	group->processes.params = params;
	group->processes.ops = ops;
	group->processes.listener = listener;
	return group;
}

/* In a process of its own: forked members would otherwise share what it opens. */
static enum exit_status probe(const struct params *params, const struct group_ops *ops)
{
	const pid_t parent = getpid();
	enum exit_status status;
	int number;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		stop_with_parent(parent, SIGTERM);
		exit((int)ops->probe(params));
	}
	if (pid < 0) {
		log_error("cannot start a process: %s", strerror(errno));
		return EXIT_STATUS_FAILURE;
	}
	status = pair_await(pid, &number);
	if (number)
		log_error("the process that examined the device was killed by signal %d (%s)", number,
			  strsignal(number));
	return status;
}

/* One group after the other, each with its own clients. */
static enum exit_status serve(const struct params *params, const struct group_ops *ops,
			      const struct comm_address *address)
{
	const size_t warnings = log_warning_count();
	struct comm_listener listener;
	enum exit_status status;
	unsigned number = 0;
	bool left = false;

	if (comm_listen(&listener, address))
		return EXIT_STATUS_FAILURE;
	do {
		struct pair_group *group = group_open(params, ops, &listener);

		if (!group) {
			status = EXIT_STATUS_FAILURE;
			break;
		}
		if (params->channel.keep_serving)
			group->whole.client_number = ++number;
		log_forget_warnings(warnings);
		report_waiting(&params->report);
		pending_renew(&listener.pending);
		status = conclude(group, run_group(group));
		/* Ctrl-C is the regular end of a server that keeps serving. */
		if (group->left && params->channel.keep_serving && !group->complete)
			status = EXIT_STATUS_OK;
		left = group->left || group->cannot_accept;
		group_close(group);
	} while (params->channel.keep_serving && !left);
	comm_listener_close(&listener);
	return status;
}

static enum exit_status meet(const struct params *params, const struct group_ops *ops)
{
	struct pair_group *group = group_open(params, ops, NULL /* it connects */);
	enum exit_status status;
	int ret = 0;

	if (!group)
		return EXIT_STATUS_FAILURE;
	for (unsigned i = 0; !ret && i < group->processes.count; i++) {
		char name[MEMBER_TEXT_SIZE];
		size_t length;
		const char *at = hosts_at(params->host, i, &length);

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		ret = process_fork(&group->processes, i, name, NULL /* it connects */);
	}
	if (ret) {
		end_all(group, log_last_error());
		stop_all(group, SIGINT);
	}
	status = conclude(group, run_group(group) || ret ? -ECHILD : 0);
	group_close(group);
	return status;
}

enum exit_status group_main(const struct params *params, const struct group_ops *ops,
			    const struct comm_address *address)
{
	const enum exit_status status = probe(params, ops);

	if (status)
		return status;
	return params->host[0] ? meet(params, ops) : serve(params, ops, address);
}
