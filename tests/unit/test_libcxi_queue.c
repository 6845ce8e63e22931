// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are commands laid out in the ring as the NIC expects, and is the doorbell rung once for all of them? */
#include "cmocka_all.h"
#include "cxi/libcxi/libcxi_rings.h"

#define SLOTS 64
#define FIRST 8 /* unit */

static _Alignas(64) uint8_t ring[SLOTS * CASSINI_SLOT_BYTES];
static uint64_t doorbell;
static struct libcxi_queue queue;

static int setup(void **state)
{
	memset(ring, 0xee, sizeof(ring));
	memset(ring, 0, CASSINI_SLOT_BYTES);
	((struct cassini_queue_status *)ring)->read_slot = CASSINI_FIRST_SLOT;
	doorbell = CASSINI_FIRST_SLOT;
	queue = (struct libcxi_queue){
		.slots = SLOTS,
		.units = 2 * SLOTS,
		.doorbell = &doorbell,
		.commands = ring,
		.read_unit = FIRST,
		.write_unit = FIRST,
		.rung_unit = FIRST,
	};
	return 0;
}

static const struct cassini_command *command_at(unsigned unit)
{
	return (const void *)(ring + unit * CASSINI_UNIT_BYTES);
}

static void assert_noop(unsigned unit)
{
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(ring[unit * CASSINI_UNIT_BYTES + i], 0);
}

static void read_up_to_here(void)
{
	((struct cassini_queue_status *)ring)->read_slot = queue.write_unit / 2;
}

/* Payload bytes, and the units of 32 bytes that the command takes with its header of 16. */
TEST(immediate_data_takes_the_smallest_command, setup, NULL)
{
	static const struct {
		size_t bytes;
		unsigned size, units;
	} cases[] = {{0, 0, 1},	 {1, 0, 1},   {16, 0, 1},  {17, 1, 2}, {48, 1, 2},
		     {49, 2, 4}, {112, 2, 4}, {113, 3, 8}, {192, 3, 8}};
	const struct cassini_idc header = {.command.opcode = CASSINI_PUT, .address = 0x12345, .remote_offset = 77};
	uint8_t payload[CASSINI_IDC_BYTES];

	for (unsigned i = 0; i < sizeof(payload); i++)
		payload[i] = i + 1;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct cassini_idc *idc = (const void *)command_at(FIRST);

		setup(state);
		assert_int_equal(libcxi_put_idc(&queue, &header, payload, cases[i].bytes), 0);
		assert_int_equal(queue.write_unit, FIRST + cases[i].units);
		assert_int_equal(idc->command.type, CASSINI_TYPE_IDC);
		assert_int_equal(idc->command.size, cases[i].size);
		assert_int_equal(idc->command.opcode, CASSINI_PUT);
		assert_int_equal(idc->length, 16 + cases[i].bytes);
		assert_int_equal(idc->address, 0x12345);
		assert_int_equal(idc->remote_offset, 77);
		assert_memory_equal(idc + 1, payload, cases[i].bytes);
		assert_int_equal(doorbell, CASSINI_FIRST_SLOT);
	}
}

/* A command begins at a multiple of its size; the gap before it holds NOOPs of 32 bytes. */
TEST(gaps_are_filled_with_noops, setup, NULL)
{
	const struct cassini_idc header = {.command.opcode = CASSINI_PUT};
	const struct cassini_dma dma = {.command.opcode = CASSINI_PUT, .request_bytes = 5};
	uint8_t payload[CASSINI_IDC_BYTES] = {1};

	assert_int_equal(libcxi_put_idc(&queue, &header, payload, 1), 0);   /* unit 8 */
	assert_int_equal(libcxi_put_idc(&queue, &header, payload, 192), 0); /* 16 to 23 */
	for (unsigned unit = 9; unit < 16; unit++)
		assert_noop(unit);
	assert_int_equal(command_at(16)->size, CASSINI_256_BYTES);
	assert_int_equal(libcxi_put_idc(&queue, &header, payload, 16), 0); /* 24 */
	assert_int_equal(libcxi_put_dma(&queue, &dma), 0);		   /* 26 */
	assert_noop(25);
	assert_int_equal(command_at(26)->type, CASSINI_TYPE_DMA);
	assert_int_equal(command_at(26)->size, CASSINI_64_BYTES);
	assert_int_equal(libcxi_put_idc(&queue, &header, payload, 100), 0); /* 28 to 31 */
	assert_int_equal(command_at(28)->size, CASSINI_128_BYTES);
	assert_int_equal(queue.write_unit, 32);
}

TEST(the_doorbell_takes_whole_slots_once, setup, NULL)
{
	const struct cassini_state c_state = {.event_queue = 3};
	const struct cassini_dma dma = {.command.opcode = CASSINI_PUT};

	libcxi_ring(&queue);
	assert_int_equal(doorbell, CASSINI_FIRST_SLOT);
	assert_int_equal(libcxi_put_state(&queue, &c_state), 0);
	assert_int_equal(command_at(FIRST)->opcode, CASSINI_STATE);
	assert_int_equal(doorbell, CASSINI_FIRST_SLOT);
	libcxi_ring(&queue);
	assert_noop(FIRST + 1);
	assert_int_equal(doorbell, CASSINI_FIRST_SLOT + 1);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(libcxi_put_dma(&queue, &dma), 0);
		assert_int_equal(doorbell, CASSINI_FIRST_SLOT + 1);
	}
	libcxi_ring(&queue);
	assert_int_equal(doorbell, CASSINI_FIRST_SLOT + 11);
	doorbell = 0;
	libcxi_ring(&queue); /* nothing new */
	assert_int_equal(doorbell, 0);
}

TEST(a_full_ring_says_so_and_goes_on_when_it_was_read, setup, NULL)
{
	const struct cassini_dma dma = {.command.opcode = CASSINI_PUT};
	unsigned written = 0;

	while (libcxi_put_dma(&queue, &dma) == 0)
		written++;
	/* all slots but those of the status and the one that tells full from empty */
	assert_int_equal(written, SLOTS - CASSINI_FIRST_SLOT - 1);
	assert_int_equal(libcxi_put_dma(&queue, &dma), -ENOSPC);
	libcxi_ring(&queue);
	read_up_to_here();
	assert_int_equal(libcxi_put_dma(&queue, &dma), 0);
	assert_int_equal(queue.write_unit, FIRST); /* the last slot, and round */
	assert_int_equal(libcxi_put_dma(&queue, &dma), 0);
	assert_int_equal(command_at(FIRST)->type, CASSINI_TYPE_DMA);
	libcxi_ring(&queue);
	assert_int_equal(doorbell, CASSINI_FIRST_SLOT + 1);
}

/* Many times round with commands of every size: none crosses the end, none is overwritten before it was read. */
TEST(commands_never_cross_the_end, setup, NULL)
{
	const struct cassini_idc header = {.command.opcode = CASSINI_PUT};
	uint8_t payload[CASSINI_IDC_BYTES] = {0};
	unsigned rounds = 0;

	srand(1);
	for (unsigned i = 0; i < 5000; i++) {
		uint64_t before = queue.write_unit;
		int err = libcxi_put_idc(&queue, &header, payload, rand() % (CASSINI_IDC_BYTES + 1));

		if (err) {
			assert_int_equal(err, -ENOSPC);
			assert_int_equal(queue.write_unit, before);
			libcxi_ring(&queue);
			assert_int_equal(doorbell * 2, queue.write_unit);
			read_up_to_here();
			continue;
		}
		assert_true(queue.write_unit >= FIRST && queue.write_unit < queue.units);
		rounds += queue.write_unit < before;
	}
	assert_true(rounds > 100);
	for (unsigned i = 0; i < CASSINI_SLOT_BYTES; i++)
		assert_true(i < 2 || ring[i] == 0); /* the status is the NIC's */
}

TEST(a_read_pointer_outside_of_the_ring_is_not_believed, setup, NULL)
{
	const struct cassini_dma dma = {.command.opcode = CASSINI_PUT};
	unsigned written = 0;

	((struct cassini_queue_status *)ring)->read_slot = 0xffff;
	while (libcxi_put_dma(&queue, &dma) == 0)
		written++;
	assert_int_equal(written, SLOTS - CASSINI_FIRST_SLOT - 1);
}

TEST(another_layout_is_found_out, setup, NULL)
{
	assert_true(libcxi_queue_is_sane(&queue));
	queue.units++;
	assert_false(libcxi_queue_is_sane(&queue));
	setup(state);
	queue.commands = NULL;
	assert_false(libcxi_queue_is_sane(&queue));
	setup(state);
	queue.write_unit = 2 * SLOTS;
	assert_false(libcxi_queue_is_sane(&queue));
}

TEST(addresses_have_their_bits, setup, NULL)
{
	/* NIC 0x12345, PID 7 of 9 bits; index 255 is 7 << 5 and 31 */
	assert_int_equal(cassini_address(0x12345, 7, 9, 0), 0x12345007);
	assert_int_equal(cassini_address(0x12345, 7, 9, 255), 0x12345000 | 7 << 9 | 7);
	assert_int_equal(cassini_index_ext(255), 31);
	assert_int_equal(cassini_index_ext(1), 1);
	assert_int_equal(cassini_process(0x12345, 7, 9), 7u << 23 | 0x12345);
	assert_int_equal(cassini_process(0x12345, CASSINI_PID_ANY, 9), 0xff800000u | 0x12345);
	assert_int_equal(cassini_process(0x12345, CASSINI_PID_ANY, 6), 0xfc000000u | 0x12345);
}

TEST_MAIN(NULL, NULL)
