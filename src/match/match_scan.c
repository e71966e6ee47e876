/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For most records, a filter only needs the type: a table by common_type says never, always or
 * test.  A page whose set of types (or tasks) excludes all matches is not even read.
 */
#include "src/match/match_scan.h"

#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_program.h"
#include "src/match/matches_private.h"
#include "src/base/memory.h"
#include "src/trace/stream_walk.h"

/* read at once if most pages are needed; fits into a CPU's cache */
#define WINDOW_BYTES	(256u << 10)
#define NEAR_PAGES	16u		/* read all of this many pages if most of them are needed */
#define NEAR_WANTED	5u
#define PAGES_PER_LOOK	8u		/* pages between two checks whether to stop */
/* larger pages are scanned one by one: two would not fit into the L1 cache */
#define PAIR_MAX_PAGE	(16u << 10)
#define NR_TYPES	65536u
#define VERDICT_UNKNOWN	0xff
/* from here on: index of a range, which decides by itself */
#define VERDICT_RANGES	0x80
#define NR_RANGES	(VERDICT_UNKNOWN - VERDICT_RANGES)

struct match_scanner {
	struct trace		*trace;		/* borrowed */
	struct match_builder	 builder;
	uint8_t			 verdicts[NR_TYPES];	/* for this task: enum filter_verdict,
							 * VERDICT_UNKNOWN or VERDICT_RANGES */
	struct filter_range	 ranges[NR_RANGES];
	unsigned int		 nr_ranges;
	struct match_words {
		uint64_t	*words;		/* owned: bits of a page's rows */
		uint32_t	 cap;
	}			 rows[2];	/* for the two pages that are scanned side by
						 * side */
	struct match_words	 base;		/* bits of the page in the task's base */
	uint8_t			*wanted;	/* owned: must the page be read? */
	uint32_t		 cap_wanted;
	struct stream_walk	 walk;		/* over the task's pages */
};

/* A page being scanned. */
struct scan_page {
	const struct match_task	*task;
	trace_ref		 first;		/* the page's first record */
	const uint64_t		*base;		/* bits of rows that may match; NULL: all */
	uint64_t		*words;		/* bits of rows that match */
	uint32_t		 row;		/* index of the next row */
	uint32_t		 lost;		/* 1 if the first row is lost events */
	struct stream_walk	 walk;		/* over its rows */
};

struct match_scanner *match_scanner_new(struct trace *trace)
{
	struct match_scanner *s = mem_alloc(sizeof(*s));

	s->trace = trace;
	return s;
}

void match_scanner_free(struct match_scanner *s)
{
	if (!s)
		return;
	stream_walk_end(&s->walk);
	match_builder_fini(&s->builder);
	free(s->rows[0].words);
	free(s->rows[1].words);
	free(s->base.words);
	free(s->wanted);
	free(s);
}

static bool is_stopped(const struct match_task *task)
{
	return atomic_load_explicit(task->stopped, memory_order_relaxed);
}

/* --- bits of the page's rows ------------------------------------------------------ */

static void clear_words(struct match_words *w, uint32_t rows)
{
	uint32_t words = rows / 64 + 2;

	if (words > w->cap) {
		w->cap = words * 2;
		w->words = mem_resize(w->words, w->cap, sizeof(*w->words));
	}
	memset(w->words, 0, words * sizeof(*w->words));
}

static inline void set_row(const struct scan_page *p, uint32_t row)
{
	p->words[row / 64] |= 1ull << row % 64;
}

/* Clear the bits from @rows on in the last word. */
static void cut_rows(uint64_t *words, uint32_t rows)
{
	words[rows / 64] &= (1ull << rows % 64) - 1;
}

static inline bool may_match(const struct scan_page *p, uint32_t row)
{
	return !p->base || (p->base[row / 64] >> row % 64 & 1);
}

/* --- rows --------------------------------------------------------------------------- */

/* Match the row of lost events before a page's records, or the row of damage after them. */
static bool match_gap(const struct scan_page *p, uint64_t ts, bool lost)
{
	const struct trace_stream *stream = p->walk.stream;
	const struct sub_buffer *sb = &p->walk.sb;
	struct trace_event event = {
		.ref = p->first - 1 + (lost ? 0 : TRACE_REF_ITEM_LAST),
		.kind = lost ? TRACE_ROW_LOST : TRACE_ROW_DAMAGE,
		.ts = trace_clock_ts(&stream->clock, ts),
		.key = trace_clock_key(&stream->clock, ts), .raw_ts = ts,
		.stream = p->task->stream, .file = stream->source, .buffer = stream->buffer,
		.cpu = stream->cpu,
		.pid = -1, .type_id = -1, .lost_known = lost && sb->lost_known,
		.lost_count = lost ? sb->lost_count : 0,
		.damage_offset = lost ? 0 : sb->damage_offset,
	};

	return filter_run_event(p->task->run, &event);
}

static __attribute__((noinline)) uint8_t find_verdict(struct match_scanner *s,
						      const struct scan_page *p, uint32_t id)
{
	uint8_t verdict = filter_run_type(p->task->run, (int)id);

	/* a pass without a directory finds the types that occur, too */
	if (!p->task->directory)
		page_kinds_add(&trace_source_at(s->trace, p->walk.stream->source)->kinds, id);
	if (verdict == FILTER_TEST && s->nr_ranges < NR_RANGES &&
	    filter_run_range(p->task->run, (int)id, &s->ranges[s->nr_ranges]))
		verdict = (uint8_t)(VERDICT_RANGES + s->nr_ranges++);
	return s->verdicts[id] = verdict;
}

/* Match a record of a type that the filter does not exclude. */
static inline void match_record(struct match_scanner *s, const struct scan_page *p, uint32_t id,
				const struct record *rec, uint32_t row)
{
	uint32_t verdict = s->verdicts[id];

	if (__builtin_expect(verdict == VERDICT_UNKNOWN, 0))
		verdict = find_verdict(s, p, id);
	if (verdict >= VERDICT_RANGES)
		verdict = filter_range_has(&s->ranges[verdict - VERDICT_RANGES], rec->data,
					   rec->size) ?
				  FILTER_ALWAYS :
				  FILTER_NEVER;
	else if (verdict == FILTER_TEST)
		verdict = filter_run_match(p->task->run, p->first + row - p->lost, (int)id,
					   rec->data, rec->size, stream_walk_room(&p->walk, rec),
					   stream_walk_ts(&p->walk, rec)) ?
				  FILTER_ALWAYS :
				  FILTER_NEVER;
	if (verdict == FILTER_ALWAYS)
		set_row(p, row);
}

static inline __attribute__((always_inline)) void walk(struct match_scanner *s, struct scan_page *p,
						       bool native)
{
	const uint8_t *verdicts = s->verdicts;
	struct stream_walk walk = p->walk;	/* a local copy stays in registers */
	uint32_t row = p->row;
	struct record rec;

	for (; stream_walk_next(&walk, &rec, native); row++) {
		uint32_t id = stream_walk_type(&walk, &rec, native);

		if (verdicts[id] != FILTER_NEVER && may_match(p, row))
			match_record(s, p, id, &rec, row);
	}
	p->walk.sb = walk.sb;
	p->row = row;
}

/* --- two pages side by side ------------------------------------------------------------ */

/*
 * Following headers is a chain of dependent loads: two chains fill each other's gaps, as in
 * page_scan.c.
 */
struct scan_lane {
	const struct scan_page *page;
	const uint8_t	*pos;		/* next record */
	const uint8_t	*last;		/* plain records end here at the latest: 8 bytes behind
					 * it can be read */
	uint64_t	 ts;
};

static inline void begin_lane(struct scan_lane *lane, const struct scan_page *p)
{
	const struct sub_buffer *sb = &p->walk.sb;

	*lane = (struct scan_lane){ .page = p, .pos = sb->pos, .last = sb->end - 8, .ts = sb->ts };
}

static inline void end_lane(const struct scan_lane *lane, struct scan_page *p, uint32_t rows)
{
	p->walk.sb.pos = lane->pos;
	p->walk.sb.ts = lane->ts;
	p->row += rows;
}

static __attribute__((noinline)) void match_quick(struct match_scanner *s,
						  const struct scan_page *p, const uint8_t *pos,
						  uint64_t ts, uint32_t rows)
{
	const struct record rec = { .data = pos + 4,
				    .size = 4 * sub_buffer_head(pos).words,
				    .ts = ts };

	match_record(s, p, load_u16(rec.data, false), &rec, p->row + rows);
}

/* Is it a record of 4 to 112 bytes that ends at @next, far enough from the end? */
static inline __attribute__((always_inline)) bool
is_plain(const struct scan_lane *lane, struct sub_buffer_head head, const uint8_t *next)
{
	return sub_buffer_is_plain(head) && next <= lane->last;
}

static inline __attribute__((always_inline)) void take(struct match_scanner *s,
						       struct scan_lane *lane,
						       struct sub_buffer_head head,
						       const uint8_t *next, uint32_t rows)
{
	lane->ts += head.delta;
	if (s->verdicts[load_u16(lane->pos + 4, false)] != FILTER_NEVER)
		match_quick(s, lane->page, lane->pos, lane->ts, rows);
	lane->pos = next;
}

/* Scan plain records of both pages, while there are any. */
static void scan_plain(struct match_scanner *s, struct scan_page p[2])
{
	uint32_t rows = 0;
	struct scan_lane x, y;

	if (p[0].walk.sb.end - p[0].walk.sb.pos < 8 || p[1].walk.sb.end - p[1].walk.sb.pos < 8)
		return;
	begin_lane(&x, &p[0]);
	begin_lane(&y, &p[1]);
	for (;; rows++) {
		struct sub_buffer_head head = sub_buffer_head(x.pos),
				       head2 = sub_buffer_head(y.pos);
		const uint8_t *next = x.pos + 4 + 4 * head.words;
		const uint8_t *next2 = y.pos + 4 + 4 * head2.words;

		if (!is_plain(&x, head, next) || !is_plain(&y, head2, next2))
			break;
		take(s, &x, head, next, rows);
		take(s, &y, head2, next2, rows);
	}
	end_lane(&x, &p[0], rows);
	end_lane(&y, &p[1], rows);
}

/* Scan one record of any kind; false if there is none. */
static bool scan_record(struct match_scanner *s, struct scan_page *p)
{
	struct record rec;
	uint32_t id;

	if (!stream_walk_next(&p->walk, &rec, true))
		return false;
	id = stream_walk_type(&p->walk, &rec, true);
	if (s->verdicts[id] != FILTER_NEVER)
		match_record(s, p, id, &rec, p->row);
	p->row++;
	return true;
}

/* Like walk() for both pages, if all of their rows may match. */
static void walk_two(struct match_scanner *s, struct scan_page p[2])
{
	bool more;

	do {
		scan_plain(s, p);
		more = scan_record(s, &p[0]);
		more &= scan_record(s, &p[1]);
	} while (more);
	walk(s, &p[0], true);
	walk(s, &p[1], true);
}

/* First stamp of a page with records, used as the time of a row before them. */
static uint64_t first_stamp(const struct scan_page *p)
{
	struct stream_walk walk = p->walk;
	struct record rec;

	return stream_walk_next(&walk, &rec, walk.native) ? rec.ts : walk.sb.ts;
}

/* All rows were scanned.  Return: the page's count, as in the directory. */
static uint32_t close_page(const struct scan_page *p)
{
	uint32_t count = p->row - p->lost;

	if (p->lost)
		count |= PAGE_LOST;
	if (__builtin_expect(p->walk.sb.damage != SUB_BUFFER_SOUND, 0)) {
		if (may_match(p, p->row) && match_gap(p, p->walk.sb.ts, false))
			set_row(p, p->row);
		count |= PAGE_DAMAGED;
	}
	return count;
}

/* --- pages -------------------------------------------------------------------------- */

/* Bounds of a page's model time. */
static void page_times(const struct trace_stream *stream, uint64_t page, uint32_t count,
		       int64_t *first, int64_t *last)
{
	*first = INT64_MIN;
	*last = INT64_MAX;
	if (stream->clock.sync)		/* a correction may go back in time */
		return;
	if (!(count & PAGE_BACKWARDS))
		*first = trace_clock_ts(&stream->clock, page_index_first(&stream->index, page));
	if (!(count & PAGE_WIDE))
		*last = trace_clock_ts(&stream->clock, page_index_last(&stream->index, page));
}

/* Rows of lost events and of damage have no type: may one of this page match? */
static bool gap_may_match(const struct trace_stream *stream, unsigned int nr,
			  struct filter_run *run, uint64_t page, uint32_t count)
{
	struct trace_event event = {
		.kind = TRACE_ROW_LOST, .stream = nr, .file = stream->source,
		.buffer = stream->buffer, .cpu = stream->cpu,
		.pid = -1, .type_id = -1, .raw_ts = page_index_first(&stream->index, page),
	};

	if (!(count & (PAGE_LOST | PAGE_DAMAGED)))
		return false;
	if (count & (PAGE_DAMAGED | PAGE_BACKWARDS) || stream->clock.sync)
		return true;		/* its time is not known */
	event.ts = event.key = trace_clock_ts(&stream->clock, event.raw_ts);
	return filter_run_event(run, &event);
}

bool match_page_may(const struct trace *trace, unsigned int nr, struct filter_run *run,
		    uint64_t page)
{
	const struct trace_stream *stream = trace_stream_at(trace, nr);
	uint32_t count = page_index_count(&stream->index, page);
	struct page_sets sets;
	int64_t first, last;

	page_times(stream, page, count, &first, &last);
	sets = page_index_sets(&stream->index, page);
	return filter_run_page(run, page, &sets, first, last) ||
	       gap_may_match(stream, nr, run, page, count);
}

/* Mark the pages that must be read. */
static void mark_wanted(struct match_scanner *s, const struct match_task *task, uint32_t from)
{
	const struct trace_stream *stream = trace_stream_at(s->trace, task->stream);
	struct match_place base = { task->base, &stream->index, task->first };

	if (task->nr_pages > s->cap_wanted) {
		s->cap_wanted = task->nr_pages;
		s->wanted = mem_resize(s->wanted, s->cap_wanted, sizeof(*s->wanted));
	}
	for (uint32_t i = from; i < task->nr_pages; i++) {
		s->wanted[i] = true;
		if (!task->directory)
			continue;
		if (task->first + i < page_index_start(&stream->index) ||
		    !page_rows(page_index_count(&stream->index, task->first + i)))
			s->wanted[i] = false;
		else if (task->base && i < task->base->nr_pages &&
			 match_page_state(&base, i, NULL) == MATCH_NONE)
			s->wanted[i] = false;
		else
			s->wanted[i] = match_page_may(s->trace, task->stream, task->run,
						      task->first + i);
	}
}

/* Are most of the pages from i on needed? */
static bool is_dense(const struct match_scanner *s, const struct match_task *task, uint32_t i)
{
	uint32_t end = task->nr_pages - i < NEAR_PAGES ? task->nr_pages : i + NEAR_PAGES,
		 wanted = 0;

	for (; i < end; i++)
		wanted += s->wanted[i];
	return wanted >= NEAR_WANTED;
}

/* Bits of the base's page as whole words; NULL: all of its rows may match. */
static const uint64_t *base_words(struct match_scanner *s, const struct match_task *task,
				  uint32_t i)
{
	struct match_place base = { task->base, &s->walk.stream->index, task->first };
	uint32_t bit, rows;

	if (!task->base || i >= task->base->nr_pages ||
	    match_page_state(&base, i, &bit) != MATCH_SOME)
		return NULL;
	rows = page_rows(match_page_count(&base, i));
	clear_words(&s->base, rows);
	for (uint32_t k = 0; k * 64 < rows; k++)
		s->base.words[k] = match_bits(task->base, bit + k * 64);
	return s->base.words;
}

/* Begin with page i of the task, after its row of lost events, if any. */
static void open_page(struct match_scanner *s, const struct match_task *task, uint32_t i,
		      const uint64_t *base, struct match_words *words, struct scan_page *p)
{
	const struct trace_stream *stream = s->walk.stream;
	uint32_t known = task->directory ?
				 page_rows(page_index_count(&stream->index, task->first + i)) :
				 0;
	uint32_t rows = stream->layout->page_size / 4 + 2;

	s->walk.pages.page = task->first + i;
	if (!page_sequence_left(&s->walk.pages))
		page_reader_set_window(s->walk.pages.reader, is_dense(s, task, i) ?
								     WINDOW_BYTES :
								     stream->layout->page_size);
	stream_walk_page(&s->walk);
	clear_words(words, rows > known ? rows : known);
	*p = (struct scan_page){ .task = task, .walk = s->walk, .first = s->walk.ref + 1,
				 .base = base, .words = words->words,
				 .row = s->walk.sb.lost, .lost = s->walk.sb.lost };
	if (__builtin_expect(p->lost && may_match(p, 0) && match_gap(p, first_stamp(p), true), 0))
		set_row(p, 0);
}

/* Add the result for a page. */
static void add_page(struct match_scanner *s, struct match_task *task, const struct scan_page *p)
{
	uint32_t count = close_page(p);

	task->damaged += !!(count & PAGE_DAMAGED);
	/* if the file has changed, the directory's number of rows counts */
	if (task->directory) {
		count = page_index_count(&p->walk.stream->index, trace_ref_page(p->first));
		cut_rows(p->words, page_rows(count));
	}
	match_builder_page(&s->builder, count, p->words);
}

/* May page i and the next one, which is in memory then, be scanned side by side? */
static bool is_pair(const struct match_scanner *s, const struct match_task *task, uint32_t i)
{
	return s->walk.native && !task->base && i + 1 < task->nr_pages && s->wanted[i + 1] &&
	       s->walk.stream->layout->page_size <= PAIR_MAX_PAGE &&
	       page_sequence_left(&s->walk.pages);
}

/*
 * Scan page i, and the next one if they can be scanned side by side.  Return: how many these are.
 */
static uint32_t scan_pages(struct match_scanner *s, struct match_task *task, uint32_t i,
			   const uint64_t *base)
{
	struct scan_page p[2];

	open_page(s, task, i, base, &s->rows[0], &p[0]);
	if (is_pair(s, task, i)) {
		open_page(s, task, i + 1, NULL, &s->rows[1], &p[1]);
		walk_two(s, p);
		add_page(s, task, &p[0]);
		add_page(s, task, &p[1]);
		return 2;
	}
	if (s->walk.native)
		walk(s, &p[0], true);
	else
		walk(s, &p[0], false);
	add_page(s, task, &p[0]);
	return 1;
}

struct match_item *match_scan(struct match_scanner *s, struct match_task *task)
{
	enum filter_verdict verdict = filter_run_stream(task->run, task->stream);
	uint32_t i = match_builder_begin(&s->builder, !task->directory, task->old);

	if (verdict == FILTER_NEVER) {
		task->skipped = true;
		for (i = s->builder.nr_pages; i < task->nr_pages; i++)
			match_builder_none(&s->builder, 0);
		return match_builder_end(&s->builder);
	}
	memset(s->verdicts, VERDICT_UNKNOWN, sizeof(s->verdicts));
	s->nr_ranges = 0;
	mark_wanted(s, task, i);
	/* a page is scanned once, whatever of it is settled */
	s->walk.unsettled = true;
	stream_walk_begin(&s->walk, s->trace, task->stream, task->first,
			  task->first + task->nr_pages);
	for (uint32_t looked = 0; i < task->nr_pages;) {
		if (!s->wanted[i]) {
			match_builder_none(&s->builder, 0);
			i++;
			continue;
		}
		if (looked++ % PAGES_PER_LOOK == 0 && is_stopped(task))
			return NULL;
		i += scan_pages(s, task, i, base_words(s, task, i));
	}
	task->saw_watched = task->watched >= 0 && s->verdicts[task->watched] != VERDICT_UNKNOWN &&
			    s->verdicts[task->watched] != FILTER_NEVER;
	return match_builder_end(&s->builder);
}

/* --- joining ------------------------------------------------------------------------ */

/* AND the bits of a page with those of one more item; false: no bits are left. */
static bool and_page(uint64_t *words, const struct match_place *place, uint32_t page, uint32_t rows)
{
	uint64_t left = 0;
	uint32_t bit;

	switch (match_page_state(place, page, &bit)) {
	case MATCH_NONE:
		return false;
	case MATCH_ALL:
		return true;
	case MATCH_SOME:
		break;
	}
	for (uint32_t k = 0; k * 64 < rows; k++)
		left |= words[k] &= match_bits(place->item, bit + k * 64);
	return left;
}

static void join_page(struct match_scanner *s, const struct match_place *places, unsigned int nr,
		      uint32_t page)
{
	uint32_t count = match_page_count(&places[0], page), rows = page_rows(count);
	uint64_t *words;

	clear_words(&s->rows[0], rows);
	words = s->rows[0].words;
	memset(words, 0xff, (rows + 63) / 64 * sizeof(*words));
	for (unsigned int i = 0; i < nr; i++) {
		if (!and_page(words, &places[i], page, rows)) {
			match_builder_none(&s->builder, count);
			return;
		}
	}
	cut_rows(words, rows);
	match_builder_page(&s->builder, count, words);
}

struct match_item *match_join(struct match_scanner *s, const struct match_task *task,
			      struct match_item *const *items, unsigned int nr)
{
	const struct trace_stream *stream = trace_stream_at(s->trace, task->stream);
	struct match_place *places = mem_array(nr, sizeof(*places));
	bool none = false;

	for (unsigned int i = 0; i < nr; i++) {
		places[i] = (struct match_place){ items[i], &stream->index, task->first };
		none |= !items[i]->blocks;
	}
	match_builder_begin(&s->builder, !task->directory, NULL);
	for (uint32_t page = 0; page < task->nr_pages; page++) {
		bool any = !none;

		for (unsigned int i = 0; any && i < nr; i++)
			any = match_page_state(&places[i], page, NULL) != MATCH_NONE;
		if (any)
			join_page(s, places, nr, page);
		else
			match_builder_none(&s->builder, 0);
	}
	free(places);
	return match_builder_end(&s->builder);
}
