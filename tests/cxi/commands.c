// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The device's thread: doorbells, and the command words that they are rung for. */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "standin.h"

#define FIRST_UNIT	     (CASSINI_FIRST_SLOT * 2)
#define A_TIME		     256 /* commands of one queue, before the others have their turn */
#define SPINS		     200
#define NAP_NS		     20000
#define UNIT_AT(queue, unit) ((queue)->public.commands + (unit)*CASSINI_UNIT_BYTES)

static void refuse(struct queue *queue, const struct cassini_command *command, uint64_t unit, const char *why)
{
	struct cassini_failure_event event = {
		.queue = queue->public.index & 0x3ff,
		.is_target = !(queue->flags & LIBCXI_QUEUE_TRANSMIT),
		.place = unit / 2,
		.command = *command,
		.size = CASSINI_EVENT_16_BYTES,
		.type = CASSINI_EVENT_COMMAND_FAILURE,
		.return_code = CASSINI_RC_INVALID_ARGUMENT,
	};

	standin_violation(queue->nic, "command %u of type %u and size %u at unit %llu: %s", command->opcode,
			  command->type, command->size, (unsigned long long)unit, why);
	if (queue->errors)
		standin_write_event(queue->errors, &event, sizeof(event));
}

static const char *run_idc(struct queue *queue, const uint8_t *at)
{
	struct nic *nic = queue->nic;
	const struct cassini_idc *idc = (const void *)at;
	struct cassini_dma as_dma = {0};
	size_t bytes = idc->length - sizeof(*idc);

	if (idc->command.opcode == CASSINI_STATE) {
		if (idc->command.size != CASSINI_32_BYTES || idc->length != sizeof(queue->state))
			return "C_STATE has 32 bytes";
		memcpy(&queue->state, at, sizeof(queue->state));
		queue->has_state = true;
		nic->counts.states++;
		return NULL;
	}
	if (idc->command.opcode != CASSINI_PUT)
		return "of immediate data only puts are known here";
	if (!queue->has_state)
		return "an immediate put without C_STATE";
	if (idc->length < sizeof(*idc) || bytes > CASSINI_IDC_BYTES)
		return "length";
	if (idc->length > CASSINI_UNIT_BYTES << idc->command.size ||
	    (idc->command.size && idc->length <= CASSINI_UNIT_BYTES << (idc->command.size - 1)))
		return "length and size differ";
	as_dma.command.opcode = CASSINI_PUT;
	as_dma.address = idc->address;
	as_dma.remote_offset = idc->remote_offset;
	as_dma.request_bytes = bytes;
	as_dma.index_ext = queue->state.index_ext;
	as_dma.reports = queue->state.reports;
	as_dma.counter = queue->state.counter;
	as_dma.event_queue = queue->state.event_queue;
	as_dma.initiator = queue->state.initiator;
	as_dma.user_pointer = queue->state.user_pointer;
	nic->counts.idc_puts++;
	standin_start(nic, queue, &as_dma, at + sizeof(*idc));
	return NULL;
}

static const char *run_dma(struct queue *queue, const uint8_t *at)
{
	const struct cassini_dma *dma = (const void *)at;
	struct nic *nic = queue->nic;

	if (dma->command.size != CASSINI_64_BYTES)
		return "a DMA command has 64 bytes";
	switch (dma->command.opcode) {
	case CASSINI_PUT:
		nic->counts.dma_puts++;
		break;
	case CASSINI_RENDEZVOUS_PUT:
		nic->counts.rendezvous_puts++;
		break;
	case CASSINI_GET:
		nic->counts.software_gets++;
		break;
	default:
		return "opcode";
	}
	standin_start(nic, queue, dma, NULL);
	return NULL;
}

static struct portal *find_portal(struct nic *nic, unsigned number)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		if (nic->portals[i] && nic->portals[i]->public.number == number)
			return nic->portals[i];
	}
	return NULL;
}

static void report(struct portal *portal, enum cassini_event_type type, uint32_t state)
{
	struct cassini_target_event event = {
		.initiator = state,
		.portal = portal->public.number,
		.size = CASSINI_EVENT_64_BYTES,
		.type = type,
		.return_code = CASSINI_RC_OK,
	};

	standin_write_event(portal->events, &event, sizeof(event));
}

static const char *run_target(struct queue *queue, const uint8_t *at)
{
	const struct cassini_append *append = (const void *)at;
	const struct cassini_set_state *set_state = (const void *)at;
	struct portal *portal;

	if (append->command.size != CASSINI_64_BYTES)
		return "a target command has 64 bytes";
	portal = find_portal(queue->nic, append->portal); /* at the same place in both */
	if (!portal)
		return "no such portal";
	switch (append->command.opcode) {
	case CASSINI_SET_STATE:
		portal->is_enabled = set_state->state == CASSINI_PORTAL_ENABLED;
		report(portal, CASSINI_EVENT_STATE_CHANGE, set_state->state);
		return NULL;
	case CASSINI_APPEND:
		if (portal->entry_count == MAX_ENTRIES)
			return "too many entries";
		if (append->count_comm && !append->counter)
			return "counts with no counter";
		portal->entries[portal->entry_count++] = *append;
		portal->nic->counts.strict_entries +=
			append->takes_puts && !append->end_relaxed && !append->body_relaxed;
		report(portal, CASSINI_EVENT_LINK, 0);
		return NULL;
	default:
		return "opcode";
	}
}

static const char *run_count(struct queue *queue, const uint8_t *at)
{
	const struct cassini_count_command *count = (const void *)at;

	if (count->command.size != CASSINI_64_BYTES)
		return "a trigger of an event has 64 bytes";
	if (count->command.opcode != CASSINI_COUNT_TRIGGER_EVENT)
		return "opcode";
	standin_add_trigger(queue->nic, count);
	return NULL;
}

/* Which commands a queue takes is chosen when it is made. */
static const char *run(struct queue *queue, const uint8_t *at)
{
	const struct cassini_command *command = (const void *)at;

	if (queue->flags & LIBCXI_QUEUE_TRIGGERED)
		return command->type == CASSINI_TYPE_CT ? run_count(queue, at) : "not for a queue of triggers";
	if (!(queue->flags & LIBCXI_QUEUE_TRANSMIT))
		return command->type == CASSINI_TYPE_CQ ? run_target(queue, at) : "not for a target queue";
	queue->nic->counts.commands++;
	queue->batch++;
	switch (command->type) {
	case CASSINI_TYPE_IDC:
		return run_idc(queue, at);
	case CASSINI_TYPE_DMA:
		return run_dma(queue, at);
	default:
		return "not for a transmit queue";
	}
}

/* Up to where the doorbell was rung, or for A_TIME. */
static bool run_queue(struct nic *nic, struct queue *queue)
{
	struct cassini_queue_status *status = (void *)queue->public.commands;
	bool is_transmit = queue->flags == LIBCXI_QUEUE_TRANSMIT;
	uint64_t rung = *(volatile uint64_t *)&queue->doorbell;
	unsigned left = A_TIME;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (rung != queue->seen) {
		if (rung < CASSINI_FIRST_SLOT || rung >= queue->public.slots) {
			standin_violation(nic, "doorbell %llu of %u slots", (unsigned long long)rung,
					  queue->public.slots);
			queue->doorbell = queue->seen;
			return false;
		}
		queue->seen = rung;
		nic->counts.doorbells += is_transmit;
		queue->batch = 0;
	} else if (queue->read_unit == 2 * queue->seen) {
		return false;
	}
	while (queue->read_unit != 2 * queue->seen && left) {
		const uint8_t *at = UNIT_AT(queue, queue->read_unit);
		const struct cassini_command *command = (const void *)at;
		unsigned units = 1u << command->size;

		if (command->type == CASSINI_TYPE_IDC && command->opcode == CASSINI_NOOP && units == 1) {
			nic->counts.noops += is_transmit;
		} else {
			const char *why = queue->read_unit % units ? "not at a multiple of its size" : run(queue, at);

			if (why)
				refuse(queue, command, queue->read_unit, why);
			left--;
		}
		queue->read_unit += units;
		if (queue->read_unit >= queue->public.units) {
			queue->read_unit = FIRST_UNIT;
			nic->counts.queue_wraps += is_transmit;
		}
	}
	if (is_transmit && queue->batch > nic->counts.largest_batch)
		nic->counts.largest_batch = queue->batch;
	*(volatile uint16_t *)&status->read_slot = queue->read_unit / 2;
	return true;
}

/* Counters and portals first: what a program rings first it rings there. */
static bool run_queues(struct nic *nic)
{
	bool any = false;

	for (int transmit = 0; transmit < 2; transmit++) {
		for (unsigned i = 0; i < MAX_OBJECTS; i++) {
			struct queue *queue = nic->queues[i];

			if (queue && (queue->flags == LIBCXI_QUEUE_TRANSMIT) == transmit)
				any |= run_queue(nic, queue);
		}
	}
	return any;
}

void *standin_run(void *context)
{
	struct nic *nic = context;
	unsigned idle = 0;

	for (;;) {
		bool any, stop;

		pthread_mutex_lock(&nic->lock);
		stop = nic->must_stop;
		standin_look_at_counters(nic);
		any = standin_receive(nic);
		any |= standin_send_waiting(nic);
		if (!nic->waiting_count)
			any |= run_queues(nic);
		pthread_mutex_unlock(&nic->lock);
		if (stop)
			return NULL;
		idle = any ? 0 : idle + 1;
		if (idle > SPINS)
			nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
		else if (idle)
			sched_yield();
	}
}
