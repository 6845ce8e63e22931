// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Maps a peer's memory that is in a file of its program, or in a SysV segment. Any process may truncate such a file at
 * any time. A copy that hits the missing part gets SIGBUS: the handler maps scratch memory in place of the page, and
 * the request completes with an error afterwards. Called by peer_memory.c; execute.c and ud.c check whether a copy was
 * affected.
 */
#include "config.h"

#include <sys/stat.h>

#include "host/mapping.h"
#include "host/pass_on.h"
#include "host/peer.h"

#define PAGE_MIN 4096ull
#define PAGE_MAX (1ull << 30)

/* Read by the signal handler. Reused but never freed, so that it needs no lock. */
struct peer_file_watch {
	struct peer_file_watch *next;
	uint64_t start; /* 0: not in use */
	uint64_t end;
	uint64_t page_size;
	int is_lost; /* 0 or 1 */
};

uint32_t soft_peer_files_lost;

static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER; /* innermost lock */
static struct peer_file_watch *watches;
static struct sigaction previous_action;

static struct peer_file_watch *watch_of(uint64_t addr)
{
	struct peer_file_watch *watch = __atomic_load_n(&watches, __ATOMIC_ACQUIRE);

	for (; watch; watch = watch->next) {
		uint64_t start = __atomic_load_n(&watch->start, __ATOMIC_ACQUIRE);

		if (start && addr >= start && addr < watch->end)
			return watch;
	}
	return NULL;
}

bool soft_peer_file_lost_at(const void *addr)
{
	const struct peer_file_watch *watch = watch_of((uint64_t)(uintptr_t)addr);

	return watch && __atomic_load_n(&watch->is_lost, __ATOMIC_RELAXED);
}

static void bus_handle(int number, siginfo_t *info, void *context)
{
	uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;
	struct peer_file_watch *watch = info->si_code > 0 ? watch_of(addr) : NULL;
	int saved_errno = errno;

	if (!watch ||
	    !mapping_make((void *)(uintptr_t)(addr & ~(watch->page_size - 1)), watch->page_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0)) {
		soft_signal_pass_on(&previous_action, number, info, context);
		return;
	}
	if (!__atomic_exchange_n(&watch->is_lost, 1, __ATOMIC_RELAXED))
		__atomic_add_fetch(&soft_peer_files_lost, 1, __ATOMIC_RELAXED);
	errno = saved_errno;
}

static struct peer_file_watch *watch_open(const void *base, size_t length, uint64_t page_size)
{
	struct peer_file_watch *watch;

	pthread_mutex_lock(&watch_lock);
	for (watch = watches; watch && watch->start; watch = watch->next)
		;
	if (!watch) {
		watch = calloc(1, sizeof(*watch));
		if (watch) {
			watch->next = watches;
			__atomic_store_n(&watches, watch, __ATOMIC_RELEASE);
		}
	}
	if (watch && soft_signal_take(SIGBUS, bus_handle, &previous_action))
		watch = NULL;
	if (watch) {
		watch->end = (uint64_t)(uintptr_t)base + length;
		watch->page_size = page_size;
		watch->is_lost = 0;
		__atomic_store_n(&watch->start, (uint64_t)(uintptr_t)base, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&watch_lock);
	return watch;
}

static void watch_close(struct peer_file_watch *watch)
{
	if (watch)
		__atomic_store_n(&watch->start, 0, __ATOMIC_RELEASE);
}

/* Stays attached as long as the peer exists, however often it is registered. */
static bool segment_attach(struct peer_file *file, int64_t id, bool is_writable)
{
	struct shmid_ds status;
	void *base = mapping_attach((int)id, is_writable ? 0 : SHM_RDONLY);

	if (base == (void *)-1)
		return false;
	if (shmctl((int)id, IPC_STAT, &status)) {
		mapping_detach(base);
		return false;
	}
	*file = (struct peer_file){.sysv_id = id, .base = base, .length = status.shm_segsz, .is_writable = is_writable};
	return true;
}

/*
 * Unmaps the file of an old registration. Another thread may be in the middle of a copy, whose data is then discarded;
 * so the addresses stay reserved for a while.
 */
static void file_retire(struct peer_files *files, struct peer_file *file)
{
	uint32_t place = files->reserved_next++ % PEER_FILE_RESERVED;

	mapping_drop(files->reserved[place].base, files->reserved[place].length);
	mapping_make(file->base, file->length, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	watch_close(file->watch);
	files->reserved[place].base = file->base;
	files->reserved[place].length = file->length;
}

static uint8_t *segment_map(struct peer_files *files, const struct wire_reply *reply, uint64_t length, bool is_writable)
{
	struct peer_file *file = files->files, *end = file + files->count;
	uint8_t *base;

	while (file < end && (file->sysv_id != reply->sysv_id || file->is_writable != is_writable))
		file++;
	if (file == end) {
		if (!segment_attach(file, reply->sysv_id, is_writable))
			return NULL;
		files->count++;
	}
	base = file->base;
	return reply->offset <= file->length && length <= file->length - reply->offset ? base + reply->offset : NULL;
}

static uint8_t *plain_map(struct peer_files *files, uint32_t key, const struct wire_reply *reply, int fd,
			  uint64_t length, bool is_writable)
{
	struct peer_file *file = &files->files[files->count];
	const uint64_t page = reply->page_size;
	const uint64_t ahead = reply->offset & (page - 1); /* bytes of the mapping before the region */
	struct stat status;

	if (page < PAGE_MIN || page > PAGE_MAX || page & (page - 1) || fstat(fd, &status) ||
	    reply->offset > (uint64_t)status.st_size || length > (uint64_t)status.st_size - reply->offset)
		return NULL;
	*file = (struct peer_file){.key = key, .sysv_id = -1, .length = (ahead + length + page - 1) & ~(page - 1)};
	file->base = mapping_make(NULL, file->length, PROT_READ | (is_writable ? PROT_WRITE : 0), MAP_SHARED, fd,
				  (off_t)(reply->offset - ahead));
	file->watch = file->base ? watch_open(file->base, file->length, page) : NULL;
	if (!file->watch) {
		mapping_drop(file->base, file->length);
		return NULL;
	}
	files->count++;
	return (uint8_t *)file->base + ahead;
}

/* Unmaps files that are no longer registered; otherwise their memory would be held as long as the peer exists. */
static void files_tidy(struct peer_files *files, const struct mr_row *mrs)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < files->count; i++) {
		struct peer_file *file = &files->files[i];
		uint64_t id = __atomic_load_n(&mrs[KEY_INDEX(file->key)].id, __ATOMIC_RELAXED);

		if (file->sysv_id < 0 && MR_KEY(id) != file->key)
			file_retire(files, file);
		else
			files->files[kept++] = *file;
	}
	files->count = kept;
}

uint8_t *soft_peer_file_map(struct peer_files *files, const struct mr_row *mrs, uint32_t key,
			    const struct wire_reply *reply, int fd, uint64_t length, bool is_writable)
{
	struct peer_file *larger;

	files_tidy(files, mrs);
	larger = soft_array_grow(files->files, files->count, sizeof(*larger));
	if (!larger)
		return NULL;
	files->files = larger;
	if (reply->sysv_id >= 0)
		return segment_map(files, reply, length, is_writable);
	return plain_map(files, key, reply, fd, length, is_writable);
}

void soft_peer_files_unmap(struct peer_files *files)
{
	for (uint32_t i = 0; i < files->count; i++) {
		struct peer_file *file = &files->files[i];

		if (file->sysv_id >= 0) {
			mapping_detach(file->base);
		} else {
			watch_close(file->watch);
			mapping_drop(file->base, file->length);
		}
	}
	for (uint32_t i = 0; i < PEER_FILE_RESERVED; i++)
		mapping_drop(files->reserved[i].base, files->reserved[i].length);
	free(files->files);
}

/* The child has inherited the mappings; they are left in place. */
void soft_peer_files_reset(void)
{
	pthread_mutex_init(&watch_lock, NULL);
	for (struct peer_file_watch *watch = watches; watch; watch = watch->next)
		watch_close(watch);
}
