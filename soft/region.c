// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How does memory of the program become memory that peers can map, in place? Called by mr.c.
 *
 * Private pages move: their content is written into the data file at the offset that is their address, then
 * the file is mapped over them, shared. Each page moves once; overlapping registrations count on it
 * (segments), and when the last goes the page becomes anonymous again with its content, because allocators
 * count on MADV_DONTNEED, fork and merging to work on what is no longer registered.
 *
 * Another thread may write to the pages meanwhile, most of all to what shares the first and last page with
 * the buffer. They are read-only while they are copied; a store that comes then faults, waits in our SIGSEGV
 * handler until the move is over, and is done again. (A system call that would write there fails with EFAULT
 * in that time.) The mover writes to nothing but its stack, and when that is what moves, a thread with
 * another stack does it.
 *
 * Mappings that are shared already keep their file: it is found among the program's descriptors, by its
 * name, or as a SysV id, and handed to peers as it is. Private huge pages become a file of huge pages.
 *
 * fork: what is wholly inside a buffer is not passed on, as with ibv_fork_init(); a page at its edge, which
 * holds other data too, becomes a private copy in the child.
 */
#include "config.h"

#include "region.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"
#include "maps.h"

#define PAGE	       4096ull
#define DATA_FILE_SIZE (1ll << 47) /* every user address, and then some */
#define HUGE_PAGE_MAX  (1ull << 30)
#define HUGE_SHIFT     26   /* MFD_HUGE_SHIFT, which no C library header of 2022 has */
#define FAULT_RETRIES  1000 /* of one address: then it is no fault of ours */
#define RECENT_MOVES   64

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct segment {
	uint64_t start;
	uint64_t end;
	uint32_t users;
};

struct region {
	struct region *next, **link; /* of all, for fork */
	uint64_t start;		     /* of the buffer, in bytes; pages are around it */
	uint64_t end;
	bool is_foreign;
	struct region_foreign foreign;
};

enum part_kind { PART_OURS, PART_PRIVATE, PART_SHARED, PART_HUGE };

static pthread_mutex_t region_lock = PTHREAD_MUTEX_INITIALIZER;
static int data_fd = -1;
static uint64_t data_inode, data_device;
static struct segment *segments; /* ascending, disjoint */
static size_t segment_count, segment_room;
static struct region *regions;

/* What the fault handler reads. */
static struct {
	uint64_t start;
	uint64_t end;
	pid_t mover; /* 0: nothing moves */
} moving;
static struct {
	uint64_t start;
	uint64_t end;
} recent[RECENT_MOVES];
static unsigned int recent_next;
static struct sigaction previous_action;

static uint64_t page_down(uint64_t addr)
{
	return addr & ~(PAGE - 1);
}

static uint64_t page_up(uint64_t addr)
{
	return (addr + PAGE - 1) & ~(PAGE - 1);
}

static void *at(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

static pid_t thread_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void fault_pass_on(int number, siginfo_t *info, void *context)
{
	if (previous_action.sa_flags & SA_SIGINFO) {
		previous_action.sa_sigaction(number, info, context);
	} else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
		signal(number, SIG_DFL); /* the instruction faults again, and ends the process as it should */
	} else {
		previous_action.sa_handler(number);
	}
}

static bool fault_is_recent(uint64_t addr)
{
	for (unsigned int i = 0; i < RECENT_MOVES; i++) {
		if (addr >= recent[i].start && addr < recent[i].end)
			return true;
	}
	return false;
}

static void fault_handle(int number, siginfo_t *info, void *context)
{
	static __thread uint64_t last_addr;
	static __thread unsigned int retries;
	uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
	pid_t mover = __atomic_load_n(&moving.mover, __ATOMIC_ACQUIRE);
	int saved_errno = errno;

	if (info->si_code != SEGV_ACCERR || (mover && mover == thread_id())) {
		fault_pass_on(number, info, context);
		return;
	}
	if (mover && addr >= moving.start && addr < moving.end) {
		while (__atomic_load_n(&moving.mover, __ATOMIC_ACQUIRE) == mover)
			sched_yield();
	} else if (!fault_is_recent(addr) || (addr == last_addr && ++retries > FAULT_RETRIES)) {
		fault_pass_on(number, info, context);
		return;
	}
	if (addr != last_addr) {
		last_addr = addr;
		retries = 0;
	}
	errno = saved_errno;
}

/* Again for each move: the program may have put its own handler in place since. */
static int fault_handler_install(void)
{
	struct sigaction action = {.sa_sigaction = fault_handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	struct sigaction current;

	if (sigaction(SIGSEGV, NULL, &current))
		return -errno;
	if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == fault_handle)
		return 0;
	previous_action = current;
	return sigaction(SIGSEGV, &action, NULL) ? -errno : 0;
}

static void fault_handler_remove(void)
{
	struct sigaction current;

	if (sigaction(SIGSEGV, NULL, &current) == 0 && (current.sa_flags & SA_SIGINFO) &&
	    current.sa_sigaction == fault_handle)
		sigaction(SIGSEGV, &previous_action, NULL);
}

static void move_begin(uint64_t start, uint64_t end)
{
	moving.start = start;
	moving.end = end;
	recent[recent_next].start = start;
	recent[recent_next].end = end;
	recent_next = (recent_next + 1) % RECENT_MOVES;
	__atomic_store_n(&moving.mover, thread_id(), __ATOMIC_SEQ_CST);
}

static void move_end(void)
{
	__atomic_store_n(&moving.mover, 0, __ATOMIC_RELEASE);
}

/* System calls as such: a sanitizer would object to whole pages of its heap or stack being read. */
static int file_write(uint64_t start, uint64_t end)
{
	while (start < end) {
		ssize_t written = syscall(SYS_pwrite64, data_fd, start, end - start, start);

		if (written < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		start += (uint64_t)written;
	}
	return 0;
}

static int file_read(uint8_t *to, uint64_t start, uint64_t end)
{
	while (start < end) {
		ssize_t got = syscall(SYS_pread64, data_fd, to, end - start, start);

		if (got < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		to += got;
		start += (uint64_t)got;
	}
	return 0;
}

static void file_punch(uint64_t start, uint64_t end)
{
	fallocate(data_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start, (off_t)(end - start));
}

/* Between mprotect and mmap nothing may be written but this thread's stack: see the head of the file. */
static int pages_share(uint64_t start, uint64_t end, int protection)
{
	int err;

	move_begin(start, end);
	if (mprotect(at(start), end - start, PROT_READ)) {
		err = -errno;
		goto out;
	}
	err = file_write(start, end);
	if (!err && mmap(at(start), end - start, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, data_fd,
			 (off_t)start) == MAP_FAILED)
		err = -errno;
	if (err)
		mprotect(at(start), end - start, protection);
out:
	move_end();
	if (err)
		return err;
	/* Spares the first touch of each page a fault; old kernels do not know it, and fault. */
	if (protection & PROT_WRITE)
		madvise(at(start), end - start, MADV_POPULATE_WRITE);
	return 0;
}

static int pages_return(uint64_t start, uint64_t end, int protection)
{
	size_t length = end - start;
	void *fresh = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int err;

	if (fresh == MAP_FAILED)
		return -errno;
	move_begin(start, end);
	if (mprotect(at(start), length, PROT_READ)) {
		err = -errno;
		goto err_unmap;
	}
	err = file_read(fresh, start, end);
	if (!err && protection != (PROT_READ | PROT_WRITE) && mprotect(fresh, length, protection))
		err = -errno;
	if (!err && mremap(fresh, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, at(start)) == MAP_FAILED)
		err = -errno;
	if (err)
		goto err_protect;
	move_end();
	file_punch(start, end);
	return 0;

err_protect:
	mprotect(at(start), length, protection);
err_unmap:
	move_end();
	munmap(fresh, length);
	return err;
}

/* A move, perhaps of the caller's own stack. */
static struct {
	int (*move)(uint64_t start, uint64_t end, int protection);
	uint64_t start;
	uint64_t end;
	int protection;
	int result;
	uint32_t go;
	uint32_t done;
} errand;

static void *errand_run(void *argument)
{
	(void)argument;
	while (!__atomic_load_n(&errand.go, __ATOMIC_ACQUIRE))
		sched_yield();
	errand.result = errand.move(errand.start, errand.end, errand.protection);
	__atomic_store_n(&errand.done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Touches no stack: the pages under it are being exchanged. */
__attribute__((noinline, no_sanitize("address", "undefined"))) static void errand_wait(void)
{
	__atomic_store_n(&errand.go, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&errand.done, __ATOMIC_ACQUIRE))
		;
}

static int pages_move(int (*move)(uint64_t, uint64_t, int), uint64_t start, uint64_t end, int protection,
		      bool is_own_stack)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	if (!is_own_stack)
		return move(start, end, protection);
	errand.move = move;
	errand.start = start;
	errand.end = end;
	errand.protection = protection;
	errand.go = errand.done = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -soft_thread_create(&thread, errand_run, NULL);
	if (!err) {
		errand_wait();
		pthread_join(thread, NULL);
		err = errand.result;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static bool holds_own_stack(const struct mapping *mapping)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);

	return here >= mapping->start && here < mapping->end;
}

static bool mapping_is_ours(const struct mapping *mapping)
{
	return mapping->is_shared && mapping->inode == data_inode && mapping->device == data_device &&
	       mapping->offset == mapping->start;
}

static bool name_begins(const struct mapping *mapping, const char *with)
{
	return strncmp(mapping->name, with, strlen(with)) == 0;
}

static int mapping_classify(const struct mapping *mapping, enum part_kind *kind)
{
	if (mapping_is_ours(mapping))
		*kind = PART_OURS;
	else if (name_begins(mapping, "[v") ||
		 (name_begins(mapping, "/dev/") && !name_begins(mapping, "/dev/shm/") &&
		  !name_begins(mapping, "/dev/zero") && !name_begins(mapping, "/dev/hugepages")))
		return -EOPNOTSUPP; /* memory of a device, or of the kernel */
	else if (mapping->is_shared)
		*kind = PART_SHARED;
	else if (name_begins(mapping, "/anon_hugepage"))
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
	if (segment_count == segment_room) {
		size_t room = segment_room ? segment_room * 2 : 64;
		struct segment *larger = realloc(segments, room * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		segments = larger;
		segment_room = room;
	}
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

static int segments_hold(uint64_t start, uint64_t end)
{
	int err = segment_split(start);
	uint64_t at_addr = start;

	if (!err)
		err = segment_split(end);
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
	return err;
}

/* Only what is still mapped from the data file: the program may have unmapped it and mapped something else. */
static void segment_return(uint64_t start, uint64_t end)
{
	struct maps maps;
	struct mapping mapping;

	if (soft_maps_open(&maps))
		return;
	while (start < end) {
		uint64_t until;
		int err = soft_maps_find(&maps, start, &mapping);

		if (err) {
			start += PAGE;
			continue;
		}
		until = mapping.end < end ? mapping.end : end;
		if (mapping_is_ours(&mapping)) {
			err = pages_move(pages_return, start, until, mapping.protection, holds_own_stack(&mapping));
			if (err)
				soft_error("deregistered memory at %p stays shared: %s", at(start), strerror(-err));
		} else {
			file_punch(start, until);
		}
		start = until;
	}
	soft_maps_close(&maps);
}

static void segments_release(uint64_t start, uint64_t end)
{
	size_t i = segment_after(start);

	while (i < segment_count && segments[i].start < end) {
		uint64_t from = segments[i].start, until = segments[i].end;

		if (--segments[i].users) {
			i++;
			continue;
		}
		segment_count--;
		memmove(segments + i, segments + i + 1, (segment_count - i) * sizeof(*segments));
		/* Neighbours that fall idle with it go back in one piece. */
		while (i < segment_count && segments[i].start == until && segments[i].start < end &&
		       segments[i].users == 1) {
			until = segments[i].end;
			segment_count--;
			memmove(segments + i, segments + i + 1, (segment_count - i) * sizeof(*segments));
		}
		segment_return(from, until);
	}
}

static int file_matches(int fd, const struct mapping *mapping)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_ino == mapping->inode && status.st_dev == mapping->device;
}

/* A descriptor of the mapped file: one that the program still has, or by the file's name. */
static int file_find(const struct mapping *mapping, bool needs_write, int *out)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd = -1;

	while (directory && fd < 0 && (entry = readdir(directory))) {
		int candidate = atoi(entry->d_name);
		int mode;

		if (entry->d_name[0] == '.' || candidate == dirfd(directory) || !file_matches(candidate, mapping))
			continue;
		mode = fcntl(candidate, F_GETFL);
		if (mode >= 0 && (mode & O_ACCMODE) == (needs_write ? O_RDWR : mode & O_ACCMODE) &&
		    (mode & O_ACCMODE) != O_WRONLY)
			fd = fcntl(candidate, F_DUPFD_CLOEXEC, 0);
	}
	if (directory)
		closedir(directory);
	if (fd < 0 && mapping->name[0] == '/') {
		fd = open(mapping->name, (needs_write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && !file_matches(fd, mapping)) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0)
		return -EOPNOTSUPP;
	*out = fd;
	return 0;
}

static int shared_take(const struct mapping *mapping, uint64_t start, bool needs_write, struct region_foreign *foreign)
{
	struct stat status;
	int err;

	foreign->offset = mapping->offset + (start - mapping->start);
	foreign->fd = foreign->sysv_id = -1;
	if (name_begins(mapping, "/SYSV")) {
		foreign->sysv_id = (int)mapping->inode; /* that is what the kernel shows there */
		return 0;
	}
	err = file_find(mapping, needs_write, &foreign->fd);
	if (err)
		return err;
	foreign->page_size = PAGE;
	if (fstat(foreign->fd, &status) == 0 && (uint64_t)status.st_blksize > PAGE &&
	    (uint64_t)status.st_blksize <= HUGE_PAGE_MAX && (status.st_blksize & (status.st_blksize - 1)) == 0)
		foreign->page_size = (uint64_t)status.st_blksize;
	return 0;
}

/* The size of the huge pages at addr, by what munmap and the like insist on: read from smaps. */
static uint64_t huge_page_size(uint64_t addr)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	char line[512];
	bool is_here = false;
	uint64_t size = 0;

	while (file && !size && fgets(line, sizeof(line), file)) {
		unsigned long start, end, kilobytes;

		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			is_here = addr >= start && addr < end;
		else if (is_here && sscanf(line, "KernelPageSize: %lu kB", &kilobytes) == 1)
			size = (uint64_t)kilobytes << 10;
	}
	if (file)
		fclose(file);
	return size;
}

/*
 * Private huge pages: as many again are needed for as long as the copy takes. The file stays mapped after
 * deregistration; it is the program's memory now, and is found again as a shared mapping with a descriptor.
 */
static int huge_take(const struct mapping *mapping, uint64_t start, struct region_foreign *foreign)
{
	uint64_t page_size = huge_page_size(mapping->start);
	size_t length = mapping->end - mapping->start;
	void *copy;
	int err = -EOPNOTSUPP;
	int fd;

	if (!page_size)
		return err;
	fd = memfd_create("perftest-soft-huge",
			  MFD_CLOEXEC | MFD_HUGETLB | ((unsigned int)__builtin_ctzll(page_size) << HUGE_SHIFT));
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)length))
		goto err_close;
	copy = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (copy == MAP_FAILED)
		goto err_close;
	move_begin(mapping->start, mapping->end);
	mprotect(at(mapping->start), length, PROT_READ);
	memcpy(copy, at(mapping->start), length);
	if (mmap(at(mapping->start), length, mapping->protection, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		mprotect(at(mapping->start), length, mapping->protection);
		move_end();
		munmap(copy, length);
		goto err_close;
	}
	move_end();
	munmap(copy, length);
	foreign->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* `fd` itself stays, for file_find() */
	if (foreign->fd < 0)
		return -errno;
	foreign->sysv_id = -1;
	foreign->offset = start - mapping->start;
	foreign->page_size = page_size;
	return 0;

err_close:
	close(fd);
	return err;
}

static int region_take_parts(struct region *region, bool needs_write)
{
	uint64_t start = page_down(region->start), end = page_up(region->end);
	uint64_t next = start;
	struct mapping mapping;
	enum part_kind kind;
	struct maps maps;
	int err = soft_maps_open(&maps);

	if (err) {
		soft_error("cannot read /proc/self/maps: %s; memory cannot be registered without it", strerror(-err));
		return -EOPNOTSUPP;
	}
	while (!err && next < end) {
		uint64_t until;

		err = soft_maps_find(&maps, next, &mapping);
		if (!err && (!(mapping.protection & PROT_READ) || (needs_write && !(mapping.protection & PROT_WRITE))))
			err = -EFAULT;
		if (!err)
			err = mapping_classify(&mapping, &kind);
		if (err)
			break;
		until = mapping.end < end ? mapping.end : end;
		if (kind == PART_SHARED || kind == PART_HUGE) {
			if (next != start || mapping.end < region->end) {
				err = -EOPNOTSUPP; /* one registration, several files */
				break;
			}
			err = kind == PART_SHARED ? shared_take(&mapping, region->start, needs_write, &region->foreign)
						  : huge_take(&mapping, region->start, &region->foreign);
			region->is_foreign = !err;
			soft_maps_close(&maps);
			return err;
		}
		if (kind == PART_PRIVATE)
			err = pages_move(pages_share, next, until, mapping.protection, holds_own_stack(&mapping));
		if (!err) {
			err = segments_hold(next, until);
			if (!err)
				next = until;
		}
	}
	soft_maps_close(&maps);
	if (err)
		segments_release(start, next);
	return err;
}

int soft_region_take(void *addr, size_t length, bool needs_write, struct region **out)
{
	struct region *region = calloc(1, sizeof(*region));
	uint64_t inner_start, inner_end;
	int err;

	if (!region)
		return -ENOMEM;
	region->start = (uint64_t)(uintptr_t)addr;
	region->end = region->start + length;
	pthread_mutex_lock(&region_lock);
	err = region->end < region->start || page_up(region->end) < region->end ? -EFAULT : fault_handler_install();
	if (!err)
		err = region_take_parts(region, needs_write);
	if (err) {
		pthread_mutex_unlock(&region_lock);
		free(region);
		return err;
	}
	inner_start = page_up(region->start);
	inner_end = page_down(region->end);
	if (!region->is_foreign && inner_start < inner_end)
		madvise(at(inner_start), inner_end - inner_start, MADV_DONTFORK);
	region->next = regions;
	region->link = &regions;
	if (regions)
		regions->link = &region->next;
	regions = region;
	pthread_mutex_unlock(&region_lock);
	*out = region;
	return 0;
}

void soft_region_give(struct region *region)
{
	pthread_mutex_lock(&region_lock);
	*region->link = region->next;
	if (region->next)
		region->next->link = region->link;
	if (region->is_foreign) {
		if (region->foreign.fd >= 0)
			close(region->foreign.fd);
	} else {
		fault_handler_install();
		segments_release(page_down(region->start), page_up(region->end));
	}
	pthread_mutex_unlock(&region_lock);
	free(region);
}

const struct region_foreign *soft_region_foreign(const struct region *region)
{
	return region->is_foreign ? &region->foreign : NULL;
}

int soft_region_open_data(int *out)
{
	struct stat status;
	int fd = memfd_create("perftest-soft-data", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, DATA_FILE_SIZE) || fstat(fd, &status)) {
		int err = -errno;

		close(fd);
		return err;
	}
	data_fd = fd;
	data_inode = status.st_ino;
	data_device = status.st_dev;
	*out = fd;
	return 0;
}

void soft_region_close_data(void)
{
	pthread_mutex_lock(&region_lock);
	while (segment_count) {
		struct segment last = segments[--segment_count];

		segment_return(last.start, last.end);
	}
	free(segments);
	segments = NULL;
	segment_room = 0;
	fault_handler_remove();
	if (data_fd >= 0)
		close(data_fd);
	data_fd = -1;
	pthread_mutex_unlock(&region_lock);
}

/* Pages at the edges of buffers, as they are when the program forks: an address before each. */
static struct {
	uint8_t *copy;
	size_t size;
	size_t count;
} edges;

static void edge_save(uint64_t page)
{
	uint8_t *slot = edges.copy + edges.count++ * (PAGE * 2);

	memcpy(slot, &page, sizeof(page));
	file_read(slot + PAGE, page, page + PAGE);
}

void soft_region_fork_prepare(void)
{
	size_t count = 0;

	pthread_mutex_lock(&region_lock);
	for (struct region *region = regions; region; region = region->next)
		count += 2;
	edges.count = 0;
	edges.size = count * PAGE * 2;
	edges.copy = count ? mmap(NULL, edges.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				  -1, 0)
			   : NULL;
	if (edges.copy == MAP_FAILED)
		edges.copy = NULL;
	for (struct region *region = regions; edges.copy && region; region = region->next) {
		if (region->is_foreign)
			continue;
		if (region->start % PAGE)
			edge_save(page_down(region->start));
		if (region->end % PAGE)
			edge_save(page_down(region->end));
	}
}

static void edges_free(void)
{
	if (edges.copy)
		munmap(edges.copy, edges.size);
	edges.copy = NULL;
}

void soft_region_fork_parent(void)
{
	edges_free();
	pthread_mutex_unlock(&region_lock);
}

void soft_region_reset(void)
{
	for (size_t i = 0; edges.copy && i < edges.count; i++) {
		uint8_t *slot = edges.copy + i * (PAGE * 2);
		uint64_t page;

		memcpy(&page, slot, sizeof(page));
		mremap(slot + PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at(page));
	}
	edges_free();
	if (data_fd >= 0)
		close(data_fd);
	data_fd = -1;
	regions = NULL; /* the parent's: the lists themselves are left where they are, with its other memory */
	segments = NULL;
	segment_count = segment_room = 0;
	moving.mover = 0;
	pthread_mutex_init(&region_lock, NULL);
}
