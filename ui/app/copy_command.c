/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/copy_command.h"

#include <ctype.h>

#include "src/base/shell_words.h"
#include "src/trace/time_option.h"
#include "ui/desk/desk.h"
#include "ui/desk/view_table.h"

/* Adds the offsets as options of a command. */
static void add_offsets(const struct trace *trace, struct text *out)
{
	for (unsigned int i = 0; i < trace_nr_files(trace); i++) {
		struct trace_offset offset = trace_offset(trace, i);
		struct text word = { 0 };

		if (!offset.by)
			continue;
		if (trace_nr_files(trace) > 1)
			text_printf(&word, "%s=", trace_path(trace, i));
		time_option_offset_text(&offset, &word);
		text_add(out, " --offset ");
		shell_words_quote(out, text_str(&word));
		text_fini(&word);
	}
}

/* The rest of the line: filters, offsets, files. */
static void add_rest(const struct shared *shared, struct text *out)
{
	struct text filter = { 0 };

	if (filters_active(&shared->chosen.filters)) {
		filters_expression(&shared->chosen.filters, &filter);
		text_add(out, " -F ");
		shell_words_quote(out, text_str(&filter));
		text_fini(&filter);
	}
	add_offsets(shared->trace, out);
	for (unsigned int i = 0; i < trace_nr_files(shared->trace); i++) {
		text_char(out, ' ');
		shell_words_quote(out, trace_path(shared->trace, i));
	}
}

/*
 * What a link opens.  A table has no moment: it opens as it is, but a row that is one, such as a
 * wait, opens where it began, in the view that explains it.
 */
static enum view_id link_to(struct app *app, struct place *place)
{
	const struct shared *shared = &app->shared;
	enum view_id id = app->view_id;

	*place = shared->at.here;
	if (id < VIEW_LATENCY || id == VIEW_NOW || id == VIEW_KERNEL)
		return id;
	if (id == VIEW_FUNCTIONS || id == VIEW_TASKS || !app->ops->moments ||
	    !app->ops->moments->span(app->view, false, place)) {
		place->set = false;
		return id;
	}
	return place->pid > 0 && trace_has_switches(shared->trace, place->file) ? VIEW_TIMELINE :
										  VIEW_EVENTS;
}

/* "ftop-trace --view=timeline --at='7.554321000 pid80' -F 'comm == bash' trace.dat" */
void copy_link(struct app *app)
{
	const struct shared *shared = &app->shared;
	struct text t = { 0 }, at = { 0 };
	struct place place;
	enum view_id id;

	if (!shared->trace)
		return;
	id = link_to(app, &place);
	text_add(&t, "ftop-trace --view=");
	for (const char *c = view_title(id); *c; c++)
		text_char(&t, (char)tolower((unsigned char)*c));
	if (place.set) {
		shared_time(shared, place.ts, 9, &at);
		if (place.pid > 0 && id != VIEW_EVENTS)
			text_printf(&at, " pid%d", place.pid);
		else if (place.cpu >= 0)
			text_printf(&at, " cpu%d", place.cpu);
		text_add(&t, " --at=");
		shell_words_quote(&t, text_str(&at));
	}
	add_rest(shared, &t);
	app_copy(app, "command", text_str(&t), t.len);
	text_fini(&at);
	text_fini(&t);
}

void copy_command(struct app *app)
{
	const struct shared *shared = &app->shared;
	struct text t = { 0 };
	bool of_screen;

	const struct range *range = &shared->at.places.range;
	const struct view_commands *commands = app->ops->commands;

	if (!shared->at.here.set && !shared_has_no_events(shared))
		return;
	text_add(&t, "ftop-trace ");
	if (commands && commands->command)
		commands->command(app->view, &t);
	else
		text_add(&t, "report -t");
	of_screen = !range->set && (!commands || !commands->whole_trace);
	if (range->set || of_screen) {
		text_add(&t, " --from ");
		shared_time(shared, range->set ? range->from : shared->at.window_from, 9, &t);
		text_add(&t, " --to ");
		shared_time(shared, range->set ? range->to : shared->at.window_to, 9, &t);
	}
	if (shared->chosen.list.kind == LIST_CPU)
		text_printf(&t, " --cpu %d", shared->chosen.list.cpu);
	add_rest(shared, &t);
	app_copy(app,
		 of_screen && !(commands && commands->command) ?
			 "command for the rows on the screen" :
			 "command",
		 text_str(&t), t.len);
	text_fini(&t);
}
