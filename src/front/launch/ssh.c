// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `perftest --ssh`, and `perftest other_side`, a program as a server, which it starts there: that says on stdout when
 * the server listens and where; then stdout is the server's. It ends the server when stdin ends.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "front/command.h"
#include "front/launch/sibling.h"
#include "front/options.h"
#include "net/wakeup.h"
#include "params/engine/opt_name.h"
#include "util/log.h"
#include "util/process.h"
#include "util/stop.h"
#include "util/wait.h"

#define LOOK_MS		 20
#define REST_MS		 1000  /* then nothing disturbs what is measured */
#define ALONE_MS	 10000 /* for a client to notice that its server is gone */
#define POLITE_MS	 10000 /* for one that was told to end */
#define GRACE_MS	 3000  /* for a server to end after its client */
#define NS_PER_MS	 1000000LL
#define SERVER_LOOK_MS	 10   /* until it listens */
#define SERVER_POLITE_MS 2000 /* between SIGTERM and SIGKILL, and after it */
#define END_SIZE	 128
#define BY_SHELL	 128 /* and a signal: the status of a shell whose program that has ended */

#define SSH_ADDRESS_FORMAT "%63s"
#define SSH_VERSION_SIZE   32
/* What the other side says when its server listens: the version, the port and the host's address, or "-". */
#define SSH_LISTENS	 "perftest %s listens on port %u at %s"
#define SSH_LISTENS_READ "perftest %31s listens on port %u at " SSH_ADDRESS_FORMAT

struct pair_run {
	const struct ssh_params *params;
	struct remote remote;
	struct child client;
	char address[SSH_ADDRESS_SIZE]; /* the other side's word; "": it has not said that its server listens */
	uint16_t port;
};

/* Options, then the program. False: the command is over with *status. */
static bool ssh_parse(struct ssh_params *params, int argc, char **argv, int *status)
{
	const int own = command_begin(&ssh_cli, argc, argv, params, status);
	char reason[OPT_TEXT_SIZE];

	if (!own)
		return false;
	if (params->show_version) {
		cli_print_version();
		*status = stdio_status();
		return false;
	}
	if (own >= argc) {
		*status = cli_usage_error("which program? perftest list names them");
		return false;
	}
	if (child_program_parse(&params->program, argv + own, (unsigned)(argc - own), CHILD_ON_HOSTS, reason,
				sizeof(reason))) {
		*status = cli_usage_error(reason);
		return false;
	}
	params->program.speaks = true;
	return true;
}

/* --- the other side --- */

/* It becomes a word of the client's command line. */
static bool is_address(const char *text)
{
	uint8_t bytes[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

/* One line says where the server listens; the others are the server's, or a login script's. */
static void other_side_line(void *context, const char *line)
{
	struct pair_run *run = context;
	const char *node = run->params->node, *name = strrchr(node, '@');
	char version[SSH_VERSION_SIZE], address[SSH_ADDRESS_SIZE];
	unsigned port;

	if (run->port || sscanf(line, SSH_LISTENS_READ, version, &port, address) != 3 || !port || port > UINT16_MAX) {
		if (run->params->server_output)
			log_classic("%s: %s", node, line);
		return;
	}
	if (strcmp(version, PACKAGE_VERSION) != 0)
		log_warning("%s has version %s of perftest, this is %s", node, version, PACKAGE_VERSION);
	if (run->params->address[0])
		snprintf(run->address, sizeof(run->address), "%s", run->params->address);
	else
		snprintf(run->address, sizeof(run->address), "%.*s", SSH_ADDRESS_SIZE - 1,
			 is_address(address) ? address
			 : name		     ? name + 1
					     : node);
	run->port = (uint16_t)port;
}

/* How many words an option is that is the client's alone: a file of this name; 0: it is for both. */
static unsigned count_clients_own(const char *word)
{
	const size_t length = strcspn(word, "=");

	if (opt_name_equals("--out-json-file", word, length))
		return word[length] ? 1 : 2;
	return opt_name_equals("--out-json", word, length);
}

/* 0 or -errno, reported. */
static int other_side_start(struct pair_run *run)
{
	const struct ssh_params *params = run->params;
	const char **words = calloc(params->program.num_options + 3, sizeof(*words));
	char port[16];
	unsigned used = 0, skip;
	int ret = words ? 0 : -ENOMEM;

	if (!ret) {
		words[used++] = "other_side";
		snprintf(port, sizeof(port), "--port=%u", params->port);
		if (params->port)
			words[used++] = port;
		words[used++] = params->program.name;
		for (unsigned i = 0; i < params->program.num_options; i += skip ? skip : 1) {
			skip = count_clients_own(params->program.options[i]);
			if (!skip)
				words[used++] = params->program.options[i];
		}
		ret = remote_start(&run->remote, params->shell, params->node, words, used);
	}
	free(words);
	if (ret)
		log_error("cannot start the other side on %s: %s", params->node, strerror(-ret));
	return ret;
}

/* Reads what it says, and rests until there is more to see. */
static void pair_rest(struct pair_run *run, int64_t limit_ms)
{
	struct pollfd fds[REMOTE_FDS + CHILD_FDS];
	unsigned used = remote_poll_fds(&run->remote, fds);

	used += child_poll_fds(&run->client, fds + used);
	wait_once(fds, used, NS_PER_MS * limit_ms);
	remote_read(&run->remote, other_side_line, run);
	child_read(&run->client);
}

/* Why the other side has ended: its own words, if it had any. */
static const char *end_of(const struct remote *remote, char text[END_SIZE])
{
	const int code = WEXITSTATUS(remote->status), number = code - BY_SHELL;

	if (WIFSIGNALED(remote->status))
		snprintf(text, END_SIZE, "signal %d (%s) has ended its shell's end on this host",
			 WTERMSIG(remote->status), strsignal(WTERMSIG(remote->status)));
	else if (number > 0 && number < NSIG)
		snprintf(text, END_SIZE, "signal %d (%s) has ended perftest there", number, strsignal(number));
	else if (remote->words[0])
		return "see its words above";
	else
		snprintf(text, END_SIZE, "it said nothing on stderr, with status %d", code);
	return text;
}

/* 0; -EINTR, or -errno, reported. */
static int await_server(struct pair_run *run)
{
	char why[END_SIZE];
	const struct ssh_params *params = run->params;
	const struct deadline deadline = deadline_in_ms(1000LL * params->start_timeout_s);

	while (!run->port) {
		if (stop_requested())
			return -EINTR;
		if (!run->remote.pid) {
			log_error("no server on %s: %s", params->node, end_of(&run->remote, why));
			return -ECONNREFUSED;
		}
		if (deadline_passed(deadline)) {
			log_error("the server on %s does not listen after %u s (--start_timeout)", params->node,
				  params->start_timeout_s);
			return -ETIMEDOUT;
		}
		pair_rest(run, LOOK_MS);
	}
	return 0;
}

/* Until the client has ended, which is told to if the user wants it, or its server is gone. Returns its exit status. */
static int client_watch(struct pair_run *run)
{
	struct deadline alone = deadline_in_ms(-1), notice = deadline_in_ms(-1);
	char why[END_SIZE];
	int status;

	while (!child_ended(&run->client, &status)) {
		if (!run->remote.pid && alone.at_ns == INT64_MAX) {
			alone = deadline_in_ms(ALONE_MS);
			if (run->remote.status && !run->client.asked)
				log_error("the other side on %s has ended too early: %s", run->params->node,
					  end_of(&run->remote, why));
		}
		if (!run->client.asked && (stop_requested() || deadline_passed(alone))) {
			child_end(&run->client, SIGINT, POLITE_MS);
			notice = deadline_in_ms(REMOTE_NOTICE_MS);
		}
		if (deadline_passed(notice)) {
			log_info("waiting for the client on this host to end, until it is killed after %d s",
				 POLITE_MS / 1000);
			notice = deadline_in_ms(-1);
		}
		pair_rest(run, run->client.ends[CHILD_ERRORS] >= 0 && run->remote.pid && !run->client.asked ? REST_MS
													    : LOOK_MS);
	}
	if (status == CHILD_STAYS)
		log_error("the client on this host does not end");
	if (WIFSIGNALED(status) && !run->client.asked)
		log_error("signal %d (%s) has ended the client on this host", WTERMSIG(status),
			  strsignal(WTERMSIG(status)));
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* One that has just begun does not expect a signal yet. */
	return stop_requested() ? EXIT_STATUS_INTERRUPTED : EXIT_STATUS_FAILURE;
}

/* Of one that has failed, or was not there; ssh has numbers of its own. */
static int server_status(const struct remote *remote)
{
	const int status = WIFEXITED(remote->status) ? WEXITSTATUS(remote->status) : EXIT_STATUS_FAILURE;

	return status && status <= EXIT_STATUS_FINDINGS ? status : EXIT_STATUS_FAILURE;
}

/* Returns the exit status of both. */
static int pair_run(struct pair_run *run)
{
	struct deadline grace;
	char why[END_SIZE];
	int ret = await_server(run), status;

	if (ret == -ECONNREFUSED)
		return server_status(&run->remote);
	if (ret)
		return ret == -EINTR ? EXIT_STATUS_INTERRUPTED : EXIT_STATUS_FAILURE;
	ret = child_start(&run->client, &run->params->program, run->address, run->port);
	if (ret) {
		log_error("cannot start %s: %s", run->params->program.name, strerror(-ret));
		return EXIT_STATUS_FAILURE;
	}
	status = client_watch(run);
	grace = deadline_in_ms(status || run->params->program.how->host_first ? 0 : GRACE_MS);
	while (run->remote.pid && !deadline_passed(grace) && !stop_requested())
		pair_rest(run, LOOK_MS);
	if (status || run->remote.pid || !run->remote.status)
		return status;
	log_error("the server on %s failed: %s", run->params->node, end_of(&run->remote, why));
	return server_status(&run->remote);
}

int ssh_main(int argc, char **argv)
{
	static struct ssh_params params;
	static struct pair_run run = {.params = &params};
	const char *fault;
	int status;

	if (!ssh_parse(&params, argc, argv, &status))
		return status;
	fault = remote_node_fault(params.node);
	if (fault) {
		log_error("--ssh: '%.64s' %s", params.node, fault);
		return EXIT_STATUS_USAGE;
	}
	if (stop_install())
		return EXIT_STATUS_FAILURE;
	wakeup_block_signals();
	child_init(&run.client);
	if (other_side_start(&run))
		return EXIT_STATUS_FAILURE;
	status = pair_run(&run);
	child_close(&run.client);
	remotes_close(&run.remote, 1);
	return status;
}

/* --- there --- */

/* SSH_CONNECTION: the client's address and port, the server's address and port. */
static void listening_report(const struct child *child)
{
	const char *connection = getenv("SSH_CONNECTION");
	char address[SSH_ADDRESS_SIZE] = "";

	if (!connection || sscanf(connection, "%*s %*s " SSH_ADDRESS_FORMAT, address) != 1)
		snprintf(address, sizeof(address), "-");
	printf(SSH_LISTENS "\n", PACKAGE_VERSION, child->port, address);
	fflush(stdout);
}

/* Until it has ended. Returns its exit status. */
static int server_watch(struct child *child)
{
	struct pollfd fds[CHILD_FDS];
	bool said = false;
	int status;

	while (!child_ended(child, &status)) {
		child_read(child);
		if (!said && child_listens(child)) {
			listening_report(child);
			said = true;
		}
		if (stop_requested() && !child->asked)
			child_end(child, SIGTERM, SERVER_POLITE_MS);
		wait_once(fds, child_poll_fds(child, fds),
			  NS_PER_MS * (said && !stop_requested() && child->ends[CHILD_ERRORS] >= 0 ? REST_MS
												   : SERVER_LOOK_MS));
	}
	if (status == CHILD_STAYS)
		log_error("the server does not end");
	if (WIFSIGNALED(status) && child->asked != SIGKILL && WTERMSIG(status) != child->asked)
		log_error("signal %d (%s) has ended the server", WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_STATUS_FAILURE;
}

int other_side_main(int argc, char **argv)
{
	struct ssh_params params = {0};
	struct child child;
	int ret;

	if (!ssh_parse(&params, argc, argv, &ret))
		return ret;
	if (stop_install())
		return EXIT_STATUS_FAILURE;
	wakeup_block_signals();
	child_init(&child);
	child.port = params.port;
	if (params.port && child_listens(&child)) {
		log_error("port %u is in use (--port)", params.port);
		return EXIT_STATUS_FAILURE;
	}
	if (remote_watch_stdin(true))
		return EXIT_STATUS_FAILURE;
	ret = child_start(&child, &params.program, NULL, params.port);
	if (ret) {
		log_error("cannot start %s: %s", params.program.name, strerror(-ret));
		return EXIT_STATUS_FAILURE;
	}
	ret = server_watch(&child);
	child_close(&child);
	return ret;
}
