/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Other executables of the suite, found from where this one lies: an installed or a built one never mixes with another.
 */
#ifndef FRONT_SIBLING_H
#define FRONT_SIBLING_H

/*
 * Executes the first of the files that is there in place of this program: each is relative to this one's folder, or
 * absolute; the list ends with NULL. Returns only on failure: EXIT_STATUS_FAILURE, with one log_error().
 */
int sibling_run(const char *const *files, char **argv);

#endif
