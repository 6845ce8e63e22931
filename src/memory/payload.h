/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of --payload_file_path: dwords of 0x and one to eight hexadecimal digits, separated by commas and any white
 * space; a comma may follow the last one. They are stored little-endian: "0x11223344" becomes the bytes 44 33 22 11.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * 0 and *bytes (to be freed with free()) with *count bytes, a multiple of 4 and not 0; -EINVAL and a reason with line
 * and column; -ENOMEM.
 */
int payload_parse(const char *text, uint8_t **bytes, size_t *count, char *reason, size_t reason_size);
/* Reads it from a file; failures are reported with its name. */
int payload_read(const char *path, uint8_t **bytes, size_t *count);
