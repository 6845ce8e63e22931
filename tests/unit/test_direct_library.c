// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Do the providers' libraries have what the code calls, and what is reported if they, or their devices, are missing? */
#define _GNU_SOURCE /* dlvsym() */
#include "config.h"

#include <dlfcn.h>
#include <infiniband/verbs.h>

#include "cmocka_all.h"
#include "memory/memory.h"
#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/device/direct_library.h"
#include "verbs/maker.h"
#include "verbs/memory/mr.h"
#include "verbs/provider/hns_qp.h"
#include "verbs/provider/mlx5.h"
#include "verbs/qp/qp.h"
#include "verbs/verbs_config.h"

/* A provider looks behind the public structure to see whose device it is: zeroes are nobody's. */
static struct {
	struct ibv_device base;
	unsigned char behind[4096];
} nobodys;

/* Nor does the public half of a context stand alone. */
static struct verbs_context context = {.context = {.device = &nobodys.base, .abi_compat = __VERBS_ABI_IS_EXTENDED}};

/* Those of any device here. */
static struct direct_set opened;

static void is_said(const char *words)
{
	if (!strstr(log_last_error(), words))
		fail_msg("\"%s\" does not say \"%s\"", log_last_error(), words);
}

static void skip_without(const char *file)
{
	if (!dlopen(file, RTLD_NOW | RTLD_LOCAL))
		skip();
}

/* The library of the distribution has every function under the version that the rows name. */
TEST(a_device_of_another_driver_is_reported)
{
	const struct device device = {.name = "rxe0", .context = &context.context, .direct = &opened};

	skip_without("libmlx5.so.1");
	assert_null(mlx5_library_of(&device, "-c DC"));
	is_said("-c DC is for adapters with the driver mlx5 (NVIDIA ConnectX and BlueField), which rxe0 is not");
}

TEST(a_device_that_is_no_efa_is_reported)
{
	const struct device device = {.name = "rxe0", .context = &context.context, .direct = &opened};
	const struct verbs_config config = {.num_qps = 1};

	skip_without("libefa.so.1");
	assert_int_equal(maker_efa.check(&device, &config), -EOPNOTSUPP);
	is_said("-c SRD is for Amazon's Elastic Fabric Adapter (EFA), which rxe0 is not");
}

struct functions {
	void (*one)(void);
};

static int open_for(const char *file, const char *name, bool is_software, bool is_optional, struct functions *functions)
{
	const struct library_symbol symbols[] = {LIBRARY_ROW_IN(struct functions, one, name, .version = "IBVERBS_1.1",
								.since = 99, .is_optional = is_optional),
						 {.name = NULL}};
	const struct direct_library library = {
		{{file}, symbols, "a package", false}, .is_of_soft = true, .bytes = sizeof(*functions)};
	struct direct_set *set = calloc(1, sizeof(*set));
	const struct functions *found;

	set->is_software = is_software;
	found = direct_library_of(set, &library, "-c ABC");
	functions->one = found ? found->one : NULL;
	direct_set_close(set);
	return found ? 0 : -ENOENT;
}

TEST(what_is_missing_is_named)
{
	struct functions functions;

	assert_int_equal(open_for("libnone.so.1", "ibv_query_device", false, false, &functions), -ENOENT);
	is_said("-c ABC needs libnone.so.1, which comes with a package and cannot be loaded");
	assert_int_equal(open_for("libibverbs.so.1", "ibv_query_device", false, false, &functions), 0);
	assert_non_null(functions.one);
	assert_int_equal(open_for("libibverbs.so.1", "ibv_of_tomorrow", false, false, &functions), -ENOENT);
	is_said("-c ABC needs ibv_of_tomorrow() of libibverbs.so.1, which the installed version does not have; "
		"install that of rdma-core 99 or newer");
	assert_int_equal(open_for("libibverbs.so.1", "ibv_of_tomorrow", false, true, &functions), 0);
	assert_null(functions.one);
	assert_int_equal(open_for("libibverbs.so.1", "ibv_of_tomorrow", true, false, &functions), -ENOENT);
	is_said("-c ABC needs ibv_of_tomorrow(), which the loaded software device does not provide");
}

/* --- queue pairs of verbs that a provider makes --- */

TEST(each_transport_has_its_number_of_unordered_receives)
{
	struct mlx5_context answer = {
		.ooo_recv_wrs = {.max_rc = 1, .max_xrc = 2, .max_dct = 3, .max_ud = 4, .max_uc = 5}};

	assert_int_equal(mlx5_qp_out_of_order(&answer, QP_KIND_RC), 0); /* an older library leaves the mask */
	answer.comp_mask = MLX5_CONTEXT_OOO_RECV_WRS;
	assert_int_equal(mlx5_qp_out_of_order(&answer, QP_KIND_RC), 1);
	assert_int_equal(mlx5_qp_out_of_order(&answer, QP_KIND_XRC_RECV), 2);
	assert_int_equal(mlx5_qp_out_of_order(&answer, QP_KIND_DCT), 3);
	assert_int_equal(mlx5_qp_out_of_order(&answer, QP_KIND_UD), 4);
	assert_int_equal(mlx5_qp_out_of_order(&answer, QP_KIND_UC), 5);
	assert_int_equal(mlx5_qp_out_of_order(&answer, QP_KIND_SRD), 0);
	/* READs and atomics of DC */
	assert_int_equal(mlx5_context_dc_outs(&answer), 0);
	answer.comp_mask = MLX5_CONTEXT_MAX_DC_RD_ATOM;
	answer.max_dc_rd_atom = 16;
	answer.max_dc_init_rd_atom = 8;
	assert_int_equal(mlx5_context_dc_outs(&answer), 8);
}

_Static_assert(offsetof(struct mlx5_context, max_dc_rd_atom) == 152, "behind all that libmlx5 of rdma-core 44 knows");
_Static_assert(offsetof(struct mlx5_context, ooo_recv_wrs) == 176, "");
#ifdef HAVE_STRUCT_MLX5DV_CONTEXT_OOO_RECV_WRS_CAPS
_Static_assert(offsetof(struct mlx5_context, ooo_recv_wrs) == offsetof(struct mlx5dv_context, ooo_recv_wrs_caps), "");
#endif

TEST(a_device_of_another_vendor_has_no_congestion_control)
{
	const struct device soft = {
		.name = "soft0", .context = &context.context, .direct = &opened, .is_software = true};
	const struct device rxe = {.name = "rxe0", .context = &context.context, .direct = &opened};
	const struct verbs_config config = {.congestion = CONGESTION_LDCP};
	struct hns_context answer = {.congest_type = 1 << 0 | 1 << 2};
	char text[64];

	assert_ptr_equal(qp_maker_of_features(&config), &maker_hns);
	assert_int_equal(maker_hns.check(&soft, &config), -EOPNOTSUPP);
	is_said("--congest_type is for HiSilicon adapters (driver hns), which soft0 is not");
	assert_int_equal(maker_hns.check(&rxe, &config), -EOPNOTSUPP);
	is_said(dlopen("libhns.so.1", RTLD_NOW | RTLD_LOCAL) ? "which rxe0 is not"
							     : "--congest_type needs libhns.so.1, which comes with ");
	assert_string_equal(hns_congestion_text(&answer, text, sizeof(text)), "");
	answer.comp_mask = 1;
	assert_string_equal(hns_congestion_text(&answer, text, sizeof(text)), "DCQCN, HC3");
}

/* The loops go on posting. */
TEST(unsolicited_messages_take_no_receives)
{
	struct ibv_recv_wr wr = {.wr_id = 1}, *bad = NULL;

	for (int i = 0; i < 3; i++)
		assert_int_equal(ibv_post_recv(unsolicited_receives(), &wr, &bad), 0);
	assert_null(bad);
}

/* --- processing hints on PCIe --- */

TEST(hints_are_of_adapters)
{
	const struct device soft = {
		.name = "soft0", .context = &context.context, .direct = &opened, .is_software = true};
	const struct device rxe = {.name = "rxe0", .context = &context.context, .direct = &opened};
	const struct hint_config config = {.is_used = true, .ph = 1};
	struct ibv_dmah *dmah = NULL;

	assert_int_equal(tlp_hint_open(&soft, &config, &dmah), -EOPNOTSUPP);
	is_said("soft0 is a software device, not behind PCIe: omit --ph, --tph_mem and --cpu_id");
	if (dlvsym(RTLD_DEFAULT, "ibv_alloc_dmah", "IBVERBS_1.15"))
		skip(); /* it has to be given a device that is there */
	assert_int_equal(tlp_hint_open(&rxe, &config, &dmah), -EOPNOTSUPP);
	is_said("--ph needs ibv_alloc_dmah() of libibverbs.so.1, which the installed version does not have; install "
		"that of rdma-core 59 or newer");
	assert_null(dmah);
}

TEST(a_hint_names_a_cpu_or_none)
{
	struct hint_config config = {.is_used = true, .ph = 3, .cpu_id = CONFIG_AUTO};
	struct tlp_hint_init init;

	tlp_hint_fill(&config, &init);
	assert_int_equal(init.comp_mask, 1 << 1);
	assert_int_equal(init.ph, 3);
	config.cpu_id = 7;
	config.memory = TPH_MEM_PM;
	tlp_hint_fill(&config, &init);
	assert_int_equal(init.comp_mask, 7);
	assert_int_equal(init.cpu_id, 7);
	assert_int_equal(init.tph_mem_type, 1);
}

TEST(hints_are_registered_by_address_or_descriptor)
{
	struct ibv_dmah *dmah = (struct ibv_dmah *)&nobodys;
	struct buffer buffer = {.addr = nobodys.behind, .length = 64, .fd = -1};
	struct tlp_hint_region region;

	tlp_hint_fill_region(&buffer, IBV_ACCESS_LOCAL_WRITE, dmah, &region);
	assert_int_equal(region.comp_mask, 1 << 1 | 1 << 4);
	assert_ptr_equal(region.addr, nobodys.behind);
	assert_int_equal(region.length, 64);
	assert_int_equal(region.access, IBV_ACCESS_LOCAL_WRITE);
	assert_ptr_equal(region.dmah, dmah);
	buffer.fd = 5;
	buffer.fd_offset = 4096;
	tlp_hint_fill_region(&buffer, 0, dmah, &region);
	assert_int_equal(region.comp_mask, 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4);
	assert_int_equal(region.fd, 5);
	assert_int_equal(region.fd_offset, 4096);
	assert_int_equal(region.iova, (uintptr_t)nobodys.behind);
}

#ifdef HAVE_STRUCT_IBV_MR_INIT_ATTR_LENGTH
_Static_assert(sizeof(struct tlp_hint_init) == sizeof(struct ibv_dmah_init_attr), "as libibverbs reads it");
_Static_assert(offsetof(struct tlp_hint_init, tph_mem_type) == offsetof(struct ibv_dmah_init_attr, tph_mem_type), "");
_Static_assert(offsetof(struct tlp_hint_region, dmah) == offsetof(struct ibv_mr_init_attr, dmah), "");
_Static_assert(sizeof(struct tlp_hint_region) >= sizeof(struct ibv_mr_init_attr), "");
#endif

/* All that a measurement sends finds room, as far as the device has it. */
TEST(unsolicited_messages_find_room)
{
	assert_int_equal(cq_unsolicited_entries(512, 5000, 32768), 5512);
	assert_int_equal(cq_unsolicited_entries(512, 40000, 32768), 32768);
	assert_int_equal(cq_unsolicited_entries(512, 0 /* by time */, 32768), 32768);
	assert_int_equal(cq_unsolicited_entries(40000, 5000, 32768), 40000);
}

TEST_MAIN(NULL, NULL)
