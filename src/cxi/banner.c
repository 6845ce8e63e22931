// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The banner. See report.h. Lines that are not in the manual page are only printed if an option requires them, or if
 * the clock is not the usual one.
 */
#include "cxi/report.h"

#include <inttypes.h>

#include "stats/clock.h"

static void line(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%-16s : %s\n", name, value);
}

static void banner_number(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "%-16s : %" PRIu64 "\n", name, value);
}

static void enabled(FILE *out, const char *name, bool is)
{
	line(out, name, is ? "Enabled" : "Disabled");
}

static void place_lines(FILE *out, const struct cxi_params *params, const struct cxi_facts *facts)
{
	if (facts->link->provider[0]) {
		line(out, "Provider", facts->link->provider);
		if (params->device[0])
			line(out, "Domain", params->device);
		return;
	}
	line(out, "Device", params->device);
	banner_number(out, "Service ID", params->svc_id);
}

static void memory_lines(FILE *out, const struct cxi_params *params, const struct cxi_facts *facts)
{
	const struct cxi_memory *client = params->host[0] ? facts->own_memory : facts->peer_memory;
	const struct cxi_memory *server = params->host[0] ? facts->peer_memory : facts->own_memory;

	line(out, "Client TX Mem", client->tx);
	if (params->bidirectional) {
		line(out, "Client RX Mem", client->rx);
		line(out, "Server TX Mem", server->tx);
	}
	line(out, "Server RX Mem", server->rx);
	if (client->gpu[0])
		line(out, "Client GPU Type", client->gpu);
	if (server->gpu[0])
		line(out, "Server GPU Type", server->gpu);
}

static void test_lines(FILE *out, const struct cxi_params *params)
{
	uint64_t min, max;

	line(out, "Test Type", params->duration_s ? "Duration" : "Iteration");
	if (params->duration_s)
		fprintf(out, "%-16s : %" PRIu32 " seconds\n", "Duration", params->duration_s);
	else
		banner_number(out, "Iterations", params->iters);
	cxi_sizes(params, &min, &max);
	if (min == max) {
		banner_number(out, "Send Size", min);
	} else {
		banner_number(out, "Min Send Size", min);
		banner_number(out, "Max Send Size", max);
	}
	banner_number(out, "List Size", params->list);
}

static const char *huge_text(const struct cxi_params *params, const struct cxi_facts *facts)
{
	if (params->huge_pages == HUGE_OFF)
		return "Disabled";
	if (!facts->pages_are_huge)
		return "Disabled - Not Applicable";
	return params->huge_pages == HUGE_2M ? "2M" : "1G";
}

void cxi_banner(FILE *out, const struct cxi_params *params, const struct cxi_facts *facts)
{
	const struct cxi_link *link = facts->link;
	const bool has_provider = link->provider[0], is_server = !params->host[0];

	fprintf(out, CXI_RULE "\n");
	fprintf(out, "    CXI RDMA Send Bandwidth Test\n");
	place_lines(out, params, facts);
	memory_lines(out, params, facts);
	test_lines(out, params);
	enabled(out, has_provider ? "Inject" : "IDC", facts->has_idc);
	enabled(out, "Bidirectional", params->bidirectional);
	if (!has_provider)
		enabled(out, "Rendezvous PUTs", params->rdzv);
	if (params->verify)
		line(out, "Verify", "Enabled (its time is in the figures)");
	fprintf(out, "%-16s : %" PRIu64 " (%" PRIu64 " used)\n", "Max RDMA Buf", params->buf_size,
		facts->buffer_length);
	banner_number(out, "RDMA Buf Align", params->buf_align);
	line(out, "Hugepages", huge_text(params, facts));
	if (clock_calibrate()->fallback)
		line(out, "Clock", CLOCK_FALLBACK_TEXT);
	line(out, is_server ? "Local (server)" : "Local (client)", link->own_text);
	fprintf(out, "%-16s : %s%s\n", is_server ? "Remote (client)" : "Remote (server)", link->peer_text,
		link->is_loopback ? " (loopback)" : "");
	if (has_provider)
		fprintf(out,
			"Not libcxi: the receiver posts a receive for each send, %s\n"
			"chooses how a send travels, and packets are not counted.\n",
			link->provider);
	fprintf(out, CXI_RULE "\n");
}
