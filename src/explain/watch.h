/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --explain: collects the facts of this side, from getrusage(), /proc, /sys and a TCP connection. What cannot be read
 * is unknown. Nothing is read while messages are timed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "explain/facts.h"
#include "report/counter_class.h"

struct sockaddr;

#define WATCH_NAME_SIZE 64

struct watch {
	/* what is watched, set by the caller */
	const char *proc;	      /* "/proc", except in tests */
	const char *sys;	      /* "/sys" */
	char device[WATCH_NAME_SIZE]; /* RDMA; "": none, or a software device */
	unsigned port;
	double link_gbits;	      /* of the port; 0: unknown, or that of the interface */
	char netdev[WATCH_NAME_SIZE]; /* "": unknown */
	const char *function;	      /* folder of its PCI function, if neither name leads to it; NULL: none */
	/* at the start */
	struct facts before;
	struct known_counts counts;
};

void watch_begin(struct watch *watch);
/* May be called repeatedly: since watch_begin(). */
void watch_end(const struct watch *watch, struct facts *facts);
/* What TCP knows of the path of a connection, and if it carries the messages of what it sent; of others: nothing. */
void watch_connection(struct facts *facts, int fd, bool has_messages);
/* The interface that has the local address of a connection. name: "": unknown. */
void watch_find_netdev(int fd, char name[WATCH_NAME_SIZE]);
