/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How does a TCP connection behave whose messages are small and waited for? */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

/* Nothing is held back, and a host whose power went is noticed after 10 + 3 * 5 s. None of it is worth failing for. */
void socket_tune(int fd);

#endif
