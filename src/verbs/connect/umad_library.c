// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens libibumad. See umad_library.h. */
#include "verbs/connect/umad_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "util/log.h"

#define FILE_NAME "libibumad.so.3"

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{"umad_init", offsetof(struct umad_library, init)},
	{"umad_get_port", offsetof(struct umad_library, get_port)},
	{"umad_release_port", offsetof(struct umad_library, release_port)},
	{"umad_open_port", offsetof(struct umad_library, open_port)},
	{"umad_close_port", offsetof(struct umad_library, close_port)},
	{"umad_register", offsetof(struct umad_library, enlist)},
	{"umad_size", offsetof(struct umad_library, size)},
	{"umad_get_mad", offsetof(struct umad_library, get_mad)},
	{"umad_set_addr", offsetof(struct umad_library, set_addr)},
	{"umad_status", offsetof(struct umad_library, status)},
	{"umad_send", offsetof(struct umad_library, send)},
	{"umad_recv", offsetof(struct umad_library, recv)},
};

int umad_library_open(struct umad_library *library)
{
	library->handle = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);
	if (!library->handle)
		return log_fail(-ENOENT,
				"multicast on InfiniBand needs " FILE_NAME
				", which cannot be loaded\n%s; install libibumad3 (Debian) or libibumad (Fedora)",
				dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		/* POSIX allows storing a function's address in an object pointer, see dlsym(). */
		void **member = (void **)(void *)((char *)library + symbols[i].offset);

		*member = dlsym(library->handle, symbols[i].name);
		if (*member)
			continue;
		return log_fail(-ENOENT, FILE_NAME " has no %s: it is a different library", symbols[i].name);
	}
	return 0;
}
