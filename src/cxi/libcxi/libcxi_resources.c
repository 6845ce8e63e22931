// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Creates the queues, counters, portals and mappings that a plan needs. Called by libcxi_ops.c. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cxi/libcxi/libcxi_link.h"
#include "util/arith.h"
#include "util/log.h"

#define SPARE_EVENTS	     64
#define SPARE_SLOTS	     16
#define TRIGGER_SLOTS	     64
#define PORTAL_SLOTS	     64
#define EVENTS_OF_RENDEZVOUS 3 /* PUT, RENDEZVOUS, REPLY */

/* Advice. */
#define LIMITED                                                                                                        \
	"other jobs or the limits of the service (cxi_service list) may leave none: select another service with -v"
#define NO_MEMORY "its ring must be contiguous memory, which grows with -l: give a smaller -l"

static int map_memory(struct libcxi_link *own, void *addr, size_t bytes, uint32_t flags,
		      struct libcxi_memory_hints *hints, struct libcxi_memory **memory, const char *name)
{
	int err = own->lib.cxil_map(own->interface, addr, bytes,
				    LIBCXI_MAP_PIN | LIBCXI_MAP_READ | LIBCXI_MAP_WRITE | flags, hints, memory);

	if (err)
		return libcxi_refused(own->link, err,
				      flags & LIBCXI_MAP_DEVICE
					      ? "this NIC or its driver cannot access this GPU's memory: omit -t or -r"
					      : "raise ulimit -l, or give a smaller --buf-sz, -s or -l",
				      "%zu bytes of %s can't be mapped for the NIC", bytes, name);
	if ((uintptr_t)addr < (*memory)->va || (*memory)->length < bytes ||
	    (uintptr_t)addr - (*memory)->va > (*memory)->length - bytes)
		return cxi_fault(own->link, -EPROTO, "libcxi maps %zu bytes of %s differently from what was requested",
				 bytes, name);
	return 0;
}

static int map_region(struct libcxi_link *own, const struct buffer *buffer, struct libcxi_region *region,
		      const char *name)
{
	struct libcxi_memory_hints hints = {0};
	bool by_fd = buffer->fd >= 0;
	int err;

	if (by_fd) {
		hints.dmabuf_fd = buffer->fd;
		hints.dmabuf_offset = buffer->fd_offset;
		hints.dmabuf_valid = true;
	}
	err = map_memory(own, buffer->addr, buffer->length, buffer->ops->is_far ? LIBCXI_MAP_DEVICE : 0,
			 by_fd ? &hints : NULL, &region->memory, name);
	if (err)
		return err;
	region->iova = region->memory->iova + ((uintptr_t)buffer->addr - region->memory->va);
	region->bytes = buffer->length;
	region->addr = buffer->addr;
	return 0;
}

static int open_ring(struct libcxi_link *own, struct libcxi_ring *ring, size_t events, const char *name)
{
	struct libcxi_event_queue_options options = {.flags = LIBCXI_EVENTS_UNCOMBINED};
	int err;

	ring->bytes = arith_round_up(events * CASSINI_SLOT_BYTES, sysconf(_SC_PAGESIZE));
	ring->buffer = mmap(NULL, ring->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring->buffer == MAP_FAILED) {
		ring->buffer = NULL;
		return libcxi_refused(own->link, -errno, NO_MEMORY, "%s", name);
	}
	err = map_memory(own, ring->buffer, ring->bytes, 0, NULL, &ring->memory, name);
	if (err)
		return err;
	options.buffer = ring->buffer;
	options.length = ring->bytes;
	err = own->lib.cxil_alloc_evtq(own->interface, ring->memory, &options, NULL, NULL, &ring->queue);
	if (err)
		return libcxi_refused(own->link, err, LIMITED, "%s", name);
	if (!libcxi_events_are_sane(ring->queue, ring->buffer, ring->bytes))
		return cxi_fault(own->link, -EPROTO, "%s creates an event queue with an unknown layout",
				 own->link->library);
	return 0;
}

static int libcxi_open_queue(struct libcxi_link *own, struct libcxi_queue **queue, unsigned slots, uint32_t flags,
			     struct libcxi_event_queue *errors, const char *name)
{
	struct libcxi_queue_options options = {
		.slots = slots > LIBCXI_MAX_QUEUE_SLOTS ? LIBCXI_MAX_QUEUE_SLOTS : slots,
		.flags = flags,
	};
	int err;

	/* Triggered queues always have LCID 0. */
	if (flags & LIBCXI_QUEUE_TRANSMIT && !(flags & LIBCXI_QUEUE_TRIGGERED))
		options.lcid = own->profile->lcid;
	err = own->lib.cxil_alloc_cmdq(own->interface, errors, &options, queue);
	if (err)
		return libcxi_refused(own->link, err, err == -ENOMEM ? NO_MEMORY : LIMITED, "%s", name);
	if (!libcxi_queue_is_sane(*queue))
		return cxi_fault(own->link, -EPROTO, "%s creates a command queue with an unknown layout",
				 own->link->library);
	return 0;
}

static int open_entry(struct libcxi_link *own, struct libcxi_entry *entry, unsigned index,
		      struct libcxi_event_queue *events, const char *name)
{
	struct libcxi_portal_options options = {.matching = 1};
	int err = own->lib.cxil_alloc_pte(own->interface, events, &options, &entry->portal);

	if (err)
		return libcxi_refused(own->link, err, LIMITED, "%s", name);
	err = own->lib.cxil_map_pte(entry->portal, own->domain, index, false, &entry->map);
	return err ? libcxi_refused(own->link, err, LIMITED, "%s", name) : 0;
}

/* Resets it, since it may have been used before. */
static int open_counter(struct libcxi_link *own, enum libcxi_count which)
{
	struct libcxi_counter **counter = &own->counts[which].counter;
	int err = own->lib.cxil_alloc_ct(own->interface, NULL, counter);

	if (err)
		return libcxi_refused(own->link, err, LIMITED, "no counter");
	if (!(*counter)->doorbell)
		return cxi_fault(own->link, -EPROTO, "%s creates a counter with an unknown layout", own->link->library);
	((volatile uint64_t *)(*counter)->doorbell)[LIBCXI_COUNTER_RESET_SUCCESS / sizeof(uint64_t)] = 0;
	((volatile uint64_t *)(*counter)->doorbell)[LIBCXI_COUNTER_RESET_FAILURE / sizeof(uint64_t)] = 0;
	return 0;
}

static int open_counters(struct libcxi_link *own)
{
	const bool needed[COUNTS] = {
		[COUNT_ACKS] = own->plan.sends,
		[COUNT_GETS] = own->plan.sends && own->plan.rendezvous,
		[COUNT_PUTS] = own->plan.one_index || (own->plan.receives && !own->plan.rendezvous),
		[COUNT_RESPONSES] = own->plan.sends && !own->plan.one_index,
		[COUNT_RESPONSE_ACKS] = own->plan.receives,
	};
	int err = 0;

	for (enum libcxi_count i = 0; i < COUNTS && !err; i++) {
		if (needed[i])
			err = open_counter(own, i);
	}
	return err;
}

static int open_queues(struct libcxi_link *own)
{
	size_t target_events =
		SPARE_EVENTS + (own->plan.rendezvous ? (size_t)own->plan.list * EVENTS_OF_RENDEZVOUS : 0);
	int err = open_ring(own, &own->initiator, SPARE_EVENTS, "the initiator's event queue");

	if (!err)
		err = open_ring(own, &own->target, target_events, "the target's event queue");
	/* A list of the largest immediate data commands, and whatever else may be in flight. */
	if (!err)
		err = libcxi_open_queue(own, &own->transmit, own->plan.list * 4 + SPARE_SLOTS, LIBCXI_QUEUE_TRANSMIT,
					own->initiator.queue, "no transmit command queue");
	if (!err)
		err = libcxi_open_queue(own, &own->trigger, TRIGGER_SLOTS,
					LIBCXI_QUEUE_TRANSMIT | LIBCXI_QUEUE_TRIGGERED, own->initiator.queue,
					"no command queue for triggers");
	if (!err)
		err = libcxi_open_queue(own, &own->portals, PORTAL_SLOTS, 0, own->target.queue,
					"no target command queue");
	return err;
}

static int open_entries(struct libcxi_link *own)
{
	int err = 0;

	if (own->plan.receives || own->plan.one_index)
		err = open_entry(own, &own->data, DATA_INDEX, own->target.queue, "no portal for sends");
	if (!err && own->plan.sends && !own->plan.one_index)
		err = open_entry(own, &own->response, RESPONSE_INDEX, own->target.queue, "no portal for responses");
	if (!err && own->plan.sends && own->plan.rendezvous)
		err = open_entry(own, &own->source, own->device->info.rendezvous_index, own->initiator.queue,
				 "no portal for rendezvous data");
	return err;
}

int libcxi_map(struct cxi_link *link, const struct cxi_plan *plan, const struct buffer *tx, const struct buffer *rx)
{
	struct libcxi_link *own = libcxi_of(link);
	int err = libcxi_alloc_profile(&own->lib, own->interface, own->vni, &own->profile);

	own->plan = *plan;
	own->next = plan->list;
	if (err)
		return libcxi_refused(own->link, err,
				      "the service may not have this traffic class: select another with -v",
				      "no communication profile for best effort traffic");
	own->idc = own->plan.idc && !tx->ops->is_far;
	err = map_region(own, tx, &own->tx, "the transmit buffer");
	if (!err)
		err = map_region(own, rx, &own->rx, "the receive buffer");
	if (!err)
		err = open_queues(own);
	if (!err)
		err = open_counters(own);
	if (!err)
		err = open_entries(own);
	return err;
}

static void libcxi_release(int err, const char *what)
{
	if (err)
		log_warning("libcxi: cannot free %s: %s", what, strerror(err < 0 ? -err : EIO));
}

#define RELEASE(call, object, what)                                                                                    \
	do {                                                                                                           \
		if (object)                                                                                            \
			libcxi_release(own->lib.call(object), what);                                                   \
	} while (0)

static void close_entry(struct libcxi_link *own, struct libcxi_entry *entry)
{
	RELEASE(cxil_unmap_pte, entry->map, "a portal index");
	RELEASE(cxil_destroy_pte, entry->portal, "a portal");
}

static void close_ring(struct libcxi_link *own, struct libcxi_ring *ring)
{
	RELEASE(cxil_destroy_evtq, ring->queue, "an event queue");
	RELEASE(cxil_unmap, ring->memory, "an event queue's mapping");
	if (ring->buffer)
		munmap(ring->buffer, ring->bytes);
}

void libcxi_unmap(struct libcxi_link *own)
{
	close_entry(own, &own->source);
	close_entry(own, &own->response);
	close_entry(own, &own->data);
	if (own->trigger)
		libcxi_queue_drain(own->trigger);
	for (enum libcxi_count i = 0; i < COUNTS; i++)
		RELEASE(cxil_destroy_ct, own->counts[i].counter, "a counter");
	RELEASE(cxil_destroy_cmdq, own->portals, "a command queue");
	RELEASE(cxil_destroy_cmdq, own->trigger, "a command queue");
	RELEASE(cxil_destroy_cmdq, own->transmit, "a command queue");
	close_ring(own, &own->target);
	close_ring(own, &own->initiator);
	RELEASE(cxil_unmap, own->rx.memory, "the receive buffer's mapping");
	RELEASE(cxil_unmap, own->tx.memory, "the transmit buffer's mapping");
	RELEASE(cxil_destroy_cp, own->profile, "a communication profile");
}
