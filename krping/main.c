// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rdma_krping: a ping-pong with the kernel's own verbs, driven through /proc/krping; krping(8).
 *
 * Loading and unloading of the module. It cannot be unloaded while one of its files is open, and hence not while a test
 * runs: a test runs in the thread of a write().
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "krping.h"

bool krping_debug_is_on;

static int __init krping_init(void)
{
	int err;

	err = krping_net_init();
	if (err)
		return err;
	err = krping_proc_init();
	if (err)
		krping_net_exit();
	return err;
}

static void __exit krping_exit(void)
{
	krping_proc_exit();
	krping_net_exit();
}

module_init(krping_init);
module_exit(krping_exit);

module_param_named(debug, krping_debug_is_on, bool, 0644);
MODULE_PARM_DESC(debug, "write each step of each run to the kernel's log (0/1)");

MODULE_AUTHOR("the perftest authors");
MODULE_DESCRIPTION("RDMA ping-pong with kernel verbs");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION("7.0");
