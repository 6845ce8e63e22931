// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses --rate. For the option's row, the rules, and session, which makes schedules of it. See load.h. */
#include "params/load.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "util/units.h"

#define LEAST_RATE   1e-3 /* messages per second */
#define MOST_RATE    1e9
#define MOST_PERCENT 100U
#define USUAL_STEP   10U

/* The percentage at *text, which is advanced past its sign; 0: there is none. */
static unsigned percent_scan(const char **text)
{
	unsigned percent = 0;

	for (; isdigit((unsigned char)**text) && percent <= MOST_PERCENT; ++*text)
		percent = percent * 10 + (unsigned)(**text - '0');
	if (**text != '%' || percent > MOST_PERCENT)
		return 0;
	++*text;
	return percent;
}

/* "50%", "10%..90%", "10%..90%:20%" */
static int shares_parse(const char *text, struct load *load)
{
	struct load shares = {.step = USUAL_STEP};

	shares.first = shares.last = percent_scan(&text);
	if (strncmp(text, "..", 2) == 0) {
		text += 2;
		shares.last = percent_scan(&text);
		if (*text == ':') {
			text++;
			shares.step = percent_scan(&text);
		}
	}
	if (*text || !shares.first || shares.last < shares.first || !shares.step)
		return -EINVAL;
	*load = shares;
	return 0;
}

int load_parse(const char *text, struct load *load)
{
	double rate;

	if (strchr(text, '%'))
		return shares_parse(text, load);
	if (units_parse_double(text, LEAST_RATE, MOST_RATE, &rate))
		return -EINVAL;
	*load = (struct load){.rate = rate, .step = 1};
	return 0;
}

const char *check_open_rate(const char *text)
{
	struct load load;

	if (!strcmp(text, LOAD_OFF) || !load_parse(text, &load))
		return NULL;
	return "is neither messages per second, 0.001 to 1e9, nor shares of the maximum from 1% to 100%, such as 50%, "
	       "10%..90% or 10%..90%:20%";
}
