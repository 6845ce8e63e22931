// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The first ibv_get_device_list() of a process asks the drivers that are there whose devices they know, and
 * only when a device is left over it loads every driver of /etc/libibverbs.d, which are some twenty libraries
 * and a third of the time that a program takes to start. A driver that is loaded already, as by a program that is
 * linked with libmlx5, is asked first. So the one that a device's name tells of is loaded here; where that was a
 * wrong guess (udev renames devices: "rocep59s0"), or there are devices of several kinds, the others follow as ever.
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
		length = 0; /* no number: a name of the user's */
	else if (length && device[length - 1] == '_')
		length--;
	snprintf(name, size, "%.*s", (int)length, device);
	if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
		name[0] = '\0';
}

/* Where libibverbs keeps its drivers: in a folder of its name beside it. */
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

/* The file's name ends in the version of an interface that is libibverbs' own affair: lib<name>-rdmav34.so. */
static void provider_file_load(const char *folder, const char *name)
{
	char pattern[PATH_MAX + 64];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/lib%s-rdmav*.so", folder, name);
	if (glob(pattern, 0, NULL, &found))
		return;
	/* Of two there is no telling which one is meant. It stays loaded: it registers itself with libibverbs. */
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
