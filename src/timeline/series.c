/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/timeline/series.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_offer.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/trace/trace_marker.h"
#include "src/trace/stream_walk.h"

/* bytes of a stream that a job scans before other jobs get their turn */
#define PIECE_BYTES	(2u << 20)
/* events per block with a minimum and maximum; also blocks per larger block */
#define BLOCK		64u
#define LEVELS		4u

struct series_range {
	int64_t		least, most;
};

struct noted {				/* an event */
	int64_t		ts, value;
};

/* Events of one stream, in its order. */
struct series_lane {
	struct series	*series;	/* borrowed */
	unsigned int	 stream;
	int		 cpu;
	uint64_t	 page;		/* the next one; the job's own */
	int64_t		 latest;	/* time so far; the job's own */
	/* Under the lock: */
	int64_t		*ts, *values;	/* owned, [nr]; values: only for a field */
	uint64_t	 nr, cap;
	struct series_range *levels[LEVELS];	/* owned: of BLOCK events, of
						   BLOCK of these, whole ones */
	uint64_t	 nr_level[LEVELS], cap_level[LEVELS];
};

struct series {
	struct trace		*trace;		/* borrowed */
	char			*name;		/* owned */
	const struct event_type	*type;
	const struct event_field *field;	/* NULL: ticks; of a counter: its text, see
						 * trace_marker.h */
	const char		*counter;	/* its name; of instants "": all; or NULL */
	bool			 is_instant;
	int64_t			 pid;		/* the counter's process; 0 = any */
	bool			 has_values;
	struct worker_group	 group;
	unsigned int		 generation;
	uint64_t		 limit;		/* bytes */
	pthread_mutex_t		 lock;		/* all below, and what the lanes say */
	struct series_lane	*lanes;		/* owned */
	unsigned int		 nr_lanes, nr_done;
	uint64_t		 bytes, events;
	bool			 full;
};

/* --- what is asked for ------------------------------------------------------------------ */

static int no_event(struct trace *trace, unsigned int file, const char *name, struct ft_error *err)
{
	const struct source *f = trace_file_of(trace, file);
	struct filter_near near;
	struct text words = { 0 };

	filter_near_init(&near, name);
	for (unsigned int i = 0; i < source_nr_formats(f); i++) {
		const struct event_type *type = event_types_find(trace_event_types(trace, file),
								 source_format(f, i)->id);

		if (type)
			filter_near_add(&near, type->name);
	}
	filter_near_text(&near, &words);
	ft_error_set(err, FT_E_USAGE, -1, "this trace has no event %s%s", name, text_str(&words));
	text_fini(&words);
	return -1;
}

static int no_field(const struct event_type *type, const char *name, struct ft_error *err)
{
	struct text words = { 0 };

	for (unsigned int i = type->nr_common; i < type->nr_fields; i++)
		if (event_field_is_number(&type->fields[i]))
			text_printf(&words, "%s%s", words.len ? ", " : "", type->fields[i].name);
	ft_error_set(err, FT_E_USAGE, -1,
		     "%s has no numeric field %s; it has "
		     "%s",
		     type->name, name, words.len ? text_str(&words) : "none");
	text_fini(&words);
	return -1;
}

/*
 * Finds the markers that @what names: a counter "marker.NAME", "marker.PID|NAME"; instants
 * "marker.I|NAME".
 */
static bool find_counter(struct series *s, unsigned int file, const char *what)
{
	static const char head[] = "marker.";
	struct event_types *types = trace_event_types(s->trace, file);
	char *end;

	if (strncmp(what, head, sizeof(head) - 1) || event_types_by_name(types, NULL, "marker"))
		return false;
	s->type = event_types_by_name(types, "ftrace", "print");
	if (!s->type)
		return false;
	s->field = event_type_field(s->type, "buf");
	s->counter = what + sizeof(head) - 1;
	s->is_instant = *s->counter == 'I' && strchr("|", s->counter[1]);
	s->has_values = !s->is_instant;
	if (s->is_instant)
		s->counter += s->counter[1] ? 2 : 1;
	s->pid = strtol(s->counter, &end, 10);
	if (end > s->counter && *end == '|')
		s->counter = end + 1;
	else
		s->pid = 0;
	return true;
}

/* Parse "system:event.field"; only the event is required. */
static int find_type(struct series *s, unsigned int file, const char *what, struct ft_error *err)
{
	const char *dot = strchr(what, '.'), *colon = strchr(what, ':');
	char *system = NULL, *name;
	int ret = 0;

	if (colon && (!dot || colon < dot)) {
		system = mem_strndup(what, (size_t)(colon - what));
		what = colon + 1;
	}
	name = mem_strndup(what, dot ? (size_t)(dot - what) : strlen(what));
	s->type = event_types_by_name(trace_event_types(s->trace, file), system, name);
	if (!s->type)
		ret = no_event(s->trace, file, name, err);
	else if (dot)
		s->field = event_type_field(s->type, dot + 1);
	if (s->type && dot && (!s->field || !event_field_is_number(s->field)))
		ret = no_field(s->type, dot + 1, err);
	s->has_values = s->field;
	free(system);
	free(name);
	return ret;
}

/* --- noting --------------------------------------------------------------------------------- */

/* What a job collects before it takes the lock. */
struct series_piece {
	struct noted	*events;	/* owned */
	uint64_t	 nr, cap;
};

static bool is_counter(const struct series *s, const struct trace_marker *m)
{
	bool is_kind = s->is_instant ? m->kind == 'I' || m->kind == 'N' : m->kind == 'C';

	if (s->is_instant && !*s->counter)
		return is_kind;
	return is_kind && (!s->pid || m->pid == s->pid) && m->name.len == strlen(s->counter) &&
	       !memcmp(m->name.s, s->counter, m->name.len);
}

static void note(struct series_lane *lane, struct series_piece *piece, const struct record *rec,
		 int64_t ts, bool swap)
{
	const struct series *s = lane->series;
	uint64_t value = 0;
	struct trace_marker m;

	if (s->counter) {
		if (!trace_marker_read(s->field, rec->data, rec->size, &m) || !is_counter(s, &m))
			return;
		value = (uint64_t)m.value;
	} else if (s->field) {
		value = field_u64(s->field, rec->data, rec->size, swap);
		if (value > INT64_MAX && s->field->kind != FIELD_SINT)
			value = INT64_MAX;
	}
	mem_grow(&piece->events, piece->nr, &piece->cap);
	piece->events[piece->nr++] = (struct noted){ ts, (int64_t)value };
}

static inline __attribute__((always_inline)) void scan_page(struct series_lane *lane,
							    const struct stream_walk *page,
							    struct series_piece *piece, bool native)
{
	struct stream_walk walk = *page;
	int id = lane->series->type->id;
	int64_t latest = lane->latest;
	struct record rec;

	while (stream_walk_next(&walk, &rec, native)) {
		int64_t ts = stream_walk_ts(&walk, &rec);

		latest = ts > latest ? ts : latest;
		if (stream_walk_type(&walk, &rec, native) == id)
			note(lane, piece, &rec, latest, walk.sb.swap);
	}
	lane->latest = latest;
}

static struct series_range join(struct series_range a, struct series_range b)
{
	return (struct series_range){ a.least < b.least ? a.least : b.least,
			       a.most > b.most ? a.most : b.most };
}

/* A whole block more: its least and most, and those of blocks above that it completes. */
static void add_range(struct series_lane *lane, unsigned int level, struct series_range range)
{
	mem_grow(&lane->levels[level], lane->nr_level[level], &lane->cap_level[level]);
	lane->levels[level][lane->nr_level[level]++] = range;
	if (lane->nr_level[level] % BLOCK || level + 1 >= LEVELS)
		return;
	for (uint64_t i = lane->nr_level[level] - BLOCK; i < lane->nr_level[level]; i++)
		range = join(range, lane->levels[level][i]);
	add_range(lane, level + 1, range);
}

static void add_event(struct series_lane *lane, const struct noted *event)
{
	bool has_value = lane->series->has_values;
	struct series_range range = { event->value, event->value };

	if (lane->nr == lane->cap) {
		lane->cap = lane->cap ? lane->cap * 2 : 64;
		lane->ts = mem_resize(lane->ts, lane->cap, sizeof(*lane->ts));
		if (has_value)
			lane->values = mem_resize(lane->values, lane->cap, sizeof(*lane->values));
	}
	lane->ts[lane->nr] = event->ts;
	if (has_value)
		lane->values[lane->nr] = event->value;
	if (++lane->nr % BLOCK || !has_value)
		return;
	for (uint64_t i = lane->nr - BLOCK; i < lane->nr; i++)
		range = join(range, (struct series_range){ lane->values[i], lane->values[i] });
	add_range(lane, 0, range);
}

/* False: the memory limit is reached. */
static bool take_piece(struct series_lane *lane, const struct series_piece *piece)
{
	struct series *s = lane->series;
	bool more;

	pthread_mutex_lock(&s->lock);
	for (uint64_t i = 0; i < piece->nr && !s->full; i++) {
		s->bytes += s->has_values ? 16 : 8;
		s->full = s->bytes > s->limit;
		add_event(lane, &piece->events[i]);
		s->events++;
	}
	more = !s->full;
	pthread_mutex_unlock(&s->lock);
	return more;
}

/* Scans some pages of a stream; false: at its end, or cancelled. */
static bool scan_some(struct series_lane *lane)
{
	struct series *s = lane->series;
	const struct trace_stream *stream = trace_stream_at(s->trace, lane->stream);
	uint64_t pages = trace_stream_pages(s->trace, stream);
	struct stream_walk walk = { .window_bytes = 0 };
	struct series_piece piece = { 0 };
	bool more = true;

	stream_walk_begin(&walk, s->trace, lane->stream, lane->page,
			  lane->page + PIECE_BYTES / (stream->layout->page_size + 1) + 1);
	while (more && stream_walk_page(&walk)) {
		if (walk.native)
			scan_page(lane, &walk, &piece, true);
		else
			scan_page(lane, &walk, &piece, false);
		more = !workers_cancelled(&s->group, s->generation);
	}
	lane->page = walk.pages.page;
	stream_walk_end(&walk);
	more = more && take_piece(lane, &piece) && lane->page < pages;
	free(piece.events);
	return more;
}

static void scan_job(void *arg, unsigned int worker, bool cancelled)
{
	struct series_lane *lane = arg;
	struct series *s = lane->series;

	(void)worker;
	if (!cancelled && !workers_cancelled(&s->group, s->generation) && scan_some(lane)) {
		workers_add(trace_workers(s->trace), &s->group, WORKER_REQUESTED, scan_job, lane);
		return;
	}
	pthread_mutex_lock(&s->lock);
	s->nr_done++;
	pthread_mutex_unlock(&s->lock);
}

/* --- its life --------------------------------------------------------------------------------- */

static void add_lanes(struct series *s, unsigned int file, unsigned int buffer)
{
	unsigned int nr = trace_nr_streams(s->trace);

	s->lanes = mem_array(nr + 1, sizeof(*s->lanes));
	for (unsigned int i = 0; i < nr; i++) {
		const struct trace_stream *stream = trace_stream_at(s->trace, i);

		if (stream->source == file && stream->buffer == buffer)
			s->lanes[s->nr_lanes++] = (struct series_lane){ .series = s, .stream = i,
				.cpu = stream->cpu, .latest = INT64_MIN,
				.page = page_index_start(&stream->index) };
	}
	for (unsigned int i = 0; i < s->nr_lanes; i++)
		workers_add(trace_workers(s->trace), &s->group, WORKER_REQUESTED, scan_job,
			    &s->lanes[i]);
}

struct series *series_new(struct trace *trace, unsigned int file, unsigned int buffer,
			  const char *what, uint64_t memory_bytes, struct ft_error *err)
{
	struct series *s = mem_alloc(sizeof(*s));

	s->trace = trace;
	s->name = mem_strdup(what);
	if (!find_counter(s, file, s->name) && find_type(s, file, what, err)) {
		free(s->name);
		free(s);
		return NULL;
	}
	s->limit = memory_bytes ? memory_bytes : mem_installed() / 16;
	pthread_mutex_init(&s->lock, NULL);
	add_lanes(s, file, buffer);
	return s;
}

void series_free(struct series *s)
{
	if (!s)
		return;
	workers_cancel(&s->group);
	workers_wait(trace_workers(s->trace), &s->group);
	for (unsigned int i = 0; i < s->nr_lanes; i++) {
		free(s->lanes[i].ts);
		free(s->lanes[i].values);
		for (unsigned int k = 0; k < LEVELS; k++)
			free(s->lanes[i].levels[k]);
	}
	pthread_mutex_destroy(&s->lock);
	free(s->lanes);
	free(s->name);
	free(s);
}

void series_wait(struct series *s)
{
	workers_wait(trace_workers(s->trace), &s->group);
}

const char *series_name(const struct series *s)
{
	return s->name;
}

bool series_has_values(const struct series *s)
{
	return s->has_values;
}

struct series_progress series_progress(struct series *s)
{
	struct series_progress progress;

	pthread_mutex_lock(&s->lock);
	progress = (struct series_progress){ s->nr_done == s->nr_lanes, s->full, s->events };
	pthread_mutex_unlock(&s->lock);
	return progress;
}

/* --- asking ----------------------------------------------------------------------------------- */

/* The first event of a lane, at index @from or later, at or after @ts (@behind: after it). */
static uint64_t find(const struct series_lane *lane, uint64_t from, int64_t ts, bool behind)
{
	return from + bisect(lane->nr - from, i,
			     lane->ts[from + i] < ts || (behind && lane->ts[from + i] == ts));
}

static void widen(struct series_sum *sum, bool *any, int64_t least, int64_t most)
{
	sum->least = !*any || least < sum->least ? least : sum->least;
	sum->most = !*any || most > sum->most ? most : sum->most;
	*any = true;
}

/* Least and most of events [from, to), by the largest blocks that fit. */
static void add_values(const struct series_lane *lane, uint64_t from, uint64_t to, bool *any,
		       struct series_sum *sum)
{
	while (from < to) {
		uint64_t size = 1, i = from;
		unsigned int level = 0;

		while (level < LEVELS && i % BLOCK == 0 && to - from >= size * BLOCK &&
		       i / BLOCK < lane->nr_level[level]) {
			i /= BLOCK;
			size *= BLOCK;
			level++;
		}
		if (level)
			widen(sum, any, lane->levels[level - 1][i].least,
			      lane->levels[level - 1][i].most);
		else
			widen(sum, any, lane->values[from], lane->values[from]);
		from += size;
	}
}

void series_columns(struct series *s, const int64_t *edges, unsigned int nr,
		    struct series_sum *sums)
{
	/* when the event was that a column holds */
	int64_t *held = mem_array(nr + 1, sizeof(*held));

	memset(sums, 0, nr * sizeof(*sums));
	pthread_mutex_lock(&s->lock);
	for (unsigned int k = 0; k < s->nr_lanes; k++) {
		const struct series_lane *lane = &s->lanes[k];
		uint64_t left = find(lane, 0, edges[0], false);

		for (unsigned int i = 0; i < nr; i++) {
			uint64_t right = find(lane, left, edges[i + 1], false);
			bool any = sums[i].events > 0;

			if (left && (!sums[i].held || lane->ts[left - 1] >= held[i])) {
				sums[i].held = true;
				sums[i].value = s->has_values ? lane->values[left - 1] : 0;
				held[i] = lane->ts[left - 1];
			}
			if (s->has_values)
				add_values(lane, left, right, &any, &sums[i]);
			sums[i].events += right - left;
			left = right;
		}
	}
	pthread_mutex_unlock(&s->lock);
	free(held);
}

static struct series_event event_of(const struct series *s, const struct series_lane *lane,
				    uint64_t i)
{
	return (struct series_event){ .ts = lane->ts[i],
				      .value = s->has_values ? lane->values[i] : 0,
				      .cpu = lane->cpu };
}

/* The last event of all lanes up to @ts, or the first one after it. */
static bool find_event(struct series *s, int64_t ts, bool after, struct series_event *event)
{
	bool found = false;

	pthread_mutex_lock(&s->lock);
	for (unsigned int k = 0; k < s->nr_lanes; k++) {
		const struct series_lane *lane = &s->lanes[k];
		uint64_t i = find(lane, 0, ts, true);

		if (after ? i >= lane->nr : !i)
			continue;
		i -= !after;
		if (found && (after ? lane->ts[i] >= event->ts : lane->ts[i] < event->ts))
			continue;
		*event = event_of(s, lane, i);
		found = true;
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

bool series_before(struct series *s, int64_t ts, struct series_event *event)
{
	return find_event(s, ts, false, event);
}

bool series_after(struct series *s, int64_t ts, struct series_event *event)
{
	return find_event(s, ts, true, event);
}

void series_each(struct series *s, int64_t from, int64_t to,
		 bool (*each)(void *arg, const struct series_event *event), void *arg)
{
	uint64_t *at = mem_array(s->nr_lanes + 1, sizeof(*at));
	bool more = true;

	pthread_mutex_lock(&s->lock);
	for (unsigned int k = 0; k < s->nr_lanes; k++)
		at[k] = find(&s->lanes[k], 0, from, false);
	while (more) {
		struct series_event event;
		unsigned int first = s->nr_lanes;

		for (unsigned int k = 0; k < s->nr_lanes; k++)
			if (at[k] < s->lanes[k].nr &&
			    (first == s->nr_lanes ||
			     s->lanes[k].ts[at[k]] < s->lanes[first].ts[at[first]]))
				first = k;
		if (first == s->nr_lanes || s->lanes[first].ts[at[first]] > to)
			break;
		event = event_of(s, &s->lanes[first], at[first]++);
		more = each(arg, &event);
	}
	pthread_mutex_unlock(&s->lock);
	free(at);
}
