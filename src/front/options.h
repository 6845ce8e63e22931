/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the user asked of commands that are a file each: options.c has the rows, each in the struct of its command. */
#pragma once

#include "front/launch/child.h"
#include "front/launch/remote.h"
#include "params/engine/cli.h"
#include "util/output.h"

/* run -f */
struct batch_params {
	char path[4096];
	uint32_t limit_s; /* for a run */
	struct output_options output;
	bool show_help;
};

/* serve */
#define SERVE_MOST_CLIENTS 256
struct serve_params {
	uint16_t port;
	char bind_ip[64];
	char allow[256];
	char port_of[512];
	uint32_t max_clients;
	uint32_t max_duration_s;
	bool rdma_cm;
	bool show_help;
};

/* --ssh */
#define SSH_ADDRESS_SIZE 64
struct ssh_params {
	char node[REMOTE_NODE_SIZE];   /* "": not given */
	char shell[REMOTE_SHELL_SIZE]; /* "": not given */
	char address[SSH_ADDRESS_SIZE];
	uint16_t port; /* 0: not given */
	uint32_t start_timeout_s;
	bool server_output;
	bool show_help, show_version;
	/* --- not options --- */
	struct child_program program;
};

struct gate_params {
	char baseline[4096]; /* --baseline; "": this is to be one */
	char save[4096];     /* --save_baseline; one of both is given */
	uint32_t runs;	     /* 0: the baseline's, or the default */
	double tolerance;    /* percent */
	uint32_t limit_s;    /* for a run */
	struct output_options output;
	bool show_help;
	struct child_program program; /* not an option */
};

extern const struct cli batch_cli, serve_cli, ssh_cli, gate_cli;
