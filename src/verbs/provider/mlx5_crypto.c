// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mlx5 data encryption keys, for --aes_xts. See mlx5_mkey.h. */
#include "config.h"

#include "verbs/provider/mlx5_mkey.h"

#include <errno.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/mkey.h"
#include "verbs/verbs_config.h"

#define OPTION "--aes_xts"

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "verbs/resources.h"

#define PLAIN_KEY_LEN 32 /* bytes: two keys of 128 bits */

struct mlx5_deks {
	const struct mlx5_library *library;
	struct mlx5dv_dek **deks; /* count for the first device, followed by as many for the second one */
	unsigned count;
	unsigned num_devices;
	struct ibv_context *logged_in[2];
};

int mlx5_block_size(uint32_t bytes, enum mlx5dv_block_size *size)
{
	static const struct {
		uint32_t bytes;
		enum mlx5dv_block_size size;
	} sizes[] = {
		{512, MLX5DV_BLOCK_SIZE_512},	{520, MLX5DV_BLOCK_SIZE_520},	{4048, MLX5DV_BLOCK_SIZE_4048},
		{4096, MLX5DV_BLOCK_SIZE_4096}, {4160, MLX5DV_BLOCK_SIZE_4160},
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (sizes[i].bytes == bytes) {
			*size = sizes[i].size;
			return 0;
		}
	}
	return -EINVAL;
}

bool mlx5_wrapped_key(size_t length, struct mlx5dv_dek_init_attr *attr)
{
	attr->has_keytag = length == 48 || length == 80;
	attr->key_size = length > 48 ? MLX5DV_CRYPTO_KEY_SIZE_256 : MLX5DV_CRYPTO_KEY_SIZE_128;
	return length == 40 || length == 48 || length == 72 || length == 80;
}

/* MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS alone is of firmware that libmlx5 creates no keys for. */
const char *mlx5_crypto_lack(const struct mlx5dv_context *context, const struct crypto_config *crypto, uint64_t message,
			     bool *is_wrapped)
{
	const struct mlx5dv_crypto_caps *caps = &context->crypto_caps;
	const unsigned engines =
		MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK | MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;

	if (!(context->comp_mask & MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD) || !(caps->flags & MLX5DV_CRYPTO_CAPS_CRYPTO) ||
	    !(caps->crypto_engines & engines))
		return "does not encrypt (crypto_caps of mlx5dv_query_device())";
	if (message > crypto->block_bytes && !(caps->crypto_engines & MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK))
		return "encrypts messages of a single block only (crypto_engines of mlx5dv_query_device()): lower -s "
		       "to --aes_block_size";
	*is_wrapped = caps->wrapped_import_method & MLX5DV_CRYPTO_WRAPPED_IMPORT_METHOD_CAP_AES_XTS;
	if (*is_wrapped && !(caps->flags & MLX5DV_CRYPTO_CAPS_WRAPPED_CRYPTO_OPERATIONAL))
		return "accepts only wrapped keys, and has not been set up for them";
	if (*is_wrapped && !crypto->kek_path[0])
		return "accepts only wrapped keys: give --kek_path, --credentials_path and --data_enc_key_app_path";
	return crypto->num_keys > 1ULL << caps->log_max_num_deks
		       ? "does not support that many keys (--data_enc_keys_number)"
		       : NULL;
}

void mlx5_crypto_fill(const struct crypto_config *crypto, struct mlx5dv_dek *dek, struct mlx5dv_crypto_attr *attr)
{
	*attr = (struct mlx5dv_crypto_attr){
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.encrypt_on_tx = crypto->encrypt_on_tx,
		.signature_crypto_order = crypto->signature_first
						  ? MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX
						  : MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX,
		.dek = dek,
	};
	(void)mlx5_block_size(crypto->block_bytes, &attr->data_unit_size);
	/* As linux-rdma perftest, for a peer that has the same keys. */
	for (unsigned i = 0; i < sizeof(attr->initial_tweak); i++)
		attr->initial_tweak[i] = (uint8_t)i;
}

static int log_in(struct mlx5_deks *set, const struct device *device, const struct crypto_config *crypto,
		  unsigned which)
{
	struct mlx5dv_crypto_login_attr attr = {.credential_id = 0};
	uint8_t credential[MKEY_CREDENTIAL];
	size_t length = 0;
	int err =
		mkey_file_read(crypto->credentials_path, "--credentials_path", credential, sizeof(credential), &length);

	if (err)
		return err;
	if (length != sizeof(credential))
		return log_fail(-EINVAL, "--credentials_path: %s has %zu bytes, but a wrapped credential has %d",
				crypto->credentials_path, length, MKEY_CREDENTIAL);
	memcpy(attr.credential, credential, sizeof(credential));
	err = set->library->crypto_login(device->context, &attr);
	if (err)
		return log_fail(-err, "%s refuses the credential of %s: %s", device->name, crypto->credentials_path,
				strerror(err));
	set->logged_in[which] = device->context;
	return 0;
}

static int make_key(const struct mlx5_deks *set, const struct device *device, struct ibv_pd *pd,
		    const struct crypto_config *crypto, bool is_wrapped, struct mlx5dv_dek **dek)
{
	struct mlx5dv_dek_init_attr attr = {.key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS, .pd = pd};
	uint8_t wrapped[MKEY_WRAPPED_SIZE];
	size_t length = 0;
	int err;

	if (is_wrapped) {
		err = mkey_file_generate(crypto, wrapped, sizeof(wrapped), &length);
		if (err)
			return err;
		if (!mlx5_wrapped_key(length, &attr))
			return log_fail(-EINVAL,
					"--data_enc_key_app_path: %s created a key of %zu bytes, but a wrapped key has "
					"40, 48, 72 or 80",
					crypto->key_program, length);
		memcpy(attr.key, wrapped, length);
	} else {
		/* Local to this side. */
		attr.comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN;
		attr.key_size = MLX5DV_CRYPTO_KEY_SIZE_128;
		if (getrandom(attr.key, PLAIN_KEY_LEN, 0) != PLAIN_KEY_LEN)
			return -EIO;
	}
	errno = 0;
	*dek = set->library->dek_create(device->context, &attr);
	if (*dek)
		return 0;
	err = errno ? -errno : -EIO;
	return log_fail(err, "%s does not accept a data encryption key: %s", device->name, strerror(-err));
}

static int make_keys(struct mlx5_deks *set, const struct resources *resources, const struct device *device,
		     struct ibv_pd *pd, unsigned which)
{
	const struct crypto_config *crypto = &resources->config->crypto;
	struct mlx5dv_context context = {.comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD};
	bool is_wrapped = false;
	int err = set->library->query_device(device->context, &context);

	if (err || mlx5_crypto_lack(&context, crypto, 0, &is_wrapped))
		return -EOPNOTSUPP; /* already checked by check() */
	err = is_wrapped ? log_in(set, device, crypto, which) : 0;
	for (unsigned i = 0; !err && i < set->count; i++)
		err = make_key(set, device, pd, crypto, is_wrapped, &set->deks[which * set->count + i]);
	return err;
}

int mlx5_crypto_check(const struct mlx5_library *library, const struct device *device,
		      const struct mlx5dv_context *context, const struct crypto_config *crypto, uint64_t message)
{
	const char *lack;
	bool is_wrapped;

	if (!library->dek_create || !library->dek_destroy || !library->crypto_login || !library->crypto_logout)
		return log_fail(-EOPNOTSUPP,
				OPTION " needs mlx5dv_dek_create() and mlx5dv_create_mkey(), which %s does not provide",
				device->is_software ? device->name : "the installed libmlx5");
	lack = mlx5_crypto_lack(context, crypto, message, &is_wrapped);
	if (!lack)
		return 0;
	return log_fail(-EOPNOTSUPP, OPTION ": %s %s", device->name, lack);
}

int mlx5_deks_make(const struct mlx5_library *library, const struct resources *resources, struct mlx5_deks **deks)
{
	struct mlx5_deks *made = calloc(1, sizeof(*made));
	int err;

	*deks = made; /* closed with the resources */
	if (made) {
		made->library = library;
		made->num_devices = resources->second_pd ? 2 : 1;
		made->count = resources->config->crypto.num_keys;
		made->deks = calloc((size_t)made->count * made->num_devices, sizeof(struct mlx5dv_dek *));
	}
	if (!made || !made->deks)
		return log_fail(-ENOMEM, "no memory for %u keys", resources->config->crypto.num_keys);
	err = make_keys(made, resources, resources->device, resources->pd, 0);
	return err || made->num_devices == 1
		       ? err
		       : make_keys(made, resources, resources->device->second, resources->second_pd, 1);
}

void mlx5_deks_close(struct mlx5_deks *deks)
{
	if (!deks)
		return;
	for (unsigned i = 0; deks->deks && i < deks->count * deks->num_devices; i++)
		if (deks->deks[i])
			deks->library->dek_destroy(deks->deks[i]);
	for (unsigned i = 0; i < 2; i++)
		if (deks->logged_in[i])
			deks->library->crypto_logout(deks->logged_in[i]);
	free(deks->deks);
	free(deks);
}

void mlx5_crypto_set(struct mlx5dv_qp_ex *qp, const struct mlx5_deks *deks, const struct crypto_config *crypto,
		     bool is_second, unsigned index)
{
	struct mlx5dv_crypto_attr attr;

	mlx5_crypto_fill(crypto, deks->deks[(is_second ? deks->count : 0) + index % deks->count], &attr);
	mlx5dv_wr_set_mkey_crypto(qp, &attr);
}

#endif
