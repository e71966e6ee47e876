/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events_row - actions on the row under the cursor: its fields, copies, filters by its values. */
#include "ui/events/view_events.h"

#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_names.h"
#include "src/filter/filter_value.h"

/* --- its fields ---------------------------------------------------------- */

/* Enter on a field: follows a pid, an address or a time. */
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
	host_entering(view->host);
	if (len >= 3 && !strcmp(name + len - 3, "pid") && !*end) {
		struct find find = { .kind = FIND_PID, .forward = true, .file = row->file,
				     .pid = (int)value,
				     .cpu = -1, .what = "event of this pid" };

		host_find(view->host, &find);
		return;
	}
	if (view->shared->at.has_span && !*end && value >= view->shared->at.first &&
	    value <= view->shared->at.last && value > 1000000) {
		host_jump_time(view->host, value, -1);
		return;
	}
	if (f->printed.len && !strncmp(text_str(&f->raw), "0x", 2)) {
		struct text symbol = { 0 };

		text_bytes(&symbol, f->printed.data, strcspn(f->printed.data, "+ ("));
		host_search_for(view->host, text_str(&symbol), true);
		text_fini(&symbol);
		return;
	}
	host_message(view->host, "%s is not a pid, address or time of this trace", name);
}

bool events_fields_request(struct view *view, enum request request)
{
	if (detail_request(&view->detail, request))
		return true;
	switch ((int)request) {
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
		host_message(view->host, "this row has no fields");
		return;
	}
	detail_load(&view->detail, view->shared, row);
	if (view->detail.nr)
		view->detail.focused = true;
	else
		host_message(view->host, "the fields of this event are not known");
}

static void copy_stack(struct view *view, const struct row *row)
{
	trace_ref ref = rows_stack_of(&view->rows, row);
	struct trace_event event;
	struct text *lines, all = { 0 };
	unsigned int nr;

	if (ref == TRACE_REF_NONE || !trace_event_at(view->shared->trace, ref, &event)) {
		host_message(view->host, "no stack was recorded with this row");
		return;
	}
	nr = trace_event_stack(view->shared->trace, &event, &lines);
	for (unsigned int i = 0; i < nr; i++) {
		text_printable(&all, text_str(&lines[i]), lines[i].len);
		text_char(&all, '\n');
	}
	trace_stack_free(lines, nr);
	host_copy(view->host, "stack", text_str(&all), all.len);
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
		host_copy(view->host, "row", text_str(&view->line), view->line.len);
		return true;
	case 's':
		copy_stack(view, row);
		return true;
	case 'v':
		f = view->detail.focused ? detail_field(&view->detail) : NULL;
		if (f && f->printed.len)
			host_copy(view->host, "value", text_str(&f->printed), f->printed.len);
		else if (f)
			host_copy(view->host, "value", text_str(&f->raw), f->raw.len);
		else
			host_message(view->host,
				     "to copy a value, choose its field: Enter, then y v");
		return true;
	}
	return false;
}

/* --- filters by its values ------------------------------------------------ */

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

/* A field named like a property of every event needs the event's name in its term. */
static void filter_by_value(struct view *view, const struct row *row, bool without)
{
	const struct words_field *f = view->detail.focused ? detail_field(&view->detail) : NULL;
	enum filter_value_form form = FILTER_ASKS_NOTHING;
	struct text value = { 0 }, term = { 0 };
	struct trace_event event;

	if (!f) {
		host_message(view->host,
			     "to filter by a value, choose its field: Enter, then i v or x v");
		return;
	}
	if (trace_event_at(view->shared->trace, row->ref, &event))
		form = filter_value_ask(view->shared->trace, &event, text_str(&f->name),
					text_str(&f->raw), text_str(&f->printed), &value);
	if (form == FILTER_ASKS_NOTHING && row->leaf_exit != TRACE_REF_NONE &&
	    trace_event_at(view->shared->trace, row->leaf_exit, &event))
		form = filter_value_ask(view->shared->trace, &event, text_str(&f->name),
					text_str(&f->raw), text_str(&f->printed), &value);
	if (form == FILTER_ASKS_NOTHING) {
		host_message(view->host, "a filter cannot compare the value of %s",
			     text_str(&f->name));
	} else if (form == FILTER_ASKS_TERM) {
		host_filter_by(view->host, NULL, text_str(&value), without);
	} else if (filter_name_find(text_str(&f->name), trace_filter_names(view->shared->trace))) {
		text_printf(&term, "(%s: %s == %s)", text_str(&row->name), text_str(&f->name),
			    text_str(&value));
		host_filter_by(view->host, NULL, text_str(&term), without);
	} else {
		host_filter_by(view->host, text_str(&f->name), text_str(&value), without);
	}
	text_fini(&value);
	text_fini(&term);
}

void events_filter_from_here(struct view *view, char letter, bool without)
{
	const struct row *row = rows_here(&view->rows);
	struct text t = { 0 }, value = { 0 };
	struct place place;

	if (!row || !row->is_event) {
		host_message(view->host, "this row is not an event: it has no task and no name");
		return;
	}
	if (letter == 'i' || letter == 'x')
		letter = row->says_itself && !row->is_stack ? 'f' : 'e';
	place = row_place(row);
	if (letter == 'e') {
		host_filter_by(view->host, NULL, text_str(&row->name), without);
	} else if (letter == 'v') {
		filter_by_value(view, row, without);
	} else if (letter != 'f') {
		host_filter_from(view->host, &place, letter, without);
	} else if (function_of(row, &t)) {
		filter_text_quote(text_str(&t), &value);
		host_filter_by(view->host, "func", text_str(&value), without);
	} else {
		host_message(view->host, "this row has no function; i e takes its event");
	}
	text_fini(&t);
	text_fini(&value);
}
