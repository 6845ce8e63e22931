/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which descriptors of this process are event channels of ours? See node.c. */
#ifndef SOFT_CM_NODE_H
#define SOFT_CM_NODE_H

#include "cm/cm.h"

/* The channel behind a descriptor, or NULL. cm_lock held. */
struct cm_channel *node_channel(int fd);

#endif
