// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See diagnosis.h. */
#include "doctor/diagnosis.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report/envelope.h"
#include "util/terminal.h"
#include "util/units.h"

#define FINDINGS   "doctor_findings" /* how many */
#define CHECK	   "doctor_check"    /* of each the name, then its text and advice, in pieces */
#define TEXT	   "doctor_text"
#define ADVICE	   "doctor_advice"
#define PIECE	   96
#define MOST_FOUND 1000
#define BLOCK_SIZE 1024 /* the lines of a finding with the longest texts */

void diagnosis_add(struct diagnosis *diagnosis, const char *check, const char *text, const char *advice)
{
	struct diagnosed *added = &diagnosis->list[diagnosis->listed];

	diagnosis->count++;
	if (diagnosis->listed == DIAGNOSIS_MOST)
		return;
	diagnosis->listed++;
	printable(check, strlen(check), added->check, sizeof(added->check));
	printable(text, strlen(text), added->text, sizeof(added->text));
	printable(advice, strlen(advice), added->advice, sizeof(added->advice));
}

static void add_pieces(const char *name, const char *text, char block[BLOCK_SIZE])
{
	for (; *text; text += strnlen(text, PIECE))
		text_add(block, BLOCK_SIZE, "%s=%.*s\n", name, PIECE, text);
}

void diagnosis_write(const struct diagnosis *diagnosis, char *words, size_t size)
{
	const struct diagnosed *found = diagnosis->list;
	char block[BLOCK_SIZE];

	if (!diagnosis->known)
		return;
	snprintf(block, sizeof(block), FINDINGS "=%u\n", diagnosis->count);
	while (strlen(words) + strlen(block) < size) {
		text_add(words, size, "%s", block);
		if (found == diagnosis->list + diagnosis->listed)
			return;
		block[0] = '\0';
		add_pieces(CHECK, found->check, block);
		add_pieces(TEXT, found->text, block);
		add_pieces(ADVICE, found->advice, block);
		found++;
	}
}

/* Another piece. */
static int append(char text[DIAGNOSIS_TEXT_SIZE], const char *value)
{
	const size_t used = strlen(text);

	printable(value, strlen(value), text + used, DIAGNOSIS_TEXT_SIZE - used);
	return 0;
}

int diagnosis_take(struct diagnosis *diagnosis, const char *name, const char *value)
{
	struct diagnosed *last = diagnosis->listed ? &diagnosis->list[diagnosis->listed - 1] : NULL;
	uint64_t count;

	if (strcmp(name, FINDINGS) == 0) {
		if (diagnosis->known || units_parse_u64(value, 0, MOST_FOUND, &count))
			return -EBADMSG;
		diagnosis->known = true;
		diagnosis->count = (unsigned)count;
		return 0;
	}
	if (strcmp(name, CHECK) == 0) {
		if (diagnosis->listed == DIAGNOSIS_MOST || diagnosis->listed == diagnosis->count || !value[0])
			return -EBADMSG;
		last = &diagnosis->list[diagnosis->listed++];
		printable(value, strlen(value), last->check, sizeof(last->check));
		return 0;
	}
	if (strcmp(name, TEXT) == 0)
		return last ? append(last->text, value) : -EBADMSG;
	if (strcmp(name, ADVICE) == 0)
		return last ? append(last->advice, value) : -EBADMSG;
	return 0;
}

json_t *diagnosis_json(const struct diagnosis *diagnosis)
{
	json_t *list;

	if (!diagnosis->known)
		return json_null();
	list = json_array();
	for (unsigned i = 0; i < diagnosis->listed; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:o}", "name", envelope_text(diagnosis->list[i].check),
						"text", envelope_known(diagnosis->list[i].text), "advice",
						envelope_known(diagnosis->list[i].advice)));
	return json_pack("{s:i, s:o}", "found", (int)diagnosis->count, "findings", list);
}
