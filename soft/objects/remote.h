/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Handles what other processes do to the objects of this one, besides data transfer. See remote.c. */
#pragma once

#include "host/core.h"
#include "host/service.h"

extern const struct service_ops soft_remote_ops SOFT_HIDDEN; /* for the service thread */
