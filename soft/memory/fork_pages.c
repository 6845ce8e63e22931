// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registered memory in a forked child. Pages entirely inside a buffer are not inherited, as with ibv_fork_init(). A
 * page at the edge of a buffer also has other data, and any page may contain the current stack. These are shared
 * memory, and the child would write to its parent's memory through them. So they become private memory of the parent
 * during fork(), inherited like all other memory, and are shared again afterwards with the parent's changes
 * (page_move.c). If another thread's stack could not be guarded meanwhile, the child does not inherit its pages.
 */
#include "config.h"

#include "memory/pages.h"

#include "host/mapping.h"
#include "memory/raw.h"

#define STACK_MARGIN (16u << 10) /* below this frame: what fork() itself needs */

struct fork_page {
	uint64_t page;
	bool is_inside;
	bool is_detached;
	bool is_withheld; /* temporarily, from the child */
	uint8_t *before;  /* a page */
};

static struct {
	struct fork_page *pages;
	uint8_t *before;
	size_t count;
	size_t room;
} detached;

static void detached_close(void)
{
	mapping_drop(detached.pages, detached.room * sizeof(*detached.pages));
	mapping_drop(detached.before, detached.room * PAGE);
	memset(&detached, 0, sizeof(detached));
}

void soft_fork_pages_open(size_t count)
{
	if (!count)
		return;
	detached.room = count;
	detached.pages = mapping_make_private(count * sizeof(*detached.pages));
	detached.before = mapping_make_private(count * PAGE);
	if (detached.pages && detached.before)
		return;
	soft_error("no memory for what a forked child is to have of its own: it shares pages with its parent");
	detached_close();
}

void soft_fork_pages_add(uint64_t page, bool is_inside)
{
	if (detached.count < detached.room)
		detached.pages[detached.count++] = (struct fork_page){.page = page, .is_inside = is_inside};
}

static int page_compare(const void *left, const void *right)
{
	const struct fork_page *a = left, *b = right;

	if (a->page != b->page)
		return a->page < b->page ? -1 : 1;
	return a->is_inside - b->is_inside; /* if a page is both, the edge entry comes first and is kept */
}

static void pages_sort(void)
{
	size_t count = 0;

	qsort(detached.pages, detached.count, sizeof(*detached.pages), page_compare);
	for (size_t i = 0; i < detached.count; i++) {
		if (count && detached.pages[count - 1].page == detached.pages[i].page)
			continue;
		detached.pages[count] = detached.pages[i];
		detached.pages[count].before = detached.before + count * PAGE;
		count++;
	}
	detached.count = count;
}

void soft_fork_pages_detach(void)
{
	static struct mapping mapping; /* large; mr_backing.c holds its lock */
	struct maps maps;

	if (!detached.count || soft_proc_maps_open(&maps))
		return;
	pages_sort();
	for (size_t i = 0; i < detached.count; i++) {
		struct fork_page *page = &detached.pages[i];
		int err;

		if (soft_proc_maps_find(&maps, page->page, &mapping) || !soft_page_move_is_data_file(&mapping))
			continue; /* the program has unmapped it */
		/* The child does not run on it, either. */
		if (!page->is_inside && !soft_page_move_can_block(&mapping, page->page)) {
			page->is_withheld = mapping_advise(move_at(page->page), PAGE, MADV_DONTFORK) == 0;
			continue;
		}
		err = soft_page_move_detach(&mapping, page->page, page->before);
		page->is_detached = !err;
		if (err)
			soft_error("a forked child shares the page at %p with its parent: %s", move_at(page->page),
				   strerror(-err));
	}
	soft_proc_maps_close(&maps);
}

void soft_fork_pages_attach(void)
{
	static struct mapping mapping;
	struct maps maps;

	if (detached.count && soft_proc_maps_open(&maps) == 0) {
		for (size_t i = 0; i < detached.count; i++) {
			const struct fork_page *page = &detached.pages[i];
			int err;

			if (page->is_withheld)
				mapping_advise(move_at(page->page), PAGE, MADV_DOFORK);
			if (!page->is_detached || soft_proc_maps_find(&maps, page->page, &mapping) ||
			    !soft_page_move_is_detached(&mapping, page->page))
				continue;
			err = soft_page_move_attach(&mapping, page->page, page->before);
			if (err)
				soft_error("peers do not see what is stored at %p from here on: %s",
					   move_at(page->page), strerror(-err));
			else if (page->is_inside)
				mapping_advise(move_at(page->page), PAGE, MADV_DONTFORK);
		}
		soft_proc_maps_close(&maps);
	}
	detached_close();
}

/* Sanitizers would report reads of whole pages of the heap, or of a stack. */
RAW_CODE static void page_copy(uint8_t *to, uint64_t page)
{
	const volatile uint64_t *from = (const volatile uint64_t *)move_at(page);
	volatile uint64_t *words = (volatile uint64_t *)(void *)to;

	for (uint64_t i = 0; i < PAGE / sizeof(*words); i++)
		words[i] = from[i];
}

/*
 * The pages are private mappings of the parent's file. Turns them into ordinary memory, which reads as zeroes after
 * MADV_DONTNEED, except for the stack that this runs on, where no program does that.
 */
void soft_fork_pages_keep(void)
{
	for (size_t i = 0; i < detached.count; i++) {
		struct fork_page *page = &detached.pages[i];
		uint64_t low, high;

		soft_fork_stack_within(page->page, page->page + PAGE, &low, &high);
		if (!page->is_detached || low < high)
			continue;
		page_copy(page->before, page->page);
		mapping_move(page->before, PAGE, move_at(page->page));
	}
	detached_close();
}

static uint64_t stack_top(uint64_t here)
{
	pthread_attr_t attr;
	void *lowest;
	size_t size;
	uint64_t top = here;

	if (pthread_getattr_np(pthread_self(), &attr))
		return here;
	if (pthread_attr_getstack(&attr, &lowest, &size) == 0)
		top = (uint64_t)(uintptr_t)lowest + size;
	pthread_attr_destroy(&attr);
	return top > here ? top : here;
}

void soft_fork_stack_within(uint64_t start, uint64_t end, uint64_t *low, uint64_t *high)
{
	static __thread uint64_t top; /* cached, because finding it reads a file */
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	uint64_t lowest = page_down(here - STACK_MARGIN);

	*low = *high = 0;
	if (end <= lowest)
		return;
	if (!top || top < here)
		top = stack_top(here);
	*low = start < lowest ? lowest : start;
	*high = page_up(top);
	*high = *high < end ? *high : end;
}
