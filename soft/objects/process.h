/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaches this process to the host's fabric, and detaches it. Counted, by context.c. */
#pragma once

int soft_process_get(void); /* 0 or a negative errno, reported */
void soft_process_put(void);
