// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes commands to the rings that the NIC reads. Called by libcxi_ops.c. */
#include "cxi/libcxi/libcxi_rings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/deadline.h"

#define FIRST_UNIT (CASSINI_FIRST_SLOT * 2)
/* One slot stays empty, so that a full ring differs from an empty one. */
#define KEPT_UNITS 2
/* With fewer free units the NIC's own read pointer is read, which is a cache miss. */
#define LOOK_UNITS    16
#define DRAIN_MS      1000
#define DRAIN_LOOK_US 20

/* Orders the command before the doorbell, and doorbells among each other. */
static void write_fence(void)
{
#if defined(__x86_64__)
	__asm__ volatile("sfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dmb oshst" ::: "memory");
#else
	/* Cassini is only known in the machines above; this is the strongest fence that the compiler has. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

bool libcxi_queue_is_sane(const struct libcxi_queue *queue)
{
	return queue->commands && queue->doorbell && queue->slots > CASSINI_FIRST_SLOT &&
	       queue->slots <= LIBCXI_MAX_QUEUE_SLOTS && queue->slots % 4 == 0 && queue->units == 2 * queue->slots &&
	       queue->write_unit >= FIRST_UNIT && queue->write_unit < queue->units && queue->read_unit >= FIRST_UNIT &&
	       queue->read_unit < queue->units && queue->rung_unit == queue->write_unit;
}

static size_t count_free(const struct libcxi_queue *queue)
{
	if (queue->write_unit >= queue->read_unit)
		return queue->units - FIRST_UNIT - (queue->write_unit - queue->read_unit) - KEPT_UNITS;
	return queue->read_unit - queue->write_unit - KEPT_UNITS;
}

/* 16 bits are enough for all slots. */
static uint16_t read_slot(const struct libcxi_queue *queue)
{
	const volatile struct cassini_queue_status *status = (const void *)queue->commands;

	return status->read_slot;
}

static size_t free_units(struct libcxi_queue *queue)
{
	size_t units = count_free(queue);

	if (units < LOOK_UNITS) {
		const uint64_t read_unit = (uint64_t)read_slot(queue) * 2;

		/* A value outside the ring must not be used. */
		if (read_unit >= FIRST_UNIT && read_unit < queue->units)
			queue->read_unit = read_unit;
		units = count_free(queue);
	}
	return units;
}

static void advance(struct libcxi_queue *queue, size_t units)
{
	queue->write_unit += units;
	if (queue->write_unit >= queue->units)
		queue->write_unit = FIRST_UNIT;
}

static uint8_t *unit_at(const struct libcxi_queue *queue, uint64_t unit)
{
	return queue->commands + unit * CASSINI_UNIT_BYTES;
}

/* A NOOP of 32 bytes has zeros in its first 8. */
static void queue_fill(struct libcxi_queue *queue, size_t units)
{
	for (size_t i = 0; i < units; i++)
		memset(unit_at(queue, queue->write_unit + i), 0, sizeof(uint64_t));
	advance(queue, units);
}

/*
 * Reserves a command of CASSINI_UNIT_BYTES << size, which never wraps, as the ring's size and its own address are
 * multiples of its size. NULL: no room.
 */
static uint8_t *queue_take(struct libcxi_queue *queue, enum cassini_command_size size)
{
	size_t units = 1u << size;
	size_t gap = -queue->write_unit & (units - 1);
	uint8_t *place;

	if (free_units(queue) < gap + units)
		return NULL;
	if (gap)
		queue_fill(queue, gap);
	place = unit_at(queue, queue->write_unit);
	advance(queue, units);
	return place;
}

static enum cassini_command_size command_size(size_t bytes)
{
	enum cassini_command_size size = CASSINI_32_BYTES;

	while ((size_t)CASSINI_UNIT_BYTES << size < bytes)
		size++;
	return size;
}

/* The command's first byte is written once, and last; what remains of its slot may contain anything. */
static int put(struct libcxi_queue *queue, const void *command, size_t bytes, enum cassini_command_type type,
	       enum cassini_command_size size)
{
	struct cassini_command head;
	uint8_t *place = queue_take(queue, size);

	if (!place)
		return -ENOSPC;
	memcpy(&head, command, sizeof(head));
	head.type = type;
	head.size = size;
	memcpy(place, command, bytes);
	memcpy(place, &head, sizeof(head));
	return 0;
}

int libcxi_put_dma(struct libcxi_queue *queue, const struct cassini_dma *dma)
{
	return put(queue, dma, sizeof(*dma), CASSINI_TYPE_DMA, CASSINI_64_BYTES);
}

int libcxi_put_state(struct libcxi_queue *queue, const struct cassini_state *state)
{
	struct cassini_state command = *state;

	command.command.opcode = CASSINI_STATE;
	command.length = sizeof(command);
	return put(queue, &command, sizeof(command), CASSINI_TYPE_IDC, CASSINI_32_BYTES);
}

int libcxi_put_idc(struct libcxi_queue *queue, const struct cassini_idc *header, const void *payload, size_t bytes)
{
	size_t length = sizeof(*header) + bytes;
	enum cassini_command_size size = command_size(length);
	struct cassini_idc head = *header;
	uint8_t *place = queue_take(queue, size);

	if (!place)
		return -ENOSPC;
	head.command.type = CASSINI_TYPE_IDC;
	head.command.size = size;
	head.length = length;
	memcpy(place, &head, sizeof(head));
	memcpy(place + sizeof(head), payload, bytes);
	return 0;
}

int libcxi_put(struct libcxi_queue *queue, enum cassini_command_type type, const void *command, size_t bytes)
{
	return put(queue, command, bytes, type, CASSINI_64_BYTES);
}

void libcxi_ring(struct libcxi_queue *queue)
{
	if (queue->write_unit == queue->rung_unit)
		return;
	if (queue->write_unit % 2)
		queue_fill(queue, 1);
	queue->rung_unit = queue->write_unit;
	write_fence();
	*(volatile uint64_t *)queue->doorbell = queue->write_unit / 2;
	write_fence();
}

void libcxi_queue_drain(const struct libcxi_queue *queue)
{
	const struct deadline limit = deadline_in_ms(DRAIN_MS);

	while (read_slot(queue) != queue->rung_unit / 2 && !deadline_passed(limit))
		usleep(DRAIN_LOOK_US);
}
