// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The options, and their valid combinations: THE table of the command language. Called by proc.c for each write, and by
 * listener.c for what a client offers.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "command.h"

/* Fails with that reason. */
#define REFUSE(reason, ...) (snprintf((reason)->text, sizeof((reason)->text), __VA_ARGS__), -EINVAL)

enum operand { NOTHING, NUMBER, TEXT, MEM_MODE };

struct option {
	const char *name;
	const char *alias;
	enum operand operand;
	size_t offset; /* of the member that stores the operand */
	u64 min;       /* of a number */
	u64 max;       /* of a number; size of the member for a text */
};

#define WORD(word)                                                                                                     \
	{                                                                                                              \
		.name = (word), .operand = NOTHING                                                                     \
	}
#define NUMBER_OF(word, member, least, most)                                                                           \
	{                                                                                                              \
		.name = (word), .operand = NUMBER, .offset = offsetof(struct krping_command, member), .min = (least),  \
		.max = (most)                                                                                          \
	}
#define TEXT_OF(word, member)                                                                                          \
	{                                                                                                              \
		.name = (word), .operand = TEXT, .offset = offsetof(struct krping_command, member),                    \
		.max = sizeof(((struct krping_command *)NULL)->member)                                                 \
	}

static const struct option options[KRPING_OPTIONS] = {
	[KRPING_CLIENT] = WORD("client"),
	[KRPING_SERVER] = WORD("server"),
	[KRPING_ADDR] = TEXT_OF("addr", address),
	[KRPING_ADDR6] = TEXT_OF("addr6", address),
	[KRPING_PORT] = NUMBER_OF("port", port, 1, 65535),
	[KRPING_COUNT] = NUMBER_OF("count", count, 0, U64_MAX),
	[KRPING_SIZE] = NUMBER_OF("size", size, 1, KRPING_MAX_SIZE),
	[KRPING_VERBOSE] = WORD("verbose"),
	[KRPING_VALIDATE] = WORD("validate"),
	[KRPING_MEM_MODE] = {.name = "mem_mode", .operand = MEM_MODE},
	[KRPING_SERVER_INV] = WORD("server_inv"),
	[KRPING_LOCAL_DMA_LKEY] = WORD("local_dma_lkey"),
	[KRPING_READ_INV] = WORD("read_inv"),
	[KRPING_WLAT] = WORD("wlat"),
	[KRPING_RLAT] = WORD("rlat"),
	[KRPING_POLL] = WORD("poll"),
	[KRPING_BW] = WORD("bw"),
	[KRPING_DUPLEX] = WORD("duplex"),
	[KRPING_TX_DEPTH] = {.name = "tx-depth",
			     .alias = "txdepth",
			     .operand = NUMBER,
			     .offset = offsetof(struct krping_command, tx_depth),
			     .min = 1,
			     .max = 8192},
	[KRPING_TIMEOUT] = NUMBER_OF("timeout", timeout_s, 1, 3600),
	[KRPING_CLIENTS] = NUMBER_OF("clients", clients, 0, U32_MAX),
	[KRPING_LABEL] = TEXT_OF("label", label),
	[KRPING_TOS] = NUMBER_OF("tos", tos, 0, 255),
	[KRPING_MEMORY] = NUMBER_OF("memory", memory, 1, U64_MAX),
};

#define BIT_OF(option) (1UL << (option))
#define TEST_BITS      (BIT_OF(KRPING_WLAT) | BIT_OF(KRPING_RLAT) | BIT_OF(KRPING_BW))
/* The client decides these options; the others are local to each side. */
#define TRAVEL_BITS                                                                                                    \
	(TEST_BITS | BIT_OF(KRPING_DUPLEX) | BIT_OF(KRPING_VALIDATE) | BIT_OF(KRPING_SERVER_INV) |                     \
	 BIT_OF(KRPING_READ_INV) | BIT_OF(KRPING_LOCAL_DMA_LKEY))

static bool is_one_bit(unsigned long bits)
{
	return bits && !(bits & (bits - 1));
}

/* mem_mode=dma, beside the bits of the options. */
#define DMA_BIT	     BIT_OF(KRPING_OPTIONS)
#define INVALIDATION (BIT_OF(KRPING_SERVER_INV) | BIT_OF(KRPING_READ_INV))

/* What is given of `some`: */
static const struct rule {
	unsigned long some;
	enum {
		ONE,	   /* exactly one */
		MOST_ONE,  /* at most one */
		NEEDS,	   /* if any, then also one of the others */
		CONFLICTS, /* if any, then none of the others */
	} kind;
	unsigned long others;
	const char *text;
} rules[] = {
	{BIT_OF(KRPING_CLIENT) | BIT_OF(KRPING_SERVER), ONE, 0, "either client or server must be there"},
	{BIT_OF(KRPING_ADDR) | BIT_OF(KRPING_ADDR6), ONE, 0,
	 "either addr= or addr6= must be there: the server's address"},
	{BIT_OF(KRPING_PORT), ONE, 0, "port= must be there: the server's port"},
	{TEST_BITS, MOST_ONE, 0, "only one of wlat, rlat and bw can be run at a time"},
	{BIT_OF(KRPING_DUPLEX), NEEDS, BIT_OF(KRPING_BW), "duplex goes with bw only"},
	/* a server may learn from its client that the test is bw */
	{BIT_OF(KRPING_TX_DEPTH), NEEDS, BIT_OF(KRPING_BW) | BIT_OF(KRPING_SERVER), "tx-depth goes with bw only"},
	{TEST_BITS, CONFLICTS, BIT_OF(KRPING_VERBOSE) | BIT_OF(KRPING_VALIDATE) | INVALIDATION,
	 "verbose, validate, server_inv and read_inv do not go with wlat, rlat and bw"},
	{INVALIDATION, CONFLICTS, DMA_BIT, "server_inv and read_inv go with mem_mode=reg only"},
	{BIT_OF(KRPING_CLIENT), CONFLICTS, BIT_OF(KRPING_CLIENTS), "clients= is for the server"},
	{BIT_OF(KRPING_CLIENT), CONFLICTS, BIT_OF(KRPING_MEMORY), "memory= is for the server"},
};

static bool is_broken(const struct rule *rule, unsigned long given)
{
	unsigned long some = given & rule->some;

	switch (rule->kind) {
	case ONE:
		return !is_one_bit(some);
	case MOST_ONE:
		return some && !is_one_bit(some);
	case NEEDS:
		return some && !(given & rule->others);
	case CONFLICTS:
		return some && (given & rule->others);
	}
	return false;
}

const char *krping_option_name(unsigned int option)
{
	return option < KRPING_OPTIONS ? options[option].name : NULL;
}

const char *krping_test_name(const struct krping_command *command)
{
	if (krping_has(command, KRPING_WLAT))
		return "wlat";
	if (krping_has(command, KRPING_RLAT))
		return "rlat";
	return krping_has(command, KRPING_BW) ? "bw" : "ping";
}

static int check(const struct krping_command *command, struct krping_reason *reason)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		if (is_broken(&rules[i], command->given | (command->dma ? DMA_BIT : 0)))
			return REFUSE(reason, "%s", rules[i].text);
	}
	return 0;
}

static const struct option *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (!strcmp(options[i].name, name) || (options[i].alias && !strcmp(options[i].alias, name)))
			return &options[i];
	}
	return NULL;
}

static int take_number(const struct option *option, const char *operand, u64 *number, struct krping_reason *reason)
{
	u64 value;

	/* kstrtoull accepts a sign and a newline */
	if (*operand < '0' || *operand > '9' || strchr(operand, '\n') || kstrtoull(operand, 0, &value))
		return REFUSE(reason, "%s=%.32s is not a number", option->name, operand);
	if (value < option->min || value > option->max)
		return REFUSE(reason, "%s=%.32s is not between %llu and %llu", option->name, operand,
			      (unsigned long long)option->min, (unsigned long long)option->max);
	*number = value;
	return 0;
}

static int take_operand(struct krping_command *command, const struct option *option, const char *operand,
			struct krping_reason *reason)
{
	char *member = (char *)command + option->offset;

	switch (option->operand) {
	case NOTHING:
		break;
	case NUMBER:
		return take_number(option, operand, (u64 *)member, reason);
	case TEXT:
		if (!*operand || strlen(operand) >= option->max)
			return REFUSE(reason, "%s=%.32s is empty or longer than %u characters", option->name, operand,
				      (unsigned int)option->max - 1);
		memcpy(member, operand, strlen(operand) + 1);
		break;
	case MEM_MODE:
		command->dma = !strcmp(operand, "dma");
		if (!command->dma && strcmp(operand, "reg"))
			return REFUSE(reason, "mem_mode=%.32s is neither dma nor reg", operand);
		break;
	}
	return 0;
}

static int take(struct krping_command *command, char *word, struct krping_reason *reason)
{
	char *operand = strchr(word, '=');
	const struct option *option;
	unsigned long bit;

	if (operand)
		*operand++ = '\0';
	option = find(word);
	if (!option)
		return REFUSE(reason, "there is no option '%.32s'", word);
	if (!operand != (option->operand == NOTHING))
		return REFUSE(reason, "%s %s", option->name, operand ? "takes no value" : "needs a value: NAME=VALUE");
	bit = BIT_OF(option - options);
	if (command->given & bit)
		return REFUSE(reason, "%s is there twice", option->name);
	command->given |= bit;
	return operand ? take_operand(command, option, operand, reason) : 0;
}

bool krping_is_plain(const char *text, size_t length)
{
	while (length--) {
		if (*text < ' ' || *text > '~')
			return false;
		text++;
	}
	return true;
}

int krping_command_parse(struct krping_command *command, char *text, size_t length, struct krping_reason *reason)
{
	char *word;
	int err;

	memset(command, 0, sizeof(*command));
	command->size = KRPING_DEFAULT_SIZE;
	command->tx_depth = KRPING_DEFAULT_TX_DEPTH;
	command->timeout_s = KRPING_DEFAULT_TIMEOUT_S;
	command->memory = KRPING_DEFAULT_MEMORY;
	if (length && text[length - 1] == '\n')
		text[--length] = '\0';
	if (!length)
		return REFUSE(reason, "the command is empty");
	if (!krping_is_plain(text, length))
		return REFUSE(reason, "the command is not one line of printable characters");
	while ((word = strsep(&text, ",")) != NULL) {
		if (!*word)
			continue; /* two commas, or one at the end, have always been ignored */
		err = take(command, word, reason);
		if (err)
			return err;
	}
	return check(command, reason);
}

u64 krping_command_memory(const struct krping_command *command)
{
	return 2 * command->size;
}

bool krping_command_affords(const struct krping_command *command, u64 in_use, u64 wanted)
{
	/* A size for the server without a limit defines how much memory a client may use. */
	if (krping_has(command, KRPING_SIZE) && !krping_has(command, KRPING_MEMORY))
		return true;
	return in_use <= command->memory && wanted <= command->memory - in_use;
}

const char *krping_show(char *text, size_t size, const char *data, size_t length)
{
	size_t at, used = 0;

	for (at = 0; at < length && data[at] && used + sizeof("\\xNN") <= size; at++) {
		if (krping_is_plain(data + at, 1))
			text[used++] = data[at];
		else
			used += snprintf(text + used, size - used, "\\x%02x", (unsigned char)data[at]);
	}
	text[used] = '\0';
	return text;
}

unsigned long krping_command_offer(const struct krping_command *command)
{
	return command->given & TRAVEL_BITS;
}

int krping_command_adopt(struct krping_command *command, unsigned long offered, u64 size, u64 count,
			 struct krping_reason *reason)
{
	struct krping_command theirs = {.given = offered};

	if ((command->given & TEST_BITS) && strcmp(krping_test_name(command), krping_test_name(&theirs)))
		return REFUSE(reason, "the server was told %s, the client %s", krping_test_name(command),
			      krping_test_name(&theirs));
	if (krping_has(command, KRPING_SIZE) && size > command->size)
		return REFUSE(reason, "the server was told size=%llu, the client size=%llu",
			      (unsigned long long)command->size, (unsigned long long)size);
	if (size < 1 || size > KRPING_MAX_SIZE)
		return REFUSE(reason, "the client offers size=%llu", (unsigned long long)size);
	if (krping_has(command, KRPING_COUNT) && command->count != count)
		return REFUSE(reason, "the server was told count=%llu, the client count=%llu",
			      (unsigned long long)command->count, (unsigned long long)count);
	if (krping_has(command, KRPING_DUPLEX) && !krping_has(&theirs, KRPING_DUPLEX))
		return REFUSE(reason, "the server was told duplex, the client was not");
	command->given |= offered & TRAVEL_BITS;
	command->size = size;
	command->count = count;
	return check(command, reason);
}
