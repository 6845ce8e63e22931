/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The life of every program that measures, in order: parse, choose the device's library, open, connect or serve, agree,
 * prepare, measure, report, close. A program is a struct life_ops and its state; the order, the exit status, what the
 * document and the peer are told of the end, and a server that keeps serving are said in life.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "params/engine/cli.h"
#include "params/engine/common.h"
#include "util/log.h"
#include "util/process.h"

#define LIFE_STOPPED   "stopped by its user" /* for the peer and the document */
#define LIFE_CONTINUES (-1)		     /* no exit status: a test is to be run */

/* How a test ended, besides what its steps return. Zeroed at first, and before each client. */
struct ending {
	bool interrupted;	     /* the user or the peer stopped the measurement early */
	bool measured_nothing;	     /* no message of a row was completed, or arrived; failure says so */
	bool limit_failed;	     /* -w, -y, --max_lat or the like */
	bool wrong_data;	     /* --data_validation, --verify: here or at the peer */
	bool is_misuse;		     /* a failure is one of the command line */
	char failure[LOG_TEXT_SIZE]; /* for the report: why the run ended early; "": the last error */
	enum exit_status status;     /* from life_conclude() on */
};

typedef int (*life_report_fn)(void *own, const char *status, const char *reason);

/* NULL: nothing is to be done, unless it says otherwise. int is 0 or -errno, reported. */
struct life_ops {
	const char *version; /* the line of --version; NULL: that of the suite */

	/* Reads the command line, and checks it if a test is to be run. 0, or -EINVAL and a reason. Not NULL. */
	int (*parse)(void *own, int argc, char **argv, char *reason, size_t reason_size);
	/* Prints what is asked for in place of a test: returns the exit status, or LIFE_CONTINUES. */
	int (*answer)(void *own, char **argv);
	/* The device's library: soft_preload(). */
	int (*library)(void *own, char **argv);
	/* Before the first test. Several processes for the tests: runs them. The exit status, or LIFE_CONTINUES. */
	int (*begin)(void *own);

	/* The steps of a test; a server that keeps serving does all of them for each client. */
	int (*open)(void *own);	   /* what the options name, before the peer is waited for */
	int (*connect)(void *own); /* the side channel; a server waits for its next client */
	int (*agree)(void *own);
	int (*prepare)(void *own); /* until both sides are ready to measure */
	int (*measure)(void *own);
	/* If one of them failed: sends the reason to the peer. */
	void (*abort)(void *own, int error, const char *reason);
	/* Ends the report, which may not have begun. reason NULL: the status says all. */
	life_report_fn report;
	/* Whatever was opened. again: another client is served. */
	void (*close)(void *own, bool again);
};

struct life {
	const struct life_ops *ops;
	void *own; /* the program's state, for ops */
	const char *name;
	const struct cli *cli; /* for --help */
	const struct cli_asked *asked;
	struct ending *ending;
	const bool *keeps_serving; /* NULL: it never does */
};

/* What main() returns. */
int life_main(struct life *life, int argc, char **argv);
/* From open to close, for each client. */
enum exit_status life_run(struct life *life);
/* Ends the report of a test that ended with ret, and returns the exit status. report, own: as in struct life_ops. */
enum exit_status life_conclude(struct ending *ending, life_report_fn report, void *own, int ret);
