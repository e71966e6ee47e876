/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/check_look.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

#include "parsers/source/source.h"
#include "parsers/types/event_types.h"

struct looking {			/* a rule looks at a table */
	const struct check_trace *of;
	const struct check_rule *rule;
	const struct command_table *table;	/* NULL: the trace as a whole */
	const struct table_rows *rows;
	const struct table_column *column, *name;	/* name: of rows; NULL: they have none */
	const char	*row;		/* its name; NULL: all rows */
	double		scale;		/* of figures: wait% is a share */
	struct text	cell;		/* the name of the row at hand */
	uint64_t	nr;		/* rows so far */
	bool		is_mixed;	/* a row counts other events, too */
	bool		any;		/* these are of a row, the worst so far: */
	double		badness;
	struct text	worst, word;
	struct list_place place;
	struct check_line *line;
};

/* --- a figure --------------------------------------------------------------------------------- */

static bool is_time(const struct table_column *column)
{
	size_t len = column->name ? strlen(column->name) : 0;

	return column->kind == TABLE_TIME || column->kind == TABLE_DURATION ||
	       (len > 3 && !strcmp(column->name + len - 3, "_ns"));
}

static bool is_word(const struct table_column *column)
{
	return column->kind == TABLE_STRING;
}

static const char *title_of(const struct table_column *column)
{
	return column->name ?: column->title;
}

/*
 * The row's figure, NAN if it has none, and between which numbers it is.  Return: does the command
 * know that?
 */
static bool find_figure(const struct looking *l, const void *row, struct check_line *line)
{
	const struct table_rows *rows = l->rows;
	const struct table_column *column = l->column;
	bool lossy = l->table && (l->of->is_lossy || rows->lacks), is_told;

	if (!table_out_figure(column, row, &line->figure))
		line->figure = NAN;
	is_told = rows->bounds && rows->bounds(rows->arg, column, row, &line->least, &line->most);
	if (!is_told)
		table_out_bounds(rows->columns, column, row, lossy, &line->least, &line->most);
	else if (lossy && column->bound == TABLE_AT_LEAST)
		line->most = INFINITY;
	else if (lossy && column->bound == TABLE_AT_MOST)
		line->least = 0;
	line->figure *= l->scale;
	line->least *= l->scale;
	line->most *= l->scale;
	return is_told;
}

static double badness(const struct check_rule *rule, const struct check_line *line)
{
	switch (rule->op) {
	case CHECK_LESS:
	case CHECK_AT_MOST:
		return line->least;
	case CHECK_AT_LEAST:
	case CHECK_MORE:
		return -line->most;
	case CHECK_EQUAL:
		return fmax(fabs(line->least - rule->number), fabs(line->most - rule->number));
	case CHECK_OTHER:
		break;
	}
	return 0;
}

static void add_number(const struct looking *l, double v, struct text *out)
{
	struct text cell = { 0 };

	if (l->scale == 1 && is_time(l->column) && !l->rows->clock && v >= 0)
		text_duration(&cell, (uint64_t)v);
	else
		text_printf(&cell, l->scale == 1 ? "%.15g" : "%.3g %%", v);
	text_trimmed(out, &cell);
	text_fini(&cell);
}

/* "max_ns of syscall is 3.2 ms", and what it may be, if the figure alone does not decide. */
static void add_sentence(const struct looking *l, struct text *out)
{
	const struct check_line *line = l->line;
	bool decides = check_rule_judge(l->rule, line->figure, line->figure) == line->verdict &&
		       !isnan(line->figure);

	text_printf(out, "%s%s%s is ", title_of(l->column), line->row ? " of " : "",
		    line->row ?: "");
	if (line->word)
		text_add(out, line->word);
	else if (isnan(line->figure))
		text_add(out, "blank");
	else
		add_number(l, line->figure, out);
	if (line->word || decides)
		return;
	text_add(out, "; with what is missing it is ");
	if (line->least > 0 || !isfinite(line->most)) {
		text_add(out, "at least ");
		add_number(l, line->least, out);
	}
	if (isfinite(line->most)) {
		text_add(out, line->least > 0 ? ", at most " : "at most ");
		add_number(l, line->most, out);
	}
	text_add(out,
		 l->of->is_lossy ? ": events were lost, or not kept" :
		 l->rows->lacks  ? ": switches are missing, or tasks or CPUs were not recorded" :
				   ": some are open or doubtful");
}

/* --- places ----------------------------------------------------------------------------------- */

static bool number_of(const struct looking *l, const void *row, const char *name, int64_t *number)
{
	const struct table_columns *columns = l->rows->columns;

	for (unsigned int i = 0; i < columns->nr; i++) {
		const struct table_column *column = &columns->list[i];

		if (!column->name || strcmp(column->name, name) != 0 ||
		    table_column_is_string(column) || !table_out_known(column, row))
			continue;
		*number = table_out_number(column, row);
		return true;
	}
	return false;
}

/* By the row's columns: max_spare_ns is from max_spare_start_ns on, max_ns from max_ts_ns on. */
static void place_by_columns(struct looking *l, const void *row)
{
	const char *times[] = { NULL, NULL, "start_ns", "wake_ts_ns", "ts_ns" };
	struct list_place *place = &l->place;
	char own[80], at[80];
	int64_t number;
	int len = (int)strlen(title_of(l->column));

	len -= len > 3 && !strcmp(title_of(l->column) + len - 3, "_ns") ? 3 : 0;
	snprintf(own, sizeof(own), "%.*s_start_ns", len, title_of(l->column));
	snprintf(at, sizeof(at), "%.*s_ts_ns", len, title_of(l->column));
	times[0] = own;
	times[1] = at;
	if (number_of(l, row, "cpu", &number))
		place->cpu = (int)number;
	if (number_of(l, row, "pid", &number))
		place->pid = (int)number;
	for (unsigned int i = 0; i < 5 && !place->is_moment; i++)
		place->is_moment = number_of(l, row, times[i], &place->ts);
}

static void find_place(struct looking *l, const void *row)
{
	const struct list_place none = { .ref = TRACE_REF_NONE, .pid = -1, .cpu = -1 };
	struct trace_event event;

	l->place = none;
	if (!l->rows->place || !l->rows->place(l->rows->arg, l->column, row, &l->place)) {
		l->place = none;
		place_by_columns(l, row);
	}
	if (!l->place.is_moment && l->place.ref != TRACE_REF_NONE &&
	    trace_event_at(l->of->trace, l->place.ref, &event))
		l->place = (struct list_place){ .is_moment = true, .ts = event.ts,
						.pid = event.pid, .cpu = event.cpu };
}

void check_words(const struct check_trace *of, const struct check_rule *rule,
		 struct shell_words *words)
{
	for (unsigned int i = 0; i < rule->nr_options; i++)
		shell_words_add(words, rule->options[i]);
	for (unsigned int i = 0; i < of->part->nr; i++)
		shell_words_add(words, of->part->words[i]);
	if (rule->filter.s)
		shell_words_addf(words, "--filter=%s", rule->filter.s);
}

/* What shows it: the browser at the place, or the table sorted by the column. */
static void add_command(const struct looking *l, struct text *out)
{
	const struct command_table *table = l->table;
	struct trace *trace = l->of->trace;
	bool of_task = l->place.pid > 0 && trace_has_switches(trace, 0),
	     is_least = l->rule->op == CHECK_AT_LEAST || l->rule->op == CHECK_MORE;
	struct shell_words words = { 0 };
	struct text at = { 0 };

	shell_words_add(&words, "ftop-trace");
	if (l->any && l->place.is_moment) {
		trace_time_text(trace, l->place.ts, 9, &at);
		if (of_task)
			text_printf(&at, " pid%d", l->place.pid);
		else if (l->place.cpu >= 0)
			text_printf(&at, " cpu%d", l->place.cpu);
		shell_words_addf(&words, "--view=%s", of_task ? "timeline" : "events");
		shell_words_addf(&words, "--at=%s", text_str(&at));
	} else if (table) {
		shell_words_add(&words, table->def->name);
		if (table->option)
			shell_words_add(&words, table->option);
		check_words(l->of, l->rule, &words);
		if (l->any)
			shell_words_addf(&words, "--sort=%s%s", title_of(l->column),
					 is_least ? ":asc" : "");
	} else {
		shell_words_add(&words, "info");
	}
	shell_words_add(&words, trace_path(trace, 0));
	shell_words_join(&words, out);
	shell_words_fini(&words);
	text_fini(&at);
}

static const struct table_column *first_count(const struct table_columns *columns)
{
	for (unsigned int i = 0; i < columns->nr; i++) {
		const struct table_column *column = &columns->list[i];

		if (column->name && column->kind == TABLE_COUNT &&
		    column->bound == TABLE_AT_LEAST && !table_column_is_out(column, columns->lacks))
			return column;
	}
	return NULL;
}

/* --- the rows of a table ---------------------------------------------------------------------- */

/* A blank figure only counts if what was left out of it would break the rule. */
static bool judge(struct looking *l, const void *row, struct check_line *line)
{
	const struct table_column *column = l->column;
	bool is_equal, is_told;

	if (!is_word(column)) {
		is_told = find_figure(l, row, line);
		line->verdict = check_rule_judge(l->rule, line->least, line->most);
		return !isnan(line->figure) ||
		       (line->verdict != CHECK_HOLDS && (is_told || table_out_mark(column, row)));
	}
	if (!table_out_known(column, row))
		return false;
	text_clear(&l->cell);
	table_out_string(column, row, &l->cell);
	is_equal = !fnmatch(l->rule->limit.s, text_str(&l->cell), 0);
	line->verdict = is_equal == (l->rule->op == CHECK_EQUAL) ? CHECK_HOLDS : CHECK_BROKEN;
	return true;
}

/* "wakeup"; "cpu 2", which rules call 2 */
static void add_name(const struct looking *l, const void *row, bool with_title, struct text *out)
{
	if (!l->name || !table_out_known(l->name, row))
		return;
	if (table_column_is_string(l->name))
		table_out_string(l->name, row, out);
	else
		text_printf(out, "%s%s%lld", with_title ? l->name->name : "", with_title ? " " : "",
			    (long long)table_out_number(l->name, row));
}

/* Rows are events and their numbers, and the rule is about some of them. */
static bool is_of_events(const struct looking *l)
{
	return l->row && l->name && !strcmp(l->name->name, "event") &&
	       l->column == first_count(l->rows->columns);
}

/* "rv:error_*": is it one of these that is called so?  A row counts those of all systems. */
static bool is_event(struct looking *l, const char *name)
{
	struct trace_type_count *types;
	unsigned int nr = trace_type_counts(l->of->trace, &types);
	bool is = false, other = false;

	for (unsigned int i = 0; i < nr; i++) {
		if (!types[i].type || !types[i].events || strcmp(types[i].type->name, name) != 0)
			continue;
		is |= event_type_is(types[i].type, l->row);
		other |= !event_type_is(types[i].type, l->row);
	}
	free(types);
	l->is_mixed |= is && other;
	return is;
}

static bool is_wanted(struct looking *l, const void *row)
{
	text_clear(&l->cell);
	add_name(l, row, false, &l->cell);
	return !l->row || !fnmatch(l->row, text_str(&l->cell), 0) ||
	       (is_of_events(l) && is_event(l, text_str(&l->cell)));
}

static void look_at_row(struct looking *l, const void *row)
{
	static const int ranks[] = { [CHECK_HOLDS] = 0, [CHECK_UNKNOWN] = 1, [CHECK_BROKEN] = 2 };
	struct check_line found = *l->line;
	double bad;

	if (!is_wanted(l, row))
		return;
	l->nr++;
	if (!judge(l, row, &found))
		return;
	bad = badness(l->rule, &found);
	if (l->any && (ranks[found.verdict] < ranks[l->line->verdict] ||
		       (found.verdict == l->line->verdict && bad <= l->badness)))
		return;
	*l->line = found;
	l->any = true;
	l->badness = bad;
	text_clear(&l->word);
	if (is_word(l->column))
		text_add(&l->word, text_str(&l->cell));
	text_clear(&l->worst);
	add_name(l, row, true, &l->worst);
	find_place(l, row);
}

/* --- which column ----------------------------------------------------------------------------- */

/* "wait%": that column as a share of the trace's length.  NULL: there is none of times. */
static const struct table_column *find_share(const struct table_columns *columns, const char *word)
{
	size_t len = strlen(word);
	char *name = mem_strndup(word, len - (len > 0));
	const struct table_column *column = table_out_find(columns, FORMAT_CSV, "", name, NULL);

	free(name);
	return column && is_time(column) && word[len - 1] == '%' ? column : NULL;
}

/* A single word that is no column is a row. */
static int find_column(struct looking *l, struct ft_error *err)
{
	const struct table_columns *columns = l->rows->columns;
	const struct check_rule *rule = l->rule;
	const char *word = rule->column.s;

	l->scale = 1;
	l->row = word == rule->row.s ? NULL : rule->row.s;
	if (word)
		l->column = table_out_find(columns, FORMAT_CSV,
					   check_rule_place(l->of->rules, rule, &rule->column),
					   word, err);
	if (!l->column && word && (l->column = find_share(columns, word)))
		l->scale = l->of->span > 0 ? 100 / l->of->span : NAN;
	if (!l->column && word && strcmp(word, "n") != 0 && rule->row.s == word)
		l->row = word;
	else if (!l->column && word && strcmp(word, "n") != 0)
		return -1;
	if (!l->column)
		l->column = first_count(columns);
	return l->column ? 0 :
			   ft_error_set(err, FT_E_USAGE, -1,
					"%s: %s has no counts: name a column before the limit",
					check_rule_place(l->of->rules, rule, &rule->table),
					rule->table.s);
}

/* Does the limit fit the column? */
static int check_limit(const struct looking *l, struct ft_error *err)
{
	const struct check_rule *rule = l->rule;
	const char *word = rule->column.s ?: "", *what = NULL, *clock = l->rows->clock;
	bool of_time = is_time(l->column) && l->scale == 1,
	     in_ns = strlen(word) > 3 && !strcmp(word + strlen(word) - 3, "_ns");

	if (is_word(l->column) && rule->op != CHECK_EQUAL && rule->op != CHECK_OTHER)
		what = "has words, which are compared by == and !=";
	else if (is_word(l->column))
		return 0;
	else if (!rule->is_number)
		what = "has numbers, and this is none";
	else if (rule->unit == CHECK_TIME && !of_time)
		what = "is no time: the limit is a plain number";
	else if (rule->unit == CHECK_TIME && clock)
		what = "is in units of the trace's clock: the limit is a plain number";
	else if (of_time && !clock && rule->unit != CHECK_TIME && rule->number != 0 && !in_ns)
		what = "is a time: the limit needs a unit, as in 100us or 10ms";
	return what ? ft_error_set(err, FT_E_USAGE, -1, "%s: %s %s",
				   check_rule_place(l->of->rules, rule, &rule->limit),
				   title_of(l->column), what) :
		      0;
}

/* --- a rule ----------------------------------------------------------------------------------- */

/* Names of the events that the rule is about, as far as the trace has their formats. */
static bool add_events(const struct looking *l, struct text *out)
{
	const struct source *source = trace_file_of(l->of->trace, 0);
	bool any = false;

	for (unsigned int i = 0; i < source_nr_formats(source); i++) {
		const struct event_type *type = event_types_find(trace_event_types(l->of->trace, 0),
								 source_format(source, i)->id);

		if (!type || !event_type_is(type, l->row))
			continue;
		if (out)
			text_printf(out, "%s%s", any ? ", " : "", type->name);
		any = true;
	}
	return any;
}

static void add_nearest(struct looking *l, struct text *out)
{
	const char **names = NULL, *near;
	unsigned int nr = 0, cap = 0;

	for (uint64_t i = 0; i < l->rows->nr && l->rows->nr != UINT64_MAX; i++) {
		const void *row = table_rows_at(l->rows, i);

		if (!row)
			continue;
		text_clear(&l->cell);
		add_name(l, row, false, &l->cell);
		mem_grow(&names, nr, &cap);
		names[nr++] = arena_strndup(&l->of->rules->arena, text_str(&l->cell), l->cell.len);
	}
	near = options_nearest(l->row, names, nr);
	if (near)
		text_printf(out, "; did you mean %s?", near);
	free(names);
}

/* No row has a figure that counts. */
static void find_nothing(struct looking *l, struct text *why)
{
	struct check_line *line = l->line;
	struct text names = { 0 };

	line->verdict = CHECK_UNKNOWN;
	if (!l->nr && is_of_events(l) && trace_records_event(l->of->trace, 0, l->row)) {
		line->figure = line->least = 0;
		line->most = l->of->is_lossy || l->rows->lacks ? INFINITY : 0;
		line->verdict = check_rule_judge(l->rule, 0, line->most);
		add_events(l, &names);
		line->row = arena_strndup(&l->of->rules->arena, text_str(&names), names.len);
		add_sentence(l, why);
	} else if (l->nr) {
		text_add(why, "nothing was measured");
	} else {
		text_printf(why, "%s has no rows", l->rule->table.s);
		if (l->row) {
			text_printf(why, " named %s", l->row);
			add_nearest(l, why);
			if (is_of_events(l) && add_events(l, NULL))
				text_add(why, "; the trace does not tell whether it was recorded");
		}
	}
	text_fini(&names);
}

/* What stays of the worst row. */
static void finish(struct looking *l)
{
	struct arena *arena = &l->of->rules->arena;
	struct check_line *line = l->line;
	struct text why = { 0 }, command = { 0 };

	if (l->any) {
		line->row = l->worst.len ? arena_strndup(arena, text_str(&l->worst), l->worst.len) :
					   NULL;
		line->word = l->word.len ? arena_strndup(arena, text_str(&l->word), l->word.len) :
					   NULL;
		line->has_at = l->place.is_moment;
		line->at = l->place.ts;
		line->cpu = l->place.cpu;
		if (l->place.pid >= 0)
			line->task = arena_printf(arena, "%s-%d",
						  trace_comm(l->of->trace, 0, l->place.pid,
							     line->has_at ? line->at : INT64_MAX),
						  l->place.pid);
		add_sentence(l, &why);
		if (l->is_mixed) {
			line->verdict = CHECK_UNKNOWN;
			text_add(&why, "; events of other systems with this name count, too");
		}
	} else {
		find_nothing(l, &why);
	}
	add_command(l, &command);
	line->why = arena_strndup(arena, text_str(&why), why.len);
	line->command = arena_strndup(arena, text_str(&command), command.len);
	text_fini(&why);
	text_fini(&command);
}

int check_look(const struct check_trace *of, const struct check_rule *rule,
	       const struct command_table *table, const struct table_rows *rows,
	       struct check_line *line, struct ft_error *err)
{
	struct looking l = { .of = of, .rule = rule, .table = table, .rows = rows, .line = line };
	const struct table_columns *columns = rows->columns;
	bool any = false;

	for (unsigned int k = 0; table && k < columns->nr && !l.name; k++)
		l.name = columns->list[k].name ? &columns->list[k] : NULL;
	if (l.name && l.name->kind == TABLE_MOMENT)
		l.name = NULL;
	line->cpu = -1;
	line->figure = line->least = line->most = NAN;
	if (find_column(&l, err) || check_limit(&l, err))
		return -1;
	for (uint64_t k = 0; k < rows->nr; k++) {
		const void *row = table_rows_at(rows, k);

		if (!row && rows->nr == UINT64_MAX)
			break;
		if (row)
			look_at_row(&l, row);
		any |= row != NULL;
	}
	finish(&l);
	text_fini(&l.cell);
	text_fini(&l.worst);
	text_fini(&l.word);
	return any;
}
