// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --provider in a build without libfabric's headers. fabric_absent.c is compiled here in any case. */
#include "cmocka_all.h"
#include "cxi/ops.h"

TEST(it_is_refused_with_what_to_install)
{
	const struct cxi_place place = {.provider = "tcp"};
	struct cxi_link link = {.ops = &cxi_fabric_ops};

	assert_int_equal(link.ops->open(&link, &place), -EOPNOTSUPP);
	assert_non_null(
		strstr(link.fault,
		       "--provider=tcp: this program was built without libfabric's headers\ninstall libfabric-dev"));
	assert_null(link.private);
}

TEST_MAIN(NULL, NULL)
