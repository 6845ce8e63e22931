/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The addresses of soft0 and soft1. See identity.c. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define SOFT_DEVICE_COUNT 2
#define SOFT_PORT	  1 /* the number of the first port, which is the only one by default */
#define SOFT_MOST_PORTS	  2
#define SOFT_GID_TABLE	  16 /* entries in total */

/* Ports of each device, once one is open: 1, or the number in PERFTEST_SOFT=ports=. */
uint32_t soft_port_count(void);
bool soft_has_port(uint32_t port);
/* number: 0 for soft0. */
__be64 soft_device_guid(unsigned int number, uint32_t port);
uint32_t soft_gid_table_size(void);
uint32_t soft_gid_count(void); /* entries that are filled */
/* An IPv4 address, in network byte order, mapped into IPv6. */
union ibv_gid soft_gid_of_ipv4(const void *address);
/* 0 or a positive errno; ENODATA: the entry is empty. */
int soft_device_gid(unsigned int number, uint32_t port, uint32_t index, union ibv_gid *gid);
/* The same for an open device of ours, with the index that verbs use. */
int soft_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid);
