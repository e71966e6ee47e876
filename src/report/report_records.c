/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_records - which records a report shows, and the items they bring to it, in trace-cmd's order. */
#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/report/report_private.h"
#include "src/base/workers.h"

#define FLAG_HARDIRQ	0x08
#define FLAG_SOFTIRQ	0x10

#define LOOK_BACK	100000u		/* rows looked at for the entry whose exit begins a window */

/* --- what is wanted -------------------------------------------------------- */

/* Is a record of this lane shown at all?  As trace-cmd's skip_record(). */
static bool is_wanted(const struct report *r, unsigned int lane, unsigned int flags)
{
	const struct report_options *o = r->options;
	int cpu = r->shown_cpu[lane];

	if (o->cpus && (cpu < 0 || (unsigned int)cpu >= o->nr_cpus || !o->cpus[cpu]))
		return false;
	if (o->no_irqs && (flags & FLAG_HARDIRQ))
		return false;
	return !o->no_softirqs || !(flags & FLAG_SOFTIRQ);
}

static bool is_wanted_event(const struct report *r, const struct trace_event *e)
{
	return is_wanted(r, (unsigned int)r->lane_of[e->stream], e->flags);
}

static bool is_wanted_record(const struct report *r, const struct report_event *event)
{
	const struct report_file *file = r->cpus[event->lane].file;
	const struct common_layout *c = file->common;

	return is_wanted(r, event->lane, (unsigned int)field_load(event->row.data, event->row.size, c->flags_offset,
								  c->flags_size, file->swap));
}

static bool in_window(const struct report *r, const struct report_event *event)
{
	return report_window_has(&r->window, event->ts) &&
	       (!r->tail_start ||
		trace_ref_make(event->stream, event->row.page, event->row.item) >= r->tail_start[event->lane]);
}

/* Walk back from the window's end to where its last N events begin, and note the place in each stream. */
static void find_tail(struct report *r)
{
	struct trace_cursor *cursor = trace_cursor_new(r->trace);
	struct trace_event e;
	int64_t left = r->window.tail;

	r->tail_start = mem_array(r->nr_lanes, sizeof(*r->tail_start));
	for (unsigned int i = 0; i < r->nr_lanes; i++)
		r->tail_start[i] = TRACE_REF_NONE;
	if (r->window.has_to && r->window.to < INT64_MAX)
		trace_cursor_seek_time(cursor, r->window.to + 1);
	else
		trace_cursor_seek(cursor, TRACE_REF_NONE);
	while (left > 0 && trace_cursor_prev(cursor, &e)) {
		int lane = r->lane_of[e.stream];

		if (r->window.has_from && e.key < r->window.from)
			break;
		if (lane < 0 || (e.kind != TRACE_ROW_EVENT && e.kind != TRACE_ROW_LOST))
			continue;
		r->tail_start[lane] = e.ref;
		if (e.kind == TRACE_ROW_EVENT && is_wanted_event(r, &e) && (!r->filter || report_filter_matches(r->filter, &e)) &&
		    report_window_has(&r->window, e.ts))
			left--;
	}
	/* What was lost before the first of them belongs to it. */
	if (r->window.tail > 0 && trace_cursor_prev(cursor, &e) && e.kind == TRACE_ROW_LOST && r->lane_of[e.stream] >= 0)
		r->tail_start[r->lane_of[e.stream]] = e.ref;
	trace_cursor_free(cursor);
}

/* Place the lanes at the window's begin. */
void report_place_lanes(struct report *r)
{
	if (r->window.tail >= 0)
		find_tail(r);
	for (unsigned int i = 0; i < r->nr_lanes; i++) {
		struct report_lane *lane = &r->lanes[i];

		lane->by_time = !r->tail_start || r->options->exact;
		if (lane->by_time)
			lane->time = r->window.has_from && !r->options->exact ? r->window.from : INT64_MIN;
		else
			lane->start = r->tail_start[i];
	}
}

/*
 * The first record of a handle in the window may be the exit of a leaf whose entry lies before it: the entry's line
 * holds it.  @cursor stands at the window's begin.
 */
static void look_before(struct report *r, struct trace_cursor *cursor)
{
	bool *done = mem_array(r->nr_handles, sizeof(*done));
	unsigned int left = r->nr_handles;
	struct trace_event e, first;
	struct print_record entry, exit;

	for (unsigned int n = 0; left && n < LOOK_BACK && trace_cursor_prev(cursor, &e); n++) {
		int lane = r->lane_of[e.stream];
		struct report_handle *h;

		if (lane < 0 || e.kind != TRACE_ROW_EVENT || done[r->lanes[lane].handle])
			continue;
		h = &r->handles[r->lanes[lane].handle];
		done[r->lanes[lane].handle] = true;
		left--;
		if (!is_wanted_event(r, &e) || (r->filter && !report_filter_matches(r->filter, &e)) ||
		    !report_file_type(&r->files[h->file], e.type_id)->is_entry)
			continue;
		/* The record behind it in the same handle. */
		struct trace_cursor *ahead = trace_cursor_new(r->trace);
		uint8_t *copy = mem_array(e.size + 1, 1);

		memcpy(copy, e.data, e.size);
		entry = report_print_record(&e);
		entry.data = copy;
		entry.room = 0;
		trace_cursor_seek(ahead, e.ref);
		trace_cursor_next(ahead, &first);
		while (trace_cursor_next(ahead, &first)) {
			if (first.kind != TRACE_ROW_EVENT || r->lane_of[first.stream] < 0 ||
			    r->lanes[r->lane_of[first.stream]].handle != r->lanes[lane].handle)
				continue;
			exit = report_print_record(&first);
			h->exit_is_merged = printer_merges(r->files[h->file].printer, r->files[h->file].print, &entry, &exit);
			break;
		}
		free(copy);
		trace_cursor_free(ahead);
	}
	free(done);
}

void report_find_merged_exits(struct report *r)
{
	struct trace_cursor *cursor;
	trace_ref first = TRACE_REF_NONE;

	if (!r->leaves || r->options->exact || (!r->tail_start && !r->window.has_from))
		return;
	cursor = trace_cursor_new(r->trace);
	if (r->tail_start) {
		for (unsigned int i = 0; i < r->nr_lanes; i++)
			if (r->tail_start[i] != TRACE_REF_NONE &&
			    (first == TRACE_REF_NONE || trace_compare(r->trace, r->tail_start[i], first) < 0))
				first = r->tail_start[i];
		trace_cursor_seek(cursor, first);
	} else {
		trace_cursor_seek_time(cursor, r->window.from);
	}
	look_before(r, cursor);
	trace_cursor_free(cursor);
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
	return (struct print_record){ .type = type_of(file_of(r, event), event)->type, .data = event->row.data,
				      .size = event->row.size, .room = event->row.room, .ts = shown_ts(r, event),
				      .cpu = r->cpus[event->lane].cpu };
}

static void add_loss(struct report *r, const struct report_event *event, enum report_item_kind kind)
{
	*report_blocks_add(r->blocks) = (struct report_item){ .kind = (uint8_t)kind, .lane = event->lane, .ts = event->lost_count,
							      .known = event->lost_known, .told = event->row.first_in_page };
}

static struct report_item *add_record(struct report *r, const struct report_event *event, const struct report_type *type,
				      enum report_item_kind kind, bool counted)
{
	struct report_item *item = report_blocks_add(r->blocks);

	*item = (struct report_item){ .kind = (uint8_t)kind, .lane = event->lane, .type = type, .ts = shown_ts(r, event),
				      .data = event->row.data, .size = event->row.size, .room = event->row.room,
				      .counted = counted };
	return item;
}

/* The text that libtraceevent makes, which remembers what it printed before. */
static void ask_library(struct report *r, const struct report_event *event, const struct report_event *next,
			struct report_item *item, bool *merged)
{
	struct report_file *file = file_of(r, event);
	struct print_record rec = print_record_of(r, event), following;
	struct text *side = report_blocks_side(r->blocks);
	size_t begin = side->len;

	if (next)
		following = print_record_of(r, next);
	printer_text_by_library(file->printer, file->print, &rec, next ? &following : NULL, merged, side);
	item->note = (uint64_t)begin << 32 | (uint32_t)(side->len - begin);
}

/* Is the exit that is part of an entry's line one of those asked for? */
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

/* Behind an entry: the exit, if it is part of the line. */
static void add_next(struct report *r, const struct report_event *event, const struct report_event *next,
		     struct report_item *item)
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

/* A record of the window; @counted: it is one of those asked for. */
static void show(struct report *r, const struct report_event *event, bool counted)
{
	struct report_handle *h = &r->handles[event->handle];
	struct report_file *file = &r->files[h->file];
	bool first = !h->first_seen, text = r->options->format == REPORT_TEXT;
	const struct report_type *type;
	const struct report_event *next;
	struct print_record rec;
	struct report_item *item;

	h->first_seen = true;
	r->counted += counted;
	if ((r->options->count && !r->options->grep) || (text && first && h->exit_is_merged))
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

/* Does a text of libtraceevent's change what it prints later? */
static bool is_history(const struct event_type *type)
{
	if (!type)
		return false;
	if (!strcmp(type->system, "ftrace"))
		return !strcmp(type->name, "function") || !strcmp(type->name, "func_repeats");
	return !strcmp(type->system, "sched") && (!strcmp(type->name, "sched_switch") ||
						  !strcmp(type->name, "sched_wakeup") ||
						  !strcmp(type->name, "sched_wakeup_new"));
}

/* --exact: records before the window are printed nowhere, as far as that leaves traces. */
static void remember(struct report *r, const struct report_event *event)
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

/* Is it one of those that -F keeps?  *counted: in its own right. */
static bool is_kept(struct report *r, const struct report_event *record, bool *counted)
{
	struct trace_event event;
	bool kept;

	report_order_event(r->order, record, &event);
	kept = report_filter_wants(r->filter, &event, counted);
	if (!kept && record->lost && !r->options->count && report_filter_wants_loss(r->filter, &event))
		add_loss(r, record, REPORT_LOSS_ALONE);
	return kept;
}

/* What a record brings to the report. */
static void take(struct report *r, const struct report_event *event)
{
	bool counted = true;

	if (r->picks) {
		if (!is_wanted_record(r, event)) {
			if (!r->options->exact || in_window(r, event))
				r->handles[event->handle].first_seen = true;
			return;
		}
		if (!in_window(r, event)) {
			if (r->options->exact && r->options->format == REPORT_TEXT)
				remember(r, event);
			return;
		}
	}
	if (r->skip && report_skip_skips(r->skip, event))
		return;
	if (r->filter && !is_kept(r, event, &counted)) {
		r->handles[event->handle].first_seen = true;
		return;
	}
	show(r, event, counted);
}

/* Behind this one an earlier stamp can only stand where a clock goes back. */
static bool is_behind(const struct report *r, const struct report_event *event)
{
	const struct trace_clock *clock = &r->trace->streams[event->stream].clock;

	return r->window.has_to && !r->options->exact && trace_clock_key(clock, event->row.key) > r->window.to;
}

/* --- many at a time --------------------------------------------------------- */

/* Is all of the trace asked for, as lines that know nothing of each other but names and indents? */
static bool is_plain(const struct report *r)
{
	const struct report_options *o = r->options;

	return o->format == REPORT_TEXT && !r->picks && !o->nr_filters && !r->has_lines && r->window.head < 0 &&
	       (!o->count || o->grep);
}

/* show(), without what does not occur then.  Return: how many were shown; the next one is to be asked for by itself. */
static unsigned int show_run(struct report *r, const struct report_run *run)
{
	const struct report_cpu *cpu = &r->cpus[run->lane];
	struct report_file *file = &r->files[cpu->file->nr];
	unsigned int i, nr = report_blocks_room(r->blocks);

	nr = run->nr < nr ? run->nr : nr;
	for (i = 0; i < nr; i++) {
		const struct cursor_record *record = &run->records[i];
		const uint8_t *data = run->page + record->data;
		const struct report_type *type = report_file_type(file, report_file_id(file, data, record->size));
		struct report_item *item;
		struct print_record rec;

		if (!type->how || (r->leaves && type->is_entry))
			break;
		item = report_blocks_add(r->blocks);
		*item = (struct report_item){ .kind = REPORT_RECORD, .lane = run->lane, .type = type, .data = data,
					      .size = record->size, .room = run->len - record->data, .counted = true,
					      .pid = report_file_pid(file, data, record->size),
					      .ts = r->options->raw_ts ? record->ts :
									 (uint64_t)trace_clock_ts(run->clock, record->ts) };
		item->comm = type->known ? report_file_comm(file, item->pid) : NULL;
		if (type->remembers) {
			rec = report_item_record(item, cpu->cpu);
			item->note = printer_remember(file->printer, type->how, &rec);
		}
	}
	r->counted += i;
	return i;
}

/* The records that come next, as many as can be had at once; 0: they are to be asked for one by one. */
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

/* The expression of --grep may turn out to tell little of the records: then they are better not asked about. */
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

/* With --grep: records may be skipped whose lines cannot match, where all of the trace is asked for, line by line. */
static struct report_skip *find_skip(struct report *r)
{
	const struct report_options *o = r->options;

	if (!o->grep || o->nr_filters || o->format != REPORT_TEXT || r->picks || r->has_lines)
		return NULL;
	return report_skip_new(o->grep, r->files, r->nr_files, r->cpus, r->nr_lanes, r->trace);
}

int report_records(struct report *r, struct ft_error *err)
{
	const struct report_options *o = r->options;
	struct workers *workers = trace_workers(r->trace);
	bool grep = o->grep != NULL, plain = is_plain(r);
	struct report_blocks_options options = { .form = &r->form, .workers = workers_nr(workers) > 1 ? workers : NULL,
						 .out = r->out, .head = grep ? r->window.head : -1,
						 .block_items = o->block_items };
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
	r->order = report_order_new(r->trace, r->lanes, r->nr_lanes, report_blocks_keeper(r->blocks), &skipper);
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
			take(r, event);
		ret = report_blocks_end(r->blocks, &r->lines, err);
	}
	if (!ret)
		ret = report_blocks_finish(r->blocks, err);
	if (grep)
		r->counted = report_blocks_counted(r->blocks);
	if (r->matches && !r->out->closed)
		matches_wait(r->matches);
	r->damaged = r->matches ? matches_damaged(r->matches) : report_order_damaged(r->order);
	report_blocks_free(r->blocks);
	report_order_free(r->order);
	report_skip_free(r->skip);
	return ret;
}
