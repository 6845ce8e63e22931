// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which device, service and VNI? Before anyone waits for a peer. libcxi_ops.c calls. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cxi/libcxi_link.h"
#include "util/log.h"

int libcxi_refused(struct libcxi_link *own, int result, const char *what)
{
	int err = result < 0 ? result : -EIO;

	return cxi_fault(own->link, err, "%s: %s", what, strerror(-err));
}

static int open_device(struct libcxi_link *own, const char *name)
{
	char *end;
	unsigned long id;
	int err;

	errno = 0;
	id = strncmp(name, "cxi", 3) == 0 && name[3] >= '0' && name[3] <= '9' ? strtoul(name + 3, &end, 10) : ULONG_MAX;
	if (id > UINT32_MAX || *end)
		return cxi_fault(own->link, -EINVAL, "device '%s' is not named cxi and a number, as cxi0", name);
	err = own->lib.cxil_open_device(id, &own->device);
	switch (err) {
	case 0:
		return libcxi_check_device(own->link, &own->device->info, id);
	case -ENOENT:
	case -ENODEV:
		return cxi_fault(own->link, -ENOENT,
				 "no device %s: no Cassini NIC of that name, or no driver for it\n"
				 "choose another with -d, or " LIBCXI_ELSE,
				 name);
	case -EPERM:
	case -EACCES:
		return cxi_fault(own->link, err,
				 "device %s can't be opened: %s\nits owner must let you use /dev/%s; or " LIBCXI_ELSE,
				 name, strerror(-err), name);
	default:
		return cxi_fault(own->link, err < 0 ? err : -EIO, "device %s can't be opened: %s\n" LIBCXI_ELSE, name,
				 strerror(err < 0 ? -err : EIO));
	}
}

static int find_service(struct libcxi_link *own, unsigned id, struct libcxi_service *service)
{
	int err;

	*service = (struct libcxi_service){0};
	err = own->lib.cxil_get_svc(own->device, id, service);
	if (err)
		return cxi_fault(own->link, err < 0 ? err : -EIO,
				 "%s has no service %u: %s\nchoose one with -v; cxi_service lists them",
				 own->device->info.name, id, strerror(err < 0 ? -err : EIO));
	if (service->restricted_vnis && (service->vni_count == 0 || service->vni_count > LIBCXI_SERVICE_VNIS))
		return cxi_fault(own->link, -EPROTO,
				 "service %u of %s restricts its VNIs to %u of them, which can't be", id,
				 own->device->info.name, service->vni_count);
	return 0;
}

/* A VNI that is not restricted to a list may be to a range. */
static unsigned vni_in_range(const struct libcxi_link *own, unsigned vni)
{
	uint16_t first = 0, last = 0;

	if (!own->lib.cxil_svc_get_vni_range ||
	    own->lib.cxil_svc_get_vni_range(own->device, own->service, &first, &last) || first > last || !last ||
	    (vni >= first && vni <= last))
		return vni;
	return first ? first : 1;
}

/*
 * The service's first VNI; where it has no list of them, the default service's, or 1, unless that is not in the
 * service's range.
 */
static int choose_vni(struct libcxi_link *own, unsigned wanted)
{
	struct libcxi_service service;
	int err = find_service(own, own->service, &service);
	bool has_list;

	if (err)
		return err;
	has_list = service.restricted_vnis;
	if (!service.enabled)
		return cxi_fault(
			own->link, -EACCES,
			"service %u of %s is disabled\n"
			"the default one of a managed system often is: choose one with -v or SLINGSHOT_SVC_IDS",
			own->service, own->device->info.name);
	if (wanted) {
		for (unsigned i = 0; i < service.vni_count && service.restricted_vnis; i++) {
			if (service.vnis[i] == wanted)
				service.restricted_vnis = false;
		}
		if (service.restricted_vnis)
			return cxi_fault(own->link, -EINVAL, "service %u of %s does not allow VNI %u, but VNI %u",
					 own->service, own->device->info.name, wanted, service.vnis[0]);
		own->vni = wanted;
		return 0;
	}
	if (!service.restricted_vnis && own->service != LIBCXI_DEFAULT_SERVICE) {
		err = find_service(own, LIBCXI_DEFAULT_SERVICE, &service);
		if (err)
			return err;
	}
	own->vni = service.restricted_vnis ? service.vnis[0] : 1;
	if (!has_list)
		own->vni = vni_in_range(own, own->vni);
	if (own->vni == 0)
		return cxi_fault(own->link, -EINVAL, "service %u of %s has VNI 0, which no domain can have",
				 own->service, own->device->info.name);
	return 0;
}

int libcxi_open(struct libcxi_link *own, const struct cxi_place *place)
{
	int err = libcxi_load(&own->lib, own->link);

	if (err)
		return err;
	own->is_server = place->is_server;
	own->service = place->svc_id ? place->svc_id : LIBCXI_DEFAULT_SERVICE;
	err = open_device(own, place->device[0] ? place->device : CXI_DEFAULT_DEVICE);
	if (!err)
		err = choose_vni(own, place->vni);
	if (err)
		return err;
	err = own->lib.cxil_alloc_lni(own->device, &own->interface, own->service);
	if (err) {
		char what[80];

		snprintf(what, sizeof(what), "service %u of %s gives no network interface (LNI)", own->service,
			 own->device->info.name);
		return libcxi_refused(own, err, what);
	}
	err = own->lib.cxil_alloc_domain(own->interface, own->vni, CASSINI_PID_ANY, &own->domain);
	if (err) {
		char what[80];

		snprintf(what, sizeof(what), "no domain in VNI %u of %s", own->vni, own->device->info.name);
		return libcxi_refused(own, err, what);
	}
	if (own->domain->pid >> own->device->info.pid_bits)
		return cxi_fault(own->link, -EPROTO, "%s gives a domain PID %u of %u bits, which can't be",
				 own->link->library, own->domain->pid, own->device->info.pid_bits);
	return 0;
}

void libcxi_close(struct libcxi_link *own)
{
	if (own->domain && own->lib.cxil_destroy_domain(own->domain))
		log_warning("libcxi: the domain can't be destroyed");
	if (own->interface && own->lib.cxil_destroy_lni(own->interface))
		log_warning("libcxi: the network interface can't be destroyed");
	if (own->device)
		own->lib.cxil_close_device(own->device);
	libcxi_unload(&own->lib);
}
