/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who answers for this process while its program computes? See service.c. */
#ifndef SOFT_SERVICE_H
#define SOFT_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

int soft_service_start(int data_fd); /* claims a slot */
void soft_service_stop(void);
void soft_service_reset(void); /* in a forked child */
void soft_service_fork_prepare(void);
void soft_service_fork_parent(void);
/* Tells soft_peer_mark_dead() when fd, a connection to that process, ends. */
int soft_service_watch(int fd, uint32_t slot, uint32_t instance);
void soft_service_forget(int fd);
/* Has that process, which maps our memory, ended, or let go of it? */
bool soft_service_initiator_is_gone(uint32_t instance);
pid_t soft_service_initiator_pid(uint32_t instance);
/* Keeps the service thread from all memory but what poll() fills, until resume; false: it is busy. */
bool soft_service_rest(void);
void soft_service_resume(void);
bool soft_service_is_running(void);
void soft_service_tick(void); /* requests wait: see to them if the program does not */

#endif
