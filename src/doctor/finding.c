// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "doctor/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int finding_set(struct finding *finding, enum verdict verdict, const char *format, ...)
{
	char *advice;
	va_list arguments;

	va_start(arguments, format);
	finding->verdict = verdict;
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
	advice = strchr(finding->text, '\n');
	if (!advice)
		return 0;
	*advice++ = '\0';
	snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
	return 0;
}

const char *verdict_word(enum verdict verdict)
{
	static const char *const words[VERDICT_COUNT] = {
		[VERDICT_NONE] = "",
		[VERDICT_OK] = "ok",
		[VERDICT_LOOK] = "look here",
		[VERDICT_UNKNOWN] = "unknown",
	};

	return words[verdict];
}
