/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does the module hold? One network namespace's tests and their results, and what the parts of the module
 * want of each other.
 */
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

/* One for each network namespace; net.c. */
struct krping_net {
	struct mutex lock;	   /* of both lists */
	struct list_head running;  /* struct krping_result, in the order of their ids */
	struct list_head finished; /* struct krping_result, oldest first */
	unsigned int finished_count;
	loff_t finished_gone; /* that made room for others, ever */
};

int krping_net_init(void);
void krping_net_exit(void);
struct krping_net *krping_net(struct net *net);

/* The module's parameter debug: the kernel's log has each step of each run. main.c. */
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

/* Completions of one kind come one after the other, so each of these has one writer. */
static inline void krping_count(struct krping_traffic *traffic, u64 bytes)
{
	WRITE_ONCE(traffic->bytes, traffic->bytes + bytes);
	WRITE_ONCE(traffic->messages, traffic->messages + 1);
}

enum krping_role { KRPING_ROLE_CLIENT, KRPING_ROLE_LISTENER, KRPING_ROLE_SERVER };

/* Which times: the rows of latency_names in result.c. */
enum krping_latency { KRPING_ITERATION, KRPING_READ_HALF, KRPING_WRITE_HALF, KRPING_LATENCIES };

/* A bucket that is not empty. */
struct krping_bucket {
	u32 index;
	u64 count;
};

struct krping_figures {
	struct krping_histogram histogram;
	u64 p50, p90, p99, p999;      /* ns */
	struct krping_bucket *bucket; /* in rising order */
	unsigned int buckets;
};

/*
 * What is known of one run: made before it begins, listed as long as it runs, kept for a while after. The thread
 * that runs the test owns it until krping_result_finish().
 */
struct krping_result {
	struct list_head node; /* of krping_net.running or .finished */
	u64 id;		       /* since the module was loaded */
	u64 listener;	       /* id of the server's listener, 0: none */
	enum krping_role role;
	struct krping_command command;
	char device[64];	 /* IB_DEVICE_NAME_MAX */
	bool device_is_known;	 /* stored with release: then device holds its name */
	char peer[64];		 /* address and port, "": none */
	struct timespec64 began; /* time of day */
	u64 began_ns;		 /* ktime */
	u64 elapsed_ns;		 /* of the whole, set-up included */
	u64 connect_ns;		 /* from rdma_connect() to ESTABLISHED */
	u64 measured_ns;	 /* from the first message to the last */
	u64 iterations;
	u64 bytes; /* moved by bw, in this side's direction */
	struct {
		u64 iterations;
		u64 measured_ns;
	} peers;     /* duplex: what the peer says of its own direction */
	u64 clients; /* that a listener served */
	u64 refused; /* that a listener turned away */
	struct krping_traffic send, recv, write, read;
	struct krping_figures figures[KRPING_LATENCIES];
	spinlock_t lock;	     /* of error and reason */
	int error;		     /* -errno; the first one stays */
	struct krping_reason reason; /* the error in words */
};

/* result.c */
struct krping_result *krping_result_new(enum krping_role role);
/* From here on it is listed as running in the namespace. */
void krping_result_start(struct krping_result *result, struct krping_net *kn);
/* Makes room for the times that the test will record; -ENOMEM. */
int krping_result_record(struct krping_result *result, unsigned int latencies);
/* The run failed: error and words stay unless there are some already. Returns the error that holds. */
__printf(3, 4) int krping_result_fail(struct krping_result *result, int error, const char *format, ...);
/* From here on it belongs to the history of the namespace. Returns its error. */
int krping_result_finish(struct krping_result *result, struct krping_net *kn);
void krping_results_free(struct krping_net *kn);

/* proc.c */
int krping_proc_init(void);
void krping_proc_exit(void);

/* client.c, listener.c: run what was asked for, in the caller's thread, until it is over */
int krping_client_run(struct krping_result *result, struct net *net, struct sockaddr_storage *address);
int krping_listener_run(struct krping_result *result, struct net *net, struct sockaddr_storage *address);

#endif
