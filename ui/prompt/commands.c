/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/commands.h"

#include <string.h>

#include "src/base/memory.h"
#include "src/counts/counts.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"
#include "ui/prompt/filter_line.h"
#include "ui/prompt/filter_list.h"
#include "ui/prompt/lists.h"
#include "ui/prompt/message_list.h"
#include "ui/prompt/pairs.h"
#include "ui/prompt/why_list.h"
#include "ui/rows/goto.h"
#include "ui/session/filter_names.h"
#include "ui/session/options.h"
#include "ui/session/reopen.h"
#include "ui/session/save.h"
#include "ui/view/help.h"

/* --- what they do --------------------------------------------------------- */

static void write_rows(struct app *app, const char *path)
{
	if (*path)
		save_start(app, path, FORMAT_TEXT);
	else
		app_error(app, ":w needs a file name");
}

static void edit(struct app *app, const char *path)
{
	if (*path)
		reopen_file(app, path);
	else
		reopen_same(app);
}

static void theme(struct app *app, const char *name)
{
	if (*name)
		app_load_theme(app, name);
	else
		app_message(app, "theme %s", app->theme.name);
}

static void messages(struct app *app, const char *arg)
{
	(void)arg;
	message_list_open(app);
}

static void filters(struct app *app, const char *arg)
{
	(void)arg;
	filter_list_open(app);
}

/* It names a filter, and does not use one that has the name. */
static void hint_name(const struct app *app, struct text *out)
{
	if (!app->shared.chosen.filters.nr) {
		text_add(
			out,
			"no filter is on that could get a name; f NAME uses one, :filters lists all");
		return;
	}
	text_add(out, "gives this name to the filter ");
	filters_expression(&app->shared.chosen.filters, out);
}

static bool has_plots(const struct view_ops *ops)
{
	return ops->moments && ops->moments->plot;
}

/* Adds the plot in the view that has such rows. */
static void plot(struct app *app, const char *what)
{
	if (!*what) {
		app_error(app, ":plot needs an event or a field of one: :plot sched_waking, :plot "
			       "cpu_frequency.state");
		return;
	}
	if (!has_plots(app->ops) && app->shared.at.here.set)
		views_show_at(app, VIEW_TIMELINE, &app->shared.at.here);
	if (has_plots(app->ops))
		app->ops->moments->plot(app->view, what);
	app->dirty = true;
}

static void count(struct app *app, const char *arg)
{
	const char *words = *arg ? arg : "by event";
	struct counts_options options;
	struct ft_error err = { 0 };
	struct arena names = { 0 };

	if (!app->view) {
		app_error(app, "no trace is open");
	} else if (counts_parse(words, &names, &options, &err) ||
		   (trace_status(app->shared.trace).complete &&
		    counts_check(app->shared.trace, &options, &err))) {
		app_error(app, ":count: %s", err.message);
	} else {
		text_clear(&app->shared.counting);
		text_add(&app->shared.counting, words);
		views_show(app, VIEW_COUNTS);
	}
	arena_fini(&names);
}

static void list(struct app *app, const char *arg)
{
	if (!app->view || !app->ops->lists)
		app_error(app, "this view has no lists with names");
	else
		lists_open_named(app, arg);
}

static void last(struct app *app, const char *arg)
{
	struct shared *shared = &app->shared;
	struct text length = { 0 };
	struct ft_error err = { 0 };
	int64_t ns = 0;

	if (!shared->trace || !shared->at.has_span) {
		app_error(app, "no trace is open that has events");
		return;
	}
	if (*arg && (goto_parse_duration(arg, &ns, &err) || ns <= 0)) {
		app_error(app, ":last %s: %s", arg, err.code ? err.message : "a length is needed");
		return;
	}
	views_leave(app);
	views_window(app, ns, 0, true);
	shared_span(shared, ns, &length);
	app_message(app,
		    ns ? "range: the last %s, which moves with the end of a recording" :
			 "range: the whole trace",
		    text_str(&length));
	text_fini(&length);
}

static void why(struct app *app, const char *arg)
{
	(void)arg;
	views_publish(app);
	why_list_ask(app, true);
}

static void tour(struct app *app, const char *arg)
{
	(void)arg;
	if (app->options->demo && !strcmp(trace_path(app->shared.trace, 0), app->options->demo))
		views_tour(app);
	else
		app_message(app, "the tour needs the sample trace: ftop-trace demo");
}

static void help(struct app *app, const char *arg)
{
	(void)arg;
	help_open(&app->popup, app->canvas.cols);
}

static void quit(struct app *app, const char *arg)
{
	(void)arg;
	app->above->quit(app);
}

/* --- the table ------------------------------------------------------------ */

static const struct typed_command {
	const char	*name;
	const char	*arg;		/* its form; "": it takes none */
	const char	*help;
	void		 (*run)(struct app *app, const char *arg);	/* "": none was typed */
	void		 (*hint)(const struct app *app, struct text *out);	/* NULL: the help */
} commands[] = {
	{ "w", "FILE", "save rows as text, as S t does", write_rows },
	{ "w!", "FILE", "same as :w; existing files are never overwritten", write_rows },
	{ "wq", "", "quit; marks, notes and filters are kept", quit },
	{ "e", "[FILE]", "open another file; without FILE, read this one again", edit },
	{ "set", "[NAME VALUE]", "set an option, --save keeps it; without NAME, list them",
	  options_set },
	{ "theme", "NAME",
	  "dark, light, mono, high-contrast, colour-blind, your own, or a path", theme },
	{ "messages", "", "list the messages of the bottom line", messages },
	{ "filter", "EXPR", "filter rows, as f does; no EXPR: no filter", filter_line_set },
	{ "filters", "", "list the filters that have names", filters },
	{ "name", "NAME", "save the filter under this name", filter_names_keep, hint_name },
	{ "plot", "EVENT[.FIELD]",
	  "add or remove a Timeline row; * is all events, marker slices of trace_marker", plot },
	{ "pair", "[NAME START END by KEY]",
	  "measure the time between two events in Latency, and keep the pair (Tab completes); "
	  "alone, list the pairs", pairs_add },
	{ "count", "[EVENT] [by FIELD,…] [sum FIELD,…]",
	  "count events with the same values in these fields, in Counts (Tab completes)", count },
	{ "list", "NAME", "show a list of the view, as o does: :list wakeup", list },
	{ "offset", "[[FILE=]TIME]",
	  "shift a file's times: +1.5ms, -2s, 0; no TIME shows it", reopen_offset },
	{ "last", "[TIME]",
	  "limit all lists to the last 10s; no TIME: the whole trace", last },
	{ "why", "",
	  "show what the row's task did from A to B; Y: in the run or wait here", why },
	{ "tour", "", "start the demo's tour again", tour },
	{ "help", "", "list the keys, as ? does", help },
	{ "q", "", "quit", quit },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

const char *commands_describe(unsigned int i, struct text *words)
{
	if (i >= NR_COMMANDS)
		return NULL;
	text_clear(words);
	text_printf(words, ":%s%s%s", commands[i].name, *commands[i].arg ? " " : "",
		    commands[i].arg);
	return commands[i].help;
}

unsigned int commands_complete(const char *begin, size_t len, struct filter_word **words)
{
	unsigned int nr = 0;

	*words = mem_array(NR_COMMANDS, sizeof(**words));
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strncmp(commands[i].name, begin, len))
			(*words)[nr++].text = mem_strdup(commands[i].name);
	return nr;
}

static const struct typed_command *find(const char *s, const char **arg)
{
	size_t len = strcspn(s, " ");

	*arg = s + len + strspn(s + len, " ");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (strlen(commands[i].name) == len && !strncmp(commands[i].name, s, len))
			return &commands[i];
	return NULL;
}

void commands_list(struct text *out)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		text_printf(out, " %s", commands[i].name);
}

void commands_run(struct app *app, const char *s)
{
	const struct typed_command *command;
	struct text names = { 0 };
	const char *arg;

	command = find(s, &arg);
	if (command) {
		command->run(app, arg);
		return;
	}
	commands_list(&names);
	app_error(app, "no command '%.*s': there are%s", (int)strcspn(s, " "), s, text_str(&names));
	text_fini(&names);
}

bool commands_hint(const struct app *app, const char *s, struct text *out)
{
	const struct typed_command *command;
	const char *arg;

	command = find(s, &arg);
	if (command && command->hint) {
		command->hint(app, out);
		return true;
	}
	if (command) {
		text_printf(out, "%s %s: %s", command->name, command->arg, command->help);
		return true;
	}
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strncmp(commands[i].name, s, strlen(s)))
			text_printf(out, "%s%s %s", out->len ? "  |  " : "", commands[i].name,
				    commands[i].help);
	if (out->len)
		return true;
	text_add(out, "no such command: there are");
	commands_list(out);
	return false;
}
