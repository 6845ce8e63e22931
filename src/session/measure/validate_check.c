// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Checks what arrived (--data_validation). Called by validate_rounds.c when a round is over, with all of its messages
 * in their slots. What is an error depends on the transport:
 *
 *   RC       every message must have arrived, once, in order, whole
 *   UC       a message may be missing, or end early; what arrived must be correct
 *   UD       a message may be missing, duplicated or late; what arrived must be correct
 *
 * A SEND is found by its receive, in the order of arrival; with UC and UD its own bytes identify it.
 */
#include "session/measure/measurement.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "memory/pattern.h"
#include "util/log.h"
#include "verbs/memory/mr.h"

#define NAMED_MESSAGES 10 /* errors that are reported with a line each; the others are counted */
#define SECOND_LOOK_MS 20

/* A round, for the code that checks it. */
struct inspection {
	struct session *session;
	uint64_t size;	   /* bytes of a message */
	uint64_t compared; /* of these: those that follow the pattern */
	uint32_t messages; /* of each queue pair */
	bool looked_twice;
};

/* Queue pairs that share a receive queue. */
uint32_t session_sharers(const struct session *session)
{
	return session->resources.num_qps / session->resources.num_rx;
}

uint8_t *session_source_slot(const struct session *session, unsigned qp, uint32_t n)
{
	const struct resources *resources = &session->resources;
	uint8_t *first = session->traffic.pulls ? mr_recv_region(resources, qp) : mr_send_region(resources, qp);

	return first + n * resources->slots.step;
}

uint8_t *session_sink_slot(const struct session *session, unsigned qp, uint32_t n)
{
	const struct resources *resources = &session->resources;
	const uint64_t header = session->traffic.transport->recv_header_bytes;
	uint64_t offset = n * resources->slots.step;
	const struct rx_queue *rx;

	if (session->traffic.pulls)
		return mr_send_region(resources, qp) + offset;
	if (session->traffic.verb == VERB_WRITE)
		return mr_recv_region(resources, qp) + offset;
	/* Receives are reused in a cycle: the n-th arrival of the round follows the last one of the previous round. */
	if (session_sharers(session) > 1) {
		offset = ((uint64_t)n * resources->num_qps + qp) * resources->slots.step;
		qp = 0;
	}
	rx = &resources->rx[qp];
	offset = (session->validation.first_arrival[qp] + offset) & (rx->span - 1);
	return (uint8_t *)(uintptr_t)rx->base + offset + header;
}

/* The slot of the n-th SEND that arrived on a queue pair, after the round. */
static uint8_t *arrival_slot(const struct session *session, unsigned qp, uint32_t n)
{
	const struct message_slots *slots = &session->validation.slots;
	const struct rx_queue *rx = &session->resources.rx[0];
	uint32_t offset;

	if (!rx->srq)
		return session_sink_slot(session, qp, n);
	/* It comes from a completion, which may be in memory that a peer can write: it must be a slot in any case. */
	offset = slots->arrivals[(size_t)qp * slots->capacity + n].offset & (rx->span - 1) & -rx->step;
	return (uint8_t *)(uintptr_t)rx->base + offset + session->traffic.transport->recv_header_bytes;
}

static const char *side_name(bool of_server)
{
	return of_server ? "server" : "client";
}

#define NAME_SIZE 64

/* Counts a wrong message; true: it is to be reported. name: "QP 3 (0x000123), message 37", as in each line about it. */
static bool note_wrong(struct session *session, unsigned qp, uint64_t message, uint64_t offset, char name[NAME_SIZE])
{
	struct comm_verdict *found = &session->validation.found;

	if (!found->wrong++) {
		found->qp = qp;
		found->message = message;
		found->offset = offset;
	}
	session->ending.wrong_data = true;
	snprintf(name, NAME_SIZE, "QP %u (0x%06x), message %" PRIu64, qp, session->resources.tx[qp].qp->qp_num,
		 message);
	return session->params.test.data_validation_debug || session->validation.named++ < NAMED_MESSAGES;
}

static void report_other(const struct inspection *inspection, const char *name, const struct pattern_finding *finding,
			 uint64_t message)
{
	const struct session *session = inspection->session;
	const struct pattern_source *other = &finding->other;
	const bool own_stream = other->of_server == session->comm.client;
	const uint64_t behind = (message - other->message) % PATTERN_MESSAGES;

	log_error("%s, offset %" PRIu64 ": received the data of message %" PRIu64 " of QP %u of the %s%s", name,
		  finding->offset, other->message, other->qp, side_name(other->of_server),
		  !own_stream				    ? ""
		  : behind && behind < PATTERN_MESSAGES / 2 ? ", an earlier one (stale)"
							    : ", a later one");
}

static void report_finding(const struct inspection *inspection, unsigned qp, uint64_t message,
			   const struct pattern_finding *finding)
{
	struct session *session = inspection->session;
	char name[NAME_SIZE];

	if (!note_wrong(session, qp, message, finding->offset, name))
		return;
	switch (finding->verdict) {
	case PATTERN_VACANT:
		log_error("%s, offset 0: none of its %" PRIu64 " bytes arrived", name, inspection->size);
		break;
	case PATTERN_PARTIAL:
		log_error("%s, offset %" PRIu64 ": %" PRIu64 " bytes from there on did not arrive", name,
			  finding->offset, finding->wrong_bytes);
		break;
	case PATTERN_OTHER:
		report_other(inspection, name, finding, message);
		break;
	default:
		log_error("%s, offset %" PRIu64 ": received 0x%02x instead of 0x%02x; wrong bytes: %" PRIu64
			  " of %" PRIu64,
			  name, finding->offset, finding->found, finding->expected, finding->wrong_bytes,
			  inspection->size);
	}
}

static void inspection_look(const struct inspection *inspection, const uint8_t *slot, unsigned qp, uint64_t message,
			    struct pattern_finding *finding)
{
	const struct session *session = inspection->session;
	const struct pattern_source source = {.of_server = session->comm.client, .qp = qp, .message = message};

	pattern_check(mr_buffer(&session->resources, qp), slot, inspection->compared, &source,
		      session->resources.num_qps, finding);
}

static void count_right(const struct inspection *inspection)
{
	struct comm_verdict *found = &inspection->session->validation.found;

	found->checked++;
	found->bytes += inspection->compared;
}

/* --- writes and reads: the n-th message is in the n-th slot --- */

static bool is_missing(const struct pattern_finding *finding)
{
	return finding->verdict == PATTERN_VACANT || finding->verdict == PATTERN_PARTIAL;
}

/* expected: it is known to have arrived whole. */
static void inspect_slot(struct inspection *inspection, unsigned qp, uint32_t n, bool expected)
{
	struct session *session = inspection->session;
	const uint8_t *slot = session_sink_slot(session, qp, n);
	const uint64_t message = session->validation.next_message + n;
	struct pattern_finding finding;

	inspection_look(inspection, slot, qp, message, &finding);
	/*
	 * The sender's completion says that our adapter has the data, and UC's not even that; the last of it may arrive
	 * after the message on the side channel. One wait is enough for the round.
	 */
	if (finding.verdict != PATTERN_RIGHT && !session->traffic.pulls) {
		if (!inspection->looked_twice)
			poll(NULL, 0, SECOND_LOOK_MS);
		inspection->looked_twice = true;
		inspection_look(inspection, slot, qp, message, &finding);
		session->validation.late += finding.verdict == PATTERN_RIGHT;
	}
	if (!expected && is_missing(&finding)) {
		session->validation.found.lost++;
		return;
	}
	count_right(inspection);
	if (finding.verdict != PATTERN_RIGHT)
		report_finding(inspection, qp, message, &finding);
}

/* The message that a write's immediate data names; 0: it is of this round. */
static uint32_t index_of_number(const struct session *session, uint32_t number)
{
	return number - (uint32_t)session->validation.next_message;
}

static void report_text(struct session *session, unsigned qp, uint64_t message, const char *text)
{
	char name[NAME_SIZE];

	if (note_wrong(session, qp, message, 0 /* offset */, name))
		log_error("%s, offset 0: %s", name, text);
}

/* Checks the length and the number in a completion. False: an error was reported. */
static bool completion_is_right(const struct inspection *inspection, unsigned qp, uint64_t message,
				const struct arrival *arrival)
{
	struct session *session = inspection->session;
	const uint64_t header = session->traffic.transport->recv_header_bytes;
	char text[128];

	if (arrival->length != inspection->size + header) {
		snprintf(text, sizeof(text), "%" PRId64 " bytes arrived, %" PRIu64 " were sent",
			 (int64_t)arrival->length - (int64_t)header, inspection->size);
	} else if (arrival->has_imm != session->params.spec.with_imm) {
		snprintf(text, sizeof(text), "immediate data %s", arrival->has_imm ? "came unasked" : "is missing");
	} else if (arrival->has_imm && arrival->imm != (uint32_t)message) {
		snprintf(text, sizeof(text), "received immediate data 0x%08x instead of 0x%08x", arrival->imm,
			 (uint32_t)message);
	} else {
		return true;
	}
	report_text(session, qp, message, text);
	return false;
}

/* Arrivals of writes with immediate: records which arrived. */
static void note_seen_writes(const struct inspection *inspection, unsigned qp)
{
	struct session *session = inspection->session;
	const struct message_slots *slots = &session->validation.slots;
	const struct arrival *arrivals = &slots->arrivals[qp * slots->capacity];
	const bool counts = transport_counts(session->traffic.transport);

	for (uint32_t a = 0; a < slots->num_arrivals[qp]; a++) {
		uint32_t n = counts ? a : index_of_number(session, arrivals[a].imm);

		if (n >= inspection->messages) {
			report_text(session, qp, session->validation.next_message,
				    "a message of another round arrived");
			continue;
		}
		completion_is_right(inspection, qp, session->validation.next_message + n, &arrivals[a]);
		session->validation.seen[n] = true;
	}
}

static void inspect_slots(struct inspection *inspection, unsigned qp)
{
	struct session *session = inspection->session;
	const bool reliable = session->traffic.transport->reliable;

	if (session->traffic.receives)
		note_seen_writes(inspection, qp);
	for (uint32_t n = 0; n < inspection->messages; n++)
		inspect_slot(inspection, qp, n, reliable || session->validation.seen[n]);
}

/* --- sends: the n-th arrival is in the n-th receive's slot --- */

/*
 * Which message of the round may be in the slot? First `next` and the following ones whose bytes these are, then the
 * others; for messages that are too short to contain their number.
 */
static bool match(const struct inspection *inspection, const uint8_t *slot, unsigned qp, uint32_t next, uint32_t *n)
{
	const uint64_t first = inspection->session->validation.next_message;

	for (uint32_t i = 0; i < inspection->messages; i++) {
		struct pattern_finding finding;

		*n = (next + i) % inspection->messages;
		inspection_look(inspection, slot, qp, first + *n, &finding);
		if (finding.verdict == PATTERN_RIGHT && !inspection->session->validation.seen[*n])
			return true;
	}
	return false;
}

/*
 * On a transport that loses messages, which one is this arrival? Its number in the round, or negative: of an earlier
 * round. A message that cannot be identified counts as the next.
 */
static int64_t identify(const struct inspection *inspection, const uint8_t *slot, unsigned qp, uint32_t next,
			const struct arrival *arrival)
{
	const struct session *session = inspection->session;
	const uint64_t first = session->validation.next_message;
	struct pattern_source source;
	uint32_t n;

	if (pattern_recognise(mr_buffer(&session->resources, qp), slot, inspection->size, session->resources.num_qps,
			      &source) &&
	    source.qp == qp && source.of_server == session->comm.client) {
		n = (uint32_t)((source.message - first) % PATTERN_MESSAGES);
		if (n < inspection->messages)
			return n;
		return n > PATTERN_MESSAGES / 2 ? -1 : (int64_t)(next % inspection->messages);
	}
	if (arrival->has_imm && index_of_number(session, arrival->imm) < inspection->messages)
		return index_of_number(session, arrival->imm);
	if (inspection->size < PATTERN_WORD_BYTES && match(inspection, slot, qp, next, &n))
		return n;
	return next % inspection->messages;
}

static void inspect_arrival(struct inspection *inspection, unsigned qp, const uint8_t *slot, uint32_t n,
			    const struct arrival *arrival)
{
	struct session *session = inspection->session;
	const uint64_t message = session->validation.next_message + n;
	struct pattern_finding finding;

	if (session->validation.seen[n]) {
		if (session->traffic.transport->repeats)
			session->validation.twice++;
		else
			report_text(session, qp, message, "it arrived twice");
		return;
	}
	session->validation.seen[n] = true;
	count_right(inspection);
	inspection_look(inspection, slot, qp, message, &finding);
	if (completion_is_right(inspection, qp, message, arrival) && finding.verdict != PATTERN_RIGHT)
		report_finding(inspection, qp, message, &finding);
}

static void inspect_arrivals(struct inspection *inspection, unsigned qp)
{
	struct session *session = inspection->session;
	const struct message_slots *slots = &session->validation.slots;
	const bool reliable = session->traffic.transport->reliable;
	const bool counts = transport_counts(session->traffic.transport);
	uint32_t next = 0;

	for (uint32_t a = 0; a < slots->num_arrivals[qp]; a++) {
		const struct arrival *arrival = &slots->arrivals[qp * slots->capacity + a];
		const uint8_t *slot = arrival_slot(session, qp, a);
		int64_t n = counts ? (int64_t)a : identify(inspection, slot, qp, next, arrival);

		if (n < 0 || n >= inspection->messages) {
			if (session->traffic.transport->repeats)
				session->validation.twice++;
			else
				report_text(session, qp, session->validation.next_message,
					    "a message of another round arrived");
			continue;
		}
		inspect_arrival(inspection, qp, slot, (uint32_t)n, arrival);
		next = (uint32_t)n + 1;
	}
	for (uint32_t n = 0; n < inspection->messages; n++) {
		if (session->validation.seen[n])
			continue;
		if (reliable)
			report_text(session, qp, session->validation.next_message + n, "no receive completed for it");
		else
			session->validation.found.lost++;
	}
}

void session_inspect_round(struct session *session, uint64_t size, uint32_t messages)
{
	struct inspection inspection = {
		.session = session,
		.size = size,
		.compared = size - session->traffic.polls_memory, /* the loop itself has waited for the last one */
		.messages = messages,
	};

	for (unsigned qp = 0; qp < session->resources.num_qps; qp++) {
		memset(session->validation.seen, 0, messages * sizeof(*session->validation.seen));
		if (session->traffic.verb == VERB_SEND)
			inspect_arrivals(&inspection, qp);
		else
			inspect_slots(&inspection, qp);
	}
}

/* FETCH_AND_ADD has added 1 to every value once; CMP_AND_SWAP compares with 0 and has changed none. */
void session_inspect_source(struct session *session, uint32_t messages)
{
	const struct params *params = &session->params;
	const uint64_t added = params->spec.atomic_type == ATOMIC_FETCH_AND_ADD;

	if (session->traffic.verb != VERB_ATOMIC)
		return;
	for (unsigned qp = 0; qp < session->resources.num_qps; qp++) {
		const struct buffer *buffer = mr_buffer(&session->resources, qp);
		const struct buffer here = {.ops = &memory_host};
		struct pattern_source source = {.of_server = !session->comm.client, .qp = qp};

		for (uint32_t n = 0; n < messages; n++) {
			uint64_t value, before;
			char text[96];

			source.message = session->validation.next_message + n;
			pattern_fill(&here, &before, sizeof(before), &source, false /* vacant */);
			buffer_copy_out(buffer, &value, session_source_slot(session, qp, n), sizeof(value));
			if (value == before + added)
				continue;
			snprintf(text, sizeof(text),
				 "the value is 0x%016" PRIx64 " after the operation, not 0x%016" PRIx64, value,
				 before + added);
			report_text(session, qp, source.message, text);
		}
	}
}

/* --- the end of a size --- */

static void report_rest(struct session *session, uint64_t size)
{
	struct validation *validation = &session->validation;

	if (!session->params.test.data_validation_debug && validation->named > NAMED_MESSAGES)
		log_error("%" PRIu64 " more message%s wrong (--data_validation_debug names all)",
			  validation->named - NAMED_MESSAGES,
			  validation->named - NAMED_MESSAGES == 1 ? " is" : "s are");
	if (validation->late)
		log_warning("%" PRIu64 " messages of %" PRIu64 " bytes reached memory only some time after the sender "
			    "saw them complete; their data is correct",
			    validation->late, size);
	if (validation->twice)
		log_warning("%" PRIu64 " datagrams of %" PRIu64 " bytes arrived twice or late", validation->twice,
			    size);
	if (validation->found.lost)
		log_warning("%" PRIu64 " messages of %" PRIu64 " bytes were lost", validation->found.lost, size);
}

static void add_verdict(struct report_validation *total, const struct comm_verdict *verdict)
{
	if (verdict->wrong && !total->wrong) {
		total->qp = verdict->qp;
		total->message = verdict->message;
		total->offset = verdict->offset;
	}
	total->checked += verdict->checked;
	total->bytes += verdict->bytes;
	total->lost += verdict->lost;
	total->wrong += verdict->wrong;
}

int session_exchange_verdicts(struct session *session, uint64_t size, struct report_row *row)
{
	struct validation *validation = &session->validation;
	struct comm_verdict mine = validation->found, theirs;
	int ret;

	mine.size = size;
	mine.may_lose = !session->traffic.transport->reliable;
	if (session->ending.interrupted)
		mine.due = 0;
	report_rest(session, size);
	ret = comm_swap(&session->comm, WIRE_VERDICT, &mine, &theirs);
	if (ret)
		return ret;
	if (theirs.wrong) {
		session->ending.wrong_data = true;
		log_error("the peer %s found wrong data in %" PRIu64 " messages of %" PRIu64
			  " bytes, the first on QP %u, message "
			  "%" PRIu64 ", offset %" PRIu64 "; it names them",
			  comm_peer(&session->comm), theirs.wrong, size, theirs.qp, theirs.message, theirs.offset);
	}
	if (theirs.lost)
		log_warning("%" PRIu64 " messages of %" PRIu64 " bytes were lost on the way to the peer", theirs.lost,
			    size);
	add_verdict(&validation->total, &mine);
	add_verdict(&validation->total, &theirs);
	if (validation->total.wrong)
		snprintf(session->ending.failure, sizeof(session->ending.failure),
			 "wrong data in %" PRIu64 " of %" PRIu64 " messages, the first on QP %u, message %" PRIu64
			 ", offset %" PRIu64,
			 validation->total.wrong, validation->total.messages, validation->total.qp,
			 validation->total.message, validation->total.offset);
	row->checked = mine.checked + theirs.checked;
	row->wrong = mine.wrong + theirs.wrong;
	row->lost = mine.lost + theirs.lost;
	validation->found = (struct comm_verdict){0};
	validation->late = 0;
	validation->twice = 0;
	return 0;
}

const struct report_validation *session_validation_end(struct session *session)
{
	add_verdict(&session->validation.total, &session->validation.found);
	session->validation.found = (struct comm_verdict){0};
	return &session->validation.total;
}
