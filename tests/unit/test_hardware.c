// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the PCI function of a device found, and read? With a directory in place of /sys. */
#define _GNU_SOURCE
#include <ftw.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "verbs/device/hardware.h"

#define FUNCTION   "devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0"
#define NEW_ENOUGH "6.1.0-13-amd64"

static char root[64];
static const char *netdev = "";

static void make_folder(const char *path)
{
	char text[512];

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		snprintf(text, sizeof(text), "%s/%.*s", root, (int)(slash - path), path);
		mkdir(text, 0700);
	}
	snprintf(text, sizeof(text), "%s/%s", root, path);
	mkdir(text, 0700);
}

static void make_file(const char *path, const void *bytes, size_t size)
{
	char text[512];
	FILE *file;

	snprintf(text, sizeof(text), "%s/%s", root, path);
	file = fopen(text, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void make_line(const char *path, const char *line)
{
	make_file(path, line, strlen(line));
}

static void make_link(const char *path, const char *target)
{
	char text[512], to[512];

	snprintf(text, sizeof(text), "%s/%s", root, path);
	snprintf(to, sizeof(to), "%s/%s", root, target);
	assert_int_equal(symlink(to, text), 0);
}

/* The capabilities: power management at 0x40, PCI Express at 0x60. */
static void make_config(uint16_t control, size_t size)
{
	uint8_t config[256] = {[0x06] = 0x10, [0x34] = 0x40, [0x40] = 0x01, [0x41] = 0x60, [0x60] = 0x10};

	config[0x68] = (uint8_t)control;
	config[0x69] = (uint8_t)(control >> 8);
	make_file(FUNCTION "/config", config, size);
}

static int setup(void **state)
{
	strcpy(root, "/tmp/test_hardware.XXXXXX");
	assert_non_null(mkdtemp(root));
	make_folder("class/infiniband");
	make_folder("bus/pci/drivers/mlx5_core");
	make_folder(FUNCTION "/infiniband/mlx5_0/ports/1");
	make_link("class/infiniband/mlx5_0", FUNCTION "/infiniband/mlx5_0");
	make_link(FUNCTION "/infiniband/mlx5_0/device", FUNCTION);
	make_link(FUNCTION "/driver", "bus/pci/drivers/mlx5_core");
	make_line(FUNCTION "/infiniband/mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)\n");
	make_line(FUNCTION "/current_link_speed", "16.0 GT/s PCIe\n");
	make_line(FUNCTION "/current_link_width", "16\n");
	netdev = "";
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	return remove(path);
}

static int teardown(void **state)
{
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static struct hardware found(const char *device)
{
	struct hardware hardware;

	hardware_find(&hardware, root, device, 1, netdev, false);
	return hardware;
}

TEST(test_adapter, setup, teardown)
{
	const struct hardware hardware = found("mlx5_0");

	assert_int_equal(hardware.kind, HARDWARE_PCI);
	assert_string_equal(hardware.address, "0000:3b:00.0");
	assert_string_equal(hardware.driver, "mlx5_core");
	assert_true(hardware.link_gbits == 200 && hardware.link_lanes == 4);
	assert_true(hardware.pcie_rate == 16 && hardware.pcie_lanes == 16);
	assert_true(hardware.least.rate == 16 && hardware.least.lanes == 16);
	assert_int_equal(hardware.pcie_payload, 0);
	assert_true(hardware.link_share == 1);
	assert_false(hardware.relaxed_off);
	assert_string_equal(hardware_relaxed_ordering(&hardware, NEW_ENOUGH), "ON");
	assert_string_equal(hardware_relaxed_ordering(&hardware, "5.6.0"), "ON");
	assert_string_equal(hardware_relaxed_ordering(&hardware, "5.5.13"), "Unknown");
	assert_string_equal(hardware_relaxed_ordering(&hardware, "4.18.0-553.el8"), "Unknown");
	assert_string_equal(hardware_relaxed_ordering(&hardware, "?"), "Unknown");
}

#define BRIDGE	      "devices/pci0000:3a/0000:3a:00.0"
#define PORT	      FUNCTION "/infiniband/mlx5_0/ports/1"
#define IS_NEAR(a, b) (fabs((a) - (b)) < 1e-4)

/* Of the names of rates, those up to FDR include the encoding; on Ethernet none does. */
TEST(test_data_rates, setup, teardown)
{
	static const struct {
		const char *rate;
		double gbits; /* 4 lanes of 2.5, 5, 10, 14.0625 GBaud, less 8b/10b or 64b/66b */
	} rows[] = {
		{"10 Gb/sec (4X SDR)\n", 8},	{"20 Gb/sec (4X DDR)\n", 16},	   {"40 Gb/sec (4X QDR)\n", 32},
		{"40 Gb/sec (4X FDR10)\n", 40}, {"56 Gb/sec (4X FDR)\n", 54.5455}, {"100 Gb/sec (4X EDR)\n", 100},
		{"400 Gb/sec (4X NDR)\n", 400},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hardware hardware;

		make_line(PORT "/rate", rows[i].rate);
		make_line(PORT "/link_layer", "InfiniBand\n");
		hardware = found("mlx5_0");
		assert_true(IS_NEAR(hardware.link_gbits * hardware.link_share, rows[i].gbits));
		make_line(PORT "/link_layer", "Ethernet\n");
		assert_true(found("mlx5_0").link_share == 1);
	}
}

/* Its speed is exact, and of a bond that of both members. */
TEST(test_interface, setup, teardown)
{
	struct hardware hardware;

	make_folder("class/net/bond0.5");
	make_line("class/net/bond0.5/speed", "400000\n");
	make_line("class/net/bond0.5/uevent", "DEVTYPE=vlan\nINTERFACE=bond0.5\nIFINDEX=7\n");
	netdev = "bond0.5";
	hardware = found("mlx5_0");
	assert_true(hardware.link_gbits == 400 && hardware.vlan);
	make_line("class/net/bond0.5/uevent", "INTERFACE=bond0.5\nIFINDEX=7\n");
	make_line("class/net/bond0.5/speed", "-1\n");
	hardware = found("mlx5_0");
	assert_true(hardware.link_gbits == 200 && !hardware.vlan);
	make_line(PORT "/rate", "2.5 Gb/sec (1X SDR)\n"); /* since the interface has none */
	assert_false(found("mlx5_0").link_gbits > 0);
	make_line(PORT "/link_layer", "InfiniBand\n"); /* one lane of SDR */
	hardware = found("mlx5_0");
	assert_true(IS_NEAR(hardware.link_gbits * hardware.link_share, 2));
	make_line(PORT "/link_layer", "Ethernet\n");
	make_line("class/net/bond0.5/speed", "1000\n");
	assert_true(found("mlx5_0").link_gbits == 1);
	make_line(PORT "/rate", "100 Gb/sec (4X EDR)\n");
	make_line("class/net/bond0.5/speed", "-1\n");
	assert_true(found("mlx5_0").link_gbits == 100);
	make_line(FUNCTION "/vendor", "0x14e4\n"); /* bnxt_re, of which older kernels say that of 200 and 400, too */
	assert_false(found("mlx5_0").link_gbits > 0);
	make_line("class/net/bond0.5/speed", "400000\n");
	assert_true(found("mlx5_0").link_gbits == 400);
	make_line(PORT "/rate", "200 Gb/sec (4X HDR)\n");
	make_line("class/net/bond0.5/speed", "-1\n");
	assert_true(found("mlx5_0").link_gbits == 200);
	make_line(FUNCTION "/vendor",
		  "0x15ad\n"); /* vmw_pvrdma, of whose rates and interface VMware makes the speed up */
	assert_false(found("mlx5_0").link_gbits > 0);
	make_line("class/net/bond0.5/speed", "10000\n");
	assert_false(found("mlx5_0").link_gbits > 0);
}

TEST(test_pcie_gbits, setup, teardown)
{
	assert_true(IS_NEAR(pcie_gbits(2.5, 16), 32));
	assert_true(IS_NEAR(pcie_gbits(5, 8), 32));
	assert_true(IS_NEAR(pcie_gbits(8, 8), 63.01538));
	assert_true(IS_NEAR(pcie_gbits(32, 16), 504.12308));
	/* a flit of 256 bytes has 236 of packets, so that x16 carries 118 GB/s */
	assert_true(IS_NEAR(pcie_gbits(64, 16), 944));
}

/* The slot of the switch that the adapter is behind is slower than the adapter. */
TEST(test_least_link, setup, teardown)
{
	struct hardware hardware;

	make_folder(FUNCTION "/0000:3c:00.0/0000:3d:00.0/infiniband/mlx5_2");
	make_link("class/infiniband/mlx5_2", FUNCTION "/0000:3c:00.0/0000:3d:00.0/infiniband/mlx5_2");
	make_link(FUNCTION "/0000:3c:00.0/0000:3d:00.0/infiniband/mlx5_2/device",
		  FUNCTION "/0000:3c:00.0/0000:3d:00.0");
	make_line(FUNCTION "/0000:3c:00.0/0000:3d:00.0/current_link_speed", "32.0 GT/s PCIe\n");
	make_line(FUNCTION "/0000:3c:00.0/0000:3d:00.0/current_link_width", "16\n");
	make_line(FUNCTION "/0000:3c:00.0/current_link_speed", "32.0 GT/s PCIe\n");
	make_line(FUNCTION "/0000:3c:00.0/current_link_width", "16\n");
	hardware = found("mlx5_2");
	assert_true(hardware.pcie_rate == 32 && hardware.pcie_lanes == 16);
	assert_true(hardware.least.rate == 16 && hardware.least.lanes == 16);
	/* Above the switch all is as fast as its slots: adapters in several of them share that. */
	make_line(FUNCTION "/0000:3c:00.0/0000:3d:00.0/current_link_speed", "16.0 GT/s PCIe\n");
	make_line(FUNCTION "/0000:3c:00.0/current_link_speed", "16.0 GT/s PCIe\n");
	hardware = found("mlx5_2");
	assert_string_equal(hardware.least.at, "0000:3d:00.0");
	assert_string_equal(hardware.least.top, "0000:3b:00.0");
	make_config(0x2930, 256); /* payloads of 256 bytes */
	assert_int_equal(found("mlx5_0").pcie_payload, 256);
	make_config(0x2930, 64);
	assert_int_equal(found("mlx5_0").pcie_payload, 0);
}

/* One lane of 2.5 GT/s above a virtual function, whose link is unknown; at most 16 GT/s above a newer adapter. */
TEST(test_bridge_of_virtual_machine, setup, teardown)
{
	struct hardware hardware;

	make_line(FUNCTION "/current_link_speed", "32.0 GT/s PCIe\n");
	make_line(BRIDGE "/current_link_speed", "16.0 GT/s PCIe\n");
	make_line(BRIDGE "/current_link_width", "16\n");
	hardware = found("mlx5_0");
	assert_true(hardware.pcie_rate == 32 && hardware.least.rate == 32 && hardware.least.lanes == 16);
	make_line(FUNCTION "/current_link_speed", "Unknown\n");
	make_line(FUNCTION "/current_link_width", "0\n");
	make_line(BRIDGE "/current_link_speed", "2.5 GT/s PCIe\n");
	make_line(BRIDGE "/current_link_width", "1\n");
	hardware = found("mlx5_0");
	assert_true(hardware.pcie_lanes == 0 && hardware.least.lanes == 0 && !(hardware.least.rate > 0));
}

/* It may claim the adapter's link downwards, and has one lane upwards. */
TEST(test_switch_of_virtual_machine, setup, teardown)
{
	static const struct {
		const char *vendor, *part;
	} virtual[] = {
		{"0x1b36\n", "0x000c\n"}, {"0x15ad\n", "0x07a0\n"}, {"0x8086\n", "0x3420\n"}, {"0x104c\n", "0x8232\n"}};
	struct hardware hardware;

	make_folder(FUNCTION "/0000:3c:00.0/0000:3d:00.0/infiniband/mlx5_2");
	make_link("class/infiniband/mlx5_2", FUNCTION "/0000:3c:00.0/0000:3d:00.0/infiniband/mlx5_2");
	make_link(FUNCTION "/0000:3c:00.0/0000:3d:00.0/infiniband/mlx5_2/device",
		  FUNCTION "/0000:3c:00.0/0000:3d:00.0");
	make_line(FUNCTION "/0000:3c:00.0/0000:3d:00.0/current_link_speed", "16.0 GT/s PCIe\n");
	make_line(FUNCTION "/0000:3c:00.0/0000:3d:00.0/current_link_width", "16\n");
	make_line(FUNCTION "/0000:3c:00.0/current_link_speed", "16.0 GT/s PCIe\n");
	make_line(FUNCTION "/0000:3c:00.0/current_link_width", "16\n");
	make_line(FUNCTION "/current_link_speed", "2.5 GT/s PCIe\n");
	make_line(FUNCTION "/current_link_width", "1\n");
	hardware = found("mlx5_2");
	assert_true(hardware.least.rate == 2.5 && hardware.least.lanes == 1);
	for (size_t i = 0; i < sizeof(virtual) / sizeof(virtual[0]); i++) {
		make_line(FUNCTION "/vendor", virtual[i].vendor);
		make_line(FUNCTION "/device", virtual[i].part);
		hardware = found("mlx5_2");
		assert_true(hardware.least.rate == 16 && hardware.least.lanes == 16);
	}
}

/* A virtual function has neither a link nor settings of its own. */
TEST(test_virtual_function, setup, teardown)
{
	struct hardware hardware;

	make_folder(BRIDGE "/0000:3b:00.2/infiniband/mlx5_4");
	make_link("class/infiniband/mlx5_4", BRIDGE "/0000:3b:00.2/infiniband/mlx5_4");
	make_link(BRIDGE "/0000:3b:00.2/infiniband/mlx5_4/device", BRIDGE "/0000:3b:00.2");
	make_line(BRIDGE "/0000:3b:00.2/current_link_speed", "Unknown\n");
	make_line(BRIDGE "/0000:3b:00.2/current_link_width", "0\n");
	make_link(BRIDGE "/0000:3b:00.2/physfn", FUNCTION);
	make_config(0x2950, 256);
	hardware = found("mlx5_4");
	assert_string_equal(hardware.address, "0000:3b:00.2");
	assert_true(hardware.pcie_rate == 16 && hardware.pcie_lanes == 16 && hardware.least.lanes == 16);
	assert_int_equal(hardware.pcie_payload, 512);
}

static struct hardware at(const char *physical, const char *top)
{
	struct hardware hardware = {.address = "0000:3b:08.1", .least = {16, 16, "", ""}};

	strcpy(hardware.physical, physical);
	strcpy(hardware.least.top, top);
	return hardware;
}

TEST(test_shared_link, setup, teardown)
{
	struct hardware one = found("mlx5_0"), other = at("0000:3b:00.1", "0000:3b:00.1");

	assert_string_equal(one.physical, "0000:3b:00.0");
	assert_true(hardware_shares_link(&one, &other)); /* a virtual function of the other port */
	other = at("0000:5e:00.0", "0000:5e:00.0");
	assert_false(hardware_shares_link(&one, &other));
	one = at("0000:3b:00.0", "0000:3a:00.0");
	other = at("0000:3c:00.0", "0000:3a:00.0"); /* below one switch */
	assert_true(hardware_shares_link(&one, &other));
	assert_false(hardware_shares_link(&one, &(struct hardware){.kind = HARDWARE_UNKNOWN}));
}

/* A device of its own between the RDMA device and the function: auxiliary bus. */
TEST(test_ancestor, setup, teardown)
{
	struct hardware hardware;

	make_folder(FUNCTION "/irdma.roce.0/infiniband/irdma0");
	make_link("class/infiniband/irdma0", FUNCTION "/irdma.roce.0/infiniband/irdma0");
	make_link(FUNCTION "/irdma.roce.0/infiniband/irdma0/device", FUNCTION "/irdma.roce.0");
	hardware = found("irdma0");
	assert_string_equal(hardware.address, "0000:3b:00.0");
	assert_true(hardware.link_lanes == 0 && !(hardware.link_gbits > 0));
}

/* Of a subfunction (auxiliary bus) the kernel tells no node; of the adapter that it is a part of, it does. */
TEST(test_numa_node, setup, teardown)
{
	assert_int_equal(hardware_numa_node(root, "mlx5_0"), -1);
	make_line(FUNCTION "/numa_node", "1\n");
	assert_int_equal(hardware_numa_node(root, "mlx5_0"), 1);
	make_folder(FUNCTION "/mlx5_core.sf.4/infiniband/mlx5_2");
	make_link("class/infiniband/mlx5_2", FUNCTION "/mlx5_core.sf.4/infiniband/mlx5_2");
	make_link(FUNCTION "/mlx5_core.sf.4/infiniband/mlx5_2/device", FUNCTION "/mlx5_core.sf.4");
	assert_int_equal(hardware_numa_node(root, "mlx5_2"), 1);
	make_line(FUNCTION "/numa_node", "-1\n");
	assert_int_equal(hardware_numa_node(root, "mlx5_2"), -1);
	assert_int_equal(hardware_numa_node(root, "mlx5_9"), -1);
}

/* rxe is as near as its interface; one over a bridge or a bond is nowhere. */
TEST(test_numa_node_of_an_interface, setup, teardown)
{
	make_line(FUNCTION "/numa_node", "1\n");
	make_folder("devices/virtual/infiniband/rxe0");
	make_link("class/infiniband/rxe0", "devices/virtual/infiniband/rxe0");
	assert_int_equal(hardware_numa_node(root, "rxe0"), -1);
	make_line("devices/virtual/infiniband/rxe0/parent", "eth0\n");
	assert_int_equal(hardware_numa_node(root, "rxe0"), -1);
	make_folder(FUNCTION "/net/eth0");
	make_folder("class/net");
	make_link("class/net/eth0", FUNCTION "/net/eth0");
	make_link(FUNCTION "/net/eth0/device", FUNCTION);
	assert_int_equal(hardware_numa_node(root, "rxe0"), 1);
}

/* A domain of Intel's VMD, or of Hyper-V: more than 16 bits. */
TEST(test_long_domain, setup, teardown)
{
	const char *function = "devices/pci10000:00/10000:00:02.0/10000:01:00.0";

	make_folder("devices/pci10000:00/10000:00:02.0/10000:01:00.0/infiniband/mlx5_1/ports/1");
	make_link("class/infiniband/mlx5_1", "devices/pci10000:00/10000:00:02.0/10000:01:00.0/infiniband/mlx5_1");
	make_link("devices/pci10000:00/10000:00:02.0/10000:01:00.0/infiniband/mlx5_1/device", function);
	assert_string_equal(found("mlx5_1").address, "10000:01:00.0");
}

TEST(test_relaxed_ordering_off, setup, teardown)
{
	struct hardware hardware;

	make_config(0x2910, 256);
	hardware = found("mlx5_0");
	assert_string_equal(hardware_relaxed_ordering(&hardware, NEW_ENOUGH), "ON");
	make_config(0x2900, 256);
	hardware = found("mlx5_0");
	assert_string_equal(hardware_relaxed_ordering(&hardware, NEW_ENOUGH), "OFF");
	/* Who is not root reads 64 bytes. */
	make_config(0x2900, 64);
	hardware = found("mlx5_0");
	assert_string_equal(hardware_relaxed_ordering(&hardware, NEW_ENOUGH), "ON");
	/* The bit says nothing in a virtual function, which a virtual machine knows by its zeros. */
	make_config(0x0000, 256);
	hardware = found("mlx5_0");
	assert_string_equal(hardware_relaxed_ordering(&hardware, NEW_ENOUGH), "ON");
	make_config(0x2900, 256);
	make_link(FUNCTION "/physfn", FUNCTION);
	hardware = found("mlx5_0");
	assert_string_equal(hardware_relaxed_ordering(&hardware, NEW_ENOUGH), "ON");
}

/* A list of capabilities that leads to itself. */
TEST(test_circle, setup, teardown)
{
	uint8_t config[256] = {[0x06] = 0x10, [0x34] = 0x40, [0x40] = 0x01, [0x41] = 0x40};
	struct hardware hardware;

	make_file(FUNCTION "/config", config, sizeof(config));
	hardware = found("mlx5_0");
	assert_false(hardware.relaxed_off);
}

/* rxe names its interface, and stands below that one's PCI function, which carries nothing of it. */
TEST(test_programs, setup, teardown)
{
	struct hardware hardware;

	make_folder(FUNCTION "/infiniband/rxe0/ports/1");
	make_link("class/infiniband/rxe0", FUNCTION "/infiniband/rxe0");
	make_link(FUNCTION "/infiniband/rxe0/device", FUNCTION);
	make_line(FUNCTION "/infiniband/rxe0/parent", "eth0\n");
	make_line(FUNCTION "/infiniband/rxe0/ports/1/rate", "2.5 Gb/sec (1X SDR)\n");
	hardware = found("rxe0");
	assert_int_equal(hardware.kind, HARDWARE_NONE);
	assert_string_equal(hardware.address, "");
	assert_true(hardware.link_lanes == 0); /* of an interface without a speed */
	assert_string_equal(hardware_relaxed_ordering(&hardware, NEW_ENOUGH), "Unsupported");
	hardware_find(&hardware, root, "soft0", 1, "", true);
	assert_string_equal(hardware_relaxed_ordering(&hardware, NEW_ENOUGH), "Unsupported");
}

/* siw has no such file, and on kernels before 5.12 stands below the PCI function of its interface, too. */
TEST(test_program_without_a_parent, setup, teardown)
{
	struct hardware hardware;

	make_folder("devices/virtual/infiniband/siw0/ports/1");
	make_link("class/infiniband/siw0", "devices/virtual/infiniband/siw0");
	make_line("devices/virtual/infiniband/siw0/node_desc", "Software iWARP stack\n");
	hardware = found("siw0");
	assert_int_equal(hardware.kind, HARDWARE_NONE);
	assert_string_equal(hardware_relaxed_ordering(&hardware, NEW_ENOUGH), "Unsupported");
	make_link("devices/virtual/infiniband/siw0/device", FUNCTION);
	hardware = found("siw0");
	assert_int_equal(hardware.kind, HARDWARE_NONE);
	assert_string_equal(hardware.address, "");
}

TEST(test_nothing_and_nonsense, setup, teardown)
{
	struct hardware hardware = found("mlx5_9");

	assert_int_equal(hardware.kind, HARDWARE_UNKNOWN);
	make_line(FUNCTION "/infiniband/mlx5_0/ports/1/rate", "-7 Gb/sec (4X HDR)\n");
	make_line(FUNCTION "/current_link_speed", "Unknown\n");
	make_line(FUNCTION "/current_link_width", "4294967299\n");
	hardware = found("mlx5_0");
	assert_true(!(hardware.link_gbits > 0) && hardware.link_lanes == 0);
	assert_true(!(hardware.pcie_rate > 0) && hardware.pcie_lanes == 0);
}

TEST_MAIN(NULL, NULL)
