// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The lines above the table. Labels, order and tabs are those of classic perftest 6.29; a label that begins with a tab,
 * or a blank and a tab, continues the line of the previous fact.
 */
#include "report/header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "stats/clock.h"
#include "stats/histogram.h"

#define SHOWN_STEP_NS 5 /* shorter ones vanish in the two decimals of a microsecond */

struct header {
	const struct traffic_spec *spec;
	const struct verbs_config *verbs;
	const struct report_config *config;
	const struct report_info *run_info;
};

/* Fills in value; false: the line is omitted. */
typedef bool (*fact_fn)(const struct header *header, struct header_value *value);

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

static bool is_bandwidth(const struct header *header)
{
	return header->spec->metric == METRIC_BW;
}

static bool uses_outstanding_reads(const struct header *header)
{
	return header->spec->verb == VERB_READ || header->spec->verb == VERB_ATOMIC;
}

static bool fact_events(const struct header *header, struct header_value *value)
{
	snprintf(value->buffer, sizeof(value->buffer), "%.40s_comp%u", header->run_info->device,
		 header->verbs->comp_vector);
	value->text = value->buffer;
	return header->verbs->events;
}

static bool fact_mcast(const struct header *header, struct header_value *value)
{
	return set_text(value, "UD") && header->verbs->group.is_used;
}

/* As linux-rdma perftest spells it there. */
static bool fact_mcast_key(const struct header *header, struct header_value *value)
{
	return set_text(value, "on_UD") && header->verbs->group.is_used;
}

static bool fact_dual_port(const struct header *header, struct header_value *value)
{
	return set_text(value, header->verbs->dual_port ? "ON" : "OFF");
}

static bool fact_lock_free(const struct header *header, struct header_value *value)
{
	return set_text(value, header->verbs->no_lock ? "ON" : "OFF");
}

static bool fact_reorder(const struct header *header, struct header_value *value)
{
	return set_text(value, header->verbs->out_of_order ? "ON" : "OFF");
}

static bool fact_srq(const struct header *header, struct header_value *value)
{
	return set_text(value, header->verbs->shares_receives ? "ON" : "OFF");
}

static bool fact_device(const struct header *header, struct header_value *value)
{
	return set_text(value, header->run_info->device);
}

static bool fact_num_qps(const struct header *header, struct header_value *value)
{
	return set_number(value, report_endpoints(header->config));
}

static bool fact_transport_type(const struct header *header, struct header_value *value)
{
	return set_text(value, header->run_info->transport_type);
}

static bool fact_connection(const struct header *header, struct header_value *value)
{
	return set_text(value, transport_traits(header->spec->transport)->name);
}

static bool fact_pcie_relaxed(const struct header *header, struct header_value *value)
{
	return set_text(value, header->run_info->pcie_relaxed);
}

static bool fact_wr_api(const struct header *header, struct header_value *value)
{
	return set_text(value, header->run_info->wr_api ? "ON" : "OFF");
}

static bool fact_tx_depth(const struct header *header, struct header_value *value)
{
	return set_number(value, header->verbs->tx_depth) && header->run_info->sends;
}

static bool fact_post_list(const struct header *header, struct header_value *value)
{
	return set_number(value, header->verbs->post_list) && header->verbs->post_list > 1;
}

static bool fact_recv_post_list(const struct header *header, struct header_value *value)
{
	return set_number(value, header->verbs->recv_post_list) && header->verbs->recv_post_list > 1;
}

static bool fact_rx_depth(const struct header *header, struct header_value *value)
{
	return set_number(value, header->verbs->rx_depth) && header->run_info->receives;
}

static bool fact_cq_mod(const struct header *header, struct header_value *value)
{
	return set_number(value, header->verbs->cq_mod) && is_bandwidth(header);
}

static bool fact_poll_batch(const struct header *header, struct header_value *value)
{
	const uint32_t batch = header->config->poll_batch;

	if (!batch)
		value->text = "Dynamic";
	value->number = batch;
	return is_bandwidth(header);
}

static bool fact_mtu(const struct header *header, struct header_value *value)
{
	return set_number(value, header->run_info->mtu);
}

static bool fact_link_type(const struct header *header, struct header_value *value)
{
	return set_text(value, header->run_info->link_type);
}

/* linux-rdma perftest prints 0 for frames, which use none. */
static bool fact_gid_index(const struct header *header, struct header_value *value)
{
	if (transport_traits(header->spec->transport)->frames)
		return set_number(value, 0);
	return set_number(value, header->run_info->gid_index) && header->run_info->gid_index >= 0;
}

static bool fact_second_gid_index(const struct header *header, struct header_value *value)
{
	return set_number(value, header->run_info->second_gid_index) && header->verbs->dual_port &&
	       header->run_info->second_gid_index >= 0;
}

static bool fact_inline(const struct header *header, struct header_value *value)
{
	return set_number(value, header->run_info->inline_size) && !uses_outstanding_reads(header);
}

static bool fact_outs(const struct header *header, struct header_value *value)
{
	return set_number(value, header->run_info->outs) && uses_outstanding_reads(header);
}

static bool fact_gpu(const struct header *header, struct header_value *value)
{
	const struct report_info *run_info = header->run_info;

	snprintf(value->buffer, sizeof(value->buffer), "%s of GPU %s, %" PRIu64 " bytes, by %s", run_info->memory,
		 run_info->gpu ? run_info->gpu : "", run_info->memory_bytes, run_info->memory_way);
	return set_text(value, value->buffer) && run_info->gpu;
}

static bool has_memory(const struct header *header, struct header_value *value, const char *kind)
{
	return set_text(value, !strcmp(header->run_info->memory, kind) ? "ON" : "OFF");
}

static bool fact_rocm(const struct header *header, struct header_value *value)
{
	return has_memory(header, value, "HIP");
}

static bool fact_musa(const struct header *header, struct header_value *value)
{
	return has_memory(header, value, "MUSA");
}

static bool fact_rdma_cm(const struct header *header, struct header_value *value)
{
	return set_text(value, header->verbs->rdma_cm ? "ON" : "OFF");
}

static bool fact_tos(const struct header *header, struct header_value *value)
{
	return set_number(value, header->verbs->tos) && header->verbs->rdma_cm && header->verbs->tos >= 0;
}

static bool fact_data_exchange(const struct header *header, struct header_value *value)
{
	return set_text(value, header->run_info->data_exchange);
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
	       (run_info->clock_fallback || (header->spec->metric == METRIC_LAT && step_ns >= SHOWN_STEP_NS));
}

/* On a server: its client's queue pairs connect next. */
static bool fact_waits_for_rdma_cm(const struct header *header, struct header_value *value)
{
	return set_text(value, "") && header->verbs->rdma_cm && !header->config->is_client;
}

struct support {
	uint64_t samples;
	double unsupported_from; /* percent; the lowest that needs more samples, 0 none */
};

static int find_unsupported(const struct column *column, void *arg)
{
	struct support *support = arg;

	if (column->percent > 0 && !histogram_supports(support->samples, column->percent) &&
	    (!support->unsupported_from || column->percent < support->unsupported_from))
		support->unsupported_from = column->percent;
	return 0;
}

/* Before the table, if it is known by then: nothing may follow a number, or the last row. */
static bool fact_percentiles(const struct header *header, struct header_value *value)
{
	struct support support = {.samples = header->run_info->samples};
	struct table table;

	if (!support.samples)
		return false;
	columns_table(&table, header->config);
	table_walk(&table, find_unsupported, &support);
	if (!support.unsupported_from)
		return false;
	snprintf(value->buffer, sizeof(value->buffer),
		 "from %.10g%% on the maximum, because %" PRIu64 " sample%s too few", support.unsupported_from,
		 support.samples, support.samples == 1 ? " is" : "s are");
	return set_text(value, value->buffer);
}

static bool fact_validation(const struct header *header, struct header_value *value)
{
	return set_text(value, "ON, in rounds; filling and checking are not in the figures") &&
	       header->verbs->data_validation;
}

static bool fact_numa_node(const struct header *header, struct header_value *value)
{
	return set_number(value, header->run_info->numa_node) && header->run_info->numa_node >= 0;
}

static const struct {
	const char *label; /* NULL: not in the text */
	const char *key;   /* NULL: not in the classic JSON object */
	const char *suffix;
	fact_fn value;
} lines[] = {
	{" Test with events. Using ", "Test with events", "", fact_events},
	{" MultiCast runs on ", NULL, "!", fact_mcast},
	{NULL, "MultiCast_runs", "", fact_mcast_key},
	{" Dual-port       : ", "Dual_port", "", fact_dual_port},
	{"\t\tDevice         : ", "Device", "", fact_device},
	{" Number of qps   : ", "Number_of_qps", "", fact_num_qps},
	{"\t\tTransport type : ", "Transport_type", "", fact_transport_type},
	{" Connection type : ", "Connection_type", "", fact_connection},
	{"\t\tUsing SRQ      : ", "Using_SRQ", "", fact_srq},
	{" PCIe relax order: ", "PCIe_relax_order", "", fact_pcie_relaxed},
	{"\t\tLock-free      : ", NULL, "", fact_lock_free},
	{" ibv_wr* API     : ", "ibv_wr_API", "", fact_wr_api},
	{"\t\tUsing Enhanced Reorder      : ", NULL, "", fact_reorder},
	{" TX depth        : ", "TX_depth", "", fact_tx_depth},
	{" Post List       : ", "Post_List", "", fact_post_list},
	{" Recv Post List  : ", "Recv_Post_List", "", fact_recv_post_list},
	{" RX depth        : ", "RX_depth", "", fact_rx_depth},
	{" CQ Moderation   : ", "CQ_Moderation", "", fact_cq_mod},
	{" CQE Poll Batch  : ", NULL, "", fact_poll_batch},
	{" Mtu             : ", "Mtu", "[B]", fact_mtu},
	{" Link type       : ", "Link_type", "", fact_link_type},
	{" GID index       : ", "GID_index", "", fact_gid_index},
	{" GID index2      : ", "GID_index2", "", fact_second_gid_index},
	{" Max inline data : ", "Max_inline_data", "[B]", fact_inline},
	{" Outstand reads  : ", "Outstand_reads", "", fact_outs},
	{" rdma_cm QPs\t : ", "rdma_cm_QPs", "", fact_rdma_cm},
	{" GPU memory      : ", "GPU_memory", "", fact_gpu},
	{NULL, "Use_ROCm_memory", "", fact_rocm},
	{NULL, "Use_MUSA_memory", "", fact_musa},
	{" Data ex. method : ", "Data_ex_method", "", fact_data_exchange},
	{" \tTOS    : ", "TOS", "", fact_tos},
	{HEADER_RULE, NULL, "", fact_waits_for_rdma_cm},
	{" Waiting for client rdma_cm QP to connect", NULL, "", fact_waits_for_rdma_cm},
	{" Please run the same command with the IB/RoCE interface IP", NULL, "", fact_waits_for_rdma_cm},
	{" NUMA node       : ", NULL, "", fact_numa_node},
	{" Clock           : ", NULL, "", fact_clock},
	{" Percentiles     : ", NULL, "", fact_percentiles},
	{" Data validation : ", "Data_validation", "", fact_validation},
};

int header_walk(const struct report_config *config, const struct report_info *run_info, header_fn visit, void *arg)
{
	const struct header header = {
		.spec = config->spec, .verbs = config->verbs, .config = config, .run_info = run_info};
	size_t i;
	int err;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct header_value value = {0};

		if (!lines[i].value(&header, &value))
			continue;
		err = visit(lines[i].label, lines[i].key, &value, lines[i].suffix, arg);
		if (err)
			return err;
	}
	return 0;
}

char *header_title(const struct report_config *config, char separator)
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
	char text[128] = "";
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		strncat(text, words[i], sizeof(text) - strlen(text) - 1);
	for (i = 0; text[i]; i++) {
		if (text[i] == ' ')
			text[i] = separator;
	}
	return strdup(text);
}
