// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the software device, interposed before libibverbs, leave a real device alone? libibverbs is a stand-in here,
 * with one device "real0" (fake_ibverbs.h).
 */
#include "config.h"

#include "abi/verbs_later.h"
#include "cmocka_all.h"
#include "fake_ibverbs.h"

#undef ibv_reg_mr

static int fake_reset(void **state)
{
	fake_ibverbs.has_devices = true;
	fake_ibverbs.calls = 0;
	return 0;
}

TEST(test_real_devices_come_first, fake_reset, NULL)
{
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);

	assert_int_equal(count, 3);
	assert_ptr_equal(list[0], &fake_ibverbs.device);
	assert_string_equal(ibv_get_device_name(list[1]), "soft0");
	assert_string_equal(ibv_get_device_name(list[2]), "soft1");
	assert_null(list[3]);
	/* real devices are held as long as the list, and given back with it */
	assert_non_null(fake_ibverbs.list);
	ibv_free_device_list(list);
	assert_null(fake_ibverbs.list);
}

TEST(test_without_kernel_support_ours_are_listed, fake_reset, NULL)
{
	int count = 0;
	struct ibv_device **list;

	fake_ibverbs.has_devices = false;
	list = ibv_get_device_list(&count);
	assert_non_null(list);
	assert_int_equal(count, 2);
	assert_string_equal(ibv_get_device_name(list[0]), "soft0");
	ibv_free_device_list(list);
}

TEST(test_calls_on_a_real_device_are_handed_over, fake_reset, NULL)
{
	struct ibv_context *context = ibv_open_device(&fake_ibverbs.device);
	union ibv_gid gid = {0};
	char buffer[16];

	assert_ptr_equal(context, &fake_ibverbs.context);
	assert_int_equal(ibv_query_gid(context, 3, 5, &gid), 0);
	assert_int_equal(gid.raw[0], 3);
	assert_int_equal(gid.raw[1], 5);
	assert_ptr_equal(ibv_alloc_pd(context), &fake_ibverbs.pd);
	assert_ptr_equal(ibv_reg_mr(&fake_ibverbs.pd, buffer, sizeof(buffer), IBV_ACCESS_REMOTE_READ),
			 &fake_ibverbs.mr);
	assert_ptr_equal(fake_ibverbs.mr.pd, &fake_ibverbs.pd);
	assert_ptr_equal(fake_ibverbs.mr.addr, buffer);
	assert_int_equal(fake_ibverbs.mr.length, sizeof(buffer));
	assert_int_equal(fake_ibverbs.mr.handle, IBV_ACCESS_REMOTE_READ);
	assert_ptr_equal(ibv_reg_dmabuf_mr(&fake_ibverbs.pd, 1, 2, 3, 4, 5), &fake_ibverbs.mr);
	assert_ptr_equal(fake_ibverbs.mr.addr, (void *)4);
	assert_int_equal(fake_ibverbs.mr.length, 2);
	assert_int_equal(fake_ibverbs.mr.lkey, 4);
	assert_int_equal(fake_ibverbs.mr.handle, 5);
	assert_int_equal(ibv_close_device(context), 0);
	assert_int_equal(fake_ibverbs.calls, 6);
}

TEST(test_calls_on_a_soft_device_are_not, fake_reset, NULL)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(list[1]);
	union ibv_gid gid;
	struct ibv_pd *pd;

	ibv_free_device_list(list);
	assert_non_null(context);
	pd = ibv_alloc_pd(context);
	assert_non_null(pd);
	assert_int_equal(ibv_query_gid(context, 1, 0, &gid), 0);
	assert_null(ibv_reg_dmabuf_mr(pd, 0, 1, 0, 0, 0));
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
	assert_int_equal(fake_ibverbs.calls, 0);
}

/* The stand-in is older than some verbs, as a libibverbs may be: that is said, not called. */
TEST(test_a_verb_that_libibverbs_lacks_is_refused, fake_reset, NULL)
{
	uint64_t speed;
	int pkey_index;

	assert_int_equal(ibv_query_port_speed(&fake_ibverbs.context, 1, &speed), EOPNOTSUPP);
	errno = 0;
	pkey_index = ibv_get_pkey_index(&fake_ibverbs.context, 1, 0);
	assert_int_equal(pkey_index, -1);
	assert_int_equal(errno, EOPNOTSUPP);
	errno = 0;
	assert_null(ibv_create_comp_channel(&fake_ibverbs.context));
	assert_int_equal(errno, EOPNOTSUPP);
}

TEST_MAIN(NULL, NULL)
