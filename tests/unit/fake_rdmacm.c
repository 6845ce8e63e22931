// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A minimal connection manager. See fake_rdmacm.h. */
#include "config.h"

#include "fake_rdmacm.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct queued {
	struct rdma_cm_event event; /* first member: this is what is acknowledged */
	struct queued *next;
	uint8_t private_data[FAKE_PRIVATE_SIZE];
};

struct fake_rdmacm fake_rdmacm;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t acknowledged = PTHREAD_COND_INITIALIZER;
static struct queued *first, **last = &first;
static struct rdma_cm_id *unacknowledged; /* its event was read last */
static struct rdma_event_channel channel = {.fd = -1};
static struct rdma_cm_id *listening;
static struct ibv_device device = {.name = "fake0"};
static struct ibv_context context = {.device = &device};
static struct ibv_pd pd = {.context = &context};
static struct ibv_cq cq = {.context = &context};
static uint32_t next_qpn;
static bool is_taken[FAKE_MAX_QPNS]; /* of the numbers that are reused */

void fake_rdmacm_reset(void)
{
	memset(&fake_rdmacm, 0, sizeof(fake_rdmacm));
	fake_rdmacm.qps = fake_rdmacm.answers = -1;
	memset(is_taken, 0, sizeof(is_taken));
	next_qpn = FAKE_FIRST_QPN;
	while (first) {
		struct queued *next = first->next;

		free(first);
		first = next;
	}
	last = &first;
}

static struct queued *event_of(struct rdma_cm_id *id, struct rdma_cm_id *listen_id, enum rdma_cm_event_type type,
			       int status)
{
	struct queued *queued = calloc(1, sizeof(*queued));

	queued->event = (struct rdma_cm_event){.id = id, .listen_id = listen_id, .event = type, .status = status};
	return queued;
}

static int put(struct queued *queued)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&lock);
	*last = queued;
	last = &queued->next;
	pthread_mutex_unlock(&lock);
	return write(channel.fd, &one, sizeof(one)) == sizeof(one) ? 0 : -1;
}

static int push(struct rdma_cm_id *id, struct rdma_cm_id *listen_id, enum rdma_cm_event_type type, int status)
{
	return put(event_of(id, listen_id, type, status));
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
	channel.fd = eventfd(0, EFD_NONBLOCK);
	return &channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *the_channel)
{
	close(the_channel->fd);
	the_channel->fd = -1;
}

int rdma_get_cm_event(struct rdma_event_channel *the_channel, struct rdma_cm_event **event)
{
	struct queued *queued;
	uint64_t count;

	pthread_mutex_lock(&lock);
	queued = first;
	if (queued) {
		first = queued->next;
		if (!first)
			last = &first;
		/* A request is an event of the listening ID. */
		unacknowledged = queued->event.listen_id ? queued->event.listen_id : queued->event.id;
	} else if (read(the_channel->fd, &count, sizeof(count)) < 0) {
		count = 0; /* it has been read already */
	}
	pthread_mutex_unlock(&lock);
	if (!queued) {
		errno = EAGAIN;
		return -1;
	}
	*event = &queued->event;
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	free(event);
	pthread_mutex_lock(&lock);
	unacknowledged = NULL;
	pthread_cond_broadcast(&acknowledged);
	pthread_mutex_unlock(&lock);
	return 0;
}

const char *rdma_event_str(enum rdma_cm_event_type event)
{
	return event == RDMA_CM_EVENT_UNREACHABLE ? "UNREACHABLE" : "another event";
}

int rdma_create_id(struct rdma_event_channel *the_channel, struct rdma_cm_id **id, void *id_context,
		   enum rdma_port_space port_space)
{
	struct rdma_cm_id *made = calloc(1, sizeof(*made));

	made->channel = the_channel;
	made->context = id_context;
	made->ps = port_space;
	atomic_fetch_add(&fake_rdmacm.open_ids, 1);
	*id = made;
	return 0;
}

/* Like the real one: drops its unread events, and waits until the one that was read is acknowledged. */
int rdma_destroy_id(struct rdma_cm_id *id)
{
	struct queued **at = &first, *gone;

	pthread_mutex_lock(&lock);
	while (*at) {
		gone = *at;
		if (gone->event.id != id) {
			at = &gone->next;
			continue;
		}
		*at = gone->next;
		free(gone);
	}
	last = at;
	while (unacknowledged == id)
		pthread_cond_wait(&acknowledged, &lock);
	pthread_mutex_unlock(&lock);
	if (id == listening)
		listening = NULL;
	atomic_fetch_sub(&fake_rdmacm.open_ids, 1);
	free(id);
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
	memcpy(&id->route.addr.src_addr, address, sizeof(struct sockaddr_in));
	device.transport_type = fake_rdmacm.is_iwarp ? IBV_TRANSPORT_IWARP : IBV_TRANSPORT_IB;
	id->verbs = &context;
	return 0;
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	(void)backlog;
	listening = id;
	return 0;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int timeout_ms)
{
	const int call = atomic_fetch_add(&fake_rdmacm.resolve_addr_calls, 1);

	(void)from;
	(void)timeout_ms;
	if (!to || memcmp(to, &fake_rdmacm.destination, sizeof(fake_rdmacm.destination)) != 0)
		atomic_fetch_add(&fake_rdmacm.wrong_destinations, 1);
	if (call >= fake_rdmacm.resolved_addrs && call < fake_rdmacm.resolved_addrs + fake_rdmacm.unresolved_addrs)
		return push(id, NULL, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
	return push(id, NULL, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	(void)timeout_ms;
	if (atomic_fetch_add(&fake_rdmacm.resolve_route_calls, 1) < fake_rdmacm.unresolved_routes)
		return push(id, NULL, RDMA_CM_EVENT_ROUTE_ERROR, -EHOSTUNREACH);
	return push(id, NULL, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
}

static void note_qpn(const struct rdma_conn_param *param)
{
	const int at = atomic_fetch_add(&fake_rdmacm.num_qpns, 1);

	if (at < FAKE_MAX_QPNS)
		fake_rdmacm.qpns[at] = param->qp_num;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	note_qpn(param);
	fake_rdmacm.private_data_len = param->private_data_len;
	if (param->private_data_len)
		memcpy(fake_rdmacm.private_data, param->private_data, param->private_data_len);
	if (fake_rdmacm.answers >= 0 && atomic_load(&fake_rdmacm.num_qpns) > fake_rdmacm.answers)
		return 0;
	if (fake_rdmacm.reject_status &&
	    (!fake_rdmacm.rejects || atomic_load(&fake_rdmacm.num_qpns) <= fake_rdmacm.rejects))
		return push(id, NULL, RDMA_CM_EVENT_REJECTED, fake_rdmacm.reject_status);
	return push(id, NULL, fake_rdmacm.is_iwarp ? RDMA_CM_EVENT_ESTABLISHED : RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
}

/* The client reports at once that it is connected, and at once that it disconnects. */
int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	note_qpn(param);
	if (fake_rdmacm.clients_die) {
		errno = EINVAL;
		return -1;
	}
	push(id, NULL, RDMA_CM_EVENT_ESTABLISHED, 0);
	return push(id, NULL, RDMA_CM_EVENT_DISCONNECTED, 0);
}

int rdma_establish(struct rdma_cm_id *id)
{
	atomic_fetch_add(&fake_rdmacm.established, 1);
	return fake_rdmacm.hangs_up ? push(id, NULL, RDMA_CM_EVENT_DISCONNECTED, 0) : 0;
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	atomic_fetch_add(&fake_rdmacm.disconnected, 1);
	if (listening)
		return 0;
	push(id, NULL, RDMA_CM_EVENT_DISCONNECTED, 0);
	return push(id, NULL, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
}

void fake_rdmacm_request(const void *private_data, uint8_t length)
{
	struct rdma_cm_id *id;
	struct queued *queued;

	rdma_create_id(&channel, &id, NULL, RDMA_PS_TCP);
	id->verbs = &context;
	id->route.addr.dst_addr.sa_family = AF_INET;
	queued = event_of(id, listening, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	memcpy(queued->private_data, private_data, length);
	queued->event.param.conn.private_data = queued->private_data;
	queued->event.param.conn.private_data_len = sizeof(queued->private_data);
	put(queued);
}

int fake_rdmacm_channel_fd(void)
{
	return channel.fd;
}

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	(void)id;
	(void)attr;
	*mask = IBV_QP_STATE | FAKE_KERNELS_ATTR;
	return 0;
}

/* --- verbs --- */

int ibv_query_device(struct ibv_context *of, struct ibv_device_attr *attr)
{
	(void)of;
	*attr = (struct ibv_device_attr){.fw_ver = "1.0"};
	return 0;
}

struct ibv_device **ibv_get_device_list(int *count)
{
	(void)count;
	return NULL;
}

void ibv_free_device_list(struct ibv_device **list)
{
	(void)list;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *of)
{
	(void)of;
	return &pd;
}

int ibv_dealloc_pd(struct ibv_pd *the_pd)
{
	(void)the_pd;
	return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *of, int entries, void *cq_context, struct ibv_comp_channel *events,
			     int vector)
{
	(void)of;
	(void)entries;
	(void)cq_context;
	(void)events;
	(void)vector;
	return &cq;
}

int ibv_destroy_cq(struct ibv_cq *the_cq)
{
	(void)the_cq;
	return 0;
}

static uint32_t lowest_qpn(void)
{
	uint32_t at = 0;

	while (at < FAKE_MAX_QPNS - 1 && is_taken[at])
		at++;
	is_taken[at] = true;
	return FAKE_FIRST_QPN + at;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *of, struct ibv_qp_init_attr *wanted)
{
	struct ibv_qp *qp;

	(void)of;
	(void)wanted;
	if (fake_rdmacm.qps >= 0 && atomic_load(&fake_rdmacm.open_qps) >= fake_rdmacm.qps) {
		errno = ENOMEM;
		return NULL;
	}
	qp = calloc(1, sizeof(*qp));
	pthread_mutex_lock(&lock);
	qp->qp_num = fake_rdmacm.reuses_qpns ? lowest_qpn() : next_qpn++;
	pthread_mutex_unlock(&lock);
	atomic_fetch_add(&fake_rdmacm.open_qps, 1);
	return qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (mask & FAKE_KERNELS_ATTR) {
		atomic_fetch_add(&fake_rdmacm.strange_attributes, 1);
		return EINVAL;
	}
	if (mask & IBV_QP_STATE)
		qp->state = attr->qp_state;
	return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	atomic_fetch_sub(&fake_rdmacm.open_qps, 1);
	pthread_mutex_lock(&lock);
	if (fake_rdmacm.reuses_qpns)
		is_taken[qp->qp_num - FAKE_FIRST_QPN] = false;
	pthread_mutex_unlock(&lock);
	free(qp);
	return 0;
}

const char *ibv_get_device_name(struct ibv_device *of)
{
	return of->name;
}
