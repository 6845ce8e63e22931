// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Gives a buffer a new key, by unsignaled requests to the device. */
#include "endpoint.h"

int krping_buffer_register(struct krping_endpoint *endpoint, struct krping_buffer *buffer, int access)
{
	struct ib_send_wr invalidate = {
		.wr_cqe = &endpoint->reg_cqe,
		.opcode = IB_WR_LOCAL_INV,
	};
	struct ib_reg_wr reg = {
		.wr = {.wr_cqe = &endpoint->reg_cqe, .opcode = IB_WR_REG_MR},
		.mr = buffer->mr,
		.access = access,
	};
	struct ib_send_wr *first = &reg.wr;
	int pieces, err;

	if (endpoint->command->dma)
		return 0;
	if (buffer->is_registered) {
		invalidate.ex.invalidate_rkey = buffer->mr->rkey;
		invalidate.next = &reg.wr;
		first = &invalidate;
	}
	pieces = ib_map_mr_sg(buffer->mr, &buffer->sg, 1, NULL, PAGE_SIZE);
	if (pieces != 1)
		return krping_result_fail(endpoint->result, pieces < 0 ? pieces : -EINVAL,
					  "a buffer does not fit into its memory region");
	ib_update_fast_reg_key(buffer->mr, ++buffer->key);
	reg.key = buffer->mr->rkey;
	krping_debug(endpoint->result, "registering %zu bytes with rkey 0x%x", buffer->size, buffer->mr->rkey);
	err = krping_post_registration(endpoint, first);
	if (!err)
		buffer->is_registered = true;
	return err;
}
