// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options for raw Ethernet frames that cannot be combined, or are missing. See rules.h. */
#include <string.h>

#include "params/engine/checks.h"
#include "params/masks.h"
#include "params/rules/rules.h"

#define MOST_NUMBERED (UINT64_C(1) << 40) /* frames: the numbers of frames/frame.h */

static bool address_of_other_family(const struct params *params)
{
	const char *const texts[] = {params_local_ip(params), params_remote_ip(params)};

	for (unsigned i = 0; i < 2; i++)
		if (texts[i][0] && (ip_address_is_v6(texts[i]) != params->ethernet.ipv6 || strchr(texts[i], '%')))
			return true;
	return false;
}

void rules_ethernet(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct params_ethernet *ethernet = &params->ethernet;
	const bool is_client = params_is_client(params), bidirectional = params->spec.bidirectional;
	const struct traffic traffic = params_traffic(params, is_client ? SIDE_CLIENT : SIDE_SERVER);
	const bool by_role =
		ethernet->dest_ip[0] || ethernet->source_ip[0] || ethernet->dest_port || ethernet->source_port;
	const bool by_side =
		ethernet->local_ip[0] || ethernet->remote_ip[0] || ethernet->local_port || ethernet->remote_port;
	const char *server_ip = is_client ? params_remote_ip(params) : params_local_ip(params);
	const uint16_t local_port = params_local_port(params), remote_port = params_remote_port(params);
	const uint32_t highest = local_port > remote_port ? local_port : remote_port;
	const uint32_t num_qps = params->queues.num_qps, flows = verbs->frames.flows;
	const uint64_t turn = (uint64_t)flows * verbs->frames.flows_burst; /* frames of all flows */
	const bool spreads = verbs->frames.rss.is_used, silent = params_is_silent(params);
	const bool is_host = params->host[0];
	const struct params_channel *channel = &params->channel;
	const uint64_t runs = (verbs->all_sizes ? sweep_count(&verbs->sweep, verbs->sweep.last) : 1) *
			      (uint64_t)series_most(&params->repeat);

	rule_add(rules, RAW & ~FS, is_host && silent, "",
		 "frames are sent to a MAC address, not to a HOST: give --client or --server, and -B and -E; HOST is "
		 "for --side_channel, which both sides need then");
	rule_add(rules, RAW & ~FS, params_gathers(params), "", "frames are sent to a single other side: name one HOST");
	rule_add(rules, RAW & ~FS, !silent && (is_host ? ethernet->server : ethernet->client), "",
		 "with --side_channel the client is the side that names the HOST of the server: omit --client or "
		 "--server, or give HOST to the client alone");
	rule_add(
		rules, RAW & ~FS,
		silent && (channel->retry_s || channel->keep_serving || verbs->max_memory || channel->max_duration_s ||
			   params_repeats(params)),
		"",
		"--retry, --keep_serving, --max_memory, --max_duration, --repeat and --until need a connection of both "
		"sides: give them --side_channel");
	rule_add(rules, FS, is_host, "", "steering rules are created without a peer: omit HOST");
	rule_add(rules, RAW & ~FS, silent && ethernet->client == ethernet->server && !params->general.doctor, "",
		 "give --client (-P) on one side and --server (-Z) on the other");
	/* There is one side; scripts that name it keep working. */
	rule_add(rules, FS, ethernet->client && ethernet->server, "",
		 "give --client (-P) or --server (-Z), not both: there is only one side");
	rule_add(rules, RAW, !ethernet->source_mac[0] && !params->general.doctor, "",
		 "give the MAC address of this side's port with -B (--source_mac)");
	/* A group has an address of its own, and a frame sent back has that of its source. */
	rule_add(rules, RAW & ~FS,
		 traffic.posts && !traffic.forwards && !ethernet->dest_mac[0] && !ethernet->mcast &&
			 !params->general.doctor,
		 "", "give the MAC address that frames go to with -E (--dest_mac)");
	rule_add(rules, RAW, by_role && by_side, "",
		 "give addresses and ports either by client and server (-J, -j, -K, -k) or by this side and the other "
		 "(--local_ip, --remote_ip, --local_port, --remote_port), not a mixture");
	rule_add(rules, RAW, address_of_other_family(params), "",
		 "IP addresses must be IPv4, or IPv6 with --raw_ipv6, without a scope");
	rule_add(rules, RAW, !local_port != !remote_port, "", "a frame has two ports: give both -K and -k, or neither");
	rule_add(rules, RAW, local_port && !params_has_ip(params), "",
		 "ports need an IP header: give -J and -j as well");
	rule_add(rules, RAW, ethernet->tcp && !local_port && !(spreads && !params_has_ip(params)), "",
		 "--tcp needs ports: give -K and -k as well");
	rule_add(rules, RAW & BW, flows > 1 && !local_port, "flows",
		 "the --flows differ in their ports: give -K and -k as well");
	rule_add(rules, RAW & BW, highest && highest + (uint64_t)flows * num_qps - 1 > UINT16_MAX, "flows qp",
		 "each flow of each queue pair uses the next pair of ports, which would go beyond 65535: lower "
		 "--flows, -q or the ports");
	rule_add(rules, RAW & BW, flows > 1 && bidirectional, "flows", "--flows works in one direction only: omit -b");
	rule_add(rules, RAW & BW, verbs->frames.flows_burst > 1 && flows == 1, "flows_burst",
		 "--flows_burst needs more than one of --flows");
	/* Each has a slot: with a stride of 64 KiB, the longest frame, these are 2 GiB per queue pair. */
	rule_add(rules, RAW & BW, turn > 32768, "flows flows_burst",
		 "--flows times --flows_burst is limited to 32768: each of these frames needs its own slot");
	rule_add(rules, RAW & BW, !params_by_time(params) && flows > 1 && turn > params->test.iters,
		 "flows flows_burst iters",
		 "-n must be at least --flows times --flows_burst, or some flows would have no frame");
	rule_add(rules, RAW & BW, silent && verbs->all_sizes && bidirectional, "",
		 "with -b each side has to know when the other one goes on to the next of --sizes: give both "
		 "--side_channel, or test each direction, without -b and --mac_fwd");
	rule_add(rules, RAW & BW,
		 silent && verbs->all_sizes && !is_client &&
			 (spreads || params->test.interval_s > 0 || params->report.cpu_util ||
			  params->report.counters[0]),
		 "",
		 "a server receives all --sizes in one run: --use_rss, --report_interval, --cpu_util and -W have no "
		 "figures of each, but with --side_channel");
	rule_add(rules, BURST, runs > MOST_NUMBERED / params->test.iters, "iters",
		 "the frames of all --sizes and --repeat are numbered, up to 2^40: lower -n");
	rule_add(rules, BURST,
		 ethernet->reply_every > params_burst(params, verbs->size) ||
			 ethernet->reply_every > params->test.iters,
		 "reply_every burst_size tx-depth",
		 "no frame of a burst would be answered: lower --reply_every, or raise --burst_size, -t or -n");
	/* The stamps of its messages need 8 MiB. */
	rule_add(rules, BURST, params->rate.burst_size > 1U << 20, "burst_size",
		 "a burst is limited to 1048576 messages, since the send time of each is kept");
	/* The requests of a list always have the same frames. */
	rule_add(rules, RAW & BW, flows > 1 && verbs->post_list > 1 && verbs->post_list % turn,
		 "post_list flows flows_burst",
		 "every list (-l) holds the same frames: make it a multiple of --flows times --flows_burst");
	/* Each frame is sent back from the receive that it arrived in, with a request of its own. */
	rule_add(rules, RAW & BW, ethernet->mac_fwd && (verbs->post_list > 1 || verbs->recv_post_list > 1),
		 "post_list recv_post_list", "--mac_fwd returns frames one by one: omit -l and --recv_post_list");
	rule_add(rules, RAW & BW, ethernet->mcast && bidirectional, "",
		 "--raw_mcast works in one direction only: omit -b");
	/* The group is the server's address, so all that are given must agree. */
	rule_add(rules, RAW & BW, ethernet->mcast && (ethernet->ipv6 || !ip_address_is_group(server_ip)), "",
		 "--raw_mcast needs an IPv4 group, 224.0.0.0 to 239.255.255.255, as the server's address (-J)");
	/* As many as the client has queue pairs, but the other clients have theirs. */
	rule_add(
		rules, RAW & BW, spreads && !silent, "",
		"--use_rss counts the frames of any clients, --side_channel those of one with the same -q: give one of "
		"them");
	rule_add(rules, RAW & BW, spreads && is_client, "",
		 "--use_rss spreads the frames that the server receives: run the client without it");
	/* A side that spreads frames over work queues sends none. */
	rule_add(rules, RAW & BW, spreads && bidirectional, "",
		 "--use_rss is for receiving only: omit -b and --mac_fwd");
	rule_add(rules, RAW & BW, spreads && (num_qps & (num_qps - 1)), "qp",
		 "the number of work queues of --use_rss (-q) must be a power of two");
}
