/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connects both sides' NICs. Called by libcxi_ops.c. */
#ifndef CXI_LIBCXI_CONNECT_H
#define CXI_LIBCXI_CONNECT_H

#include "cxi/libcxi/libcxi_link.h"

/* This side's address, to be sent to the peer. */
void libcxi_fill_address(const struct libcxi_link *own, struct cxi_address *address);
/* Uses the peer's address, enables the portals and prepares the commands. 0 or -errno. */
int libcxi_connect(struct libcxi_link *own, const struct cxi_address *address);

#endif
