// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The interface to user space: /proc/krping accepts a command and lists running tests; /proc/krping_results has the
 * results of the last ones. Both show the network namespace of the process that opens them.
 */
#include <linux/inet.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/net_namespace.h>

#include "krping.h"

#define COMMAND_FILE "krping"
#define RESULTS_FILE "krping_results"

static const char *const role_names[] = {
	[KRPING_ROLE_CLIENT] = "client",
	[KRPING_ROLE_LISTENER] = "listener",
	[KRPING_ROLE_SERVER] = "server",
};

static const char *const latency_names[KRPING_LATENCIES] = {
	[KRPING_ITERATION] = "iteration",
	[KRPING_READ_HALF] = "read_half",
	[KRPING_WRITE_HALF] = "write_half",
};

static int run(struct krping_result *result, struct net *net)
{
	const struct krping_command *command = &result->command;
	bool six = krping_has(command, KRPING_ADDR6);
	struct sockaddr_storage address;
	char port[8];
	int err;

	snprintf(port, sizeof(port), "%u", (unsigned int)command->port);
	err = inet_pton_with_scope(net, six ? AF_INET6 : AF_INET, command->address, port, &address);
	if (err)
		return krping_result_fail(result, -EINVAL, "%s=%s is no %s address", six ? "addr6" : "addr",
					  command->address, six ? "IPv6" : "IPv4");
	if (krping_has(command, KRPING_CLIENT))
		return krping_client_run(result, net, &address);
	return krping_listener_run(result, net, &address);
}

static int read_command(struct krping_result *result, const char __user *from, size_t count)
{
	struct krping_reason reason;
	char *text;
	int err;

	if (count > KRPING_MAX_TEXT)
		return krping_result_fail(result, -E2BIG, "a command of %zu bytes; %d are the limit", count,
					  KRPING_MAX_TEXT);
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return krping_result_fail(result, PTR_ERR(text), "the command cannot be read: %pe", text);
	err = krping_command_parse(&result->command, text, count, &reason);
	kfree(text);
	if (krping_has(&result->command, KRPING_SERVER))
		result->role = KRPING_ROLE_LISTENER;
	return err ? krping_result_fail(result, err, "%s", reason.text) : 0;
}

/* Runs a test, in this thread. Its outcome is in the results, and is the status of the write. */
static ssize_t command_write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	struct net *net = get_net(current->nsproxy->net_ns);
	struct krping_result *result;
	int err = -ENOMEM;

	result = krping_result_new(KRPING_ROLE_CLIENT);
	if (result) {
		err = read_command(result, from, count);
		if (!err) {
			krping_result_start(result, krping_net(net));
			run(result, net);
		}
		err = krping_result_finish(result, krping_net(net));
	}
	put_net(net);
	return err ? err : count;
}

/* The lists are locked from start to stop; no thread waits for user space in between. */
static struct krping_net *net_of(struct seq_file *file)
{
	return krping_net(file->private);
}

static void *running_start(struct seq_file *file, loff_t *position)
{
	mutex_lock(&net_of(file)->lock);
	return seq_list_start(&net_of(file)->running, *position);
}

static void *running_next(struct seq_file *file, void *item, loff_t *position)
{
	return seq_list_next(item, &net_of(file)->running, position);
}

/*
 * A position counts from the first record ever: the oldest may be dropped between two reads, so an index in the list
 * would skip a record.
 */
static void *finished_start(struct seq_file *file, loff_t *position)
{
	struct krping_net *kn = net_of(file);

	mutex_lock(&kn->lock);
	if (*position < kn->finished_gone)
		*position = kn->finished_gone;
	return seq_list_start(&kn->finished, *position - kn->finished_gone);
}

static void *finished_next(struct seq_file *file, void *item, loff_t *position)
{
	return seq_list_next(item, &net_of(file)->finished, position);
}

static void lists_stop(struct seq_file *file, void *item)
{
	mutex_unlock(&net_of(file)->lock);
}

static void show_traffic(struct seq_file *file, const struct krping_traffic *traffic)
{
	seq_printf(file, " %llu %llu", READ_ONCE(traffic->bytes), READ_ONCE(traffic->messages));
}

static int running_show(struct seq_file *file, void *item)
{
	const struct krping_result *result = list_entry(item, struct krping_result, node);
	const char *device = smp_load_acquire(&result->device_is_known) ? result->device : "none";

	if (result->role == KRPING_ROLE_LISTENER) {
		seq_printf(file, "%llu listen\n", result->id);
		return 0;
	}
	seq_printf(file, "%llu-%s", result->id, device);
	show_traffic(file, &result->send);
	show_traffic(file, &result->recv);
	show_traffic(file, &result->write);
	show_traffic(file, &result->read);
	seq_putc(file, '\n');
	return 0;
}

static void show_command(struct seq_file *file, const struct krping_command *command)
{
	static const enum krping_option words[] = {KRPING_VALIDATE,	  KRPING_VERBOSE,  KRPING_SERVER_INV,
						   KRPING_LOCAL_DMA_LKEY, KRPING_READ_INV, KRPING_POLL,
						   KRPING_DUPLEX};
	unsigned int i;

	seq_printf(file,
		   "label=%s\ntest=%s\naddr=%s\nport=%llu\nsize=%llu\ncount=%llu\nmem_mode=%s\n"
		   "tx-depth=%llu\ntimeout=%llu\ntos=%llu\n",
		   command->label, krping_test_name(command), command->address, command->port, command->size,
		   command->count, command->dma ? "dma" : "reg", command->tx_depth, command->timeout_s, command->tos);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		seq_printf(file, "%s=%d\n", krping_option_name(words[i]), krping_has(command, words[i]));
}

/* units per second, of `amount` units in `ns`, without an overflow */
static u64 rate_of(u64 amount, u64 ns)
{
	while (amount >> 34) { /* 2^34 * 10^9 is below 2^64 */
		amount >>= 1;
		ns >>= 1;
	}
	return ns ? div64_u64(amount * NSEC_PER_SEC, ns) : 0;
}

static void show_bandwidth(struct seq_file *file, const struct krping_result *result)
{
	u64 peers_bytes = result->peers.iterations * result->command.size;

	seq_printf(file, "bytes_per_second=%llu\n", rate_of(result->bytes, result->measured_ns));
	seq_printf(file, "messages_per_second=%llu\n", rate_of(result->iterations, result->measured_ns));
	if (!result->peers.measured_ns)
		return;
	seq_printf(file, "peer_iterations=%llu\n", result->peers.iterations);
	seq_printf(file, "peer_measured_ns=%llu\n", result->peers.measured_ns);
	seq_printf(file, "peer_bytes_per_second=%llu\n", rate_of(peers_bytes, result->peers.measured_ns));
}

static void show_figures(struct seq_file *file, const char *name, const struct krping_figures *figures)
{
	const struct krping_histogram *histogram = &figures->histogram;
	unsigned int i;

	if (!histogram->count)
		return;
	seq_printf(file, "%s_samples=%llu\n", name, histogram->count);
	seq_printf(file, "%s_min_ns=%llu\n", name, histogram->min);
	seq_printf(file, "%s_max_ns=%llu\n", name, histogram->max);
	seq_printf(file, "%s_mean_ns=%llu\n", name, div64_u64(histogram->sum, histogram->count));
	seq_printf(file, "%s_p50_ns=%llu\n", name, figures->p50);
	seq_printf(file, "%s_p90_ns=%llu\n", name, figures->p90);
	seq_printf(file, "%s_p99_ns=%llu\n", name, figures->p99);
	seq_printf(file, "%s_p99.9_ns=%llu\n", name, figures->p999);
	seq_printf(file, "%s_sum_ns=%llu\n", name, histogram->sum);
	seq_printf(file, "%s_square_sum=0x%llx%016llx\n", name, histogram->squares[0], histogram->squares[1]);
	seq_printf(file, "%s_histogram=", name);
	for (i = 0; i < figures->buckets; i++)
		seq_printf(file, "%s%llu:%llu", i ? " " : "", krping_bucket_edge(figures->bucket[i].index),
			   figures->bucket[i].count);
	seq_putc(file, '\n');
}

static void show_counts(struct seq_file *file, const char *name, const struct krping_traffic *traffic)
{
	seq_printf(file, "%s_bytes=%llu\n%s_messages=%llu\n", name, traffic->bytes, name, traffic->messages);
}

static int finished_show(struct seq_file *file, void *item)
{
	const struct krping_result *result = list_entry(item, struct krping_result, node);
	const char *state = "complete";
	unsigned int i;

	if (result->error)
		state = result->error == -EINTR ? "interrupted" : "failed";
	seq_printf(file,
		   "id=%llu\nrole=%s\nlistener=%llu\nstate=%s\nerror=%d\nreason=%s\nbegan=%lld.%09ld\n"
		   "elapsed_ns=%llu\n",
		   result->id, role_names[result->role], result->listener, state, result->error, result->reason.text,
		   (long long)result->began.tv_sec, result->began.tv_nsec, result->elapsed_ns);
	show_command(file, &result->command);
	if (result->role == KRPING_ROLE_LISTENER) {
		seq_printf(file, "clients=%llu\nrefused=%llu\n\n", result->clients, result->refused);
		return 0;
	}
	seq_printf(file, "device=%s\npeer=%s\nconnect_ns=%llu\nmeasured_ns=%llu\niterations=%llu\n", result->device,
		   result->peer, result->connect_ns, result->measured_ns, result->iterations);
	show_counts(file, "send", &result->send);
	show_counts(file, "recv", &result->recv);
	show_counts(file, "write", &result->write);
	show_counts(file, "read", &result->read);
	if (krping_has(&result->command, KRPING_BW))
		show_bandwidth(file, result);
	for (i = 0; i < KRPING_LATENCIES; i++)
		show_figures(file, latency_names[i], &result->figures[i]);
	seq_putc(file, '\n');
	return 0;
}

static const struct seq_operations running_ops = {
	.start = running_start,
	.next = running_next,
	.stop = lists_stop,
	.show = running_show,
};

static const struct seq_operations finished_ops = {
	.start = finished_start,
	.next = finished_next,
	.stop = lists_stop,
	.show = finished_show,
};

/* An open file references the module and the namespace: neither can disappear during a test or a read. */
static int open_list(struct file *file, const struct seq_operations *ops)
{
	int err;

	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	err = seq_open(file, ops);
	if (err) {
		module_put(THIS_MODULE);
		return err;
	}
	((struct seq_file *)file->private_data)->private = get_net(current->nsproxy->net_ns);
	return 0;
}

static int running_open(struct inode *inode, struct file *file)
{
	return open_list(file, &running_ops);
}

static int finished_open(struct inode *inode, struct file *file)
{
	return open_list(file, &finished_ops);
}

static int close_list(struct inode *inode, struct file *file)
{
	put_net(((struct seq_file *)file->private_data)->private);
	seq_release(inode, file);
	module_put(THIS_MODULE);
	return 0;
}

static const struct proc_ops command_file_ops = {
	.proc_open = running_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_write = command_write,
	.proc_release = close_list,
};

static const struct proc_ops results_file_ops = {
	.proc_open = finished_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = close_list,
};

int krping_proc_init(void)
{
	if (!proc_create(COMMAND_FILE, 0600, NULL, &command_file_ops))
		return -ENOMEM;
	if (!proc_create(RESULTS_FILE, 0400, NULL, &results_file_ops)) {
		remove_proc_entry(COMMAND_FILE, NULL);
		return -ENOMEM;
	}
	return 0;
}

void krping_proc_exit(void)
{
	remove_proc_entry(RESULTS_FILE, NULL);
	remove_proc_entry(COMMAND_FILE, NULL);
}
