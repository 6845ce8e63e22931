// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is there a device, and can this process use it? */
#include <errno.h>
#include <string.h>

#include "doctor/checks.h"
#include "util/sysfs.h"
#include "util/terminal.h"
#include "verbs/device/software.h"

#define MAX_PROVIDERS 64

/* The kernel's driver of the device: "mlx5_core"; "" for rxe and siw, which have no hardware. */
static const char *driver_name(struct subject *subject, char path[TREE_PATH])
{
	if (tree_real(&subject->tree, path, "/sys/class/infiniband/%s/device/driver", subject->device))
		return "";
	return sysfs_name(path);
}

/* It has no connection manager (efa_get_port_immutable() of the kernel), and a module of its own for GPUs. */
static bool is_efa(struct subject *subject)
{
	char path[TREE_PATH];

	return strcmp(driver_name(subject, path), "efa") == 0;
}

int check_device(struct subject *subject, struct finding *finding)
{
	const struct device_diag *diag = &subject->probe.diag;
	char path[TREE_PATH], measures[96];
	const char *driver;

	if (subject->kind == SUBJECT_NONE)
		return finding_look(finding, "this host has no RDMA device, and no software device either\nload the "
					     "adapter's driver (lspci, dmesg), or add a device on top of a network "
					     "interface: modprobe rdma_rxe; rdma link add rxe0 type rxe netdev eth0");
	if (subject->kind == SUBJECT_SOFTWARE && diag->error)
		return finding_look(finding, "%s can't be opened: %s", subject->device, strerror(-diag->error));
	if (subject->kind == SUBJECT_SOFTWARE && !subject->options->device[0])
		return finding_look(finding,
				    "this host has no RDMA device: tests run on %s, which measures this host's memory "
				    "system\nif there should be one, see lspci, dmesg and rdma link show[; --ib-dev %s "
				    "selects the software device explicitly]",
				    subject->device, subject->device);
	if (subject->kind == SUBJECT_SOFTWARE)
		return finding_ok(finding, "%s, a software device: figures are those of %s", subject->device,
				  software_measures(transport_traits(subject->options->transport)->frames, measures,
						    sizeof(measures)));
	driver = driver_name(subject, path);
	return finding_ok(finding, "%s port %u, %s%s%s%s", subject->device, subject->port,
			  driver[0] ? "driver " : "a software device of the kernel", driver,
			  subject->netdev[0] ? ", on " : "", subject->netdev);
}

int check_provider(struct subject *subject, struct finding *finding)
{
	const struct device_diag *diag = &subject->probe.diag;
	char names[MAX_PROVIDERS][TREE_NAME], list[768] = "";
	int count;

	if (diag->opened && !diag->error)
		return finding_ok(finding, "libibverbs lists %s and can open it", subject->device);
	if (diag->listed)
		return finding_look(finding,
				    "libibverbs lists %s, but can't %s it: %s\nsee device files and kernel modules on "
				    "this page, and dmesg",
				    subject->device, diag->opened ? "query" : "open", strerror(-diag->error));
	count = tree_names(&subject->tree, names, MAX_PROVIDERS, "/etc/libibverbs.d");
	for (int i = 0; i < count; i++) {
		names[i][strcspn(names[i], ".")] = '\0';
		text_list_add(list, sizeof(list), names[i]);
	}
	return finding_look(finding,
			    "the kernel has %s, but libibverbs does not list it; it has drivers for: %s\ninstall the "
			    "provider (Debian: ibverbs-providers; Fedora: libibverbs) and load ib_uverbs",
			    subject->device, count > 0 ? list : "nothing (no /etc/libibverbs.d)");
}

/* Modules that are built in may have no folder there; then look for what they create. */
static bool has_module(struct subject *subject, const char *module, const char *makes)
{
	return tree_exists(&subject->tree, "/sys/module/%s", module) ||
	       (makes && tree_exists(&subject->tree, "%s", makes));
}

int check_modules(struct subject *subject, struct finding *finding)
{
	static const struct {
		const char *module, *makes, *why;
		bool only_with_device, not_efa;
	} modules[] = {
		{"ib_core", "/sys/class/infiniband", "RDMA at all", false, false},
		{"ib_uverbs", "/sys/class/infiniband_verbs", "verbs in user space", true, false},
		{"rdma_ucm", "/sys/class/misc/rdma_cm", "rdma_cm[: --rdma_cm and --comm_rdma_cm]", true, true},
	};
	const bool has_device = subject->kind == SUBJECT_DEVICE;
	char missing[256] = "", names[128] = "";

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		if (has_module(subject, modules[i].module, modules[i].makes))
			continue;
		if ((!has_device && modules[i].only_with_device) || (modules[i].not_efa && is_efa(subject)))
			continue;
		text_add(missing, sizeof(missing), "%s%s (%s)", missing[0] ? ", " : "", modules[i].module,
			 modules[i].why);
		text_add(names, sizeof(names), " %s", modules[i].module);
	}
	if (!missing[0] && has_device)
		return finding_ok(finding, is_efa(subject) ? "ib_core and ib_uverbs are loaded"
							   : "ib_core, ib_uverbs and rdma_ucm are loaded");
	if (!missing[0])
		return finding_ok(finding, "ib_core is there");
	if (has_device)
		return finding_look(finding, "not loaded: %s\nmodprobe -a%s", missing, names);
	return finding_ok(finding, "no RDMA module is loaded; the software device needs none");
}

/* "uverbs0" for this device. */
static int subject_find_uverbs(struct subject *subject, char uverbs[TREE_NAME])
{
	char names[256][TREE_NAME], device[TREE_NAME];
	int count = tree_names(&subject->tree, names, 256, "/sys/class/infiniband_verbs");

	for (int i = 0; i < count; i++) {
		if (strncmp(names[i], "uverbs", strlen("uverbs")) != 0 ||
		    tree_text(&subject->tree, device, sizeof(device), "/sys/class/infiniband_verbs/%s/ibdev", names[i]))
			continue;
		if (strcmp(device, subject->device) == 0) {
			memcpy(uverbs, names[i], TREE_NAME);
			return 0;
		}
	}
	return -ENOENT;
}

int check_files(struct subject *subject, struct finding *finding)
{
	char uverbs[TREE_NAME];
	int ret;

	if (subject_find_uverbs(subject, uverbs))
		return finding_look(finding, "the kernel has no uverbs device for %s\nmodprobe ib_uverbs",
				    subject->device);
	ret = tree_writable(&subject->tree, "/dev/infiniband/%s", uverbs);
	if (ret == -ENOENT)
		return finding_look(finding,
				    "%s\nin a container, pass /dev/infiniband to it; elsewhere udev creates it",
				    subject->tree.failure);
	if (ret)
		return finding_look(finding,
				    "%s\nudev's rules of rdma-core let everyone use it (mode 666); or run as root",
				    subject->tree.failure);
	if (is_efa(subject))
		return finding_ok(finding, "this user can open /dev/infiniband/%s", uverbs);
	if (tree_writable(&subject->tree, "/dev/infiniband/rdma_cm"))
		return finding_look(
			finding,
			"this user can open /dev/infiniband/%s, but not rdma_cm (%s)\nonly rdma_cm[ (--rdma_cm and "
			"--comm_rdma_cm)] needs it: modprobe rdma_ucm, and udev's rules of rdma-core",
			uverbs, subject->tree.failure);
	return finding_ok(finding, "this user can open /dev/infiniband/%s and rdma_cm", uverbs);
}

int check_firmware(struct subject *subject, struct finding *finding)
{
	char version[128], board[128];
	char path[TREE_PATH];

	if (tree_text(&subject->tree, version, sizeof(version), "/sys/class/infiniband/%s/fw_ver", subject->device)) {
		if (driver_name(subject, path)[0])
			return UNREAD;
		return 0; /* software devices have none */
	}
	if (tree_text(&subject->tree, board, sizeof(board), "/sys/class/infiniband/%s/board_id", subject->device))
		return finding_ok(finding, "%s", version);
	return finding_ok(finding, "%s, board %s", version, board);
}

/* Shared: all network namespaces see all devices. */
int check_namespaces(struct subject *subject, struct finding *finding)
{
	char mode[16];

	if (tree_text(&subject->tree, mode, sizeof(mode), "/sys/module/ib_core/parameters/netns_mode"))
		return subject->kind == SUBJECT_DEVICE ? UNREAD : 0;
	if (strcmp(mode, "Y") == 0)
		return finding_ok(finding, "shared: a device is visible in every network namespace");
	if (strcmp(mode, "N") == 0 && subject->kind == SUBJECT_DEVICE)
		return finding_ok(finding,
				  "exclusive: a device is visible in one network namespace, and %s is in this one",
				  subject->device);
	if (strcmp(mode, "N") == 0)
		return finding_look(
			finding,
			"exclusive: a device is visible in one network namespace only, and none is in this one\nrdma "
			"system show; rdma dev set DEVICE netns NAME, in the namespace that has the device");
	return tree_malformed(&subject->tree, "/sys/module/ib_core/parameters/netns_mode", mode,
			      "which is neither Y nor N");
}

/* Each vendor's driver asks its own module for the addresses of a GPU. */
int check_gpu_memory(struct subject *subject, struct finding *finding)
{
	const char *module = is_efa(subject) ? "efa_nv_peermem" : "nvidia_peermem";

	if (!tree_exists(&subject->tree, "/sys/module/nvidia"))
		return 0;
	if (tree_exists(&subject->tree, "/sys/module/%s", module) ||
	    (!is_efa(subject) && tree_exists(&subject->tree, "/sys/module/nv_peer_mem")))
		return finding_ok(finding, "%s is loaded: GPU memory can be registered", module);
	return finding_ok(finding, "nvidia is loaded without %s: GPU memory can be registered only as a dma-buf",
			  module);
}
