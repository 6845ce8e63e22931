// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options for raw Ethernet frames that cannot be combined, or are missing. See rules.h. */
#include <string.h>

#include "params/engine/checks.h"
#include "params/masks.h"
#include "params/rules/rules.h"

CONDITION(frames_to_host, params->host[0])
CONDITION(no_role, params->ethernet.client == params->ethernet.server && !params->general.doctor)
/* There is one side; scripts that name it keep working. */
CONDITION(two_roles, params->ethernet.client && params->ethernet.server)
CONDITION(no_own_mac, !params->ethernet.source_mac[0] && !params->general.doctor)

/* The sender needs a destination; a group has an address of its own, and a frame sent back has that of its source. */
static bool no_peer_mac(const struct params *params)
{
	const struct traffic traffic = params_traffic(params, params_is_client(params) ? SIDE_CLIENT : SIDE_SERVER);

	return traffic.posts && !traffic.forwards && !params->ethernet.dest_mac[0] && !params->ethernet.mcast &&
	       !params->general.doctor;
}

static bool names_mixed(const struct params *params)
{
	const struct params_ethernet *ethernet = &params->ethernet;
	const bool by_role =
		ethernet->dest_ip[0] || ethernet->source_ip[0] || ethernet->dest_port || ethernet->source_port;
	const bool by_side =
		ethernet->local_ip[0] || ethernet->remote_ip[0] || ethernet->local_port || ethernet->remote_port;

	return by_role && by_side;
}

static bool address_of_other_family(const struct params *params)
{
	const char *const texts[] = {params_local_ip(params), params_remote_ip(params)};

	for (unsigned i = 0; i < 2; i++)
		if (texts[i][0] && (ip_address_is_v6(texts[i]) != params->ethernet.ipv6 || strchr(texts[i], '%')))
			return true;
	return false;
}

CONDITION(one_port, !params_local_port(params) != !params_remote_port(params))
CONDITION(ports_without_addresses, params_local_port(params) && !params_has_ip(params))

static bool tcp_without_ports(const struct params *params)
{
	const bool spreads_all = params->verbs.frames.rss.is_used && !params_has_ip(params);

	return params->ethernet.tcp && !params_local_port(params) && !spreads_all;
}

CONDITION(flows_without_ports, params->verbs.frames.flows > 1 && !params_local_port(params))

static bool flows_above_ports(const struct params *params)
{
	const uint64_t ports = (uint64_t)params->verbs.frames.flows * params->queues.num_qps;
	const uint32_t highest = params_local_port(params) > params_remote_port(params) ? params_local_port(params)
											: params_remote_port(params);

	return highest && highest + ports - 1 > UINT16_MAX;
}

CONDITION(flows_both_ways, params->verbs.frames.flows > 1 && params->spec.bidirectional)
CONDITION(burst_of_one_flow, params->verbs.frames.flows_burst > 1 && params->verbs.frames.flows == 1)
CONDITION(flows_above_iterations,
	  !params_by_time(params) && params->verbs.frames.flows > 1 &&
		  (uint64_t)params->verbs.frames.flows * params->verbs.frames.flows_burst > params->test.iters)
/* Each frame of a cycle has a slot: with a stride of 64 KiB, the longest frame, these are 2 GiB per queue pair. */
CONDITION(flows_above_slots, (uint64_t)params->verbs.frames.flows * params->verbs.frames.flows_burst > 32768)

/* The requests of a list always have the same frames. */
static bool list_cuts_flows(const struct params *params)
{
	const uint64_t turn = (uint64_t)params->verbs.frames.flows * params->verbs.frames.flows_burst;

	return params->verbs.frames.flows > 1 && params->verbs.post_list > 1 && params->verbs.post_list % turn;
}

CONDITION(group_both_ways, params->ethernet.mcast && params->spec.bidirectional)

/* The group is the server's address, so all that are given must agree. */
static bool no_group(const struct params *params)
{
	const char *text = params_is_client(params) ? params_remote_ip(params) : params_local_ip(params);

	return params->ethernet.mcast && (params->ethernet.ipv6 || !ip_address_is_group(text));
}

/* Each frame is sent back from the receive that it arrived in, with a request of its own. */
CONDITION(lists_of_what_comes,
	  params->ethernet.mac_fwd && (params->verbs.post_list > 1 || params->verbs.recv_post_list > 1))
CONDITION(burst_without_answer, params->ethernet.reply_every > params_burst(params, params->verbs.size) ||
					params->ethernet.reply_every > params->test.iters)
/* The stamps of its messages need 8 MiB. */
CONDITION(burst_above_stamps, params->rate.burst_size > 1U << 20)
CONDITION(client_spreads, (params->verbs.frames.rss.is_used && params_is_client(params)))
/* A side that spreads frames over work queues sends none. */
CONDITION(spreads_and_sends, params->verbs.frames.rss.is_used && params->spec.bidirectional)
CONDITION(uneven_queues, params->verbs.frames.rss.is_used && (params->queues.num_qps & (params->queues.num_qps - 1)))

static const struct rule rows[] = {
	{RAW & ~FS,
	 frames_to_host,
	 "frames are sent to a MAC address, not to a HOST: give --client or --server, and -B and -E",
	 {NULL}},
	{FS, frames_to_host, "steering rules are created without a peer: omit HOST", {NULL}},
	{RAW & ~FS, no_role, "give --client (-P) on one side and --server (-Z) on the other", {NULL}},
	{FS, two_roles, "give --client (-P) or --server (-Z), not both: there is only one side", {NULL}},
	{RAW, no_own_mac, "give the MAC address of this side's port with -B (--source_mac)", {NULL}},
	{RAW & ~FS, no_peer_mac, "give the MAC address that frames go to with -E (--dest_mac)", {NULL}},
	{RAW,
	 names_mixed,
	 "give addresses and ports either by client and server (-J, -j, -K, -k) or by this side and the other "
	 "(--local_ip, --remote_ip, --local_port, --remote_port), not a mixture",
	 {NULL}},
	{RAW, address_of_other_family, "IP addresses must be IPv4, or IPv6 with --raw_ipv6, without a scope", {NULL}},
	{RAW, one_port, "a frame has two ports: give both -K and -k, or neither", {NULL}},
	{RAW, ports_without_addresses, "ports need an IP header: give -J and -j as well", {NULL}},
	{RAW, tcp_without_ports, "--tcp needs ports: give -K and -k as well", {NULL}},
	{RAW & BW, flows_without_ports, "the --flows differ in their ports: give -K and -k as well", {"flows"}},
	{RAW & BW,
	 flows_above_ports,
	 "each flow of each queue pair uses the next pair of ports, which would go beyond 65535: lower --flows, -q or "
	 "the ports",
	 {"flows", "qp"}},
	{RAW & BW, flows_both_ways, "--flows works in one direction only: omit -b", {"flows"}},
	{RAW & BW, burst_of_one_flow, "--flows_burst needs more than one of --flows", {"flows_burst"}},
	{RAW & BW,
	 flows_above_slots,
	 "--flows times --flows_burst is limited to 32768: each of these frames needs its own slot",
	 {"flows", "flows_burst"}},
	{RAW & BW,
	 flows_above_iterations,
	 "-n must be at least --flows times --flows_burst, or some flows would have no frame",
	 {"flows", "flows_burst", "iters"}},
	{BURST,
	 burst_without_answer,
	 "no frame of a burst would be answered: lower --reply_every, or raise --burst_size, -t or -n",
	 {"reply_every", "burst_size", "tx-depth"}},
	{BURST,
	 burst_above_stamps,
	 "a burst is limited to 1048576 messages, since the send time of each is kept",
	 {"burst_size"}},
	{RAW & BW,
	 list_cuts_flows,
	 "every list (-l) holds the same frames: make it a multiple of --flows times --flows_burst",
	 {"post_list", "flows", "flows_burst"}},
	{RAW & BW,
	 lists_of_what_comes,
	 "--mac_fwd returns frames one by one: omit -l and --recv_post_list",
	 {"post_list", "recv_post_list"}},
	{RAW & BW, group_both_ways, "--raw_mcast works in one direction only: omit -b", {NULL}},
	{RAW & BW,
	 no_group,
	 "--raw_mcast needs an IPv4 group, 224.0.0.0 to 239.255.255.255, as the server's address (-J)",
	 {NULL}},
	{RAW & BW,
	 client_spreads,
	 "--use_rss spreads the frames that the server receives: run the client without it",
	 {NULL}},
	{RAW & BW, spreads_and_sends, "--use_rss is for receiving only: omit -b and --mac_fwd", {NULL}},
	{RAW & BW, uneven_queues, "the number of work queues of --use_rss (-q) must be a power of two", {"qp"}},
};

const struct rule_set rules_ethernet = {rows, sizeof(rows) / sizeof(rows[0])};
