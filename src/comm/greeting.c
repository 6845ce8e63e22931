// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The exchange of version texts. See perftest_communication.h. */
#include "comm/perftest_communication.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "comm/protocol.h"
#include "comm/wire.h"
#include "util/terminal.h"
#include "util/wait.h"

static int send_greeting(struct comm *comm)
{
	const struct wire_greeting ours = {
		.text = WIRE_GREETING_TEXT,
		.native = true,
		.newest = WIRE_NATIVE_VERSION,
		.oldest = WIRE_NATIVE_VERSION,
		.program = comm->client ? comm->program : 0,
	};
	uint8_t bytes[WIRE_GREETING_SIZE];

	wire_greeting_encode(&ours, bytes);
	return conn_send(&comm->conn, bytes, sizeof(bytes), comm_limit(comm));
}

/* A client that waits while another is served is told so. */
static int receive_greeting(struct comm *comm)
{
	const struct deadline deadline = comm_limit(comm), quiet = deadline_in_ms(WAIT_QUIET_MS);
	bool reported = !comm->client || quiet.at_ns >= deadline.at_ns;
	char what[192];

	while (conn_pending(&comm->conn) < WIRE_GREETING_SIZE) {
		int rc = conn_fill(&comm->conn, WIRE_GREETING_SIZE, reported ? deadline : quiet);

		if (rc == -ETIMEDOUT && !reported) {
			snprintf(what, sizeof(what), "%s has not answered yet: it may be serving another client",
				 comm->conn.peer);
			wait_report(what, deadline);
			reported = true;
		} else if (rc) {
			return rc;
		}
	}
	return 0;
}

int comm_report_busy(const struct comm *comm, int error)
{
	return conn_error(&comm->conn, error, "did not answer within %g s: it is probably serving another client",
			  (double)comm->channel.timeout_ms / 1e3);
}

/* A server that does not greet usually serves another client; its kernel accepted this connection. */
static int report_no_greeting(const struct comm *comm, int error)
{
	if (comm->client && error == -ETIMEDOUT)
		return comm_report_busy(comm, error);
	if (comm->client && error == -ECONNRESET)
		return conn_error(&comm->conn, error,
				  "closed the connection without a greeting: it was serving another client, or is not "
				  "perftest");
	return channel_report(&comm->channel, error, "greeting");
}

#define MPA_REQUEST "MPA ID Req Frame" /* RFC 5044, 7.1.1 */
_Static_assert(sizeof(MPA_REQUEST) - 1 == WIRE_GREETING_SIZE, "a greeting is as long as its key");

/* How other programs of this suite begin, and qperf 0.4.11. */
static const struct {
	const char *bytes;
	size_t length;
	const char *program;
} others[] = {
	{"\0\0\4\0", 4, "qperf"},		      /* the request of its version 0.4 */
	{"this server speaks", 16, "qperf"},	      /* its answer to a greeting */
	{"\x0c\0\0\0cxi_send_bw", 16, "cxi_send_bw"}, /* also HPE's */
	{"PFTC", 4, "cmtime"},
};

static const char *greeting_find_program(const uint8_t bytes[WIRE_GREETING_SIZE])
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (memcmp(bytes, others[i].bytes, others[i].length) == 0)
			return others[i].program;
	return NULL;
}

/* Reports what is wrong with a perftest; text describes a peer that is none (-EBADMSG). */
static int judge_greeting(struct comm *comm, char *text, size_t size)
{
	const uint8_t *bytes = conn_data(&comm->conn);
	const char *program = greeting_find_program(bytes), *fault;
	char came[WIRE_GREETING_SIZE + 1];
	struct wire_greeting peer;

	if (wire_classic_is_keys(bytes))
		return conn_error(&comm->conn, -EPROTONOSUPPORT,
				  "was started with --dont_xchg_versions: give that to both sides, or to neither");
	if (!comm->client && memcmp(bytes, MPA_REQUEST, WIRE_GREETING_SIZE) == 0) {
		snprintf(text, size, "requests an iWARP connection, as -R and -z do: give this server -R as well");
		return -EBADMSG;
	}
	if (program) {
		snprintf(text, size, "is %s: run the same program on both sides", program);
		return -EBADMSG;
	}
	if (wire_greeting_decode(bytes, &peer, &fault)) {
		snprintf(text, size,
			 "is not perftest, or was started with --dont_xchg_versions: it began with \"%s\", %s",
			 printable(bytes, WIRE_GREETING_SIZE, came, sizeof(came)), fault);
		return -EBADMSG;
	}
	if (!peer.native && peer.version < WIRE_CLASSIC_OLDEST)
		return conn_error(&comm->conn, -EPROTONOSUPPORT,
				  "is linux-rdma perftest %s, but this program needs 5.70 or later", peer.text);
	if (peer.native && (peer.oldest > WIRE_NATIVE_VERSION || peer.newest < WIRE_NATIVE_VERSION))
		return conn_error(&comm->conn, -EPROTONOSUPPORT,
				  "speaks versions %u to %u of the protocol, this program version %u: run the same "
				  "perftest on both sides",
				  peer.oldest, peer.newest, WIRE_NATIVE_VERSION);
	conn_consume(&comm->conn, WIRE_GREETING_SIZE);
	memcpy(comm->peer_version, peer.text, sizeof(comm->peer_version));
	if (peer.native && !comm->client)
		comm->program = peer.program;
	comm->traits = peer.native ? &comm_native_traits : &comm_classic_traits;
	comm->ops = peer.native ? &comm_native : &comm_classic;
	comm->channel.protocol = &wire_native;
	comm->channel.ops = peer.native ? &native_channel_ops : NULL;
	comm->channel.keeps = peer.native;
	return 0;
}

/* The client sends first, as classic peers expect. */
int comm_greet(struct comm *comm)
{
	char text[256];
	int rc;

	if (comm->greeted)
		return comm->verdict;
	rc = comm->client ? send_greeting(comm) : 0;
	if (!rc)
		rc = receive_greeting(comm);
	if (rc)
		return report_no_greeting(comm, rc);
	rc = comm_answer_greeting(comm, text, sizeof(text));
	return rc == -EBADMSG ? conn_error(&comm->conn, rc, "%s", text) : rc;
}

int comm_answer_greeting(struct comm *comm, char *text, size_t size)
{
	int rc = judge_greeting(comm, text, size);

	comm->greeted = rc != -EBADMSG;
	/* A perftest of another kind or version also gets our greeting: it can then report the same. */
	if (!comm->client && rc != -EBADMSG) {
		int sent = send_greeting(comm);

		if (sent && !rc)
			rc = channel_report(&comm->channel, sent, "parameters");
	}
	comm->verdict = rc;
	return rc;
}

void comm_assume_classic(struct comm *comm)
{
	comm->traits = &comm_classic_traits;
	comm->unversioned = true;
	comm->ops = &comm_classic;
}
