/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of checks. A check reads the subject and fills the finding; it prints nothing and changes nothing. To add
 * one: a function in the file of its noun, its line here, its row in checks.c.
 */
#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

#include <stddef.h>

#include "doctor/finding.h"
#include "doctor/subject.h"

/* What a check applies to. */
enum check_of {
	CHECK_HOST = 1,	    /* every host */
	CHECK_DEVICE = 2,   /* a device that the kernel has */
	CHECK_SOFTWARE = 4, /* the software device */
};

struct doctor_check {
	const char *group; /* heading on the page */
	const char *name;
	void (*look)(struct subject *subject, struct finding *finding);
	enum check_of of;
};

extern const struct doctor_check checks[];
extern const size_t num_checks;

/* Does the check apply to this subject? */
int check_concerns(const struct doctor_check *check, const struct subject *subject);

/* device.c */
void check_device(struct subject *subject, struct finding *finding);
void check_provider(struct subject *subject, struct finding *finding);
void check_modules(struct subject *subject, struct finding *finding);
void check_files(struct subject *subject, struct finding *finding);
void check_firmware(struct subject *subject, struct finding *finding);
void check_namespaces(struct subject *subject, struct finding *finding);
void check_gpu_memory(struct subject *subject, struct finding *finding);
/* link.c */
void check_state(struct subject *subject, struct finding *finding);
void check_rate(struct subject *subject, struct finding *finding);
void check_mtu(struct subject *subject, struct finding *finding);
void check_lid(struct subject *subject, struct finding *finding);
void check_gids(struct subject *subject, struct finding *finding);
void check_pause(struct subject *subject, struct finding *finding);
/* counters.c */
void check_congestion(struct subject *subject, struct finding *finding);
void check_retransmission(struct subject *subject, struct finding *finding);
void check_receiver(struct subject *subject, struct finding *finding);
void check_link_errors(struct subject *subject, struct finding *finding);
/* pcie.c */
void check_pcie_link(struct subject *subject, struct finding *finding);
void check_pcie_path(struct subject *subject, struct finding *finding);
void check_pcie_requests(struct subject *subject, struct finding *finding);
void check_relaxed_ordering(struct subject *subject, struct finding *finding);
void check_acs(struct subject *subject, struct finding *finding);
void check_iommu(struct subject *subject, struct finding *finding);
/* placement.c */
void check_numa(struct subject *subject, struct finding *finding);
void check_memory_nodes(struct subject *subject, struct finding *finding);
void check_soft_cores(struct subject *subject, struct finding *finding);
/* cpu.c */
void check_governor(struct subject *subject, struct finding *finding);
void check_turbo(struct subject *subject, struct finding *finding);
void check_idle_states(struct subject *subject, struct finding *finding);
void check_load(struct subject *subject, struct finding *finding);
void check_virtual(struct subject *subject, struct finding *finding);
void check_clock(struct subject *subject, struct finding *finding);
/* memory.c */
void check_locked_memory(struct subject *subject, struct finding *finding);
void check_huge_pages(struct subject *subject, struct finding *finding);
void check_transparent_huge_pages(struct subject *subject, struct finding *finding);
void check_memfd(struct subject *subject, struct finding *finding);
void check_runtime_dir(struct subject *subject, struct finding *finding);

#endif
