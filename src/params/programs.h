/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tests of this family: one row of the table for each, which the body of all, the document generator and the unit
 * tests use. */
#pragma once

#include <stddef.h>

#include "params/program.h"

extern const struct program programs[];
extern const size_t num_programs;

static inline unsigned program_bit(const struct program *program)
{
	return PROGRAM_BIT(program->id);
}

/* The program of that name, or that old name; NULL: not found. */
const struct program *program_find(const char *name);
/* The program that a client's greeting has, 1 + its id, if it has a server; NULL: not said, or not known here. */
const struct program *program_greeting(unsigned number);
/* The program that a path names, also if it was given another ending or beginning: "/opt/ib_write_bw-7.0"; or NULL. */
const struct program *program_of_path(const char *path);

/*
 * The programs of a mask in words: "bandwidth tests", "send and write tests", "read latency tests" for all programs of
 * some verbs and metrics, with or without that of bursts; otherwise their names. Returns buffer.
 */
const char *programs_text(unsigned mask, char *buffer, size_t size);
