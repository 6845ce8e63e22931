// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The descriptor of an open device: a sealed memory file that identifies the device and its process. Created by open.c
 * and read by import.c, which passes real devices' descriptors on.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/abi.h"
#include "host/core.h"

#define NOTE_MAGIC 0x646d636c74667270ull /* "prftlcmd" */

struct note {
	uint64_t magic;
	uint32_t slot;
	uint32_t instance;
	uint32_t device;
	uint32_t reserved;
};

int soft_command_fd_make(unsigned int device)
{
	const struct note note = {
		.magic = NOTE_MAGIC, .slot = soft_self.slot, .instance = soft_self.instance, .device = device};
	int fd = memfd_create("perftest-soft-device", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (write(fd, &note, sizeof(note)) != sizeof(note) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)) {
		int err = errno;

		close(fd);
		return -err;
	}
	return fd;
}

static bool note_read(int fd, struct note *note)
{
	return pread(fd, note, sizeof(*note), 0) == sizeof(*note) && note->magic == NOTE_MAGIC &&
	       note->device < SOFT_DEVICE_COUNT;
}

int soft_command_fd_read(int fd, unsigned int *device)
{
	struct note note;

	if (!note_read(fd, &note))
		return -ENODEV;
	if (!soft_self.control || note.slot != soft_self.slot || note.instance != soft_self.instance)
		return -EOPNOTSUPP;
	*device = note.device;
	return 0;
}
