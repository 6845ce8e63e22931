// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the events that the NIC writes. Called by libcxi_ops.c. */
#include "cxi/libcxi/libcxi_rings.h"

#include <string.h>

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
