/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --explain of many instances that were measured together: which causes there are on which of them, the worst first, as
 * one list of causes, however many instances there are. Called by cmtime, on the instance that all have told what they
 * saw, and by session for several pairs, of which this side is an instance.
 */
#pragma once

#include "explain/explain.h"

#define CLUSTER_NAME_SIZE 144

struct cluster_member {
	char name[CLUSTER_NAME_SIZE]; /* in sentences: "client 2 on alpha" */
	const char *peer;	      /* of several pairs the address of this one's; NULL: no pair's */
	struct explain_test test;     /* as that instance has it */
	bool has_facts;		      /* it has told them: */
	struct facts facts;
};

/* members: by rank; own: the rank of this instance. The results get text and document. 0 or -ENOMEM, not reported. */
int cluster_explain(const struct cluster_member *members, uint32_t count, uint32_t own, struct results *results);
