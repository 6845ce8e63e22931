// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which connections to a server's side channel count as clients, and the addresses at which it is reachable. */
#include "comm_rig.h"

/* --- who connects to a server --- */

static unsigned num_notes(void)
{
	unsigned count = 0;

	for (const char *at = notes; *at; at++)
		count += *at == '\n';
	return count;
}

static void say_hello(int fd)
{
	struct script script = {.length = 0};

	add_greeting(&script);
	add_hello(&script, MESSAGE_HELLO);
	raw_write(fd, script.bytes, script.length);
}

/* What ends, or is no perftest, before it has said what it wants is noted; the client behind it is served. */
TEST(unknown_peers_do_not_count)
{
	static const char browser[] = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
	struct script script = {.length = 0};
	struct comm_listener listener;
	struct comm_hello hello;
	struct comm server;
	int fds[6];

	forget_errors();
	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	for (unsigned i = 0; i < 6; i++)
		fds[i] = raw_connect(listener.tcp.port);
	close(fds[0]);
	raw_write(fds[1], "6.06", 4);
	close(fds[1]);
	raw_write(fds[2], browser, sizeof(browser) - 1);
	/* fds[3] stays silent */
	add_greeting(&script);
	raw_write(fds[4], script.bytes, script.length);
	close(fds[4]);
	say_hello(fds[5]);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, LISTEN_TIMEOUT_MS), 0);
	assert_int_equal(comm_greet(&server), 0);
	assert_int_equal(comm_receive(&server, MESSAGE_HELLO, &hello), 0);
	assert_string_equal(hello.host, "alpha");
	comm_close(&server);
	close(fds[5]);
	/* Of some the end is seen only now. */
	fds[5] = raw_connect(listener.tcp.port);
	say_hello(fds[5]);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, LISTEN_TIMEOUT_MS), 0);
	assert_int_equal(num_errors, 0);
	if (num_notes() != 4 || !strstr(notes, "was closed before it sent a greeting") ||
	    !strstr(notes,
		    "is not perftest, or was started with --dont_xchg_versions: it began with \"GET / HTTP/1.1..\"") ||
	    !strstr(notes, "was closed before it sent a request"))
		fail_msg("notes: %s", notes);
	comm_hello_clear(&hello);
	comm_close(&server);
	comm_listener_close(&listener);
	close(fds[2]);
	close(fds[3]);
	close(fds[5]);
}

/* Eight connections that say nothing, or only greet, are in front; the client does not wait until they are given up. */
TEST(silent_ones_hold_nobody_up)
{
	struct script script = {.length = 0};
	struct comm_listener listener;
	struct comm server;
	int fds[9];

	forget_errors();
	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	add_greeting(&script);
	for (unsigned i = 0; i < 9; i++) {
		fds[i] = raw_connect(listener.tcp.port);
		if (i % 2)
			raw_write(fds[i], script.bytes, script.length);
	}
	say_hello(fds[8]);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, LISTEN_TIMEOUT_MS), 0);
	assert_string_equal(notes, "");
	comm_close(&server);
	/* They are still there, and one of them has made up its mind. */
	script.length = 0;
	add_hello(&script, MESSAGE_HELLO);
	raw_write(fds[1], script.bytes, script.length);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, LISTEN_TIMEOUT_MS), 0);
	assert_int_equal(comm_greet(&server), 0);
	assert_string_equal(notes, "");
	comm_close(&server);
	comm_listener_close(&listener);
	for (unsigned i = 0; i < 9; i++)
		close(fds[i]);
}

/* They are given up in the end, and a crowd of them is told of in a few lines. */
TEST(silent_ones_are_given_up)
{
	struct comm_listener listener;
	struct acceptor acceptor = {.listener = &listener, .timeout_ms = 50};
	pthread_t thread;
	char byte;
	int fds[12];

	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	for (unsigned i = 0; i < 11; i++)
		fds[i] = raw_connect(listener.tcp.port);
	assert_int_equal(pthread_create(&thread, NULL, acceptor_thread, &acceptor), 0);
	for (unsigned i = 0; i < 11; i++)
		assert_int_equal(recv(fds[i], &byte, 1, 0), 0);
	acceptor.timeout_ms = LISTEN_TIMEOUT_MS;
	fds[11] = raw_connect(listener.tcp.port);
	say_hello(fds[11]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(acceptor.rc, 0);
	assert_int_equal(acceptor.errors, 0);
	assert_int_equal(num_notes(), 8);
	assert_non_null(
		strstr(notes, "was silent for too long before it sent a greeting; further ones are not reported"));
	comm_close(&acceptor.server);
	comm_listener_close(&listener);
	for (unsigned i = 0; i < 12; i++)
		close(fds[i]);
}

/* More of them than there are seats: the oldest go. */
TEST(a_crowd_of_silent_ones_finds_its_end)
{
	struct comm_listener listener;
	struct acceptor acceptor = {.listener = &listener, .timeout_ms = -1};
	pthread_t thread;
	char byte;
	int fds[100];

	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	assert_int_equal(pthread_create(&thread, NULL, acceptor_thread, &acceptor), 0);
	for (unsigned i = 0; i < 99; i++)
		fds[i] = raw_connect(listener.tcp.port);
	assert_int_equal(recv(fds[0], &byte, 1, 0), 0);
	fds[99] = raw_connect(listener.tcp.port);
	say_hello(fds[99]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(acceptor.rc, 0);
	assert_non_null(strstr(notes, "was silent while others waited"));
	comm_close(&acceptor.server);
	comm_listener_close(&listener);
	for (unsigned i = 0; i < 100; i++)
		close(fds[i]);
}

/* That is a client, which was told why; its user and this side's know that their programs do not fit. */
TEST(client_of_another_version_counts)
{
	struct comm_listener listener;
	uint8_t greeting[WIRE_GREETING_SIZE];
	struct comm server;
	int fd;

	forget_errors();
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	fd = raw_connect(listener.tcp.port);
	raw_write(fd, "6.06\0perftest\13\12", WIRE_GREETING_SIZE);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, LISTEN_TIMEOUT_MS), 0);
	assert_int_equal(comm_greet(&server), -EPROTONOSUPPORT);
	assert_reported("speaks versions 10 to 11");
	raw_read(fd, greeting, sizeof(greeting));
	comm_close(&server);
	comm_listener_close(&listener);
	close(fd);
}

/* With --dont_xchg_versions any word is one, but an end is not. */
TEST(without_greetings_the_first_byte_counts)
{
	struct comm_listener listener;
	struct comm server;
	int probe, fd;

	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	probe = raw_connect(listener.tcp.port);
	close(probe);
	fd = raw_connect(listener.tcp.port);
	raw_write(fd, "0", 1);
	assert_int_equal(comm_await_client(&server, &listener, false /* greets */, LISTEN_TIMEOUT_MS), 0);
	assert_int_equal(conn_pending(&server.conn), 1);
	assert_int_equal(num_notes(), 1);
	comm_close(&server);
	comm_listener_close(&listener);
	close(fd);
}

/* Who has been greeted by a server that goes away is told that this has nothing to do with it. */
TEST(greeted_clients_get_the_reason_of_the_end)
{
	struct script script = {.length = 0}, expected = {.length = 0};
	uint8_t came[256];
	struct comm_listener listener;
	struct comm server;
	int fds[2];

	assert_int_equal(comm_listen(&listener, &any_port), 0);
	add_greeting(&script);
	fds[0] = raw_connect(listener.tcp.port);
	raw_write(fds[0], script.bytes, script.length);
	fds[1] = raw_connect(listener.tcp.port);
	say_hello(fds[1]);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, LISTEN_TIMEOUT_MS), 0);
	comm_listener_close(&listener);
	comm_listener_close(&listener); /* once more does nothing */
	add_greeting(&expected);
	add_abort(&expected, "it is serving another client, or was stopped");
	raw_read(fds[0], came, expected.length);
	assert_memory_equal(came, expected.bytes, expected.length);
	comm_close(&server);
	close(fds[0]);
	close(fds[1]);
}

/* --- addresses --- */

TEST(port_in_use_is_named)
{
	struct comm_listener first, second = {.tcp.num_fds = 77};
	struct comm_address address = any_port;
	char expected[64];

	forget_errors();
	assert_int_equal(comm_listen(&first, &address), 0);
	address.at.port = first.tcp.port;
	assert_int_equal(comm_listen(&second, &address), -EADDRINUSE);
	snprintf(expected, sizeof(expected), "port %u is in use; choose another with -p", first.tcp.port);
	assert_reported(expected);
	assert_int_equal(second.tcp.num_fds, 77);
	comm_listener_close(&first);
	comm_listener_close(&first);
}

TEST(nobody_listening_is_named)
{
	char expected[64];
	struct comm_listener listener;
	struct comm_address address;
	struct comm client;

	forget_errors();
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	address = address_of(&listener);
	comm_listener_close(&listener);
	assert_int_equal(comm_connect(&client, &address, LISTEN_TIMEOUT_MS), -ECONNREFUSED);
	assert_reported("no server listens on 127.0.0.1 port ");
	snprintf(expected, sizeof(expected), "Couldn't connect to 127.0.0.1:%u", address.at.port);
	assert_string_equal(last_classic, expected);
}

TEST(name_that_does_not_resolve_is_named)
{
	const struct comm_address address = {.at = {.host = "no..such..host", .port = 18515}};
	struct comm client;

	forget_errors();
	assert_int_equal(comm_connect(&client, &address, LISTEN_TIMEOUT_MS), -EHOSTUNREACH);
	assert_reported("cannot resolve the server's name \"no..such..host\"");
}

TEST(bad_local_addresses_are_named)
{
	struct comm_address address = {.at = {.bind_ip = "192.0.2.1"}};
	struct comm_listener listener;
	struct comm client;

	forget_errors();
	assert_int_equal(comm_listen(&listener, &address), -EADDRNOTAVAIL);
	assert_reported("cannot listen on 192.0.2.1 port 0: it is not an address of this host");

	forget_errors();
	address.at.bind_ip = "nonsense..";
	assert_int_equal(comm_listen(&listener, &address), -EHOSTUNREACH);
	assert_reported("cannot listen on nonsense..");

	forget_errors();
	address = (struct comm_address){.at = {.host = "127.0.0.1", .bind_ip = "192.0.2.1", .port = 9}};
	assert_int_equal(comm_connect(&client, &address, LISTEN_TIMEOUT_MS), -EADDRNOTAVAIL);
	assert_reported("from 192.0.2.1: it is not an address of this host");

	forget_errors();
	address = (struct comm_address){.at = {.host = "fe80::1", .port = 9}};
	assert_int_equal(comm_connect(&client, &address, LISTEN_TIMEOUT_MS), -EINVAL);
	assert_reported("cannot connect to fe80::1 port 9: a link-local address needs its interface");

	forget_errors();
	address = (struct comm_address){.at = {.host = "127.0.0.1", .bind_ip = "::1", .port = 9}};
	assert_int_equal(comm_connect(&client, &address, LISTEN_TIMEOUT_MS), -EAFNOSUPPORT);
	assert_reported("no address that can be reached from ::1");
}

TEST(local_address_is_used)
{
	struct comm_listener listener;
	struct comm_address address;
	struct comm client, server;

	assert_int_equal(comm_listen(&listener, &any_port), 0);
	address = address_of(&listener);
	address.at.bind_ip = "127.0.0.2";
	assert_int_equal(comm_connect(&client, &address, LISTEN_TIMEOUT_MS), 0);
	take_connection(&server, &listener, LISTEN_TIMEOUT_MS);
	assert_memory_equal(server.conn.peer, "127.0.0.2:", 10);
	comm_close(&client);
	comm_close(&server);
	comm_listener_close(&listener);
}

static bool host_has_ipv6(void)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	bool has = fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address));

	if (fd >= 0)
		close(fd);
	return has;
}

TEST(ipv6_is_spoken)
{
	struct comm_listener listener;
	struct comm_address address = {.at = {.family = AF_INET6}};
	struct comm client, server;

	if (!host_has_ipv6())
		skip();
	hold_conversation("::1", &address, 1);
	hold_conversation("::1", &(struct comm_address){.at = {.port = 0}}, 1); /* both families, one port */

	assert_int_equal(comm_listen(&listener, &address), 0);
	assert_int_equal(listener.tcp.num_fds, 1);
	address = (struct comm_address){.at = {.host = "::1", .port = listener.tcp.port, .family = AF_INET6}};
	assert_int_equal(comm_connect(&client, &address, LISTEN_TIMEOUT_MS), 0);
	take_connection(&server, &listener, LISTEN_TIMEOUT_MS);
	assert_memory_equal(server.conn.peer, "[::1]:", 6);
	comm_close(&client);
	comm_close(&server);

	forget_errors();
	address.at.host = "127.0.0.1";
	assert_int_equal(comm_connect(&client, &address, LISTEN_TIMEOUT_MS), -EHOSTUNREACH);
	assert_reported("to an IPv6 address");
	comm_listener_close(&listener);
}

/* A listener whose queue is full does not answer further ones. */
TEST(unanswered_connect_is_given_up)
{
	struct sockaddr_in bound = {.sin_family = AF_INET};
	struct comm_address address = {.at = {.host = "127.0.0.1"}};
	socklen_t length = sizeof(bound);
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	struct comm waiting[8], client;
	unsigned num_waiting = 0;
	int rc;

	bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listening, (struct sockaddr *)&bound, length), 0);
	assert_int_equal(listen(listening, 0), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&bound, &length), 0);
	address.at.port = ntohs(bound.sin_port);
	for (;;) {
		forget_errors();
		rc = comm_connect(&client, &address, 200);
		if (rc)
			break;
		assert_true(num_waiting < 8);
		waiting[num_waiting++] = client;
	}
	assert_int_equal(rc, -ETIMEDOUT);
	assert_reported("within 0.2 s: is the host up, does a firewall block the port?");
	while (num_waiting)
		comm_close(&waiting[--num_waiting]);
	close(listening);
}

TEST_MAIN(NULL, NULL)
