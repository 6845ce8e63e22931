/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the parts of the module: the tests of each network namespace, and their results. */
#ifndef KRPING_H
#define KRPING_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "command.h"
#include "histogram.h"

struct net;
struct sockaddr_storage;

#define KRPING_HISTORY 64 /* results kept in a namespace */

/* One for each network namespace; result.c. */
struct krping_net {
	struct mutex lock;	   /* protects both lists */
	struct list_head running;  /* struct krping_result, ordered by id */
	struct list_head finished; /* struct krping_result, oldest first */
	unsigned int finished_count;
	loff_t finished_gone; /* number dropped so far to make room */
};

int krping_net_init(void);
void krping_net_exit(void);
struct krping_net *krping_net(struct net *net);

/* The module parameter debug: logs each step of each run in the kernel log. main.c. */
extern bool krping_debug_is_on;
#define krping_debug(result, format, ...)                                                                              \
	do {                                                                                                           \
		if (READ_ONCE(krping_debug_is_on))                                                                     \
			printk(KERN_INFO KBUILD_MODNAME ": %llu: " format "\n", (result)->id, ##__VA_ARGS__);          \
	} while (0)

struct krping_traffic {
	u64 bytes;
	u64 messages;
};

/* Completions of one kind are serialized, so each counter has one writer. */
static inline void krping_count(struct krping_traffic *traffic, u64 bytes)
{
	WRITE_ONCE(traffic->bytes, traffic->bytes + bytes);
	WRITE_ONCE(traffic->messages, traffic->messages + 1);
}

enum krping_role { KRPING_ROLE_CLIENT, KRPING_ROLE_LISTENER, KRPING_ROLE_SERVER };

/* The kinds of latency: the rows of latency_names in result.c. */
enum krping_latency { KRPING_ITERATION, KRPING_READ_HALF, KRPING_WRITE_HALF, KRPING_LATENCIES };

/* A nonempty bucket. */
struct krping_bucket {
	u32 index;
	u64 count;
};

struct krping_figures {
	struct krping_histogram histogram;
	u64 p50, p90, p99, p999;      /* ns */
	struct krping_bucket *bucket; /* in ascending order */
	unsigned int buckets;
};

/*
 * The state and results of one run: created before it starts, listed while it runs, and kept for some time afterwards.
 * The thread that runs the test owns it until krping_result_finish().
 */
struct krping_result {
	struct list_head node; /* of krping_net.running or .finished */
	u64 id;		       /* since the module was loaded */
	u64 listener;	       /* id of the server's listener, 0: none */
	enum krping_role role;
	struct krping_command command;
	char device[64];	 /* IB_DEVICE_NAME_MAX */
	bool device_is_known;	 /* stored with release, after device has its name */
	char peer[64];		 /* address and port, "": none */
	struct timespec64 began; /* time of day */
	u64 began_ns;		 /* ktime */
	u64 elapsed_ns;		 /* total, including setup */
	u64 connect_ns;		 /* from rdma_connect() to ESTABLISHED */
	u64 measured_ns;	 /* from the first message to the last */
	u64 iterations;
	u64 bytes; /* moved by bw, in this side's direction */
	struct {
		u64 iterations;
		u64 measured_ns;
	} peers;     /* duplex: the peer's figures for its direction */
	u64 clients; /* served by a listener */
	u64 refused; /* refused by a listener */
	struct krping_traffic send, recv, write, read;
	struct krping_figures figures[KRPING_LATENCIES];
	spinlock_t lock;	     /* protects error and reason */
	int error;		     /* -errno; the first one is kept */
	struct krping_reason reason; /* the error message */
};

/* result.c */
struct krping_result *krping_result_new(enum krping_role role);
/* Lists it as running in the namespace. */
void krping_result_start(struct krping_result *result, struct krping_net *kn);
/* Allocates the histograms that the test needs; -ENOMEM. */
int krping_result_record(struct krping_result *result, unsigned int latencies);
/* Records that the run failed, unless it has failed already. Returns the recorded error. */
__printf(3, 4) int krping_result_fail(struct krping_result *result, int error, const char *format, ...);
/* Moves it to the history of the namespace. Returns its error. */
int krping_result_finish(struct krping_result *result, struct krping_net *kn);

/* proc.c */
int krping_proc_init(void);
void krping_proc_exit(void);

/* client.c, listener.c: execute the command in the caller's thread, until it is finished */
int krping_client_run(struct krping_result *result, struct net *net, struct sockaddr_storage *address);
int krping_listener_run(struct krping_result *result, struct net *net, struct sockaddr_storage *address);

#endif
