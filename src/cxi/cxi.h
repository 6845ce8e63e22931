/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entry point of cxi_send_bw, called by its main file, and its documentation, used by gen_docs. */
#pragma once

#include "params/engine/page.h"

extern const struct page cxi_page;

/* Returns the exit status of the program. */
int cxi_main(int argc, char **argv);
