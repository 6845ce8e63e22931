/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: general. Rows of the table in options.c, included only there. */
/* clang-format off */
COMMON_ASKED_ROWS(general.asked, IN(GENERAL, ALL, OPT_LOCAL, "6.06")),
{FLAG(NO_LETTER, "verbose", report.verbose),
	.help = "Report on standard error what was chosen and why: device, GID, MTU, queue depths, memory, CPUs, clock",
	IN(GENERAL, ALL, OPT_LOCAL, "7.0")},
{FLAG(NO_LETTER, "doctor", general.doctor),
	.help = "Run no test; report what on this host and device (-d, -i) could make a test slow or fail",
	IN(GENERAL, ALL, OPT_LOCAL, "7.0")},
{FLAG('F', "CPU-freq", general.cpu_freq),
	.help = "Accepted for compatibility, no effect: the clock is no longer compared with cpufreq",
	IN(GENERAL, ALL, OPT_LOCAL, "6.06")},
