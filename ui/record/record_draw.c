/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_draw - the form of the record screen: fields, choices, the command line, what is wrong. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ui/record/record_private.h"
#include "src/base/shorten.h"
#include "src/recording/measure_keys.h"

#define LABEL_CELLS	11

static const struct { const char *label, *empty, *help; } rows[ROW_MEASURE + 1] = {
	[ROW_NAME] = { "preset", "-", "a saved or built-in preset; S saves this one" },
	[ROW_SETUP + SETUP_TRACER] = { "tracer", "none",
				       "a tracer of the kernel: function_graph, irqsoff… (-p)" },
	[ROW_SETUP + SETUP_EVENTS] = { "events", "none",
				       "events and whole systems (-e); an event can have a filter (-f)" },
	[ROW_SETUP + SETUP_FUNCTIONS] = { "functions", "all",
					  "only these (-l); with function_graph also what they call (-g)" },
	[ROW_SETUP + SETUP_DEPTH] = { "depth", "any",
				      "function_graph: levels of calls to trace (--max-graph-depth)" },
	[ROW_MEASURE] = { "measure", "as set",
					"timerlat, osnoise, hwlat: period=100us,cpus=2-3… (--measure)" },
	[ROW_SETUP + SETUP_TASKS] = { "tasks", "all",
				      "only the command (-F) or processes (-P), with children (-c)" },
	[ROW_SETUP + SETUP_COMMAND] = { "command", "none",
					"recording stops when this command ends; none: at Ctrl-C" },
	[ROW_SETUP + SETUP_CPUS] = { "CPUs", "all", "a list such as 0,2-4 (--cpu)" },
	[ROW_SETUP + SETUP_CLOCK] = { "clock", "automatic",
				      "clock of the time stamps (-C)" },
	[ROW_SETUP + SETUP_BUFFER] = { "buffer", "4M", "size for each CPU: 512 (KiB), 16M (-b)" },
	[ROW_SETUP + SETUP_DURATION] = { "stop after", "-",
					 "a time: 10, 500ms or 2m (--duration)" },
	[ROW_SETUP + SETUP_SIZE] = { "stop at", "-", "number of bytes: 500M (--size)" },
	[ROW_SETUP + SETUP_UNTIL] = { "until", "-",
				      "stop when this has happened: wakeup > 500us, irq > 1ms, lost > 0, "
				      "a filter (--until)" },
	[ROW_SETUP + SETUP_FILE] = { "file", "",
				     "the trace to write; empty: a name not in use (-o)" },
	[ROW_SETUP + SETUP_MORE] = { "more", "-", "other options, as for ftop-trace record" },
	[ROW_RIGHTS] = { "run as", "",
		"only the recorder runs as root; browsing does not need it" },
};

const char *record_row_label(enum record_row row)
{
	return rows[row].label;
}

const char *record_row_help(enum record_row row)
{
	return rows[row].help;
}

/* --- values --------------------------------------------------------------- */

static void add_events(struct record_ui *record, struct text *out)
{
	const struct capability_list *events = &record->caps.lists[CAPABILITY_EVENT];

	for (unsigned int i = 0; i < record->setup.nr_events; i++)
		text_printf(out, "%s%s%s", i ? ", " : "", record->setup.events[i].pattern,
			    record->setup.events[i].filter ? " if…" : "");
	if (record->count_ticked)
		record->nr_ticked = record_setup_nr_ticked(&record->setup, events);
	record->count_ticked = false;
	if (record->setup.nr_events && events->nr) {
		text_add(out, " (");
		text_count(out, record->nr_ticked);
		text_add(out, " of ");
		text_count(out, events->nr);
		text_char(out, ')');
	}
}

static void add_words(const struct shell_words *words, struct text *out)
{
	for (unsigned int i = 0; i < words->nr; i++)
		text_printf(out, "%s%s", out->len ? ", " : "", words->words[i]);
}

static void add_tasks(const struct record_ui *record, struct text *out)
{
	if (record->setup.only_command)
		text_add(out, "the command");
	add_words(&record->setup.pids, out);
	if (record->setup.children)
		text_add(out, out->len ? " and children" : "children");
}

static void row_value(struct record_ui *record, enum record_row row, struct text *out)
{
	struct text raw = { 0 };

	row = record_shown_row(record, row);
	switch ((int)row) {
	case ROW_NAME:
		text_add(&raw, text_str(&record->name));
		if (record->edited)
			text_add(&raw, raw.len ? ", changed" : "your own");
		break;
	case ROW_SETUP + SETUP_EVENTS:
		add_events(record, &raw);
		break;
	case ROW_SETUP + SETUP_FUNCTIONS:
		add_words(&record->setup.functions, &raw);
		break;
	case ROW_SETUP + SETUP_TASKS:
		add_tasks(record, &raw);
		break;
	case ROW_RIGHTS:
		text_add(&raw, record->rights == RIGHTS_SUDO   ? "root, with sudo" :
			       record->rights == RIGHTS_PKEXEC ? "root, with pkexec" :
								 "yourself");
		break;
	case ROW_SETUP + SETUP_FILE:
		text_add(&raw, text_str(&record->file));
		if (record->setup.values[SETUP_FILE].len && !access(text_str(&record->file), F_OK))
			text_add(&raw, " (will be replaced)");
		break;
	default:
		text_add(&raw, text_str(&record->setup.values[row - ROW_SETUP]));
	}
	if (!raw.len)
		text_add(&raw, rows[row].empty);
	text_printable(out, text_str(&raw), raw.len);
	text_fini(&raw);
}

/* --- pieces ---------------------------------------------------------------- */

/* Wraps the text onto at most @max_rows lines. */
static int draw_wrapped(struct canvas *canvas, int row, int max_rows, int col, enum role role,
			const char *s)
{
	int used = 0;

	while (*s && used < max_rows) {
		int room = canvas->cols - col - 1;
		size_t take = canvas_line(s, room);

		if (s[take] && used + 1 < max_rows) {
			canvas_bytes(canvas, row + used, col, room, role, s, take);
		} else {
			canvas_fit(canvas, row + used, col, room, role, s);
			take = strlen(s);
		}
		s += take + strspn(s + take, " ");
		used++;
	}
	return used;
}

static void draw_title(const struct record_ui *record, struct canvas *canvas)
{
	struct text t = { 0 };

	canvas_text(canvas, 0, 1, 20, ROLE_HEADER, "Record");
	if (record->caps.kernel.len)
		text_printf(&t, "kernel %s", text_str(&record->caps.kernel));
	if (record->caps.lists[CAPABILITY_EVENT].nr) {
		text_add(&t, t.len ? "  " : "");
		text_count(&t, record->caps.lists[CAPABILITY_EVENT].nr);
		text_add(&t, " events");
	}
	canvas_right(canvas, 0, 10, canvas->cols - 11, ROLE_DIM, text_str(&t));
	text_fini(&t);
}

/* Returns the number of rows drawn. */
static int draw_state(const struct record_ui *record, struct canvas *canvas)
{
	unsigned int nr = capabilities_nr_refused(&record->caps);
	struct text t = { 0 };
	const char *remedy;
	int used = 1;

	record_obstacle(record, &t);
	remedy = t.len ? strchr(t.data, '\n') + 1 : "";
	if (t.len) {
		size_t len = strcspn(t.data, "\n");

		t.data[len] = '\0';
		used = draw_wrapped(canvas, 1, *remedy ? 1 : 2, 1, ROLE_ERROR, t.data);
		if (used == 1)
			canvas_fit(
				canvas, 2, 1, canvas->cols - 2, ROLE_DIM,
				*remedy ?
					remedy :
					"you can still fill in the form; y copies the command line");
		used = 2;
	} else if (record->rights == RIGHTS_OWN && !record->caps.nr_checks) {
		canvas_text(canvas, 1, 1, canvas->cols - 2, ROLE_DIM,
			    "asking the kernel what it can record…");
	} else if (record->listing.len) {
		canvas_fit(canvas, 1, 1, canvas->cols - 2, ROLE_DIM,
			   "only root can read the lists; you can type names");
	} else {
		text_add(&t, "events can be recorded here");
		if (capabilities_refused(&record->caps, "function") &&
		    capabilities_refused(&record->caps, "function_graph"))
			text_add(&t, ", function calls cannot");
		if (nr)
			text_printf(&t, "; d shows %u problem%s", nr, PLURAL(nr));
		canvas_fit(canvas, 1, 1, canvas->cols - 2, ROLE_DIM, text_str(&t));
	}
	text_fini(&t);
	return used;
}

/* The last field, "run as", is shown only if the user can choose it. */
static void draw_fields(struct record_ui *record, struct canvas *canvas, int top, int height,
			int cols)
{
	struct text t = { 0 };

	for (int i = 0; i < height && record->top + (unsigned int)i < record_nr_rows(record); i++) {
		enum record_row row = record->top + (unsigned int)i;

		text_clear(&t);
		row_value(record, row, &t);
		canvas_text(canvas, top + i, 1, LABEL_CELLS, ROLE_HEADING,
			    rows[record_shown_row(record, row)].label);
		canvas_fit(canvas, top + i, 1 + LABEL_CELLS, cols - LABEL_CELLS - 2, ROLE_TEXT,
			   text_str(&t));
		if (row == record->row)
			canvas_cursor(canvas, top + i, 0, cols - 1,
				      record->in_list ? ROLE_SELECTED_INACTIVE : ROLE_SELECTED);
	}
	text_fini(&t);
}

/* Cells for an item's name, out of those available; its description gets the rest. */
static int label_cells(enum record_row row, int room)
{
	if (room >= 60)
		return room >= 90 ? 44 : 34;
	switch ((int)row) {
	case ROW_NAME:
		return 26;
	case ROW_RIGHTS:
	case ROW_SETUP + SETUP_TASKS:
		return 18;
	case ROW_SETUP + SETUP_TRACER:
		return 16;
	case ROW_SETUP + SETUP_CLOCK:
		return 23;
	}
	return room;
}

/* "[x] sched:sched_wakeup     comm=%s pid=%d" */
static void draw_item(const struct record_ui *record, struct canvas *canvas, int row, int col,
		      const struct record_item *item)
{
	bool single = record->row == ROW_NAME || record->row == ROW_RIGHTS ||
		      record->row == ROW_SETUP + SETUP_TRACER ||
		      record->row == ROW_SETUP + SETUP_CLOCK;
	int room = canvas->cols - col - 6, wide = label_cells(record->row, room);
	bool on = record_item_ticked(record, item);
	struct text label = { 0 }, note = { 0 };

	record_item_text(record, item, &label, &note);
	if (item->kind == ITEM_NAMED && room < 60) {	/* a question needs more room */
		text_clear(&note);
		text_add(&note, record_item_refused(record, item) ? "not here" : "");
	}
	text_add(&label, item->kind == ITEM_TYPED ? " (as typed)" : "");
	canvas_text(canvas, row, col + 1, 3, ROLE_TEXT,
		    item->kind == ITEM_TYPED ? " + " :
		    single                   ? on ? "(*)" : "( )" :
		    on                       ? "[x]" :
					       "[ ]");
	if (record->row == ROW_SETUP + SETUP_EVENTS && strncmp(text_str(&note), "if ", 3) == 0 &&
	    wide == room)
		text_printf(&label, " %s", text_str(&note));	/* a filter is never left out */
	canvas_fit(canvas, row, col + 5, wide < room ? wide - 1 : room,
		   record_item_refused(record, item) ? ROLE_DIM : ROLE_TEXT, text_str(&label));
	if (wide < room)
		canvas_fit(canvas, row, col + 5 + wide, room - wide, ROLE_DIM, text_str(&note));
	text_fini(&label);
	text_fini(&note);
}

static void list_title(const struct record_ui *record, struct text *out)
{
	unsigned int capabilities = 0;

	for (unsigned int i = 0; i < record->nr_items; i++)
		capabilities += record->items[i].kind != ITEM_TYPED &&
				record->items[i].kind != ITEM_NONE;
	if (record->find.len) {
		text_printf(out, " find: %s%s  ", text_str(&record->find),
			    record->in_list ? "_" : "");
		text_count(out, capabilities);
		text_char(out, ' ');
	} else if (record->in_list) {
		text_add(out, " find: _ ");
	}
}

/* Why there is nothing to choose from. */
static const char *empty_list(const struct record_ui *record)
{
	const struct capability_list *list = record_list_of(record, record->row);

	if (!record_has_list(record->row))
		return "Enter edits it";
	if (record->find.len)
		return "no match";
	if (list && !list->nr)
		return record->asking >= 0 || record->wanted ?
			       "asking…" :
			       "list unknown; press Enter, then type names";
	return "";
}

/* The keys of the tracer: they are typed. */
static void draw_keys(const struct record_ui *record, struct canvas *canvas, int top, int height,
		      int col)
{
	const char *tracer = text_str(&record->setup.values[SETUP_TRACER]);
	const struct measure_key *key;
	int row = top + 1;

	for (unsigned int i = 0; (key = measure_key(i)) && row < top + height; i++) {
		struct text line = { 0 };

		if (!measure_key_fits(key, tracer))
			continue;
		text_printf(&line, "%s%s%s", key->name, key->arg ? "=" : "",
			    key->arg ? key->arg : "");
		canvas_fit(canvas, row, col + 1, 16, ROLE_TEXT, text_str(&line));
		canvas_fit(canvas, row++, col + 18, canvas->cols - col - 19, ROLE_DIM, key->help);
		text_fini(&line);
	}
}

static void draw_list(struct record_ui *record, struct canvas *canvas, int top, int height, int col)
{
	struct list_window *w = &record->list;
	struct text title = { 0 };

	list_title(record, &title);
	canvas_fit(canvas, top - 1, col + 1, canvas->cols - col - 2, ROLE_PROMPT_HINT,
		   text_str(&title));
	for (int i = 0; i < height; i++)
		canvas_text(canvas, top + i, col - 1, 1, ROLE_DIVIDER, "│");
	list_window_show(w, top, height, record->nr_items);
	record->list_col = col;
	for (unsigned int i = 0; i < w->height && w->top + i < record->nr_items; i++) {
		draw_item(record, canvas, top + (int)i, col, &record->items[w->top + i]);
		if (record->in_list && w->top + i == w->at)
			canvas_cursor(canvas, top + (int)i, col, canvas->cols - col, ROLE_SELECTED);
	}
	if (!record->nr_items)
		canvas_fit(canvas, top, col + 1, canvas->cols - col - 2, ROLE_DIM,
			   empty_list(record));
	if (record_shown_row(record, record->row) == ROW_MEASURE)
		draw_keys(record, canvas, top, height, col);
	text_fini(&title);
}

/* Describes the item under the cursor in more words than fit its row. */
static void draw_detail(const struct record_ui *record, struct canvas *canvas, int row, int height)
{
	const struct record_item *item = record->in_list ? record_item_here(record) : NULL;
	const struct capability *event = NULL;
	enum record_row shown = record_shown_row(record, record->row);
	struct text label = { 0 }, note = { 0 };
	int used = 0;

	canvas_fill(canvas, row, 0, canvas->cols, ROLE_DIVIDER, "─");
	if (item && record->row == ROW_SETUP + SETUP_EVENTS && item->kind == ITEM_CAPABILITY)
		event = &record->caps.lists[CAPABILITY_EVENT].items[item->value];
	if (item)
		record_item_text(record, item, &label, &note);
	canvas_fit(canvas, row, 2, canvas->cols - 4, ROLE_DIVIDER,
		   item ? text_str(&label) : rows[shown].label);
	if (event && event->fields) {
		used = draw_wrapped(canvas, row + 1, height > 3 ? 2 : 1, 1, ROLE_TEXT, event->note);
		draw_wrapped(canvas, row + 1 + used, height - 1 - used, 1, ROLE_DIM, event->fields);
	} else if (event) {
		canvas_text(canvas, row + 1, 1, canvas->cols - 2, ROLE_DIM, "reading its format…");
	} else {
		draw_wrapped(canvas, row + 1, height - 1, 1, ROLE_TEXT,
			     item && note.len ? text_str(&note) : rows[shown].help);
	}
	text_fini(&label);
	text_fini(&note);
}

static int nr_lines(const char *s)
{
	int nr = 0;

	for (; (s = strchr(s, '\n')) != NULL; s++)
		nr++;
	return nr;
}

/* Every mistake has a row; where there are more rows, the first ones are wrapped. */
static void draw_mistakes(const struct record_ui *record, struct canvas *canvas, int row,
			  int height)
{
	const char *p = text_str(&record->mistakes);

	for (int used = 0, others; used < height && *p;) {
		size_t len = strcspn(p, "\n");
		struct text line = { 0 };

		text_bytes(&line, p, len);
		p += len + (p[len] == '\n');
		if (used + 1 == height && *p)	/* the text does not fit */
			text_add(&line, "  (and more)");
		others = nr_lines(p);
		used += draw_wrapped(canvas, row + used,
				     others < height - used ? height - used - others : 1, 1,
				     ROLE_ERROR, text_str(&line));
		text_fini(&line);
	}
}

#define LEAVE	"Esc Leave  "
#define NARROW	LEAVE "letters Filter  "
#define TYPED	"Esc All rows  Left Leave  "

/* Letters are text in a list, q too: how to leave comes first. */
static const char *list_bar(const struct record_ui *record)
{
	bool typed = record->find.len;

	switch ((int)record->row) {
	case ROW_SETUP + SETUP_EVENTS:
		return typed ? TYPED "Space Tick  + - System  Enter Condition" :
			       NARROW "Space Tick  + - System  Enter Condition";
	case ROW_SETUP + SETUP_FUNCTIONS:
	case ROW_SETUP + SETUP_TASKS:
		return typed ? TYPED "Space Tick  Enter Use" : NARROW "Space Tick  Enter Use";
	case ROW_NAME:
		return typed ? TYPED "Enter Use  Del Delete your own" :
			       NARROW "Enter Use  Del Delete your own";
	case ROW_RIGHTS:
		return LEAVE "Enter Use";
	}
	return typed ? TYPED "Enter Use" : NARROW "Enter Use";
}

static const char *key_bar(const struct record_ui *record)
{
	if (record->running)
		return "w Watch  ^C Stop  q Stop or leave  Esc Browse meanwhile  ? Help";
	if (record->in_list)
		return list_bar(record);
	return "Enter Edit  n Presets  S Save  d Doctor  y Copy  R Start  q Back  ? Help";
}

const char *record_key_bar(const struct record_ui *record)
{
	const char *question = record_question(record);

	return question ? question : record_shown(record) ? key_bar(record) : NULL;
}

static void draw_form(struct record_ui *record)
{
	struct canvas *canvas = record->host->canvas;
	bool large = canvas->rows >= 40, small = canvas->rows < 20;
	/* from the bottom: key bar, mistakes, command, detail; fields and list get the rest */
	int mistakes = large ? 4 : 1,
	    command = large ? 4 :
		      small ? 1 :
			      2,
	    detail = large ? 6 :
		     small ? 2 :
			     3;
	int top, height, row, left = canvas->cols >= 120 ? 56 : canvas->cols * 9 / 20;
	int fields = (int)record_nr_rows(record);
	struct text same = { 0 };

	draw_title(record, canvas);
	top = draw_state(record, canvas) + 2;
	height = canvas->rows - 1 - mistakes - command - detail - top;
	for (; !large && height > fields && mistakes < 3; height--)
		mistakes++;
	/*
	 * fields have priority over an empty line, and over the second lines of the detail and the
	 * command
	 */
	for (; height < fields && mistakes && !record->mistakes.len; height++)
		mistakes--;
	for (; height < fields && detail > 2; height++)
		detail--;
	for (; height < fields && command > 1; height++)
		command--;
	/* mistakes come first */
	for (int wrong = nr_lines(text_str(&record->mistakes)); wrong > mistakes && height > 3;
	     mistakes++)
		*(detail > 2 ? &detail : &height) -= 1;
	record->top = list_window_top(record->top, record->row,
				      height > 0 ? (unsigned int)height : 1, (unsigned int)fields);
	canvas_fill(canvas, top - 1, 0, canvas->cols, ROLE_DIVIDER, "─");
	draw_fields(record, canvas, top, height, left);
	draw_list(record, canvas, top, height, left);
	row = top + height;
	draw_detail(record, canvas, row, detail);
	row += detail;
	text_printf(&same, "same as:  %s", text_str(&record->command));
	draw_wrapped(canvas, row, command, 1, ROLE_STRING, text_str(&same));
	draw_mistakes(record, canvas, row + command, mistakes);
	text_fini(&same);
}

void record_draw(struct record_ui *record)
{
	if (record->host->popup->picker)
		popup_draw(record->host->popup, record->host->canvas);
	else if (record->running)
		record_draw_run(record);
	else
		draw_form(record);
}
