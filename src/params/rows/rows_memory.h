/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: memory and CPUs. Rows of the table in options.c, included only there. */
/* clang-format off */
{
	FLAG(NO_LETTER, "disable_pcie_relaxed", verbs.disable_relaxed),
	.help = "Register memory without PCIe relaxed ordering, which write latency tests never use",
	IN(MEMORY, MOVES, OPT_OFFERED, "6.06"),
	.tolerated = FS,
},
{
	FLAG(NO_LETTER, "mr_per_qp", verbs.mr_per_qp),
	.help = "Give each queue pair a buffer and a memory region of its own",
	IN(MEMORY, MOVES, OPT_OFFERED, "6.06"),
	.tolerated = FS,
},
{
	FLAG(NO_LETTER, "use_hugepages", memory.use_hugepages),
	.help = "Allocate the buffers in huge pages; enough must be free on the NUMA node in use",
	IN(MEMORY, MOVES, OPT_LOCAL, "6.06"),
	.tolerated = FS,
},
{
	SIZE(NO_LETTER, "hugepage_size", "SIZE", memory.hugepage_size, 4096, 1099511627776.0),
	DEFAULT_WORD("auto", PARAMS_AUTO),
	.help = "With --use_hugepages, the size of the pages: 2M, 1G or another that the kernel supports; auto: its "
		"default",
	IN(MEMORY, MOVES, OPT_LOCAL, "7.0"),
	.tolerated = FS,
},
{
	FLAG(NO_LETTER, "use_ib_dm", memory.device_memory),
	.help = "Allocate the buffers in memory of the RDMA device itself",
	IN(MEMORY, IB, OPT_LOCAL, "7.0"),
},
{
	STRING(NO_LETTER, "use_ib_dm_dmabuf", "DEVICE", memory.device_memory_of),
	.check = check_device_name,
	.help = "Allocate the buffers in memory of this RDMA device, and register them as a dmabuf with the device "
		"of the test",
	IN(MEMORY, IB, OPT_LOCAL, "6.29"),
},
{
	CHOICE(NO_LETTER, "memory", "list", general.list_memory),
	DEFAULT_WORD("auto", 0),
	.choices = {{"list", 1, 0}},
	.help = "Print which kinds of memory can be used here and why the others can't, and exit",
	IN(MEMORY, IB, OPT_LOCAL, "7.0"),
},
#include "params/rows/rows_accelerator.h"
{
	FLAG(NO_LETTER, "odp", verbs.odp),
	.help = "Register memory for on-demand paging, so that it is not pinned",
	IN(MEMORY, IB, OPT_LOCAL, "6.06"),
},
{
	FLAG(NO_LETTER, "use-null-mr", verbs.null),
	.help = "Use a null memory region on this side, which reads as zeros and discards what is written",
	IN(MEMORY, WRITE | READ, OPT_LOCAL, "6.29"),
},
{
	INTEGER(NO_LETTER, "ph", "HINT", verbs.hints.ph, 0, 3),
	DEFAULT_WORD("none", PARAMS_AUTO),
	.help = "PCIe processing hint of the device's accesses to the buffers: 0: both sides use the data, 1: the "
		"device does, 2: the CPU does, 3: the CPU does at once. Needs libibverbs of rdma-core 59 and a "
		"device that supports hints",
	IN(MEMORY, MOVES, OPT_LOCAL, "6.29"),
	.tolerated = FS,
},
{
	CHOICE(NO_LETTER, "tph_mem", "TYPE", verbs.hints.memory),
	DEFAULT_WORD("none", TPH_MEM_NONE),
	.choices = {{"vm", TPH_MEM_VM, 0}, {"pm", TPH_MEM_PM, 0}},
	.help = "With --ph and --cpu_id, the type of memory the buffers are in: volatile (vm) or persistent (pm)",
	IN(MEMORY, MOVES, OPT_LOCAL, "6.29"),
	.tolerated = FS,
},
{
	INTEGER(NO_LETTER, "cpu_id", "CPU", verbs.hints.cpu_id, 0, 65535),
	DEFAULT_WORD("none", PARAMS_AUTO),
	.help = "With --ph and --tph_mem, the CPU whose cache the data should go to",
	IN(MEMORY, MOVES, OPT_LOCAL, "6.29"),
	.tolerated = FS,
},
{
	FLAG(NO_LETTER, "aes_xts", verbs.crypto.is_used),
	.help = "Let the adapter encrypt data between memory and wire with AES-XTS, with keys that only this side has. Refused unless the device is an mlx5 adapter that supports it",
	IN(MEMORY, IB & ~ATOMIC, OPT_LOCAL, "6.06"),
	.elsewhere = WHOLE_BLOCKS,
},
{
	FLAG(NO_LETTER, "encrypt_on_tx", verbs.crypto.encrypt_on_tx),
	.help = "With --aes_xts, encrypt what is sent and decrypt what is received; without this option the reverse",
	IN(MEMORY, IB & ~ATOMIC, OPT_LOCAL, "6.06"),
},
{
	FLAG(NO_LETTER, "sig_before", verbs.crypto.signature_first),
	.help = "With --aes_xts, encrypt data after it has been signed; no effect, since nothing is signed",
	IN(MEMORY, IB & ~ATOMIC, OPT_LOCAL, "6.06"),
},
{
	CHOICE(NO_LETTER, "aes_block_size", "BYTES", verbs.crypto.block_bytes),
	.choices = {{"512", 512, 0}, {"520", 520, 0}, {"4048", 4048, 0}, {"4096", 4096, 0}, {"4160", 4160, 0}},
	.default_text = "512",
	.help = "With --aes_xts, the size of an encrypted block; -s must be a multiple of it",
	IN(MEMORY, IB & ~ATOMIC, OPT_LOCAL, "6.06"),
},
{
	INTEGER(NO_LETTER, "data_enc_keys_number", "COUNT", verbs.crypto.num_keys, 1, 65536),
	.default_text = "1",
	.help = "With --aes_xts, the number of data encryption keys, which queue pairs use in turn",
	IN(MEMORY, IB & ~ATOMIC, OPT_LOCAL, "6.06"),
},
{
	STRING(NO_LETTER, "kek_path", "FILE", verbs.crypto.kek_path),
	.help = "With --aes_xts on an adapter that requires wrapped keys, the key that wraps them, for the program of "
		"--data_enc_key_app_path",
	IN(MEMORY, IB & ~ATOMIC, OPT_LOCAL, "6.06"),
},
{
	STRING(NO_LETTER, "credentials_path", "FILE", verbs.crypto.credentials_path),
	.help = "With --kek_path, the wrapped credential to log in with, 48 bytes in hexadecimal",
	IN(MEMORY, IB & ~ATOMIC, OPT_LOCAL, "6.06"),
},
{
	STRING(NO_LETTER, "data_enc_key_app_path", "PROGRAM", verbs.crypto.key_program),
	.help = "With --kek_path, a program that creates a wrapped key: it is run as PROGRAM KEK OUTPUT, once for "
		"each key, without a shell, for at most 30 s, and writes bytes in hexadecimal",
	IN(MEMORY, IB & ~ATOMIC, OPT_LOCAL, "6.06"),
},
{
	STRING(NO_LETTER, "mmap", "FILE", memory.mmap),
	.help = "Map this file or device and use it for the buffers",
	IN(MEMORY, IB, OPT_LOCAL, "6.06"),
},
{
	SIZE(NO_LETTER, "mmap-offset", "BYTES", memory.mmap_offset, 0, 9007199254740992.0),
	.default_text = "0",
	.help = "With --mmap, the offset in the file at which the buffers begin: a multiple of the page size",
	IN(MEMORY, IB, OPT_LOCAL, "6.06"),
},
{
	STRING(NO_LETTER, "payload_file_path", "FILE", verbs.payload_file),
	.help = "Fill the buffers from a file of 0xXXXXXXXX words separated by commas, instead of with random data",
	IN(MEMORY, MOVES, OPT_LOCAL, "6.29"),
},
{
	STRING(NO_LETTER, "pin_cores", "CPUS", cpus.pin_cores),
	.check = check_core_list,
	.help = "Run on these CPUs only: a list such as 0,2-3",
	IN(MEMORY, ALL, OPT_LOCAL, "6.29"),
},
{
	INTEGER(NO_LETTER, "numa_node", "NODE", cpus.numa_node, 0, 1023),
	DEFAULT_WORD("auto", PARAMS_AUTO),
	.help = "Run on this NUMA node and allocate memory there; auto: the device's",
	IN(MEMORY, ALL, OPT_LOCAL, "6.29"),
},
{
	FLAG(NO_LETTER, "disable_numa", cpus.disable_numa),
	.help = "Let the kernel choose CPUs and memory",
	IN(MEMORY, ALL, OPT_LOCAL, "6.29"),
},
