// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses a host and port from text. */
#include "cmocka_all.h"
#include "params/engine/host.h"

TEST(hosts_and_ports_are_parted)
{
	static const struct {
		const char *text, *host;
		unsigned port; /* 0: none is named */
	} rows[] = {
		{"alpha", "alpha", 0},
		{"alpha:18515", "alpha", 18515},
		{"10.0.0.1:1", "10.0.0.1", 1},
		{"::1", "::1", 0},
		{"fe80::1%eth0", "fe80::1%eth0", 0},
		{"[::1]", "::1", 0},
		{"[fe80::1%eth0]:65535", "fe80::1%eth0", 65535},
	};
	char host[32], reason[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint16_t port = 7;

		assert_int_equal(host_split(rows[i].text, host, sizeof(host), &port, reason, sizeof(reason)), 0);
		assert_string_equal(host, rows[i].host);
		assert_int_equal(port, rows[i].port);
	}
}

TEST(what_is_no_address_is_refused)
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
	char host[32] = "as before", reason[128];
	uint16_t port = 7;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		reason[0] = '\0';
		if (host_split(texts[i], host, sizeof(host), &port, reason, sizeof(reason)) != -EINVAL)
			fail_msg("\"%s\" was taken", texts[i]);
		assert_string_not_equal(reason, "");
		assert_string_equal(host, "as before");
		assert_int_equal(port, 7);
	}
}

TEST_MAIN(NULL, NULL)
