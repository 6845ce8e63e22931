// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Exchanges addresses, appends list entries to the portals, and prepares the common parts of all commands of a run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cxi/libcxi/libcxi_link.h"

#define TRANSACTION_TYPE 0xf00ULL /* of a get; set by the device's configuration */
#define SERVER_ID	 0xaa
#define CLIENT_ID	 0xcc

/*
 * On the wire: NIC, PID, VNI and the portal index of rendezvous data, 4 bytes each in network order. HPE's program
 * tells only the first two: the others must be those of this side.
 */
enum {
	WIRE_NIC,
	WIRE_PID,
	WIRE_HPE_WORDS,
	WIRE_VNI = WIRE_HPE_WORDS,
	WIRE_RENDEZVOUS,
	WIRE_WORDS,
};

void libcxi_fill_address(struct libcxi_link *own)
{
	const uint32_t words[WIRE_WORDS] = {
		[WIRE_NIC] = htonl(own->device->info.nic),
		[WIRE_PID] = htonl(own->domain->pid),
		[WIRE_VNI] = htonl(own->vni),
		[WIRE_RENDEZVOUS] = htonl(own->device->info.rendezvous_index),
	};

	own->link->address.length = sizeof(words);
	memcpy(own->link->address.bytes, words, sizeof(words));
}

static int read_peer(struct libcxi_link *own, const struct cxi_address *address)
{
	unsigned pid_bits = own->device->info.pid_bits;
	size_t bytes = sizeof(uint32_t) * (own->plan.one_index ? WIRE_HPE_WORDS : WIRE_WORDS);
	uint32_t words[WIRE_WORDS] = {
		[WIRE_VNI] = htonl(own->vni), [WIRE_RENDEZVOUS] = htonl(own->device->info.rendezvous_index)};
	struct libcxi_peer peer;

	if (address->length != bytes)
		return cxi_fault(own->link, -EPROTO, "the peer's address has %u bytes, not %zu", address->length,
				 bytes);
	memcpy(words, address->bytes, bytes);
	peer = (struct libcxi_peer){
		.nic = ntohl(words[WIRE_NIC]),
		.pid = ntohl(words[WIRE_PID]),
		.rendezvous_index = ntohl(words[WIRE_RENDEZVOUS]),
	};
	if (peer.nic >> CASSINI_NIC_BITS || peer.pid >> pid_bits ||
	    peer.rendezvous_index >> (CASSINI_ENDPOINT_BITS + CASSINI_INDEX_EXT_BITS - pid_bits))
		return cxi_fault(own->link, -EPROTO,
				 "the peer's address is impossible: NIC 0x%x, PID %u of %u bits, portal index %u",
				 peer.nic, peer.pid, pid_bits, peer.rendezvous_index);
	if (ntohl(words[WIRE_VNI]) != own->vni)
		return cxi_fault(own->link, -EPROTO,
				 "the peer is in VNI %u and this side in VNI %u, which cannot communicate",
				 ntohl(words[WIRE_VNI]), own->vni);
	own->peer = peer;
	return 0;
}

static uint8_t own_id(const struct libcxi_link *own)
{
	return own->is_server ? SERVER_ID : CLIENT_ID;
}

/* Has the NIC execute a command for a portal, and waits until *count says that it has. */
static int portal_command(struct libcxi_link *own, const void *command, size_t bytes, const unsigned *count,
			  const char *what)
{
	const unsigned wanted = *count + 1;

	if (libcxi_put(own->portals, CASSINI_TYPE_CQ, command, bytes))
		return cxi_fault(own->link, -ENOSPC, "the NIC does not accept commands for portals");
	libcxi_ring(own->portals);
	return libcxi_await(own, count, wanted, what);
}

/* Enables the portal, and appends a persistent entry that reports only failures, and counts completed transfers if it
 * has a counter. */
static int append(struct libcxi_link *own, const struct libcxi_entry *entry, const struct libcxi_region *region,
		  enum libcxi_count count, struct cassini_append command)
{
	const struct cassini_set_state state = {
		.command.opcode = CASSINI_SET_STATE,
		.state = CASSINI_PORTAL_ENABLED,
		.portal = entry->portal->number,
	};
	int err = portal_command(own, &state, sizeof(state), &own->enabled, "enable a portal");

	if (err)
		return err;
	command.command.opcode = CASSINI_APPEND;
	command.list = CASSINI_LIST_PRIORITY;
	command.portal = entry->portal->number;
	command.event_unlink_disable = 1;
	command.event_success_disable = 1;
	if (own->counts[count].counter) {
		command.count_comm = 1;
		command.counter = own->counts[count].counter->number;
	}
	command.lac = region->memory->lac;
	command.start = region->iova;
	command.length = region->bytes;
	return portal_command(own, &command, sizeof(command), &own->linked, "append a list entry");
}

/*
 * Without rendezvous, puts carry neither a process nor match bits: immediate data commands have no room for them. Bit 0
 * is ignored, as in HPE's own programs: due to an erratum of the NIC, only then is the last write of a packet relaxed.
 */
static const struct cassini_append plain_entry = {
	.ignore_bits = 1,
	.takes_puts = 1,
	.end_relaxed = 1,
	.body_relaxed = 1,
};

static int append_entries(struct libcxi_link *own)
{
	unsigned pid_bits = own->device->info.pid_bits;
	struct cassini_append data_entry = plain_entry;
	const struct cassini_append rendezvous_entry = {
		.match_process = cassini_process(own->peer.nic, own->peer.pid, pid_bits),
		.match_bits = RENDEZVOUS_MATCH,
		.takes_puts = 1,
	};
	/* Gets by the NIC carry its number and any PID. */
	const struct cassini_append source_entry = {
		.match_process = cassini_process(own->peer.nic, CASSINI_PID_ANY, pid_bits),
		.match_bits = (RENDEZVOUS_MATCH & KEPT_MATCH) | own_id(own),
		.ignore_bits = TRANSACTION_TYPE,
		.takes_gets = 1,
	};
	int err = 0;

	/* A counter's write may overtake relaxed writes, so that the data would be checked before it has arrived. */
	data_entry.end_relaxed = data_entry.body_relaxed = !own->plan.checks_data;
	if (own->data.portal)
		err = append(own, &own->data, &own->rx, COUNT_PUTS,
			     own->plan.rendezvous ? rendezvous_entry : data_entry);
	if (!err && own->response.portal)
		err = append(own, &own->response, &own->rx, COUNT_RESPONSES,
			     own->plan.rendezvous ? rendezvous_entry : plain_entry);
	if (!err && own->source.portal)
		err = append(own, &own->source, &own->tx, COUNT_GETS, source_entry);
	return err;
}

static uint32_t peer_address(const struct libcxi_link *own, unsigned index)
{
	return cassini_address(own->peer.nic, own->peer.pid, own->device->info.pid_bits, index);
}

/* Successful acknowledgements are counted, only failures generate events. */
static void make_commands(struct libcxi_link *own)
{
	struct cassini_dma dma = {
		.reports = {.lac = own->tx.memory->lac,
			    .event_send_disable = 1,
			    .event_success_disable = 1,
			    .count_ack = 1},
		.event_queue = own->initiator.queue->number,
		.local_address = own->tx.iova,
	};
	uint32_t self = cassini_process(own->device->info.nic, own->domain->pid, own->device->info.pid_bits);
	unsigned response_index = own->plan.one_index ? DATA_INDEX : RESPONSE_INDEX;

	if (own->plan.rendezvous) {
		dma.initiator = self;
		dma.match_bits = RENDEZVOUS_MATCH;
	}
	if (own->plan.sends) {
		own->send = dma;
		own->send.command.opcode = own->plan.rendezvous ? CASSINI_RENDEZVOUS_PUT : CASSINI_PUT;
		own->send.address = peer_address(own, DATA_INDEX);
		own->send.index_ext = cassini_index_ext(DATA_INDEX);
		own->send.counter = own->counts[COUNT_ACKS].counter->number;
		own->send.rendezvous_id = own->plan.rendezvous ? own_id(own) : 0;
		own->send_idc = (struct cassini_idc){
			.command.opcode = CASSINI_PUT,
			.address = own->send.address,
		};
	}
	if (own->plan.receives) {
		own->answer = dma;
		own->answer.command.opcode = CASSINI_PUT;
		own->answer.address = peer_address(own, response_index);
		own->answer.index_ext = cassini_index_ext(response_index);
		own->answer.counter = own->counts[COUNT_RESPONSE_ACKS].counter->number;
		own->get = (struct cassini_dma){
			.command.opcode = CASSINI_GET,
			.address = peer_address(own, own->peer.rendezvous_index),
			.index_ext = cassini_index_ext(own->peer.rendezvous_index),
			.reports = {.lac = own->rx.memory->lac, .event_send_disable = 1},
			.event_queue = own->target.queue->number,
			.initiator = self,
		};
		/* As the NIC's own gets. */
		if (own->counts[COUNT_PUTS].counter) {
			own->get.reports.count_reply = 1;
			own->get.counter = own->counts[COUNT_PUTS].counter->number;
		}
	}
}

/* For all following immediate data commands: nothing else in this queue needs another state. */
static int put_state(struct libcxi_link *own)
{
	const struct cassini_state state = {
		.reports = {.event_send_disable = 1, .event_success_disable = 1, .count_ack = 1},
		.index_ext = own->send.index_ext,
		.event_queue = own->send.event_queue,
		.counter = own->send.counter,
	};

	if (libcxi_put_state(own->transmit, &state))
		return cxi_fault(own->link, -ENOSPC, "the NIC does not accept commands");
	libcxi_ring(own->transmit);
	return 0;
}

/* Does not wait for the peer: the NIC's responses have a timeout of their own. */
int libcxi_connect(struct cxi_link *link, const struct cxi_address *address)
{
	struct libcxi_link *own = libcxi_of(link);
	int err = read_peer(own, address);

	if (err)
		return err;
	link->is_loopback = own->peer.nic == own->device->info.nic;
	snprintf(link->own_text, CXI_TEXT_SIZE, "NIC 0x%x PID %u VNI %u", own->device->info.nic, own->domain->pid,
		 own->vni);
	snprintf(link->peer_text, CXI_TEXT_SIZE, "NIC 0x%x PID %u", own->peer.nic, own->peer.pid);
	make_commands(own);
	err = append_entries(own);
	if (!err && own->idc && own->plan.sends)
		err = put_state(own);
	if (!err && own->plan.receives && !own->plan.rendezvous) {
		err = libcxi_arm(own, COUNT_PUTS, own->plan.list);
		libcxi_ring(own->trigger);
	}
	return err;
}
