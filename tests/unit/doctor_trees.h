/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Trees of files as the kernel shows them on a host with an adapter, for the tests of the doctor. Written from the
 * kernel's documents (Documentation/ABI/stable/sysfs-class-infiniband, testing/sysfs-bus-pci, ...) and from the
 * drivers' sources, not copied from a machine that has one.
 */
#pragma once

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "doctor/checks.h"
#include "params/programs.h"

#define TREE_ADAPTER "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0"
#define TREE_BRIDGE  "/sys/devices/pci0000:3a/0000:3a:00.0"
#define TREE_PORT    "/sys/class/infiniband/mlx5_0/ports/1"
#define TREE_CPU     "/sys/devices/system/cpu"

static char tree_root[64];

static inline void tree_folders(const char *path)
{
	char full[1024];

	snprintf(full, sizeof(full), "%s%s", tree_root, path);
	for (char *slash = full + strlen(tree_root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		if (mkdir(full, 0755) && errno != EEXIST)
			fail_msg("%s: %s", full, strerror(errno));
	}
}

static inline void tree_put_bytes(const char *path, const void *bytes, size_t size)
{
	char full[1024];
	FILE *file;

	tree_folders(path);
	snprintf(full, sizeof(full), "%s%s", tree_root, path);
	file = fopen(full, "w");
	if (!file)
		fail_msg("%s: %s", full, strerror(errno));
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static inline void tree_put(const char *path, const char *text)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s\n", text);
	tree_put_bytes(path, line, strlen(line));
}

static inline void tree_link(const char *path, const char *target)
{
	char full[1024], there[1024];

	tree_folders(path);
	snprintf(full, sizeof(full), "%s%s", tree_root, path);
	snprintf(there, sizeof(there), "%s%s", tree_root, target);
	unlink(full);
	assert_int_equal(symlink(there, full), 0);
}

static inline int tree_remove_one(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
	(void)status, (void)flag, (void)walk;
	return remove(path);
}

/* Removes a file, or a directory with its contents. */
static inline void tree_drop(const char *path)
{
	char full[1024];

	snprintf(full, sizeof(full), "%s%s", tree_root, path);
	assert_int_equal(nftw(full, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* Configuration space with a PCI Express capability, and one for access control. */
static inline void tree_put_config(const char *path, unsigned devcap, unsigned devctl, unsigned acs)
{
	uint8_t bytes[4096] = {[0x06] = 0x10, [0x34] = 0x40, [0x40] = 0x01, [0x41] = 0x60, [0x60] = 0x10};

	bytes[0x64] = (uint8_t)devcap;
	bytes[0x68] = (uint8_t)devctl;
	bytes[0x69] = (uint8_t)(devctl >> 8);
	memcpy(bytes + 0x100, (uint8_t[]){0x01, 0x00, 0x01, 0x14}, 4); /* error reporting; next at 0x140 */
	memcpy(bytes + 0x140, (uint8_t[]){0x0d, 0x00, 0x01, 0x00}, 4);
	bytes[0x146] = (uint8_t)acs;
	tree_put_bytes(path, bytes, sizeof(bytes));
}

/* An adapter with one 100 Gb/s port in a Gen4 x16 slot at node 1 of two, without any fault. */
static inline void tree_build_adapter(void)
{
	/* the port */
	tree_put(TREE_PORT "/state", "4: ACTIVE");
	tree_put(TREE_PORT "/phys_state", "5: LinkUp");
	tree_put(TREE_PORT "/rate", "100 Gb/sec (4X EDR)");
	tree_put(TREE_PORT "/link_layer", "Ethernet");
	tree_put(TREE_PORT "/lid", "0x0");
	tree_put(TREE_PORT "/sm_lid", "0x0");
	tree_put(TREE_PORT "/gids/0", "fe80:0000:0000:0000:0e42:a1ff:fe00:0001");
	tree_put(TREE_PORT "/gids/1", "0000:0000:0000:0000:0000:ffff:0a00:0001");
	tree_put(TREE_PORT "/gids/2", "0000:0000:0000:0000:0000:0000:0000:0000");
	tree_put(TREE_PORT "/gid_attrs/types/0", "RoCE v2");
	tree_put(TREE_PORT "/gid_attrs/types/1", "RoCE v2");
	tree_put(TREE_PORT "/gid_attrs/ndevs/0", "ens1np0");
	tree_put(TREE_PORT "/gid_attrs/ndevs/1", "ens1np0");
	tree_put(TREE_PORT "/counters/link_downed", "0");
	tree_put(TREE_PORT "/counters/symbol_error", "0");
	tree_put(TREE_PORT "/counters/port_xmit_wait", "0");
	tree_put(TREE_PORT "/counters/port_xmit_data", "123456789");
	tree_put(TREE_PORT "/hw_counters/np_ecn_marked_roce_packets", "0");
	tree_put(TREE_PORT "/hw_counters/rp_cnp_handled", "0");
	tree_put(TREE_PORT "/hw_counters/out_of_sequence", "0");
	tree_put(TREE_PORT "/hw_counters/packet_seq_err", "0");
	tree_put(TREE_PORT "/hw_counters/local_ack_timeout_err", "0");
	tree_put(TREE_PORT "/hw_counters/rnr_nak_retry_err", "0");
	tree_put(TREE_PORT "/hw_counters/lifespan", "10");
	tree_put("/sys/class/infiniband/mlx5_0/fw_ver", "22.39.2048");
	tree_put("/sys/class/infiniband/mlx5_0/board_id", "MT_0000000359");
	tree_link("/sys/class/infiniband/mlx5_0/device", TREE_ADAPTER);
	tree_put("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0");
	tree_put("/sys/class/infiniband_verbs/abi_version", "6");
	tree_put("/dev/infiniband/uverbs0", "");
	tree_put("/dev/infiniband/rdma_cm", "");
	tree_put("/etc/libibverbs.d/mlx5.driver", "driver mlx5");
	tree_put("/sys/module/ib_core/parameters/netns_mode", "Y");
	tree_put("/sys/module/ib_uverbs/refcnt", "1");
	tree_put("/sys/module/rdma_ucm/refcnt", "1");
	/* the interface */
	tree_put("/sys/class/net/ens1np0/mtu", "9000");
	tree_put("/sys/class/net/ens1np0/speed", "100000");
	tree_put("/sys/class/net/ens1np0/operstate", "up");
	tree_link("/sys/class/net/ens1np0/device", TREE_ADAPTER);
	/* the slot */
	tree_put(TREE_ADAPTER "/current_link_speed", "16.0 GT/s PCIe");
	tree_put(TREE_ADAPTER "/current_link_width", "16");
	tree_put(TREE_ADAPTER "/max_link_speed", "16.0 GT/s PCIe");
	tree_put(TREE_ADAPTER "/max_link_width", "16");
	tree_put(TREE_ADAPTER "/numa_node", "1");
	tree_put_config(TREE_ADAPTER "/config", 0x02 /* payload up to 512 */, 0x2930 /* 256, reads 512, relaxed */, 0);
	tree_put("/sys/bus/pci/drivers/mlx5_core/module/refcnt", "1");
	tree_link(TREE_ADAPTER "/driver", "/sys/bus/pci/drivers/mlx5_core");
	tree_put(TREE_BRIDGE "/current_link_speed", "16.0 GT/s PCIe");
	tree_put(TREE_BRIDGE "/current_link_width", "16");
	tree_put_config(TREE_BRIDGE "/config", 0x02, 0x2930, 0);
	tree_put("/sys/kernel/iommu_groups/7/type", "identity");
	tree_link(TREE_ADAPTER "/iommu_group", "/sys/kernel/iommu_groups/7");
	tree_put("/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 intel_iommu=on iommu=pt quiet");
	/* the host: CPUs 0-3 in node 0, 4-7 in node 1 */
	tree_put("/sys/devices/system/node/online", "0-1");
	tree_put("/sys/devices/system/node/node0/cpulist", "0-3");
	tree_put("/sys/devices/system/node/node1/cpulist", "4-7");
	tree_put(TREE_CPU "/online", "0-7");
	for (int cpu = 0; cpu < 8; cpu++) {
		char path[128];

		snprintf(path, sizeof(path), TREE_CPU "/cpu%d/cpufreq/scaling_governor", cpu);
		tree_put(path, "performance");
		snprintf(path, sizeof(path), TREE_CPU "/cpu%d/cpufreq/scaling_driver", cpu);
		tree_put(path, "intel_pstate");
		snprintf(path, sizeof(path), TREE_CPU "/cpu%d/topology/thread_siblings_list", cpu);
		tree_put(path, (const char *[]){"0-1", "0-1", "2-3", "2-3", "4-5", "4-5", "6-7", "6-7"}[cpu]);
		snprintf(path, sizeof(path), TREE_CPU "/cpu%d/cache/index3/shared_cpu_list", cpu);
		tree_put(path, cpu < 4 ? "0-3" : "4-7");
	}
	tree_put(TREE_CPU "/cpu0/cpuidle/state0/name", "POLL");
	tree_put(TREE_CPU "/cpu0/cpuidle/state0/latency", "0");
	tree_put(TREE_CPU "/cpu0/cpuidle/state0/disable", "0");
	tree_put(TREE_CPU "/cpu0/cpuidle/state1/name", "C1");
	tree_put(TREE_CPU "/cpu0/cpuidle/state1/latency", "2");
	tree_put(TREE_CPU "/cpu0/cpuidle/state1/disable", "0");
	tree_put(TREE_CPU "/cpu0/cpuidle/state2/name", "C6");
	tree_put(TREE_CPU "/cpu0/cpuidle/state2/latency", "170");
	tree_put(TREE_CPU "/cpu0/cpuidle/state2/disable", "1");
	tree_put(TREE_CPU "/intel_pstate/no_turbo", "0");
	tree_put("/proc/loadavg", "0.12 0.20 0.18 1/456 7890");
	tree_put("/proc/cpuinfo",
		 "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu tsc constant_tsc nonstop_tsc");
	tree_put("/proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0");
	tree_put("/proc/self/status",
		 "Name:\tib_write_bw\nCapEff:\t0000000000000000\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n"
		 "Mems_allowed_list:\t0-1");
	tree_put("/proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units     \n"
				      "Max locked memory         unlimited            unlimited            bytes     ");
	tree_put("/proc/self/numa_maps", "55d0c0000000 default file=/usr/bin/ib_write_bw mapped=8 N1=8");
	tree_put("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512");
	tree_put("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "500");
	tree_put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
}

/* What libraries and calls would return on that host. */
static inline void tree_fill_probe(struct probe *probe)
{
	*probe = (struct probe){
		.diag = {.num_devices = 1,
			 .devices = {"mlx5_0"},
			 .listed = true,
			 .opened = true,
			 .num_ports = 1,
			 .port_known = true,
			 .active_mtu = 4096,
			 .max_mtu = 4096},
		.nic = {.pause_known = true,
			.num_counters = 3,
			.counters = {{"rx_prio3_pause", 0}, {"tx_pause_ctrl_phy", 0}, {"rx_discards_phy", 0}}},
		.clock_source = "tsc",
		.clock_hz = 2.5e9,
		.clock_error = 1e-5,
		.runtime_dir = "/run/user/1000",
		.runtime_dir_is_ours = true,
	};
}

static inline void tree_begin(void)
{
	strcpy(tree_root, "/tmp/test_doctor.XXXXXX");
	assert_non_null(mkdtemp(tree_root));
}

static inline void tree_end(void)
{
	tree_drop("");
}
