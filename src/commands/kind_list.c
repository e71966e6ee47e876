/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/kind_list.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/paths.h"
#include "src/events/known_events.h"
#include "src/latency/latency_kinds.h"
#include "src/trace/warnings.h"

struct kind_row {
	const char	*kind, *measures;	/* measures: NULL = nobody says it */
	struct text	 from, events;		/* owned */
};

static void add_from(const void *row, struct text *out)
{
	text_add(out, text_str(&((const struct kind_row *)row)->from));
}

static void add_events(const void *row, struct text *out)
{
	text_add(out, text_str(&((const struct kind_row *)row)->events));
}

static const struct table_column columns[] = {
	{ "kind", "kind", .width = 18, .align = TABLE_LEFT, TABLE_MEMBER(struct kind_row, kind) },
	{ "from", "from", .width = 18, .align = TABLE_LEFT, .text = add_from },
	{ "measures", "measures", .width = 62, .align = TABLE_LEFT,
	  TABLE_MEMBER(struct kind_row, measures) },
	{ "events", "events", .width = 1, .align = TABLE_LEFT, .text = add_events },
};

const struct table_columns kind_list_columns = { TABLE_COLUMNS(columns), .gap = 1 };

/* What kinds need that no rule describes. */
static const char *const own_events[LATENCY_OWN_KINDS] = {
	[LATENCY_CALL] = "ftrace:funcgraph_entry ftrace:funcgraph_exit",
	[LATENCY_WAKEUP] = "sched:sched_waking sched:sched_switch",
	[LATENCY_PREEMPTED] = "sched:sched_switch",
	[LATENCY_BLOCKED] = "sched:sched_switch sched:sched_waking",
	[LATENCY_SLEEP] = "sched:sched_switch sched:sched_waking",
};

/* Append a word, unless it is one of those that are there. */
static void add_word(struct text *words, const char *word)
{
	if (known_events_lists(text_str(words), word, strlen(word), NULL))
		return;
	text_printf(words, "%s%s", words->len ? " " : "", word);
}

static void add_rule(struct kind_row *row, const struct latency_rule *rule)
{
	struct text event = { 0 };

	add_word(&row->from, rule->from ?: "?");
	for (unsigned int i = 0; i < 2; i++) {
		const struct latency_event *end = &rule->ends[i];

		text_clear(&event);
		text_printf(&event, "%s%s%s", end->system ?: "", end->system ? ":" : "", end->name);
		add_word(&row->events, text_str(&event));
	}
	text_fini(&event);
}

static struct kind_row *make_rows(const struct latency_kinds *kinds)
{
	struct kind_row *rows = mem_array(kinds->nr, sizeof(*rows));

	for (unsigned int i = 0; i < kinds->nr; i++) {
		rows[i].kind = kinds->names[i];
		rows[i].measures = known_events_kind(KNOWN_MEASURES, kinds->names[i]);
		if (i < LATENCY_OWN_KINDS) {
			text_add(&rows[i].from, "built in");
			text_add(&rows[i].events, own_events[i]);
		}
	}
	/* the first rules are those of the program's own kinds */
	for (unsigned int i = LATENCY_OWN_KINDS; i < kinds->nr_rules; i++)
		add_rule(&rows[kinds->rules[i].kind], &kinds->rules[i]);
	return rows;
}

/* What a trace or its events would be needed for. */
static int check(const struct command_file *file, const struct filter_given *given,
		 struct ft_error *err)
{
	if (file->list->nr_operands)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--kinds: no FILE; kinds are those of the program and yours");
	if (given->nr || given->from || given->to || given->cpus || given->nr_tasks)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--kinds: no options that select events of a trace");
	return 0;
}

int kind_list_print(const struct command_file *file, const struct filter_given *given,
		    struct row_picker *picker, struct ft_error *err)
{
	struct latency_kinds kinds;
	struct ft_error wrong = { 0 };
	struct table_rows table = { .columns = &kind_list_columns,
				    .bytes = sizeof(struct kind_row) };
	struct kind_row *rows;
	struct text pairs = { 0 };
	char path[4096];
	int ret;

	if (check(file, given, err))
		return -1;
	latency_kinds_init(&kinds);
	if (latency_kinds_read(&kinds, paths_config("pairs", path, sizeof(path)), &pairs, &wrong))
		warnings_tell("%s", wrong.message);
	rows = make_rows(&kinds);
	table.array = rows;
	table.nr = kinds.nr;
	ret = table_rows_print(&table, file, given, picker, NULL, err);
	if (!ret)
		row_picker_tell(picker);
	for (unsigned int i = 0; i < kinds.nr; i++) {
		text_fini(&rows[i].from);
		text_fini(&rows[i].events);
	}
	free(rows);
	text_fini(&pairs);
	latency_kinds_fini(&kinds);
	return ret;
}
