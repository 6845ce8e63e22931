// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A software device is located by the boot ID and its folder. See site.h. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "verbs/device/site.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/sysfs.h"
#include "verbs/device/device.h"
#include "verbs/device/host_page.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define ELSEWHERE                                                                                                      \
	"Between hosts or users, use RDMA adapters, or rdma_rxe: rdma link add rxe0 type rxe netdev eth0, and %s "     \
	"rxe0"

/* Only the library that implements the device knows the folder: it is preloaded or, in sanitizer builds, linked in. */
static void describe_folder(struct site *site)
{
	int (*folder)(char *text, size_t size) = (int (*)(char *, size_t))dlsym(RTLD_DEFAULT, "perftest_soft_folder");
	char text[sizeof(site->folder_id) + PATH_MAX];
	char *blank;
	size_t length;

	if (!folder || folder(text, sizeof(text)))
		return;
	blank = strchr(text, ' ');
	if (!blank || (size_t)(blank - text) >= sizeof(site->folder_id))
		return;
	*blank = '\0';
	memcpy(site->folder_id, text, (size_t)(blank - text) + 1);
	length = strlen(blank + 1);
	if (length < sizeof(site->folder))
		memcpy(site->folder, blank + 1, length + 1);
	else /* keep the end, since such paths tend to start alike */
		snprintf(site->folder, sizeof(site->folder), "...%s",
			 blank + 1 + length - (sizeof(site->folder) - sizeof("...")));
}

void site_describe(const struct device *device, struct site *site)
{
	*site = (struct site){
		.is_software = device->is_software, .page_bytes = (uint32_t)host_page(), .uid = geteuid()};
	snprintf(site->device, sizeof(site->device), "%s", device->name);
	sysfs_line(site->boot, sizeof(site->boot), BOOT_ID);
	if (device->is_software)
		describe_folder(site);
}

/* False if one of them is unknown: then nothing can be concluded. */
static bool differ(const char *a, const char *b)
{
	return a[0] && b[0] && strcmp(a, b) != 0;
}

int site_check(struct site_side server, struct site_side client, const char *device_option, char *reason, size_t size)
{
	const struct site *here = server.site, *there = client.site;

	if (!here->is_software && !there->is_software)
		return 0;
	if (here->is_software != there->is_software)
		snprintf(reason, size,
			 "the server has %s and the client %s, but %s is a software device that talks only to its own "
			 "kind: select the devices with %s",
			 here->device, there->device, here->is_software ? here->device : there->device, device_option);
	else if (differ(here->boot, there->boot))
		snprintf(reason, size,
			 "%s connects processes of one user on one host; the server is on %s as uid %u and the client "
			 "on %s as uid %u. " ELSEWHERE,
			 here->device, server.host, here->uid, client.host, there->uid, device_option);
	else if (here->uid != there->uid)
		snprintf(reason, size,
			 "%s connects processes of one user on one host; the server runs as uid %u and the client as "
			 "uid %u: run both as the same user. " ELSEWHERE,
			 here->device, here->uid, there->uid, device_option);
	else if (differ(here->folder_id, there->folder_id))
		snprintf(reason, size,
			 "%s connects processes that share a runtime folder; the server's is %s and the client's %s%s: "
			 "give both the same XDG_RUNTIME_DIR, and containers a shared one",
			 here->device, here->folder, there->folder,
			 strcmp(here->folder, there->folder) ? ""
							     : ", a different one of that name (if it was removed and "
							       "created again since, start both again)");
	else
		return 0;
	return -ENXIO;
}
