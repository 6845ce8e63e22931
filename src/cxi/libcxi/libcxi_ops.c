// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends with libcxi: writes commands to the NIC's queues, uses counters that generate one event when a list is
 * complete, and handles the NIC's events. Called through ops.h. See libcxi_link.h.
 */
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
	/* Requested in a size that has ended: see forget(). */
	if (threshold != own->counts[COUNT_PUTS].threshold)
		return 0;
	if (!own->awaits_response)
		return own->plan.receives ? take_list(own) : 0;
	own->awaits_response = false;
	own->progress.responses++;
	return own->plan.receives && !own->plan.rendezvous ? libcxi_arm(own, COUNT_PUTS, own->plan.list) : 0;
}

/*
 * One index: gives up the response that is outstanding when a size ends by time; HPE's program does not send it before
 * the next one. One that only sends gets it late, and ignores it; otherwise the peer's next list comes in its place.
 */
static int forget(struct libcxi_link *own)
{
	if (!own->awaits_response)
		return 0;
	own->awaits_response = false;
	if (!own->plan.receives)
		return 0;
	own->counts[COUNT_PUTS].threshold--;
	return own->plan.rendezvous ? 0 : libcxi_arm(own, COUNT_PUTS, own->plan.list);
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

static int libcxi_go_on(struct libcxi_link *own)
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

/* --- the operations --- */

/* Writes sends at their slots, as far as there is room. Rings the doorbell once. */
static void push_sends(struct libcxi_link *own)
{
	bool immediate = own->idc && own->run.size <= CASSINI_IDC_BYTES;
	struct cassini_idc *idc = &own->send_idc;
	struct cassini_dma *dma = &own->send;

	while (own->next < own->plan.list) {
		uint64_t offset = own->next_slot * own->run.granularity;
		int err;

		if (immediate) {
			idc->remote_offset = offset;
			err = libcxi_put_idc(own->transmit, idc, own->tx.addr + offset, own->run.size);
		} else {
			dma->remote_offset = offset;
			dma->local_address = own->tx.iova + offset;
			err = libcxi_put_dma(own->transmit, dma);
		}
		if (err)
			break;
		own->next++;
		if (++own->next_slot == own->run.slots)
			own->next_slot = 0;
	}
	libcxi_ring(own->transmit);
}

/* At one index, the peer takes whatever arrives before all of a list for a part of it. */
static bool may_answer(const struct libcxi_link *own)
{
	return !own->plan.one_index || !own->plan.sends || own->answered < own->progress.sent;
}

static void push_answers(struct libcxi_link *own)
{
	while (own->unsent_answers && may_answer(own) && libcxi_put_dma(own->transmit, &own->answer) == 0) {
		own->unsent_answers--;
		own->answered++;
	}
	libcxi_ring(own->transmit);
}

static int transport_poll(struct cxi_link *link, struct cxi_progress *progress)
{
	struct libcxi_link *own = libcxi_of(link);
	int err = libcxi_go_on(own);

	if (err)
		return err;
	if (own->next < own->plan.list)
		push_sends(own);
	if (own->unsent_answers)
		push_answers(own);
	*progress = own->progress;
	return 0;
}

/*
 * Triggers for the peer's first list have been armed since connect(), and for each further one since the one before
 * arrived.
 */
static int transport_prepare(struct cxi_link *link, const struct cxi_run *run)
{
	struct libcxi_link *own = libcxi_of(link);

	own->run = *run;
	own->send.request_bytes = run->size;
	own->progress = (struct cxi_progress){0};
	own->unsent_answers = 0;
	own->answered = 0;
	return forget(own);
}

/* At one index, a side that also receives has requested it when the peer's list arrived. */
static int arm_response(struct libcxi_link *own)
{
	if (!own->plan.one_index)
		return libcxi_arm(own, COUNT_RESPONSES, 1);
	if (own->plan.receives)
		return 0;
	own->awaits_response = true;
	return libcxi_arm(own, COUNT_PUTS, 1);
}

static int transport_start(struct cxi_link *link)
{
	struct libcxi_link *own = libcxi_of(link);
	int err = libcxi_arm(own, COUNT_ACKS, own->plan.list);

	if (!err && own->counts[COUNT_GETS].counter)
		err = libcxi_arm(own, COUNT_GETS, own->plan.list);
	if (!err)
		err = arm_response(own);
	libcxi_ring(own->trigger);
	if (err)
		return err;
	own->next = 0;
	own->next_slot = 0;
	push_sends(own);
	return 0;
}

static int transport_respond(struct cxi_link *link)
{
	struct libcxi_link *own = libcxi_of(link);
	int err = libcxi_arm(own, COUNT_RESPONSE_ACKS, 1);

	libcxi_ring(own->trigger);
	if (err)
		return err;
	own->unsent_answers++;
	push_answers(own);
	return 0;
}

/* Without finish(): everything is acknowledged, so nothing is in flight; triggers stay armed for the next size. */
const struct cxi_ops cxi_libcxi_ops = {
	.name = "libcxi",
	.open = libcxi_open,
	.map = libcxi_map,
	.connect = libcxi_connect,
	.prepare = transport_prepare,
	.start = transport_start,
	.poll = transport_poll,
	.respond = transport_respond,
	.close = libcxi_close,
};
