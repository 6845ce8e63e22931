// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The checks in the order of the page, and what each applies to. See checks.h. */
#include "doctor/checks.h"

const struct doctor_check checks[] = {
	{"Device", "device", check_device, CHECK_HOST},
	{"Device", "provider", check_provider, CHECK_DEVICE},
	{"Device", "kernel modules", check_modules, CHECK_HOST},
	{"Device", "device files", check_files, CHECK_DEVICE},
	{"Device", "firmware", check_firmware, CHECK_DEVICE},
	{"Device", "namespaces", check_namespaces, CHECK_HOST},
	{"Device", "GPU memory", check_gpu_memory, CHECK_DEVICE},

	{"Link", "state", check_state, CHECK_DEVICE},
	{"Link", "rate", check_rate, CHECK_DEVICE},
	{"Link", "MTU", check_mtu, CHECK_DEVICE},
	{"Link", "LID", check_lid, CHECK_DEVICE},
	{"Link", "GIDs", check_gids, CHECK_DEVICE},
	{"Link", "pause frames", check_pause, CHECK_DEVICE},
	{"Link", "congestion", check_congestion, CHECK_DEVICE},
	{"Link", "retransmission", check_retransmission, CHECK_DEVICE},
	{"Link", "receiver", check_receiver, CHECK_DEVICE},
	{"Link", "link errors", check_link_errors, CHECK_DEVICE},

	{"PCIe", "slot", check_pcie_link, CHECK_DEVICE},
	{"PCIe", "path", check_pcie_path, CHECK_DEVICE},
	{"PCIe", "requests", check_pcie_requests, CHECK_DEVICE},
	{"PCIe", "relaxed ordering", check_relaxed_ordering, CHECK_DEVICE},
	{"PCIe", "ACS", check_acs, CHECK_DEVICE},
	{"PCIe", "IOMMU", check_iommu, CHECK_DEVICE},

	{"CPU", "NUMA node", check_numa, CHECK_DEVICE},
	{"CPU", "cores", check_soft_cores, CHECK_SOFTWARE},
	{"CPU", "governor", check_governor, CHECK_HOST},
	{"CPU", "turbo", check_turbo, CHECK_HOST},
	{"CPU", "idle states", check_idle_states, CHECK_HOST},
	{"CPU", "load", check_load, CHECK_HOST},
	{"CPU", "virtual machine", check_virtual, CHECK_HOST},
	{"CPU", "clock", check_clock, CHECK_HOST},

	{"Memory", "locked memory", check_locked_memory, CHECK_DEVICE},
	{"Memory", "memory nodes", check_memory_nodes, CHECK_DEVICE},
	{"Memory", "huge pages", check_huge_pages, CHECK_HOST},
	{"Memory", "THP", check_transparent_huge_pages, CHECK_HOST},
	{"Memory", "memfd", check_memfd, CHECK_SOFTWARE},
	{"Memory", "runtime folder", check_runtime_dir, CHECK_SOFTWARE},
};

const size_t num_checks = sizeof(checks) / sizeof(checks[0]);

int check_concerns(const struct doctor_check *check, const struct subject *subject)
{
	switch (check->of) {
	case CHECK_DEVICE:
		return subject->kind == SUBJECT_DEVICE;
	case CHECK_SOFTWARE:
		return subject->kind == SUBJECT_SOFTWARE;
	default:
		return 1;
	}
}
