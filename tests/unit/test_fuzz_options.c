// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The fuzzer's entry for command lines and client texts, over real ones and fixed mutations of them. */
#include "cmocka_all.h"
#include "fuzz/fuzz.h"
#include "random_numbers.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#define MUTATIONS 1000 /* of each input; a check to each access */
#else
#define MUTATIONS 4000
#endif
#define ROOM 1024

#define INPUT(text)                                                                                                    \
	{                                                                                                              \
		text, sizeof(text) - 1                                                                                 \
	}

static const struct {
	const char *bytes;
	size_t length;
} corpus[] = {
	INPUT("\2-s\0004K\0-b\0-n\000500\0host\0"),
	INPUT("\0--connection=UD\0-abn5\0--recv_post_list\0004\0--\0-x\0"),
	INPUT("\1--percentiles=50,90,99.9,100\0-H\0--report-histogrm\0--lat=5\0"),
	INPUT("\2--rate_limit=2.5\0--rate_u\0M\0--burst_size=8\0-D\0off\0-f\0auto\0"),
	INPUT("\3--pin_cores=0,2-3\0--bind_source_ip=::1\0-W\0a/b,c\0--out_json_file\0x\0"),
	INPUT("\6-A\0CMP_AND_SWAP\0-o\0004\0-q\00016\0-Q\00050\0-l\00050\0-w\0001e3\0"),
	INPUT("Z-dZ-duc\301,\355\0\235uc\301,\13\377\235"), /* two devices, of no printable names */
	INPUT("\202size=4096\nbidirectional=on\n?iters=5000\npost_list=8\nmargin=auto\n"),
	INPUT("\200connection=UD\nrx-depth=64\n?future=1\nreport_interval=0.5\nmtu=1024\n"),
};

/* One change: a byte turned, a piece repeated, a piece cut out, or a piece of another input put in. */
static size_t mutate(uint8_t *bytes, size_t length)
{
	const size_t from = 1 + random_below(length - 1);
	const size_t piece = random_below(length - from) + 1;
	const size_t other = random_below(sizeof(corpus) / sizeof(corpus[0]));

	switch (random_below(4)) {
	case 0:
		bytes[from] = (uint8_t)random_u64();
		return length;
	case 1:
		if (length + piece > ROOM)
			return length;
		memmove(bytes + from + piece, bytes + from, length - from);
		return length + piece;
	case 2:
		if (length - piece < 2)
			return length;
		memmove(bytes + from, bytes + from + piece, length - from - piece);
		return length - piece;
	default:
		if (length + corpus[other].length > ROOM)
			return length;
		memmove(bytes + from + corpus[other].length, bytes + from, length - from);
		memcpy(bytes + from, corpus[other].bytes, corpus[other].length);
		return length + corpus[other].length;
	}
}

TEST(inputs_and_their_mutations_are_survived)
{
	uint8_t bytes[ROOM];

	for (size_t i = 0; i < sizeof(corpus) / sizeof(corpus[0]); i++) {
		assert_int_equal(LLVMFuzzerTestOneInput((const uint8_t *)corpus[i].bytes, corpus[i].length), 0);
		for (unsigned round = 0; round < MUTATIONS; round++) {
			size_t length = corpus[i].length;

			memcpy(bytes, corpus[i].bytes, length);
			for (size_t change = random_below(4) + 1; change > 0; change--)
				length = mutate(bytes, length);
			assert_int_equal(LLVMFuzzerTestOneInput(bytes, length), 0);
		}
	}
}

TEST_MAIN(NULL, NULL)
