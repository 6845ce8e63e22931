// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * QP state transitions with the path attributes of rdma_cm. QPs are created and modified here and not by librdmacm, as
 * without -R; rdma_init_qp_attr() provides the attributes of the path. iWARP devices move their QPs themselves: rdma_cm
 * sets no attributes for RTR and RTS. See cm_qp.h.
 */
#include "verbs/connect/cm_qp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/deadline.h"
#include "util/log.h"
#include "verbs/device/adapter.h"
#include "verbs/device/device.h"
#include "verbs/device/mtu.h"
#include "verbs/qp/qp.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/queue.h"

#define SEND_MS 1000 /* a device may need this long to send a datagram */

/* One transition, with rdma_cm's attributes and those that we override. */
static int move(struct resources *resources, unsigned index, struct rdma_cm_id *id, enum ibv_qp_state state,
		const char *step)
{
	struct ibv_qp_attr attr = {.qp_state = state};
	int mask, err;

	if (rdma_init_qp_attr(id, &attr, &mask)) {
		err = errno ? -errno : -EIO;
		return log_fail(err, "rdma_cm does not provide the attributes for %s of queue pair %u: %s", step,
				index + 1, strerror(-err));
	}
	if (state == IBV_QPS_INIT) {
		attr.qp_access_flags = qp_access_flags(resources);
	} else if (state == IBV_QPS_RTR) {
		const enum ibv_mtu path_mtu = attr.path_mtu;

		qp_fill_rtr(resources, index, &attr);
		/*
		 * linux-rdma perftest uses the MTU that rdma_cm has agreed on, whatever -m says; and a link on the way
		 * may have a smaller MTU than both ports, which InfiniBand's path record says.
		 */
		if (resources->remote_unknown || path_mtu < attr.path_mtu)
			attr.path_mtu = path_mtu;
		if (mask & IBV_QP_PATH_MTU)
			resources->mtu = mtu_bytes(attr.path_mtu);
		resources->remote[index].psn = attr.rq_psn;
	} else {
		qp_fill_rts(resources, &attr);
		attr.retry_cnt = cm_retries(resources);
		attr.rnr_retry = attr.retry_cnt;
		resources->local[index].psn = attr.sq_psn;
	}
	err = cm_modify_qp(resources->tx[index].qp, &attr, mask);
	return err ? qp_refused(resources, index, step, err) : 0;
}

int cm_move_to_init(struct resources *resources, unsigned index, struct rdma_cm_id *id)
{
	return move(resources, index, id, IBV_QPS_INIT, "rdma_cm's port and partition (INIT)");
}

int cm_move_to_rts(struct resources *resources, unsigned index, struct rdma_cm_id *id)
{
	int err;

	if (cm_is_datagram(resources) && resources->tx[index].qp->state == IBV_QPS_RTS)
		return 0; /* since an earlier attempt, and the path changes nothing */
	err = cm_move_to_init(resources, index, id);
	if (!err && cm_is_datagram(resources))
		return qp_move_datagrams(resources, index, resources->tx[index].qp, NULL /* rdma_cm's Q_Key */);
	err = err ?: move(resources, index, id, IBV_QPS_RTR, "ready-to-receive (RTR)");
	err = err ?: move(resources, index, id, IBV_QPS_RTS, "ready-to-send (RTS)");
	return err;
}

int cm_move_back(struct resources *resources, unsigned index)
{
	const struct device *device = resources_device(resources, index);
	struct ibv_qp *qp = resources->tx[index].qp;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
	int err;

	if (cm_is_datagram(resources) || qp->state == IBV_QPS_INIT)
		return 0;
	if (adapter_of(&device->attr)->no_reset)
		return log_fail(-ECONNABORTED,
				"the reply for queue pair %u got lost, and %s connects no queue pair a second time: "
				"run the test again",
				index + 1, device->name);
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	return err ? qp_refused(resources, index, "a new beginning (RESET)", err) : qp_to_init(resources, index);
}

/*
 * A linux-rdma perftest server that also sends takes this side's address from a first datagram, which carries our QP
 * number, and answers no other request until that has arrived.
 */
static int cm_introduce(const struct resources *resources, unsigned index)
{
	const struct deadline deadline = deadline_in_ms(SEND_MS);
	const struct tx_queue *tx = &resources->tx[index];
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htonl(tx->qp->qp_num),
		.wr.ud = {.ah = tx->ah, .remote_qpn = tx->remote_qpn, .remote_qkey = tx->remote_qkey},
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int count, err;

	err = abs(ibv_post_send(tx->qp, &wr, &bad)); /* some libraries return a negative errno */
	if (err)
		return qp_refused(resources, index, "a first datagram", err);
	do {
		count = cq_poll(queue_set_of(resources->sets, index)->send_cq, 1, &wc);
	} while (!count && !deadline_passed(deadline));
	if (count == 1 && wc.status == IBV_WC_SUCCESS)
		return 0;
	return log_fail(-EIO, "%s did not send the first datagram of queue pair %u: %s", resources->device->name,
			index + 1, count == 1 ? ibv_wc_status_str(wc.status) : "nothing completed");
}

int cm_take_address(struct resources *resources, unsigned index, const struct rdma_cm_event *event)
{
	struct ibv_ah_attr attr = event->param.ud.ah_attr;
	int err;

	if (!cm_is_datagram(resources) || !resources->traffic.posts)
		return 0;
	err = qp_open_address(resources, index, &attr, event->param.ud.qp_num, event->param.ud.qkey);
	if (!err && resources->remote_unknown && resources->traffic.receives)
		err = cm_introduce(resources, index);
	return err;
}

int cm_make_address(struct resources *resources, unsigned index)
{
	const struct endpoint *remote = &resources->remote[index];
	struct ibv_ah_attr attr;

	if (!resources->traffic.posts || resources->tx[index].ah)
		return 0;
	qp_fill_address(resources, index, remote, IBV_RATE_MAX, &attr);
	if (resources->config->tos >= 0)
		attr.grh.traffic_class = (uint8_t)resources->config->tos;
	return qp_open_address(resources, index, &attr, remote->qpn, RDMA_UDP_QKEY);
}
