// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See watch.h. */
#define _GNU_SOURCE 1 /* CPU_COUNT() */
#include "explain/watch.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/tcp.h> /* more of struct tcp_info than netinet/tcp.h has */
#include <math.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "net/address.h"
#include "report/host.h"
#include "util/netdev.h"
#include "util/nic_statistics.h"
#include "util/sysfs.h"

#define PATH_SIZE 512
#define FILE_SIZE 16384 /* /proc/net/netstat has 4 KiB */

/* The number with which a text begins: "16.0 GT/s PCIe". NaN: none, or a negative one, as for a link that is down. */
static double number_of(const char *text)
{
	char *end;
	const double number = strtod(text, &end);

	return end == text || !(number >= 0) || isinf(number) ? NAN : number;
}

#define LINE_SIZE      64
#define NUMBER_IN(...) number_of(sysfs_line((char[LINE_SIZE]){""}, LINE_SIZE, __VA_ARGS__))

/* As much of a file as fits; "": it cannot be read. */
static const char *file_text(char text[FILE_SIZE], const char *folder, const char *name)
{
	char path[PATH_SIZE];
	size_t length = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	if (file) {
		length = fread(text, 1, FILE_SIZE - 1, file);
		fclose(file);
	}
	text[length] = '\0';
	return text;
}

/* Adds what is known. */
static void number_add(double *sum, double number)
{
	if (!isnan(number))
		*sum = isnan(*sum) ? number : *sum + number;
}

/* --- the process --- */

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* proc(5), /proc/pid/schedstat: time on a CPU, time ready to run, in ns */
static void read_run_delay(const struct watch *watch, struct facts *facts)
{
	char path[PATH_SIZE], line[64];
	struct dirent *entry;
	uint64_t delay_ns;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/self/task", watch->proc);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue; /* ".." has the first thread once more */
		sysfs_line(line, sizeof(line), "%s/self/task/%s/schedstat", watch->proc, entry->d_name);
		if (sscanf(line, "%*u %" SCNu64, &delay_ns) == 1)
			number_add(&facts->number[FACT_RUN_DELAY], (double)delay_ns / 1e9);
	}
	if (folder)
		closedir(folder);
}

static void read_process(const struct watch *watch, struct facts *facts)
{
	unsigned cpu, node;
	struct rusage usage;
	struct timespec now;
	cpu_set_t allowed;

	clock_gettime(CLOCK_MONOTONIC, &now);
	facts->number[FACT_SECONDS] = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	getrusage(RUSAGE_SELF, &usage);
	facts->number[FACT_CPU_SECONDS] = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	facts->number[FACT_SLEEPS] = (double)usage.ru_nvcsw;
	facts->number[FACT_PREEMPTIONS] = (double)usage.ru_nivcsw;
	if (!sched_getaffinity(0, sizeof(allowed), &allowed))
		facts->number[FACT_CPUS_ALLOWED] = CPU_COUNT(&allowed);
	if (!syscall(SYS_getcpu, &cpu, &node, NULL)) {
		facts->number[FACT_CPU] = cpu;
		facts->number[FACT_CPU_NODE] = node;
	}
	read_run_delay(watch, facts);
}

/* --- its cgroup --- */

/* Seconds; version 2 has them in us, version 1 in ns. NaN: the group has no limit of CPU time. */
static double throttled_in(const char *folder)
{
	char text[FILE_SIZE];
	const char *at;

	file_text(text, folder, "cpu.stat");
	at = strstr(text, "throttled_usec ");
	if (at)
		return strtod(at + strlen("throttled_usec "), NULL) / 1e6;
	at = strstr(text, "throttled_time ");
	return at ? strtod(at + strlen("throttled_time "), NULL) / 1e9 : NAN;
}

static bool list_has(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == length && strncmp(list, word, length) == 0)
			return true;
	return false;
}

/*
 * A limit may be that of any group above. A line of /proc/self/cgroup is number:controllers:path; version 2 has no
 * controllers there, and version 1 a folder named after them (cgroups(7)).
 */
static void read_cgroup(const struct watch *watch, struct facts *facts)
{
	char text[FILE_SIZE], folder[PATH_SIZE], *rest, *line, *controllers, *path;
	size_t root;

	file_text(text, watch->proc, "self/cgroup");
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		controllers = strchr(line, ':');
		path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		if (*++controllers && !list_has(controllers, "cpu"))
			continue;
		root = (size_t)snprintf(folder, sizeof(folder), "%s/fs/cgroup/%s", watch->sys, controllers);
		if (root + strlen(path) >= sizeof(folder))
			continue;
		strcpy(folder + root, strcmp(path, "/") ? path : "");
		for (;;) {
			number_add(&facts->number[FACT_THROTTLED], throttled_in(folder));
			if (!folder[root])
				break;
			*strrchr(folder, '/') = '\0';
		}
	}
}

/* --- the host --- */

static void read_machine(const struct watch *watch, struct facts *facts)
{
	char text[FILE_SIZE], path[PATH_SIZE];
	struct cpu_times times;
	unsigned long long dropped;
	const char *line;

	snprintf(path, sizeof(path), "%s/stat", watch->proc);
	if (!cpu_times_read(&times, path)) {
		facts->number[FACT_STOLEN_TICKS] = (double)times.steal;
		facts->number[FACT_BUSY_TICKS] = (double)times.busy;
		facts->number[FACT_TICKS] = (double)times.total;
	}
	/* packets that a CPU received and, since its queue was full, dropped: the second column of each CPU's line */
	for (line = file_text(text, watch->proc, "net/softnet_stat"); line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%*x %llx", &dropped) != 1)
			break;
		number_add(&facts->number[FACT_BACKLOG_DROPS], (double)dropped);
	}
}

static void read_frequency(const struct watch *watch, struct facts *facts)
{
	const unsigned cpu = isnan(facts->number[FACT_CPU]) ? 0 : (unsigned)facts->number[FACT_CPU];
	char folder[PATH_SIZE];

	snprintf(folder, sizeof(folder), "%s/devices/system/cpu/cpu%u", watch->sys, cpu);
	facts->number[FACT_FREQUENCY] = NUMBER_IN("%s/cpufreq/scaling_cur_freq", folder);
	facts->number[FACT_MOST_FREQUENCY] = NUMBER_IN("%s/cpufreq/cpuinfo_max_freq", folder);
	sysfs_line(facts->text[FACT_GOVERNOR], FACT_TEXT_SIZE, "%s/cpufreq/scaling_governor", folder);
}

/* --- protocols --- */

/*
 * /proc/net/snmp and netstat have two lines for each protocol, with the names and the values. NaN: no such counter.
 * heading: "Tcp: "
 */
static double counted(const char *text, const char *heading, const char *name)
{
	const char *names = strstr(text, heading), *values = names ? strchr(names, '\n') : NULL;
	const size_t length = strlen(name);

	if (!values || strncmp(values + 1, heading, strlen(heading)) != 0)
		return NAN;
	values += 1 + strlen(heading);
	for (names += strlen(heading); *names && *values; names++, values++) {
		const size_t word = strcspn(names, " \n");

		if (word == length && strncmp(names, name, length) == 0)
			return strtod(values, NULL);
		names += word;
		values += strcspn(values, " \n");
		if (*names != ' ' || *values != ' ')
			break;
	}
	return NAN;
}

static void read_protocols(const struct watch *watch, struct facts *facts)
{
	static const struct {
		enum fact fact;
		const char *heading, *name;
	} counters[] = {
		{FACT_TCP_SENT, "Tcp: ", "OutSegs"},	     {FACT_TCP_RETRANSMITTED, "Tcp: ", "RetransSegs"},
		{FACT_UDP_RECEIVED, "Udp: ", "InDatagrams"}, {FACT_UDP_DROPS, "Udp: ", "RcvbufErrors"},
		{FACT_IP_RECEIVED, "Ip: ", "InReceives"},    {FACT_TCP_OUT_OF_ORDER, "TcpExt: ", "TCPOFOQueue"},
		{FACT_IP_MARKED, "IpExt: ", "InCEPkts"},     {FACT_LISTEN_DROPS, "TcpExt: ", "ListenDrops"},
	};
	char text[FILE_SIZE], more[FILE_SIZE];
	double twice;

	file_text(text, watch->proc, "net/snmp");
	file_text(more, watch->proc, "net/netstat");
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		facts->number[counters[i].fact] = counted(strstr(counters[i].heading, "Ext") ? more : text,
							  counters[i].heading, counters[i].name);
	/* less those of which the peer had both, as in watch_connection(); an older kernel counts their answers */
	twice = counted(more, "TcpExt: ", "TCPDSACKRecvSegs");
	if (isnan(twice))
		twice = counted(more, "TcpExt: ", "TCPDSACKRecv");
	if (!isnan(twice))
		facts->number[FACT_TCP_RETRANSMITTED] -= twice;
}

/* --- the interface and the device --- */

/* Of its own, or of the ports below a VLAN or a bond. */
static void read_pause(const struct watch *watch, struct facts *facts)
{
	struct nic_statistics statistics;

	if (nic_statistics_open_below(&statistics, watch->sys, watch->netdev))
		return;
	for (uint32_t i = 0; i < statistics.count; i++)
		if (nic_counts_pause(statistics.names[i]))
			number_add(&facts->number[FACT_PAUSE_FRAMES], (double)statistics.values[i]);
	nic_statistics_close(&statistics);
}

static void read_statistic(const struct watch *watch, const char *netdev, const char *file, double *sum)
{
	number_add(sum, NUMBER_IN("%s/class/net/%s/statistics/%s", watch->sys, netdev, file));
}

/* What ports alone count: those that are below a VLAN or a bond. */
static void read_ports(const struct watch *watch, const char *netdev, unsigned layers, struct facts *facts)
{
	static const char *const files[] = {"rx_crc_errors", "rx_frame_errors", "tx_carrier_errors"};
	DIR *folder = layers ? netdev_open(watch->sys, netdev) : NULL;
	bool is_port = true;
	const char *lower;

	while ((lower = netdev_next_lower(folder))) {
		is_port = false;
		read_ports(watch, lower, layers - 1, facts);
	}
	if (folder)
		closedir(folder);
	for (size_t i = 0; is_port && i < sizeof(files) / sizeof(files[0]); i++)
		read_statistic(watch, netdev, files[i], &facts->number[FACT_PACKET_ERRORS]);
}

/* Of InfiniBand the device's alone is known; and that of a bond knows which members are down. */
static void read_link_rate(const struct watch *watch, struct facts *facts)
{
	const double gbits = watch->link_gbits > 0 ? watch->link_gbits : netdev_link_gbits(watch->sys, watch->netdev);

	if (gbits > 0)
		facts->number[FACT_LINK_RATE] = gbits * 1e9;
}

static void read_interface(const struct watch *watch, struct facts *facts)
{
	if (!watch->netdev[0])
		return;
	memcpy(facts->text[FACT_NETDEV], watch->netdev, sizeof(watch->netdev));
	facts->number[FACT_MTU] = NUMBER_IN("%s/class/net/%s/mtu", watch->sys, watch->netdev);
	read_statistic(watch, watch->netdev, "rx_packets", &facts->number[FACT_PACKETS]);
	read_statistic(watch, watch->netdev, "tx_packets", &facts->number[FACT_PACKETS]);
	read_statistic(watch, watch->netdev, "rx_dropped", &facts->number[FACT_PACKET_DROPS]);
	read_statistic(watch, watch->netdev, "tx_dropped", &facts->number[FACT_PACKET_DROPS]);
	read_ports(watch, watch->netdev, NETDEV_LAYERS, facts);
	read_pause(watch, facts);
}

/* The function that has the link: a virtual one has its physical one's, and a subfunction its parent's. */
static bool find_function(const struct watch *watch, char folder[PATH_SIZE])
{
	char path[PATH_SIZE + 16];

	if (watch->function)
		snprintf(folder, PATH_SIZE, "%s", watch->function);
	else if (watch->device[0])
		snprintf(folder, PATH_SIZE, "%s/class/infiniband/%s/device", watch->sys, watch->device);
	else if (watch->netdev[0])
		snprintf(folder, PATH_SIZE, "%s/class/net/%s/device", watch->sys, watch->netdev);
	else
		return false;
	snprintf(path, sizeof(path), "%s/vendor", folder);
	if (access(path, F_OK))
		strncat(folder, "/..", PATH_SIZE - 1 - strlen(folder));
	snprintf(path, sizeof(path), "%s/physfn", folder);
	if (!access(path, F_OK))
		strncat(folder, "/physfn", PATH_SIZE - 1 - strlen(folder));
	return true;
}

static void read_pcie(const struct watch *watch, struct facts *facts)
{
	static const char *const files[] = {"aer_dev_correctable", "aer_dev_nonfatal", "aer_dev_fatal"};
	char folder[PATH_SIZE], text[FILE_SIZE];
	const char *total;

	if (!find_function(watch, folder))
		return;
	facts->number[FACT_DEVICE_NODE] = NUMBER_IN("%s/numa_node", folder);
	facts->number[FACT_PCIE_RATE] = NUMBER_IN("%s/current_link_speed", folder);
	facts->number[FACT_PCIE_MOST_RATE] = NUMBER_IN("%s/max_link_speed", folder);
	facts->number[FACT_PCIE_LANES] = NUMBER_IN("%s/current_link_width", folder);
	facts->number[FACT_PCIE_MOST_LANES] = NUMBER_IN("%s/max_link_width", folder);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		/* "TOTAL_ERR_COR 0" */
		total = strstr(file_text(text, folder, files[i]), "TOTAL_ERR_");
		if (total)
			number_add(&facts->number[FACT_PCIE_ERRORS], strtod(total + strcspn(total, " "), NULL));
	}
}

/* What had no answer in time; a server that takes long, and still comes, asks for it with an MRA. */
static void read_connection_manager(const struct watch *watch, struct facts *facts)
{
	static const char *const messages[] = {"req", "rep", "dreq"};

	for (size_t i = 0; watch->device[0] && i < sizeof(messages) / sizeof(messages[0]); i++)
		number_add(&facts->number[FACT_CM_RETRIES],
			   NUMBER_IN("%s/class/infiniband/%s/ports/%u/cm_tx_retries/%s", watch->sys, watch->device,
				     watch->port, messages[i]));
}

static void end_counters(const struct watch *watch, struct facts *facts)
{
	static const enum fact facts_of[] = {[CONGESTION] = FACT_CONGESTION,
					     [RETRANSMISSION] = FACT_RETRANSMISSIONS,
					     [RECEIVER] = FACT_NOT_READY,
					     [LINK_ERRORS] = FACT_LINK_ERRORS};
	static const enum fact_text texts_of[] = {[CONGESTION] = FACT_CONGESTION_COUNTER,
						  [RETRANSMISSION] = FACT_RETRANSMISSION_COUNTER,
						  [RECEIVER] = FACT_NOT_READY_COUNTER,
						  [LINK_ERRORS] = FACT_LINK_ERROR_COUNTER};
	int64_t most[4] = {0}, delta;

	for (unsigned i = 0; known_counters[i].name; i++) {
		const enum counter_class class = known_counters[i].class;

		if (!known_counts_moved(&watch->counts, i, &delta))
			continue;
		number_add(&facts->number[facts_of[class]], delta > 0 ? (double)delta : 0);
		if (delta <= most[class])
			continue;
		most[class] = delta;
		snprintf(facts->text[texts_of[class]], FACT_TEXT_SIZE, "%s", known_counters[i].name);
	}
}

/* --- both ends of the time --- */

static void read_all(const struct watch *watch, struct facts *facts)
{
	facts_clear(facts);
	read_process(watch, facts);
	read_cgroup(watch, facts);
	read_machine(watch, facts);
	read_frequency(watch, facts);
	read_protocols(watch, facts);
	read_link_rate(watch, facts);
	read_interface(watch, facts);
	read_pcie(watch, facts);
	read_connection_manager(watch, facts);
}

void watch_begin(struct watch *watch)
{
	known_counts_begin(&watch->counts, watch->sys, watch->device, watch->port);
	read_all(watch, &watch->before);
}

void watch_end(const struct watch *watch, struct facts *facts)
{
	read_all(watch, facts);
	facts_subtract(facts, &watch->before);
	end_counters(watch, facts);
}

/* --- connections --- */

void watch_connection(struct facts *facts, int fd, bool has_messages)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) || !info.tcpi_rtt)
		return;
	facts->number[FACT_RTT] = info.tcpi_rtt / 1e6;
	/* an older kernel fills in less of it */
	if (info.tcpi_min_rtt && info.tcpi_min_rtt != UINT32_MAX)
		facts->number[FACT_LEAST_RTT] = info.tcpi_min_rtt / 1e6;
	if (!has_messages)
		return;
	facts->number[FACT_SEGMENT_BYTES] = info.tcpi_snd_mss;
	facts->number[FACT_SEGMENTS] = info.tcpi_segs_out;
	/* less those of which the peer had both, because an answer was late: RFC 2883 */
	facts->number[FACT_SEGMENTS_AGAIN] =
		info.tcpi_total_retrans > info.tcpi_dsack_dups ? info.tcpi_total_retrans - info.tcpi_dsack_dups : 0;
	facts->number[FACT_TCP_BUSY] = (double)info.tcpi_busy_time / 1e6;
	facts->number[FACT_TCP_NO_WINDOW] = (double)info.tcpi_rwnd_limited / 1e6;
	facts->number[FACT_TCP_NO_BUFFER] = (double)info.tcpi_sndbuf_limited / 1e6;
}

void watch_find_netdev(int fd, char name[WATCH_NAME_SIZE])
{
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof(address);

	(void)getsockname(fd, (struct sockaddr *)&address, &size);
	address_interface(&address, name, WATCH_NAME_SIZE);
}
