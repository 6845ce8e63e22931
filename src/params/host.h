/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text that names a server: HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT; or several, with commas. Parsers of
 * command lines ask.
 */
#ifndef PARAMS_HOST_H
#define PARAMS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_NAME_SIZE 256
#define HOSTS_MOST     256 /* and of --clients */
#define HOST_PORT      "--port (-p)"

/*
 * Of "a,b:18516,[fe80::1]": how many there are, and where the n-th begins with its length. Names and addresses have no
 * commas.
 */
unsigned hosts_count(const char *operand);
const char *hosts_at(const char *operand, unsigned n, size_t *length);
/* Can each be split, and is none there twice? 0, or -EINVAL and a reason. */
int hosts_check(const char *operand, uint16_t usual_port, char *reason, size_t reason_size);

/*
 * The name or address alone into host, and the port; 0 where there is none. Two colons and more without brackets are
 * an IPv6 address, which has no port then. 0, or -EINVAL and a reason; host and port are written on success only.
 */
int host_split(const char *operand, char *host, size_t host_size, uint16_t *port, char *reason, size_t reason_size);

/*
 * As host_split(), of a program whose port is an option: one that is named is taken over, unless the option was given
 * and is of another one. given: the option's names; NULL: it was not.
 */
int host_take(const char *operand, const char *given, char *host, size_t host_size, uint16_t *port, char *reason,
	      size_t reason_size);

#endif
