/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the doctor examines: of --doctor what the command line says, of --explain the test that will run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "params/engine/advice.h"
#include "traffic/transport.h"

struct doctor_options {
	const char *device; /* "": the one that a test would choose */
	unsigned port;
	const char *function;	  /* of a NIC without libibverbs, its PCI function's folder in sysfs; NULL: none */
	const char *netdev;	  /* its interface; "": unknown */
	enum transport transport; /* of the test */
	bool use_hugepages;	  /* it needs huge pages that are free */
	int64_t timeout_ms;	  /* --explain: after which the peer gives up; < 0: never */
	bool disable_numa;	  /* it does not bind itself to the device's node */
	struct advised program;	  /* whose options the advice may name */
};

struct subject;
/* All steps of subject.h, of this machine. 0 or -errno, reported. */
typedef int subject_open_as(struct subject *subject, const struct doctor_options *options);
subject_open_as subject_open_host; /* of the host alone, which needs no libibverbs */
subject_open_as subject_open;	   /* with the RDMA device */
