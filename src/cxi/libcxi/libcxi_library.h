/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libcxi, opened at run time by the libcxi transport. */
#pragma once

#include "cxi/libcxi/libcxi_abi.h"
#include "cxi/ops.h"

/* Alternatives without libcxi, following "or ". */
#define LIBCXI_ELSE "send with libfabric: --provider tcp, shm or another"

/*
 * The functions, under their own names. At least one of the two that allocate a communication profile is there; newer
 * functions may be NULL.
 */
struct libcxi {
	void *handle;
#define LIBCXI_MEMBER(symbol, result, parameters) result(*symbol) parameters;
	LIBCXI_FUNCTIONS(LIBCXI_MEMBER)
	LIBCXI_PROFILE_FUNCTIONS(LIBCXI_MEMBER)
	LIBCXI_NEWER_FUNCTIONS(LIBCXI_MEMBER)
#undef LIBCXI_MEMBER
};

/*
 * Loads libcxi.so.1 with the dynamic linker's search path, and stores its name in link->library. 0 or -errno with
 * link->fault, which says what is missing and what works without it: -ENOENT: no library, -ENOSYS: a function is
 * missing; then nothing needs to be unloaded.
 */
int libcxi_load(struct libcxi *lib, struct cxi_link *link);
void libcxi_unload(struct libcxi *lib);

/*
 * For a library call that failed: sets link->fault to "what: error", followed by the advice. result: with libcxi's
 * sign. Returns -errno.
 */
int libcxi_refused(struct cxi_link *link, int result, const char *what, const char *advice);

/* Uses the newer function if there is one. 0 or -errno, without changing link->fault. */
int libcxi_alloc_profile(const struct libcxi *lib, struct libcxi_interface *interface, unsigned vni,
			 struct libcxi_profile **profile);

/*
 * Does this look like the information of NIC id, in the layout that we know? If not, -EPROTO with link->fault: the
 * library's structures have changed, so its data must not be trusted.
 */
int libcxi_check_device(struct cxi_link *link, const struct libcxi_device_info *info, unsigned id);
