/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Says that a server is ready: to its user, and to systemd. */
#ifndef FRONT_READY_H
#define FRONT_READY_H

/* "ready" on stdout, and READY=1 to the socket NOTIFY_SOCKET (sd_notify(3)), which no process of this one finds then.
 */
void ready_say(void);

#endif
