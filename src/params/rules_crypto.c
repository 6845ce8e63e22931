// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What does encrypted memory (--aes_xts) not go with? See rules.h. */
#include "params/masks.h"
#include "params/rules.h"

static bool detail_of_nothing(const struct params *params)
{
	const struct params_memory *memory = &params->memory;

	return !memory->aes_xts &&
	       (memory->encrypt_on_tx || memory->sig_before || params_given(params, "aes_block_size") ||
		params_given(params, "data_enc_keys_number") || memory->kek_path[0] || memory->credentials_path[0] ||
		memory->key_program[0]);
}

static bool wrapped_in_part(const struct params *params)
{
	const struct params_memory *memory = &params->memory;
	const unsigned given = (memory->kek_path[0] != '\0') + (memory->credentials_path[0] != '\0') +
			       (memory->key_program[0] != '\0');

	return memory->aes_xts && given && given < 3;
}

static bool encrypted_transport(const struct params *params)
{
	const struct transport_traits *transport = transport_traits(params->device.transport);
	const bool is_plain = transport_counts(transport) && !transport->xrc_domain && !transport->maker;

	return params->memory.aes_xts && (!is_plain || params->device.rdma_cm);
}

static bool encrypted_old_post(const struct params *params)
{
	return params->memory.aes_xts && params->queues.use_old_post_send;
}

static bool encrypted_inline(const struct params *params)
{
	return params->memory.aes_xts && (params->test.inline_size > 0 || params->queues.inline_recv);
}

/* Of a server that was told nothing the client says it; the rules are asked again then. */
static bool encrypted_part(const struct params *params)
{
	const bool is_known = params_is_client(params) || params->has_adopted || params_given(params, "size");

	return params->memory.aes_xts &&
	       (params->test.all_sizes || (is_known && params->test.size % params->memory.aes_block_size));
}

static bool encrypted_check(const struct params *params)
{
	const bool is_known = params_is_client(params) || params->has_adopted;

	return params->memory.aes_xts &&
	       (params->test.data_validation || (is_known && params_traffic(params, SIDE_CLIENT).polls_memory));
}

static bool encrypted_receives(const struct params *params)
{
	return params->memory.aes_xts && params_shares_receives(params);
}

static bool encrypted_memory(const struct params *params)
{
	const struct params_memory *memory = &params->memory;

	return memory->aes_xts && (memory->odp || memory->null_mr || memory->device_memory);
}

static bool encrypted_elsewhere(const struct params *params)
{
	return params->memory.aes_xts && params->queues.congestion;
}

#define PROGRAMS (IB & ~ATOMIC)

static const struct rule rows[] = {
	{PROGRAMS,
	 detail_of_nothing,
	 "--encrypt_on_tx, --sig_before, --aes_block_size, --data_enc_keys_number and the paths of keys are of "
	 "encryption: give --aes_xts",
	 {NULL}},
	{PROGRAMS,
	 wrapped_in_part,
	 "wrapped keys take --kek_path, --credentials_path and --data_enc_key_app_path: give all three, or none",
	 {NULL}},
	{PROGRAMS, encrypted_transport, "--aes_xts is of RC queue pairs that are connected without -R", {NULL}},
	{PROGRAMS,
	 encrypted_old_post,
	 "--use_old_post_send has no requests that set up the keys of --aes_xts: run without it",
	 {NULL}},
	{TWO_WAY,
	 encrypted_inline,
	 "--aes_xts encrypts what the device reads from memory and writes to it: leave -I and --inline_recv out",
	 {NULL}},
	{PROGRAMS,
	 encrypted_part,
	 "--aes_xts encrypts whole blocks of --aes_block_size: give an -s that is a multiple, and no -a",
	 {"size", "aes_block_size"}},
	{PROGRAMS,
	 encrypted_check,
	 "with --aes_xts each side has keys of its own, so that nothing arrives as it was sent: leave "
	 "--data_validation "
	 "out, and give ib_write_lat --write_with_imm",
	 {NULL}},
	{TWO_WAY,
	 encrypted_receives,
	 "with --aes_xts each queue pair has a key for its receives: leave --use-srq out",
	 {NULL}},
	{PROGRAMS,
	 encrypted_memory,
	 "--aes_xts is for memory that is pinned: leave --odp, --use-null-mr and --use_ib_dm out",
	 {NULL}},
	{PROGRAMS,
	 encrypted_elsewhere,
	 "--aes_xts is of mlx5's adapters, --congest_type of HiSilicon's: give one of them",
	 {NULL}},
};

const struct rule_set rules_crypto = {rows, sizeof(rows) / sizeof(rows[0])};
