// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses as they are printed and resolved. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>

#include "cmocka_all.h"
#include "net/address.h"

TEST(addresses_are_written_down)
{
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(43210)};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(1)};
	const struct sockaddr unknown = {.sa_family = AF_UNSPEC};
	char text[ADDRESS_TEXT_SIZE];

	assert_int_equal(inet_pton(AF_INET, "10.0.0.1", &four.sin_addr), 1);
	assert_int_equal(inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr), 1);
	assert_string_equal(address_text((struct sockaddr *)&four, text), "10.0.0.1:43210");
	assert_string_equal(address_text((struct sockaddr *)&six, text), "[2001:db8::1]:1");
	assert_int_equal(address_port((struct sockaddr *)&six), 1);
	address_set_port((struct sockaddr *)&four, 0);
	address_set_port((struct sockaddr *)&six, 0);
	assert_string_equal(address_text((struct sockaddr *)&four, text), "10.0.0.1");
	assert_string_equal(address_text((struct sockaddr *)&six, text), "2001:db8::1");
	assert_string_equal(address_text(&unknown, text), "an unknown address");
}

TEST(ipv4_in_the_form_of_ipv6_is_ipv4)
{
	struct sockaddr_storage address = {.ss_family = AF_INET6};
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
	char text[ADDRESS_TEXT_SIZE];

	assert_int_equal(inet_pton(AF_INET6, "2001:db8::1", &six->sin6_addr), 1);
	address_unmap(&address);
	assert_string_equal(address_text((struct sockaddr *)&address, text), "2001:db8::1");
	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.0.1", &six->sin6_addr), 1);
	six->sin6_port = htons(7);
	address_unmap(&address);
	assert_int_equal(address.ss_family, AF_INET);
	assert_string_equal(address_text((struct sockaddr *)&address, text), "10.0.0.1:7");
	address_unmap(&address);
	assert_string_equal(address_text((struct sockaddr *)&address, text), "10.0.0.1:7");
}

/* Whatever /etc/hosts says, and where it does not exist. */
TEST(localhost_is_every_loopback_address)
{
	char text[ADDRESS_TEXT_SIZE];
	struct addrinfo *found;
	unsigned seen = 0;

	assert_int_equal(address_resolve("LocalHost", 7, AF_UNSPEC, AI_PASSIVE, &found), 0);
	for (const struct addrinfo *at = found; at; at = at->ai_next) {
		address_text(at->ai_addr, text);
		seen |= strcmp(text, "127.0.0.1:7") == 0 ? 1U : strcmp(text, "[::1]:7") == 0 ? 2U : 4U;
	}
	freeaddrinfo(found);
	assert_int_equal(seen, 3);
	assert_int_not_equal(address_resolve("localhost", 7, AF_UNSPEC, AI_NUMERICHOST, &found), 0);
}

#define ROUND_TRIP_MS 20

/* Of a host that refuses, some network away. */
static int refused_from_afar(const struct addrinfo *at, struct deadline deadline, void *context)
{
	const bool is_late = deadline_left_ns(deadline) < ROUND_TRIP_MS * 1000000;

	(void)at, (void)context;
	poll(NULL, 0, is_late ? deadline_poll_ms(deadline) : ROUND_TRIP_MS);
	return is_late ? -ETIMEDOUT : -ECONNREFUSED;
}

static int loopback_family(const char *host, int family)
{
	return address_loopback_family(&(struct address){.host = host, .port = 1, .family = family});
}

TEST(a_loopback_address_has_a_family)
{
	assert_int_equal(loopback_family("localhost", AF_UNSPEC), AF_UNSPEC);
	assert_int_equal(loopback_family("localhost", AF_INET), AF_INET);
	assert_int_equal(loopback_family("localhost", AF_INET6), AF_INET6);
	assert_int_equal(loopback_family("127.0.1.1", AF_UNSPEC), AF_INET);
	assert_int_equal(loopback_family("::1", AF_UNSPEC), AF_INET6);
	assert_int_equal(loopback_family("10.0.0.1", AF_UNSPEC), -ENOENT);
	assert_int_equal(loopback_family("2001:db8::1", AF_UNSPEC), -ENOENT);
	assert_int_equal(loopback_family("no host", AF_UNSPEC), -ENOENT);
}

/* 192.0.2.0/24 and 2001:db8::/32 are nobody's (RFC 5737, RFC 3849). */
TEST(an_address_is_this_host_s_own)
{
	static const struct {
		const char *host;
		bool own;
	} rows[] = {
		{"127.0.0.1", true}, {"127.9.0.2", true}, {"::1", true}, {"192.0.2.7", false}, {"2001:db8::1", false}};
	struct sockaddr_storage address = {0};
	struct addrinfo *found;

	assert_false(address_is_own(&address));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(address_resolve(rows[i].host, 7, AF_UNSPEC, 0, &found), 0);
		memcpy(&address, found->ai_addr, found->ai_addrlen);
		freeaddrinfo(found);
		assert_int_equal(address_is_own(&address), rows[i].own);
	}
}

/* The last round ends before its answer can be here. */
TEST(a_server_that_never_listens_has_refused)
{
	const struct addrinfo found = {.ai_family = AF_INET};

	assert_int_equal(address_try_until(&found, 5000, 150, refused_from_afar, NULL), -ECONNREFUSED);
	/* but one that never answers has not */
	assert_int_equal(address_try_until(&found, 0, 150, refused_from_afar, NULL), -ETIMEDOUT);
}

TEST_MAIN(NULL, NULL)
