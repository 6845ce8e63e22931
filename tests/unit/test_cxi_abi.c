// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Is each member of Cassini's commands and events, and of libcxi's structures, at the offset that the NIC and the
 * library expect? Compared with the numbers here, which were read from HPE's headers, and with those headers themselves
 * if configure found them.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "../cxi/other_events.h"
#include "cmocka_all.h"
#include "cxi/libcxi/libcxi_abi.h"

#if defined(HAVE_LIBCXI_LIBCXI_H) && defined(HAVE_CXI_PROV_HW_H)
#define COMPARE
#include <libcxi/libcxi.h>
#endif

#define MAX_BYTES 160

/* The first and the last bit that a member sets, and the size of what it is in. */
struct place {
	unsigned first, last, bytes;
};

static struct place find(const uint8_t *bytes, unsigned size)
{
	struct place place = {.first = UINT32_MAX, .bytes = size};

	for (unsigned bit = 0; bit < size * 8; bit++) {
		if (!(bytes[bit / 8] >> bit % 8 & 1))
			continue;
		if (place.first == UINT32_MAX)
			place.first = bit;
		place.last = bit;
	}
	return place;
}

/* By a value that is no constant: all bits of any member, without a warning that some are lost. */
static volatile uint64_t ones = UINT64_MAX;

#define PLACE(type, member)                                                                                            \
	({                                                                                                             \
		_Alignas(8) uint8_t raw_[MAX_BYTES] = {0};                                                             \
		type *typed_ = (void *)raw_;                                                                           \
                                                                                                                       \
		_Static_assert(sizeof(type) <= sizeof(raw_), "");                                                      \
		typed_->member = ones;                                                                                 \
		find(raw_, sizeof(type));                                                                              \
	})

#define AT(type, member, bit, bits)                                                                                    \
	do {                                                                                                           \
		struct place place_ = PLACE(type, member);                                                             \
                                                                                                                       \
		assert_int_equal(place_.first, bit);                                                                   \
		assert_int_equal(place_.last - place_.first + 1, bits);                                                \
	} while (0)

#define SIZE(type, size)	     _Static_assert(sizeof(type) == (size), "")
#define OFFSET(type, member, offset) _Static_assert(offsetof(type, member) == (offset), "")

SIZE(struct cassini_command, 1);
SIZE(struct cassini_reports, 2);
SIZE(struct cassini_dma, 64);
OFFSET(struct cassini_dma, match_bits, 40);
OFFSET(struct cassini_dma, header_data, 48);
SIZE(struct cassini_state, 32);
OFFSET(struct cassini_state, event_queue, 30);
SIZE(struct cassini_idc, 16);
OFFSET(struct cassini_idc, address, 4);
SIZE(struct cassini_count_command, 24);
SIZE(struct cassini_append, 64);
OFFSET(struct cassini_append, match_bits, 40);
SIZE(struct cassini_set_state, 64);
SIZE(struct cassini_queue_status, 8);
SIZE(struct cassini_event, 16);
SIZE(struct cassini_initiator_event, 16);
SIZE(struct cassini_trigger_event, 16);
OFFSET(struct cassini_trigger_event, return_code, 15);
SIZE(struct cassini_failure_event, 16);
OFFSET(struct cassini_failure_event, return_code, 15);
SIZE(struct cassini_target_event, 64);
OFFSET(struct cassini_target_event, match_bits, 16);
OFFSET(struct cassini_target_event, moved_bytes, 32);
OFFSET(struct cassini_target_event, remote_offset, 40);
OFFSET(struct cassini_target_event, start, 48);
SIZE(struct cassini_event_status, 64);
SIZE(struct cassini_whole_status, 64);
OFFSET(struct cassini_whole_status, nanoseconds, 52);
OFFSET(struct cassini_whole_status, seconds, 56);
SIZE(union cassini_event_progress, 8);
SIZE(struct libcxi_device_info, 152);
OFFSET(struct libcxi_device_info, nic, 4);
OFFSET(struct libcxi_device_info, pid_bits, 8);
OFFSET(struct libcxi_device_info, name, 28);
SIZE(struct libcxi_service, 68);
OFFSET(struct libcxi_service, vnis, 2);
SIZE(struct libcxi_domain, 8);
SIZE(struct libcxi_profile, 16);
SIZE(struct libcxi_memory, 40);
SIZE(struct libcxi_memory_hints, 40);
OFFSET(struct libcxi_memory_hints, dmabuf_fd, 16);
OFFSET(struct libcxi_memory_hints, dmabuf_valid, 32);
SIZE(struct libcxi_event_queue_options, 48);
SIZE(struct libcxi_event_queue, 72);
OFFSET(struct libcxi_event_queue, progress_address, 16);
OFFSET(struct libcxi_event_queue, read_offset, 40);
OFFSET(struct libcxi_event_queue, number, 48);
OFFSET(struct libcxi_event_queue, events, 64);
SIZE(struct libcxi_counter, 24);
SIZE(struct libcxi_queue_options, 24);
SIZE(struct libcxi_queue, 80);
OFFSET(struct libcxi_queue, commands, 40);
OFFSET(struct libcxi_queue, units, 60);
OFFSET(struct libcxi_queue, rung_unit, 72);
SIZE(struct libcxi_portal_options, 8);

TEST(dma_commands)
{
	AT(struct cassini_dma, command.type, 0, 2);
	AT(struct cassini_dma, command.size, 2, 2);
	AT(struct cassini_dma, command.opcode, 4, 4);
	AT(struct cassini_dma, index_ext, 8, 8);
	AT(struct cassini_dma, reports.lac, 16, 3);
	AT(struct cassini_dma, reports.event_send_disable, 19, 1);
	AT(struct cassini_dma, reports.event_success_disable, 20, 1);
	AT(struct cassini_dma, reports.count_reply, 22, 1);
	AT(struct cassini_dma, reports.count_ack, 23, 1);
	AT(struct cassini_dma, address, 32, 32);
	AT(struct cassini_dma, remote_offset, 64, 64);
	AT(struct cassini_dma, local_address, 128, 64);
	AT(struct cassini_dma, request_bytes, 192, 32);
	AT(struct cassini_dma, counter, 224, 16);
	AT(struct cassini_dma, event_queue, 240, 16);
	AT(struct cassini_dma, eager_bytes, 256, 24);
	AT(struct cassini_dma, rendezvous_id, 280, 8);
	AT(struct cassini_dma, initiator, 288, 32);
	AT(struct cassini_dma, user_pointer, 448, 64);
	AT(struct cassini_state, length, 8, 8);
	AT(struct cassini_state, reports.count_ack, 23, 1);
	AT(struct cassini_state, initiator, 32, 32);
	AT(struct cassini_state, index_ext, 64, 64);
	AT(struct cassini_state, counter, 224, 16);
	AT(struct cassini_idc, length, 8, 8);
	AT(struct cassini_idc, remote_offset, 64, 64);
	AT(struct cassini_count_command, trigger_counter, 32, 16);
	AT(struct cassini_count_command, event_queue, 48, 16);
	AT(struct cassini_count_command, threshold, 128, 64);
}

TEST(target_commands)
{
	AT(struct cassini_append, list, 8, 8);
	AT(struct cassini_append, portal, 16, 16);
	AT(struct cassini_append, count_comm, 34, 1);
	AT(struct cassini_append, event_unlink_disable, 35, 1);
	AT(struct cassini_append, event_success_disable, 36, 1);
	AT(struct cassini_append, end_relaxed, 39, 1);
	AT(struct cassini_append, body_relaxed, 40, 1);
	AT(struct cassini_append, takes_gets, 45, 1);
	AT(struct cassini_append, takes_puts, 46, 1);
	AT(struct cassini_append, counter, 48, 16);
	AT(struct cassini_append, lac, 80, 8);
	AT(struct cassini_append, start, 128, 64);
	AT(struct cassini_append, length, 192, 64);
	AT(struct cassini_append, match_process, 288, 32);
	AT(struct cassini_append, ignore_bits, 384, 64);
	AT(struct cassini_set_state, state, 8, 8);
	AT(struct cassini_set_state, portal, 16, 16);
}

TEST(events_and_status)
{
	AT(struct cassini_event, size, 112, 2);
	AT(struct cassini_event, type, 114, 5);
	AT(struct cassini_initiator_event, moved_bytes, 64, 32);
	AT(struct cassini_initiator_event, rendezvous, 100, 1);
	AT(struct cassini_initiator_event, type, 114, 5);
	AT(struct cassini_initiator_event, return_code, 120, 8);
	AT(struct cassini_trigger_event, threshold, 0, 64);
	AT(struct cassini_trigger_event, counter, 64, 16);
	AT(struct cassini_trigger_event, type, 114, 5);
	AT(struct cassini_failure_event, is_target, 10, 1);
	AT(struct cassini_failure_event, type, 114, 5);
	AT(struct cassini_target_event, initiator, 64, 32);
	AT(struct cassini_target_event, portal, 96, 16);
	AT(struct cassini_target_event, type, 114, 5);
	AT(struct cassini_target_event, get_issued, 123, 1);
	AT(struct cassini_target_event, request_bytes, 288, 32);
	AT(struct cassini_target_event, rendezvous_id, 496, 8);
	AT(struct cassini_target_event, return_code, 504, 8);
	AT(struct cassini_queue_status, read_slot, 0, 16);
	AT(struct cassini_event_status, dropped, 120, 1);
	AT(struct cassini_whole_status, drop_sequence, 124, 1);
	AT(struct cassini_whole_status, free_slots, 128, 32);
	AT(struct cassini_whole_status, write_slot, 192, 32);
	AT(union cassini_event_progress, read_slot, 0, 26);
}

TEST(structures_of_the_library)
{
	AT(struct libcxi_service, restricted_vnis, 1, 1);
	AT(struct libcxi_service, enabled, 4, 1);
	AT(struct libcxi_service, vni_count, 8, 8);
	AT(struct libcxi_portal_options, matching, 7, 1);
	AT(struct libcxi_device_info, rendezvous_index, 192, 32);
	AT(struct libcxi_memory, lac, 192, 8);
	AT(struct libcxi_profile, lcid, 96, 32);
	AT(struct libcxi_queue_options, flags, 96, 32);
	AT(struct libcxi_queue_options, lcid, 128, 32);
	AT(struct libcxi_event_queue_options, flags, 128, 64);
	AT(struct libcxi_counter, number, 64, 32);
}

#ifdef COMPARE
/* Theirs begins where ours does and ends in it: a member of whole bytes here may have fewer bits there. */
#define SAME(our_type, our_member, their_type, their_member)                                                           \
	do {                                                                                                           \
		struct place ours_ = PLACE(our_type, our_member), theirs_ = PLACE(their_type, their_member);           \
                                                                                                                       \
		assert_int_equal(ours_.first, theirs_.first);                                                          \
		assert_true(theirs_.last <= ours_.last);                                                               \
	} while (0)
#define SAME_SIZE(ours, theirs)	 _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
#define SAME_OFFSET(ours, our_member, theirs, their_member)                                                            \
	_Static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member), #theirs "." #their_member)

SAME_SIZE(struct cassini_dma, struct c_full_dma_cmd);
SAME_SIZE(struct cassini_state, struct c_cstate_cmd);
SAME_SIZE(struct cassini_idc, struct c_idc_hdr);
SAME_SIZE(struct cassini_count_command, struct c_ct_cmd);
SAME_SIZE(struct cassini_append, struct c_target_cmd);
SAME_SIZE(struct cassini_set_state, struct c_set_state_cmd);
SAME_SIZE(struct cassini_queue_status, struct c_cq_status);
SAME_SIZE(struct cassini_initiator_event, struct c_event_initiator_short);
SAME_SIZE(struct cassini_trigger_event, struct c_event_trig_op_short);
SAME_SIZE(struct cassini_failure_event, struct c_event_cmd_fail);
SAME_SIZE(struct cassini_target_event, struct c_event_target_long);
SAME_SIZE(struct cassini_event_status, struct c_eq_status);
SAME_SIZE(union cassini_event_progress, union c_ee_cfg_eq_sw_state);
SAME_SIZE(struct libcxi_device_info, struct cxil_devinfo);
SAME_SIZE(struct libcxi_device, struct cxil_dev);
SAME_SIZE(struct libcxi_service, struct cxi_svc_desc);
SAME_SIZE(struct libcxi_domain, struct cxil_domain);
SAME_SIZE(struct libcxi_profile, struct cxi_cp);
SAME_SIZE(struct libcxi_memory, struct cxi_md);
SAME_SIZE(struct libcxi_memory_hints, struct cxi_md_hints);
SAME_SIZE(struct libcxi_event_queue_options, struct cxi_eq_attr);
SAME_SIZE(struct libcxi_event_queue, struct cxi_eq);
SAME_SIZE(struct libcxi_counter, struct cxi_ct);
SAME_SIZE(struct libcxi_queue_options, struct cxi_cq_alloc_opts);
SAME_SIZE(struct libcxi_queue, struct cxi_cq);
SAME_SIZE(struct libcxi_portal_options, struct cxi_pt_alloc_opts);
SAME_SIZE(struct libcxi_portal, struct cxil_pte);

SAME_VALUE(CASSINI_IDC_BYTES, C_MAX_IDC_PAYLOAD_UNR);
SAME_VALUE(CASSINI_SLOT_BYTES, C_CQ_CMD_SIZE);
SAME_VALUE(CASSINI_SLOT_BYTES, C_EE_CFG_ECB_SIZE);
SAME_VALUE(CASSINI_FIRST_SLOT, C_CQ_FIRST_WR_PTR);
SAME_VALUE(CASSINI_PID_ANY, C_PID_ANY);
SAME_VALUE(CASSINI_NIC_BITS, C_DFA_NIC_BITS);
SAME_VALUE(CASSINI_INDEX_EXT_BITS, C_DFA_INDEX_EXT_BITS);
SAME_VALUE(CASSINI_ENDPOINT_BITS, C_DFA_ENDPOINT_DEFINED_BITS);
SAME_VALUE(CASSINI_TYPE_IDC, C_CMD_TYPE_IDC);
SAME_VALUE(CASSINI_TYPE_DMA, C_CMD_TYPE_DMA);
SAME_VALUE(CASSINI_TYPE_CT, C_CMD_TYPE_CT);
SAME_VALUE(CASSINI_TYPE_CQ, C_CMD_TYPE_CQ);
SAME_VALUE(CASSINI_32_BYTES, C_CMD_SIZE_32B);
SAME_VALUE(CASSINI_256_BYTES, C_CMD_SIZE_256B);
SAME_VALUE(CASSINI_NOOP, C_CMD_NOOP);
SAME_VALUE(CASSINI_PUT, C_CMD_PUT);
SAME_VALUE(CASSINI_GET, C_CMD_GET);
SAME_VALUE(CASSINI_RENDEZVOUS_PUT, C_CMD_RENDEZVOUS_PUT);
SAME_VALUE(CASSINI_STATE, C_CMD_CSTATE);
SAME_VALUE(CASSINI_COUNT_TRIGGER_EVENT, C_CMD_CT_TRIG_EVENT);
SAME_VALUE(CASSINI_APPEND, C_CMD_TGT_APPEND);
SAME_VALUE(CASSINI_SET_STATE, C_CMD_TGT_SETSTATE);
SAME_VALUE(CASSINI_LIST_PRIORITY, C_PTL_LIST_PRIORITY);
SAME_VALUE(CASSINI_PORTAL_ENABLED, C_PTLTE_ENABLED);
SAME_VALUE(CASSINI_EVENT_PUT, C_EVENT_PUT);
SAME_VALUE(CASSINI_EVENT_GET, C_EVENT_GET);
SAME_VALUE(CASSINI_EVENT_ACK, C_EVENT_ACK);
SAME_VALUE(CASSINI_EVENT_REPLY, C_EVENT_REPLY);
SAME_VALUE(CASSINI_EVENT_LINK, C_EVENT_LINK);
SAME_VALUE(CASSINI_EVENT_STATE_CHANGE, C_EVENT_STATE_CHANGE);
SAME_VALUE(CASSINI_EVENT_RENDEZVOUS, C_EVENT_RENDEZVOUS);
SAME_VALUE(CASSINI_EVENT_COMMAND_FAILURE, C_EVENT_COMMAND_FAILURE);
SAME_VALUE(CASSINI_EVENT_TRIGGERED_OP, C_EVENT_TRIGGERED_OP);
SAME_VALUE(CASSINI_EVENT_NULL, C_EVENT_NULL_EVENT);
SAME_VALUE(CASSINI_EVENT_16_BYTES, C_EVENT_SIZE_16_BYTE);
SAME_VALUE(CASSINI_EVENT_64_BYTES, C_EVENT_SIZE_64_BYTE);
SAME_VALUE(CASSINI_RC_OK, C_RC_OK);
SAME_VALUE(CASSINI_RC_UNDELIVERABLE, C_RC_UNDELIVERABLE);
SAME_VALUE(CASSINI_RC_PORTAL_DISABLED, C_RC_PT_DISABLED);
SAME_VALUE(CASSINI_RC_OP_VIOLATION, C_RC_OP_VIOLATION);
SAME_VALUE(CASSINI_RC_NO_MATCH, C_RC_NO_MATCH);
SAME_VALUE(CASSINI_RC_NO_SPACE, C_RC_NO_SPACE);
SAME_VALUE(CASSINI_RC_ENTRY_NOT_FOUND, C_RC_ENTRY_NOT_FOUND);
SAME_VALUE(CASSINI_RC_NO_TARGET, C_RC_NO_TARGET_CONN);
SAME_VALUE(CASSINI_RC_VNI_NOT_FOUND, C_RC_VNI_NOT_FOUND);
SAME_VALUE(CASSINI_RC_PORTAL_NOT_FOUND, C_RC_PTLTE_NOT_FOUND);
SAME_VALUE(CASSINI_RC_INVALID_AC, C_RC_INVALID_AC);
SAME_VALUE(CASSINI_RC_NO_TRANSLATION, C_RC_NO_TRANSLATION);
SAME_VALUE(CASSINI_RC_ILLEGAL_OP, C_RC_ILLEGAL_OP);
SAME_VALUE(CASSINI_RC_INVALID_ARGUMENT, C_RC_CMD_INVALID_ARG);
SAME_VALUE(CASSINI_RC_ADDRESS_OUT_OF_RANGE, C_RC_ADDR_OUT_OF_RANGE);
SAME_VALUE(CASSINI_RC_CANCELLED, C_RC_CANCELED);
SAME_VALUE(LIBCXI_DEFAULT_SERVICE, CXI_DEFAULT_SVC_ID);
SAME_VALUE(LIBCXI_SERVICE_VNIS, CXI_SVC_MAX_VNIS);
SAME_VALUE(LIBCXI_MAX_QUEUE_SLOTS, CXI_MAX_CQ_COUNT);
SAME_VALUE(LIBCXI_BEST_EFFORT, CXI_TC_BEST_EFFORT);
SAME_VALUE(LIBCXI_TRAFFIC_DEFAULT, CXI_TC_TYPE_DEFAULT);
SAME_VALUE(LIBCXI_QUEUE_TRANSMIT, CXI_CQ_IS_TX);
SAME_VALUE(LIBCXI_QUEUE_TRIGGERED, CXI_CQ_TX_WITH_TRIG_CMDS);
SAME_VALUE(LIBCXI_MAP_PIN, CXI_MAP_PIN);
SAME_VALUE(LIBCXI_MAP_WRITE, CXI_MAP_WRITE);
SAME_VALUE(LIBCXI_MAP_READ, CXI_MAP_READ);
SAME_VALUE(LIBCXI_MAP_DEVICE, CXI_MAP_DEVICE);
SAME_VALUE(LIBCXI_EVENTS_UNCOMBINED, CXI_EQ_EC_DISABLE);
SAME_VALUE(LIBCXI_COUNTER_RESET_SUCCESS, CT_RESET_SUCCESS_OFFSET);
SAME_VALUE(LIBCXI_COUNTER_RESET_FAILURE, CT_RESET_FAILURE_OFFSET);

SAME_OFFSET(struct libcxi_device_info, nic, struct cxil_devinfo, nid);
SAME_OFFSET(struct libcxi_device_info, pid_bits, struct cxil_devinfo, pid_bits);
SAME_OFFSET(struct libcxi_device_info, rendezvous_index, struct cxil_devinfo, rdzv_get_idx);
SAME_OFFSET(struct libcxi_device_info, name, struct cxil_devinfo, device_name);
SAME_OFFSET(struct libcxi_service, vnis, struct cxi_svc_desc, vnis);
SAME_OFFSET(struct libcxi_domain, pid, struct cxil_domain, pid);
SAME_OFFSET(struct libcxi_profile, lcid, struct cxi_cp, lcid);
SAME_OFFSET(struct libcxi_memory, iova, struct cxi_md, iova);
SAME_OFFSET(struct libcxi_memory, va, struct cxi_md, va);
SAME_OFFSET(struct libcxi_memory, length, struct cxi_md, len);
SAME_OFFSET(struct libcxi_memory, lac, struct cxi_md, lac);
SAME_OFFSET(struct libcxi_memory_hints, dmabuf_fd, struct cxi_md_hints, dmabuf_fd);
SAME_OFFSET(struct libcxi_memory_hints, dmabuf_offset, struct cxi_md_hints, dmabuf_offset);
SAME_OFFSET(struct libcxi_memory_hints, dmabuf_valid, struct cxi_md_hints, dmabuf_valid);
SAME_OFFSET(struct libcxi_event_queue_options, buffer, struct cxi_eq_attr, queue);
SAME_OFFSET(struct libcxi_event_queue_options, length, struct cxi_eq_attr, queue_len);
SAME_OFFSET(struct libcxi_event_queue_options, flags, struct cxi_eq_attr, flags);
SAME_OFFSET(struct libcxi_event_queue, bytes, struct cxi_eq, byte_size);
SAME_OFFSET(struct libcxi_event_queue, progress, struct cxi_eq, sw_state);
SAME_OFFSET(struct libcxi_event_queue, progress_address, struct cxi_eq, sw_state_addr);
SAME_OFFSET(struct libcxi_event_queue, read_offset, struct cxi_eq, rd_offset);
SAME_OFFSET(struct libcxi_event_queue, acked_offset, struct cxi_eq, prev_rd_offset);
SAME_OFFSET(struct libcxi_event_queue, number, struct cxi_eq, eqn);
SAME_OFFSET(struct libcxi_event_queue, events, struct cxi_eq, events);
SAME_OFFSET(struct libcxi_counter, doorbell, struct cxi_ct, doorbell);
SAME_OFFSET(struct libcxi_counter, number, struct cxi_ct, ctn);
SAME_OFFSET(struct libcxi_queue_options, slots, struct cxi_cq_alloc_opts, count);
SAME_OFFSET(struct libcxi_queue_options, flags, struct cxi_cq_alloc_opts, flags);
SAME_OFFSET(struct libcxi_queue_options, lcid, struct cxi_cq_alloc_opts, lcid);
SAME_OFFSET(struct libcxi_queue, slots, struct cxi_cq, size);
SAME_OFFSET(struct libcxi_queue, doorbell, struct cxi_cq, wp_addr);
SAME_OFFSET(struct libcxi_queue, commands, struct cxi_cq, cmds32);
SAME_OFFSET(struct libcxi_queue, read_unit, struct cxi_cq, rp32);
SAME_OFFSET(struct libcxi_queue, units, struct cxi_cq, size32);
SAME_OFFSET(struct libcxi_queue, write_unit, struct cxi_cq, wp32);
SAME_OFFSET(struct libcxi_queue, rung_unit, struct cxi_cq, hw_wp32);
SAME_OFFSET(struct libcxi_portal, number, struct cxil_pte, ptn);

TEST(bits_of_the_installed_headers)
{
	SAME(struct cassini_dma, index_ext, struct c_full_dma_cmd, index_ext);
	SAME(struct cassini_dma, reports.lac, struct c_full_dma_cmd, lac);
	SAME(struct cassini_dma, reports.event_send_disable, struct c_full_dma_cmd, event_send_disable);
	SAME(struct cassini_dma, reports.event_success_disable, struct c_full_dma_cmd, event_success_disable);
	SAME(struct cassini_dma, reports.count_ack, struct c_full_dma_cmd, event_ct_ack);
	SAME(struct cassini_dma, reports.count_reply, struct c_full_dma_cmd, event_ct_reply);
	SAME(struct cassini_dma, remote_offset, struct c_full_dma_cmd, remote_offset);
	SAME(struct cassini_dma, local_address, struct c_full_dma_cmd, local_addr);
	SAME(struct cassini_dma, request_bytes, struct c_full_dma_cmd, request_len);
	SAME(struct cassini_dma, counter, struct c_full_dma_cmd, ct);
	SAME(struct cassini_dma, event_queue, struct c_full_dma_cmd, eq);
	SAME(struct cassini_dma, eager_bytes, struct c_full_dma_cmd, eager_length);
	SAME(struct cassini_dma, rendezvous_id, struct c_full_dma_cmd, rendezvous_id);
	SAME(struct cassini_dma, initiator, struct c_full_dma_cmd, initiator);
	SAME(struct cassini_dma, match_bits, struct c_full_dma_cmd, match_bits);
	SAME(struct cassini_dma, header_data, struct c_full_dma_cmd, header_data);
	SAME(struct cassini_state, length, struct c_cstate_cmd, length);
	SAME(struct cassini_state, reports.count_ack, struct c_cstate_cmd, event_ct_ack);
	SAME(struct cassini_state, index_ext, struct c_cstate_cmd, index_ext);
	SAME(struct cassini_state, counter, struct c_cstate_cmd, ct);
	SAME(struct cassini_state, event_queue, struct c_cstate_cmd, eq);
	SAME(struct cassini_idc, length, struct c_idc_hdr, length);
	SAME(struct cassini_idc, remote_offset, struct c_idc_hdr, remote_offset);
	SAME(struct cassini_count_command, trigger_counter, struct c_ct_cmd, trig_ct);
	SAME(struct cassini_count_command, event_queue, struct c_ct_cmd, eq);
	SAME(struct cassini_count_command, threshold, struct c_ct_cmd, threshold);
	SAME(struct cassini_append, list, struct c_target_cmd, ptl_list);
	SAME(struct cassini_append, portal, struct c_target_cmd, ptlte_index);
	SAME(struct cassini_append, count_comm, struct c_target_cmd, event_ct_comm);
	SAME(struct cassini_append, event_unlink_disable, struct c_target_cmd, event_unlink_disable);
	SAME(struct cassini_append, event_success_disable, struct c_target_cmd, event_success_disable);
	SAME(struct cassini_append, end_relaxed, struct c_target_cmd, unrestricted_end_ro);
	SAME(struct cassini_append, body_relaxed, struct c_target_cmd, unrestricted_body_ro);
	SAME(struct cassini_append, takes_gets, struct c_target_cmd, op_get);
	SAME(struct cassini_append, takes_puts, struct c_target_cmd, op_put);
	SAME(struct cassini_append, counter, struct c_target_cmd, ct);
	SAME(struct cassini_append, lac, struct c_target_cmd, lac);
	SAME(struct cassini_append, start, struct c_target_cmd, start);
	SAME(struct cassini_append, length, struct c_target_cmd, length);
	SAME(struct cassini_append, match_process, struct c_target_cmd, match_id);
	SAME(struct cassini_append, match_bits, struct c_target_cmd, match_bits);
	SAME(struct cassini_append, ignore_bits, struct c_target_cmd, ignore_bits);
	SAME(struct cassini_set_state, state, struct c_set_state_cmd, ptlte_state);
	SAME(struct cassini_set_state, portal, struct c_set_state_cmd, ptlte_index);
	SAME(struct cassini_queue_status, read_slot, struct c_cq_status, rd_ptr);
	SAME(struct cassini_initiator_event, size, struct c_event_initiator_short, event_size);
	SAME(struct cassini_initiator_event, type, struct c_event_initiator_short, event_type);
	SAME(struct cassini_initiator_event, return_code, struct c_event_initiator_short, return_code);
	SAME(struct cassini_trigger_event, threshold, struct c_event_trig_op_short, threshold);
	SAME(struct cassini_trigger_event, counter, struct c_event_trig_op_short, ct_handle);
	SAME(struct cassini_target_event, portal, struct c_event_target_long, ptlte_index);
	SAME(struct cassini_target_event, get_issued, struct c_event_target_long, get_issued);
	SAME(struct cassini_target_event, moved_bytes, struct c_event_target_long, mlength);
	SAME(struct cassini_target_event, request_bytes, struct c_event_target_long, rlength);
	SAME(struct cassini_target_event, remote_offset, struct c_event_target_long, remote_offset);
	SAME(struct cassini_target_event, start, struct c_event_target_long, start);
	SAME(struct cassini_target_event, rendezvous_id, struct c_event_target_long, rendezvous_id);
	SAME(struct cassini_target_event, return_code, struct c_event_target_long, return_code);
	SAME(struct cassini_target_event, initiator, struct c_event_target_long, initiator.state_change.ptlte_state);
	SAME(struct cassini_event_status, dropped, struct c_eq_status, unackd_dropped_event);
	SAME(struct cassini_whole_status, drop_sequence, struct c_eq_status, event_drop_seq_no);
	SAME(struct cassini_whole_status, free_slots, struct c_eq_status, event_slots_free);
	SAME(struct cassini_whole_status, nanoseconds, struct c_eq_status, timestamp_ns);
	SAME(struct cassini_whole_status, seconds, struct c_eq_status, timestamp_sec);
	SAME(union cassini_event_progress, read_slot, union c_ee_cfg_eq_sw_state, rd_ptr);
	SAME(struct libcxi_service, restricted_vnis, struct cxi_svc_desc, restricted_vnis);
	SAME(struct libcxi_service, enabled, struct cxi_svc_desc, enable);
	SAME(struct libcxi_service, vni_count, struct cxi_svc_desc, num_vld_vnis);
	SAME(struct libcxi_portal_options, matching, struct cxi_pt_alloc_opts, is_matching);
}
#endif

TEST_MAIN(NULL, NULL)
