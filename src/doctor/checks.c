// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See checks.h. */
#include "doctor/checks.h"

#define CHECK(group, name, look, of) {group, name, look, of},
const struct doctor_check checks[] = {CHECKS};

const size_t num_checks = sizeof(checks) / sizeof(checks[0]);

void check_run(const struct doctor_check *check, struct subject *subject, struct finding *finding)
{
	if ((check->of == CHECK_DEVICE && subject->kind != SUBJECT_DEVICE) ||
	    (check->of == CHECK_SOFTWARE && subject->kind != SUBJECT_SOFTWARE))
		return;
	if (check->look(subject, finding))
		finding_unknown(finding, "%s", subject->tree.failure);
}
