/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Do pairs of measurements differ, and by how much? Wilcoxon's signed rank test: the permutation test of all changes of
 * signs, with ranks in place of the differences, so that a run that a neighbour disturbed counts as one, not as its
 * size. Its distribution is exact for every count. Change and interval invert the same test, and are Walsh averages
 * (Hodges and Lehmann). M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd edition,
 * 2014, 3.1 to 3.3.
 *
 * Where ten of thirty pairs are disturbed, their ranks, which are the highest, hide what the others agree on. With
 * winsorized scores all high ranks count the same: G. E. Policello, T. P. Hettmansperger, Adaptive Robust Procedures
 * for the One-Sample Location Problem, Journal of the American Statistical Association 71, 1976. The rest is as above.
 *
 * If a coin decided which of each pair was measured first, the signs are the coin's as long as there is no difference:
 * the level holds whatever the noise is, drift included (E. S. Edgington, P. Onghena, Randomization Tests, 2007).
 *
 * Called by front/compare/comparison.c and front/matrix/verdict.c. A leaf: libm only.
 */
#pragma once

#define PAIRED_MOST 200 /* pairs */

struct paired {
	double change;	  /* NaN: there are no pairs */
	double low, high; /* infinite: too few pairs for this level */
	double p;	  /* two-sided; 0 is outside of the interval if and only if p is at most its level */
};

/*
 * level: 0.05 gives an interval that holds the true change in 95 of 100 cases. count: 0..PAIRED_MOST. Ranks above
 * most_score, 1..count, score as that; count: all as they are; 1: the sign test. 0 or -ENOMEM.
 */
int paired_judge(const double *differences, unsigned count, unsigned most_score, double level, struct paired *paired);

/* A most_score for runs that others disturb: a quarter. */
static inline unsigned paired_clip(unsigned count)
{
	return (count + 3) / 4;
}

/* The least count with which a p of at most this level is possible. */
unsigned paired_least(double level);

/*
 * At which level is each of several tests judged, so that a false difference is found in at most `level` of all cases,
 * wherever among them? (S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of
 * Statistics 6, 1979.) What has a p of at most its own level differs.
 */
void paired_levels(const double *p, unsigned count, double level, double *levels);
