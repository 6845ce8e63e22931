// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --aes_xts on mlx5 adapters: data encryption keys, and mkeys over registered memory that use them. See maker.h. */
#define _GNU_SOURCE /* dlvsym() */
#include "verbs/provider/mlx5.h"

#include <errno.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/maker.h"
#include "verbs/verbs_config.h"

#define OPTION "--aes_xts"

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/deadline.h"
#include "util/stop.h"
#include "verbs/memory/mr.h"
#include "verbs/resources.h"

#define PLAIN_KEY_LEN 32 /* bytes: two keys of 128 bits */
#define WAIT_MS	      5000
#define HALVES	      2 /* the memory that is sent from, and the memory that the peer accesses */

struct mkey_set {
	const struct mlx5_library *library;
	struct mlx5dv_dek **deks; /* num_deks for the first device, followed by as many for the second one */
	unsigned num_deks;
	unsigned num_devices;
	struct ibv_context *logged_in[2];
	struct mlx5dv_mkey **keys; /* HALVES for each QP; NULL for a half that does not exist */
	unsigned num_qps;
};

/* Such mkeys need a context that libmlx5 opens, for objects that only the firmware knows (DEVX). */
static struct ibv_context *mkey_open(struct ibv_device *device)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	struct ibv_context *context = ibv_open_device(device);
	__typeof__(&mlx5dv_is_supported) is_supported;
	__typeof__(&mlx5dv_open_device) open_device;
	struct ibv_device_attr known;
	void *handle;

	if (!context || ibv_query_device(context, &known) || device_is_software(&known))
		return context;
	/* check() reports a missing library, or another provider's device. */
	handle = dlopen("libmlx5.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return context;
	*(void **)(void *)&is_supported = dlvsym(handle, "mlx5dv_is_supported", "MLX5_1.8");
	*(void **)(void *)&open_device = dlvsym(handle, "mlx5dv_open_device", "MLX5_1.7");
	if (!is_supported || !open_device || !is_supported(device))
		return context;
	ibv_close_device(context);
	return open_device(device, &attr);
}

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
		.dek = dek};
	(void)mlx5_block_size(crypto->block_bytes, &attr->data_unit_size);
	/* As linux-rdma perftest, for a peer that has the same keys. */
	for (unsigned i = 0; i < sizeof(attr->initial_tweak); i++)
		attr->initial_tweak[i] = (uint8_t)i;
}

static int mkey_check(const struct device *device, const struct verbs_config *config)
{
	const struct mlx5_library *library = mlx5_library_of(device, OPTION);
	struct mlx5dv_context context = {.comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD};
	const char *lack;
	bool is_wrapped;
	int err;

	if (!library)
		return -EOPNOTSUPP;
	err = library->query_device(device->context, &context);
	if (err)
		return log_fail(-err, "cannot query the mlx5 attributes of %s: %s", device->name, strerror(err));
	if (!library->create_mkey || !library->destroy_mkey || !library->dek_create || !library->dek_destroy ||
	    !library->crypto_login || !library->crypto_logout)
		return log_fail(-EOPNOTSUPP,
				OPTION " needs mlx5dv_dek_create() and mlx5dv_create_mkey(), which %s does not provide",
				device->is_software ? device->name : "the installed libmlx5");
	lack = mlx5_crypto_lack(&context, &config->crypto, config->size, &is_wrapped);
	return lack ? log_fail(-EOPNOTSUPP, OPTION ": %s %s", device->name, lack) : 0;
}

/* --- data encryption keys --- */

static int log_in(struct mkey_set *set, const struct device *device, const struct crypto_config *crypto, unsigned which)
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

static int make_key(const struct mkey_set *set, const struct device *device, struct ibv_pd *pd,
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

static int make_keys(struct mkey_set *set, const struct resources *resources, const struct device *device,
		     struct ibv_pd *pd, unsigned which)
{
	const struct crypto_config *crypto = &resources->config->crypto;
	struct mlx5dv_context context = {.comp_mask = MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD};
	bool is_wrapped = false;
	int err = set->library->query_device(device->context, &context);

	if (err || mlx5_crypto_lack(&context, crypto, 0, &is_wrapped))
		return -EOPNOTSUPP; /* already checked by check() */
	err = is_wrapped ? log_in(set, device, crypto, which) : 0;
	for (unsigned i = 0; !err && i < set->num_deks; i++)
		err = make_key(set, device, pd, crypto, is_wrapped, &set->deks[which * set->num_deks + i]);
	return err;
}

static int make_deks(struct mkey_set *set, const struct resources *resources)
{
	int err;

	set->num_devices = resources->second_pd ? 2 : 1;
	set->num_deks = resources->config->crypto.num_keys;
	set->deks = calloc((size_t)set->num_deks * set->num_devices, sizeof(struct mlx5dv_dek *));
	if (!set->deks)
		return log_fail(-ENOMEM, "no memory for %u keys", set->num_deks);
	err = make_keys(set, resources, resources->device, resources->pd, 0);
	return err || set->num_devices == 1
		       ? err
		       : make_keys(set, resources, resources->device->second, resources->second_pd, 1);
}

/* --- mkeys --- */

static int make_mkey(const struct mkey_set *set, const struct device *device, struct ibv_pd *pd,
		     struct mlx5dv_mkey **key)
{
	struct mlx5dv_mkey_init_attr attr = {.pd = pd,
					     .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
							     MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO,
					     .max_entries = 1};
	int err;

	errno = 0;
	*key = set->library->create_mkey(&attr);
	if (*key)
		return 0;
	err = errno ? -errno : -EIO;
	/* A server that gets the option from its client has opened the device without DEVX. */
	return log_fail(err, "cannot create an mkey on %s for " OPTION ": %s%s", device->name, strerror(-err),
			device->is_software ? "" : "; give it to both sides, so that each opens its device for mkeys");
}

static int make_all(struct mkey_set *set, struct resources *resources)
{
	int err = make_deks(set, resources);

	for (unsigned i = 0; !err && i < set->num_qps; i++) {
		const struct device *device = resources_device(resources, i);
		struct mlx5dv_mkey **keys = &set->keys[HALVES * i];

		if (resources->traffic.posts)
			err = make_mkey(set, device, resources_pd(resources, i), &keys[0]);
		if (!err && resources->traffic.peer_posts)
			err = make_mkey(set, device, resources_pd(resources, i), &keys[1]);
		if (err)
			break;
		resources->keys[i] = (struct mkey_keys){.send_lkey = keys[0] ? keys[0]->lkey : 0,
							.recv_lkey = keys[1] ? keys[1]->lkey : 0,
							.recv_rkey = keys[1] ? keys[1]->rkey : 0};
	}
	return err;
}

static int mkey_make(struct resources *resources)
{
	struct mkey_set *set = calloc(1, sizeof(*set));

	resources->mkeys = set; /* closed with the resources */
	if (set) {
		resources->keys = calloc(resources->num_qps, sizeof(*resources->keys));
		set->library = mlx5_library_of(resources->device, OPTION);
		set->num_qps = resources->num_qps;
		set->keys = calloc((size_t)HALVES * set->num_qps, sizeof(struct mlx5dv_mkey *));
	}
	if (!set || !set->keys || !resources->keys || !set->library)
		return log_fail(-ENOMEM, "no memory for the keys of %u queue pairs", resources->num_qps);
	return make_all(set, resources);
}

/* No other request can complete here. */
static int await_configured(const struct resources *resources, unsigned index, struct ibv_cq *cq)
{
	const struct deadline deadline = deadline_in_ms(WAIT_MS);
	struct ibv_wc wc;
	int found;

	do
		found = ibv_poll_cq(cq, 1, &wc);
	while (!found && !stop_requested() && !deadline_passed(deadline));
	if (found > 0 && wc.status == IBV_WC_SUCCESS)
		return 0;
	if (stop_requested())
		return -EINTR;
	return log_fail(-EIO, "%s cannot set up the mkey of QP 0x%06x for " OPTION ": %s",
			resources_device(resources, index)->name, resources->tx[index].qp->qp_num,
			found > 0 ? ibv_wc_status_str(wc.status) : "it does not answer");
}

/* The mkey covers one message: an adapter that encrypts single blocks accepts no longer ones. */
static int configure_one(const struct resources *resources, unsigned index, struct mlx5dv_mkey *key, uint8_t *region)
{
	const struct mkey_set *set = resources->mkeys;
	const struct crypto_config *crypto = &resources->config->crypto;
	const unsigned first_dek = resources->second_pd && resources_is_second(resources, index) ? set->num_deks : 0;
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(resources->tx[index].qp);
	struct mlx5dv_qp_ex *mlx5 = set->library->qp_ex_from_ibv_qp_ex(qpx);
	struct mlx5dv_mkey_conf_attr conf = {.comp_mask = 0};
	struct ibv_sge sge = {.addr = (uintptr_t)region,
			      .length = (uint32_t)resources->recv_bytes,
			      .lkey = mr_of(resources, index)->lkey};
	struct mlx5dv_crypto_attr attr;
	int err;

	ibv_wr_start(qpx);
	qpx->wr_id = 0;
	qpx->wr_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
	mlx5dv_wr_mkey_configure(mlx5, key, 3 /* setters */, &conf);
	mlx5dv_wr_set_mkey_access_flags(mlx5, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
						      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	mlx5dv_wr_set_mkey_layout_list(mlx5, 1, &sge);
	mlx5_crypto_fill(crypto, set->deks[first_dek + index % set->num_deks], &attr);
	mlx5dv_wr_set_mkey_crypto(mlx5, &attr);
	err = ibv_wr_complete(qpx);
	if (err)
		return log_fail(-err, "%s does not accept a request to set up an mkey: %s",
				resources_device(resources, index)->name, strerror(err));
	return await_configured(resources, index, resources->tx[index].qp->send_cq);
}

static int mkey_configure(struct resources *resources)
{
	const struct mkey_set *set = resources->mkeys;
	int err = 0;

	for (unsigned i = 0; !err && i < set->num_qps; i++) {
		struct mlx5dv_mkey *const *keys = &set->keys[HALVES * i];

		if (keys[0])
			err = configure_one(resources, i, keys[0], mr_send_region(resources, i));
		if (!err && keys[1])
			err = configure_one(resources, i, keys[1], mr_recv_region(resources, i));
	}
	return err;
}

static void mkey_close(struct resources *resources)
{
	struct mkey_set *set = resources->mkeys;

	for (unsigned i = 0; set->keys && i < HALVES * set->num_qps; i++)
		if (set->keys[i])
			set->library->destroy_mkey(set->keys[i]);
	for (unsigned i = 0; set->deks && i < set->num_deks * set->num_devices; i++)
		if (set->deks[i])
			set->library->dek_destroy(set->deks[i]);
	for (unsigned i = 0; i < 2; i++)
		if (set->logged_in[i])
			set->library->crypto_logout(set->logged_in[i]);
	free(set->deks);
	free(set->keys);
	free(set);
	free(resources->keys);
	resources->mkeys = NULL;
	resources->keys = NULL;
}

const struct mkey_ops mkey_ops = {
	.open = mkey_open, .check = mkey_check, .make = mkey_make, .configure = mkey_configure, .close = mkey_close};

#else

static int mkey_is_old(const struct device *device, const struct verbs_config *config)
{
	(void)config;
	return log_fail(-EOPNOTSUPP,
			OPTION " on %s is not in this build: it was built with headers of libmlx5 that lack it "
			       "(rdma-core 44 has it)",
			device->name);
}

const struct mkey_ops mkey_ops = {.check = mkey_is_old};

#endif
