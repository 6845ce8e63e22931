// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Converts memory of the program, in place, to memory that peers can map. Called by mr.c.
 *
 * Private pages move: their content is written to the data file at an offset equal to their address, then the file is
 * mapped over them, shared (page_move.c). Each page moves once; overlapping registrations are counted (segments), and
 * when the last is deregistered the page becomes anonymous again with its content, because allocators rely on
 * MADV_DONTNEED, fork and merging for unregistered memory.
 *
 * fork: pages entirely inside a buffer are not inherited, as with ibv_fork_init(); a page at its edge, which also has
 * other data, becomes a private copy in the child.
 */
#include "config.h"

#include "memory/pages.h"

#include "host/mapping.h"

struct segment {
	uint64_t start;
	uint64_t end;
	uint32_t users;
};

struct mr_backing {
	struct mr_backing *next, **link; /* list of all, for fork */
	uint64_t start;			 /* of the buffer, in bytes, not rounded to pages */
	uint64_t end;
	bool is_file_backed;
	bool needs_write;
	struct mr_file file;
};

enum part_kind { PART_OURS, PART_PRIVATE, PART_SHARED, PART_HUGE };

pthread_mutex_t soft_mr_backing_lock = PTHREAD_MUTEX_INITIALIZER;
static struct segment *segments; /* ascending, disjoint */
static size_t segment_count;
static struct mr_backing *backings;

static bool mapping_name_begins(const struct mapping *mapping, const char *with)
{
	return strncmp(mapping->name, with, strlen(with)) == 0;
}

static int mapping_classify(const struct mapping *mapping, enum part_kind *kind)
{
	if (soft_page_move_is_data_file(mapping))
		*kind = PART_OURS;
	else if (mapping_name_begins(mapping, "[v") ||
		 (mapping_name_begins(mapping, "/dev/") && !mapping_name_begins(mapping, "/dev/shm/") &&
		  !mapping_name_begins(mapping, "/dev/zero") && !mapping_name_begins(mapping, "/dev/hugepages")))
		return -EOPNOTSUPP; /* memory of a device, or of the kernel */
	else if (mapping->is_shared)
		*kind = PART_SHARED;
	else if (mapping_name_begins(mapping, "/anon_hugepage"))
		*kind = PART_HUGE;
	else
		*kind = PART_PRIVATE;
	return 0;
}

/* The segment that ends after addr, or segment_count. */
static size_t segment_after(uint64_t addr)
{
	size_t low = 0, high = segment_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (segments[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int segment_insert(size_t where, uint64_t start, uint64_t end, uint32_t users)
{
	struct segment *larger = soft_array_grow(segments, segment_count, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	segments = larger;
	memmove(segments + where + 1, segments + where, (segment_count - where) * sizeof(*segments));
	segments[where] = (struct segment){start, end, users};
	segment_count++;
	return 0;
}

/* Makes addr a boundary between segments. */
static int segment_split(uint64_t addr)
{
	size_t i = segment_after(addr);
	int err;

	if (i == segment_count || segments[i].start >= addr)
		return 0;
	err = segment_insert(i + 1, addr, segments[i].end, segments[i].users);
	if (!err)
		segments[i].end = addr;
	return err;
}

/* Merges neighbours in [start, end] that have the same count. */
static void segments_merge(uint64_t start, uint64_t end)
{
	size_t i = segment_after(start ? start - 1 : 0), kept = i, next;

	for (next = i; next < segment_count && segments[next].start <= end; next++) {
		if (kept > i && segments[kept - 1].end == segments[next].start &&
		    segments[kept - 1].users == segments[next].users)
			segments[kept - 1].end = segments[next].end;
		else
			segments[kept++] = segments[next];
	}
	if (kept < next) {
		memmove(segments + kept, segments + next, (segment_count - next) * sizeof(*segments));
		segment_count -= next - kept;
	}
}

static int segments_acquire(uint64_t start, uint64_t end)
{
	int err = segment_split(start);
	uint64_t at_addr = start;

	err = err ?: segment_split(end);
	for (size_t i = segment_after(start); !err && at_addr < end; i++) {
		if (i == segment_count || segments[i].start > at_addr) {
			uint64_t until = i == segment_count || segments[i].start > end ? end : segments[i].start;

			err = segment_insert(i, at_addr, until, 0);
			if (err)
				break;
		}
		segments[i].users++;
		at_addr = segments[i].end;
	}
	segments_merge(start, end);
	return err;
}

static void pages_give_back(const struct mapping *mapping, uint64_t start, uint64_t end)
{
	static bool is_said;
	int err = soft_page_move_return(mapping, start, end);

	if (err && !is_said) {
		is_said = true;
		soft_error("deregistered memory at %p stays shared: %s (said once)", move_at(start), strerror(-err));
	}
}

/* Does its registration have its own file or segment, because it was shared already? */
static bool mapping_is_foreign(const struct mapping *mapping)
{
	const struct mr_backing *backing;

	for (backing = backings; backing; backing = backing->next) {
		if (backing->is_file_backed && backing->start < mapping->end && backing->end > mapping->start)
			return true;
	}
	return false;
}

/*
 * The program may have unmapped pages before deregistering them; or moved them, as realloc() does with large buffers:
 * then they are returned at their new address.
 */
static void segment_seek(uint64_t start, uint64_t end)
{
	struct maps maps;
	struct mapping mapping;
	uint64_t next = 0;
	bool is_gone = true;

	if (soft_proc_maps_open(&maps))
		return;
	for (; soft_proc_maps_next(&maps, next, &mapping) == 0; next = mapping.end) {
		uint64_t from = mapping.offset, until = from + (mapping.end - mapping.start);

		if (!soft_page_move_is_from_data_file(&mapping) || soft_page_move_is_data_file(&mapping) ||
		    from >= end || until <= start)
			continue;
		if (mapping_is_foreign(&mapping)) {
			is_gone = false;
			continue;
		}
		from = from < start ? start : from;
		until = until < end ? until : end;
		pages_give_back(&mapping, mapping.start + (from - mapping.offset),
				mapping.start + (until - mapping.offset));
	}
	soft_proc_maps_close(&maps);
	if (is_gone)
		soft_page_move_punch(start, end);
}

static void segment_return(uint64_t start, uint64_t end)
{
	struct maps maps;
	struct mapping mapping;

	if (soft_proc_maps_open(&maps))
		return;
	while (start < end) {
		uint64_t until = end;
		bool is_mapped = false;

		if (soft_proc_maps_next(&maps, start, &mapping) == 0) {
			is_mapped = mapping.start <= start;
			until = is_mapped ? mapping.end : mapping.start;
			until = until < end ? until : end;
		}
		if (is_mapped && soft_page_move_is_data_file(&mapping))
			pages_give_back(&mapping, start, until);
		else
			segment_seek(start, until);
		start = until;
	}
	soft_proc_maps_close(&maps);
}

static void segments_release(uint64_t start, uint64_t end)
{
	size_t i;

	/* They were split when registered, but may have merged since. Without memory they stay in the data file. */
	if (segment_split(start) || segment_split(end)) {
		soft_error("deregistered memory at %p stays shared: no memory", move_at(start));
		return;
	}
	i = segment_after(start);
	while (i < segment_count && segments[i].start < end) {
		uint64_t from = segments[i].start, until = segments[i].end;

		if (--segments[i].users) {
			i++;
			continue;
		}
		segment_count--;
		memmove(segments + i, segments + i + 1, (segment_count - i) * sizeof(*segments));
		/* Neighbours that become unused with it are returned in one piece. */
		while (i < segment_count && segments[i].start == until && segments[i].start < end &&
		       segments[i].users == 1) {
			until = segments[i].end;
			segment_count--;
			memmove(segments + i, segments + i + 1, (segment_count - i) * sizeof(*segments));
		}
		segment_return(from, until);
	}
	segments_merge(start, end);
}

static int mr_backing_take_parts(struct mr_backing *backing, bool needs_write)
{
	uint64_t start = page_down(backing->start), end = page_up(backing->end);
	uint64_t next = start;
	struct mapping mapping;
	enum part_kind kind;
	struct maps maps;
	int err = soft_proc_maps_open(&maps);

	if (err) {
		soft_error("cannot read /proc/self/maps: %s; memory cannot be registered without it", strerror(-err));
		return -EOPNOTSUPP;
	}
	while (!err && next < end) {
		uint64_t until;

		err = soft_proc_maps_find(&maps, next, &mapping);
		if (!err && (!(mapping.protection & PROT_READ) || (needs_write && !(mapping.protection & PROT_WRITE))))
			err = -EFAULT;
		err = err ?: mapping_classify(&mapping, &kind);
		if (err)
			break;
		until = mapping.end < end ? mapping.end : end;
		if (kind == PART_SHARED || kind == PART_HUGE) {
			if (next != start || mapping.end < backing->end) {
				err = -EOPNOTSUPP; /* one registration, several files */
				break;
			}
			err = kind == PART_SHARED
				      ? soft_file_backed_take(&mapping, backing->start, needs_write, &backing->file)
				      : soft_file_backed_take_huge(&mapping, backing->start, &backing->file);
			backing->is_file_backed = !err;
			soft_proc_maps_close(&maps);
			return err;
		}
		if (kind == PART_PRIVATE)
			err = soft_page_move_share(&mapping, next, until);
		if (!err) {
			err = segments_acquire(next, until);
			if (!err)
				next = until;
		}
	}
	soft_proc_maps_close(&maps);
	if (err)
		segments_release(start, next);
	return err;
}

int soft_mr_backing_take(void *addr, size_t length, bool needs_write, struct mr_backing **out)
{
	struct mr_backing *backing = calloc(1, sizeof(*backing));
	uint64_t inner_start, inner_end;
	int err;

	if (!backing)
		return -ENOMEM;
	backing->start = (uint64_t)(uintptr_t)addr;
	backing->end = backing->start + length;
	backing->needs_write = needs_write;
	pthread_mutex_lock(&soft_mr_backing_lock);
	err = backing->end < backing->start || page_up(backing->end) < backing->end ? -EFAULT : 0;
	err = err ?: mr_backing_take_parts(backing, needs_write);
	if (err) {
		pthread_mutex_unlock(&soft_mr_backing_lock);
		free(backing);
		return err;
	}
	inner_start = page_up(backing->start);
	inner_end = page_down(backing->end);
	if (!backing->is_file_backed && inner_start < inner_end)
		mapping_advise(move_at(inner_start), inner_end - inner_start, MADV_DONTFORK);
	backing->next = backings;
	backing->link = &backings;
	if (backings)
		backings->link = &backing->next;
	backings = backing;
	pthread_mutex_unlock(&soft_mr_backing_lock);
	*out = backing;
	return 0;
}

void soft_mr_backing_give(struct mr_backing *backing)
{
	pthread_mutex_lock(&soft_mr_backing_lock);
	*backing->link = backing->next;
	if (backing->next)
		backing->next->link = backing->link;
	if (backing->is_file_backed)
		descriptor_close(&backing->file.fd);
	else
		segments_release(page_down(backing->start), page_up(backing->end));
	pthread_mutex_unlock(&soft_mr_backing_lock);
	free(backing);
}

bool soft_mr_backing_covers(const struct mr_backing *backing, uint64_t start, uint64_t length, bool needs_write)
{
	return backing->start <= start && backing->end >= start + length && (backing->needs_write || !needs_write);
}

const struct mr_file *soft_mr_backing_file(const struct mr_backing *backing)
{
	return backing->is_file_backed ? &backing->file : NULL;
}

void soft_mr_backing_close_data(void)
{
	pthread_mutex_lock(&soft_mr_backing_lock);
	while (segment_count) {
		struct segment last = segments[--segment_count];

		segment_return(last.start, last.end);
	}
	free(segments);
	segments = NULL;
	soft_page_move_close();
	pthread_mutex_unlock(&soft_mr_backing_lock);
}

void soft_mr_backing_fork_prepare(void)
{
	struct mr_backing *backing;
	uint64_t low, high;
	size_t count = 0;

	for (backing = backings; backing; backing = backing->next) {
		soft_fork_stack_within(page_up(backing->start), page_down(backing->end), &low, &high);
		count += 2 + (low < high ? (high - low) / PAGE : 0);
	}
	soft_fork_pages_open(count);
	for (backing = backings; backing; backing = backing->next) {
		if (backing->is_file_backed)
			continue;
		if (backing->start % PAGE)
			soft_fork_pages_add(page_down(backing->start), false);
		if (backing->end % PAGE)
			soft_fork_pages_add(page_down(backing->end), false);
		soft_fork_stack_within(page_up(backing->start), page_down(backing->end), &low, &high);
		for (; low < high; low += PAGE)
			soft_fork_pages_add(low, true);
	}
	soft_fork_pages_detach();
}

void soft_mr_backing_reset(void)
{
	soft_fork_pages_keep();
	soft_page_move_close();
	backings = NULL; /* they belong to the parent's regions */
	free(segments);
	segments = NULL;
	segment_count = 0;
}
