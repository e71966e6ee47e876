/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/detail.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/shorten.h"
#include "src/trace/trace_user.h"

void detail_init(struct detail *detail)
{
	memset(detail, 0, sizeof(*detail));
	detail->ref = TRACE_REF_NONE;
}

static void drop_fields(struct detail *detail)
{
	for (unsigned int i = 0; i < detail->nr; i++) {
		text_fini(&detail->fields[i].name);
		text_fini(&detail->fields[i].type);
		text_fini(&detail->fields[i].raw);
		text_fini(&detail->fields[i].printed);
	}
	free(detail->fields);
	detail->fields = NULL;
	detail->nr = 0;
}

void detail_fini(struct detail *detail)
{
	drop_fields(detail);
	text_fini(&detail->words);
	text_fini(&detail->flags);
	text_fini(&detail->chosen);
	detail_init(detail);
}

void detail_forget(struct detail *detail)
{
	detail->ref = TRACE_REF_NONE;
}

static void printable(struct text *out, const struct text *in)
{
	text_printable(out, text_str(in), in->len);
}

/* Numbers of the kernel's word: `unsigned long`, or an array of them. */
static bool are_longs(const struct words_field *f)
{
	const char *raw = text_str(&f->raw);

	return *raw && !strncmp(text_str(&f->type), "unsigned long", 13) &&
	       !raw[strspn(raw, "0123456789 ")];
}

/* @nr: which of the field's numbers it is; in a stack, all but the first are where calls return. */
static bool add_symbol(const struct shared *shared, const struct trace_event *event,
		       uint64_t address, unsigned int nr, struct text *out)
{
	bool is_return = nr && trace_event_is_stack(event);
	uint64_t offset = 0;
	const char *symbol = trace_symbol(shared->trace, event->file, address, &offset);
	struct text user = { 0 };
	bool known = symbol ||
		     trace_user_name(shared->trace, event, address, is_return, true, &user);

	if (symbol)
		text_printable(out, symbol, strlen(symbol));
	else if (known)
		text_printable(out, text_str(&user), user.len);
	else
		text_printf(out, "0x%" PRIx64, address);
	if (symbol && offset)
		text_printf(out, "+0x%" PRIx64, offset);
	text_fini(&user);
	return known;
}

static void show_addresses(const struct shared *shared, const struct trace_event *event,
			   struct words_field *f)
{
	unsigned int nr = 0;
	struct text hex = { 0 }, symbols = { 0 };
	bool known = false;
	char *after;

	if (!are_longs(f))
		return;
	for (const char *s = text_str(&f->raw); *s; s = after + strspn(after, " ")) {
		uint64_t address = strtoull(s, &after, 10);

		text_printf(&hex, "%s0x%" PRIx64, hex.len ? " " : "", address);
		text_add(&symbols, symbols.len ? " " : "");
		known |= add_symbol(shared, event, address, nr++, &symbols);
	}
	text_clear(&f->raw);
	text_add(&f->raw, text_str(&hex));
	if (known) {
		text_clear(&f->printed);
		text_add(&f->printed, text_str(&symbols));
	}
	text_fini(&hex);
	text_fini(&symbols);
}

/*
 * Functions that an older kernel's print format shows as bare numbers (" %lx <-- %lx"): adds their
 * names.
 */
static void show_function(const struct shared *shared, const struct trace_event *event,
			  struct words_field *f)
{
	const char *raw = text_str(&f->raw), *printed = text_str(&f->printed),
		   *name = text_str(&f->name);
	struct text symbol = { 0 };
	uint64_t address;
	char *end;

	if ((strcmp(name, "ip") && strcmp(name, "parent_ip")) || strncmp(raw, "0x", 2))
		return;
	address = strtoull(raw, NULL, 16);
	if (*printed && (strtoull(printed, &end, 16) != address || *end))
		return;
	if (add_symbol(shared, event, address, 0, &symbol)) {
		text_clear(&f->printed);
		text_add(&f->printed, text_str(&symbol));
	}
	text_fini(&symbol);
}

/* Adds the letters of prev_state, which differ between kernels. */
static void show_task_state(const struct trace *trace, const struct trace_event *event,
			    struct words_field *f)
{
	if (!f->printed.len && !strcmp(text_str(&f->name), "prev_state") &&
	    !strcmp(trace_event_system(event), "sched"))
		trace_event_task_state(trace, event, (uint64_t)strtoll(text_str(&f->raw), NULL, 0),
				       &f->printed);
}

/* The kernel's dev_t inside: 12 bits of major, 20 of minor number. */
static void show_device(struct words_field *f)
{
	char *end;
	unsigned long long dev = strtoull(text_str(&f->raw), &end, 10);

	if (!strstr(text_str(&f->type), "dev_t") || *end)
		return;
	text_clear(&f->printed);
	text_printf(&f->printed, "%llu,%llu", dev >> 20, dev & ((1u << 20) - 1));
	f->printed_alone = true;
}

/*
 * Hexadecimal or octal where the print format has it so, and hexadecimal for flags.  The formats of
 * system calls have no other numbers: there, only what is too large for a count.
 */
static void show_base(const struct trace_event *event, struct words_field *f)
{
	const char *p = text_str(&f->printed);
	char *raw_end, *end;
	unsigned long long raw = strtoull(text_str(&f->raw), &raw_end, 0);
	bool call = !strcmp(trace_event_system(event), "syscalls");
	bool flags = raw >= 10 && strstr(text_str(&f->name), "flags");

	if (!f->printed.len || *raw_end || f->raw.data[0] == '-' ||
	    strstr(text_str(&f->name), "time") || !strcmp(text_str(&f->name), "now"))
		return;
	if (strtoull(p, &end, 16) == raw && !*end) {
		flags |= strtoull(p, NULL, 10) != raw && (!call || raw > UINT32_MAX);
		text_clear(&f->printed);
	} else if (strtoull(p, &end, 8) == raw && !*end) {
		text_clear(&f->raw);
		text_printf(&f->raw, "0%llo", raw);
		text_clear(&f->printed);
	}
	if (flags && strncmp(text_str(&f->raw), "0", 1)) {
		text_clear(&f->raw);
		text_printf(&f->raw, "0x%llx", raw);
	}
}

static void show_error(struct words_field *f)
{
	static const char *const names[] = { "ret", "retval", "error", "err", "errno", "rc",
					     "result" };
	const char *error = text_error_name(strtoll(text_str(&f->raw), NULL, 0));

	for (size_t i = 0; error && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text_str(&f->name), names[i])) {
			text_clear(&f->printed);
			text_add(&f->printed, error);
		}
}

static bool has_field(const struct detail *detail, const char *name)
{
	for (unsigned int i = 0; i < detail->nr; i++)
		if (!strcmp(text_str(&detail->fields[i].name), name))
			return true;
	return false;
}

/* Adds the fields of a record that are not there yet. */
static void load_fields(struct detail *detail, const struct shared *shared,
			const struct trace_event *event)
{
	struct trace_field_value *values;
	unsigned int nr = trace_event_fields(shared->trace, event, &values);

	detail->fields = mem_resize(detail->fields, detail->nr + nr + 1, sizeof(*detail->fields));
	for (unsigned int i = 0; i < nr; i++) {
		struct words_field *f = &detail->fields[detail->nr];

		if (has_field(detail, values[i].name))
			continue;
		detail->nr++;
		*f = (struct words_field){ 0 };
		text_printable(&f->name, values[i].name, strlen(values[i].name));
		text_printable(&f->type, values[i].type, strlen(values[i].type));
		printable(&f->raw, &values[i].raw);
		printable(&f->printed, &values[i].printed);
		if (values[i].is_address)
			show_addresses(shared, event, f);
		show_function(shared, event, f);
		show_task_state(shared->trace, event, f);
		show_base(event, f);
		show_device(f);
		show_error(f);
		f->is_common = !strncmp(values[i].name, "common_", 7);
	}
	trace_fields_free(values, nr);
}

/* Sorts the event's own fields before the common ones. */
static void common_last(struct detail *detail)
{
	struct words_field *sorted = detail->nr ? mem_array(detail->nr, sizeof(*sorted)) : NULL;
	unsigned int n = 0;

	for (int common = 0; common < 2; common++)
		for (unsigned int i = 0; i < detail->nr; i++)
			if (detail->fields[i].is_common == common)
				sorted[n++] = detail->fields[i];
	free(detail->fields);
	detail->fields = sorted;
}

/* Puts the cursor on the field with the name chosen before, if the new row has one. */
static void find_chosen(struct detail *detail)
{
	detail->window.at = 0;
	if (!detail->focused)
		text_clear(&detail->chosen);
	for (unsigned int i = 0; i < detail->nr; i++)
		if (!strcmp(text_str(&detail->fields[i].name), text_str(&detail->chosen)))
			detail->window.at = i;
}

void detail_load(struct detail *detail, const struct shared *shared, const struct row *row)
{
	struct trace_event event;

	if (detail->ref == row->ref)
		return;
	drop_fields(detail);
	text_clear(&detail->words);
	text_clear(&detail->flags);
	detail->ref = row->ref;
	detail->size = 0;
	if (row->is_event && !row->is_stack)
		words_flags(row, &detail->flags);
	if (row->kind == TRACE_ROW_EVENT && trace_event_at(shared->trace, row->ref, &event)) {
		detail->size = event.size;
		load_fields(detail, shared, &event);
		if (row->leaf_exit != TRACE_REF_NONE &&
		    trace_event_at(shared->trace, row->leaf_exit, &event))
			load_fields(detail, shared, &event);
		common_last(detail);
	}
	words_complete(row, detail->fields, detail->nr);
	words_row(shared, row, detail->fields, detail->nr, &detail->words);
	find_chosen(detail);
}

bool detail_request(struct detail *detail, enum request request)
{
	if (!list_window_request(&detail->window, request, detail->nr))
		return false;
	text_clear(&detail->chosen);
	if (detail_field(detail))
		text_add(&detail->chosen, text_str(&detail_field(detail)->name));
	return true;
}

const struct words_field *detail_field(const struct detail *detail)
{
	return detail->window.at < detail->nr ? &detail->fields[detail->window.at] : NULL;
}

/* --- drawing ------------------------------------------------------------- */

static void draw_divider(const struct detail *detail, const struct shared *shared,
			 const struct row *row, const struct view_area *area)
{
	struct text title = { 0 };
	struct trace_stream_info info = trace_stream_info(shared->trace, row->stream);
	int cols = area->canvas->cols;

	canvas_fill(area->canvas, area->top, 0, cols, ROLE_DIVIDER, "─");
	switch (row->kind) {
	case TRACE_ROW_EVENT:
		if (row->unknown)
			text_printf(&title, "unknown event, id %d", row->type_id);
		else
			text_printf(&title, "%s/%s", text_str(&row->system), text_str(&row->name));
		break;
	case TRACE_ROW_LOST:
		text_add(&title, "lost events");
		break;
	case TRACE_ROW_DAMAGE:
		text_add(&title, "damage");
		break;
	}
	if (cols >= 100 && row->kind == TRACE_ROW_EVENT)
		text_printf(&title, "  id %d  %u bytes  page %" PRIu64 " of CPU %d", row->type_id,
			    detail->size, trace_ref_page(row->ref), row->cpu);
	if (*info.buffer_name) {
		text_add(&title, "  instance ");
		text_printable(&title, info.buffer_name, strlen(info.buffer_name));
	}
	if (trace_nr_files(shared->trace) > 1) {
		text_add(&title, "  ");
		shared_file_name(shared, row->file, &title);
	}
	if (title.len && cols >= 100)
		text_char(&title, ' ');
	canvas_fit(area->canvas, area->top, 2, cols - 4, ROLE_HEADING, text_str(&title));
	if (detail->focused && detail->nr) {
		char where[40];

		snprintf(where, sizeof(where), " field %u of %u ", detail->window.at + 1,
			 detail->nr);
		canvas_right(area->canvas, area->top, cols - 24, 22, ROLE_DIM, where);
	}
	text_fini(&title);
}

/*
 * What the print format adds to the raw value; nothing if it only shows the number in another base.
 */
static const char *printed(const struct words_field *f)
{
	const char *p = text_str(&f->printed);
	char *end, *raw_end;
	unsigned long long raw = strtoull(text_str(&f->raw), &raw_end, 0),
			   hex = strtoull(p, &end, 16);

	if (!*p || !strcmp(p, text_str(&f->raw)))
		return NULL;
	if (!*raw_end && !*end && (raw == hex || raw == strtoull(p, NULL, 10)))
		return NULL;
	return p;
}

static void add_value(const struct words_field *f, const char *gap, struct text *out)
{
	const char *p = printed(f);

	if (!p || !f->printed_alone)
		text_add(out, text_str(&f->raw));
	if (p)
		text_printf(out, "%s%s", f->printed_alone ? "" : gap, p);
}

/* State of text that fills lines word by word. */
struct flow {
	struct canvas	*canvas;
	int		 row, end, col;
};

/* Draws a piece without breaking it; false: no room is left. */
static bool flow_piece(struct flow *flow, enum role role, const char *s, size_t len, int gap)
{
	int width = canvas_width(s, len), room = flow->canvas->cols - 1;

	if (flow->row >= flow->end)
		return false;
	if (flow->col > 1)
		flow->col += gap;
	if (flow->col > 1 && flow->col + width > room) {
		if (flow->row + 1 >= flow->end)
			canvas_text(flow->canvas, flow->row, flow->col - gap, 1, role, "…");
		flow->col = 1;
		if (++flow->row >= flow->end)
			return false;
	}
	flow->col += canvas_bytes(flow->canvas, flow->row, flow->col, room - flow->col, role, s,
				  len);
	return true;
}

static void flow_words(struct flow *flow, enum role role, const char *s)
{
	while (*s) {
		size_t len;
		int gap = 0;

		for (; *s == ' '; s++)
			gap++;
		len = strcspn(s, " ");
		/* A unit stays with its number. */
		if (s[len] == ' ' && s[0] >= '0' && s[0] <= '9') {
			size_t unit = strcspn(s + len + 1, " ");

			if (unit <= 3 || !strncmp(s + len + 1, "µs", 3))
				len += 1 + unit;
		}
		if (!len)
			break;
		if (!flow_piece(flow, role, s, len, gap))
			return;
		s += len;
	}
}

static bool flow_field(struct flow *flow, const struct words_field *f)
{
	struct text value = { 0 }, whole = { 0 };
	int width;
	bool more = true;

	add_value(f, " ", &value);
	text_printf(&whole, "%s %s", text_str(&f->name), text_str(&value));
	width = canvas_width(whole.data, whole.len);
	if (flow->col > 1 && flow->col + 2 + width > flow->canvas->cols - 1) {
		flow->col = 1;
		more = ++flow->row < flow->end;
	}
	if (more && flow->row < flow->end) {
		flow->col += flow->col > 1 ? 2 : 0;
		flow->col += canvas_text(flow->canvas, flow->row, flow->col,
					 flow->canvas->cols - 1 - flow->col, ROLE_FIELD,
					 text_str(&f->name)) +
			     1;
		flow->col += canvas_fit(flow->canvas, flow->row, flow->col,
					flow->canvas->cols - 1 - flow->col, ROLE_TEXT,
					text_str(&value));
	}
	text_fini(&value);
	text_fini(&whole);
	return more;
}

/* Values that the sentence lacks come first: the rest may be cut. */
static void flow_fields(struct flow *flow, const struct detail *detail)
{
	for (int told = 0; told < 2; told++)
		for (unsigned int i = 0; i < detail->nr && !detail->fields[i].is_common; i++)
			if (detail->fields[i].told == told && !flow_field(flow, &detail->fields[i]))
				return;
}

/* "mark A", "marks A c": all marks on the row. */
static void add_marks(const struct places *places, trace_ref ref, struct text *out)
{
	unsigned int nr = 0;

	for (char letter = 'a'; letter <= 'z'; letter++) {
		const struct place *place = places_get(places, letter);

		if (place && place->ref == ref)
			text_printf(out, "%s%c", nr++ ? " " : "",
				    letter <= 'b' ? letter - 'a' + 'A' : letter);
	}
	if (nr) {
		struct text letters = *out;

		*out = (struct text){ 0 };
		text_printf(out, "mark%s %s", nr > 1 ? "s" : "", letters.data);
		text_fini(&letters);
	}
}

int detail_word_rows(const struct detail *detail, const struct shared *shared,
		     const struct row *row)
{
	const char *note = places_note_at(&shared->at.places, row->ref);
	struct text t = { 0 };
	int rows;

	add_marks(&shared->at.places, row->ref, &t);
	text_printf(&t, "%s%s  %s  ", t.len && note ? ": " : "", note ?: "",
		    text_str(&detail->words));
	for (size_t i = 0; i < detail->flags.len; i++)	/* which are not broken */
		text_char(&t, detail->flags.data[i] == ' ' ? '_' : detail->flags.data[i]);
	rows = canvas_lines(text_str(&t), shared->look.cols - 2);
	text_fini(&t);
	return rows;
}

static void draw_flow(const struct detail *detail, const struct shared *shared,
		      const struct row *row, const struct view_area *area, int top, int end)
{
	struct flow flow = { area->canvas, top, end, 1 };
	const char *note = places_note_at(&shared->at.places, row->ref);
	struct text marks = { 0 };

	add_marks(&shared->at.places, row->ref, &marks);
	if (marks.len)
		flow_words(&flow, ROLE_MARK, marks.data);
	if (note) {
		if (marks.len)
			flow_piece(&flow, ROLE_MARK, ":", 1, 0);
		flow.col += marks.len > 0;
		flow_words(&flow, ROLE_NOTE, note);
	}
	if (marks.len || note)
		flow.col += 2;
	text_fini(&marks);
	flow_words(&flow, ROLE_TEXT, text_str(&detail->words));
	if (detail->flags.len) {
		flow.col += detail->words.len ? 2 : 0;
		if (canvas_width(detail->flags.data, detail->flags.len) < flow.canvas->cols - 1)
			flow_piece(&flow, ROLE_DIM, detail->flags.data, detail->flags.len, 0);
		else
			flow_words(&flow, ROLE_DIM, detail->flags.data);
	}
	if (!row->is_stack)
		flow_fields(&flow, detail);
}

/* Cells of the names' column and the blank after it. */
static int name_cells(const struct detail *detail, int cells)
{
	int widest = 22; /* common_preempt_count */

	if (cells < 70)
		return cells / 4 < 12 ? 12 : cells / 4;
	for (unsigned int i = 0; i < detail->nr; i++) {
		const struct text *name = &detail->fields[i].name;
		int width = canvas_width(text_str(name), name->len) + 1;

		widest = width > widest ? width : widest;
	}
	return widest < cells * 2 / 5 ? widest : cells * 2 / 5;
}

/* A line of the table: name, type, raw and printed value. */
static void draw_field(const struct detail *detail, unsigned int i, const struct view_area *area,
		       int row, int col, int cells)
{
	const struct words_field *f = &detail->fields[i];
	bool here = detail->focused && i == detail->window.at;
	int name = name_cells(detail, cells), type = cells >= 70 ? 19 : 12;
	struct text value = { 0 }, cut = { 0 };

	if (cells < 40)
		type = 0;
	canvas_text(area->canvas, row, col, 1, ROLE_TEXT, here ? ">" : " ");
	canvas_fit(area->canvas, row, col + 1, name - 1, f->is_common ? ROLE_DIM : ROLE_FIELD,
		   text_str(&f->name));
	if (type) {
		shorten_middle(text_str(&f->type), type - 1, &cut);
		canvas_text(area->canvas, row, col + 1 + name, type - 1, ROLE_DIM, text_str(&cut));
	}
	add_value(f, "  ", &value);
	canvas_fit(area->canvas, row, col + 1 + name + type, cells - 2 - name - type,
		   f->is_common ? ROLE_DIM : ROLE_TEXT, text_str(&value));
	if (here)
		canvas_over(area->canvas, row, col, cells, ROLE_SELECTED);
	text_fini(&value);
	text_fini(&cut);
}

static void draw_table(struct detail *detail, const struct view_area *area, int top, int rows)
{
	int cols = area->canvas->cols, columns = cols >= 160 ? 2 : 1;
	unsigned int per_column, shown = (unsigned int)rows * columns;

	/* One column if all fields fit: values are easiest to read one below the other. */
	if (detail->nr <= (unsigned int)rows)
		columns = 1;
	per_column = rows;
	list_window_show(&detail->window, top, (int)shown, detail->nr);
	if (!detail->focused)
		detail->window.top = 0;
	for (unsigned int i = 0; i < shown && detail->window.top + i < detail->nr; i++)
		draw_field(detail, detail->window.top + i, area, top + (int)(i % per_column),
			   (int)(i / per_column) * (cols / columns), cols / columns);
}

void detail_draw(struct detail *detail, const struct shared *shared, const struct row *row,
		 const struct view_area *area)
{
	int top = area->top + 1, end = area->top + area->rows, words = 0;

	if (area->rows < 1)
		return;
	draw_divider(detail, shared, row, area);
	if (row->kind != TRACE_ROW_EVENT || (!detail->focused && area->rows - 1 < 8) ||
	    !detail->nr) {
		draw_flow(detail, shared, row, area, top, end);
		return;
	}
	/* Words first where there is room for both. */
	if (area->rows - 1 >= 8) {
		unsigned int nr = detail->nr;

		words = detail_word_rows(detail, shared, row);
		words = words < 2 ? 2 : words < area->rows / 2 ? words : area->rows / 2;
		detail->nr = 0;		/* the fields come in the table below */
		draw_flow(detail, shared, row, area, top, top + words);
		detail->nr = nr;
	}
	draw_table(detail, area, top + words, area->rows - 1 - words);
}
