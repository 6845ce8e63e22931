// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See result.h. */
#include <errno.h>
#include <math.h>

#include "front/matrix/result.h"

#define MOST_SUSPECTS 32 /* that are measured again, the worst first */
#define MOST_DOUBTFUL 2	 /* hosts of them, by each subject, that may well be healthy */
#define LEAST_OTHERS  2	 /* hosts that are not suspected, for a pair to compare with */
#define MOST_FAILED   3	 /* times without a figure, each of which may last as long as --limit allows */

static const struct verdict *verdict_of(const struct result *result, const struct result_named *named)
{
	return &result->verdicts[named->subject];
}

/* Enough to be named if it cannot be measured again, and to be told of if it is as the others then. */
static bool is_clear(const struct result *result, const struct result_named *named)
{
	return named->finding.share < verdict_of(result, named)->link_limit;
}

/* In any role. The ends of a link are not. */
static bool is_suspect(const struct result *result, unsigned host)
{
	for (unsigned i = 0; i < result->num_named; i++) {
		const struct result_named *named = &result->named[i];

		if (named->finding.kind != VERDICT_LINK && !named->cleared && named->finding.client == host)
			return true;
	}
	return false;
}

static bool is_suspect_link(const struct result *result, unsigned client, unsigned server)
{
	for (unsigned i = 0; i < result->num_named; i++) {
		const struct result_named *named = &result->named[i];

		if (named->finding.kind == VERDICT_LINK && !named->cleared && named->finding.client == client &&
		    named->finding.server == server)
			return true;
	}
	return false;
}

/* Some pair that is not suspected; in each round another client if possible. False: there is none. */
static bool find_others(const struct result *result, unsigned round, struct pairing_pair *pair)
{
	const unsigned num = result->num_adapters;

	for (unsigned i = 0; i < num * (num - 1); i++) {
		const unsigned client = (round + i) % num, server = (client + 1 + i / num) % num;

		if (result_cell(result, client, server)->state == RESULT_OK && !is_suspect(result, client) &&
		    !is_suspect(result, server) && !is_suspect_link(result, client, server)) {
			*pair = (struct pairing_pair){client, server};
			return true;
		}
	}
	return false;
}

/* The link, or the host with a peer; in each round another one, which is not suspected, if possible. False: none. */
static bool find_suspects(const struct result *result, const struct verdict_finding *suspect, unsigned round,
			  struct pairing_pair *pair)
{
	const unsigned num = result->num_adapters;

	*pair = (struct pairing_pair){suspect->client, suspect->server};
	if (suspect->kind == VERDICT_LINK)
		return true;
	for (unsigned i = 0; i < 2 * (num - 1); i++) {
		const unsigned peer = (suspect->client + 1 + (round + i) % (num - 1)) % num;

		*(suspect->kind == VERDICT_CLIENT ? &pair->server : &pair->client) = peer;
		if (result_cell(result, pair->client, pair->server)->state == RESULT_OK &&
		    (i >= num - 1 || !is_suspect(result, peer)))
			return true;
	}
	return false;
}

/*
 * Is the host, or one of the link's, suspected in this role before? A host that may be healthy in one figure explains
 * no other. Loss explains slow tails, but not the figure, nor the figure loss: both may be the other's cause.
 */
static bool explains(const struct result *result, const struct result_named *other, const struct result_named *named)
{
	const struct verdict_finding *finding = &named->finding, *before = &other->finding;
	const bool same_client = before->client == finding->client, same_server = before->server == finding->server;

	if (other->subject != named->subject && (!is_clear(result, other) || named->subject == RESULT_LOSS))
		return false;
	if (finding->kind != VERDICT_LINK)
		return before->kind == finding->kind && same_client && same_server;
	return before->kind == VERDICT_CLIENT ? same_client
					      : same_server && (before->kind == VERDICT_SERVER || same_client);
}

/* Does what is in front of it explain it, unless that has been cleared? A host that is slow explains its slow links. */
static bool is_explained(const struct result *result, const struct result_named *named, bool by_cleared)
{
	const struct verdict_finding *finding = &named->finding;

	for (const struct result_named *other = result->named; other < named; other++)
		if ((by_cleared || !other->cleared) && explains(result, other, named))
			return true;
	return finding->kind == VERDICT_LINK &&
	       (is_suspect(result, finding->client) || is_suspect(result, finding->server));
}

/* One thing that a host or a link is suspected of, and what came of measuring it again. */
struct suspicion {
	struct result_named *named;
	double changes[VERDICT_MOST_AGAIN];
	unsigned count;
	enum verdict_again verdict;
};

/* All that is suspected of the same, and has not been judged. Returns how many: at most RESULT_SUBJECTS. */
static unsigned suspicions_find(struct result *result, const struct verdict_finding *finding,
				struct suspicion list[RESULT_SUBJECTS])
{
	unsigned count = 0;

	for (unsigned i = 0; i < result->num_named; i++) {
		struct result_named *named = &result->named[i];

		if (named->finding.kind == finding->kind && named->finding.client == finding->client &&
		    named->finding.server == finding->server && !named->cleared && !named->judged)
			list[count++] = (struct suspicion){.named = named, .verdict = VERDICT_OPEN};
	}
	return count;
}

static bool is_open(const struct suspicion *suspicion, unsigned round)
{
	return suspicion->verdict == VERDICT_OPEN && round - suspicion->count < MOST_FAILED;
}

/* Is one that nothing explains? */
static bool are_open(const struct result *result, const struct suspicion *list, unsigned count, unsigned round)
{
	for (unsigned i = 0; i < count; i++)
		if (is_open(&list[i], round) && !is_explained(result, list[i].named, false))
			return true;
	return false;
}

/* In a round the suspect and others have these rates. */
static void suspicion_judge(const struct result *result, struct suspicion *suspicion, unsigned suspects,
			    double rates[2][RESULT_SUBJECTS])
{
	const unsigned subject = suspicion->named->subject;

	suspicion->changes[suspicion->count] = log(rates[0][subject] / rates[1][subject]);
	if (isfinite(suspicion->changes[suspicion->count]))
		suspicion->verdict = verdict_again(verdict_of(result, suspicion->named), suspects, suspicion->changes,
						   ++suspicion->count, &suspicion->named->alone);
	suspicion->named->cleared = suspicion->verdict == VERDICT_AS_OTHERS;
}

/* Which of both is first changes from round to round. 0 or -EINTR. */
static int suspect_judge(struct result *result, const struct verdict_finding *finding, unsigned suspects,
			 suspects_measure_fn measure, void *context)
{
	struct suspicion list[RESULT_SUBJECTS];
	const unsigned count = suspicions_find(result, finding, list);
	int ret = 0;

	for (unsigned i = 0; i < count; i++)
		list[i].named->judged = true;
	for (unsigned round = 0; round < VERDICT_MOST_AGAIN && are_open(result, list, count, round); round++) {
		double rates[2][RESULT_SUBJECTS];
		struct pairing_pair pairs[2];

		if (!find_suspects(result, finding, round, &pairs[0]) || !find_others(result, round, &pairs[1]))
			return 0;
		for (unsigned i = 0; i < 2 && !ret; i++) {
			const unsigned which = (round + i) % 2;

			ret = measure(context, pairs[which].client, pairs[which].server, rates[which]);
		}
		for (unsigned i = 0; i < count; i++)
			if (ret)
				list[i].named->alone = NAN;
			else if (is_open(&list[i], round))
				suspicion_judge(result, &list[i], suspects, rates);
		if (ret)
			return ret;
	}
	for (unsigned i = 0; i < count; i++)
		list[i].named->cleared = list[i].count && list[i].verdict != VERDICT_SLOW;
	return 0;
}

static bool is_reportable(const struct result *result, const struct result_named *named)
{
	const bool is_judged = isfinite(named->alone);

	return !is_explained(result, named, named->cleared) &&
	       (is_clear(result, named) ? is_judged || !named->cleared : is_judged && !named->cleared);
}

/* Of hosts that may be healthy only the worst are suspected at first, so that some are left to compare with. */
static void leave_others(struct result *result)
{
	unsigned left = result->num_adapters, doubtful[RESULT_SUBJECTS] = {0};

	for (unsigned i = 0; i < result->num_named; i++) {
		struct result_named *named = &result->named[i];
		bool is_known = named->finding.kind == VERDICT_LINK;

		for (unsigned j = 0; j < i && !is_known; j++)
			is_known = result->named[j].finding.kind != VERDICT_LINK && !result->named[j].cleared &&
				   result->named[j].finding.client == named->finding.client;
		if (is_known)
			continue;
		if (!is_clear(result, named)) {
			named->cleared = doubtful[named->subject] == MOST_DOUBTFUL || left <= LEAST_OTHERS;
			doubtful[named->subject] += !named->cleared;
		}
		left -= !named->cleared && left;
	}
}

/* In the place of a host that might have been healthy, and is not, the next one is suspected. Returns of how much. */
static unsigned suspect_next(struct result *result, unsigned subject)
{
	const struct result_named *next = NULL;
	unsigned left = 0, suspects = 0;

	for (unsigned host = 0; host < result->num_adapters; host++)
		left += !is_suspect(result, host);
	for (unsigned i = 0; i < result->num_named && left > LEAST_OTHERS; i++) {
		struct result_named *named = &result->named[i];

		if (named->subject != subject || named->finding.kind == VERDICT_LINK || !named->cleared ||
		    named->judged)
			continue;
		next = next ? next : named;
		named->cleared = named->finding.client != next->finding.client;
		suspects += !named->cleared;
	}
	return suspects;
}

/* What could not be measured again is as most of what was. */
static void judge_rest(struct result *result)
{
	unsigned slow = 0, as_others = 0;

	for (unsigned i = 0; i < result->num_named; i++) {
		slow += isfinite(result->named[i].alone) && !result->named[i].cleared;
		as_others += isfinite(result->named[i].alone) && result->named[i].cleared;
	}
	for (unsigned i = 0; i < result->num_named; i++)
		result->named[i].cleared |= isnan(result->named[i].alone) && as_others > slow;
}

int suspects_judge(struct result *result, suspects_measure_fn measure, void *context)
{
	unsigned suspects = 0, judged = 0, kept = 0;
	int ret = 0;

	if (!result->figure || result_judge(result))
		return result->figure ? -ENOMEM : 0;
	leave_others(result);
	for (unsigned i = 0; i < result->num_named; i++)
		suspects += !result->named[i].cleared && !is_explained(result, &result->named[i], false);
	for (unsigned links = 0; links <= 1; links++) {
		for (unsigned i = 0; i < result->num_named && judged < MOST_SUSPECTS && !ret; i++) {
			struct result_named *named = &result->named[i];

			if ((named->finding.kind == VERDICT_LINK) != links || named->cleared || named->judged ||
			    result->interrupted || is_explained(result, named, false))
				continue;
			judged++;
			ret = suspect_judge(result, &named->finding, suspects, measure, context);
			if (!links && !named->cleared && !is_clear(result, named))
				suspects += suspect_next(result, named->subject);
		}
	}
	if (judged == MOST_SUSPECTS)
		judge_rest(result);
	/* A host that may be healthy, and could not be measured again, explains nothing. */
	for (unsigned i = 0; i < result->num_named; i++)
		result->named[i].cleared |= isnan(result->named[i].alone) && !is_clear(result, &result->named[i]);
	/* All are looked at before one is gone, which may explain others. */
	for (unsigned i = 0; i < result->num_named; i++)
		result->named[i].is_reported = is_reportable(result, &result->named[i]);
	for (unsigned i = 0; i < result->num_named; i++)
		if (result->named[i].is_reported)
			result->named[kept++] = result->named[i];
	result->num_named = kept;
	return ret;
}
