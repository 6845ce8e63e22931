// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Loads libcxi. Called by libcxi_open.c. */
#define _GNU_SOURCE 1 /* dladdr() */
#include "cxi/libcxi/libcxi_link.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/library.h"
#include "util/sysfs.h"

/* "libcxi.so.1.7.0, driver 1.2.3": may explain an unexpected layout or an error. */
static void name_library(const struct libcxi *lib, struct cxi_link *link)
{
	char path[PATH_MAX], driver[64];
	const char *name = LIBCXI_SONAME;
	Dl_info found;

	if (dladdr((const void *)(uintptr_t)lib->cxil_open_device, &found) && realpath(found.dli_fname, path))
		name = strrchr(path, '/') + 1;
	sysfs_line(driver, sizeof(driver), "%s/module/cxi_ss1/version", sysfs_root());
	snprintf(link->library, sizeof(link->library), "%.80s%s%s", name, driver[0] ? ", driver " : "", driver);
}

int libcxi_load(struct libcxi *lib, struct cxi_link *link)
{
#define ROW(symbol, result, parameters)	     LIBRARY_ROW(#symbol, lib->symbol),
#define OPTIONAL(symbol, result, parameters) LIBRARY_ROW(#symbol, lib->symbol, .is_optional = true),
	const struct library_symbol symbols[] = {LIBCXI_FUNCTIONS(ROW) LIBCXI_OPTIONAL_FUNCTIONS(OPTIONAL){0}};
	const struct library library = {
		.files = {LIBCXI_SONAME}, .symbols = symbols, .comes_with = "HPE's Slingshot host software"};
	char reason[CXI_FAULT_SIZE / 2];

	if (!CASSINI_HOST)
		return cxi_fault(link, -EOPNOTSUPP, "a Slingshot NIC needs a little-endian host\n" LIBCXI_ELSE);
	if (library_open(&library, NULL /* functions */, "Slingshot", reason, sizeof(reason)))
		return cxi_fault(link, -ENOENT, "%s\ninstall or update it, or " LIBCXI_ELSE, reason);
	if (!lib->cxil_alloc_trig_cp && !lib->cxil_alloc_cp)
		return cxi_fault(link, -ENOSYS,
				 LIBCXI_SONAME
				 " has neither cxil_alloc_trig_cp nor cxil_alloc_cp\nit is not HPE's: install "
				 "HPE's, or " LIBCXI_ELSE);
	name_library(lib, link);
	return 0;
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
