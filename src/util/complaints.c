// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See complaints.h. */
#include "util/complaints.h"

#include "util/log.h"

#define LOUD	  20 /* printed errors per minute */
#define MINUTE_MS 60000

bool complaints_are_many(const struct complaints *complaints)
{
	return complaints->failed >= LOUD;
}

void complaints_add(struct complaints *complaints, bool left_out)
{
	complaints->failed++;
	complaints->left_out += left_out;
}

void complaints_renew(struct complaints *complaints)
{
	if (!deadline_passed(complaints->end))
		return;
	if (complaints->left_out)
		log_info("%u more clients failed without a report", complaints->left_out);
	*complaints = (struct complaints){.end = deadline_in_ms(MINUTE_MS)};
}
