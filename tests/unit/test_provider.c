// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The driver that a device's name indicates. */
#include "verbs/provider.h"

#include "cmocka_all.h"

static void test_names(void **state)
{
	static const struct {
		const char *device, *name;
	} cases[] = {
		{"mlx5_0", "mlx5"},
		{"mlx5_10", "mlx5"},
		{"rxe0", "rxe"},
		{"bnxt_re1", "bnxt_re"},
		{"irdma0", "irdma"},
		{"mlx5", "mlx"},
		{"mlx5_bond_0", "mlx5_bond"},
		{"soft", ""},
		{"0", ""},
		{"..", ""},
		{"a*b0", ""},
		{"../../x0", ""},
	};
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		provider_name(cases[i].device, name, sizeof(name));
		assert_string_equal(name, cases[i].name);
	}
}

static void test_shorter_names(void **state)
{
	char name[] = "mlx5_bond_x", driver[] = "_x";

	(void)state;
	assert_true(provider_name_shorten(name));
	assert_string_equal(name, "mlx5_bond");
	assert_true(provider_name_shorten(name));
	assert_string_equal(name, "mlx5");
	assert_false(provider_name_shorten(name));
	assert_false(provider_name_shorten(driver));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_shorter_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
