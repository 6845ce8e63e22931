/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Interfaces as ethtool sees them: port0 and the like count pause frames, and others, such as a bond, count nothing. */
#pragma once

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

static unsigned pause_frames; /* that each port has counted */
static unsigned names_asked;
static unsigned strange_port; /* which of them counts something else; 0: none does */

int ioctl(int fd, unsigned long request, ...)
{
	struct ethtool_gstrings *strings;
	struct ethtool_stats *stats;
	struct ifreq *asked;
	va_list arguments;
	bool is_port;

	va_start(arguments, request);
	asked = va_arg(arguments, struct ifreq *);
	va_end(arguments);
	errno = EOPNOTSUPP;
	if (request != SIOCETHTOOL)
		return -1;
	is_port = strncmp(asked->ifr_name, "port", 4) == 0;
	switch (*(const uint32_t *)(const void *)asked->ifr_data) {
	case ETHTOOL_GDRVINFO:
		((struct ethtool_drvinfo *)(void *)asked->ifr_data)->n_stats = is_port;
		return 0;
	case ETHTOOL_GPAUSEPARAM:
		((struct ethtool_pauseparam *)(void *)asked->ifr_data)->rx_pause = 1;
		return is_port ? 0 : -1;
	case ETHTOOL_GSTRINGS:
		strings = (void *)asked->ifr_data;
		snprintf((char *)strings->data, ETH_GSTRING_LEN,
			 ++names_asked == strange_port ? "rx_out_of_buffer" : "rx_prio3_pause");
		return 0;
	case ETHTOOL_GSTATS:
		stats = (void *)asked->ifr_data;
		stats->data[0] = pause_frames;
		return 0;
	default:
		return -1;
	}
}
