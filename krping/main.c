// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rdma_krping: a ping-pong with the kernel's own verbs, driven through /proc/krping; krping(8).
 *
 * The module as a whole: what it sets up when it is loaded, and for each network namespace. It can't be unloaded
 * while one of its files is open, and so not while a test runs: a test runs in the thread of a write().
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "krping.h"

static unsigned int krping_net_id;
bool krping_debug_is_on;

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

/* Nothing runs here any more: the process that wrote into /proc/krping lived in the namespace. */
static void __net_exit net_exit(struct net *net)
{
	krping_results_free(krping_net(net));
}

static struct pernet_operations net_ops = {
	.init = net_init,
	.exit = net_exit,
	.id = &krping_net_id,
	.size = sizeof(struct krping_net),
};

static int __init krping_init(void)
{
	int err;

	err = register_pernet_subsys(&net_ops);
	if (err)
		return err;
	err = krping_proc_init();
	if (err)
		unregister_pernet_subsys(&net_ops);
	return err;
}

static void __exit krping_exit(void)
{
	krping_proc_exit();
	unregister_pernet_subsys(&net_ops);
}

module_init(krping_init);
module_exit(krping_exit);

module_param_named(debug, krping_debug_is_on, bool, 0644);
MODULE_PARM_DESC(debug, "write each step of each run to the kernel's log (0/1)");

MODULE_AUTHOR("the perftest authors");
MODULE_DESCRIPTION("RDMA ping-pong with kernel verbs");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION("7.0");
