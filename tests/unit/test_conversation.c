// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whole conversations with the peers of tests/fuzz/corpus/fuzz_conversation, intact and damaged at each position. */
#include "cmocka_all.h"

#include "fuzz/corpus.h"
#include "fuzz/fuzz_conversation.h"

TEST(kept_inputs_end_well)
{
	assert_true(corpus_replay("fuzz_conversation", LLVMFuzzerTestOneInput) > 0);
}

/* One that a peer cut short would say little about what comes behind it. */
TEST(right_ones_are_held_to_the_end)
{
	static const char *const names[] = {
		"native_client",	  "native_server",	    "native_rounds",	 "native_ports",
		"native_waits_of_client", "native_waits_of_server", "native_gathers",	 "native_samples",
		"native_samples_none",	  "classic_write",	    "classic_write_gid", "classic_send",
		"classic_send_lat",	  "classic_read_lat",	    "classic_write_lat", "classic_sweep",
	};
	static uint8_t bytes[CORPUS_MAX_INPUT];
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/fuzz_conversation/%s", TOP_SRCDIR, names[i]);
		file = fopen(path, "rb");
		if (!file)
			fail_msg("no %s", path);
		LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof(bytes), file));
		fclose(file);
		if (conversation_result)
			fail_msg("%s ended with %d", names[i], conversation_result);
	}
}

TEST(damaged_inputs_end_well)
{
	assert_true(corpus_replay_damaged("fuzz_conversation", LLVMFuzzerTestOneInput) > 0);
}

TEST_MAIN(NULL, NULL)
