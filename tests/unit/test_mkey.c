// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --aes_xts: what is queried from an mlx5 adapter and requested of it, and which key files are accepted.
 */
#define _GNU_SOURCE /* memfd_create() */
#include "config.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/maker.h"
#include "verbs/verbs_config.h"

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN
#include "verbs/provider/mlx5.h"
#endif

static char folder[64], path[96];

static int make_folder(void **state)
{
	strcpy(folder, "/tmp/test_mkey.XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

static int drop_folder(void **state)
{
	unlink(path);
	return rmdir(folder);
}

static void write_file(const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fchmod(fileno(file), mode), 0);
	fclose(file);
}

/* The first two characters are no string: this file's object is no script. */
static void write_program(const char *text)
{
	char program[256];

	snprintf(program, sizeof(program), "%c!/bin/sh\n%s", '#', text);
	write_file(program, 0700);
}

static void is_said(const char *words)
{
	if (!strstr(log_last_error(), words))
		fail_msg("\"%s\" does not say \"%s\"", log_last_error(), words);
}

TEST(bytes_are_hexadecimal, make_folder, drop_folder)
{
	uint8_t bytes[4] = {0};
	size_t length = 99;

	assert_int_equal(mkey_file_read("/nonexistent", "--credentials_path", bytes, sizeof(bytes), &length), -ENOENT);
	is_said("--credentials_path: /nonexistent: No such file");
	write_file("0x1f\n0xA\nff 0\n", 0600);
	assert_int_equal(mkey_file_read(path, "--credentials_path", bytes, sizeof(bytes), &length), 0);
	assert_int_equal(length, 4);
	assert_memory_equal(bytes, "\x1f\x0a\xff\x00", 4);
	length = 99;
	write_file("1 2 3 4 5", 0600);
	assert_int_equal(mkey_file_read(path, "--credentials_path", bytes, sizeof(bytes), &length), -EINVAL);
	is_said("has more than 4 bytes");
	for (int i = 0; i < 4; i++) {
		static const char *const wrong[] = {"0x", "12g", "123", "-1"};

		write_file(wrong[i], 0600);
		assert_int_equal(mkey_file_read(path, "--credentials_path", bytes, sizeof(bytes), &length), -EINVAL);
		is_said("is not a list of hexadecimal bytes");
	}
	write_file(" \n", 0600);
	assert_int_equal(mkey_file_read(path, "--credentials_path", bytes, sizeof(bytes), &length), -EINVAL);
	is_said("is empty");
	assert_int_equal(length, 99);
}

/* A name with what a shell would act on: there is none. */
TEST(a_program_makes_a_key, make_folder, drop_folder)
{
	struct crypto_config crypto = {.kek_path = "a kek; exit 9"};
	const int saved = dup(STDOUT_FILENO), other = memfd_create("stdout", 0);
	uint8_t bytes[16];
	size_t length = 0;
	time_t begun;
	int err;

	snprintf(crypto.key_program, sizeof(crypto.key_program), "%s", path);
	write_program("[ \"$1\" = 'a kek; exit 9' ] && [ \"$#\" = 2 ] && printf '0x01\\n0x02\\n' >\"$2\"\n");
	assert_int_equal(mkey_file_generate(&crypto, bytes, sizeof(bytes), &length), 0);
	assert_int_equal(length, 2);
	assert_memory_equal(bytes, "\x01\x02", 2);
	write_program("exit 3\n");
	assert_int_equal(mkey_file_generate(&crypto, bytes, sizeof(bytes), &length), -EIO);
	is_said("did not create a key: it ended with status 3");
	/* It can't spoil the results, nor ask a terminal; and a user's Ctrl-C ends it. */
	assert_int_equal(stop_install(), 0);
	write_program("echo in the results; ! read -r word && kill -INT $PPID && exec sleep 60\n");
	assert_int_equal(dup2(other, STDOUT_FILENO), STDOUT_FILENO);
	begun = time(NULL);
	err = mkey_file_generate(&crypto, bytes, sizeof(bytes), &length);
	dup2(saved, STDOUT_FILENO);
	assert_int_equal(err, -EINTR);
	assert_true(time(NULL) - begun < 20);
	assert_int_equal(lseek(other, 0, SEEK_END), 0);
	stop_flag = 0;
	strcpy(crypto.key_program, "/nonexistent/program");
	assert_int_equal(mkey_file_generate(&crypto, bytes, sizeof(bytes), &length), -ENOENT);
	is_said("--data_enc_key_app_path: /nonexistent/program: No such file");
}

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN

TEST(an_adapter_lacks_something_or_takes_keys)
{
	struct crypto_config crypto = {.kek_path = "", .num_keys = 4, .block_bytes = 512};
	struct mlx5dv_context context = {.crypto_caps = {.log_max_num_deks = 2}};
	struct mlx5dv_crypto_caps *caps = &context.crypto_caps;
	bool is_wrapped;

	assert_non_null(strstr(mlx5_crypto_lack(&context, &crypto, 1024, &is_wrapped), "does not encrypt"));
	context.comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD;
	caps->flags = MLX5DV_CRYPTO_CAPS_CRYPTO;
	assert_non_null(strstr(mlx5_crypto_lack(&context, &crypto, 1024, &is_wrapped), "does not encrypt"));
	/* libmlx5 creates neither keys nor mkeys for it. */
	caps->crypto_engines = MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS;
	assert_non_null(strstr(mlx5_crypto_lack(&context, &crypto, 1024, &is_wrapped), "does not encrypt"));
	caps->crypto_engines = MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK;
	assert_null(mlx5_crypto_lack(&context, &crypto, 512, &is_wrapped));
	assert_non_null(strstr(mlx5_crypto_lack(&context, &crypto, 1024, &is_wrapped), "of a single block only"));
	caps->crypto_engines = MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;
	assert_null(mlx5_crypto_lack(&context, &crypto, 1024, &is_wrapped));
	assert_false(is_wrapped);
	crypto.num_keys = 5;
	assert_non_null(
		strstr(mlx5_crypto_lack(&context, &crypto, 1024, &is_wrapped), "does not support that many keys"));
	crypto.num_keys = 1;
	caps->wrapped_import_method = MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS;
	assert_non_null(strstr(mlx5_crypto_lack(&context, &crypto, 1024, &is_wrapped), "has not been set up"));
	caps->flags |= MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL;
	assert_non_null(strstr(mlx5_crypto_lack(&context, &crypto, 1024, &is_wrapped), "give --kek_path"));
	strcpy(crypto.kek_path, "kek");
	assert_null(mlx5_crypto_lack(&context, &crypto, 1024, &is_wrapped));
	assert_true(is_wrapped);
}

TEST(lengths_and_blocks_are_the_adapters)
{
	const struct crypto_config crypto = {.encrypt_on_tx = true, .signature_first = true, .block_bytes = 4160};
	struct mlx5dv_dek_init_attr key;
	struct mlx5dv_crypto_attr attr;
	enum mlx5dv_block_size size;

	assert_true(mlx5_wrapped_key(40, &key));
	assert_int_equal(key.key_size, MLX5DV_CRYPTO_KEY_SIZE_128);
	assert_false(key.has_keytag);
	assert_true(mlx5_wrapped_key(48, &key));
	assert_int_equal(key.key_size, MLX5DV_CRYPTO_KEY_SIZE_128);
	assert_true(key.has_keytag);
	assert_true(mlx5_wrapped_key(72, &key));
	assert_int_equal(key.key_size, MLX5DV_CRYPTO_KEY_SIZE_256);
	assert_false(key.has_keytag);
	assert_true(mlx5_wrapped_key(80, &key));
	assert_true(key.has_keytag);
	assert_false(mlx5_wrapped_key(41, &key));
	assert_int_equal(mlx5_block_size(520, &size), 0);
	assert_int_equal(size, MLX5DV_BLOCK_SIZE_520);
	assert_int_equal(mlx5_block_size(1024, &size), -EINVAL);
	mlx5_crypto_fill(&crypto, (struct mlx5dv_dek *)&attr, &attr);
	assert_int_equal(attr.crypto_standard, MLX5DV_CRYPTO_STANDARD_AES_XTS);
	assert_true(attr.encrypt_on_tx);
	assert_int_equal(attr.signature_crypto_order, MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX);
	assert_int_equal(attr.data_unit_size, MLX5DV_BLOCK_SIZE_4160);
	assert_ptr_equal(attr.dek, &attr);
	for (unsigned i = 0; i < sizeof(attr.initial_tweak); i++) /* as linux-rdma perftest has it */
		assert_int_equal(attr.initial_tweak[i], i);
}

#endif

TEST_MAIN(NULL, NULL)
