/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program's exit status. Scripts test for non-zero; CI that needs the reason uses the number. */
#pragma once

enum exit_status {
	EXIT_STATUS_OK = 0,
	EXIT_STATUS_FAILURE = 1,       /* device, peer, network, file */
	EXIT_STATUS_USAGE = 2,	       /* the command line is wrong; nothing was attempted */
	EXIT_STATUS_LIMIT = 3,	       /* a result misses a requested limit (-w, --max_lat) */
	EXIT_STATUS_VALIDATION = 4,    /* --data_validation: wrong data arrived, here or at the peer */
	EXIT_STATUS_FINDINGS = 5,      /* --doctor: it found something */
	EXIT_STATUS_INTERRUPTED = 130, /* SIGINT, SIGTERM or SIGHUP stopped the run early (128 + SIGINT) */
};
