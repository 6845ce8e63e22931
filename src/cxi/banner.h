/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines above the table: what is run, and between which hosts, in the format of the manual page. */
#ifndef CXI_BANNER_H
#define CXI_BANNER_H

#include <stdio.h>

#include "cxi/facts.h"
#include "cxi/parameters.h"

#define CXI_RULE "---------------------------------------------------"

void cxi_banner(FILE *out, const struct cxi_params *params, const struct cxi_facts *facts);

#endif
