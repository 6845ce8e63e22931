/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks of a string's form: each returns what is wrong with the text, to follow it in a sentence ("'x' is not an IP
 * address"), or NULL. Used in the option table.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "traffic/traffic.h"

const char *check_ip_address(const char *text);
const char *check_core_list(const char *text);
const char *check_counter_list(const char *text);
const char *check_device_name(const char *text);
const char *check_json_file(const char *text);
const char *check_label(const char *text);
const char *check_mac_address(const char *text);
const char *check_pci_address(const char *text);
const char *check_printable(const char *text); /* anything, of which a terminal obeys nothing */
const char *check_flow_labels(const char *text);
const char *check_group_gid(const char *text);

/* Is the address (a text that check_ip_address() accepts) an IPv4 multicast group? */
bool ip_address_is_group(const char *text);
/* Is the address (a text that check_ip_address() accepts) IPv6? */
bool ip_address_is_v6(const char *text);

/* Six bytes from a text that check_mac_address() accepts. */
void mac_address_read(const char *text, uint8_t mac[6]);
/* A GID in any form; false: it is none. */
bool group_gid_read(const char *text, uint8_t gid[16]);
/* All labels of a text that check_flow_labels() accepts, or of "". Returns their number. */
unsigned flow_labels_read(const char *text, uint32_t *labels);

/* --sizes: FIRST:LAST:STEP, or with * in front of STEP; a loop of qperf without the name of its variable. 0 or -EINVAL.
 */
int sizes_parse(const char *text, struct sweep *sweep);
const char *check_sizes(const char *text); /* "off" is right */
