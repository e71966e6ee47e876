/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_broker - the bytes as words, each with its NUL, that a screen taken over by a trace has the
 * broker start.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/commands/record_commands.h"
#include "src/base/memory.h"
#include "src/sandbox/broker_private.h"

const char fuzz_name[] = "fuzz_broker";

static const struct command_def *const commands[] = { &cmd_list_def, &cmd_doctor_def,
						      &cmd_record_def, &cmd_recover_def, NULL };

/* Nothing else is started: sudo -v, or this program, perhaps by way of sudo or pkexec. */
static void check_allowed(const char *const *words)
{
	const char *const *word = words;

	assert(*word);
	if (!strcmp(word[0], "sudo") || !strcmp(word[0], "pkexec"))
		word++;
	if (word != words && *word && word[0][0] == '-')
		word++;
	if (!*word) {
		assert(!strcmp(words[0], "sudo") && !strcmp(words[1], "-v"));
		return;
	}
	assert(!strcmp(word[0], "ftop-trace"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct broker_rules rules = { .commands = commands };
	const char **words = mem_array(size + 2, sizeof(*words));
	struct broker_verdict verdict = { 0 };
	struct ft_error err = { 0 };
	char *bytes = malloc(size + 1);
	size_t nr = 0;

	assert(bytes);
	memcpy(bytes, data, size);
	bytes[size] = '\0';
	for (size_t at = 0; at < size; at += strlen(bytes + at) + 1)
		words[nr++] = bytes + at;
	if (!broker_judge(&rules, words, &verdict, &err))
		check_allowed(words);
	else
		assert(err.message[0]);
	broker_verdict_fini(&verdict);
	free(words);
	free(bytes);
	return 0;
}

#define SEED(s) { s, sizeof(s) }

static const struct { const char *bytes; size_t size; } seeds[] = {
	SEED("ftop-trace\0record\0-o\0a.dat\0-e\0sched:sched_switch\0-f\0prev_pid == 1\0--status-fd=1"),
	SEED("sudo\0-n\0ftop-trace\0record\0--probe\0p:x do_sys_open\0--top\0--force\0sleep\0001"),
	SEED("pkexec\0--keep-cwd\0ftop-trace\0record\0--user=root\0--check\0-B\0b\0-e\0irq\0id"),
	SEED("ftop-trace\0recover\0a.dat.part\0-o\0a.dat"),
	SEED("sudo\0ftop-trace\0list\0--format=json\0--tracefs=/x"),
	SEED("ftop-trace\0doctor\0--format=json\0--root=/x"),
	SEED("sudo\0-v"),
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i].bytes, seeds[i].size);
}
