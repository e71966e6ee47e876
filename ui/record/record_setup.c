/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/record/record_setup.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/small_file.h"
#include "src/recording/ready_setups.h"

void record_setup_fini(struct record_setup *setup)
{
	for (int i = 0; i < NR_SETUP_FIELDS; i++)
		text_fini(&setup->values[i]);
	for (unsigned int i = 0; i < setup->nr_events; i++) {
		free(setup->events[i].pattern);
		free(setup->events[i].filter);
	}
	free(setup->events);
	shell_words_fini(&setup->functions);
	shell_words_fini(&setup->pids);
	*setup = (struct record_setup){ 0 };
}

static struct setup_event *add_event(struct record_setup *setup, const char *pattern,
				     const char *filter)
{
	mem_grow(&setup->events, setup->nr_events, &setup->cap_events);
	setup->events[setup->nr_events] = (struct setup_event){ mem_strdup(pattern),
								filter ? mem_strdup(filter) :
									 NULL };
	return &setup->events[setup->nr_events++];
}

static void set(struct text *t, const char *value)
{
	text_clear(t);
	text_add(t, value);
}

/* --- words to fields ------------------------------------------------------- */

static const struct option_def *option_of(const struct command_def *record, int id)
{
	for (const struct option_def *def = record->options; def->name || def->letter; def++)
		if (def->id == id)
			return def;
	return NULL;
}

static bool is_named(const struct option_def *def, const char *name)
{
	return def->name && !strcmp(def->name, name);
}

/* Options whose position in the command matters. */
static bool is_order_dependent(const struct option_def *def)
{
	return def->letter == 'v' || def->letter == 'B' || def->letter == 'R';
}

/* Several -f of one event must all hold: join them with &&. */
static void join_filter(char **filter, const char *value)
{
	struct text both = { 0 };

	if (!*filter) {
		*filter = mem_strdup(value);
		return;
	}
	text_printf(&both, "(%s)&&(%s)", *filter, value);
	free(*filter);
	*filter = both.data;
}

static void add_pids(struct record_setup *setup, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		char *pid = mem_strndup(list, len);

		if (len)
			shell_words_add(&setup->pids, pid);
		free(pid);
		list += len + (list[len] == ',');
	}
}

static const struct { char letter; const char *name; enum setup_field field; } plain_options[] = {
	{ 'p', "tracer", SETUP_TRACER },	{ 0, "max-graph-depth", SETUP_DEPTH },	{ 0, "cpu",
		SETUP_CPUS },
	{ 'C', "clock", SETUP_CLOCK },		{ 'b', "buffer-size", SETUP_BUFFER },	{ 0,
		"duration", SETUP_DURATION },
	{ 0, "size", SETUP_SIZE },		{ 0, "until", SETUP_UNTIL },
	{ 'o', "output", SETUP_FILE },		{ 0, "measure", SETUP_MEASURE },
};

#define NR_PLAIN (sizeof(plain_options) / sizeof(plain_options[0]))

/* True: the option has a field. */
static bool take_option(struct record_setup *setup, const struct option_def *def, const char *value)
{
	bool graph = !strcmp(text_str(&setup->values[SETUP_TRACER]), "function_graph");

	for (size_t i = 0; i < NR_PLAIN; i++) {
		if (!is_named(def, plain_options[i].name))
			continue;
		if (plain_options[i].field == SETUP_UNTIL && setup->values[SETUP_UNTIL].len)
			return false;	/* all of them count */
		if (plain_options[i].field == SETUP_MEASURE && graph)
			return false;	/* its row has the depth */
		if (plain_options[i].field == SETUP_MEASURE && setup->values[SETUP_MEASURE].len)
			text_char(&setup->values[SETUP_MEASURE], ',');
		else
			text_clear(&setup->values[plain_options[i].field]);
		text_add(&setup->values[plain_options[i].field], value);
		return true;
	}
	if (def->letter == 'e')
		add_event(setup, value, NULL);
	else if (def->letter == 'f' && setup->nr_events)
		join_filter(&setup->events[setup->nr_events - 1].filter, value);
	else if (def->letter == (graph ? 'g' : 'l'))
		shell_words_add(&setup->functions, value);
	else if (def->letter == 'P')
		add_pids(setup, value);
	else if (def->letter == 'F')
		setup->only_command = true;
	else if (def->letter == 'c')
		setup->children = true;
	else
		return false;
	return true;
}

static void keep_as_words(struct shell_words *more, const struct option_def *def, const char *value)
{
	if (def->letter)
		shell_words_addf(more, "-%c", def->letter);
	else
		shell_words_addf(more, "--%s", def->name);
	if (value)
		shell_words_add(more, value);
}

static bool is_ordered(const struct command_def *record, const struct option_list *list)
{
	for (unsigned int i = 0; i < list->nr; i++)
		if (is_order_dependent(option_of(record, list->values[i].id)))
			return true;
	return false;
}

static void take_list(struct record_setup *setup, const struct command_def *record,
		      const struct option_list *list)
{
	struct shell_words more = { 0 }, command = { 0 };
	bool ordered = is_ordered(record, list);

	/* its options depend on the tracer, wherever it stands */
	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_def *def = option_of(record, list->values[i].id);

		if (is_named(def, "tracer") && !setup->values[SETUP_TRACER].len)
			set(&setup->values[SETUP_TRACER], list->values[i].value);
	}
	if (ordered)
		text_clear(&setup->values[SETUP_TRACER]);
	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_def *def = option_of(record, list->values[i].id);

		if (ordered || !take_option(setup, def, list->values[i].value))
			keep_as_words(&more, def, list->values[i].value);
	}
	for (unsigned int i = 0; i < list->nr_operands; i++)
		shell_words_add(&command, list->operands[i]);
	shell_words_join(&more, &setup->values[SETUP_MORE]);
	shell_words_join(&command, &setup->values[SETUP_COMMAND]);
	shell_words_fini(&more);
	shell_words_fini(&command);
}

void record_setup_settle(struct record_setup *setup, const struct command_def *record)
{
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };
	struct option_list list;

	if (!record_setup_words(setup, &words, &err) &&
	    !options_parse(record, (int)words.nr, words.words, &list, &err)) {
		if (!is_ordered(record, &list)) {
			record_setup_fini(setup);
			take_list(setup, record, &list);
		}
		options_fini(&list);
	}
	shell_words_fini(&words);
}

int record_setup_read(struct record_setup *setup, const struct command_def *record,
		      const char *line, struct ft_error *err)
{
	struct shell_words words = { 0 };
	struct option_list list;
	int ret;

	ret = shell_words_split(&words, line, err);
	if (!ret)
		ret = options_parse(record, (int)words.nr, words.words, &list, err);
	if (!ret) {
		record_setup_fini(setup);
		take_list(setup, record, &list);
		options_fini(&list);
	}
	shell_words_fini(&words);
	return ret;
}

/* --- fields to words ------------------------------------------------------- */

static void add_option(struct shell_words *words, char letter, const char *name, const char *value)
{
	if (letter)
		shell_words_addf(words, "-%c", letter);
	else
		shell_words_addf(words, "--%s", name);
	if (value)
		shell_words_add(words, value);
}

static void add_tasks(const struct record_setup *setup, struct shell_words *words)
{
	struct text pids = { 0 };

	for (unsigned int i = 0; i < setup->pids.nr; i++)
		text_printf(&pids, "%s%s", i ? "," : "", setup->pids.words[i]);
	if (pids.len)
		add_option(words, 'P', NULL, text_str(&pids));
	if (setup->only_command)
		add_option(words, 'F', NULL, NULL);
	if (setup->children)
		add_option(words, 'c', NULL, NULL);
	text_fini(&pids);
}

int record_setup_words(const struct record_setup *setup, struct shell_words *words,
		       struct ft_error *err)
{
	bool graph = !strcmp(text_str(&setup->values[SETUP_TRACER]), "function_graph");
	unsigned int before;

	for (size_t i = 0; i < NR_PLAIN; i++) {
		const struct text *value = &setup->values[plain_options[i].field];

		if (value->len)
			add_option(words, plain_options[i].letter, plain_options[i].name,
				   text_str(value));
		if (i)
			continue;
		for (unsigned int k = 0; k < setup->nr_events; k++) {	/* after the tracer */
			add_option(words, 'e', NULL, setup->events[k].pattern);
			if (setup->events[k].filter)
				add_option(words, 'f', NULL, setup->events[k].filter);
		}
		for (unsigned int k = 0; k < setup->functions.nr; k++)
			add_option(words, graph ? 'g' : 'l', NULL, setup->functions.words[k]);
		add_tasks(setup, words);
	}
	if (shell_words_split(words, text_str(&setup->values[SETUP_MORE]), err))
		return ft_error_prefix(err, "more options");
	if (!setup->values[SETUP_COMMAND].len)
		return 0;
	before = words->nr;
	if (shell_words_split(words, text_str(&setup->values[SETUP_COMMAND]), err))
		return ft_error_prefix(err, "command");
	if (words->nr > before && words->words[before][0] == '-')
		return ft_error_set(err, FT_E_USAGE, 0, "command: begins with '-'");
	return 0;
}

/* --- events --------------------------------------------------------------- */

/*
 * Same rule as recorder/plan/record_plan: with a colon both parts are globs; a single word matches
 * systems, and events of any system.
 */
bool record_setup_matches(const char *pattern, const struct capability *event)
{
	const char *colon = strpbrk(pattern, ":/"), *name = event->name + event->system_len + 1;
	char system[256], wanted[256];

	if (!strcmp(pattern, "all"))
		return true;
	/*
	 * fast path: most patterns are no globs, and there may be hundreds for thousands of events
	 */
	if (colon && *colon == ':' && colon > pattern && colon[1] &&
	    !pattern[strcspn(pattern, "*?[\\")])
		return !strcmp(pattern, event->name);
	if (!colon && !pattern[strcspn(pattern, "*?[\\")])
		return !strcmp(pattern, name) ||
		       (!strncmp(pattern, event->name, event->system_len) &&
			!pattern[event->system_len]);
	snprintf(system, sizeof(system), "%.*s", (int)event->system_len, event->name);
	if (!colon)
		return !fnmatch(pattern, system, 0) || !fnmatch(pattern, name, 0);
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(colon - pattern), pattern);
	return (!*wanted || !fnmatch(wanted, system, 0)) &&
	       (!colon[1] || !fnmatch(colon + 1, name, 0));
}

bool record_setup_ticked(const struct record_setup *setup, const struct capability *event)
{
	for (unsigned int i = 0; i < setup->nr_events; i++)
		if (record_setup_matches(setup->events[i].pattern, event))
			return true;
	return false;
}

unsigned int record_setup_nr_ticked(const struct record_setup *setup,
				    const struct capability_list *events)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; setup->nr_events && i < events->nr; i++)
		nr += record_setup_ticked(setup, &events->items[i]);
	return nr;
}

static bool same_system(const struct capability *a, const struct capability *b)
{
	return a->system_len == b->system_len && !memcmp(a->name, b->name, a->system_len);
}

const char *record_setup_filter_of(const struct record_setup *setup, const struct capability *event)
{
	for (unsigned int i = 0; i < setup->nr_events; i++)
		if (setup->events[i].filter &&
		    record_setup_matches(setup->events[i].pattern, event))
			return setup->events[i].filter;
	return "";
}

/*
 * Rebuilds the patterns from the ticks, but keeps patterns of events that this kernel is not known
 * to have.
 */
static void retick(struct record_setup *setup, const struct capability_list *events, const bool *on)
{
	struct record_setup was = *setup;
	unsigned int from, to;

	setup->events = NULL;
	setup->nr_events = setup->cap_events = 0;
	for (unsigned int i = 0; i < was.nr_events; i++) {
		bool known = false;

		for (unsigned int k = 0; k < events->nr && !known; k++)
			known = record_setup_matches(was.events[i].pattern, &events->items[k]);
		if (!known)
			add_event(setup, was.events[i].pattern, was.events[i].filter);
	}
	for (from = 0; from < events->nr; from = to) {
		const struct capability *first = &events->items[from];
		bool whole = true;
		char *system = mem_strndup(first->name, first->system_len);

		for (to = from; to < events->nr && same_system(first, &events->items[to]); to++)
			whole = whole && on[to] &&
				!*record_setup_filter_of(&was, &events->items[to]);
		if (whole)
			add_event(setup, system, NULL);
		for (unsigned int i = from; i < to && !whole; i++) {
			const char *filter = record_setup_filter_of(&was, &events->items[i]);

			if (on[i])
				add_event(setup, events->items[i].name, *filter ? filter : NULL);
		}
		free(system);
	}
	for (unsigned int i = 0; i < was.nr_events; i++) {
		free(was.events[i].pattern);
		free(was.events[i].filter);
	}
	free(was.events);
}

void record_setup_tick(struct record_setup *setup, const struct capability_list *events,
		       unsigned int event, bool whole_system, bool on)
{
	bool *ticks = mem_array(events->nr ? events->nr : 1, sizeof(*ticks));

	for (unsigned int i = 0; i < events->nr; i++) {
		ticks[i] = record_setup_ticked(setup, &events->items[i]);
		if (i == event ||
		    (whole_system && same_system(&events->items[i], &events->items[event])))
			ticks[i] = on;
	}
	retick(setup, events, ticks);
	free(ticks);
}

void record_setup_filter(struct record_setup *setup, const struct capability_list *events,
			 unsigned int event, const char *filter)
{
	const char *name = events->items[event].name;
	struct setup_event *own = NULL;

	/* first take the event out of the pattern that also holds others */
	record_setup_tick(setup, events, event, false, false);
	for (unsigned int i = 0; i < setup->nr_events; i++)
		if (!strcmp(setup->events[i].pattern, name))
			own = &setup->events[i];
	if (!own)
		own = add_event(setup, name, NULL);
	free(own->filter);
	own->filter = *filter ? mem_strdup(filter) : NULL;
	record_setup_tick(setup, events, event, false, true);
}

/* --- names ---------------------------------------------------------------- */

static void add_named(struct named_setups *setups, const char *name, const char *line,
		      const char *question)
{
	mem_grow(&setups->all, setups->nr, &setups->cap);
	setups->all[setups->nr++] = (struct named_setup){ mem_strdup(name), mem_strdup(line),
							  question, NULL };
}

void named_setups_fini(struct named_setups *setups)
{
	for (unsigned int i = 0; i < setups->nr; i++) {
		free(setups->all[i].name);
		free(setups->all[i].line);
		free(setups->all[i].mistake);
	}
	free(setups->all);
	*setups = (struct named_setups){ 0 };
}

void named_setups_read(struct named_setups *setups, const char *path)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t cap = 0;
	char *line = NULL;

	named_setups_fini(setups);
	for (unsigned int i = 0; ready_setup(i); i++)
		add_named(setups, ready_setup(i)->name, ready_setup(i)->line,
			  ready_setup(i)->question);
	while (file && setups->nr < 1000 && getline(&line, &cap, file) >= 0) {
		char *colon = strchr(line, ':');

		line[strcspn(line, "\n")] = '\0';
		if (!colon || *line == '#' || colon == line)
			continue;
		*colon++ = '\0';
		add_named(setups, line, colon + strspn(colon, " "), NULL);
	}
	free(line);
	if (file)
		fclose(file);
}

static int check_name(const struct named_setups *setups, const char *name, struct ft_error *err)
{
	if (!*name || *name == '#' || *name == ' ' || strpbrk(name, ":\n"))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "a preset's name is one or more words without ':'");
	for (unsigned int i = 0; i < setups->nr; i++)
		if (setups->all[i].question && !strcmp(setups->all[i].name, name))
			return ft_error_set(err, FT_E_USAGE, -1,
					    "%s is a ready preset; choose another name", name);
	return 0;
}

int named_setups_put(struct named_setups *setups, const char *path, const char *name,
		     const char *line, struct ft_error *err)
{
	struct text out = { 0 };
	bool put = !line;
	int ret;

	if (check_name(setups, name, err))
		return -1;
	text_add(&out,
		 "# presets of ftop-trace's record screen, NAME: options of ftop-trace record\n");
	for (unsigned int i = 0; i < setups->nr; i++) {
		bool same = !strcmp(setups->all[i].name, name);

		if (!setups->all[i].question && !same)
			text_printf(&out, "%s: %s\n", setups->all[i].name, setups->all[i].line);
		if (same && line)
			text_printf(&out, "%s: %s\n", name, line);
		put = put || same;
	}
	if (!put)
		text_printf(&out, "%s: %s\n", name, line);
	ret = small_file_replace(path, &out, 0600, err);
	text_fini(&out);
	if (!ret)
		named_setups_read(setups, path);
	return ret;
}
