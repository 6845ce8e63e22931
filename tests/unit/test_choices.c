// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is chosen for the adapters of each vendor, beside what linux-rdma perftest chooses: each difference has a
 * reason, and docs/adapters.md has this table.
 *
 * linux-rdma perftest 6.29: ib_dev_name() and ctx_set_max_inline() (src/perftest_parameters.c, 2846-2858) for inline
 * data, verify_params_with_device_context() for the posting interface (src/perftest_resources.c, 2552-2583),
 * force_dependecies() for -c SRD's completions, set_recv_length() and ctx_set_recv_wqes() for receives. Devices that
 * are not in the first of them have no inline data, and those not in the second are posted to with ibv_post_send().
 */
#include "cmocka_all.h"
#include "memory/memory.h"
#include "verbs/device/adapter.h"
#include "verbs/device/device.h"
#include "verbs/device/gid.h"
#include "verbs/device/host_page.h"
#include "verbs/device/route.h"
#include "verbs/perftest_resources.h"
#include "verbs/qp/qp.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/resources.h"

#define MESSAGE	     65536
#define ROW_BYTES    512
#define MOST_PARTS   24
#define DIFFER_BYTES 256

enum ports { PORT_ROCE, PORT_IWARP, PORT_EFA };

struct choice {
	bool calls;
	uint32_t send_inline, write_inline; /* of latency tests, 0 if not a single one is sent so */
	bool handle;			    /* at the target of a WRITE, of the initiator */
	bool signals_all;
	uint32_t receive; /* bytes of a receive for a WRITE with immediate data */
	char gid[32];
};

static const struct {
	const char *adapters;
	uint32_t vendor, parts[MOST_PARTS]; /* all parts have the same choices */
	enum ports port;
	enum transport transport;
	struct choice theirs; /* a GID only if it has another rule: "-x 0" */
	const char *why;      /* of what differs */
} rows[] = {
	{.adapters = "NVIDIA ConnectX-4 to -10, BlueField (mlx5)",
	 .vendor = 0x02c9,
	 .parts = {0x1013, 0x1014, 0x1015, 0x1016, 0x1017, 0x1018, 0x1019, 0x101a, 0x101b, 0x101c, 0x101d, 0x101e,
		   0x101f, 0x1021, 0x1023, 0x1025, 0x1027, 0x2101, 0xa2d2, 0xa2d3, 0xa2d6, 0xa2dc, 0xa2df},
	 .theirs = {.calls = true, .send_inline = 236, .write_inline = 220}},
	{.adapters = "Amazon EFA, `-c SRD`",
	 .vendor = 0x1d0f,
	 .parts = {0xefa0, 0xefa1, 0xefa2, 0xefa3, 0xefa4},
	 .port = PORT_EFA,
	 .transport = TRANSPORT_SRD,
	 .theirs = {.calls = true, .send_inline = 32, .write_inline = 32, .signals_all = true, .gid = "only with `-x`"},
	 .why = "inline WRITEs need queue pairs that older libraries do not have (`-I` asks for them), and the device "
		"needs the GID"},
	{.adapters = "Amazon EFA, `-c UD`",
	 .vendor = 0x1d0f,
	 .parts = {0xefa0, 0xefa1, 0xefa2, 0xefa3, 0xefa4},
	 .port = PORT_EFA,
	 .transport = TRANSPORT_UD,
	 .theirs = {.calls = true, .send_inline = 32, .gid = "only with `-x`"},
	 .why = "the library refuses unsignalled requests, and the device needs the GID"},
	{.adapters = "Broadcom NetXtreme-E, Thor, Thor2 (bnxt_re)",
	 .vendor = 0x14e4,
	 .parts = {0x1606, 0x16d7, 0x1750, 0x1760, 0x1819, 0xd802},
	 .theirs = {.send_inline = 96, .write_inline = 96}},
	{.adapters = "HiSilicon (hns)",
	 .vendor = 0x19e5,
	 .parts = {0xa222, 0xa223, 0xa224, 0xa225, 0xa226, 0xa227, 0xa228, 0xa22f},
	 .theirs = {.calls = true, .send_inline = 32, .write_inline = 32},
	 .why = "the same with rdma-core 52 or newer; older libraries mark requests wrongly with it"},
	{.adapters = "Intel X722 (irdma, first generation)",
	 .vendor = 0x8086,
	 .parts = {0x37d0, 0x37d1, 0x37d2},
	 .port = PORT_IWARP,
	 .theirs = {.send_inline = 48, .write_inline = 48}},
	{.adapters = "Intel E800, IPU E2000 (irdma, second and third generation)",
	 .vendor = 0x8086,
	 .parts = {0x1591, 0x1592, 0x1593, 0x159b, 0x1452},
	 .theirs = {.send_inline = 101, .write_inline = 101}},
	{.adapters = "Microsoft MANA", .vendor = 0x1414, .parts = {3}},
	{.adapters = "AMD Pensando (ionic)",
	 .vendor = 0x1dd8,
	 .parts = {0x1002},
	 .theirs = {.send_inline = 236, .write_inline = 220}},
	{.adapters = "Chelsio T5, T6 (cxgb4)",
	 .vendor = 0x1425,
	 .parts = {0x5401, 0x6401},
	 .port = PORT_IWARP,
	 .theirs = {.send_inline = 236, .write_inline = 220}},
	{.adapters = "Marvell FastLinQ 45000 (qedr)",
	 .vendor = 0x1077,
	 .parts = {0x1634, 0x1644, 0x1654, 0x1656, 0x1666},
	 .theirs = {.send_inline = 128, .write_inline = 128}},
	{.adapters = "Marvell FastLinQ 41000 (qedr)",
	 .vendor = 0x1077,
	 .parts = {0x8070, 0x8090},
	 .theirs = {.send_inline = 236, .write_inline = 220}},
	{.adapters = "Alibaba ERDMA",
	 .vendor = 0x1ded,
	 .parts = {0x107f},
	 .port = PORT_IWARP,
	 .theirs = {.send_inline = 96, .write_inline = 96}},
	{.adapters = "siw",
	 .vendor = 0x626d74,
	 .parts = {1},
	 .port = PORT_IWARP,
	 .why = "it has inline data, and says how much"},
	{.adapters = "rxe", .vendor = 0xffffff, .parts = {1}, .why = "it has inline data, and says how much"},
};

#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

static void *pages;

/* --- what the code says --- */

static void choose_gid(enum ports port, char *text, size_t size)
{
	static const struct {
		uint8_t raw[16];
		enum gid_kind kind;
	} usual[] = {
		{{0xfe, 0x80, [15] = 1}, GID_ROCE_V1},
		{{0xfe, 0x80, [15] = 1}, GID_ROCE_V2},
		{{[10] = 0xff, 0xff, 10, 0, 0, 1}, GID_ROCE_V1},
		{{[10] = 0xff, 0xff, 10, 0, 0, 1}, GID_ROCE_V2},
		{{0xfd, [15] = 1}, GID_ROCE_V2},
	};
	static const struct route nowhere;
	const struct gid_request request = {.index = -1, .route = &nowhere};
	struct gid_entry best = {0};
	int most = -1;

	if (port != PORT_ROCE) {
		snprintf(text, size, "the only one");
		return;
	}
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		struct gid_entry entry = {.kind = usual[i].kind};

		memcpy(entry.gid.raw, usual[i].raw, sizeof(entry.gid.raw));
		if (gid_score(&entry, &request) > most) {
			most = gid_score(&entry, &request);
			best = entry;
		}
	}
	snprintf(text, size, "%s, %s", gid_kind_text(best.kind), gid_is_ipv4(&best.gid) ? "IPv4" : "IPv6");
}

static struct choice choice_of(uint32_t vendor, uint32_t part, enum transport transport, enum ports port)
{
	struct device device = {.attr = {.vendor_id = vendor, .vendor_part_id = part}};
	struct traffic_spec spec = {.verb = VERB_SEND, .metric = METRIC_LAT, .transport = transport};
	struct verbs_config config = {
		.transport = transport, .memory = &memory_host, .inline_size = -1, .post_list = 1, .recv_post_list = 1};
	struct ibv_mr mr = {0}, *mrs[] = {&mr};
	struct buffer buffer = {.ops = &memory_host, .fd = -1, .addr = pages};
	struct tx_queue tx = {0};
	struct rx_queue rx = {0};
	struct endpoint remote[2] = {0};
	struct queue_set set = {.tx = &tx, .rx = &rx, .num_tx = 1, .num_rx = 1};
	struct resources resources = {
		.device = &device,
		.config = &config,
		.traffic = traffic_of(&spec, SIDE_CLIENT),
		.buffers = &buffer,
		.mrs = mrs,
		.num_buffers = 1,
		.page_bytes = host_common_page(0),
		.qp_region_bytes = MESSAGE,
		.sets = &set,
		.num_sets = 1,
		.tx = &tx,
		.rx = &rx,
		.remote = remote,
		.num_qps = 1,
		.num_rx = 1,
		.recv_bytes = MESSAGE,
		.max_message = MESSAGE,
	};
	struct choice choice = {
		.calls = qp_prefers_calls(&resources),
		.send_inline = qp_wanted_inline(&resources),
		.signals_all = adapter_signals_all(&device.attr, resources.traffic.transport),
	};

	choose_gid(port, choice.gid, sizeof(choice.gid));
	if (resources.traffic.transport->datagram && transport == TRANSPORT_UD)
		return choice;
	spec.verb = VERB_WRITE;
	resources.traffic = traffic_of(&spec, SIDE_CLIENT);
	choice.write_inline = qp_wanted_inline(&resources);

	spec.metric = METRIC_BW;
	spec.with_imm = true;
	resources.traffic = traffic_of(&spec, SIDE_SERVER);
	choice.handle = qp_needs_handle(&resources, 0);
	assert_int_equal(wr_open(&resources), 0);
	assert_int_equal(resources_prepare(&resources, MESSAGE), 0);
	choice.receive = rx.sge->length;
	wr_close(&resources);
	return choice;
}

/* --- the document --- */

static const char *posting(bool calls)
{
	return calls ? "`ibv_wr_*()`" : "`ibv_post_send()`";
}

static const char *completions(bool of_all)
{
	return of_all ? "of all requests" : "as `-Q` says";
}

static void inline_text(uint32_t send, uint32_t write, bool has_writes, char *text, size_t size)
{
	if (has_writes && send != write)
		snprintf(text, size, "%u, WRITE %u", send, write);
	else
		snprintf(text, size, "%u", send);
}

static void put(char *list, const char *text)
{
	const size_t used = strlen(list);

	snprintf(list + used, DIFFER_BYTES - used, "%s%s", used ? ", " : "", text);
}

/* What linux-rdma perftest does otherwise; a handle at the target is not compared. */
static void find_differences(const struct choice *ours, const struct choice *theirs, bool has_writes, char *list)
{
	char mine[32], bytes[32];

	list[0] = '\0';
	inline_text(ours->send_inline, ours->write_inline, has_writes, mine, sizeof(mine));
	inline_text(theirs->send_inline, theirs->write_inline, has_writes, bytes, sizeof(bytes));
	if (ours->calls != theirs->calls)
		put(list, posting(theirs->calls));
	if (strcmp(mine, bytes) != 0) {
		put(list, "inline ");
		strcat(list, bytes);
	}
	if (has_writes && ours->receive != theirs->receive)
		put(list, "a receive as long as the message");
	if (theirs->gid[0]) {
		put(list, "GID ");
		strcat(list, theirs->gid);
	}
	if (ours->signals_all != theirs->signals_all)
		put(list, completions(theirs->signals_all));
}

static void print_row(size_t i, char *row)
{
	const bool has_writes = rows[i].transport != TRANSPORT_UD;
	const struct choice ours = choice_of(rows[i].vendor, rows[i].parts[0], rows[i].transport, rows[i].port);
	char bytes[32], differ[DIFFER_BYTES];

	for (size_t j = 1; j < MOST_PARTS && rows[i].parts[j]; j++) {
		const struct choice other =
			choice_of(rows[i].vendor, rows[i].parts[j], rows[i].transport, rows[i].port);

		assert_memory_equal(&ours, &other, sizeof(ours));
	}
	inline_text(ours.send_inline, ours.write_inline, has_writes, bytes, sizeof(bytes));
	find_differences(&ours, &rows[i].theirs, has_writes, differ);
	if (!differ[0] != !rows[i].why)
		fail_msg("%s: each difference has a reason, and nothing else: \"%s\"", rows[i].adapters, differ);
	snprintf(row, ROW_BYTES, "| %s | %s | %s | %s | %s | %s | %s | %s%s%s |\n", rows[i].adapters,
		 posting(ours.calls), bytes,
		 !has_writes	? "-"
		 : ours.receive ? "of the message"
				: "empty",
		 ours.handle ? "yes" : "no", ours.gid, completions(ours.signals_all), differ[0] ? differ : "the same",
		 differ[0] ? "; here: " : "", differ[0] ? rows[i].why : "");
}

TEST(the_document_has_the_choices)
{
	static char table[(NUM_ROWS + 2) * ROW_BYTES], document[1 << 17];
	FILE *file = fopen(TOP_SRCDIR "/docs/adapters.md", "r");
	size_t used;

	assert_non_null(file);
	used = fread(document, 1, sizeof(document) - 1, file);
	fclose(file);
	assert_in_range(used, 1, sizeof(document) - 2);
	used = (size_t)snprintf(table, sizeof(table),
				"| adapters | posting | inline | receive | handle | GID | completions | linux-rdma "
				"perftest |\n|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < NUM_ROWS; i++) {
		print_row(i, table + used);
		used += strlen(table + used);
	}
	if (!strstr(document, table)) {
		fprintf(stderr, "docs/adapters.md should have this table:\n%s", table);
		fail();
	}
}

int main(void)
{
	int failed;

	if (posix_memalign(&pages, host_page(), (size_t)2 * MESSAGE))
		return 1;
	failed = tests_run(NULL, NULL);
	free(pages);
	return failed;
}
