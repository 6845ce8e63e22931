// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Exchange of keys with rdma_cm with peers of linux-rdma perftest: 56 bytes up to 6.28, 64 from 6.29 on, in both roles.
 * Packets between two sockets represent SENDs; everything that the peer sends is queued before this side starts.
 */
#include "cmocka_all.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "comm/perftest_communication.h"
#include "comm/protocol.h"
#include "comm/wire.h"
#include "util/log.h"

static struct comm comm;
static int far = -1;
static unsigned broken_off;

/* --- a carrier of packets --- */

static ssize_t send_now(struct conn *of, const void *bytes, size_t length)
{
	const ssize_t sent = send(of->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);

	return sent < 0 ? -ECONNRESET : sent;
}

static ssize_t receive_now(struct conn *of, void *bytes, size_t size)
{
	const ssize_t got = recv(of->fd, bytes, size, MSG_DONTWAIT);

	if (got > 0)
		return got;
	return got < 0 && errno == EAGAIN ? 0 : -ECONNRESET;
}

static int poll_fds(struct conn *of, short events, struct pollfd *fds)
{
	*fds = (struct pollfd){.fd = of->fd, .events = events};
	return 1;
}

static void break_off(struct conn *of)
{
	broken_off++;
}

static void close_packets(struct conn *of)
{
	close(of->fd);
}

static const struct carrier packets = {
	.name = "packets",
	.packets = true,
	.send_now = send_now,
	.receive_now = receive_now,
	.poll_fds = poll_fds,
	.break_off = break_off,
	.close = close_packets,
};

/* --- the peer --- */

static void meet(bool client, const char *version)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	far = fds[1];
	comm = (struct comm){
		.client = client, .channel.timeout_ms = 5000, .ops = &comm_classic, .traits = &comm_classic_traits};
	comm.conn = (struct conn){
		.fd = fds[0], .carrier = &packets, .role = client ? "server" : "client", .peer = "10.0.0.9:18515"};
	snprintf(comm.peer_version, sizeof(comm.peer_version), "%s", version);
	assert_int_equal(conn_open(&comm.conn), 0);
	broken_off = 0;
}

static int end(void **state)
{
	comm_close(&comm);
	if (far >= 0)
		close(far);
	far = -1;
	return 0;
}

static void peer_says(const void *bytes, size_t length)
{
	assert_int_equal(send(far, bytes, length, MSG_NOSIGNAL), length);
}

static const struct endpoint peers_keys = {
	.lid = 7,
	.qpn = 0x123,
	.psn = 0x456,
	.rkey = 0x789,
	.vaddr = 0x7f0000001000,
	.out_reads = 16,
	.gid = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 9},
};

static const struct endpoint our_keys = {
	.qpn = 0x321,
	.psn = 0x654,
	.rkey = 0x987,
	.vaddr = 0x7f0000002000,
	.gid = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 8},
};

static void peer_says_keys(enum wire_classic_type type)
{
	uint8_t bytes[WIRE_CLASSIC_MAX_SIZE];

	wire_classic_encode(type, &peers_keys, bytes);
	peer_says(bytes, wire_classic_size(type));
}

/* What this side sent next must be these keys in this form. */
static void assert_received_keys(enum wire_classic_type type)
{
	uint8_t expected[WIRE_CLASSIC_MAX_SIZE], came[256];

	wire_classic_encode(type, &our_keys, expected);
	assert_int_equal(recv(far, came, sizeof(came), MSG_DONTWAIT), wire_classic_size(type));
	assert_memory_equal(came, expected, wire_classic_size(type));
}

static void exchange_sizes(enum metric metric)
{
	const struct comm_plan plan = {.traffic = {.verb = VERB_WRITE, .metric = metric, .active = comm.client},
				       .mtu = 1024,
				       .page_bytes = 4096,
				       .cache_line = 64};
	uint32_t page;
	uint8_t drop[64];

	peer_says("\0\0\x10\0", 4);
	peer_says("\0\0\0\x40", 4);
	peer_says("3", 2);
	assert_int_equal(comm_exchange_sizes(&comm, &plan, &page), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(recv(far, drop, sizeof(drop), MSG_DONTWAIT) > 0);
}

static int exchange(struct endpoint *theirs)
{
	return comm_exchange_endpoints(&comm, &our_keys, theirs, 1);
}

static void assert_keys(const struct endpoint *theirs)
{
	assert_int_equal(theirs->qpn, peers_keys.qpn);
	assert_int_equal(theirs->rkey, peers_keys.rkey);
	assert_int_equal(theirs->vaddr, peers_keys.vaddr);
	assert_memory_equal(theirs->gid, peers_keys.gid, sizeof(theirs->gid));
}

/* --- tests --- */

static const struct {
	const char *version;
	bool client;
	enum wire_classic_type type;
} fitting[] = {
	{"6.06", true, WIRE_CLASSIC_KEYS_CM},	       {"6.06", false, WIRE_CLASSIC_KEYS_CM},
	{"6.28", true, WIRE_CLASSIC_KEYS_CM},	       {"6.28", false, WIRE_CLASSIC_KEYS_CM},
	{"6.28", false, WIRE_CLASSIC_KEYS_CM_MARKERS}, {"6.29", true, WIRE_CLASSIC_KEYS_CM_MARKERS},
	{"6.29", false, WIRE_CLASSIC_KEYS_CM_MARKERS}, {"7.10", true, WIRE_CLASSIC_KEYS_CM_MARKERS},
};

TEST(keys_have_the_form_of_the_peer)
{
	for (size_t i = 0; i < sizeof(fitting) / sizeof(fitting[0]); i++) {
		struct endpoint theirs;

		meet(fitting[i].client, fitting[i].version);
		exchange_sizes(METRIC_BW);
		peer_says_keys(fitting[i].type);
		assert_int_equal(exchange(&theirs), 0);
		assert_keys(&theirs);
		assert_received_keys(fitting[i].type);
		end(NULL);
	}
}

/* Who asks of a build between 6.28 and 6.29 hears too late how it was understood, unless the first H was a barrier. */
TEST(a_peer_that_is_not_what_it_calls_itself, NULL, end)
{
	struct endpoint theirs;

	meet(true, "6.28");
	exchange_sizes(METRIC_BW);
	peer_says_keys(WIRE_CLASSIC_KEYS_CM_MARKERS);
	assert_int_equal(exchange(&theirs), -EPROTO);
	assert_non_null(strstr(log_last_error(), "says that it is linux-rdma perftest 6.28"));
	end(NULL);

	meet(true, "6.28");
	exchange_sizes(METRIC_LAT);
	peer_says_keys(WIRE_CLASSIC_KEYS_CM_MARKERS);
	peer_says_keys(WIRE_CLASSIC_KEYS_CM_MARKERS);
	assert_int_equal(exchange(&theirs), 0);
	assert_keys(&theirs);
	assert_received_keys(WIRE_CLASSIC_KEYS_CM);
	assert_received_keys(WIRE_CLASSIC_KEYS_CM_MARKERS);
	end(NULL);

	meet(true, "6.28");
	exchange_sizes(METRIC_BW);
	peer_says_keys(WIRE_CLASSIC_KEYS_CM_MARKERS);
	assert_int_equal(comm_exchange_readiness(&comm, &our_keys, 1), 0); /* -R */
	peer_says_keys(WIRE_CLASSIC_KEYS_CM_MARKERS);
	assert_int_equal(exchange(&theirs), 0);
	assert_received_keys(WIRE_CLASSIC_KEYS_CM);
	assert_received_keys(WIRE_CLASSIC_KEYS_CM_MARKERS);
}

TEST(markers_are_refused, NULL, end)
{
	uint8_t bytes[WIRE_CLASSIC_MAX_SIZE];
	struct endpoint theirs;

	meet(false, "6.29");
	exchange_sizes(METRIC_BW);
	wire_classic_encode(WIRE_CLASSIC_KEYS_CM_MARKERS, &peers_keys, bytes);
	bytes[39] = 1;
	peer_says(bytes, 64);
	assert_int_equal(exchange(&theirs), -EBADMSG);
	assert_non_null(strstr(log_last_error(), "--data_validation"));
}

TEST(what_has_another_length_is_no_keys, NULL, end)
{
	struct endpoint theirs;

	meet(false, "6.29");
	exchange_sizes(METRIC_BW);
	peer_says("keys of sixty bytes, which no version has ever had on wires", 60);
	assert_int_equal(exchange(&theirs), -EBADMSG);
	assert_non_null(strstr(log_last_error(), "sent 60 bytes instead of its keys"));
}

/* With -R it has no queue pair by then, and its keys are zeros. */
TEST(a_peer_with_rdma_cm_queue_pairs_is_named, NULL, end)
{
	for (unsigned client = 0; client < 2; client++) {
		uint8_t bytes[WIRE_CLASSIC_MAX_SIZE];
		struct endpoint theirs;

		meet(client, "6.06");
		exchange_sizes(METRIC_BW);
		wire_classic_encode(WIRE_CLASSIC_KEYS_CM, &(struct endpoint){0}, bytes);
		peer_says(bytes, wire_classic_size(WIRE_CLASSIC_KEYS_CM));
		assert_int_equal(exchange(&theirs), -EPROTO);
		assert_non_null(strstr(log_last_error(), "uses -R, but this side does not"));
		end(NULL);
	}
}

/* Such a peer polls without a limit: whoever refuses it makes that fail. */
TEST(a_peer_that_is_refused_is_ended, NULL, end)
{
	meet(false, "6.29");
	comm_abort(&comm, "no");
	assert_int_equal(broken_off, 1);
}

TEST_MAIN(NULL, NULL)
