// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mlx5 mkeys over registered memory, with AES-XTS, signatures, or both. See mkey.h. */
#define _GNU_SOURCE /* dlvsym() */
#include "config.h"

#include "verbs/mkey.h"

#include <errno.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/verbs_config.h"

/* The option that needs them, for messages. */
static const char *option_of(const struct verbs_config *config)
{
	return config->crypto.is_used ? "--aes_xts" : "--sig_offload";
}

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "util/deadline.h"
#include "util/stop.h"
#include "verbs/memory/mr.h"
#include "verbs/provider/mlx5_library.h"
#include "verbs/provider/mlx5_mkey.h"
#include "verbs/resources.h"

#define WAIT_MS 5000
#define HALVES	2 /* the memory that is sent from, and the memory that the peer accesses */

struct mkey_set {
	const struct mlx5_library *library;
	struct mlx5_deks *deks;	   /* NULL: no encryption */
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

static int mkey_check(const struct device *device, const struct verbs_config *config)
{
	const struct mlx5_library *library = mlx5_library_of(device, option_of(config));
	const uint64_t message = config->crypto.signature_first ? mkey_wire_bytes(config, config->size) : config->size;
	struct mlx5dv_context context = {.comp_mask = 0};
	const char *lack;
	int err;

	if (!library)
		return -EOPNOTSUPP;
	context.comp_mask = config->signs ? MLX5DV_CONTEXT_MASK_SIGNATURE_OFFLOAD : 0;
	context.comp_mask |= config->crypto.is_used ? MLX5DV_CONTEXT_MASK_CRYPTO_OFFLOAD : 0;
	err = library->query_device(device->context, &context);
	if (err)
		return log_fail(-err, "cannot query the mlx5 attributes of %s: %s", device->name, strerror(err));
	if (!library->create_mkey || !library->destroy_mkey || (config->signs && !library->mkey_check))
		return log_fail(-EOPNOTSUPP,
				"%s needs mlx5dv_create_mkey() and mlx5dv_mkey_check(), which %s does not provide",
				option_of(config), device->is_software ? device->name : "the installed libmlx5");
	err = config->crypto.is_used ? mlx5_crypto_check(library, device, &context, &config->crypto, message) : 0;
	lack = !err && config->signs ? mlx5_signature_lack(&context) : NULL;
	if (!lack)
		return err;
	return log_fail(-EOPNOTSUPP, "--sig_offload: %s %s", device->name, lack);
}

/* --- keys --- */

static int make_mkey(const struct mkey_set *set, const struct verbs_config *config, const struct device *device,
		     struct ibv_pd *pd, struct mlx5dv_mkey **key)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				(config->crypto.is_used ? (uint32_t)MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO : 0) |
				(config->signs ? (uint32_t)MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE : 0),
		.max_entries = 1,
	};
	int err;

	errno = 0;
	*key = set->library->create_mkey(&attr);
	if (*key)
		return 0;
	err = errno ? -errno : -EIO;
	/* A server that gets the option from its client has opened the device without DEVX. */
	return log_fail(err, "cannot create an mkey on %s for %s: %s%s", device->name, option_of(config),
			strerror(-err),
			device->is_software ? "" : "; give it to both sides, so that each opens its device for mkeys");
}

static int make_all(struct mkey_set *set, struct resources *resources)
{
	const struct verbs_config *config = resources->config;
	int err = config->crypto.is_used ? mlx5_deks_make(set->library, resources, &set->deks) : 0;

	for (unsigned i = 0; !err && i < set->num_qps; i++) {
		const struct device *device = resources_device(resources, i);
		struct mlx5dv_mkey **keys = &set->keys[HALVES * i];

		if (resources->traffic.posts)
			err = make_mkey(set, config, device, resources_pd(resources, i), &keys[0]);
		if (!err && resources->traffic.peer_posts)
			err = make_mkey(set, config, device, resources_pd(resources, i), &keys[1]);
		if (err)
			break;
		resources->keys[i] = (struct mkey_keys){
			.send_lkey = keys[0] ? keys[0]->lkey : 0,
			.recv_lkey = keys[1] ? keys[1]->lkey : 0,
			.recv_rkey = keys[1] ? keys[1]->rkey : 0,
		};
	}
	return err;
}

static int mkey_make(struct resources *resources)
{
	struct mkey_set *set = calloc(1, sizeof(*set));

	resources->mkeys = set; /* closed with the resources */
	if (set) {
		resources->keys = calloc(resources->num_qps, sizeof(*resources->keys));
		set->library = mlx5_library_of(resources->device, option_of(resources->config));
		set->num_qps = resources->num_qps;
		set->keys = calloc((size_t)HALVES * set->num_qps, sizeof(struct mlx5dv_mkey *));
	}
	if (!set || !set->keys || !resources->keys || !set->library)
		return log_fail(-ENOMEM, "no memory for the keys of %u queue pairs", resources->num_qps);
	return make_all(set, resources);
}

/* --- over memory --- */

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
	return log_fail(-EIO, "%s cannot set up the mkey of QP 0x%06x for %s: %s",
			resources_device(resources, index)->name, resources->tx[index].qp->qp_num,
			option_of(resources->config), found > 0 ? ibv_wc_status_str(wc.status) : "it does not answer");
}

/*
 * The mkey covers one message: signatures are counted from its start, and an adapter that encrypts single blocks
 * accepts no longer ones.
 */
static int configure_one(const struct resources *resources, unsigned index, struct mlx5dv_mkey *key, uint8_t *region)
{
	const struct mkey_set *set = resources->mkeys;
	const struct verbs_config *config = resources->config;
	const bool is_second = resources->second_pd && resources_is_second(resources, index);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(resources->tx[index].qp);
	struct mlx5dv_qp_ex *mlx5 = set->library->qp_ex_from_ibv_qp_ex(qpx);
	struct mlx5dv_mkey_conf_attr conf = {.comp_mask = 0};
	struct ibv_sge sge = {.addr = (uintptr_t)region,
			      .length = (uint32_t)resources->recv_bytes,
			      .lkey = mr_of(resources, index)->lkey};
	struct mlx5_signature signature;
	int err;

	ibv_wr_start(qpx);
	qpx->wr_id = 0;
	qpx->wr_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
	mlx5dv_wr_mkey_configure(mlx5, key, (uint8_t)(2 + config->crypto.is_used + config->signs) /* setters */, &conf);
	mlx5dv_wr_set_mkey_access_flags(mlx5, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
						      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	mlx5dv_wr_set_mkey_layout_list(mlx5, 1, &sge);
	if (config->signs) {
		mlx5_signature_fill(&signature);
		mlx5dv_wr_set_mkey_sig_block(mlx5, &signature.attr);
	}
	if (config->crypto.is_used)
		mlx5_crypto_set(mlx5, set->deks, &config->crypto, is_second, index);
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

/* The library learns of signature errors when it polls the QP's CQs. */
static void read_errors(const struct resources *resources, unsigned index)
{
	const struct ibv_qp *qp = resources->tx[index].qp;
	struct ibv_wc wc;

	(void)ibv_poll_cq(qp->send_cq, 1, &wc);
	(void)ibv_poll_cq(qp->recv_cq, 1, &wc);
}

/* 0: all signatures were correct; 1: one was wrong, reported; or -errno, reported. */
static int verify_one(const struct resources *resources, unsigned index, struct mlx5dv_mkey *key)
{
	const struct mkey_set *set = resources->mkeys;
	struct mlx5dv_mkey_err error = {.err_type = MLX5DV_MKEY_NO_ERR};
	char text[192];
	int err = set->library->mkey_check(key, &error, sizeof(error));

	if (err)
		return log_fail(-err, "cannot check signatures on %s: %s", resources_device(resources, index)->name,
				strerror(err));
	if (!mlx5_signature_text(&error, text, sizeof(text)))
		return 0;
	return log_fail(1, "--sig_offload: QP 0x%06x received %s", resources->tx[index].qp->qp_num, text);
}

static int mkey_verify(struct resources *resources)
{
	const struct mkey_set *set = resources->mkeys;
	bool is_wrong = false;

	for (unsigned i = 0; i < HALVES * set->num_qps; i++) {
		int ret;

		if (!set->keys[i])
			continue;
		read_errors(resources, i / HALVES);
		ret = verify_one(resources, i / HALVES, set->keys[i]);
		if (ret < 0)
			return ret;
		is_wrong |= ret > 0;
	}
	return is_wrong ? -EBADMSG : 0;
}

static void mkey_close(struct resources *resources)
{
	struct mkey_set *set = resources->mkeys;

	for (unsigned i = 0; set->keys && i < HALVES * set->num_qps; i++)
		if (set->keys[i])
			set->library->destroy_mkey(set->keys[i]);
	mlx5_deks_close(set->deks);
	free(set->keys);
	free(set);
	free(resources->keys);
	resources->mkeys = NULL;
	resources->keys = NULL;
}

const struct mkey_ops mkey_ops = {
	.open = mkey_open,
	.check = mkey_check,
	.make = mkey_make,
	.configure = mkey_configure,
	.verify = mkey_verify,
	.close = mkey_close,
};

#else

static int mkey_is_old(const struct device *device, const struct verbs_config *config)
{
	return log_fail(-EOPNOTSUPP,
			"%s on %s is not in this build: it was built with headers of libmlx5 that lack it (rdma-core "
			"44 has it)",
			option_of(config), device->name);
}

const struct mkey_ops mkey_ops = {.check = mkey_is_old};

#endif
