// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See payload_share.h. */
#include "report/payload_share.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/envelope.h"

#define BYTES_PER_GIGABIT 125e6

struct payload_share {
	double possible; /* bytes per second, of what the row has; 0: unknown */
	double percent;	 /* NaN: the row has no bandwidth */
	const char *limited_by;
	unsigned directions;
	struct payload_limit limit; /* of one direction */
};

static struct payload_share share_in(const struct payload_path *path, const struct report_row *row,
				     enum report_part part)
{
	struct payload_share share = {
		.limited_by = "link",
		.directions = path->sums && part == REPORT_TOTAL ? 2 : 1,
		.limit = payload_limit_of(path, row->size),
	};

	share.possible = payload_limit_least(&share.limit) * share.directions;
	if (payload_limit_is_pcie(&share.limit))
		share.limited_by = "pcie";
	if (row->copied > 0) {
		share.limited_by = "memcpy";
		share.possible = row->copied * share.directions;
	}
	share.percent = row->bw_average / share.possible * 100;
	return share;
}

json_t *payload_share_json(const struct payload_path *path, const struct report_row *row, enum report_part part)
{
	const struct payload_share share = share_in(path, row, part);

	if (!(share.possible > 0))
		return json_null();
	return json_pack("{s:o, s:o, s:s, s:o, s:o}", "percent", envelope_number(share.percent),
			 "bandwidth_bytes_per_second", json_real(share.possible), "limited_by", share.limited_by,
			 "link_bytes_per_second", envelope_above_zero(share.limit.link * share.directions),
			 "pcie_bytes_per_second", envelope_above_zero(share.limit.pcie * share.directions));
}

/* "PCIe 5.0 x16 with payloads of 256 bytes" */
static void name_pcie(const struct payload_path *path, char *text, size_t size)
{
	static const double rates[] = {2.5, 5, 8, 16, 32, 64, 128};
	char payloads[48] = "";
	unsigned generation = 0;

	while (generation < sizeof(rates) / sizeof(rates[0]) && rates[generation] < path->pcie_rate)
		generation++;
	if (path->pcie_bytes)
		snprintf(payloads, sizeof(payloads), " with payloads of %" PRIu32 " bytes", path->pcie_bytes);
	snprintf(text, size, "PCIe %u.0 x%u%s", generation + 1, path->pcie_lanes, payloads);
}

bool payload_share_text(const struct payload_path *path, const struct report_row *row, bool names_size,
			char text[PAYLOAD_SHARE_TEXT])
{
	const struct payload_share share = share_in(path, row, REPORT_TOTAL);
	const double link = share.limit.link * share.directions / BYTES_PER_GIGABIT;
	const double pcie = share.limit.pcie * share.directions / BYTES_PER_GIGABIT;
	const char *both = share.directions > 1 ? " in both directions" : "";
	char pcie_name[64], at[40] = "", packets[24] = "frames", links[40], beside[96] = "", what[192];

	if (!(share.possible > 0)) {
		snprintf(text, PAYLOAD_SHARE_TEXT, "no share of what is possible: %s", payload_limit_lacks(path));
		return false;
	}
	name_pcie(path, pcie_name, sizeof(pcie_name));
	snprintf(links, sizeof(links), "%s %.4g Gb/s", path->num_links > 1 ? "links of together" : "a link of",
		 path->link_gbits);
	if (names_size)
		snprintf(at, sizeof(at), " at %" PRIu64 " bytes", row->size);
	if (path->wire != WIRE_ETHERNET)
		snprintf(packets, sizeof(packets), "MTU %" PRIu32, path->mtu);
	if (pcie > 0)
		snprintf(beside, sizeof(beside), " (%s allows %.1f)", pcie_name, pcie);
	if (row->copied > 0)
		snprintf(what, sizeof(what), "%swhat memcpy moves on one CPU of this host", *both ? "twice " : "");
	else if (payload_limit_is_pcie(&share.limit))
		snprintf(what, sizeof(what), "what %s carries%s (%s allows %.1f)", pcie_name, both, links, link);
	else
		snprintf(what, sizeof(what), "the payload limit of %s over %s%s%s", packets, links, both, beside);
	snprintf(text, PAYLOAD_SHARE_TEXT, "%.1f %% of %.1f Gb/s%s, %s", share.percent,
		 share.possible / BYTES_PER_GIGABIT, at, what);
	return true;
}
