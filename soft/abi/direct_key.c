// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libmlx5's keys that sign blocks of data, check their signatures and strip them between memory and wire:
 * mlx5dv_create_mkey(3), mlx5dv_wr_mkey_configure(3) and mlx5dv_wr_set_mkey_sig_block(3). signed_memory.c implements
 * it. direct.c says when these calls are enabled.
 *
 * Compared with adapters: a key names one contiguous part of one region, block sizes are equal on both sides, there is
 * no copy mask and no encryption, and requests start at the key's first byte.
 */
#define _GNU_SOURCE
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "abi/direct.h"

struct direct_key {
	struct mlx5dv_mkey base;
	struct ibv_mr *mr;
};

SOFT_EXPORT struct mlx5dv_mkey *mlx5dv_create_mkey(struct mlx5dv_mkey_init_attr *attr)
{
	/* INDIRECT, and BLOCK_SIGNATURE, which older headers lack. */
	const uint32_t known = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | 1u << 1;
	__typeof__(&mlx5dv_create_mkey) real;
	struct direct_key *key;

	if (!direct_answers_for(attr->pd->context->device)) {
		real = REAL(mlx5dv_create_mkey, "MLX5_1.10");
		return real ? real(attr) : direct_refuse(EOPNOTSUPP);
	}
	if (soft_owns(attr->pd->context) == OWNER_PARENT || attr->create_flags != known || attr->max_entries > 1)
		return direct_refuse(EOPNOTSUPP);
	key = calloc(1, sizeof(*key));
	if (!key)
		return direct_refuse(ENOMEM);
	key->mr = soft_alloc_signed_mr(attr->pd);
	if (!key->mr) {
		free(key);
		return NULL;
	}
	key->base = (struct mlx5dv_mkey){.lkey = key->mr->lkey, .rkey = key->mr->rkey};
	attr->max_entries = 1;
	return &key->base;
}

/* A key does not identify its device: those of this device are looked up. */
static struct direct_key *own_key(struct mlx5dv_mkey *mkey)
{
	return soft_is_direct() && soft_signed_key(mkey->lkey) ? (struct direct_key *)mkey : NULL;
}

SOFT_EXPORT int mlx5dv_destroy_mkey(struct mlx5dv_mkey *mkey)
{
	struct direct_key *key = own_key(mkey);
	__typeof__(&mlx5dv_destroy_mkey) real;
	int err;

	if (!key) {
		real = REAL(mlx5dv_destroy_mkey, "MLX5_1.10");
		return real ? real(mkey) : EOPNOTSUPP;
	}
	err = soft_dereg_mr(key->mr);
	if (!err)
		free(key);
	return err;
}

#ifdef HAVE_STRUCT_MLX5DV_QP_EX_WR_SET_MKEY_SIG_BLOCK

SOFT_EXPORT int _mlx5dv_mkey_check(struct mlx5dv_mkey *mkey, struct mlx5dv_mkey_err *error, size_t size)
{
	static const enum mlx5dv_mkey_err_type types[] = {
		[SIGNATURE_RIGHT] = MLX5DV_MKEY_NO_ERR,
		[SIGNATURE_BAD_GUARD] = MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD,
		[SIGNATURE_BAD_REF_TAG] = MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG,
		[SIGNATURE_BAD_APP_TAG] = MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG,
	};
	const struct direct_key *key = own_key(mkey);
	__typeof__(&_mlx5dv_mkey_check) real;
	struct mlx5dv_mkey_err answer = {.err_type = MLX5DV_MKEY_NO_ERR};
	struct soft_signed_wrong wrong;

	if (!key) {
		real = REAL(_mlx5dv_mkey_check, "MLX5_1.20");
		return real ? real(mkey, error, size) : EOPNOTSUPP;
	}
	if (soft_signed_take_wrong(mkey->lkey, &wrong) && wrong.what < sizeof(types) / sizeof(types[0])) {
		answer.err_type = types[wrong.what];
		answer.err.sig = (struct mlx5dv_sig_err){
			.actual_value = wrong.actual, .expected_value = wrong.expected, .offset = wrong.offset};
	}
	memset(error, 0, size);
	memcpy(error, &answer, size < sizeof(answer) ? size : sizeof(answer));
	return 0;
}

static struct direct_qp *direct_qp_of(struct mlx5dv_qp_ex *dv)
{
	return (struct direct_qp *)dv;
}

/* The requested feature is not supported: ibv_wr_complete() reports it, and nothing is posted. */
static void key_fail(struct direct_qp *direct, int err)
{
	direct->request = NULL;
	soft_wr_fail(direct->qp, err);
}

static void config_write(const struct direct_qp *direct)
{
	if (direct->request)
		memcpy(direct->request, &direct->config, sizeof(direct->config));
}

static void wr_mkey_configure(struct mlx5dv_qp_ex *dv, struct mlx5dv_mkey *mkey, uint8_t num_setters,
			      struct mlx5dv_mkey_conf_attr *attr)
{
	struct direct_qp *direct = direct_qp_of(dv);

	(void)num_setters;
	direct->config = (struct signed_config){.sets = 0};
	if (attr->comp_mask || attr->conf_flags & ~(uint32_t)MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR) {
		key_fail(direct, EOPNOTSUPP);
		return;
	}
	if (attr->conf_flags)
		direct->config.sets = SIGNED_SIGNATURES;
	direct->request = soft_wr_set_up_key(direct->qp, mkey->lkey, sizeof(direct->config));
	config_write(direct);
}

static void wr_set_mkey_access_flags(struct mlx5dv_qp_ex *dv, uint32_t access)
{
	struct direct_qp *direct = direct_qp_of(dv);

	direct->config.sets |= SIGNED_ACCESS;
	direct->config.access = access;
	config_write(direct);
}

static void wr_set_mkey_layout_list(struct mlx5dv_qp_ex *dv, uint16_t count, const struct ibv_sge *sge)
{
	struct direct_qp *direct = direct_qp_of(dv);

	if (count != 1) {
		key_fail(direct, count ? ENOMEM : EINVAL);
		return;
	}
	direct->config.sets |= SIGNED_LAYOUT;
	direct->config.region = sge->lkey;
	direct->config.addr = sge->addr;
	direct->config.length = sge->length;
	config_write(direct);
}

static void wr_set_mkey_layout_interleaved(struct mlx5dv_qp_ex *dv, uint32_t repeats, uint16_t count,
					   const struct mlx5dv_mr_interleaved *data)
{
	(void)repeats;
	(void)count;
	(void)data;
	key_fail(direct_qp_of(dv), EOPNOTSUPP);
}

static bool dif_fill(const struct mlx5dv_sig_t10dif *dif, struct signature *signature)
{
	signature->kind = SIGNATURE_T10DIF;
	signature->app_tag = dif->app_tag;
	signature->ref_tag = dif->ref_tag;
	signature->flags = (dif->bg_type == MLX5DV_SIG_T10DIF_CSUM ? SIGNATURE_CHECKSUM : 0) |
			   (dif->bg ? SIGNATURE_ONES : 0) |
			   (dif->flags & MLX5DV_SIG_T10DIF_FLAG_REF_REMAP ? SIGNATURE_COUNTS : 0) |
			   (dif->flags & MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE ? SIGNATURE_APP_ESCAPE : 0) |
			   (dif->flags & MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE ? SIGNATURE_APP_REF_ESCAPE : 0);
	return dif->bg == 0 || dif->bg == UINT16_MAX;
}

static bool crc_fill(const struct mlx5dv_sig_crc *crc, struct signature *signature)
{
	const uint64_t all = crc->type == MLX5DV_SIG_CRC_TYPE_CRC64_XP10 ? UINT64_MAX : UINT32_MAX;

	switch (crc->type) {
	case MLX5DV_SIG_CRC_TYPE_CRC32:
		signature->kind = SIGNATURE_CRC32;
		break;
	case MLX5DV_SIG_CRC_TYPE_CRC32C:
		signature->kind = SIGNATURE_CRC32C;
		break;
	case MLX5DV_SIG_CRC_TYPE_CRC64_XP10:
		signature->kind = SIGNATURE_CRC64;
		break;
	default:
		return false;
	}
	signature->flags = crc->seed & all ? SIGNATURE_ONES : 0;
	return !(crc->seed & all) || (crc->seed & all) == all;
}

/* NULL: there is no signature on that side. */
static bool domain_fill(const struct mlx5dv_sig_block_domain *domain, struct signature *signature)
{
	static const uint32_t blocks[] = {
		[MLX5DV_BLOCK_SIZE_512] = 512,	 [MLX5DV_BLOCK_SIZE_520] = 520,	  [MLX5DV_BLOCK_SIZE_4048] = 4048,
		[MLX5DV_BLOCK_SIZE_4096] = 4096, [MLX5DV_BLOCK_SIZE_4160] = 4160,
	};

	*signature = (struct signature){.kind = SIGNATURE_NONE};
	if (!domain)
		return true;
	if (domain->comp_mask || domain->block_size >= sizeof(blocks) / sizeof(blocks[0]))
		return false;
	signature->block = blocks[domain->block_size];
	return domain->sig_type == MLX5DV_SIG_TYPE_T10DIF ? dif_fill(domain->sig.dif, signature)
	       : domain->sig_type == MLX5DV_SIG_TYPE_CRC  ? crc_fill(domain->sig.crc, signature)
							  : false;
}

static void wr_set_mkey_sig_block(struct mlx5dv_qp_ex *dv, const struct mlx5dv_sig_block_attr *attr)
{
	struct direct_qp *direct = direct_qp_of(dv);
	struct signed_config *config = &direct->config;
	const bool is_known = !attr->comp_mask && !attr->flags && domain_fill(attr->mem, &config->memory) &&
			      domain_fill(attr->wire, &config->wire) &&
			      (!attr->mem || !attr->wire || config->memory.block == config->wire.block);

	if (!is_known) {
		key_fail(direct, EOPNOTSUPP);
		return;
	}
	config->sets |= SIGNED_SIGNATURES;
	config->check_mask = attr->check_mask;
	config_write(direct);
}

bool direct_key_install(struct direct_qp *direct)
{
	direct->dv.wr_mkey_configure = wr_mkey_configure;
	direct->dv.wr_set_mkey_access_flags = wr_set_mkey_access_flags;
	direct->dv.wr_set_mkey_layout_list = wr_set_mkey_layout_list;
	direct->dv.wr_set_mkey_layout_interleaved = wr_set_mkey_layout_interleaved;
	direct->dv.wr_set_mkey_sig_block = wr_set_mkey_sig_block;
	return true;
}

void direct_key_query(uint64_t asked, struct mlx5dv_context *attr)
{
	if (!(asked & MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD))
		return;
	attr->sig_caps = (struct mlx5dv_sig_caps){
		.block_size = MLX5DV_BLOCK_SIZE_CAP_512 | MLX5DV_BLOCK_SIZE_CAP_520 | MLX5DV_BLOCK_SIZE_CAP_4048 |
			      MLX5DV_BLOCK_SIZE_CAP_4096 | MLX5DV_BLOCK_SIZE_CAP_4160,
		.block_prot = MLX5DV_SIG_PROT_CAP_T10DIF | MLX5DV_SIG_PROT_CAP_CRC,
		.t10dif_bg = MLX5DV_SIG_T10DIF_BG_CAP_CRC | MLX5DV_SIG_T10DIF_BG_CAP_CSUM,
		.crc_type = MLX5DV_SIG_CRC_TYPE_CAP_CRC32 | MLX5DV_SIG_CRC_TYPE_CAP_CRC32C |
			    MLX5DV_SIG_CRC_TYPE_CAP_CRC64_XP10,
	};
	attr->comp_mask |= MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD;
}

#else

/* Always defined, whatever the headers: the version script lists it. */
SOFT_EXPORT int _mlx5dv_mkey_check(struct mlx5dv_mkey *mkey, void *error, size_t size);
SOFT_EXPORT int _mlx5dv_mkey_check(struct mlx5dv_mkey *mkey, void *error, size_t size)
{
	__typeof__(&_mlx5dv_mkey_check) real = own_key(mkey) ? NULL : REAL(_mlx5dv_mkey_check, "MLX5_1.20");

	return real ? real(mkey, error, size) : EOPNOTSUPP;
}

bool direct_key_install(struct direct_qp *direct)
{
	(void)direct;
	return false;
}

void direct_key_query(uint64_t asked, struct mlx5dv_context *attr)
{
	(void)asked;
	(void)attr;
}

#endif
