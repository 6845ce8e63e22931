// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are events consumed whole, in order, across the wrap of the ring, and is their room returned as the NIC expects? */
#include "cmocka_all.h"
#include "cxi/libcxi/libcxi_rings.h"

#define SLOTS 8

static _Alignas(64) uint8_t ring[SLOTS * CASSINI_SLOT_BYTES];
static uint64_t progress;
static struct libcxi_event_queue queue;

static int setup(void **state)
{
	memset(ring, 0, sizeof(ring));
	progress = 0;
	queue = (struct libcxi_event_queue){
		.bytes = sizeof(ring),
		.progress_address = &progress,
		.read_offset = CASSINI_SLOT_BYTES,
		.acked_offset = CASSINI_SLOT_BYTES,
		.number = 5,
		.events = ring,
	};
	return 0;
}

static void place_trigger(unsigned offset, unsigned counter, uint64_t threshold)
{
	const struct cassini_trigger_event event = {
		.threshold = threshold,
		.counter = counter,
		.size = CASSINI_EVENT_16_BYTES,
		.type = CASSINI_EVENT_TRIGGERED_OP,
		.return_code = CASSINI_RC_OK,
	};

	memcpy(ring + offset, &event, sizeof(event));
}

static void place_null(unsigned offset, unsigned size)
{
	memset(ring + offset, 0, 8u << size);
	ring[offset + 14] = size | CASSINI_EVENT_NULL << 2;
	ring[offset + (8u << size) - 1] = CASSINI_RC_OK;
}

TEST(fillers_are_skipped, setup, NULL)
{
	struct libcxi_event event;

	assert_false(libcxi_next_event(&queue, &event));
	place_trigger(64, 9, 256);
	place_null(80, CASSINI_EVENT_16_BYTES);
	place_null(96, CASSINI_EVENT_32_BYTES);
	place_trigger(128, 10, (1ULL << 48) - 1);
	assert_true(libcxi_next_event(&queue, &event));
	assert_int_equal(event.type, CASSINI_EVENT_TRIGGERED_OP);
	assert_int_equal(event.return_code, CASSINI_RC_OK);
	assert_int_equal(event.counter, 9);
	assert_int_equal(event.threshold, 256);
	assert_true(libcxi_next_event(&queue, &event));
	assert_int_equal(event.counter, 10);
	assert_int_equal(event.threshold, (1ULL << 48) - 1);
	assert_false(libcxi_next_event(&queue, &event));
}

TEST(the_target_says_where_and_how_much, setup, NULL)
{
	struct cassini_target_event target = {
		.header_data = 0x1122334455667788,
		.initiator = 0xabcdef01,
		.portal = 501,
		.size = CASSINI_EVENT_64_BYTES,
		.type = CASSINI_EVENT_RENDEZVOUS,
		.get_issued = 1,
		.moved_bytes = 3,
		.request_bytes = 4000000000,
		.remote_offset = (1ULL << 56) - 2,
		.start = (1ULL << 57) - 3,
		.match_bits = 0x12340000000003aa,
		.return_code = CASSINI_RC_OK,
	};
	struct libcxi_event event;

	memcpy(ring + 64, &target, sizeof(target));
	assert_true(libcxi_next_event(&queue, &event));
	assert_int_equal(event.type, CASSINI_EVENT_RENDEZVOUS);
	assert_true(event.get_issued);
	assert_int_equal(event.portal, 501);
	assert_int_equal(event.header_data, 0x1122334455667788);
	assert_int_equal(event.moved_bytes, 3);
	assert_int_equal(event.request_bytes, 4000000000);
	assert_int_equal(event.remote_offset, (1ULL << 56) - 2);
	assert_int_equal(event.start, (1ULL << 57) - 3);
	assert_int_equal(event.match_bits, 0x12340000000003aa);
}

/* Size first, the rest while we look: nothing is taken before the return code in the last byte is there. */
TEST(half_an_event_is_none, setup, NULL)
{
	struct libcxi_event event;

	place_trigger(64, 9, 1);
	ring[64 + 15] = 0;
	assert_false(libcxi_next_event(&queue, &event));
	assert_int_equal(queue.read_offset, 64);
	ring[64 + 15] = CASSINI_RC_OK;
	assert_true(libcxi_next_event(&queue, &event));
}

TEST(room_is_given_back_zeroed_and_round, setup, NULL)
{
	struct libcxi_event event;

	for (unsigned round = 0, slot = 1; round < 40; round++) {
		place_trigger(slot * 64, round, round);
		place_null(slot * 64 + 16, CASSINI_EVENT_16_BYTES);
		place_null(slot * 64 + 32, CASSINI_EVENT_32_BYTES);
		assert_true(libcxi_next_event(&queue, &event));
		assert_int_equal(event.counter, round);
		/* the fillers behind it are passed when the next one is looked for */
		assert_false(libcxi_next_event(&queue, &event));
		slot = slot + 1 == SLOTS ? 1 : slot + 1;
		if (round % 3 == 2) {
			libcxi_ack_events(&queue);
			assert_int_equal(progress, slot);
			for (unsigned i = 0; i < sizeof(ring); i++)
				assert_int_equal(ring[i], 0);
		}
	}
}

TEST(lost_events_are_seen, setup, NULL)
{
	assert_false(libcxi_events_lost(&queue));
	((struct cassini_event_status *)ring)->dropped = 1;
	assert_true(libcxi_events_lost(&queue));
	/* the bit that HPE's headers call unackd_dropped_event */
	assert_int_equal(ring[15], 1);
}

TEST(another_layout_is_found_out, setup, NULL)
{
	assert_true(libcxi_events_are_sane(&queue, ring, sizeof(ring)));
	assert_false(libcxi_events_are_sane(&queue, ring + 64, sizeof(ring)));
	queue.read_offset = 0;
	assert_false(libcxi_events_are_sane(&queue, ring, sizeof(ring)));
}

TEST(words_are_there_for_each_code, setup, NULL)
{
	assert_string_equal(libcxi_event_text(CASSINI_EVENT_REPLY), "REPLY");
	assert_string_equal(libcxi_event_text(77), "?");
	assert_string_equal(libcxi_return_text(CASSINI_RC_VNI_NOT_FOUND), "the target's NIC does not know the VNI");
	for (unsigned code = 0; code < 100; code++)
		assert_non_null(libcxi_return_text(code));
}

TEST_MAIN(NULL, NULL)
