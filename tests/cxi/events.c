// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Event queues, counters and what they trigger. */
#include <string.h>
#include <time.h>

#include "standin.h"

struct eq *standin_eq(struct nic *nic, unsigned number)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		if (nic->eqs[i] && nic->eqs[i]->public.number == number)
			return nic->eqs[i];
	}
	return NULL;
}

static void report_lost(struct eq *eq)
{
	struct cassini_whole_status *status = (void *)eq->public.events;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	status->seconds_first = status->seconds = now.tv_sec;
	status->nanoseconds_first = status->nanoseconds = now.tv_nsec;
	status->free_slots = 0;
	status->dropped = 1;
	status->drop_sequence ^= 1;
}

/* Last byte and size last: they tell the reader that the rest is there. */
static void place(uint8_t *at, const void *event, unsigned bytes)
{
	const uint8_t *from = event;

	memcpy(at, from, 14);
	memcpy(at + 15, from + 15, bytes - 16);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	*(volatile uint8_t *)(at + bytes - 1) = from[bytes - 1];
	*(volatile uint8_t *)(at + 14) = from[14];
}

static void fill(uint8_t *at, unsigned bytes)
{
	uint8_t filler[32] = {0};

	filler[14] = (bytes == 16 ? CASSINI_EVENT_16_BYTES : CASSINI_EVENT_32_BYTES) | CASSINI_EVENT_NULL << 2;
	filler[bytes - 1] = CASSINI_RC_OK;
	place(at, filler, bytes);
}

/* Each event has a slot of its own, as without combining; fillers behind a short one. */
void standin_write_event(struct eq *eq, const void *event, unsigned bytes)
{
	struct nic *nic = eq->nic;
	unsigned slots = eq->public.bytes / CASSINI_SLOT_BYTES;
	union cassini_event_progress progress = {.word = *(volatile uint64_t *)&eq->progress};
	unsigned read_slot = progress.read_slot ? progress.read_slot : 1;
	unsigned under_way = (eq->write_slot + (slots - 1) - read_slot) % (slots - 1);
	uint8_t *at = eq->public.events + (size_t)eq->write_slot * CASSINI_SLOT_BYTES;

	nic->counts.events++;
	if (nic->counts.events == standin_number("CXI_STANDIN_LOSE", 0))
		return;
	if (under_way >= slots - 2 || under_way >= standin_number("CXI_STANDIN_EVENTS", slots)) {
		nic->counts.lost_events++;
		report_lost(eq);
		return;
	}
	for (unsigned i = 0; i < CASSINI_SLOT_BYTES; i++) {
		if (at[i]) {
			standin_violation(nic, "slot %u of event queue %u was given back without zeroes",
					  eq->write_slot, eq->public.number);
			break;
		}
	}
	if (bytes == 16)
		fill(at + 16, 16);
	if (bytes <= 32)
		fill(at + 32, 32);
	place(at, event, bytes);
	if (++eq->write_slot == slots) {
		eq->write_slot = 1;
		nic->counts.event_wraps++;
	}
}

static void fire(struct nic *nic, const struct trigger *trigger)
{
	struct cassini_trigger_event event = {
		.threshold = trigger->threshold,
		.counter = trigger->counter,
		.size = CASSINI_EVENT_16_BYTES,
		.type = CASSINI_EVENT_TRIGGERED_OP,
		.return_code = CASSINI_RC_OK,
	};
	struct eq *eq = standin_eq(nic, trigger->event_queue);

	nic->counts.triggers++;
	if (eq)
		standin_write_event(eq, &event, sizeof(event));
	else
		standin_violation(nic, "a trigger reports to event queue %u, which is none", trigger->event_queue);
}

static struct counter *find_counter(struct nic *nic, unsigned number)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		if (nic->counters[i] && nic->counters[i]->public.number == number)
			return nic->counters[i];
	}
	return NULL;
}

static void look_at_triggers(struct nic *nic)
{
	for (unsigned i = 0; i < nic->trigger_count;) {
		struct trigger trigger = nic->triggers[i];
		struct counter *counter = find_counter(nic, trigger.counter);

		if (!counter || counter->success < trigger.threshold) {
			i++;
			continue;
		}
		nic->trigger_count--;
		memmove(&nic->triggers[i], &nic->triggers[i + 1], (nic->trigger_count - i) * sizeof(trigger));
		fire(nic, &trigger);
	}
}

void standin_count(struct nic *nic, unsigned number, uint64_t success, uint64_t failure)
{
	struct counter *counter = find_counter(nic, number);

	/* Answers may come after whoever waited for them has left. */
	if (!counter && number >= FIRST_COUNTER && number < FIRST_COUNTER + MAX_OBJECTS)
		return;
	if (!counter) {
		standin_violation(nic, "counter %u is none", number);
		return;
	}
	counter->success += success;
	counter->failure += failure;
	look_at_triggers(nic);
}

void standin_add_trigger(struct nic *nic, const struct cassini_count_command *command)
{
	if (nic->trigger_count == MAX_TRIGGERS || !find_counter(nic, command->trigger_counter)) {
		standin_violation(nic, "trigger %u of counter %u", nic->trigger_count, command->trigger_counter);
		return;
	}
	nic->triggers[nic->trigger_count++] = (struct trigger){
		.counter = command->trigger_counter,
		.event_queue = command->event_queue,
		.threshold = command->threshold,
	};
	look_at_triggers(nic);
}

/* Resets are writes of zero into a counter's own page. */
void standin_look_at_counters(struct nic *nic)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		struct counter *counter = nic->counters[i];
		volatile uint64_t *doorbell = counter ? counter->doorbell : NULL;

		if (!counter)
			continue;
		if (doorbell[LIBCXI_COUNTER_RESET_SUCCESS / 8] == 0) {
			doorbell[LIBCXI_COUNTER_RESET_SUCCESS / 8] = UINT64_MAX;
			counter->success = 0;
		}
		if (doorbell[LIBCXI_COUNTER_RESET_FAILURE / 8] == 0) {
			doorbell[LIBCXI_COUNTER_RESET_FAILURE / 8] = UINT64_MAX;
			counter->failure = 0;
		}
	}
}
