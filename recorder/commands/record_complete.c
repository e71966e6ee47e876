/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_complete - names that this kernel has, for a shell that completes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/ask/list.h"
#include "recorder/commands/record_commands.h"
#include "src/recording/measure_keys.h"
#include "src/recording/ready_setups.h"

static const struct {
	const char	*argument;	/* as the table of options names it */
	enum list_kind	 kind;
} kinds[] = {
	{ "EVENT", LIST_EVENT },   { "FUNC", LIST_FUNCTION }, { "TRACER", LIST_TRACER },
	{ "OPTION", LIST_OPTION }, { "CLOCK", LIST_CLOCK },   { "INSTANCE", LIST_INSTANCE },
	{ "MONITOR,...", LIST_MONITOR },
};

/* Events are offered without their system, unless one was typed. */
static void offer_item(const struct list_item *item, const struct option_place *place, FILE *out)
{
	char system[256], name[256];
	const char *colon = item->kind == LIST_EVENT ? strchr(item->name, ':') : NULL;

	if (colon && !strchr(place->typed, ':')) {
		snprintf(system, sizeof(system), "%.*s", (int)(colon - item->name), item->name);
		options_offer(place, colon + 1, system, out);
		return;
	}
	options_offer(place, item->name,
		      item->kind == LIST_SYSTEM ? "system" :
		      item->about               ?:
						  item->module,
		      out);
	snprintf(name, sizeof(name), "no%s", item->name);
	if (item->kind == LIST_OPTION)
		options_offer(place, name, "clear it", out);
}

static int offer_items(enum list_kind kind, const struct option_place *place, FILE *out)
{
	struct list_query query = { .kinds[LIST_SYSTEM] = kind == LIST_EVENT };
	struct leftover_places places = { .run_dir = leftover_run_dir(), .proc = "/proc" };
	struct ft_error err = { 0 };
	struct kernel_facts facts;
	struct text missing = { 0 };
	struct tracefs_dir dir;
	struct list list;
	int ret;

	query.kinds[kind] = true;
	if (tracefs_dir_open(&dir, NULL, &err))
		return -1;
	kernel_facts_read(&facts, "");
	ret = list_read(&list, &dir, &facts, &places, &query, &missing, &err);
	for (unsigned int i = 0; i < list.nr; i++)
		offer_item(&list.items[i], place, out);
	list_fini(&list);
	text_fini(&missing);
	kernel_facts_fini(&facts);
	tracefs_dir_close(&dir);
	return ret;
}

/*
 * Who may not read tracefs is about to use sudo; the names of the kernel's symbols anybody may
 * read.  Each event has a function __traceiter_EVENT.
 */
static void offer_symbols(enum list_kind kind, const struct option_place *place, FILE *out)
{
	static const char event[] = "__traceiter_";
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char type, name[512], line[1024];

	while (symbols && fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%*s %c %511s", &type, name) != 2 || !strchr("tT", type))
			continue;
		if (kind == LIST_FUNCTION)
			options_offer(place, name, NULL, out);
		else if (!strncmp(name, event, sizeof(event) - 1))
			options_offer(place, name + sizeof(event) - 1, NULL, out);
	}
	if (symbols)
		fclose(symbols);
}

/* A key has a row for each file that it means, one behind the other. */
static void offer_measures(const struct option_place *place, FILE *out)
{
	const struct measure_key *key, *last = NULL;

	for (unsigned int i = 0; (key = measure_key(i)); last = key, i++) {
		char word[64];

		snprintf(word, sizeof(word), "%s%s", key->name, key->arg ? "=" : "");
		if (!last || strcmp(last->name, key->name) != 0)
			options_offer(place, word, key->help, out);
	}
}

void record_complete(const struct option_place *place, FILE *out)
{
	const struct ready_setup *setup;

	if (!strcmp(place->argument, "SETUP"))
		for (unsigned int i = 0; (setup = ready_setup(i)); i++)
			options_offer(place, setup->name, setup->line, out);
	if (!strcmp(place->argument, "KEY=VALUE,..."))
		offer_measures(place, out);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		enum list_kind kind = kinds[i].kind;

		/* All functions would be too many. */
		if (strcmp(place->argument, kinds[i].argument) != 0 ||
		    (kind == LIST_FUNCTION && !*place->typed))
			continue;
		if (offer_items(kind, place, out) && (kind == LIST_EVENT || kind == LIST_FUNCTION))
			offer_symbols(kind, place, out);
	}
}
