/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libfabric, opened at run time, so that one package works with and without it. Calls on objects are inline functions
 * of its headers, which configure finds; these few functions must be looked up in the library.
 */
#pragma once

#include <rdma/fabric.h>
#include <stddef.h>

struct fabric_library {
	void *handle; /* NULL: not open */
	int (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
		       const struct fi_info *hints, struct fi_info **info);
	void (*freeinfo)(struct fi_info *info);
	struct fi_info *(*dupinfo)(const struct fi_info *info);
	int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
	const char *(*strerror)(int error);
	uint32_t (*version)(void);
};

/*
 * 0, or -ENOENT and a sentence: the library or a symbol is missing. Never closed: its providers may have threads and
 * handlers of their own.
 */
int fabric_library_open(struct fabric_library *library, char *reason, size_t reason_size);
