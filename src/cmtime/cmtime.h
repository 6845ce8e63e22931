/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entry point of cmtime, called by its main file, and its documentation, used by gen_docs. */
#pragma once

#include "params/engine/page.h"

/* Returns the exit status of the program. */
int cmtime_main(int argc, char **argv);

/* For --help, the manual page and the completion. */
extern const struct page cmtime_page;
