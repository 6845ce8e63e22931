// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See document_file.h. */
#include "config.h"

#include "front/document_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/envelope.h"
#include "util/file.h"
#include "util/log.h"
#include "util/terminal.h"

#define MOST_DOCUMENTS 2000 /* of a file */

const char *document_file_text(const json_t *document, const char *outer, const char *inner)
{
	const json_t *value = json_object_get(outer ? json_object_get(document, outer) : document, inner);

	return json_is_string(value) ? json_string_value(value) : "";
}

static const char *find_own_fault(const json_t *document)
{
	if (strcmp(document_file_text(document, "tool", "suite"), PACKAGE_NAME))
		return "it is no JSON document of this suite";
	if (json_integer_value(json_object_get(document, "schema_version")) != DOCUMENT_SCHEMA_VERSION)
		return "its schema_version is that of another perftest, which can read it";
	return NULL;
}

static void report_fault(const char *path, const char *purpose, const char *fault)
{
	char text[JSON_ERROR_TEXT_LENGTH];

	log_error("cannot %s %s: %s", purpose, strcmp(path, "-") == 0 ? "standard input" : path,
		  printable(fault, strlen(fault), text, sizeof(text)));
}

/* A line of docs/output.md, "JSON Lines": begins a document, is of the last one, or is one by itself. NULL: it is. */
static const char *value_add(json_t *documents, json_t *value, bool *is_open)
{
	json_t *last = json_array_get(documents, json_array_size(documents) - 1);
	const char *kind = document_file_text(value, NULL, "kind");

	if (*is_open && strcmp(kind, "begin") != 0) {
		*is_open = strcmp(kind, "end") != 0;
		if (*is_open)
			return json_array_append(json_object_get(last, "measurements"), value) ? "out of memory" : NULL;
		json_object_del(value, "kind");
		return json_object_update(last, value) ? "out of memory" : NULL;
	}
	if (find_own_fault(value))
		return find_own_fault(value);
	if (json_array_size(documents) == MOST_DOCUMENTS)
		return "it has too many documents";
	*is_open = strcmp(kind, "begin") == 0;
	if (*is_open) {
		json_object_del(value, "kind");
		json_object_set_new(value, "measurements", json_array());
	}
	return json_array_append(documents, value) ? "out of memory" : NULL;
}

static bool is_at_end(FILE *file)
{
	int next = getc(file);

	while (next == ' ' || next == '\n' || next == '\r' || next == '\t')
		next = getc(file);
	ungetc(next, file);
	return next == EOF;
}

/*
 * Those of the runs of `perftest run -f` follow it, with the name as a label, and the status that the run had in the
 * end. NULL, or what is wrong.
 */
static const char *runs_add(json_t *documents)
{
	const size_t count = json_array_size(documents);
	json_t *row, *run;
	size_t j;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(document_file_text(json_array_get(documents, i), NULL, "metric"), "batch") != 0)
			continue;
		json_array_foreach(json_object_get(json_array_get(documents, i), "measurements"), j, row)
		{
			run = json_object_get(row, "document");
			if (!json_is_object(run) || find_own_fault(run))
				continue;
			if (json_array_size(documents) == MOST_DOCUMENTS)
				return "it has too many documents";
			json_object_set(json_object_get(run, "labels"), "run", json_object_get(row, "name"));
			json_object_set(run, "status", json_object_get(row, "status"));
			if (json_array_append(documents, run))
				return "out of memory";
		}
	}
	return NULL;
}

/* All documents of a file, an array; NULL: reported. */
static json_t *load_all(const char *path, const char *purpose)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : input_file_open(path);
	const char *fault = file ? NULL : strerror(errno);
	json_t *documents = json_array(), *value;
	bool is_open = false;
	json_error_t error;

	while (!fault) {
		if (is_at_end(file)) {
			fault = json_array_size(documents) ? NULL : ferror(file) ? strerror(errno) : "it is empty";
			break;
		}
		value = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error);
		fault = value ? value_add(documents, value, &is_open) : ferror(file) ? strerror(errno) : error.text;
		json_decref(value);
	}
	if (!fault)
		fault = runs_add(documents);
	if (fault)
		report_fault(path, purpose, fault);
	if (file && file != stdin)
		fclose(file);
	if (!fault)
		return documents;
	json_decref(documents);
	return NULL;
}

int document_files_each(char **paths, int count, const char *purpose, document_add_fn add, void *context)
{
	int ret = 0;

	for (int n = 0; n < count && !ret; n++) {
		json_t *documents = load_all(paths[n], purpose);

		ret = documents ? 0 : -EINVAL;
		for (size_t i = 0; i < json_array_size(documents) && !ret; i++)
			ret = add(context, paths[n], documents, i);
		json_decref(documents);
	}
	if (ret == -ENOMEM)
		log_error("out of memory");
	return ret;
}

json_t *document_file_load(const char *path, const char *purpose, const char *(*find_fault)(const json_t *document))
{
	json_t *documents = load_all(path, purpose), *document = NULL;
	const char *fault = NULL;

	if (!documents)
		return NULL;
	if (json_array_size(documents) > 1)
		fault = "it has several documents";
	else if (find_fault)
		fault = find_fault(json_array_get(documents, 0));
	if (fault)
		report_fault(path, purpose, fault);
	else
		document = json_incref(json_array_get(documents, 0));
	json_decref(documents);
	return document;
}
