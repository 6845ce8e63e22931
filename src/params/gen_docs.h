/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The documents that gen_docs writes, to stdout. */
#ifndef PARAMS_GEN_DOCS_H
#define PARAMS_GEN_DOCS_H

#include "params/program.h"

void gen_man(const struct program *program);
void gen_completion(void);

#endif
