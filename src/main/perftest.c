// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The one executable of the front and of the tests of the ib_* and raw_ethernet_* family, which are links to it: the
 * name by which it was called selects what it is.
 */
#include <sys/prctl.h>

#include "front/command.h"
#include "params/programs.h"
#include "session/session.h"

int main(int argc, char **argv)
{
	const struct program *program = argc > 0 ? program_of_path(argv[0]) : NULL;

	if (!program)
		return front_main(argc, argv);
	/* for ps, top, pkill and perf, also when it was executed again by another path */
	prctl(PR_SET_NAME, program->name);
	return session_main(program, argc, argv);
}
