/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options in a JSON document: each has a key, and its value as a number, boolean or text. For document.c and for
 * programs with option tables of their own.
 */
#pragma once

#include <jansson.h>

#include "params/engine/opt.h"

/*
 * All options of these programs that say something about a run, which those of a table's first group (--help,
 * --version) do not; nor those of --label, which are a member of their own. Each has the value that the test used,
 * under its long name in lower case with underscores; null: a word that means no value ("auto", "off"), or an empty
 * text. NULL: no memory. The caller owns it.
 */
json_t *parameters_json(const struct opt_table *table, unsigned programs, const void *values);
