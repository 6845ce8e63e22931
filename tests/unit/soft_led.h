/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Single-steps another process, or one of its threads, through the software device. */
#pragma once

#include <elf.h>
#include <link.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "soft_rig.h"

/* The instruction pointer. 0: this processor is not supported here. */
static inline uintptr_t led_at(pid_t pid)
{
#if defined(__x86_64__) || defined(__aarch64__)
	struct user_regs_struct registers;
	struct iovec part = {&registers, sizeof(registers)};

	RIG_CHECK(ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &part) == 0);
#if defined(__x86_64__)
	return registers.rip;
#else
	return registers.pc;
#endif
#else
	(void)pid;
	return 0;
#endif
}

/* The code of the device, at the same address in every fork of this process. */
static struct {
	uintptr_t start, end;
} device_code;

static inline int code_find(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum && strstr(info->dlpi_name, "libperftest_soft"); i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
			device_code.start = info->dlpi_addr + part->p_vaddr;
			device_code.end = device_code.start + part->p_memsz;
		}
	}
	return 0;
}

static inline void led_find_device(void)
{
	dl_iterate_phdr(code_find, NULL);
}

static inline bool is_in_device(uintptr_t at)
{
	return at >= device_code.start && at < device_code.end;
}

/* Containers may forbid it, and only a few processors are supported here. */
static inline bool can_lead(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	pid_t child = fork();
	int status;

	RIG_CHECK(child >= 0);
	if (child == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 0);
	return waitpid(child, &status, 0) == child && status == 0;
#else
	return false;
#endif
}
