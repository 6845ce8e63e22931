// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What of a device is looked at again when a client comes? With a port that is here, in place of libibverbs'. */
#include <errno.h>
#include <string.h>

#include "cmocka_all.h"
#include "params/perftest_parameters.h"
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

/* A server that keeps serving has opened its device long ago; a subnet manager may have come since. */
static void the_port_is_that_of_now(void **state)
{
	const struct params params = {.gid_index = PARAMS_AUTO};
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
	assert_int_equal(device_choose_address(&device, &params, &met), 0);
	assert_int_equal(device.port_attr.lid, 7);
	assert_int_equal(device.port_attr.active_mtu, IBV_MTU_2048);
	port_now.state = IBV_PORT_DOWN;
	assert_int_equal(device_choose_address(&device, &params, &met), -ENETDOWN);
	assert_non_null(strstr(log_last_error(), "port 1 of mlx9_0 is not active"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_port_is_that_of_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
