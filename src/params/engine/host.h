/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text that names a server: HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT; or several, separated by commas. Called
 * by command line parsers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define HOST_NAME_SIZE 256
#define HOSTS_MOST     256 /* also for --clients */
#define HOST_PORT      "--port (-p)"

/* Of "a,b:18516,[fe80::1]": the number of servers, and the start and length of the n-th. */
unsigned hosts_count(const char *operand);
const char *hosts_at(const char *operand, unsigned n, size_t *length);
/* As host_split(), of the n-th; without a port it has the usual one. */
int hosts_split(const char *operand, unsigned n, uint16_t usual_port, char host[HOST_NAME_SIZE], uint16_t *port,
		char *reason, size_t reason_size);
/* Is each valid, and none repeated? 0, or -EINVAL and a reason. */
int hosts_check(const char *operand, uint16_t usual_port, char *reason, size_t reason_size);

/*
 * Copies only the name or address to host, and the port; 0 if there is none. Two or more colons without brackets are an
 * IPv6 address without a port. 0, or -EINVAL and a reason; host and port are written only on success.
 */
int host_split(const char *operand, char *host, size_t host_size, uint16_t *port, char *reason, size_t reason_size);

/*
 * Like host_split(), for a program with a port option: a port in the text is taken over, unless the option was given
 * with another one. given: the option's names; NULL: it was not given.
 */
int host_take(const char *operand, const char *given, char *host, size_t host_size, uint16_t *port, char *reason,
	      size_t reason_size);

/* --allow of servers: a list of addresses and networks, "192.0.2.0/24,2001:db8::1". */
#define ALLOW_MAX 16

struct allow {
	unsigned count; /* 0: all hosts */
	struct {
		uint8_t address[16]; /* IPv4-mapped for IPv4 */
		uint8_t bits;	     /* prefix length, of 128 */
	} networks[ALLOW_MAX];
};

/* 0, or -EINVAL and a line in reason. "": all hosts. */
int allow_parse(const char *text, struct allow *allow, char *reason, size_t reason_size);
bool allow_has(const struct allow *allow, const struct sockaddr_storage *address);
