/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `perftest --ssh`: a client here, and its server on another host. ssh.c is here, other_side.c is there. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "front/launch/child.h"
#include "front/launch/remote.h"
#include "params/engine/cli.h"

#define SSH_ADDRESS_SIZE   64
#define SSH_ADDRESS_FORMAT "%63s"
#define SSH_VERSION_SIZE   32
/* What the other side says when its server listens: the version, the port and the host's address, or "-". */
#define SSH_LISTENS	 "perftest %s listens on port %u at %s"
#define SSH_LISTENS_READ "perftest %31s listens on port %u at " SSH_ADDRESS_FORMAT

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

/* Options, then the program. False: the command is over with *status. */
bool ssh_parse(struct ssh_params *params, int argc, char **argv, int *status);
