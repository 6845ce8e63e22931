/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What options, and words behind them, would be for that this suite does not have. For the tables of params only. */
#ifndef PARAMS_PURPOSES_H
#define PARAMS_PURPOSES_H

#define ABSENT_DC     "the dynamically connected transport"
#define ABSENT_SRD    "the scalable reliable datagrams of EFA"
#define ABSENT_PACING "packet pacing by the device"

#endif
