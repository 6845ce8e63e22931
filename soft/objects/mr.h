/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory regions. See mr.c. */
#pragma once

#include "memory/mr_backing.h"

/* What a peer needs to map a region that is not in the data file; the caller closes its fd. */
/* Shares pages of an implicit region, until it is deregistered. 0 or a negative errno. */
int soft_mr_demand(uint32_t key, uint64_t start, uint64_t length, bool writes);
int soft_mr_file(uint32_t key, struct mr_file *file);
