// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens and closes a soft device, for export.c. An open device is a struct verbs_context like a provider's, with our
 * operations for everything that the inline functions of verbs.h call through it.
 *
 * For an operation left NULL, verbs.h itself returns EOPNOTSUPP, if it checks; the operations that it does not check
 * (destroy_wq, free_dm, ...) need an object that this device never creates.
 */
#include <fcntl.h>

#include "abi/abi.h"
#include "host/profile.h"
#include "host/threads.h"

/* The clock of completion timestamps; all of it in tv_nsec, as on adapters. */
static int query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	uint32_t wanted = values->comp_mask;

	(void)context;
	values->comp_mask = 0;
	if (wanted & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK)
		return EOPNOTSUPP;
	if (wanted) {
		values->raw_clock = (struct timespec){.tv_nsec = (long)soft_clock_now()};
		values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	}
	return 0;
}

bool soft_is_direct(void)
{
	const char *asked = getenv("PERFTEST_SOFT_DIRECT");

	return asked && strcmp(asked, "1") == 0;
}

/* As in mlx5, from which linux-rdma perftest also requests the number of a queue for DC: 0 if it has none. */
static int get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	int err = soft_get_srq_num(srq, number);

	if (err != EOPNOTSUPP || !soft_is_direct())
		return err;
	*number = 0;
	return 0;
}

/* Those that the profile does not have: verbs.h refuses them with EOPNOTSUPP. */
static void operations_leave_out(struct verbs_context *verbs)
{
	const struct soft_profile *profile = soft_profile();

	if (!(profile->has & PROFILE_WINDOWS))
		verbs->context.ops.alloc_mw = NULL;
	if (!(profile->has & PROFILE_EXTENDED_CQS))
		verbs->create_cq_ex = NULL;
	if (!(profile->has & PROFILE_DOMAINS))
		verbs->alloc_parent_domain = NULL;
	if (!(profile->has & PROFILE_THREADS))
		verbs->alloc_td = NULL;
	if (!(profile->has & PROFILE_PAGING))
		verbs->advise_mr = NULL;
	if (!(profile->flags & IBV_DEVICE_XRC))
		verbs->open_xrcd = NULL;
	if (!(profile->has & PROFILE_DEVICE_MEMORY))
		verbs->alloc_dm = NULL;
	if (!(profile->has & PROFILE_NULL_REGION))
		verbs->alloc_null_mr = NULL;
	if (!(profile->has & PROFILE_CLOCK))
		verbs->query_rt_values = NULL;
}

static void operations_fill(struct verbs_context *verbs)
{
#define FILL(name) verbs->name = soft_##name;
	/* clang-format off */
	FILL(query_port) FILL(query_device_ex) FILL(create_cq_ex) FILL(create_qp_ex) FILL(create_srq_ex) FILL(open_xrcd)
	FILL(close_xrcd) FILL(alloc_td) FILL(dealloc_td) FILL(alloc_parent_domain) FILL(advise_mr) FILL(alloc_null_mr)
	FILL(alloc_dm) FILL(free_dm) FILL(reg_dm_mr) FILL(create_wq) FILL(modify_wq) FILL(destroy_wq)
	FILL(create_rwq_ind_table) FILL(destroy_rwq_ind_table)
	verbs->get_srq_num = get_srq_num;
	/* clang-format on */
	verbs->query_rt_values = query_rt_values;
	verbs->ibv_create_flow = soft_create_flow;
	verbs->ibv_destroy_flow = soft_destroy_flow;
	verbs->context.ops.alloc_mw = soft_alloc_mw;
	verbs->context.ops.dealloc_mw = soft_dealloc_mw;
	verbs->context.ops.bind_mw = soft_bind_mw;
}

/*
 * sz and abi_compat match the headers of this build: a program built with later ones, whose structure grew at its
 * start, compares sz and does not access more.
 */
struct ibv_context *soft_open_device(struct ibv_device *device)
{
	SOFT_UNCANCELLED;
	struct soft_context *context = calloc(1, sizeof(*context));
	int err;

	if (!context)
		return NULL;
	context->device_number = (unsigned int)((struct soft_device *)device - soft_devices);
	context->verbs.sz = sizeof(context->verbs);
	context->verbs.context.device = device;
	context->verbs.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	operations_fill(&context->verbs);
	context->verbs.context.cmd_fd = -1;
	context->verbs.context.async_fd = -1;
	pthread_mutex_init(&context->verbs.context.mutex, NULL);
	err = soft_context_init(context);
	if (err)
		goto err_free;
	operations_leave_out(&context->verbs);
	/* Nothing is written to it, but programs expect a descriptor. */
	context->verbs.context.cmd_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (context->verbs.context.cmd_fd < 0) {
		err = errno;
		soft_context_fini(context);
		goto err_free;
	}
	return &context->verbs.context;

err_free:
	pthread_mutex_destroy(&context->verbs.context.mutex);
	free(context);
	return soft_refuse(err);
}

int soft_close_device(struct ibv_context *context)
{
	SOFT_UNCANCELLED;
	struct soft_context *soft = soft_context_of(context);

	close(context->cmd_fd);
	soft_context_fini(soft);
	pthread_mutex_destroy(&context->mutex);
	free(soft);
	return 0;
}
