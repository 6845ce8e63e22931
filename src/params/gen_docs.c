// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes a manual page or the bash completion from the option table: "gen_docs man ib_write_bw",
 * "gen_docs completion". Run by `make generate`, whose results are committed, so that a build needs
 * no program of its own (which a cross build could not run), and by `make check-generated`.
 */
#include "params/gen_docs.h"

#include <stdio.h>
#include <string.h>

#include "params/programs.h"

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "completion") == 0) {
		gen_completion();
		return 0;
	}
	for (size_t i = 0; argc == 3 && strcmp(argv[1], "man") == 0 && i < num_programs; i++) {
		if (strcmp(programs[i].name, argv[2]) == 0) {
			gen_man(&programs[i]);
			return 0;
		}
	}
	fprintf(stderr, "usage: gen_docs man PROGRAM | completion\n");
	return 2;
}
