// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens the device, and selects the service and the VNI, before the sides connect. Called by libcxi_ops.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cxi/libcxi/libcxi_link.h"
#include "util/log.h"

/* name: "cxi" and a number. */
static int open_device(struct libcxi_link *own, const char *name)
{
	const uint32_t id = (uint32_t)strtoul(name + strlen("cxi"), NULL, 10);
	int err = own->lib.cxil_open_device(id, &own->device);

	if (!err)
		return libcxi_check_device(own->link, &own->device->info, id);
	if (err == -ENOENT || err == -ENODEV)
		return cxi_fault(own->link, -ENOENT,
				 "no device %s: there is no Cassini NIC of that name, or no driver for it\nselect "
				 "another with -d, or " LIBCXI_ELSE,
				 name);
	if (err == -EPERM || err == -EACCES)
		return cxi_fault(own->link, err,
				 "device %s can't be opened: %s\nits owner must let you use /dev/%s; or " LIBCXI_ELSE,
				 name, strerror(-err), name);
	return libcxi_refused(own->link, err, LIBCXI_ELSE, "device %s can't be opened", name);
}

static int find_service(struct libcxi_link *own, unsigned id, struct libcxi_service *service)
{
	int err;

	*service = (struct libcxi_service){0};
	err = own->lib.cxil_get_svc(own->device, id, service);
	if (err)
		return libcxi_refused(own->link, err, "select one with -v; cxi_service lists them",
				      "%s has no service %u", own->device->info.name, id);
	if (service->restricted_vnis && (service->vni_count == 0 || service->vni_count > LIBCXI_SERVICE_VNIS))
		return cxi_fault(own->link, -EPROTO, "service %u of %s restricts its VNIs to %u, which is impossible",
				 id, own->device->info.name, service->vni_count);
	return 0;
}

/*
 * For a service without a list of VNIs: the default service's first VNI, or 1; if that is unknown or outside the
 * service's own range, the first of the range. A library that does not know ranges allows all.
 */
static int choose_unlisted(struct libcxi_link *own, unsigned *vni)
{
	uint16_t first = 0, last = UINT16_MAX;
	const bool has_range = own->lib.cxil_svc_get_vni_range &&
			       !own->lib.cxil_svc_get_vni_range(own->device, own->service, &first, &last) &&
			       first <= last && last;
	struct libcxi_service service = {0};
	int err = 0;

	if (own->service != LIBCXI_DEFAULT_SERVICE)
		err = find_service(own, LIBCXI_DEFAULT_SERVICE, &service);
	if (err && !has_range)
		return cxi_fault(own->link, err,
				 "service %u of %s has no list of VNIs, and service %u, whose list would apply, does "
				 "not exist: %s\nset a VNI with SLINGSHOT_VNIS",
				 own->service, own->device->info.name, LIBCXI_DEFAULT_SERVICE, strerror(-err));
	*vni = !err && service.restricted_vnis ? service.vnis[0] : 1;
	if (has_range && (*vni < first || *vni > last))
		*vni = first ? first : 1;
	return 0;
}

/* Uses the service's first VNI, unless the user wants another. */
static int choose_vni(struct libcxi_link *own, unsigned wanted)
{
	struct libcxi_service service;
	int err = find_service(own, own->service, &service);

	if (err)
		return err;
	if (!service.enabled)
		return cxi_fault(own->link, -EACCES,
				 "service %u of %s is disabled\nthe default service of a managed system often is: "
				 "select one with -v or SLINGSHOT_SVC_IDS",
				 own->service, own->device->info.name);
	if (wanted)
		own->vni = wanted;
	else if (service.restricted_vnis)
		own->vni = service.vnis[0];
	else
		err = choose_unlisted(own, &own->vni);
	if (!err && own->vni == 0)
		return cxi_fault(own->link, -EINVAL, "service %u of %s has VNI 0, which no domain can have",
				 own->service, own->device->info.name);
	return err;
}

int libcxi_open(struct cxi_link *link, const struct cxi_place *place)
{
	struct libcxi_link *own = calloc(1, sizeof(*own));
	int err;

	if (!own)
		return cxi_fault(link, -ENOMEM, "no memory for the transport");
	own->link = link;
	link->private = own;
	snprintf(link->domain, sizeof(link->domain), "%s", place->device[0] ? place->device : CXI_DEFAULT_DEVICE);
	err = libcxi_load(&own->lib, link);
	if (err)
		return err;
	own->is_server = place->is_server;
	own->service = place->svc_id ? place->svc_id : LIBCXI_DEFAULT_SERVICE;
	err = open_device(own, link->domain);
	if (!err)
		err = choose_vni(own, place->vni);
	if (err)
		return err;
	err = own->lib.cxil_alloc_lni(own->device, &own->interface, own->service);
	if (err)
		return libcxi_refused(
			link, err,
			"cxi_service list shows its members and limits; -v or SLINGSHOT_SVC_IDS selects another one",
			"cannot allocate a network interface (LNI) with service %u of %s", own->service,
			own->device->info.name);
	err = own->lib.cxil_alloc_domain(own->interface, own->vni, CASSINI_PID_ANY, &own->domain);
	if (err)
		return libcxi_refused(
			link, err,
			"SLINGSHOT_VNIS selects another VNI; -v selects another service, which has its own VNIs",
			"no domain in VNI %u of %s", own->vni, own->device->info.name);
	if (own->domain->pid >> own->device->info.pid_bits)
		return cxi_fault(own->link, -EPROTO, "%s assigns PID %u of %u bits to a domain, which is impossible",
				 link->library, own->domain->pid, own->device->info.pid_bits);
	libcxi_fill_address(own);
	return 0;
}

void libcxi_close(struct cxi_link *link)
{
	struct libcxi_link *own = libcxi_of(link);

	libcxi_unmap(own);
	if (own->domain && own->lib.cxil_destroy_domain(own->domain))
		log_warning("libcxi: the domain can't be destroyed");
	if (own->interface && own->lib.cxil_destroy_lni(own->interface))
		log_warning("libcxi: the network interface can't be destroyed");
	if (own->device)
		own->lib.cxil_close_device(own->device);
	free(own);
	link->private = NULL;
}
