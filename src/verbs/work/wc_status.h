/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an error completion means, and what the user should check. Called by session after a loop has got one. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct async_events;
struct resources;

struct wc_failure {
	enum ibv_wc_status status;
	uint32_t qp_num;
	uint32_t vendor_err;
	bool receive; /* from the receive queue */
};

/* One row for each ibv_wc_status. */
struct wc_status_row {
	const char *words;  /* from the InfiniBand specification */
	const char *causes; /* likely causes, and what to check */
	bool follows;	 /* the peer or an earlier completion can say more: worth a short wait for the peer's message */
	bool is_refusal; /* the peer's device rejected the request: more than a peer that silently went away */
	const char *of_receive; /* causes for a receive; NULL: the same */
};

/* Never NULL: unknown statuses have a row, too. */
const struct wc_status_row *wc_status_row(enum ibv_wc_status status);

/*
 * Requests after the first error of a QP are flushed, and the other CQ may be polled first: looks in all later
 * completions for an error that is not a flush, and stores it in *failure.
 */
void wc_status_find_first(const struct resources *resources, struct wc_failure *failure);

/*
 * A message for log_error(): status and causes; after a newline the request and its QP, the two ends of the path, and
 * what the device reported. messages: how many succeeded before. If the device's events explain the failure, they are
 * the message, and all of the above the details. Returns text.
 */
const char *wc_status_describe(const struct resources *resources, const struct wc_failure *failure, uint64_t messages,
			       const struct async_events *events, char *text, size_t size);
