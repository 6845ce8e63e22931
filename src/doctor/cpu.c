// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Can this process use the CPU's full speed, all the time? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/checks.h"

#define CPUS		"/sys/devices/system/cpu"
#define SLOW_WAKE_UP_US 20 /* leaving an idle state: the time of ten messages on a fast network */
#define MAX_STATES	16
#define CLOCK_ERROR	1e-3 /* relative; calibrations on a quiet machine are a hundred times better */
#define STEAL_SHARE	0.01

static unsigned first_cpu(const struct subject *subject)
{
	unsigned cpu = subject->cpus_known ? cpulist_next(&subject->cpus, 0) : 0;

	return cpu < CPULIST_MAX ? cpu : 0;
}

int check_governor(struct subject *subject, struct finding *finding)
{
	char governor[64], other[64] = "", driver[64] = "";
	unsigned cpu = first_cpu(subject), slow = 0, asked = 0;

	if (!tree_exists(&subject->tree, CPUS "/cpu%u/cpufreq", cpu))
		return finding_unknown(
			finding, "CPU %u has no cpufreq: the firmware or the hypervisor controls its frequency", cpu);
	tree_text(&subject->tree, driver, sizeof(driver), CPUS "/cpu%u/cpufreq/scaling_driver", cpu);
	for (; cpu < CPULIST_MAX; cpu = subject->cpus_known ? cpulist_next(&subject->cpus, cpu + 1) : CPULIST_MAX) {
		if (tree_text(&subject->tree, governor, sizeof(governor), CPUS "/cpu%u/cpufreq/scaling_governor", cpu))
			return UNREAD;
		asked++;
		if (strcmp(governor, "performance") == 0)
			continue;
		slow++;
		snprintf(other, sizeof(other), "%s", governor);
	}
	if (slow)
		return finding_look(finding, "%s on %u of %u CPUs%s%s\ncpupower frequency-set -g performance", other,
				    slow, asked, driver[0] ? ", driver " : "", driver);
	return finding_ok(finding, "performance on %u CPUs%s%s", asked, driver[0] ? ", driver " : "", driver);
}

int check_turbo(struct subject *subject, struct finding *finding)
{
	int64_t off, boost;

	if (!tree_number(&subject->tree, &off, CPUS "/intel_pstate/no_turbo"))
		boost = !off;
	else if (tree_number(&subject->tree, &boost, CPUS "/cpufreq/boost"))
		return 0; /* this CPU or driver does not have it */
	return finding_ok(finding,
			  boost ? "on: highest figures, which vary with temperature and the load of other cores"
				: "off: steadier figures, lower peak");
}

/* Is this word on the kernel's command line? */
static bool asked_at_boot(struct subject *subject, const char *wanted)
{
	char line[1024], *word, *rest;

	if (tree_text(&subject->tree, line, sizeof(line), "/proc/cmdline"))
		return false;
	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (strcmp(word, wanted) == 0)
			return true;
	return false;
}

int check_idle_states(struct subject *subject, struct finding *finding)
{
	char names[MAX_STATES][TREE_NAME], deepest[64] = "", name[64];
	int64_t latency, disabled, most = -1;
	const unsigned cpu = first_cpu(subject);
	int count;

	count = tree_names(&subject->tree, names, MAX_STATES, CPUS "/cpu%u/cpuidle", cpu);
	if (count < 0 && asked_at_boot(subject, "idle=poll"))
		return finding_ok(finding, "none: idle=poll");
	if (count <= 0)
		return finding_unknown(finding, "CPU %u has no cpuidle: the firmware or the hypervisor decides", cpu);
	for (int i = 0; i < count; i++) {
		if (tree_number(&subject->tree, &latency, CPUS "/cpu%u/cpuidle/%s/latency", cpu, names[i]) ||
		    tree_text(&subject->tree, name, sizeof(name), CPUS "/cpu%u/cpuidle/%s/name", cpu, names[i]))
			return UNREAD;
		if (tree_number(&subject->tree, &disabled, CPUS "/cpu%u/cpuidle/%s/disable", cpu, names[i]))
			disabled = 0;
		if (!disabled && latency > most) {
			most = latency;
			snprintf(deepest, sizeof(deepest), "%s", name);
		}
	}
	if (most < 0)
		return finding_ok(finding, "all are disabled");
	if (most > SLOW_WAKE_UP_US)
		return finding_look(finding,
				    "down to %s, with a wake-up latency of %lld us\naffects waits for events, pauses "
				    "between messages and the first samples; cpupower idle-set -D %d, or "
				    "processor.max_cstate=1 at boot",
				    deepest, (long long)most, SLOW_WAKE_UP_US);
	return finding_ok(finding, "down to %s, %lld us to wake up", deepest, (long long)most);
}

int check_load(struct subject *subject, struct finding *finding)
{
	const unsigned cpus = subject->cpus_known ? cpulist_count(&subject->cpus) : 0;
	char text[128], *end;
	double load;

	if (tree_text(&subject->tree, text, sizeof(text), "/proc/loadavg"))
		return UNREAD;
	load = strtod(text, &end);
	if (end == text || *end != ' ' || !(load >= 0))
		return tree_malformed(&subject->tree, "/proc/loadavg", text, "which is no load");
	if (!cpus)
		return finding_unknown(finding, "%.2f in the last minute; /proc/self/status has no list of CPUs", load);
	if (load > cpus - 0.5)
		return finding_look(
			finding,
			"%.2f in the last minute, and this process may use %u CPU%s\nsomething else is running (see "
			"top); a test needs a CPU of its own, or two if both sides run on one host",
			load, cpus, cpus == 1 ? "" : "s");
	return finding_ok(finding, "%.2f in the last minute, %u CPU%s", load, cpus, cpus == 1 ? "" : "s");
}

/* Share of time that the hypervisor gave to other virtual machines; negative: unknown. */
static double steal_share(struct subject *subject)
{
	unsigned long long value[8], all = 0;
	char line[512];

	if (tree_line(&subject->tree, line, sizeof(line), "/proc/stat", "cpu ") ||
	    sscanf(line, "%llu %llu %llu %llu %llu %llu %llu %llu", &value[0], &value[1], &value[2], &value[3],
		   &value[4], &value[5], &value[6], &value[7]) != 8)
		return -1;
	for (int i = 0; i < 8; i++)
		all += value[i];
	return all ? (double)value[7] / (double)all : -1;
}

int check_virtual(struct subject *subject, struct finding *finding)
{
	char flags[8192], maker[128] = "";
	double steal;

	if (tree_exists(&subject->tree, "/sys/hypervisor/type"))
		tree_text(&subject->tree, maker, sizeof(maker), "/sys/hypervisor/type");
	else if (tree_line(&subject->tree, flags, sizeof(flags), "/proc/cpuinfo", "flags"))
		return 0; /* not x86: nothing tells reliably */
	else if (!strstr(flags, " hypervisor"))
		return finding_ok(finding, "no");
	if (!maker[0])
		tree_text(&subject->tree, maker, sizeof(maker), "/sys/class/dmi/id/sys_vendor");
	steal = steal_share(subject);
	if (steal > STEAL_SHARE)
		return finding_look(finding,
				    "yes%s%s, and the hypervisor gave %.1f %% of its CPU time to others\ntrust long "
				    "runs[ (--duration)] and the median more than a maximum; ask for dedicated CPUs",
				    maker[0] ? ", " : "", maker, steal * 100);
	if (steal < 0)
		return finding_unknown(finding, "yes%s%s; /proc/stat does not report stolen time", maker[0] ? ", " : "",
				       maker);
	return finding_ok(finding, "yes%s%s; the hypervisor took %.1f %% of its CPU time", maker[0] ? ", " : "", maker,
			  steal * 100);
}

int check_clock(struct subject *subject, struct finding *finding)
{
	const struct probe *probe = &subject->probe;

	if (probe->clock_fallback)
		return finding_look(finding,
				    "no trustworthy cycle counter: every time stamp is a call of %s\nlatencies are "
				    "about 20 to 50 ns longer, and much longer if the kernel's clock source is not tsc "
				    "(/sys/devices/system/clocksource)",
				    probe->clock_source);
	if (probe->clock_error > CLOCK_ERROR)
		return finding_look(finding,
				    "%s at %.2f MHz, calibrated only to %.2g\nthe machine was busy or interrupted "
				    "during the 10 ms of calibration: run it again",
				    probe->clock_source, probe->clock_hz / 1e6, probe->clock_error);
	return finding_ok(finding, "%s, invariant, %.2f MHz, calibrated to %.2g", probe->clock_source,
			  probe->clock_hz / 1e6, probe->clock_error);
}
