// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Raw Ethernet: derives the headers of sent and received frames from the options. See steps.h. */
#include "session/steps.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/checks.h"
#include "verbs/work/ethernet.h"

#define VLAN_ID		1
#define MAC_FORMAT	"%02x:%02x:%02x:%02x:%02x:%02x"
#define PRIORITY_COUNTS FRAME_PRIORITIES /* --vlan_pcp: each frame has the next one */

static void frame_text_address(const char *text, bool ipv6, struct frame_address *address)
{
	inet_pton(ipv6 ? AF_INET6 : AF_INET, text, address->bytes);
}

/* What both directions have in common. */
static struct frame_spec headers_of(const struct params *params)
{
	const struct params_ethernet *ethernet = &params->ethernet;
	struct frame_spec spec = {
		.has_vlan = ethernet->vlan,
		.vlan_priority = ethernet->vlan_pcp == PRIORITY_COUNTS ? 0 : ethernet->vlan_pcp,
		.vlan_id = VLAN_ID,
		.ethertype = ethernet->ethertype,
		.traffic_class = params->verbs.tos == CONFIG_AUTO ? 0 : (uint8_t)params->verbs.tos,
		.hops = ethernet->hop_limit,
	};

	if (params_has_ip(params))
		spec.network = ethernet->ipv6 ? FRAME_NETWORK_IPV6 : FRAME_NETWORK_IPV4;
	if (params_local_port(params))
		spec.transport = ethernet->tcp ? FRAME_TRANSPORT_TCP : FRAME_TRANSPORT_UDP;
	return spec;
}

void session_complete_frames(struct params *params)
{
	const struct params_ethernet *ethernet = &params->ethernet;
	struct frame_config *frames = &params->verbs.frames;
	struct frame_spec *sent = &frames->sent, *received = &frames->received;
	const bool returns = ethernet->mac_fwd && params_is_client(params);

	*sent = headers_of(params);
	*received = *sent;
	frames->counts_priority = ethernet->vlan_pcp == PRIORITY_COUNTS;
	frames->has_sl = params_given(params, "sl");
	frames->rss.by_ipv6 = ethernet->ipv6;
	frames->rss.ports_tcp = ethernet->tcp;
	/* Frames with addresses but without ports are not spread by ports. */
	frames->rss.by_ports = params_local_port(params) || !params_has_ip(params);
	if (ethernet->source_mac[0])
		mac_address_read(ethernet->source_mac, sent->source);
	if (ethernet->dest_mac[0])
		mac_address_read(ethernet->dest_mac, sent->destination);
	/* A port that is not given is 0. */
	if (sent->network != FRAME_NETWORK_NONE) {
		frame_text_address(params_local_ip(params), ethernet->ipv6, &sent->from);
		frame_text_address(params_remote_ip(params), ethernet->ipv6, &sent->to);
	}
	sent->source_port = params_local_port(params);
	sent->destination_port = params_remote_port(params);

	memcpy(received->destination, sent->source, sizeof(received->destination));
	memcpy(received->source, sent->destination, sizeof(received->source));
	/* A frame that was sent back has its MAC addresses swapped, and is otherwise unchanged. */
	received->from = returns ? sent->from : sent->to;
	received->to = returns ? sent->to : sent->from;
	received->source_port = returns ? sent->source_port : sent->destination_port;
	received->destination_port = returns ? sent->destination_port : sent->source_port;

	/* The multicast group is the server's address. */
	if (ethernet->mcast && params_is_client(params))
		frame_multicast_mac(&sent->to, sent->destination);
	else if (ethernet->mcast)
		frame_multicast_mac(&received->to, received->destination);
}

/* What limits them. */
static const char *most_text(const struct session *session, uint64_t most)
{
	return most < session->params.verbs.mtu ? "IEEE 802.3, without --ethertype" : "-m";
}

/* As of a datagram: sizes above the limit are left out, but not all of them. */
static int fit_sizes(struct session *session, uint64_t least, uint64_t most)
{
	const struct sweep *sweep = &session->params.verbs.sweep;
	const uint64_t first = sweep->first, last = sweep->last < most ? sweep->last : most;

	if (first < least || first > most)
		return log_fail(-EMSGSIZE,
				"--sizes %llu is too %s: a frame with these headers has %llu to %llu bytes (%s)",
				(unsigned long long)first, first < least ? "small" : "large", (unsigned long long)least,
				(unsigned long long)most, most_text(session, most));
	session->largest = first;
	while (sweep_next(sweep, last, &session->largest))
		;
	return 0;
}

int session_fit_frames(struct session *session)
{
	const uint64_t least = ethernet_least(&session->params.verbs), most = ethernet_most(&session->params.verbs);
	const uint64_t asked = session->params.verbs.size;

	if (least > most)
		return log_fail(-EMSGSIZE,
				"frames of up to %llu bytes (-m) are too short for these headers, which need %llu",
				(unsigned long long)most, (unsigned long long)least);
	if (session->params.verbs.all_sizes)
		return fit_sizes(session, least, most);
	session->largest = asked < least ? least : asked > most ? most : asked;
	if (session->largest != asked && params_given(&session->params, "size"))
		log_warning("a frame with these headers cannot have -s %llu bytes, only %llu to %llu (%s): using %llu",
			    (unsigned long long)asked, (unsigned long long)least, (unsigned long long)most,
			    most_text(session, most), (unsigned long long)session->largest);
	return 0;
}

/* "02:00:00:00:00:0b > 02:00:00:00:00:0a, VLAN 1 priority 1, IPv4 10.0.0.2 > 10.0.0.1, UDP 2000 > 1000" */
static void frame_describe(const struct frame_spec *spec, bool any_source, FILE *text)
{
	char from[INET6_ADDRSTRLEN] = "", to[INET6_ADDRSTRLEN] = "";
	const bool ipv6 = spec->network == FRAME_NETWORK_IPV6;
	const uint8_t *mac = spec->source;

	if (any_source)
		fprintf(text, "any > ");
	else
		fprintf(text, MAC_FORMAT " > ", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	mac = spec->destination;
	fprintf(text, MAC_FORMAT, mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	if (spec->has_vlan)
		fprintf(text, ", VLAN %u priority %u", spec->vlan_id, spec->vlan_priority);
	if (spec->ethertype)
		fprintf(text, ", type 0x%04x", spec->ethertype);
	if (spec->network != FRAME_NETWORK_NONE) {
		inet_ntop(ipv6 ? AF_INET6 : AF_INET, spec->from.bytes, from, sizeof(from));
		inet_ntop(ipv6 ? AF_INET6 : AF_INET, spec->to.bytes, to, sizeof(to));
		fprintf(text, ", %s %s > %s", ipv6 ? "IPv6" : "IPv4", from, to);
	}
	if (spec->transport != FRAME_TRANSPORT_NONE)
		fprintf(text, ", %s %u > %u", spec->transport == FRAME_TRANSPORT_TCP ? "TCP" : "UDP", spec->source_port,
			spec->destination_port);
}

/* For one queue pair: the frames of its flows differ in their ports. */
static void report_one(struct session *session, bool sent, const struct frame_spec *spec)
{
	const uint32_t flows = session->params.verbs.frames.flows;
	char line[320] = "";
	FILE *text = fmemopen(line, sizeof(line), "w");

	if (!text)
		return;
	frame_describe(spec, !sent, text);
	fputs(flows > 1 ? ", and the next flows" : "", text);
	fclose(text);
	report_frames(session->report, sent, line);
}

/* "spread over 4 work queues by addresses of IPv4 and ports of UDP" */
static void report_spread(struct session *session)
{
	const struct frame_config *frames = &session->params.verbs.frames;
	char line[128];

	snprintf(line, sizeof(line), "spread over %u work queue%s by addresses of %s%s", session->params.verbs.num_qps,
		 session->params.verbs.num_qps == 1 ? "" : "s", frames->rss.by_ipv6 ? "IPv6" : "IPv4",
		 !frames->rss.by_ports	 ? ""
		 : frames->rss.ports_tcp ? " and ports of TCP"
					 : " and ports of UDP");
	report_frames(session->report, false /* sent */, line);
}

void session_report_frames(struct session *session)
{
	const struct verbs_config *config = &session->params.verbs;

	if (session->traffic.forwards)
		report_frames(session->report, true /* sent */, "those received, their MAC addresses swapped");
	for (unsigned qp = 0; session->traffic.posts && !session->traffic.forwards && qp < config->num_qps; qp++) {
		const struct frame_spec spec = ethernet_sent(config, qp, 0 /* flow */, 0 /* number */);

		report_one(session, true /* sent */, &spec);
	}
	for (unsigned qp = 0; session->traffic.receives && qp < ethernet_num_rules(config); qp++) {
		const struct frame_spec spec = ethernet_received(config, qp, 0 /* flow */);

		report_one(session, false /* sent */, &spec);
	}
	if (config->frames.rss.is_used)
		report_spread(session);
}
