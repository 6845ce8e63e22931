// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Joins a multicast group with the subnet administrator as multicast.c does, and leaves it when its standard input
 * ends: for tests against OpenSM over ibsim, which has a device for management datagrams and none for verbs.
 *
 * sa_client DEVICE PORT full|send BYTES_OF_GID_IN_HEX
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/log.h"
#include "verbs/connect/sa_member.h"

int main(int argc, char **argv)
{
	struct sa_group group = {.port = 1, .qkey = 0x11111111};
	struct sa_member *member;
	struct sa_answer answer;
	char byte[3] = "", rest[64];

	log_set_program("sa_client");
	if (argc != 5 || strlen(argv[4]) != 2 * sizeof(group.gid))
		return 2;
	group.device = argv[1];
	group.port = (uint8_t)atoi(argv[2]);
	group.sends_only = !strcmp(argv[3], "send");
	for (size_t i = 0; i < sizeof(group.gid); i++) {
		memcpy(byte, argv[4] + 2 * i, 2);
		group.gid[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	if (sa_ops.join(&group, &answer, &member))
		return 1;
	printf("joined LID 0x%04x Q_Key 0x%08x MTU %u SL %u\n", answer.lid, answer.qkey, answer.mtu, answer.sl);
	fflush(stdout);
	while (read(STDIN_FILENO, rest, sizeof(rest)) > 0)
		;
	sa_ops.leave(member);
	printf("left\n");
	return 0;
}
