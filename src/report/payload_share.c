// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See payload_share.h. */
#include <config.h>

#include "report/payload_share.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "report/envelope.h"
#include "report/judge.h"
#include "util/log.h"
#include "util/pcie.h"
#include "util/sysfs.h"

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

json_t *payload_share_json(const struct payload_path *path, const struct report_row *row, enum report_part part,
			   unsigned peers)
{
	const struct payload_share whole = share_in(path, row, part);

	if (!(whole.possible > 0))
		return json_null();
	return json_pack("{s:o, s:o, s:s, s:o, s:o}", "percent", envelope_number(whole.percent * peers),
			 "bandwidth_bytes_per_second", json_real(whole.possible / peers), "limited_by",
			 whole.limited_by, "link_bytes_per_second",
			 envelope_above_zero(whole.limit.link * whole.directions / peers), "pcie_bytes_per_second",
			 envelope_above_zero(whole.limit.pcie * whole.directions / peers));
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
	char pcie_name[64], at[40] = "", packets[24] = "frames", links[40], beside[96] = "", what[256];

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
	else if (path->wire == WIRE_NOT_COUNTED)
		snprintf(what, sizeof(what), "the rate of the link%s%s", both, beside);
	else
		snprintf(what, sizeof(what), "the payload limit of %s over %s%s%s", packets, links, both, beside);
	snprintf(text, PAYLOAD_SHARE_TEXT, "%.1f %% of %.1f Gb/s%s, %s%s", share.percent,
		 share.possible / BYTES_PER_GIGABIT, at, what,
		 payload_is_paced(path, row->size, row->message_rate) ? ", at the rate of --rate_limit" : "");
	return true;
}

double payload_share_of(const struct payload_path *path, uint64_t size, double percent, enum limit_unit unit)
{
	const struct payload_limit limit = payload_limit_of(path, size);
	const double whole = unit == LIMIT_OF_LINE ? path->link_gbits * BYTES_PER_GIGABIT : payload_limit_least(&limit);

	return percent / 100 * whole * (path->sums ? 2 : 1);
}

int payload_share_check(const struct payload_path *path, const char *option, const char *on)
{
	const char *lack = payload_limit_lacks(path);

	return lack ? log_fail(-EOPNOTSUPP,
			       "%s compares with what is possible, which is unknown on %s: %s; give a limit without %%",
			       option, on, lack)
		    : 0;
}

int payload_share_check_limits(const struct payload_path *path, const struct opt_table *table, const void *values,
			       unsigned bw_unit, unsigned msgrate_unit, const char *on)
{
	char title[LIMIT_TITLE_SIZE];

	if (!bw_unit && !msgrate_unit)
		return 0;
	return payload_share_check(path, judge_title(table, bw_unit ? "limit_bw" : "limit_msgrate", values, title), on);
}

void payload_best_take(struct payload_best *best, const struct payload_path *path, bool asked, struct report_row *row)
{
	if (asked && path->copies)
		row->copied = payload_copy_rate(row->size);
	if (!best->num_rows++ || isnan(best->row.bw_average) || row->bw_average > best->row.bw_average)
		best->row = *row;
}

void payload_best_print(const struct payload_best *best, const struct payload_path *path, bool asked,
			const struct results *results)
{
	char line[PAYLOAD_SHARE_TEXT];
	bool known;

	if (!best->num_rows || isnan(best->row.bw_average))
		return;
	known = payload_share_text(path, &best->row, best->num_rows > 1, line);
	if (asked || (known && results_are_in(results, FORMAT_TEXT) && isatty(fileno(results->out))))
		results_lines(results, line, results->indent);
}

void payload_path_take_pcie(struct payload_path *path, const char *function)
{
	char physical[PATH_MAX];
	struct pcie_link least;

	if (!sysfs_is_pci_address(sysfs_name(function)))
		return;
	pcie_physical(function, physical);
	if (!pcie_least_link(physical, &least))
		return;
	path->pcie_rate = least.rate;
	path->pcie_lanes = least.lanes;
	path->pcie_gbits = pcie_gbits(least.rate, least.lanes);
	path->pcie_bytes = pcie_payload(pcie_device_control(physical));
}

/* --- what memcpy moves --- */

#define MOST_BYTES ((uint64_t)64 << 20)
#define BLOCK_S	   0.001 /* long enough for the clock */
#define TOTAL_S	   0.06

static double now_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* In time of the CPU: other processes of a busy host do not slow down memcpy(). */
static double copies_take(uint8_t *to, const uint8_t *from, size_t size, unsigned copies)
{
	const double begin = now_s(CLOCK_THREAD_CPUTIME_ID);

	for (unsigned i = 0; i < copies; i++) {
		memcpy(to, from, size);
		__asm__ volatile("" : : "r"(to) : "memory"); /* no copy is left out */
	}
	return now_s(CLOCK_THREAD_CPUTIME_ID) - begin;
}

double payload_copy_rate(uint64_t size)
{
	const size_t bytes = size < MOST_BYTES ? (size_t)size : MOST_BYTES;
	const double begin = now_s(CLOCK_MONOTONIC_RAW);
	double best = 0, took;
	unsigned copies = 1;
	uint8_t *memory;

	/* Shared pages, as those of the software device. */
	memory = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return 0;
	do {
		took = copies_take(memory + bytes, memory, bytes, copies);
		if (took < BLOCK_S && copies < 1U << 30)
			copies *= 2;
		else if ((double)bytes * copies / took > best)
			best = (double)bytes * copies / took;
	} while (!(best > 0) || now_s(CLOCK_MONOTONIC_RAW) - begin < TOTAL_S);
	munmap(memory, 2 * bytes);
	return best;
}
