// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does the doctor detect what is wrong with a host, accept what is right, and distrust every file? */
#define _GNU_SOURCE /* nftw */
#include "advice_words.h"
#include "doctor/checks.h"
#include "doctor/diagnosis.h"
#include "doctor/examine.h"
#include "doctor_trees.h"
#include "fake_ports.h"
#include "params/options.h"
#include "params/programs.h"
#include "util/terminal.h"

static struct doctor_options options;
static struct subject subject;
static struct finding findings[64];
static int (*choice)(struct subject *subject);

static int setup(void **state)
{
	tree_begin();
	tree_build_adapter();
	options = (struct doctor_options){.device = "", .port = 1, .transport = TRANSPORT_RC};
	memset(&subject, 0, sizeof(subject));
	tree_fill_probe(&subject.probe);
	choice = subject_choose;
	return 0;
}

static int teardown(void **state)
{
	tree_end();
	return 0;
}

static int choose_host(struct subject *of)
{
	subject_choose_host(of);
	return 0;
}

static int choose(void)
{
	subject.tree.root = tree_root;
	subject.options = &options;
	return choice(&subject);
}

static void examine(void)
{
	subject.netdev[0] = subject.pci[0] = '\0';
	assert_int_equal(choose(), 0);
	memset(findings, 0, sizeof(findings));
	assert_in_range(num_checks, 1, sizeof(findings) / sizeof(findings[0]));
	for (size_t i = 0; i < num_checks; i++) {
		check_run(&checks[i], &subject, &findings[i]);
		assert_null(foreign_option(findings[i].text, &options.program));
		assert_null(foreign_option(findings[i].advice, &options.program));
	}
}

static const struct finding *finding_of(const char *name)
{
	for (size_t i = 0; i < num_checks; i++)
		if (strcmp(checks[i].name, name) == 0)
			return &findings[i];
	fail_msg("no check %s", name);
	return NULL;
}

/* Examines, and expects of one check a verdict and a part of its text or advice. */
static void expect(const char *name, enum verdict verdict, const char *text)
{
	const struct finding *finding;

	examine();
	finding = finding_of(name);
	if (finding->verdict != verdict || (!strstr(finding->text, text) && !strstr(finding->advice, text)))
		fail_msg("%s: expected '%s' with '%s', found '%s': %s -> %s", name, verdict_word(verdict), text,
			 verdict_word(finding->verdict), finding->text, finding->advice);
}

/* Nothing but these is worth a look: names with commas. */
static void expect_only(const char *names)
{
	char found[512] = "";

	examine();
	for (size_t i = 0; i < num_checks; i++)
		if (findings[i].verdict == VERDICT_LOOK)
			text_list_add(found, sizeof(found), checks[i].name);
	assert_string_equal(found, names);
}

static void set_status(const char *capabilities, const char *cpus, const char *nodes)
{
	char text[256];

	snprintf(text, sizeof(text), "Name:\tx\nCapEff:\t%s\nCpus_allowed_list:\t%s\nMems_allowed_list:\t%s",
		 capabilities, cpus, nodes);
	tree_put("/proc/self/status", text);
}

/* --- a host where all is well --- */

TEST(test_healthy, setup, teardown)
{
	expect_only("");
	for (size_t i = 0; i < num_checks; i++)
		if (findings[i].verdict == VERDICT_UNKNOWN)
			fail_msg("%s: %s", checks[i].name, findings[i].text);
	assert_string_equal(subject.pci, TREE_ADAPTER);
	assert_string_equal(subject.netdev, "ens1np0");
	expect("device", VERDICT_OK, "mlx5_0 port 1, driver mlx5_core, on ens1np0");
	expect("firmware", VERDICT_OK, "22.39.2048, board MT_0000000359");
	expect("slot", VERDICT_OK, "16.0 GT/s x16, 252 Gb/s");
	expect("GIDs", VERDICT_OK, "1: 10.0.0.1 RoCE v2 on ens1np0");
	expect("requests", VERDICT_OK, "reads of 512 bytes, payload of 256 of 512");
}

TEST(test_page, setup, teardown)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	tree_put("/sys/class/net/ens1np0/mtu", "1500");
	subject.probe.diag.active_mtu = 1024;
	examine();
	page_text(out, &subject, findings);
	fclose(out);
	assert_non_null(strstr(text, "mlx5_0 port 1 on "));
	assert_non_null(strstr(text, "\nPCIe\n  ok         slot "));
	assert_non_null(
		strstr(text, "\n  look here  MTU               1024 of 4096 bytes: the MTU of ens1np0 is 1500\n"));
	assert_non_null(strstr(text, " ok, 1 to look at, 0 unknown\n"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_in_range(strlen(line), 1, 100);
	free(text);
}

/* --- which device --- */

TEST(test_choice, setup, teardown)
{
	assert_int_equal(choose(), 0);
	assert_int_equal(subject.kind, SUBJECT_DEVICE);
	options.device = "mlx5_7";
	assert_int_equal(choose(), -ENODEV);
	options.device = "mlx5_0";
	options.port = 2;
	assert_int_equal(choose(), -EINVAL);
	options.port = 1;
	options.device = "";
	/* libibverbs has only the software device, but the kernel has one: that is what must be explained */
	strcpy(subject.probe.diag.devices[0], "soft0");
	subject.probe.diag.listed = subject.probe.diag.opened = subject.probe.diag.port_known = false;
	expect("provider", VERDICT_LOOK, "does not list it; it has drivers for: mlx5");
	assert_string_equal(subject.device, "mlx5_0");
	expect("MTU", VERDICT_UNKNOWN, "see provider");
}

/* An adapter whose first function has no cable. */
TEST(test_choice_with_a_port_that_is_up, setup, teardown)
{
	subject.probe.diag.num_devices = 2;
	strcpy(subject.probe.diag.devices[0], "mlx5_8");
	strcpy(subject.probe.diag.devices[1], "mlx5_0");
	tree_put("/sys/class/infiniband/mlx5_8/ports/1/state", "1: DOWN\n");
	assert_int_equal(choose(), 0);
	assert_string_equal(subject.device, "mlx5_0");
	tree_put("/sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
	assert_int_equal(choose(), 0);
	assert_string_equal(subject.device, "mlx5_8");
}

/* Azure: the function of the adapter that only sends frames comes first, and no test of RDMA chooses it. */
TEST(test_choice_with_gids, setup, teardown)
{
	subject.probe.diag.num_devices = 2;
	strcpy(subject.probe.diag.devices[0], "manae_0");
	strcpy(subject.probe.diag.devices[1], "mlx5_0");
	tree_put("/sys/class/infiniband/manae_0/ports/1/gids/none", "");
	assert_int_equal(choose(), 0);
	assert_string_equal(subject.device, "mlx5_0");
	options.transport = TRANSPORT_RAW_ETHERNET;
	assert_int_equal(choose(), 0);
	assert_string_equal(subject.device, "manae_0");
	options.transport = TRANSPORT_RC;
}

/* As of a test of sockets, beside an adapter, and of cxi_send_bw on its NIC. */
TEST(test_host_alone, setup, teardown)
{
	choice = choose_host;
	expect("governor", VERDICT_OK, "performance on ");
	assert_int_equal(subject.kind, SUBJECT_NONE);
	assert_string_equal(subject.device, "");
	assert_int_equal(finding_of("rate")->verdict, VERDICT_NONE);
	assert_int_equal(finding_of("slot")->verdict, VERDICT_NONE);
	assert_int_equal(finding_of("NUMA node")->verdict, VERDICT_NONE);
	options.function = TREE_ADAPTER;
	options.netdev = "hsn0";
	tree_put("/sys/class/net/hsn0/speed", "400000");
	tree_put("/rate", "100 Gb/sec (4X EDR)"); /* of no port */
	expect("slot", VERDICT_OK, "the maximum of the device");
	expect("path", VERDICT_LOOK, "less than the port's 400");
	set_status("0", "0-3", "0-1");
	expect("NUMA node", VERDICT_LOOK, "the device is on node 1, and this process may not use any CPU of that node");
	assert_int_equal(finding_of("rate")->verdict, VERDICT_NONE);
}

static int open_tree(struct subject *into, const struct doctor_options *given)
{
	assert_ptr_equal(given, &options);
	*into = subject;
	return 0;
}

/* Beside a test: no peer gives up because of it. */
TEST(test_time, setup, teardown)
{
	struct diagnosis found = {0};

	tree_put(TREE_CPU "/cpu0/cpufreq/scaling_governor", "powersave");
	assert_int_equal(choose(), 0); /* which is not in the time */
	options.timeout_ms = 1;
	doctor_examine(&options, open_tree, &found);
	assert_int_equal(found.count, 0);
	options.timeout_ms = -1;
	doctor_examine(&options, open_tree, &found);
	assert_true(found.known);
	assert_int_equal(found.count, 1);
	assert_string_equal(found.list[0].check, "governor");
	assert_non_null(strstr(found.list[0].advice, "cpupower"));
}

TEST(test_no_device, setup, teardown)
{
	tree_drop("/sys/class/infiniband");
	tree_drop("/sys/module");
	memset(&subject.probe.diag, 0, sizeof(subject.probe.diag));
	expect_only("device");
	assert_int_equal(subject.kind, SUBJECT_NONE);
	subject.probe.diag =
		(struct device_diag){.num_devices = 1, .devices = {"soft0"}, .listed = true, .opened = true};
	set_status("0", "0-3", "0-1");
	expect_only("device");
	assert_int_equal(subject.kind, SUBJECT_SOFTWARE);
	options.device = "soft0";
	expect_only("");
	subject.probe.diag.error = -EMFILE;
	expect("device", VERDICT_LOOK, "can't be opened: Too many open files");
}

TEST(test_access, setup, teardown)
{
	subject.probe.diag.opened = false;
	subject.probe.diag.error = -EACCES;
	expect("provider", VERDICT_LOOK, "can't open it: Permission denied");
	tree_drop("/dev/infiniband/rdma_cm");
	expect("device files", VERDICT_LOOK, "not rdma_cm");
	tree_drop("/dev/infiniband/uverbs0");
	expect("device files", VERDICT_LOOK, "/dev/infiniband/uverbs0: No such file");
	tree_drop("/sys/class/infiniband_verbs");
	expect("device files", VERDICT_LOOK, "modprobe ib_uverbs");
	tree_drop("/sys/module/ib_uverbs");
	expect("kernel modules", VERDICT_LOOK, "not loaded: ib_uverbs");
	tree_put("/sys/class/infiniband_verbs/abi_version", "6"); /* built in */
	expect("kernel modules", VERDICT_OK, "ib_uverbs");
	tree_put("/sys/module/ib_core/parameters/netns_mode", "N");
	expect("namespaces", VERDICT_OK, "exclusive");
	expect("GPU memory", VERDICT_NONE, "");
	tree_put("/sys/module/nvidia/refcnt", "1");
	expect("GPU memory", VERDICT_OK, "only as a dma-buf");
	tree_put("/sys/module/nvidia_peermem/refcnt", "1");
	expect("GPU memory", VERDICT_OK, "can be registered");
	tree_put("/sys/bus/pci/drivers/efa/module/refcnt", "1");
	tree_link(TREE_ADAPTER "/driver", "/sys/bus/pci/drivers/efa");
	expect("GPU memory", VERDICT_OK, "without efa_nv_peermem: GPU memory can be registered only as a dma-buf");
	tree_put("/sys/module/efa_nv_peermem/refcnt", "1");
	expect("GPU memory", VERDICT_OK, "efa_nv_peermem is loaded");
	/* it has no connection manager */
	tree_drop("/sys/module/rdma_ucm");
	expect("kernel modules", VERDICT_OK, "ib_core and ib_uverbs are loaded");
	tree_put("/sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0");
	tree_put("/dev/infiniband/uverbs0", "");
	expect("device files", VERDICT_OK, "can open /dev/infiniband/uverbs0");
}

/* --- the link --- */

TEST(test_port, setup, teardown)
{
	tree_put(TREE_PORT "/state", "1: DOWN");
	tree_put(TREE_PORT "/phys_state", "3: Disabled");
	tree_put("/sys/class/net/ens1np0/operstate", "down");
	expect("state", VERDICT_LOOK, "DOWN, Disabled");
	expect("state", VERDICT_LOOK, "ens1np0 is down");
	tree_put("/sys/class/net/ens1np0/speed", "25000");
	expect("rate", VERDICT_LOOK, "the interface ens1np0 runs at 25 Gb/s");
	tree_put("/sys/class/net/ens1np0/speed", "-1"); /* of an interface that is down */
	expect("rate", VERDICT_OK, "100 Gb/sec");
	subject.probe.diag.speed_gbits = 50;
	expect("rate", VERDICT_LOOK, "its effective speed is 50 Gb/s");
	subject.probe.diag.speed_gbits = 400; /* a bond */
	expect("rate", VERDICT_OK, "100 Gb/sec (4X EDR); effective speed of all members: 400 Gb/s");
	expect("path", VERDICT_LOOK, "less than the port's 400");
	tree_put(TREE_PORT "/../../device/vendor", "0x1d0f");
	expect("rate", VERDICT_UNKNOWN, "100 Gb/sec (4X EDR), which its driver reports of any link");
	subject.probe.diag.speed_gbits = 0;
	expect("path", VERDICT_UNKNOWN, "252 Gb/s at 0000:3b:00.0; the rate of the port is unknown");
	tree_put(TREE_PORT "/../../device/vendor", "0x1ded"); /* eRDMA, on an interface of virtio */
	tree_put(TREE_PORT "/rate", "2.5 Gb/sec (1X SDR)");
	expect("rate", VERDICT_UNKNOWN, "2.5 Gb/sec (1X SDR), which its driver reports of any link");
	expect("path", VERDICT_UNKNOWN, "252 Gb/s at 0000:3b:00.0; the rate of the port is unknown");
	tree_put(TREE_PORT "/../../device/vendor", "0x14e4"); /* bnxt_re, on an older kernel */
	tree_put(TREE_PORT "/rate", "100 Gb/sec (4X EDR)");
	expect("rate", VERDICT_UNKNOWN, "100 Gb/sec (4X EDR), as kernels before Linux 6.6 say of faster ports, too");
	expect("path", VERDICT_UNKNOWN, "the rate of the port is unknown");
	tree_put("/sys/class/net/ens1np0/speed", "400000");
	expect("rate", VERDICT_OK, "the interface ens1np0: 400 Gb/s");
	expect("path", VERDICT_LOOK, "less than the port's 400");
	tree_put(TREE_PORT "/../../device/vendor", "0x15ad"); /* vmw_pvrdma */
	expect("rate", VERDICT_UNKNOWN, "100 Gb/sec (4X EDR), which its driver reports of any link");
	expect("path", VERDICT_UNKNOWN, "the rate of the port is unknown");
}

TEST(test_interface_of_a_container, setup, teardown)
{
	tree_put("/sys/class/net/ens1np0/speed", "10000");
	expect("rate", VERDICT_LOOK, "the interface ens1np0 runs at 10 Gb/s");
	tree_drop("/sys/class/net/ens1np0/device"); /* a veth, which has the adapter's name */
	expect("rate", VERDICT_OK, "100 Gb/sec (4X EDR)");
}

TEST(test_infiniband, setup, teardown)
{
	tree_put(TREE_PORT "/link_layer", "InfiniBand");
	tree_put(TREE_PORT "/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
	expect("LID", VERDICT_LOOK, "no subnet manager");
	tree_put(TREE_PORT "/lid", "0x1f");
	tree_put(TREE_PORT "/sm_lid", "0x1");
	expect("LID", VERDICT_OK, "31, subnet manager at 1");
	expect_only("");
	tree_put(TREE_PORT "/rate", "25 Gb/sec (1X EDR)");
	expect("rate", VERDICT_LOOK, "one lane");
	tree_put(TREE_PORT "/rate", "2.5 Gb/sec (1X SDR)"); /* not of an interface without a speed */
	expect("rate", VERDICT_LOOK, "one lane");
	expect("path", VERDICT_OK, "the port has 2.5");
	tree_put(TREE_PORT "/state", "2: INIT");
	expect("state", VERDICT_LOOK, "subnet manager has not configured");
	subject.probe.diag.active_mtu = 2048;
	expect("MTU", VERDICT_LOOK, "2048 of 4096");
}

TEST(test_mtu, setup, teardown)
{
	tree_put("/sys/class/net/ens1np0/mtu", "1500");
	expect("MTU", VERDICT_LOOK, "4096 bytes, more than the 1500 of ens1np0: packets will be dropped");
	subject.probe.diag.active_mtu = 1024;
	expect("MTU", VERDICT_LOOK, "1024 of 4096 bytes: the MTU of ens1np0 is 1500");
	tree_put("/sys/class/net/ens1np0/mtu", "9000");
	expect("MTU", VERDICT_LOOK, "leave room for 4096");
	subject.probe.diag.active_mtu = 4096;
	tree_put("/sys/class/net/ens1np0/mtu", "4200");
	expect("MTU", VERDICT_OK, "4200");
	tree_drop("/sys/class/net/ens1np0");
	expect("MTU", VERDICT_UNKNOWN, "/sys/class/net/ens1np0/mtu: No such file");
	/* No subnet manager sets that of Ethernet. */
	tree_drop(TREE_PORT "/gid_attrs");
	subject.netdev[0] = '\0';
	subject.probe.diag.active_mtu = 1024;
	expect("MTU", VERDICT_LOOK, "1024 of 4096 bytes");
	expect("MTU", VERDICT_LOOK, "it follows the MTU of the port's network interface");
}

TEST(test_gids, setup, teardown)
{
	tree_put(TREE_PORT "/gid_attrs/types/1", "IB/RoCE v1");
	expect("GIDs", VERDICT_LOOK, "none is a RoCE v2");
	tree_put(TREE_PORT "/link_layer", "Unspecified"); /* EFA */
	expect("GIDs", VERDICT_OK, "");
	tree_put(TREE_PORT "/link_layer", "Ethernet");
	tree_put(TREE_PORT "/gid_attrs/types/1", "RoCE v2");
	tree_put(TREE_PORT "/gids/1", "0000:0000:0000:0000:0000:ffff:a9fe:0101");
	expect("GIDs", VERDICT_LOOK,
	       "1: 169.254.1.1 RoCE v2 on ens1np0: none is a RoCE v2 GID with a routable address");
	tree_put(TREE_PORT "/gids/1", "fd00:0000:0000:0000:0000:0000:0000:0001");
	expect("GIDs", VERDICT_OK, "1: fd00:0000");
	for (int i = 0; i < 1000; i++) {
		char path[128];

		snprintf(path, sizeof(path), TREE_PORT "/gids/%d", i);
		tree_put(path, "0000:0000:0000:0000:0000:0000:0000:0000");
	}
	expect("GIDs", VERDICT_LOOK, "the table is empty");
	tree_put(TREE_PORT "/gids/700", "0000:0000:0000:0000:0000:ffff:0a00:0002");
	tree_put(TREE_PORT "/gid_attrs/types/700", "RoCE v2");
	expect("GIDs", VERDICT_OK, "700: 10.0.0.2 RoCE v2");
}

/* Its GID is the interface's MAC, and no packet has the port's MTU. */
TEST(test_iwarp, setup, teardown)
{
	tree_put(TREE_PORT "/../../node_type", "4: RNIC");
	tree_put(TREE_PORT "/gids/0", "0e42:a100:0001:0000:0000:0000:0000:0000");
	tree_put(TREE_PORT "/gids/1", "0000:0000:0000:0000:0000:0000:0000:0000");
	tree_put(TREE_PORT "/gid_attrs/types/0", "IB/RoCE v1");
	tree_put("/sys/class/net/ens1np0/mtu", "1500");
	subject.probe.diag.active_mtu = 1024;
	expect_only("");
	expect("GIDs", VERDICT_OK, "on ens1np0: of iWARP");
	expect("MTU", VERDICT_OK, "TCP segments: the MTU of ens1np0 is 1500");
	tree_put(TREE_PORT "/../../node_type", "1: CA");
	expect("GIDs", VERDICT_LOOK, "none is a RoCE v2");
	expect("MTU", VERDICT_LOOK, "1024 of 4096 bytes");
	tree_put(TREE_PORT "/../../node_type", "4: RNIC");
	tree_drop(TREE_PORT "/gid_attrs");
	subject.netdev[0] = '\0';
	expect("MTU", VERDICT_UNKNOWN, "the interface is not visible here");
}

TEST(test_pause, setup, teardown)
{
	expect("pause frames", VERDICT_OK, "off on ens1np0");
	subject.probe.nic.pause_rx = subject.probe.nic.pause_tx = true;
	expect("pause frames", VERDICT_OK, "obeyed and sent on ens1np0");
	subject.probe.nic.pause_known = false;
	expect("pause frames", VERDICT_UNKNOWN, "does not report it");
	subject.probe.nic.error = -ENODEV;
	expect("pause frames", VERDICT_UNKNOWN, "No such device");
}

/* RoCE LAG: the device's interface is the bond. */
TEST(test_bond, setup, teardown)
{
	assert_int_equal(choose(), 0);
	snprintf(subject.netdev, sizeof(subject.netdev), "bond0");
	subject.device[0] = '\0';
	tree_put("/sys/class/net/bond0/lower_port0", "");
	tree_put("/sys/class/net/bond0/lower_port1", "");
	pause_frames = 70;
	assert_int_equal(subject_probe(&subject), 0);
	assert_int_equal(subject.probe.nic.num_counters, 1);
	assert_string_equal(subject.probe.nic.counters[0].name, "rx_prio3_pause");
	assert_int_equal(subject.probe.nic.counters[0].value, 140);
	assert_false(subject.probe.nic.error);
	assert_true(subject.probe.nic.pause_known && subject.probe.nic.pause_rx);
}

TEST(test_counters, setup, teardown)
{
	tree_put(TREE_PORT "/counters/port_xmit_wait", "987654321"); /* of a port that was used to the full */
	expect_only("");
	subject.probe.nic.counters[0].value = 217;
	tree_put(TREE_PORT "/hw_counters/np_ecn_marked_roce_packets", "18446744073709551615");
	expect("congestion", VERDICT_LOOK, "np_ecn_marked_roce_packets 9223372036854775807, rx_prio3_pause 217");
	subject.probe.nic.counters[2].value = 4;
	expect("receiver", VERDICT_LOOK, "rx_discards_phy 4");
	tree_put(TREE_PORT "/hw_counters/local_ack_timeout_err", "12");
	tree_put(TREE_PORT "/hw_counters/packet_seq_err", "3");
	expect("retransmission", VERDICT_LOOK, "packet_seq_err 3, local_ack_timeout_err 12");
	tree_put(TREE_PORT "/hw_counters/RNR sent", "5");
	expect("receiver", VERDICT_LOOK, "RNR sent 5, rx_discards_phy 4");
	tree_put(TREE_PORT "/../../hw_counters/sent_cnps", "6");
	expect("congestion", VERDICT_LOOK, "sent_cnps 6, rx_prio3_pause 217");
	tree_drop(TREE_PORT "/../../hw_counters");
	tree_put(TREE_PORT "/counters/link_downed", "1");
	expect("link errors", VERDICT_LOOK, "link_downed 1");
	expect_only("congestion, retransmission, receiver, link errors");
	tree_put(TREE_PORT "/counters/port_xmit_constraint_errors", "7"); /* of a partition, not of a cable */
	expect("retransmission", VERDICT_LOOK, "port_xmit_constraint_errors 7, packet_seq_err 3");
	tree_drop(TREE_PORT "/counters");
	tree_drop(TREE_PORT "/hw_counters");
	expect("link errors", VERDICT_UNKNOWN, "mlx5_0 has no known counter");
}

TEST(test_nic_names, setup, teardown)
{
	/* mlx5, bnxt_en, ionic, ice, i40e, hns3, cxgb4 */
	static const char *const pause[] = {"rx_prio3_pause",	      "tx_pfc_frames",		 "frames_rx_pripause",
					    "rx_priority_3_xoff.nic", "port.rx_priority_3_xoff", "mac_rx_mac_pause_num",
					    "mac_rx_pfc_pkt_num",     "rx_ppp3_frames_________"};
	static const char *const drops[] = {"rx_discards_phy", "rx_out_of_buffer", "hw_rx_dropped"};
	static const char *const neither[] = {"rx_prio3_pause_duration",
					      "rx_prio3_pause_transition",
					      "rx_packets",
					      "rx_pfc_ena_frames_pri3",
					      "resume_pause_events",
					      "tx_pripause_3_1us_count",
					      "rx_bytes",
					      "rx_priority_3_xon.nic",
					      "port.rx_priority_3_xon_2_xoff",
					      "mac_rx_pfc_pri3_pkt_num",
					      "mac_rx_pfc_pri3_xoff_time",
					      "mac_rx_pause_xoff_time"};

	for (size_t i = 0; i < sizeof(pause) / sizeof(pause[0]); i++)
		assert_true(nic_counts_pause(pause[i]) && !nic_counts_drops(pause[i]));
	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++)
		assert_true(nic_counts_drops(drops[i]) && !nic_counts_pause(drops[i]));
	for (size_t i = 0; i < sizeof(neither) / sizeof(neither[0]); i++)
		assert_false(nic_counts_pause(neither[i]) || nic_counts_drops(neither[i]));
}

/* --- PCIe --- */

#define BELOW_SWITCH TREE_ADAPTER "/0000:3c:00.0/0000:3d:00.0"

TEST(test_narrow_slot, setup, teardown)
{
	tree_put(TREE_ADAPTER "/current_link_speed", "8.0 GT/s PCIe");
	tree_put(TREE_ADAPTER "/current_link_width", "8");
	expect("slot", VERDICT_LOOK, "8.0 GT/s x8, 63 Gb/s; the device can 16.0 GT/s x16, 252 Gb/s");
	expect("path", VERDICT_LOOK, "8.0 GT/s x8 at 0000:3b:00.0 carries 63 Gb/s, less than the port's 100");
	tree_put(TREE_PORT "/rate", "40 Gb/sec (4X QDR)");
	expect("path", VERDICT_OK, "63 Gb/s");
}

/* A switch in a narrow slot, and the adapter below it. */
TEST(test_narrow_bridge, setup, teardown)
{
	tree_put(TREE_ADAPTER "/0000:3c:00.0/current_link_speed", "16.0 GT/s PCIe");
	tree_put(TREE_ADAPTER "/0000:3c:00.0/current_link_width", "16");
	tree_put(BELOW_SWITCH "/current_link_speed", "16.0 GT/s PCIe");
	tree_put(BELOW_SWITCH "/current_link_width", "16");
	tree_put(BELOW_SWITCH "/max_link_speed", "16.0 GT/s PCIe");
	tree_put(BELOW_SWITCH "/max_link_width", "16");
	tree_link("/sys/class/infiniband/mlx5_0/device", BELOW_SWITCH);
	tree_put(TREE_ADAPTER "/current_link_width", "8");
	tree_put(TREE_BRIDGE "/current_link_width", "4");
	expect("slot", VERDICT_OK, "x16");
	expect("path", VERDICT_LOOK, "16.0 GT/s x4 at 0000:3a:00.0 carries 63 Gb/s");
	tree_put(TREE_BRIDGE "/current_link_speed", "5.0 GT/s PCIe");
	expect("path", VERDICT_LOOK, "carries 16 Gb/s");
	tree_put(TREE_ADAPTER "/current_link_width", "16");
	tree_put(TREE_BRIDGE "/vendor", "0x1b36"); /* QEMU's */
	tree_put(TREE_BRIDGE "/device", "0x000c");
	expect("path", VERDICT_OK, "252 Gb/s");
}

/* Its bridges report links that do not exist: one lane above a virtual function. */
TEST(test_virtual_machine_bridge, setup, teardown)
{
	tree_put(TREE_BRIDGE "/current_link_speed", "2.5 GT/s PCIe");
	tree_put(TREE_BRIDGE "/current_link_width", "1");
	expect("path", VERDICT_OK, "252 Gb/s at the slowest link (0000:3b:00.0)");
	tree_put(TREE_ADAPTER "/current_link_speed", "Unknown");
	tree_put(TREE_ADAPTER "/current_link_width", "0");
	expect("path", VERDICT_UNKNOWN, "0000:3b:00.0/current_link_speed holds 'Unknown'");
}

/* The link of a virtual function is its physical one's, and so are the settings of its requests. */
TEST(test_virtual_function, setup, teardown)
{
	tree_put(TREE_BRIDGE "/0000:3b:00.2/current_link_speed", "Unknown");
	tree_put(TREE_BRIDGE "/0000:3b:00.2/current_link_width", "0");
	tree_put(TREE_BRIDGE "/0000:3b:00.2/numa_node", "1");
	tree_link("/sys/class/infiniband/mlx5_0/device", TREE_BRIDGE "/0000:3b:00.2");
	expect("slot", VERDICT_UNKNOWN, "0000:3b:00.2/current_link_speed holds 'Unknown', which is no speed");
	tree_put_config(TREE_BRIDGE "/0000:3b:00.2/config", 0x02, 0, 0);
	expect("requests", VERDICT_UNKNOWN, "0000:3b:00.2 has none of these settings, as a virtual function");
	expect("relaxed ordering", VERDICT_UNKNOWN, "has none of these settings");
	tree_link(TREE_BRIDGE "/0000:3b:00.2/physfn", TREE_ADAPTER);
	expect("slot", VERDICT_OK, "x16");
	expect("requests", VERDICT_OK, "reads of 512 bytes, payload of 256 of 512");
	expect("relaxed ordering", VERDICT_OK, "allowed");
}

TEST(test_config, setup, teardown)
{
	tree_put_config(TREE_ADAPTER "/config", 0x02, 0x2920, 0);
	expect("relaxed ordering", VERDICT_LOOK, "off");
	tree_put_config(TREE_ADAPTER "/config", 0x02, 0x0930, 0);
	expect("requests", VERDICT_LOOK, "reads of 128 bytes");
	tree_put_config(TREE_ADAPTER "/config", 0x02, 0x5910, 0);
	expect("requests", VERDICT_LOOK, "payload of 128 of 512");
	tree_put_bytes(TREE_ADAPTER "/config", "0123456789012345678901234567890123456789012345678901234567890123", 64);
	expect("requests", VERDICT_UNKNOWN, TREE_ADAPTER "/config up to byte 64");
	expect("relaxed ordering", VERDICT_UNKNOWN, "root can read more");
}

TEST(test_acs, setup, teardown)
{
	expect("ACS", VERDICT_OK, "off");
	tree_put_config(TREE_BRIDGE "/config", 0x02, 0x2930, 0x1d);
	expect("ACS", VERDICT_OK, "on at 0000:3a:00.0; slows down GPU memory only");
	tree_put("/sys/module/nvidia/refcnt", "1");
	expect("ACS", VERDICT_LOOK, "on at 0000:3a:00.0");
	tree_put_bytes(TREE_BRIDGE "/config", "", 0);
	expect("ACS", VERDICT_UNKNOWN, "this user cannot read the configuration of any bridge above 0000:3b:00.0");
}

TEST(test_iommu, setup, teardown)
{
	expect("IOMMU", VERDICT_OK, "intel_iommu=on iommu=pt");
	tree_put("/sys/kernel/iommu_groups/7/type", "DMA-FQ");
	expect("IOMMU", VERDICT_LOOK, "translates each address (DMA-FQ)");
	tree_drop(TREE_ADAPTER "/iommu_group");
	expect("IOMMU", VERDICT_OK, "off: no group");
}

/* --- CPUs and memory --- */

TEST(test_far_node, setup, teardown)
{
	expect("NUMA node", VERDICT_OK, "1; a test binds itself to its 4 CPUs");
	set_status("0", "0-3", "0-1");
	expect("NUMA node", VERDICT_LOOK, "the device is on node 1, and this process may not use any CPU of that node");
	set_status("0", "2-5", "0-1");
	expect("NUMA node", VERDICT_LOOK, "on other nodes");
	set_status("0", "4-5", "0-1");
	expect("NUMA node", VERDICT_OK, "1, and so are the 2 CPUs");
	/* isolcpus=6-7, which every process is kept from, and then all of the node. */
	tree_put(TREE_CPU "/isolated", "6-7");
	set_status("0", "0-5", "0-1");
	expect("NUMA node", VERDICT_OK, "1; a test binds itself to its 2 CPUs");
	tree_put(TREE_CPU "/isolated", "4-7");
	set_status("0", "0-3", "0-1");
	expect("NUMA node", VERDICT_LOOK, "node 1, whose CPUs are all isolated (isolcpus): a test runs on other nodes");
	tree_put(TREE_CPU "/isolated", "");
	set_status("0", "0-7", "0-1");
	tree_put("/sys/devices/system/node/node1/cpulist", "");
	expect("NUMA node", VERDICT_LOOK, "the device is on node 1, which has no CPUs that are online");
	tree_put("/sys/devices/system/node/node1/cpulist", "4-7");
	options.disable_numa = true;
	expect("NUMA node", VERDICT_LOOK, "on other nodes");
	assert_string_equal(finding_of("NUMA node")->advice, "numactl --cpunodebind=1");
	options.program = (struct advised){&params_options, PROGRAM_BIT(IB_WRITE_BW)};
	expect("NUMA node", VERDICT_LOOK, "numactl --cpunodebind=1, or --numa_node, or --pin_cores");
	tree_put(TREE_ADAPTER "/numa_node", "-1");
	expect("NUMA node", VERDICT_UNKNOWN, "try numactl --cpunodebind, or --numa_node, with each node");
	tree_put("/sys/devices/system/node/online", "0");
	expect("NUMA node", VERDICT_OK, "has only one");
}

/* What is said of rxe is what its tests do: they bind themselves to the node of the interface. */
TEST(test_rxe_node, setup, teardown)
{
	tree_drop("/sys/class/infiniband/mlx5_0/device");
	expect("NUMA node", VERDICT_UNKNOWN, "does not say");
	tree_put("/sys/class/infiniband/mlx5_0/parent", "ens1np0");
	expect("NUMA node", VERDICT_OK, "1; a test binds itself to its 4 CPUs");
}

TEST(test_memory_nodes, setup, teardown)
{
	tree_put("/proc/self/numa_maps", "55d0c0000000 bind:0 file=/usr/bin/ib_write_bw mapped=8 N0=8");
	expect("memory nodes", VERDICT_LOOK, "the policy of this process is bind:0");
	tree_put("/proc/self/numa_maps", "55d0c0000000 bind:0-1 file=/usr/bin/ib_write_bw mapped=8 N0=8");
	expect("memory nodes", VERDICT_OK, "bind:0-1");
	set_status("0", "0-7", "0");
	expect("memory nodes", VERDICT_LOOK, "may use memory of 0 only");
}

TEST(test_locked_memory, setup, teardown)
{
	tree_put("/proc/self/limits", "Max locked memory         65536                65536                bytes");
	expect("locked memory", VERDICT_LOOK, "at most 64 KiB");
	set_status("0000000000004000", "0-7", "0-1");
	expect("locked memory", VERDICT_OK, "CAP_IPC_LOCK");
	set_status("0", "0-7", "0-1");
	tree_put("/proc/self/limits", "Max locked memory         8589934592           8589934592           bytes");
	expect("locked memory", VERDICT_OK, "at most 8192 MiB");
}

TEST(test_huge_pages, setup, teardown)
{
	expect("huge pages", VERDICT_OK, "500 of 512 free of 2048kB");
	tree_put("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "0");
	expect("huge pages", VERDICT_OK, "0 of 512");
	options.use_hugepages = true;
	expect("huge pages", VERDICT_LOOK, "this test needs some");
	expect("THP", VERDICT_OK, "madvise");
}

TEST(test_frequency, setup, teardown)
{
	tree_put(TREE_CPU "/cpu3/cpufreq/scaling_governor", "powersave");
	expect("governor", VERDICT_LOOK, "powersave on 1 of 8 CPUs, driver intel_pstate");
	set_status("0", "4-7", "0-1");
	expect("governor", VERDICT_OK, "performance on 4 CPUs");
	for (int cpu = 0; cpu < 8; cpu++) {
		char path[128];

		snprintf(path, sizeof(path), TREE_CPU "/cpu%d/cpufreq", cpu);
		tree_drop(path);
	}
	expect("governor", VERDICT_UNKNOWN, "no cpufreq");
	expect("turbo", VERDICT_OK, "on");
	tree_put(TREE_CPU "/intel_pstate/no_turbo", "1");
	expect("turbo", VERDICT_OK, "off");
	tree_drop(TREE_CPU "/intel_pstate");
	expect("turbo", VERDICT_NONE, "");
	tree_put(TREE_CPU "/cpufreq/boost", "1");
	expect("turbo", VERDICT_OK, "on");
}

TEST(test_idle_states, setup, teardown)
{
	expect("idle states", VERDICT_OK, "down to C1, 2 us");
	tree_put(TREE_CPU "/cpu0/cpuidle/state2/disable", "0");
	expect("idle states", VERDICT_LOOK, "down to C6, with a wake-up latency of 170 us");
	tree_drop(TREE_CPU "/cpu0/cpuidle");
	expect("idle states", VERDICT_UNKNOWN, "no cpuidle");
	tree_put("/proc/cmdline", "quiet idle=poll");
	expect("idle states", VERDICT_OK, "idle=poll");
}

TEST(test_others, setup, teardown)
{
	tree_put("/proc/loadavg", "7.90 4.20 2.18 9/456 7890");
	expect("load", VERDICT_LOOK, "7.90 in the last minute, and this process may use 8 CPUs");
	tree_put("/proc/cpuinfo", "flags\t\t: fpu tsc hypervisor");
	tree_put("/sys/class/dmi/id/sys_vendor", "QEMU");
	expect("virtual machine", VERDICT_OK, "yes, QEMU; the hypervisor took 0.0 %");
	tree_put("/proc/stat", "cpu  100 0 100 700 0 0 0 100 0 0");
	expect("virtual machine", VERDICT_LOOK, "gave 10.0 % of its CPU time to others");
}

TEST(test_clock, setup, teardown)
{
	subject.probe.clock_error = 0.01;
	expect("clock", VERDICT_LOOK, "calibrated only to 0.01");
	subject.probe.clock_fallback = true;
	subject.probe.clock_source = "clock_gettime";
	expect("clock", VERDICT_LOOK, "every time stamp is a call of clock_gettime");
}

TEST(test_software, setup, teardown)
{
	tree_drop("/sys/class/infiniband");
	subject.probe.diag =
		(struct device_diag){.num_devices = 1, .devices = {"soft0"}, .listed = true, .opened = true};
	options.device = "soft0";
	expect("cores", VERDICT_LOOK, "share no L3 cache");
	set_status("0", "0-3", "0-1");
	expect("cores", VERDICT_OK, "4 CPUs, of which each 2 are threads of one core");
	set_status("0", "2-3", "0-1");
	expect("cores", VERDICT_LOOK, "are threads of one core");
	set_status("0", "2", "0-1");
	expect("cores", VERDICT_LOOK, "only one CPU, but");
	set_status("0", "0-3", "0-1");
	expect_only("");
	subject.probe.runtime_dir_is_ours = false;
	subject.probe.memfd_error = -EPERM;
	expect_only("memfd, runtime folder");
}

/* --- files that hold something else --- */

/* Each of them makes its check unknown, and the file is named. */
TEST(test_malformed, setup, teardown)
{
	static const struct {
		const char *file, *check, *shown;
	} cases[] = {
		{TREE_PORT "/state", "state", TREE_PORT "/state"},
		{TREE_PORT "/rate", "rate", TREE_PORT "/rate"},
		{TREE_PORT "/counters/link_downed", "link errors", TREE_PORT "/counters/link_downed"},
		{TREE_PORT "/hw_counters/rp_cnp_handled", "congestion", "rp_cnp_handled"},
		{"/sys/class/infiniband/mlx5_0/fw_ver", "firmware", "mlx5_0/fw_ver"},
		{"/sys/module/ib_core/parameters/netns_mode", "namespaces", "netns_mode"},
		{"/sys/class/net/ens1np0/mtu", "MTU", "/sys/class/net/ens1np0/mtu"},
		{TREE_ADAPTER "/current_link_speed", "slot", TREE_ADAPTER "/current_link_speed"},
		{TREE_ADAPTER "/current_link_width", "slot", TREE_ADAPTER "/current_link_width"},
		{TREE_ADAPTER "/max_link_width", "slot", TREE_ADAPTER "/max_link_width"},
		{TREE_ADAPTER "/config", "requests", TREE_ADAPTER "/config"},
		{TREE_ADAPTER "/config", "relaxed ordering", TREE_ADAPTER "/config"},
		{TREE_ADAPTER "/iommu_group/type", "IOMMU", "iommu_group/type"},
		{TREE_ADAPTER "/numa_node", "NUMA node", TREE_ADAPTER "/numa_node"},
		{TREE_ADAPTER "/numa_node", "memory nodes", TREE_ADAPTER "/numa_node"},
		{"/sys/devices/system/node/node1/cpulist", "NUMA node", "node1/cpulist"},
		{TREE_CPU "/cpu5/cpufreq/scaling_governor", "governor", "cpu5/cpufreq/scaling_governor"},
		{TREE_CPU "/cpu0/cpuidle/state1/latency", "idle states", "state1/latency"},
		{"/proc/loadavg", "load", "/proc/loadavg"},
		{"/proc/self/status", "NUMA node", "/proc/self/status"},
		{"/proc/self/limits", "locked memory", "/proc/self/limits"},
		{"/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "huge pages", "nr_hugepages"},
		{"/sys/kernel/mm/transparent_hugepage/enabled", "THP", "transparent_hugepage/enabled"},
	};
	static const char binary[] = "\x01\xff\x00\x80 no text \xfe";

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tree_put_bytes(cases[i].file, binary, sizeof(binary));
		expect(cases[i].check, VERDICT_UNKNOWN, cases[i].shown);
		tree_build_adapter();
		expect_only("");
	}
}

static char (*all_files)[512];
static size_t num_files;

static int remember_file(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
	(void)status, (void)walk;
	if (flag != FTW_F)
		return 0;
	all_files = realloc(all_files, (num_files + 1) * sizeof(*all_files));
	snprintf(all_files[num_files++], sizeof(*all_files), "%s", path + strlen(tree_root));
	return 0;
}

/* Whatever stands in a file, and whatever file is gone: all checks end, with a text each. */
TEST(test_any_content, setup, teardown)
{
	char lots[9000];
	const struct {
		const char *bytes;
		size_t size;
	} contents[] = {
		{"", 0},
		{"\n", 1},
		{"-1\n", 3},
		{"99999999999999999999999999\n", 27},
		{"0-99999999\n", 11},
		{"%s%n%s%n\n", 9},
		{"\0\0\0\0", 4},
		{":", 1},
		{lots, sizeof(lots)},
		{"nan GT/s nan Gb/sec", 19},
	};

	memset(lots, 0x10, sizeof(lots)); /* as configuration space: capability lists that go in circles */
	assert_int_equal(nftw(tree_root, remember_file, 16, FTW_PHYS), 0);
	assert_in_range(num_files, 80, 400);
	for (size_t i = 0; i < num_files; i++) {
		for (size_t j = 0; j < sizeof(contents) / sizeof(contents[0]); j++) {
			tree_put_bytes(all_files[i], contents[j].bytes, contents[j].size);
			examine();
			for (size_t k = 0; k < num_checks; k++)
				assert_true(findings[k].verdict == VERDICT_NONE || findings[k].text[0]);
		}
		tree_drop(all_files[i]);
		if (choose() == 0)
			examine();
		tree_build_adapter();
	}
	free(all_files);
}

/* docs/doctor.md has a row for every check. */
TEST(test_documented, setup, teardown)
{
	static char text[65536];
	FILE *file = fopen(TOP_SRCDIR "/docs/doctor.md", "r");
	char row[128];

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	for (size_t i = 0; i < num_checks; i++) {
		snprintf(row, sizeof(row), "\n| %s |", checks[i].name);
		if (!strstr(text, row))
			fail_msg("no row of %s in docs/doctor.md", checks[i].name);
	}
}

TEST(test_cpulist, setup, teardown)
{
	static const char *const wrong[] = {"x",  "1-",	    "-1",	   "3-1", "1,,2",
					    "1,", "0-8192", "99999999999", "1 2", "1;2"};
	struct cpulist list, other;

	assert_int_equal(cpulist_parse(&list, "0-3,8,10-11"), 0);
	assert_int_equal(cpulist_count(&list), 7);
	assert_true(cpulist_has(&list, 8));
	assert_false(cpulist_has(&list, 9));
	assert_int_equal(cpulist_next(&list, 4), 8);
	assert_int_equal(cpulist_next(&list, 12), CPULIST_MAX);
	assert_int_equal(cpulist_parse(&other, "3"), 0);
	assert_true(cpulist_overlaps(&list, &other));
	assert_true(cpulist_within(&other, &list));
	assert_false(cpulist_within(&list, &other));
	assert_int_equal(cpulist_parse(&other, ""), 0);
	assert_int_equal(cpulist_count(&other), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(cpulist_parse(&other, wrong[i]), -EBADMSG);
}

TEST_MAIN(NULL, NULL)
