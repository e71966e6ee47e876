/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/commands/record_risk.h"

#include <string.h>

#include "recorder/commands/record_commands.h"
#include "src/base/shell_words.h"
#include "src/recording/measure_keys.h"
#include "src/recording/ready_setups.h"

static bool is_one_of(const char *word, size_t len, const char *const *words)
{
	while (*words && (strlen(*words) != len || memcmp(*words, word, len) != 0))
		words++;
	return *words;
}

static enum option_risk worse(enum option_risk a, enum option_risk b)
{
	return a > b ? a : b;
}

/* They act on what is recorded alone. */
enum option_risk record_risk_trigger(const char *value)
{
	static const char *const harmless[] = { "stacktrace", "traceoff", "traceon", NULL };

	return is_one_of(value, strcspn(value, ": \t"), harmless) ? OPTION_RISK_NONE :
								    OPTION_RISK_ASK;
}

/* hwlat keeps a CPU busy with interrupts off, mmiotrace takes all CPUs but one away. */
enum option_risk record_risk_tracer(const char *value)
{
	static const char *const harmless[] = { "nop", "function", "function_graph", "graph", "blk",
						"irqsoff", "preemptoff", "preemptirqsoff", "wakeup",
						"wakeup_rt", "wakeup_dl", "timerlat", "osnoise",
						"branch", NULL };

	return is_one_of(value, strlen(value), harmless) ? OPTION_RISK_NONE : OPTION_RISK_ASK;
}

/* "FUNC", "FUNC:mod:NAME", "FUNC:COMMAND:…" */
static enum option_risk risk_of_function(const char *word, size_t len)
{
	static const char *const harmless[] = { "mod", "traceoff", "traceon", NULL };
	static const char *const of_shell[] = { "dump", "cpudump", NULL };	/* kernel's log */
	const char *command = memchr(word, ':', len), *end;

	if (!command)
		return OPTION_RISK_NONE;
	len -= (size_t)(++command - word);
	end = memchr(command, ':', len);
	if (is_one_of(command, end ? (size_t)(end - command) : len, of_shell))
		return OPTION_RISK_SHELL;
	if (!is_one_of(command, end ? (size_t)(end - command) : len, harmless))
		return OPTION_RISK_ASK;
	/* "FUNC:mod:NAME:COMMAND": the kernel knows none */
	return end && memchr(end + 1, ':', len - (size_t)(end + 1 - command)) ? OPTION_RISK_ASK :
										OPTION_RISK_NONE;
}

/* The kernel takes words between blanks as several. */
enum option_risk record_risk_functions(const char *value)
{
	static const char blanks[] = " \t\n\v\f\r";
	enum option_risk risk = OPTION_RISK_NONE;

	for (const char *p = value + strspn(value, blanks); *p; p += strspn(p, blanks)) {
		size_t len = strcspn(p, blanks);

		risk = worse(risk, risk_of_function(p, len));
		p += len;
	}
	return risk;
}

/* They change the records of the own instance. */
enum option_risk record_risk_option(const char *value)
{
	static const char *const harmless[] = {
		"annotate", "blk_cgname", "blk_cgroup", "blk_classic", "context-info",
		"display-graph", "event-fork", "func-args", "func-no-repeats", "funcgraph-abstime",
		"funcgraph-args", "funcgraph-cpu", "funcgraph-duration", "funcgraph-exit",
		"funcgraph-irqs", "funcgraph-overhead", "funcgraph-overrun", "funcgraph-proc",
		"funcgraph-retaddr", "funcgraph-retval", "funcgraph-retval-hex", "funcgraph-tail",
		"function-fork", "function-trace", "irq-info", "latency-format", "overwrite",
		"print-parent", "record-cmd", "record-tgid", "stacktrace", "sym-addr", "sym-offset",
		"sym-userobj", "userstacktrace", "verbose", NULL
	};

	if (!strncmp(value, "no", 2) && is_one_of(value + 2, strlen(value + 2), harmless))
		return OPTION_RISK_NONE;
	return is_one_of(value, strlen(value), harmless) ? OPTION_RISK_NONE : OPTION_RISK_ASK;
}

enum option_risk record_risk_priority(const char *value)
{
	static const char *const harmless[] = { "0", "1", NULL };

	return is_one_of(value, strlen(value), harmless) ? OPTION_RISK_NONE : OPTION_RISK_ASK;
}

/* "KEY=VALUE": a key may have several rows. */
static enum option_risk risk_of_key(const char *word, size_t len)
{
	static const char *const of_shell[] = { "option=PANIC_ON_STOP", NULL };
	enum option_risk risk = OPTION_RISK_UNKNOWN;
	const char *equals = memchr(word, '=', len);
	const struct measure_key *key;

	for (unsigned int i = 0; (key = measure_key(i)); i++)
		if (is_one_of(word, equals ? (size_t)(equals - word) : len,
			      (const char *const[]){ key->name, NULL }))
			risk = worse(risk, key->risk);
	if (is_one_of(word, len, of_shell))
		risk = OPTION_RISK_SHELL;
	return risk == OPTION_RISK_UNKNOWN ? OPTION_RISK_ASK : risk;
}

/* A list of CPUs has commas, too: "period=1ms,cpus=2,4-7". */
enum option_risk record_risk_measure(const char *value)
{
	enum option_risk risk = OPTION_RISK_NONE;

	for (const char *p = value; *p; p += *p == ',') {
		size_t len = strcspn(p, ",");

		if (strspn(p, "0123456789-") < len)
			risk = worse(risk, risk_of_key(p, len));
		p += len;
	}
	return risk;
}

/* The options of a preset; "timerlat,period=100us" has keys of --measure, too. */
enum option_risk record_risk_setup(const char *value)
{
	size_t len = strcspn(value, ",");
	enum option_risk risk = record_risk_measure(value + len);
	const struct ready_setup *setup;
	struct shell_words words = { 0 };
	struct option_list list;

	for (unsigned int i = 0; (setup = ready_setup(i)); i++)
		if (is_one_of(value, len, (const char *const[]){ setup->name, NULL }))
			break;
	if (!setup || shell_words_split(&words, setup->line, NULL) ||
	    options_parse(&cmd_record_def, (int)words.nr, words.words, &list, NULL)) {
		shell_words_fini(&words);
		return OPTION_RISK_ASK;
	}
	for (unsigned int i = 0; i < list.nr; i++)
		risk = worse(risk, options_risk(options_by_id(&cmd_record_def, list.values[i].id),
						list.values[i].value));
	options_fini(&list);
	shell_words_fini(&words);
	return risk;
}
