// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is the descriptor of an open device good for? To open it again by what dup(2) made of it: objects of the first
 * context are then imported into the second by their handles. A soft device's objects live in one process, so it is
 * that process which can import them; another one that was handed the descriptor is told so.
 *
 * The descriptor is a sealed memory file that says whose it is. Real devices' descriptors go on to libibverbs.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/abi.h"
#include "host/core.h"
#include "host/threads.h"

#define NOTE_MAGIC 0x646d636c74667270ull /* "prftlcmd" */

struct note {
	uint64_t magic;
	uint32_t slot;
	uint32_t instance;
	uint32_t device;
	uint32_t reserved;
};

typedef struct ibv_context *(*import_fn)(int fd);

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

/* The new context takes the descriptor. */
static struct ibv_context *soft_import_device(int fd, const struct note *note)
{
	struct ibv_context *context;

	if (!soft_self.control || note->slot != soft_self.slot || note->instance != soft_self.instance) {
		soft_error("this descriptor is a device that another process opened: import it there");
		errno = EOPNOTSUPP;
		return NULL;
	}
	context = soft_open_device(&soft_devices[note->device].base);
	if (!context)
		return NULL;
	close(context->cmd_fd);
	context->cmd_fd = fd;
	return context;
}

SOFT_EXPORT struct ibv_context *ibv_import_device(int cmd_fd)
{
	SOFT_UNCANCELLED;
	import_fn real;
	struct note note;

	if (note_read(cmd_fd, &note))
		return soft_import_device(cmd_fd, &note);
	real = (import_fn)soft_real_symbol("ibv_import_device", "IBVERBS_1.10");
	if (cmd_fd >= 0 && real)
		return real(cmd_fd);
	errno = cmd_fd < 0 ? EBADF : EOPNOTSUPP;
	return NULL;
}
