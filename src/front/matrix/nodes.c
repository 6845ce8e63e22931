// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See nodes.h. */
#include "front/matrix/nodes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/launch/remote.h"
#include "front/matrix/hostlist.h"
#include "params/engine/opt.h"
#include "util/file.h"

#define MOST_BYTES 262144 /* of a file */

static bool node_take(void *context, const char *name)
{
	struct nodes *nodes = context;
	char *copy = NULL;

	if (nodes->count == nodes->most)
		nodes->fault = "there are too many hosts";
	else if (remote_node_fault(name))
		nodes->fault = "there is one that is no host's name";
	else if (!(copy = strdup(name)))
		nodes->fault = "out of memory";
	if (copy)
		nodes->names[nodes->count++] = copy;
	return copy != NULL;
}

/* The file's text without comments, which the caller frees; NULL, with errno. */
static char *file_read(const char *path)
{
	FILE *file = input_file_open(path);
	char *text = file ? calloc(1, MOST_BYTES + 1) : NULL;
	size_t length = text ? fread(text, 1, MOST_BYTES + 1, file) : 0;

	if (text && (ferror(file) || length > MOST_BYTES)) {
		errno = ferror(file) ? EIO : EFBIG;
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	for (char *comment = text; comment && (comment = strchr(comment, '#'));)
		memset(comment, ' ', strcspn(comment, "\n"));
	return text;
}

int nodes_read(struct nodes *nodes, const char *text, uint32_t most, char *reason, size_t size)
{
	const char *path = text[0] == '@' ? text + 1 : NULL, *fault;
	char *read = path ? file_read(path) : NULL, quoted[OPT_QUOTE_SIZE];

	if (path && !read)
		return opt_refuse(reason, size, "--hosts: cannot read %s: %s", path, strerror(errno));
	*nodes = (struct nodes){.most = most, .names = calloc(most, sizeof(*nodes->names))};
	fault = nodes->names ? hostlist_each(read ? read : text, node_take, nodes) : "out of memory";
	free(read);
	fault = fault ? fault : nodes->fault;
	if (!fault)
		return 0;
	opt_refuse(reason, size, "--hosts=%s: after %u hosts: %s", opt_quote(text, quoted), nodes->count, fault);
	while (nodes->count)
		free(nodes->names[--nodes->count]);
	free(nodes->names);
	return -EINVAL;
}
