/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connects both sides' NICs. Called by libcxi_open.c and through ops.h. */
#ifndef CXI_LIBCXI_CONNECT_H
#define CXI_LIBCXI_CONNECT_H

#include "cxi/libcxi/libcxi_link.h"

/* Sets the link's address, of which the peer is told. */
void libcxi_fill_address(struct libcxi_link *own);
/* Uses the peer's address, enables the portals and prepares the commands. */
int libcxi_connect(struct cxi_link *link, const struct cxi_address *address);

#endif
