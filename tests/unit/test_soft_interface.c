// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The first user opens the network interface's sockets and the last one closes them: what if another user arrives while
 * the last one leaves? Sockets and threads are simulated: this needs no CAP_NET_RAW.
 */
#define _GNU_SOURCE
#include "config.h"

#include "packet/interface.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "host/core.h"
#include "host/threads.h"

#define SOCKETS 8

struct soft_self soft_self = {.interface = "lo"};
static int sockets[SOCKETS], socket_count;
static bool comes_between; /* another user, when the lock is next let go */

void soft_error(const char *format, ...)
{
	fail_msg("an error is reported");
}

void soft_locks_contend(void)
{
}

int soft_thread_create(pthread_t *thread, void *(*start)(void *), void *argument)
{
	(void)thread, (void)start, (void)argument;
	fail_msg("no thread listens");
	return EAGAIN;
}

int socket(int domain, int type, int protocol)
{
	int pair[2];

	(void)domain, (void)type, (void)protocol;
	assert_in_range(socket_count, 0, SOCKETS - 1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	close(pair[1]);
	sockets[socket_count++] = pair[0];
	return pair[0];
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	(void)fd, (void)address, (void)length;
	return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	static int (*real)(pthread_mutex_t *);
	int err;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	err = real(mutex);
	if (comes_between) {
		comes_between = false;
		assert_int_equal(soft_interface_get(), 0);
	}
	return err;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Without a socket it would say EBADF. */
static bool can_send(void)
{
	char frame[14] = {0};
	const struct iovec piece = {frame, sizeof(frame)};

	return soft_interface_send(&piece, 1) != -EBADF;
}

TEST(opens_once)
{
	socket_count = 0;
	assert_int_equal(soft_interface_get(), 0);
	assert_int_equal(soft_interface_get(), 0);
	soft_interface_put();
	assert_int_equal(socket_count, 1);
	assert_true(can_send());
	soft_interface_put();
	assert_false(is_open(sockets[0]));
	assert_false(can_send());
}

TEST(user_comes_as_last_goes)
{
	socket_count = 0;
	assert_int_equal(soft_interface_get(), 0);
	comes_between = true;
	soft_interface_put();
	assert_false(comes_between);
	assert_int_equal(socket_count, 2);
	assert_true(can_send());
	soft_interface_put();
	assert_false(can_send());
	/* Whatever numbers they had, none is left. */
	assert_false(is_open(sockets[0]) || is_open(sockets[1]));
}

TEST_MAIN(NULL, NULL)
