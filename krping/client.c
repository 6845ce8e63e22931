// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connects a client to its server. Called by proc.c, in the writer's thread. */
#include <linux/ktime.h>
#include <net/net_namespace.h>

#include "endpoint.h"

#define RESOLVE_MS 2000
#define RETRIES	   7 /* the CM's maximum; for RNR retries it means forever */

static bool address_is_resolved(const struct krping_endpoint *endpoint)
{
	return READ_ONCE(endpoint->address_is_resolved);
}

static bool route_is_resolved(const struct krping_endpoint *endpoint)
{
	return READ_ONCE(endpoint->route_is_resolved);
}

static bool is_established(const struct krping_endpoint *endpoint)
{
	return READ_ONCE(endpoint->is_established);
}

static int resolve(struct krping_endpoint *endpoint, struct sockaddr *address)
{
	int err;

	/* The server's packets use it, too, through the path in the request. */
	if (krping_has(endpoint->command, KRPING_TOS))
		rdma_set_service_type(endpoint->cm_id, (int)endpoint->command->tos);
	err = rdma_resolve_addr(endpoint->cm_id, NULL, address, RESOLVE_MS);
	if (err)
		return krping_result_fail(endpoint->result, err, "no way to the address: %pe", ERR_PTR(err));
	err = krping_wait(endpoint, address_is_resolved, "resolution of the address");
	if (err)
		return err;
	err = rdma_resolve_route(endpoint->cm_id, RESOLVE_MS);
	if (err)
		return krping_result_fail(endpoint->result, err, "no route to the address: %pe", ERR_PTR(err));
	return krping_wait(endpoint, route_is_resolved, "resolution of the route");
}

static int connect(struct krping_endpoint *endpoint)
{
	const struct krping_command *command = endpoint->command;
	struct krping_hello hello = {
		.magic = cpu_to_be32(KRPING_HELLO_MAGIC),
		.version = KRPING_HELLO_VERSION,
		.options = cpu_to_be32(krping_command_offer(command)),
		.size = cpu_to_be32(command->size),
		.count = cpu_to_be64(command->count),
	};
	struct rdma_conn_param parameters = {
		.private_data = &hello,
		.private_data_len = sizeof(hello),
		.responder_resources = 1,
		.initiator_depth = 1,
		.retry_count = RETRIES,
		.rnr_retry_count = RETRIES,
	};
	u64 began = ktime_get_ns();
	int err;

	err = rdma_connect(endpoint->cm_id, &parameters);
	if (err)
		return krping_result_fail(endpoint->result, err, "no connection: %pe", ERR_PTR(err));
	err = krping_wait(endpoint, is_established, "server's answer");
	/* the QP may be ready even if this did not wait for the event */
	WRITE_ONCE(endpoint->may_have_traffic, is_established(endpoint));
	if (!err)
		endpoint->result->connect_ns = ktime_get_ns() - began;
	return err;
}

static int run(struct krping_endpoint *endpoint, struct sockaddr *address)
{
	int err = resolve(endpoint, address);

	err = err ?: krping_endpoint_open(endpoint);
	err = err ?: connect(endpoint);
	err = err ?: krping_test_run(endpoint);
	return err;
}

int krping_client_run(struct krping_result *result, struct net *net, struct sockaddr_storage *address)
{
	struct krping_endpoint *endpoint = krping_endpoint_new(result);
	struct rdma_cm_id *id;
	int err;

	if (!endpoint)
		return krping_result_fail(result, -ENOMEM, "no memory for an endpoint");
	id = rdma_create_id(net, krping_cm_event, endpoint, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id)) {
		err = krping_result_fail(result, PTR_ERR(id), "no CM id: %pe", id);
	} else {
		endpoint->cm_id = id;
		err = run(endpoint, (struct sockaddr *)address);
		krping_endpoint_close(endpoint);
	}
	krping_endpoint_put(endpoint);
	return err;
}
