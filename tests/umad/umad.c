// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A stand-in for libibumad with a subnet administrator in it, so that soft0, told that its link is InfiniBand
 * (--force-link=IB), joins and leaves multicast groups. Found by the dynamic linker (LD_LIBRARY_PATH), never installed.
 * What it is asked goes to the file UMAD_LOG, a line each: the method, the component mask and the group's last byte.
 * UMAD_STATUS: what it answers, in place of 0; "silent": nothing. It does not show what a fabric does; opensm.bats asks
 * OpenSM.
 */
#include <errno.h>
#include <infiniband/umad.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER 64
#define MAD    256

static uint8_t asked[MAD];
static bool waits;

int umad_init(void)
{
	return 0;
}

int umad_get_port(const char *ca_name, int portnum, umad_port_t *port)
{
	static uint16_t pkeys[] = {0xffff};

	(void)ca_name;
	*port = (umad_port_t){.portnum = portnum, .sm_lid = 1, .pkeys = pkeys, .pkeys_size = 1};
	return 0;
}

int umad_release_port(umad_port_t *port)
{
	(void)port;
	return 0;
}

int umad_open_port(const char *ca_name, int portnum)
{
	(void)ca_name;
	return portnum;
}

int umad_close_port(int portid)
{
	(void)portid;
	return 0;
}

int umad_register(int portid, int mgmt_class, int mgmt_version, uint8_t rmpp_version,
		  long method_mask[16 / sizeof(long)])
{
	(void)portid;
	(void)rmpp_version;
	(void)method_mask;
	return mgmt_class == 3 && mgmt_version == 2 ? 0 : -1;
}

size_t umad_size(void)
{
	return HEADER;
}

void *umad_get_mad(void *umad)
{
	return (char *)umad + HEADER;
}

int umad_set_addr(void *umad, int dlid, int dqp, int sl, int qkey)
{
	(void)umad;
	(void)sl;
	return dlid == 1 && dqp == 1 && qkey == (int)0x80010000 ? 0 : -1;
}

int umad_status(void *umad)
{
	(void)umad;
	return 0;
}

int umad_send(int portid, int agentid, void *umad, int length, int timeout_ms, int retries)
{
	FILE *log = fopen(getenv("UMAD_LOG"), "ae");

	(void)portid;
	(void)agentid;
	(void)timeout_ms;
	(void)retries;
	if (!log || length != MAD)
		abort();
	memcpy(asked, umad_get_mad(umad), MAD);
	waits = true;
	fprintf(log, "%02x %02x%02x%02x %02x\n", asked[3], asked[53], asked[54], asked[55], asked[71]);
	fclose(log);
	return 0;
}

int umad_recv(int portid, void *umad, int *length, int timeout_ms)
{
	const char *status = getenv("UMAD_STATUS");
	uint8_t *mad = umad_get_mad(umad);

	(void)portid;
	if (!waits || (status && !strcmp(status, "silent"))) {
		usleep((useconds_t)timeout_ms * 1000);
		return -ETIMEDOUT;
	}
	waits = false;
	memcpy(mad, asked, MAD);
	mad[3] = asked[3] == 2 ? 0x81 : 0x95;
	mad[4] = status ? (uint8_t)atoi(status) : 0;
	/* the Q_Key, LID, MTU of 2048 bytes and service level of a group that another has made */
	memcpy(mad + 56 + 32, "\x12\x34\x56\x78\xc0\x11\x84", 7);
	if (getenv("UMAD_NO_QKEY"))
		memset(mad + 56 + 32, 0, 4);
	mad[56 + 44] = 0x30;
	*length = MAD;
	return 0;
}
