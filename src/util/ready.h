/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Says that a server is ready, to systemd or whatever else started it. */
#pragma once

/* READY=1 to the socket NOTIFY_SOCKET (sd_notify(3)), if there is one; no process of this one finds it then. */
void ready_notify(void);
