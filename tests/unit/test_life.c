// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are the steps of a program called in their order, whichever fails, and does the end follow from them? */
#include "life/life.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "util/stop.h"

static struct test {
	const char *fails; /* the name of a step, or "" */
	int error;
	struct ending found; /* by the measurement */
	bool stop;	     /* the user stops it meanwhile */
	unsigned clients;    /* after which the wait for a client fails */
	int report_error;
} test;

static struct ending ending;
static bool keeps_serving;
static char calls[256]; /* names of steps, and what was passed to them */

static void note(const char *call)
{
	strcat(strcat(calls, calls[0] ? " " : ""), call);
}

static int step(const char *name)
{
	note(name);
	return strcmp(name, test.fails) == 0 ? test.error : 0;
}

static int fake_open(void *own)
{
	assert_ptr_equal(own, &test);
	ending = (struct ending){0};
	return step("open");
}

static int fake_connect(void *own)
{
	(void)own;
	if (!test.clients)
		return step("connect");
	note("connect");
	return test.clients-- > 1 ? 0 : test.error;
}

static int fake_agree(void *own)
{
	(void)own;
	return step("agree");
}

static int fake_measure(void *own)
{
	(void)own;
	ending = test.found;
	if (test.stop)
		raise(SIGTERM);
	return step("measure");
}

static void fake_abort(void *own, int error, const char *reason)
{
	(void)own;
	assert_int_equal(error, test.error);
	note("abort:");
	note(reason);
}

static int fake_report(void *own, const char *status, const char *reason)
{
	(void)own;
	note(status);
	if (reason)
		note(reason);
	return test.report_error;
}

static void fake_close(void *own, bool again)
{
	(void)own;
	note(again ? "close," : "close");
}

static const struct life_ops ops = {
	.open = fake_open,
	.connect = fake_connect,
	.agree = fake_agree,
	.measure = fake_measure,
	.abort = fake_abort,
	.report = fake_report,
	.close = fake_close,
};

static void expect(struct test given, enum exit_status status, const char *expected)
{
	struct life life = {.ops = &ops, .own = &test, .ending = &ending, .keeps_serving = &keeps_serving};

	test = given;
	stop_seen = 0;
	calls[0] = '\0';
	assert_int_equal(life_run(&life), status);
	assert_string_equal(calls, expected);
}

TEST(a_step_that_fails_is_the_last)
{
	keeps_serving = false;
	log_error("no luck");
	expect((struct test){.fails = ""}, EXIT_STATUS_OK, "open connect agree measure complete close");
	expect((struct test){.fails = "open", .error = -EIO}, EXIT_STATUS_FAILURE,
	       "open abort: no luck failed no luck close");
	expect((struct test){.fails = "connect", .error = -EINTR}, EXIT_STATUS_INTERRUPTED,
	       "open connect abort: stopped by its user interrupted stopped by its user close");
	expect((struct test){.fails = "agree", .error = -EPROTO}, EXIT_STATUS_FAILURE,
	       "open connect agree abort: no luck failed no luck close");
}

TEST(the_status_follows_from_what_was_found)
{
	const struct ending wrong = {.wrong_data = true, .failure = "wrong"}, missed = {.limit_failed = true};
	const struct ending stopped = {.interrupted = true}, ended = {.interrupted = true, .failure = "by the peer"};

	keeps_serving = false;
	expect((struct test){.fails = "", .found = wrong}, EXIT_STATUS_VALIDATION,
	       "open connect agree measure wrong data wrong close");
	expect((struct test){.fails = "measure", .error = -EINTR, .found = wrong}, EXIT_STATUS_VALIDATION,
	       "open connect agree measure abort: stopped by its user wrong data wrong close");
	expect((struct test){.fails = "measure", .error = -ECONNRESET, .found = wrong}, EXIT_STATUS_FAILURE,
	       "open connect agree measure abort: no luck failed no luck close");
	expect((struct test){.fails = "", .found = missed}, EXIT_STATUS_LIMIT,
	       "open connect agree measure complete close");
	expect((struct test){.fails = "", .found = missed, .report_error = -ENOSPC}, EXIT_STATUS_FAILURE,
	       "open connect agree measure complete close");
	expect((struct test){.fails = "", .found = stopped}, EXIT_STATUS_INTERRUPTED,
	       "open connect agree measure interrupted stopped by its user close");
	expect((struct test){.fails = "", .found = ended}, EXIT_STATUS_FAILURE,
	       "open connect agree measure failed by the peer close");
}

TEST(a_server_that_keeps_serving_ends_when_it_is_stopped_or_cannot_wait)
{
	const struct ending wrong = {.wrong_data = true, .interrupted = true, .failure = "wrong"};

	keeps_serving = true;
	assert_int_equal(stop_install(), 0);
	expect((struct test){.fails = "", .error = -EINTR, .clients = 2}, EXIT_STATUS_OK,
	       "open connect agree measure complete close, "
	       "open connect abort: stopped by its user interrupted stopped by its user close");
	expect((struct test){.fails = "agree", .error = -EMFILE, .clients = 2}, EXIT_STATUS_FAILURE,
	       "open connect agree abort: no luck failed no luck close, "
	       "open connect abort: no luck failed no luck close");
	expect((struct test){.fails = "measure", .error = -EINTR, .stop = true}, EXIT_STATUS_INTERRUPTED,
	       "open connect agree measure abort: stopped by its user interrupted stopped by its user close");
	expect((struct test){.fails = "measure", .error = -EINTR, .stop = true, .found = wrong}, EXIT_STATUS_VALIDATION,
	       "open connect agree measure abort: stopped by its user wrong data wrong close");
	/* The measurement has ended in order, and the flag is gone. */
	expect((struct test){.fails = "", .error = -EMFILE, .clients = 2, .stop = true, .found = wrong},
	       EXIT_STATUS_VALIDATION, "open connect agree measure wrong data wrong close");
	expect((struct test){.fails = "", .error = -EMFILE, .clients = 2, .stop = true}, EXIT_STATUS_OK,
	       "open connect agree measure complete close");
}

TEST_MAIN(NULL, NULL)
