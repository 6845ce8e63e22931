// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the mapping at an address of this process. Called by mr_backing.c for each registration: it decides whether
 * pages can move and what to restore later. Linux 6.11 can query one address (PROCMAP_QUERY); before that
 * /proc/self/maps has to be read, which costs about a microsecond per mapping of the process.
 */
#include "config.h"

#include "memory/pages.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "host/valgrind.h"

/* struct procmap_query of linux/fs.h, which older headers lack. */
struct query {
	uint64_t size;
	uint64_t query_flags;
	uint64_t query_addr;
	uint64_t vma_start;
	uint64_t vma_end;
	uint64_t vma_flags;
	uint64_t vma_page_size;
	uint64_t vma_offset;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t vma_name_size;
	uint32_t build_id_size;
	uint64_t vma_name_addr;
	uint64_t build_id_addr;
};

#define QUERY		_IOWR('f', 17, struct query)
#define QUERY_READABLE	0x01
#define QUERY_WRITABLE	0x02
#define QUERY_EXECUTES	0x04
#define QUERY_SHARED	0x08
#define QUERY_OR_NEXT	0x10
#define TEXT_ROOM_FIRST (256u << 10)

static int maps_text_read(struct maps *maps)
{
	size_t room = TEXT_ROOM_FIRST;
	size_t length = 0;
	char *text = malloc(room);

	while (text) {
		ssize_t got = read(maps->fd, text + length, room - length - 1);

		if (got < 0) {
			int err = -errno;

			free(text);
			return err;
		}
		length += (size_t)got;
		if (got == 0) {
			text[length] = '\0';
			maps->text = maps->next = text;
			return 0;
		}
		if (room - length < room / 2) {
			char *larger = realloc(text, room * 2);

			if (!larger)
				free(text);
			text = larger;
			room *= 2;
		}
	}
	return -ENOMEM;
}

int soft_proc_maps_open(struct maps *maps)
{
	struct query query = {.size = sizeof(query), .query_addr = (uint64_t)(uintptr_t)maps};
	int err;

	*maps = (struct maps){.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
	if (maps->fd < 0)
		return -errno;
	maps->has_query = ioctl(maps->fd, QUERY, &query) == 0;
	if (maps->has_query)
		return 0;
	err = maps_text_read(maps);
	if (err)
		close(maps->fd);
	return err;
}

void soft_proc_maps_close(struct maps *maps)
{
	free(maps->text);
	close(maps->fd);
}

static int query_find(struct maps *maps, uint64_t addr, struct mapping *mapping)
{
	struct query query = {
		.size = sizeof(query),
		.query_flags = QUERY_OR_NEXT,
		.query_addr = addr,
		.vma_name_size = sizeof(mapping->name),
		.vma_name_addr = (uint64_t)(uintptr_t)mapping->name,
	};

	mapping->name[0] = '\0';
	if (ioctl(maps->fd, QUERY, &query))
		return errno == ENOENT ? -EFAULT : -errno;
	valgrind_written(mapping->name, query.vma_name_size);
	mapping->start = query.vma_start;
	mapping->end = query.vma_end;
	mapping->offset = query.vma_offset;
	mapping->inode = query.inode;
	mapping->device = makedev(query.dev_major, query.dev_minor);
	mapping->protection = (query.vma_flags & QUERY_READABLE ? PROT_READ : 0) |
			      (query.vma_flags & QUERY_WRITABLE ? PROT_WRITE : 0) |
			      (query.vma_flags & QUERY_EXECUTES ? PROT_EXEC : 0);
	mapping->is_shared = query.vma_flags & QUERY_SHARED;
	if (query.vma_name_size == 0)
		mapping->name[0] = '\0';
	return 0;
}

static int line_parse(char *line, struct mapping *mapping)
{
	char permissions[5];
	unsigned long start, end, offset, inode;
	unsigned int major, minor;
	int name = 0;

	if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &start, &end, permissions, &offset, &major, &minor, &inode,
		   &name) < 7)
		return -EIO;
	mapping->start = start;
	mapping->end = end;
	mapping->offset = offset;
	mapping->inode = inode;
	mapping->device = makedev(major, minor);
	mapping->protection = (permissions[0] == 'r' ? PROT_READ : 0) | (permissions[1] == 'w' ? PROT_WRITE : 0) |
			      (permissions[2] == 'x' ? PROT_EXEC : 0);
	mapping->is_shared = permissions[3] == 's';
	snprintf(mapping->name, sizeof(mapping->name), "%s", line + name);
	return 0;
}

int soft_proc_maps_next(struct maps *maps, uint64_t addr, struct mapping *mapping)
{
	if (maps->has_query)
		return query_find(maps, addr, mapping);
	while (*maps->next) {
		char *line = maps->next;
		char *end = strchr(line, '\n');
		int err;

		if (end)
			*end = '\0';
		err = line_parse(line, mapping);
		if (end)
			*end = '\n';
		if (err)
			return err;
		mapping->name[strcspn(mapping->name, "\n")] = '\0';
		if (addr < mapping->end)
			return 0;
		if (!end)
			break;
		maps->next = end + 1;
	}
	return -EFAULT;
}

int soft_proc_maps_find(struct maps *maps, uint64_t addr, struct mapping *mapping)
{
	int err = soft_proc_maps_next(maps, addr, mapping);

	return err ? err : addr < mapping->start ? -EFAULT : 0;
}
