// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See examine.h, and the table of checks.h. */
#include "doctor/examine.h"

#include <stdlib.h>

#include "doctor/checks.h"
#include "doctor/diagnosis.h"
#include "util/deadline.h"
#include "util/log.h"

#define MOST_MS 500 /* the peer waits meanwhile, by its own --timeout: a second may be all of that */

#define CHECK(group, name, look, of, slows) {group, name, look, of, slows},
const struct doctor_check checks[] = {CHECKS};

const size_t num_checks = sizeof(checks) / sizeof(checks[0]);

void check_run(const struct doctor_check *check, struct subject *subject, struct finding *finding)
{
	const bool applies[] = {
		[CHECK_HOST] = true,
		[CHECK_DEVICE] = subject->kind == SUBJECT_DEVICE,
		[CHECK_PCI] = subject->pci[0],
		[CHECK_ADAPTER] = subject->kind == SUBJECT_DEVICE || subject->pci[0],
		[CHECK_SOFTWARE] = subject->kind == SUBJECT_SOFTWARE,
	};

	if (applies[check->of] && check->look(subject, finding))
		finding_unknown(finding, "%s", subject->tree.failure);
	advice_fit(&subject->options->program, finding->text);
	advice_fit(&subject->options->program, finding->advice);
}

void doctor_examine(const struct doctor_options *options, subject_open_as *open, struct diagnosis *diagnosis)
{
	const bool has_time = options->timeout_ms < 0 || options->timeout_ms > 2 * MOST_MS;
	const int64_t most_ms = has_time ? MOST_MS : options->timeout_ms / 2;
	const struct deadline deadline = deadline_in_ms(most_ms);
	struct subject *subject = calloc(1, sizeof(*subject)); /* large, and the stack may be small */
	size_t i;
	int ret;

	if (!subject) {
		log_error("no memory for the findings");
		return;
	}
	ret = open(subject, options);
	diagnosis->known = !ret;
	for (i = 0; !ret && i < num_checks && !deadline_passed(deadline); i++) {
		struct finding finding = {0};

		if (checks[i].slows)
			check_run(&checks[i], subject, &finding);
		if (finding.verdict == VERDICT_LOOK)
			diagnosis_add(diagnosis, checks[i].name, finding.text, finding.advice);
	}
	if (!ret && i < num_checks)
		log_warning("--explain: the doctor took more than %d ms; its last checks were left out", (int)most_ms);
	free(subject);
}
