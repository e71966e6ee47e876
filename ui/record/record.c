/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/filter/filter_kernel.h"
#include "src/base/paths.h"
#include "ui/rows/kept.h"

#define CHECK_AFTER_NS	150000000	/* the last change of a plan */
#define TICK_MS		250		/* while another program runs */

static const char first_line[] = "-e sched";

/* --- its life ------------------------------------------------------------- */

static void read_named(struct record *record)
{
	char path[4096];

	named_setups_read(&record->named, paths_config("record-setups", path, sizeof(path)));
}

/* The one recorded last, so that R R repeats it. */
static void read_last(struct app *app)
{
	char path[4096], *line = NULL;
	FILE *file = paths_state("record-last", path, sizeof(path)) ? fopen(path, "re") : NULL;
	struct ft_error err = { 0 };
	size_t cap = 0;

	if (file && getline(&line, &cap, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!record_setup_read(&app->record->setup, app->options->record, line, &err))
			text_add(&app->record->name, "the last one");
	}
	free(line);
	if (file)
		fclose(file);
	if (app->record->name.len)
		return;
	record_setup_read(&app->record->setup, app->options->record, first_line, &err);
	text_add(&app->record->name, "scheduling");
}

struct record *record_get(struct app *app)
{
	if (app->record)
		return app->record;
	app->record = mem_alloc(sizeof(*app->record));
	app->record->asking = -1;
	app->record->child = app->record->recorder = (struct child){ .pidfd = -1, .from = -1, .to = -1, .said = -1 };
	read_named(app->record);
	if (app->options->record)
		read_last(app);
	return app->record;
}

void record_fini(struct app *app)
{
	struct record *record = app->record;

	if (!record)
		return;
	child_fini(&record->child);
	child_fini(&record->recorder);
	record_setup_fini(&record->setup);
	named_setups_fini(&record->named);
	capabilities_fini(&record->caps);
	capabilities_fini(&record->answer);
	record_progress_fini(&record->progress);
	text_fini(&record->name);
	text_fini(&record->command);
	text_fini(&record->mistakes);
	text_fini(&record->listing);
	text_fini(&record->find);
	text_fini(&record->processes);
	text_fini(&record->file);
	text_fini(&record->output);
	text_fini(&record->target);
	free(record->items);
	free(record);
	app->record = NULL;
}

bool record_shown(const struct app *app)
{
	return app->record && app->record->shown;
}

bool record_running(const struct app *app)
{
	return app->record && app->record->running;
}

void record_open(struct app *app)
{
	struct record *record = record_get(app);
	bool edited;

	if (!app->options->record) {
		app_error(app, "recording is not built in");
		return;
	}
	popup_close(&app->popup);
	record->shown = true;
	record->in_list = false;
	record->row = record->row ? record->row : ROW_SETUP + SETUP_EVENTS;
	if (record->running)
		return;
	record_want(app, QUESTION_DOCTOR);
	record_want(app, QUESTION_LIST);
	edited = record->edited;
	record_changed(app);
	record->edited = edited;
	record_list_open(app);
}

void record_fill(struct app *app, const char *words)
{
	if (!app->options->record || app->record->running || app->record->edited)
		return;
	record_take_line(app, words, "calls");
	app->record->row = ROW_SETUP + SETUP_TRACER;
	record_list_open(app);
}

static void leave(struct app *app)
{
	app->record->shown = false;
	app->record->in_list = false;
}

/* --- the set-up ------------------------------------------------------------ */

/* A name that is free, where none was given: nobody's trace is written over. */
static void free_name(struct text *out)
{
	for (unsigned int i = 0; i < 10000; i++) {
		char part[64];

		text_clear(out);
		text_printf(out, i ? "trace-%u.dat" : "trace.dat", i);
		snprintf(part, sizeof(part), "%s.part", text_str(out));
		if (access(text_str(out), F_OK) && access(part, F_OK))
			return;
	}
}

int record_words(struct app *app, struct shell_words *words, struct ft_error *err)
{
	struct record *record = app->record;
	struct record_setup *setup = &record->setup;
	bool named = setup->values[SETUP_FILE].len > 0;
	int ret;

	text_clear(&record->file);
	if (named)
		text_add(&record->file, text_str(&setup->values[SETUP_FILE]));
	else
		free_name(&record->file);
	/* the recorder's own choice needs no word */
	if (!named && strcmp(text_str(&record->file), "trace.dat"))
		text_add(&setup->values[SETUP_FILE], text_str(&record->file));
	ret = record_setup_words(setup, words, err);
	if (!named)
		text_clear(&setup->values[SETUP_FILE]);
	return ret;
}

void record_changed(struct app *app)
{
	struct record *record = app->record;
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };
	struct text raw = { 0 };

	record_prefix(record, &words);
	shell_words_add(&words, "ftop-trace");
	shell_words_add(&words, "record");
	record->edited = record->count_ticked = true;
	record->failed = false;
	text_clear(&record->command);
	text_clear(&record->mistakes);
	if (record_words(app, &words, &err)) {
		text_printable(&record->mistakes, err.message, strlen(err.message));
		text_char(&record->mistakes, '\n');
	} else {
		record->check_at = app_now_ns() + CHECK_AFTER_NS;
	}
	shell_words_join(&words, &raw);
	text_printable(&record->command, text_str(&raw), raw.len);
	shell_words_fini(&words);
	text_fini(&raw);
	app->dirty = true;
}

void record_take_line(struct app *app, const char *line, const char *name)
{
	struct record *record = app->record;
	struct ft_error err = { 0 };
	struct text file = { 0 };

	/* where the trace goes is not of the set-up, unless it says so */
	text_add(&file, text_str(&record->setup.values[SETUP_FILE]));
	if (record_setup_read(&record->setup, app->options->record, line, &err)) {
		app_error(app, "%s: %s", name, err.message);
	} else {
		if (!record->setup.values[SETUP_FILE].len)
			text_add(&record->setup.values[SETUP_FILE], text_str(&file));
		text_clear(&record->name);
		text_printable(&record->name, name, strlen(name));
		record_changed(app);
		record->edited = false;
	}
	text_fini(&file);
}

/* --- prompts -------------------------------------------------------------- */

static bool is_text_row(enum record_row row)
{
	return !record_has_list(row);
}

static void edit(struct app *app)
{
	struct record *record = app->record;

	if (is_text_row(record->row)) {
		snprintf(app->prompt_label, sizeof(app->prompt_label), "%s: ", record_row_label(record->row));
		app_open_prompt(app, PROMPT_RECORD, app->prompt_label,
				text_str(&record->setup.values[record->row - ROW_SETUP]), &app->other_history);
	} else {
		record->in_list = true;
		record->chose = false;
		record_list_fill(app);
	}
}

void record_prompt_accepted(struct app *app, const char *text)
{
	struct record *record = app->record;
	struct text *value = &record->setup.values[record->row - ROW_SETUP];

	text_clear(value);
	text_add(value, text + strspn(text, " "));
	if (record->row == ROW_SETUP + SETUP_MORE)
		record_setup_settle(&record->setup, app->options->record);
	record_changed(app);
}

/* In the kernel's words where they can say it; else as it was typed, for the kernel to judge. */
void record_filter_accepted(struct app *app, const char *text)
{
	struct record *record = app->record;
	struct filter_error err = { 0 };
	struct text kernel = { 0 };

	/* the list may be another one by now */
	if (record->cursor >= record->nr_items || record->items[record->cursor].kind != ITEM_CAPABILITY)
		return;
	text += strspn(text, " ");
	if (*text && !filter_kernel_text(text, &kernel, &err))
		app_message(app, "kept as typed: %s", text_str(&err.message));
	record_setup_filter(&record->setup, &record->caps.lists[CAPABILITY_EVENT], record->items[record->cursor].value,
			    kernel.len ? text_str(&kernel) : text);
	text_fini(&kernel);
	text_fini(&err.message);
	record_changed(app);
	record_list_fill(app);
}

void record_save_accepted(struct app *app, const char *name)
{
	struct record *record = app->record;
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };
	struct text line = { 0 };
	char path[4096];

	if (!*name)
		return;
	if (record_setup_words(&record->setup, &words, &err)) {
		app_error(app, "%s", err.message);
	} else if (!paths_config("record-setups", path, sizeof(path))) {
		app_error(app, "there is no folder for it: neither XDG_CONFIG_HOME nor HOME is set");
	} else {
		shell_words_join(&words, &line);
		if (named_setups_put(&record->named, path, name, text_str(&line), &err)) {
			app_error(app, "%s", err.message);
		} else {
			text_clear(&record->name);
			text_printable(&record->name, name, strlen(name));
			record->edited = false;
			app_message(app, "%s is kept in %s", name, path);
		}
	}
	record_list_fill(app);
	shell_words_fini(&words);
	text_fini(&line);
}

/* The user's own set-up under the cursor goes; ready ones stay. */
static void forget_named(struct app *app)
{
	struct record *record = app->record;
	const struct record_item *item = record->nr_items ? &record->items[record->cursor] : NULL;
	struct ft_error err = { 0 };
	char path[4096], *name;

	if (!item || item->kind != ITEM_NAMED || !paths_config("record-setups", path, sizeof(path)))
		return;
	name = mem_strdup(record->named.all[item->value].name);
	if (named_setups_put(&record->named, path, name, NULL, &err)) {
		app_error(app, "%s", err.message);
	} else {
		app_message(app, "%s is forgotten", name);
		if (!strcmp(text_str(&record->name), name)) {	/* what it set stays, under no name */
			text_clear(&record->name);
			record->edited = true;
		}
	}
	free(name);
	record_list_fill(app);
}

/* --- doctor, help, copy ------------------------------------------------------ */

void record_fill_doctor(struct app *app)
{
	const struct capabilities *caps = &app->record->caps;
	struct text line = { 0 };

	popup_open(&app->popup, POPUP_DOCTOR, "Doctor: what can be recorded here", "j k Move  / Find  q Back", false);
	if (!caps->nr_checks)
		popup_add(&app->popup, 0, false, "asking…");
	for (unsigned int i = 0; i < caps->nr_checks; i++) {
		const struct capability_check *check = &caps->checks[i];

		text_clear(&line);
		text_printf(&line, "%-16s %s", check->name, check->state);
		popup_add_entry(&app->popup, app->canvas.cols, 0, 26, text_str(&line), check->text);
		if (*check->remedy) {
			text_clear(&line);
			text_printf(&line, "mend it: %s", check->remedy);
			popup_add_entry(&app->popup, app->canvas.cols, 0, 26, "", text_str(&line));
		}
	}
	popup_start(&app->popup);
	text_fini(&line);
}

void record_open_doctor(struct app *app)
{
	record_get(app);
	record_want(app, QUESTION_DOCTOR);
	record_fill_doctor(app);
}

static const struct { const char *keys, *help; } keys_of_form[] = {
	{ "j k Down Up", "next, previous field" },
	{ "Enter Right", "edit a text; go into the list of choices" },
	{ "R", "start" },
	{ "n", "set-ups by name: ready ones and your own" },
	{ "S", "keep this set-up under a name" },
	{ "y", "copy the command line" },
	{ "d", "doctor: what can be recorded here" },
	{ "^R", "ask the kernel again" },
	{ "q Esc", "back to browsing" },
}, keys_of_list[] = {
	{ "letters", "narrow the list: parts of a name, or a glob like tcp*ack" },
	{ "Space", "tick, untick" },
	{ "+ -", "all events of this system, none of them" },
	{ "Enter", "take it, or what Space ticked, and go back; on an event: a filter for it, as prev_prio < 100 or pid in (5-9); it becomes the kernel's" },
	{ "Del", "forget a set-up of your own" },
	{ "R", "start, where nothing is typed yet" },
	{ "Esc Left", "narrowing away; then back to the fields" },
}, keys_of_run[] = {
	{ "^C s", "stop; the trace opens" },
	{ "q", "asks: stop, keep recording while you browse (or when you quit), stay" },
	{ "Esc", "browse meanwhile; R comes back here" },
};

#define ADD_KEYS(popup, cols, heading, table)                                                                  \
	do {                                                                                                   \
		popup_add(popup, 0, true, heading);                                                            \
		for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)                                \
			popup_add_entry(popup, cols, 0, 15, (table)[i].keys, (table)[i].help);                 \
		popup_add(popup, 0, false, "");                                                                \
	} while (0)

static void open_help(struct app *app)
{
	struct popup *popup = &app->popup;
	int cols = app->canvas.cols;

	popup_open(popup, POPUP_HELP, "Help: Record      / find   q back", "/ Find  n N Next  q Back", false);
	ADD_KEYS(popup, cols, "fields", keys_of_form);
	ADD_KEYS(popup, cols, "in a list", keys_of_list);
	ADD_KEYS(popup, cols, "while it records", keys_of_run);
	popup_add(popup, 0, true, "fields mean");
	for (int row = 0; row < NR_ROWS; row++)
		popup_add_entry(popup, cols, 0, 15, record_row_label(row), record_row_help(row));
	popup_start(popup);
}

/* --- keys ----------------------------------------------------------------- */

static void move(struct app *app, int step)
{
	struct record *record = app->record;
	long to = (long)record->row + step, last = (long)record_nr_rows(record) - 1;

	record->row = to < 0 ? 0 : to >= last ? (unsigned int)last : (unsigned int)to;
	record_list_open(app);
}

static void go_to(struct app *app, enum record_row row)
{
	app->record->row = row;
	record_list_open(app);
	edit(app);
}

static void form_request(struct app *app, enum request request)
{
	switch ((int)request) {
	case REQ_DOWN:
		move(app, 1);
		return;
	case REQ_UP:
		move(app, -1);
		return;
	case REQ_FIRST:
		move(app, -NR_ROWS);
		return;
	case REQ_LAST:
		move(app, NR_ROWS);
		return;
	case REQ_ENTER:
	case REQ_RIGHT:
		edit(app);
		return;
	case REQ_BACK:
	case REQ_CANCEL:
	case REQ_INTERRUPT:
		leave(app);
		return;
	case REQ_HELP:
		open_help(app);
		return;
	case REQ_QUIT:
		app_quit(app);
		return;
	case REQ_RELOAD:
		record_want(app, QUESTION_DOCTOR);
		record_want(app, QUESTION_LIST);
		app_message(app, "asking the kernel again");
		return;
	case REQ_REDRAW:
	case REQ_SUSPEND:
		actions_request(app, request, 0);
		return;
	}
	app_message(app, "not a key of this screen: ? lists them");
}

static void form_press(struct app *app, ui_key key)
{
	struct record *record = app->record;

	switch (key) {
	case 'R':
		record_start(app);
		return;
	case 'n':
		go_to(app, ROW_NAME);
		return;
	case 'S':
		app_open_prompt(app, PROMPT_RECORD_NAME, "keep this set-up as: ", "", NULL);
		return;
	case 'y':
		app_copy(app, "command", text_str(&record->command), record->command.len);
		return;
	case 'd':
	case 'D':
		record_open_doctor(app);
		return;
	case UI_KEY_DELETE:
		if (record->row == ROW_NAME)
			forget_named(app);
		return;
	case UI_KEY_TAB:
		edit(app);
		return;
	}
	form_request(app, keymap_find(key));
}

static void run_press(struct app *app, ui_key key)
{
	switch ((int)keymap_find(key)) {
	case REQ_INTERRUPT:
		record_stop(app);
		return;
	case REQ_BACK:
		app->record->asks = ASKS_LEAVE;
		return;
	case REQ_CANCEL:
		leave(app);
		app_message(app, "it records on: R shows it, Ctrl-C stops it");
		return;
	case REQ_QUIT:
		app_quit(app);
		return;
	case REQ_HELP:
		open_help(app);
		return;
	case REQ_REDRAW:
	case REQ_SUSPEND:
		actions_request(app, keymap_find(key), 0);
		return;
	}
	if (key == 's')
		record_stop(app);
	else
		app_message(app, "not a key while it records: Ctrl-C stops it, ? lists all");
}

/* --- stop, keep or stay ------------------------------------------------------- */

const char *record_question(const struct app *app)
{
	if (!app->record || !app->record->running)
		return NULL;
	switch (app->record->asks) {
	case ASKS_NOTHING:
		return NULL;
	case ASKS_LEAVE:
		return "it records:  s Stop and open the trace  k Keep on, and browse  Esc Stay here";
	case ASKS_QUIT:
		return "it records:  s Stop, then quit  k Keep on without the screen  Esc Stay here";
	}
	return NULL;
}

bool record_ask_quit(struct app *app)
{
	if (!record_running(app))
		return false;
	app->record->asks = ASKS_QUIT;
	app->dirty = true;
	return true;
}

static void keep_on(struct app *app)
{
	struct record *record = app->record;

	child_tell(&record->recorder, "keep");
	record->kept = true;
	text_clear(&app->farewell);
	text_printf(&app->farewell, "it records on into %s", text_str(&record->target));
	if (record->progress.pid)
		text_printf(&app->farewell, "; %skill -INT %u ends it", record->rights == RIGHTS_OWN ? "" : "sudo ",
			    (unsigned int)record->progress.pid);
	app->quit = true;
}

static void answer(struct app *app, ui_key key)
{
	struct record *record = app->record;
	bool quit = record->asks == ASKS_QUIT;

	record->asks = ASKS_NOTHING;
	if (key == 's' || key == UI_KEY_CTRL('C')) {
		record->quit_after = quit;
		record_stop(app);
	} else if (key == 'k' && quit) {
		keep_on(app);
	} else if (key == 'k') {
		leave(app);
		app_message(app, "it records on: R shows it, Ctrl-C stops it");
	}
}

/* A click chooses, one more on the same edits or ticks; the wheel moves. */
static void mouse(struct app *app)
{
	struct record *record = app->record;
	int at = app->mouse.row - record->list_row;
	bool list = app->mouse.col >= record->list_col;

	if (record->running)
		return;
	if (app->mouse.kind == UI_MOUSE_WHEEL_UP || app->mouse.kind == UI_MOUSE_WHEEL_DOWN) {
		bool up = app->mouse.kind == UI_MOUSE_WHEEL_UP;

		if (list && !record->in_list && record->nr_items)
			record->in_list = true;
		if (list)
			record_list_press(app, up ? UI_KEY_UP : UI_KEY_DOWN);
		else
			move(app, up ? -1 : 1);
	} else if (app->mouse.kind == UI_MOUSE_PRESS && at >= 0 && at < (int)record->list_height) {
		unsigned int item = record->list_top + (unsigned int)at, row = record->top + (unsigned int)at;

		if (list && item < record->nr_items) {
			bool again = record->in_list && record->cursor == item;

			record->in_list = true;
			record->cursor = item;
			if (again)
				record_list_press(app, ' ');
		} else if (!list && row < record_nr_rows(record)) {
			if (row == record->row && !record->in_list) {
				edit(app);
			} else {
				record->row = row;
				record_list_open(app);
			}
		}
	}
}

bool record_press(struct app *app, ui_key key)
{
	struct record *record = app->record;

	if (record_question(app)) {
		answer(app, key);
		return true;
	}
	if (!record_shown(app))
		return false;
	if (key == UI_KEY_MOUSE) {
		mouse(app);
		return true;
	}
	if (record->running)
		run_press(app, key);
	else if (!record->in_list || !record_list_press(app, key))
		form_press(app, key);
	return true;
}

/* --- the loop --------------------------------------------------------------- */

unsigned int record_fds(const struct app *app, struct pollfd *fds)
{
	const struct record *record = app->record;
	unsigned int nr = 0;

	if (!record)
		return 0;
	if (record->asking >= 0) {
		fds[nr++] = (struct pollfd){ .fd = record->child.from, .events = POLLIN };
		fds[nr++] = (struct pollfd){ .fd = record->child.pidfd, .events = POLLIN };
	}
	if (record->running) {
		fds[nr++] = (struct pollfd){ .fd = record->recorder.from, .events = POLLIN };
		fds[nr++] = (struct pollfd){ .fd = record->recorder.pidfd, .events = POLLIN };
	}
	return nr;
}

int record_timeout_ms(const struct app *app)
{
	const struct record *record = app->record;

	if (!record || (record->asking < 0 && !record->running && !record->check_at && !record->wanted))
		return -1;
	if (record->asking < 0 && record->wanted)
		return 0;
	return TICK_MS;
}

void record_step(struct app *app)
{
	struct record *record = app->record;

	if (!record)
		return;
	if (record->check_at && app_now_ns() >= record->check_at) {
		record->check_at = 0;
		if (record->shown && !record->running)
			record_want(app, QUESTION_CHECK);
	}
	record_ask_step(app);
	record_run_step(app);
}

/* --- for who has not opened it yet ---------------------------------------------- */

void record_look(struct app *app)
{
	if (app->options->record) {
		record_get(app);
		record_want(app, QUESTION_DOCTOR);
	}
}

bool record_obstacle_line(const struct app *app, struct text *out)
{
	if (!app->record || !app->record->caps.nr_checks)
		return false;
	record_obstacle(app, out);
	if (out->len)
		out->data[out->len = strcspn(out->data, "\n")] = '\0';
	return true;
}

unsigned int record_in_the_way(const struct app *app)
{
	return app->record ? capabilities_in_the_way(&app->record->caps) : 0;
}
