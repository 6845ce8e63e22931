// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A whole run of a command line, for `perftest compare`, `gate`, `verify` and `run -f`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "front/figure.h"
#include "front/launch/child.h"
#include "front/launch/sibling.h"
#include "util/wait.h"

#define START_MS  30000 /* for a server to listen */
#define POLITE_MS 5000	/* for a server to end behind its client, and for what was told to end */
#define LOOK_MS	  10	/* for what gives no event */
#define REST_MS	  1000	/* while the program runs */

struct trial {
	struct child server, client;
};

static void trial_read(struct trial *trial)
{
	child_read(&trial->server);
	child_read(&trial->client);
}

/* Until the child has ended, or listens. 0 (what has ended has no pid), -ETIMEDOUT or -EINTR. */
static int trial_await(struct trial *trial, struct child *child, bool listens, int *status, int64_t limit_ms)
{
	const struct deadline deadline = deadline_in_ms(limit_ms);
	struct pollfd fds[2 * CHILD_FDS];
	unsigned num_fds;

	for (;;) {
		/* The end of a child closes its pipes. */
		const int64_t look_ms = child_poll_fds(child, fds) && !listens ? REST_MS : LOOK_MS;

		if (child_ended(child, status) || (listens && child_listens(child)))
			return 0;
		if (deadline_passed(deadline))
			return -ETIMEDOUT;
		num_fds = child_poll_fds(&trial->server, fds);
		num_fds += child_poll_fds(&trial->client, fds + num_fds);
		if (wait_fds(fds, num_fds, deadline_sooner(deadline, deadline_in_ms(look_ms))) == -EINTR)
			return -EINTR;
		trial_read(trial);
	}
}

/* Politely first, so that they leave nothing behind; also after the user's stop. Returns the document, or NULL. */
static json_t *trial_end(struct trial *trial)
{
	const struct deadline deadline = deadline_in_ms(POLITE_MS);
	json_t *document = NULL;
	int status;

	child_signal(&trial->client, SIGTERM);
	child_signal(&trial->server, SIGTERM);
	while ((trial->client.pid || trial->server.pid) && !deadline_passed(deadline)) {
		trial_read(trial);
		if (!child_ended(&trial->client, &status) && !child_ended(&trial->server, &status))
			wait_fds_after_stop(NULL, 0, deadline_in_ms(LOOK_MS));
	}
	if (trial->client.used)
		document = json_loadb(trial->client.text, trial->client.used, 0 /* no flags */, NULL);
	child_close(&trial->client);
	child_close(&trial->server);
	return document;
}

#define TRIAL_FAIL(reason, ...) (snprintf(reason, TRIAL_REASON_SIZE, __VA_ARGS__), -EIO)

/* The client has ended. What one side says may be the other's fault, so both are asked. */
static int trial_judge(struct trial *trial, int status, bool server_ends, char reason[TRIAL_REASON_SIZE])
{
	char client[CHILD_WORDS_SIZE], server[CHILD_WORDS_SIZE];
	const char *of_client = child_failure(&trial->client, status, client, sizeof(client)), *of_server = NULL;
	int ret = -ETIMEDOUT;

	if (trial->server.pid && (of_client || server_ends))
		ret = trial_await(trial, &trial->server, false, &status, of_client ? REST_MS : POLITE_MS);
	if (ret == -EINTR)
		return ret;
	if (!ret)
		of_server = child_failure(&trial->server, status, server, sizeof(server));
	if (of_client && of_server)
		return TRIAL_FAIL(reason, "client: %s; server: %s", of_client, of_server);
	if (of_client || of_server)
		return TRIAL_FAIL(reason, "%s: %s", of_client ? "client" : "server", of_client ? of_client : of_server);
	return 0;
}

static int trial_serve(struct trial *trial, const struct child_program *program, char reason[TRIAL_REASON_SIZE])
{
	char words[CHILD_WORDS_SIZE];
	const char *failure;
	int status, ret = child_start(&trial->server, program, NULL, 0);

	if (ret)
		return TRIAL_FAIL(reason, "cannot start a server: %s", strerror(-ret));
	ret = trial_await(trial, &trial->server, true, &status, START_MS);
	if (ret == -EINTR)
		return ret;
	if (ret)
		return TRIAL_FAIL(reason, "server: it did not listen within %d s", START_MS / 1000);
	if (trial->server.pid)
		return 0;
	failure = child_failure(&trial->server, status, words, sizeof(words));
	snprintf(reason, TRIAL_REASON_SIZE, "server: %s", failure ? failure : "it ended before it listened");
	return -ENOTCONN;
}

static int trial_measure(struct trial *trial, const struct child_program *program, unsigned limit_s,
			 char reason[TRIAL_REASON_SIZE])
{
	int status, ret = child_start(&trial->client, program, "127.0.0.1", trial->server.port);

	if (ret)
		return TRIAL_FAIL(reason, "cannot start a client: %s", strerror(-ret));
	ret = trial_await(trial, &trial->client, false, &status, 1000LL * limit_s);
	if (ret == -ETIMEDOUT)
		return TRIAL_FAIL(reason, "it did not end within %u s (--limit)", limit_s);
	return ret ? ret : trial_judge(trial, status, !program->how->host_first, reason);
}

int trial_run(const struct child_program *program, unsigned limit_s, json_t **document, char reason[TRIAL_REASON_SIZE])
{
	struct trial trial;
	int ret = 0;

	reason[0] = '\0'; /* of a user who stops it there is none */
	child_init(&trial.server);
	child_init(&trial.client);
	if (!program->is_alone)
		ret = trial_serve(&trial, program, reason);
	if (!ret)
		ret = trial_measure(&trial, program, limit_s, reason);
	*document = trial_end(&trial);
	return ret || *document ? ret : TRIAL_FAIL(reason, "its JSON document cannot be read");
}

int trial_result(const struct child_program *program, unsigned limit_s, const char *who, json_t **document, char *fault,
		 size_t size)
{
	char reason[TRIAL_REASON_SIZE];
	int ret = trial_run(program, limit_s, document, reason);

	snprintf(fault, size, "%s failed: %s", who, ret ? reason : figure_fault(*document) ?: "");
	return ret || !figure_fault(*document) ? ret : -ENODATA;
}
