// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libmlx5 ask the firmware (DEVX)? Its general capabilities, and keys: for memory (mkeys) and for
 * encryption. Facts: rdma-core's providers/mlx5/mlx5_ifc.h. Bits count from the first byte's highest, as there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/mlx5_user_ioctl_cmds.h>

#include "rig.h"

#define QUERY_CAPABILITIES 0x100
#define CREATE_MKEY	   0x200
#define CREATE_OBJECT	   0xa00
#define GENERAL		   0 /* capabilities, in the operation's modifier above the lowest bit */
#define OF_ENCRYPTION	   0x1a
#define CAPABILITIES_AT	   128
#define SINGLE_BLOCK	   "PERFTEST_PROVIDER_SINGLE_BLOCK" /* encrypts no more than one in a message */

/* Attributes of an ioctl. */
struct command {
	const uint8_t *in;
	uint8_t *out;
	uint32_t out_bytes;
	__aligned_u64 *handle;
};

static uint32_t objects; /* encryption keys made so far */

static uint32_t get(const uint8_t *bytes, unsigned bit, unsigned bits)
{
	uint32_t value = 0;

	for (; bits; bits--, bit++)
		value = value << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
	return value;
}

static void put(const struct command *command, unsigned bit, unsigned bits, uint32_t value)
{
	while (bits--) {
		const unsigned at = bit + bits;

		if (at / 8 < command->out_bytes && value & 1)
			command->out[at / 8] |= (uint8_t)(0x80 >> at % 8);
		value >>= 1;
	}
}

static int query_capabilities(const struct command *command)
{
	static const struct {
		unsigned bit, bits;
		uint32_t value;
	} general[] = {
		{301 - 5, 6, 4}, {317 - 5, 6, 4}, // 16 READs and atomics of DC in flight, as requester and responder
		{816, 5, 0x1f},			  // out-of-order placement: UD, UC, XRC, DC, RC
		{1129, 1, 1},	 {1009, 1, 1},	  // encryption, of a single block
		{1075, 1, 1},			  // keys for it
	};

	switch (get(command->in, 48, 15)) {
	case GENERAL:
		for (unsigned i = 0; i < sizeof(general) / sizeof(general[0]); i++)
			put(command, CAPABILITIES_AT + general[i].bit, general[i].bits, general[i].value);
		put(command, CAPABILITIES_AT + 1010, 1, !getenv(SINGLE_BLOCK));
		return 0;
	case OF_ENCRYPTION:
		put(command, CAPABILITIES_AT + 43, 5, 10); // 2^10 keys, not wrapped
		return 0;
	default:
		return EOPNOTSUPP;
	}
}

static int create_mkey(const struct command *command)
{
	const uint32_t key = rig_key_add();

	put(command, 72, 24, key >> 8);
	return key ? 0 : ENOMEM;
}

static int create_object(const struct command *command)
{
	*command->handle = ++objects;
	switch (get(command->in, 0, 16)) {
	case CREATE_MKEY:
		return create_mkey(command);
	case CREATE_OBJECT:
		put(command, 64, 32, objects);
		return 0;
	default:
		return EOPNOTSUPP;
	}
}

int mlx5_firmware(struct ib_uverbs_ioctl_hdr *header)
{
	const bool creates = header->object_id == MLX5_IB_OBJECT_DEVX_OBJ;
	struct command command = {0};

	if (creates && header->method_id == MLX5_IB_METHOD_DEVX_OBJ_DESTROY)
		return 0;
	if (header->method_id != (creates ? MLX5_IB_METHOD_DEVX_OBJ_CREATE : MLX5_IB_METHOD_DEVX_OTHER) ||
	    (!creates && header->object_id != MLX5_IB_OBJECT_DEVX))
		return ENOTTY;
	for (unsigned i = 0; i < header->num_attrs; i++) {
		struct ib_uverbs_attr *attr = &header->attrs[i];

		/* Both methods have a command and its answer; a creation has a handle in front. */
		switch (attr->attr_id -
			(creates ? MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN : MLX5_IB_ATTR_DEVX_OTHER_CMD_IN)) {
		case 0:
			if (attr->len >= 16)
				command.in = (const void *)(uintptr_t)attr->data; // NOLINT
			break;
		case 1:
			command.out = (void *)(uintptr_t)attr->data; // NOLINT
			command.out_bytes = attr->len;
			break;
		default:
			command.handle = &attr->data;
		}
	}
	if (!command.in || !command.out || (creates && !command.handle))
		return EINVAL;
	memset(command.out, 0, command.out_bytes);
	if (creates)
		return create_object(&command);
	return get(command.in, 0, 16) == QUERY_CAPABILITIES ? query_capabilities(&command) : EOPNOTSUPP;
}
