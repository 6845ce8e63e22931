/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How are the findings told: as a page for people, as a JSON document for programs? */
#ifndef DOCTOR_PAGE_H
#define DOCTOR_PAGE_H

#include <stdio.h>

#include "doctor/checks.h"

/* To stdout and to the file of --out_json, as --output_format says. 0 or -errno, reported. */
int page_write(const struct subject *subject, const struct finding *findings);

void page_text(FILE *out, const struct subject *subject, const struct finding *findings);

unsigned page_count(const struct finding *findings, enum verdict verdict);

#endif
