/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a device one of libperftest_soft? Its figures are those of this host's memory system. */
#ifndef VERBS_SOFTWARE_H
#define VERBS_SOFTWARE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <string.h>

#define SOFTWARE_FIRMWARE "perftest-soft" /* what the software device calls its firmware */

static inline bool device_is_software(const struct ibv_device_attr *attr)
{
	return strncmp(attr->fw_ver, SOFTWARE_FIRMWARE, strlen(SOFTWARE_FIRMWARE)) == 0;
}

#endif
