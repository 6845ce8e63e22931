// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that cannot be combined with encrypted (--aes_xts) and signed (--sig_offload) messages. See rules.h. */
#include "params/masks.h"
#include "params/rules/rules.h"

#define SIGNED_BLOCK 512 /* data bytes followed by a T10-DIF signature */
#define SIGNATURE    8
#define PROGRAMS     (IB & ~ATOMIC)

void rules_crypto(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct crypto_config *crypto = &verbs->crypto;
	const struct transport_traits *transport = transport_traits(verbs->transport);
	/* The adapter has its own keys for the memory. */
	const bool has_keys = crypto->is_used || verbs->signs;
	const unsigned wrapping = (crypto->kek_path[0] != '\0') + (crypto->credentials_path[0] != '\0') +
				  (crypto->key_program[0] != '\0');
	/* A server without options learns both from the client; then the rules are checked again. */
	const bool is_agreed = params_is_client(params) || params->has_adopted;
	const bool knows_size = is_agreed || params_given(params, "size");
	const bool looks = verbs->data_validation || (is_agreed && params_traffic(params, SIDE_CLIENT).polls_memory);
	/* What is signed first is encrypted together with its signatures. */
	const uint64_t bytes = verbs->signs && crypto->signature_first
				       ? verbs->size / SIGNED_BLOCK * (SIGNED_BLOCK + SIGNATURE)
				       : verbs->size;

	rule_add(rules, PROGRAMS,
		 !crypto->is_used &&
			 (wrapping || crypto->encrypt_on_tx || crypto->signature_first ||
			  params_given(params, "aes_block_size") || params_given(params, "data_enc_keys_number")),
		 "",
		 "--encrypt_on_tx, --sig_before, --aes_block_size, --data_enc_keys_number and the key paths are for "
		 "encryption: give --aes_xts");
	rule_add(rules, PROGRAMS, crypto->is_used && wrapping && wrapping < 3, "",
		 "wrapped keys need --kek_path, --credentials_path and --data_enc_key_app_path: give all three, or "
		 "none");
	rule_add(rules, PROGRAMS,
		 has_keys &&
			 (!transport_counts(transport) || transport->xrc_domain || transport->maker || verbs->rdma_cm),
		 "", "--aes_xts and --sig_offload need RC queue pairs that are connected without -R");
	rule_add(rules, PROGRAMS, has_keys && verbs->use_old_post_send, "",
		 "ibv_post_send() cannot set up the memory keys of --aes_xts and --sig_offload: omit "
		 "--use_old_post_send");
	rule_add(rules, TWO_WAY, has_keys && (verbs->inline_size > 0 || verbs->inline_recv), "",
		 "--aes_xts and --sig_offload work on data that the device reads from memory and writes to memory: "
		 "omit -I and --inline_recv");
	rule_add(rules, PROGRAMS, verbs->signs && (verbs->all_sizes || (knows_size && verbs->size % SIGNED_BLOCK)),
		 "size",
		 "--sig_offload signs whole blocks of 512 bytes: give an -s that is a multiple of that, and omit -a");
	rule_add(rules, PROGRAMS, crypto->is_used && (verbs->all_sizes || (knows_size && bytes % crypto->block_bytes)),
		 "size aes_block_size",
		 "--aes_xts encrypts whole blocks of --aes_block_size; with --sig_offload and --sig_before each 512 "
		 "bytes of the message become 520: give an -s that amounts to a multiple of the block size, and omit "
		 "-a");
	rule_add(rules, PROGRAMS, crypto->is_used && verbs->signs && crypto->signature_first && !crypto->key_program[0],
		 "",
		 "with --sig_before the other side checks the data that it decrypts, so both need the same keys: give "
		 "a --data_enc_key_app_path that makes them, or omit --sig_before");
	rule_add(rules, PROGRAMS, crypto->is_used && looks, "",
		 "with --aes_xts each side has its own keys, so data does not arrive as it was sent: omit "
		 "--data_validation, and give ib_write_lat --write_with_imm");
	rule_add(rules, PROGRAMS, verbs->signs && looks, "",
		 "with --sig_offload every message is written to the same place before its signatures are checked: "
		 "omit --data_validation, and give ib_write_lat --write_with_imm");
	rule_add(rules, TWO_WAY, has_keys && verbs->shares_receives, "",
		 "with --aes_xts and --sig_offload each queue pair has its own key for receives: omit --use-srq");
	rule_add(rules, PROGRAMS, has_keys && (verbs->odp || verbs->null || params->memory.device_memory), "",
		 "--aes_xts and --sig_offload need pinned memory: omit --odp, --use-null-mr and --use_ib_dm");
	rule_add(rules, PROGRAMS, has_keys && verbs->congestion, "",
		 "--aes_xts and --sig_offload are for mlx5 adapters, --congest_type is for HiSilicon adapters: give "
		 "one of them");
}
