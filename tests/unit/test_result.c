// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is a host suspected whose tail alone is slow, and one that loses? */
#include <math.h>

#include "cmocka_all.h"
#include "front/matrix/result.h"
#include "random_numbers.h"

#define HOSTS 8
#define SLOW  3 /* one of them */

static const struct figure_kind latency = {.key = "latency_typical_usec", .lower_is_best = true};

/* Latencies of all pairs, one tail of a host in both roles so many times as long. */
static void measure(struct result *result, const struct matrix_params *params, double tail)
{
	struct dispatch ended = {.type = MESSAGE_RESULT};

	assert_int_equal(result_open(result, params, HOSTS), 0);
	result->figure = &latency;
	for (unsigned client = 0; client < HOSTS; client++) {
		for (unsigned server = 0; server < HOSTS; server++) {
			const bool is_slow = client == SLOW || server == SLOW;

			if (client == server)
				continue;
			ended.value = 2e-6 * exp(0.01 * random_normal());
			ended.tails[0] = 4e-6 * exp(0.1 * random_normal());
			ended.tails[1] = 9e-6 * exp(0.1 * random_normal()) * (is_slow ? tail : 1);
			result_set(result_cell(result, client, server), &ended);
		}
	}
	assert_int_equal(result_judge(result), 0);
}

TEST(a_tail_is_named)
{
	static char *names[1];
	const struct matrix_params params = {
		.min_share = 93, .adapters = {names, 1}, .program.name = "ib_write_lat", .pairing = pairings};
	char text[RESULT_TEXT_SIZE];
	struct result result;

	measure(&result, &params, 1);
	assert_int_equal(result.num_named, 0);
	result_close(&result);
	measure(&result, &params, 12);
	assert_int_equal(result.num_named, 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct verdict_finding *finding = &result.named[i].finding;

		assert_int_equal(result.named[i].subject, 2);
		assert_int_equal(finding->kind == VERDICT_CLIENT ? finding->client : finding->server, SLOW);
		assert_non_null(
			strstr(result_describe(&result, &result.named[i], text), " at the percentile 99.9 in 1"));
	}
	result_close(&result);
}

/* What a host loses as a server, of a figure that is that of the others. */
TEST(loss_is_named)
{
	static const struct figure_kind bandwidth = {.key = "bandwidth_average_bytes_per_second"};
	static char *names[1];
	const struct matrix_params params = {
		.min_share = 93, .adapters = {names, 1}, .program.name = "qperf", .pairing = pairings};
	struct dispatch ended = {.type = MESSAGE_RESULT};
	char text[RESULT_TEXT_SIZE];
	struct result result;

	assert_int_equal(result_open(&result, &params, HOSTS), 0);
	result.figure = &bandwidth;
	for (unsigned client = 0; client < HOSTS; client++) {
		for (unsigned server = 0; server < HOSTS; server++) {
			ended.value = 1e9;
			ended.sendings = client == 0 ? 0 : server == SLOW ? 1.02 : 1;
			if (client != server)
				result_set(result_cell(&result, client, server), &ended);
		}
	}
	snprintf(result.hosts[SLOW].name, sizeof(result.hosts[SLOW].name), "n3");
	assert_int_equal(result_judge(&result), 0);
	assert_int_equal(result.num_named, 1);
	assert_int_equal(result.named[0].subject, RESULT_LOSS);
	assert_string_equal(result_describe(&result, &result.named[0], text),
			    "n3 loses 2 % more of what it receives than the others (6 of 6 pairs)");
	assert_string_equal(result_word(&result.named[0]), "lossy");
	result_close(&result);
}

static double sendings_of(const char *text)
{
	json_t *document = json_loads(text, 0 /* no flags */, NULL);
	double sendings;

	assert_non_null(document);
	sendings = figure_sendings(document);
	json_decref(document);
	return sendings;
}

#define IB(LOCAL, REMOTE)                                                                                              \
	"{\"measurements\": [{\"kind\": \"result\", \"iterations\": 600}, {\"kind\": \"result\", \"iterations\": "     \
	"400}], "                                                                                                      \
	"\"explanation\": {\"local\": {" LOCAL "}, \"remote\": " REMOTE "}}"
#define QPERF(LOCAL, REMOTE)                                                                                           \
	"{\"measurements\": [{\"kind\": \"result\", \"local\": {\"sent_messages\": 100}, \"remote\": "                 \
	"{\"received_messages\": 200}, \"explanation\": {\"local\": {" LOCAL "}, \"remote\": {" REMOTE "}}}]}"
#define SEGMENTS(AGAIN, SENT) "\"connection_retransmitted_segments\": " #AGAIN ", \"connection_sent_segments\": " #SENT

TEST(a_document_says_what_was_sent_again)
{
	assert_float_equal(sendings_of(IB("\"device_retransmissions\": 50", "null")), 1.05, 1e-9);
	assert_float_equal(sendings_of(IB("\"device_retransmissions\": null", "{\"device_retransmissions\": 0}")), 1,
			   1e-9);
	assert_float_equal(sendings_of(IB("\"device_retransmissions\": \"many\"", "null")), 0, 1e-9);
	assert_float_equal(sendings_of(QPERF(SEGMENTS(40, 840), SEGMENTS(0, 200))), 1.04, 1e-9);
	assert_float_equal(sendings_of(QPERF(SEGMENTS(2, 40), "")), 1, 1e-9); /* too few */
	assert_float_equal(sendings_of(QPERF(SEGMENTS(40, 40), "")), 0, 1e-9);
	assert_float_equal(sendings_of(QPERF(SEGMENTS(-40, 40), "")), 0, 1e-9);
	assert_float_equal(sendings_of(QPERF("\"device_retransmissions\": 4", "")), 1.02, 1e-9);
	/* eight packets a message */
	assert_float_equal(
		sendings_of("{\"measurements\": [{\"kind\": \"result\", \"iterations\": 100, \"size_bytes\": "
			    "8192}], \"device\": {\"mtu_bytes\": 1024}, \"explanation\": {\"local\": "
			    "{\"device_retransmissions\": 8}}}"),
		1.01, 1e-9);
	assert_float_equal(sendings_of("{\"measurements\": [{\"kind\": \"result\", \"iterations\": 600}]}"), 0, 1e-9);
}

TEST_MAIN(NULL, NULL)
