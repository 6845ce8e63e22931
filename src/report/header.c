// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The lines above the table. Labels, order and tabs are those of classic perftest 6.29; a label that begins with a tab,
 * or a blank and a tab, continues the line of the previous fact.
 */
#include "report/header.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/columns.h"
#include "stats/clock.h"

#define SHOWN_STEP_NS 5 /* shorter ones vanish in the two decimals of a microsecond */

struct header {
	const struct report_config *config;
	const struct report_info *run_info;
};

/* Fills in value; false: the line is omitted. */
typedef bool (*fact_fn)(const struct header *header, struct header_value *value);

/* What a line may be about, for its all. */
enum {
	BANDWIDTH = 1U << 0,
	READS = 1U << 1, /* outstanding ones, of READ and atomics */
	NO_READS = 1U << 2,
	SENDS = 1U << 3,
	RECEIVES = 1U << 4,
	LISTS = 1U << 5,
	RECEIVE_LISTS = 1U << 6,
	TWO_PORTS = 1U << 7,
	RDMA_CM = 1U << 8,
	AWAITS_RDMA_CM = 1U << 9, /* on a server: its client's queue pairs connect next */
	GROUP = 1U << 10,
	VALIDATION = 1U << 11,
};

static bool set_text(struct header_value *value, const char *text)
{
	value->text = text;
	return text != NULL;
}

static bool set_number(struct header_value *value, int64_t number)
{
	value->number = number;
	return true;
}

static bool uses_outstanding_reads(const struct header *header)
{
	return header->config->spec->verb == VERB_READ || header->config->spec->verb == VERB_ATOMIC;
}

static unsigned what_there_is(const struct header *header)
{
	const struct verbs_config *verbs = header->config->verbs;
	const bool reads = uses_outstanding_reads(header);

	return (header->config->spec->metric == METRIC_BW ? BANDWIDTH : 0) | (reads ? READS : NO_READS) |
	       (header->run_info->sends ? SENDS : 0) | (header->run_info->receives ? RECEIVES : 0) |
	       (verbs->post_list > 1 ? LISTS : 0) | (verbs->recv_post_list > 1 ? RECEIVE_LISTS : 0) |
	       (verbs->dual_port ? TWO_PORTS : 0) | (verbs->rdma_cm ? RDMA_CM : 0) |
	       (verbs->rdma_cm && !header->config->is_client ? AWAITS_RDMA_CM : 0) |
	       (verbs->group.is_used ? GROUP : 0) | (verbs->data_validation ? VALIDATION : 0);
}

static bool fact_device(const struct header *header, struct header_value *value)
{
	return set_text(value, header->run_info->device.name);
}

static bool fact_events(const struct header *header, struct header_value *value)
{
	snprintf(value->buffer, sizeof(value->buffer), "%.40s_comp%u", header->run_info->device.name,
		 header->config->verbs->comp_vector);
	value->text = value->buffer;
	return header->config->verbs->events;
}

static bool fact_num_qps(const struct header *header, struct header_value *value)
{
	return set_number(value, report_endpoints(header->config));
}

static bool fact_connection(const struct header *header, struct header_value *value)
{
	return set_text(value, transport_traits(header->config->spec->transport)->name);
}

static bool fact_poll_batch(const struct header *header, struct header_value *value)
{
	const uint32_t batch = header->config->poll_batch;

	if (!batch)
		value->text = "Dynamic";
	value->number = batch;
	return true;
}

/* linux-rdma perftest prints 0 for frames, which use none. */
static bool fact_gid_index(const struct header *header, struct header_value *value)
{
	if (transport_traits(header->config->spec->transport)->frames)
		return set_number(value, 0);
	return set_number(value, header->run_info->gid_index) && header->run_info->gid_index >= 0;
}

static bool fact_gpu(const struct header *header, struct header_value *value)
{
	const struct report_info *run_info = header->run_info;

	snprintf(value->buffer, sizeof(value->buffer), "%s of GPU %s, %" PRIu64 " bytes, by %s",
		 run_info->device.memory, run_info->gpu ? run_info->gpu : "", run_info->memory_bytes,
		 run_info->memory_way);
	return set_text(value, value->buffer) && run_info->gpu;
}

/*
 * Only if it is not the counter with which other hosts measure, which costs more per sample; or if the counter is so
 * slow (25 MHz on some aarch64) that its steps are seen in the samples. That of a ping-pong is half of a round trip.
 */
static bool fact_clock(const struct header *header, struct header_value *value)
{
	const struct report_info *run_info = header->run_info;
	const double step_ns = run_info->clock_step_ns * (uses_outstanding_reads(header) ? 1 : 0.5);

	snprintf(value->buffer, sizeof(value->buffer), "a counter with steps of %.3g ns, samples with steps of %.3g ns",
		 run_info->clock_step_ns, step_ns);
	return set_text(value, run_info->clock_fallback ? CLOCK_FALLBACK_TEXT : value->buffer) &&
	       (run_info->clock_fallback || (header->config->spec->metric == METRIC_LAT && step_ns >= SHOWN_STEP_NS));
}

/* Before the table, if it is known by then: nothing may follow a number, or the last row. */
static bool fact_percentiles(const struct header *header, struct header_value *value)
{
	const uint64_t samples = header->run_info->samples;
	const double from = columns_unsupported(header->config, samples);

	snprintf(value->buffer, sizeof(value->buffer),
		 "from %.10g%% on the maximum, because %" PRIu64 " sample%s too few", from, samples,
		 samples == 1 ? " is" : "s are");
	return set_text(value, value->buffer) && from > 0;
}

/* A value by itself: a text, a flag, or a number; one that is not known is omitted. */
#define RUN(name)   .member = MEMBER(struct report_info, name)
#define VERBS(name) .of_verbs = true, .member = MEMBER(struct verbs_config, name)

static const struct header_line {
	const char *label; /* NULL: not in the text */
	const char *key;   /* NULL: not in the classic JSON object */
	const char *suffix;
	fact_fn value;	    /* NULL: it is the text ... */
	const char *text;   /* ... or, if that is NULL, is this the memory? ... */
	const char *memory; /* ... or, if that is NULL, the member */
	bool of_verbs;	    /* rather than of the run */
	struct row_member member;
	unsigned all; /* the line is shown if there are all of these */
} lines[] = {
	{" Test with events. Using ", "Test with events", "", .value = fact_events},
	{" MultiCast runs on ", NULL, "!", .text = "UD", .all = GROUP},
	/* as linux-rdma perftest spells it there */
	{NULL, "MultiCast_runs", "", .text = "on_UD", .all = GROUP},
	{" Dual-port       : ", "Dual_port", "", VERBS(dual_port)},
	{"\t\tDevice         : ", "Device", "", .value = fact_device},
	{" Number of qps   : ", "Number_of_qps", "", .value = fact_num_qps},
	{"\t\tTransport type : ", "Transport_type", "", RUN(transport_type)},
	{" Connection type : ", "Connection_type", "", .value = fact_connection},
	{"\t\tUsing SRQ      : ", "Using_SRQ", "", VERBS(shares_receives)},
	{" PCIe relax order: ", "PCIe_relax_order", "", RUN(pcie_relaxed)},
	{"\t\tLock-free      : ", NULL, "", VERBS(no_lock)},
	{" ibv_wr* API     : ", "ibv_wr_API", "", RUN(wr_api)},
	{"\t\tUsing Enhanced Reorder      : ", NULL, "", VERBS(out_of_order)},
	{" TX depth        : ", "TX_depth", "", VERBS(tx_depth), .all = SENDS},
	{" Post List       : ", "Post_List", "", VERBS(post_list), .all = LISTS},
	{" Recv Post List  : ", "Recv_Post_List", "", VERBS(recv_post_list), .all = RECEIVE_LISTS},
	{" RX depth        : ", "RX_depth", "", VERBS(rx_depth), .all = RECEIVES},
	{" CQ Moderation   : ", "CQ_Moderation", "", VERBS(cq_mod), .all = BANDWIDTH},
	{" CQE Poll Batch  : ", NULL, "", .value = fact_poll_batch, .all = BANDWIDTH},
	{" Mtu             : ", "Mtu", "[B]", RUN(mtu)},
	{" Link type       : ", "Link_type", "", RUN(link_type)},
	{" GID index       : ", "GID_index", "", .value = fact_gid_index},
	{" GID index2      : ", "GID_index2", "", RUN(second_gid_index), .all = TWO_PORTS},
	{" Max inline data : ", "Max_inline_data", "[B]", RUN(inline_size), .all = NO_READS},
	{" Outstand reads  : ", "Outstand_reads", "", RUN(outs), .all = READS},
	{" rdma_cm QPs\t : ", "rdma_cm_QPs", "", VERBS(rdma_cm)},
	{" GPU memory      : ", "GPU_memory", "", .value = fact_gpu},
	{NULL, "Use_ROCm_memory", "", .memory = "HIP"},
	{NULL, "Use_MUSA_memory", "", .memory = "MUSA"},
	{" Data ex. method : ", "Data_ex_method", "", RUN(data_exchange)},
	{" \tTOS    : ", "TOS", "", VERBS(tos), .all = RDMA_CM},
	{HEADER_RULE, NULL, "", .text = "", .all = AWAITS_RDMA_CM},
	{" Waiting for client rdma_cm QP to connect", NULL, "", .text = "", .all = AWAITS_RDMA_CM},
	{" Please run the same command with the IB/RoCE interface IP", NULL, "", .text = "", .all = AWAITS_RDMA_CM},
	{" NUMA node       : ", NULL, "", RUN(device.numa_node)},
	{" Clock           : ", NULL, "", .value = fact_clock},
	{" Percentiles     : ", NULL, "", .value = fact_percentiles},
	{" Data validation : ", "Data_validation", "",
	 .text = "ON, in rounds; filling and checking are not in the figures", .all = VALIDATION},
};

static bool line_value(const struct header_line *line, const struct header *header, struct header_value *value)
{
	const void *of = line->of_verbs ? (const void *)header->config->verbs : header->run_info;
	double number;

	if (line->all & ~what_there_is(header))
		return false;
	if (line->value)
		return line->value(header, value);
	if (line->text)
		return set_text(value, line->text);
	if (line->memory)
		return set_text(value, strcmp(header->run_info->device.memory, line->memory) ? "OFF" : "ON");
	if (line->member.type == MEMBER_TEXT)
		return set_text(value, row_member_pointer(line->member, of));
	number = row_member_number(line->member, of);
	if (line->member.type == MEMBER_FLAG)
		return set_text(value, number != 0 ? "ON" : "OFF");
	return !isnan(number) && set_number(value, (int64_t)number);
}

int header_walk(const struct report_config *config, const struct report_info *run_info, header_fn visit, void *arg)
{
	const struct header header = {.config = config, .run_info = run_info};
	size_t i;
	int err;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct header_value value = {0};

		if (!line_value(&lines[i], &header, &value))
			continue;
		err = visit(lines[i].label, lines[i].key, &value, lines[i].suffix, arg);
		if (err)
			return err;
	}
	return 0;
}

const char *header_title(const struct report_config *config, char separator, char title[HEADER_TITLE_SIZE])
{
	static const char *const verbs[] = {
		[VERB_SEND] = "Send",
		[VERB_WRITE] = "RDMA_Write",
		[VERB_READ] = "RDMA_Read",
		[VERB_ATOMIC] = "Atomic",
	};
	static const char *const atomics[] = {
		[ATOMIC_CMP_AND_SWAP] = "CMP_AND_SWAP",
		[ATOMIC_FETCH_AND_ADD] = "FETCH_AND_ADD",
	};
	static const char *const metrics[] = {
		[METRIC_BW] = " BW", [METRIC_LAT] = " Latency", [METRIC_STEERING] = "", /* upstream has none */
	};
	const struct traffic_spec *spec = config->spec;
	const char *words[] = {
		verbs[spec->verb],
		spec->with_imm ? "_imm" : "",
		spec->verb == VERB_ATOMIC ? " " : "",
		spec->verb == VERB_ATOMIC ? atomics[spec->atomic_type] : "",
		spec->bidirectional ? " Bidirectional" : "",
		config->verbs->post_list > 1 ? " Post List" : "",
		metrics[spec->metric],
		config->verbs->group.is_used ? " Multicast" : "",
		" Test",
	};

	title[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		strncat(title, words[i], HEADER_TITLE_SIZE - strlen(title) - 1);
	for (char *blank = title; (blank = strchr(blank, ' ')) && separator != ' ';)
		*blank = separator;
	return title;
}
