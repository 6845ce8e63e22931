/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --congest_type: selects the congestion control of a QP on HiSilicon adapters, with libhns (hnsdv_create_qp(3)). Its
 * header is only installed on their processors, so its declarations are repeated here. Called through maker.h;
 * declared for tests. Never run on such an adapter.
 */
#pragma once

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

/* "DCQCN, LDCP": the algorithms of the device that have an option. Returns text; "" if there is none. */
const char *hns_congestion_text(const struct hns_context *context, char *text, size_t size);
