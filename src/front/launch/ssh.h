/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `perftest --ssh`: a client here, and its server on another host. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "front/launch/child.h"
#include "front/launch/remote.h"
#include "params/engine/cli.h"

#define SSH_ADDRESS_SIZE 64

struct ssh_params {
	char node[REMOTE_NODE_SIZE];   /* "": not given */
	char shell[REMOTE_SHELL_SIZE]; /* "": not given */
	char address[SSH_ADDRESS_SIZE];
	uint16_t port; /* 0: not given */
	uint32_t start_timeout_s;
	bool server_output;
	bool show_help;
	/* --- not options --- */
	struct child_program program;
};

/* options.c: in struct ssh_params. */
extern const struct cli ssh_cli;
