/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the doctor examines: of --doctor what the command line says, of --explain the test that has run. */
#pragma once

#include <stdbool.h>

#include "traffic/transport.h"

struct doctor_options {
	const char *device; /* "": the one that a test would choose; NULL: none, the host alone */
	unsigned port;
	enum transport transport; /* of the test */
	bool use_hugepages;	  /* it needs huge pages that are free */
	bool disable_numa;	  /* it does not bind itself to the device's node */
};
