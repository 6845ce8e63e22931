// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the software device interpose libibverbs, symbol by symbol, under libibverbs' own version nodes? This program is
 * linked with the device ahead of libibverbs; tests/cli also preloads it.
 */
#include "config.h"

#include <dlfcn.h>
#include <infiniband/verbs.h>

#include "cmocka_all.h"

#define LIBRARY	     "libperftest_soft.so"
#define REAL_LIBRARY "libibverbs.so.1"
#define NODE_AT_HAND 14 /* rdma-core 36, the oldest that these nodes are compared with; later ones may lack */

/* Which file does the function come from? */
static bool lies_in(void *function, const char *library)
{
	Dl_info info;

	return function && dladdr(function, &info) && strstr(info.dli_fname, library);
}

struct symbol {
	char name[64];
	char node[32];
};

/* The next symbol of the version script, false at its end. */
static bool symbol_read(FILE *map, struct symbol *symbol)
{
	char line[128];

	while (fgets(line, sizeof(line), map)) {
		if (sscanf(line, "%31[A-Z0-9_.] {", symbol->node) == 1)
			continue;
		if (sscanf(line, " %63[a-z0-9_];", symbol->name) == 1 && strchr(line, ';'))
			return true;
	}
	return false;
}

/* A library's nodes bear its name, and a number behind it. */
static bool is_of(const char *node, const char *library)
{
	const size_t length = strcspn(node, "_");

	return strlen(library) == length && strncmp(node, library, length) == 0;
}

/* How many there are in that version script, each of which is ours, under a node of one of those libraries. */
static size_t symbols_check(const char *path, const char *library, const char *other)
{
	FILE *map = fopen(path, "r");
	struct symbol symbol = {0};
	size_t count = 0;

	assert_non_null(map);
	while (symbol_read(map, &symbol)) {
		if (!is_of(symbol.node, library) && !is_of(symbol.node, other))
			fail_msg("%s@%s has no place in %s", symbol.name, symbol.node, path);
		if (!lies_in(dlvsym(RTLD_DEFAULT, symbol.name, symbol.node), LIBRARY))
			fail_msg("%s@%s is not the software device's", symbol.name, symbol.node);
		count++;
	}
	fclose(map);
	return count;
}

/* A build without the providers' headers answers none of theirs: they stand in a script of their own. */
TEST(test_every_symbol_of_the_maps_is_ours)
{
	assert_true(symbols_check(SOFT_MAP, "IBVERBS", "") > 50);
#ifdef HAVE_INFINIBAND_MLX5DV_H
	assert_true(symbols_check(SOFT_DIRECT_MAP, "MLX5", "EFA"));
#endif
}

TEST(test_every_symbol_of_the_map_is_libibverbs_too)
{
	/* Who opens it gets the software device in front of it; who asks whether it is open gets itself. */
	void *in_front = dlopen(REAL_LIBRARY, RTLD_LAZY);
	void *real = dlopen(REAL_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	FILE *map = fopen(SOFT_MAP, "r");
	struct symbol symbol = {0};
	size_t count = 0;

	assert_true(lies_in(dlvsym(in_front, "ibv_get_device_list", "IBVERBS_1.1"), LIBRARY));
	assert_non_null(real);
	assert_non_null(map);
	while (symbol_read(map, &symbol)) {
		if (atoi(strrchr(symbol.node, '.') + 1) > NODE_AT_HAND)
			continue;
		if (!lies_in(dlvsym(real, symbol.name, symbol.node), REAL_LIBRARY))
			fail_msg("%s has no %s@%s", REAL_LIBRARY, symbol.name, symbol.node);
		count++;
	}
	fclose(map);
	dlclose(real);
	dlclose(in_front);
	assert_true(count > 50);
}

/* Those of direct verbs: RTLD_NEXT is not asked for them here, where nobody is linked with these libraries. */
TEST(test_symbols_of_providers_are_theirs)
{
	static const char *const files[] = {"libmlx5.so.1", "libefa.so.1"};
	FILE *map = fopen(SOFT_DIRECT_MAP, "r");
	struct symbol symbol = {0};
	size_t count = 0;

	assert_non_null(map);
	while (symbol_read(map, &symbol)) {
		const char *file = files[strncmp(symbol.node, "EFA", 3) == 0];
		void *library;

		library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
		if (!library)
			continue;
		if (!lies_in(dlvsym(library, symbol.name, symbol.node),
			     strncmp(file, "libefa", 6) ? "libmlx5" : "libefa"))
			fail_msg("%s has no %s@%s", file, symbol.name, symbol.node);
		dlclose(library);
		count++;
	}
	fclose(map);
	if (!count)
		skip();
}

TEST(test_a_node_of_another_name_is_not_answered)
{
	assert_null(dlvsym(RTLD_DEFAULT, "ibv_get_device_list", "SOFT_1.0"));
}

TEST(test_old_forms_are_left_to_libibverbs)
{
	/* The linker has dropped libibverbs: the device answers all that this program calls. */
	void *real = dlopen(REAL_LIBRARY, RTLD_LAZY | RTLD_GLOBAL);

	assert_non_null(real);
	assert_true(lies_in(dlvsym(RTLD_DEFAULT, "ibv_get_device_list", "IBVERBS_1.0"), REAL_LIBRARY));
	dlclose(real);
}

TEST(test_private_symbols_bear_no_version)
{
	assert_true(lies_in(dlsym(RTLD_DEFAULT, "ibv_query_gid_type"), LIBRARY));
}

TEST(test_marker_says_which_version_is_loaded)
{
	const char *version = dlsym(RTLD_DEFAULT, "perftest_soft_version");

	assert_non_null(version);
	assert_string_equal(version, PACKAGE_VERSION);
}

TEST(test_nothing_else_is_visible)
{
	assert_null(dlsym(RTLD_DEFAULT, "soft_query_port"));
	assert_null(dlsym(RTLD_DEFAULT, "soft_create_qp"));
}

/* The two soft devices are the last of the list, in order. */
TEST(test_devices_are_listed_last)
{
	int count = -1;
	struct ibv_device **list = ibv_get_device_list(&count);

	assert_non_null(list);
	assert_true(count >= 2);
	assert_null(list[count]);
	assert_string_equal(ibv_get_device_name(list[count - 2]), "soft0");
	assert_string_equal(ibv_get_device_name(list[count - 1]), "soft1");
	assert_true(ibv_get_device_guid(list[count - 2]) != ibv_get_device_guid(list[count - 1]));
	assert_int_equal(list[count - 1]->node_type, IBV_NODE_CA);
	assert_int_equal(list[count - 1]->transport_type, IBV_TRANSPORT_IB);
	ibv_free_device_list(list);
}

/* As qperf does; a sanitizer or the C library ends the program when the list is not a block of malloc. */
TEST(test_a_list_may_be_given_to_free)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	assert_non_null(list);
	free(list);
}

/* libmlx5 and libefa look for their operations behind the public structure. */
TEST(test_zeroes_lie_behind_a_device)
{
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);
	const unsigned char *behind = (const unsigned char *)(list[count - 1] + 1);
	size_t i;

	for (i = 0; i < 1024; i++)
		assert_int_equal(behind[i], 0);
	ibv_free_device_list(list);
}

TEST_MAIN(NULL, NULL)
