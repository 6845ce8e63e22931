// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Creates an endpoint. See fabric.h, and fi_getinfo(3), fi_endpoint(3), fi_mr(3). */
#include "config.h"

#include "cxi/fabric/fabric.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/library.h"
#include "util/stop.h"
#include "util/terminal.h"

#define TAG_BITS 47 /* fabric_lists.c */

int fabric_fault(struct cxi_link *link, ssize_t error, const char *doing)
{
	const struct fabric *fabric = fabric_of(link);
	const int number = (int)-error;

	cxi_fault(link, 0, "%s: %s: %s", link->provider[0] ? link->provider : fabric->place.provider, doing,
		  fabric->library.strerror(number));
	/* libfabric's own codes follow those of the system. */
	return number > 0 && number < FI_ERRNO_OFFSET ? -number : -EIO;
}

/* --- signals --- */

/*
 * Some providers' libraries install handlers for these when they are loaded (libinfinipath), or when libfabric is
 * queried (the shared memory provider), and then terminate the process in their own way.
 */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGILL, SIGABRT};

#define NUM_SIGNALS (sizeof(signals) / sizeof(signals[0]))

struct signals {
	struct sigaction actions[NUM_SIGNALS];
	sigset_t mask;
};

/* Blocks them until they are restored: such handlers call exit(), even while the dynamic linker holds a lock. */
static void signals_save(struct signals *saved)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	stop_add_to(&blocked);
	pthread_sigmask(SIG_BLOCK, &blocked, &saved->mask);
	for (size_t i = 0; i < NUM_SIGNALS; i++)
		sigaction(signals[i], NULL, &saved->actions[i]);
}

static void signals_restore(const struct signals *saved)
{
	for (size_t i = 0; i < NUM_SIGNALS; i++)
		sigaction(signals[i], &saved->actions[i], NULL);
	pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
}

/* --- queries --- */

/* NULL: no memory. */
static struct fi_info *make_hints(const struct fabric *fabric, const struct cxi_plan *plan, bool sized)
{
	struct fi_info *hints = fabric->library.dupinfo(NULL);

	if (!hints)
		return NULL;
	hints->caps = FI_TAGGED | FI_SEND | FI_RECV;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode =
		FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT | FI_MR_HMEM;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->fabric_attr->prov_name = strdup(fabric->place.provider);
	if (fabric->place.device[0])
		hints->domain_attr->name = strdup(fabric->place.device);
	if (plan && ((fabric->tx && fabric->tx->ops->is_far) || (fabric->rx && fabric->rx->ops->is_far)))
		hints->caps |= FI_HMEM;
	/* One more of each, for the responses. */
	if (plan && sized) {
		hints->tx_attr->size = plan->list + 1UL;
		hints->rx_attr->size = plan->list + 1UL;
	}
	if (!hints->fabric_attr->prov_name || (fabric->place.device[0] && !hints->domain_attr->name)) {
		fabric->library.freeinfo(hints);
		return NULL;
	}
	return hints;
}

/* The service and its VNI, for the provider that needs them: struct cxi_auth_key of fi_cxi(7). */
static int set_key(struct fi_info *hints, const struct cxi_place *place)
{
	struct {
		uint32_t svc_id;
		uint16_t vni;
	} key = {.svc_id = place->svc_id, .vni = place->vni};

	if (strcmp(place->provider, "cxi") != 0 || !place->vni)
		return 0;
	hints->domain_attr->auth_key = calloc(1, sizeof(key));
	if (!hints->domain_attr->auth_key)
		return -ENOMEM;
	memcpy(hints->domain_attr->auth_key, &key, sizeof(key));
	hints->domain_attr->auth_key_size = sizeof(key);
	return 0;
}

static bool is_internet(const struct fi_info *info)
{
	return info->addr_format == FI_SOCKADDR || info->addr_format == FI_SOCKADDR_IN ||
	       info->addr_format == FI_SOCKADDR_IN6;
}

/*
 * An endpoint of the domain that -d names, preferably of the side channel's address family; rxm (1.17) ignores a hint
 * for it.
 */
static const struct fi_info *of_domain(const struct fi_info *list, const char *domain, const char *local_ip)
{
	const uint32_t other = strchr(local_ip, ':') ? FI_SOCKADDR_IN : FI_SOCKADDR_IN6;
	const struct fi_info *found = NULL;

	for (const struct fi_info *info = list; info; info = info->next) {
		if (!info->domain_attr->name || strcmp(info->domain_attr->name, domain) != 0)
			continue;
		if (info->addr_format != other)
			return info;
		if (!found)
			found = info;
	}
	return found;
}

/* Keeps that endpoint only. 0, or -FI_ENODATA: the provider has no such domain, and *info is NULL. */
static int narrow(const struct fabric *fabric, struct fi_info **info)
{
	const struct fi_info *found = of_domain(*info, fabric->place.device, fabric->plan.local_ip);
	struct fi_info *copy = found ? fabric->library.dupinfo(found) : NULL;

	fabric->library.freeinfo(*info);
	*info = copy;
	return copy ? 0 : found ? -FI_ENOMEM : -FI_ENODATA;
}

/* fi_getinfo(), limited to the requested domain; node NULL: any address. */
static int fabric_ask(const struct fabric *fabric, const struct cxi_plan *plan, bool sized, const char *node,
		      struct fi_info **info)
{
	struct fi_info *hints = make_hints(fabric, plan, sized);
	int ret = hints ? set_key(hints, &fabric->place) : -FI_ENOMEM;

	if (!ret)
		ret = fabric->library.getinfo(FABRIC_API, node, NULL, node ? FI_SOURCE | FI_NUMERICHOST : 0, hints,
					      info);
	if (hints)
		fabric->library.freeinfo(hints);
	return !ret && fabric->place.device[0] ? narrow(fabric, info) : ret;
}

/*
 * struct fi_info has grown, and the version of a symbol says which one it expects: that of the headers. For headers of
 * 1.18 and newer we assume the newest symbol of the library, which is what linking with it would choose.
 */
#if FI_MAJOR_VERSION == 1 && FI_MINOR_VERSION <= 17
#define INFO_VERSION "FABRIC_1.3"
#else
#define INFO_VERSION NULL
#endif

#define FIND(member, of_version) LIBRARY_ROW("fi_" #member, fabric->library.member, .version = (of_version))

/* At run time, so that one package works with and without it. */
static int load_library(struct cxi_link *link, struct fabric *fabric)
{
	const struct library_symbol symbols[] = {
		FIND(getinfo, INFO_VERSION),
		FIND(freeinfo, INFO_VERSION),
		FIND(dupinfo, INFO_VERSION),
		FIND(fabric, NULL),
		FIND(strerror, NULL),
		FIND(version, NULL),
		{0},
	};
	const struct library library = {.files = {FABRIC_SONAME},
					.symbols = symbols,
					.comes_with = "libfabric1 (Debian) or libfabric (Fedora)"};

	return library_open(&library, NULL /* functions */, "--provider", link->fault, sizeof(link->fault));
}

/* If there are several, the address at which the peer reaches this host chooses. */
static void take_only_domain(struct cxi_link *link, const struct fi_info *list)
{
	const char *name = list->domain_attr->name ? list->domain_attr->name : "";

	for (const struct fi_info *info = list; info; info = info->next)
		if (strcmp(info->domain_attr->name ? info->domain_attr->name : "", name) != 0)
			return;
	snprintf(link->domain, sizeof(link->domain), "%s", name);
}

static int open_library(struct cxi_link *link, const struct cxi_place *place)
{
	struct fabric *fabric = calloc(1, sizeof(*fabric));
	struct fi_info *info = NULL;
	uint32_t version;
	int ret;

	if (!fabric)
		return cxi_fault(link, -ENOMEM, "no memory for the transport");
	fabric->place = *place;
	fabric->guard.end_fd = -1;
	ret = load_library(link, fabric);
	if (ret) {
		free(fabric);
		return ret;
	}
	link->private = fabric;
	version = fabric->library.version();
	snprintf(link->library, sizeof(link->library), "libfabric %u.%u", FI_MAJOR(version), FI_MINOR(version));
	ret = fabric_ask(fabric, NULL, false /* any size */, NULL, &info);
	if (!ret) {
		take_only_domain(link, info);
		fabric->library.freeinfo(info);
		return 0;
	}
	if (ret == -FI_ENODATA)
		ret = cxi_fault(link, -ENOENT,
				"%s has no provider %s%s%s for tagged messages on this host\n\"fi_info -c FI_TAGGED -t "
				"FI_EP_RDM\" lists those that it has, with their domains",
				link->library, place->provider, place->device[0] ? " of domain " : "", place->device);
	else
		ret = fabric_fault(link, ret, "fi_getinfo");
	fabric_close(link);
	return ret;
}

int fabric_open(struct cxi_link *link, const struct cxi_place *place)
{
	struct signals saved;
	int ret;

	signals_save(&saved);
	ret = open_library(link, place);
	signals_restore(&saved);
	return ret;
}

/* --- the endpoint --- */

static int choose_info(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);
	const struct cxi_plan *plan = &fabric->plan;
	struct fi_info *info = NULL;
	bool sized = true;
	int ret;

	ret = fabric_ask(fabric, plan, sized, NULL, &info);
	/* Fewer than requested are enough: the rest is posted as they complete. */
	if (ret == -FI_ENODATA) {
		sized = false;
		ret = fabric_ask(fabric, plan, sized, NULL, &info);
	}
	if (ret == -FI_ENODATA)
		return cxi_fault(link, -EOPNOTSUPP, "provider %s cannot send from or receive into GPU memory",
				 fabric->place.provider);
	if (ret)
		return fabric_fault(link, ret, "fi_getinfo");
	fabric->info = info;
	/* Use the address at which the peer has just reached this host, unless -d names another domain. */
	if (is_internet(info) && plan->local_ip[0]) {
		struct fi_info *here = NULL;

		ret = fabric_ask(fabric, plan, sized, plan->local_ip, &here);
		if (!ret) {
			fabric->library.freeinfo(info);
			fabric->info = info = here;
		} else if (!fabric->place.device[0]) {
			return cxi_fault(
				link, -EADDRNOTAVAIL,
				"provider %s has no endpoint at %s, where the other side reaches this host: %s",
				fabric->place.provider, plan->local_ip, fabric->library.strerror(-ret));
		}
	}
	snprintf(link->provider, sizeof(link->provider), "%s", info->fabric_attr->prov_name);
	snprintf(link->domain, sizeof(link->domain), "%s", info->domain_attr->name ? info->domain_attr->name : "");
	if (info->ep_attr->max_msg_size < plan->max_size)
		return cxi_fault(link, -EMSGSIZE, "provider %s sends at most %zu bytes: give a smaller -s",
				 link->provider, info->ep_attr->max_msg_size);
	if (info->ep_attr->mem_tag_format && !(info->ep_attr->mem_tag_format >> (TAG_BITS - 1)))
		return cxi_fault(link, -EOPNOTSUPP, "provider %s has tags of fewer than %d bits", link->provider,
				 TAG_BITS);
	return 0;
}

static int tried(struct cxi_link *link, int error, const char *call)
{
	return error ? fabric_fault(link, error, call) : 0;
}

static int open_objects(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);
	struct fi_info *info = fabric->info;
	struct fi_av_attr av_attr = {.type = info->domain_attr->av_type, .count = 1};
	struct fi_cq_attr cq_attr = {
		.size = 2UL * fabric->plan.list + 4,
		.format = FI_CQ_FORMAT_CONTEXT,
		.wait_obj = FI_WAIT_NONE,
	};
	int ret;

	ret = tried(link, fabric->library.fabric(info->fabric_attr, &fabric->fabric, NULL), "fi_fabric");
	if (!ret)
		ret = tried(link, fi_domain(fabric->fabric, info, &fabric->domain, NULL), "fi_domain");
	if (!ret)
		ret = tried(link, fi_av_open(fabric->domain, &av_attr, &fabric->av, NULL), "fi_av_open");
	if (!ret)
		ret = tried(link, fi_cq_open(fabric->domain, &cq_attr, &fabric->cq, NULL), "fi_cq_open");
	if (!ret)
		ret = tried(link, fi_endpoint(fabric->domain, info, &fabric->ep, NULL), "fi_endpoint");
	if (!ret)
		ret = tried(link, fi_ep_bind(fabric->ep, &fabric->av->fid, 0), "fi_ep_bind");
	if (!ret)
		ret = tried(link, fi_ep_bind(fabric->ep, &fabric->cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
	return ret ? ret : tried(link, fi_enable(fabric->ep), "fi_enable");
}

/* Registers CPU memory only if the provider requires it, and GPU memory always. */
static int fabric_register_buffer(struct cxi_link *link, const struct buffer *buffer, uint64_t access,
				  struct fid_mr **mr)
{
	struct fabric *fabric = fabric_of(link);
	const struct iovec part = {.iov_base = buffer->addr, .iov_len = buffer->length};
	struct fi_mr_attr attr = {.mr_iov = &part, .iov_count = 1, .access = access, .iface = FI_HMEM_SYSTEM};
	const uint64_t mode = (uint64_t)fabric->info->domain_attr->mr_mode;
	int ret;

	if (!(mode & FI_MR_LOCAL) && !buffer->ops->is_far)
		return 0;
	if (buffer->ops->is_far)
		attr.iface = strcmp(buffer->ops->name, "CUDA") == 0	    ? FI_HMEM_CUDA
			     : strcmp(buffer->ops->name, "Level Zero") == 0 ? FI_HMEM_ZE
									    : FI_HMEM_ROCR;
	ret = fi_mr_regattr(fabric->domain, &attr, 0, mr);
	if (!ret && mode & FI_MR_ENDPOINT)
		ret = fi_mr_bind(*mr, &fabric->ep->fid, 0);
	if (!ret && mode & FI_MR_ENDPOINT)
		ret = fi_mr_enable(*mr);
	return ret ? fabric_fault(link, ret, "fi_mr_regattr") : 0;
}

static int fabric_queue_open(struct fabric_queue *queue, uint32_t list, size_t size, enum fabric_work work)
{
	queue->ops = calloc(list, sizeof(queue->ops[0]));
	if (!queue->ops)
		return -ENOMEM;
	for (uint32_t i = 0; i < list; i++)
		queue->ops[i].work = work;
	/* One is for the response. */
	queue->depth = size > list ? list : size > 1 ? (uint32_t)size - 1 : 1;
	return 0;
}

static int find_address(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);
	size_t length = CXI_ADDRESS_SIZE;
	int ret;

	ret = fi_getname(&fabric->ep->fid, link->address.bytes, &length);
	if (ret)
		return fabric_fault(link, ret, "fi_getname");
	if (!length || length > CXI_ADDRESS_SIZE)
		return cxi_fault(link, -EMSGSIZE, "provider %s has an address of %zu bytes", link->provider, length);
	link->address.length = (uint16_t)length;
	fabric->has_name = fabric->info->addr_format == FI_ADDR_STR && !link->address.bytes[length - 1];
	return 0;
}

/* The program ends in a call: locks of the library remain held, and its endpoint can't be closed. */
static void call_is_stuck(void *context, int error)
{
	struct cxi_link *link = context;

	if (fabric_of(link)->has_name)
		fabric_drop_name(link);
	if (error == -ECONNRESET)
		cxi_fault(link, error, "%s: the peer is gone while it held a lock in the shared memory",
			  link->provider);
	else
		cxi_fault(link, error,
			  "%s: a call has not returned within %.0f s: the peer was stopped or killed while it held a "
			  "lock in the shared memory",
			  link->provider, (double)fabric_of(link)->guard.limit_ms / 1e3);
	link->abandon(link, error);
}

static void guard_calls(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);

	fabric->guard.peer_fd = fabric->plan.peer_fd;
	fabric->guard.stuck = call_is_stuck;
	fabric->guard.context = link;
	fabric_guard_start(&fabric->guard, fabric->place.limit_ms);
}

int fabric_map(struct cxi_link *link, const struct cxi_plan *plan, const struct buffer *tx, const struct buffer *rx)
{
	struct fabric *fabric = fabric_of(link);
	struct signals saved;
	int ret;

	signals_save(&saved);
	fabric->plan = *plan;
	fabric->tx = tx;
	fabric->rx = rx;
	fabric->response_out.work = FABRIC_RESPOND;
	fabric->response_in.work = FABRIC_RESPONSE;
	ret = choose_info(link);
	if (!ret)
		ret = open_objects(link);
	signals_restore(&saved);
	if (!ret && fabric->info->addr_format == FI_ADDR_STR)
		guard_calls(link);
	if (!ret)
		ret = fabric_register_buffer(link, tx, FI_SEND, &fabric->tx_mr);
	if (!ret)
		ret = fabric_register_buffer(link, rx, FI_RECV, &fabric->rx_mr);
	if (ret)
		return ret;
	if (fabric_queue_open(&fabric->sends, plan->list, fabric->info->tx_attr->size, FABRIC_SEND) ||
	    fabric_queue_open(&fabric->receives, plan->list, fabric->info->rx_attr->size, FABRIC_RECEIVE))
		return cxi_fault(link, -ENOMEM, "no memory for lists of %u", plan->list);
	return find_address(link);
}

/* --- the peer --- */

/* Could these bytes, which come from the peer, be an address of this provider? */
static bool address_fits(uint32_t format, const struct cxi_address *own, const struct cxi_address *peer)
{
	/* A text ends with its NUL; providers ignore what follows. */
	if (format == FI_ADDR_STR)
		return peer->length > 1 && peer->bytes[peer->length - 1] == '\0' &&
		       strlen((const char *)peer->bytes) + 1 == peer->length;
	if (peer->length != own->length)
		return false;
	/* The same address family; connect() checks the rest. */
	if (format == FI_SOCKADDR || format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6)
		return memcmp(peer->bytes, own->bytes, sizeof(sa_family_t)) == 0;
	return true;
}

static void write_address(struct fabric *fabric, const struct cxi_address *address, char text[CXI_TEXT_SIZE])
{
	char written[CXI_TEXT_SIZE] = "";
	size_t length = sizeof(written);

	/* Names of the shared memory provider are text; others can format theirs. */
	if (fabric->info->addr_format == FI_ADDR_STR) {
		printable(address->bytes, address->length - 1U, text, CXI_TEXT_SIZE);
		return;
	}
	fi_av_straddr(fabric->av, address->bytes, written, &length);
	written[sizeof(written) - 1] = '\0';
	printable(written, strlen(written), text, CXI_TEXT_SIZE);
}

/* A connection, if there is one, is established by the first send. */
int fabric_connect(struct cxi_link *link, const struct cxi_address *peer)
{
	struct fabric *fabric = fabric_of(link);
	struct cxi_address address = *peer;
	int added;

	if (!address_fits(fabric->info->addr_format, &link->address, peer))
		return cxi_fault(link, -EPROTO, "the peer's address of %u bytes is not an address of provider %s",
				 peer->length, link->provider);
	write_address(fabric, &link->address, link->own_text);
	write_address(fabric, peer, link->peer_text);
	fabric_guard_enter(&fabric->guard);
	added = fabric_guard_leave(&fabric->guard, fi_av_insert(fabric->av, address.bytes, 1, &fabric->peer, 0, NULL));
	if (added == 1)
		return 0;
	return cxi_fault(link, -EHOSTUNREACH, "%s: the peer's address %s can't be reached", link->provider,
			 link->peer_text);
}

/*
 * The shared memory provider has a file for each endpoint, by whose name peers find it, and which a killed process
 * leaves in /dev/shm. Once both sides have mapped it, the name is not needed.
 */
void fabric_drop_name(struct cxi_link *link)
{
	static const char prefix[] = "fi_shm://";
	const char *name = (const char *)link->address.bytes;
	char path[sizeof("/dev/shm/") + CXI_ADDRESS_SIZE];

	fabric_of(link)->has_name = false;
	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return;
	name += sizeof(prefix) - 1;
	if (!*name || name[strspn(name, "0123456789:")])
		return;
	snprintf(path, sizeof(path), "/dev/shm/%s", name);
	(void)unlink(path); /* closing the endpoint may try it again */
}

/* --- closing --- */

static bool is_busy(const struct fabric_queue *queue)
{
	for (uint32_t i = 0; queue->ops && i < queue->posted; i++)
		if (queue->ops[i].posted)
			return true;
	return false;
}

/*
 * Requests of an interrupted run are still outstanding: rxm (1.17) crashes if it is closed then, and the process is
 * about to exit anyway. But a shared memory provider must be closed to remove its file.
 */
static bool is_left_open(const struct fabric *fabric)
{
	return (is_busy(&fabric->sends) || is_busy(&fabric->receives)) && fabric->info->addr_format != FI_ADDR_STR;
}

/* The endpoint before the rest: this may access what the peer's process holds, and not return. */
void fabric_close(struct cxi_link *link)
{
	struct fabric *fabric = fabric_of(link);
	const bool is_left = is_left_open(fabric);
	/* Each begins with its struct fid. */
	void *const objects[] = {fabric->tx_mr, fabric->rx_mr, fabric->cq, fabric->av, fabric->domain, fabric->fabric};

	fabric_guard_enter(&fabric->guard);
	if (fabric->ep && !is_left)
		fi_close(&fabric->ep->fid);
	fabric_guard_leave(&fabric->guard, 0);
	fabric_guard_stop(&fabric->guard);
	if (is_left)
		return;
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (objects[i])
			fi_close(objects[i]);
	if (fabric->info)
		fabric->library.freeinfo(fabric->info);
	free(fabric->sends.ops);
	free(fabric->receives.ops);
	free(fabric);
	link->private = NULL;
}
