/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/save_line.h"

#include <string.h>
#include <unistd.h>

#include "src/sandbox/broker.h"
#include "ui/desk/desk.h"
#include "ui/prompt/prompts.h"
#include "ui/session/save.h"
#include "ui/session/save_perfetto.h"

#define MAX_PROPOSED	1000

/* The trace's name without its end. */
static void add_stem(const char *path, struct text *out)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot;

	if (!strcmp(base, "-"))		/* no file may begin with it */
		base = "stdin";
	dot = strrchr(base, '.');
	text_bytes(out, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

/* Proposes a free name: no existing file is overwritten. */
static void propose(const struct app *app, const char *end, bool is_trace, struct text *out)
{
	const char *path = trace_path(app->shared.trace, 0);
	struct text begins = { 0 };

	if (is_trace)
		add_stem(path, &begins);
	else
		broker_save_name(path, &begins);
	for (int i = 1; i < MAX_PROPOSED; i++) {
		text_clear(out);
		text_printable(out, text_str(&begins), begins.len);
		if (i > 1)
			text_printf(out, "-%d", i);
		text_add(out, end);
		if (access(text_str(out), F_OK))
			break;
	}
	text_fini(&begins);
}

/* No file is overwritten: its name stays in the prompt, to be changed. */
static bool refuse_existing(struct app *app, ui_key key, enum request request)
{
	struct prompt *prompt = &app->prompt;

	(void)request;
	if (key != UI_KEY_ENTER || !prompt->text.len || access(text_str(&prompt->text), F_OK))
		return false;
	text_clear(&prompt->hint);
	text_printable(&prompt->hint, text_str(&prompt->text), prompt->text.len);
	text_add(&prompt->hint, " exists; choose another name");
	prompt->wrong = true;
	prompt->wrong_at = prompt->wrong_to = -1;
	return true;
}

static void forget_error(struct app *app)
{
	text_clear(&app->prompt.hint);
	app->prompt.wrong = false;
}

static void save_rows(struct app *app, const char *path)
{
	if (*path)
		save_start(app, path, app->prompts->save_format);
}

static const struct typed typed_rows = { .press = refuse_existing, .changed = forget_error,
					 .accepted = save_rows };

void save_line_open(struct app *app, enum table_format format)
{
	static const char *const ends[] = { ".txt", ".csv", ".json" };
	static const char *const labels[] = { "save the table as text: ", "save the table as CSV: ",
					      "save the table as JSON: " };
	struct text name = { 0 };

	if (format != FORMAT_TEXT && !app_table(app)) {
		app_message(app, "S c and S j save tables, such as those of 6 Tasks; S t "
				 "saves text");
		return;
	}
	app->prompts->save_format = format;
	propose(app, ends[format], false, &name);
	app_open_prompt(app, &typed_rows,
			app_table(app)                  ? labels[format] :
			app->shared.at.places.range.set ? "save the range as text: " :
			save_takes_matches(app)         ? "save all rows that the filter keeps: " :
							  "save the rows on screen as text: ",
			text_str(&name), &app->prompts->other_history);
	text_fini(&name);
}

static void save_perfetto(struct app *app, const char *path)
{
	if (*path)
		save_perfetto_start(app, path);
}

static const struct typed typed_perfetto = { .press = refuse_existing, .changed = forget_error,
					     .accepted = save_perfetto };

void save_line_perfetto(struct app *app)
{
	struct text name = { 0 };
	bool all = app_table(app) || filters_hiding(&app->shared.chosen.filters);

	propose(app, ".pftrace", true, &name);
	app_open_prompt(app, &typed_perfetto,
			app->shared.at.places.range.set ? "save the range for Perfetto: " :
			all                             ? "save all for Perfetto: " :
							  "save what the window shows for Perfetto: ",
			text_str(&name), &app->prompts->other_history);
	text_fini(&name);
}

static void save_part(struct app *app, const char *path)
{
	if (*path)
		save_cut(app, path);
}

static const struct typed typed_part = { .press = refuse_existing, .changed = forget_error,
					 .accepted = save_part };

void save_line_cut(struct app *app)
{
	struct text name = { 0 };

	propose(app, ".dat", true, &name);
	app_open_prompt(app, &typed_part,
			app->shared.at.places.range.set ?
				"save the range as a trace: " :
			filters_hiding(&app->shared.chosen.filters) ?
				"save what the filter keeps as a trace: " :
				"save all events as a trace: ",
			text_str(&name), &app->prompts->other_history);
	text_fini(&name);
}

void save_line_count(struct app *app)
{
	bool filtered = app->typed == &typed_part || app->typed == &typed_perfetto ||
			(app->typed == &typed_rows && save_takes_matches(app));

	if (!filtered || !filters_hiding(&app->shared.chosen.filters))
		return;
	text_add(&app->prompt.note, "filter: ");
	filters_count(&app->shared.chosen.filters, &app->prompt.note);
}
