// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Selection of the GID from the table. The table is here: the functions replace libibverbs'. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "util/log.h"
#include "verbs/device/gid.h"
#include "verbs/device/route.h"

#define LINK_LOCAL "fe80::1"
#define GLOBAL	   "2001:db8::1"
#define IPV4	   "::ffff:10.0.0.1"
#define IPV4_LOCAL "::ffff:169.254.3.4"

static struct ibv_gid_entry table[300];
static int table_length;
static bool one_by_one; /* the table cannot be had in one call */
static bool says_none;	/* that call answers that there is no entry */
static bool old_kernel; /* gives GIDs but not their types, and one by one */

static union ibv_gid gid_of(const char *text)
{
	union ibv_gid gid;

	assert_int_equal(inet_pton(AF_INET6, text, gid.raw), 1);
	return gid;
}

static struct sockaddr_storage socket_address(const char *text)
{
	struct sockaddr_storage address = {0};

	if (inet_pton(AF_INET, text, &((struct sockaddr_in *)&address)->sin_addr) == 1)
		address.ss_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)&address)->sin6_addr) == 1)
		address.ss_family = AF_INET6;
	return address;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t size)
{
	if (old_kernel)
		return EOPNOTSUPP;
	if (index >= (uint32_t)table_length)
		return EINVAL;
	memcpy(entry, &table[index], size);
	return 0;
}

/* Two ports; the other one has better addresses. Empty entries are left out. */
ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size)
{
	ssize_t found = 0;

	assert_int_equal(entry_size, sizeof(*entries));
	if (old_kernel || one_by_one)
		return -EOPNOTSUPP;
	if (says_none)
		return 0;
	for (uint32_t port = 2; port >= 1; port--) {
		for (int i = 0; i < table_length; i++) {
			union ibv_gid gid = port == 1 ? table[i].gid : gid_of(IPV4);

			if (gid_is_zero(&gid))
				continue;
			if (found == (ssize_t)max_entries)
				return -ENOSPC;
			entries[found++] = (struct ibv_gid_entry){
				.gid = gid,
				.gid_index = (uint32_t)i,
				.port_num = port,
				.ndev_ifindex = port == 1 ? table[i].ndev_ifindex : 0,
				.gid_type = port == 1 ? table[i].gid_type : IBV_GID_TYPE_ROCE_V2,
			};
		}
	}
	return found;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	*gid = table[index].gid;
	return 0;
}

static bool absent[300]; /* no address of this network namespace */

/* Those of the table, and 127.0.0.1/8. */
int getifaddrs(struct ifaddrs **list)
{
	static struct sockaddr_storage addresses[301], masks[2];
	static struct ifaddrs entries[301];
	struct ifaddrs *entry = entries;

	memset(entries, 0, sizeof(entries));
	masks[0] = socket_address("255.0.0.0");
	masks[1] = socket_address("ffff:ffff:ffff:ffff::");
	addresses[0] = socket_address("127.0.0.1");
	*entry = (struct ifaddrs){.ifa_name = "lo", .ifa_addr = (struct sockaddr *)&addresses[0]};
	for (int i = 0; i < table_length; i++) {
		struct sockaddr_storage *address = &addresses[i + 1];

		if (absent[i] || gid_is_zero(&table[i].gid))
			continue;
		*address = (struct sockaddr_storage){.ss_family = gid_is_ipv4(&table[i].gid) ? AF_INET : AF_INET6};
		if (gid_is_ipv4(&table[i].gid))
			memcpy(&((struct sockaddr_in *)address)->sin_addr, table[i].gid.raw + 12, 4);
		else
			memcpy(&((struct sockaddr_in6 *)address)->sin6_addr, table[i].gid.raw, 16);
		entry->ifa_next = entry + 1;
		entry++;
		*entry = (struct ifaddrs){.ifa_name = "if1", .ifa_addr = (struct sockaddr *)address};
	}
	for (entry = entries; entry; entry = entry->ifa_next)
		entry->ifa_netmask = (struct sockaddr *)&masks[entry->ifa_addr->sa_family == AF_INET6];
	*list = entries;
	return 0;
}

void freeifaddrs(struct ifaddrs *list)
{
}

#define IFINDEX_DOWN 9

char *if_indextoname(unsigned index, char name[IF_NAMESIZE])
{
	if (index > IFINDEX_DOWN)
		return NULL;
	snprintf(name, IF_NAMESIZE, "if%u", index);
	return name;
}

/* All interfaces are up but for if9. */
int ioctl(int fd, unsigned long request, ...)
{
	struct ifreq *answer;
	va_list args;

	va_start(args, request);
	answer = va_arg(args, struct ifreq *);
	va_end(args);
	assert_true(fd >= 0);
	assert_int_equal(request, SIOCGIFFLAGS);
	answer->ifr_flags = strcmp(answer->ifr_name, "if9") == 0 ? 0 : IFF_UP;
	return 0;
}

static void add(const char *text, enum ibv_gid_type type)
{
	table[table_length] = (struct ibv_gid_entry){.gid = gid_of(text), .gid_type = type};
	table_length++;
}

static int reset(void **state)
{
	memset(table, 0, sizeof(table));
	memset(absent, 0, sizeof(absent));
	table_length = 0;
	one_by_one = says_none = false;
	old_kernel = false;
	return 0;
}

static const struct route nowhere; /* nothing is known of the peer */

static int choose_by(int wanted, bool want_ipv6, const struct route *route)
{
	const struct gid_request requested = {.index = wanted, .ipv6 = want_ipv6, .route = route};
	struct gid_entry entry = {.index = -7};
	int err = gid_choose(NULL, "mlx9_0", 1, table_length, &requested, false /* show */, &entry);

	if (err) {
		assert_int_equal(entry.index, -7);
		return err;
	}
	assert_memory_equal(&entry.gid, &table[entry.index].gid, sizeof(entry.gid));
	return entry.index;
}

static int choose(int wanted, bool want_ipv6)
{
	return choose_by(wanted, want_ipv6, &nowhere);
}

static int score(const char *text, enum gid_kind kind, bool want_ipv6)
{
	const struct gid_request requested = {.index = -1, .ipv6 = want_ipv6, .route = &nowhere};

	return gid_score(&(struct gid_entry){.gid = gid_of(text), .kind = kind}, &requested);
}

TEST(scores_are_as_described, reset, NULL)
{
	assert_int_equal(score(IPV4, GID_ROCE_V2, false), 152);
	assert_int_equal(score(IPV4, GID_ROCE_V1, false), 151);
	assert_int_equal(score(IPV4_LOCAL, GID_ROCE_V2, false), 52);
	assert_int_equal(score(GLOBAL, GID_ROCE_V2, false), 102);
	assert_int_equal(score(LINK_LOCAL, GID_ROCE_V1, false), 1);
	assert_int_equal(score(GLOBAL, GID_ROCE_V2, true), 2152);
	assert_int_equal(score(LINK_LOCAL, GID_ROCE_V2, true), 2052);
	assert_int_equal(score(IPV4, GID_IB, true), 100);
}

/* The usual table of a RoCE port: each address in both versions. */
static void fill_usual(void)
{
	add(LINK_LOCAL, IBV_GID_TYPE_ROCE_V1);
	add(LINK_LOCAL, IBV_GID_TYPE_ROCE_V2);
	add(IPV4, IBV_GID_TYPE_ROCE_V1);
	add(IPV4, IBV_GID_TYPE_ROCE_V2);
	add(GLOBAL, IBV_GID_TYPE_ROCE_V1);
	add(GLOBAL, IBV_GID_TYPE_ROCE_V2);
	add(IPV4, IBV_GID_TYPE_ROCE_V2); /* of another VLAN: as good as 3, but later */
}

TEST(the_best_of_the_usual_table, reset, NULL)
{
	fill_usual();
	assert_int_equal(choose(-1, false), 3);
	assert_int_equal(choose(-1, true), 5);
	assert_int_equal(choose(0, false), 0);
}

TEST(the_table_may_have_holes, reset, NULL)
{
	add(LINK_LOCAL, IBV_GID_TYPE_ROCE_V2);
	table_length += 2;
	add(GLOBAL, IBV_GID_TYPE_ROCE_V2);
	for (int i = 0; i < 2; i++) {
		one_by_one = i;
		assert_int_equal(choose(-1, false), 3);
	}
}

TEST(one_by_one_the_choice_is_the_same, reset, NULL)
{
	one_by_one = true;
	the_best_of_the_usual_table(state);
}

TEST(an_answer_of_none_is_not_believed, reset, NULL)
{
	says_none = true;
	fill_usual();
	assert_int_equal(choose(-1, false), 3);
}

TEST(without_types_the_address_decides, reset, NULL)
{
	fill_usual();
	old_kernel = true;
	assert_int_equal(choose(-1, false), 2);
	assert_int_equal(choose(-1, true), 4);
}

TEST(empty_entries_are_refused, reset, NULL)
{
	assert_int_equal(choose(-1, false), -ENOENT);
	table_length = 3;
	assert_int_equal(choose(-1, false), -ENOENT);
	assert_non_null(strstr(log_last_error(), "a container needs one of its own on this adapter"));
	assert_int_equal(choose(1, false), -EINVAL);
	assert_int_equal(choose(3, false), -EINVAL);
	assert_non_null(strstr(log_last_error(), "has 3 GIDs: --gid-index 3 does not exist"));
}

/* Tables have up to 1024 entries, and an address handle 8 bits for the index. */
TEST(late_entries_are_passed_over, reset, NULL)
{
	table_length = 256;
	add(IPV4, IBV_GID_TYPE_ROCE_V2);
	assert_int_equal(choose(-1, false), -ENOENT);
	assert_non_null(strstr(log_last_error(), "has no GID up to index 255"));
	table[255] = (struct ibv_gid_entry){.gid = gid_of(LINK_LOCAL), .gid_type = IBV_GID_TYPE_ROCE_V1};
	assert_int_equal(choose(-1, false), 255);
}

/* --- once the peer is known --- */

static struct route route_to(const char *peer, const char *local)
{
	struct route route = {.known = true, .peer = gid_of(peer), .local = gid_of(local), .source = gid_of(local)};

	route.ipv6 = !gid_is_ipv4(&route.peer);
	return route;
}

/* v0 has several addresses of both families; the side channel goes over one of them. */
static void fill_many(void)
{
	add(LINK_LOCAL, IBV_GID_TYPE_ROCE_V2);
	add("::ffff:10.0.0.1", IBV_GID_TYPE_ROCE_V1);
	add("::ffff:10.0.0.1", IBV_GID_TYPE_ROCE_V2);
	add("::ffff:192.168.7.1", IBV_GID_TYPE_ROCE_V1);
	add("::ffff:192.168.7.1", IBV_GID_TYPE_ROCE_V2);
	add("fd00::1", IBV_GID_TYPE_ROCE_V2);
	add("fd07::1", IBV_GID_TYPE_ROCE_V2);
}

TEST(the_side_channels_own_address_is_taken, reset, NULL)
{
	static const struct {
		const char *peer, *local;
		bool ipv6;
		int index;
	} cases[] = {
		{"::ffff:10.0.0.2", "::ffff:10.0.0.1", false, 2},
		{"::ffff:192.168.7.2", "::ffff:192.168.7.1", false, 4},
		{"fd00::2", "fd00::1", false, 5},
		{"fd07::2", "fd07::1", false, 6},
		{"fe80::2", LINK_LOCAL, false, 0},
		{"::ffff:192.168.7.2", "::ffff:192.168.7.1", true, 5}, /* --ipv6 rules IPv4 out */
		{"fd07::2", "fd07::1", true, 6},
		{"::ffff:172.16.0.2", "::ffff:172.16.0.1", false, 2}, /* another network: as without a route */
		{"2001:db8::2", "2001:db8::1", false, 5},	      /* ... but of its family */
	};

	fill_many();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct route route = route_to(cases[i].peer, cases[i].local);

		assert_int_equal(choose_by(-1, cases[i].ipv6, &route), cases[i].index);
		assert_int_equal(choose_by(3, cases[i].ipv6, &route), 3); /* -x is not argued with */
	}
}

/* The side channel has IPv6 addresses of another interface, and the port an IPv4 network that is routed. */
TEST(a_routable_address_comes_before_the_family_of_the_side_channel, reset, NULL)
{
	const struct route route = route_to("2001:db8::2", "2001:db8::1");

	add(LINK_LOCAL, IBV_GID_TYPE_ROCE_V1);
	add(LINK_LOCAL, IBV_GID_TYPE_ROCE_V2);
	add(IPV4, IBV_GID_TYPE_ROCE_V1);
	add(IPV4, IBV_GID_TYPE_ROCE_V2);
	assert_int_equal(choose_by(-1, false, &route), 3);
	assert_int_equal(choose_by(-1, true, &route), 1);
}

TEST(a_route_comes_of_the_addresses, reset, NULL)
{
	const struct addresses unknown = {0};
	const struct addresses loopback = {.local = socket_address("127.0.0.1"), .peer = socket_address("127.0.0.2")};
	const struct addresses loopback6 = {.local = socket_address("::1"), .peer = socket_address("::1")};
	const struct addresses far = {.local = socket_address("203.0.113.1"), .peer = socket_address("203.0.113.9")};
	const struct addresses far6 = {.local = socket_address("2001:db8::1"), .peer = socket_address("2001:db8::9")};
	const struct addresses *nothing[] = {NULL, &unknown, &loopback, &loopback6};
	const union ibv_gid peer = gid_of("::ffff:203.0.113.9"), local = gid_of("::ffff:203.0.113.1");
	const union ibv_gid own = gid_of("::ffff:127.0.0.1");
	struct route route;
	bool found = false;

	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
		memset(&route, 0xff, sizeof(route));
		route_find(&route, nothing[i]);
		assert_false(route.known);
		assert_false(route.ipv6);
		assert_true(gid_is_zero(&route.local));
		assert_int_equal(route.ifindex, 0);
	}
	route_find(&route, &far);
	assert_true(route.known);
	assert_false(route.ipv6);
	assert_memory_equal(&route.peer, &peer, sizeof(peer));
	assert_memory_equal(&route.local, &local, sizeof(local));
	for (unsigned i = 0; i < route.num_nets; i++)
		found |= memcmp(&route.nets[i].address, &own, sizeof(own)) == 0 && route.nets[i].prefix == 96 + 8;
	assert_true(found); /* 127.0.0.1/8 is an address of every host */
	assert_false(route_in_subnet(&route, &own));
	assert_false(route_in_subnet(&route, &local)); /* none of this host */
	route_find(&route, &far6);
	assert_true(route.known);
	assert_true(route.ipv6);
}

/* The side channel is bound to an address of another card; the kernel would send from ours. */
TEST(where_packets_would_start_comes_second, reset, NULL)
{
	struct route route = route_to("::ffff:10.0.0.2", "::ffff:172.16.0.1");

	fill_many();
	route.source = gid_of("::ffff:192.168.7.1");
	assert_int_equal(choose_by(-1, false, &route), 4);
	route.local = gid_of("::ffff:10.0.0.1");
	assert_int_equal(choose_by(-1, false, &route), 2);
}

TEST(then_the_interface_and_the_subnet, reset, NULL)
{
	struct route route = route_to("::ffff:192.168.7.2", "::ffff:192.168.7.77");

	fill_many();
	assert_int_equal(choose_by(-1, false, &route), 2);
	route.nets[0] = (struct route_net){gid_of("::ffff:10.0.0.1"), 96 + 24};
	route.nets[1] = (struct route_net){gid_of("::ffff:192.168.7.1"), 96 + 24};
	route.num_nets = 2;
	assert_int_equal(choose_by(-1, false, &route), 4);
	route.nets[1].prefix = 96 + 31; /* 192.168.7.0 and .1 */
	assert_int_equal(choose_by(-1, false, &route), 2);
	route.ifindex = 7;
	table[3].ndev_ifindex = 7;
	assert_int_equal(choose_by(-1, false, &route), 3);
}

/* A card's VLANs have its MAC address, and so the same link-local one. */
TEST(link_local_addresses_differ_by_interface, reset, NULL)
{
	struct addresses met = {.local = socket_address(LINK_LOCAL), .peer = socket_address("fe80::2")};
	struct route route;

	add(LINK_LOCAL, IBV_GID_TYPE_ROCE_V2);
	add(LINK_LOCAL, IBV_GID_TYPE_ROCE_V2);
	table[0].ndev_ifindex = 3;
	table[1].ndev_ifindex = 7;
	((struct sockaddr_in6 *)&met.local)->sin6_scope_id = 7;
	((struct sockaddr_in6 *)&met.peer)->sin6_scope_id = 7;
	route_find(&route, &met);
	assert_int_equal(route.ifindex, 7);
	assert_int_equal(choose_by(-1, false, &route), 1);
}

TEST(what_is_down_is_not_taken, reset, NULL)
{
	const struct route route = route_to("::ffff:10.0.0.2", "::ffff:10.0.0.1");

	fill_many();
	table[2].ndev_ifindex = IFINDEX_DOWN;
	assert_int_equal(choose_by(-1, false, &route), 1);
	assert_int_equal(choose_by(2, false, &route), -ENETDOWN);
	assert_non_null(strstr(log_last_error(),
			       "GID 2, ::ffff:10.0.0.1, belongs to the network interface if9, which is down"));
	table[2].ndev_ifindex = IFINDEX_DOWN + 1; /* of another namespace: no name, nothing known */
	assert_int_equal(choose_by(2, false, &route), 2);
}

/* --- in a container that shares the host's devices --- */

static char folder[64]; /* in place of /sys */

static void set_netdev(int index, const char *name)
{
	static const char *const parts[] = {"class", "infiniband", "mlx9_0", "ports", "1", "gid_attrs", "ndevs"};
	char path[256];
	int used = snprintf(path, sizeof(path), "%s", folder);
	FILE *file;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		used += snprintf(path + used, sizeof(path) - (size_t)used, "/%s", parts[i]);
		if (mkdir(path, 0777))
			assert_int_equal(errno, EEXIST);
	}
	snprintf(path + used, sizeof(path) - (size_t)used, "/%d", index);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", name);
	fclose(file);
}

static int reset_container(void **state)
{
	snprintf(folder, sizeof(folder), "test_gid.XXXXXX");
	return !mkdtemp(folder) || setenv("PERFTEST_SYSFS", folder, 1) || reset(state);
}

static int remove_container(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return setenv("PERFTEST_SYSFS", "no such folder", 1) || system(command);
}

/* if2 leads to the peer; the host's interface of number 2, whatever it is called, does not. */
TEST(numbers_of_another_namespace_say_nothing_here, reset_container, remove_container)
{
	struct route route = route_to("::ffff:172.16.0.2", "::ffff:172.16.0.77");

	add("::ffff:10.0.0.1", IBV_GID_TYPE_ROCE_V2);
	add("::ffff:10.0.0.2", IBV_GID_TYPE_ROCE_V2);
	add("::ffff:192.168.7.1", IBV_GID_TYPE_ROCE_V2);
	table[0].ndev_ifindex = table[1].ndev_ifindex = 2;
	table[2].ndev_ifindex = 3;
	route.ifindex = 2;
	assert_int_equal(choose_by(-1, false, &route), 0); /* all is this namespace's */
	set_netdev(0, "ens1np0");
	absent[1] = true;
	set_netdev(1, "if2"); /* of the same name there, but no address here */
	assert_int_equal(choose_by(-1, false, &route), 2);
	assert_int_equal(choose_by(1, false, &route), 1); /* -x is not argued with */
}

/* Nor is an interface down because one of its number is; the device works with it all the same. */
TEST(what_is_down_here_is_not_down_there, reset_container, remove_container)
{
	add("::ffff:10.0.0.1", IBV_GID_TYPE_ROCE_V2);
	table[0].ndev_ifindex = IFINDEX_DOWN;
	assert_int_equal(choose(-1, false), -ENETDOWN);
	set_netdev(0, "ens1np0");
	assert_int_equal(choose(-1, false), 0);
}

/* Two namespaces have the address; the interface of one of them is here. */
TEST(an_address_of_two_namespaces_is_taken_here, reset_container, remove_container)
{
	const struct route route = route_to("::ffff:10.0.0.2", "::ffff:10.0.0.1");

	add("::ffff:10.0.0.1", IBV_GID_TYPE_ROCE_V2);
	add("::ffff:10.0.0.1", IBV_GID_TYPE_ROCE_V2);
	table[0].ndev_ifindex = table[1].ndev_ifindex = 2;
	set_netdev(0, "ens1np0");
	set_netdev(1, "if2");
	assert_int_equal(choose_by(-1, false, &route), 1);
}

TEST(reasons_are_words, reset, NULL)
{
	struct route route = route_to("fd00::2", "fd00::1");
	const struct gid_request requested = {.index = -1, .route = &route};
	struct gid_entry entry = {.gid = gid_of("fd00::1"), .kind = GID_ROCE_V2};
	char text[256];

	route.nets[0] = (struct route_net){gid_of("fd00::1"), 64};
	route.num_nets = 1;
	assert_string_equal(gid_reasons(&entry, &requested, text, sizeof(text)),
			    "the side channel starts from it, packets to the peer start from it, "
			    "the peer is in its subnet");
	entry = (struct gid_entry){.gid = gid_of(IPV4_LOCAL), .kind = GID_ROCE_V1, .down = true};
	assert_string_equal(gid_reasons(&entry, &requested, text, sizeof(text)),
			    "its interface is down, link-local, of the other address family, not RoCE v2");
	assert_int_equal(strlen(gid_reasons(&entry, &requested, text, 12)), 11);
	entry = (struct gid_entry){.gid = gid_of("fd00::1"), .kind = GID_ROCE_V2, .foreign = true};
	assert_string_equal(gid_reasons(&entry, &requested, text, sizeof(text)), "of another network namespace");
}

/* --- two ends --- */

static struct endpoint end_of(const char *gid, enum gid_kind kind)
{
	const union ibv_gid raw = gid_of(gid);
	struct endpoint end = {.lid = 0x12, .gid_kind = (uint8_t)kind, .gid_index = 3};

	memcpy(end.gid, raw.raw, sizeof(end.gid));
	return end;
}

TEST(pairs_that_cannot_talk_are_named, reset, NULL)
{
	static const struct {
		const char *gid[2];
		enum gid_kind kind[2];
		bool ethernet;
		const char *why; /* NULL: they can */
	} cases[] = {
		{{IPV4, "::ffff:10.0.0.2"}, {GID_ROCE_V2, GID_ROCE_V2}, true, NULL},
		{{IPV4, "::ffff:172.16.0.2"}, {GID_ROCE_V2, GID_ROCE_V2}, true, NULL}, /* may be routed */
		{{GLOBAL, LINK_LOCAL}, {GID_ROCE_V2, GID_ROCE_V2}, true, NULL},
		{{IPV4, GLOBAL}, {GID_ROCE_V2, GID_ROCE_V2}, true, "address families"},
		{{IPV4, GLOBAL}, {GID_UNKNOWN, GID_UNKNOWN}, true, "address families"},
		{{IPV4, IPV4}, {GID_ROCE_V1, GID_ROCE_V2}, true, "RoCE v1 and v2"},
		{{IPV4, IPV4}, {GID_ROCE_V1, GID_UNKNOWN}, true, NULL},
		{{LINK_LOCAL, IPV4}, {GID_IB, GID_ROCE_V2}, false, "InfiniBand GID and the other a RoCE"},
		{{LINK_LOCAL, "fec0::1"}, {GID_IB, GID_IB}, false, NULL},
		{{"::", IPV4}, {GID_UNKNOWN, GID_ROCE_V2}, true, "a GID and the other a LID"},
		{{"::", "::"}, {GID_UNKNOWN, GID_UNKNOWN}, false, NULL},
	};
	char why[512];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct endpoint ends[2] = {end_of(cases[i].gid[0], cases[i].kind[0]),
						 end_of(cases[i].gid[1], cases[i].kind[1])};

		/* Both sides come to the same. */
		for (int side = 0; side < 2; side++) {
			bool talks = gid_pair_talks(&ends[side], &ends[!side], cases[i].ethernet, why, sizeof(why));

			assert_int_equal(talks, !cases[i].why);
			if (!talks)
				assert_non_null(strstr(why, cases[i].why));
		}
	}
	const struct endpoint here = end_of(IPV4, GID_ROCE_V1), there = end_of("::ffff:10.0.0.2", GID_ROCE_V2);

	assert_false(gid_pair_talks(&here, &there, true, why, sizeof(why)));
	assert_ptr_equal(strstr(why, "GID 3 ::ffff:10.0.0.1 (RoCE v1) here and "
				     "GID 3 ::ffff:10.0.0.2 (RoCE v2) on the peer cannot communicate: "),
			 why);
}

TEST(ends_have_names, reset, NULL)
{
	struct endpoint end = end_of(IPV4, GID_UNKNOWN);
	char text[96];

	assert_string_equal(gid_pair_end(&end, text, sizeof(text)), "GID " IPV4);
	end = end_of("::", GID_UNKNOWN);
	assert_string_equal(gid_pair_end(&end, text, sizeof(text)), "LID 0x12");
}

TEST(hints_name_what_this_host_sees, reset, NULL)
{
	const struct endpoint link_local = end_of(LINK_LOCAL, GID_ROCE_V2), global = end_of(GLOBAL, GID_ROCE_V2);
	const struct endpoint ib = end_of("fe80::1", GID_IB), far_ib = end_of("fec0::1", GID_IB);
	const struct endpoint loopback = end_of("::ffff:127.0.0.1", GID_ROCE_V2);
	const struct endpoint reserved = end_of("::ffff:255.255.255.255", GID_ROCE_V2);
	const struct endpoint nobody = end_of("::ffff:203.0.113.77", GID_ROCE_V2); /* for documentation only */
	char text[256];

	assert_non_null(strstr(gid_pair_hint(&link_local, &global, 0, text, sizeof(text)), "on the same link"));
	assert_non_null(strstr(gid_pair_hint(&ib, &far_ib, 0, text, sizeof(text)), "different subnets"));
	assert_string_equal(gid_pair_hint(&ib, &ib, 0, text, sizeof(text)), "");
	assert_string_equal(gid_pair_hint(&loopback, &loopback, 0, text, sizeof(text)), "");
	/* No address of this host: nobody can say. One that nothing is routed to: the kernel does. */
	assert_string_equal(gid_pair_hint(&nobody, &loopback, 0, text, sizeof(text)), "");
	assert_non_null(strstr(gid_pair_hint(&loopback, &reserved, 0, text, sizeof(text)), "no route"));
}

TEST(texts_are_addresses, reset, NULL)
{
	char text[64];
	union ibv_gid gid = gid_of(IPV4);

	assert_string_equal(gid_text(&gid, text, sizeof(text)), IPV4);
	gid = gid_of(GLOBAL);
	assert_string_equal(gid_text(&gid, text, sizeof(text)), GLOBAL);
	assert_string_equal(gid_text(&gid, text, 4), "");
}

int main(void)
{
	setenv("PERFTEST_SYSFS", "no such folder", 1);
	return tests_run(NULL, NULL);
}
