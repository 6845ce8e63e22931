/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The life of cxi_send_bw, and all that is written about it; called by its main file and by gen_docs. */
#ifndef CXI_CXI_H
#define CXI_CXI_H

#include "params/page.h"

extern const struct page cxi_page;

/* Returns what the process shall exit with. */
int cxi_main(int argc, char **argv);

#endif
