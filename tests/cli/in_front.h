/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For preloaded libraries that interpose libibverbs, librdmacm and the C library: tells the program's own calls from
 * others, and finds the real functions. For fail_call.c and lying_calls.c.
 */
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static uintptr_t main_begin, main_end; /* the program's code */

/* The program is the first object. */
static int note_program(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
			continue;
		main_begin = info->dlpi_addr + header->p_vaddr;
		main_end = main_begin + header->p_memsz;
	}
	return 1;
}

static bool is_program(const void *address)
{
	return (uintptr_t)address >= main_begin && (uintptr_t)address < main_end;
}

/* The real one, behind this library; also in a library that came later, for another that was opened by name. */
static void *find_next(const char *name)
{
	static const char *const libraries[] = {"libibverbs.so.1", "librdmacm.so.1"};
	void *found = dlsym(RTLD_NEXT, name);

	for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		if (library)
			found = dlsym(library, name);
	}
	return found;
}

#define NEXT(name)                                                                                                     \
	static __typeof__(&name) next;                                                                                 \
	if (!next)                                                                                                     \
	next = (__typeof__(&name))find_next(#name)
