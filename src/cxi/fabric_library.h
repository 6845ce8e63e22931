/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libfabric, opened at run time: one package of the suite runs with it and without. Its headers, which come from
 * configure, bring the calls on objects as inline functions; these few have to be found in the library.
 */
#ifndef CXI_FABRIC_LIBRARY_H
#define CXI_FABRIC_LIBRARY_H

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
 * 0, or -ENOENT and a sentence: the library, or a symbol of it, is missing. It stays for as long as the process: its
 * providers may have threads and handlers of their own.
 */
int fabric_library_open(struct fabric_library *library, char *reason, size_t reason_size);

#endif
