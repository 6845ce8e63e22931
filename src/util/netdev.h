/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What sysfs has of a network interface, and what of it is true. Called for RDMA devices (verbs/device/hardware.c), and
 * by qperf and cxi_send_bw for what their messages pass through. root: "/sys".
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>

#define NETDEV_LOWER  "lower_" /* links to the interfaces that one consists of */
#define NETDEV_LAYERS 4	       /* such as a VLAN of a bond; no more are looked at */

/* The interfaces that one consists of, as a bond of its ports: opens it (NULL: it has none); the next name, or NULL. */
DIR *netdev_open(const char *root, const char *netdev);
const char *netdev_next_lower(DIR *folder);

/* The speed that its driver reports, Gb/s; 0: none. */
double netdev_speed_gbits(const char *root, const char *netdev);
/*
 * The same, if it is that of a link: of an adapter that a virtual machine does not only pretend to have, of a VLAN over
 * one, or of a bond. 0: unknown.
 */
double netdev_link_gbits(const char *root, const char *netdev);
bool netdev_is_vlan(const char *root, const char *netdev);
