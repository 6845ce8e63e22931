// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches this process to the host's fabric: creates its control and data files, slot and service thread with the
 * first device that it opens, and destroys them with the last (context.c), at exit, and in a forked child. In null mode
 * there are only the tables.
 */
#include "config.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "data/data.h"
#include "host/fault.h"
#include "host/identity.h"
#include "host/liveness.h"
#include "host/mapping.h"
#include "host/peer.h"
#include "host/profile.h"
#include "host/runtime_dir.h"
#include "host/service.h"
#include "host/threads.h"
#include "host/wire.h"
#include "memory/pages.h"
#include "objects/objects.h"
#include "packet/interface.h"
#include "packet/raw_packet.h"

#define MRS_SIZE       (LAYOUT_MR_COUNT * sizeof(struct mr_row) + LAYOUT_MW_COUNT * sizeof(struct mw_row))
#define INTERFACE_WORD "if="
#define PORTS_WORD     "ports="
/* A peer that maps a file must be able to rely on its size. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER; /* outermost lock */
static unsigned int users;
static bool has_fork_handlers;

/* By index, as in soft_self: the objects themselves belong to the program. */
static struct lists {
	struct core_qp *qps[LAYOUT_QP_COUNT];
	struct core_cq *cqs[LAYOUT_CQ_COUNT];
	struct core_channel *channels[CHANNEL_COUNT];
	struct receive_queue *rqs[LAYOUT_RQ_COUNT];
	struct core_srq *srqs[LAYOUT_SRQ_COUNT];
} * lists;

static void tables_free(void)
{
	if (lists)
		soft_cq_free_abandoned();
	free(lists);
	lists = NULL;
	mapping_drop(soft_self.mrs, MRS_SIZE);
	soft_self.mrs = NULL;
	mapping_drop(soft_self.control, LAYOUT_SIZE + LAYOUT_MARGIN);
	soft_self.control = NULL;
	descriptor_close(&soft_self.control_fd);
	soft_ring_reset();
}

static const char *limit_hint(int error)
{
	return error == EAGAIN ? " (mlockall() was called: more than ulimit -l)" : " (is ulimit -v set?)";
}

static int tables_make(void)
{
	int flags = MAP_SHARED | MAP_NORESERVE;
	int err = -ENOMEM;

	soft_self.mrs = mapping_make_private(MRS_SIZE);
	lists = soft_self.mrs ? calloc(1, sizeof(*lists)) : NULL;
	if (!lists) {
		soft_error("cannot map %zu MiB: %s%s", (MRS_SIZE + sizeof(*lists)) >> 20, strerror(errno),
			   limit_hint(errno));
		goto err_free;
	}
	mapping_keep_here(soft_self.mrs, MRS_SIZE);
	soft_self.mws = (struct mw_row *)(soft_self.mrs + LAYOUT_MR_COUNT);
	soft_self.qps = lists->qps;
	soft_self.cqs = lists->cqs;
	soft_self.channels = lists->channels;
	soft_self.rqs = lists->rqs;
	soft_self.srqs = lists->srqs;
	if (soft_self.is_null) {
		flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	} else {
		soft_self.control_fd = memfd_create("perftest-soft-control", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (soft_self.control_fd < 0 || ftruncate(soft_self.control_fd, LAYOUT_SIZE) ||
		    fcntl(soft_self.control_fd, F_ADD_SEALS, SEALS)) {
			err = -errno;
			soft_error("cannot create a memory file of %llu GiB of address space: %s",
				   (unsigned long long)(LAYOUT_SIZE >> 30), strerror(-err));
			goto err_free;
		}
	}
	soft_self.control = mapping_make_with_margin(LAYOUT_SIZE, LAYOUT_MARGIN, flags, soft_self.control_fd);
	if (!soft_self.control) {
		err = -errno;
		soft_error("cannot map %llu GiB of address space: %s%s", (unsigned long long)(LAYOUT_SIZE >> 30),
			   strerror(-err), limit_hint(-err));
		goto err_free;
	}
	mapping_keep_here(soft_self.control, LAYOUT_SIZE);
	soft_self.shown_mrs = (struct mr_row *)(soft_self.control + LAYOUT_MR_OFFSET);
	soft_self.shown_mws = (struct mw_row *)(soft_self.control + LAYOUT_MW_OFFSET);
	soft_self.qp_rows = (struct qp_row *)(soft_self.control + LAYOUT_QP_OFFSET);
	soft_self.cq_rows = (struct cq_row *)(soft_self.control + LAYOUT_CQ_OFFSET);
	soft_self.rq_rows = (struct rq_row *)(soft_self.control + LAYOUT_RQ_OFFSET);
	soft_self.srq_rows = (struct srq_row *)(soft_self.control + LAYOUT_SRQ_OFFSET);
	soft_self.mcast_rows = (struct mcast_row *)(soft_self.control + LAYOUT_MCAST_OFFSET);
	return 0;

err_free:
	tables_free();
	return err;
}

/*
 * The child must find consistent state to destroy. The locks are taken in lock order; those of single objects are
 * omitted, because the child does not access them.
 */
static pthread_mutex_t *const fork_locks[] = {
	&life_lock,	  &soft_contexts_lock, &soft_self.lock,	       &soft_mr_backing_lock,
	&soft_peers_lock, &soft_liveness_lock, &soft_retry_queue_lock,
};

#define FORK_LOCKS (sizeof(fork_locks) / sizeof(fork_locks[0]))

static void process_fork_prepare(void)
{
	SOFT_UNCANCELLED;

	for (size_t i = 0; i < FORK_LOCKS; i++)
		pthread_mutex_lock(fork_locks[i]);
	soft_mr_backing_fork_prepare();
}

static void process_fork_parent(void)
{
	SOFT_UNCANCELLED;

	soft_fork_pages_attach();
	for (size_t i = FORK_LOCKS; i--;)
		pthread_mutex_unlock(fork_locks[i]);
}

/* The parent's devices remain the parent's: the child may open the devices itself. */
static void process_fork_child(void)
{
	/* It may still query its parent's device. */
	struct soft_self opened_anew = {.control_fd = -1, .ports = soft_self.ports};

	memcpy(opened_anew.interface, soft_self.interface, sizeof(opened_anew.interface));
	soft_contexts_inherit();
	soft_mr_backing_reset();
	soft_service_reset();
	soft_liveness_reset();
	soft_peer_reset();
	soft_retry_queue_reset();
	soft_mcast_reset();
	soft_steering_reset();
	descriptor_close(&soft_self.control_fd);
	free(lists);
	lists = NULL;
	soft_self = opened_anew;
	for (size_t i = 0; i < FORK_LOCKS; i++)
		pthread_mutex_init(fork_locks[i], NULL);
	users = 0;
	soft_ring_reset_in_child();
}

/* Programs may exit without closing their devices, which their peers and the directory should not notice. */
__attribute__((destructor)) static void process_end(void)
{
	if (!soft_self.control || soft_self.is_null)
		return;
	__atomic_store_n(&soft_self.header->departed, 1, __ATOMIC_RELEASE);
	soft_service_abandon();
}

/*
 * mlockall(MCL_FUTURE) without MCL_ONFAULT: the kernel then populates each new mapping, including all 32 GiB of ours.
 */
static bool mappings_are_filled(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned char is_resident = 0;
	unsigned long locked = 0;
	char line[128];
	void *page;

	/* Some kernels report all memory as resident; they lock none. */
	while (status && fgets(line, sizeof(line), status) && sscanf(line, "VmLck: %lu", &locked) != 1)
		;
	if (status)
		fclose(status);
	if (!locked)
		return false;
	page = mapping_make_private(1);
	if (!page)
		return errno == EAGAIN;
	if (mincore(page, 1, &is_resident))
		is_resident = 0;
	mapping_drop(page, 1);
	return is_resident & 1;
}

static void memcheck_check(void)
{
	if (!VALGRIND_LISTENS && valgrind_runs("memcheck"))
		soft_error(
			"memcheck would fill all of the %llu GiB of address space that are mapped, looking for leaks: "
			"give it --leak-check=no (this library was built without valgrind's headers)",
			(unsigned long long)(LAYOUT_SIZE >> 30));
}

/* 0: not specified. */
static uint8_t ports_read(const char *mode)
{
	const char *number = mode + strlen(PORTS_WORD);

	if (strncmp(mode, PORTS_WORD, strlen(PORTS_WORD)) || number[0] < '1' || number[0] > '0' + SOFT_MOST_PORTS ||
	    number[1])
		return 0;
	return (uint8_t)(number[0] - '0');
}

/* Reads the mode of this process; the interface is opened when it is used. */
static int mode_read(const char *mode)
{
	const bool is_profiled = soft_profile_is_asked(mode);
	const char *comma = is_profiled ? strchr(mode, ',') : NULL; /* an interface may follow a profile */
	const char *name = comma ? comma + 1 : mode;

	name = strncmp(name, INTERFACE_WORD, strlen(INTERFACE_WORD)) == 0 ? name + strlen(INTERFACE_WORD) : "";
	soft_self.interface[0] = '\0';
	soft_self.ports = ports_read(mode);
	soft_self.is_null = strcmp(mode, "null") == 0;
	if (*name && strlen(name) < sizeof(soft_self.interface)) {
		strcpy(soft_self.interface, name);
	} else if (*mode && !soft_self.is_null && !soft_self.ports && (!is_profiled || comma)) {
		soft_error("PERFTEST_SOFT=%s: it takes \"null\", \"ports=1\" or \"ports=2\", \"if=\" and the name of a "
			   "network interface, or \"profile=\" and that of a driver, behind which \",if=\" may stand",
			   mode);
		return -EINVAL;
	}
	if (!soft_profile_read(mode)) {
		soft_profile_report_unknown(mode);
		return -EINVAL;
	}
	return 0;
}

static int process_attach(void)
{
	const char *mode = getenv("PERFTEST_SOFT");
	int data_fd;
	int err;

	struct rlimit limit;

	err = mode_read(mode ? mode : "");
	if (err)
		return err;
	/* Beyond the limit the kernel does not just fail, but kills the process with SIGXFSZ. */
	if (!soft_self.is_null && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		soft_error("the size of files is limited to %llu bytes: lift that, ulimit -f unlimited",
			   (unsigned long long)limit.rlim_cur);
		return -EFBIG;
	}
	if (!has_fork_handlers) {
		err = -pthread_atfork(process_fork_prepare, process_fork_parent, process_fork_child);
		if (err)
			return err;
		has_fork_handlers = true;
	}
	err = soft_fault_read();
	if (!err && soft_self.is_null && soft_disturbance_is_wanted()) {
		soft_error("PERFTEST_SOFT_FAULT: nothing is dropped, delayed or reordered in null mode, where nothing "
			   "moves");
		err = -EINVAL;
	}
	/* Would use more memory than there is, and so kill other processes. */
	if (!err && mappings_are_filled()) {
		soft_error("mlockall() would fill all of the %llu GiB of address space that are mapped: give it "
			   "MCL_ONFAULT, or lock by mlock()",
			   (unsigned long long)(LAYOUT_SIZE >> 30));
		err = -ENOMEM;
	}
	err = err ?: tables_make();
	if (err)
		return err;
	memcheck_check();
	soft_self.instance = soft_random() | 1; /* 0 is none */
	*soft_self.header =
		(struct control_header){.magic = WIRE_MAGIC, .version = LAYOUT_VERSION, .instance = soft_self.instance};
	if (soft_self.is_null)
		return 0;
	err = soft_page_move_open(&data_fd);
	if (!err && fcntl(data_fd, F_ADD_SEALS, SEALS))
		err = -errno;
	if (err) {
		soft_error("cannot create a memory file: %s", strerror(-err));
		goto err_tables;
	}
	err = soft_service_start(data_fd, &soft_remote_ops);
	if (err)
		goto err_data;
	err = soft_peer_open_self();
	if (err)
		goto err_service;
	return 0;

err_service:
	soft_service_stop();
err_data:
	soft_mr_backing_close_data();
err_tables:
	tables_free();
	return err;
}

static void process_detach(void)
{
	soft_interface_close();
	soft_mcast_forget();
	if (!soft_self.is_null) {
		__atomic_store_n(&soft_self.header->departed, 1, __ATOMIC_RELEASE);
		soft_service_stop();
		soft_peer_close_self();
		soft_mr_backing_close_data();
	}
	tables_free();
}

int soft_process_get(void)
{
	int err = 0;

	pthread_mutex_lock(&life_lock);
	if (users == 0)
		err = process_attach();
	if (!err)
		users++;
	pthread_mutex_unlock(&life_lock);
	return err;
}

void soft_process_put(void)
{
	pthread_mutex_lock(&life_lock);
	if (users && --users == 0)
		process_detach();
	pthread_mutex_unlock(&life_lock);
}
