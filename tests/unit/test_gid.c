// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which GID is chosen from which table. The table is here: the functions stand in for libibverbs'. */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "util/log.h"
#include "verbs/gid.h"
#include "verbs/perftest_resources.h"

#define LINK_LOCAL "fe80::1"
#define GLOBAL	   "2001:db8::1"
#define IPV4	   "::ffff:10.0.0.1"
#define IPV4_LOCAL "::ffff:169.254.3.4"

static struct ibv_gid_entry table[8];
static int table_length;
static bool one_by_one; /* the table cannot be had in one call */
static bool old_kernel; /* gives GIDs but not their types, and one by one */

static union ibv_gid gid_of(const char *text)
{
	union ibv_gid gid;

	assert_int_equal(inet_pton(AF_INET6, text, gid.raw), 1);
	return gid;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t size)
{
	(void)context;
	(void)port;
	(void)flags;
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

	(void)context;
	(void)flags;
	assert_int_equal(entry_size, sizeof(*entries));
	if (old_kernel || one_by_one)
		return -EOPNOTSUPP;
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
				.gid_type = port == 1 ? table[i].gid_type : IBV_GID_TYPE_ROCE_V2,
			};
		}
	}
	return found;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	(void)context;
	(void)port;
	*gid = table[index].gid;
	return 0;
}

static void add(const char *text, enum ibv_gid_type type)
{
	table[table_length] = (struct ibv_gid_entry){.gid = gid_of(text), .gid_type = type};
	table_length++;
}

static int reset(void **state)
{
	(void)state;
	memset(table, 0, sizeof(table));
	table_length = 0;
	one_by_one = false;
	old_kernel = false;
	return 0;
}

static int choose(int wanted, bool want_ipv6)
{
	union ibv_gid gid = {0};
	int index = -7;
	int err = gid_choose(NULL, "mlx9_0", 1, table_length, wanted, want_ipv6, &index, &gid);

	if (err) {
		assert_int_equal(index, -7);
		assert_true(gid_is_zero(&gid));
		return err;
	}
	assert_memory_equal(&gid, &table[index].gid, sizeof(gid));
	return index;
}

static void scores_are_as_described(void **state)
{
	const union ibv_gid ipv4 = gid_of(IPV4);
	const union ibv_gid ipv4_local = gid_of(IPV4_LOCAL);
	const union ibv_gid global = gid_of(GLOBAL);
	const union ibv_gid link_local = gid_of(LINK_LOCAL);
	const union ibv_gid zero = {0};

	(void)state;
	assert_int_equal(gid_score(&ipv4, GID_ROCE_V2, false), 112);
	assert_int_equal(gid_score(&ipv4, GID_ROCE_V1, false), 111);
	assert_int_equal(gid_score(&ipv4_local, GID_ROCE_V2, false), 102);
	assert_int_equal(gid_score(&global, GID_ROCE_V2, false), 12);
	assert_int_equal(gid_score(&link_local, GID_ROCE_V1, false), 1);
	assert_int_equal(gid_score(&global, GID_ROCE_V2, true), 112);
	assert_int_equal(gid_score(&link_local, GID_ROCE_V2, true), 102);
	assert_int_equal(gid_score(&ipv4, GID_IB, true), 10);
	assert_int_equal(gid_score(&zero, GID_ROCE_V2, false), -1);
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

static void the_best_of_the_usual_table(void **state)
{
	(void)state;
	fill_usual();
	assert_int_equal(choose(-1, false), 3);
	assert_int_equal(choose(-1, true), 5);
	assert_int_equal(choose(0, false), 0);
}

static void the_table_may_have_holes(void **state)
{
	(void)state;
	add(LINK_LOCAL, IBV_GID_TYPE_ROCE_V2);
	table_length += 2;
	add(GLOBAL, IBV_GID_TYPE_ROCE_V2);
	for (int i = 0; i < 2; i++) {
		one_by_one = i;
		assert_int_equal(choose(-1, false), 3);
	}
}

static void one_by_one_the_choice_is_the_same(void **state)
{
	(void)state;
	one_by_one = true;
	the_best_of_the_usual_table(state);
}

static void without_types_the_address_decides(void **state)
{
	(void)state;
	fill_usual();
	old_kernel = true;
	assert_int_equal(choose(-1, false), 2);
	assert_int_equal(choose(-1, true), 4);
}

static void empty_entries_are_refused(void **state)
{
	(void)state;
	assert_int_equal(choose(-1, false), -ENOENT);
	table_length = 3;
	assert_int_equal(choose(-1, false), -ENOENT);
	assert_int_equal(choose(1, false), -EINVAL);
	assert_int_equal(choose(3, false), -EINVAL);
	assert_non_null(strstr(log_last_error(), "has 3 GIDs: --gid-index 3 does not exist"));
}

static void texts_are_addresses(void **state)
{
	char text[64];
	union ibv_gid gid = gid_of(IPV4);

	(void)state;
	assert_string_equal(gid_text(&gid, text, sizeof(text)), IPV4);
	gid = gid_of(GLOBAL);
	assert_string_equal(gid_text(&gid, text, sizeof(text)), GLOBAL);
	assert_string_equal(gid_text(&gid, text, 4), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(scores_are_as_described, reset),
		cmocka_unit_test_setup(the_best_of_the_usual_table, reset),
		cmocka_unit_test_setup(the_table_may_have_holes, reset),
		cmocka_unit_test_setup(one_by_one_the_choice_is_the_same, reset),
		cmocka_unit_test_setup(without_types_the_address_decides, reset),
		cmocka_unit_test_setup(empty_entries_are_refused, reset),
		cmocka_unit_test_setup(texts_are_addresses, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
