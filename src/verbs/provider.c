// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The first ibv_get_device_list() of a process asks the drivers that are already loaded which devices they support, and
 * only if a device is left over, it loads every driver in /etc/libibverbs.d: some twenty libraries, and a third of the
 * time that a program needs to start. A driver that is already loaded, as in a program that is linked with libmlx5, is
 * asked first. So the driver that a device's name suggests is loaded here, or that of its kernel driver's name, since
 * udev renames devices ("rocep59s0"); if that was a wrong guess, or there are several kinds of devices, the others are
 * loaded as usual.
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
#include <unistd.h>

#include "util/sysfs.h"

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
static bool provider_file_load(const char *folder, const char *name)
{
	char pattern[PATH_MAX + 64];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/lib%s-rdmav*.so", folder, name);
	if (glob(pattern, 0, NULL, &found))
		return false;
	/* With two matches it is unclear which one is right. Stays loaded: it registers itself with libibverbs. */
	if (found.gl_pathc == 1)
		dlopen(found.gl_pathv[0], RTLD_NOW);
	globfree(&found);
	return true;
}

bool provider_name_shorten(char *name)
{
	char *last = strrchr(name, '_');

	if (last)
		*last = '\0';
	return last && name[0];
}

/* "mlx5_core" for the device of that kernel driver; "" for rxe and siw, which have none. */
static void provider_driver(const char *device, char *name, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), DEVICES "/%s/device/driver", device);
	length = readlink(path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	snprintf(name, size, "%s", sysfs_name(target));
}

/* The longest name that has a file: "mlx5_bond" has none, "mlx5" does. */
static bool provider_load_named(const char *folder, char *name)
{
	do {
		if (name[0] && provider_file_load(folder, name))
			return true;
	} while (provider_name_shorten(name));
	return false;
}

void provider_load(void)
{
	char folder[PATH_MAX - 64], name[64];
	const struct dirent *entry;
	DIR *devices = opendir(DEVICES);

	if (!devices)
		return;
	if (!drivers_folder(folder, sizeof(folder))) {
		while ((entry = readdir(devices))) {
			provider_name(entry->d_name, name, sizeof(name));
			if (entry->d_name[0] == '.' || provider_load_named(folder, name))
				continue;
			provider_driver(entry->d_name, name, sizeof(name));
			provider_load_named(folder, name);
		}
	}
	closedir(devices);
}
