// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attributes set on raw packet queue pairs, and the pace of any: on a device with a service level and packet pacing,
 * which no device of the other tests has, and on devices without.
 */
#include "cmocka_all.h"

#include "util/log.h"
#include "verbs/ability.h"
#include "verbs/qp/pace.h"
#include "verbs/qp/qp.h"
#include "verbs/resources.h"

#define QPS 2

static struct {
	struct ibv_packet_pacing_caps caps;
	bool lacks_query;
	int av_error; /* what becomes of an address vector */
	int pace_error;
	struct ibv_qp_attr rtr;
	int rtr_mask;
	struct ibv_qp_rate_limit_attr paces[QPS];
	unsigned paced;
} device;

static struct verbs_context context;
static struct ibv_qp qps[QPS];
static struct tx_queue tx[QPS];
static struct verbs_config config;
static struct device opened;
static struct resources resources;

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (attr->qp_state != IBV_QPS_RTR)
		return 0;
	device.rtr = *attr;
	device.rtr_mask = mask;
	return mask & IBV_QP_AV ? device.av_error : 0;
}

static int query_device(struct ibv_context *asked, const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t size)
{
	assert_true(size >= sizeof(*attr));
	attr->packet_pacing_caps = device.caps;
	return device.lacks_query ? EIO : 0;
}

static int modify_rate(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr)
{
	device.paces[qp - qps] = *attr;
	device.paced++;
	return device.pace_error;
}

static int set_up(void **state)
{
	memset(&device, 0, sizeof(device));
	context = (struct verbs_context){
		.sz = sizeof(context),
		.query_device_ex = query_device,
		.modify_qp_rate_limit = modify_rate,
		.context.abi_compat = __VERBS_ABI_IS_EXTENDED,
	};
	config = (struct verbs_config){.num_qps = QPS, .transport = TRANSPORT_RAW_ETHERNET, .traffic.posts = true};
	memset(&opened, 0, sizeof(opened));
	snprintf(opened.name, sizeof(opened.name), "fake0");
	opened.port = 1;
	opened.context = &context.context;
	for (unsigned i = 0; i < QPS; i++) {
		qps[i] = (struct ibv_qp){.context = &context.context, .qp_type = IBV_QPT_RAW_PACKET};
		tx[i].qp = &qps[i];
	}
	resources = (struct resources){
		.config = &config,
		.device = &opened,
		.tx = tx,
		.num_qps = QPS,
		.recv_bytes = 1000,
		.traffic = {.posts = true, .transport = transport_traits(TRANSPORT_RAW_ETHERNET)},
	};
	device.caps = (struct ibv_packet_pacing_caps){1000, 100000, 1U << IBV_QPT_RAW_PACKET};
	return 0;
}

/* As resources_open() and resources_connect() do. */
static int connect_paced(void)
{
	int err = ability_check_rate(&opened, &config);

	if (!err)
		err = connector_frames.connect(&resources);
	return err ? err : pace_set(&resources);
}

TEST(nothing_is_requested_of_it_unasked, set_up, NULL)
{
	assert_int_equal(connector_frames.connect(&resources), 0);
	assert_int_equal(device.rtr_mask, IBV_QP_STATE);
	assert_int_equal(device.paced, 0);
}

TEST(a_service_level_reaches_the_device, set_up, NULL)
{
	config.frames.has_sl = true;
	config.sl = 5;
	assert_int_equal(connector_frames.connect(&resources), 0);
	assert_int_equal(device.rtr_mask, IBV_QP_STATE | IBV_QP_AV);
	assert_int_equal(device.rtr.ah_attr.sl, 5);
	device.av_error = EINVAL;
	assert_int_equal(connector_frames.connect(&resources), -EINVAL);
	assert_non_null(
		strstr(log_last_error(), "fake0 does not accept a service level for raw packet queue pairs (-S 5)"));
}

TEST(a_pace_is_shared_by_the_queue_pairs, set_up, NULL)
{
	config.pace.kbps = 50000;
	config.pace.burst = 3;
	config.pace.typical = 256;
	assert_int_equal(connect_paced(), 0);
	assert_int_equal(device.paced, QPS);
	for (unsigned i = 0; i < QPS; i++) {
		assert_int_equal(device.paces[i].rate_limit, 25000);
		assert_int_equal(device.paces[i].max_burst_sz, 3000);
		assert_int_equal(device.paces[i].typical_pkt_sz, 256);
	}
	/* Who sends nothing is not slowed down. */
	resources.traffic.posts = config.traffic.posts = false;
	device.lacks_query = true;
	assert_int_equal(connect_paced(), 0);
	assert_int_equal(device.paced, QPS);
}

static void expect_refusal(int err, const char *words)
{
	assert_int_equal(connect_paced(), err);
	if (!strstr(log_last_error(), words))
		fail_msg("%s", log_last_error());
}

TEST(a_device_that_cannot_says_so, set_up, NULL)
{
	config.pace.kbps = 1998;
	expect_refusal(-ERANGE, "fake0 can pace a queue pair at 1000 to 100000 kbit/s, not at 999");
	config.pace.kbps = 200002;
	expect_refusal(-ERANGE, "not at 100001");
	config.pace.kbps = 50000;
	device.caps.supported_qpts = 1U << IBV_QPT_UD;
	expect_refusal(-EOPNOTSUPP, "fake0 has no packet pacing for RawEth queue pairs");
	device.caps.supported_qpts = 1U << IBV_QPT_RAW_PACKET;
	device.lacks_query = true;
	expect_refusal(-EOPNOTSUPP, "has no packet pacing");
	device.lacks_query = false;
	assert_int_equal(device.paced, 0);
	device.pace_error = EINVAL;
	expect_refusal(-EINVAL, "fake0 does not accept 25000 kbit/s for QP");
	assert_null(strstr(log_last_error(), "--burst_size"));
	config.pace.burst = 3;
	expect_refusal(-EINVAL, "with --burst_size or --typical_pkt_size, which some devices do not support: Invalid");
}

/* bnxt_re has it for RC. */
TEST(each_type_is_paced_that_the_device_says, set_up, NULL)
{
	static const struct {
		enum transport transport;
		uint32_t types;
		int err;
	} cases[] = {
		{TRANSPORT_RC, 1U << IBV_QPT_RC, 0},	    {TRANSPORT_RC, 1U << IBV_QPT_RAW_PACKET, -EOPNOTSUPP},
		{TRANSPORT_UD, 1U << IBV_QPT_UD, 0},	    {TRANSPORT_UD, 1U << IBV_QPT_RC, -EOPNOTSUPP},
		{TRANSPORT_XRC, 1U << IBV_QPT_XRC_SEND, 0}, {TRANSPORT_DC, UINT32_MAX, -EOPNOTSUPP},
	};

	config.pace.kbps = 50000;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		config.transport = cases[i].transport;
		device.caps.supported_qpts = cases[i].types;
		assert_int_equal(ability_check_rate(&opened, &config), cases[i].err);
	}
	assert_string_equal(log_last_error(),
			    "fake0 has no packet pacing for DC queue pairs; use --rate_limit_type=SW");
}

TEST_MAIN(NULL, NULL)
