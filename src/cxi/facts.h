/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts about a run for the banner and the JSON document. cxi.c fills them in, banner.c and report.c print them. */
#ifndef CXI_FACTS_H
#define CXI_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cxi/wire.h"

/* Known when both sides are connected. The strings belong to the caller. */
struct cxi_facts {
	bool is_server;
	const char *device;	/* "cxi0"; with a provider its domain, "" if none was selected */
	const char *provider;	/* its own name: "tcp;ofi_rxm"; NULL: libcxi */
	const char *library;	/* including its version */
	uint64_t buffer_length; /* in use */
	bool pages_are_huge;	/* system memory of this side */
	bool has_idc;		/* immediate data commands or injection is used for small sizes */
	const struct cxi_memory *own_memory, *peer_memory;
	const char *own_address, *peer_address; /* in readable form */
	const char *peer_host;			/* on the side channel */
	bool is_loopback;
};

#endif
