// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Handles the NIC's events. See libcxi_link.h. */
#include "cxi/libcxi/libcxi_link.h"

#include <errno.h>

#define SETUP_MS      5000 /* for the NIC's response to a portal command: of a stand-in on a busy machine, too */
#define EVENTS_A_POLL 64

/* Issues the get for announced data. */
static int ask_for_data(struct libcxi_link *own, const struct libcxi_event *event)
{
	uint64_t rest = (uint64_t)event->request_bytes - event->moved_bytes;
	struct cassini_dma get = own->get;

	if (event->moved_bytes > event->request_bytes || event->start < own->rx.iova ||
	    event->start - own->rx.iova > own->rx.bytes || rest > own->rx.bytes - (event->start - own->rx.iova))
		return cxi_fault(own->link, -EPROTO,
				 "the peer's rendezvous of %u bytes lies outside of the receive buffer",
				 event->request_bytes);
	get.match_bits = event->match_bits;
	get.header_data = event->header_data;
	get.request_bytes = rest;
	get.local_address = event->start;
	get.remote_offset = event->remote_offset;
	if (libcxi_put_dma(own->transmit, &get)) {
		own->has_deferred = true;
		own->deferred = *event;
	}
	return 0;
}

int libcxi_arm(struct libcxi_link *own, enum libcxi_count which, uint32_t count)
{
	struct libcxi_count_state *state = &own->counts[which];
	bool is_target = which == COUNT_PUTS || which == COUNT_RESPONSES;
	const struct cassini_count_command command = {
		.command.opcode = CASSINI_COUNT_TRIGGER_EVENT,
		.trigger_counter = state->counter->number,
		.event_queue = (is_target ? own->target : own->initiator).queue->number,
		.threshold = state->threshold + count,
	};

	if (libcxi_put(own->trigger, CASSINI_TYPE_CT, &command, sizeof(command)))
		return cxi_fault(own->link, -ENOSPC, "the NIC no longer accepts triggers");
	state->threshold += count;
	return 0;
}

static void note_sent(struct libcxi_link *own)
{
	if (!own->acked || (own->plan.rendezvous && !own->fetched))
		return;
	own->acked = own->fetched = false;
	own->progress.sent++;
}

/* A list has arrived. At one index the peer's response to this side's list is next: of a rendezvous put and reply
 * count. */
static int take_list(struct libcxi_link *own)
{
	const uint32_t counted = own->plan.rendezvous ? 2 * own->plan.list : 0;

	own->progress.received++;
	if (own->plan.one_index && own->plan.sends) {
		own->awaits_response = true;
		return libcxi_arm(own, COUNT_PUTS, counted + 1);
	}
	return own->plan.rendezvous ? 0 : libcxi_arm(own, COUNT_PUTS, own->plan.list);
}

/* At the portal index of the sends. */
static int take_arrival(struct libcxi_link *own, uint64_t threshold)
{
	/* Requested in a size that has ended: see libcxi_ops.c. */
	if (threshold != own->counts[COUNT_PUTS].threshold)
		return 0;
	if (!own->awaits_response)
		return own->plan.receives ? take_list(own) : 0;
	own->awaits_response = false;
	own->progress.responses++;
	return own->plan.receives && !own->plan.rendezvous ? libcxi_arm(own, COUNT_PUTS, own->plan.list) : 0;
}

static int take_trigger(struct libcxi_link *own, const struct libcxi_event *event)
{
	enum libcxi_count which = 0;

	while (which < COUNTS && !(own->counts[which].counter && own->counts[which].counter->number == event->counter))
		which++;
	switch (which) {
	case COUNT_ACKS:
		own->acked = true;
		note_sent(own);
		return 0;
	case COUNT_GETS:
		own->fetched = true;
		note_sent(own);
		return 0;
	case COUNT_PUTS:
		return take_arrival(own, event->threshold);
	case COUNT_RESPONSES:
		own->progress.responses++;
		return 0;
	case COUNT_RESPONSE_ACKS:
		own->progress.responded++;
		return 0;
	default:
		return cxi_fault(own->link, -EPROTO,
				 "the NIC reports counter %u, which does not belong to this program", event->counter);
	}
}

static int libcxi_take_event(struct libcxi_link *own, const struct libcxi_event *event)
{
	if (event->return_code != CASSINI_RC_OK)
		return cxi_fault(own->link, -EIO, "the NIC reports %s: %s (return code %u)",
				 libcxi_event_text(event->type), libcxi_return_text(event->return_code),
				 event->return_code);
	switch (event->type) {
	case CASSINI_EVENT_TRIGGERED_OP:
		return take_trigger(own, event);
	case CASSINI_EVENT_RENDEZVOUS:
		return event->get_issued ? 0 : ask_for_data(own, event);
	case CASSINI_EVENT_REPLY:
		if (++own->replies == own->plan.list) {
			own->replies = 0;
			return take_list(own);
		}
		return 0;
	case CASSINI_EVENT_LINK:
		own->linked++;
		return 0;
	case CASSINI_EVENT_STATE_CHANGE:
		if (event->state != CASSINI_PORTAL_ENABLED)
			return cxi_fault(own->link, -EIO, "the NIC has disabled portal %u", event->portal);
		own->enabled++;
		return 0;
	case CASSINI_EVENT_COMMAND_FAILURE:
		return cxi_fault(own->link, -EIO, "the NIC refuses a command");
	default:
		return 0;
	}
}

static int poll_ring(struct libcxi_link *own, struct libcxi_ring *ring)
{
	struct libcxi_event event;
	int err = 0;

	for (unsigned left = EVENTS_A_POLL;
	     left && !err && !own->has_deferred && libcxi_next_event(ring->queue, &event); left--)
		err = libcxi_take_event(own, &event);
	libcxi_ack_events(ring->queue);
	if (!err && libcxi_events_lost(ring->queue))
		err = cxi_fault(own->link, -EOVERFLOW,
				"the event queue of %zu bytes overflowed and events were lost; lower -l", ring->bytes);
	return err;
}

int libcxi_go_on(struct libcxi_link *own)
{
	int err = 0;

	if (own->has_deferred) {
		own->has_deferred = false;
		err = ask_for_data(own, &own->deferred);
	}
	if (!err)
		err = poll_ring(own, &own->initiator);
	if (!err)
		err = poll_ring(own, &own->target);
	libcxi_ring(own->trigger);
	libcxi_ring(own->transmit);
	return err;
}

int libcxi_await(struct libcxi_link *own, const unsigned *count, unsigned wanted, const char *what)
{
	struct deadline deadline = deadline_in_ms(SETUP_MS);

	while (*count < wanted) {
		int err = libcxi_go_on(own);

		if (err)
			return err;
		if (*count < wanted && deadline_passed(deadline))
			return cxi_fault(own->link, -ETIMEDOUT,
					 "the NIC does not answer within %d s to a command to %s", SETUP_MS / 1000,
					 what);
	}
	return 0;
}
