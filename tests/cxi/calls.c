// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The functions of libcxi, as libcxi_abi.h has them, and the faults that the environment asks for. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "standin.h"

#define PAGE				      4096
#define PROTOTYPE(symbol, result, parameters) result symbol parameters;
LIBCXI_FUNCTIONS(PROTOTYPE)
LIBCXI_OPTIONAL_FUNCTIONS(PROTOTYPE)

uint64_t standin_number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

void standin_violation(struct nic *nic, const char *format, ...)
{
	va_list args;

	nic->counts.violations++;
	fprintf(stderr, "stand-in NIC: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* CALL:ERRNO[:N] of the environment, if it is about this call; counted from when it was set. */
static int fault(const char *call)
{
	static unsigned calls;
	static char last[80];
	const char *text = getenv("CXI_STANDIN_FAIL");
	size_t length = strlen(call);
	char *end;
	int err;

	if (!text || strncmp(text, call, length) != 0 || text[length] != ':')
		return 0;
	if (strcmp(last, text) != 0) {
		calls = 0;
		snprintf(last, sizeof(last), "%s", text);
	}
	err = strtol(text + length + 1, &end, 10);
	return ++calls == (*end == ':' ? strtoul(end + 1, NULL, 10) : 1) ? -err : 0;
}

#define FAULT()                                                                                                        \
	do {                                                                                                           \
		int err_ = fault(__func__);                                                                            \
                                                                                                                       \
		if (err_)                                                                                              \
			return err_;                                                                                   \
	} while (0)

/* A place for a new object; its number is one more than its index. -ENOSPC: none. */
#define PLACE(table) place((void **)(table))
static int place(void **table)
{
	for (int i = 0; i < MAX_OBJECTS; i++) {
		if (!table[i])
			return i;
	}
	return -ENOSPC;
}

#define ADD(nic, table, at, object)                                                                                    \
	do {                                                                                                           \
		pthread_mutex_lock(&(nic)->lock);                                                                      \
		(nic)->table[at] = (object);                                                                           \
		pthread_mutex_unlock(&(nic)->lock);                                                                    \
	} while (0)

static void forget(struct nic *nic, void **table, void *object)
{
	pthread_mutex_lock(&nic->lock);
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		if (table[i] == object)
			table[i] = NULL;
	}
	pthread_mutex_unlock(&nic->lock);
}

int cxil_open_device(uint32_t id, struct libcxi_device **device)
{
	struct nic *nic;

	FAULT();
	if (id != 0)
		return -ENOENT;
	nic = calloc(1, sizeof(*nic));
	if (!nic)
		return -ENOMEM;
	/* Data is read out of the memory of this process by another one. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	pthread_mutex_init(&nic->lock, NULL);
	nic->public.info = (struct libcxi_device_info){
		.nic = standin_number("CXI_STANDIN_NIC", 0x12),
		.pid_bits = standin_number("CXI_STANDIN_PID_BITS", 9),
		.rendezvous_index = RENDEZVOUS_INDEX,
		.name = "cxi0",
	};
	*device = &nic->public;
	return 0;
}

static void write_counts(const struct nic *nic)
{
	const char *name = getenv("CXI_STANDIN_REPORT");
	char path[4096];
	FILE *file;

	if (!name)
		return;
	snprintf(path, sizeof(path), "%s.%u", name, nic->pid);
	file = fopen(path, "w");
	if (!file)
		return;
#define WRITE(member) fprintf(file, #member " %llu\n", (unsigned long long)nic->counts.member);
	COUNTS(WRITE)
#undef WRITE
	fclose(file);
}

void cxil_close_device(struct libcxi_device *device)
{
	struct nic *nic = (struct nic *)device;

	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		nic->counts.left_objects += !!nic->eqs[i] + !!nic->queues[i] + !!nic->counters[i] + !!nic->portals[i] +
					    !!nic->maps[i] + !!nic->mappings[i] + !!nic->profiles[i];
	nic->counts.left_objects += !!nic->domain;
	write_counts(nic);
	free(nic->waiting);
	pthread_mutex_destroy(&nic->lock);
	free(nic);
}

int cxil_get_svc(struct libcxi_device *device, unsigned id, struct libcxi_service *service)
{
	const char *text = getenv("CXI_STANDIN_SERVICE");

	(void)device;
	FAULT();
	if (id != LIBCXI_DEFAULT_SERVICE && id != 7)
		return -EINVAL;
	*service = (struct libcxi_service){.enabled = 1};
	if (!text || id != LIBCXI_DEFAULT_SERVICE)
		return 0;
	if (strcmp(text, "disabled") == 0) {
		service->enabled = 0;
		return 0;
	}
	service->restricted_vnis = 1;
	while (*text && service->vni_count < LIBCXI_SERVICE_VNIS) {
		char *end;

		service->vnis[service->vni_count++] = strtoul(text, &end, 10);
		text = *end ? end + 1 : end;
	}
	return 0;
}

/* The range, or all. */
static void standin_range(uint16_t *first, uint16_t *last)
{
	const char *text = getenv("CXI_STANDIN_RANGE");

	*first = 1;
	*last = UINT16_MAX;
	if (text)
		sscanf(text, "%hu-%hu", first, last);
}

#ifndef STANDIN_OLD
int cxil_svc_get_vni_range(struct libcxi_device *device, unsigned id, uint16_t *first, uint16_t *last)
{
	(void)device;
	(void)id;
	FAULT();
	standin_range(first, last);
	return 0;
}
#endif

int cxil_alloc_lni(struct libcxi_device *device, struct libcxi_interface **interface, unsigned service)
{
	struct interface *made;

	(void)service;
	FAULT();
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->nic = (struct nic *)device;
	*interface = &made->public;
	return 0;
}

int cxil_destroy_lni(struct libcxi_interface *interface)
{
	free(interface);
	return 0;
}

static struct nic *nic_of(struct libcxi_interface *interface)
{
	return ((struct interface *)interface)->nic;
}

int cxil_alloc_domain(struct libcxi_interface *interface, unsigned vni, unsigned pid, struct libcxi_domain **domain)
{
	struct nic *nic = nic_of(interface);
	struct domain *made;
	uint16_t first, last;
	int err;

	FAULT();
	if (nic->domain || vni == 0 || pid != CASSINI_PID_ANY)
		return -EINVAL;
	standin_range(&first, &last);
	if (vni < first || vni > last)
		return -EPERM;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	err = standin_bind(nic, vni);
	if (!err)
		err = -pthread_create(&nic->thread, NULL, standin_run, nic);
	if (err) {
		free(made);
		return err;
	}
	made->nic = nic;
	made->public.vni = vni;
	made->public.pid = nic->pid;
	nic->domain = made;
	*domain = &made->public;
	return 0;
}

int cxil_destroy_domain(struct libcxi_domain *domain)
{
	struct nic *nic = ((struct domain *)domain)->nic;

	pthread_mutex_lock(&nic->lock);
	nic->must_stop = true;
	pthread_mutex_unlock(&nic->lock);
	pthread_join(nic->thread, NULL);
	close(nic->socket);
	nic->domain = NULL;
	free(domain);
	return 0;
}

static int make_profile(struct libcxi_interface *interface, unsigned vni, unsigned traffic_class, unsigned type,
			struct libcxi_profile **profile)
{
	struct nic *nic = nic_of(interface);
	int at = PLACE(nic->profiles);
	struct profile *made;

	if (at < 0 || !nic->domain || vni != nic->vni || traffic_class != LIBCXI_BEST_EFFORT ||
	    type != LIBCXI_TRAFFIC_DEFAULT)
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->nic = nic;
	made->public = (struct libcxi_profile){.vni = vni, .traffic_class = traffic_class, .type = type, .lcid = at};
	ADD(nic, profiles, at, made);
	*profile = &made->public;
	return 0;
}

#ifndef STANDIN_OLD
int cxil_alloc_trig_cp(struct libcxi_interface *interface, unsigned vni, unsigned traffic_class, unsigned type,
		       unsigned lcid, struct libcxi_profile **profile)
{
	FAULT();
	nic_of(interface)->counts.trig_profiles++;
	return lcid == LIBCXI_LCID_ANY ? make_profile(interface, vni, traffic_class, type, profile) : -EINVAL;
}
#endif

int cxil_alloc_cp(struct libcxi_interface *interface, unsigned vni, unsigned traffic_class, unsigned type,
		  struct libcxi_profile **profile)
{
	FAULT();
	nic_of(interface)->counts.old_profiles++;
	return make_profile(interface, vni, traffic_class, type, profile);
}

int cxil_destroy_cp(struct libcxi_profile *profile)
{
	struct profile *made = (struct profile *)profile;

	forget(made->nic, (void **)made->nic->profiles, made);
	free(made);
	return 0;
}

#ifndef STANDIN_PARTIAL
/* Whole pages around what was asked for. */
int cxil_map(struct libcxi_interface *interface, void *address, size_t length, uint32_t flags,
	     struct libcxi_memory_hints *hints, struct libcxi_memory **memory)
{
	struct nic *nic = nic_of(interface);
	int at = PLACE(nic->mappings);
	uint64_t start = (uintptr_t)address / PAGE * PAGE;
	struct mapping *made;

	FAULT();
	if (length > PAGE)
		sleep((unsigned)standin_number("CXI_STANDIN_SLOW", 0));
	if (at < 0)
		return at;
	if (length == 0 || !(flags & LIBCXI_MAP_READ) || !(flags & LIBCXI_MAP_WRITE) || (hints && !hints->dmabuf_valid))
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->nic = nic;
	made->public = (struct libcxi_memory){
		.iova = start + IOVA_BASE,
		.va = start,
		.length = ((uintptr_t)address + length - start + PAGE - 1) / PAGE * PAGE,
		.lac = 1 + at % 7,
	};
	ADD(nic, mappings, at, made);
	*memory = &made->public;
	return 0;
}
#endif

int cxil_unmap(struct libcxi_memory *memory)
{
	struct mapping *made = (struct mapping *)memory;

	forget(made->nic, (void **)made->nic->mappings, made);
	free(made);
	return 0;
}

int cxil_alloc_evtq(struct libcxi_interface *interface, const struct libcxi_memory *memory,
		    const struct libcxi_event_queue_options *options, void *event_wait, void *status_wait,
		    struct libcxi_event_queue **queue)
{
	struct nic *nic = nic_of(interface);
	int at = PLACE(nic->eqs);
	struct eq *made;

	FAULT();
	if (at < 0)
		return at;
	if (!memory || memory->va != (uintptr_t)options->buffer || memory->length < options->length ||
	    options->length % PAGE || options->flags != LIBCXI_EVENTS_UNCOMBINED || event_wait || status_wait)
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->nic = nic;
	made->write_slot = 1;
	made->public = (struct libcxi_event_queue){
		.bytes = options->length,
		.progress_address = &made->progress,
		.read_offset = CASSINI_SLOT_BYTES,
		.acked_offset = CASSINI_SLOT_BYTES,
		.number = at + 11,
		.events = options->buffer,
	};
	ADD(nic, eqs, at, made);
	*queue = &made->public;
	return 0;
}

int cxil_destroy_evtq(struct libcxi_event_queue *queue)
{
	struct eq *made = (struct eq *)queue;

	forget(made->nic, (void **)made->nic->eqs, made);
	free(made);
	return 0;
}

int cxil_alloc_ct(struct libcxi_interface *interface, void *writeback, struct libcxi_counter **counter)
{
	struct nic *nic = nic_of(interface);
	int at = PLACE(nic->counters);
	struct counter *made;

	FAULT();
	if (at < 0)
		return at;
	if (writeback)
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	memset(made->doorbell, 0xff, sizeof(made->doorbell));
	made->nic = nic;
	made->success = made->failure = 3; /* of whoever had it before */
	made->public.doorbell = made->doorbell;
	made->public.number = FIRST_COUNTER + at;
	ADD(nic, counters, at, made);
	*counter = &made->public;
	return 0;
}

int cxil_destroy_ct(struct libcxi_counter *counter)
{
	struct counter *made = (struct counter *)counter;

	forget(made->nic, (void **)made->nic->counters, made);
	free(made);
	return 0;
}

/* As the driver does: a power of two of pages, and LCID 0 for triggers. */
int cxil_alloc_cmdq(struct libcxi_interface *interface, struct libcxi_event_queue *events,
		    const struct libcxi_queue_options *options, struct libcxi_queue **queue)
{
	struct nic *nic = nic_of(interface);
	int at = PLACE(nic->queues);
	size_t bytes = PAGE;
	struct queue *made;

	FAULT();
	if (at < 0)
		return at;
	while (bytes < (size_t)options->slots * CASSINI_SLOT_BYTES &&
	       bytes < standin_number("CXI_STANDIN_SLOTS", LIBCXI_MAX_QUEUE_SLOTS) * CASSINI_SLOT_BYTES)
		bytes *= 2;
	if (options->slots > LIBCXI_MAX_QUEUE_SLOTS)
		return -E2BIG;
	if (options->flags & LIBCXI_QUEUE_TRANSMIT && (options->lcid >= MAX_OBJECTS || !nic->profiles[options->lcid] ||
						       (options->flags & LIBCXI_QUEUE_TRIGGERED && options->lcid)))
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->public.commands = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made->public.commands == MAP_FAILED) {
		free(made);
		return -ENOMEM;
	}
	made->nic = nic;
	made->errors = (struct eq *)events;
	made->bytes = bytes;
	made->flags = options->flags;
	made->doorbell = made->seen = CASSINI_FIRST_SLOT;
	made->read_unit = 2 * CASSINI_FIRST_SLOT;
	((struct cassini_queue_status *)made->public.commands)->read_slot = CASSINI_FIRST_SLOT;
	made->public.slots = bytes / CASSINI_SLOT_BYTES;
	made->public.units = 2 * made->public.slots;
	made->public.doorbell = &made->doorbell;
	made->public.index = at;
	made->public.read_unit = made->public.write_unit = made->public.rung_unit = made->read_unit;
	ADD(nic, queues, at, made);
	*queue = &made->public;
	return 0;
}

int cxil_destroy_cmdq(struct libcxi_queue *queue)
{
	struct queue *made = (struct queue *)queue;

	forget(made->nic, (void **)made->nic->queues, made);
	munmap(made->public.commands, made->bytes);
	free(made);
	return 0;
}

int cxil_alloc_pte(struct libcxi_interface *interface, struct libcxi_event_queue *events,
		   struct libcxi_portal_options *options, struct libcxi_portal **portal)
{
	struct nic *nic = nic_of(interface);
	int at = PLACE(nic->portals);
	struct portal *made;

	FAULT();
	if (at < 0)
		return at;
	if (!events || !options->matching)
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->nic = nic;
	made->events = (struct eq *)events;
	made->public.number = at + 501;
	ADD(nic, portals, at, made);
	*portal = &made->public;
	return 0;
}

int cxil_destroy_pte(struct libcxi_portal *portal)
{
	struct portal *made = (struct portal *)portal;

	pthread_mutex_lock(&made->nic->lock);
	made->nic->closes = true;
	pthread_mutex_unlock(&made->nic->lock);
	forget(made->nic, (void **)made->nic->portals, made);
	free(made);
	return 0;
}

int cxil_map_pte(struct libcxi_portal *portal, struct libcxi_domain *domain, unsigned index, bool is_multicast,
		 struct libcxi_portal_map **map)
{
	struct nic *nic = ((struct portal *)portal)->nic;
	int at = PLACE(nic->maps);
	struct portal_map *made;

	FAULT();
	if (at < 0)
		return at;
	if ((struct domain *)domain != nic->domain || index > RENDEZVOUS_INDEX || is_multicast)
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->nic = nic;
	made->portal = (struct portal *)portal;
	made->index = index;
	ADD(nic, maps, at, made);
	*map = (struct libcxi_portal_map *)made;
	return 0;
}

int cxil_unmap_pte(struct libcxi_portal_map *map)
{
	struct portal_map *made = (struct portal_map *)map;

	forget(made->nic, (void **)made->nic->maps, made);
	free(made);
	return 0;
}
