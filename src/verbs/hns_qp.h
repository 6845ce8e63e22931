/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --congest_type: which congestion control a queue pair of HiSilicon's adapters has, by libhns (hnsdv_create_qp(3)).
 * Its header is on no processor but theirs, so what it says stands here. Through provider_qp.h; this is for tests.
 * Never run on such an adapter.
 */
#ifndef VERBS_HNS_QP_H
#define VERBS_HNS_QP_H

#include <stddef.h>
#include <stdint.h>

/* struct hnsdv_qp_init_attr */
struct hns_qp_init {
	uint64_t comp_mask;
	uint32_t create_flags;
	uint8_t congest_type;
	uint8_t reserved[3];
};

/* struct hnsdv_context */
struct hns_context {
	uint64_t comp_mask;
	uint64_t flags;
	uint8_t congest_type;
	uint8_t reserved[7];
};

/* "DCQCN, LDCP": those of the device that options know. Returns text; "": it has none. */
const char *hns_congestion_text(const struct hns_context *context, char *text, size_t size);

#endif
