// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses as users write them, and as they are printed. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "net/address.h"

static void hosts_and_ports_are_parted(void **state)
{
	static const struct {
		const char *text, *host;
		unsigned port; /* 7: as before */
	} rows[] = {
		{"alpha", "alpha", 7},
		{"alpha:18515", "alpha", 18515},
		{"10.0.0.1:1", "10.0.0.1", 1},
		{"::1", "::1", 7},
		{"fe80::1%eth0", "fe80::1%eth0", 7},
		{"[::1]", "::1", 7},
		{"[fe80::1%eth0]:65535", "fe80::1%eth0", 65535},
	};
	char host[32];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint16_t port = 7;

		assert_int_equal(address_split(rows[i].text, host, sizeof(host), &port), 0);
		assert_string_equal(host, rows[i].host);
		assert_int_equal(port, rows[i].port);
	}
}

static void what_is_no_address_is_refused(void **state)
{
	static const char *const texts[] = {"",
					    ":1",
					    "alpha:",
					    "alpha:0",
					    "alpha:65536",
					    "alpha:x",
					    "alpha:-1",
					    "[::1",
					    "[::1]1",
					    "[]",
					    "[]:1",
					    "[::1]:",
					    "[::1]:99999",
					    "a-name-that-is-longer-than-the-room-for-it"};
	char host[32] = "as before";
	uint16_t port = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (address_split(texts[i], host, sizeof(host), &port) != -EINVAL)
			fail_msg("\"%s\" was taken", texts[i]);
		assert_string_equal(host, "as before");
		assert_int_equal(port, 7);
	}
}

static void addresses_are_written_down(void **state)
{
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(43210)};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(1)};
	const struct sockaddr unknown = {.sa_family = AF_UNSPEC};
	char text[ADDRESS_TEXT_SIZE];

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_and_ports_are_parted),
		cmocka_unit_test(what_is_no_address_is_refused),
		cmocka_unit_test(addresses_are_written_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
