// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A peer of cxi_send_bw that behaves as HPE's program of that name (2.4.0), written from a description of its bytes and
 * of its use of the NIC: one portal index and one counter for sends and responses, one step after the other, no look at
 * the control connection in between, no clean-up between sizes. Of the program under test it shares only what writes
 * commands and reads events. It is linked with the stand-in for libcxi, and prints the rows that HPE's program would.
 *
 * usage: hpe_peer client|server PORT [-n ITERS] [-D SECONDS] [-s MIN[:MAX]] [-l LIST] [-b] [-R] [-I] [-V VERSION] [-q]
 *        -I: no immediate data; -q: ends after the addresses, as when it lacks memory
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cxi/libcxi/libcxi_rings.h"

#define DECLARE(symbol, result, parameters) result symbol parameters;
LIBCXI_FUNCTIONS(DECLARE)
LIBCXI_OPTIONAL_FUNCTIONS(DECLARE)

#define NAME	       "cxi_send_bw"
#define LIMIT_S	       50 /* HPE's has 5, too few for a busy machine */
#define MATCH	       0x123456789abcdef0ULL
#define MATCH_OF_GETS  (MATCH & 0xffff000000000000ULL)
#define OPTIONS_SIZE   129
#define GET_INDEX      255
#define MAX_PAYLOAD    1020
#define PAGE	       4096
#define PACKET	       2048
#define ALIGNMENT      64
#define TRANSACTION    0xf00
#define SERVICE	       1
#define EVENTS_OF_SEND 3 /* PUT, RENDEZVOUS, REPLY */

enum step { STEP_SEND, STEP_RECEIVE, STEP_RESPONSE, STEP_DONE, STEP_RECEIVE_FIRST, STEP_SEND_AGAIN };

struct ring {
	struct libcxi_event_queue *queue;
	void *buffer;
};

struct memory {
	uint8_t *bytes;
	size_t length;
	struct libcxi_memory *map;
};

static struct {
	/* options */
	bool is_server, quits;
	const char *version;
	uint64_t iters, min, max, buf_size;
	uint32_t seconds;
	uint16_t list;
	bool both, immediate, rendezvous;
	/* control */
	int fd;
	uint32_t nic, pid, peer_nic, peer_pid;
	/* NIC */
	struct libcxi_device *device;
	struct libcxi_interface *interface;
	struct libcxi_domain *domain;
	struct libcxi_profile *profile;
	struct ring sending, source, target;
	struct libcxi_queue *transmit, *trigger, *portals;
	struct libcxi_counter *acks, *gets, *arrivals;
	uint64_t acks_at, gets_at, arrivals_at; /* thresholds */
	struct memory tx, rx;
	struct cassini_dma send, get;
	struct cassini_idc idc;
	/* a size */
	enum step step;
	uint64_t size, granularity, done;
	unsigned events;
} me = {.version = "2.4.0",
	.iters = 1000,
	.min = 65536,
	.max = 65536,
	.buf_size = 1ULL << 32,
	.list = 256,
	.immediate = true};

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	fflush(stdout);
	_exit(1);
}

static void must(bool holds, const char *what)
{
	if (!holds)
		die("%s: %s", what, strerror(errno));
}

/* --- control --- */

static void send_message(const void *payload, uint32_t length)
{
	must(send(me.fd, &length, sizeof(length), MSG_NOSIGNAL) == sizeof(length), "send() failed");
	must(!length || send(me.fd, payload, length, MSG_NOSIGNAL) == length, "send() failed");
}

/* As HPE's: what is not there at once, and whole, is an error. */
static uint32_t receive_message(void *payload, uint32_t room)
{
	uint32_t length;
	ssize_t got = recv(me.fd, &length, sizeof(length), 0);

	if (got == 0)
		die("No data received or remote connection closed");
	must(got == sizeof(length), "recv() failed");
	if (length > room)
		die("Received message (%u) larger than buf (%u)", length, room);
	must(!length || recv(me.fd, payload, length, 0) == length, "recv() failed");
	return length;
}

static uint32_t exchange(const void *own, uint32_t length, void *theirs, uint32_t room)
{
	uint32_t got;

	if (!me.is_server)
		send_message(own, length);
	got = receive_message(theirs, room);
	if (me.is_server)
		send_message(own, length);
	return got;
}

static void barrier(void)
{
	exchange(NULL, 0, NULL, 0);
}

static void connect_sides(uint16_t port)
{
	const struct timeval limit = {.tv_sec = LIMIT_S};
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);

	if (me.is_server) {
		setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		must(!bind(listener, (struct sockaddr *)&address, sizeof(address)) && !listen(listener, 10), "listen");
		printf("Listening on port %u for client to connect...\n", port);
		fflush(stdout);
		me.fd = accept(listener, NULL, NULL);
		close(listener);
	} else {
		me.fd = listener;
		must(!connect(me.fd, (struct sockaddr *)&address, sizeof(address)), "connect");
	}
	must(me.fd >= 0 && !setsockopt(me.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), "accept");
}

/* The offsets of the description. */
#define AT(type, offset) (*(type *)(block + (offset)))
typedef uint16_t __attribute__((aligned(1))) u16;
typedef uint32_t __attribute__((aligned(1))) u32;
typedef uint64_t __attribute__((aligned(1))) u64;

static void exchange_options(void)
{
	uint8_t own[OPTIONS_SIZE] = {0}, block[MAX_PAYLOAD];
	unsigned major, minor, peer_major, peer_minor;

	if (exchange(NAME, sizeof(NAME), block, sizeof(block)) != sizeof(NAME) || strcmp((char *)block, NAME) != 0)
		die("Client and server program names do not match!");
	exchange(me.version, (uint32_t)strlen(me.version) + 1, block, sizeof(block));
	if (sscanf(me.version, "%u.%u", &major, &minor) != 2 ||
	    sscanf((char *)block, "%u.%u", &peer_major, &peer_minor) != 2 || major != peer_major || minor != peer_minor)
		die("Client and server program versions do not match!");
	memcpy(block, own, sizeof(own));
	AT(u64, 5) = me.iters;
	AT(u32, 29) = me.seconds;
	AT(u16, 33) = me.list;
	AT(u16, 35) = me.both;
	AT(u64, 37) = me.min;
	AT(u64, 45) = me.max;
	AT(u64, 53) = me.buf_size;
	AT(u64, 69) = ALIGNMENT;
	block[77] = (uint8_t)(me.immediate << 1 | me.rendezvous << 3);
	AT(u32, 81) = SERVICE;
	memcpy(own, block, sizeof(own));
	if (exchange(own, sizeof(own), block, sizeof(block)) != OPTIONS_SIZE)
		die("Bad opts size");
	if (!me.is_server)
		return;
	me.iters = AT(u64, 5);
	me.seconds = AT(u32, 29);
	me.list = AT(u16, 33);
	me.both = AT(u16, 35) & 1;
	me.min = AT(u64, 37);
	me.max = AT(u64, 45);
	me.buf_size = AT(u64, 53);
	me.immediate = block[77] >> 1 & 1;
	me.rendezvous = block[77] >> 3 & 1;
}

static void exchange_addresses(void)
{
	uint32_t own[2] = {me.nic, me.pid}, theirs[2];

	if (exchange(own, sizeof(own), theirs, sizeof(theirs)) != sizeof(theirs))
		die("Received undersized remote address");
	me.peer_nic = theirs[0];
	me.peer_pid = theirs[1];
}

/* --- the NIC --- */

static void done(int err, const char *what)
{
	if (err)
		die("%s failed: %d", what, err);
}

static void open_device(void)
{
	done(cxil_open_device(0, &me.device), "cxil_open_device");
	done(cxil_alloc_lni(me.device, &me.interface, SERVICE), "cxil_alloc_lni");
	done(cxil_alloc_domain(me.interface, 1, CASSINI_PID_ANY, &me.domain), "cxil_alloc_domain");
	me.nic = me.device->info.nic;
	me.pid = me.domain->pid;
}

static void open_memory(struct memory *memory, size_t length, int byte)
{
	memory->length = (length + PAGE - 1) / PAGE * PAGE;
	memory->bytes = mmap(NULL, memory->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(memory->bytes != MAP_FAILED, "mmap");
	memset(memory->bytes, byte, memory->length);
	done(cxil_map(me.interface, memory->bytes, memory->length, LIBCXI_MAP_PIN | LIBCXI_MAP_READ | LIBCXI_MAP_WRITE,
		      NULL, &memory->map),
	     "cxil_map");
}

static uint64_t iova_of(const struct memory *memory, uint64_t offset)
{
	return memory->map->iova + ((uintptr_t)memory->bytes - memory->map->va) + offset;
}

static void open_ring(struct ring *ring, size_t bytes)
{
	struct libcxi_event_queue_options options = {.flags = LIBCXI_EVENTS_UNCOMBINED};
	struct memory memory;

	open_memory(&memory, bytes, 0);
	options.buffer = memory.bytes;
	options.length = memory.length;
	done(cxil_alloc_evtq(me.interface, memory.map, &options, NULL, NULL, &ring->queue), "cxil_alloc_evtq");
}

static struct libcxi_queue *open_queue(unsigned slots, uint32_t flags, struct libcxi_event_queue *events)
{
	struct libcxi_queue_options options = {
		.slots = slots, .flags = flags, .lcid = flags == LIBCXI_QUEUE_TRANSMIT ? me.profile->lcid : 0};
	struct libcxi_queue *queue;

	done(cxil_alloc_cmdq(me.interface, events, &options, &queue), "cxil_alloc_cmdq");
	return queue;
}

static struct libcxi_counter *open_counter(void)
{
	struct libcxi_counter *counter;

	done(cxil_alloc_ct(me.interface, NULL, &counter), "cxil_alloc_ct");
	((volatile uint64_t *)counter->doorbell)[LIBCXI_COUNTER_RESET_SUCCESS / sizeof(uint64_t)] = 0;
	((volatile uint64_t *)counter->doorbell)[LIBCXI_COUNTER_RESET_FAILURE / sizeof(uint64_t)] = 0;
	return counter;
}

/* Waits for an event of this type; without waits, false if there is none. */
static bool await_event(struct ring *ring, enum cassini_event_type type, bool waits)
{
	const time_t end = time(NULL) + LIMIT_S;
	struct libcxi_event event;

	while (!libcxi_next_event(ring->queue, &event)) {
		if (!waits)
			return false;
		if (time(NULL) > end)
			die("Timed out waiting for %s event", libcxi_event_text(type));
		sched_yield();
	}
	if (event.type != type || event.return_code != CASSINI_RC_OK)
		die("Unexpected event type: %s (return code %u) Expected %s", libcxi_event_text(event.type),
		    event.return_code, libcxi_event_text(type));
	libcxi_ack_events(ring->queue);
	return true;
}

static void open_entry(unsigned index, struct ring *ring, struct cassini_append append, const struct memory *memory,
		       const struct libcxi_counter *counter)
{
	struct libcxi_portal_options options = {.matching = 1};
	struct cassini_set_state enable = {.command.opcode = CASSINI_SET_STATE, .state = CASSINI_PORTAL_ENABLED};
	struct libcxi_portal *portal;
	struct libcxi_portal_map *map;

	done(cxil_alloc_pte(me.interface, ring->queue, &options, &portal), "cxil_alloc_pte");
	done(cxil_map_pte(portal, me.domain, index, false, &map), "cxil_map_pte");
	enable.portal = portal->number;
	done(libcxi_put(me.portals, CASSINI_TYPE_CQ, &enable, sizeof(enable)), "set state");
	libcxi_ring(me.portals);
	await_event(ring, CASSINI_EVENT_STATE_CHANGE, true);
	append.command.opcode = CASSINI_APPEND;
	append.list = CASSINI_LIST_PRIORITY;
	append.portal = portal->number;
	append.event_unlink_disable = append.event_success_disable = append.count_comm = 1;
	append.counter = counter->number;
	append.lac = memory->map->lac;
	append.start = iova_of(memory, 0);
	append.length = memory->length;
	done(libcxi_put(me.portals, CASSINI_TYPE_CQ, &append, sizeof(append)), "append");
	libcxi_ring(me.portals);
	await_event(ring, CASSINI_EVENT_LINK, true);
}

static void arm(struct libcxi_counter *counter, struct ring *ring, uint64_t *threshold, unsigned count)
{
	const struct cassini_count_command command = {
		.command.opcode = CASSINI_COUNT_TRIGGER_EVENT,
		.trigger_counter = counter->number,
		.event_queue = ring->queue->number,
		.threshold = *threshold += count,
	};

	done(libcxi_put(me.trigger, CASSINI_TYPE_CT, &command, sizeof(command)), "trigger");
	libcxi_ring(me.trigger);
}

/* Of what is put to this side: the next list, which has no trigger with rendezvous, or the next response. */
static void arm_arrivals(bool response)
{
	if (!response && me.rendezvous)
		me.arrivals_at += 2 * me.list;
	else
		arm(me.arrivals, &me.target, &me.arrivals_at, response ? 1 : me.list);
}

static void make_commands(unsigned pid_bits)
{
	const uint32_t self = cassini_process(me.nic, me.pid, pid_bits);

	me.send = (struct cassini_dma){
		.command.opcode = CASSINI_PUT,
		.address = cassini_address(me.peer_nic, me.peer_pid, pid_bits, 0),
		.reports = {.lac = me.tx.map->lac, .event_send_disable = 1, .event_success_disable = 1, .count_ack = 1},
		.event_queue = me.sending.queue->number,
		.counter = me.acks->number,
	};
	if (me.rendezvous) {
		me.send.match_bits = MATCH;
		me.send.rendezvous_id = me.is_server ? 0xaa : 0xcc;
		me.send.initiator = self;
	}
	me.idc = (struct cassini_idc){.command.opcode = CASSINI_PUT, .address = me.send.address};
	me.get = (struct cassini_dma){
		.command.opcode = CASSINI_GET,
		.address = cassini_address(me.peer_nic, me.peer_pid, pid_bits, GET_INDEX),
		.index_ext = cassini_index_ext(GET_INDEX),
		.reports = {.lac = me.rx.map->lac, .event_send_disable = 1, .count_reply = 1},
		.event_queue = me.target.queue->number,
		.counter = me.arrivals->number,
		.initiator = self,
	};
}

static void open_resources(void)
{
	const unsigned pid_bits = me.device->info.pid_bits;
	const size_t ring_bytes = (me.list + 1) * CASSINI_SLOT_BYTES;
	const bool sends = me.both || !me.is_server, receives = me.both || me.is_server;
	const struct cassini_append plain = {.ignore_bits = 1, .takes_puts = 1};
	const struct cassini_append announced = {.match_process = cassini_process(me.peer_nic, me.peer_pid, pid_bits),
						 .match_bits = MATCH,
						 .takes_puts = 1};
	const struct cassini_append source = {
		.match_process = cassini_process(me.peer_nic, CASSINI_PID_ANY, pid_bits),
		.match_bits = MATCH_OF_GETS | (me.is_server ? 0xaa : 0xcc),
		.ignore_bits = TRANSACTION,
		.takes_gets = 1,
	};
	uint64_t bytes = (me.max + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT * me.list;

	if (bytes > me.buf_size)
		bytes = me.buf_size;
	done(cxil_alloc_trig_cp(me.interface, 1, LIBCXI_BEST_EFFORT, LIBCXI_TRAFFIC_DEFAULT, LIBCXI_LCID_ANY,
				&me.profile),
	     "cxil_alloc_trig_cp");
	open_memory(&me.tx, sends ? bytes : PAGE, 0xa5);
	open_memory(&me.rx, receives ? bytes : PAGE, 0);
	open_ring(&me.sending, ring_bytes);
	open_ring(&me.source, ring_bytes);
	open_ring(&me.target, ring_bytes * (me.rendezvous ? EVENTS_OF_SEND * 2 : 1));
	me.transmit = open_queue(me.list * 4 + 1, LIBCXI_QUEUE_TRANSMIT, NULL);
	me.trigger = open_queue(64, LIBCXI_QUEUE_TRANSMIT | LIBCXI_QUEUE_TRIGGERED, me.sending.queue);
	me.portals = open_queue(64, 0, NULL);
	me.acks = open_counter();
	me.gets = open_counter();
	me.arrivals = open_counter();
	if (me.rendezvous)
		open_entry(me.device->info.rendezvous_index, &me.source, source, &me.tx, me.gets);
	open_entry(0, &me.target, me.rendezvous ? announced : plain, &me.rx, me.arrivals);
	make_commands(pid_bits);
	if (me.immediate && me.min <= CASSINI_IDC_BYTES) {
		const struct cassini_state state = {
			.reports = me.send.reports, .event_queue = me.send.event_queue, .counter = me.send.counter};

		done(libcxi_put_state(me.transmit, &state), "state");
	}
	arm_arrivals(!me.both && !me.is_server);
}

/* --- an iteration --- */

static void put(uint64_t offset, uint64_t bytes, bool announces)
{
	if (me.immediate && me.size <= CASSINI_IDC_BYTES) {
		me.idc.remote_offset = offset;
		done(libcxi_put_idc(me.transmit, &me.idc, me.tx.bytes + offset, bytes), "IDC");
		return;
	}
	me.send.command.opcode = announces ? CASSINI_RENDEZVOUS_PUT : CASSINI_PUT;
	me.send.request_bytes = (uint32_t)bytes;
	me.send.remote_offset = offset;
	me.send.local_address = iova_of(&me.tx, offset);
	done(libcxi_put_dma(me.transmit, &me.send), "DMA");
}

/* True: the list is acknowledged, and fetched. */
static bool send_list(void)
{
	uint64_t offset = 0;

	if (me.step == STEP_SEND) {
		arm(me.acks, &me.sending, &me.acks_at, me.list);
		if (me.rendezvous)
			arm(me.gets, &me.source, &me.gets_at, me.list);
		for (unsigned i = 0; i < me.list; i++) {
			put(offset, me.size, me.rendezvous);
			offset += me.granularity;
			if (offset + me.granularity > me.tx.length || offset + me.granularity > me.buf_size)
				offset = 0;
		}
		libcxi_ring(me.transmit);
		await_event(&me.sending, CASSINI_EVENT_TRIGGERED_OP, true);
	}
	if (me.rendezvous && !await_event(&me.source, CASSINI_EVENT_TRIGGERED_OP, !me.both)) {
		me.step = STEP_RECEIVE_FIRST;
		return true;
	}
	me.step = me.both ? STEP_RECEIVE : STEP_RESPONSE;
	return true;
}

static bool has_list(void)
{
	struct libcxi_event event;
	bool any = false;

	if (!me.rendezvous)
		return await_event(&me.target, CASSINI_EVENT_TRIGGERED_OP, false);
	while (me.events < EVENTS_OF_SEND * me.list && libcxi_next_event(me.target.queue, &event)) {
		any = true;
		me.events++;
		if (event.type != CASSINI_EVENT_RENDEZVOUS || event.get_issued)
			continue;
		me.get.header_data = event.header_data;
		me.get.match_bits = event.match_bits;
		me.get.request_bytes = event.request_bytes - event.moved_bytes;
		me.get.local_address = event.start;
		me.get.remote_offset = event.remote_offset;
		done(libcxi_put_dma(me.transmit, &me.get), "get");
		libcxi_ring(me.transmit);
	}
	if (any)
		libcxi_ack_events(me.target.queue);
	return me.events == EVENTS_OF_SEND * me.list;
}

static bool receive_list(void)
{
	if (!has_list()) {
		/* One that waits for its own list to be fetched looks there first. */
		if (me.step == STEP_RECEIVE_FIRST)
			me.step = STEP_SEND_AGAIN;
		return false;
	}
	if (me.step == STEP_RECEIVE_FIRST) {
		me.step = STEP_SEND_AGAIN;
		return false;
	}
	arm(me.acks, &me.sending, &me.acks_at, 1);
	arm_arrivals(me.both);
	put(0, 0, false);
	libcxi_ring(me.transmit);
	await_event(&me.sending, CASSINI_EVENT_TRIGGERED_OP, true);
	me.events = 0;
	me.step = me.both ? STEP_RESPONSE : STEP_DONE;
	return true;
}

/* True: an iteration is complete. */
static bool iterate(void)
{
	if (me.step == STEP_DONE)
		me.step = !me.both && me.is_server ? STEP_RECEIVE : STEP_SEND;
	if ((me.step == STEP_SEND || me.step == STEP_SEND_AGAIN) && !send_list())
		return false;
	if ((me.step == STEP_RECEIVE || me.step == STEP_RECEIVE_FIRST) && !receive_list())
		return false;
	if (me.step == STEP_RESPONSE && await_event(&me.target, CASSINI_EVENT_TRIGGERED_OP, false)) {
		arm_arrivals(!me.both);
		me.step = STEP_DONE;
	}
	return me.step == STEP_DONE;
}

/* --- a size --- */

static uint64_t now_us(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec;
}

static void print_row(uint64_t elapsed)
{
	const bool sends = me.both || !me.is_server;
	uint64_t own[2] = {elapsed, sends ? me.done * me.list : 0}, theirs[2];
	long double rate = elapsed ? (long double)own[1] / elapsed : 0;

	if (exchange(own, sizeof(own), theirs, sizeof(theirs)) != sizeof(theirs))
		die("Peer results size");
	if (theirs[0])
		rate += (long double)theirs[1] / theirs[0];
	if (me.both && me.nic == me.peer_nic)
		rate *= 2;
	printf("%12" PRIu64 "  ", me.size);
	if (sends)
		printf("%10" PRIu64, own[1]);
	else
		printf("%10s", "-");
	printf("  %8.2Lf  %15.6Lf\n", rate * me.size, rate * ((me.size - 1) / PACKET + 1));
}

static void run_size(uint64_t size)
{
	uint64_t begin;

	me.size = size;
	me.granularity = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	me.step = STEP_DONE;
	me.done = 0;
	barrier();
	begin = now_us();
	while (me.seconds ? now_us() - begin < me.seconds * 1000000ULL : me.done < me.iters) {
		if (iterate())
			me.done++;
		else
			sched_yield();
	}
	barrier();
	print_row(now_us() - begin);
}

static void parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:D:s:l:bRIV:q")) != -1) {
		switch (option) {
		case 'n':
			me.iters = strtoull(optarg, NULL, 10);
			break;
		case 'D':
			me.seconds = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 's':
			if (sscanf(optarg, "%" SCNu64 ":%" SCNu64, &me.min, &me.max) == 1)
				me.max = me.min;
			break;
		case 'l':
			me.list = (uint16_t)strtoul(optarg, NULL, 10);
			break;
		case 'b':
			me.both = true;
			break;
		case 'R':
			me.rendezvous = true;
			me.immediate = false;
			break;
		case 'I':
			me.immediate = false;
			break;
		case 'V':
			me.version = optarg;
			break;
		case 'q':
			me.quits = true;
			break;
		default:
			die("usage: see hpe_peer.c");
		}
	}
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("usage: see hpe_peer.c");
	me.is_server = strcmp(argv[1], "server") == 0;
	parse(argc - 2, argv + 2);
	open_device();
	connect_sides((uint16_t)strtoul(argv[2], NULL, 10));
	exchange_options();
	exchange_addresses();
	if (me.quits)
		die("Insufficient 2M huge pages. Need 8 to run");
	open_resources();
	barrier();
	for (uint64_t size = me.min; size <= me.max; size *= 2)
		run_size(size);
	cxil_destroy_domain(me.domain);
	cxil_destroy_lni(me.interface);
	cxil_close_device(me.device);
	fflush(stdout);
	/* The system takes back the rest, which is not worth a line each: no sanitizer should count it. */
	_exit(0);
}
