// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See cluster.h. */
#include "explain/cluster.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/results.h"
#include "util/terminal.h"

#define MOST_NAMED 4 /* instances of a cause besides the worst, in the text */

/* A cause on an instance. */
struct found {
	struct explained explained;
	uint32_t rank;
	bool is_worst; /* on no other instance there is more of the cause */
};

struct cluster {
	const struct cluster_member *members;
	uint32_t count, own;
	uint32_t num_known; /* members with facts */
	struct found *list; /* the worst first */
	size_t num_found;
};

static int compare(const void *left, const void *right)
{
	const struct found *one = left, *other = right;
	const int order = explained_compare(&one->explained, &other->explained);

	return order ? order : one->rank < other->rank ? -1 : one->rank > other->rank;
}

/* 0 or -ENOMEM. */
static int look_at(struct cluster *cluster, uint32_t rank)
{
	struct explanation *one = calloc(1, sizeof(*one));
	struct found *list;

	if (!one)
		return -ENOMEM;
	one->test = cluster->members[rank].test;
	one->facts[0] = cluster->members[rank].facts;
	explain(one);
	list = realloc(cluster->list, (cluster->num_found + one->count + 1) * sizeof(*list));
	if (list)
		cluster->list = list;
	for (unsigned i = 0; list && i < one->count; i++)
		/* of pairs, path and test are looked at once */
		if (!cluster->members[rank].peer || one->list[i].cause->place == CAUSE_OF_SIDE)
			list[cluster->num_found++] = (struct found){.explained = one->list[i], .rank = rank};
	free(one);
	return list ? 0 : -ENOMEM;
}

/* Of the list the next entry with that cause, from one on; NULL: there is none. */
static struct found *next_of(const struct cluster *cluster, const struct cause *cause, struct found *from)
{
	for (; from < cluster->list + cluster->num_found; from++)
		if (from->explained.cause == cause)
			return from;
	return NULL;
}

static void order(struct cluster *cluster)
{
	struct found *worst;

	if (cluster->num_found)
		qsort(cluster->list, cluster->num_found, sizeof(cluster->list[0]), compare);
	for (const struct cause *cause = causes; cause < causes + num_causes; cause++) {
		worst = next_of(cluster, cause, cluster->list);
		if (worst)
			worst->is_worst = true;
	}
}

static const char *where(const struct cluster *cluster, const struct found *found)
{
	return explained_where(&found->explained, cluster->members[found->rank].test.is_client);
}

/* On which other instances the cause is, too, the worst of them first. */
static void add_others(const struct cluster *cluster, struct found *worst, char text[EXPLAIN_TEXT_SIZE])
{
	const struct cause *cause = worst->explained.cause;
	unsigned others = 0;

	for (struct found *at = worst + 1; (at = next_of(cluster, cause, at)); at++)
		others++;
	if (!others)
		return;
	text_add(text, EXPLAIN_TEXT_SIZE, "   and on %u other%s: ", others, others == 1 ? "" : "s");
	others = 0;
	for (struct found *at = worst + 1; (at = next_of(cluster, cause, at)); at++, others++) {
		if (others == MOST_NAMED) {
			text_add(text, EXPLAIN_TEXT_SIZE, ", ...");
			break;
		}
		text_add(text, EXPLAIN_TEXT_SIZE, "%s%s", others ? ", " : "", cluster->members[at->rank].name);
	}
	text_add(text, EXPLAIN_TEXT_SIZE, "\n");
}

/* The doctor's findings are those of each host: how many have any, and those of this one. */
static void add_doctors(const struct cluster *cluster, char text[EXPLAIN_TEXT_SIZE])
{
	const struct cluster_member *own = &cluster->members[cluster->own];
	unsigned others = 0;

	explain_doctor(&own->facts.doctor, own->name, text);
	for (uint32_t rank = 0; rank < cluster->count; rank++)
		others += rank != cluster->own && cluster->members[rank].facts.doctor.count;
	if (others)
		text_add(text, EXPLAIN_TEXT_SIZE,
			 "doctor, not ranked: on %u other instance%s, see their own output, or perftest doctor there\n",
			 others, others == 1 ? "" : "s");
}

static void write_text(const struct cluster *cluster, char text[EXPLAIN_TEXT_SIZE])
{
	char advice[EXPLAIN_EVIDENCE_SIZE];

	text[0] = '\0';
	if (!cluster->num_found)
		text_add(text, EXPLAIN_TEXT_SIZE,
			 "No cause found: nothing seen on %" PRIu32 " instances slows this test down\n",
			 cluster->num_known);
	for (struct found *at = cluster->list; at < cluster->list + cluster->num_found; at++) {
		const struct explained *explained = &at->explained;
		const bool is_of_side = explained->cause->place == CAUSE_OF_SIDE, is_own = at->rank == cluster->own;

		if (!at->is_worst)
			continue;
		text_add(text, EXPLAIN_TEXT_SIZE, "%s: %s (%s%s%s): %s\n",
			 at == cluster->list ? "Likeliest cause" : "Also", explained->cause->name,
			 is_of_side ? "" : where(cluster, at), is_own || is_of_side ? "" : " of ",
			 is_own && !is_of_side ? "" : cluster->members[at->rank].name, explained->evidence);
		add_others(cluster, at, text);
		text_add(text, EXPLAIN_TEXT_SIZE, "   -> %s\n",
			 explained_advice(explained, &cluster->members[at->rank].test.program, advice));
	}
	add_doctors(cluster, text);
	if (cluster->num_known < cluster->count)
		text_add(text, EXPLAIN_TEXT_SIZE, "%" PRIu32 " instances have not told what they have seen\n",
			 cluster->count - cluster->num_known);
}

/* Which instance it is. */
static json_t *identity(const struct cluster *cluster, uint32_t rank)
{
	return json_pack("{s:I, s:s*}", "rank", (json_int_t)rank, "peer", cluster->members[rank].peer);
}

static json_t *instances_json(const struct cluster *cluster, struct found *worst)
{
	json_t *list = json_array(), *one;

	for (struct found *at = worst; (at = next_of(cluster, worst->explained.cause, at)); at++) {
		one = identity(cluster, at->rank);
		json_object_update_new(one, json_pack("{s:s, s:s, s:f}", "where", where(cluster, at), "evidence",
						      at->explained.evidence, "level", at->explained.level));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *write_json(const struct cluster *cluster)
{
	json_t *list = json_array(), *peers = json_array(), *one;

	for (struct found *at = cluster->list; at < cluster->list + cluster->num_found; at++) {
		const struct explain_test *test = &cluster->members[at->rank].test;

		if (!at->is_worst)
			continue;
		one = explained_json(&at->explained, &test->program, test->is_client);
		json_object_set_new(one, "instances", instances_json(cluster, at));
		json_array_append_new(list, one);
	}
	for (uint32_t rank = 0; rank < cluster->count; rank++) {
		const struct cluster_member *member = &cluster->members[rank];

		if (rank == cluster->own)
			continue;
		one = identity(cluster, rank);
		json_object_set_new(one, "facts", member->has_facts ? facts_json(&member->facts) : json_null());
		json_array_append_new(peers, one);
	}
	return json_pack("{s:o, s:o, s:n, s:o}", "causes", list, "local",
			 facts_json(&cluster->members[cluster->own].facts), "remote", "peers", peers);
}

int cluster_explain(const struct cluster_member *members, uint32_t count, uint32_t own, struct results *results)
{
	struct cluster cluster = {.members = members, .count = count, .own = own};
	char text[EXPLAIN_TEXT_SIZE];
	int ret = 0;

	for (uint32_t rank = 0; rank < count && !ret; rank++) {
		if (!members[rank].has_facts)
			continue;
		cluster.num_known++;
		ret = look_at(&cluster, rank);
	}
	if (!ret) {
		order(&cluster);
		write_text(&cluster, text);
		results_explain(results, text, write_json(&cluster));
	}
	free(cluster.list);
	return ret;
}
