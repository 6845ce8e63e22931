// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does each instance make the same calls as the general one, namely those for the request? */
#include "loops/wr_api.h"

#include "cmocka_all.h"
#include "verbs/queue.h"

#define MESSAGES 3
#define STEP	 64
#define SPAN	 128

/* What was called, as text; the device refuses the message with this number, counted from 1. */
static char said[4096];
static unsigned completes, refused;

#define SAY(...) snprintf(said + strlen(said), sizeof(said) - strlen(said), __VA_ARGS__)

static void say_head(struct ibv_qp_ex *qpx, const char *operation)
{
	SAY("%s id %llu flags %x ", operation, (unsigned long long)qpx->wr_id, qpx->wr_flags);
}

static void say_remote(uint32_t rkey, uint64_t remote)
{
	SAY("rkey %x at %llx ", rkey, (unsigned long long)remote);
}

static void fake_start(struct ibv_qp_ex *qpx)
{
	SAY("start ");
}

static int fake_complete(struct ibv_qp_ex *qpx)
{
	SAY("complete\n");
	return ++completes == refused ? ENOMEM : 0;
}

static void fake_send(struct ibv_qp_ex *qpx)
{
	say_head(qpx, "send");
}

static void fake_send_imm(struct ibv_qp_ex *qpx, __be32 imm)
{
	say_head(qpx, "send_imm");
	SAY("imm %x ", imm);
}

static void fake_write(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote)
{
	say_head(qpx, "write");
	say_remote(rkey, remote);
}

static void fake_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote, __be32 imm)
{
	say_head(qpx, "write_imm");
	say_remote(rkey, remote);
	SAY("imm %x ", imm);
}

static void fake_read(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote)
{
	say_head(qpx, "read");
	say_remote(rkey, remote);
}

static void fake_cmp_swp(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote, uint64_t compare, uint64_t swap)
{
	say_head(qpx, "cmp_swp");
	say_remote(rkey, remote);
	SAY("%llx %llx ", (unsigned long long)compare, (unsigned long long)swap);
}

static void fake_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote, uint64_t add)
{
	say_head(qpx, "fetch_add");
	say_remote(rkey, remote);
	SAY("%llx ", (unsigned long long)add);
}

static void fake_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	SAY("to %p %x %x ", (void *)ah, qpn, qkey);
}

static void fake_srqn(struct ibv_qp_ex *qpx, uint32_t srqn)
{
	SAY("to SRQ %x ", srqn);
}

static void fake_set(struct ibv_qp_ex *qpx, struct wr_address *address)
{
	SAY("to %x by %llx ", address->number, (unsigned long long)address->key);
}

static struct wr_address address = {.set = fake_set, .number = 0x66, .key = 0x88};

static void fake_sge(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t data, uint32_t length)
{
	SAY("from %llx %u lkey %x ", (unsigned long long)data, length, lkey);
}

static void fake_sge_list(struct ibv_qp_ex *qpx, size_t count, const struct ibv_sge *sges)
{
	SAY("from %zu pieces ", count);
}

static void fake_inline(struct ibv_qp_ex *qpx, void *data, size_t length)
{
	SAY("inline %p %zu ", data, length);
}

static struct ibv_qp_ex fake_qp(enum ibv_qp_type type)
{
	return (struct ibv_qp_ex){
		.qp_base = {.qp_type = type, .qp_context = &address},
		.wr_start = fake_start,
		.wr_complete = fake_complete,
		.wr_send = fake_send,
		.wr_send_imm = fake_send_imm,
		.wr_rdma_write = fake_write,
		.wr_rdma_write_imm = fake_write_imm,
		.wr_rdma_read = fake_read,
		.wr_atomic_cmp_swp = fake_cmp_swp,
		.wr_atomic_fetch_add = fake_fetch_add,
		.wr_set_ud_addr = fake_ud_addr,
		.wr_set_xrc_srqn = fake_srqn,
		.wr_set_sge = fake_sge,
		.wr_set_sge_list = fake_sge_list,
		.wr_set_inline_data = fake_inline,
	};
}

static struct ibv_sge sges[MESSAGES];
static struct ibv_send_wr wrs[MESSAGES];

static void requests(enum ibv_wr_opcode opcode, enum ibv_qp_type type, unsigned flags, int num_sge)
{
	for (unsigned i = 0; i < MESSAGES; i++) {
		sges[i] = (struct ibv_sge){.addr = 0x1000 + i, .length = 8 + i, .lkey = 0x10 + i};
		wrs[i] = (struct ibv_send_wr){
			.wr_id = 7 + i,
			.next = i + 1 < MESSAGES ? &wrs[i + 1] : NULL,
			.sg_list = &sges[i],
			.num_sge = num_sge,
			.opcode = opcode,
			.send_flags = flags | (i == 1 ? IBV_SEND_SIGNALED : 0U),
			.imm_data = 0x55 + i,
			.wr.atomic = {.remote_addr = 0x2000 + i, .compare_add = 3, .swap = 4, .rkey = 0x99},
		};
		if (opcode == IBV_WR_RDMA_WRITE || opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
			wrs[i].wr.rdma.rkey = 0x77;
		wrs[i].qp_type.xrc.remote_srqn = 0x21;
		if (type == IBV_QPT_UD) {
			wrs[i].wr.ud.ah = (struct ibv_ah *)(uintptr_t)0x4000;
			wrs[i].wr.ud.remote_qpn = 0x33;
			wrs[i].wr.ud.remote_qkey = 0x44;
		}
	}
}

/* A run of messages and a list; what was called is left in said. */
static void post(const struct wr_poster *poster, struct ibv_qp_ex *qpx)
{
	struct slot_stride slots = {.local_base = 0x1000, .remote_base = 0x8000, .step = STEP, .mask = SPAN - 1};
	uint32_t n = MESSAGES;

	said[0] = '\0';
	completes = refused = 0;
	assert_int_equal(poster->post_run(qpx, &wrs[0], &slots, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(slots.offset, MESSAGES * STEP % SPAN);
	assert_int_equal(poster->post_list(qpx, &wrs[0]), 0);
	assert_int_equal(completes, MESSAGES + 1);
}

TEST(each_kind_calls_what_the_general_one_calls)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		enum ibv_qp_type type;
		unsigned flags;
		int num_sge;
		bool is_general;
	} rows[] = {
		{IBV_WR_RDMA_WRITE, IBV_QPT_RC, 0, 1, false},
		{IBV_WR_RDMA_WRITE, IBV_QPT_RC, IBV_SEND_INLINE, 1, false},
		{IBV_WR_RDMA_WRITE, IBV_QPT_UC, IBV_SEND_SIGNALED, 1, false},
		{IBV_WR_SEND, IBV_QPT_RC, 0, 1, false},
		{IBV_WR_SEND, IBV_QPT_RC, IBV_SEND_INLINE | IBV_SEND_SIGNALED, 1, false},
		{IBV_WR_SEND, IBV_QPT_UD, 0, 1, false},
		{IBV_WR_SEND, IBV_QPT_UD, IBV_SEND_INLINE, 1, false},
		{IBV_WR_RDMA_READ, IBV_QPT_RC, 0, 1, false},
		{IBV_WR_RDMA_WRITE, IBV_QPT_XRC_SEND, IBV_SEND_INLINE, 1, false},
		{IBV_WR_SEND, IBV_QPT_XRC_SEND, 0, 1, false},
		{IBV_WR_RDMA_READ, IBV_QPT_DRIVER, 0, 1, false},
		{IBV_WR_SEND, IBV_QPT_DRIVER, IBV_SEND_INLINE, 1, false},
		{IBV_WR_ATOMIC_CMP_AND_SWP, IBV_QPT_RC, 0, 1, false},
		{IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_QPT_RC, 0, 1, false},
		{IBV_WR_SEND, IBV_QPT_RC, 0, 0, true},
		{IBV_WR_SEND, IBV_QPT_RC, IBV_SEND_INLINE, 0, true},
		{IBV_WR_SEND_WITH_IMM, IBV_QPT_RC, 0, 1, true},
		{IBV_WR_RDMA_WRITE_WITH_IMM, IBV_QPT_RC, 0, 1, true},
	};
	char expected[sizeof(said)];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ibv_qp_ex qpx = fake_qp(rows[i].type);
		const struct wr_poster *poster;

		requests(rows[i].opcode, rows[i].type, rows[i].flags, rows[i].num_sge);
		poster = wr_poster_of(&qpx, &wrs[0]);
		assert_int_equal(poster == &wr_poster_general, rows[i].is_general);
		post(&wr_poster_general, &qpx);
		strcpy(expected, said);
		post(poster, &qpx);
		assert_string_equal(said, expected);
	}
}

TEST(calls_say_what_the_request_says)
{
	struct ibv_qp_ex qpx = fake_qp(IBV_QPT_UD);

	requests(IBV_WR_SEND, IBV_QPT_UD, 0, 1);
	post(wr_poster_of(&qpx, &wrs[0]), &qpx);
	assert_string_equal(said, "start send id 7 flags 0 to 0x4000 33 44 from 1000 8 lkey 10 complete\n"
				  "start send id 7 flags 0 to 0x4000 33 44 from 1040 8 lkey 10 complete\n"
				  "start send id 7 flags 0 to 0x4000 33 44 from 1000 8 lkey 10 complete\n"
				  "start send id 7 flags 0 to 0x4000 33 44 from 1000 8 lkey 10 "
				  "send id 8 flags 2 to 0x4000 33 44 from 1001 9 lkey 11 "
				  "send id 9 flags 0 to 0x4000 33 44 from 1002 10 lkey 12 complete\n");
	qpx = fake_qp(IBV_QPT_RC);
	requests(IBV_WR_ATOMIC_CMP_AND_SWP, IBV_QPT_RC, 0, 1);
	post(wr_poster_of(&qpx, &wrs[0]), &qpx);
	assert_non_null(strstr(said, "start cmp_swp id 7 flags 0 rkey 99 at 8040 3 4 from 1040 8 lkey 10 complete\n"));
	assert_non_null(strstr(said, "cmp_swp id 9 flags 0 rkey 99 at 2002 3 4 from 1002 10 lkey 12 complete\n"));
}

/* Those before the one that is refused are posted, it and what is behind it are not. */
TEST(refusal_ends_a_run)
{
	struct ibv_qp_ex qpx = fake_qp(IBV_QPT_RC);
	struct slot_stride slots = {.local_base = 0x1000, .remote_base = 0x8000, .step = STEP, .mask = SPAN - 1};
	uint32_t n = MESSAGES;

	requests(IBV_WR_RDMA_WRITE, IBV_QPT_RC, 0, 1);
	completes = 0;
	refused = 2;
	assert_int_equal(wr_poster_of(&qpx, &wrs[0])->post_run(&qpx, &wrs[0], &slots, &n), ENOMEM);
	assert_int_equal(n, MESSAGES - 1);
	assert_int_equal(slots.offset, STEP);
	refused = 3;
	assert_int_equal(wr_poster_of(&qpx, &wrs[0])->post_list(&qpx, &wrs[0]), ENOMEM);
}

TEST_MAIN(NULL, NULL)
