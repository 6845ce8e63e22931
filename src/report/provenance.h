/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where figures come from, of each side: build, host, adapter and kind of memory. The JSON document has that of its own
 * side in its members, and that of the peer, which sends it as text, in "peer".
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

struct device_identity;

/* Of the device, whatever is measured with it: the part of "device" that the peer is sent, too. */
json_t *provenance_device(const struct device_identity *device);
/* Compact JSON, for PROVENANCE_SIZE bytes. device: without a name it is null. "" if there is no room or memory. */
void provenance_write(const struct device_identity *device, char *text, size_t size);
/*
 * What the peer has sent: an object of the same members, each null unless it is of a kind that this side's own may
 * have; nothing else of the text is used. device may be null, too.
 */
json_t *provenance_read(const char *text);
/*
 * "peer" of a document: that, and what else is known of it; NULL or "": unknown. host NULL: the name in the text, if it
 * is one.
 */
json_t *provenance_peer(const char *text, const char *address, const char *host, const char *version);
