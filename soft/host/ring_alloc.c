// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Allocates rings in the control file: blocks of a power of two of pages, with one free list per size. The memory of a
 * freed block is returned to the system, so that the next allocation reads as zeroes. Called by cq.c and
 * receive_queue.c.
 */
#include "config.h"

#include "host/core.h"
#include "host/mapping.h"

#define HEAP_PAGE    4096ull
#define HEAP_CLASSES 24 /* 4 KiB ... 32 GiB */

struct free_list {
	uint64_t *offsets;
	uint32_t count;
};

static pthread_mutex_t ring_lock = PTHREAD_MUTEX_INITIALIZER; /* innermost lock */
static struct free_list free_lists[HEAP_CLASSES];
static uint64_t ring_top = LAYOUT_HEAP_OFFSET;

static unsigned int class_of(uint64_t bytes)
{
	return core_shift((bytes + HEAP_PAGE - 1) / HEAP_PAGE);
}

int soft_ring_take(uint64_t bytes, uint64_t *offset)
{
	unsigned int class = class_of(bytes);
	struct free_list *list;
	int err = 0;

	if (class >= HEAP_CLASSES)
		return -ENOMEM;
	list = &free_lists[class];
	pthread_mutex_lock(&ring_lock);
	if (list->count) {
		*offset = list->offsets[--list->count];
	} else if (ring_top + (HEAP_PAGE << class) <= LAYOUT_SIZE) {
		*offset = ring_top;
		ring_top += HEAP_PAGE << class;
	} else {
		err = -ENOMEM;
	}
	pthread_mutex_unlock(&ring_lock);
	return err;
}

void soft_ring_give(uint64_t offset, uint64_t bytes)
{
	unsigned int class = class_of(bytes);
	struct free_list *list = &free_lists[class];
	uint64_t *larger;

	/* MADV_REMOVE punches a hole into the file: peers that still read it also see zeroes. Null mode has no file. */
	mapping_advise(soft_self.control + offset, HEAP_PAGE << class, soft_self.is_null ? MADV_DONTNEED : MADV_REMOVE);
	pthread_mutex_lock(&ring_lock);
	larger = soft_array_grow(list->offsets, list->count, sizeof(*larger));
	/* Without memory for it, address space is lost until the process exits, but no memory. */
	if (larger) {
		list->offsets = larger;
		list->offsets[list->count++] = offset;
	}
	pthread_mutex_unlock(&ring_lock);
}

void soft_ring_reset(void)
{
	for (unsigned int i = 0; i < HEAP_CLASSES; i++) {
		free(free_lists[i].offsets);
		free_lists[i] = (struct free_list){0};
	}
	ring_top = LAYOUT_HEAP_OFFSET;
}

void soft_ring_reset_in_child(void)
{
	pthread_mutex_init(&ring_lock, NULL); /* another thread of the parent may have held it */
	soft_ring_reset();
}
