// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What goes from one device to another: puts, rendezvous, gets, and the answers to them. */
#define _GNU_SOURCE 1 /* process_vm_readv() */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "standin.h"

#define KEPT_MATCH	 0xffff000000000000ULL
#define TRANSACTION_TYPE 0x300ULL /* what this device's gets put into bits 8 to 11 */
#define NIC_ANY		 ((1u << CASSINI_NIC_BITS) - 1)
#define BURST		 256

static socklen_t name_socket(struct sockaddr_un *address, uint32_t nic, unsigned vni, uint32_t pid)
{
	const char *key = getenv("CXI_STANDIN");
	int length;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	length = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "cxi-standin-%.40s-%x-%u-%u",
			  key ? key : "", nic, vni, pid);
	return offsetof(struct sockaddr_un, sun_path) + 1 + length;
}

/* The lowest PID that nobody has. */
int standin_bind(struct nic *nic, unsigned vni)
{
	struct sockaddr_un address;

	nic->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (nic->socket < 0)
		return -errno;
	nic->vni = vni;
	for (nic->pid = 0; nic->pid < 256; nic->pid++) {
		socklen_t length = name_socket(&address, nic->public.info.nic, vni, nic->pid);

		if (bind(nic->socket, (struct sockaddr *)&address, length) == 0)
			return 0;
		if (errno != EADDRINUSE)
			break;
	}
	close(nic->socket);
	return -ENOSPC;
}

static int try_to_send(struct nic *nic, const struct packet *packet, uint32_t to_nic, uint32_t to_pid)
{
	struct sockaddr_un address;
	socklen_t length = name_socket(&address, to_nic, nic->vni, to_pid);

	if (sendto(nic->socket, packet, sizeof(*packet), MSG_NOSIGNAL, (struct sockaddr *)&address, length) >= 0)
		return 0;
	return errno == EAGAIN || errno == ENOBUFS ? -EAGAIN : -EHOSTUNREACH;
}

static void take_answer(struct nic *nic, const struct packet *packet);

/* To nobody: a request comes back as undeliverable. */
static void give_up(struct nic *nic, const struct packet *packet)
{
	struct packet answer = *packet;

	if (packet->kind == PACKET_ACK || packet->kind == PACKET_REPLY)
		return;
	answer.kind = PACKET_ACK;
	answer.return_code = CASSINI_RC_UNDELIVERABLE;
	take_answer(nic, &answer);
}

static void send_packet(struct nic *nic, const struct packet *packet, uint32_t to_nic, uint32_t to_pid)
{
	int err = nic->waiting_count ? -EAGAIN : try_to_send(nic, packet, to_nic, to_pid);

	if (err == -EHOSTUNREACH)
		give_up(nic, packet);
	if (err != -EAGAIN)
		return;
	if (nic->waiting_count == nic->waiting_room) {
		nic->waiting_room = nic->waiting_room ? 2 * nic->waiting_room : 64;
		nic->waiting = realloc(nic->waiting, nic->waiting_room * sizeof(*nic->waiting));
		if (!nic->waiting)
			abort();
	}
	nic->waiting[nic->waiting_count].packet = *packet;
	nic->waiting[nic->waiting_count].nic = to_nic;
	nic->waiting[nic->waiting_count++].pid = to_pid;
}

bool standin_send_waiting(struct nic *nic)
{
	size_t sent = 0;

	while (sent < nic->waiting_count) {
		int err = try_to_send(nic, &nic->waiting[sent].packet, nic->waiting[sent].nic, nic->waiting[sent].pid);

		if (err == -EAGAIN)
			break;
		if (err)
			give_up(nic, &nic->waiting[sent].packet);
		sent++;
	}
	if (!sent)
		return false;
	nic->waiting_count -= sent;
	memmove(nic->waiting, nic->waiting + sent, nic->waiting_count * sizeof(*nic->waiting));
	return true;
}

/* IO virtual to the CPU's, NULL where the address context maps no such bytes. */
static uint8_t *translate(struct nic *nic, unsigned lac, uint64_t iova, uint64_t bytes)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		const struct libcxi_memory *memory = nic->mappings[i] ? &nic->mappings[i]->public : NULL;

		if (memory && memory->lac == lac && iova >= memory->iova && iova - memory->iova <= memory->length &&
		    bytes <= memory->length - (iova - memory->iova))
			return (uint8_t *)(uintptr_t)(memory->va + (iova - memory->iova));
	}
	return NULL;
}

/* By the kernel, also within a process: a side that has closed may have given its memory back. */
static bool copy_from(const struct packet *packet, uint8_t *to, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)packet->address, bytes};

	if (!packet->process) {
		memcpy(to, packet->payload, bytes);
		return true;
	}
	while (local.iov_len) {
		ssize_t got = process_vm_readv(packet->process, &local, 1, &remote, 1, 0);

		if (got <= 0)
			return false;
		local.iov_base = (char *)local.iov_base + got;
		remote.iov_base = (char *)remote.iov_base + got;
		local.iov_len -= got;
		remote.iov_len -= got;
	}
	return true;
}

void standin_start(struct nic *nic, struct queue *queue, const struct cassini_dma *dma, const uint8_t *payload)
{
	unsigned pid_bits = nic->public.info.pid_bits;
	uint32_t endpoint = dma->address & ((1u << CASSINI_ENDPOINT_BITS) - 1);
	struct packet packet = {
		.kind = dma->command.opcode == CASSINI_PUT   ? PACKET_PUT
			: dma->command.opcode == CASSINI_GET ? PACKET_GET
							     : PACKET_RENDEZVOUS,
		.nic = nic->public.info.nic,
		.pid = nic->pid,
		.index = (endpoint >> pid_bits) << CASSINI_INDEX_EXT_BITS | (dma->index_ext & 0x1f),
		.initiator = dma->initiator,
		.length = dma->request_bytes,
		.rendezvous_id = dma->rendezvous_id,
		.remote_offset = dma->remote_offset,
		.match_bits = dma->match_bits,
		.header_data = dma->header_data,
		.origin =
			{
				.reports = dma->reports,
				.counter = dma->counter,
				.event_queue = dma->event_queue,
				.user_pointer = dma->user_pointer,
			},
	};

	(void)queue;
	if (payload) {
		memcpy(packet.payload, payload, packet.length);
	} else {
		uint8_t *local = translate(nic, dma->reports.lac, dma->local_address, packet.length);

		if (!local) {
			packet.return_code = CASSINI_RC_NO_TRANSLATION;
			take_answer(nic, &packet);
			return;
		}
		packet.process = getpid();
		packet.address = (uintptr_t)local;
		packet.origin.local = (uintptr_t)local;
	}
	send_packet(nic, &packet, dma->address >> CASSINI_ENDPOINT_BITS, endpoint & ((1u << pid_bits) - 1));
}

static struct portal *find_portal(struct nic *nic, unsigned index)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		if (nic->maps[i] && nic->maps[i]->index == index)
			return nic->maps[i]->portal;
	}
	return NULL;
}

static bool process_matches(const struct nic *nic, uint32_t wanted, uint32_t process)
{
	unsigned nic_bits = 32 - nic->public.info.pid_bits;
	uint32_t nic_mask = UINT32_MAX >> nic->public.info.pid_bits;
	uint32_t any_pid = (1u << nic->public.info.pid_bits) - 1;

	return (wanted >> nic_bits == any_pid || wanted >> nic_bits == process >> nic_bits) &&
	       ((wanted & nic_mask) == NIC_ANY || (wanted & nic_mask) == (process & nic_mask));
}

/* Sets *entry, or returns why not. */
static enum cassini_return_code match(struct nic *nic, struct portal *portal, const struct packet *packet,
				      const struct cassini_append **entry)
{
	bool is_get = packet->kind == PACKET_GET;

	if (!portal)
		return CASSINI_RC_PORTAL_NOT_FOUND;
	if (!portal->is_enabled)
		return CASSINI_RC_PORTAL_DISABLED;
	for (unsigned i = 0; i < portal->entry_count; i++) {
		*entry = &portal->entries[i];
		if (((*entry)->match_bits ^ packet->match_bits) & ~(*entry)->ignore_bits)
			continue;
		if (!process_matches(nic, (*entry)->match_process, packet->initiator))
			continue;
		return (is_get ? (*entry)->takes_gets : (*entry)->takes_puts) ? CASSINI_RC_OK : CASSINI_RC_OP_VIOLATION;
	}
	return CASSINI_RC_ENTRY_NOT_FOUND;
}

/* Of the get that fetches the data of a rendezvous. */
static uint64_t get_match(const struct packet *packet)
{
	return (packet->match_bits & KEPT_MATCH) | TRANSACTION_TYPE | packet->rendezvous_id;
}

static void report_target(struct portal *portal, const struct packet *packet, enum cassini_event_type type,
			  const struct cassini_append *entry, uint32_t moved, bool get_issued)
{
	struct cassini_target_event event = {
		.header_data = packet->header_data,
		.initiator = packet->initiator,
		.portal = portal->public.number,
		.size = CASSINI_EVENT_64_BYTES,
		.type = type,
		.get_issued = get_issued,
		.match_bits = type == CASSINI_EVENT_RENDEZVOUS ? get_match(packet) : packet->match_bits,
		.moved_bytes = moved,
		.request_bytes = packet->length,
		.remote_offset = packet->remote_offset,
		.start = entry->start + packet->remote_offset,
		.rendezvous_id = packet->rendezvous_id,
		.return_code = CASSINI_RC_OK,
	};

	standin_write_event(portal->events, &event, sizeof(event));
}

/* The NIC's own get of a rendezvous: it reports to the portal's event queue, and its reply counts at the list entry. */
static void get_for(struct nic *nic, struct portal *portal, const struct packet *packet,
		    const struct cassini_append *entry)
{
	struct packet get = {
		.kind = PACKET_GET,
		.nic = nic->public.info.nic,
		.pid = nic->pid,
		.index = nic->public.info.rendezvous_index,
		.initiator = cassini_process(nic->public.info.nic, nic->pid, nic->public.info.pid_bits),
		.length = packet->length,
		.remote_offset = packet->remote_offset,
		.match_bits = get_match(packet),
		.header_data = packet->header_data,
		.origin =
			{
				.reports = {.event_send_disable = 1, .count_reply = entry->count_comm},
				.counter = entry->counter,
				.event_queue = portal->events->public.number,
			},
	};
	uint8_t *local = translate(nic, entry->lac, entry->start + packet->remote_offset, packet->length);

	nic->counts.hardware_gets++;
	get.origin.local = (uintptr_t)local;
	if (local)
		send_packet(nic, &get, packet->nic, packet->pid);
	else
		standin_violation(nic, "a rendezvous of %u bytes at %llu leaves the buffer", packet->length,
				  (unsigned long long)packet->remote_offset);
}

static bool hardware_gets(struct nic *nic)
{
	const char *who = getenv("CXI_STANDIN_GETS");

	if (who && strcmp(who, "software") == 0)
		return false;
	return !(who && strcmp(who, "both") == 0 && nic->gets++ % 2);
}

static enum cassini_return_code take_put(struct nic *nic, const struct packet *packet, uint32_t *moved)
{
	struct portal *portal = find_portal(nic, packet->index);
	const struct cassini_append *entry = NULL;
	enum cassini_return_code code = match(nic, portal, packet, &entry);
	uint64_t room;
	uint8_t *to;

	nic->counts.arrived_puts++;
	if (nic->counts.arrived_puts == standin_number("CXI_STANDIN_REFUSE", 0))
		return CASSINI_RC_NO_SPACE;
	if (code != CASSINI_RC_OK)
		return code;
	if (packet->kind == PACKET_RENDEZVOUS) {
		bool by_hardware = hardware_gets(nic);

		if (entry->count_comm)
			standin_count(nic, entry->counter, 1, 0);
		report_target(portal, packet, CASSINI_EVENT_PUT, entry, 0, false);
		if (by_hardware)
			get_for(nic, portal, packet, entry);
		report_target(portal, packet, CASSINI_EVENT_RENDEZVOUS, entry, 0, by_hardware);
		return CASSINI_RC_OK;
	}
	room = packet->remote_offset < entry->length ? entry->length - packet->remote_offset : 0;
	*moved = packet->length < room ? packet->length : room;
	to = translate(nic, entry->lac, entry->start + (*moved ? packet->remote_offset : 0), *moved);
	if (!to || !copy_from(packet, to, *moved))
		return CASSINI_RC_NO_TRANSLATION;
	if (entry->count_comm)
		standin_count(nic, entry->counter, 1, 0);
	if (!entry->event_success_disable)
		report_target(portal, packet, CASSINI_EVENT_PUT, entry, *moved, false);
	return CASSINI_RC_OK;
}

static void answer_put(struct nic *nic, const struct packet *packet)
{
	struct packet ack = {
		.kind = PACKET_ACK, .nic = nic->public.info.nic, .pid = nic->pid, .origin = packet->origin};

	ack.return_code = take_put(nic, packet, &ack.moved);
	send_packet(nic, &ack, packet->nic, packet->pid);
}

static void answer_get(struct nic *nic, const struct packet *packet)
{
	struct portal *portal = find_portal(nic, packet->index);
	const struct cassini_append *entry = NULL;
	struct packet reply = {
		.kind = PACKET_REPLY, .nic = nic->public.info.nic, .pid = nic->pid, .origin = packet->origin};
	uint8_t *from = NULL;

	reply.return_code = match(nic, portal, packet, &entry);
	if (reply.return_code == CASSINI_RC_OK)
		from = translate(nic, entry->lac, entry->start + packet->remote_offset, packet->length);
	if (from) {
		reply.process = getpid();
		reply.address = (uintptr_t)from;
		reply.moved = packet->length;
		if (entry->count_comm)
			standin_count(nic, entry->counter, 1, 0);
		if (!entry->event_success_disable)
			report_target(portal, packet, CASSINI_EVENT_GET, entry, packet->length, false);
	} else if (reply.return_code == CASSINI_RC_OK) {
		reply.return_code = CASSINI_RC_NO_TRANSLATION;
	}
	send_packet(nic, &reply, packet->nic, packet->pid);
}

/* At the initiator: bytes of a reply, counts, and an event where one is wanted or something went wrong. */
static void take_answer(struct nic *nic, const struct packet *packet)
{
	const struct origin *origin = &packet->origin;
	unsigned code = packet->return_code;
	bool is_reply = packet->kind == PACKET_REPLY;
	struct cassini_initiator_event event = {
		.user_pointer = origin->user_pointer,
		.moved_bytes = packet->moved,
		.size = CASSINI_EVENT_16_BYTES,
		.type = is_reply ? CASSINI_EVENT_REPLY : CASSINI_EVENT_ACK,
	};
	struct eq *eq = standin_eq(nic, origin->event_queue);

	/* Where a run by time ends, the other side's next list may have been announced, and is being fetched. */
	if (is_reply && nic->closes)
		return;
	if (is_reply && code == CASSINI_RC_OK && !copy_from(packet, (uint8_t *)(uintptr_t)origin->local, packet->moved))
		code = CASSINI_RC_NO_TRANSLATION;
	if (is_reply ? origin->reports.count_reply : origin->reports.count_ack)
		standin_count(nic, origin->counter, code == CASSINI_RC_OK, code != CASSINI_RC_OK);
	if (code == CASSINI_RC_OK && origin->reports.event_success_disable)
		return;
	event.return_code = code;
	if (eq)
		standin_write_event(eq, &event, sizeof(event));
	else
		standin_violation(nic, "a transfer reports to event queue %u, which is none", origin->event_queue);
}

bool standin_receive(struct nic *nic)
{
	struct packet packet;
	unsigned taken = 0;

	while (taken < BURST && recv(nic->socket, &packet, sizeof(packet), 0) == sizeof(packet)) {
		taken++;
		switch (packet.kind) {
		case PACKET_PUT:
		case PACKET_RENDEZVOUS:
			answer_put(nic, &packet);
			break;
		case PACKET_GET:
			answer_get(nic, &packet);
			break;
		default:
			take_answer(nic, &packet);
		}
	}
	return taken;
}
