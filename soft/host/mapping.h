/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps memory by raw system calls instead of the C library's functions: UCX and Open MPI patch those in every process,
 * to track unmapped memory, and their mremap() drops its fifth argument. They need not know of changes made here: a
 * page that moves keeps its address and content.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "host/valgrind.h"

#define PAGE 4096ull

static inline uint64_t page_down(uint64_t addr)
{
	return addr & ~(PAGE - 1);
}

static inline uint64_t page_up(uint64_t addr)
{
	return page_down(addr + PAGE - 1);
}

/* As mmap(2), but not limited by off_t, and NULL if it fails; the offset is a multiple of 4096. */
static inline void *mapping_make(void *addr, size_t length, int protection, int flags, int fd, off_t offset)
{
#ifdef SYS_mmap2
	void *made = (void *)syscall(SYS_mmap2, addr, length, protection, flags, fd, (unsigned long)(offset >> 12));
#else
	void *made = (void *)syscall(SYS_mmap, addr, length, protection, flags, fd, offset);
#endif

	return made == MAP_FAILED ? NULL : made;
}

/* Private memory, allocated when touched; NULL with errno. */
static inline void *mapping_make_private(size_t length)
{
	return mapping_make(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Accepts NULL. */
static inline void mapping_drop(void *addr, size_t length)
{
	if (!addr)
		return;
	valgrind_show(addr, length);
	syscall(SYS_munmap, addr, length);
}

/*
 * helgrind and drd allocate shadow memory for everything that is mapped accessible, all 32 GiB, but not for what
 * mprotect(2) opens later. They then report no races there, which they could not judge anyway. memcheck, conversely,
 * walks what mprotect(2) opens byte by byte, and keeps a quarter of a byte for each.
 */
static inline bool mapping_opens_late(void)
{
	return valgrind_runs("helgrind") || valgrind_runs("drd");
}

/* Shared memory followed by private memory, so that an overrun hits nothing else. NULL with errno. */
static inline void *mapping_make_with_margin(size_t length, size_t margin, int flags, int fd)
{
	const int protection = PROT_READ | PROT_WRITE;
	const size_t opened_late = mapping_opens_late() ? length : 0;
	uint8_t *whole =
		mapping_make(NULL, length + margin, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int err;

	if (!whole)
		return NULL;
	if (mapping_make(whole, length, opened_late ? PROT_NONE : protection, flags | MAP_FIXED, fd, 0) &&
	    syscall(SYS_mprotect, whole + (length - opened_late), opened_late + margin, protection) == 0)
		return whole;
	err = errno;
	mapping_drop(whole, length + margin);
	errno = err;
	return NULL;
}

/* Moves pages to another address, over what is there. */
static inline void *mapping_move(void *from, size_t length, void *to)
{
	return (void *)syscall(SYS_mremap, from, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

/* A SysV segment, as shmat(2) and shmdt(2); 32-bit systems may need the C library for it. */
static inline void *mapping_attach(int id, int flags)
{
#ifdef SYS_shmat
	return (void *)syscall(SYS_shmat, id, NULL, flags);
#else
	return shmat(id, NULL, flags);
#endif
}

static inline int mapping_detach(void *addr)
{
#ifdef SYS_shmdt
	return (int)syscall(SYS_shmdt, addr);
#else
	return shmdt(addr);
#endif
}

static inline int mapping_advise(void *addr, size_t length, int advice)
{
	return (int)syscall(SYS_madvise, addr, length, advice);
}

/*
 * For memory that is shared with other processes and mostly holes: a child must not write to it, and a core dump, or
 * memcheck's leak search, would read the holes and so allocate all 32 GiB.
 */
static inline void mapping_keep_here(void *addr, size_t length)
{
	valgrind_hide(addr, length);
	mapping_advise(addr, length, MADV_DONTFORK);
	mapping_advise(addr, length, MADV_DONTDUMP);
}
