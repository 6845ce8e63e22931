// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names, addresses and ports. See address.h. */
#include "net/address.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "util/log.h"
#include "util/wait.h"

#define RETRY_PAUSE_MS 100

const char *address_error(const char *host, int error)
{
	if (error == -EADDRNOTAVAIL && host)
		return "it is not an address of this host; \"ip address\" lists them";
	if (error == -EINVAL && host && strncasecmp(host, "fe80:", 5) == 0 && !strchr(host, '%'))
		return "a link-local address needs its interface, such as fe80::1%eth0";
	return strerror(-error);
}

void address_report_listen(const struct address *address, const char *how, int error, const char *words)
{
	if (error != -EADDRINUSE)
		log_error("cannot listen%s on %s port %u: %s", how, address->bind_ip ? address->bind_ip : "any address",
			  address->port, words);
	else if (address->port_option)
		log_error("port %u is in use%s; choose another with %s", address->port, how, address->port_option);
	else
		log_error("port %u is in use%s", address->port, how);
}

const char *address_text(const struct sockaddr *address, char text[ADDRESS_TEXT_SIZE])
{
	const uint16_t port = address_port(address);
	char host[NI_MAXHOST];

	if (getnameinfo(address, address_length(address), host, sizeof(host), NULL, 0, NI_NUMERICHOST))
		snprintf(text, ADDRESS_TEXT_SIZE, "an unknown address");
	else if (!port)
		snprintf(text, ADDRESS_TEXT_SIZE, "%.100s", host);
	else if (strchr(host, ':'))
		snprintf(text, ADDRESS_TEXT_SIZE, "[%.100s]:%" PRIu16, host, port);
	else
		snprintf(text, ADDRESS_TEXT_SIZE, "%.100s:%" PRIu16, host, port);
	return text;
}

const char *address_host_text(const struct sockaddr_storage *address, char text[ADDRESS_TEXT_SIZE])
{
	struct sockaddr_storage host = *address;

	address_unmap(&host);
	address_set_port((struct sockaddr *)&host, 0);
	return address_text((struct sockaddr *)&host, text);
}

socklen_t address_length(const struct sockaddr *address)
{
	return address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

uint16_t address_port(const struct sockaddr *address)
{
	switch (address->sa_family) {
	case AF_INET:
		return ntohs(((const struct sockaddr_in *)address)->sin_port);
	case AF_INET6:
		return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
	default:
		return 0;
	}
}

void address_set_port(struct sockaddr *address, uint16_t port)
{
	if (address->sa_family == AF_INET6)
		((struct sockaddr_in6 *)address)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)address)->sin_port = htons(port);
}

void address_unmap(struct sockaddr_storage *address)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
	struct sockaddr_in in = {.sin_family = AF_INET};

	if (address->ss_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		return;
	in.sin_port = in6->sin6_port;
	memcpy(&in.sin_addr, in6->sin6_addr.s6_addr + 12, sizeof(in.sin_addr));
	memset(address, 0, sizeof(*address));
	memcpy(address, &in, sizeof(in));
}

int address_resolve(const char *host, uint16_t port, int family, int flags, struct addrinfo **found)
{
	struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
	char service[8];

	snprintf(service, sizeof(service), "%" PRIu16, port);
	/* RFC 6761, 6.3: the loopback addresses, also of a host without /etc/hosts, which would ask a name server. */
	if (host && strcasecmp(host, "localhost") == 0 && !(flags & AI_NUMERICHOST)) {
		host = NULL;
		hints.ai_flags &= ~AI_PASSIVE;
	}
	return getaddrinfo(host, service, &hints, found);
}

/* Without a descriptor for its files and sockets the resolver finds no name, and reports that it does not exist. */
static bool has_descriptor(void)
{
	const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno != EMFILE && errno != ENFILE;
	close(fd);
	return true;
}

const char *address_resolve_error(int rc)
{
	const int err = errno;

	if (!has_descriptor())
		return errno == EMFILE ? "too many open files; see ulimit -n" : "the system has too many open files";
	return rc == EAI_SYSTEM ? strerror(err) : gai_strerror(rc);
}

bool address_is_loopback(const struct sockaddr *address)
{
	const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)address;

	return address->sa_family == AF_INET6
		       ? IN6_IS_ADDR_LOOPBACK(&ipv6->sin6_addr)
		       : ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

bool address_interface(const struct sockaddr_storage *address, char *name, size_t size)
{
	char text[ADDRESS_TEXT_SIZE], own[ADDRESS_TEXT_SIZE];
	struct ifaddrs *all;

	name[0] = '\0';
	if ((address->ss_family != AF_INET && address->ss_family != AF_INET6) || getifaddrs(&all))
		return false;
	address_host_text(address, text);
	for (const struct ifaddrs *one = all; one && !name[0]; one = one->ifa_next)
		if (one->ifa_addr && (one->ifa_addr->sa_family == AF_INET || one->ifa_addr->sa_family == AF_INET6) &&
		    strcmp(address_text(one->ifa_addr, own), text) == 0)
			/* an IPv4 address may have a label, as of an alias: "eth0:1" */
			snprintf(name, size, "%.*s", (int)strcspn(one->ifa_name, ":"), one->ifa_name);
	freeifaddrs(all);
	return name[0];
}

bool address_is_own(const struct sockaddr_storage *address)
{
	struct sockaddr_storage host = *address;
	char name[64];

	address_unmap(&host);
	return address_interface(&host, name, sizeof(name)) ||
	       (host.ss_family != AF_UNSPEC && address_is_loopback((const struct sockaddr *)&host));
}

int address_loopback_family(const struct address *address)
{
	struct addrinfo *found;
	int family = -ENOENT;

	if (address_resolve(address->host, address->port, address->family, 0, &found))
		return family;
	for (const struct addrinfo *at = found; at; at = at->ai_next) {
		if (!address_is_loopback(at->ai_addr)) {
			family = -ENOENT;
			break;
		}
		family = family == -ENOENT || family == at->ai_family ? at->ai_family : AF_UNSPEC;
	}
	freeaddrinfo(found);
	return family;
}

int address_resolve_server(const struct address *address, struct addrinfo **found)
{
	/* The resolver has limits of its own (resolv.conf); it cannot be interrupted. */
	int rc = address_resolve(address->host, address->port, address->family, 0, found);

	if (!rc)
		return 0;
	return log_fail(-EHOSTUNREACH, "cannot resolve the server's name \"%s\"%s: %s", address->host,
			address->family == AF_INET6  ? " to an IPv6 address"
			: address->family == AF_INET ? " to an IPv4 address"
						     : "",
			address_resolve_error(rc));
}

int address_try_each(const struct addrinfo *found, struct deadline deadline, address_attempt_fn attempt, void *context)
{
	int rc, count = 0, worst = -EAFNOSUPPORT;

	for (const struct addrinfo *at = found; at; at = at->ai_next)
		count++;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (const struct addrinfo *at = found; at; at = at->ai_next) {
			const int left = deadline_poll_ms(deadline);

			if ((at->ai_family == AF_INET) != (pass == 0))
				continue;
			rc = attempt(at, deadline_in_ms(left < 0 ? -1 : left / count--), context);
			if (!rc || rc == -EINTR)
				return rc;
			/* That this host lacks an address family is not informative; any other reason is. */
			if (worst == -EAFNOSUPPORT)
				worst = rc;
		}
	}
	return worst;
}

/* Is it what a host says, or does not say, whose server has not been started, or which itself has not? */
static bool may_start(int error)
{
	return error == -ECONNREFUSED || error == -ETIMEDOUT || error == -EHOSTUNREACH || error == -ENETUNREACH;
}

int address_try_until(const struct addrinfo *found, int64_t timeout_ms, int64_t retry_ms, address_attempt_fn attempt,
		      void *context)
{
	const struct deadline end = deadline_in_ms(retry_ms);
	struct deadline limit = deadline_in_ms(timeout_ms);
	int last = 0;

	for (;;) {
		const int rc = address_try_each(found, limit, attempt, context);

		/* A round that the end cuts short says less than those before it. */
		if (rc == -ETIMEDOUT && last && deadline_passed(end))
			return last;
		if (!rc || !may_start(rc) || deadline_passed(end))
			return rc;
		if (!last)
			log_info("no server listens yet; trying again for %g s", (double)retry_ms / 1e3);
		last = rc;
		if (wait_fds(NULL, 0, deadline_sooner(end, deadline_in_ms(RETRY_PAUSE_MS))) == -EINTR)
			return -EINTR;
		limit = deadline_sooner(end, deadline_in_ms(timeout_ms));
	}
}
