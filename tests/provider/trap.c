// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does the program write into the device's registers? All queues of most devices share one, so that each write
 * hides the one before it. Their page is mapped for reading; a write faults, is repeated with the page open, a single
 * instruction long, and then told to the provider. Two threads that write at the same time are not told apart.
 */
#define _GNU_SOURCE 1 /* REG_EFL */
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "rig.h"

#define MAX_PAGES   256
#define SINGLE_STEP 0x100 /* in the processor's flags */

static struct trap_page {
	char *start;
	size_t bytes;
	struct rig_region *region;
} pages[MAX_PAGES];

static _Thread_local struct trap_page *open_page __attribute__((tls_model("initial-exec")));
static _Thread_local uint64_t offset __attribute__((tls_model("initial-exec")));

#ifdef __x86_64__
static struct trap_page *page_of(const char *address)
{
	for (unsigned i = 0; i < MAX_PAGES; i++) {
		if (pages[i].start && address >= pages[i].start && address < pages[i].start + pages[i].bytes)
			return &pages[i];
	}
	return NULL;
}

static void single_step(void *context, bool on)
{
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	*flags = on ? *flags | SINGLE_STEP : *flags & ~(greg_t)SINGLE_STEP;
}

static void faulted(int number, siginfo_t *info, void *context)
{
	open_page = page_of(info->si_addr);
	if (!open_page) {
		signal(number, SIG_DFL); // and the instruction faults again
		return;
	}
	offset = (uint64_t)((char *)info->si_addr - open_page->start);
	mprotect(open_page->start, open_page->bytes, PROT_READ | PROT_WRITE);
	single_step(context, true);
}

static void stepped(int number, siginfo_t *info, void *context)
{
	struct trap_page *page = open_page;

	(void)number;
	(void)info;
	single_step(context, false);
	open_page = NULL;
	if (!page)
		return;
	mprotect(page->start, page->bytes, PROT_READ);
	rig_lock();
	rig_provider->written(page->region, offset);
	rig_unlock();
}

int trap_start(void)
{
	struct sigaction fault = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct sigaction step = {.sa_sigaction = stepped, .sa_flags = SA_SIGINFO};

	return sigaction(SIGSEGV, &fault, NULL) || sigaction(SIGTRAP, &step, NULL) ? -1 : 0;
}
#else
int trap_start(void)
{
	return -1;
}
#endif

bool trap_add(void *start, size_t bytes, struct rig_region *region)
{
	trap_remove(start);
	for (unsigned i = 0; i < MAX_PAGES; i++) {
		if (pages[i].start)
			continue;
		pages[i] = (struct trap_page){start, bytes, region};
		return true;
	}
	return false;
}

void trap_remove(const void *start)
{
	for (unsigned i = 0; i < MAX_PAGES; i++) {
		if (pages[i].start == start)
			pages[i].start = NULL;
	}
}
