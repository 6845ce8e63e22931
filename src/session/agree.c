// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do two ends come to run the same test? The client's options travel; a server started bare
 * takes them over, and one that was told otherwise says so to both. Called by session.c once a
 * connection stands.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "session/state.h"
#include "util/log.h"

static void describe_self(const struct session *session, struct comm_hello *hello)
{
	snprintf(hello->program, sizeof(hello->program), "%s", session->test->program.name);
	snprintf(hello->version, sizeof(hello->version), "%s", PACKAGE_VERSION);
	if (gethostname(hello->host, sizeof(hello->host)))
		hello->host[0] = '\0';
	hello->host[sizeof(hello->host) - 1] = '\0';
}

static int client_agree(struct session *session)
{
	struct comm_hello hello = {0};
	char reason[256];
	int ret;

	ret = params_export(&session->params, &hello.params);
	if (ret) {
		log_error("out of memory");
		return ret;
	}
	describe_self(session, &hello);
	ret = comm_ask(&session->comm, &hello, &session->peer);
	comm_hello_clear(&hello);
	if (ret)
		return ret;
	ret = params_resolve(&session->params, reason, sizeof(reason));
	if (ret)
		log_error("%s", reason);
	return ret;
}

/* Says no to the client and tells this side's user the same. */
static int refuse(struct session *session, int error, const char *reason)
{
	log_error("client %s: %s", session->comm.peer, reason);
	comm_refuse(&session->comm, reason);
	return error;
}

static int server_agree(struct session *session)
{
	struct comm_hello answer = {0};
	char reason[512];
	int ret;

	ret = comm_read_hello(&session->comm, &session->peer);
	if (ret)
		return ret;
	if (strcmp(session->peer.program, session->test->program.name) != 0) {
		snprintf(reason, sizeof(reason), "the server runs %s and the client %s; both must run the same program",
			 session->test->program.name, session->peer.program);
		return refuse(session, -EPROTO, reason);
	}
	ret = params_adopt(&session->params, session->peer.params, reason, sizeof(reason));
	if (!ret)
		ret = params_resolve(&session->params, reason, sizeof(reason));
	if (ret)
		return refuse(session, ret, reason);
	describe_self(session, &answer);
	return comm_agree(&session->comm, &answer);
}

int session_agree(struct session *session)
{
	int ret;

	session->comm.timeout_ms = (int)session->params.timeout_s * 1000;
	ret = comm_greet(&session->comm);
	if (ret)
		return ret;
	ret = session->comm.client ? client_agree(session) : server_agree(session);
	if (!ret && session->params.data_validation && !comm_validates(&session->comm)) {
		log_error(
			"the peer %s is a classic perftest, whose --data_validation is of another kind: leave it out, "
			"or run this suite on both sides",
			session->comm.peer);
		ret = -EPROTONOSUPPORT;
	}
	return ret;
}

void session_assign(struct session *session)
{
	const struct params *params = &session->params;

	session->loops = params->with_imm ? &session->test->with_imm : &session->test->plain;
	session->active = session->comm.client != params->reversed;
	if (params->bidirectional) {
		session->loop = session->loops->both;
		session->peer_loops = true;
	} else if (session->active) {
		session->loop = session->loops->active;
		session->peer_loops = session->loops->passive != NULL;
	} else {
		session->loop = session->loops->passive;
		session->peer_loops = true;
	}
}
