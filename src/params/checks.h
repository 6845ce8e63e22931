/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings that must have a form: each returns what is wrong with the text, to follow it in a
 * sentence ("'x' is not an IP address"), or NULL. The option table names them.
 */
#ifndef PARAMS_CHECKS_H
#define PARAMS_CHECKS_H

#include <stdbool.h>

const char *check_ip_address(const char *text);
const char *check_core_list(const char *text);
const char *check_counter_list(const char *text);
const char *check_device_name(const char *text);

/* Is the address (of a text that check_ip_address() takes) one of IPv6? */
bool ip_address_is_v6(const char *text);

#endif
