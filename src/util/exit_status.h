/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program's exit status says. Scripts test for non-zero; CI that wants
 * to know why reads the number.
 */
#ifndef UTIL_EXIT_STATUS_H
#define UTIL_EXIT_STATUS_H

enum exit_status {
	EXIT_STATUS_OK = 0,
	EXIT_STATUS_FAILURE = 1, /* device, peer, network, file */
	EXIT_STATUS_USAGE = 2,	 /* the command line is wrong; nothing was tried */
	EXIT_STATUS_LIMIT = 3,	 /* a result misses a limit that was asked for (-w, --max_lat) */
	EXIT_STATUS_VALIDATION =
		4, /* --data_validation: something arrived wrong, here or at the peer; --sig_offload: here */
	EXIT_STATUS_FINDINGS = 5,      /* --doctor: there is something to look at */
	EXIT_STATUS_INTERRUPTED = 130, /* SIGINT or SIGTERM cut the run short (128 + SIGINT) */
};

#endif
