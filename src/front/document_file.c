// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See document_file.h. */
#include "config.h"

#include "front/document_file.h"

#include <string.h>

#include "report/envelope.h"
#include "util/log.h"
#include "util/printable.h"

const char *document_file_text(const json_t *document, const char *outer, const char *inner)
{
	const json_t *value = json_object_get(outer ? json_object_get(document, outer) : document, inner);

	return json_is_string(value) ? json_string_value(value) : "";
}

json_t *document_file_load(const char *path, const char *purpose, const char *(*find_fault)(const json_t *document))
{
	const bool is_stdin = strcmp(path, "-") == 0;
	char text[JSON_ERROR_TEXT_LENGTH];
	json_error_t error;
	json_t *document =
		is_stdin ? json_loadf(stdin, 0 /* no flags */, &error) : json_load_file(path, 0 /* no flags */, &error);
	const char *fault = NULL;

	if (!document)
		fault = error.text;
	else if (strcmp(document_file_text(document, "tool", "suite"), PACKAGE_NAME) ||
		 json_integer_value(json_object_get(document, "schema_version")) != DOCUMENT_SCHEMA_VERSION)
		fault = "it is no JSON document of this suite";
	else if (find_fault)
		fault = find_fault(document);
	if (!fault)
		return document;
	log_error("cannot %s %s: %s", purpose, is_stdin ? "standard input" : path,
		  printable(fault, strlen(fault), text, sizeof(text)));
	json_decref(document);
	return NULL;
}
