// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages of the control connection: each is a table of fields for net/codec.c. See wire.h. */
#include "qperf/control/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "qperf/options/options.h"

/* Cannot be the start of an answer of 0.4.11: no text, no port, and no address in a process. */
const uint8_t wire_hello[HELLO_SIZE] = {0xf1, 'q', 'p', 'f', '\r', '\n', 0x1a, 0xf7};

/* A number that fits its member. */
#define NUMBER(type, member, in_wire)                                                                                  \
	CODEC_FIELD(CODEC_UINT, type, member, in_wire, 0, UINT64_MAX >> (64 - 8 * sizeof(((type *)NULL)->member)),     \
		    no_number)
#define YES_NO(type, member, in_wire) CODEC_FIELD(CODEC_UINT, type, member, in_wire, 0, 1, no_number)
/* A double in seconds, stored as ns. */
#define NS(type, member) CODEC_OWNED(ns_ops, type, member, 8, NULL)
/* ns, converted to seconds. */
#define SECONDS(type, member) CODEC_OWNED(seconds_ops, type, member, 4, NULL)
#define TEXT(type, member)    CODEC_WORDS(CODEC_FIXED_TEXT, type, member, NULL)
#define RAW(type, member)     CODEC_WORDS(CODEC_BYTES, type, member, NULL)
#define LITTLE(rows)                                                                                                   \
	{                                                                                                              \
		CODEC_TABLE(rows), .little_endian = true                                                               \
	}

static const char no_number[] = "a number is out of range", long_text[] = "a text is too long";

/* --- times --- */

static uint64_t ns_of(double seconds)
{
	const double ns = seconds * (double)NS_PER_S;

	return ns > 0 ? ns < 0x1p63 ? (uint64_t)(ns + 0.5) : INT64_MAX : 0;
}

static void write_ns(struct codec_writer *writer, const struct codec_field *field, const void *member)
{
	double seconds;

	memcpy(&seconds, member, sizeof(seconds));
	codec_put(writer, field->bytes, ns_of(seconds));
}

static void read_ns(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	const double seconds = (double)codec_get(reader, field->bytes) / (double)NS_PER_S;

	if (!reader->fault && member)
		memcpy(member, &seconds, sizeof(seconds));
}

static const struct codec_ops ns_ops = {.write = write_ns, .read = read_ns};

/* Rounds up, so that no limit is too short. */
static void write_seconds(struct codec_writer *writer, const struct codec_field *field, const void *member)
{
	codec_put(writer, field->bytes, (codec_load(member, field->width) + NS_PER_S - 1) / NS_PER_S);
}

static void read_seconds(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	const uint64_t seconds = codec_get(reader, field->bytes);

	if (!reader->fault && member)
		codec_store(member, field->width, seconds * NS_PER_S);
}

static const struct codec_ops seconds_ops = {.write = write_seconds, .read = read_seconds};

static int wire_decode(const struct codec *codec, const uint8_t *bytes, size_t length, void *to)
{
	struct codec_reader reader = {.bytes = bytes, .left = length};

	return codec_decode(codec, &reader, to) ? -EPROTO : 0;
}

void wire_read_text(const uint8_t *bytes, size_t length, char *text, size_t size)
{
	const size_t most = length < size - 1 ? length : size - 1;

	codec_copy_text(text, bytes, strnlen((const char *)bytes, most));
}

/* --- qperf 0.4.11 --- */

/* The numbers before the times; without those that are text. */
#define FIRST_PARAMETERS(ROW)                                                                                          \
	ROW(ACCESS_RECV), ROW(AFFINITY), ROW(ALT_PORT), ROW(FLIP), ROW(MSG_SIZE), ROW(MTU_SIZE), ROW(NO_MSGS),         \
		ROW(POLL_MODE), ROW(PORT), ROW(RD_ATOMIC), ROW(SERVICE_LEVEL), ROW(SOCK_BUF_SIZE), ROW(SRC_PATH_BITS)
#define PARAMETER(which) NUMBER(struct request, side.number[PARAM_##which], 4)

static const struct codec_field request_fields[] = {
	NUMBER(struct request, major, 2),
	NUMBER(struct request, minor, 2),
	NUMBER(struct request, increment, 2),
	NUMBER(struct request, test, 2),
	FIRST_PARAMETERS(PARAMETER),
	SECONDS(struct request, side.number[PARAM_TIME]),
	SECONDS(struct request, side.number[PARAM_TIMEOUT]),
	PARAMETER(USE_CM),
	TEXT(struct request, side.id),
	TEXT(struct request, side.static_rate),
};

static const struct codec request_codec = LITTLE(request_fields);

#define TRAFFIC(type, member)                                                                                          \
	NUMBER(type, member.bytes, 8), NUMBER(type, member.msgs, 8), NUMBER(type, member.errors, 8)

static const struct codec_field node_fields[] = {
	NUMBER(struct classic_node, vaddr, 8),
	NUMBER(struct classic_node, lid, 4),
	NUMBER(struct classic_node, qpn, 4),
	NUMBER(struct classic_node, psn, 4),
	NUMBER(struct classic_node, srqn, 4),
	NUMBER(struct classic_node, rkey, 4),
	NUMBER(struct classic_node, alt_lid, 4),
	NUMBER(struct classic_node, rd_atomic, 4),
	CODEC_UNUSED(4),
};

static const struct codec_field conf_fields[] = {
	TEXT(struct conf, node),
	TEXT(struct conf, cpu),
	TEXT(struct conf, os),
	TEXT(struct conf, qperf),
};

void wire_request(const struct request *request, uint8_t bytes[REQUEST_SIZE])
{
	codec_encode(&request_codec, request, bytes);
}

int wire_read_request(const uint8_t bytes[REQUEST_SIZE], struct request *request)
{
	memset(request, 0, sizeof(*request));
	if (wire_decode(&request_codec, bytes, REQUEST_SIZE, request))
		return -EPROTO;
	return request->major == REQUEST_MAJOR && request->minor == REQUEST_MINOR ? 0 : -EPROTO;
}

/* --- STAT: the times as ticks of a clock whose rate it includes --- */

#define STAT_TICKS 1000000 /* per second, of ours */
#define STAT_TIMES 9	   /* real, user, nice, system, idle, iowait, irq, softirq, steal */

static void write_stat(struct codec_writer *writer, const struct codec_field *field, const void *member)
{
	const struct account *account = member;
	const double seconds[STAT_TIMES] = {
		account->elapsed_s, account->user_s, 0, account->kernel_s, 0, account->iowait_s, account->intr_s, 0, 0};

	(void)field;
	codec_put(writer, 4, account->cpus);
	codec_put(writer, 4, STAT_TICKS);
	codec_put(writer, 4, account->max_cqes);
	for (unsigned i = 0; i < STAT_TIMES; i++)
		codec_put(writer, 8, 0); /* they begin at 0 */
	for (unsigned i = 0; i < STAT_TIMES; i++)
		codec_put(writer, 8, ns_of(seconds[i]) / (NS_PER_S / STAT_TICKS));
}

static void read_stat(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	struct account *account = member;
	uint64_t begin[STAT_TIMES], rate;
	double seconds[STAT_TIMES];

	account->cpus = (uint32_t)codec_get(reader, 4);
	rate = codec_get(reader, 4);
	account->max_cqes = (uint32_t)codec_get(reader, 4);
	for (unsigned i = 0; i < STAT_TIMES; i++)
		begin[i] = codec_get(reader, 8);
	for (unsigned i = 0; i < STAT_TIMES; i++) {
		const uint64_t end = codec_get(reader, 8);

		seconds[i] = end > begin[i] && rate ? (double)(end - begin[i]) / (double)rate
						    : 0; /* iowait may run backwards */
	}
	if (!reader->fault && !rate)
		reader->fault = field->fault;
	account->elapsed_s = seconds[0];
	account->user_s = seconds[1] + seconds[2];
	account->intr_s = seconds[6] + seconds[7];
	account->kernel_s = seconds[3] + seconds[8];
	account->iowait_s = seconds[5];
}

static const struct codec_ops stat_ops = {.write = write_stat, .read = read_stat};

static const struct codec_field stat_fields[] = {
	{.fault = "its clock does not run", .kind = CODEC_OWN, .ops = &stat_ops},
	TRAFFIC(struct account, sent),
	TRAFFIC(struct account, received),
	TRAFFIC(struct account, peer_sent),
	TRAFFIC(struct account, peer_received),
	CODEC_UNUSED(4),
};

static void write_sync(struct codec_writer *writer, const struct codec_field *field, const void *member)
{
	(void)field, (void)member;
	codec_put_bytes(writer, SYNC_BEFORE, strlen(SYNC_BEFORE));
}

static void read_sync(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	const uint8_t *bytes = codec_get_bytes(reader, strlen(SYNC_BEFORE));

	(void)member;
	if (bytes && memcmp(bytes, SYNC_BEFORE, strlen(SYNC_BEFORE)) != 0)
		reader->fault = field->fault;
}

static const struct codec_ops sync_ops = {.write = write_sync, .read = read_sync};

static const struct codec_field sync_fields[] = {
	{.fault = "it is not a message of qperf", .kind = CODEC_OWN, .ops = &sync_ops},
};

static const struct codec_field port_fields[] = {
	{.fault = "it is none, as of a program that is not qperf (--listen_port)",
	 .kind = CODEC_UINT,
	 .width = sizeof(uint32_t),
	 .bytes = PORT_SIZE,
	 .min = 1,
	 .max = UINT16_MAX},
};

const struct message_row qperf_classic[NUM_FRAMES] = {
	[FRAME_READY] = {"port", PORT_SIZE, LITTLE(port_fields), 0},
	[MESSAGE_ENDPOINTS] = {"node information", NODE_SIZE, LITTLE(node_fields), 0},
	[FRAME_CONF] = {"configuration", CONF_SIZE, LITTLE(conf_fields), 0},
	[MESSAGE_BARRIER] = {"start message", sizeof(SYNC_BEFORE) - 1, LITTLE(sync_fields), 0},
	[MESSAGE_RESULT] = {"results", STAT_SIZE, LITTLE(stat_fields), 0},
	[FRAME_BYE] = {"confirmation that it quits", sizeof(SYNC_BEFORE) - 1, LITTLE(sync_fields), 0},
};

/* --- between our own versions --- */

static const char *check_start(const void *from)
{
	const uint64_t *number = ((const struct start *)from)->side.number;

	return number[PARAM_SEND] >= NUM_SEND_MODES || number[PARAM_RECEIVE] >= NUM_RECEIVE_MODES
		       ? "a way to send or receive is unknown"
		       : NULL;
}

#define ASKED(which) NUMBER(struct start, side.number[PARAM_##which], 8)

static const struct codec_field start_fields[] = {
	NUMBER(struct start, test, 4),
	YES_NO(struct start, explains, 1),
	CODEC_UNUSED(3),
	FIRST_PARAMETERS(ASKED),
	ASKED(TIME),
	ASKED(TIMEOUT),
	ASKED(USE_CM),
	ASKED(RECEIVE),
	ASKED(SEND),
	ASKED(SPIN),
	TEXT(struct start, side.id),
	TEXT(struct start, side.static_rate),
	TEXT(struct start, side.congestion),
	RAW(struct start, run_id),
	{.kind = CODEC_CHECK, .check = check_start},
};

static const struct codec_field account_fields[] = {
	NS(struct account, elapsed_s),
	NUMBER(struct account, cpus, 4),
	NUMBER(struct account, max_cqes, 4),
	NS(struct account, user_s),
	NS(struct account, intr_s),
	NS(struct account, kernel_s),
	NS(struct account, iowait_s),
	TRAFFIC(struct account, sent),
	TRAFFIC(struct account, received),
	TRAFFIC(struct account, peer_sent),
	TRAFFIC(struct account, peer_received),
	NS(struct account, process_user_s),
	NS(struct account, process_kernel_s),
	NUMBER(struct account, switches, 8),
	NUMBER(struct account, lost, 8),
	NS(struct account, lost_s),
	CODEC_NUMBER(struct account, spins, 0, 1, no_number),
	CODEC_NUMBER(struct account, no_counter, 0, 1, no_number),
	CODEC_UNUSED(6),
	NUMBER(struct account, retransmits, 8),
	NS(struct account, rtt_s),
	NUMBER(struct account, cwnd, 8),
	NUMBER(struct account, copied, 8),
	TEXT(struct account, congestion),
	TEXT(struct account, how),
	NUMBER(struct account, late_sent, 8),
	NUMBER(struct account, late_received, 8),
	NS(struct account, run_delay_s),
	NUMBER(struct account, sampled, 8),
	NS(struct account, sampled_s),
};

static const struct codec_field endpoint_fields[] = {
	NUMBER(struct rdma_side, endpoint.vaddr, 8),
	NUMBER(struct rdma_side, endpoint.lid, 4),
	NUMBER(struct rdma_side, endpoint.qpn, 4),
	NUMBER(struct rdma_side, endpoint.psn, 4),
	NUMBER(struct rdma_side, endpoint.rkey, 4),
	NUMBER(struct rdma_side, endpoint.srqn, 4),
	NUMBER(struct rdma_side, endpoint.mtu, 4),
	NUMBER(struct rdma_side, endpoint.out_reads, 4),
	NUMBER(struct rdma_side, endpoint.gid_kind, 4),
	NUMBER(struct rdma_side, endpoint.gid_index, 4),
	NUMBER(struct rdma_side, endpoint.cm_port, 4),
	RAW(struct rdma_side, endpoint.gid),
	NUMBER(struct rdma_side, endpoint.target_qpn, 4),
	NUMBER(struct rdma_side, endpoint.alt_lid, 4),
	YES_NO(struct rdma_side, site.is_software, 4),
	NUMBER(struct rdma_side, site.uid, 4),
	TEXT(struct rdma_side, site.device),
	TEXT(struct rdma_side, site.boot),
	TEXT(struct rdma_side, site.folder_id),
	TEXT(struct rdma_side, site.folder),
	TEXT(struct rdma_side, host),
};

static const struct codec_field origin_fields[] = {
	CODEC_WORDS(CODEC_TEXT, struct qperf_origin, host, long_text),
	CODEC_WORDS(CODEC_TEXT, struct qperf_origin, version, long_text),
	CODEC_WORDS(CODEC_LINES, struct qperf_origin, provenance, long_text),
};

static const struct codec_field done_fields[] = {
	{.fault = no_number, .kind = CODEC_UINT, .width = sizeof(uint8_t), .bytes = 1, .max = 1},
};

static const struct message_row rows[NUM_FRAMES] = {
	[MESSAGE_HELLO] = {"request", FRAME_MAX_PAYLOAD, {CODEC_TABLE(start_fields)}, 0},
	[FRAME_READY] = {"port", FRAME_MAX_PAYLOAD, {CODEC_TABLE(port_fields)}, 0},
	[MESSAGE_ENDPOINTS] = {"queue pair", FRAME_MAX_PAYLOAD, {CODEC_TABLE(endpoint_fields)}, 0},
	[MESSAGE_RESULT] = {"results", FRAME_MAX_PAYLOAD, {CODEC_TABLE(account_fields)}, 0},
	[FRAME_CONF] = {"configuration", FRAME_MAX_PAYLOAD, {CODEC_TABLE(conf_fields)}, 0},
	[FRAME_BYE] = {"confirmation that it quits", FRAME_MAX_PAYLOAD, {0}, 0},
	[MESSAGE_DONE] = {"end of sending", FRAME_MAX_PAYLOAD, {CODEC_TABLE(done_fields)}, 0},
	[FRAME_ORIGIN] = {"description of itself", FRAME_MAX_PAYLOAD, {CODEC_TABLE(origin_fields)}, 0},
};

const struct message_protocol qperf_messages = {
	.foreign = "it is not a message of qperf",
	.magic = {'P', 'F', 'T', 'Q'},
	.version = 5,
	.common = MESSAGE_BIT(MESSAGE_REFUSE) | MESSAGE_BIT(MESSAGE_ABORT) | MESSAGE_BIT(MESSAGE_ALIVE) |
		  MESSAGE_BIT(MESSAGE_BARRIER) | MESSAGE_BIT(MESSAGE_FACTS),
	.num_types = NUM_FRAMES,
	.rows = rows,
};
