/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/row.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/events/known_events.h"
#include "src/trace/trace_latency.h"

static enum role event_role(const char *system, const char *name)
{
	const char *colour = known_events_text(KNOWN_COLOUR, system, name, NULL);
	enum role role = colour ? theme_role(colour) : NR_ROLES;

	return role == NR_ROLES ? ROLE_EVENT_OTHER : role;
}

enum role row_pid_role(const char *comm, int pid)
{
	uint32_t hash = 2166136261u;

	for (; *comm; comm++)
		hash = (hash ^ (uint8_t)*comm) * 16777619u;
	return theme_shade(ROLE_HASH_1 + (hash ^ hash >> 15) % NR_HASH_ROLES,
			   (unsigned int)pid % NR_HASH_SHADES);
}

enum role row_mark_role(char mark, enum role normal)
{
	switch (mark) {
	case '+':
		return ROLE_SLOW_10US;
	case '!':
		return ROLE_SLOW_100US;
	case '#':
		return ROLE_SLOW_1MS;
	case '*':
		return ROLE_SLOW_10MS;
	case '@':
		return ROLE_SLOW_100MS;
	case '$':
		return ROLE_SLOW_1S;
	}
	return normal;
}

enum role row_slow_role(int64_t ns, enum role normal)
{
	return row_mark_role(ns > 0 ? text_duration_mark(ns) : ' ', normal);
}

enum role row_role(const struct row *row)
{
	switch (row->kind) {
	case TRACE_ROW_EVENT:
		return event_role(text_str(&row->system), text_str(&row->name));
	case TRACE_ROW_LOST:
		return ROLE_GAP;
	case TRACE_ROW_DAMAGE:
		return ROLE_DAMAGE;
	}
	return ROLE_TEXT;
}

enum role row_task_role(const struct row *row)
{
	return row->pid ? row_pid_role(text_str(&row->comm), row->pid) : ROLE_DIM;
}

const struct row_room row_any_room = { .cells = TRACE_TEXT_LONG };

static void add_printable(struct text *out, const char *s)
{
	text_printable(out, s, strlen(s));
}

static void render_stack(struct row *row, const struct shared *shared,
			 const struct trace_event *event)
{
	struct text *lines;
	unsigned int nr = trace_event_stack(shared->trace, event, &lines);

	row->frames = nr ? mem_array(nr, sizeof(*row->frames)) : NULL;
	row->nr_frames = nr;
	text_add(&row->what, "stack");
	for (unsigned int i = 0; i < nr; i++) {
		text_printable(&row->frames[i], text_str(&lines[i]), lines[i].len);
		text_printf(&row->what, "%s%s", i ? " ← " : "  ", text_str(&row->frames[i]));
	}
	if (!nr)
		text_add(&row->what, "  (empty)");
	trace_stack_free(lines, nr);
}

/* The kernel's, of the latency format: calls of display-graph have none. */
static char mark_of(const struct trace_event *event)
{
	struct text_line line = trace_event_line(event);

	if (line.time_kind != TEXT_TIME_RELATIVE || !line.flags.len)
		return '\0';
	return line.kind == TEXT_LINE_GRAPH ? ' ' : line.mark;
}

static void render_event(struct row *row, const struct shared *shared,
			 const struct trace_event *event, const struct trace_event *exit,
			 const struct row_room *room)
{
	int cells = room->cells;
	struct text raw = { 0 };
	const char *comm;

	comm = trace_comm(shared->trace, event->file, event->pid, event->ts);
	add_printable(&row->comm, comm);
	add_printable(&row->name, trace_event_name(event));
	add_printable(&row->system, trace_event_system(event));
	row->unknown = !event->type;
	row->says_itself = !strcmp(text_str(&row->system), "ftrace") &&
			   (!strncmp(text_str(&row->name), "func", 4) ||
			    !strncmp(text_str(&row->name), "fgraph", 6));
	row->depth = trace_event_depth(event);
	row->duration = trace_event_duration(exit ? exit : event);
	row->leaf_exit = exit ? exit->ref : TRACE_REF_NONE;
	trace_latency_flags(event, &row->flags);
	if (event->is_line)
		row->mark = mark_of(event);
	row->is_stack = trace_event_is_stack(event);
	if (row->is_stack) {
		row->says_itself = true;
		render_stack(row, shared, event);
		return;
	}
	if (room->named && cells != TRACE_TEXT_LONG)
		cells = cells > (int)row->name.len ? cells - (int)row->name.len - 1 : 0;
	trace_event_text(shared->trace, event, exit, shared_text_cells(shared, cells), &raw);
	while (raw.len && (raw.data[raw.len - 1] == '\n' || raw.data[raw.len - 1] == ' '))
		raw.len--;
	text_printable(&row->what, text_str(&raw), raw.len);
	text_fini(&raw);
}

void row_render(struct row *row, const struct shared *shared, const struct trace_event *event,
		const struct trace_event *exit, const struct row_room *room)
{
	row->ref = event->ref;
	row->kind = event->kind;
	row->ts = event->ts;
	row->key = event->key;
	row->stream = event->stream;
	row->file = event->file;
	row->buffer = event->buffer;
	row->cpu = event->cpu;
	row->pid = event->pid;
	row->type_id = event->type_id;
	row->is_event = trace_is_event(event);
	row->duration = row->depth = -1;
	row->leaf_exit = TRACE_REF_NONE;
	switch (event->kind) {
	case TRACE_ROW_EVENT:
		render_event(row, shared, event, exit, room);
		break;
	case TRACE_ROW_LOST:
		row->lost_known = event->lost_known;
		row->lost_count = event->lost_count;
		row->gap_from = event->gap_from;
		row->gap_to = event->gap_to;
		row->gap_is_start = event->gap_is_start;
		break;
	case TRACE_ROW_DAMAGE:
		text_printf(&row->what, "%" PRIu64, event->damage_offset);
		break;
	}
}

struct place row_place(const struct row *row)
{
	return (struct place){ true, row->ref, row->ts, row->file, row->is_event ? row->pid : -1,
			       row->cpu };
}

static void drop_frames(struct row *row)
{
	for (unsigned int i = 0; i < row->nr_frames; i++)
		text_fini(&row->frames[i]);
	free(row->frames);
}

void row_fini(struct row *row)
{
	text_fini(&row->comm);
	text_fini(&row->flags);
	text_fini(&row->name);
	text_fini(&row->system);
	text_fini(&row->what);
	drop_frames(row);
	memset(row, 0, sizeof(*row));
}

void row_clear(struct row *row)
{
	struct text *texts[] = { &row->comm, &row->flags, &row->name, &row->system, &row->what };
	struct row cleared = { .comm = row->comm, .flags = row->flags, .name = row->name,
			       .system = row->system,
			       .what = row->what };

	drop_frames(row);
	*row = cleared;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		text_clear(texts[i]);
}

void row_plain_line(const struct row *row, const struct shared *shared, struct text *out)
{
	int decimals = shared_decimals(shared, shared->look.cols);

	shared_time(shared, row->ts, decimals, out);
	if (row->is_event)
		text_printf(out, "  CPU %d  %s-%d  %s", row->cpu, text_str(&row->comm), row->pid,
			    row->says_itself ? "" : text_str(&row->name));
	text_char(out, ' ');
	row_sentence(row, shared, decimals, out);
}

bool row_gap_opens_trace(const struct row *row)
{
	return row->gap_is_start && row->gap_from >= row->gap_to;
}

void row_sentence(const struct row *row, const struct shared *shared, int decimals,
		  struct text *out)
{
	switch (row->kind) {
	case TRACE_ROW_EVENT:
		text_add(out, text_str(&row->what));
		return;
	case TRACE_ROW_LOST:
		text_printf(out, "CPU %d", row->cpu);
		if (row->lost_known) {
			text_add(out, " lost ");
			text_counted(out, row->lost_count, "event");
		} else if (trace_is_thinned(shared->trace, (int)row->file)) {
			text_add(out, ": events were cut out or lost");
		} else if (row->gap_is_start) {
			text_add(out, ": older events were overwritten or dropped");
		} else {
			text_add(out, " lost events, the kernel does not say how many,");
		}
		if (row_gap_opens_trace(row)) {
			text_add(out, " before ");
			shared_time(shared, row->gap_to, decimals, out);
			return;
		}
		text_add(out, " between ");
		shared_time(shared, row->gap_from, decimals, out);
		if (row->gap_is_start)
			text_add(out, " (the beginning)");
		text_add(out, " and ");
		shared_time(shared, row->gap_to, decimals, out);
		return;
	case TRACE_ROW_DAMAGE:
		text_printf(out, "CPU %d: sub-buffer damaged from byte %s on, its rest is left out",
			    row->cpu, text_str(&row->what));
		return;
	}
}
