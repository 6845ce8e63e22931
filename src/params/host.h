/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The operand that names the server: HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT. */
#ifndef PARAMS_HOST_H
#define PARAMS_HOST_H

#include <stddef.h>
#include <stdint.h>

/*
 * The name or address alone into host, and the port; 0 where there is none. Two colons and more without brackets are
 * an IPv6 address, which has no port then. 0, or -EINVAL and a reason; host and port are written on success only.
 */
int host_split(const char *operand, char *host, size_t host_size, uint16_t *port, char *reason, size_t reason_size);

#endif
