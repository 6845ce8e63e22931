// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that cannot be combined with encrypted messages (--aes_xts). See rules.h. */
#include "params/masks.h"
#include "params/rules/rules.h"

#define PROGRAMS (IB & ~ATOMIC)

void rules_crypto(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct crypto_config *crypto = &verbs->crypto;
	const struct transport_traits *transport = transport_traits(verbs->transport);
	const unsigned wrapping = (crypto->kek_path[0] != '\0') + (crypto->credentials_path[0] != '\0') +
				  (crypto->key_program[0] != '\0');
	/* A server without options learns both from the client; then the rules are checked again. */
	const bool is_agreed = params_is_client(params) || params->has_adopted;
	const bool knows_size = is_agreed || params_given(params, "size");
	const bool looks = verbs->data_validation || (is_agreed && params_traffic(params, SIDE_CLIENT).polls_memory);

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
		 crypto->is_used &&
			 (!transport_counts(transport) || transport->xrc_domain || transport->maker || verbs->rdma_cm),
		 "", "--aes_xts needs RC queue pairs that are connected without -R");
	rule_add(rules, PROGRAMS, crypto->is_used && verbs->use_old_post_send, "",
		 "ibv_post_send() cannot set up the memory keys of --aes_xts: omit "
		 "--use_old_post_send");
	rule_add(rules, TWO_WAY, crypto->is_used && (verbs->inline_size > 0 || verbs->inline_recv), "",
		 "--aes_xts works on data that the device reads from memory and writes to memory: "
		 "omit -I and --inline_recv");
	rule_add(rules, PROGRAMS,
		 crypto->is_used && (verbs->all_sizes || (knows_size && verbs->size % crypto->block_bytes)),
		 "size aes_block_size",
		 "--aes_xts encrypts whole blocks of --aes_block_size: give an -s that is a multiple of it, and omit "
		 "-a");
	rule_add(rules, PROGRAMS, crypto->is_used && looks, "",
		 "with --aes_xts each side has its own keys, so data does not arrive as it was sent: omit "
		 "--data_validation, and give ib_write_lat --write_with_imm");
	rule_add(rules, TWO_WAY, crypto->is_used && verbs->shares_receives, "",
		 "with --aes_xts each queue pair has its own key for receives: omit --use-srq");
	rule_add(rules, PROGRAMS, crypto->is_used && (verbs->odp || verbs->null || params->memory.device_memory), "",
		 "--aes_xts needs pinned memory: omit --odp, --use-null-mr and --use_ib_dm");
	rule_add(rules, PROGRAMS, crypto->is_used && verbs->congestion, "",
		 "--aes_xts is for mlx5 adapters, --congest_type is for HiSilicon adapters: give "
		 "one of them");
}
