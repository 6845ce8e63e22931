// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The work queues of --use_rss on fake devices: what is requested of them, the message if a device does not support it,
 * and that a failure at any step leaks nothing.
 */
#include "cmocka_all.h"

#include "util/log.h"
#include "verbs/qp/qp.h"
#include "verbs/resources.h"

#define QUEUES 4

static struct {
	struct ibv_device_attr_ex attr;
	bool lacks_query;
	unsigned fails_at; /* call that makes or changes something, from 1; 0: none */
	unsigned calls;
	int no_states; /* what a queue pair without them answers; 0: it has them */
	unsigned steps;
	struct ibv_wq wqs[QUEUES];
	unsigned num_wqs, num_ready, num_posted[QUEUES];
	struct ibv_rwq_ind_table table;
	bool has_table, has_qp;
	unsigned log_size;
	uint64_t fields;
	uint8_t key[40];
	struct ibv_qp qp;
} fake;

static struct verbs_context context;
static struct verbs_config config;
static struct device device;
static struct resources resources;
static struct queue_set set;
static struct tx_queue tx[QUEUES];
static struct rx_queue rx[QUEUES];
static struct ibv_pd pd;
static struct ibv_cq cq;

static bool fails(void)
{
	errno = ENOSPC;
	return ++fake.calls == fake.fails_at;
}

static int query_device(struct ibv_context *asked, const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t size)
{
	assert_true(size >= sizeof(*attr));
	*attr = fake.attr;
	return fake.lacks_query ? EIO : 0;
}

static int post_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	assert_null(wr->next);
	fake.num_posted[wq - fake.wqs]++;
	return 0;
}

static struct ibv_wq *create_wq(struct ibv_context *asked, struct ibv_wq_init_attr *attr)
{
	struct ibv_wq *wq = &fake.wqs[fake.num_wqs];

	assert_int_equal(attr->wq_type, IBV_WQT_RQ);
	assert_int_equal(attr->max_wr, 16);
	assert_ptr_equal(attr->pd, &pd);
	assert_ptr_equal(attr->cq, &cq);
	if (fails())
		return NULL;
	*wq = (struct ibv_wq){.context = asked, .wq_num = 100 + fake.num_wqs++, .post_recv = post_recv};
	return wq;
}

static int modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	assert_int_equal(attr->wq_state, IBV_WQS_RDY);
	if (fails())
		return ENOSPC;
	fake.num_ready++;
	return 0;
}

static int destroy_wq(struct ibv_wq *wq)
{
	assert_false(fake.has_table);
	fake.num_wqs--;
	return 0;
}

static struct ibv_rwq_ind_table *create_table(struct ibv_context *asked, struct ibv_rwq_ind_table_init_attr *attr)
{
	assert_int_equal(1U << attr->log_ind_tbl_size, resources.num_qps);
	for (unsigned i = 0; i < resources.num_qps; i++)
		assert_ptr_equal(attr->ind_tbl[i], &fake.wqs[i]);
	if (fails())
		return NULL;
	fake.has_table = true;
	fake.table.context = asked;
	return &fake.table;
}

static int destroy_table(struct ibv_rwq_ind_table *table)
{
	assert_false(fake.has_qp);
	fake.has_table = false;
	return 0;
}

static struct ibv_qp *create_qp(struct ibv_context *asked, struct ibv_qp_init_attr_ex *attr)
{
	assert_int_equal(attr->qp_type, IBV_QPT_RAW_PACKET);
	assert_ptr_equal(attr->rwq_ind_tbl, &fake.table);
	assert_int_equal(attr->rx_hash_conf.rx_hash_function, IBV_RX_HASH_FUNC_TOEPLITZ);
	assert_int_equal(attr->rx_hash_conf.rx_hash_key_len, sizeof(fake.key));
	fake.fields = attr->rx_hash_conf.rx_hash_fields_mask;
	if (fails())
		return NULL;
	fake.has_qp = true;
	fake.qp.context = asked;
	return &fake.qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	assert_int_equal(attr->qp_state, fake.steps ? IBV_QPS_RTR : IBV_QPS_INIT);
	assert_int_equal(mask, fake.steps ? IBV_QP_STATE : IBV_QP_STATE | IBV_QP_PORT);
	if (fake.no_states)
		return fake.no_states;
	if (fails())
		return ENOSPC;
	fake.steps++;
	return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	assert_ptr_equal(qp, &fake.qp);
	fake.has_qp = false;
	return 0;
}

static int set_up(void **state)
{
	memset(&fake, 0, sizeof(fake));
	memset(tx, 0, sizeof(tx));
	memset(rx, 0, sizeof(rx));
	fake.attr.rss_caps = (struct ibv_rss_caps){
		.supported_qpts = 1U << IBV_QPT_RAW_PACKET,
		.max_rwq_indirection_tables = 1,
		.max_rwq_indirection_table_size = QUEUES,
		.rx_hash_fields_mask = UINT64_MAX,
		.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
	};
	fake.attr.max_wq_type_rq = QUEUES;
	context = (struct verbs_context){
		.sz = sizeof(context),
		.query_device_ex = query_device,
		.create_wq = create_wq,
		.modify_wq = modify_wq,
		.destroy_wq = destroy_wq,
		.create_rwq_ind_table = create_table,
		.destroy_rwq_ind_table = destroy_table,
		.create_qp_ex = create_qp,
		.context.abi_compat = __VERBS_ABI_IS_EXTENDED,
	};
	config = (struct verbs_config){.num_qps = QUEUES, .frames.rss = {.is_used = true, .by_ports = true}};
	memset(&device, 0, sizeof(device));
	snprintf(device.name, sizeof(device.name), "fake0");
	device.port = 1;
	device.context = &context.context;
	set = (struct queue_set){.tx = tx, .rx = rx, .num_tx = QUEUES, .num_rx = QUEUES, .recv_cq = &cq};
	resources = (struct resources){
		.config = &config,
		.device = &device,
		.pd = &pd,
		.sets = &set,
		.num_sets = 1,
		.tx = tx,
		.rx = rx,
		.num_qps = QUEUES,
		.num_rx = QUEUES,
		.rx_depth = 16,
		.traffic = {.receives = true, .transport = transport_traits(TRANSPORT_RAW_ETHERNET)},
	};
	return 0;
}

static void nothing_is_left(void)
{
	rss_close(&resources);
	assert_int_equal(fake.num_wqs, 0);
	assert_false(fake.has_table);
	assert_false(fake.has_qp);
	for (unsigned i = 0; i < QUEUES; i++) {
		assert_null(tx[i].qp);
		assert_null(rx[i].qp);
	}
}

TEST(receives_go_to_their_work_queue, set_up, NULL)
{
	struct ibv_recv_wr wr = {0}, *bad;

	assert_int_equal(rss_check(&resources), 0);
	assert_int_equal(rss_open(&resources), 0);
	assert_int_equal(fake.num_ready, QUEUES);
	assert_int_equal(fake.steps, 2);
	for (unsigned i = 0; i < QUEUES; i++) {
		assert_ptr_equal(tx[i].qp, &fake.qp);
		for (unsigned n = 0; n <= i; n++)
			assert_int_equal(ibv_post_recv(rx[i].qp, &wr, &bad), 0);
		assert_int_equal(fake.num_posted[i], i + 1);
	}
	nothing_is_left();
}

/* As those of mlx5. */
TEST(a_queue_pair_may_have_no_states, set_up, NULL)
{
	static const int answers[] = {EOPNOTSUPP, ENOSYS};

	for (unsigned i = 0; i < 2; i++) {
		fake.no_states = answers[i];
		assert_int_equal(rss_open(&resources), 0);
		nothing_is_left();
	}
	fake.no_states = EINVAL;
	assert_int_equal(rss_open(&resources), -EINVAL);
	nothing_is_left();
}

TEST(the_hash_is_of_one_family_and_protocol, set_up, NULL)
{
	static const struct {
		bool by_ipv6, by_ports, tcp;
		uint64_t fields;
	} rows[] = {
		{false, false, false, IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4},
		{false, true, false,
		 IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP},
		{true, true, true,
		 IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6 | IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP},
		{true, false, true, IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		config.frames.rss.by_ipv6 = rows[i].by_ipv6;
		config.frames.rss.by_ports = rows[i].by_ports;
		config.frames.rss.ports_tcp = rows[i].tcp;
		fake.steps = 0;
		assert_int_equal(rss_open(&resources), 0);
		assert_int_equal(fake.fields, rows[i].fields);
		nothing_is_left();
		fake.attr.rss_caps.rx_hash_fields_mask = rows[i].fields;
		assert_int_equal(rss_check(&resources), 0);
	}
}

/* Each call that can, in turn. */
TEST(a_failure_leaves_nothing, set_up, NULL)
{
	unsigned last = 2 * QUEUES + 4;

	for (unsigned i = 1; i <= last; i++) {
		set_up(NULL);
		fake.fails_at = i;
		assert_int_equal(rss_open(&resources), -ENOSPC);
		assert_non_null(strstr(log_last_error(), "fake0 cannot create the "));
		nothing_is_left();
	}
	set_up(NULL);
	fake.fails_at = last + 1;
	assert_int_equal(rss_open(&resources), 0);
	nothing_is_left();
}

static void is_refused(const char *words)
{
	assert_int_equal(rss_check(&resources), -EOPNOTSUPP);
	if (!strstr(log_last_error(), words))
		fail_msg("%s", log_last_error());
}

TEST(a_device_that_cannot_says_so, set_up, NULL)
{
	struct ibv_rss_caps *caps = &fake.attr.rss_caps;

	fake.attr.max_wq_type_rq = QUEUES - 1;
	is_refused("fake0 can spread frames over at most 4 work queues, and has 3; lower --qp");
	fake.attr.max_wq_type_rq = QUEUES;
	caps->max_rwq_indirection_table_size = 2;
	is_refused("fake0 can spread frames over at most 2 work queues");
	caps->max_rwq_indirection_table_size = QUEUES;
	caps->rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4;
	is_refused("it has 0x3, not 0xc3");
	caps->rx_hash_function = 1 << 7;
	is_refused("fake0 has no RSS for raw packet queue pairs; omit --use_rss");
	caps->rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ;
	caps->supported_qpts = 1U << IBV_QPT_UD;
	is_refused("fake0 has no RSS");
	caps->supported_qpts = UINT32_MAX;
	fake.lacks_query = true;
	is_refused("fake0 has no RSS");
}

TEST_MAIN(NULL, NULL)
