// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Serves one client, in the process that the server has forked for it. See qperf.h. */
#include "qperf/qperf.h"

#include <errno.h>
#include <string.h>

#include "params/engine/opt.h"
#include "qperf/control/control.h"
#include "qperf/control/session.h"
#include "qperf/options/options.h"
#include "util/log.h"

#define NS_PER_MS      UINT64_C(1000000)
#define MAX_TIMEOUT_MS 3600000 /* whatever the client requests */
#define MIN_TIMEOUT_MS 100

static int control_refuse(struct control *control, const char *text)
{
	log_error("%s", text);
	control_fail(control, text);
	return -EINVAL;
}

static int serve_quit(struct control *control, const struct qperf_params *params)
{
	int ret;

	if (params->no_quit)
		return control_refuse(control, "this server does not quit (--no_quit)");
	ret = control_send_frame(control, FRAME_BYE, NULL);
	return ret ? ret : SERVE_QUIT;
}

/* Drops values that a 0.4.11 client sends although it does not use them. */
static void forget_idle(const struct test_row *test, struct qperf_side *side)
{
	const uint32_t not_classic = PARAM_BIT(PARAM_FLIP) | (PARAM_BIT(PARAM_NO_MSGS) & ~test->classic_uses);

	for (enum parameter p = 0; p < NUM_PARAMETERS; p++)
		if (!(test->uses & ~not_classic & PARAM_BIT(p)))
			side->number[p] = 0;
}

static int serve_test(struct control *control, const struct qperf_params *params, const struct test_row *test,
		      const struct start *start)
{
	const struct qperf_side *side = &start->side;
	static struct latency samples; /* large */
	static struct qperf_sides sides;
	struct qperf_session session = {.test = test,
					.control = control,
					.side = *side,
					.explains = start->explains,
					.samples = &samples,
					.sides = &sides};
	const uint64_t time_ns = side->number[PARAM_TIME], timeout_ns = side->number[PARAM_TIMEOUT];
	struct account peer;
	char reason[OPT_TEXT_SIZE];

	control->channel.timeout_ms = timeout_ns > MAX_TIMEOUT_MS * NS_PER_MS	? MAX_TIMEOUT_MS
				      : timeout_ns < MIN_TIMEOUT_MS * NS_PER_MS ? MIN_TIMEOUT_MS
										: (int64_t)(timeout_ns / NS_PER_MS);
	if (!control->dialect->negotiates)
		forget_idle(test, &session.side);
	if (!control->dialect->exchanges_endpoints && !rules_classic_rdma(test, &session.side))
		return control_refuse(control,
				      "between qperf 0.4.11 and this server RDMA tests are those of RC, with -cm1");
	if (qperf_check(test, &session.side, reason, sizeof(reason)))
		return control_refuse(control, reason);
	if (params->max_time_ns && (!time_ns || time_ns > params->max_time_ns)) {
		opt_refuse(reason, sizeof(reason),
			   "the test %s run for longer than this server allows (--max_time): give -t %g or less%s",
			   time_ns ? "would" : "could", (double)params->max_time_ns / NS_PER_S,
			   side->number[PARAM_NO_MSGS] ? ", beside -n" : "");
		return control_refuse(control, reason);
	}
	latency_reset(&samples);
	return qperf_session_run(&session, &peer);
}

/* bytes: the client's request. */
static int serve_request(struct control *control, const uint8_t bytes[REQUEST_SIZE], const struct qperf_params *params)
{
	const struct test_row *test;
	struct request request;
	struct start start;
	struct conf conf;
	char text[64], run[RUN_ID_TEXT_SIZE];
	int ret;

	if (wire_read_request(bytes, &request))
		return control_refuse(control, "this server speaks version 0.4 of qperf's protocol");
	start = (struct start){.test = request.test, .side = request.side};
	if (request.increment == REQUEST_MARK) {
		control->dialect = &control_native;
		start = (struct start){0};
		ret = control_send(control, wire_hello, HELLO_SIZE, "greeting");
		if (!ret)
			ret = control_receive_frame(control, MESSAGE_HELLO, &start);
		if (ret == -EBADMSG)
			control_fail(control, log_last_error());
		if (ret)
			return ret;
	}
	test = test_by_number(start.test);
	if (!test) {
		opt_refuse(text, sizeof(text), "bad request index: %u", start.test);
		return control_refuse(control, text);
	}
	log_detail("%s%s%s", test->name, run_id_is_known(&start.run_id) ? " of run " : "",
		   run_id_is_known(&start.run_id) ? run_id_text(&start.run_id, run) : "");
	if (test_has_session(test))
		return serve_test(control, params, test, &start);
	if (test->body != BODY_CONF)
		return serve_quit(control, params);
	conf_read(&conf);
	return control_send_frame(control, FRAME_CONF, &conf);
}

int client_serve(struct conn *conn, const struct qperf_params *params)
{
	struct control control;
	uint8_t request[REQUEST_SIZE];
	int ret;

	memcpy(request, conn_data(conn), sizeof(request));
	conn_consume(conn, sizeof(request));
	ret = control_open(&control, conn, false, params->local.number[PARAM_TIMEOUT]);
	if (!ret) {
		log_set_subject(control.peer_text);
		ret = serve_request(&control, request, params);
	}
	control_close(&control);
	return ret;
}
