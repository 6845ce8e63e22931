// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which attributes of a device are queried again for a new client? With a simulated port in place of libibverbs'. */
#include "config.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/ethernet.h>
#include <net/if_arp.h>
#include <netpacket/packet.h>

#include "cmocka_all.h"
#include "util/log.h"
#include "verbs/ability.h"
#include "verbs/connect/cm.h"
#include "verbs/connect/path.h"
#include "verbs/device/direct_library.h"
#include "verbs/device/mtu.h"
#include "verbs/device/route.h"
#include "verbs/perftest_resources.h"
#include "verbs/qp/qp.h"

static struct ibv_port_attr port_now;

#undef ibv_query_port
int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	assert_true(port == 1 || port == 2);
	*(struct ibv_port_attr *)attr = port_now;
	return 0;
}

/* RoCE v2 GIDs of the addresses of a card's VLANs. */
static struct ibv_gid_entry vlan_gids[4];
static unsigned num_vlan_gids;
static union ibv_gid first_gid = {.raw = {0xfe, 0x80, [15] = 9}}; /* of the port itself */

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size)
{
	assert_true(max_entries > 0);
	assert_int_equal(entry_size, sizeof(*entries));
	entries[0] = (struct ibv_gid_entry){.gid = first_gid, .port_num = 1};
	memcpy(entries + 1, vlan_gids, num_vlan_gids * sizeof(*entries));
	return 1 + num_vlan_gids;
}

static int raw_packets_errno;

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
	static struct ibv_qp qp;

	errno = raw_packets_errno;
	return init->qp_type == IBV_QPT_RAW_PACKET ? NULL : &qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	return 0;
}

static struct resources resources_of(struct device *device, const struct verbs_config *config)
{
	return (struct resources){.device = device, .config = config};
}

/* A server that keeps serving has opened its device long ago; a subnet manager may have come since. */
TEST(the_port_is_that_of_now)
{
	const struct verbs_config config = {.device_name = "", .gid_index = CONFIG_AUTO};
	const struct addresses met = {0};
	struct ibv_context context = {0};
	struct device device = {.context = &context, .name = "mlx9_0", .port = 1, .port_attr.lid = 4};

	port_now = (struct ibv_port_attr){
		.state = IBV_PORT_ACTIVE,
		.link_layer = IBV_LINK_LAYER_INFINIBAND,
		.lid = 7,
		.active_mtu = IBV_MTU_2048,
	};
	assert_int_equal(device_choose_address(&device, &config, &met), 0);
	assert_int_equal(device.port_attr.lid, 7);
	assert_int_equal(device.port_attr.active_mtu, IBV_MTU_2048);
	port_now.state = IBV_PORT_DOWN;
	assert_int_equal(device_choose_address(&device, &config, &met), -ENETDOWN);
	assert_non_null(strstr(log_last_error(), "port 1 of mlx9_0 is not active"));
	assert_null(strstr(log_last_error(), "virtual function"));
}

TEST(a_port_of_a_virtual_function_is_the_hosts)
{
	const struct verbs_config config = {.device_name = "", .gid_index = CONFIG_AUTO};
	const struct addresses met = {0};
	struct ibv_context context = {0};
	struct device device = {.context = &context, .name = "mlx9_0", .port = 1};
	char root[] = "test_device.XXXXXX", command[256];

	assert_non_null(mkdtemp(root));
	snprintf(command, sizeof(command), "mkdir -p %s/class/infiniband/mlx9_0/device/physfn", root);
	assert_int_equal(system(command), 0);
	setenv("PERFTEST_SYSFS", root, 1);
	port_now = (struct ibv_port_attr){.state = IBV_PORT_DOWN, .link_layer = IBV_LINK_LAYER_INFINIBAND};
	assert_int_equal(device_choose_address(&device, &config, &met), -ENETDOWN);
	assert_non_null(strstr(log_last_error(), "it is a virtual function, see 'ip link show' of its physical one "
						 "(link-state, and GUIDs other than 0)"));
	unsetenv("PERFTEST_SYSFS");
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

TEST(the_interface_of_a_port_is_named)
{
	const struct verbs_config config = {.device_name = "", .gid_index = CONFIG_AUTO};
	const struct addresses met = {0};
	struct ibv_context context = {0};
	struct device device = {.context = &context, .name = "mlx9_0", .port = 1};
	char root[] = "test_device.XXXXXX", command[512];

	assert_non_null(mkdtemp(root));
	/* The first GID is that of an interface of which sysfs has nothing to say. */
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p class/infiniband/mlx9_0/ports/1/gid_attrs/ndevs class/net/ens3 && "
		 "echo ens3 >class/infiniband/mlx9_0/ports/1/gid_attrs/ndevs/2 && echo down >class/net/ens3/operstate",
		 root);
	assert_int_equal(system(command), 0);
	setenv("PERFTEST_SYSFS", root, 1);
	port_now = (struct ibv_port_attr){.state = IBV_PORT_DOWN, .link_layer = IBV_LINK_LAYER_ETHERNET};
	assert_int_equal(device_choose_address(&device, &config, &met), -ENETDOWN);
	assert_non_null(strstr(log_last_error(), "its network interface ens3 is down: 'ip link set ens3 up'"));
	unsetenv("PERFTEST_SYSFS");
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static struct sockaddr_storage ipv4(const char *text)
{
	struct sockaddr_storage address = {.ss_family = AF_INET};

	assert_int_equal(inet_pton(AF_INET, text, &((struct sockaddr_in *)&address)->sin_addr), 1);
	return address;
}

static void add_vlan(const char *text)
{
	const struct sockaddr_storage address = ipv4(text);
	struct ibv_gid_entry *entry = &vlan_gids[num_vlan_gids++];

	*entry = (struct ibv_gid_entry){.gid.raw = {[10] = 0xff, 0xff},
					.gid_index = 2 + num_vlan_gids,
					.gid_type = IBV_GID_TYPE_ROCE_V2,
					.port_num = 1};
	memcpy(entry->gid.raw + 12, &((const struct sockaddr_in *)&address)->sin_addr, 4);
}

/* The addresses of this host are those of the VLANs, whose interface has this hardware address. */
static struct sockaddr_storage hardware = {.ss_family = AF_PACKET};
static char *vlan_name = "vlan";

int getifaddrs(struct ifaddrs **list)
{
	static struct sockaddr_storage addresses[4], mask;
	static struct ifaddrs entries[5];

	mask = ipv4("255.255.255.0");
	for (unsigned i = 0; i < num_vlan_gids; i++) {
		const union ibv_gid *gid = &vlan_gids[i].gid;

		addresses[i].ss_family = gid->raw[0] ? AF_INET6 : AF_INET;
		if (gid->raw[0])
			memcpy(&((struct sockaddr_in6 *)&addresses[i])->sin6_addr, gid->raw, sizeof(gid->raw));
		else
			memcpy(&((struct sockaddr_in *)&addresses[i])->sin_addr, gid->raw + 12, 4);
		entries[i] = (struct ifaddrs){.ifa_name = vlan_name,
					      .ifa_addr = (struct sockaddr *)&addresses[i],
					      .ifa_netmask = (struct sockaddr *)&mask,
					      .ifa_next = &entries[i + 1]};
	}
	entries[num_vlan_gids] = (struct ifaddrs){.ifa_name = "vlan", .ifa_addr = (struct sockaddr *)&hardware};
	*list = num_vlan_gids ? entries : NULL;
	return 0;
}

void freeifaddrs(struct ifaddrs *list)
{
}

static const char *start; /* of packets to any peer; NULL: there is no route */

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	errno = ENETUNREACH;
	return start ? 0 : -1;
}

int getsockname(int fd, struct sockaddr *address, socklen_t *length)
{
	const struct sockaddr_storage from = ipv4(start);

	memcpy(address, &from, sizeof(struct sockaddr_in));
	return 0;
}

static void expect_source(int gid_index, const char *peer, const char *expected)
{
	struct ibv_context context = {0};
	const struct device device = {.context = &context, .name = "mlx9_0", .port = 1};
	const struct sockaddr_storage to = ipv4(peer);
	char text[INET6_ADDRSTRLEN];

	assert_string_equal(cm_source_ip(&device, gid_index, (const struct sockaddr *)&to, text, sizeof(text)),
			    expected);
}

/* With -d and -R: the first address of the device was taken, from which a peer in another VLAN cannot be reached. */
TEST(a_connection_starts_in_the_vlan_of_the_peer)
{
	const struct sockaddr_in6 peer6 = {.sin6_family = AF_INET6, .sin6_addr = {{{0xfd, [15] = 1}}}};
	struct ibv_context context = {0};
	const struct device device = {.context = &context, .name = "mlx9_0", .port = 1};
	char text[INET6_ADDRSTRLEN];

	add_vlan("10.1.0.1");
	add_vlan("10.2.0.1");
	add_vlan("10.3.0.1");
	expect_source(-1, "10.2.0.9", "10.2.0.1");
	expect_source(-1, "10.9.0.9", "10.1.0.1"); /* the first */
	expect_source(5, "10.2.0.9", "10.3.0.1");  /* -x */
	start = "10.3.0.1";			   /* a route leads there */
	expect_source(-1, "10.9.0.9", "10.3.0.1");
	expect_source(-1, "127.0.0.1", "10.1.0.1");
	assert_null(cm_source_ip(&device, -1, (const struct sockaddr *)&peer6, text, sizeof(text)));
	start = NULL;
	num_vlan_gids = 0;
}

/* An index of 0 is what is left of one of another network namespace, in which names are those of other interfaces. */
TEST(an_interface_is_one_of_this_namespace)
{
	struct device device = {.name = "mlx9_0", .port = 1, .ethernet = true, .gid_ifindex = 1};
	char name[IF_NAMESIZE];

	assert_string_equal(device_netdev(&device, name), "lo");
	device.gid_ifindex = 0;
	assert_string_equal(device_netdev(&device, name), "");
	device.gid_ifindex = 1;
	device.ethernet = false;
	assert_string_equal(device_netdev(&device, name), "");
}

static const char *own_ip(int family)
{
	static char text[INET6_ADDRSTRLEN];
	struct ibv_context context = {0};
	const struct device device = {.context = &context, .name = "mlx9_0", .port = 1};

	return cm_own_ip(&device, family, text, sizeof(text));
}

/* rdma_cm finds no adapter at 127.0.0.1. */
TEST(an_address_of_this_host_leads_to_the_device)
{
	struct sockaddr_ll *link = (struct sockaddr_ll *)&hardware;
	uint8_t *bytes = link->sll_addr;

	assert_null(own_ip(AF_INET));
	add_vlan("10.1.0.1");
	assert_string_equal(own_ip(AF_INET), "10.1.0.1");
	assert_null(own_ip(AF_INET6));
	add_vlan("10.2.0.1");
	vlan_gids[1].gid.raw[0] = 0xfd; /* of an adapter with IPv6 alone */
	assert_string_equal(own_ip(AF_UNSPEC), "10.1.0.1");
	vlan_gids[0].port_num = 2;
	assert_string_equal(own_ip(AF_UNSPEC), "fd00::ffff:a02:1");
	num_vlan_gids = 1;
	assert_null(own_ip(AF_UNSPEC));
	assert_null(own_ip(AF_INET));
	link->sll_hatype = ARPHRD_INFINIBAND;
	link->sll_halen = 20;
	memcpy(bytes + 4, first_gid.raw, sizeof(first_gid.raw));
	assert_string_equal(own_ip(AF_INET), "10.1.0.1"); /* of IPoIB */
	vlan_name = "vlan:1";				  /* a label */
	assert_string_equal(own_ip(AF_INET), "10.1.0.1");
	vlan_name = "vla:n";
	assert_null(own_ip(AF_INET));
	vlan_name = "vlan";
	bytes[19] = 8;
	assert_null(own_ip(AF_INET));
	first_gid = (union ibv_gid){.raw = {2, 0, 0, 0, 0, 10}}; /* of iWARP */
	link->sll_hatype = ARPHRD_ETHER;
	link->sll_halen = ETH_ALEN;
	memcpy(bytes, first_gid.raw, ETH_ALEN);
	assert_string_equal(own_ip(AF_INET), "10.1.0.1");
	first_gid.raw[15] = 9; /* of RoCE */
	assert_null(own_ip(AF_INET));
	first_gid = (union ibv_gid){.raw = {0xfe, 0x80, [15] = 9}};
	num_vlan_gids = 0;
}

/* A subnet manager may leave gaps in the table of P_Keys; devices accept their indexes. */
static int pkey_now;

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	assert_int_equal(port, 1);
	assert_int_equal(index, 2);
	*pkey = htons((uint16_t)pkey_now);
	return 0;
}

TEST(a_gap_in_the_partitions_is_named)
{
	const struct verbs_config config = {.pkey_index = 2};
	struct device device = {.name = "mlx9_0", .port = 1, .port_attr.pkey_tbl_len = 128};
	struct resources resources = resources_of(&device, &config);

	resources.traffic.transport = transport_traits(TRANSPORT_RC);
	pkey_now = 0x8000;
	assert_int_equal(qp_check_pkey(&resources, &device), -EINVAL);
	assert_non_null(strstr(log_last_error(), "port 1 of mlx9_0 has no P_Key at index 2"));
	pkey_now = 0x7fff;
	assert_int_equal(qp_check_pkey(&resources, &device), 0);
	pkey_now = 0;
	assert_int_equal(qp_check_pkey(&resources, &device), -EINVAL);
	device.ethernet = true;
	assert_int_equal(qp_check_pkey(&resources, &device), 0);
}

TEST(what_a_port_can_not_have_is_said)
{
	const enum ibv_mtu odd[] = {0, 6, 77, INT_MAX, INT_MIN};
	const struct verbs_config config = {.device_name = "", .gid_index = CONFIG_AUTO};
	const struct addresses met = {0};
	struct ibv_context context = {0};
	struct device device = {.context = &context, .name = "mlx9_0", .port = 1};
	uint64_t most = 1;

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		port_now = (struct ibv_port_attr){.state = IBV_PORT_ACTIVE, .active_mtu = odd[i], .lid = 7};
		assert_int_equal(device_choose_address(&device, &config, &met), -EPROTO);
		assert_non_null(strstr(log_last_error(), "reports the active MTU code"));
		assert_int_equal(mtu_bytes(odd[i]), 0);
	}
	device.port_attr.max_msg_sz = 0;
	assert_int_equal(device_max_message(&device, &config, &most), -EPROTO);
	assert_int_equal(most, 1);
	device.attr.vendor_id = 0x1414; /* its driver has reported the size since May 2026 */
	assert_int_equal(device_max_message(&device, &config, &most), 0);
	assert_int_equal(most, 1 << 24);
}

/* A port with an LMC has so many LIDs; Ethernet has none. */
TEST(path_bits_choose_a_lid)
{
	struct verbs_config config = {.src_path_bits = 3};
	struct device device = {.name = "mlx9_0", .port = 1, .port_attr = {.lid = 0x40, .lmc = 2}};
	struct resources resources = resources_of(&device, &config);

	assert_int_equal(path_open(&resources), 0);
	assert_int_equal(resources.lid, 0x43);
	config.src_path_bits = 4;
	assert_int_equal(path_open(&resources), -EINVAL);
	assert_non_null(strstr(log_last_error(), "LMC of 2, so source path bits are 0 to 3, not 4"));
	config.src_path_bits = 0;
	assert_int_equal(path_open(&resources), 0);
	assert_int_equal(resources.lid, 0x40);
	config.src_path_bits = 1;
	device.ethernet = true;
	assert_int_equal(path_open(&resources), -EOPNOTSUPP);
}

TEST(an_alternate_path_needs_both_sides)
{
	struct verbs_config config = {.alt_port = 2, .qp_timeout = 14};
	struct ibv_context context = {0};
	struct device device = {.context = &context, .name = "mlx9_0", .port = 1, .attr.phys_port_cnt = 2};
	struct resources resources = resources_of(&device, &config);
	struct endpoint remote = {.lid = 5, .alt_lid = 6};
	const struct ibv_ah_attr first = {.dlid = 5, .port_num = 1, .sl = 3};
	struct ibv_qp_attr attr = {0};
	int mask = IBV_QP_STATE;

	port_now = (struct ibv_port_attr){.state = IBV_PORT_ACTIVE, .active_mtu = IBV_MTU_1024, .lid = 9};
	assert_int_equal(path_open(&resources), -EOPNOTSUPP);
	device.attr.device_cap_flags = IBV_DEVICE_AUTO_PATH_MIG;
	assert_int_equal(path_open(&resources), 0);
	assert_int_equal(resources.alt_lid, 9);
	assert_int_equal(path_add_alternate(&resources, &remote, &first, &attr, &mask), 0);
	assert_int_equal(mask, IBV_QP_STATE | IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
	assert_true(attr.alt_ah_attr.dlid == 6 && attr.alt_ah_attr.port_num == 2 && attr.alt_ah_attr.sl == 3);
	assert_true(attr.alt_port_num == 2 && attr.alt_timeout == 14 && attr.path_mig_state == IBV_MIG_REARM);
	remote.alt_lid = 0;
	assert_int_equal(path_add_alternate(&resources, &remote, &first, &attr, &mask), -EINVAL);
	config.alt_port = 3;
	assert_int_equal(path_open(&resources), -EINVAL);
	config.alt_port = 2;
	port_now.state = IBV_PORT_DOWN;
	assert_int_equal(path_open(&resources), -ENETDOWN);
}

TEST(a_gid_is_taken_where_a_lid_does_not_do)
{
	static const struct {
		struct ibv_port_attr port;
		int gid_index;
	} cases[] = {
		{{.link_layer = IBV_LINK_LAYER_INFINIBAND, .lid = 7}, -1},
		{{.link_layer = IBV_LINK_LAYER_INFINIBAND, .lid = 7, .flags = IBV_QPF_GRH_REQUIRED}, 0},
		{{.link_layer = IBV_LINK_LAYER_ETHERNET}, 0},
		{{.link_layer = IBV_LINK_LAYER_UNSPECIFIED, .lid = 7}, -1},
		{{.link_layer = IBV_LINK_LAYER_UNSPECIFIED}, 0},
	};
	const struct verbs_config config = {.device_name = "", .gid_index = CONFIG_AUTO};
	const struct addresses met = {0};
	struct ibv_device ibv_device = {.transport_type = IBV_TRANSPORT_IB};
	struct ibv_context context = {.device = &ibv_device};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct device device = {.context = &context, .name = "mlx9_0", .port = 1};

		port_now = cases[i].port;
		port_now.state = IBV_PORT_ACTIVE;
		port_now.active_mtu = IBV_MTU_1024;
		assert_int_equal(device_choose_address(&device, &config, &met), 0);
		assert_int_equal(device.gid_index, cases[i].gid_index);
	}
}

TEST(fields_of_the_grh_have_no_effect_on_a_lid)
{
	struct verbs_config config = {.device_name = "", .gid_index = CONFIG_AUTO, .tclass = 96};
	const struct addresses met = {0};
	struct ibv_device ibv_device = {.transport_type = IBV_TRANSPORT_IB};
	struct ibv_context context = {.device = &ibv_device};
	struct device device = {.context = &context, .name = "mlx9_0", .port = 1};
	const size_t before = log_warning_count();

	port_now = (struct ibv_port_attr){
		.link_layer = IBV_LINK_LAYER_INFINIBAND,
		.lid = 7,
		.state = IBV_PORT_ACTIVE,
		.active_mtu = IBV_MTU_1024,
	};
	assert_int_equal(device_choose_address(&device, &config, &met), 0);
	assert_int_equal(log_warning_count(), before + 1);
	assert_non_null(strstr(log_warning_at(before), "--tclass and --flow_label are fields of the GRH"));
	config = (struct verbs_config){.device_name = "", .gid_index = CONFIG_AUTO, .tclass = 96, .rdma_cm = true};
	assert_int_equal(device_choose_address(&device, &config, &met), 0);
	config.rdma_cm = false;
	port_now.flags = IBV_QPF_GRH_REQUIRED;
	assert_int_equal(device_choose_address(&device, &config, &met), 0);
	assert_int_equal(log_warning_count(), before + 1);
}

static struct verbs_config test_of(enum verb verb, enum transport transport)
{
	const struct traffic_spec spec = {.verb = verb, .transport = transport};

	return (struct verbs_config){.transport = transport, .traffic = traffic_of(&spec, SIDE_CLIENT)};
}

TEST(a_device_without_atomics_is_named)
{
	const struct verbs_config atomics = test_of(VERB_ATOMIC, TRANSPORT_RC),
				  sends = test_of(VERB_SEND, TRANSPORT_RC);
	struct device device = {.name = "bnxt_re0", .attr.atomic_cap = IBV_ATOMIC_NONE};

	assert_int_equal(ability_check_verb(&device, &sends), 0);
	assert_int_equal(ability_check_verb(&device, &atomics), -EOPNOTSUPP);
	assert_non_null(strstr(log_last_error(), "bnxt_re0 does not support the atomic operations"));
	assert_non_null(strstr(log_last_error(), "its atomic_cap is IBV_ATOMIC_NONE"));
	device.attr.atomic_cap = IBV_ATOMIC_HCA;
	assert_int_equal(ability_check_verb(&device, &atomics), 0);
	device.attr.atomic_cap = IBV_ATOMIC_GLOB;
	assert_int_equal(ability_check_verb(&device, &atomics), 0);
}

static uint32_t datagram_paging;

/* As ConnectX-6 has it: receives of XRC come from shared queues only, and of UD none, or those as well. */
static int query_paging(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t size)
{
	const uint32_t memory = IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ;

	assert_int_equal(size, sizeof(*attr));
	attr->odp_caps.general_caps = IBV_ODP_SUPPORT;
	attr->odp_caps.per_transport_caps.rc_odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | memory;
	attr->odp_caps.per_transport_caps.ud_odp_caps = datagram_paging;
	attr->xrc_odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_SRQ_RECV | memory;
	return 0;
}

TEST(each_side_needs_the_paging_of_what_it_does)
{
	static const struct {
		enum transport transport;
		enum side side;
		bool shares;
		int answer;
	} cases[] = {
		{TRANSPORT_RC, SIDE_CLIENT, false, 0},		 {TRANSPORT_RC, SIDE_SERVER, false, 0},
		{TRANSPORT_RC, SIDE_SERVER, true, -EOPNOTSUPP},	 {TRANSPORT_XRC, SIDE_CLIENT, true, 0},
		{TRANSPORT_XRC, SIDE_SERVER, true, 0},		 {TRANSPORT_UD, SIDE_CLIENT, false, 0},
		{TRANSPORT_UD, SIDE_SERVER, false, -EOPNOTSUPP}, {TRANSPORT_UC, SIDE_CLIENT, false, -EOPNOTSUPP},
	};
	struct verbs_context verbs = {
		.sz = sizeof(verbs),
		.query_device_ex = query_paging,
		.context.abi_compat = __VERBS_ABI_IS_EXTENDED,
	};
	const struct device device = {.name = "mlx5_0", .context = &verbs.context};

	datagram_paging = IBV_ODP_SUPPORT_SEND;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct traffic_spec spec = {.verb = VERB_SEND, .transport = cases[i].transport};
		struct verbs_config config = {
			.transport = cases[i].transport,
			.traffic = traffic_of(&spec, cases[i].side),
			.shares_receives = cases[i].shares,
			.odp = true,
		};

		assert_int_equal(ability_check_paging(&device, &config), cases[i].answer);
		if (cases[i].transport != TRANSPORT_UD || cases[i].side != SIDE_SERVER)
			continue;
		assert_non_null(strstr(log_last_error(), "omit --odp, or use another -c"));
		datagram_paging |= IBV_ODP_SUPPORT_SRQ_RECV;
		assert_int_equal(ability_check_paging(&device, &config), -EOPNOTSUPP);
		assert_non_null(strstr(log_last_error(), "over UD in shared receive queues only: give --use-srq"));
		config.shares_receives = true;
		assert_int_equal(ability_check_paging(&device, &config), 0);
	}
}

/* What the program adds to -t is no affair of its user. */
TEST(a_depth_is_refused_as_it_was_given)
{
	const struct traffic_spec both = {.verb = VERB_SEND, .transport = TRANSPORT_RC, .bidirectional = true};
	struct ibv_device ibv_device = {.transport_type = IBV_TRANSPORT_IWARP};
	struct ibv_context context = {.device = &ibv_device};
	struct device device = {.name = "irdma0", .context = &context, .attr = {.max_qp = 8, .max_qp_wr = 4063}};
	struct verbs_config config = {
		.transport = TRANSPORT_RC,
		.traffic = traffic_of(&both, SIDE_CLIENT),
		.num_qps = 1,
		.rdma_cm = true,
		.flow_control = true,
		.tx_depth = 4059,
		.rx_depth = 512,
	};
	struct resources resources = resources_of(&device, &config);

	resources.traffic = config.traffic;
	resources.num_qps = 1;
	assert_int_equal(qp_check_limits(&resources), 0);
	config.tx_depth = 4063;
	assert_int_equal(qp_check_limits(&resources), -EINVAL);
	assert_string_equal(log_last_error(), "--tx-depth 4063 is too large for irdma0: at most 4059");
	config.flow_control = false;
	assert_int_equal(qp_check_limits(&resources), 0);
	resources.traffic.open_loop = true;
	assert_int_equal(qp_check_limits(&resources), -EINVAL);
	assert_string_equal(log_last_error(), "--tx-depth 4063 is too large for irdma0: at most 2031");
}

/* Limits that no attribute tells; profiles mana and bnxt_re of the software device do not have them. */
TEST(limits_of_the_library_are_known)
{
	const struct traffic_spec reads = {.verb = VERB_READ, .transport = TRANSPORT_RC};
	struct ibv_device ibv_device = {0};
	struct ibv_context context = {.device = &ibv_device};
	struct device device = {
		.name = "mana_0", .context = &context, .attr = {.vendor_id = 0x1414, .max_qp = 8, .max_qp_wr = 8192}};
	struct verbs_config config = test_of(VERB_READ, TRANSPORT_RC);
	struct resources resources = resources_of(&device, &config);

	config.num_qps = resources.num_qps = 1;
	config.tx_depth = 128;
	resources.traffic = traffic_of(&reads, SIDE_CLIENT);
	assert_int_equal(qp_check_limits(&resources), 0);
	config.tx_depth = 129;
	assert_int_equal(qp_check_limits(&resources), -EINVAL);
	assert_string_equal(log_last_error(), "--tx-depth 129 is too large for mana_0: at most 128");

	/* 64 of the default would be 32768 completions. */
	config = test_of(VERB_SEND, TRANSPORT_RC);
	config.num_qps = resources.num_qps = resources.num_rx = device.attr.max_qp = 64;
	config.tx_depth = resources.num_sets = 1;
	config.rx_depth = 512;
	device.attr.max_cqe = 8192;
	resources.traffic = traffic_of(&(struct traffic_spec){.verb = VERB_SEND}, SIDE_SERVER);
	assert_int_equal(qp_check_limits(&resources), 0);
	assert_int_equal(resources.rx_depth, 128);
	/* Without room for a list, and on iWARP, where the sender takes the peer's for its own, it stays. */
	config.recv_post_list = 256;
	assert_int_equal(qp_check_limits(&resources), 0);
	assert_int_equal(resources.rx_depth, 512);
	config.recv_post_list = 1;
	config.flow_control = config.rdma_cm = true;
	ibv_device.transport_type = IBV_TRANSPORT_IWARP;
	assert_int_equal(qp_check_limits(&resources), 0);
	assert_int_equal(resources.rx_depth, 512);
	config.flow_control = config.rdma_cm = false;
	ibv_device.transport_type = IBV_TRANSPORT_IB;
	config.rx_depth_is_given = true;
	assert_int_equal(qp_check_limits(&resources), 0);
	assert_int_equal(resources.rx_depth, 512); /* cq_open() refuses it by name */
	resources.num_qps = 1;

	config = test_of(VERB_SEND, TRANSPORT_RC);
	config.shares_receives = config.rx_depth_is_given = true;
	config.rx_depth = 1024;
	device = (struct device){.name = "bnxt_re0",
				 .context = &context,
				 .attr = {.vendor_id = 0x14e4, .max_qp = 8, .max_qp_wr = 8192, .max_srq_wr = 1024}};
	resources.traffic = traffic_of(&(struct traffic_spec){.verb = VERB_SEND}, SIDE_SERVER);
	assert_int_equal(qp_check_limits(&resources), -EINVAL);
	assert_string_equal(log_last_error(), "--rx-depth 1024 is too large for bnxt_re0: at most 1023");
}

static struct ibv_cq_ex *refuse_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	assert_true(attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	errno = EOPNOTSUPP;
	return NULL;
}

TEST(a_queue_without_locks_that_can_not_be_had_is_named)
{
	const struct verbs_config config = {.no_lock = true};
	struct verbs_context verbs = {
		.sz = sizeof(verbs),
		.create_cq_ex = refuse_cq,
		.context.abi_compat = __VERBS_ABI_IS_EXTENDED,
	};
	struct device device = {.name = "irdma0", .context = &verbs.context, .attr.max_cqe = 1000};
	struct queue_set set = {.num_tx = 1};
	struct resources resources = resources_of(&device, &config);

	resources.sets = &set;
	resources.num_sets = 1;
	assert_int_equal(cq_open(&resources, 128, 0), -EOPNOTSUPP);
	assert_string_equal(log_last_error(),
			    "cannot create a CQ of 128 entries on irdma0: Operation not supported; omit --no_lock");
}

/* As of rxe; without CAP_NET_RAW the kernel's core says EPERM before it asks the driver. */
TEST(devices_without_raw_packets_are_distinguished)
{
	const struct transport_traits *frames = transport_traits(TRANSPORT_RAW_ETHERNET);
	struct ibv_device ibv_device = {0};
	struct ibv_context context = {.device = &ibv_device};
	struct ibv_pd pd = {.context = &context};
	struct ibv_cq cq = {.context = &context};
	const struct device device = {.name = "rxe0", .context = &context};

	raw_packets_errno = EPERM;
	assert_false(ability_lacks_transport(&device, frames, &pd, &cq));
	raw_packets_errno = EOPNOTSUPP;
	assert_false(ability_lacks_transport(&device, transport_traits(TRANSPORT_RC), &pd, &cq));
	assert_true(ability_lacks_transport(&device, frames, &pd, &cq));
	assert_non_null(strstr(log_last_error(), "rxe0 does not support RawEth, only RC and UC and UD: rdma_rxe and "
						 "siw have no raw packet queue pairs"));
}

/* What the program says of its own options is its own to say. */
TEST(iwarp_takes_rdma_cm)
{
	struct ibv_device ibv_device = {.transport_type = IBV_TRANSPORT_IWARP};
	struct ibv_context context = {.device = &ibv_device};
	struct device device = {.name = "iwarp0", .context = &context};
	struct verbs_config config = test_of(VERB_WRITE, TRANSPORT_RC);

	assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
	assert_string_equal(log_last_error(),
			    "iwarp0 is an iWARP device, whose queue pairs can only be connected with rdma_cm");
	config.cm_hint = "; use -R on both sides";
	assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
	assert_non_null(strstr(log_last_error(), "connected with rdma_cm; use -R on both sides"));
	config.rdma_cm = true;
	assert_int_equal(ability_check_transport(&device, &config), 0);
	config.traffic.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
	assert_non_null(strstr(log_last_error(), "which does not support the immediate data"));
	/* irdma and cxgb4's T6 do. */
	device.attr = (struct ibv_device_attr){.vendor_id = 0x8086, .vendor_part_id = 0x1592};
	assert_int_equal(ability_check_transport(&device, &config), 0);
	device.attr = (struct ibv_device_attr){.vendor_id = 0x1425, .vendor_part_id = 0x6401};
	assert_int_equal(ability_check_transport(&device, &config), 0);
	device.attr.vendor_part_id = 0x5401;
	assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
	device.attr = (struct ibv_device_attr){.vendor_id = 0x8086, .vendor_part_id = 0x37d2};
	assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
	config.traffic.opcode = IBV_WR_SEND_WITH_IMM;
	device.attr.vendor_part_id = 0x1592;
	assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
	config.traffic.opcode = IBV_WR_RDMA_WRITE;
	config.rdma_cm = false;
	ibv_device.transport_type = IBV_TRANSPORT_IB;
	assert_int_equal(ability_check_transport(&device, &config), 0);
}

TEST(iwarp_has_rc_alone)
{
	static const enum transport others[] = {TRANSPORT_UC, TRANSPORT_UD, TRANSPORT_XRC};
	struct ibv_device ibv_device = {.transport_type = IBV_TRANSPORT_IWARP};
	struct ibv_context context = {.device = &ibv_device};
	const struct device device = {.name = "iwarp0", .context = &context, .attr.device_cap_flags = IBV_DEVICE_XRC};
	struct verbs_config config;
	char expected[128];

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		config = test_of(VERB_SEND, others[i]);
		config.rdma_cm = true;
		assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
		snprintf(expected, sizeof(expected), "iwarp0 is an iWARP device, which does not support %s, only RC",
			 transport_traits(others[i])->name);
		assert_string_equal(log_last_error(), expected);
	}
	config = test_of(VERB_SEND, TRANSPORT_RAW_ETHERNET);
	assert_int_equal(ability_check_transport(&device, &config), 0);
	config.group.is_used = true;
	assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
	assert_string_equal(log_last_error(), "iwarp0 has no multicast: omit --mcg");
}

TEST(efa_has_datagrams_alone)
{
	struct ibv_device ibv_device = {.transport_type = IBV_TRANSPORT_UNSPECIFIED};
	struct ibv_context context = {.device = &ibv_device};
	struct device device = {.name = "efa_0", .context = &context, .attr.vendor_id = 0x1d0f};
	struct verbs_config rc = test_of(VERB_SEND, TRANSPORT_RC), ud = test_of(VERB_SEND, TRANSPORT_UD);

	assert_int_equal(ability_check_transport(&device, &ud), 0);
	rc.datagram_hint = "; use -c UD";
	assert_int_equal(ability_check_transport(&device, &rc), -EOPNOTSUPP);
	assert_string_equal(log_last_error(), "efa_0 does not support RC, only datagrams; use -c UD");
	/* A server with -R needs no client to know. */
	assert_int_equal(ability_check_server(&device, &ud), 0);
	ud.rdma_cm = true;
	assert_int_equal(ability_check_server(&device, &ud), -EOPNOTSUPP);
	assert_non_null(strstr(log_last_error(), "efa_0 is not known to rdma_cm: omit "));
	device.attr.vendor_id = 0x2c9;
	assert_int_equal(ability_check_transport(&device, &rc), 0);
}

#ifdef HAVE_INFINIBAND_MLX5DV_H
/* What only a provider makes is refused on another one's device, whatever else that can. */
TEST(providers_transports_are_refused_elsewhere)
{
	static struct {
		struct ibv_device base;
		unsigned char behind[4096]; /* zeroes: of no provider */
	} nobodys = {.base.transport_type = IBV_TRANSPORT_IB};
	struct verbs_context context = {.context = {.device = &nobodys.base, .abi_compat = __VERBS_ABI_IS_EXTENDED}};
	const struct device device = {
		.name = "rxe0", .context = &context.context, .direct = calloc(1, sizeof(*device.direct))};
	struct verbs_config config = test_of(VERB_WRITE, TRANSPORT_DC);

	assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
	assert_non_null(strstr(log_last_error(), "-c DC "));
	config = test_of(VERB_WRITE, TRANSPORT_SRD);
	assert_int_equal(ability_check_transport(&device, &config), -EOPNOTSUPP);
	assert_non_null(strstr(log_last_error(), "-c SRD "));
	direct_set_close(device.direct);
}
#endif

TEST(a_software_device_wants_an_interface_for_frames)
{
	struct ibv_device ibv_device = {.transport_type = IBV_TRANSPORT_IB};
	struct ibv_context context = {.device = &ibv_device};
	struct device device = {.name = "soft0", .context = &context, .is_software = true};
	const struct verbs_config frames = test_of(VERB_SEND, TRANSPORT_RAW_ETHERNET),
				  sends = test_of(VERB_SEND, TRANSPORT_RC);

	assert_int_equal(ability_check_transport(&device, &frames), -EOPNOTSUPP);
	assert_non_null(strstr(log_last_error(), "soft0 sends and receives frames through a network interface: "
						 "select one with PERFTEST_SOFT=if=NAME"));
	assert_int_equal(ability_check_transport(&device, &sends), 0);
	device.attr.max_raw_ethy_qp = 1;
	assert_int_equal(ability_check_transport(&device, &frames), 0);
	device = (struct device){.name = "mlx5_0", .context = &context};
	assert_int_equal(ability_check_transport(&device, &frames), 0);
}

TEST_MAIN(NULL, NULL)
