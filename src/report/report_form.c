/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_form.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/source/record_bound.h"
#include "parsers/types/field.h"
#include "src/base/memory.h"

/* The item being made. */
struct making {
	const struct report_form *form;
	struct report_hand	*hand;
	struct report_piece	*piece;
	const struct report_item *item, *next;	/* next: part of it, or NULL */
	const struct report_item *loss;		/* before it, or NULL */
	const struct report_cpu	*cpu;
	bool			 ask;
};

struct report_hand *report_hand_new(const struct report_form *form)
{
	struct report_hand *hand = mem_alloc(sizeof(*hand));

	if (form->filter)
		hand->scratch = filter_scratch_new();
	return hand;
}

void report_hand_free(struct report_hand *hand)
{
	if (!hand)
		return;
	text_fini(&hand->line);
	filter_scratch_free(hand->scratch);
	free(hand);
}

static bool greps(const struct making *m, const char *s, size_t len)
{
	return !m->form->filter || report_filter_greps(m->form->filter, m->hand->scratch, s, len);
}

/* --- the record's text ------------------------------------------------------ */

/* Let libtraceevent print a record that the program could not; replaces the text from @begin on. */
static void ask_library(const struct making *m, struct text *out, size_t begin)
{
	struct print_record rec = report_item_record(m->item, m->cpu->cpu), next;

	if (m->next)
		next = report_item_record(m->next, m->cpu->cpu);
	out->len = begin;
	printer_text_by_library(m->cpu->file->printer, m->cpu->file->print, &rec,
				m->next ? &next : NULL, NULL, out);
}

static struct trace_event event_of(const struct making *m)
{
	const struct report_item *item = m->item;
	const struct report_file *file = m->cpu->file;

	return (struct trace_event){ .kind = TRACE_ROW_EVENT, .ts = (int64_t)item->ts,
				     .file = file->nr, .cpu = m->cpu->cpu, .raw_ts = item->ts,
				     .stream = m->cpu->stream, .buffer = m->cpu->buffer,
				     .swap = file->swap, .data = item->data, .size = item->size,
				     .room = item->room,
				     .type_id = item->type->id, .type = item->type->type,
				     .pid = item->pid };
}

static const char *comm_of(const struct making *m, const struct trace_event *event)
{
	return comm_cache_name(&m->hand->names, m->form->trace, event->file, event->pid, event->ts);
}

static bool add_text(const struct making *m, struct text *out)
{
	size_t begin = out->len;

	if (report_line_text(m->cpu, m->item, m->next, m->piece->side, out))
		return true;
	if (m->ask)
		ask_library(m, out, begin);
	return m->ask;
}

static bool add_in_style(const struct making *m, struct text *out)
{
	const struct report_line_style *style = m->form->style;
	struct report_lines *lines = &m->hand->pen.lines;
	struct trace_event event = event_of(m);
	bool whole = style->head(m->form, lines, &event, comm_of(m, &event), out);
	size_t begin = out->len;

	report_lines_note(lines, m->cpu->file, m->item);
	if (whole)
		return true;
	if (!add_text(m, out))
		return false;
	if (style->end)
		style->end(out->len - begin, out);
	return true;
}

static bool add_styled(const struct making *m, struct text *out)
{
	const struct event_type *type = m->item->type->type;
	bool begun = record_bound_begin(out), done = add_in_style(m, out);

	record_bound_end(out, begun, trace_file_of(m->form->trace, m->cpu->file->nr),
			 type ? type->system : "", type ? type->name : "?");
	return done;
}

static bool add_line(const struct making *m, struct text *out)
{
	if (m->form->style)
		return add_styled(m, out);
	report_line_head(&m->hand->pen, m->cpu, m->item, out);
	return add_text(m, out);
}

/* --- lines ------------------------------------------------------------------- */

/*
 * Make the lines of a record; *printed: --grep matches them.  False: libtraceevent must print it.
 */
static bool make_text(const struct making *m, bool *printed)
{
	bool terminal = m->form->options->terminal;
	struct text *out = terminal ? &m->hand->line : &m->piece->out;
	size_t start, text;

	if (terminal)
		text_clear(&m->hand->line);
	start = text = out->len;
	text_bytes(out, text_str(m->cpu->prefix), m->cpu->prefix->len);
	if (m->loss && !m->form->style) {
		report_line_lost(m->loss, m->cpu->cpu, out);
		text = out->len;
	}
	if (!add_line(m, out))
		return false;
	/* a style may have no line for an event */
	*printed = (!m->form->style || out->len > text) &&
		   greps(m, text_str(out) + text, out->len - text);
	if (!*printed) {
		out->len = start;
		return true;
	}
	if (terminal) {
		/* the newlines of a stack are kept, those in other texts are not */
		text_terminal(&m->piece->out, text_str(out), text - start, true);
		text_terminal(&m->piece->out, text_str(out) + text, out->len - text,
			      m->item->type->is_stack);
	}
	text_char(&m->piece->out, '\n');
	return true;
}

/* --- rows -------------------------------------------------------------------- */

static struct report_row row_of(const struct making *m, const struct trace_event *event)
{
	struct report_row row = { .event = event,
				  .clock = m->form->clock,
				  .file = m->cpu->path,
				  .instance = m->cpu->instance };

	row.comm = comm_of(m, event);
	if (m->loss) {
		row.lost = true;
		row.lost_known = m->loss->known;
		row.lost_count = m->loss->ts;
	}
	return row;
}

static bool make_row(const struct making *m, bool *printed)
{
	struct text *out = &m->piece->out, *line = &m->hand->line;
	struct trace_event event = event_of(m);
	struct report_row row = row_of(m, &event);
	size_t start = out->len;

	if (m->form->options->format == FORMAT_JSON) {
		report_row_json(&row, out);
	} else {
		text_clear(line);
		if (!report_line_text(m->cpu, m->item, NULL, m->piece->side, line)) {
			if (!m->ask)
				return false;
			ask_library(m, line, 0);
		}
		report_row_csv(&row, text_str(line), line->len, m->form->sources, out);
	}
	*printed = greps(m, text_str(out) + start, out->len - start);
	if (!*printed)
		out->len = start;
	return true;
}

/* Make the line of lost events before a hidden record, if lost events are shown. */
static void make_loss(const struct making *m)
{
	struct text *out = &m->piece->out;
	struct trace_event event = { .cpu = m->cpu->cpu };
	struct report_row row = { .event = &event, .file = m->cpu->path,
				  .instance = m->cpu->instance, .lost = true,
				  .lost_known = m->item->known, .lost_count = m->item->ts };

	switch (m->form->options->format) {
	case FORMAT_TEXT:
		if (m->form->style)
			break;
		text_bytes(out, text_str(m->cpu->prefix), m->cpu->prefix->len);
		report_line_lost(m->item, m->cpu->cpu, out);
		break;
	case FORMAT_JSON:
		report_row_loss_json(&row, out);
		break;
	case FORMAT_CSV:
		report_row_loss_csv(&row, m->form->sources, out);
		break;
	}
}

/* --- pieces ------------------------------------------------------------------- */

static bool make_record(const struct making *m)
{
	struct report_piece *piece = m->piece;
	bool text = m->form->options->format == FORMAT_TEXT, printed = true;

	if (!(text ? make_text(m, &printed) : make_row(m, &printed)))
		return false;
	if (printed)
		piece->counted += m->item->counted + (m->next && m->next->counted);
	if (m->form->options->count)
		piece->out.len = 0;
	if (piece->cuts)
		piece->cuts[piece->nr_cuts++] = (struct report_cut){ piece->out.len,
			piece->counted };
	return true;
}

bool report_form_make(const struct report_form *form, struct report_hand *hand,
		      struct report_piece *piece, bool ask)
{
	struct making m = { .form = form, .hand = hand, .piece = piece, .ask = ask };

	text_clear(&piece->out);
	piece->counted = 0;
	piece->nr_cuts = 0;
	hand->pen.lines = piece->lines;
	for (unsigned int i = 0; i < piece->nr; i++) {
		m.item = &piece->items[i];
		m.cpu = &form->cpus[m.item->lane];
		switch ((enum report_item_kind)m.item->kind) {
		case REPORT_LOSS:
			m.loss = m.item;
			break;
		case REPORT_LOSS_ALONE:
			make_loss(&m);
			break;
		case REPORT_RECORD:
			m.next = m.item->merged ? m.item + 1 : NULL;
			if (!make_record(&m))
				return false;
			m.loss = NULL;
			break;
		case REPORT_NEXT:
			break;
		}
	}
	return true;
}
