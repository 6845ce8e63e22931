// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The steps of a test of an ib_* or raw_ethernet_* program, which life.c calls in their order. The file with the name
 * of what is called has the details.
 */
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>

#include "doctor/doctor.h"
#include "life/life.h"
#include "memory/memory.h"
#include "params/options.h"
#include "params/programs.h"
#include "session/group/group.h"
#include "session/group/member.h"
#include "session/measure/measurement.h"
#include "session/print/print.h"
#include "session/state.h"
#include "session/steps.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/starter.h"
#include "util/sysfs.h"
#include "util/wait.h"
#include "verbs/ability.h"
#include "verbs/connect/cm.h"
#include "verbs/device/async_event.h"
#include "verbs/device/software.h"
#include "verbs/memory/mr.h"

/* While the queue pairs are connected with rdma_cm. */
static int session_look(void *owner)
{
	struct session *session = owner;
	int ret = comm_look(&session->comm);

	return ret < 0 ? ret : 0;
}

/* linux-rdma perftest connects with rdma_cm before any keys are exchanged: only with what the connections carry. */
static bool connects_early(const struct session *session)
{
	return !session->comm.traits->negotiates && session->params.verbs.rdma_cm;
}

static int connect_early(struct session *session)
{
	struct resources *resources = &session->resources;
	int ret = comm_exchange_readiness(&session->comm, resources->local, resources->num_endpoints);

	if (!ret)
		ret = resources_connect_early(resources, session->comm.peer_mtu, session->params.channel.port);
	return ret ? ret : comm_exchange_readiness(&session->comm, resources->local, resources->num_endpoints);
}

/* A frame has its address from the options, and without a side channel there is no peer to connect to. */
static int ready_queue_pairs(struct session *session)
{
	int ret = resources_connect_early(&session->resources, 0 /* MTU */, 0 /* port */);

	if (!ret)
		ret = session_report_info(session);
	if (!ret && session->traffic.transport->frames)
		session_report_frames(session);
	else if (!ret)
		report_endpoint(session->report, true, &session->resources.local[0]);
	if (!ret)
		session_settle_limits(session);
	return ret ? ret : comm_barrier(&session->comm, COMM_CONNECTED);
}

/* Endpoints in one message each way, whatever the number of queue pairs; then RTR and RTS. */
static int connect_queue_pairs(struct session *session)
{
	struct resources *resources = &session->resources;
	const bool early = connects_early(session);
	unsigned i;
	int connected, ret;

	ret = early ? connect_early(session) : 0;
	if (!ret)
		ret = comm_exchange_endpoints(&session->comm, resources->local, resources->remote,
					      resources->num_endpoints);
	if (ret)
		return ret;
	connected = early ? resources_learn_remote(resources)
			  : resources_connect(resources, resources->remote, resources->num_endpoints);
	/*
	 * Only now, because connecting settles the MTU, READs in flight and, with rdma_cm, sequence numbers; but also
	 * what cannot be connected.
	 */
	ret = session_report_info(session);
	for (i = 0; i < resources->num_endpoints; i++)
		report_endpoint(session->report, true, &resources->local[i]);
	for (i = 0; i < resources->num_endpoints; i++)
		report_endpoint(session->report, false, &resources->remote[i]);
	if (connected || ret)
		return connected ? connected : ret;
	session_settle_limits(session);
	return comm_barrier(&session->comm, COMM_CONNECTED);
}

/* --wait_destroy: keeps the objects alive for external tools to inspect. */
static void wait_destroy(const struct params *params)
{
	struct deadline deadline = deadline_in_ms((int64_t)params->rate.wait_destroy_s * 1000);

	if (!params->rate.wait_destroy_s)
		return;
	log_info("Waiting %u second%s before releasing resources...", params->rate.wait_destroy_s,
		 params->rate.wait_destroy_s == 1 ? "" : "s");
	(void)wait_fds(NULL, 0, deadline); /* until then, or until the user stops it */
}

/* Until both sides can measure. */
static int session_prepare(void *own)
{
	struct session *session = own;
	const struct params *params = &session->params;
	struct cm_setup setup = {
		.is_active = session->comm.client,
		.port = connects_early(session) ? session->params.channel.port : 0,
		.timeout_ms = params_timeout_ms(params),
		.look = session_look,
		.owner = session,
	};
	int ret;

	session_assign(session);
	/* The client's choice of addresses (--ipv6), and its own address, arrived after the device was opened. */
	conn_addresses(&session->comm.conn, &setup.addresses);
	/* linux-rdma perftest uses an IPv4 GID unless --ipv6 is given, whatever the side channel uses. */
	if (!session->comm.traits->negotiates && !params->verbs.rdma_cm && !params->verbs.ipv6 &&
	    setup.addresses.peer.ss_family == AF_INET6)
		setup.addresses = (struct addresses){0};
	ret = cm_choose_address(&session->device, &session->params.verbs, &setup.addresses);
	if (!ret && params->verbs.dual_port) {
		ret = device_open_second(&session->second, &session->device, &params->verbs, &setup.addresses);
		session->device.second = ret ? NULL : &session->second;
	}
	memory_kind_measure(&session->params.verbs, &session->device);
	if (!ret && params->verbs.rdma_cm)
		ret = session_bind_cpus(params, &session->device);
	if (!ret)
		ret = session_settle(session);
	if (ret)
		return ret;
	async_event_begin(&session->events, &session->device);
	for (const struct device *device = &session->device; device && !device->is_software; device = device->second)
		known_counts_begin(&session->retransmits[device == &session->second], sysfs_root(), device->name,
				   device->port);
	if (connects_early(session) && !session->comm.client)
		comm_listener_share(&session->host->listener);
	/* Messages longer than -s must be received, to be noticed. */
	ret = resources_open(&session->resources, &session->device, &session->params.verbs, &setup,
			     params->channel.connectionless ? UINT64_MAX : session->largest);
	if (ret)
		return ret;
	session_settle_limits(session);
	for (const struct device *device = &session->device; !ret && device && params->report.counters[0];
	     device = device->second)
		ret = report_counters_start(session->report, device->name, device->port);
	if (!ret)
		ret = session->comm.traits->silent || session->traffic.transport->frames ? ready_queue_pairs(session)
											 : connect_queue_pairs(session);
	if (!ret)
		ret = payload_path_find(&session->path, params, &session->device, session->resources.mtu);
	if (ret)
		return ret;
	if (session->member)
		session->member->slot->path = session->path;
	session_print_choices(session);
	return session_begin_explanation(session);
}

/* Up to the last barrier. */
static int session_measure_all(void *own)
{
	struct session *session = own;
	int ret;

	ret = session->traffic.metric == METRIC_STEERING ? session_measure_steering(session) : session_measure(session);
	session_warn_of_events(session);
	if (!ret)
		ret = session_end_explanation(session);
	/* Neither side destroys queue pairs that the other side still uses. */
	if (!ret)
		ret = comm_barrier(&session->comm, COMM_CLOSE);
	if (!ret && connects_early(session))
		resources_disconnect(&session->resources);
	if (!ret)
		wait_destroy(&session->params);
	return ret;
}

/* Text, which is not printed. */
static void leave_report_to_group(struct report_config *config)
{
	config->format = FORMAT_TEXT;
	config->output = OUTPUT_ALL;
	config->possible = false;
	config->json_path[0] = '\0';
	config->is_part = true;
}

static struct comm_address address_of(const struct params *params)
{
	return (struct comm_address){
		.at = {.host = params->host,
		       .bind_ip = params->channel.bind_source_ip[0] ? params->channel.bind_source_ip : NULL,
		       .port = params->channel.port,
		       .family = params->channel.ipv6_addr ? AF_INET6 : AF_UNSPEC,
		       .port_option = "-p",
		       .retry_ms = (int64_t)params->channel.retry_s * 1000},
		.rdma_cm = params_meet_by_rdma_cm(params),
		.tcp_only = params->verbs.num_clients,
		.program = (uint8_t)(1 + params->program->id),
	};
}

/* With -d, with rdma_cm: an address of that device, so that rdma_cm chooses it. */
static const char *find_source(const void *owner, const struct sockaddr *peer, char *text, size_t size)
{
	const struct session *session = owner;

	return cm_source_ip(&session->device, session->params.verbs.gid_index, peer, text, size);
}

/*
 * What the device cannot do ends the test before the peer is connected. A server knows its operation, but not yet its
 * client's -c and -R; with -R and without -d it may be another device.
 */
static int check_abilities(const struct params *params, const struct device *device)
{
	const struct verbs_config *config = &params->verbs;
	struct payload_path path;
	int ret;

	if (params->verbs.rdma_cm && !params->verbs.device_name[0])
		return 0;
	ret = params_is_client(params) || params_is_silent(params) ? ability_check(device, config)
								   : ability_check_server(device, config);
	if (!ret && params_is_client(params))
		ret = ability_check_type(device, config);
	return ret ? ret : payload_path_find(&path, params, device, device_mtu(device, config));
}

/* The values of struct verbs_config that only layers above params know. */
static void session_complete(struct params *params)
{
	params->verbs.memory = memory_kind_of(params);
	if (params->verbs.traffic.transport->frames)
		session_complete_frames(params);
}

/*
 * A client may be of another program: then this side is that program's server, if what it was given on its command line
 * is valid for that. 0 or -errno, reported and told to the client.
 */
static int take_program(struct session *session)
{
	const struct program *program = program_greeting(session->comm.program);
	int ret;

	if (!program || program == session->params.program)
		return 0;
	log_human("client %s runs %s: so does this server now", comm_peer(&session->comm), program->name);
	params_init(&session->params, program);
	ret = params_parse(&session->params, session->host->argc, session->host->argv);
	if (!ret) {
		session_complete(&session->params);
		ret = check_abilities(&session->params, &session->device);
	}
	if (ret) {
		comm_transmit(&session->comm, MESSAGE_REFUSE, log_last_error());
		comm_close(&session->comm);
	}
	return ret;
}

/* "-W HOST": the value is missing, and the operand was taken for it. */
static void hint_at_host(const struct params *params, const char *option, const char *argument, const char *value)
{
	if (params->host[0] || params->program->silent || !value[0] || strpbrk(value, "/,*?") || strstr(value, ".json"))
		return;
	log_info("%s is the value of --%s; if that is the HOST, type --%s=%s %s", value, option, option, argument,
		 value);
}

/* Whatever this side's options name must exist, before the peer is connected. 0 or -errno, reported. */
static int check_names(const struct params *params, const struct device *device)
{
	const bool is_known = !params->verbs.rdma_cm || params->verbs.device_name[0];
	uint8_t *payload = NULL;
	size_t count;
	int ret;

	ret = report_check(&params->report, is_known ? device->name : NULL, device->port);
	if (ret)
		hint_at_host(params, "report-counters", "COUNTERS", params->report.counters);
	else
		hint_at_host(params, "out_json_file", "FILE", params->report.out_json_file);
	if (!ret && params->verbs.payload_file[0])
		ret = payload_read(params->verbs.payload_file, &payload, &count);
	free(payload);
	return ret;
}

/* A missing second port, or device, also ends the test before the peer is connected. */
static int session_check_second(const struct verbs_config *config, const struct device *device)
{
	struct device second;
	int ret = config->dual_port ? device_open_second(&second, device, config, NULL /* met */) : 0;

	if (config->dual_port && !ret)
		device_close_second(&second, device);
	return ret;
}

/* Opens the device and checks what is requested of it. The caller calls device_close(), even on failure. */
static enum exit_status session_open_device(const struct params *params, struct device *device)
{
	if (device_open(device, &params->verbs))
		return EXIT_STATUS_FAILURE;
	/* -R without -d: the address decides, and that of a server comes with its client. */
	if ((!params->verbs.rdma_cm || params->verbs.device_name[0]) && session_bind_cpus(params, device))
		return EXIT_STATUS_USAGE;
	if (params->general.list_memory)
		return EXIT_STATUS_OK;
	if (session_check_second(&params->verbs, device) || check_abilities(params, device) ||
	    check_names(params, device) || memory_kind_choose(params, device))
		return EXIT_STATUS_FAILURE;
	return EXIT_STATUS_OK;
}

static enum exit_status probe_device(const struct params *params)
{
	struct device device = {0};
	const enum exit_status status = session_open_device(params, &device);

	device_close(&device);
	return status;
}

/* --- the life of the program --- */

/* A server's own options must be valid before it waits for a client; they are resolved again with the client's. */
static int session_parse(void *own, int argc, char **argv, char *reason, size_t reason_size)
{
	struct session_host *host = ((struct session *)own)->host;
	struct params *params = &host->params;
	static struct params resolved; /* large, and the stack may be small */
	int ret;

	host->argc = argc;
	host->argv = argv;
	params_init(params, params->program);
	ret = params_parse_text(params, argc, argv, reason, reason_size);
	if (ret || cli_asks(&params->general.asked))
		return ret;
	log_set_verbose(params->report.verbose);
	resolved = *params;
	ret = params_resolve(&resolved, reason, reason_size);
	if (!ret)
		session_complete(params);
	return ret;
}

/* --doctor */
static int session_answer(void *own, char **argv)
{
	const struct params *params = &((struct session *)own)->host->params;

	if (!params->general.doctor)
		return LIFE_CONTINUES;
	/* A software device that is not available is reported, and does not prevent examining the host. */
	soft_preload(params->verbs.device_name, argv);
	return doctor_run(params);
}

/* --memory=list */
static enum exit_status list_memory(const struct params *params)
{
	struct device device = {0};
	enum exit_status status = session_open_device(params, &device);

	if (!status) {
		memory_list_print(&device, params->program);
		status = stdio_status();
	}
	device_close(&device);
	return status;
}

static int session_library(void *own, char **argv)
{
	return soft_preload(((struct session *)own)->host->params.verbs.device_name, argv);
}

static int session_open(void *own)
{
	struct session *session = own;
	struct session_host *host = session->host;
	enum exit_status status = EXIT_STATUS_OK;

	if (!host->clients)
		status = session_open_device(&host->params, &host->device);
	/* The first client of a group was accepted by that. */
	if (status && session->comm.traits) {
		comm_transmit(&session->comm, MESSAGE_REFUSE, log_last_error());
		comm_close(&session->comm);
	}
	*session = (struct session){.host = host,
				    .params = host->params,
				    .device = host->device,
				    .member = session->member,
				    .comm = session->comm,
				    .ending.is_misuse = status == EXIT_STATUS_USAGE};
	return status ? -EINVAL : 0;
}

static int await_client(struct session *session, const struct comm_address *address)
{
	struct session_host *host = session->host;
	const struct params *params = &host->params;
	int ret;

	ret = host->clients ? comm_listener_take_back(&host->listener, address) : comm_listen(&host->listener, address);
	if (ret)
		return ret;
	if (!host->clients)
		ready_notify();
	report_waiting(&params->report);
	ret = comm_await_client(&session->comm, &host->listener, !params->channel.dont_xchg_versions,
				params_timeout_ms(params));
	if (ret)
		return ret;
	host->clients++;
	if (params->channel.keep_serving)
		session->client_number = host->clients;
	else
		comm_listener_close(&host->listener);
	return 0;
}

static int session_connect(void *own)
{
	struct session *session = own;
	const struct params *params = &session->params;
	struct comm_address address = address_of(params);
	char own_ip[INET6_ADDRSTRLEN];

	if (session->comm.traits) /* accepted by its group */
		return 0;
	/* Without a side channel, options give each side its role and its peer. */
	if (params_is_silent(params)) {
		comm_open_silent(&session->comm, params_is_client(params));
		return 0;
	}
	if (!params->host[0])
		return await_client(session, &address);
	if (address.rdma_cm)
		address.at.host = cm_own_host(&session->device, address.at.host, address_loopback_family(&address.at),
					      own_ip, sizeof(own_ip));
	address.find_source = params->verbs.device_name[0] ? find_source : NULL;
	address.owner = session;
	return comm_connect(&session->comm, &address, params_timeout_ms(params));
}

static int agree_and_begin(void *own)
{
	struct session *session = own;
	int ret = session->host->clients ? take_program(session) : 0;

	if (ret)
		return ret;
	ret = session_agree(session);
	if (session->member)
		leave_report_to_group(&session->params.report);
	return ret ? ret : session_open_report(session);
}

/* Tells the peer what ended this side. */
static void session_abort(void *own, int error, const char *reason)
{
	struct session *session = own;
	char text[sizeof(((struct member_message *)NULL)->reason)];

	if (error == -EINTR && session->member) {
		pair_end_reason(session->member->fd, text, sizeof(text));
		reason = text;
	}
	comm_abort(&session->comm, reason);
}

static void session_close(void *own, bool again)
{
	struct session *session = own;
	struct session_host *host = session->host;

	if (!session->member)
		free(session->explainer);
	resources_close(&session->resources);
	device_close_second(&session->second, &session->device);
	if (session->device.context != host->device.context)
		device_close(&session->device);
	report_free(session->report);
	comm_hello_clear(&session->peer);
	comm_close(&session->comm);
	if (again)
		return;
	comm_listener_close(&host->listener);
	device_close(&host->device);
}

/* One pair of several, in its own process; a server's uses comm. */
static enum exit_status run_member(const struct params *params, struct group_member *member, struct comm *comm);

static int session_begin(void *own)
{
	static const struct group_ops ops = {.probe = probe_device, .run = run_member};
	const struct params *params = &((struct session *)own)->host->params;
	const struct comm_address address = address_of(params);
	int ret;

	params_note_idle(params);
	if (params->general.list_memory)
		return list_memory(params);
	ret = report_await_reader(&params->report);
	if (ret)
		return ret == -EINTR ? EXIT_STATUS_INTERRUPTED : EXIT_STATUS_FAILURE;
	return params_gathers(params) ? (int)group_main(params, &ops, &address) : LIFE_CONTINUES;
}

static const struct life_ops session_life = {
	.parse = session_parse,
	.answer = session_answer,
	.library = session_library,
	.begin = session_begin,
	.open = session_open,
	.connect = session_connect,
	.agree = agree_and_begin,
	.prepare = session_prepare,
	.measure = session_measure_all,
	.abort = session_abort,
	.report = session_close_report,
	.close = session_close,
};

static enum exit_status run_member(const struct params *params, struct group_member *member, struct comm *comm)
{
	struct session_host host = {.params = *params};
	struct session session = {.host = &host, .member = member};
	struct life life = {.ops = &session_life, .own = &session, .ending = &session.ending};

	if (comm)
		session.comm = *comm;
	return life_run(&life);
}

int session_main(const struct program *program, int argc, char **argv)
{
	static struct session_host host; /* not on a stack that may be too small */
	static struct session session = {.host = &host};
	char purpose[PROGRAM_PURPOSE_SIZE];
	struct cli cli;
	struct life life = {.ops = &session_life,
			    .own = &session,
			    .name = program->name,
			    .cli = &cli,
			    .asked = &host.params.general.asked,
			    .keeps_serving = &host.params.channel.keep_serving,
			    .ending = &session.ending};

	host.params.program = program;
	program_describe(program, purpose, &cli);
	return life_main(&life, argc, argv);
}
