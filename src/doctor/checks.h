/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of checks. A check reads the subject and fills the finding; it prints nothing and changes nothing. To add
 * one: a function in the file of its noun, and its row here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "doctor/finding.h"
#include "doctor/subject.h"

/* What a check applies to. */
enum check_of {
	CHECK_HOST,	/* every host */
	CHECK_DEVICE,	/* a device that the kernel has */
	CHECK_PCI,	/* a device or a NIC whose PCI function is known */
	CHECK_ADAPTER,	/* either of these */
	CHECK_SOFTWARE, /* the software device */
};

struct doctor_check {
	const char *group; /* heading on the page */
	const char *name;
	/* 0; or nonzero, what it needs cannot be read, for the reason that the tree has */
	int (*look)(struct subject *subject, struct finding *finding);
	enum check_of of;
	/*
	 * May it slow a test down? Not what makes it fail, and not what --explain measures itself while the test runs:
	 * load and counters.
	 */
	bool slows;
};

extern const struct doctor_check checks[];
extern const size_t num_checks;

/* Examines what the check is about, unless it does not apply to this subject. */
void check_run(const struct doctor_check *check, struct subject *subject, struct finding *finding);

/* A check that cannot read what it needs, for the reason that the tree has. */
#define UNREAD (-EIO)

/* All of them, in the order of the page. */
#define CHECKS                                                                                                         \
	CHECK("Device", "device", check_device, CHECK_HOST, false)                                                     \
	CHECK("Device", "provider", check_provider, CHECK_DEVICE, false)                                               \
	CHECK("Device", "kernel modules", check_modules, CHECK_HOST, false)                                            \
	CHECK("Device", "device files", check_files, CHECK_DEVICE, false)                                              \
	CHECK("Device", "firmware", check_firmware, CHECK_DEVICE, false)                                               \
	CHECK("Device", "namespaces", check_namespaces, CHECK_HOST, false)                                             \
	CHECK("Device", "GPU memory", check_gpu_memory, CHECK_DEVICE, false)                                           \
	CHECK("Link", "state", check_state, CHECK_DEVICE, false)                                                       \
	CHECK("Link", "rate", check_rate, CHECK_DEVICE, true)                                                          \
	CHECK("Link", "MTU", check_mtu, CHECK_DEVICE, true)                                                            \
	CHECK("Link", "LID", check_lid, CHECK_DEVICE, false)                                                           \
	CHECK("Link", "GIDs", check_gids, CHECK_DEVICE, false)                                                         \
	CHECK("Link", "pause frames", check_pause, CHECK_DEVICE, false)                                                \
	CHECK("Link", "congestion", check_congestion, CHECK_DEVICE, false)                                             \
	CHECK("Link", "retransmission", check_retransmission, CHECK_DEVICE, false)                                     \
	CHECK("Link", "receiver", check_receiver, CHECK_DEVICE, false)                                                 \
	CHECK("Link", "link errors", check_link_errors, CHECK_DEVICE, false)                                           \
	CHECK("PCIe", "slot", check_pcie_link, CHECK_PCI, true)                                                        \
	CHECK("PCIe", "path", check_pcie_path, CHECK_PCI, true)                                                        \
	CHECK("PCIe", "requests", check_pcie_requests, CHECK_PCI, true)                                                \
	CHECK("PCIe", "relaxed ordering", check_relaxed_ordering, CHECK_PCI, true)                                     \
	CHECK("PCIe", "ACS", check_acs, CHECK_PCI, true)                                                               \
	CHECK("PCIe", "IOMMU", check_iommu, CHECK_PCI, true)                                                           \
	CHECK("CPU", "NUMA node", check_numa, CHECK_ADAPTER, true)                                                     \
	CHECK("CPU", "cores", check_soft_cores, CHECK_SOFTWARE, false)                                                 \
	CHECK("CPU", "governor", check_governor, CHECK_HOST, true)                                                     \
	CHECK("CPU", "turbo", check_turbo, CHECK_HOST, true)                                                           \
	CHECK("CPU", "idle states", check_idle_states, CHECK_HOST, true)                                               \
	CHECK("CPU", "load", check_load, CHECK_HOST, false)                                                            \
	CHECK("CPU", "virtual machine", check_virtual, CHECK_HOST, false)                                              \
	CHECK("CPU", "clock", check_clock, CHECK_HOST, true)                                                           \
	CHECK("Memory", "locked memory", check_locked_memory, CHECK_DEVICE, false)                                     \
	CHECK("Memory", "memory nodes", check_memory_nodes, CHECK_ADAPTER, true)                                       \
	CHECK("Memory", "huge pages", check_huge_pages, CHECK_HOST, true)                                              \
	CHECK("Memory", "THP", check_transparent_huge_pages, CHECK_HOST, true)                                         \
	CHECK("Memory", "memfd", check_memfd, CHECK_SOFTWARE, false)                                                   \
	CHECK("Memory", "runtime folder", check_runtime_dir, CHECK_SOFTWARE, false)

#define CHECK(group, name, look, ...) int look(struct subject *subject, struct finding *finding);
CHECKS
#undef CHECK

/* doctor.c: the findings of all checks as a page for people. */
void page_text(FILE *out, const struct subject *subject, const struct finding *findings);
