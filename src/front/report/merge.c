// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `perftest merge`: the script that reads JSON documents. */
#include <stddef.h>

#include "front/command.h"
#include "front/launch/sibling.h"

int merge_main(int argc, char **argv)
{
	(void)argc;
	return sibling_run((const char *const[]){"scripts/merge_documents", "../share/perftest/merge_documents",
						 PKGDATADIR "/merge_documents", NULL},
			   argv);
}
