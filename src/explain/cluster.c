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

static const char *role_of(const struct cluster *cluster, uint32_t rank)
{
	return cluster->members[rank].test.is_client ? "client" : "server";
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

		if (!at->is_worst)
			continue;
		text_add(text, EXPLAIN_TEXT_SIZE, "%s: %s (%s): %s\n", at == cluster->list ? "Likeliest cause" : "Also",
			 explained->cause->name, cluster->members[at->rank].name, explained->evidence);
		add_others(cluster, at, text);
		text_add(text, EXPLAIN_TEXT_SIZE, "   -> %s\n",
			 explained_advice(explained, &cluster->members[cluster->own].test.program, advice));
	}
	add_doctors(cluster, text);
	if (cluster->num_known < cluster->count)
		text_add(text, EXPLAIN_TEXT_SIZE, "%" PRIu32 " instances have not told what they have seen\n",
			 cluster->count - cluster->num_known);
}

static json_t *instances_json(const struct cluster *cluster, struct found *worst)
{
	json_t *list = json_array();

	for (struct found *at = worst; (at = next_of(cluster, worst->explained.cause, at)); at++)
		json_array_append_new(list, json_pack("{s:I, s:s, s:s, s:f}", "rank", (json_int_t)at->rank, "where",
						      role_of(cluster, at->rank), "evidence", at->explained.evidence,
						      "level", at->explained.level));
	return list;
}

static json_t *write_json(const struct cluster *cluster)
{
	json_t *list = json_array(), *peers = json_array();

	for (struct found *at = cluster->list; at < cluster->list + cluster->num_found; at++) {
		json_t *cause;

		if (!at->is_worst)
			continue;
		cause = explained_json(&at->explained, &cluster->members[cluster->own].test.program,
				       role_of(cluster, at->rank), NULL);
		json_object_set_new(cause, "instances", instances_json(cluster, at));
		json_array_append_new(list, cause);
	}
	for (uint32_t rank = 0; rank < cluster->count; rank++) {
		const struct cluster_member *member = &cluster->members[rank];

		if (rank != cluster->own)
			json_array_append_new(peers,
					      json_pack("{s:I, s:o}", "rank", (json_int_t)rank, "facts",
							member->has_facts ? facts_json(&member->facts) : json_null()));
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
