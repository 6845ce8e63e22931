/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* This host's configuration, for the test conf. */
#pragma once

#include "qperf/print/text.h"

void conf_read(struct conf *conf);
/* "2 Cores: AMD EPYC 2.6GHz", from a text in the format of /proc/cpuinfo. */
void conf_cpu(const char *cpuinfo, char text[CONF_TEXT_SIZE]);
