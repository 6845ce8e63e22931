// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The first ibv_get_device_list() of a process asks the drivers that are already loaded which devices they support, and
 * only if a device is left over, it loads every driver in /etc/libibverbs.d: some twenty libraries, and a third of the
 * time that a program needs to start. A driver that is already loaded, as in a program that is linked with libmlx5, is
 * asked first. So the driver that a device's name suggests is loaded here; if that was a wrong guess (udev renames
 * devices: "rocep59s0"), or there are several kinds of devices, the others are loaded as usual.
 */
#define _GNU_SOURCE
#include "verbs/provider.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "/sys/class/infiniband"

void provider_name(const char *device, char *name, unsigned size)
{
	size_t length = strlen(device);

	while (length && isdigit((unsigned char)device[length - 1]))
		length--;
	if (length == strlen(device))
		length = 0; /* no number: the user's name */
	else if (length && device[length - 1] == '_')
		length--;
	snprintf(name, size, "%.*s", (int)length, device);
	if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
		name[0] = '\0';
}

/* libibverbs keeps its drivers in a folder libibverbs beside itself. */
static int drivers_folder(char *folder, size_t size)
{
	void *known = dlsym(RTLD_DEFAULT, "ibv_get_device_list");
	Dl_info library;
	const char *slash;

	if (!known || !dladdr(known, &library) || !library.dli_fname || library.dli_fname[0] != '/')
		return -1;
	slash = strrchr(library.dli_fname, '/');
	if (!slash)
		return -1;
	return (size_t)snprintf(folder, size, "%.*s/libibverbs", (int)(slash - library.dli_fname), library.dli_fname) <
			       size
		       ? 0
		       : -1;
}

/* The file's name ends with a private version of libibverbs: lib<name>-rdmav34.so. */
static void provider_file_load(const char *folder, const char *name)
{
	char pattern[PATH_MAX + 64];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/lib%s-rdmav*.so", folder, name);
	if (glob(pattern, 0, NULL, &found))
		return;
	/* With two matches it is unclear which one is right. Stays loaded: it registers itself with libibverbs. */
	if (found.gl_pathc == 1)
		dlopen(found.gl_pathv[0], RTLD_NOW);
	globfree(&found);
}

void provider_load(void)
{
	char folder[PATH_MAX - 64], name[64], last[64] = "";
	const struct dirent *entry;
	DIR *devices = opendir(DEVICES);

	if (!devices)
		return;
	if (!drivers_folder(folder, sizeof(folder))) {
		while ((entry = readdir(devices))) {
			provider_name(entry->d_name, name, sizeof(name));
			if (!name[0] || strcmp(name, last) == 0)
				continue;
			memcpy(last, name, sizeof(last));
			provider_file_load(folder, name);
		}
	}
	closedir(devices);
}
