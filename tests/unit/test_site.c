// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which pairs of devices and hosts cannot communicate, and what is reported to their users? */
#include "cmocka_all.h"

#include "verbs/device/site.h"

static char reason[512];

struct end {
	struct site site;
	char host[64];
};

static struct end side(const char *host, const char *device, bool is_software)
{
	struct end end = {.site = {.is_software = is_software, .page_bytes = 4096, .uid = 1000}};

	snprintf(end.host, sizeof(end.host), "%s", host);
	snprintf(end.site.device, sizeof(end.site.device), "%s", device);
	strcpy(end.site.boot, "11111111-1111-1111-1111-111111111111");
	if (is_software) {
		strcpy(end.site.folder_id, "70:2");
		strcpy(end.site.folder, "/run/user/1000/perftest-soft");
	}
	return end;
}

static int check(const struct end *server, const struct end *client)
{
	return site_check((struct site_side){&server->site, server->host},
			  (struct site_side){&client->site, client->host}, "-d", reason, sizeof(reason));
}

static void assert_refused(const struct end *server, const struct end *client, const char *words)
{
	reason[0] = '\0';
	assert_int_equal(check(server, client), -ENXIO);
	if (!strstr(reason, words))
		fail_msg("\"%s\" does not say \"%s\"", reason, words);
}

static void assert_let_pass(const struct end *server, const struct end *client)
{
	reason[0] = '\0';
	assert_int_equal(check(server, client), 0);
	assert_string_equal(reason, "");
}

TEST(adapters_may_be_anywhere)
{
	struct end server = side("alpha", "mlx5_0", false), client = side("beta", "rxe0", false);

	strcpy(client.site.boot, "22222222-2222-2222-2222-222222222222");
	client.site.uid = 0;
	assert_let_pass(&server, &client);
}

TEST(software_devices_share_host_user_and_folder)
{
	const struct end server = side("alpha", "soft0", true);
	struct end client = side("alpha", "soft1", true);

	assert_let_pass(&server, &client);

	strcpy(client.site.folder_id, "70:3");
	assert_refused(&server, &client, "/run/user/1000/perftest-soft, a different one of that name");
	strcpy(client.site.folder, "/tmp/x/perftest-soft");
	assert_refused(&server, &client,
		       "the server's is /run/user/1000/perftest-soft and the client's /tmp/x/perftest-soft: give");

	client.site.uid = 0;
	assert_refused(&server, &client,
		       "the server runs as uid 1000 and the client as uid 0: run both as the same user");

	strcpy(client.site.boot, "22222222-2222-2222-2222-222222222222");
	strcpy(client.host, "beta");
	assert_refused(&server, &client, "the server is on alpha as uid 1000 and the client on beta as uid 0. Between");
	assert_non_null(strstr(reason, "rdma link add rxe0 type rxe netdev eth0"));
}

/* A kernel without a boot id, or a folder that can't be looked at, is no reason. */
TEST(what_is_not_known_refuses_nobody)
{
	struct end server = side("alpha", "soft0", true), client = side("beta", "soft0", true);

	client.site.boot[0] = '\0';
	client.site.folder_id[0] = '\0';
	assert_let_pass(&server, &client);
	client.site.uid = 0;
	assert_refused(&server, &client, "one user");
	client.site.uid = 1000;
	strcpy(client.site.folder_id, "1:1");
	server.site.boot[0] = '\0';
	assert_refused(&server, &client, "runtime folder");
}

TEST(one_software_device_is_not_enough)
{
	struct end soft = side("alpha", "soft0", true), rxe = side("alpha", "rxe0", false);

	assert_refused(&soft, &rxe, "the server has soft0 and the client rxe0, but soft0 is a software device");
	assert_refused(&rxe, &soft, "the server has rxe0 and the client soft0, but soft0 is a software device");
}

TEST_MAIN(NULL, NULL)
