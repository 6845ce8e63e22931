/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program of the suite as a child process: a server, or a client. Of an instance of `perftest matrix` and a run of
 * `perftest compare` its words and its JSON document come here. It is in a process group of its own, and dies with this
 * process.
 */
#pragma once

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "util/deadline.h"
#include "util/log.h"

#define CHILD_WORDS_SIZE 300

/* What is run: the program and its options, as the user gave them. */
struct child_program {
	const char *name;
	const char *path; /* of another build's; NULL: the one beside this program */
	char **options;
	unsigned num_options;
	int host_at;   /* of the options, the user's own HOST, whose server runs already; -1: there is none */
	bool is_here;  /* without a HOST both sides are on this host, at a port that is free */
	bool is_alone; /* only the client is started: its server runs already, or it has none */
	const struct sibling *how; /* it is started; those of the table of programs all alike */
	const char *device;	   /* in addition to the options; NULL: none */
	bool explains;		   /* a client with --explain; it is not one of the options */
	const char *own_address;   /* of this side, for a program that has to be told */
	bool is_held;		   /* a client measures once child_release() lets it, see util/starter.h */
	bool speaks;		   /* its stdout and stderr are those of this process, and there is no document */
};

/* Of both sides: on this host, or with a HOST whose server runs; on hosts that others name; where addresses are known.
 */
enum child_where {
	CHILD_HERE, /* the program may be a path, of another build */
	CHILD_ON_HOSTS,
	CHILD_AT_ADDRESSES,
};

/* 0, or -EINVAL and the reason: it is no program of the suite, or cannot be run so. The options may be wrong. */
int child_program_parse(struct child_program *program, char **words, unsigned num_words, enum child_where where,
			char *reason, size_t size);

/* What is wrong with the options, before it is run; NULL: nothing that is known. buffer: for the text. */
const char *child_options_fault(const struct child_program *program, char *buffer, size_t size);

/* As it was typed, as much as fits. Returns words. */
const char *child_program_words(const struct child_program *program, char *words, size_t size);

/* Of a client that is held: has it become ready, or begun? */
enum child_start { CHILD_NOTHING, CHILD_READY, CHILD_BEGAN };

/* What comes from it: its stderr, a client's document, and, by a connection, that a client that is held is ready. */
enum child_end { CHILD_ERRORS, CHILD_DOCUMENT, CHILD_GATE, CHILD_FDS };

/* Zeroed, but for the descriptors: child_init(). */
struct child {
	pid_t pid;		       /* 0: none */
	uint16_t port;		       /* of a server */
	int ends[CHILD_FDS];	       /* -1: closed */
	enum child_start start;	       /* what it said there last; child_started() has yet to tell it */
	char words[2 * LOG_TEXT_SIZE]; /* the last of what it said on stderr: an error, and notes behind it */
	char *text;		       /* of the document */
	size_t used, size;
	/* --- of child_end() --- */
	int asked; /* the last signal; 0: none */
	int64_t limit_ms;
	struct deadline limit;
};

/* The status of one that lives though it was killed: the kernel holds it in a call of its driver. */
#define CHILD_STAYS (-1)

void child_init(struct child *child);
/*
 * host NULL: as a server; port 0: on one that is free. With a HOST of the user's it is a client of that. 0 or -errno,
 * not reported.
 */
int child_start(struct child *child, const struct child_program *program, const char *host, uint16_t port);
/* Is there a listener on the port of this server? */
bool child_listens(const struct child *child);
/* Does a connect of this host to the address of a server wait for its first answer? */
bool child_connects(const struct sockaddr *server);
/* What to poll for, at most CHILD_FDS. */
unsigned child_poll_fds(const struct child *child, struct pollfd *fds);
/* Reads what it wrote. */
void child_read(struct child *child);
/* Has it ended? Then *status is that of waitpid(), and all that it wrote is read; or it is CHILD_STAYS. */
bool child_ended(struct child *child, int *status);
void child_signal(const struct child *child, int number);
/* It shall end by this signal. If it has not after this time child_ended() kills it, and waits as long again. */
void child_end(struct child *child, int number, int64_t limit_ms);
/* What child_read() has found out about the start; each is told once. */
enum child_start child_started(struct child *child);
/* A client that is held shall measure. */
void child_release(const struct child *child);
/* Why a child that ended with this status failed; NULL: it did not. buffer: for the text. */
const char *child_failure(const struct child *child, int status, char *buffer, size_t size);
/* The limit of the program's own that it missed (-w); NULL: none. */
const char *child_missed_limit(const struct child *child, int status, char *buffer, size_t size);
/* Kills it if it lives, and forgets it. */
void child_close(struct child *child);

/* --- trial.c: a whole run of a command line, of which both sides are started anew --- */

#define TRIAL_REASON_SIZE 700

/*
 * Without a HOST the server is started here, too. 0 and the client's document; -EINTR: the user stopped; -EIO and why
 * it failed, -ENOTCONN if its server did not even listen; then there may be a document, too. NULL: there is none, or it
 * is not whole. Nothing of the run is left.
 */
int trial_run(const struct child_program *program, unsigned limit_s, json_t **document, char reason[TRIAL_REASON_SIZE]);
/* The same of a run that is to have a result, else -ENODATA. who: "run 2 of A". fault: which has failed, and why. */
int trial_result(const struct child_program *program, unsigned limit_s, const char *who, json_t **document, char *fault,
		 size_t size);
