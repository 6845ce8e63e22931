// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that cannot be combined with encrypted (--aes_xts) and signed (--sig_offload) messages. See rules.h. */
#include "params/masks.h"
#include "params/rules/rules.h"

#define SIGNED_BLOCK 512 /* data bytes followed by a T10-DIF signature */
#define SIGNATURE    8

static bool detail_of_nothing(const struct params *params)
{
	const struct crypto_config *crypto = &params->verbs.crypto;

	return !crypto->is_used &&
	       (crypto->encrypt_on_tx || crypto->signature_first || params_given(params, "aes_block_size") ||
		params_given(params, "data_enc_keys_number") || crypto->kek_path[0] || crypto->credentials_path[0] ||
		crypto->key_program[0]);
}

static bool wrapped_in_part(const struct params *params)
{
	const struct crypto_config *crypto = &params->verbs.crypto;
	const unsigned given = (crypto->kek_path[0] != '\0') + (crypto->credentials_path[0] != '\0') +
			       (crypto->key_program[0] != '\0');

	return crypto->is_used && given && given < 3;
}

/* The adapter has its own keys for the memory. */
CONDITION(has_keys, params->verbs.crypto.is_used || params->verbs.signs)

static bool keys_of_transport(const struct params *params)
{
	const struct transport_traits *transport = transport_traits(params->verbs.transport);
	const bool is_plain = transport_counts(transport) && !transport->xrc_domain && !transport->maker;

	return has_keys(params) && (!is_plain || params->verbs.rdma_cm);
}

CONDITION(keys_old_post, has_keys(params) && params->verbs.use_old_post_send)
CONDITION(keys_inline, has_keys(params) && (params->verbs.inline_size > 0 || params->verbs.inline_recv))
/* A server without options learns it from the client; then the rules are checked again. */
CONDITION(knows_size, params_is_client(params) || params->has_adopted || params_given(params, "size"))
CONDITION(signed_part,
	  params->verbs.signs && (params->verbs.all_sizes || (knows_size(params) && params->verbs.size % SIGNED_BLOCK)))

/* What is signed first is encrypted together with its signatures. */
static bool encrypted_part(const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	uint64_t bytes = verbs->size;

	if (verbs->signs && verbs->crypto.signature_first)
		bytes = bytes / SIGNED_BLOCK * (SIGNED_BLOCK + SIGNATURE);
	return verbs->crypto.is_used && (verbs->all_sizes || (knows_size(params) && bytes % verbs->crypto.block_bytes));
}

static bool signed_before_other_key(const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;

	return verbs->crypto.is_used && verbs->signs && verbs->crypto.signature_first && !verbs->crypto.key_program[0];
}

static bool unchecked(const struct params *params)
{
	const bool is_known = params_is_client(params) || params->has_adopted;

	return params->verbs.data_validation || (is_known && params_traffic(params, SIDE_CLIENT).polls_memory);
}

CONDITION(encrypted_check, (params->verbs.crypto.is_used && unchecked(params)))
CONDITION(signed_check, (params->verbs.signs && unchecked(params)))
CONDITION(keys_receives, has_keys(params) && params->verbs.shares_receives)

CONDITION(keys_memory, has_keys(params) && (params->verbs.odp || params->verbs.null || params->memory.device_memory))
CONDITION(keys_elsewhere, has_keys(params) && params->verbs.congestion)

#define PROGRAMS (IB & ~ATOMIC)

static const struct rule rows[] = {
	{PROGRAMS,
	 detail_of_nothing,
	 "--encrypt_on_tx, --sig_before, --aes_block_size, --data_enc_keys_number and the key paths are for "
	 "encryption: give --aes_xts",
	 {NULL}},
	{PROGRAMS,
	 wrapped_in_part,
	 "wrapped keys need --kek_path, --credentials_path and --data_enc_key_app_path: give all three, or none",
	 {NULL}},
	{PROGRAMS,
	 keys_of_transport,
	 "--aes_xts and --sig_offload need RC queue pairs that are connected without -R",
	 {NULL}},
	{PROGRAMS,
	 keys_old_post,
	 "ibv_post_send() cannot set up the memory keys of --aes_xts and --sig_offload: omit --use_old_post_send",
	 {NULL}},
	{TWO_WAY,
	 keys_inline,
	 "--aes_xts and --sig_offload work on data that the device reads from memory and writes to memory: omit -I and "
	 "--inline_recv",
	 {NULL}},
	{PROGRAMS,
	 signed_part,
	 "--sig_offload signs whole blocks of 512 bytes: give an -s that is a multiple of that, and omit -a",
	 {"size"}},
	{PROGRAMS,
	 encrypted_part,
	 "--aes_xts encrypts whole blocks of --aes_block_size; with --sig_offload and --sig_before each 512 bytes of "
	 "the message become 520: give an -s that amounts to a multiple of the block size, and omit -a",
	 {"size", "aes_block_size"}},
	{PROGRAMS,
	 signed_before_other_key,
	 "with --sig_before the other side checks the data that it decrypts, so both need the same keys: give a "
	 "--data_enc_key_app_path that makes them, or omit --sig_before",
	 {NULL}},
	{PROGRAMS,
	 encrypted_check,
	 "with --aes_xts each side has its own keys, so data does not arrive as it was sent: omit --data_validation, "
	 "and give ib_write_lat --write_with_imm",
	 {NULL}},
	{PROGRAMS,
	 signed_check,
	 "with --sig_offload every message is written to the same place before its signatures are checked: omit "
	 "--data_validation, and give ib_write_lat --write_with_imm",
	 {NULL}},
	{TWO_WAY,
	 keys_receives,
	 "with --aes_xts and --sig_offload each queue pair has its own key for receives: omit --use-srq",
	 {NULL}},
	{PROGRAMS,
	 keys_memory,
	 "--aes_xts and --sig_offload need pinned memory: omit --odp, --use-null-mr and --use_ib_dm",
	 {NULL}},
	{PROGRAMS,
	 keys_elsewhere,
	 "--aes_xts and --sig_offload are for mlx5 adapters, --congest_type is for HiSilicon adapters: give one of "
	 "them",
	 {NULL}},
};

const struct rule_set rules_crypto = {rows, sizeof(rows) / sizeof(rows[0])};
