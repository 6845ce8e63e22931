/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where is libcxi, and has it what is needed? The libcxi transport's start asks. */
#ifndef CXI_LIBCXI_LIBRARY_H
#define CXI_LIBCXI_LIBRARY_H

#include "cxi/libcxi_abi.h"
#include "cxi/ops.h"

/* What works without it, behind "or ". */
#define LIBCXI_ELSE "send with libfabric: --provider tcp, shm or another"

/* The functions under their own names; of the two that allocate a communication profile at least one, newer ones or
 * NULL. */
struct libcxi {
	void *handle;
#define LIBCXI_MEMBER(symbol, result, parameters) result(*symbol) parameters;
	LIBCXI_FUNCTIONS(LIBCXI_MEMBER)
	LIBCXI_PROFILE_FUNCTIONS(LIBCXI_MEMBER)
	LIBCXI_NEWER_FUNCTIONS(LIBCXI_MEMBER)
#undef LIBCXI_MEMBER
};

/*
 * Loads libcxi.so.1 as the dynamic linker finds it, and names it in link->library. 0 or -errno with link->fault, which
 * says what is missing and what else works: -ENOENT no library, -ENOSYS a library without a function; then there is
 * nothing to unload.
 */
int libcxi_load(struct libcxi *lib, struct cxi_link *link);
void libcxi_unload(struct libcxi *lib);

/* By the newer function where there is one. 0 or -errno, link->fault untouched. */
int libcxi_alloc_profile(const struct libcxi *lib, struct libcxi_interface *interface, unsigned vni,
			 struct libcxi_profile **profile);

/*
 * Is this the information of the NIC with the number id, in the layout that we know? -EPROTO with link->fault
 * otherwise: a library whose structures have changed must not be believed.
 */
int libcxi_check_device(struct cxi_link *link, const struct libcxi_device_info *info, unsigned id);

#endif
