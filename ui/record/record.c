/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/record/record_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/filter/filter_kernel.h"
#include "src/base/paths.h"
#include "src/base/workers.h"

#define TICK_MS		250		/* while another program runs */

static const char first_line[] = "-e sched";

/* --- its life ------------------------------------------------------------- */

static void read_named(struct record_ui *record)
{
	char path[4096];

	named_setups_read(&record->named, paths_config("record-setups", path, sizeof(path)));
}

/* Reads the last recording's settings, so that R R repeats it. */
static void read_last(struct record_ui *record)
{
	char path[4096], *line = NULL;
	FILE *file = paths_state("record-last", path, sizeof(path)) ? fopen(path, "re") : NULL;
	struct ft_error err = { 0 };
	size_t cap = 0;

	if (file && getline(&line, &cap, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!record_setup_read(&record->setup, record->host->command, line, &err))
			text_add(&record->name, "the last one");
	}
	free(line);
	if (file)
		fclose(file);
	if (record->name.len)
		return;
	record_setup_read(&record->setup, record->host->command, first_line, &err);
	text_add(&record->name, "scheduling");
}

struct record_ui *record_new(const struct record_host *host)
{
	struct record_ui *record = mem_alloc(sizeof(*record));

	record->host = host;
	record->view_host = host->view_host;
	record->asking = -1;
	record->child = record->recorder = (struct child){
		.pidfd = -1, .from = -1, .to = -1, .said = -1
	};
	read_named(record);
	if (record->host->command)
		read_last(record);
	return record;
}

void record_free(struct record_ui *record)
{
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
	text_fini(&record->preset);
	text_fini(&record->output);
	text_fini(&record->target);
	free(record->items);
	free(record);
}

void record_open(struct record_ui *record)
{
	if (!record->host->command) {
		host_error(record->view_host, "recording is not built in");
		return;
	}
	popup_close(record->host->popup);
	record->shown = true;
	record->in_list = false;
	record->row = record->row ? record->row : ROW_SETUP + SETUP_EVENTS;
	if (record->running)
		return;
	record_want(record, QUESTION_DOCTOR);
	record_want(record, QUESTION_LIST);
	record_want(record, QUESTION_PRESET);
	record_refresh(record);
	record_list_open(record);
}

void record_fill(struct record_ui *record, const char *words)
{
	if (!record->host->command || record->running || record->edited)
		return;
	record_take_line(record, words, "calls");
	record->row = ROW_SETUP + SETUP_TRACER;
	record_list_open(record);
}

static void leave(struct record_ui *record)
{
	record->shown = false;
	record->in_list = false;
}

/* --- prompts -------------------------------------------------------------- */

static bool is_text_row(enum record_row row)
{
	return !record_has_list(row);
}

static void edit(struct record_ui *record)
{
	if (is_text_row(record->row)) {
		enum record_row row = record_shown_row(record, record->row);

		record->prompt = RECORD_PROMPT_FIELD;
		snprintf(record->prompt_label, sizeof(record->prompt_label),
			 "%s: ", record_row_label(row));
		record->host->ask(record->host->app, record->prompt_label,
				  text_str(&record->setup.values[row - ROW_SETUP]), NULL, true);
	} else {
		record->in_list = true;
		record->chose = false;
		record_list_fill(record);
	}
}

static void take_field(struct record_ui *record, const char *text)
{
	enum record_row row = record_shown_row(record, record->row);
	struct text *value = &record->setup.values[row - ROW_SETUP];

	text_clear(value);
	text_add(value, text + strspn(text, " "));
	if (record->row == ROW_SETUP + SETUP_MORE)
		record_setup_settle(&record->setup, record->host->command);
	record_changed(record);
}

/* Puts the filter in the kernel's syntax if possible; else as typed, for the kernel to judge. */
static void take_filter(struct record_ui *record, const char *text)
{
	const struct record_item *item = record_item_here(record);
	struct filter_error err = { 0 };
	struct text kernel = { 0 };

	/* the list may have changed since */
	if (!item || item->kind != ITEM_CAPABILITY)
		return;
	text += strspn(text, " ");
	if (*text && !filter_kernel_text(text, &kernel, &err))
		host_message(record->view_host, "used as typed: %s", text_str(&err.message));
	record_setup_filter(&record->setup, &record->caps.lists[CAPABILITY_EVENT], item->value,
			    kernel.len ? text_str(&kernel) : text);
	text_fini(&kernel);
	text_fini(&err.message);
	record_changed(record);
	record_list_fill(record);
}

static void keep_named(struct record_ui *record, const char *name)
{
	struct shell_words words = { 0 };
	struct ft_error err = { 0 };
	struct text line = { 0 };
	char path[4096];

	if (!*name)
		return;
	if (record_setup_words(&record->setup, &words, &err)) {
		host_error(record->view_host, "%s", err.message);
	} else if (!paths_config("record-setups", path, sizeof(path))) {
		host_error(record->view_host, "there is no folder to save it in: neither "
					      "XDG_CONFIG_HOME nor HOME is set");
	} else {
		shell_words_join(&words, &line);
		if (named_setups_put(&record->named, path, name, text_str(&line), &err)) {
			host_error(record->view_host, "%s", err.message);
		} else {
			text_clear(&record->name);
			text_printable(&record->name, name, strlen(name));
			record->edited = false;
			record_want(record, QUESTION_PRESET);
			host_message(record->view_host, "%s saved to %s", name, path);
		}
	}
	record_list_fill(record);
	shell_words_fini(&words);
	text_fini(&line);
}

void record_prompt_accepted(struct record_ui *record, const char *text)
{
	switch (record->prompt) {
	case RECORD_PROMPT_FIELD:
		take_field(record, text);
		break;
	case RECORD_PROMPT_FILTER:
		take_filter(record, text);
		break;
	case RECORD_PROMPT_NAME:
		keep_named(record, text);
		break;
	}
}

/* Deletes the user's own preset under the cursor; built-in ones stay. */
static void forget_named(struct record_ui *record)
{
	const struct record_item *item = record_item_here(record);
	struct ft_error err = { 0 };
	char path[4096], *name;

	if (!item || item->kind != ITEM_NAMED || !paths_config("record-setups", path, sizeof(path)))
		return;
	name = mem_strdup(record->named.all[item->value].name);
	if (named_setups_put(&record->named, path, name, NULL, &err)) {
		host_error(record->view_host, "%s", err.message);
	} else {
		record_want(record, QUESTION_PRESET);
		host_message(record->view_host, "%s is deleted", name);
		if (!strcmp(text_str(&record->name), name)) {	/* its settings stay */
			text_clear(&record->name);
			record->edited = true;
		}
	}
	free(name);
	record_list_fill(record);
}

/* --- doctor, help, copy ------------------------------------------------------ */

void record_open_doctor(struct record_ui *record)
{
	record_want(record, QUESTION_DOCTOR);
	record_fill_doctor(record);
}

static const struct { const char *keys, *help; } keys_of_form[] = {
	{ "j k Down Up", "go to the next or previous field" },
	{ "Enter Right", "edit the text, or go to the list of choices" },
	{ "R", "start the recording" },
	{ "n", "choose a preset by name: a ready one or your own" },
	{ "S", "save these settings as a preset" },
	{ "y", "copy the command line" },
	{ "d", "check what can be recorded here (doctor)" },
	{ "^R", "ask the kernel again" },
	{ "q Esc", "return to browsing" },
}, keys_of_list[] = {
	{ "letters", "narrow the list, q too: parts of a name, or a glob like tcp*ack" },
	{ "Space", "tick or untick" },
	{ "+ -", "tick all events of this system, or untick them" },
	{ "Enter", "take this choice, or all that are ticked; on an event: write a filter, "
		"such as prev_prio < 100 or pid in (5-9), which the kernel applies" },
	{ "Del", "delete a preset of your own" },
	{ "R", "start the recording, if nothing is typed yet" },
	{ "Esc", "clear what is typed; then return to the fields" },
	{ "Left Tab", "return to the fields" },
}, keys_of_run[] = {
	{ "^C s", "stop and open the trace" },
	{ "q", "ask: stop, leave it running while you browse (or when you quit), or stay" },
	{ "w", "show what is recorded, while it grows; R returns here" },
	{ "Esc", "browse meanwhile; R returns here" },
};

#define ADD_KEYS(popup, cols, heading, table) \
	do { \
		popup_add(popup, 0, true, heading); \
		for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++) \
			popup_add_entry(popup, cols, 0, 15, (table)[i].keys, (table)[i].help); \
		popup_add(popup, 0, false, ""); \
	} while (0)

static const struct picker help = { .keys = "/ Find  n N Next  q Back", .help = POPUP_HELP };

static void open_help(struct record_ui *record)
{
	struct popup *popup = record->host->popup;
	int cols = record->host->canvas->cols;

	popup_open(popup, &help, "Help: Record      / find   q back");
	ADD_KEYS(popup, cols, "fields", keys_of_form);
	ADD_KEYS(popup, cols, "in a list", keys_of_list);
	ADD_KEYS(popup, cols, "while recording", keys_of_run);
	popup_add(popup, 0, true, "meaning of the fields");
	for (int row = 0; row <= ROW_MEASURE; row++)
		popup_add_entry(popup, cols, 0, 15, record_row_label(row), record_row_help(row));
	popup_start(popup);
}

/* --- keys ----------------------------------------------------------------- */

static void move(struct record_ui *record, int step)
{
	record->row = list_window_row((int64_t)record->row + step, record_nr_rows(record));
	record_list_open(record);
}

static void go_to(struct record_ui *record, enum record_row row)
{
	record->row = row;
	record_list_open(record);
	edit(record);
}

static void form_request(struct record_ui *record, enum request request)
{
	switch ((int)request) {
	case REQ_DOWN:
		move(record, 1);
		return;
	case REQ_UP:
		move(record, -1);
		return;
	case REQ_FIRST:
		move(record, -NR_ROWS);
		return;
	case REQ_LAST:
		move(record, NR_ROWS);
		return;
	case REQ_ENTER:
	case REQ_RIGHT:
		edit(record);
		return;
	case REQ_BACK:
	case REQ_CANCEL:
	case REQ_INTERRUPT:
		leave(record);
		return;
	case REQ_HELP:
		open_help(record);
		return;
	case REQ_QUIT:
		record->host->quit(record->host->app, NULL);
		return;
	case REQ_RELOAD:
		record_want(record, QUESTION_DOCTOR);
		record_want(record, QUESTION_LIST);
		read_named(record);
		record_want(record, QUESTION_PRESET);
		host_message(record->view_host, "asking the kernel again");
		return;
	case REQ_REDRAW:
	case REQ_SUSPEND:
		record->host->request(record->host->app, request);
		return;
	}
	host_message(record->view_host, "not a key of this screen; ? lists the keys");
}

static void form_press(struct record_ui *record, ui_key key, enum request request)
{
	switch (key) {
	case 'R':
		record_start(record);
		return;
	case 'n':
		go_to(record, ROW_NAME);
		return;
	case 'S':
		record->prompt = RECORD_PROMPT_NAME;
		record->host->ask(record->host->app, "save these settings as preset: ", "", NULL,
				  false);
		return;
	case 'y':
		host_copy(record->view_host, "command", text_str(&record->command),
			  record->command.len);
		return;
	case 'd':
	case 'D':
		record_open_doctor(record);
		return;
	case UI_KEY_DELETE:
		if (record->row == ROW_NAME)
			forget_named(record);
		return;
	case UI_KEY_TAB:
		edit(record);
		return;
	}
	form_request(record, request);
}

static void run_press(struct record_ui *record, ui_key key, enum request request)
{
	switch ((int)request) {
	case REQ_INTERRUPT:
		record_stop(record);
		return;
	case REQ_BACK:
		record->asks = ASKS_LEAVE;
		return;
	case REQ_CANCEL:
		leave(record);
		host_message(record->view_host, "recording continues: R shows it, Ctrl-C stops it");
		return;
	case REQ_QUIT:
		record_ask_quit(record);
		return;
	case REQ_HELP:
		open_help(record);
		return;
	case REQ_REDRAW:
	case REQ_SUSPEND:
		record->host->request(record->host->app, request);
		return;
	}
	if (key == 's')
		record_stop(record);
	else if (key == 'w')
		record_follow(record);
	else
		host_message(record->view_host,
			     "not a key while recording; Ctrl-C stops it, ? lists the keys");
}

/* --- stop, keep or stay ------------------------------------------------------- */

bool record_ask_quit(struct record_ui *record)
{
	if (!record_running(record))
		return false;
	record->asks = ASKS_QUIT;
	record->host->redraw(record->host->app);
	return true;
}

static void keep_on(struct record_ui *record)
{
	struct text farewell = { 0 };

	child_tell(&record->recorder, "keep");
	record->kept = true;
	text_printf(&farewell, "recording continues into %s", text_str(&record->target));
	if (record->progress.pid)
		text_printf(&farewell, "; %skill -INT %u stops it",
			    record->rights == RIGHTS_OWN ? "" : "sudo ",
			    (unsigned int)record->progress.pid);
	record->host->quit(record->host->app, text_str(&farewell));
	text_fini(&farewell);
}

static void answer(struct record_ui *record, ui_key key)
{
	bool quit = record->asks == ASKS_QUIT;

	record->asks = ASKS_NOTHING;
	if (key == 's' || key == UI_KEY_CTRL('C') || (key == 'd' && quit)) {
		record->quit_after = quit;
		record->discards = key == 'd';
		record_stop(record);
	} else if (key == 'k' && quit) {
		keep_on(record);
	} else if (key == 'k') {
		leave(record);
		host_message(record->view_host, "recording continues: R shows it, Ctrl-C stops it");
	}
}

/* A click in the list selects, a second one there ticks. */
static void press_in_list(struct record_ui *record, const struct ui_mouse *mouse)
{
	enum request wheel = list_window_wheel(mouse);
	int item = list_window_pressed(&record->list, mouse, record->nr_items);
	bool again = record->in_list && item == (int)record->list.at;

	if (wheel == REQ_NONE && item < 0)
		return;
	record->in_list |= record->nr_items > 0;
	list_window_request(&record->list, wheel, record->nr_items);
	if (item >= 0)
		record->list.at = (unsigned int)item;
	if (again)
		record_list_press(record, ' ', REQ_NONE);
}

/* A click on a field selects it, a second one edits it. */
static void press_in_form(struct record_ui *record, const struct ui_mouse *mouse)
{
	const struct list_window fields = { .top = record->top,
					    .height = record->list.height,
					    .row = record->list.row };
	enum request wheel = list_window_wheel(mouse);
	int row = list_window_pressed(&fields, mouse, record_nr_rows(record));

	if (wheel != REQ_NONE) {
		move(record, wheel == REQ_UP ? -1 : 1);
	} else if (row >= 0 && row == (int)record->row && !record->in_list) {
		edit(record);
	} else if (row >= 0) {
		record->row = (unsigned int)row;
		record_list_open(record);
	}
}

static void press_mouse(struct record_ui *record, const struct ui_mouse *mouse)
{
	if (record->running)
		return;
	if (mouse->col >= record->list_col)
		press_in_list(record, mouse);
	else
		press_in_form(record, mouse);
}

bool record_press(struct record_ui *record, ui_key key, enum request request,
		  const struct ui_mouse *mouse)
{
	if (record_question(record)) {
		answer(record, key);
		return true;
	}
	if (!record_shown(record))
		return false;
	if (key == UI_KEY_MOUSE) {
		press_mouse(record, mouse);
		return true;
	}
	if (record->running)
		run_press(record, key, request);
	else if (!record->in_list || !record_list_press(record, key, request))
		form_press(record, key, request);
	return true;
}

/* --- the loop --------------------------------------------------------------- */

unsigned int record_fds(const struct record_ui *record, struct pollfd *fds)
{
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

int record_timeout_ms(const struct record_ui *record)
{
	if (!record ||
	    (record->asking < 0 && !record->running && !record->check_at && !record->wanted))
		return -1;
	if (record->asking < 0 && record->wanted)
		return 0;
	return TICK_MS;
}

void record_step(struct record_ui *record)
{
	if (!record)
		return;
	if (record->check_at && workers_now_ns() >= record->check_at) {
		record->check_at = 0;
		if (record->shown && !record->running)
			record_want(record, QUESTION_CHECK);
	}
	record_ask_step(record);
	record_run_step(record);
}

/* --- for who has not opened it yet ---------------------------------------------- */

void record_look(struct record_ui *record)
{
	record_want(record, QUESTION_DOCTOR);
}

bool record_obstacle_line(const struct record_ui *record, struct text *out)
{
	if (!record || !record->caps.nr_checks)
		return false;
	record_obstacle(record, out);
	if (out->len)
		out->data[out->len = strcspn(out->data, "\n")] = '\0';
	return true;
}

unsigned int record_in_the_way(const struct record_ui *record)
{
	return record ? capabilities_nr_refused(&record->caps) : 0;
}
