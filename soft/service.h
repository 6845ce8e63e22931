/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who answers for this process while its program computes? See service.c. */
#ifndef SOFT_SERVICE_H
#define SOFT_SERVICE_H

int soft_service_start(int data_fd); /* claims a slot */
void soft_service_stop(void);
void soft_service_reset(void);	/* in a forked child */
int soft_service_watch(int fd); /* tells soft_peer_mark_dead() when fd ends */
void soft_service_forget(int fd);
void soft_service_tick(void); /* requests wait: see to them if the program does not */

#endif
