// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Signature attributes for --sig_offload, taken from a part of linux-rdma perftest that no build of it compiles:
 * T10-DIF on the wire, none in memory; the guard is a CRC with an initial value of all ones, followed by an application
 * tag and a reference tag, which is incremented with each block. See mlx5_mkey.h.
 */
#include "config.h"

#include "verbs/provider/mlx5_mkey.h"

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN

#include <inttypes.h>
#include <stdio.h>

#include "verbs/mkey.h"

#define GUARD_SEED 0xffff
#define APP_TAG	   0x5678
#define REF_TAG	   0xabcdef90

_Static_assert(MKEY_SIGNED_BLOCK == 512, "it is MLX5DV_BLOCK_SIZE_512");

const char *mlx5_signature_lack(const struct mlx5dv_context *context)
{
	const struct mlx5dv_sig_caps *caps = &context->sig_caps;

	if (!(context->comp_mask & MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD) ||
	    !(caps->block_prot & MLX5DV_SIG_PROT_CAP_T10DIF))
		return "does not support T10-DIF block signatures (sig_caps of mlx5dv_query_device())";
	if (!(caps->t10dif_bg & MLX5DV_SIG_T10DIF_BG_CAP_CRC))
		return "does not support the CRC guard of T10-DIF (sig_caps of mlx5dv_query_device())";
	return caps->block_size & MLX5DV_BLOCK_SIZE_CAP_512
		       ? NULL
		       : "does not support blocks of 512 bytes (sig_caps of mlx5dv_query_device())";
}

void mlx5_signature_fill(struct mlx5_signature *signature)
{
	*signature = (struct mlx5_signature){
		.dif =
			{
				.bg_type = MLX5DV_SIG_T10DIF_CRC,
				.bg = GUARD_SEED,
				.app_tag = APP_TAG,
				.ref_tag = REF_TAG,
				.flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP | MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE,
			},
		.domain =
			{
				.sig_type = MLX5DV_SIG_TYPE_T10DIF,
				.sig.dif = &signature->dif,
				.block_size = MLX5DV_BLOCK_SIZE_512,
			},
		.attr =
			{
				.wire = &signature->domain,
				.check_mask = MLX5DV_SIG_MASK_T10DIF_GUARD | MLX5DV_SIG_MASK_T10DIF_APPTAG |
					      MLX5DV_SIG_MASK_T10DIF_REFTAG,
			},
	};
}

const char *mlx5_signature_text(const struct mlx5dv_mkey_err *error, char *text, size_t size)
{
	const struct mlx5dv_sig_err *sig = &error->err.sig;
	const char *part = error->err_type == MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD	 ? "guard"
			   : error->err_type == MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG ? "application tag"
			   : error->err_type == MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG ? "reference tag"
										 : NULL;

	if (error->err_type == MLX5DV_MKEY_NO_ERR)
		return NULL;
	if (part)
		snprintf(text, size, "a wrong %s at offset %" PRIu64 " of a message: 0x%" PRIx64 ", and not 0x%" PRIx64,
			 part, sig->offset, sig->expected_value, sig->actual_value);
	else
		snprintf(text, size, "an error of kind %d", (int)error->err_type);
	return text;
}

#endif
