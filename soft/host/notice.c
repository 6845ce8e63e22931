// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sends notices. service.c receives them. */
#include "host/notice.h"

#include <sys/socket.h>

#include "host/peer.h"

static void (*notice_handler)(const struct notice *notice);

void soft_notice_set_handler(void (*handler)(const struct notice *notice))
{
	notice_handler = handler;
}

void soft_notice_take(const struct notice *notice)
{
	notice_handler(notice);
}

void soft_notice_send(struct soft_peer *peer, uint32_t kind, uint32_t number, uint32_t event)
{
	struct notice notice = {.kind = kind, .number = number, .event = event};

	if (peer->connection < 0) {
		soft_notice_take(&notice);
		return;
	}
	/* Lost only if the peer is stopped with a full socket: it sees its queue pair's state when it continues. */
	(void)!send(peer->connection, &notice, sizeof(notice), MSG_DONTWAIT | MSG_NOSIGNAL);
}
