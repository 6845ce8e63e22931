// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends with libcxi: writes commands to the NIC's queues, and uses counters that generate one event when a list is
 * complete. Called through ops.h.
 */
#include "cxi/libcxi/libcxi_link.h"

/* Writes sends at their slots, as far as there is room. Rings the doorbell once. */
static void push_sends(struct libcxi_link *own)
{
	bool immediate = own->idc && own->run.size <= CASSINI_IDC_BYTES;
	struct cassini_idc *idc = &own->send_idc;
	struct cassini_dma *dma = &own->send;

	while (own->next < own->plan.list) {
		uint64_t offset = own->next_slot * own->run.granularity;
		int err;

		if (immediate) {
			idc->remote_offset = offset;
			err = libcxi_put_idc(own->transmit, idc, own->tx.addr + offset, own->run.size);
		} else {
			dma->remote_offset = offset;
			dma->local_address = own->tx.iova + offset;
			err = libcxi_put_dma(own->transmit, dma);
		}
		if (err)
			break;
		own->next++;
		if (++own->next_slot == own->run.slots)
			own->next_slot = 0;
	}
	libcxi_ring(own->transmit);
}

/* At one index, the peer takes whatever arrives before all of a list for a part of it. */
static bool may_answer(const struct libcxi_link *own)
{
	return !own->plan.one_index || !own->plan.sends || own->answered < own->progress.sent;
}

static void push_answers(struct libcxi_link *own)
{
	while (own->unsent_answers && may_answer(own) && libcxi_put_dma(own->transmit, &own->answer) == 0) {
		own->unsent_answers--;
		own->answered++;
	}
	libcxi_ring(own->transmit);
}

static int transport_poll(struct cxi_link *link, struct cxi_progress *progress)
{
	struct libcxi_link *own = libcxi_of(link);
	int err = libcxi_go_on(own);

	if (err)
		return err;
	if (own->next < own->plan.list)
		push_sends(own);
	if (own->unsent_answers)
		push_answers(own);
	*progress = own->progress;
	return 0;
}

/*
 * One index: gives up the response that is outstanding when a size ends by time; HPE's program does not send it before
 * the next one. One that only sends gets it late, and ignores it; otherwise the peer's next list comes in its place.
 */
static int forget(struct libcxi_link *own)
{
	if (!own->awaits_response)
		return 0;
	own->awaits_response = false;
	if (!own->plan.receives)
		return 0;
	own->counts[COUNT_PUTS].threshold--;
	return own->plan.rendezvous ? 0 : libcxi_arm(own, COUNT_PUTS, own->plan.list);
}

/*
 * Triggers for the peer's first list have been armed since connect(), and for each further one since the one before
 * arrived.
 */
static int transport_prepare(struct cxi_link *link, const struct cxi_run *run)
{
	struct libcxi_link *own = libcxi_of(link);

	own->run = *run;
	own->send.request_bytes = run->size;
	own->progress = (struct cxi_progress){0};
	own->unsent_answers = 0;
	own->answered = 0;
	return forget(own);
}

/* At one index, a side that also receives has requested it when the peer's list arrived. */
static int arm_response(struct libcxi_link *own)
{
	if (!own->plan.one_index)
		return libcxi_arm(own, COUNT_RESPONSES, 1);
	if (own->plan.receives)
		return 0;
	own->awaits_response = true;
	return libcxi_arm(own, COUNT_PUTS, 1);
}

static int transport_start(struct cxi_link *link)
{
	struct libcxi_link *own = libcxi_of(link);
	int err = libcxi_arm(own, COUNT_ACKS, own->plan.list);

	if (!err && own->counts[COUNT_GETS].counter)
		err = libcxi_arm(own, COUNT_GETS, own->plan.list);
	if (!err)
		err = arm_response(own);
	libcxi_ring(own->trigger);
	if (err)
		return err;
	own->next = 0;
	own->next_slot = 0;
	push_sends(own);
	return 0;
}

static int transport_respond(struct cxi_link *link)
{
	struct libcxi_link *own = libcxi_of(link);
	int err = libcxi_arm(own, COUNT_RESPONSE_ACKS, 1);

	libcxi_ring(own->trigger);
	if (err)
		return err;
	own->unsent_answers++;
	push_answers(own);
	return 0;
}

/* Without finish(): everything is acknowledged, so nothing is in flight; triggers stay armed for the next size. */
const struct cxi_ops cxi_libcxi_ops = {
	.name = "libcxi",
	.soname = LIBCXI_SONAME,
	.open = libcxi_open,
	.map = libcxi_map,
	.connect = libcxi_connect,
	.prepare = transport_prepare,
	.start = transport_start,
	.poll = transport_poll,
	.respond = transport_respond,
	.close = libcxi_close,
};
