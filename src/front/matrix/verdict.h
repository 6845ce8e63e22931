/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which host, or which link, is slower than the others? From a figure of each pair, both directions apart. Pure
 * functions, on logarithms, so that shares count alike in all ranges.
 *
 * A host is typically as fast, as a client or as a server, as the upper median of its pairs in this role: a slow peer
 * does not make it slow, also where there are few. The level is the median of what is typical of all hosts. A pair is
 * expected to have the share of the level that its client typically has, of the share that its server typically has; an
 * end that is better than the level counts as the level. The spread is the median absolute deviation of the pairs from
 * that, or of what is typical of hosts from the level, whichever is larger, as a standard deviation; pairs that are
 * exactly as expected do not count, since they define it. It is 0 where nine of ten of those pairs are exactly as usual
 * whose ends typically are, unless these pairs are few.
 *
 * That only gives suspects (suspects.c), which are measured again, alone, each time beside a pair of
 * others: what slows the machine down for a while, or all of the network, slows both.
 */
#pragma once

#include <stdbool.h>

enum verdict_kind { VERDICT_CLIENT, VERDICT_SERVER, VERDICT_LINK };

/* Something that is slower than the others. */
struct verdict_finding {
	enum verdict_kind kind;
	unsigned client, server; /* of a host only one of them is used */
	double share;		 /* of the level, of a link: of what is expected of it; 1: as the others */
	unsigned slow, pairs;	 /* of a host: pairs below min_share, and all in this role */
};

struct verdict {
	double level;	   /* what is usual, in the unit of the rates; NaN: too few pairs */
	double spread;	   /* of the pairs, relative to it; 0.02: 2 % */
	double min_share;  /* as the user wants it */
	double host_limit; /* share below which a host is suspected: the user's, or less where the spread is wide */
	double link_limit; /* the same of a link, one pair, of which there are many */
	unsigned compared; /* hosts with figures */
	struct verdict_finding *findings; /* the worst first; verdict_close() frees them */
	unsigned num_findings;
};

/* Fewer hosts cannot be compared: of two, either may be the slow one. */
#define VERDICT_LEAST_HOSTS 3

/*
 * rates: hosts * hosts of them, that of client c and server s at [c * hosts + s]; larger is better; NaN: not measured.
 * min_share: 0..1. 0 or -ENOMEM.
 */
int verdict_make(struct verdict *verdict, const double *rates, unsigned hosts, double min_share);
void verdict_close(struct verdict *verdict);

enum verdict_again { VERDICT_OPEN, VERDICT_SLOW, VERDICT_AS_OTHERS };

#define VERDICT_MOST_AGAIN 24 /* times that a suspect is measured again */

/*
 * Is a suspect slow? changes: for each time that it was measured again the logarithm of its rate over that of a pair of
 * others just before or behind it, up to VERDICT_MOST_AGAIN; asked after each. The share is that of the rate of the
 * others (Hodges and Lehmann); NaN: there are no changes. VERDICT_OPEN: measure again. After the last it is none.
 */
enum verdict_again verdict_again(const struct verdict *verdict, unsigned suspects, const double *changes,
				 unsigned count, double *share);
