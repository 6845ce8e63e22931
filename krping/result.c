// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The result of a run: its parameters, counts, error message and latencies, listed in its network namespace while it
 * runs and for the next KRPING_HISTORY runs. Called by main.c, by proc.c and by the thread that runs a test.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "krping.h"

static atomic64_t last_id = ATOMIC64_INIT(0);
static unsigned int krping_net_id;

struct krping_result *krping_result_new(enum krping_role role)
{
	struct krping_result *result = kzalloc(sizeof(*result), GFP_KERNEL);

	if (!result)
		return NULL;
	INIT_LIST_HEAD(&result->node);
	spin_lock_init(&result->lock);
	result->role = role;
	result->id = atomic64_inc_return(&last_id);
	ktime_get_real_ts64(&result->began);
	result->began_ns = ktime_get_ns();
	return result;
}

int krping_result_record(struct krping_result *result, unsigned int latencies)
{
	unsigned int i;

	for (i = 0; i < latencies; i++) {
		u64 *bucket = kvcalloc(KRPING_BUCKETS, sizeof(*bucket), GFP_KERNEL);

		if (!bucket)
			return krping_result_fail(result, -ENOMEM, "no memory for a histogram");
		result->figures[i].histogram.bucket = bucket;
	}
	return 0;
}

static void free_result(struct krping_result *result)
{
	unsigned int i;

	for (i = 0; i < KRPING_LATENCIES; i++) {
		kvfree(result->figures[i].histogram.bucket);
		kvfree(result->figures[i].bucket);
	}
	kfree(result);
}

void krping_result_start(struct krping_result *result, struct krping_net *kn)
{
	mutex_lock(&kn->lock);
	list_add_tail(&result->node, &kn->running);
	mutex_unlock(&kn->lock);
}

int krping_result_fail(struct krping_result *result, int error, const char *format, ...)
{
	unsigned long flags;
	va_list arguments;

	spin_lock_irqsave(&result->lock, flags);
	if (!result->error) {
		va_start(arguments, format);
		vsnprintf(result->reason.text, sizeof(result->reason.text), format, arguments);
		va_end(arguments);
		WRITE_ONCE(result->error, error);
	}
	error = result->error;
	spin_unlock_irqrestore(&result->lock, flags);
	return error;
}

/* Keeps the nonempty buckets, a few hundred of 4352. */
static void compact(struct krping_figures *figures)
{
	struct krping_histogram *histogram = &figures->histogram;
	unsigned int i, used = 0;

	if (!histogram->bucket)
		return;
	figures->p50 = krping_histogram_percentile(histogram, 5000);
	figures->p90 = krping_histogram_percentile(histogram, 9000);
	figures->p99 = krping_histogram_percentile(histogram, 9900);
	figures->p999 = krping_histogram_percentile(histogram, 9990);
	for (i = 0; i < KRPING_BUCKETS; i++)
		used += histogram->bucket[i] != 0;
	if (used)
		figures->bucket = kvcalloc(used, sizeof(*figures->bucket), GFP_KERNEL);
	for (i = 0; figures->bucket && i < KRPING_BUCKETS; i++) {
		if (!histogram->bucket[i])
			continue;
		figures->bucket[figures->buckets].index = i;
		figures->bucket[figures->buckets++].count = histogram->bucket[i];
	}
	kvfree(histogram->bucket);
	histogram->bucket = NULL;
}

int krping_result_finish(struct krping_result *result, struct krping_net *kn)
{
	struct krping_result *oldest = NULL;
	int error = result->error;
	unsigned int i;

	result->elapsed_ns = ktime_get_ns() - result->began_ns;
	for (i = 0; i < KRPING_LATENCIES; i++)
		compact(&result->figures[i]);
	if (error && error != -EINTR)
		pr_err_ratelimited("%llu: %s\n", result->id, result->reason.text);
	mutex_lock(&kn->lock);
	if (!list_empty(&result->node))
		list_del(&result->node);
	list_add_tail(&result->node, &kn->finished);
	if (++kn->finished_count > KRPING_HISTORY) {
		oldest = list_first_entry(&kn->finished, struct krping_result, node);
		list_del(&oldest->node);
		kn->finished_count--;
		kn->finished_gone++;
	}
	mutex_unlock(&kn->lock);
	if (oldest)
		free_result(oldest);
	return error;
}

struct krping_net *krping_net(struct net *net)
{
	return net_generic(net, krping_net_id);
}

static int __net_init net_init(struct net *net)
{
	struct krping_net *kn = krping_net(net);

	mutex_init(&kn->lock);
	INIT_LIST_HEAD(&kn->running);
	INIT_LIST_HEAD(&kn->finished);
	return 0;
}

/* No test is running: the process that wrote to /proc/krping would still be in the namespace. */
static void __net_exit net_exit(struct net *net)
{
	struct krping_result *result, *next;

	list_for_each_entry_safe(result, next, &krping_net(net)->finished, node)
	{
		free_result(result);
	}
}

static struct pernet_operations net_ops = {
	.init = net_init,
	.exit = net_exit,
	.id = &krping_net_id,
	.size = sizeof(struct krping_net),
};

int krping_net_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void krping_net_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}
