// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends over libcxi: commands into the NIC's queues, counters that tell by one event when a list is through. The
 * benchmark calls through ops.h.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cxi/libcxi_link.h"

#define SETUP_MS       1000 /* for the NIC's answer to a command for a portal */
#define EVENTS_A_POLL  64
#define DATA_INDEX     0
#define RESPONSE_INDEX 1

/* Match bits of rendezvous puts: the NIC keeps the highest 16 for its get, and puts the rendezvous id below. */
#define RENDEZVOUS_MATCH 0x5045524654455354ULL
#define KEPT_MATCH	 0xffff000000000000ULL
#define TRANSACTION_TYPE 0xf00ULL /* of a get; the device's settings choose it */
#define SERVER_ID	 0xaa
#define CLIENT_ID	 0xcc

static struct libcxi_link *own_of(const struct cxi_link *link)
{
	return link->private;
}

static void transport_close(struct cxi_link *link)
{
	struct libcxi_link *own = own_of(link);

	if (!own)
		return;
	libcxi_unmap(own);
	libcxi_close(own);
	free(own);
	link->private = NULL;
}

static int transport_open(struct cxi_link *link, const struct cxi_place *place)
{
	struct libcxi_link *own = calloc(1, sizeof(*own));

	if (!own)
		return cxi_fault(link, -ENOMEM, "no memory for the transport");
	own->link = link;
	link->private = own;
	return libcxi_open(own, place);
}

static int transport_map(struct cxi_link *link, const struct cxi_plan *plan, const struct buffer *tx,
			 const struct buffer *rx)
{
	struct libcxi_link *own = own_of(link);

	own->plan = *plan;
	own->next = plan->list;
	return libcxi_map(own, tx, rx);
}

/* On the wire: NIC, PID, VNI and the portal index of rendezvous data, 4 bytes each in network order. */
enum {
	WIRE_NIC,
	WIRE_PID,
	WIRE_VNI,
	WIRE_RENDEZVOUS,
	WIRE_WORDS,
};

static int transport_address(struct cxi_link *link, struct cxi_address *address)
{
	const struct libcxi_link *own = own_of(link);
	const uint32_t words[WIRE_WORDS] = {
		[WIRE_NIC] = htonl(own->device->info.nic),
		[WIRE_PID] = htonl(own->domain->pid),
		[WIRE_VNI] = htonl(own->vni),
		[WIRE_RENDEZVOUS] = htonl(own->device->info.rendezvous_index),
	};

	address->length = sizeof(words);
	memcpy(address->bytes, words, sizeof(words));
	return 0;
}

static int read_peer(struct libcxi_link *own, const struct cxi_address *address)
{
	unsigned pid_bits = own->device->info.pid_bits;
	uint32_t words[WIRE_WORDS];
	struct libcxi_peer peer;

	if (address->length != sizeof(words))
		return cxi_fault(own->link, -EPROTO, "the peer's address has %u bytes, not %zu", address->length,
				 sizeof(words));
	memcpy(words, address->bytes, sizeof(words));
	peer = (struct libcxi_peer){
		.nic = ntohl(words[WIRE_NIC]),
		.pid = ntohl(words[WIRE_PID]),
		.rendezvous_index = ntohl(words[WIRE_RENDEZVOUS]),
	};
	if (peer.nic >> CASSINI_NIC_BITS || peer.pid >> pid_bits ||
	    peer.rendezvous_index >> (CASSINI_ENDPOINT_BITS + CASSINI_INDEX_EXT_BITS - pid_bits))
		return cxi_fault(own->link, -EPROTO,
				 "the peer's address is impossible: NIC 0x%x, PID %u of %u bits, portal index %u",
				 peer.nic, peer.pid, pid_bits, peer.rendezvous_index);
	if (ntohl(words[WIRE_VNI]) != own->vni)
		return cxi_fault(own->link, -EPROTO,
				 "the peer is in VNI %u and this side in VNI %u, which cannot communicate",
				 ntohl(words[WIRE_VNI]), own->vni);
	own->peer = peer;
	return 0;
}

static uint8_t own_id(const struct libcxi_link *own)
{
	return own->is_server ? SERVER_ID : CLIENT_ID;
}

/* Its data come by this get: match bits as the peer's list entry for them has them. */
static int ask_for_data(struct libcxi_link *own, const struct libcxi_event *event)
{
	uint64_t rest = (uint64_t)event->request_bytes - event->moved_bytes;
	struct cassini_dma get = own->get;

	if (event->moved_bytes > event->request_bytes || event->start < own->rx.iova ||
	    event->start - own->rx.iova > own->rx.bytes || rest > own->rx.bytes - (event->start - own->rx.iova))
		return cxi_fault(own->link, -EPROTO,
				 "the peer's rendezvous of %u bytes lies outside of the receive buffer",
				 event->request_bytes);
	get.match_bits = (RENDEZVOUS_MATCH & KEPT_MATCH) | event->rendezvous_id;
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

/* An event once the counter has grown by count since the last one. The caller rings. */
static int libcxi_arm(struct libcxi_link *own, enum libcxi_count which, uint32_t count)
{
	struct libcxi_count_state *state = &own->counts[which];
	bool is_target = which == COUNT_PUTS || which == COUNT_RESPONSES;
	const struct cassini_count_command command = {
		.command.opcode = CASSINI_COUNT_TRIGGER_EVENT,
		.trigger_counter = state->counter->number,
		.event_queue = (is_target ? own->target : own->initiator).queue->number,
		.threshold = state->threshold + count,
	};

	if (libcxi_put_count(own->trigger, &command))
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
	case COUNT_PUTS: {
		int err = libcxi_arm(own, COUNT_PUTS, own->plan.list);

		own->progress.received++;
		return err;
	}
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
			own->progress.received++;
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

/* All of them at their slots, as far as there is room. The doorbell is rung once. */
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

static void push_answers(struct libcxi_link *own)
{
	while (own->unsent_answers && libcxi_put_dma(own->transmit, &own->answer) == 0)
		own->unsent_answers--;
	libcxi_ring(own->transmit);
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

static int transport_poll(struct cxi_link *link, struct cxi_progress *progress)
{
	struct libcxi_link *own = own_of(link);
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

/* Until *count is as large as wanted. */
static int libcxi_await(struct libcxi_link *own, const unsigned *count, unsigned wanted, const char *what)
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

static int enable(struct libcxi_link *own, const struct libcxi_entry *entry)
{
	const struct cassini_set_state command = {
		.command.opcode = CASSINI_SET_STATE,
		.state = CASSINI_PORTAL_ENABLED,
		.portal = entry->portal->number,
	};

	if (libcxi_put_set_state(own->portals, &command))
		return cxi_fault(own->link, -ENOSPC, "the NIC does not accept commands for portals");
	libcxi_ring(own->portals);
	return libcxi_await(own, &own->enabled, own->enabled + 1, "enable a portal");
}

/* One persistent entry, which reports what fails only, and counts what is complete where it has a counter. */
static int append(struct libcxi_link *own, const struct libcxi_entry *entry, const struct libcxi_region *region,
		  enum libcxi_count count, struct cassini_append command)
{
	int err = enable(own, entry);

	if (err)
		return err;
	command.command.opcode = CASSINI_APPEND;
	command.list = CASSINI_LIST_PRIORITY;
	command.portal = entry->portal->number;
	command.event_unlink_disable = 1;
	command.event_success_disable = 1;
	if (own->counts[count].counter) {
		command.count_comm = 1;
		command.counter = own->counts[count].counter->number;
	}
	command.lac = region->memory->lac;
	command.start = region->iova;
	command.length = region->bytes;
	if (libcxi_put_append(own->portals, &command))
		return cxi_fault(own->link, -ENOSPC, "the NIC does not accept commands for portals");
	libcxi_ring(own->portals);
	return libcxi_await(own, &own->linked, own->linked + 1, "append a list entry");
}

/*
 * Puts that are no rendezvous carry neither a process nor match bits: immediate data commands have no room for them.
 * Bit 0 is ignored because an erratum of the NIC orders the last write of a packet relaxed by that bit only, and so do
 * HPE's own programs.
 */
static const struct cassini_append plain_entry = {
	.ignore_bits = 1,
	.takes_puts = 1,
	.end_relaxed = 1,
	.body_relaxed = 1,
};

static int append_entries(struct libcxi_link *own)
{
	unsigned pid_bits = own->device->info.pid_bits;
	struct cassini_append data_entry = plain_entry;
	const struct cassini_append rendezvous_entry = {
		.match_process = cassini_process(own->peer.nic, own->peer.pid, pid_bits),
		.match_bits = RENDEZVOUS_MATCH,
		.takes_puts = 1,
	};
	/* The NIC's gets carry its number, and any PID. */
	const struct cassini_append source_entry = {
		.match_process = cassini_process(own->peer.nic, CASSINI_PID_ANY, pid_bits),
		.match_bits = (RENDEZVOUS_MATCH & KEPT_MATCH) | own_id(own),
		.ignore_bits = TRANSACTION_TYPE,
		.takes_gets = 1,
	};
	int err = 0;

	/* A counter's write may overtake relaxed ones, and who looks at the data then finds what was there before. */
	data_entry.end_relaxed = data_entry.body_relaxed = !own->plan.checks_data;
	if (own->data.portal)
		err = append(own, &own->data, &own->rx, COUNT_PUTS,
			     own->plan.rendezvous ? rendezvous_entry : data_entry);
	if (!err && own->response.portal)
		err = append(own, &own->response, &own->rx, COUNT_RESPONSES, plain_entry);
	if (!err && own->source.portal)
		err = append(own, &own->source, &own->tx, COUNT_GETS, source_entry);
	return err;
}

static uint32_t peer_address(const struct libcxi_link *own, unsigned index)
{
	return cassini_address(own->peer.nic, own->peer.pid, own->device->info.pid_bits, index);
}

/* Acknowledgements are counted, and only those that say no are reported. */
static void make_commands(struct libcxi_link *own)
{
	struct cassini_dma dma = {
		.reports = {.lac = own->tx.memory->lac,
			    .event_send_disable = 1,
			    .event_success_disable = 1,
			    .count_ack = 1},
		.event_queue = own->initiator.queue->number,
		.local_address = own->tx.iova,
	};
	uint32_t self = cassini_process(own->device->info.nic, own->domain->pid, own->device->info.pid_bits);

	if (own->plan.sends) {
		own->send = dma;
		own->send.command.opcode = own->plan.rendezvous ? CASSINI_RENDEZVOUS_PUT : CASSINI_PUT;
		own->send.address = peer_address(own, DATA_INDEX);
		own->send.index_ext = cassini_index_ext(DATA_INDEX);
		own->send.counter = own->counts[COUNT_ACKS].counter->number;
		if (own->plan.rendezvous) {
			own->send.rendezvous_id = own_id(own);
			own->send.initiator = self;
			own->send.match_bits = RENDEZVOUS_MATCH;
		}
		own->send_idc = (struct cassini_idc){
			.command.opcode = CASSINI_PUT,
			.address = own->send.address,
		};
	}
	if (own->plan.receives) {
		own->answer = dma;
		own->answer.command.opcode = CASSINI_PUT;
		own->answer.address = peer_address(own, RESPONSE_INDEX);
		own->answer.index_ext = cassini_index_ext(RESPONSE_INDEX);
		own->answer.counter = own->counts[COUNT_RESPONSE_ACKS].counter->number;
		own->get = (struct cassini_dma){
			.command.opcode = CASSINI_GET,
			.address = peer_address(own, own->peer.rendezvous_index),
			.index_ext = cassini_index_ext(own->peer.rendezvous_index),
			.reports = {.lac = own->rx.memory->lac, .event_send_disable = 1},
			.event_queue = own->target.queue->number,
			.initiator = self,
		};
	}
}

/* For all immediate data commands to come: nothing else in this queue needs another state. */
static int put_state(struct libcxi_link *own)
{
	const struct cassini_state state = {
		.reports = {.event_send_disable = 1, .event_success_disable = 1, .count_ack = 1},
		.index_ext = own->send.index_ext,
		.event_queue = own->send.event_queue,
		.counter = own->send.counter,
	};

	if (libcxi_put_state(own->transmit, &state))
		return cxi_fault(own->link, -ENOSPC, "the NIC does not accept commands");
	libcxi_ring(own->transmit);
	return 0;
}

static int transport_connect(struct cxi_link *link, const struct cxi_address *address, struct deadline deadline)
{
	struct libcxi_link *own = own_of(link);
	int err = read_peer(own, address);

	/* There is no peer to wait for: the NIC's answers have a limit of their own. */
	(void)deadline;
	if (err)
		return err;
	make_commands(own);
	err = append_entries(own);
	if (!err && own->idc && own->plan.sends)
		err = put_state(own);
	if (!err && own->counts[COUNT_PUTS].counter) {
		err = libcxi_arm(own, COUNT_PUTS, own->plan.list);
		libcxi_ring(own->trigger);
	}
	return err;
}

static bool transport_is_loopback(const struct cxi_link *link)
{
	const struct libcxi_link *own = own_of(link);

	return own->peer.nic == own->device->info.nic;
}

static const char *libcxi_own_text(const struct cxi_link *link, char text[CXI_TEXT_SIZE])
{
	const struct libcxi_link *own = own_of(link);

	snprintf(text, CXI_TEXT_SIZE, "NIC 0x%x PID %u VNI %u", own->device->info.nic, own->domain->pid, own->vni);
	return text;
}

static const char *libcxi_peer_text(const struct cxi_link *link, char text[CXI_TEXT_SIZE])
{
	const struct libcxi_link *own = own_of(link);

	snprintf(text, CXI_TEXT_SIZE, "NIC 0x%x PID %u", own->peer.nic, own->peer.pid);
	return text;
}

/* The peer's first list has been waited for since connect(), and each further one since the one before came. */
static int transport_prepare(struct cxi_link *link, const struct cxi_run *run)
{
	struct libcxi_link *own = own_of(link);

	own->run = *run;
	own->send.request_bytes = run->size;
	own->progress = (struct cxi_progress){0};
	return 0;
}

static int transport_start(struct cxi_link *link)
{
	struct libcxi_link *own = own_of(link);
	int err = libcxi_arm(own, COUNT_ACKS, own->plan.list);

	if (!err && own->counts[COUNT_GETS].counter)
		err = libcxi_arm(own, COUNT_GETS, own->plan.list);
	if (!err)
		err = libcxi_arm(own, COUNT_RESPONSES, 1);
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
	struct libcxi_link *own = own_of(link);
	int err = libcxi_arm(own, COUNT_RESPONSE_ACKS, 1);

	libcxi_ring(own->trigger);
	if (err)
		return err;
	own->unsent_answers++;
	push_answers(own);
	return 0;
}

/* Everything is acknowledged, hence nothing is on its way; what is armed waits for the next size. */
static int transport_finish(struct cxi_link *link, struct deadline deadline)
{
	(void)link;
	(void)deadline;
	return 0;
}

const struct cxi_ops cxi_libcxi_ops = {
	.name = "libcxi",
	.open = transport_open,
	.map = transport_map,
	.address = transport_address,
	.connect = transport_connect,
	.is_loopback = transport_is_loopback,
	.own_text = libcxi_own_text,
	.peer_text = libcxi_peer_text,
	.prepare = transport_prepare,
	.start = transport_start,
	.poll = transport_poll,
	.respond = transport_respond,
	.finish = transport_finish,
	.close = transport_close,
};
