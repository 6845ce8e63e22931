// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What each side does in a test. Every kind of test on both sides: a table of what the manual pages say, and what must
 * hold between the two sides whatever they run.
 */
#include "traffic/traffic.h"

#include "cmocka_all.h"

#define NUM_VERBS (VERB_ATOMIC + 1)

/* What a side does, as a word: p posts, r receives, b begins, m measures, R reports, < data comes from it, > to it. */
static const char *text_of(const struct traffic *traffic, char text[16])
{
	snprintf(text, 16, "%s%s%s%s%s%s%s", traffic->posts ? "p" : "", traffic->receives ? "r" : "",
		 traffic->begins ? "b" : "", traffic->measures ? "m" : "", traffic->reports ? "R" : "",
		 traffic->source ? "<" : "", traffic->sink ? ">" : "");
	return text;
}

static const struct {
	const char *name;
	struct traffic_spec spec;
	const char *client;
	const char *server;
} cases[] = {
	{"ib_send_bw", {.verb = VERB_SEND, .metric = METRIC_BW}, "pbmR<", "rmR>"},
	{"ib_send_bw -b", {.verb = VERB_SEND, .metric = METRIC_BW, .bidirectional = true}, "prbmR<>", "prbmR<>"},
	{"ib_send_bw --reversed", {.verb = VERB_SEND, .metric = METRIC_BW, .reversed = true}, "rmR>", "pbmR<"},
	{"ib_send_bw --send_with_imm", {.verb = VERB_SEND, .metric = METRIC_BW, .with_imm = true}, "pbmR<", "rmR>"},
	{"ib_send_lat", {.verb = VERB_SEND, .metric = METRIC_LAT}, "prbmR<>", "prmR<>"},
	{"ib_send_lat --reversed", {.verb = VERB_SEND, .metric = METRIC_LAT, .reversed = true}, "prmR<>", "prbmR<>"},
	{"raw_ethernet_burst_lat", {.verb = VERB_SEND, .metric = METRIC_LAT, .bursts = true}, "prbmR<>", "prm<>"},
	{"raw_ethernet_bw --mac_fwd",
	 {.verb = VERB_SEND, .metric = METRIC_BW, .bidirectional = true, .forwards = true},
	 "prbmR<>",
	 "prmR<>"},
	{"ib_write_bw", {.verb = VERB_WRITE, .metric = METRIC_BW}, "pbmR<", ">"},
	{"ib_write_bw -b", {.verb = VERB_WRITE, .metric = METRIC_BW, .bidirectional = true}, "pbmR<>", "pbm<>"},
	{"ib_write_bw --reversed", {.verb = VERB_WRITE, .metric = METRIC_BW, .reversed = true}, ">", "pbmR<"},
	{"ib_write_bw --write_with_imm", {.verb = VERB_WRITE, .metric = METRIC_BW, .with_imm = true}, "pbmR<", "rmR>"},
	{"ib_write_bw --write_with_imm -b",
	 {.verb = VERB_WRITE, .metric = METRIC_BW, .with_imm = true, .bidirectional = true},
	 "prbmR<>",
	 "prbmR<>"},
	{"ib_write_lat", {.verb = VERB_WRITE, .metric = METRIC_LAT}, "pmR<>", "pbmR<>"},
	{"ib_write_lat --write_with_imm",
	 {.verb = VERB_WRITE, .metric = METRIC_LAT, .with_imm = true},
	 "prmR<>",
	 "prbmR<>"},
	{"ib_send_lat --send_with_imm",
	 {.verb = VERB_SEND, .metric = METRIC_LAT, .with_imm = true},
	 "prbmR<>",
	 "prmR<>"},
	{"ib_read_bw", {.verb = VERB_READ, .metric = METRIC_BW}, "pbmR>", "<"},
	{"ib_read_bw -b", {.verb = VERB_READ, .metric = METRIC_BW, .bidirectional = true}, "pbmR<>", "pbm<>"},
	{"ib_read_lat", {.verb = VERB_READ, .metric = METRIC_LAT}, "pbmR>", "<"},
	{"ib_read_lat --reversed", {.verb = VERB_READ, .metric = METRIC_LAT, .reversed = true}, "<", "pbmR>"},
	{"ib_send_lat --rate", {.verb = VERB_SEND, .metric = METRIC_LAT, .open_loop = true}, "prbmR<>", "prm<>"},
	{"ib_write_lat --rate", {.verb = VERB_WRITE, .metric = METRIC_LAT, .open_loop = true}, "pbmR<>", "pm<>"},
	{"ib_write_lat --rate --reversed",
	 {.verb = VERB_WRITE, .metric = METRIC_LAT, .open_loop = true, .reversed = true},
	 "pm<>",
	 "pbmR<>"},
	{"ib_read_lat --rate", {.verb = VERB_READ, .metric = METRIC_LAT, .open_loop = true}, "pbmR>", "<"},
	{"ib_atomic_bw", {.verb = VERB_ATOMIC, .metric = METRIC_BW}, "pbmR>", "<"},
	{"ib_atomic_lat", {.verb = VERB_ATOMIC, .metric = METRIC_LAT}, "pbmR>", "<"},
};

TEST(each_test_is_as_its_manual_says)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct traffic client = traffic_of(&cases[i].spec, SIDE_CLIENT);
		const struct traffic server = traffic_of(&cases[i].spec, SIDE_SERVER);
		char text[16];

		if (strcmp(text_of(&client, text), cases[i].client) != 0)
			fail_msg("%s: the client does %s, not %s", cases[i].name, text, cases[i].client);
		if (strcmp(text_of(&server, text), cases[i].server) != 0)
			fail_msg("%s: the server does %s, not %s", cases[i].name, text, cases[i].server);
	}
}

static void for_all(void (*check)(const struct traffic_spec *spec))
{
	for (unsigned bits = 0; bits < 16; bits++) {
		for (int verb = 0; verb < NUM_VERBS; verb++) {
			for (int metric = METRIC_BW; metric <= METRIC_LAT; metric++) {
				for (int transport = 0; transport < TRANSPORT_COUNT; transport++) {
					const struct traffic_spec spec = {
						.verb = (enum verb)verb,
						.metric = (enum metric)metric,
						.transport = (enum transport)transport,
						.with_imm = (bits & 1) && verb <= VERB_WRITE,
						.reversed = bits & 2,
						.bidirectional = (bits & 4) && metric == METRIC_BW,
						.open_loop = (bits & 8) && metric == METRIC_LAT,
					};

					check(&spec);
				}
			}
		}
	}
}

static void check_sides(const struct traffic_spec *spec)
{
	const struct traffic client = traffic_of(spec, SIDE_CLIENT);
	const struct traffic server = traffic_of(spec, SIDE_SERVER);

	/* What one side says of the other is what the other says of itself. */
	assert_int_equal(client.peer_posts, server.posts);
	assert_int_equal(server.peer_posts, client.posts);
	assert_int_equal(client.peer_measures, server.measures);
	assert_int_equal(server.peer_measures, client.measures);
	assert_int_equal(client.active, !server.active);
	/* What is posted arrives; data goes from one to the other. */
	assert_int_equal(client.receives, client.arrivals && server.posts);
	assert_int_equal(server.receives, server.arrivals && client.posts);
	assert_int_equal(client.source, server.sink);
	assert_int_equal(client.sink, server.source);
	assert_true(client.source || client.sink);
	/* Somebody begins, with -b both, in a ping-pong one; somebody measures and reports. */
	assert_true(client.begins || server.begins);
	assert_int_equal(client.begins && server.begins, spec->bidirectional);
	assert_true(client.reports || server.reports);
	assert_true(client.measures || !client.reports);
	assert_true(server.measures || !server.reports);
}

static void check_common(const struct traffic_spec *spec)
{
	const struct traffic client = traffic_of(spec, SIDE_CLIENT);
	const struct traffic server = traffic_of(spec, SIDE_SERVER);

	assert_int_equal(client.opcode, server.opcode);
	/* A side with one type of queue pair posts from it, or is posted to. */
	assert_int_equal(client.splits, server.splits);
	assert_true(client.splits || !(client.posts && client.peer_posts) ||
		    client.transport->initiator_qp == client.transport->target_qp);
	assert_ptr_equal(client.transport, transport_traits(spec->transport));
	assert_int_equal(client.ping_pong, server.ping_pong);
	assert_int_equal(client.ping_pong || client.echoes, spec->metric == METRIC_LAT && client.posts && server.posts);
	assert_int_equal(client.open_loop, spec->open_loop);
	assert_int_equal(client.echoes, client.open_loop && client.posts && server.posts);
	assert_false(client.ping_pong && client.open_loop);
	/* In an open loop one side samples; what may be lost or overtaken has a number. */
	assert_int_equal(client.samples + server.samples, spec->metric != METRIC_LAT ? 0 : 1 + client.ping_pong);
	assert_int_equal(client.numbered,
			 client.open_loop && !client.polls_memory && !transport_counts(client.transport));
	/* A message shows in one way: in a receive, in memory, or in the initiator's completion. */
	assert_false(client.arrivals && client.polls_memory);
	assert_true(!client.polls_memory || client.opcode == IBV_WR_RDMA_WRITE);
	assert_int_equal(client.pulls, client.opcode == IBV_WR_RDMA_READ ||
					       client.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
					       client.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD);
	assert_int_equal(client.arrivals, client.opcode == IBV_WR_SEND || client.opcode == IBV_WR_SEND_WITH_IMM ||
						  client.opcode == IBV_WR_RDMA_WRITE_WITH_IMM);
	assert_int_equal(traffic_opcode_is_one_sided(client.opcode), spec->verb != VERB_SEND);
}

static void check_reversed(const struct traffic_spec *spec)
{
	struct traffic_spec other = *spec;
	struct traffic client = traffic_of(spec, SIDE_CLIENT), server;
	char ours[16], theirs[16];

	other.reversed = !spec->reversed;
	server = traffic_of(&other, SIDE_SERVER);
	assert_string_equal(text_of(&client, ours), text_of(&server, theirs));
	assert_int_equal(client.active, server.active);
}

TEST(both_sides_agree)
{
	for_all(check_sides);
	for_all(check_common);
}

TEST(reversed_changes_the_sides)
{
	for_all(check_reversed);
}

/* The window of an open loop by memory: powers of two, so that a mask wraps the stride; two slots at least. */
TEST(slots_are_for_any_size)
{
	for (uint64_t size = 1; size <= 8 << 20; size = size * 3 / 2 + 1) {
		uint32_t step;
		const uint32_t slots = traffic_slots(size, &step);

		assert_true(step >= size && step >= 64 && (step & (step - 1)) == 0);
		assert_true(slots >= 2 && slots <= 256 && (slots & (slots - 1)) == 0);
		assert_true((uint64_t)slots * step <= 16 << 20);
		assert_true(slots == 256 || (uint64_t)slots * step * 2 > 16 << 20);
	}
}

TEST(the_atomic_is_the_one_asked_for)
{
	struct traffic_spec spec = {.verb = VERB_ATOMIC, .atomic_type = ATOMIC_CMP_AND_SWAP};

	assert_int_equal(traffic_of(&spec, SIDE_CLIENT).opcode, IBV_WR_ATOMIC_CMP_AND_SWP);
	spec.atomic_type = ATOMIC_FETCH_AND_ADD;
	assert_int_equal(traffic_of(&spec, SIDE_CLIENT).opcode, IBV_WR_ATOMIC_FETCH_AND_ADD);
}

/* What the specification says of each; a row that is forgotten has no name. */
TEST(transports_are_what_the_specification_says)
{
	for (int i = 0; i < TRANSPORT_COUNT; i++) {
		const struct transport_traits *traits = transport_traits((enum transport)i);

		assert_non_null(traits->name);
		/* An unreliable datagram brings its route header; nothing that is reliable comes twice. */
		assert_int_equal(traits->recv_header_bytes, traits->initiator_qp == QP_KIND_UD ? 40 : 0);
		assert_false(traits->reliable && traits->repeats);
		/* rdma_cm has port spaces for connected and datagram services. */
		assert_int_equal(traits->rdma_cm,
				 traits->initiator_qp == QP_KIND_RC || traits->initiator_qp == QP_KIND_UD);
		/* Others connect as datagrams, or not; whose address a request names has a handle. */
		assert_true(traits->by_handle || !traits->datagram);
		assert_true(traits->by_handle || !traits->names_both);
		/* What only a provider makes, rdma_cm knows nothing of. */
		assert_true(traits->maker == MADE_BY_VERBS || !traits->rdma_cm);
		assert_false(traits->own_receives && traits->needs_srq);
		/* A request that names a shared receive queue does so because its target QP has none of its own. */
		assert_int_equal(traits->needs_srq, traits->initiator_qp != traits->target_qp);
		assert_true(traits->needs_srq || !traits->xrc_domain);
	}
	assert_true(transport_counts(transport_traits(TRANSPORT_RC)));
	assert_true(transport_counts(transport_traits(TRANSPORT_XRC)));
	assert_true(transport_counts(transport_traits(TRANSPORT_DC)));
	assert_false(transport_counts(transport_traits(TRANSPORT_SRD)));
	assert_true(transport_traits(TRANSPORT_SRD)->reliable && transport_traits(TRANSPORT_SRD)->datagram);
	assert_false(transport_counts(transport_traits(TRANSPORT_UC)));
	assert_false(transport_counts(transport_traits(TRANSPORT_UD)));
	assert_true(transport_traits(TRANSPORT_UD)->one_packet && transport_traits(TRANSPORT_UD)->datagram);
	assert_false(transport_traits(TRANSPORT_UC)->one_packet || transport_traits(TRANSPORT_UC)->datagram);
}

TEST_MAIN(NULL, NULL)
