/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/narrow.h"
#include "ui/desk/split.h"
#include "ui/desk/views.h"
#include "ui/session/config.h"
#include "ui/session/remember.h"
#include "ui/rows/goto.h"

#define THEMES	"dark light mono high-contrast colour-blind"

struct option_row {
	const char	*name;
	const char	*values;	/* separated by blanks; NULL: the themes */
	const char	*help;
	void		 (*value)(const struct app *app, struct text *out);	/* appends it */
	void		 (*set)(struct app *app, const char *value);	/* one that it takes */
	/* takes it as well; NULL: values has all */
	bool		 (*takes)(const char *value);
	/* on the command line, which has priority over the file of settings; NULL: cannot be */
	bool		 (*given)(const struct app_options *options);
	bool		 of_trace;	/* each trace begins with that of the file */
};

static bool is_on(const char *value)
{
	return !strcmp(value, "on");
}

static const char *on_off(bool on)
{
	return on ? "on" : "off";
}

static void theme(const struct app *app, struct text *out)
{
	text_add(out, app->theme.name);
}

static void set_theme(struct app *app, const char *value)
{
	app_load_theme(app, value);
}

static bool theme_given(const struct app_options *options)
{
	return options->theme;
}

static void decimals(const struct app *app, struct text *out)
{
	text_printf(out, app->shared.look.decimals ? "%d" : "auto", app->shared.look.decimals);
}

static void set_decimals(struct app *app, const char *value)
{
	app->shared.look.decimals = atoi(value);
}

static void text_style(const struct app *app, struct text *out)
{
	static const char *const texts[NR_TEXT_CHOICES] = { "auto", "kernel", "short" };

	text_add(out, texts[app->shared.look.text_choice]);
}

static void set_text_style(struct app *app, const char *value)
{
	app->shared.look.text_choice = *value == 'k' ? TEXT_KERNEL_STYLE :
				       *value == 's' ? TEXT_SHORT_STYLE :
						       TEXT_BY_WIDTH;
}

static void colour(const struct app *app, struct text *out)
{
	static const char *const colours[] = { "event", "task", "cpu" };

	text_add(out, colours[app->shared.look.colour_by]);
}

static void set_colour(struct app *app, const char *value)
{
	app->shared.look.colour_by = value[0] == 't' ? COLOUR_BY_TASK :
				     value[0] == 'c' ? COLOUR_BY_CPU :
						       COLOUR_BY_EVENT;
}

static void overview(const struct app *app, struct text *out)
{
	text_add(out, on_off(app->shared.look.overview));
}

static void set_overview(struct app *app, const char *value)
{
	app->shared.look.overview = is_on(value);
}

static void keys(const struct app *app, struct text *out)
{
	text_add(out, on_off(app->shared.look.keybar));
}

static void set_keys(struct app *app, const char *value)
{
	app->shared.look.keybar = is_on(value);
}

static void detail(const struct app *app, struct text *out)
{
	text_printf(out, app->shared.look.detail_rows >= 0 ? "%d" : "auto",
		    app->shared.look.detail_rows);
}

static void set_detail(struct app *app, const char *value)
{
	app->shared.look.detail_rows = *value == 'a' ? -1 : atoi(value);
}

static void split(const struct app *app, struct text *out)
{
	static const char *const words[] = { "auto", "off", "on" };

	text_add(out, words[app->split.wish]);
}

static void set_split(struct app *app, const char *value)
{
	split_wish(app, *value == 'a' ? SPLIT_AUTO : is_on(value) ? SPLIT_ON : SPLIT_OFF);
}

static void first_view(const struct app *app, struct text *out)
{
	if (app->first_is_last) {
		text_add(out, "last");
		return;
	}
	for (const char *s = view_title(app->first_view); *s; s++)
		text_char(out, (char)tolower((unsigned char)*s));
}

static void set_first_view(struct app *app, const char *value)
{
	app->first_is_last = !strcmp(value, "last");
	if (app->first_is_last)
		app->first_view = VIEW_SUMMARY;
	for (int id = 0; id < NR_VIEWS; id++)
		if (!strcasecmp(view_title(id), value))
			app->first_view = id;
}

static void subtrees(const struct app *app, struct text *out)
{
	text_add(out, on_off(!app->shared.chosen.no_subtrees));
}

static void set_subtrees(struct app *app, const char *value)
{
	app->shared.chosen.no_subtrees = !is_on(value);
}

static void ascii(const struct app *app, struct text *out)
{
	text_add(out, on_off(app->canvas.ascii));
}

static void set_ascii(struct app *app, const char *value)
{
	if (!is_on(value) && app->term && term_ascii(app->term))
		app_message(app, "this terminal's locale has only ASCII");
	else
		app->canvas.ascii = is_on(value);
}

static bool ascii_given(const struct app_options *options)
{
	return options->ascii;
}

static void mouse(const struct app *app, struct text *out)
{
	text_add(out, on_off(!app->mouse_off));
}

static void set_mouse(struct app *app, const char *value)
{
	app->mouse_off = !is_on(value);
	if (app->term)
		term_set_mouse(app->term, is_on(value));
}

static bool mouse_given(const struct app_options *options)
{
	return options->no_mouse;
}

static void time_format(const struct app *app, struct text *out)
{
	text_add(out, remember_time_names[app->shared.look.time_format]);
}

static void threshold(const struct app *app, struct text *out)
{
	if (app->shared.chosen.threshold)
		shared_span(&app->shared, app->shared.chosen.threshold, out);
	else
		text_add(out, "auto");
}

static void set_threshold(struct app *app, const char *value)
{
	struct ft_error err = { 0 };

	app->shared.chosen.threshold = 0;
	app->surveyed = false;
	if (*value != 'a')
		goto_parse_duration(value, &app->shared.chosen.threshold, &err);
}

static bool is_duration(const char *value)
{
	struct ft_error err = { 0 };
	int64_t ns;

	return !goto_parse_duration(value, &ns, &err) && ns > 0;
}

static const struct option_row rows[] = {
	{ "theme", NULL, "theme of colours; :theme also takes your own themes", theme, set_theme,
	  .given = theme_given },
	{ "decimals", "auto 6 9",
	  "digits after the point of times; auto: 9 from 100 columns, else 6", decimals,
	  set_decimals },
	{ "text", "auto kernel short", "text of events; auto: the kernel's if it fits", text_style,
	  set_text_style },
	{ "colour", "event task cpu", "the meaning of the colour of a row", colour, set_colour },
	{ "overview", "on off", "show the overview above the tabs", overview, set_overview },
	{ "keys", "on off", "show keys in the bottom line", keys, set_keys },
	{ "detail", "auto 0 2 4 8 16", "height of the detail pane, in rows", detail, set_detail },
	{ "split", "auto off on",
	  "show two views; on: with 160 columns or 40 rows, auto: with both", split, set_split },
	{ "first", "summary last events graph timeline latency functions tasks noise counts stacks",
	  "the view that a trace opens with; last: as it was left", first_view, set_first_view },
	{ "subtrees", "on off", "show the insides of calls that match, in Graph", subtrees,
	  set_subtrees },
	{ "ascii", "off on", "use only ASCII characters", ascii, set_ascii, .given = ascii_given },
	{ "mouse", "on off", "off: select text in the terminal without Shift", mouse, set_mouse,
	  .given = mouse_given },
	{ "time", "absolute relative delta since-a wall", "format of times in Events, as t sets it",
	  time_format, remember_set_time, .of_trace = true },
	{ "threshold", "auto 10us 100us 1ms 10ms 100ms 1s",
	  "threshold of ] and [, as T sets it; any time", threshold, set_threshold,
	  .takes = is_duration, .of_trace = true },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

static void set(struct app *app, const struct option_row *row, const char *value)
{
	row->set(app, value);
	views_changed(app);
}

/* Gives the value after @value, wrapping around; "" if @value is not in the list. */
static void next_value(const struct option_row *row, const char *value, char *next, size_t size)
{
	const char *values = row->values;
	char first[32] = "";
	bool take = false;

	next[0] = '\0';
	if (!values) {
		for (unsigned int i = 0; theme_builtin(i); i++)
			if (!strcmp(theme_builtin(i), value) && theme_builtin(i + 1))
				snprintf(next, size, "%s", theme_builtin(i + 1));
		if (!next[0])
			snprintf(next, size, "%s", theme_builtin(0));
		return;
	}
	while (*values) {
		size_t len = strcspn(values, " ");

		if (take || !first[0])
			snprintf(take ? next : first, take ? size : sizeof(first), "%.*s", (int)len,
				 values);
		if (take)
			return;
		take = strlen(value) == len && !strncmp(values, value, len);
		values += len + (values[len] == ' ');
	}
	snprintf(next, size, "%s", first);
}

static bool takes(const struct option_row *row, const char *value)
{
	const char *values = row->values;
	size_t len = strlen(value);

	if (!values || (row->takes && row->takes(value)))
		return true;
	for (const char *at = values; len && (at = strstr(at, value)) != NULL; at += len)
		if ((at == values || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

/* --- O -------------------------------------------------------------------- */

static void step(struct app *app, int i)
{
	struct text now = { 0 };
	char next[64];

	rows[i].value(app, &now);
	next_value(&rows[i], text_str(&now), next, sizeof(next));
	text_fini(&now);
	set(app, &rows[i], next);
	options_open(app);
}

static const struct picker option_picker = {
	.keys = "↑ ↓ Choose  Enter Next value  Esc Back",
	.label = "option: ",
	.change = step,
};

void options_open(struct app *app)
{
	struct text value = { 0 }, line = { 0 };

	popup_open(&app->popup, &option_picker, "Options");
	for (size_t i = 0; i < NR_ROWS; i++) {
		text_clear(&value);
		text_clear(&line);
		rows[i].value(app, &value);
		text_printf(&line, "%-10s %-10s %s", rows[i].name, text_str(&value), rows[i].help);
		popup_add(&app->popup, (int)i, false, text_str(&line));
	}
	text_fini(&value);
	text_fini(&line);
	narrow_open(app);
}

/* --- :set, and the file of settings ---------------------------------------- */

static const struct option_row *find(const char *name)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

bool options_apply(struct app *app, const char *name, const char *value, struct text *why)
{
	const struct option_row *row = find(name);
	struct ft_error err = { 0 };
	struct theme known;

	if (!row)
		text_printf(why, "no option is named %s", name);
	else if (!takes(row, value))
		text_printf(why, "%s takes one of: %s", name, row->values);
	else if (!row->values && theme_load(&known, value, &err))
		text_add(why, err.message);
	else if (!row->given || !row->given(app->options))
		set(app, row, value);
	return row;
}

void options_of_trace(struct app *app)
{
	struct text why = { 0 };
	char value[256];

	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].of_trace && config_value(app, rows[i].name, value, sizeof(value)))
			options_apply(app, rows[i].name, value, &why);
	text_fini(&why);
}

void options_set(struct app *app, const char *words)
{
	char name[32] = "", value[256] = "", more[16] = "";
	int nr = sscanf(words, "%31s %255s %15s", name, value, more);
	const struct option_row *row = find(name);
	bool save = !strcmp(nr > 2 ? more : value, "--save");
	struct text now = { 0 };

	if (row)
		row->value(app, &now);
	if (nr < 1)
		options_open(app);
	else if (!row)
		app_error(app, "no option '%s': O lists them", name);
	else if (nr > 2 && !save)
		app_error(app, ":set NAME VALUE, or :set NAME VALUE --save");
	else if (nr < 2)
		app_message(app, "%s is %s; possible values: %s", name, text_str(&now),
			    row->values ? row->values : THEMES ", one of your own, or a path");
	else if ((nr > 2 || !save) && !takes(row, value))
		app_error(app, ":set %s takes one of: %s", name, row->values);
	else {
		if (nr > 2 || !save)
			set(app, row, value);
		if (save)
			config_save(app, name, nr > 2 ? value : text_str(&now));
	}
	text_fini(&now);
}

const char *options_describe(unsigned int i, struct text *help)
{
	const char *values;

	if (i >= NR_ROWS)
		return NULL;
	text_clear(help);
	text_printf(help, "%s. Values: ", rows[i].help);
	values = rows[i].values ? rows[i].values : THEMES;
	for (; *values; values++)
		if (*values == ' ')
			text_add(help, ", ");
		else
			text_char(help, *values);
	text_char(help, '.');
	return rows[i].name;
}
