/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares endpoints by their members, ignoring padding. */
#pragma once

#include "cmocka_all.h"
#include "util/endpoint.h"

static inline void assert_same_endpoints(const struct endpoint *found, const struct endpoint *expected, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(found[i].lid, expected[i].lid);
		assert_int_equal(found[i].alt_lid, expected[i].alt_lid);
		assert_int_equal(found[i].qpn, expected[i].qpn);
		assert_int_equal(found[i].psn, expected[i].psn);
		assert_int_equal(found[i].rkey, expected[i].rkey);
		assert_int_equal(found[i].vaddr, expected[i].vaddr);
		assert_int_equal(found[i].srqn, expected[i].srqn);
		assert_int_equal(found[i].target_qpn, expected[i].target_qpn);
		assert_int_equal(found[i].out_reads, expected[i].out_reads);
		assert_int_equal(found[i].mtu, expected[i].mtu);
		assert_memory_equal(found[i].gid, expected[i].gid, sizeof(found[i].gid));
		assert_int_equal(found[i].gid_kind, expected[i].gid_kind);
		assert_int_equal(found[i].gid_index, expected[i].gid_index);
		assert_int_equal(found[i].cm_port, expected[i].cm_port);
	}
}
