// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "doctor/doctor.h"

#include <stdlib.h>

#include "doctor/checks.h"
#include "doctor/page.h"
#include "util/log.h"

enum exit_status doctor_run(const struct params *params)
{
	struct finding *findings = calloc(num_checks, sizeof(*findings));
	struct subject *subject = calloc(1, sizeof(*subject));
	enum exit_status status = EXIT_STATUS_FAILURE;

	if (!findings || !subject) {
		log_error("no memory for the findings");
		goto out;
	}
	if (subject_find(subject, "" /* this machine */, params))
		goto out;
	if (subject_probe(subject))
		goto out;
	for (size_t i = 0; i < num_checks; i++)
		check_run(&checks[i], subject, &findings[i]);
	if (page_write(subject, findings))
		goto out;
	status = page_count(findings, VERDICT_LOOK) ? EXIT_STATUS_FINDINGS : EXIT_STATUS_OK;
out:
	free(subject);
	free(findings);
	return status;
}
