/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --allow of servers: a list of addresses and networks, "192.0.2.0/24,2001:db8::1". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

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
