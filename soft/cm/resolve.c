// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The source and destination addresses of an id, and hence its devices: it is bound to one, and resolves the other,
 * which is refused if it is not an address of this host.
 */
#include "config.h"

#include <arpa/inet.h>

#include "abi/abi.h"
#include "cm/cm.h"
#include "host/profile.h"

int cm_bind(struct cm_id *id, const struct sockaddr_in6 *given)
{
	union cm_address address;
	int err;

	if (id->state != CM_IDLE)
		return -EINVAL;
	err = cm_address_read(given, &address);
	if (err)
		return err;
	if (!cm_address_is_any(&address) && !cm_address_is_local(&address))
		return -EADDRNOTAVAIL;
	if (!cm_address_is_any(&address) && soft_profile()->has_no_cm)
		return -ENODEV;
	id->source = address;
	err = cm_link_listen(id);
	if (err) {
		id->source = (union cm_address){0};
		return err;
	}
	if (!cm_address_is_any(&address))
		id->device = cm_device_of(&address, 0);
	id->state = CM_BOUND;
	return 0;
}

/*
 * Chooses the source that a socket connected to that address would have: the address itself, as it is of this host,
 * unless it is a group's.
 */
static void source_choose(struct cm_id *id)
{
	in_port_t port = id->source.any.sa_family ? *cm_address_port(&id->source) : cm_link_some_port();

	if (id->source.any.sa_family && !cm_address_is_any(&id->source))
		return;
	id->source = id->destination;
	if (cm_address_is_multicast(&id->destination))
		cm_address_of_device(id->device < 0 ? 0 : id->device, &id->source);
	*cm_address_port(&id->source) = port;
}

int cm_resolve_address(struct cm_id *id, const struct sockaddr_in6 *source, const struct sockaddr_in6 *destination)
{
	union cm_address to;
	char text[INET6_ADDRSTRLEN];
	int err;

	if (id->state != CM_IDLE && id->state != CM_BOUND)
		return -EINVAL;
	err = cm_address_read(destination, &to);
	if (!err && id->state == CM_IDLE && source->sin6_family != AF_UNSPEC)
		err = cm_bind(id, source);
	if (err)
		return err;
	if (!cm_address_is_multicast(&to) && !cm_address_is_local(&to)) {
		inet_ntop(to.any.sa_family,
			  to.any.sa_family == AF_INET ? (const void *)&to.in.sin_addr : &to.in6.sin6_addr, text,
			  sizeof(text));
		soft_error("rdma_resolve_addr(): %s is not an address of this host, and soft0 reaches no other; "
			   "between hosts use an RDMA adapter or rdma_rxe",
			   text);
		/*
		 * The kernel never returns this error: it is permanent, and the program need not retry as it may with
		 * -EHOSTUNREACH.
		 */
		return cm_event_raise(id, CM_ADDR_ERROR, -ENONET, NULL);
	}
	if (soft_profile()->has_no_cm)
		return cm_event_raise(id, CM_ADDR_ERROR, -ENODEV, NULL);
	id->destination = to;
	source_choose(id);
	if (id->device < 0)
		id->device = cm_device_of(&id->source, 0);
	id->peer_device = cm_device_of(&to, id->device);
	id->state = CM_ADDRESS;
	cm_backlog_refuse_all(id);
	return cm_event_raise(id, CM_ADDR_RESOLVED, 0, NULL);
}

int cm_resolve_route(struct cm_id *id)
{
	if (id->state != CM_ADDRESS)
		return -EINVAL;
	id->state = CM_ROUTE;
	return cm_event_raise(id, CM_ROUTE_RESOLVED, 0, NULL);
}
