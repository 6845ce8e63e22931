// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does a completion error become a helpful message? The queues are here: a context whose poll_cq returns what the test
 * has provided.
 */
#include <arpa/inet.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "verbs/device/async_event.h"
#include "verbs/perftest_resources.h"
#include "verbs/work/wc_status.h"

static struct ibv_wc queue[2][64]; /* sends, receives */
static int queued[2], taken[2];
static struct ibv_device adapter;
static struct ibv_context context;
static struct ibv_cq cqs[2] = {{.context = &context}, {.context = &context}};

static struct ibv_async_event events[8];
static union ibv_gid gid_now; /* what the table of the port has */
static uint16_t lid_now;      /* and the port */
static struct async_events happened;
static int num_events, events_taken, events_acked;

static int poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	const int which = (int)(cq - cqs);
	int found = 0;

	while (found < entries && taken[which] < queued[which])
		wc[found++] = queue[which][taken[which]++];
	return found;
}

/* Stand in for libibverbs. */
int ibv_get_async_event(struct ibv_context *from, struct ibv_async_event *event)
{
	eventfd_t count;

	assert_int_equal(eventfd_read(context.async_fd, &count), 0);
	*event = events[events_taken++];
	return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	events_acked++;
}

#undef ibv_query_gid
int ibv_query_gid(struct ibv_context *from, uint8_t port, int index, union ibv_gid *gid)
{
	assert_int_equal(port, 1);
	assert_int_equal(index, 3);
	*gid = gid_now;
	return 0;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *from, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	assert_int_equal(port, 1);
	((struct ibv_port_attr *)attr)->lid = lid_now;
	return 0;
}

static void put(int which, enum ibv_wc_status status, uint32_t qp_num)
{
	queue[which][queued[which]++] = (struct ibv_wc){.status = status, .qp_num = qp_num, .vendor_err = 0x68};
}

static void report_event(enum ibv_event_type type, struct ibv_qp *qp)
{
	events[num_events++] = (struct ibv_async_event){.event_type = type, .element.qp = qp};
	assert_int_equal(eventfd_write(context.async_fd, 1), 0);
}

static void report_port_event(enum ibv_event_type type, int port)
{
	events[num_events++] = (struct ibv_async_event){.event_type = type, .element.port_num = port};
	assert_int_equal(eventfd_write(context.async_fd, 1), 0);
}

static const struct traffic_spec spec = {.verb = VERB_WRITE, .metric = METRIC_BW, .transport = TRANSPORT_RC};
static const struct verbs_config config = {.transport = TRANSPORT_RC, .qp_timeout = 14};
static const struct device device = {
	.context = &context, .name = "mlx9_0", .port = 1, .gid_index = 3, .gid.raw = {[15] = 1}};
static struct endpoint local[] = {{.qpn = 0x11, .gid = {[15] = 1}, .gid_kind = GID_ROCE_V2, .gid_index = 3},
				  {.qpn = 0x12, .gid = {[15] = 1}, .gid_kind = GID_ROCE_V2, .gid_index = 3}};
static struct endpoint remote[] = {{.qpn = 0x21, .gid = {[15] = 2}, .gid_kind = GID_ROCE_V2, .gid_index = 5},
				   {.qpn = 0x22, .gid = {[15] = 2}, .gid_kind = GID_ROCE_V2, .gid_index = 5}};
static struct queue_set set = {.send_cq = &cqs[0], .recv_cq = &cqs[1]};
static struct resources resources = {
	.device = &device,
	.config = &config,
	.sets = &set,
	.num_sets = 1,
	.local = local,
	.remote = remote,
	.num_qps = 2,
	.mtu = 1024,
};

static int reset(void **state)
{
	memset(queued, 0, sizeof(queued));
	memset(taken, 0, sizeof(taken));
	num_events = events_taken = events_acked = 0;
	happened = (struct async_events){0};
	resources.traffic = traffic_of(&spec, SIDE_CLIENT);
	gid_now = device.gid;
	lid_now = device.port_attr.lid;
	adapter.transport_type = IBV_TRANSPORT_IB;
	context =
		(struct ibv_context){.device = &adapter, .ops.poll_cq = poll_cq, .async_fd = eventfd(0, EFD_SEMAPHORE)};
	return context.async_fd < 0;
}

static int tidy(void **state)
{
	return close(context.async_fd);
}

TEST(every_status_has_words_and_causes, reset, tidy)
{
	for (int status = IBV_WC_SUCCESS; status <= IBV_WC_TM_RNDV_INCOMPLETE; status++) {
		const struct wc_status_row *row = wc_status_row(status);
		struct wc_failure failure = {status, 0x12, 0x81, false};
		char text[1024];

		/* The peer takes 511 bytes; addresses can be longer than these. */
		for (int receive = 0; receive < 2; receive++) {
			failure.receive = receive;
			wc_status_describe(&resources, &failure, 12345678, &happened, text, sizeof(text));
			assert_in_range(strlen(text), 100, 470);
		}

		assert_non_null(row->words);
		assert_true(strlen(row->words) > 0);
		assert_true(strlen(row->causes) > 0);
	}
	assert_string_equal(wc_status_row(IBV_WC_TM_RNDV_INCOMPLETE + 1)->words, "unknown status");
	assert_string_equal(wc_status_row(-1)->words, "unknown status");
}

/* The peer knows more of these; of what is this side's own fault it does not. */
TEST(who_waits_for_the_peers_word)
{
	assert_true(wc_status_row(IBV_WC_RETRY_EXC_ERR)->follows);
	assert_true(wc_status_row(IBV_WC_WR_FLUSH_ERR)->follows);
	assert_true(wc_status_row(IBV_WC_RNR_RETRY_EXC_ERR)->follows);
	assert_false(wc_status_row(IBV_WC_LOC_PROT_ERR)->follows);
	assert_false(wc_status_row(IBV_WC_REM_ACCESS_ERR)->follows);
}

TEST(vendors_say_more_than_a_status, reset, tidy)
{
	static const struct {
		enum ibv_wc_status status;
		uint32_t vendor, vendor_err;
		const char *head, *name; /* of the message; NULL: none */
	} cases[] = {
		{IBV_WC_GENERAL_ERR, 0x1d0f, 14,
		 "general error after 0 messages: the peer has created no address handle",
		 "vendor error 0xe (REMOTE_ERROR_UNKNOWN_PEER), "},
		{IBV_WC_REM_OP_ERR, 0x1d0f, 14, "remote operation error after 0 messages: the peer has created no",
		 "vendor error 0xe (REMOTE_ERROR_UNKNOWN_PEER), "},
		{IBV_WC_REM_INV_RD_REQ_ERR, 0x1d0f, 9,
		 "remote invalid RD request after 0 messages: the peer's queue pair does not exist",
		 "vendor error 0x9 (REMOTE_ERROR_BAD_DEST_QPN), "},
		{IBV_WC_LOC_PROT_ERR, 0x1d0f, 5, "local protection error after 0 messages: the buffer does not match",
		 "vendor error 0x5 (LOCAL_ERROR_INVALID_LKEY), "},
		{IBV_WC_GENERAL_ERR, 0x1d0f, 16, "general error after 0 messages: the device reports no cause",
		 "vendor error 0x10, "},
		{IBV_WC_GENERAL_ERR, 0x1d0f, 19, "general error after 0 messages: the device reports no cause",
		 "vendor error 0x13, "},
		{IBV_WC_GENERAL_ERR, 0x02c9, 14, "general error after 0 messages: the device reports no cause",
		 "vendor error 0xe, "},
	};
	struct device other = device;
	char text[1024];

	resources.device = &other;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		other.attr.vendor_id = cases[i].vendor;
		wc_status_describe(&resources, &(struct wc_failure){cases[i].status, 0x12, cases[i].vendor_err, false},
				   0, &happened, text, sizeof(text));
		assert_ptr_equal(strstr(text, cases[i].head), text);
		assert_non_null(strstr(text, cases[i].name));
	}
	other.attr.vendor_id = 0x1d0f;
	for (uint32_t error = 0; error < 32; error++) {
		wc_status_describe(&resources, &(struct wc_failure){IBV_WC_GENERAL_ERR, 0x12, error, false}, 12345678,
				   &happened, text, sizeof(text));
		assert_in_range(strlen(text), 100, 470);
	}
	resources.device = &device;
}

TEST(the_sentence_has_it_all, reset, tidy)
{
	const struct wc_failure failure = {IBV_WC_RETRY_EXC_ERR, 0x12, 0x81, false};
	char text[1024];

	wc_status_describe(&resources, &failure, 77, &happened, text, sizeof(text));
	assert_ptr_equal(
		strstr(text, "transport retry counter exceeded after 77 messages: no acknowledgement arrived: "), text);
	assert_non_null(strstr(text,
			       "\nstatus 12, vendor error 0x81, an RDMA write on QP 0x000012, 2 of 2; from GID 3 ::1 "
			       "(RoCE v2) to GID 5 ::2 (RoCE v2), QP 0x000022, MTU 1024, 7 retries after 67.1 ms each "
			       "(-u 14)"));
	assert_null(strstr(text, "the device reported"));
	/* It travels to the peer, which takes 511 bytes. */
	assert_true(strlen(text) < 512);
}

int ibv_query_pkey(struct ibv_context *asked, uint8_t port, int index, __be16 *pkey)
{
	assert_int_equal(index, 0);
	*pkey = htons(0x8003);
	return 0;
}

/* There are no firewalls, but partitions and service levels. */
TEST(infiniband_loses_packets_otherwise, reset, tidy)
{
	const struct wc_failure failure = {IBV_WC_RETRY_EXC_ERR, 0x12, 0x81, false};
	struct device infiniband = device;
	struct resources there = resources;
	char text[1024];

	infiniband.port_attr.link_layer = IBV_LINK_LAYER_INFINIBAND;
	there.device = &infiniband;
	wc_status_describe(&there, &failure, 77, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "different partitions or both limited members"));
	assert_non_null(strstr(text, ", P_Key 0x8003"));
	assert_null(strstr(text, "UDP"));
	assert_true(strlen(text) < 512);
	infiniband.ethernet = true; /* --force-link */
	wc_status_describe(&there, &failure, 77, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "UDP"));
	assert_null(strstr(text, "P_Key"));
}

TEST(the_devices_own_report_is_added, reset, tidy)
{
	const struct wc_failure failure = {IBV_WC_WR_FLUSH_ERR, 0x11, 0, true};
	struct ibv_qp qp = {.qp_num = 0x11};
	char text[1024];

	report_event(IBV_EVENT_COMM_EST, &qp);
	report_event(IBV_EVENT_QP_ACCESS_ERR, &qp);
	async_event_take(&happened, &device);
	wc_status_describe(&resources, &failure, 0, &happened, text, sizeof(text));
	assert_ptr_equal(strstr(text,
				"mlx9_0 ended the connection: local access violation work queue error (QP 0x000011); "
				"the peer's own message says what it requested\nwork request flushed after 0 messages; "
				"status 5, vendor error 0x0, a receive on QP 0x000011, 1 of 2; "),
			 text);
	assert_int_equal(events_acked, 2);
	report_event(IBV_EVENT_SRQ_ERR, NULL);
	async_event_take(&happened, &device);
	wc_status_describe(&resources, &failure, 0, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "; the device reported: local access violation work queue error (QP 0x000011), "
				     "SRQ catastrophic error"));
}

/* What happened to the port is the cause of all that fails after it; not what happened to another port. */
TEST(a_link_that_went_down_is_the_message, reset, tidy)
{
	const struct wc_failure failure = {IBV_WC_RETRY_EXC_ERR, 0x12, 0x81, false};
	char text[1024];

	report_port_event(IBV_EVENT_PORT_ERR, 2);
	async_event_take(&happened, &device);
	assert_string_equal(async_event_cause(&happened, &device, text, sizeof(text)), "");
	report_port_event(IBV_EVENT_PORT_ERR, 1);
	async_event_take(&happened, &device);
	wc_status_describe(&resources, &failure, 77, &happened, text, sizeof(text));
	assert_ptr_equal(strstr(text,
				"port 1 of mlx9_0 went down during the test: check its cable, the switch port and "
				"dmesg\ntransport retry counter exceeded after 77 messages; status 12, "),
			 text);
	assert_non_null(strstr(text, "; the device reported: port error"));
	report_port_event(IBV_EVENT_PORT_ACTIVE, 1);
	async_event_take(&happened, &device);
	async_event_cause(&happened, &device, text, sizeof(text));
	assert_non_null(strstr(text, "went down during the test and came up again: "));
	report_event(IBV_EVENT_DEVICE_FATAL, NULL);
	async_event_take(&happened, &device);
	async_event_cause(&happened, &device, text, sizeof(text));
	assert_ptr_equal(strstr(text, "mlx9_0 failed during the test (device fatal error): "), text);
}

/* Addresses come and go on busy hosts: only the GID of the test matters. */
TEST(a_change_of_gids_matters_when_ours_is_gone, reset, tidy)
{
	char text[256];

	report_port_event(IBV_EVENT_GID_CHANGE, 1);
	async_event_take(&happened, &device);
	assert_string_equal(async_event_cause(&happened, &device, text, sizeof(text)), "");
	gid_now.raw[15] = 7;
	async_event_cause(&happened, &device, text, sizeof(text));
	assert_ptr_equal(strstr(text, "port 1 of mlx9_0 lost GID 3 ::1 during the test: "), text);
}

TEST(a_new_lid_matters_when_it_is_another, reset, tidy)
{
	char text[256];

	report_port_event(IBV_EVENT_LID_CHANGE, 1);
	async_event_take(&happened, &device);
	assert_string_equal(async_event_cause(&happened, &device, text, sizeof(text)), "");
	lid_now++;
	async_event_cause(&happened, &device, text, sizeof(text));
	assert_ptr_equal(strstr(text, "port 1 of mlx9_0 got another LID from the subnet manager during the test: "),
			 text);
}

/* A receive has no operation, and none of its own making. */
TEST(a_receive_has_causes_of_its_own, reset, tidy)
{
	struct wc_failure failure = {IBV_WC_LOC_QP_OP_ERR, 0x11, 0, true};
	char text[1024];

	wc_status_describe(&resources, &failure, 44, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "after 44 messages: the message is longer"));
	assert_non_null(strstr(text, "miscounted retransmitted packets"));
	assert_null(strstr(text, "inline size"));
	assert_true(strlen(text) < 512);
	failure.receive = false;
	wc_status_describe(&resources, &failure, 44, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "inline size"));
	failure = (struct wc_failure){IBV_WC_WR_FLUSH_ERR, 0x11, 0, true};
	wc_status_describe(&resources, &failure, 44, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "not the first error"));
}

/* Without RNR NAKs a receiver that falls behind ends the connection, and both sides' requests are flushed. */
TEST(a_flush_of_iwarp_may_be_for_want_of_a_receive, reset, tidy)
{
	static const struct traffic_spec send = {.verb = VERB_SEND, .metric = METRIC_BW, .transport = TRANSPORT_RC};
	const struct wc_failure flushed = {IBV_WC_WR_FLUSH_ERR, 0x12, 0, false};
	char text[1024];

	adapter.transport_type = IBV_TRANSPORT_IWARP;
	wc_status_describe(&resources, &flushed, 600, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "after 600 messages: not the first error"));
	resources.traffic = traffic_of(&send, SIDE_CLIENT);
	wc_status_describe(&resources, &flushed, 600, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "after 600 messages: the connection was lost; iWARP does not retry a message"));
	assert_non_null(strstr(text, "try a larger -r on the receiver"));
	assert_true(strlen(text) < 512);
	adapter.transport_type = IBV_TRANSPORT_IB;
	wc_status_describe(&resources, &flushed, 600, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "not the first error"));
}

TEST(an_unknown_queue_pair_has_no_path, reset, tidy)
{
	const struct wc_failure failure = {IBV_WC_GENERAL_ERR, 0x99, 0, false};
	char text[1024];

	wc_status_describe(&resources, &failure, 0, &happened, text, sizeof(text));
	assert_non_null(strstr(text, "an RDMA write on QP 0x000099"));
	assert_null(strstr(text, " of 2"));
	assert_null(strstr(text, "from GID"));
}

TEST(events_of_another_client_are_dropped, reset, tidy)
{
	report_event(IBV_EVENT_PORT_ERR, NULL);
	async_event_begin(&happened, &device);
	assert_int_equal(events_acked, 1);
	assert_string_equal(happened.faults, "");
}

TEST(a_flush_gives_way_to_the_first_error, reset, tidy)
{
	struct wc_failure failure = {IBV_WC_WR_FLUSH_ERR, 0x12, 0, true};

	put(0, IBV_WC_SUCCESS, 0x12);
	for (int i = 0; i < 40; i++)
		put(1, IBV_WC_WR_FLUSH_ERR, 0x12);
	wc_status_find_first(&resources, &failure);
	assert_int_equal(failure.status, IBV_WC_WR_FLUSH_ERR);

	put(1, IBV_WC_LOC_LEN_ERR, 0x11);
	wc_status_find_first(&resources, &failure);
	assert_int_equal(failure.status, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(failure.qp_num, 0x11);
	assert_int_equal(failure.vendor_err, 0x68);
	assert_true(failure.receive);

	failure = (struct wc_failure){IBV_WC_WR_FLUSH_ERR, 0x12, 0, true};
	put(0, IBV_WC_REM_ACCESS_ERR, 0x12);
	wc_status_find_first(&resources, &failure);
	assert_int_equal(failure.status, IBV_WC_REM_ACCESS_ERR);
	assert_false(failure.receive);
}

TEST(another_error_stays, reset, tidy)
{
	struct wc_failure failure = {IBV_WC_LOC_PROT_ERR, 0x12, 0, false};

	put(0, IBV_WC_REM_ACCESS_ERR, 0x12);
	wc_status_find_first(&resources, &failure);
	assert_int_equal(failure.status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(taken[0], 0);
}

/* Dual port: what one port reports later is no word on what the other one did. */
TEST(each_of_two_ports_is_blamed_for_its_own, reset, tidy)
{
	static const struct device second = {.context = &context, .port = 2, .name = "mlx9_0", .gid_index = -1};
	struct device first = device;
	char text[1024];

	first.second = &second;
	report_port_event(IBV_EVENT_PORT_ERR, 1);
	report_port_event(IBV_EVENT_PORT_ACTIVE, 2);
	report_port_event(IBV_EVENT_PKEY_CHANGE, 2);
	async_event_take(&happened, &first);
	async_event_cause(&happened, &first, text, sizeof(text));
	assert_string_equal(text,
			    "port 1 of mlx9_0 went down during the test: check its cable, the switch port and dmesg");
	report_port_event(IBV_EVENT_PORT_ERR, 2);
	async_event_take(&happened, &first);
	async_event_cause(&happened, &first, text, sizeof(text));
	assert_string_equal(text,
			    "port 1 of mlx9_0 went down during the test: check its cable, the switch port and dmesg; "
			    "port 2 of mlx9_0 went down during the test: check its cable, the switch port and dmesg");
	async_event_begin(&happened, &first);
	report_port_event(IBV_EVENT_PORT_ERR, 2);
	async_event_take(&happened, &first);
	async_event_cause(&happened, &first, text, sizeof(text));
	assert_string_equal(text,
			    "port 2 of mlx9_0 went down during the test: check its cable, the switch port and dmesg");
}

TEST_MAIN(NULL, NULL)
