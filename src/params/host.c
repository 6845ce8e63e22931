// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which server, and which port of it, does the operand name? See host.h; parse.c asks. */
#include "params/host.h"

#include <string.h>

#include "params/opt.h"
#include "util/units.h"

int host_split(const char *operand, char *host, size_t host_size, uint16_t *port, char *reason, size_t reason_size)
{
	const bool bracket = *operand == '[';
	const char *name = bracket ? operand + 1 : operand;
	const char *colon = strchr(name, ':');
	size_t length = strlen(name);
	const char *port_text = NULL;
	char quote[OPT_QUOTE_SIZE];
	uint64_t number = 0;

	if (bracket) {
		length = strcspn(name, "]");
		if (!name[length])
			return opt_refuse(reason, reason_size, "%s has no ]; write [ADDRESS] or [ADDRESS]:PORT",
					  opt_quote(operand, quote));
		if (name[length + 1] == ':')
			port_text = name + length + 2;
		else if (name[length + 1])
			return opt_refuse(reason, reason_size, "%s: what follows the ] is no :PORT",
					  opt_quote(operand, quote));
	} else if (colon && !strchr(colon + 1, ':')) {
		length = (size_t)(colon - name);
		port_text = colon + 1;
	}
	if (!length)
		return opt_refuse(reason, reason_size, "%s names no host", opt_quote(operand, quote));
	if (length >= host_size)
		return opt_refuse(reason, reason_size, "%s is too long for the name of a host",
				  opt_quote(operand, quote));
	if (port_text && units_parse_u64(port_text, 1, UINT16_MAX, &number))
		return opt_refuse(reason, reason_size, "%s: the port behind the colon must be 1 to 65535",
				  opt_quote(operand, quote));
	memcpy(host, name, length);
	host[length] = '\0';
	*port = (uint16_t)number;
	return 0;
}
