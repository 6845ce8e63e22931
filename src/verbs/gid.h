/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which entry of the port's GID table the queue pairs use, and why. */
#ifndef VERBS_GID_H
#define VERBS_GID_H

#include <infiniband/verbs.h>
#include <net/if.h>
#include <stdbool.h>

#include "util/endpoint.h"
#include "verbs/gid_form.h"

struct route;

/* An entry that is not empty. */
struct gid_entry {
	int index;
	union ibv_gid gid;
	enum gid_kind kind;
	unsigned ifindex; /* of its network interface; 0: none, not told, or foreign */
	char netdev[IF_NAMESIZE];
	bool down;    /* the interface is */
	bool foreign; /* the interface is of another network namespace */
};

/* What the choice goes by. */
struct gid_request {
	int index;		    /* -x; below 0: the entry with the highest score */
	bool ipv6;		    /* --ipv6 */
	const union ibv_gid *group; /* of multicast, whose family is that of its senders and receivers; NULL: none */
	const struct route *route;
};

/* "RoCE v2" */
const char *gid_kind_text(enum gid_kind kind);

/*
 * The automatic choice: the highest score wins, the lowest index among equals. The criteria, with
 * their weights, are a table in gid.c; each counts more than all that follow it.
 */
int gid_score(const struct gid_entry *entry, const struct gid_request *requested);
/* The criteria that hold for the entry, in words. Returns text. */
const char *gid_reasons(const struct gid_entry *entry, const struct gid_request *requested, char *text, size_t size);

/* The entries of all ports that are not empty. Below 0: the call is not to be had, or not with so many, or says more.
 */
ssize_t gid_query_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room);

/*
 * 0, or -EINVAL, -ENOENT or -ENETDOWN after a report that names the device. *chosen is written only on
 * success. show: with --verbose, print the table; it is printed in any case when nothing can be chosen.
 */
int gid_choose(struct ibv_context *context, const char *device, uint8_t port, int table_length,
	       const struct gid_request *requested, bool show, struct gid_entry *chosen);

#endif
