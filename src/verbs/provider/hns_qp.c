// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See hns_qp.h. */
#include "verbs/provider/hns_qp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/log.h"
#include "util/terminal.h"
#include "verbs/device/device.h"
#include "verbs/device/direct_library.h"
#include "verbs/maker.h"

#define OPTION		    "--congest_type"
#define WITH_CONGEST_TYPE   (1U << 1) /* HNSDV_QP_INIT_ATTR_MASK_QP_CONGEST_TYPE */
#define KNOWS_CONGEST_TYPES (1U << 0) /* HNSDV_CONTEXT_MASK_CONGEST_TYPE */

struct hns_library {
	bool (*is_supported)(struct ibv_device *device);
	int (*query_device)(struct ibv_context *context, struct hns_context *attr);
	struct ibv_qp *(*create_qp)(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
				    struct hns_qp_init *init);
};

#define ROW(name) LIBRARY_ROW_IN(struct hns_library, name, "hnsdv_" #name, .version = "HNS_1.0", .since = 52)
static const struct library_symbol symbols[] = {ROW(is_supported), ROW(query_device), ROW(create_qp), {.name = NULL}};
static const struct direct_library file = {
	{{"libhns.so.1"}, symbols, DIRECT_PROVIDERS " of a release that has it", false},
	.bytes = sizeof(struct hns_library)};

/* Indexed by enum config_congestion; bits of enum hnsdv_qp_congest_ctrl_type. */
static const struct {
	const char *name;
	uint8_t bit;
} controls[] = {
	[CONGESTION_DCQCN] = {"DCQCN", 1 << 0},
	[CONGESTION_LDCP] = {"LDCP", 1 << 1},
	[CONGESTION_HC3] = {"HC3", 1 << 2},
	[CONGESTION_DIP] = {"DIP", 1 << 3},
};

const char *hns_congestion_text(const struct hns_context *context, char *text, size_t size)
{
	text[0] = '\0';
	if (!(context->comp_mask & KNOWS_CONGEST_TYPES))
		return text;
	for (unsigned i = CONGESTION_DCQCN; i <= CONGESTION_DIP; i++)
		if (context->congest_type & controls[i].bit)
			text_list_add(text, size, controls[i].name);
	return text;
}

static int hns_check(const struct device *device, const struct verbs_config *config)
{
	const struct hns_library *hns = device->is_software ? NULL : direct_library_of(device->direct, &file, OPTION);
	struct hns_context context = {.comp_mask = KNOWS_CONGEST_TYPES};
	char text[64];
	int err;

	if (device->is_software || (hns && !hns->is_supported(device->context->device)))
		return log_fail(-EOPNOTSUPP, OPTION " is for HiSilicon adapters (driver hns), which %s is not",
				device->name);
	if (!hns)
		return -EOPNOTSUPP;
	err = hns->query_device(device->context, &context);
	if (err)
		return log_fail(-err, "cannot query the congestion control algorithms of %s: %s", device->name,
				strerror(err));
	/* As the kernel's driver has it (drivers/infiniband/hw/hns, set_congest_type()). */
	if (config->congestion != CONGESTION_DCQCN && transport_traits(config->transport)->datagram)
		return log_fail(-EOPNOTSUPP, "%s has only the congestion control %s for datagrams", device->name,
				controls[CONGESTION_DCQCN].name);
	if (context.comp_mask & KNOWS_CONGEST_TYPES && context.congest_type & controls[config->congestion].bit)
		return 0;
	hns_congestion_text(&context, text, sizeof(text));
	return log_fail(-EOPNOTSUPP, "%s does not offer the congestion control %s%s%s", device->name,
			controls[config->congestion].name, text[0] ? ", but " : "", text);
}

static struct ibv_qp *hns_create(const struct device *device, const struct verbs_config *config,
				 struct ibv_qp_init_attr_ex *attr, const struct qp_steps *row)
{
	const struct hns_library *hns = direct_library_of(device->direct, &file, OPTION);
	struct hns_qp_init init = {.comp_mask = WITH_CONGEST_TYPE, .congest_type = controls[config->congestion].bit};

	(void)row;
	if (hns)
		return hns->create_qp(device->context, attr, &init);
	errno = EOPNOTSUPP;
	return NULL;
}

const struct qp_maker maker_hns = {.check = hns_check, .create = hns_create};
