/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `perftest serve`: one port for the clients of all programs of the suite. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "params/engine/cli.h"

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

/* options.c: in struct serve_params. */
extern const struct cli serve_cli;
