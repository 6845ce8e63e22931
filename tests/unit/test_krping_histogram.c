// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does the kernel module's histogram keep its bound, and are its sums and percentiles those of the samples? */
#include "cmocka_all.h"
#include "histogram.h"
#include "random_numbers.h"

#define SAMPLES 20000

static u64 bucket[KRPING_BUCKETS];
static u64 samples[SAMPLES];
static struct krping_histogram histogram;

static void begin(void)
{
	memset(bucket, 0, sizeof(bucket));
	memset(&histogram, 0, sizeof(histogram));
	histogram.bucket = bucket;
}

TEST(every_edge_is_in_its_bucket)
{
	unsigned int i;

	assert_int_equal(krping_bucket_edge(0), 0);
	for (i = 1; i < KRPING_BUCKETS; i++) {
		u64 edge = krping_bucket_edge(i);

		assert_int_equal(krping_bucket_of(edge), i);
		assert_int_equal(krping_bucket_of(edge - 1), i - 1);
		if (edge > 256) /* below, a bucket is one value */
			assert_true((edge - krping_bucket_edge(i - 1)) * 128 <= edge);
	}
	assert_int_equal(krping_bucket_of(U64_MAX), KRPING_BUCKETS - 1);
	assert_int_equal(krping_bucket_of((1ULL << KRPING_VALUE_BITS) - 1), KRPING_BUCKETS - 1);
}

static int by_value(const void *left, const void *right)
{
	u64 a = *(const u64 *)left, b = *(const u64 *)right;

	return (a > b) - (a < b);
}

TEST(percentiles_are_those_of_the_samples)
{
	static const unsigned int per_10000[] = {1, 5000, 9000, 9900, 9990, 9999, 10000};
	unsigned int i;

	begin();
	for (i = 0; i < SAMPLES; i++) {
		samples[i] = random_u64() >> (26 + random_u64() % 30);
		krping_histogram_record(&histogram, samples[i]);
	}
	qsort(samples, SAMPLES, sizeof(samples[0]), by_value);
	assert_int_equal(histogram.count, SAMPLES);
	assert_int_equal(histogram.min, samples[0]);
	assert_int_equal(histogram.max, samples[SAMPLES - 1]);
	for (i = 0; i < ARRAY_SIZE(per_10000); i++) {
		u64 rank = ((u64)SAMPLES * per_10000[i] + 9999) / 10000;
		u64 wanted = samples[rank - 1], got = krping_histogram_percentile(&histogram, per_10000[i]);

		assert_true((wanted > got ? wanted - got : got - wanted) * 256 <= wanted + 256);
	}
}

#ifdef __SIZEOF_INT128__ /* a second method; compilers for 32-bit machines have none */
TEST(sums_are_exact)
{
	unsigned __int128 squares = 0;
	u64 sum = 0;
	unsigned int i;

	begin();
	for (i = 0; i < SAMPLES; i++) {
		u64 value = random_u64() >> 25;

		krping_histogram_record(&histogram, value);
		sum += value;
		squares += (unsigned __int128)value * value;
	}
	assert_true(squares >> 64 != 0); /* or the high half is not tested */
	assert_int_equal(histogram.sum, sum);
	assert_int_equal(histogram.squares[0], (u64)(squares >> 64));
	assert_int_equal(histogram.squares[1], (u64)squares);
}
#endif

TEST(few_and_none)
{
	begin();
	assert_int_equal(krping_histogram_percentile(&histogram, 5000), 0);
	krping_histogram_record(&histogram, 200);
	assert_int_equal(krping_histogram_percentile(&histogram, 1), 200);
	assert_int_equal(krping_histogram_percentile(&histogram, 9990), 200);
	histogram.bucket = NULL;
	krping_histogram_record(&histogram, 300);
	assert_int_equal(histogram.count, 1);
}

TEST_MAIN(NULL, NULL)
