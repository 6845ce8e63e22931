/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libibumad, opened at run time: only multicast on InfiniBand needs it. Used by sa_member.c. */
#ifndef VERBS_UMAD_LIBRARY_H
#define VERBS_UMAD_LIBRARY_H

#include <infiniband/umad.h>

struct umad_library {
	void *handle; /* NULL: not open */
	__typeof__(&umad_init) init;
	__typeof__(&umad_get_port) get_port;
	__typeof__(&umad_release_port) release_port;
	__typeof__(&umad_open_port) open_port;
	__typeof__(&umad_close_port) close_port;
	__typeof__(&umad_register) enlist;
	__typeof__(&umad_size) size;
	__typeof__(&umad_get_mad) get_mad;
	__typeof__(&umad_set_addr) set_addr;
	__typeof__(&umad_status) status;
	__typeof__(&umad_send) send;
	__typeof__(&umad_recv) recv;
};

/* 0, or -ENOENT, reported. Never closed. */
int umad_library_open(struct umad_library *library);

#endif
