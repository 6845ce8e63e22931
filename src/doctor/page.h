/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints the findings, as a page or as a JSON document. */
#pragma once

#include <stdio.h>

#include "doctor/checks.h"

/* Writes to stdout and to the file of --out_json, according to --output_format. 0 or -errno, reported. */
int page_write(const struct subject *subject, const struct finding *findings);

void page_text(FILE *out, const struct subject *subject, const struct finding *findings);

unsigned page_count(const struct finding *findings, enum verdict verdict);
