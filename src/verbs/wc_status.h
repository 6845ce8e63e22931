/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does a completion with an error mean, and where should its user look? session asks when a loop
 * has met one.
 */
#ifndef VERBS_WC_STATUS_H
#define VERBS_WC_STATUS_H

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
	bool receive; /* of the receive queue */
};

/* One row for each ibv_wc_status. */
struct wc_status_row {
	const char *words;  /* as the InfiniBand specification has them */
	const char *causes; /* likely ones, and what to look at */
	bool follows;	    /* the peer, or an earlier completion, can tell more: worth a short wait for its word */
	bool is_refusal;    /* the peer's device has said no: more than the end of a peer that goes without a word */
	const char *of_receive; /* the causes of a receive's; NULL: the same */
};

/* Never NULL: there is a row for what is no status, too. */
const struct wc_status_row *wc_status_row(enum ibv_wc_status status);

/*
 * Requests that wait behind the first error of a queue pair are flushed, and the other queue may be polled
 * first: looks for an error that is no flush in what has completed since, and puts it into *failure.
 */
void wc_status_find_first(const struct resources *resources, struct wc_failure *failure);

/*
 * A message for log_error(): the words and the causes, and behind a line break which request of which queue pair, the
 * two ends of the path, what the device has reported besides. messages: so many had gone well. Where the device's
 * events explain the failure they are the message, and all of that the details. Returns text.
 */
const char *wc_status_describe(const struct resources *resources, const struct wc_failure *failure, uint64_t messages,
			       const struct async_events *events, char *text, size_t size);

#endif
