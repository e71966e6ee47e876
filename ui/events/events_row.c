/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events_row - what is done with the row under the cursor: its fields, copies of it, filters by what it is. */
#include "ui/events/view_events.h"

#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_names.h"
#include "src/filter/filter_value.h"
#include "ui/rows/filter_terms.h"

/* --- its fields ---------------------------------------------------------- */

/* Enter on a field: a pid, an address or a time leads somewhere. */
static void enter_field(struct view *view)
{
	const struct words_field *f = detail_field(&view->detail);
	const struct row *row = rows_here(&view->rows);
	const char *name;
	long long value;
	char *end;
	size_t len;

	if (!f || !row)
		return;
	name = text_str(&f->name);
	len = strlen(name);
	value = strtoll(text_str(&f->raw), &end, 0);
	app_entering(view->app);
	if (len >= 3 && !strcmp(name + len - 3, "pid") && !*end) {
		struct find find = { .kind = FIND_PID, .forward = true, .file = row->file, .pid = (int)value,
				     .cpu = -1, .what = "event of this pid" };

		app_find(view->app, &find);
		return;
	}
	if (view->shared->has_span && !*end && value >= view->shared->first && value <= view->shared->last &&
	    value > 1000000) {
		app_jump_time(view->app, value, -1);
		return;
	}
	if (f->printed.len && !strncmp(text_str(&f->raw), "0x", 2)) {
		struct text symbol = { 0 };

		text_bytes(&symbol, f->printed.data, strcspn(f->printed.data, "+ ("));
		app_search_for(view->app, text_str(&symbol), true);
		text_fini(&symbol);
		return;
	}
	app_message(view->app, "%s is no pid, address or time of this trace: it leads nowhere", name);
}

bool events_fields_request(struct view *view, enum request request)
{
	switch ((int)request) {
	case REQ_DOWN:
		detail_move(&view->detail, 1);
		return true;
	case REQ_UP:
		detail_move(&view->detail, -1);
		return true;
	case REQ_PAGE_DOWN:
	case REQ_HALF_DOWN:
		detail_move(&view->detail, 8);
		return true;
	case REQ_PAGE_UP:
	case REQ_HALF_UP:
		detail_move(&view->detail, -8);
		return true;
	case REQ_FIRST:
		detail_move(&view->detail, -(int)view->detail.nr);
		return true;
	case REQ_LAST:
		detail_move(&view->detail, (int)view->detail.nr);
		return true;
	case REQ_ENTER:
		enter_field(view);
		return true;
	case REQ_BACK:
	case REQ_CANCEL:
	case REQ_INTERRUPT:
	case REQ_LEFT:
		view->detail.focused = false;
		return true;
	case REQ_RIGHT:
		return true;
	default:
		return false;
	}
}

void events_focus_fields(struct view *view)
{
	const struct row *row = rows_here(&view->rows);

	if (!row || row->kind != TRACE_ROW_EVENT) {
		app_message(view->app, "this row has no fields");
		return;
	}
	detail_load(&view->detail, view->shared, row);
	if (view->detail.nr)
		view->detail.focused = true;
	else
		app_message(view->app, "the fields of this event are not known");
}

static void copy_stack(struct view *view, const struct row *row)
{
	trace_ref ref = rows_stack_of(&view->rows, row);
	struct trace_event event;
	struct text *lines, all = { 0 };
	unsigned int nr;

	if (ref == TRACE_REF_NONE || !trace_event_at(view->shared->trace, ref, &event)) {
		app_message(view->app, "no stack was recorded with this row");
		return;
	}
	nr = trace_event_stack(view->shared->trace, &event, &lines);
	for (unsigned int i = 0; i < nr; i++) {
		text_printable(&all, text_str(&lines[i]), lines[i].len);
		text_char(&all, '\n');
	}
	trace_stack_free(lines, nr);
	app_copy(view->app, "stack", text_str(&all), all.len);
	text_fini(&all);
}

bool events_copy(struct view *view, char letter)
{
	const struct row *row = rows_here(&view->rows);
	const struct words_field *f;

	if (!row)
		return true;
	switch (letter) {
	case 'y':
		text_clear(&view->line);
		events_line_of(view, row, &view->line);
		app_copy(view->app, "row", text_str(&view->line), view->line.len);
		return true;
	case 's':
		copy_stack(view, row);
		return true;
	case 'v':
		f = view->detail.focused ? detail_field(&view->detail) : NULL;
		if (f && f->printed.len)
			app_copy(view->app, "value", text_str(&f->printed), f->printed.len);
		else if (f)
			app_copy(view->app, "value", text_str(&f->raw), f->raw.len);
		else
			app_message(view->app, "a value is copied from among the fields: Enter, then y v");
		return true;
	}
	return false;
}

/* --- filters by what it is ------------------------------------------------ */

/* The function of "schedule() {", of an exit with its name in a comment, of "schedule <-parent". */
static bool function_of(const struct row *row, struct text *out)
{
	const char *s = text_str(&row->what);

	if (!row->says_itself || row->is_stack)
		return false;
	s += strspn(s, "} /*");
	text_bytes(out, s, strcspn(s, " (;<"));
	return out->len > 0;
}

/* A field that has the name of something every event has is that of this event alone. */
static void filter_by_value(struct view *view, const struct row *row, bool without)
{
	const struct words_field *f = view->detail.focused ? detail_field(&view->detail) : NULL;
	enum filter_value_form form = FILTER_ASKS_NOTHING;
	struct text value = { 0 }, quoted = { 0 }, term = { 0 };
	struct trace_event event;

	if (!f) {
		app_message(view->app, "a value is chosen among the fields: Enter, then i v or x v");
		return;
	}
	if (trace_event_at(view->shared->trace, row->ref, &event))
		form = filter_value_ask(view->shared->trace, &event, text_str(&f->name), text_str(&f->raw),
					text_str(&f->printed), &value);
	if (form == FILTER_ASKS_STRING)
		filter_terms_quote(text_str(&value), &quoted);
	else
		text_add(&quoted, text_str(&value));
	if (form == FILTER_ASKS_NOTHING) {
		app_message(view->app, "%s is nothing that a filter can ask for by its value", text_str(&f->name));
	} else if (form == FILTER_ASKS_TERM) {
		app_filter_by(view->app, NULL, text_str(&quoted), without);
	} else if (filter_name_find(text_str(&f->name), NULL)) {
		text_printf(&term, "(%s: %s == %s)", text_str(&row->name), text_str(&f->name), text_str(&quoted));
		app_filter_by(view->app, NULL, text_str(&term), without);
	} else {
		app_filter_by(view->app, text_str(&f->name), text_str(&quoted), without);
	}
	text_fini(&value);
	text_fini(&quoted);
	text_fini(&term);
}

void events_filter_from_here(struct view *view, char letter, bool without)
{
	const struct row *row = rows_here(&view->rows);
	struct text t = { 0 }, value = { 0 };

	if (!row || row->kind != TRACE_ROW_EVENT) {
		app_message(view->app, "this row is no event: it has no task and no name");
		return;
	}
	if (letter == 'i' || letter == 'x')
		letter = row->says_itself && !row->is_stack ? 'f' : 'e';
	switch (letter) {
	case 't':
		text_printf(&t, "%d", row->pid);
		app_filter_by(view->app, "pid", text_str(&t), without);
		break;
	case 'p':
		app_filter_by_process(view->app, row->file, row->pid, row->ts, without);
		break;
	case 'e':
		app_filter_by(view->app, NULL, text_str(&row->name), without);
		break;
	case 'c':
		text_printf(&t, "%d", row->cpu);
		app_filter_by(view->app, "cpu", text_str(&t), without);
		break;
	case 'f':
		if (function_of(row, &t)) {
			filter_terms_quote(text_str(&t), &value);
			app_filter_by(view->app, "func", text_str(&value), without);
		} else {
			app_message(view->app, "this row tells no function: i e takes its event");
		}
		break;
	case 'h':
		app_filter_by(view->app, NULL, "(irq || softirq)", without);
		break;
	case 'v':
		filter_by_value(view, row, without);
		break;
	}
	text_fini(&t);
	text_fini(&value);
}
