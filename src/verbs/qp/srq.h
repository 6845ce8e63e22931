/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared receive queues (SRQ): one for each queue set whose QPs share their receives. */
#pragma once

#include <stdint.h>

struct resources;

/*
 * With XRC also creates the XRC domain of the SRQ, without a file: no other process can open it. Called after the PD
 * and the CQs, and before the QPs, which refer to it. Does nothing if QPs have their own receive queues. 0 or -errno,
 * reported.
 */
int srq_open(struct resources *resources);
/* SRQ number for the peer's requests to this QP; 0: none. */
uint32_t srq_number(const struct resources *resources, unsigned index);
void srq_close(struct resources *resources);
