// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The addresses of soft0 and soft1. A device has a locally administered MAC address, 02:50:46:54:00:NN ("PFT", NN the
 * number in its name), and from it an EUI-64 GUID. Its GID table holds two RoCE v2 entries, as a port with one IPv4
 * address has: 0 is the link-local fe80:: one of that EUI-64, 1 the IPv4-mapped ::ffff:192.0.2.1 (soft0) or .2 (soft1).
 * 192.0.2.0/24 is reserved for documentation (RFC 5737), so no reachable host has these addresses; the device uses no
 * network, the addresses only distinguish its ports. A second port, if requested, has 02:50:46:54:01:NN, and 192.0.2.17
 * or .18. Every process on the host sees the same two devices, hence the same addresses.
 */
#include "host/identity.h"

#include <arpa/inet.h>

#include "host/core.h"
#include "host/profile.h"

#define IPV4_DOCUMENTATION 0xc0000200u /* 192.0.2.0 */
#define IPV4_PORT_STEP	   16u	       /* from a port to the next */

uint32_t soft_port_count(void)
{
	return soft_self.ports ? soft_self.ports : 1;
}

bool soft_has_port(uint32_t port)
{
	return port >= SOFT_PORT && port < SOFT_PORT + soft_port_count();
}

static void device_mac(unsigned int number, uint32_t port, uint8_t mac[ETHERNET_LL_SIZE])
{
	const uint8_t address[ETHERNET_LL_SIZE] = {0x02, 'P', 'F', 'T', (uint8_t)(port - SOFT_PORT), (uint8_t)number};

	memcpy(mac, address, sizeof(address));
}

/* The MAC address as a modified EUI-64 (RFC 4291, appendix A): ff:fe in the middle, bit 1 flipped. */
__be64 soft_device_guid(unsigned int number, uint32_t port)
{
	uint8_t mac[ETHERNET_LL_SIZE];
	uint8_t eui[8];
	__be64 guid;

	device_mac(number, port, mac);
	memcpy(eui, mac, 3);
	eui[0] ^= 0x02;
	eui[3] = 0xff;
	eui[4] = 0xfe;
	memcpy(eui + 5, mac + 3, 3);
	memcpy(&guid, eui, sizeof(guid));
	return guid;
}

uint32_t soft_gid_table_size(void)
{
	return soft_profile()->has_one_gid ? 1 : SOFT_GID_TABLE;
}

uint32_t soft_gid_count(void)
{
	return soft_profile()->has_one_gid ? 1 : SOFT_GID_COUNT;
}

union ibv_gid soft_gid_of_ipv4(const void *address)
{
	union ibv_gid gid = {.raw = {[10] = 0xff, [11] = 0xff}};

	memcpy(gid.raw + 12, address, 4);
	return gid;
}

int soft_device_gid(unsigned int number, uint32_t port, uint32_t index, union ibv_gid *gid)
{
	uint32_t ipv4 = htonl(IPV4_DOCUMENTATION + 1 + number + (port - SOFT_PORT) * IPV4_PORT_STEP);

	if (!soft_has_port(port) || index >= soft_gid_table_size())
		return EINVAL;
	if (index >= soft_gid_count())
		return ENODATA;
	*gid = soft_gid_of_ipv4(&ipv4);
	if (index == 0) {
		gid->global.subnet_prefix = htobe64(0xfe80000000000000u);
		gid->global.interface_id = soft_device_guid(number, port);
	}
	return 0;
}

int soft_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	return index < 0 ? EINVAL
			 : soft_device_gid(soft_context_of(context)->device_number, port, (uint32_t)index, gid);
}
