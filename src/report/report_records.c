/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_records - selects the records of a report, and makes their items, in the order of time. */
#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/report/report_private.h"
#include "src/base/workers.h"

/* --- what is wanted -------------------------------------------------------- */

/* May a record of this lane be shown? */
static bool is_wanted(const struct report *r, unsigned int lane, unsigned int flags)
{
	return report_window_wants(r->options, r->shown_cpu[lane], flags);
}

static bool is_wanted_event(const struct report *r, const struct trace_event *e)
{
	return is_wanted(r, (unsigned int)r->lane_of[e->stream], e->flags);
}

static bool is_wanted_record(const struct report *r, const struct report_event *event)
{
	const struct report_file *file = r->cpus[event->lane].file;
	const struct common_layout *c = file->common;

	return is_wanted(r, event->lane,
			 (unsigned int)field_load(event->row.data, event->row.size, c->flags_offset,
						  c->flags_size, file->swap));
}

static trace_ref ref_of(const struct report_event *event)
{
	return trace_ref_make(event->stream, event->row.page, event->row.item);
}

static bool in_window(const struct report *r, const struct report_event *event)
{
	return report_window_has(&r->window, event->ts) &&
	       (!r->tail_start || ref_of(event) >= r->tail_start[event->lane]);
}

/*
 * Walk back from the window's end to the start of its last N events, and note the place in each
 * stream.
 */
static void find_tail(struct report *r)
{
	struct trace_cursor *cursor = trace_cursor_new(r->trace);
	struct trace_event e;
	int64_t left = r->window.tail;

	r->tail_start = mem_array(r->nr_lanes, sizeof(*r->tail_start));
	for (unsigned int i = 0; i < r->nr_lanes; i++)
		r->tail_start[i] = TRACE_REF_NONE;
	if (r->window.has_to && r->window.to < INT64_MAX)
		trace_cursor_seek_time(cursor,
				       time_after(r->window.to, trace_resolution(r->trace)));
	else
		trace_cursor_seek(cursor, TRACE_REF_NONE);
	while (left > 0 && trace_cursor_prev(cursor, &e)) {
		int lane = r->lane_of[e.stream];

		if (r->window.has_from && e.key < r->window.from)
			break;
		if (r->window.has_to && trace_row_time(r->trace, &e) > r->window.to)
			continue;
		if (lane < 0)
			continue;
		r->tail_start[lane] = e.ref;
		if (e.kind == TRACE_ROW_EVENT && is_wanted_event(r, &e) &&
		    (!r->filter || report_filter_matches(r->filter, &e)) &&
		    report_window_has(&r->window, e.ts))
			left--;
	}
	/* events lost before the first of them belong to it */
	if (r->window.tail > 0 && trace_cursor_prev(cursor, &e) && e.kind == TRACE_ROW_LOST &&
	    r->lane_of[e.stream] >= 0)
		r->tail_start[r->lane_of[e.stream]] = e.ref;
	trace_cursor_free(cursor);
}

/* Place the lanes at the start of the window. */
void report_place_lanes(struct report *r)
{
	if (r->window.tail >= 0)
		find_tail(r);
	for (unsigned int i = 0; i < r->nr_lanes; i++) {
		struct report_lane *lane = &r->lanes[i];

		lane->by_time = !r->tail_start || r->options->exact;
		if (lane->by_time)
			lane->time = r->window.has_from && !r->options->exact ? r->window.from :
										INT64_MIN;
		else
			lane->start = r->tail_start[i];
	}
}

/* The next record of the same CPU, if it is the exit of the leaf whose entry was read last. */
static trace_ref merged_exit_of(struct report *r, struct trace_cursor *cursor,
				const struct trace_event *e)
{
	const struct report_file *file = &r->files[e->file];
	struct print_record entry = trace_print_record(e), exit;
	uint8_t *copy = mem_array(e->size + 1, 1);
	trace_ref ref = TRACE_REF_NONE;
	struct trace_event next;

	memcpy(copy, e->data, e->size);
	entry.data = copy;
	entry.room = 0;
	trace_cursor_next(cursor, &next);		/* the entry */
	while (ref == TRACE_REF_NONE && trace_cursor_next(cursor, &next)) {
		if (next.kind != TRACE_ROW_EVENT)
			continue;
		exit = trace_print_record(&next);
		if (!printer_merges(file->printer, file->print, &entry, &exit))
			break;
		ref = next.ref;
	}
	free(copy);
	return ref;
}

/*
 * The first record of a CPU in the window may be the exit of a leaf whose entry is before the
 * window: it is part of the entry's line.
 */
static trace_ref find_merged_exit(struct report *r, const struct report_lane *lane)
{
	struct trace_cursor *cursor = trace_cursor_of_stream(r->trace, lane->stream);
	trace_ref ref = TRACE_REF_NONE;
	struct trace_event e;
	bool found;

	if (lane->by_time)
		trace_cursor_seek_time(cursor, lane->time);
	else
		trace_cursor_seek(cursor, lane->start);
	do
		found = trace_cursor_prev(cursor, &e);
	while (found && e.kind != TRACE_ROW_EVENT);
	if (found && report_file_type(&r->files[e.file], e.type_id)->is_entry &&
	    is_wanted_event(r, &e) && (!r->filter || report_filter_matches(r->filter, &e)))
		ref = merged_exit_of(r, cursor, &e);
	trace_cursor_free(cursor);
	return ref;
}

void report_find_merged_exits(struct report *r)
{
	if (!r->leaves || r->options->exact || (!r->tail_start && !r->window.has_from))
		return;
	r->merged_exit = mem_array(r->nr_lanes, sizeof(*r->merged_exit));
	for (unsigned int i = 0; i < r->nr_lanes; i++)
		r->merged_exit[i] = find_merged_exit(r, &r->lanes[i]);
}

/* --- records ------------------------------------------------------------- */

static struct report_file *file_of(struct report *r, const struct report_event *event)
{
	return &r->files[r->handles[event->handle].file];
}

static const struct report_type *type_of(struct report_file *file, const struct report_event *event)
{
	return report_file_type(file, report_file_id(file, event->row.data, event->row.size));
}

static uint64_t shown_ts(const struct report *r, const struct report_event *event)
{
	return r->options->raw_ts ? event->row.ts : (uint64_t)event->ts;
}

static struct print_record print_record_of(struct report *r, const struct report_event *event)
{
	return (struct print_record){ .type = type_of(file_of(r, event), event)->type,
				      .data = event->row.data,
				      .size = event->row.size, .room = event->row.room,
				      .ts = shown_ts(r, event),
				      .cpu = r->cpus[event->lane].cpu };
}

static void add_loss(struct report *r, const struct report_event *event, enum report_item_kind kind)
{
	*report_blocks_add(r->blocks) = (struct report_item){ .kind = (uint8_t)kind,
							      .lane = event->lane,
							      .ts = event->lost_count,
							      .known = event->lost_known,
							      .told = event->row.first_in_page };
}

static struct report_item *add_record(struct report *r, const struct report_event *event,
				      const struct report_type *type, enum report_item_kind kind,
				      bool counted)
{
	struct report_item *item = report_blocks_add(r->blocks);

	*item = (struct report_item){ .kind = (uint8_t)kind, .lane = event->lane, .type = type,
				      .ts = shown_ts(r, event),
				      .data = event->row.data, .size = event->row.size,
				      .room = event->row.room,
				      .counted = counted };
	return item;
}

/*
 * Let libtraceevent print the text, which depends on what it printed before.  @merged: NULL if it
 * cannot depend on the next record; then the text may come only with complete_texts().
 */
static void ask_library(struct report *r, const struct report_event *event,
			const struct report_event *next, struct report_item *item, bool *merged)
{
	struct report_file *file = file_of(r, event);
	struct print_record rec = print_record_of(r, event), following;
	struct text *side = report_blocks_side(r->blocks);
	size_t begin;

	if (!merged) {
		printer_text_later(file->printer, file->print, &rec, side, &item->note);
		return;
	}
	printer_finish_texts(file->printer);
	begin = side->len;
	if (next)
		following = print_record_of(r, next);
	printer_text_by_library(file->printer, file->print, &rec, next ? &following : NULL, merged,
				side);
	item->note = (uint64_t)begin << 32 | (uint32_t)(side->len - begin);
}

static void complete_texts(void *arg)
{
	struct report *r = arg;

	for (unsigned int i = 0; i < r->nr_files; i++)
		if (r->files[i].printer)
			printer_finish_texts(r->files[i].printer);
}

/* Is the exit that is part of an entry's line selected too? */
static bool is_next_counted(struct report *r, const struct report_event *next)
{
	struct trace_event event;

	if (r->picks && (!is_wanted_record(r, next) || !in_window(r, next)))
		return false;
	if (!r->filter)
		return true;
	report_order_event(r->order, next, &event);
	return report_filter_matches(r->filter, &event);
}

/* After an entry: add the exit if it is part of the line. */
static void add_next(struct report *r, const struct report_event *event,
		     const struct report_event *next, struct report_item *item)
{
	struct print_record rec, following;
	bool merged;

	if (!item->type->how) {
		ask_library(r, event, next, item, &merged);
	} else {
		rec = print_record_of(r, event);
		if (next)
			following = print_record_of(r, next);
		merged = next && record_text_merges(item->type->how, &rec, &following);
	}
	if (!merged)
		return;
	item->merged = true;
	add_record(r, next, type_of(file_of(r, next), next), REPORT_NEXT, is_next_counted(r, next));
	r->counted += item[1].counted;
	report_order_consume(r->order);
}

/* Add the items of a record in the window; @counted: it counts as a wanted record. */
static void show_record(struct report *r, const struct report_event *event, bool counted)
{
	struct report_file *file = file_of(r, event);
	bool text = r->options->format == FORMAT_TEXT;
	const struct report_type *type;
	const struct report_event *next;
	struct print_record rec;
	struct report_item *item;

	r->counted += counted;
	if ((r->options->count && !r->options->grep) ||
	    (r->merged_exit && r->merged_exit[event->lane] == ref_of(event)))
		return;
	if (event->lost)
		add_loss(r, event, REPORT_LOSS);
	type = type_of(file, event);
	item = add_record(r, event, type, REPORT_RECORD, counted);
	item->pid = report_file_pid(file, event->row.data, event->row.size);
	if (text && type->known)
		item->comm = report_file_comm(file, item->pid);
	if (r->has_lines)
		report_lines_note(&r->lines, file, item);
	if (r->leaves && type->is_entry) {
		next = report_order_peek(r->order, &event);
		add_next(r, event, next, item);
	} else if (!type->how && file->printer) {
		ask_library(r, event, NULL, item, NULL);
	} else if (type->remembers) {
		rec = report_item_record(item, r->cpus[event->lane].cpu);
		item->note = printer_remember(file->printer, type->how, &rec);
	}
}

/* Does libtraceevent's text for this type change later texts? */
static bool is_history(const struct event_type *type)
{
	if (!type)
		return false;
	if (!strcmp(type->system, "ftrace"))
		return !strcmp(type->name, "function") || !strcmp(type->name, "func_repeats");
	return !strcmp(type->system, "sched") &&
	       (!strcmp(type->name, "sched_switch") || !strcmp(type->name, "sched_wakeup") ||
		!strcmp(type->name, "sched_wakeup_new"));
}

/* --exact: process a record before the window, as far as it affects later lines. */
static void remember_record(struct report *r, const struct report_event *event)
{
	struct report_file *file = file_of(r, event);
	const struct report_type *type = type_of(file, event);
	struct print_record rec = print_record_of(r, event), following;
	const struct report_event *next;

	if (type->known)
		report_file_comm(file, report_file_pid(file, event->row.data, event->row.size));
	if (r->leaves && type->is_entry) {
		next = report_order_peek(r->order, &event);
		if (!next)
			return;
		following = print_record_of(r, next);
		if (printer_merges(file->printer, file->print, &rec, &following))
			report_order_consume(r->order);
	} else if (type->remembers) {
		printer_remember(file->printer, type->how, &rec);
	} else if (!type->how && is_history(type->type)) {
		text_clear(&r->scratch);
		printer_text_by_library(file->printer, file->print, &rec, NULL, NULL, &r->scratch);
	}
}

/* Does -F select the record? *counted: for its own sake, not because of another record. */
static bool is_kept(struct report *r, const struct report_event *record, bool *counted)
{
	struct trace_event event;
	bool kept;

	report_order_event(r->order, record, &event);
	kept = report_filter_wants(r->filter, &event, counted);
	if (!kept && record->lost && !r->options->count &&
	    report_filter_wants_loss(r->filter, &event))
		add_loss(r, record, REPORT_LOSS_ALONE);
	return kept;
}

/* Process a record. */
static void take_record(struct report *r, const struct report_event *event)
{
	bool counted = true;

	if (r->picks) {
		if (!is_wanted_record(r, event))
			return;
		if (!in_window(r, event)) {
			if (r->options->exact && r->options->format == FORMAT_TEXT)
				remember_record(r, event);
			return;
		}
	}
	if (r->filter && !is_kept(r, event, &counted))
		return;
	show_record(r, event, counted);
}

/* Is it past the window?  Later records can only be earlier where a clock goes backwards. */
static bool is_behind(const struct report *r, const struct report_event *event)
{
	const struct trace_clock *clock = &trace_stream_at(r->trace, event->stream)->clock;

	return r->window.has_to && !r->options->exact &&
	       trace_clock_key(clock, event->row.key) >=
		       time_after(r->window.to, trace_resolution(r->trace));
}

/* --- many at a time --------------------------------------------------------- */

/*
 * Is the whole trace reported, with lines that do not depend on each other except by names and
 * indents?
 */
static bool is_plain(const struct report *r)
{
	const struct report_options *o = r->options;

	return o->format == FORMAT_TEXT && !r->picks && !o->nr_filters && !r->has_lines &&
	       r->window.head < 0 && (!o->count || o->grep);
}

/*
 * show_record() without the cases that cannot occur here. Return: how many were shown; process the
 * next record alone.
 */
static unsigned int show_run(struct report *r, const struct report_run *run)
{
	const struct report_cpu *cpu = &r->cpus[run->lane];
	struct report_file *file = &r->files[cpu->file->nr];
	unsigned int i, nr = report_blocks_room(r->blocks);

	nr = run->nr < nr ? run->nr : nr;
	for (i = 0; i < nr; i++) {
		const struct cursor_record *record = &run->records[i];
		const uint8_t *data = run->page + record->data;
		const struct report_type *type = report_file_type(file,
								  report_file_id(file, data,
										 record->size));
		struct report_item *item;
		struct print_record rec;

		if (!type->how || (r->leaves && type->is_entry))
			break;
		item = report_blocks_add(r->blocks);
		*item = (struct report_item){
			.kind = REPORT_RECORD,
			.lane = run->lane,
			.type = type,
			.data = data,
			.size = record->size,
			.room = run->len - record->data,
			.counted = true,
			.pid = report_file_pid(file, data, record->size),
			.ts = r->options->raw_ts ? record->ts :
						   (uint64_t)trace_clock_ts(run->clock, record->ts)
		};
		item->comm = type->known ? report_file_comm(file, item->pid) : NULL;
		if (type->remembers) {
			rec = report_item_record(item, cpu->cpu);
			item->note = printer_remember(file->printer, type->how, &rec);
		}
	}
	r->counted += i;
	return i;
}

/* Take as many of the next records as possible at once; 0: take them one by one. */
static unsigned int take_run(struct report *r)
{
	struct report_run run;
	unsigned int nr;

	if (!report_order_run(r->order, &run))
		return 0;
	nr = show_run(r, &run);
	report_order_take(r->order, nr);
	return nr;
}

/* Stop using the skip if the expression of --grep excludes too few records. */
static void look_at_skip(struct report *r)
{
	if (!r->skip || report_skip_is_worth(r->skip))
		return;
	report_order_skip_no_more(r->order);
	report_skip_free(r->skip);
	r->skip = NULL;
}

static bool is_done(const struct report *r)
{
	if (report_blocks_done(r->blocks) || (r->filter && report_filter_is_given_up(r->filter)))
		return true;
	return r->window.head >= 0 && !r->options->grep && r->counted >= r->window.head;
}

/*
 * With --grep, over the whole trace and with independent lines: find a way to skip records whose
 * lines cannot match.
 */
static struct report_skip *find_skip(struct report *r)
{
	const struct report_options *o = r->options;

	if (!o->grep || o->nr_filters || r->form.style || o->format != FORMAT_TEXT || r->picks ||
	    r->has_lines)
		return NULL;
	return report_skip_new(o->grep, r->files, r->nr_files, r->cpus, r->nr_lanes, r->trace);
}

int report_records(struct report *r, struct ft_error *err)
{
	const struct report_options *o = r->options;
	struct workers *workers = trace_workers(r->trace);
	bool grep = o->grep != NULL, plain = is_plain(r);
	struct report_blocks_options options = { .form = &r->form,
						 .workers = workers_nr(workers) > 1 ? workers :
										      NULL,
						 .out = r->out,
						 .head = grep ? r->window.head : -1,
						 .block_items = o->block_items,
						 .complete = complete_texts,
						 .arg = r };
	struct report_skipper skipper = { .skips = NULL };
	const struct report_event *event;
	int ret = 0;

	r->skip = find_skip(r);
	if (r->skip)
		skipper = report_skip_skipper(r->skip);
	r->form.trace = r->trace;
	r->form.options = o;
	r->form.cpus = r->cpus;
	r->form.filter = grep ? r->filter : NULL;
	r->form.clock = trace_unit(r->trace) == TRACE_UNIT_COUNT ? trace_clock(r->trace) : NULL;
	r->blocks = report_blocks_new(&options, &r->lines);
	r->order = report_order_new(r->trace, r->lanes, r->nr_lanes,
				    report_blocks_keeper(r->blocks), &skipper);
	while (!ret && !is_done(r)) {
		if (plain && take_run(r)) {
			ret = report_blocks_end(r->blocks, &r->lines, err);
			continue;
		}
		event = report_order_next(r->order);
		if (!event)
			break;
		look_at_skip(r);
		if (is_behind(r, event))
			report_order_end_lane(r->order);
		else if (!event->skipped)
			take_record(r, event);
		ret = report_blocks_end(r->blocks, &r->lines, err);
	}
	if (!ret)
		ret = report_blocks_finish(r->blocks, err);
	if (grep)
		r->counted = report_blocks_counted(r->blocks);
	if (r->matches && !r->out->closed)
		matches_wait(r->matches);
	r->damaged = r->matches ? matches_damaged(r->matches) : report_order_damaged(r->order);
	complete_texts(r);
	report_blocks_free(r->blocks);
	report_order_free(r->order);
	report_skip_free(r->skip);
	return ret;
}
