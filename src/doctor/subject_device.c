// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The part of subject.h that needs libibverbs: which RDMA device is examined, and what libibverbs says about it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "doctor/finding.h"
#include "doctor/subject.h"
#include "util/log.h"
#include "util/sysfs.h"
#include "util/terminal.h"
#include "verbs/device/device.h"

#define DEVICES	   "/sys/class/infiniband"
#define FIRST_GIDS 16

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
	char names[NETDEV_FILES][TREE_NAME];
	const int count = tree_names(&subject->tree, names, NETDEV_FILES, "/sys/class/net/%s", subject->netdev);

	if (count <= 0 || !tree_exists(&subject->tree, DEVICES "/%s/device", subject->device))
		return false;
	for (int i = 0; i < count && i < NETDEV_FILES; i++)
		if (strcmp(names[i], "device") == 0 || strncmp(names[i], NETDEV_LOWER, strlen(NETDEV_LOWER)) == 0)
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

int subject_choose(struct subject *subject)
{
	const struct device_diag *diag = &subject->probe.diag;
	const char *first = first_device(subject);
	char names[64][TREE_NAME];
	int count = tree_names(&subject->tree, names, 64, DEVICES);
	bool in_sysfs;

	subject_choose_host(subject);
	subject->port = subject->options->port;
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

int subject_probe(struct subject *subject)
{
	struct device_diag *diag = &subject->probe.diag;

	if (subject->device[0])
		device_diag_open(diag, subject->device, subject->port);
	if (subject->kind == SUBJECT_SOFTWARE && diag->opened && subject->port > diag->num_ports)
		return no_port(subject);
	subject_probe_host(subject);
	return 0;
}

int subject_open(struct subject *subject, const struct doctor_options *options)
{
	int ret;

	subject_init(subject, options);
	device_diag_open(&subject->probe.diag, NULL, 0 /* port */);
	ret = subject_choose(subject);
	return ret ? ret : subject_probe(subject);
}
