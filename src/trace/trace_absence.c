/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a time of which there is a record, go on to the last record of any CPU that is not behind
 * a silence of the length that is looked for.  As long as a sub-buffer begins there, none is read.
 */
#include "src/trace/trace_absence.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/events/verdicts.h"
#include "src/trace/stream_walk.h"
#include "src/trace/trace_private.h"

#define SILENCE		2000000000	/* ns: without another reason, tracing is off */
#define TICKS		20000000	/* ns: at 100 Hz, so long for two ticks; see see_tick() */

/* What was found in a buffer. */
struct absent_buffer {
	struct trace_absence *list;	/* owned, [nr] */
	uint32_t	 nr, cap;
	bool		 begun;
	int64_t		 at;		/* a record of this time was seen last */
	int64_t		 end;		/* trace_end() then */
	const struct trace_absence *told;	/* [nr_told] in the arena: the list, for others */
	uint32_t	 nr_told;
};

struct trace_absent_buffers {
	pthread_mutex_t	 lock;
	struct absent_buffer *list;	/* owned, [nr] by buffer */
	unsigned int	 nr;
	struct arena	 arena;
};

struct absence_lane {
	struct stream_walk walk;
	unsigned int	 stream;
	uint64_t	 pages;
	uint64_t	 page;		/* one that began at or before the time, */
	int64_t		 first;		/* its first key; */
	uint64_t	 hop;		/* so many behind the former one; 0: not known */
	uint64_t	 loaded;	/* the one of: */
	int64_t		*keys;		/* owned, [nr], [cap] of its records */
	uint32_t	 nr, cap;
	/* before the silence: when its last two ticks were, and which task ran (0: idle) */
	int64_t		 ticks[2];
	uint32_t	 pid;
};

struct absence_search {
	struct trace	*trace;
	struct absent_buffer *found;
	struct absence_lane *lanes;	/* owned, [nr] */
	unsigned int	 nr, lead;	/* the one that told of records last */
	int64_t		 silence;	/* the shortest that is looked for */
	/* suspend_resume, sched_switch, what its tick records; or NULL */
	const struct event_type *suspend, *change, *tick;
	const struct event_field *start, *prev, *next;	/* of these */
	bool		 may_infer;
};

/* --- sub-buffers ------------------------------------------------------------------------- */

static void load(const struct absence_search *s, struct absence_lane *lane, uint64_t page)
{
	struct record rec;
	int64_t key = INT64_MIN;

	if (lane->loaded == page)
		return;
	stream_walk_begin(&lane->walk, s->trace, lane->stream, page, page + 1);
	lane->loaded = page;
	lane->nr = 0;
	if (!stream_walk_page(&lane->walk))
		return;
	while (stream_walk_next(&lane->walk, &rec, lane->walk.native)) {
		int64_t ts = trace_clock_key(&lane->walk.stream->clock, rec.ts);

		key = ts > key ? ts : key;
		mem_grow(&lane->keys, lane->nr, &lane->cap);
		lane->keys[lane->nr++] = key;
	}
}

/* The key of a sub-buffer's first record; of one that has none: of the next one. */
static int64_t first_of(const struct absence_search *s, struct absence_lane *lane, uint64_t page)
{
	const struct trace_stream *stream = trace_stream_at(s->trace, lane->stream);
	struct record rec;

	if (page < page_index_pages(&stream->index))
		return trace_clock_key(&stream->clock, page_index_first(&stream->index, page));
	for (; page < lane->pages; page++) {
		stream_walk_begin(&lane->walk, s->trace, lane->stream, page, page + 1);
		if (stream_walk_page(&lane->walk) &&
		    stream_walk_next(&lane->walk, &rec, lane->walk.native))
			return trace_clock_key(&stream->clock, rec.ts);
	}
	return INT64_MAX;
}

/*
 * Go on to a sub-buffer that begins up to @ts: the last one, unless one from @enough on is found
 * earlier.  The first hop is as long as the former way: few are looked at.  False: none is there.
 */
static bool reach(const struct absence_search *s, struct absence_lane *lane, int64_t ts,
		  int64_t enough)
{
	uint64_t low = lane->page, high = lane->pages, hop = lane->hop ? lane->hop : 1;

	if (lane->first > ts)
		return false;
	while (low + 1 < high) {
		uint64_t page = low + hop < high ? low + hop : low + (high - low) / 2;
		int64_t first = first_of(s, lane, page);

		if (first <= ts) {
			low = page;
			lane->first = first;
			hop *= 2;
		} else {
			high = page;
			hop = (page - low + 1) / 2;
			/* nothing follows: it is not looked for again */
			lane->pages = first < INT64_MAX ? lane->pages : page;
		}
		if (first >= enough && first <= ts)
			break;
	}
	lane->hop = low - lane->page;
	lane->page = low;
	return true;
}

/* --- what records tell ------------------------------------------------------------------- */

static uint64_t number(const struct stream_walk *walk, const struct event_field *field,
		       const struct record *rec)
{
	return field_u64(field, rec->data, rec->size, walk->sb.swap);
}

/* Does a suspend_resume begin what it names?  A text has a word there. */
static bool is_begin(const struct absence_search *s, const struct stream_walk *walk,
		     const struct record *rec)
{
	struct field_span span;

	if (event_field_is_number(s->start))
		return number(walk, s->start, rec);
	span = field_bytes(s->start, rec->data, rec->size, walk->sb.swap);
	return span.data && span.len >= 5 && !memcmp(span.data, "begin", 5);
}

struct silence {
	int64_t		from, to;
	bool		begins, ends;	/* a suspension, with the records at its edges */
	uint32_t	pids[2];	/* of a first switch */
	uint8_t		others;		/* bits: switches without the one of pids, or the other */
	bool		any;		/* there was a switch */
	unsigned int	busy;		/* CPUs that ran a task, and had a tick, up to it */
};

static void see_switch(const struct absence_search *s, const struct stream_walk *walk,
		       const struct record *rec, struct silence *silence)
{
	uint32_t prev = (uint32_t)number(walk, s->prev, rec),
		 next = (uint32_t)number(walk, s->next, rec);

	if (!silence->any) {
		silence->pids[0] = prev;
		silence->pids[1] = next;
	}
	silence->any = true;
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t pid = silence->pids[i];

		if (!pid || (prev != pid && next != pid))
			silence->others |= 1u << i;
	}
}

/* A busy CPU has a tick each 10 ms or more often; one with full dynticks has none. */
static void see_tick(const struct absence_search *s, struct absence_lane *lane, int type,
		     const struct record *rec, int64_t ts)
{
	lane->pid = s->change && type == s->change->id && s->next ?
			    (uint32_t)number(&lane->walk, s->next, rec) :
			    (uint32_t)stream_walk_pid(&lane->walk, rec, lane->walk.native);
	if (type == s->tick->id) {
		lane->ticks[0] = lane->ticks[1];
		lane->ticks[1] = ts;
	}
}

static void see_record(const struct absence_search *s, struct absence_lane *lane,
		       const struct record *rec, struct silence *silence)
{
	const struct stream_walk *walk = &lane->walk;
	int64_t ts = trace_clock_key(&walk->stream->clock, rec->ts);
	int type = stream_walk_type(walk, rec, walk->native);

	if (s->tick && ts <= silence->from)
		see_tick(s, lane, type, rec, ts);
	if (s->suspend && type == s->suspend->id && s->start && ts == silence->from)
		silence->begins |= is_begin(s, walk, rec);
	else if (s->suspend && type == s->suspend->id && s->start && ts == silence->to)
		silence->ends |= !is_begin(s, walk, rec);
	else if (s->change && type == s->change->id && s->prev && s->next)
		see_switch(s, walk, rec, silence);
}

/* See the records of the sub-buffer in which a lane is, and of the next one that has some. */
static void see_lane(const struct absence_search *s, struct absence_lane *lane,
		     struct silence *silence)
{
	struct record rec;
	bool any = false;

	lane->loaded = UINT64_MAX;
	lane->ticks[0] = lane->ticks[1] = INT64_MIN;
	lane->pid = 0;
	for (uint64_t page = lane->page; page < lane->pages && !any; page++) {
		stream_walk_begin(&lane->walk, s->trace, lane->stream, page, page + 1);
		if (!stream_walk_page(&lane->walk))
			continue;
		while (stream_walk_next(&lane->walk, &rec, lane->walk.native)) {
			see_record(s, lane, &rec, silence);
			any = page > lane->page;
		}
	}
	silence->busy += lane->pid && lane->ticks[0] >= time_after(silence->from, -TICKS);
}

/*
 * Nothing was recorded: why?  Where switches of one task alone are, its own sleep may be the
 * silence: others were filtered out.
 */
static void add(struct absence_search *s, int64_t from, int64_t to)
{
	struct silence silence = { .from = from, .to = to };
	struct absent_buffer *found = s->found;
	struct trace_absence absence = { .from = from, .to = to };

	for (unsigned int i = 0; i < s->nr; i++)
		see_lane(s, &s->lanes[i], &silence);
	if (silence.begins && silence.ends) {
		absence.why = TRACE_SUSPENDED;
	} else if (s->may_infer && silence.others == 3 &&
		   (time_between(from, to) > SILENCE || silence.busy > 1)) {
		absence.why = TRACE_TRACING_OFF;
		absence.inferred = true;
	} else {
		return;
	}
	mem_grow(&found->list, found->nr, &found->cap);
	found->list[found->nr++] = absence;
}

/* --- the search -------------------------------------------------------------------------- */

/* The last record up to @ts of any lane, if one is behind @at; *next: the first behind @ts. */
static int64_t last_up_to(struct absence_search *s, int64_t at, int64_t ts, int64_t *next)
{
	*next = INT64_MAX;
	for (unsigned int i = 0; i < s->nr; i++) {
		struct absence_lane *lane = &s->lanes[i];
		bool has = reach(s, lane, ts, INT64_MAX);
		int64_t first = !has ? lane->first : first_of(s, lane, lane->page + 1);
		uint32_t nr;

		*next = first < *next ? first : *next;
		if (!has)
			continue;
		load(s, lane, lane->page);
		nr = bisect(lane->nr, k, lane->keys[k] <= ts);
		if (nr && lane->keys[nr - 1] > at)
			at = lane->keys[nr - 1];
		if (nr < lane->nr && lane->keys[nr] < *next)
			*next = lane->keys[nr];
	}
	return at;
}

/* The time of a record after @at, up to @ts, that begins a sub-buffer; @at: there may be none. */
static int64_t any_first(struct absence_search *s, int64_t at, int64_t ts)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		struct absence_lane *lane = &s->lanes[(s->lead + i) % s->nr];

		if (reach(s, lane, ts, at + (ts - at) / 2) && lane->first > at) {
			s->lead = (s->lead + i) % s->nr;
			return lane->first;
		}
	}
	return at;
}

static void run(struct absence_search *s)
{
	struct absent_buffer *found = s->found;
	int64_t at = found->at, first = INT64_MAX, end = INT64_MIN;

	for (unsigned int i = 0; i < s->nr; i++) {
		const struct trace_stream *stream = trace_stream_at(s->trace, s->lanes[i].stream);

		at = !found->begun && (!i || stream->first_ts < at) ? stream->first_ts : at;
		first = s->lanes[i].first < first ? s->lanes[i].first : first;
		end = stream->last_ts > end ? stream->last_ts : end;
	}
	/* a ring may have dropped what was there; what comes from here on, is not settled yet */
	at = found->begun && at < first ? first : at;
	end = end < found->end ? end : found->end;
	while (time_after(at, s->silence) < end) {
		int64_t next, last = any_first(s, at, at + s->silence);

		if (last == at)
			last = last_up_to(s, at, at + s->silence, &next);
		/* nothing follows, so far, or the clock goes back */
		if (last == at && (next == INT64_MAX || next <= at || next >= found->end))
			break;
		if (last == at && next > time_after(at, s->silence))
			add(s, at, next);
		at = last == at ? next : last;
	}
	found->begun = s->nr;
	found->at = at;
}

static void init_lane(const struct absence_search *s, struct absence_lane *lane,
		      unsigned int stream)
{
	const struct trace_stream *of = trace_stream_at(s->trace, stream);

	lane->stream = stream;
	lane->loaded = UINT64_MAX;
	lane->page = page_index_start(&of->index);
	lane->pages = trace_stream_pages(s->trace, of);
	lane->first = first_of(s, lane, lane->page);
}

/* Are the switches of all CPUs recorded, and in the file?  A mask leaves out some. */
static bool may_infer(const struct trace *trace, unsigned int file, unsigned int buffer,
		      unsigned int nr_with_events)
{
	int nr_cpus = source_buffer(trace_file_of(trace, file), buffer)->nr_cpus;

	return nr_cpus < 2 * (int)nr_with_events && !trace_is_thinned(trace, (int)file) &&
	       !trace_is_of_tasks(trace, (int)file) && !trace_is_cut_by(trace, (int)file, "--cpu=");
}

static void search_buffer(struct trace *trace, unsigned int file, unsigned int buffer,
			  struct absent_buffer *found)
{
	struct event_types *types = trace_event_types(trace, file);
	struct absence_search s = { .trace = trace, .found = found };

	s.suspend = event_types_by_name(types, "power", "suspend_resume");
	s.start = s.suspend ? event_type_field(s.suspend, "start") : NULL;
	s.change = event_types_by_name(types, "sched", "sched_switch");
	s.prev = s.change ? event_type_field(s.change, "prev_pid") : NULL;
	s.next = s.change ? event_type_field(s.change, "next_pid") : NULL;
	s.tick = event_types_by_name(types, "irq_vectors", "local_timer_entry") ?:
			 event_types_by_name(types, "timer", "hrtimer_expire_entry");
	s.silence = s.start || s.tick ? TRACE_LEAST_ABSENCE : SILENCE;
	if (!s.start && (!s.prev || !s.next))
		return;
	s.lanes = mem_array(trace_nr_streams(trace) + 1, sizeof(*s.lanes));
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		const struct trace_stream *stream = trace_stream_at(trace, i);

		if (stream->source == file && stream->buffer == buffer && stream->has_events)
			init_lane(&s, &s.lanes[s.nr++], i);
	}
	s.may_infer = may_infer(trace, file, buffer, s.nr);
	run(&s);
	for (unsigned int i = 0; i < s.nr; i++) {
		stream_walk_end(&s.lanes[i].walk);
		free(s.lanes[i].keys);
	}
	free(s.lanes);
}

/* A list that others read stays as it is. */
static void publish(struct trace_absent_buffers *all, struct absent_buffer *found)
{
	uint32_t nr = found->nr;

	if (nr == found->nr_told)
		return;
	found->told = arena_copy(&all->arena, found->list, nr * sizeof(*found->list));
	found->nr_told = nr;
}

const struct trace_absence *trace_absences(struct trace *trace, unsigned int file,
					   unsigned int buffer, uint32_t *nr)
{
	struct trace_absent_buffers *all = trace->sources[file].own->absent;
	const struct trace_absence *list;
	struct absent_buffer *found;

	*nr = 0;
	if (trace_unit(trace) != TRACE_UNIT_NS || trace_is_untimed(trace, (int)file))
		return NULL;
	pthread_mutex_lock(&all->lock);
	mem_reach(&all->list, &all->nr, buffer);
	found = &all->list[buffer];
	if (!found->begun || found->end != trace_end(trace)) {
		found->end = trace_end(trace);
		search_buffer(trace, file, buffer, found);
		publish(all, found);
	}
	*nr = found->nr_told;
	list = found->told;
	pthread_mutex_unlock(&all->lock);
	return list;
}

struct trace_absent_buffers *trace_absent_new(void)
{
	struct trace_absent_buffers *all = mem_alloc(sizeof(*all));

	pthread_mutex_init(&all->lock, NULL);
	return all;
}

void trace_absent_free(struct trace_absent_buffers *all)
{
	if (!all)
		return;
	for (unsigned int i = 0; i < all->nr; i++)
		free(all->list[i].list);
	free(all->list);
	arena_fini(&all->arena);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

uint32_t trace_absences_until(const struct trace_absence *list, uint32_t nr, int64_t ts)
{
	return bisect(nr, i, list[i].to <= ts);
}

int64_t trace_absent(struct trace *trace, unsigned int file, unsigned int buffer, int64_t from,
		     int64_t to)
{
	const struct time_range range = { true, from, to };
	const struct trace_absence *list = NULL;
	int64_t time = 0;
	uint32_t nr = 0;

	if (time_between(from, to) >= TRACE_LEAST_ABSENCE)
		list = trace_absences(trace, file, buffer, &nr);
	for (uint32_t i = 0; i < nr; i++)
		time = time_after(time, time_range_part(&range, list[i].from, list[i].to));
	return time;
}

const char *trace_absent_name(enum trace_absent why, bool inferred)
{
	static const enum verdict names[] = {
		[TRACE_PRESENT] = VERDICT_NOT_RECORDED,
		[TRACE_TRACING_OFF] = VERDICT_TRACING_OFF,
		[TRACE_SUSPENDED] = VERDICT_SUSPENDED,
		[TRACE_OFFLINE] = VERDICT_OFFLINE,
	};

	return verdict_words(names[why], inferred);
}
