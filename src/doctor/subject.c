// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include "doctor/subject.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/finding.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/sysfs.h"
#include "verbs/device/device.h"

#define DEVICES	   "/sys/class/infiniband"
#define FIRST_GIDS 16
#define LOWER	   "lower_" /* links to the ports of a bond */
#define MOST_FILES 128	    /* of an interface */

/* A virtio interface is a child of its PCI function. */
static void find_pci(struct subject *subject)
{
	char path[TREE_PATH], *slash;

	if (tree_real(&subject->tree, path, DEVICES "/%s/device", subject->device) &&
	    (!subject->netdev[0] || tree_real(&subject->tree, path, "/sys/class/net/%s/device", subject->netdev)))
		return;
	while (path[0]) {
		if (sysfs_is_pci_address(sysfs_name(path))) {
			snprintf(subject->pci, sizeof(subject->pci), "%s", path);
			return;
		}
		slash = strrchr(path, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

/* In a container an interface of an adapter's name may be another one, without a device and lower interfaces. */
static bool is_foreign(struct subject *subject)
{
	char names[MOST_FILES][TREE_NAME];
	const int count = tree_names(&subject->tree, names, MOST_FILES, "/sys/class/net/%s", subject->netdev);

	if (count <= 0 || !tree_exists(&subject->tree, DEVICES "/%s/device", subject->device))
		return false;
	for (int i = 0; i < count && i < MOST_FILES; i++)
		if (strcmp(names[i], "device") == 0 || strncmp(names[i], LOWER, strlen(LOWER)) == 0)
			return false;
	return true;
}

/* The interface of the first GID that has one; before any address is set, there may be no GID yet. */
static void subject_find_netdev(struct subject *subject)
{
	char names[2][TREE_NAME];
	int count;

	/* The first entries belong to the interface itself. Empty ones exist, but cannot be read. */
	for (int i = 0; i < FIRST_GIDS; i++) {
		if (!tree_text(&subject->tree, subject->netdev, sizeof(subject->netdev), "%s/gid_attrs/ndevs/%d",
			       subject->folder, i)) {
			if (is_foreign(subject))
				subject->netdev[0] = '\0';
			return;
		}
	}
	if (!tree_text(&subject->tree, subject->netdev, sizeof(subject->netdev), DEVICES "/%s/parent",
		       subject->device)) /* rxe and siw */
		return;
	count = tree_names(&subject->tree, names, 2, DEVICES "/%s/device/net", subject->device);
	snprintf(subject->netdev, sizeof(subject->netdev), "%s", count == 1 ? names[0] : "");
}

static bool has_name(char names[][TREE_NAME], int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void report_unknown_device(const struct subject *subject, char names[][TREE_NAME], int count)
{
	const struct device_diag *diag = &subject->probe.diag;
	char list[1024] = "";

	for (int i = 0; i < count; i++)
		text_list_add(list, sizeof(list), names[i]);
	for (unsigned i = 0; i < diag->num_devices; i++) {
		if (!has_name(names, count, diag->devices[i]))
			text_list_add(list, sizeof(list), diag->devices[i]);
	}
	log_error("no RDMA device is called %s; %s%s", subject->device,
		  list[0] ? "there are: " : "there are none: --doctor without -d says why", list);
}

static int no_port(const struct subject *subject)
{
	log_error("device %s has no port %u (--ib-port)", subject->device, subject->port);
	return -EINVAL;
}

/* That of a test without -d, as device_open() finds it. */
static const char *first_device(const struct subject *subject)
{
	const struct device_diag *diag = &subject->probe.diag;
	const bool frames = transport_traits(subject->options->transport)->frames;
	const char *found = diag->devices[0];
	char sysfs[TREE_PATH];

	tree_sysfs(&subject->tree, sysfs);
	for (unsigned i = 1; i < diag->num_devices; i++)
		if (device_rank(sysfs, diag->devices[i], subject->options->port, frames) <
		    device_rank(sysfs, found, subject->options->port, frames))
			found = diag->devices[i];
	return found;
}

static void find_cpus(struct subject *subject)
{
	char cpus[4096];

	subject->cpus_known =
		!tree_line(&subject->tree, cpus, sizeof(cpus), "/proc/self/status", "Cpus_allowed_list") &&
		!cpulist_parse(&subject->cpus, cpus);
}

static int choose_device(struct subject *subject)
{
	const struct device_diag *diag = &subject->probe.diag;
	const char *first = first_device(subject);
	char names[64][TREE_NAME];
	int count = tree_names(&subject->tree, names, 64, DEVICES);
	bool in_sysfs;

	/*
	 * Prefer a device that the kernel has but libibverbs does not list, since it needs an explanation, to the
	 * software one.
	 */
	/* A rule ensures that only one device is named. */
	snprintf(subject->device, sizeof(subject->device), "%.*s", (int)sizeof(subject->device) - 1,
		 subject->options->device[0]		       ? subject->options->device
		 : count > 0 && !has_name(names, count, first) ? names[0]
							       : first);
	in_sysfs = subject->device[0] && tree_exists(&subject->tree, DEVICES "/%s", subject->device);
	if (in_sysfs)
		subject->kind = SUBJECT_DEVICE;
	for (unsigned i = 0; i < diag->num_devices; i++) {
		if (!in_sysfs && strcmp(diag->devices[i], subject->device) == 0)
			subject->kind = SUBJECT_SOFTWARE;
	}
	if (subject->device[0] && subject->kind == SUBJECT_NONE) {
		report_unknown_device(subject, names, count > 0 ? count : 0);
		return -ENODEV;
	}
	if (subject->kind == SUBJECT_DEVICE) {
		snprintf(subject->folder, sizeof(subject->folder), DEVICES "/%s/ports/%u", subject->device,
			 subject->port);
		if (!tree_exists(&subject->tree, "%s", subject->folder))
			return no_port(subject);
		subject_find_netdev(subject);
		find_pci(subject);
	}
	return 0;
}

int subject_choose(struct subject *subject)
{
	subject->kind = SUBJECT_NONE;
	subject->port = subject->options->port;
	find_cpus(subject);
	return subject->options->device ? choose_device(subject) : 0;
}

bool nic_counts_drops(const char *name)
{
	return strstr(name, "discard") || strstr(name, "out_of_buffer") || strstr(name, "no_buffer") ||
	       strcmp(name, "hw_rx_dropped") == 0 || strcmp(name, "frames_rx_dropped") == 0; /* ionic */
}

static void ask_pause(struct nic *nic, const char *netdev)
{
	struct ethtool_pauseparam pause = {.cmd = ETHTOOL_GPAUSEPARAM};

	if (nic->pause_known || nic_ethtool(netdev, &pause))
		return;
	nic->pause_known = true;
	nic->pause_rx = pause.rx_pause;
	nic->pause_tx = pause.tx_pause;
}

/* Of a bond, which has neither itself, its ports': sums, and the settings of the first that has some. */
static void ask_nic(struct subject *subject)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	char names[MOST_FILES][TREE_NAME], sysfs[TREE_PATH];
	struct nic *nic = &subject->probe.nic;
	struct nic_statistics statistics;
	int count;

	*nic = (struct nic){.error = nic_ethtool(subject->netdev, &info)};
	if (nic->error)
		return;
	ask_pause(nic, subject->netdev);
	count = tree_names(&subject->tree, names, MOST_FILES, "/sys/class/net/%s", subject->netdev);
	for (int i = 0; i < count; i++)
		if (strncmp(names[i], LOWER, strlen(LOWER)) == 0)
			ask_pause(nic, names[i] + strlen(LOWER));
	tree_sysfs(&subject->tree, sysfs);
	if (nic_statistics_open_below(&statistics, sysfs, subject->netdev))
		return;
	for (uint32_t i = 0; i < statistics.count && nic->num_counters < NIC_COUNTERS; i++) {
		if (!nic_counts_pause(statistics.names[i]) && !nic_counts_drops(statistics.names[i]))
			continue;
		memcpy(nic->counters[nic->num_counters].name, statistics.names[i], NIC_STATISTICS_NAME);
		nic->counters[nic->num_counters++].value = statistics.values[i];
	}
	nic_statistics_close(&statistics);
}

int subject_probe(struct subject *subject)
{
	struct probe *probe = &subject->probe;
	const struct clock_calibration *clock = clock_calibrate();
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat status;
	int fd;

	if (subject->device[0])
		device_diag_open(&probe->diag, subject->device, subject->port);
	if (subject->kind == SUBJECT_SOFTWARE && probe->diag.opened && subject->port > probe->diag.num_ports)
		return no_port(subject);
	if (subject->netdev[0])
		ask_nic(subject);
	probe->clock_source = clock->source;
	probe->clock_hz = clock->cycles_per_second;
	probe->clock_error = clock->relative_error;
	probe->clock_fallback = clock->fallback;
	fd = memfd_create("perftest-doctor", MFD_CLOEXEC);
	probe->memfd_error = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (runtime && *runtime)
		snprintf(probe->runtime_dir, sizeof(probe->runtime_dir), "%s", runtime);
	else
		snprintf(probe->runtime_dir, sizeof(probe->runtime_dir), "/run/user/%u", (unsigned)geteuid());
	probe->runtime_dir_is_ours = probe->runtime_dir[0] == '/' && stat(probe->runtime_dir, &status) == 0 &&
				     S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
				     access(probe->runtime_dir, W_OK | X_OK) == 0;
	return 0;
}

int subject_open(struct subject *subject, const struct doctor_options *options)
{
	int ret;

	memset(subject, 0, sizeof(*subject)); /* large */
	subject->tree.root = "";	      /* this machine */
	subject->options = options;
	if (options->device)
		device_diag_open(&subject->probe.diag, NULL, 0 /* port */);
	ret = subject_choose(subject);
	return ret ? ret : subject_probe(subject);
}
