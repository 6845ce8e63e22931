// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two documents of one run each, of which at least one was kept: are they of the same test, and what else is different?
 * For `perftest compare` of two documents, and `perftest gate`.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/compare/comparison.h"
#include "front/document_file.h"
#include "util/log.h"
#include "util/terminal.h"

#define PATH_SIZE      128
#define TEXT_SIZE      80
#define MOST_INSTANCES 1024 /* of cmtime: to look for more of them among more takes long, and no document has them */

/* Members that say what was measured, where and how. */
static const char *const members[] = {"tool",	   "role", "host",    "parameters", "device",
				      "transport", "peer", "cluster", "clock"};

/* Where qperf has those of a test. */
static const char *const of_result[] = {"local_parameters", "device", "peer"};

/* ... but for what is different each time, or changes no figure. */
static const char *const ignored[] = {"parameters.port",      "parameters.listen_port",
				      "parameters.host",      "parameters.output_format",
				      "parameters.out_json",  "parameters.out_json_file",
				      "parameters.explain",   "clock.cycles_per_second",
				      "clock.relative_error", "peer.address",
				      "transport.address",    "transport.peer_address",
				      "cluster.address",      "cluster.rank"};

static char *value_text(const json_t *value, char text[TEXT_SIZE])
{
	char *dump = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;

	readable(dump ? dump : "absent", strlen(dump ? dump : "absent"), text, TEXT_SIZE);
	free(dump);
	return text;
}

/* Of the instances of a cluster, which are numbered as they came, those that the other document does not have. */
static json_t *instances_of(json_t *list)
{
	json_t *instances = json_deep_copy(list), *one;
	size_t i;

	json_array_foreach(instances, i, one)
	{
		json_object_del(one, "rank");
		json_object_del(one, "address");
	}
	return instances;
}

static bool are_instances(const json_t *list)
{
	return json_is_array(list) && json_array_size(list) <= MOST_INSTANCES;
}

static void drop_common(json_t *a, json_t *b)
{
	for (size_t i = json_array_size(a); i--;)
		for (size_t k = json_array_size(b); k--;)
			if (json_equal(json_array_get(a, i), json_array_get(b, k))) {
				json_array_remove(a, i);
				json_array_remove(b, k);
				break;
			}
}

/* Adds what is different at this path, or below it. */
static void differences_add(json_t *differences, const char *path, json_t *a, json_t *b)
{
	char below[PATH_SIZE], text[COMPARE_NUM_SIDES][TEXT_SIZE];
	const char *key;
	json_t *value;

	/* What another program has rewritten may have 0 for 0.0. */
	if (a == b || json_equal(a, b) ||
	    (json_is_number(a) && json_is_number(b) && json_number_value(a) == json_number_value(b)))
		return;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (strcmp(path, ignored[i]) == 0)
			return;
	if (strcmp(path, "cluster.peers") == 0 && are_instances(a) && are_instances(b)) {
		json_t *only_a = instances_of(a), *only_b = instances_of(b);

		drop_common(only_a, only_b);
		for (size_t i = 0; i < json_array_size(only_a) || i < json_array_size(only_b); i++)
			differences_add(differences, path, json_array_get(only_a, i), json_array_get(only_b, i));
		json_decref(only_a);
		json_decref(only_b);
		return;
	}
	if (!json_is_object(a) || !json_is_object(b)) {
		/* Keys are the file's, too. */
		json_array_append_new(differences, json_pack("{s:s, s:s, s:s}", "member",
							     readable(path, strlen(path), below, sizeof(below)), "a",
							     value_text(a, text[0]), "b", value_text(b, text[1])));
		return;
	}
	json_object_foreach(a, key, value)
	{
		snprintf(below, sizeof(below), "%s.%s", path, key);
		differences_add(differences, below, value, json_object_get(b, key));
	}
	json_object_foreach(b, key, value)
	{
		snprintf(below, sizeof(below), "%s.%s", path, key);
		if (!json_object_get(a, key))
			differences_add(differences, below, NULL, value);
	}
}

/* A figure that only one of them has, in the first result in which it is so. */
static void figures_add(json_t *differences, json_t *const documents[COMPARE_NUM_SIDES])
{
	char text[COMPARE_NUM_SIDES][TEXT_SIZE];

	for (const struct figure_kind *kind = figure_kinds; kind < figure_kinds + figure_num_kinds; kind++) {
		double values[COMPARE_NUM_SIDES] = {0};

		for (unsigned n = 0; isnan(values[0]) == isnan(values[1]) && figure_row(documents[0], n); n++)
			for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
				values[side] = figure_read(figure_row(documents[side], n), kind);
		if (isnan(values[0]) == isnan(values[1]))
			continue;
		for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
			snprintf(text[side], TEXT_SIZE, isnan(values[side]) ? "absent" : "%.4g %s",
				 values[side] * kind->to_shown, kind->unit);
		json_array_append_new(differences,
				      json_pack("{s:s, s:s, s:s}", "member", kind->name, "a", text[0], "b", text[1]));
	}
}

static json_t *kept_differences(json_t *const documents[COMPARE_NUM_SIDES])
{
	json_t *differences = json_array();

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		differences_add(differences, members[i], json_object_get(documents[0], members[i]),
				json_object_get(documents[1], members[i]));
	for (size_t i = 0; i < sizeof(of_result) / sizeof(of_result[0]); i++)
		differences_add(differences, of_result[i],
				json_object_get(figure_result(documents[0], 0), of_result[i]),
				json_object_get(figure_result(documents[1], 0), of_result[i]));
	figures_add(differences, documents);
	return differences;
}

int kept_match(struct comparison *comparison, const char *const names[COMPARE_NUM_SIDES],
	       json_t *const documents[COMPARE_NUM_SIDES])
{
	static const char *const same[][2] = {{"tool", "name"}, {NULL, "metric"}};
	char a[TEXT_SIZE], b[TEXT_SIZE];

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		const char *of_a = document_file_text(documents[0], same[i][0], same[i][1]);
		const char *of_b = document_file_text(documents[1], same[i][0], same[i][1]);

		if (strcmp(of_a, of_b) == 0)
			continue;
		snprintf(comparison->fault, sizeof(comparison->fault),
			 "these documents are of different tests: %.200s of %s, %.200s of %s", names[0],
			 readable(of_a, strlen(of_a), a, sizeof(a)), names[1],
			 readable(of_b, strlen(of_b), b, sizeof(b)));
		return -EINVAL;
	}
	comparison->differences = kept_differences(documents);
	return 0;
}

int kept_load(struct comparison *comparison)
{
	json_t *documents[COMPARE_NUM_SIDES] = {NULL};
	const char *const *paths = comparison->params->documents;
	int ret = -EINVAL;

	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++) {
		documents[side] = document_file_load(paths[side], "compare", figure_fault);
		if (!documents[side])
			goto out;
	}
	ret = kept_match(comparison, paths, documents);
	if (ret) {
		log_error("%s", comparison->fault);
		goto out;
	}
	ret = comparison_add(comparison, documents);
	if (ret)
		log_error("cannot compare %s with %s: %s", paths[0], paths[1], comparison->fault);
out:
	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
		json_decref(documents[side]);
	return ret;
}
