// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What of a device is looked at again when a client comes? With a port that is here, in place of libibverbs'. */
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "util/log.h"
#include "verbs/perftest_resources.h"
#include "verbs/route.h"

static struct ibv_port_attr port_now;

#undef ibv_query_port
int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	(void)context;
	assert_int_equal(port, 1);
	*(struct ibv_port_attr *)attr = port_now;
	return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size)
{
	(void)context;
	(void)flags;
	assert_true(max_entries > 0);
	assert_int_equal(entry_size, sizeof(*entries));
	entries[0] = (struct ibv_gid_entry){.gid.raw = {0xfe, 0x80, [15] = 9}, .port_num = 1};
	return 1;
}

/* A server that keeps serving has opened its device long ago; a subnet manager may have come since. */
static void the_port_is_that_of_now(void **state)
{
	const struct verbs_config config = {.device_name = "", .gid_index = CONFIG_AUTO};
	const struct addresses met = {0};
	struct ibv_context context = {0};
	struct device device = {.context = &context, .name = "mlx9_0", .port = 1, .port_attr.lid = 4};

	(void)state;
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
}

static void a_gid_is_taken_where_a_lid_does_not_do(void **state)
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

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct device device = {.context = &context, .name = "mlx9_0", .port = 1};

		port_now = cases[i].port;
		port_now.state = IBV_PORT_ACTIVE;
		assert_int_equal(device_choose_address(&device, &config, &met), 0);
		assert_int_equal(device.gid_index, cases[i].gid_index);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_port_is_that_of_now),
		cmocka_unit_test(a_gid_is_taken_where_a_lid_does_not_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
