// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The state per network namespace: the lists of its runs. */
#include <linux/init.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "krping.h"

static unsigned int krping_net_id;

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
	krping_results_free(krping_net(net));
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
