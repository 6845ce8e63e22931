// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See verdict.h. */
#include "front/matrix/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/confidence.h"
#include "stats/paired.h"

/*
 * A healthy pair is four standard deviations below what is expected in one of 30,000 cases. That is one of a hundred
 * hosts' pairs; it would have to be slow once more when it is measured again. With fewer pairs a host is 1.5 below.
 */
#define LINK_DEVIATIONS 4
#define HOST_DEVIATIONS 1.5
#define MAD_SIGMA	1.4826 /* of a normal distribution: its deviation in median absolute deviations */

/*
 * Of a suspect, and half of that for each of several. CLEAR_AGAIN: times that are clearly slow, without an exception,
 * of up to two; each doubling takes one more.
 */
#define AGAIN_LEVEL 0.0005
#define CLEAR_AGAIN 3

/* What verdict_make() works with. */
struct scales {
	unsigned hosts;
	const double *rates;
	double *typical; /* of each host as a client, and then of each as a server, logarithms; NaN: no pair */
	double *sorted;	 /* room for hosts * (hosts + 2) values */
	double level;	 /* logarithm */
};

/* upper: of an even number the larger one of both in the middle. NaN: there are none. */
static double median(double *values, unsigned count, bool upper)
{
	if (!count)
		return NAN;
	confidence_sort(values, count);
	return count % 2 || upper ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Of a host in a role with its peer. NaN: not measured. */
static double rate_log(const struct scales *scales, enum verdict_kind role, unsigned host, unsigned peer)
{
	const unsigned client = role == VERDICT_CLIENT ? host : peer, server = role == VERDICT_CLIENT ? peer : host;

	return client == server ? NAN : log(scales->rates[(size_t)client * scales->hosts + server]);
}

static double typical_of(const struct scales *scales, enum verdict_kind role, unsigned host)
{
	return scales->typical[role * scales->hosts + host];
}

static unsigned typical_find(struct scales *scales)
{
	const unsigned hosts = scales->hosts;
	unsigned compared = 0, all = 0;

	for (unsigned i = 0; i < 2 * hosts; i++) {
		unsigned count = 0;

		for (unsigned peer = 0; peer < hosts; peer++) {
			scales->sorted[count] = rate_log(scales, (enum verdict_kind)(i / hosts), i % hosts, peer);
			count += isfinite(scales->sorted[count]) != 0;
		}
		scales->typical[i] = median(scales->sorted, count, true);
	}
	for (unsigned i = 0; i < 2 * hosts; i++) {
		scales->sorted[all] = scales->typical[i];
		all += isfinite(scales->typical[i]) != 0;
		compared += i < hosts && (isfinite(scales->typical[i]) || isfinite(scales->typical[hosts + i]));
	}
	scales->level = median(scales->sorted, all, false);
	return compared;
}

static double expected_of(const struct scales *scales, unsigned client, unsigned server)
{
	return fmin(scales->level, typical_of(scales, VERDICT_CLIENT, client)) +
	       fmin(scales->level, typical_of(scales, VERDICT_SERVER, server)) - scales->level;
}

/* A logarithm; NaN: not measured. */
static double deviation_of(const struct scales *scales, unsigned client, unsigned server)
{
	return rate_log(scales, VERDICT_CLIENT, client, server) - expected_of(scales, client, server);
}

/* As a standard deviation, more where few values leave it uncertain. Sorts the deviations. */
static double deviation_typical(double *deviations, unsigned count)
{
	return count ? median(deviations, count, true) * MAD_SIGMA * (1 + 1 / sqrt(count)) : 0;
}

/*
 * Of the pairs, and of the hosts: where a host has few pairs, they lead to expect nearly what they are. Most lose
 * nothing: what is lost by pairs of others is no spread.
 */
static double spread_of(struct scales *scales)
{
	unsigned count = 0, measured = 0, among = 0, usual = 0; /* among: pairs of hosts that are exactly as usual */
	double of_pairs;

	for (unsigned client = 0; client < scales->hosts; client++) {
		for (unsigned server = 0; server < scales->hosts; server++) {
			const double deviation = fabs(deviation_of(scales, client, server));
			const bool is_among = !(fabs(typical_of(scales, VERDICT_CLIENT, client) - scales->level) > 0 ||
						fabs(typical_of(scales, VERDICT_SERVER, server) - scales->level) > 0);

			if (!isfinite(deviation))
				continue;
			measured++;
			among += is_among;
			usual += is_among && !(deviation > 0);
			if (deviation > 0)
				scales->sorted[count++] = deviation;
		}
	}
	of_pairs = usual > measured / 4 && usual > 9 * among / 10 ? 0 : deviation_typical(scales->sorted, count);
	count = 0;
	for (unsigned i = 0; i < 2 * scales->hosts; i++) {
		scales->sorted[count] = fabs(scales->typical[i] - scales->level);
		count += isfinite(scales->sorted[count]) != 0;
	}
	return fmax(of_pairs, deviation_typical(scales->sorted, count));
}

static void hosts_judge(struct verdict *verdict, const struct scales *scales)
{
	for (unsigned role = VERDICT_CLIENT; role <= VERDICT_SERVER; role++) {
		for (unsigned host = 0; host < scales->hosts; host++) {
			struct verdict_finding finding = {
				.kind = (enum verdict_kind)role, .client = host, .server = host};

			finding.share = exp(typical_of(scales, finding.kind, host) - scales->level);
			if (!(finding.share < verdict->min_share))
				continue;
			for (unsigned peer = 0; peer < scales->hosts; peer++) {
				const double rate = rate_log(scales, role, host, peer);

				finding.pairs += isfinite(rate);
				finding.slow += rate - scales->level < log(verdict->min_share);
			}
			verdict->findings[verdict->num_findings++] = finding;
		}
	}
}

/* Much of what a slow end does is in what is expected of its pairs. */
static void links_judge(struct verdict *verdict, const struct scales *scales)
{
	for (unsigned client = 0; client < scales->hosts; client++) {
		for (unsigned server = 0; server < scales->hosts; server++) {
			const double share = exp(deviation_of(scales, client, server));

			if (share < verdict->link_limit)
				verdict->findings[verdict->num_findings++] =
					(struct verdict_finding){VERDICT_LINK, client, server, share, 1, 1};
		}
	}
}

static int by_share(const void *a, const void *b)
{
	const struct verdict_finding *x = a, *y = b;

	return (x->share > y->share) - (x->share < y->share);
}

int verdict_make(struct verdict *verdict, const double *rates, unsigned hosts, double min_share)
{
	const size_t cells = (size_t)hosts * hosts;
	struct scales scales = {.hosts = hosts, .rates = rates};
	int ret = -ENOMEM;

	*verdict = (struct verdict){
		.level = NAN, .min_share = min_share, .host_limit = min_share, .link_limit = min_share};
	scales.typical = calloc(2 * (size_t)hosts, sizeof(double));
	scales.sorted = calloc(cells + 2 * (size_t)hosts, sizeof(double));
	verdict->findings = calloc(cells + 2 * (size_t)hosts, sizeof(*verdict->findings));
	if (scales.typical && scales.sorted && verdict->findings) {
		verdict->compared = typical_find(&scales);
		verdict->level = exp(scales.level);
		if (verdict->compared >= VERDICT_LEAST_HOSTS) {
			verdict->spread = spread_of(&scales);
			verdict->host_limit = fmin(min_share, exp(-HOST_DEVIATIONS * verdict->spread));
			verdict->link_limit = fmin(min_share, exp(-LINK_DEVIATIONS * verdict->spread));
			hosts_judge(verdict, &scales);
			links_judge(verdict, &scales);
			qsort(verdict->findings, verdict->num_findings, sizeof(*verdict->findings), by_share);
		}
		ret = 0;
	}
	free(scales.sorted);
	free(scales.typical);
	if (ret)
		verdict_close(verdict);
	return ret;
}

void verdict_close(struct verdict *verdict)
{
	free(verdict->findings);
	verdict->findings = NULL;
	verdict->num_findings = 0;
}

enum verdict_again verdict_again(const struct verdict *verdict, unsigned suspects, const double *changes,
				 unsigned count, double *share)
{
	const double level = AGAIN_LEVEL / suspects;
	unsigned clear = 0, enough = CLEAR_AGAIN;
	struct paired paired;

	*share = NAN;
	if (!count || paired_judge(changes, count, count, 2 * level, &paired))
		return VERDICT_OPEN;
	*share = exp(paired.change);
	for (unsigned i = 0; i < count; i++)
		clear += exp(changes[i]) < verdict->link_limit;
	while (1U << (enough - CLEAR_AGAIN + 1) < suspects)
		enough++;
	if (count < CLEAR_AGAIN)
		return VERDICT_OPEN;
	if (*share >= verdict->min_share)
		return VERDICT_AS_OTHERS;
	if (clear >= enough && clear == count)
		return VERDICT_SLOW;
	if (paired.p <= 2 * level)
		return VERDICT_SLOW;
	return count < VERDICT_MOST_AGAIN ? VERDICT_OPEN : VERDICT_AS_OTHERS;
}
