// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the link of an interface found? With a directory in place of /sys. */
#define _GNU_SOURCE
#include <ftw.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "qperf/sockets/socket.h"

#define FUNCTION "devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0"

static char root[64];

static const char *below(const char *path)
{
	static char text[1024];

	snprintf(text, sizeof(text), "%s/%s", root, path);
	return text;
}

static void make_folder(const char *path)
{
	char text[512];

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		snprintf(text, sizeof(text), "%.*s", (int)(slash - path), path);
		mkdir(below(text), 0700);
	}
	mkdir(below(path), 0700);
}

static void make_line(const char *folder, const char *name, const char *line)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(below(path), "w");
	assert_non_null(file);
	fputs(line, file);
	fclose(file);
}

static void make_netdev(const char *name, const char *speed, const char *mtu, const char *uevent)
{
	char folder[128];

	snprintf(folder, sizeof(folder), "class/net/%s", name);
	make_folder(folder);
	make_line(folder, "speed", speed);
	make_line(folder, "mtu", mtu);
	make_line(folder, "uevent", uevent);
}

static struct payload_path path_of(const char *netdev)
{
	struct payload_path path = {.wire = WIRE_TCP_IPV4};

	socket_path_of_netdev(root, netdev, &path);
	return path;
}

static int setup(void **state)
{
	char target[1024];

	(void)state;
	strcpy(root, "/tmp/test_qperf_path.XXXXXX");
	assert_non_null(mkdtemp(root));
	make_folder(FUNCTION);
	make_line(FUNCTION, "current_link_speed", "16.0 GT/s PCIe\n");
	make_line(FUNCTION, "current_link_width", "8\n");
	make_netdev("eth0", "100000\n", "9000\n", "INTERFACE=eth0\n");
	snprintf(target, sizeof(target), "%s", below(FUNCTION));
	assert_int_equal(symlink(target, below("class/net/eth0/device")), 0);
	make_netdev("bond0", "200000\n", "9000\n", "DEVTYPE=bond\n");
	make_netdev("bond0.5", "200000\n", "8996\n", "DEVTYPE=vlan\n");
	make_folder("class/net/bond0/lower_eth0");
	make_folder("class/net/bond0.5/lower_bond0");
	make_netdev("veth0", "10000\n", "1500\n", "INTERFACE=veth0\n");
	make_netdev("veth0.5", "10000\n", "1500\n", "DEVTYPE=vlan\n");
	make_folder("class/net/veth0.5/lower_veth0");
	return 0;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat, (void)type, (void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TEST(adapters_have_a_link)
{
	const struct payload_path eth0 = path_of("eth0"), bond = path_of("bond0"), vlan = path_of("bond0.5");

	assert_true(eth0.link_gbits == 100 && eth0.mtu == 9000 && !eth0.vlan && eth0.num_links == 1);
	assert_true(eth0.pcie_rate == 16 && eth0.pcie_lanes == 8);
	assert_true(fabs(eth0.pcie_gbits - 16 * 8 * 128 / 130.) < 0.01);
	assert_true(bond.link_gbits == 200 && !bond.vlan && !(bond.pcie_gbits > 0));
	assert_true(vlan.link_gbits == 200 && vlan.mtu == 8996 && vlan.vlan);
}

/* veth says 10 Gb/s, whatever it moves. */
TEST(what_has_no_adapter_has_no_link)
{
	static const char *const names[] = {"veth0", "veth0.5", "nosuch", ""};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(path_of(names[i]).link_gbits > 0);
}

/* vmxnet3 says 10 Gb/s, emulated cards what the one that they imitate would. */
TEST(an_emulated_adapter_has_no_link)
{
	static const struct {
		const char *folder, *vendor, *device, *maker, *board;
		bool has_link;
	} rows[] = {
		{"0000:03:00.0", "0x15ad", "0x07b0", "0x15ad", "0x07b0", false}, /* vmxnet3 */
		{"0000:02:01.0", "0x8086", "0x100f", "0x15ad", "0x0750", false}, /* VMware's e1000 */
		{"0000:00:03.0", "0x8086", "0x100e", "0x1af4", "0x1100", false}, /* QEMU's, */
		{"0000:00:03.0", "0x8086", "0x100e", "0x8086", "0x001e", false}, /* ... VirtualBox's, */
		{"0000:00:04.0", "0x10ec", "0x8139", "0x1af4", "0x1100", false}, /* ... and QEMU's 8139 */
		{"0000:01:00.0", "0x8086", "0x10d3", "0x8086", "0x0000", false}, /* its e1000e */
		{"0000:01:00.0", "0x8086", "0x1572", "0x8086", "0x0000", true},	 /* X710 */
		{"0000:01:00.0", "0x8086", "0x10d3", "0x8086", "0xa01f", true},
		{"f8615163-0000-1000-2000-00155d000001", "0x1414", "0x3", NULL, NULL, false}, /* Hyper-V */
		{"7870:00:00.0", "0x1414", "0x00ba", "0x1414", "0x0000", true},		      /* MANA */
		{"virtio0", "0x1af4", "0x0001", NULL, NULL, true}, /* only if its host says so */
		{"0000:17:00.0", "0x15b3", "0x1021", "0x15b3", "0x0002", true},
	};
	char folder[128], target[1024];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(folder, sizeof(folder), "devices/emulated%zu/%s", i, rows[i].folder);
		make_folder(folder);
		make_line(folder, "vendor", rows[i].vendor);
		make_line(folder, "device", rows[i].device);
		if (rows[i].maker)
			make_line(folder, "subsystem_vendor", rows[i].maker);
		if (rows[i].board)
			make_line(folder, "subsystem_device", rows[i].board);
		make_netdev("vm0", "10000\n", "1500\n", "INTERFACE=vm0\n");
		snprintf(target, sizeof(target), "%s", below(folder));
		unlink(below("class/net/vm0/device"));
		assert_int_equal(symlink(target, below("class/net/vm0/device")), 0);
		if ((path_of("vm0").link_gbits > 0) != rows[i].has_link)
			fail_msg("row %zu, %s", i, rows[i].folder);
	}
}

TEST(a_speed_or_mtu_may_be_none)
{
	static const char *const speeds[] = {"-1\n", "0\n", "", "4294967295\n", "fast\n"};

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		make_line("class/net/eth0", "speed", speeds[i]);
		assert_false(path_of("eth0").link_gbits > 0);
	}
	make_line("class/net/eth0", "speed", "100000\n");
	make_line("class/net/eth0", "mtu", "-9000\n");
	assert_false(path_of("eth0").link_gbits > 0);
	make_line("class/net/eth0", "mtu", "9000\n");
}

/* IPoIB, ARPHRD_INFINIBAND. */
TEST(headers_are_those_of_ethernet)
{
	assert_int_equal(path_of("eth0").wire, WIRE_TCP_IPV4);
	make_line("class/net/eth0", "type", "1\n");
	assert_int_equal(path_of("eth0").wire, WIRE_TCP_IPV4);
	make_line("class/net/eth0", "type", "32\n");
	assert_int_equal(path_of("eth0").wire, WIRE_UNKNOWN);
	make_line("class/net/eth0", "type", "1\n");
}

/* A VLAN of itself: nothing hangs. */
TEST(layers_without_an_end)
{
	make_netdev("loop0", "100000\n", "1500\n", "DEVTYPE=vlan\n");
	make_folder("class/net/loop0/lower_loop0");
	assert_false(path_of("loop0").link_gbits > 0);
}

TEST_MAIN(setup, teardown)
