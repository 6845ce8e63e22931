// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes commands for the NIC, and reads the events that it writes. See libcxi_rings.h. */
#include "cxi/libcxi/libcxi_rings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/deadline.h"

/* --- commands --- */

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

/* --- events --- */

#define RETURN_CODE_MASK 0x3f
#define COUNTER_MASK	 0x7ff
#define PORTAL_MASK	 0x7ff
#define STATE_MASK	 0x7
#define OFFSET_MASK	 ((1ULL << 56) - 1)
#define ADDRESS_MASK	 ((1ULL << 57) - 1)
#define THRESHOLD_MASK	 ((1ULL << 48) - 1)

static const char *const event_texts[] = {
	[CASSINI_EVENT_PUT] = "PUT",
	[CASSINI_EVENT_GET] = "GET",
	[CASSINI_EVENT_ACK] = "ACK",
	[CASSINI_EVENT_REPLY] = "REPLY",
	[CASSINI_EVENT_LINK] = "LINK",
	[CASSINI_EVENT_STATE_CHANGE] = "STATE_CHANGE",
	[CASSINI_EVENT_RENDEZVOUS] = "RENDEZVOUS",
	[CASSINI_EVENT_COMMAND_FAILURE] = "COMMAND_FAILURE",
	[CASSINI_EVENT_TRIGGERED_OP] = "TRIGGERED_OP",
};

static const char *const return_texts[] = {
	[CASSINI_RC_OK] = "ok",
	[CASSINI_RC_UNDELIVERABLE] = "undeliverable",
	[CASSINI_RC_PORTAL_DISABLED] = "the target's portal is disabled",
	[CASSINI_RC_OP_VIOLATION] = "the target's list entry does not permit it",
	[CASSINI_RC_NO_MATCH] = "no match",
	[CASSINI_RC_NO_SPACE] = "no space at the target",
	[CASSINI_RC_ENTRY_NOT_FOUND] = "no list entry at the target matches",
	[CASSINI_RC_NO_TARGET] = "the target does not answer",
	[CASSINI_RC_VNI_NOT_FOUND] = "the target's NIC does not know the VNI",
	[CASSINI_RC_PORTAL_NOT_FOUND] = "the target has no such portal",
	[CASSINI_RC_INVALID_AC] = "invalid address context",
	[CASSINI_RC_NO_TRANSLATION] = "memory is not mapped",
	[CASSINI_RC_ILLEGAL_OP] = "illegal operation",
	[CASSINI_RC_INVALID_ARGUMENT] = "invalid argument in a command",
	[CASSINI_RC_ADDRESS_OUT_OF_RANGE] = "address out of range",
	[CASSINI_RC_CANCELLED] = "cancelled",
};

#define TEXT_AT(texts, index) ((index) < sizeof(texts) / sizeof((texts)[0]) && (texts)[index] ? (texts)[index] : NULL)

const char *libcxi_event_text(enum cassini_event_type type)
{
	const char *text = TEXT_AT(event_texts, type);

	return text ? text : "?";
}

const char *libcxi_return_text(unsigned return_code)
{
	const char *text = TEXT_AT(return_texts, return_code);

	return text ? text : "an error without a known description";
}

bool libcxi_events_are_sane(const struct libcxi_event_queue *queue, const void *buffer, size_t bytes)
{
	return queue->events == buffer && queue->bytes == bytes && queue->progress_address &&
	       queue->read_offset == CASSINI_SLOT_BYTES && queue->acked_offset == CASSINI_SLOT_BYTES;
}

/* For all other events only type and return code are needed. */
static void read_event(struct libcxi_event *event, const uint8_t *at, unsigned bytes)
{
	const struct cassini_event *head = (const void *)at;

	*event = (struct libcxi_event){.type = head->type, .return_code = at[bytes - 1] & RETURN_CODE_MASK};
	switch (event->type) {
	case CASSINI_EVENT_TRIGGERED_OP: {
		const struct cassini_trigger_event *trigger = (const void *)at;

		event->counter = trigger->counter & COUNTER_MASK;
		event->threshold = trigger->threshold & THRESHOLD_MASK;
		break;
	}
	case CASSINI_EVENT_PUT:
	case CASSINI_EVENT_GET:
	case CASSINI_EVENT_RENDEZVOUS:
	case CASSINI_EVENT_LINK:
	case CASSINI_EVENT_STATE_CHANGE: {
		const struct cassini_target_event *target = (const void *)at;

		if (bytes < CASSINI_SHORT_TARGET_BYTES)
			break;
		/* Both forms start alike. */
		event->portal = target->portal & PORTAL_MASK;
		event->state = target->initiator & STATE_MASK;
		event->header_data = target->header_data;
		if (bytes < sizeof(*target))
			break;
		event->get_issued = target->get_issued;
		event->match_bits = target->match_bits;
		event->moved_bytes = target->moved_bytes;
		event->request_bytes = target->request_bytes;
		event->remote_offset = target->remote_offset & OFFSET_MASK;
		event->start = target->start & ADDRESS_MASK;
		break;
	}
	default:
		break;
	}
}

bool libcxi_next_event(struct libcxi_event_queue *queue, struct libcxi_event *event)
{
	/* Skips at most a whole ring of padding. */
	for (unsigned left = queue->bytes / (CASSINI_SLOT_BYTES / 4); left; left--) {
		const uint8_t *at = queue->events + queue->read_offset;
		/* Byte 14 has the size of the event; its last byte is nonzero when it is complete. */
		uint8_t kind = *(const volatile uint8_t *)(at + offsetof(struct cassini_event, last) - 1);
		unsigned size = kind & 3, bytes = 8u << size;

		if (size == CASSINI_EVENT_NONE || bytes > queue->bytes - queue->read_offset)
			return false;
		if ((*(const volatile uint8_t *)(at + bytes - 1) & RETURN_CODE_MASK) == CASSINI_RC_NONE)
			return false;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		queue->read_offset += bytes;
		if (queue->read_offset >= queue->bytes)
			queue->read_offset = CASSINI_SLOT_BYTES;
		if ((kind >> 2 & 0x1f) != CASSINI_EVENT_NULL) {
			read_event(event, at, bytes);
			return true;
		}
	}
	return false;
}

/* The NIC treats nonzero memory as unread events, hence the memset() before the acknowledgement. */
void libcxi_ack_events(struct libcxi_event_queue *queue)
{
	unsigned from = queue->acked_offset, to = queue->read_offset;

	if (from == to)
		return;
	if (from < to) {
		memset(queue->events + from, 0, to - from);
	} else {
		memset(queue->events + from, 0, queue->bytes - from);
		memset(queue->events + CASSINI_SLOT_BYTES, 0, to - CASSINI_SLOT_BYTES);
	}
	queue->acked_offset = to;
	queue->progress.read_slot = to / CASSINI_SLOT_BYTES;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	*(volatile uint64_t *)queue->progress_address = queue->progress.word;
}

bool libcxi_events_lost(const struct libcxi_event_queue *queue)
{
	const volatile struct cassini_event_status *status = (const void *)queue->events;

	return status->dropped;
}
