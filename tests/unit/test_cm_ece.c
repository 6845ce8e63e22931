// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Enhanced connection establishment: what is passed to the peer and to the queue pair, with devices that behave
 * differently.
 */
#include "verbs/connect/cm_qp.h"

#include "cmocka_all.h"

#define VENDOR 0x15b3

static struct rdma_cm_id id;
static struct ibv_qp qp;

/* The device's word, and what the connection carried. */
static struct {
	int query_err, set_err, cm_errno;
	struct ibv_ece own, remote, passed, set;
	unsigned num_passed, num_set;
} fake;

int ibv_query_ece(struct ibv_qp *asked, struct ibv_ece *ece)
{
	assert_ptr_equal(asked, &qp);
	if (fake.query_err)
		memset(ece, 0x5a, sizeof(*ece));
	else
		*ece = fake.own;
	return fake.query_err;
}

int ibv_set_ece(struct ibv_qp *asked, struct ibv_ece *ece)
{
	assert_ptr_equal(asked, &qp);
	assert_int_equal(ece->comp_mask, 0);
	fake.num_set++;
	fake.set = *ece;
	return fake.set_err;
}

int rdma_set_local_ece(struct rdma_cm_id *asked, struct ibv_ece *ece)
{
	assert_ptr_equal(asked, &id);
	fake.num_passed++;
	fake.passed = *ece;
	errno = fake.cm_errno;
	return fake.cm_errno ? -1 : 0;
}

int rdma_get_remote_ece(struct rdma_cm_id *asked, struct ibv_ece *ece)
{
	assert_ptr_equal(asked, &id);
	*ece = fake.remote;
	errno = fake.cm_errno;
	return fake.cm_errno ? -1 : 0;
}

static int make(void **state)
{
	memset(&fake, 0, sizeof(fake));
	fake.own = (struct ibv_ece){.vendor_id = VENDOR, .options = 7, .comp_mask = 1};
	fake.remote = (struct ibv_ece){.vendor_id = VENDOR, .options = 5, .comp_mask = 2};
	return 0;
}

/* As devices without it answer (ibv_query_ece(3)), and libraries that do not know the call. */
static const int absent[] = {EOPNOTSUPP, ENOTSUP, ENOSYS};

TEST(what_a_device_has_is_passed_on, make, NULL)
{
	assert_int_equal(cm_ece_offer(&id, &qp), 0);
	assert_int_equal(fake.num_passed, 1);
	assert_int_equal(fake.passed.vendor_id, VENDOR);
	assert_int_equal(fake.passed.options, 7);
	fake.own.options = 0; /* none of them, which is something that the peer must know */
	assert_int_equal(cm_ece_offer(&id, &qp), 0);
	assert_int_equal(fake.num_passed, 2);
	assert_int_equal(fake.passed.options, 0);
}

TEST(a_device_without_it_says_nothing, make, NULL)
{
	bool taken = true;

	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		fake.query_err = absent[i];
		assert_int_equal(cm_ece_offer(&id, &qp), 0);
		assert_int_equal(cm_ece_apply(&id, &qp, &taken), 0);
		assert_false(taken);
	}
	assert_int_equal(fake.num_passed + fake.num_set, 0);
}

TEST(the_queue_pair_gets_what_the_peer_has, make, NULL)
{
	struct ibv_ece agreed;
	bool taken = false;

	assert_int_equal(cm_ece_apply(&id, &qp, &taken), 0);
	assert_true(taken);
	assert_int_equal(fake.num_set, 1);
	assert_int_equal(fake.set.vendor_id, VENDOR);
	assert_int_equal(fake.set.options, 5);
	/* Not asked before the queue pair is ready to receive. */
	fake.own.options = 5;
	assert_int_equal(cm_ece_agreed(&qp, &agreed), 0);
	assert_int_equal(agreed.options, 5);
}

TEST(what_says_nothing_here_changes_nothing, make, NULL)
{
	static const uint32_t vendors[] = {0, VENDOR + 1};
	bool taken;

	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
		fake.remote.vendor_id = vendors[i];
		taken = true;
		assert_int_equal(cm_ece_apply(&id, &qp, &taken), 0);
		assert_false(taken);
	}
	fake.remote.vendor_id = VENDOR;
	fake.own.vendor_id = 0;
	assert_int_equal(cm_ece_apply(&id, &qp, &taken), 0);
	assert_false(taken);
	assert_int_equal(fake.num_set, 0);
}

/* It may be asked, and can't be told. */
TEST(a_device_that_takes_nothing_over_goes_on_without, make, NULL)
{
	bool taken;

	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		fake.set_err = absent[i];
		taken = true;
		assert_int_equal(cm_ece_apply(&id, &qp, &taken), 0);
		assert_false(taken);
	}
}

TEST(what_fails_is_reported, make, NULL)
{
	bool taken = true;

	fake.set_err = EINVAL;
	assert_int_equal(cm_ece_apply(&id, &qp, &taken), -EINVAL);
	assert_false(taken);
	fake.query_err = EIO;
	assert_int_equal(cm_ece_offer(&id, &qp), -EIO);
	assert_int_equal(cm_ece_apply(&id, &qp, &taken), -EIO);
	assert_int_equal(fake.num_passed, 0);
	fake.query_err = 0;
	fake.cm_errno = EINVAL;
	assert_int_equal(cm_ece_offer(&id, &qp), -EINVAL);
	assert_int_equal(cm_ece_apply(&id, &qp, &taken), -EINVAL);
	assert_false(taken);
}

TEST_MAIN(NULL, NULL)
