/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is told of a run above its rows, and in the document. cxi.c fills it, banner.c and report.c show it. */
#ifndef CXI_FACTS_H
#define CXI_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cxi/wire.h"

/* What is known when both sides are connected. The strings are the caller's, and stay. */
struct cxi_facts {
	bool is_server;
	const char *device;	/* "cxi0"; with a provider its domain, "" where it was not chosen */
	const char *provider;	/* as it calls itself: "tcp;ofi_rxm"; NULL: libcxi */
	const char *library;	/* and its version */
	uint64_t buffer_length; /* bytes in use */
	bool pages_are_huge;	/* of this side's system memory */
	bool has_idc;		/* immediate data commands, or injection, for sizes that are small enough */
	const struct cxi_memory *own_memory, *peer_memory;
	const char *own_address, *peer_address; /* as people read them */
	const char *peer_host;			/* of the side channel */
	bool is_loopback;
};

#endif
