// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "verbs/device/device_diag.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/sysfs.h"
#include "verbs/device/mtu.h"
#include "verbs/device/software.h"

#define UNIT_GBITS 0.1
#define MOST_UNITS 1000000 /* 100 Tb/s; more is no speed */

double port_speed_gbits(struct ibv_context *context, unsigned port)
{
	/* The headers of older versions do not declare it. */
	int (*query)(struct ibv_context * context, uint32_t port, uint64_t * speed) =
		(int (*)(struct ibv_context *, uint32_t, uint64_t *))dlsym(RTLD_DEFAULT, "ibv_query_port_speed");
	uint64_t units = 0;

	if (!query || query(context, port, &units) || units > MOST_UNITS)
		return 0;
	return (double)units * UNIT_GBITS;
}

static void device_diag_ask(struct device_diag *diag, struct ibv_context *context, unsigned port)
{
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	int err = ibv_query_device(context, &attr);

	if (err) {
		diag->error = -err;
		return;
	}
	diag->is_software = device_is_software(&attr);
	diag->num_ports = attr.phys_port_cnt;
	if (port < 1 || port > diag->num_ports)
		return;
	err = ibv_query_port(context, (uint8_t)port, &port_attr);
	if (err) {
		diag->error = -err;
		return;
	}
	diag->port_known = true;
	diag->active_mtu = mtu_bytes(port_attr.active_mtu);
	diag->max_mtu = mtu_bytes(port_attr.max_mtu);
	diag->speed_gbits = port_speed_gbits(context, port);
}

void device_diag_open(struct device_diag *diag, const char *name, unsigned port)
{
	struct ibv_context *context;
	struct ibv_device **list;
	int count = 0;

	memset(diag, 0, sizeof(*diag));
	list = ibv_get_device_list(&count);
	if (!list) {
		diag->error = errno && errno != ENOSYS ? -errno : 0;
		return;
	}
	for (int i = 0; i < count; i++) {
		const char *found = ibv_get_device_name(list[i]);

		if (diag->num_devices < DIAG_DEVICES)
			snprintf(diag->devices[diag->num_devices++], DIAG_NAME, "%s", found);
		if (!name || strcmp(found, name) != 0)
			continue;
		diag->listed = true;
		context = ibv_open_device(list[i]);
		if (!context) {
			diag->error = errno ? -errno : -EIO;
			continue;
		}
		diag->opened = true;
		device_diag_ask(diag, context, port);
		ibv_close_device(context);
	}
	ibv_free_device_list(list);
}

/*
 * --- what lies between a device and a program, in order: the kernel's driver, the module ib_uverbs, the device file,
 * the permission to open it, the provider library; the first that fails ---
 */

/* Of the folders in one, the name of the first whose file, or with "" its name, has that text; "": any. */
static const char *find_folder(const char *in, const char *file, const char *text, char *found, size_t size)
{
	char line[64];
	glob_t paths;

	found[0] = '\0';
	if (sysfs_glob(&paths, in, "*"))
		return found;
	for (size_t i = 0; !found[0] && i < paths.gl_pathc; i++) {
		const char *path = paths.gl_pathv[i], *name = sysfs_name(path);

		if (!text[0] || strcmp(file[0] ? sysfs_line(line, sizeof(line), "%s/%s", path, file) : name, text) == 0)
			snprintf(found, size, "%s", name);
	}
	globfree(&paths);
	return found;
}

static void explain_no_file(const char *sysfs, const char *file, const char *uverbs, char *text, size_t size)
{
	char numbers[32];

	sysfs_line(numbers, sizeof(numbers), "%s/class/infiniband_verbs/%s/dev", sysfs, uverbs);
	snprintf(text, size,
		 "its device file %s is missing: pass it to the container (--device=%s), or let udev create it%s%s%s",
		 file, file, numbers[0] ? " (character device " : "", numbers, numbers[0] ? ")" : "");
}

static void explain_file(const char *sysfs, const char *file, const char *uverbs, char *text, size_t size)
{
	struct stat status;
	int fd = open(file, O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		snprintf(text, size,
			 "its device file %s can be opened, so libibverbs lacks the provider library of its driver: "
			 "install rdma-core (Debian: ibverbs-providers), and check that /etc/libibverbs.d names the "
			 "driver",
			 file);
	} else if (errno == ENOENT) {
		explain_no_file(sysfs, file, uverbs, text, size);
	} else if (errno == EACCES && !stat(file, &status)) {
		snprintf(text, size,
			 "this user (%u) may not open its device file %s, which belongs to user %u and group %u with "
			 "mode %03o: chmod 666 it as rdma-core's udev rules do, or join the group",
			 geteuid(), file, status.st_uid, status.st_gid, status.st_mode & 07777);
	} else if (errno == EPERM) {
		snprintf(text, size,
			 "its device file %s exists but may not be opened: allow the container to use it (--device=%s)",
			 file, file);
	} else {
		snprintf(text, size, "its device file %s cannot be opened: %s", file, strerror(errno));
	}
}

bool device_probe_explain(const char *sysfs, const char *dev, const char *name, char *text, size_t size)
{
	char folder[PATH_MAX], device[64], uverbs[64], file[PATH_MAX];
	size_t used;

	snprintf(folder, sizeof(folder), "%s/class/infiniband", sysfs);
	if (!*find_folder(folder, "", name, device, sizeof(device)))
		return false;
	used = (size_t)snprintf(text, size, "the kernel has the RDMA device %s, but ", device);
	if (used >= size)
		return true;
	snprintf(folder, sizeof(folder), "%s/class/infiniband_verbs", sysfs);
	if (!*find_folder(folder, "ibdev", device, uverbs, sizeof(uverbs))) {
		snprintf(text + used, size - used,
			 "programs have no access to it: load the module with 'modprobe ib_uverbs' (on the host, if "
			 "this is a container)");
		return true;
	}
	snprintf(file, sizeof(file), "%s/infiniband/%s", dev, uverbs);
	explain_file(sysfs, file, uverbs, text + used, size - used);
	return true;
}

bool device_probe_explain_here(const char *name, char *text, size_t size)
{
	return device_probe_explain(sysfs_root(), "/dev", name, text, size);
}
