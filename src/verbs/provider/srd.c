// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Amazon EFA's scalable reliable datagrams (SRD), reliable but unordered, through efadv. */
#include <errno.h>
#include <infiniband/efadv.h>
#include <stddef.h>
#include <string.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/device/direct_library.h"
#include "verbs/maker.h"
#include "verbs/qp/qp.h"
#include "verbs/queue.h"

#define OPTION "-c SRD"

/* Defined by the headers of rdma-core 47 and newer. */
#define EFA_CAPS_RDMA_WRITE (1U << 3) /* EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE */

/* From efadv_create_qp_ex(3) and efadv_query_device(3); missing in older headers. */
#define CAPS_UNSOLICITED_WRITE_RECV  (1U << 4) /* EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV */
#define FLAGS_UNSOLICITED_WRITE_RECV (1U << 0) /* EFADV_QP_FLAGS_UNSOLICITED_WRITE_RECV */
#define FLAGS_INLINE_WRITE	     (1U << 1) /* EFADV_QP_FLAGS_INLINE_WRITE */

struct efa_library {
	__typeof__(&efadv_query_device) query_device;
	__typeof__(&efadv_create_qp_ex) create_qp_ex;
};

#define ROW(name) LIBRARY_ROW_IN(struct efa_library, name, "efadv_" #name, .version = "EFA_1.1")
static const struct library_symbol symbols[] = {ROW(query_device), ROW(create_qp_ex), {.name = NULL}};
static const struct direct_library file = {
	{{"libefa.so.1"}, symbols, DIRECT_PROVIDERS, false}, .is_of_soft = true, .bytes = sizeof(struct efa_library)};

/* NULL if the device has another driver, or libefa is missing, reported. *attr: the device's capabilities. */
static const struct efa_library *efa_library_of(const struct device *device, struct efadv_device_attr *attr)
{
	const struct efa_library *library = direct_library_of(device->direct, &file, OPTION);
	int err;

	if (!library)
		return NULL;
	memset(attr, 0, sizeof(*attr));
	err = library->query_device(device->context, attr, sizeof(*attr));
	if (!err)
		return library;
	if (err == EOPNOTSUPP)
		log_error(OPTION " is for Amazon's Elastic Fabric Adapter (EFA), which %s is not", device->name);
	else
		log_error("cannot query the EFA attributes of %s: %s", device->name, strerror(err));
	return NULL;
}

/* At the start of what older headers call reserved: flags, 16 bits, and service level (rdma-core 55), 8 bits. */
static void srd_set_reserved(struct efadv_qp_init_attr *efa, uint16_t flags, uint8_t sl)
{
	uint8_t *at =
		(uint8_t *)efa + offsetof(struct efadv_qp_init_attr, driver_qp_type) + sizeof(efa->driver_qp_type);

	_Static_assert(sizeof(*efa) >= 16, "both are in front of the structure's end");
	memcpy(at, &flags, sizeof(flags));
	at[sizeof(flags)] = sl;
}

/* With -b both sides receive such messages. */
static int check_unsolicited(const struct device *device, const struct efadv_device_attr *attr)
{
	if (attr->device_caps & CAPS_UNSOLICITED_WRITE_RECV)
		return 0;
	return log_fail(-EOPNOTSUPP,
			"%s or its libefa does not support unsolicited RDMA WRITE with immediate data "
			"(EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV): omit --unsolicited_write",
			device->name);
}

static int srd_check(const struct device *device, const struct verbs_config *config)
{
	const enum verb verb = config->traffic.verb;
	struct efadv_device_attr attr;

	if (!efa_library_of(device, &attr))
		return -EOPNOTSUPP;
	if (verb == VERB_SEND || (verb == VERB_READ && attr.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_READ) ||
	    (verb == VERB_WRITE && attr.device_caps & EFA_CAPS_RDMA_WRITE))
		return config->unsolicited ? check_unsolicited(device, &attr) : 0;
	return log_fail(-EOPNOTSUPP, "%s has no RDMA %s over SRD%s", device->name, verb == VERB_READ ? "READ" : "WRITE",
			attr.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_READ ? ", only RDMA READ and SEND"
									    : ", only SEND");
}

static uint64_t srd_memory_limit(const struct device *device)
{
	struct efadv_device_attr attr;

	if (!efa_library_of(device, &attr))
		return 0;
	if (!attr.max_rdma_size)
		log_error("%s has no RDMA over SRD, only SEND", device->name);
	return attr.max_rdma_size;
}

/* Verbs has one limit for both queues, the smaller one. */
static uint32_t srd_most_receives(const struct device *device)
{
	struct efadv_device_attr attr;

	return efa_library_of(device, &attr) ? attr.max_rq_wr : 0;
}

/* If the device can retry after RNR, it does so indefinitely, as with RC. */
static int srd_rts_mask(const struct device *device)
{
	struct efadv_device_attr attr;

	return efa_library_of(device, &attr) && attr.device_caps & EFADV_DEVICE_ATTR_CAPS_RNR_RETRY ? IBV_QP_RNR_RETRY
												    : 0;
}

static uint16_t srd_flags(const struct verbs_config *config, const struct ibv_qp_init_attr_ex *attr)
{
	const bool writes_inline = config->traffic.verb == VERB_WRITE && attr->cap.max_inline_data;

	return (config->unsolicited ? FLAGS_UNSOLICITED_WRITE_RECV : 0) | (writes_inline ? FLAGS_INLINE_WRITE : 0);
}

static struct ibv_qp *srd_create(const struct device *device, const struct verbs_config *config,
				 struct ibv_qp_init_attr_ex *attr, const struct qp_steps *row)
{
	struct efadv_qp_init_attr efa = {.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD};
	struct efadv_device_attr caps;
	const struct efa_library *library = efa_library_of(device, &caps);

	(void)row;
	srd_set_reserved(&efa, srd_flags(config, attr), config->sl);
	if (library)
		return library->create_qp_ex(device->context, attr, &efa, sizeof(efa));
	errno = EOPNOTSUPP;
	return NULL;
}

static void srd_set_address(struct ibv_qp_ex *qpx, struct wr_address *address)
{
	ibv_wr_set_ud_addr(qpx, address->ah, address->number, (uint32_t)address->key);
}

const struct qp_maker maker_efa = {
	.check = srd_check,
	.memory_limit = srd_memory_limit,
	.most_receives = srd_most_receives,
	.rts_mask = srd_rts_mask,
	.create = srd_create,
	.set_address = srd_set_address,
	.key = QP_KEY,
};
