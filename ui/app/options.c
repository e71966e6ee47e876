/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options - display options: one table for O and :set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/app/app_state.h"
#include "ui/rows/goto.h"

enum option_id { OPTION_THEME, OPTION_DECIMALS, OPTION_TEXT, OPTION_COLOUR, OPTION_OVERVIEW,
		 OPTION_KEYBAR, OPTION_DETAIL, OPTION_SPLIT,
		 OPTION_SUBTREES, OPTION_ASCII, OPTION_MOUSE, OPTION_TIME, OPTION_THRESHOLD,
		 NR_OPTIONS };

#define THEMES	"dark light mono high-contrast colour-blind"

static const struct option_info {
	const char	*name;
	const char	*values;	/* separated by blanks; NULL: the themes */
	const char	*help;
} option_infos[NR_OPTIONS] = {
	[OPTION_THEME] = { "theme", NULL, "colours; :theme also takes your own" },
	[OPTION_DECIMALS] = { "decimals", "auto 6 9",
		"of times; auto: 9 from 100 columns on, else 6" },
	[OPTION_TEXT] = { "text", "auto kernel short",
		"of events; auto: the kernel's where it fits" },
	[OPTION_COLOUR] = { "colour", "event task cpu", "what the colour of a row stands for" },
	[OPTION_OVERVIEW] = { "overview", "on off", "show the overview above the tabs" },
	[OPTION_KEYBAR] = { "keys", "on off", "show keys in the bottom line" },
	[OPTION_DETAIL] = { "detail", "auto 0 2 4 8 16", "rows of the detail pane" },
	[OPTION_SPLIT] = { "split", "off on", "show two views where the screen is large enough" },
	[OPTION_SUBTREES] = { "subtrees", "on off",
		"show what is in the calls that match, in Graph" },
	[OPTION_ASCII] = { "ascii", "off on", "use only ASCII characters" },
	[OPTION_MOUSE] = { "mouse", "on off", "off: select text in the terminal without Shift" },
	[OPTION_TIME] = { "time", "absolute relative delta since-a wall",
		"how Events shows times, as t does" },
	[OPTION_THRESHOLD] = { "threshold", "auto 10us 100us 1ms 10ms 100ms 1s",
		"threshold for slow, as T sets it; any time" },
};

static const char *option_value(const struct app *app, enum option_id id, char *buf, size_t size)
{
	static const char *const colours[] = { "event", "task", "cpu" };
	static const char *const texts[NR_TEXT_CHOICES] = { "auto", "kernel", "short" };
	struct text span = { 0 };

	switch (id) {
	case OPTION_THEME:
		return app->theme.name;
	case OPTION_DECIMALS:
		snprintf(buf, size, app->shared.decimals ? "%d" : "auto", app->shared.decimals);
		return buf;
	case OPTION_TEXT:
		return texts[app->shared.text_choice];
	case OPTION_COLOUR:
		return colours[app->shared.colour_by];
	case OPTION_OVERVIEW:
		return app->shared.overview ? "on" : "off";
	case OPTION_KEYBAR:
		return app->shared.keybar ? "on" : "off";
	case OPTION_DETAIL:
		snprintf(buf, size, app->shared.detail_rows >= 0 ? "%d" : "auto",
			 app->shared.detail_rows);
		return buf;
	case OPTION_SPLIT:
		return app->split.on ? "on" : "off";
	case OPTION_SUBTREES:
		return app->shared.no_subtrees ? "off" : "on";
	case OPTION_ASCII:
		return app->canvas.ascii ? "on" : "off";
	case OPTION_MOUSE:
		return app->mouse_off ? "off" : "on";
	case OPTION_TIME:
		return remember_time_names[app->shared.time_format];
	case OPTION_THRESHOLD:
		if (!app->shared.threshold)
			return "auto";
		shared_span(&app->shared, app->shared.threshold, &span);
		snprintf(buf, size, "%s", text_str(&span));
		text_fini(&span);
		return buf;
	case NR_OPTIONS:
		break;
	}
	return "";
}

static void set_option(struct app *app, enum option_id id, const char *value)
{
	bool on = !strcmp(value, "on");
	struct ft_error err = { 0 };

	switch (id) {
	case OPTION_THEME:
		app_load_theme(app, value);
		break;
	case OPTION_DECIMALS:
		app->shared.decimals = atoi(value);
		break;
	case OPTION_TEXT:
		app->shared.text_choice = *value == 'k' ? TEXT_KERNEL_STYLE :
					  *value == 's' ? TEXT_SHORT_STYLE :
							  TEXT_BY_WIDTH;
		break;
	case OPTION_COLOUR:
		app->shared.colour_by = value[0] == 't' ? COLOUR_BY_TASK :
					value[0] == 'c' ? COLOUR_BY_CPU :
							  COLOUR_BY_EVENT;
		break;
	case OPTION_OVERVIEW:
		app->shared.overview = on;
		break;
	case OPTION_KEYBAR:
		app->shared.keybar = on;
		break;
	case OPTION_DETAIL:
		app->shared.detail_rows = *value == 'a' ? -1 : atoi(value);
		break;
	case OPTION_SPLIT:
		split_switch(app, on);
		break;
	case OPTION_SUBTREES:
		app->shared.no_subtrees = !on;
		break;
	case OPTION_ASCII:
		if (!on && app->term && term_ascii(app->term))
			app_message(app, "this terminal's locale has only ASCII");
		else
			app->canvas.ascii = on;
		break;
	case OPTION_MOUSE:
		app->mouse_off = !on;
		if (app->term)
			term_set_mouse(app->term, on);
		break;
	case OPTION_TIME:
		remember_set_time(app, value);
		break;
	case OPTION_THRESHOLD:
		app->shared.threshold = 0;
		app->surveyed = false;
		if (*value != 'a')
			goto_parse_duration(value, &app->shared.threshold, &err);
		break;
	case NR_OPTIONS:
		break;
	}
	views_changed(app);
}

/* Gives the value after @value, wrapping around; "" if @value is not in the list. */
static void next_value(enum option_id id, const char *value, char *next, size_t size)
{
	const char *values = option_infos[id].values;
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

static bool option_takes(enum option_id id, const char *value)
{
	const char *values = option_infos[id].values;
	size_t len = strlen(value);
	struct ft_error err = { 0 };
	int64_t ns;

	if (id == OPTION_THRESHOLD && !goto_parse_duration(value, &ns, &err))
		return ns > 0;
	if (!values)
		return true;
	for (const char *at = values; len && (at = strstr(at, value)) != NULL; at += len)
		if ((at == values || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

static void step(struct app *app, int id)
{
	char now[64], next[64];

	snprintf(now, sizeof(now), "%s", option_value(app, (enum option_id)id, next, sizeof(next)));
	next_value((enum option_id)id, now, next, sizeof(next));
	set_option(app, (enum option_id)id, next);
	options_open(app);
}

static const struct picker option_picker = {
	.keys = "j k Move  Space Next value  q Done",
	.change = step,
};

void options_open(struct app *app)
{
	char buf[32];

	popup_open(&app->popup, &option_picker, "Options");
	for (int i = 0; i < NR_OPTIONS; i++) {
		struct text line = { 0 };

		text_printf(&line, "%-10s %-10s %s", option_infos[i].name,
			    option_value(app, i, buf, sizeof(buf)), option_infos[i].help);
		popup_add(&app->popup, i, false, line.data);
		text_fini(&line);
	}
}

static int find_option(const char *name)
{
	for (int i = 0; i < NR_OPTIONS; i++)
		if (!strcmp(option_infos[i].name, name))
			return i;
	return -1;
}

/* Options of the command line have priority over the file's. */
static bool is_given(const struct app *app, enum option_id id)
{
	return (id == OPTION_THEME && app->options->theme) ||
	       (id == OPTION_ASCII && app->options->ascii) ||
	       (id == OPTION_MOUSE && app->options->no_mouse);
}

bool options_apply(struct app *app, const char *name, const char *value, struct text *why)
{
	int id = find_option(name);
	struct ft_error err = { 0 };
	struct theme theme;

	if (id < 0)
		text_printf(why, "no option is named %s", name);
	else if (!option_takes(id, value))
		text_printf(why, "%s takes one of: %s", name, option_infos[id].values);
	else if (id == OPTION_THEME && theme_load(&theme, value, &err))
		text_add(why, err.message);
	else if (!is_given(app, id))
		set_option(app, id, value);
	return id >= 0;
}

void options_set(struct app *app, const char *words)
{
	char name[32] = "", value[256] = "", more[16] = "", buf[32];
	int nr = sscanf(words, "%31s %255s %15s", name, value, more), id = find_option(name);
	bool save = !strcmp(nr > 2 ? more : value, "--save");

	if (nr < 1)
		options_open(app);
	else if (id < 0)
		app_error(app, "no option '%s': O lists them", name);
	else if (nr > 2 && !save)
		app_error(app, ":set NAME VALUE, or :set NAME VALUE --save");
	else if (nr < 2)
		app_message(app,
			    "%s is %s; possible values: "
			    "%s",
			    name, option_value(app, id, buf, sizeof(buf)),
			    option_infos[id].values ? option_infos[id].values :
						      THEMES ", one of your own, or a path");
	else if ((nr > 2 || !save) && !option_takes(id, value))
		app_error(app, ":set %s takes one of: %s", name, option_infos[id].values);
	else {
		if (nr > 2 || !save)
			set_option(app, id, value);
		if (save)
			config_save(app, name,
				    nr > 2 ? value : option_value(app, id, buf, sizeof(buf)));
	}
}

const char *options_describe(unsigned int i, struct text *help)
{
	const char *values;

	if (i >= NR_OPTIONS)
		return NULL;
	text_clear(help);
	text_printf(help, "%s. Values: ", option_infos[i].help);
	values = option_infos[i].values ? option_infos[i].values : THEMES;
	for (; *values; values++)
		if (*values == ' ')
			text_add(help, ", ");
		else
			text_char(help, *values);
	text_char(help, '.');
	return option_infos[i].name;
}
