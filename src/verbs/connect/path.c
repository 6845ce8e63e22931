// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* LIDs, alternate paths and static rates. See path.h. */
#include "verbs/connect/path.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/log.h"
#include "util/terminal.h"
#include "verbs/resources.h"

/* 0 or -errno, reported. */
static int lid_of(const struct resources *resources, uint8_t number, const struct ibv_port_attr *port, uint16_t *lid)
{
	const unsigned bits = resources->config->src_path_bits;

	if (bits >> port->lmc)
		return log_fail(-EINVAL, "port %u of %s has an LMC of %u, so source path bits are 0 to %u, not %u",
				number, resources->device->name, port->lmc, (1U << port->lmc) - 1, bits);
	*lid = (uint16_t)(port->lid + bits);
	return 0;
}

static int open_alternate(struct resources *resources)
{
	const struct device *device = resources->device;
	const uint8_t number = resources->config->alt_port;
	struct ibv_port_attr port;
	int err;

	if (!(device->attr.device_cap_flags & IBV_DEVICE_AUTO_PATH_MIG))
		return log_fail(-EOPNOTSUPP, "%s has no automatic path migration, which an alternate port needs",
				device->name);
	if (number > device->attr.phys_port_cnt)
		return log_fail(-EINVAL, "%s has %u ports, so there is no alternate port %u", device->name,
				device->attr.phys_port_cnt, number);
	err = ibv_query_port(device->context, number, &port);
	if (err)
		return log_fail(-err, "cannot query the alternate port %u of %s: %s", number, device->name,
				strerror(err));
	if (port.state != IBV_PORT_ACTIVE)
		return log_fail(-ENETDOWN, "the alternate port %u of %s is not active", number, device->name);
	return lid_of(resources, number, &port, &resources->alt_lid);
}

int path_open(struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	const struct device *device = resources->device;
	int err;

	resources->lid = device->port_attr.lid;
	if (!config->alt_port && !config->src_path_bits)
		return 0;
	if (device->ethernet)
		return log_fail(-EOPNOTSUPP,
				"port %u of %s is Ethernet, but source path bits and alternate ports need InfiniBand",
				device->port, device->name);
	err = lid_of(resources, device->port, &device->port_attr, &resources->lid);
	return err || !config->alt_port ? err : open_alternate(resources);
}

int path_add_alternate(const struct resources *resources, const struct endpoint *remote,
		       const struct ibv_ah_attr *first, struct ibv_qp_attr *attr, int *mask)
{
	const struct verbs_config *config = resources->config;

	if (!config->alt_port && !remote->alt_lid)
		return 0;
	if (!config->alt_port || !remote->alt_lid)
		return log_fail(-EINVAL, "only %s has an alternate port: both sides need one",
				config->alt_port ? "this side" : "the other side");
	attr->alt_ah_attr = *first;
	attr->alt_ah_attr.dlid = remote->alt_lid;
	attr->alt_ah_attr.port_num = config->alt_port;
	attr->alt_port_num = config->alt_port;
	attr->alt_pkey_index = config->pkey_index;
	attr->alt_timeout = config->qp_timeout;
	attr->path_mig_state = IBV_MIG_REARM;
	*mask |= IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE;
	return 0;
}

/* --- static rates --- */

static const struct {
	double gbits;
	enum ibv_rate rate;
} rates[] = {
	{2.5, IBV_RATE_2_5_GBPS}, {5, IBV_RATE_5_GBPS},	    {10, IBV_RATE_10_GBPS},    {14, IBV_RATE_14_GBPS},
	{20, IBV_RATE_20_GBPS},	  {25, IBV_RATE_25_GBPS},   {28, IBV_RATE_28_GBPS},    {30, IBV_RATE_30_GBPS},
	{40, IBV_RATE_40_GBPS},	  {50, IBV_RATE_50_GBPS},   {56, IBV_RATE_56_GBPS},    {60, IBV_RATE_60_GBPS},
	{80, IBV_RATE_80_GBPS},	  {100, IBV_RATE_100_GBPS}, {112, IBV_RATE_112_GBPS},  {120, IBV_RATE_120_GBPS},
	{168, IBV_RATE_168_GBPS}, {200, IBV_RATE_200_GBPS}, {300, IBV_RATE_300_GBPS},  {400, IBV_RATE_400_GBPS},
	{600, IBV_RATE_600_GBPS}, {800, (enum ibv_rate)23}, {1200, (enum ibv_rate)24}, /* XDR: missing in older headers
											*/
};

#define NUM_RATES (sizeof(rates) / sizeof(rates[0]))

int static_rate_from_gbits(double gbits, enum ibv_rate *rate)
{
	for (size_t i = 0; i < NUM_RATES; i++) {
		if (fabs(rates[i].gbits - gbits) < 1e-6 * gbits) {
			*rate = rates[i].rate;
			return 0;
		}
	}
	return -ENOENT;
}

double static_rate_gbits(enum ibv_rate rate)
{
	for (size_t i = 0; i < NUM_RATES; i++)
		if (rates[i].rate == rate)
			return rates[i].gbits;
	return 0;
}

const char *static_rate_list(char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < NUM_RATES; i++)
		text_add(text, size, "%s%g", i ? ", " : "", rates[i].gbits);
	return text;
}
