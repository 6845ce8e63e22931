// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The server: it listens in the writer's thread; each client gets its own endpoint and thread. The server exits when
 * the last of its clients has disconnected (at least one must have connected), after `clients=N` of them, or by a
 * signal, which also ends its clients' tests. Called by proc.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kthread.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <rdma/ib_cm.h>

#include "endpoint.h"

#define BACKLOG 128

struct listener {
	struct krping_result *result;
	struct krping_net *kn;
	struct rdma_cm_id *cm_id;
	wait_queue_head_t wait;
	int client_error; /* of the first client whose test failed */
	struct krping_reason client_reason;
	spinlock_t lock; /* protects the following */
	struct list_head endpoints;
	u64 taken;	 /* accepted clients */
	u32 active;	 /* accepted clients that have not been reaped */
	u64 memory;	 /* bytes of their buffers */
	bool is_closing; /* accepts no more clients */
};

/* --- one client --- */

static bool is_established(const struct krping_endpoint *endpoint)
{
	return READ_ONCE(endpoint->is_established) || krping_message_is_there(endpoint);
}

static int accept(struct krping_endpoint *endpoint)
{
	struct rdma_conn_param parameters = {
		.responder_resources = 1,
		.initiator_depth = 1,
		.rnr_retry_count = 7,
	};
	int err;

	/* before accepting: the peer's first message may arrive at once */
	WRITE_ONCE(endpoint->may_have_traffic, true);
	rdma_lock_handler(endpoint->cm_id);
	err = rdma_accept(endpoint->cm_id, &parameters);
	rdma_unlock_handler(endpoint->cm_id);
	if (err)
		return krping_result_fail(endpoint->result, err, "the client cannot be accepted: %pe", ERR_PTR(err));
	err = krping_wait(endpoint, is_established, "client's confirmation");
	if (err == -ENOTCONN)
		err = krping_result_fail(endpoint->result, -ECONNRESET, "the client left before it was connected");
	return err;
}

static void refuse(struct rdma_cm_id *id, const char *text)
{
	size_t length = min_t(size_t, strlen(text), IB_CM_REJ_PRIVATE_DATA_SIZE);

	rdma_reject(id, text, length, IB_CM_REJ_CONSUMER_DEFINED);
}

/* The thread of one client. */
static int serve(void *argument)
{
	struct krping_endpoint *endpoint = argument;
	struct listener *listener = endpoint->listener;
	int err;

	err = krping_endpoint_open(endpoint);
	if (err)
		refuse(endpoint->cm_id, endpoint->result->reason.text);
	else
		err = accept(endpoint);
	if (!err)
		krping_test_run(endpoint);
	krping_endpoint_close(endpoint);
	smp_store_release(&endpoint->is_finished, true);
	/* the listener, and hence the wait queue, exists until this thread has exited */
	wake_up(&listener->wait);
	krping_endpoint_put(endpoint);
	return 0;
}

/* --- the listener --- */

static int adopt(struct krping_command *command, const struct rdma_conn_param *offer, struct krping_reason *reason)
{
	struct krping_hello hello;

	if (offer->private_data_len >= sizeof(hello)) {
		memcpy(&hello, offer->private_data, sizeof(hello));
		if (hello.magic == cpu_to_be32(KRPING_HELLO_MAGIC) && hello.version == KRPING_HELLO_VERSION)
			return krping_command_adopt(command, be32_to_cpu(hello.options), be32_to_cpu(hello.size),
						    be64_to_cpu(hello.count), reason);
	}
	if (strcmp(krping_test_name(command), "ping")) {
		snprintf(reason->text, sizeof(reason->text), "the server was told %s, the client says nothing",
			 krping_test_name(command));
		return -EINVAL;
	}
	return 0;
}

/* Counts a new client, or returns why it is refused. */
static const char *take_in(struct listener *listener, const struct krping_command *client)
{
	const struct krping_command *command = &listener->result->command;
	const char *why_not = NULL;

	spin_lock(&listener->lock);
	if (listener->is_closing) {
		why_not = "the server is about to end";
	} else if (command->clients && listener->taken >= command->clients) {
		why_not = "the server has had as many clients as it was told";
	} else if (listener->active >= KRPING_MAX_CLIENTS) {
		why_not = "the server has too many clients";
	} else if (!krping_command_affords(command, listener->memory, krping_command_memory(client))) {
		why_not = "the server's clients would take more than its memory=";
	} else {
		listener->taken++;
		listener->active++;
		listener->memory += krping_command_memory(client);
	}
	spin_unlock(&listener->lock);
	return why_not;
}

static void give_up(struct listener *listener, const struct krping_command *client)
{
	spin_lock(&listener->lock);
	listener->taken--;
	listener->active--;
	listener->memory -= krping_command_memory(client);
	spin_unlock(&listener->lock);
	wake_up(&listener->wait);
}

static struct krping_endpoint *new_client(struct listener *listener, const struct krping_command *command)
{
	struct krping_result *result = krping_result_new(KRPING_ROLE_SERVER);
	struct krping_endpoint *endpoint;

	if (!result)
		return NULL;
	result->command = *command;
	result->listener = listener->result->id;
	endpoint = krping_endpoint_new(result);
	if (!endpoint) {
		kfree(result);
		return NULL;
	}
	endpoint->listener = listener;
	endpoint->task = kthread_create(serve, endpoint, "krping/%llu", result->id);
	if (IS_ERR(endpoint->task)) {
		krping_endpoint_put(endpoint);
		kfree(result);
		return NULL;
	}
	/* one reference to each for the listener, which reaps them */
	get_task_struct(endpoint->task);
	kref_get(&endpoint->ref);
	return endpoint;
}

/* In the CM's handler: a status other than 0 makes the CM destroy the id. */
static int connect_request(struct listener *listener, struct rdma_cm_id *id, const struct rdma_conn_param *offer)
{
	struct krping_command command = listener->result->command;
	struct krping_endpoint *endpoint = NULL;
	struct krping_reason reason;
	const char *why_not;

	if (adopt(&command, offer, &reason)) {
		why_not = reason.text;
	} else {
		why_not = take_in(listener, &command);
		if (!why_not) {
			endpoint = new_client(listener, &command);
			if (!endpoint) {
				give_up(listener, &command);
				why_not = "the server is out of memory";
			}
		}
	}
	if (why_not) {
		pr_notice_ratelimited("%llu: refused a client: %s\n", listener->result->id, why_not);
		WRITE_ONCE(listener->result->refused, listener->result->refused + 1);
		refuse(id, why_not);
		return -ECONNREFUSED;
	}
	id->context = endpoint;
	id->event_handler = krping_cm_event;
	endpoint->cm_id = id;
	krping_result_start(endpoint->result, listener->kn);
	spin_lock(&listener->lock);
	list_add_tail(&endpoint->node, &listener->endpoints);
	spin_unlock(&listener->lock);
	wake_up_process(endpoint->task);
	return 0;
}

static int listener_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct listener *listener = id->context;

	krping_debug(listener->result, "CM event: %s, status %d", rdma_event_msg(event->event), event->status);
	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return connect_request(listener, id, &event->param.conn);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		krping_result_fail(listener->result, -ENODEV, "the device was removed");
		wake_up(&listener->wait);
		return 0;
	default:
		return 0;
	}
}

/* NULL: all are running. The lock is held. */
static struct krping_endpoint *find_finished(struct listener *listener)
{
	struct krping_endpoint *endpoint;

	list_for_each_entry(endpoint, &listener->endpoints, node)
	{
		if (smp_load_acquire(&endpoint->is_finished))
			return endpoint;
	}
	return NULL;
}

static struct krping_endpoint *take_finished(struct listener *listener)
{
	struct krping_endpoint *found;

	spin_lock(&listener->lock);
	found = find_finished(listener);
	if (found) {
		list_del_init(&found->node);
		listener->active--;
		listener->memory -= krping_command_memory(found->command);
	}
	spin_unlock(&listener->lock);
	return found;
}

/* Waits until its thread has left the module, and passes its result on. */
static void reap(struct listener *listener, struct krping_endpoint *endpoint)
{
	struct krping_result *result = endpoint->result;

	kthread_stop(endpoint->task);
	put_task_struct(endpoint->task);
	krping_endpoint_put(endpoint);
	listener->result->clients++;
	if (result->error && !listener->client_error) {
		listener->client_error = result->error;
		listener->client_reason = result->reason;
	}
	krping_result_finish(result, listener->kn);
}

static bool has_finished_client(struct listener *listener)
{
	bool found;

	spin_lock(&listener->lock);
	found = find_finished(listener);
	spin_unlock(&listener->lock);
	return found;
}

static bool is_alone(struct listener *listener)
{
	bool is_alone;

	spin_lock(&listener->lock);
	is_alone = !listener->active;
	spin_unlock(&listener->lock);
	return is_alone;
}

/* Stops accepting clients when the command has been completed. */
static bool is_done(struct listener *listener)
{
	const struct krping_command *command = &listener->result->command;
	u64 wanted = krping_has(command, KRPING_CLIENTS) ? command->clients : 1;

	spin_lock(&listener->lock);
	if (!listener->active && wanted && listener->taken >= wanted)
		listener->is_closing = true;
	spin_unlock(&listener->lock);
	return listener->is_closing;
}

static void reap_finished(struct listener *listener)
{
	struct krping_endpoint *endpoint;

	while ((endpoint = take_finished(listener)) != NULL)
		reap(listener, endpoint);
}

/* A client's error does not end the others' tests. */
static void listen_until_done(struct listener *listener)
{
	do {
		if (wait_event_interruptible(listener->wait, has_finished_client(listener) || is_done(listener) ||
								     READ_ONCE(listener->result->error))) {
			krping_result_fail(listener->result, -EINTR, "interrupted while listening");
			return;
		}
		reap_finished(listener);
	} while (!is_done(listener) && !READ_ONCE(listener->result->error));
}

/* Accepts no more clients, and ends the current ones. */
static void close_listener(struct listener *listener)
{
	struct krping_endpoint *endpoint;

	spin_lock(&listener->lock);
	listener->is_closing = true;
	spin_unlock(&listener->lock);
	rdma_destroy_id(listener->cm_id); /* waits for the handler */
	spin_lock(&listener->lock);
	list_for_each_entry(endpoint, &listener->endpoints, node)
	{
		if (endpoint->is_finished)
			continue;
		krping_result_fail(endpoint->result, -EINTR, "the server was ended");
		wake_up(&endpoint->wait);
	}
	spin_unlock(&listener->lock);
	while (!is_alone(listener)) {
		wait_event(listener->wait, has_finished_client(listener));
		reap_finished(listener);
	}
}

static int listen(struct listener *listener, struct sockaddr *address)
{
	int err;

	err = rdma_bind_addr(listener->cm_id, address);
	if (err)
		return krping_result_fail(listener->result, err, "the address cannot be bound: %pe", ERR_PTR(err));
	err = rdma_listen(listener->cm_id, BACKLOG);
	return err ? krping_result_fail(listener->result, err, "cannot listen there: %pe", ERR_PTR(err)) : 0;
}

int krping_listener_run(struct krping_result *result, struct net *net, struct sockaddr_storage *address)
{
	struct listener listener = {.result = result, .kn = krping_net(net)};
	struct rdma_cm_id *id;

	init_waitqueue_head(&listener.wait);
	spin_lock_init(&listener.lock);
	INIT_LIST_HEAD(&listener.endpoints);
	id = rdma_create_id(net, listener_event, &listener, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return krping_result_fail(result, PTR_ERR(id), "no CM id: %pe", id);
	listener.cm_id = id;
	if (!listen(&listener, (struct sockaddr *)address))
		listen_until_done(&listener);
	close_listener(&listener);
	if (listener.client_error)
		krping_result_fail(result, listener.client_error, "a client: %.140s", listener.client_reason.text);
	return result->error;
}
