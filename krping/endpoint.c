// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Creates and destroys the objects of one end of a connection, in order. */
#include <linux/slab.h>

#include "endpoint.h"

/* Besides writes: two registrations, an invalidation for each, a message, a read, a liveness query, the drain. */
#define OTHER_SENDS 16
#define RECEIVES    (KRPING_RECEIVES + 1) /* the drain's */
#define CLOSE_MS    1000 /* for the peer's answer to a disconnect; the connection ends even without it */

struct krping_endpoint *krping_endpoint_new(struct krping_result *result)
{
	struct krping_endpoint *endpoint = kzalloc(sizeof(*endpoint), GFP_KERNEL);

	if (!endpoint)
		return NULL;
	kref_init(&endpoint->ref);
	init_waitqueue_head(&endpoint->wait);
	INIT_LIST_HEAD(&endpoint->node);
	endpoint->result = result;
	endpoint->command = &result->command;
	krping_post_init(endpoint);
	return endpoint;
}

static void endpoint_free(struct kref *ref)
{
	kfree(container_of(ref, struct krping_endpoint, ref));
}

void krping_endpoint_put(struct krping_endpoint *endpoint)
{
	kref_put(&endpoint->ref, endpoint_free);
}

static bool is_passive(const struct krping_endpoint *endpoint)
{
	const struct krping_command *command = endpoint->command;

	return endpoint->result->role == KRPING_ROLE_SERVER &&
	       (krping_has(command, KRPING_RLAT) || krping_has(command, KRPING_BW));
}

/* Reports requested features that this device does not support. */
static int check_device(struct krping_endpoint *endpoint)
{
	const struct krping_command *command = endpoint->command;
	struct krping_result *result = endpoint->result;
	struct ib_device *device = endpoint->cm_id->device;
	u32 sends = command->tx_depth + OTHER_SENDS;

	if (!command->dma && !(device->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return krping_result_fail(result, -EOPNOTSUPP,
					  "%s can't register memory by work requests; mem_mode=dma needs none",
					  device->name);
	if (krping_has(command, KRPING_READ_INV) && !rdma_cap_read_inv(device, endpoint->cm_id->port_num))
		return krping_result_fail(result, -EOPNOTSUPP,
					  "read_inv: RDMA READ with invalidation is iWARP's, and %s is not iWARP",
					  device->name);
	if (sends > device->attrs.max_qp_wr || sends + RECEIVES > device->attrs.max_cqe)
		return krping_result_fail(result, -EOPNOTSUPP,
					  "tx-depth=%llu: %s queues %d requests, and takes %d more", command->tx_depth,
					  device->name, device->attrs.max_qp_wr, OTHER_SENDS);
	return 0;
}

static int open_pd(struct krping_endpoint *endpoint)
{
	struct ib_pd *pd = ib_alloc_pd(endpoint->cm_id->device, endpoint->command->dma ? IB_PD_UNSAFE_GLOBAL_RKEY : 0);

	if (IS_ERR(pd))
		return krping_result_fail(endpoint->result, PTR_ERR(pd), "no protection domain: %pe", pd);
	endpoint->pd = pd;
	return 0;
}

static int open_queues(struct krping_endpoint *endpoint)
{
	bool polls = krping_has(endpoint->command, KRPING_POLL) && !is_passive(endpoint);
	struct ib_qp_init_attr attributes = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap =
			{
				.max_send_wr = endpoint->command->tx_depth + OTHER_SENDS,
				.max_recv_wr = RECEIVES,
				.max_send_sge = 1,
				.max_recv_sge = 1,
			},
	};
	struct ib_cq *cq;
	int err;

	/* never in the interrupt: a completion's next action must not run under a lock of the device */
	cq = ib_alloc_cq_any(endpoint->pd->device, NULL, attributes.cap.max_send_wr + RECEIVES,
			     polls ? IB_POLL_DIRECT : IB_POLL_WORKQUEUE);
	if (IS_ERR(cq))
		return krping_result_fail(endpoint->result, PTR_ERR(cq), "no completion queue: %pe", cq);
	endpoint->cq = cq;
	endpoint->spins = polls;
	attributes.send_cq = cq;
	attributes.recv_cq = cq;
	err = rdma_create_qp(endpoint->cm_id, endpoint->pd, &attributes);
	return err ? krping_result_fail(endpoint->result, err, "no queue pair: %pe", ERR_PTR(err)) : 0;
}

static int open_control(struct krping_endpoint *endpoint, struct krping_control *control, unsigned int messages,
			enum dma_data_direction direction)
{
	struct ib_device *device = endpoint->pd->device;

	control->messages = messages;
	control->message = kcalloc(messages, sizeof(*control->message), GFP_KERNEL);
	if (!control->message)
		return krping_result_fail(endpoint->result, -ENOMEM, "no memory for a message");
	control->dma = ib_dma_map_single(device, control->message, messages * sizeof(*control->message), direction);
	if (ib_dma_mapping_error(device, control->dma))
		return krping_result_fail(endpoint->result, -EIO, "a message cannot be mapped for the device");
	control->is_mapped = true;
	return 0;
}

static void close_control(struct krping_endpoint *endpoint, struct krping_control *control,
			  enum dma_data_direction direction)
{
	if (control->is_mapped)
		ib_dma_unmap_single(endpoint->pd->device, control->dma, control->messages * sizeof(*control->message),
				    direction);
	kfree(control->message);
}

/* On failure, krping_endpoint_close() destroys whatever was created. */
int krping_endpoint_open(struct krping_endpoint *endpoint)
{
	struct krping_result *result = endpoint->result;
	unsigned int slot;
	int err;

	strscpy(result->device, endpoint->cm_id->device->name, sizeof(result->device));
	smp_store_release(&result->device_is_known, true);
	snprintf(result->peer, sizeof(result->peer), "%pISpc", &endpoint->cm_id->route.addr.dst_addr);
	err = check_device(endpoint);
	err = err ?: open_pd(endpoint);
	err = err ?: open_queues(endpoint);
	err = err ?: open_control(endpoint, &endpoint->send, 1, DMA_TO_DEVICE);
	err = err ?: open_control(endpoint, &endpoint->recv, KRPING_RECEIVES, DMA_FROM_DEVICE);
	err = err ?: krping_buffer_open(endpoint, &endpoint->source);
	err = err ?: krping_buffer_open(endpoint, &endpoint->sink);
	for (slot = 0; !err && slot < KRPING_RECEIVES; slot++)
		err = krping_post_recv(endpoint, slot);
	return err;
}

static bool is_answered(const struct krping_endpoint *endpoint)
{
	return READ_ONCE(endpoint->is_disconnected) || READ_ONCE(endpoint->result->error) == -ENODEV;
}

/*
 * A client waits for the answer, because a destroyed id does not retransmit a lost disconnect request. A signal does
 * not shorten this second: it may be pending already.
 */
static void disconnect(struct krping_endpoint *endpoint)
{
	if (!endpoint->may_have_traffic || rdma_disconnect(endpoint->cm_id))
		return;
	if (krping_is_client(endpoint) && READ_ONCE(endpoint->is_established))
		wait_event_timeout(endpoint->wait, is_answered(endpoint), msecs_to_jiffies(CLOSE_MS));
}

void krping_endpoint_close(struct krping_endpoint *endpoint)
{
	if (!endpoint->cm_id)
		return;
	disconnect(endpoint);
	if (endpoint->cm_id->qp) {
		if (endpoint->may_have_traffic)
			ib_drain_qp(endpoint->cm_id->qp);
		rdma_destroy_qp(endpoint->cm_id);
	}
	if (endpoint->cq)
		ib_free_cq(endpoint->cq);
	if (endpoint->pd) {
		krping_buffer_close(endpoint, &endpoint->sink);
		krping_buffer_close(endpoint, &endpoint->source);
		close_control(endpoint, &endpoint->recv, DMA_FROM_DEVICE);
		close_control(endpoint, &endpoint->send, DMA_TO_DEVICE);
		ib_dealloc_pd(endpoint->pd);
	}
	/* waits for a running handler; none runs afterwards */
	rdma_destroy_id(endpoint->cm_id);
	endpoint->cm_id = NULL;
}

/* Our servers send the reason; the CM pads it with zeros. */
static void refused(struct krping_endpoint *endpoint, struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	u8 length = 0;
	const char *data = rdma_consumer_reject_data(id, event, &length);
	unsigned int used = data ? strnlen(data, length) : 0;

	if (used && krping_is_plain(data, used))
		krping_result_fail(endpoint->result, -ECONNREFUSED, "the server refuses: %.*s", (int)used, data);
	else
		krping_result_fail(endpoint->result, -ECONNREFUSED,
				   "connection refused (%s); does a server listen there?",
				   rdma_reject_msg(id, event->status));
}

static void failed(struct krping_endpoint *endpoint, struct rdma_cm_event *event, int error, const char *what)
{
	/* positive statuses are the CM's own reasons */
	if (event->status < 0)
		error = event->status;
	krping_result_fail(endpoint->result, error, "%s: %pe", what, ERR_PTR(error));
}

int krping_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct krping_endpoint *endpoint = id->context;

	krping_debug(endpoint->result, "CM event: %s, status %d", rdma_event_msg(event->event), event->status);
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		WRITE_ONCE(endpoint->address_is_resolved, true);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		WRITE_ONCE(endpoint->route_is_resolved, true);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		WRITE_ONCE(endpoint->is_established, true);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
		failed(endpoint, event, -EHOSTUNREACH, "the address does not resolve");
		break;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		failed(endpoint, event, -EHOSTUNREACH, "there is no route to the address");
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		failed(endpoint, event, -EHOSTUNREACH, "no connection");
		break;
	case RDMA_CM_EVENT_REJECTED:
		refused(endpoint, id, event);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		WRITE_ONCE(endpoint->is_disconnected, true);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		krping_result_fail(endpoint->result, -ENODEV, "the device was removed");
		break;
	default: /* an address change or the end of timewait has no effect here */
		break;
	}
	wake_up(&endpoint->wait);
	return 0;
}

static int run_one(struct krping_endpoint *endpoint)
{
	const struct krping_command *command = endpoint->command;

	if (krping_has(command, KRPING_WLAT))
		return krping_wlat(endpoint);
	if (krping_has(command, KRPING_RLAT))
		return krping_rlat(endpoint);
	if (krping_has(command, KRPING_BW))
		return krping_bw(endpoint);
	return krping_is_client(endpoint) ? krping_ping_client(endpoint) : krping_ping_server(endpoint);
}

/* A client may disconnect after the number of iterations that it announced, or at any time if it announced none. */
int krping_test_run(struct krping_endpoint *endpoint)
{
	struct krping_result *result = endpoint->result;
	u64 count = endpoint->command->count;
	int err = run_one(endpoint);

	if (err != -ENOTCONN)
		return err;
	if (result->iterations >= count)
		return 0;
	return krping_result_fail(result, -ECONNRESET, "the client left before it had made its %llu iterations", count);
}
