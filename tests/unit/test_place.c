// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is an instance's place found in what each launcher puts into the environment? */
#include "cmocka_all.h"
#include "front/matrix/place.h"

static const char *const (*environment)[2];

static char *get(const char *name)
{
	for (unsigned i = 0; environment[i][0]; i++)
		if (strcmp(environment[i][0], name) == 0)
			return (char *)environment[i][1];
	return NULL;
}

static struct launch_place found(const char *const (*variables)[2])
{
	struct launch_place place;

	environment = variables;
	place_find(&place, get);
	return place;
}

/* As the launchers of Debian 12 set them. */
TEST(each_launcher)
{
	static const char *const slurm[][2] = {{"SLURM_PROCID", "3"},  {"SLURM_NTASKS", "4"},
					       {"PMIX_RANK", "3"},     {"SLURM_STEP_NODELIST", "n[1-4]"},
					       {"SLURM_JOB_ID", "12"}, {NULL, NULL}};
	/* mpirun in an allocation of Slurm: of its daemon, which srun started */
	static const char *const mpirun[][2] = {{"SLURM_PROCID", "0"},
						{"SLURM_NTASKS", "2"},
						{"OMPI_COMM_WORLD_RANK", "5"},
						{"OMPI_COMM_WORLD_SIZE", "8"},
						{"PMIX_RANK", "5"},
						{"PMIX_NAMESPACE", "277217281"},
						{NULL, NULL}};
	static const char *const hydra[][2] = {{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {NULL, NULL}};
	static const char *const job[][2] = {{"JOB_COMPLETION_INDEX", "7"}, {NULL, NULL}};
	static const char *const none[][2] = {{NULL, NULL}};
	struct launch_place place;

	place = found(slurm);
	assert_string_equal(place.launcher, "Slurm");
	assert_int_equal(place.rank, 3);
	assert_int_equal(place.count, 4);
	assert_string_equal(place.controller, "n1");
	assert_string_equal(place.job, "12");
	place = found(mpirun);
	assert_string_equal(place.launcher, "Open MPI");
	assert_int_equal(place.rank, 5);
	assert_int_equal(place.count, 8);
	assert_string_equal(place.controller, "");
	place = found(hydra);
	assert_int_equal(place.rank, 1);
	assert_int_equal(place.count, 4);
	place = found(job);
	assert_int_equal(place.rank, 7);
	assert_int_equal(place.count, PLACE_NONE);
	place = found(none);
	assert_null(place.launcher);
	assert_int_equal(place.rank, PLACE_NONE);
}

TEST(no_numbers_are_no_ranks)
{
	static const char *const bad[] = {"", "-1", " 1", "1x", "99999999999999999999", "1000001"};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *const variables[][2] = {{"PMI_RANK", bad[i]}, {NULL, NULL}};

		assert_int_equal(found(variables).rank, PLACE_NONE);
	}
}

TEST(first_of_a_list)
{
	static const char *const lists[][2] = {
		{"n1", "n1"},
		{"n[1-4]", "n1"},
		{"n[007-009,12],m1", "n007"},
		{"a,b[1-2]", "a"},
		{"rack[3,5]-ib,x", "rack3-ib"},
		{"", ""},
		{"n[", ""},
		{"n[1-4", ""},
		{"n[]", ""},
		{"x[1-2]y[3-4]", "x1y3"},
	};
	char host[PLACE_HOST_SIZE], large[2 * PLACE_HOST_SIZE];

	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		place_first_host(lists[i][0], host);
		assert_string_equal(host, lists[i][1]);
	}
	memset(large, 'x', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	place_first_host(large, host);
	assert_string_equal(host, "");
}

TEST_MAIN(NULL, NULL)
