// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is behind the names and numbers of a command line? See address.h. */
#include "comm/address.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/log.h"

void address_text(const struct sockaddr *address, socklen_t length, char *text, size_t size)
{
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (getnameinfo(address, length, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(text, size, "unknown address");
	else if (strchr(host, ':'))
		snprintf(text, size, "[%s]:%s", host, port);
	else
		snprintf(text, size, "%s:%s", host, port);
}

socklen_t address_length(const struct sockaddr *address)
{
	return address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

void address_set_port(struct sockaddr *address, uint16_t port)
{
	if (address->sa_family == AF_INET6)
		((struct sockaddr_in6 *)address)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)address)->sin_port = htons(port);
}

int address_resolve(const char *host, uint16_t port, int family, int flags, struct addrinfo **found)
{
	struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
	char service[8];

	snprintf(service, sizeof(service), "%" PRIu16, port);
	return getaddrinfo(host, service, &hints, found);
}

int address_resolve_server(const struct comm_address *address, struct addrinfo **found)
{
	/* The resolver has limits of its own (resolv.conf); it can't be interrupted. */
	int rc = address_resolve(address->host, address->port, address->ipv6 ? AF_INET6 : AF_UNSPEC, 0, found);

	if (!rc)
		return 0;
	log_error("cannot resolve the server's name \"%s\"%s: %s", address->host,
		  address->ipv6 ? " to an IPv6 address" : "", rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	return -EHOSTUNREACH;
}

/* The k-th in the order of trying; NULL: there are fewer. */
static const struct addrinfo *nth(const struct addrinfo *found, unsigned k)
{
	static const bool passes[] = {true /* IPv4 */, false /* the others */};

	for (size_t pass = 0; pass < 2; pass++) {
		for (const struct addrinfo *at = found; at; at = at->ai_next) {
			if ((at->ai_family == AF_INET) == passes[pass] && k-- == 0)
				return at;
		}
	}
	return NULL;
}

int address_try_each(const struct addrinfo *found, struct deadline deadline, address_attempt_fn attempt, void *context)
{
	const struct addrinfo *at;
	int rc, worst = -EAFNOSUPPORT;
	unsigned count = 0;

	while (nth(found, count))
		count++;
	for (unsigned k = 0; (at = nth(found, k)); k++) {
		int left = deadline_poll_ms(deadline);

		rc = attempt(at, deadline_in_ms(left < 0 ? -1 : left / (int)(count - k)), context);
		if (!rc || rc == -EINTR)
			return rc;
		/* An address of a family that this host lacks says nothing; any other reason does. */
		if (worst == -EAFNOSUPPORT)
			worst = rc;
	}
	return worst;
}

void address_report_unreached(const struct comm_address *address)
{
	log_classic("Couldn't connect to %s:%u", address->host, address->port);
}
