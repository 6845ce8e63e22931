// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Loads libcxi. Called by libcxi_open.c. */
#define _GNU_SOURCE 1 /* dlinfo() */
#include "cxi/libcxi/libcxi_link.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/sysfs.h"

#define LIBRARY "libcxi.so.1"

static const struct {
	const char *name;
	size_t at; /* offset of its pointer in struct libcxi */
	bool is_optional;
} functions[] = {
#define ROW(symbol, result, parameters) {#symbol, offsetof(struct libcxi, symbol), false},
	LIBCXI_FUNCTIONS(ROW)
#undef ROW
#define ROW(symbol, result, parameters) {#symbol, offsetof(struct libcxi, symbol), true},
		LIBCXI_OPTIONAL_FUNCTIONS(ROW)
#undef ROW
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* "libcxi.so.1.7.0, driver 1.2.3": may explain an unexpected layout or an error. */
static void name_library(const struct libcxi *lib, struct cxi_link *link)
{
	char path[PATH_MAX], driver[64];
	const char *name = LIBRARY;
	struct link_map *map = NULL;

	if (dlinfo(lib->handle, RTLD_DI_LINKMAP, &map) == 0 && map && realpath(map->l_name, path))
		name = strrchr(path, '/') + 1;
	sysfs_line(driver, sizeof(driver), "%s/module/cxi_ss1/version", sysfs_root());
	snprintf(link->library, sizeof(link->library), "%.80s%s%s", name, driver[0] ? ", driver " : "", driver);
}

/* The loader's message starts with the missing file, which may be a dependency of the library. */
static int not_loaded(struct cxi_link *link, const char *words)
{
	static const char absent[] = LIBRARY ": cannot open shared object file";

	if (strncmp(words, absent, sizeof(absent) - 1) == 0)
		return cxi_fault(link, -ENOENT,
				 "no " LIBRARY " (of HPE's Slingshot host software) here\n"
				 "install it, or " LIBCXI_ELSE);
	return cxi_fault(link, -ENOENT, LIBRARY " can't be loaded: %s\nreinstall it, or " LIBCXI_ELSE, words);
}

int libcxi_load(struct libcxi *lib, struct cxi_link *link)
{
	if (!CASSINI_HOST)
		return cxi_fault(link, -EOPNOTSUPP, "a Slingshot NIC needs a little-endian host\n" LIBCXI_ELSE);
	*lib = (struct libcxi){.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL)};
	if (!lib->handle)
		return not_loaded(link, dlerror());
	for (size_t i = 0; i < FUNCTIONS; i++) {
		void *symbol = dlsym(lib->handle, functions[i].name);

		/* POSIX requires that both kinds of pointers have the same representation. */
		memcpy((char *)lib + functions[i].at, &symbol, sizeof(symbol));
		if (!symbol && !functions[i].is_optional) {
			libcxi_unload(lib);
			return cxi_fault(link, -ENOSYS,
					 LIBRARY
					 " has no %s: it is too old, or not HPE's\nupdate libcxi, or " LIBCXI_ELSE,
					 functions[i].name);
		}
	}
	if (!lib->cxil_alloc_trig_cp && !lib->cxil_alloc_cp) {
		libcxi_unload(lib);
		return cxi_fault(link, -ENOSYS,
				 LIBRARY " has neither cxil_alloc_trig_cp nor cxil_alloc_cp\nit is not HPE's: install "
					 "HPE's, or " LIBCXI_ELSE);
	}
	name_library(lib, link);
	return 0;
}

void libcxi_unload(struct libcxi *lib)
{
	if (lib->handle)
		dlclose(lib->handle);
	*lib = (struct libcxi){0};
}

int libcxi_refused(struct cxi_link *link, int result, const char *advice, const char *what, ...)
{
	const int err = result < 0 ? result : -EIO;
	char text[CXI_FAULT_SIZE / 2];
	va_list args;

	va_start(args, what);
	vsnprintf(text, sizeof(text), what, args);
	va_end(args);
	return cxi_fault(link, err, "%s: %s\n%s", text, strerror(-err), advice);
}

int libcxi_alloc_profile(const struct libcxi *lib, struct libcxi_interface *interface, unsigned vni,
			 struct libcxi_profile **profile)
{
	if (lib->cxil_alloc_trig_cp)
		return lib->cxil_alloc_trig_cp(interface, vni, LIBCXI_BEST_EFFORT, LIBCXI_TRAFFIC_DEFAULT,
					       LIBCXI_LCID_ANY, profile);
	return lib->cxil_alloc_cp(interface, vni, LIBCXI_BEST_EFFORT, LIBCXI_TRAFFIC_DEFAULT, profile);
}

#define MIN_PID_BITS 6
#define MAX_PID_BITS 9

int libcxi_check_device(struct cxi_link *link, const struct libcxi_device_info *info, unsigned id)
{
	char name[sizeof("cxi4294967295")];

	snprintf(name, sizeof(name), "cxi%u", id);
	if (info->id == id && strncmp(info->name, name, sizeof(info->name)) == 0 && info->pid_bits >= MIN_PID_BITS &&
	    info->pid_bits <= MAX_PID_BITS && info->nic >> CASSINI_NIC_BITS == 0)
		return 0;
	return cxi_fault(link, -EPROTO,
			 "%s describes %s as device %u with %u PID bits and NIC 0x%x\nthat is impossible, so its "
			 "structures are not the ones known here; " LIBCXI_ELSE,
			 link->library, name, info->id, info->pid_bits, info->nic);
}
