/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `perftest matrix`: what the user asked for, and the two roles of a process. matrix.c fills and chooses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "front/launch/child.h"
#include "front/launch/remote.h"
#include "front/matrix/dispatch.h"
#include "front/matrix/pairing.h"
#include "front/matrix/place.h"
#include "net/listener.h"
#include "params/engine/cli.h"
#include "util/output.h"

/* An instance that says nothing for so long is lost. It says that it is alive once a second. */
#define MATRIX_SILENCE_MS 15000
/* For a server's host to answer a client's connect: in this time TCP asks four times. */
#define MATRIX_CONNECT_MS 8000
/* For a program to listen as a server, and to end when it is told to: a host without power is silent before. */
#define MATRIX_START_MS	     30000
#define MATRIX_STOP_MS	     20000
#define MATRIX_LIST_SIZE     1024
#define MATRIX_ADAPTER_SIZE  64
#define MATRIX_MOST_ADAPTERS 64	  /* of a host */
#define MATRIX_MOST_PLAYERS  4096 /* adapters of all hosts */

/* The adapters of each host that are measured; without a list one, with the name NULL, which the program chooses. */
struct matrix_adapters {
	char **names;
	uint32_t count; /* at least 1 */
};

struct matrix_params {
	char controller[PLACE_HOST_SIZE]; /* "": not given */
	uint16_t port;
	char host_list[MATRIX_LIST_SIZE];	      /* their number, or their names; "": not given */
	int64_t rank;				      /* -1: not given */
	uint32_t parallel;			      /* pairs at a time; 0: all of a round */
	double min_share;			      /* percent */
	char lists[PAIRING_FIELDS][MATRIX_LIST_SIZE]; /* of adapters: one of them, or none */
	struct output_options output;
	uint32_t join_timeout_s, limit_s;
	uint32_t every_s;		     /* between the starts of two passes; 0: there is one */
	char address[DISPATCH_ADDRESS_SIZE]; /* "": the one by which the controller is reached */
	char shell[REMOTE_SHELL_SIZE];	     /* "": not given */
	char started_by[PLACE_HOST_SIZE];    /* "": not by --hosts with names */
	bool show_help;
	/* --- not options --- */
	uint32_t hosts; /* their number; 0: unknown */
	char **nodes;	/* by rank, where this process starts the others; NULL: it does not */
	const struct pairing *pairing;
	enum pairing_field field;
	struct matrix_adapters adapters;
	struct child_program program;
	const char *launcher; /* that gave the rank; NULL: none did */
	uint64_t run;	      /* as in struct dispatch */
};

/* options.c: the command's own, in struct matrix_params. */
extern const struct cli matrix_cli;

/*
 * Both return an enum exit_status. The hub takes the listener; crew: what it has started, or NULL. is_controllers: it
 * is the controller's child, which itself reports its own end.
 */
struct crew;
int instance_main(const struct matrix_params *params, bool is_controllers);
int hub_main(const struct matrix_params *params, struct listener *listener, struct crew *crew);
