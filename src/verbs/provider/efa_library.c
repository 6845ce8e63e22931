// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens libefa for EFA devices. See efa_library.h. */
#include "verbs/provider/efa_library.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/device/direct_library.h"

static const struct direct_symbol symbols[] = {
	{"efadv_query_device", "EFA_1.1", 33, false, offsetof(struct efa_library, query_device)},
	{"efadv_create_qp_ex", "EFA_1.1", 33, false, offsetof(struct efa_library, create_qp_ex)},
};

static const struct direct_library file = {
	.file = "libefa.so.1",
	.package = "ibverbs-providers (Debian) or libibverbs (Fedora)",
	.is_of_soft = true,
	.symbols = symbols,
	.count = sizeof(symbols) / sizeof(symbols[0]),
	.bytes = sizeof(struct efa_library),
};

const struct efa_library *efa_library_of(const struct device *device, const char *what, struct efadv_device_attr *attr)
{
	const struct efa_library *library = direct_library_of(device->direct, &file, what);
	int err;

	if (!library)
		return NULL;
	memset(attr, 0, sizeof(*attr));
	err = library->query_device(device->context, attr, sizeof(*attr));
	if (!err)
		return library;
	if (err == EOPNOTSUPP)
		log_error("%s is for Amazon's Elastic Fabric Adapter (EFA), which %s is not", what, device->name);
	else
		log_error("cannot query the EFA attributes of %s: %s", device->name, strerror(err));
	return NULL;
}
