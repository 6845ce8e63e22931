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

#include "stats/clock.h"

void subject_choose_host(struct subject *subject)
{
	const struct doctor_options *options = subject->options;
	char cpus[4096];

	subject->kind = SUBJECT_NONE;
	subject->cpus_known =
		!tree_line(&subject->tree, cpus, sizeof(cpus), "/proc/self/status", "Cpus_allowed_list") &&
		!cpulist_parse(&subject->cpus, cpus);
	if (!options->function)
		return;
	snprintf(subject->pci, sizeof(subject->pci), "%s", options->function);
	snprintf(subject->netdev, sizeof(subject->netdev), "%s", options->netdev);
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
	char names[NETDEV_FILES][TREE_NAME], sysfs[TREE_PATH];
	struct nic *nic = &subject->probe.nic;
	struct nic_statistics statistics;
	int count;

	*nic = (struct nic){.error = nic_ethtool(subject->netdev, &info)};
	if (nic->error)
		return;
	ask_pause(nic, subject->netdev);
	count = tree_names(&subject->tree, names, NETDEV_FILES, "/sys/class/net/%s", subject->netdev);
	for (int i = 0; i < count; i++)
		if (strncmp(names[i], NETDEV_LOWER, strlen(NETDEV_LOWER)) == 0)
			ask_pause(nic, names[i] + strlen(NETDEV_LOWER));
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

void subject_probe_host(struct subject *subject)
{
	struct probe *probe = &subject->probe;
	const struct clock_calibration *clock = clock_calibrate();
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat status;
	int fd;

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
}

void subject_init(struct subject *subject, const struct doctor_options *options)
{
	memset(subject, 0, sizeof(*subject)); /* large */
	subject->tree.root = "";	      /* this machine */
	subject->options = options;
}

int subject_open_host(struct subject *subject, const struct doctor_options *options)
{
	subject_init(subject, options);
	subject_choose_host(subject);
	subject_probe_host(subject);
	return 0;
}
