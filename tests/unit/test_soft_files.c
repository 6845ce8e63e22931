// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A peer's memory that is in a file of its program: what happens to its users when the file is truncated, and to
 * mappings of memory that is no longer registered.
 */
#define _GNU_SOURCE
#include "soft_rig.h"

#define FILE_SIZE (1u << 20)
#define PAGE	  4096u

enum order { REGISTER, DEREGISTER, POST, CUT, POLL, END };

struct answer {
	struct rig_address address;
	int status;
};

static struct {
	struct rig_end end;
	struct rig_address peer;
	int fd; /* to the peer */
	pid_t child;
} near;

static struct answer request(enum order order)
{
	struct answer answer;

	RIG_CHECK(write(near.fd, &order, sizeof(order)) == sizeof(order));
	RIG_CHECK(read(near.fd, &answer, sizeof(answer)) == sizeof(answer));
	return answer;
}

/* The peer: its memory is a file, which it cuts short when it is told so. */
static void peer_run(int fd, const struct rig_options *options)
{
	int file = memfd_create("test_soft_files", MFD_CLOEXEC);
	struct ibv_mr *mr = NULL;
	struct rig_end end;
	struct rig_address other;
	enum order order;
	uint8_t *memory;

	RIG_CHECK(file >= 0 && ftruncate(file, FILE_SIZE) == 0);
	memory = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	RIG_CHECK(memory != MAP_FAILED);
	rig_end_open(&end, options);
	other = rig_end_address(&end);
	RIG_CHECK(write(fd, &other, sizeof(other)) == sizeof(other));
	RIG_CHECK(read(fd, &other, sizeof(other)) == sizeof(other));
	rig_end_connect(&end, other.qpn);
	for (;;) {
		struct answer answer = {.status = 0};
		struct ibv_sge sge = {.addr = (uint64_t)(uintptr_t)memory, .length = FILE_SIZE};
		struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

		RIG_CHECK(read(fd, &order, sizeof(order)) == sizeof(order));
		switch (order) {
		case REGISTER:
			mr = ibv_reg_mr(end.pd, memory, FILE_SIZE, RIG_ACCESS);
			RIG_CHECK(mr);
			answer.address.addr = sge.addr;
			answer.address.rkey = mr->rkey;
			break;
		case DEREGISTER:
			RIG_CHECK(ibv_dereg_mr(mr) == 0);
			break;
		case POST:
			sge.lkey = mr->lkey;
			RIG_CHECK(ibv_post_recv(end.qp, &wr, &bad) == 0);
			break;
		case CUT:
			RIG_CHECK(ftruncate(file, 0) == 0);
			break;
		case POLL:
			answer.status = rig_poll(end.receive_cq).status;
			break;
		case END:
			RIG_CHECK(ibv_dereg_mr(mr) == 0);
			rig_end_close(&end);
			break;
		}
		RIG_CHECK(write(fd, &answer, sizeof(answer)) == sizeof(answer));
		if (order == END)
			_exit(0);
	}
}

static void open_both(enum ibv_qp_type type)
{
	const struct rig_options options = {.type = type};
	struct rig_address own;
	int pair[2];

	RIG_CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
	near.child = fork();
	if (near.child == 0) {
		close(pair[0]);
		alarm(RIG_WAIT_S * 4);
		peer_run(pair[1], &options);
	}
	close(pair[1]);
	near.fd = pair[0];
	rig_end_open(&near.end, &options);
	own = rig_end_address(&near.end);
	RIG_CHECK(read(near.fd, &near.peer, sizeof(near.peer)) == sizeof(near.peer));
	RIG_CHECK(write(near.fd, &own, sizeof(own)) == sizeof(own));
	rig_end_connect(&near.end, near.peer.qpn);
}

static void close_both(void)
{
	int status;

	request(END);
	RIG_CHECK(waitpid(near.child, &status, 0) == near.child && status == 0);
	close(near.fd);
	rig_end_close(&near.end);
}

static enum ibv_wc_status request_run(enum ibv_wr_opcode opcode, const struct rig_address *to, uint32_t length)
{
	struct ibv_sge sge = {(uint64_t)(uintptr_t)near.end.buffer, length, near.end.mr->lkey};
	struct ibv_send_wr wr = {.opcode = opcode, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1},
			   *bad;

	wr.wr.rdma.remote_addr = to->addr;
	wr.wr.rdma.rkey = to->rkey;
	RIG_CHECK(ibv_post_send(near.end.qp, &wr, &bad) == 0);
	return rig_poll(near.end.send_cq).status;
}

static void cut_under(enum ibv_wr_opcode opcode, uint32_t length, bool is_used_before)
{
	struct answer answer;

	open_both(IBV_QPT_RC);
	answer = request(REGISTER);
	if (is_used_before)
		assert_int_equal(request_run(opcode, &answer.address, length), IBV_WC_SUCCESS);
	request(CUT);
	assert_int_equal(request_run(opcode, &answer.address, length), IBV_WC_REM_ACCESS_ERR);
	close_both();
}

TEST(requests_to_a_file_that_was_cut_short_fail)
{
	cut_under(IBV_WR_RDMA_WRITE, FILE_SIZE, true);
	cut_under(IBV_WR_RDMA_READ, FILE_SIZE, true);
	cut_under(IBV_WR_RDMA_WRITE, FILE_SIZE, false);
}

TEST(a_receive_into_a_file_that_was_cut_short_fails)
{
	struct answer answer;

	open_both(IBV_QPT_RC);
	answer = request(REGISTER);
	assert_int_equal(request_run(IBV_WR_RDMA_WRITE, &answer.address, 64), IBV_WC_SUCCESS); /* maps it */
	request(POST);
	request(CUT);
	assert_int_equal(request_run(IBV_WR_SEND, &answer.address, FILE_SIZE), IBV_WC_REM_OP_ERR);
	assert_int_equal(request(POLL).status, IBV_WC_LOC_PROT_ERR);
	close_both();
}

/* The program's own handler still gets what is its own. */
static volatile sig_atomic_t seen;
static uint8_t *own_page;

static void own_handler(int number)
{
	seen++;
	mmap(own_page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

TEST(a_handler_of_the_program_is_kept)
{
	struct sigaction action = {.sa_handler = own_handler}, before;
	int file = memfd_create("own", MFD_CLOEXEC);
	struct answer answer;

	RIG_CHECK(sigaction(SIGBUS, &action, &before) == 0);
	own_page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	RIG_CHECK(own_page != MAP_FAILED);
	open_both(IBV_QPT_RC);
	answer = request(REGISTER);
	assert_int_equal(request_run(IBV_WR_RDMA_WRITE, &answer.address, 64), IBV_WC_SUCCESS);
	*(volatile uint8_t *)own_page = 1;
	assert_int_equal(seen, 1);
	request(CUT);
	assert_int_equal(request_run(IBV_WR_RDMA_WRITE, &answer.address, 64), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(seen, 1);
	close_both();
	munmap(own_page, PAGE);
	close(file);
}

static int mappings_of_the_file(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int count = 0;

	RIG_CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		count += strstr(line, "test_soft_files (deleted)") != NULL;
	fclose(maps);
	return count;
}

/* Its memory would be held as long as the peer lives. */
TEST(what_is_registered_anew_is_mapped_once)
{
	open_both(IBV_QPT_RC);
	for (int i = 0; i < 300; i++) {
		struct answer answer = request(REGISTER);

		assert_int_equal(request_run(IBV_WR_RDMA_WRITE, &answer.address, FILE_SIZE), IBV_WC_SUCCESS);
		assert_int_equal(mappings_of_the_file(), 1);
		if (i < 299)
			request(DEREGISTER);
	}
	close_both();
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
