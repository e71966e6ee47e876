/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For most records, a filter only needs the type: a table by common_type says never, always or
 * test.  A page whose set of types (or tasks) excludes all matches is not even read.
 */
#include "src/match/match_scan.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/pages/text_trace.h"
#include "parsers/file/trace_file.h"
#include "src/filter/filter_program.h"
#include "src/match/matches_private.h"
#include "src/base/memory.h"

#define WINDOW_BYTES	(256u << 10)	/* read at once if most pages are wanted; fits into a
					 * CPU's cache */
#define NEAR_PAGES	16u		/* among this many pages, most must be wanted to read all
					 * of them */
#define NEAR_WANTED	5u
#define PAGES_PER_LOOK	8u		/* pages between two checks whether to stop */
#define PAIR_MAX_PAGE	(16u << 10)	/* larger pages are scanned one by one: two would not fit
					 * into the L1 cache */
#define NR_TYPES	65536u
#define VERDICT_UNKNOWN	0xff
#define VERDICT_RANGES	0x80		/* from here on: index of a range, which decides by
					 * itself */
#define NR_RANGES	(VERDICT_UNKNOWN - VERDICT_RANGES)

struct match_scanner {
	struct trace		*trace;		/* borrowed */
	struct scan_reader {
		struct page_reader	*all, *single;	/* windows of many pages, and of one page */
	}			*readers;	/* owned, [files] */
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
	uint8_t			*wanted;	/* owned: must the page be read? */
	uint32_t		 cap_wanted;
};

/* A page being scanned. */
struct scan_page {
	const struct match_task	*task;
	const struct trace_stream *stream;
	const struct trace_source *source;
	uint64_t		 page;		/* of the stream */
	const uint8_t		*end;		/* end of its bytes */
	const uint64_t		*base;		/* bits of rows that may match; NULL: all */
	uint64_t		*words;		/* bits of rows that match */
	uint32_t		 row;		/* index of the next row */
	uint32_t		 lost;		/* 1 if the first row is lost events */
};

struct match_scanner *match_scanner_new(struct trace *trace)
{
	struct match_scanner *s = mem_alloc(sizeof(*s));

	s->trace = trace;
	s->readers = mem_array(trace_nr_files(trace), sizeof(*s->readers));
	return s;
}

void match_scanner_free(struct match_scanner *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < trace_nr_files(s->trace); i++) {
		page_reader_free(s->readers[i].all);
		page_reader_free(s->readers[i].single);
	}
	free(s->readers);
	match_builder_fini(&s->builder);
	free(s->rows[0].words);
	free(s->rows[1].words);
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
static bool match_gap(const struct scan_page *p, const struct sub_buffer *sb, uint64_t ts, uint64_t key, bool lost)
{
	struct trace_event event = {
		.ref = trace_ref_make(p->task->stream, p->page, lost ? 0 : TRACE_REF_ITEM_LAST),
		.kind = lost ? TRACE_ROW_LOST : TRACE_ROW_DAMAGE,
		.ts = trace_clock_ts(&p->stream->clock, ts), .key = trace_clock_key(&p->stream->clock, key), .raw_ts = ts,
		.stream = p->task->stream, .file = p->stream->source, .buffer = p->stream->buffer, .cpu = p->stream->cpu,
		.pid = -1, .type_id = -1, .lost_known = lost && sb->lost_known, .lost_count = lost ? sb->lost_count : 0,
		.damage_offset = lost ? 0 : sb->damage_offset,
	};

	return filter_run_event(p->task->run, &event);
}

static __attribute__((noinline)) uint8_t find_verdict(struct match_scanner *s, const struct scan_page *p, uint32_t id)
{
	uint8_t verdict = filter_run_type(p->task->run, (int)id);

	if (verdict == FILTER_TEST && s->nr_ranges < NR_RANGES && filter_run_range(p->task->run, (int)id, &s->ranges[s->nr_ranges]))
		verdict = (uint8_t)(VERDICT_RANGES + s->nr_ranges++);
	return s->verdicts[id] = verdict;
}

/* Match a record of a type that the filter does not exclude. */
static inline void match_record(struct match_scanner *s, const struct scan_page *p, uint32_t id, const struct record *rec,
				uint32_t row)
{
	uint32_t verdict = s->verdicts[id];

	if (__builtin_expect(verdict == VERDICT_UNKNOWN, 0))
		verdict = find_verdict(s, p, id);
	if (verdict >= VERDICT_RANGES)
		verdict = filter_range_has(&s->ranges[verdict - VERDICT_RANGES], rec->data, rec->size) ? FILTER_ALWAYS : FILTER_NEVER;
	else if (verdict == FILTER_TEST)
		verdict = filter_run_match(p->task->run, trace_ref_make(p->task->stream, p->page, row - p->lost + 1), (int)id,
					   rec->data, rec->size, p->end - rec->data,
					   trace_clock_ts(&p->stream->clock, rec->ts)) ? FILTER_ALWAYS : FILTER_NEVER;
	if (verdict == FILTER_ALWAYS)
		set_row(p, row);
}

static inline __attribute__((always_inline)) void walk(struct match_scanner *s, struct scan_page *p, struct sub_buffer *sb,
						       bool swap, bool big_endian, bool standard)
{
	const struct common_layout *common = &p->source->kinds.common;
	const uint8_t *verdicts = s->verdicts;
	struct sub_buffer walk = *sb;		/* a local copy stays in registers */
	uint32_t row = p->row;
	struct record rec;

	for (; sub_buffer_step(&walk, &rec, swap, big_endian); row++) {
		uint32_t id;

		if (standard && __builtin_expect(rec.size >= 4, 1))
			id = load_u16(rec.data, swap);
		else
			id = field_type_id(common, rec.data, rec.size, swap);
		if (verdicts[id] != FILTER_NEVER && may_match(p, row))
			match_record(s, p, id, &rec, row);
	}
	*sb = walk;
	p->row = row;
}

/* --- two pages side by side ------------------------------------------------------------ */

/*
 * Following headers is a chain of dependent loads: two chains fill each other's gaps, as in
 * page_scan.c.
 */
struct lane {
	const struct scan_page *page;
	const uint8_t	*pos;		/* next record */
	const uint8_t	*last;		/* where a record must end at the latest, so that there
					 * is room to look past it */
	uint64_t	 ts;
};

static inline void begin_lane(struct lane *lane, const struct scan_page *p, const struct sub_buffer *sb)
{
	*lane = (struct lane){ .page = p, .pos = sb->pos, .last = sb->end - 8, .ts = sb->ts };
}

static inline void end_lane(const struct lane *lane, struct scan_page *p, struct sub_buffer *sb, uint32_t rows)
{
	sb->pos = lane->pos;
	sb->ts = lane->ts;
	p->row += rows;
}

static __attribute__((noinline)) void match_quick(struct match_scanner *s, const struct scan_page *p, const uint8_t *pos,
						  uint64_t ts, uint32_t rows)
{
	const struct record rec = { .data = pos + 4, .size = sub_buffer_head(pos).size, .ts = ts };

	match_record(s, p, load_u16(rec.data, false), &rec, p->row + rows);
}

/* Is it a record of 4 to 112 bytes that ends at @next, far enough from the end? */
static inline __attribute__((always_inline)) bool is_plain(const struct lane *lane, struct sub_buffer_head head, const uint8_t *next)
{
	return sub_buffer_is_plain(head) && next <= lane->last;
}

static inline __attribute__((always_inline)) void take(struct match_scanner *s, struct lane *lane,
						       struct sub_buffer_head head, const uint8_t *next, uint32_t rows)
{
	lane->ts += head.delta;
	if (s->verdicts[load_u16(lane->pos + 4, false)] != FILTER_NEVER)
		match_quick(s, lane->page, lane->pos, lane->ts, rows);
	lane->pos = next;
}

/* Scan plain records of both pages, while there are any. */
static void scan_plain(struct match_scanner *s, struct scan_page p[2], struct sub_buffer sb[2])
{
	uint32_t rows = 0;
	struct lane x, y;

	if (sb[0].end - sb[0].pos < 8 || sb[1].end - sb[1].pos < 8)
		return;
	begin_lane(&x, &p[0], &sb[0]);
	begin_lane(&y, &p[1], &sb[1]);
	for (;; rows++) {
		struct sub_buffer_head head = sub_buffer_head(x.pos), head2 = sub_buffer_head(y.pos);
		const uint8_t *next = x.pos + 4 + head.size, *next2 = y.pos + 4 + head2.size;

		if (!is_plain(&x, head, next) || !is_plain(&y, head2, next2))
			break;
		take(s, &x, head, next, rows);
		take(s, &y, head2, next2, rows);
	}
	end_lane(&x, &p[0], &sb[0], rows);
	end_lane(&y, &p[1], &sb[1], rows);
}

/* Scan one record of any kind; false if there is none. */
static bool scan_record(struct match_scanner *s, struct scan_page *p, struct sub_buffer *sb)
{
	const struct common_layout *common = &p->source->kinds.common;
	struct record rec;
	uint32_t id;

	if (!sub_buffer_step(sb, &rec, false, false))
		return false;
	id = field_type_id(common, rec.data, rec.size, false);
	if (s->verdicts[id] != FILTER_NEVER)
		match_record(s, p, id, &rec, p->row);
	p->row++;
	return true;
}

/* Like walk() for both pages, if all of their rows may match. */
static void walk_two(struct match_scanner *s, struct scan_page p[2], struct sub_buffer sb[2])
{
	bool more;

	do {
		scan_plain(s, p, sb);
		more = scan_record(s, &p[0], &sb[0]);
		more &= scan_record(s, &p[1], &sb[1]);
	} while (more);
	walk(s, &p[0], &sb[0], false, false, true);
	walk(s, &p[1], &sb[1], false, false, true);
}

static void walk_text(struct match_scanner *s, struct scan_page *p)
{
	struct sub_buffer sb;
	struct record rec;

	text_blocks_open(&p->stream->text, p->page, &sb);
	for (; text_blocks_next(&sb, &rec); p->row++) {
		struct cursor_row row = { .page = p->page, .item = p->row + 1, .size = rec.size, .key = rec.ts, .ts = rec.ts,
					  .data = rec.data };
		struct trace_event event;

		if (!may_match(p, p->row))
			continue;
		trace_fill_event(s->trace, p->task->stream, &row, &event);
		if (filter_run_event(p->task->run, &event))
			set_row(p, p->row);
	}
}

/* First stamp of a page with records, used as the key of a row before them. */
static uint64_t first_stamp(const struct sub_buffer *sb, bool *any)
{
	struct sub_buffer walk = *sb;
	struct record rec;

	*any = sub_buffer_next(&walk, &rec);
	return *any ? rec.ts : sb->ts;
}

static void open_page(struct scan_page *p, struct sub_buffer *sb, const uint8_t *bytes, uint32_t len)
{
	uint64_t ts;
	bool any;

	sub_buffer_open(sb, p->stream->layout, bytes, len);
	p->end = bytes + len;
	p->lost = sb->lost;
	if (__builtin_expect(!sb->lost, 1))
		return;
	ts = first_stamp(sb, &any);
	if (may_match(p, 0) && match_gap(p, sb, ts, ts, true))
		set_row(p, 0);
	p->row = 1;
}

/* All rows were scanned.  Return: the page's count, as in the directory. */
static uint32_t close_page(const struct scan_page *p, const struct sub_buffer *sb)
{
	uint32_t count = p->row - p->lost;

	if (p->lost)
		count |= PAGE_LOST;
	if (__builtin_expect(sb->damage != SUB_BUFFER_SOUND, 0)) {
		if (may_match(p, p->row) && match_gap(p, sb, sb->ts, sb->ts, false))
			set_row(p, p->row);
		count |= PAGE_DAMAGED;
	}
	return count;
}

/* Does the page have records that page_scan.c's scan_plain() takes? */
static bool is_standard(const struct scan_page *p)
{
	return p->source->kinds.standard && !p->stream->layout->swap && !p->stream->layout->big_endian;
}

/* Set the bits of the page's rows.  Return: its count, as in the directory. */
static uint32_t match_page(struct match_scanner *s, struct scan_page *p, const uint8_t *bytes, uint32_t len)
{
	const struct sub_buffer_layout *layout = p->stream->layout;
	struct sub_buffer sb;

	open_page(p, &sb, bytes, len);
	if (is_standard(p))
		walk(s, p, &sb, false, false, true);
	else
		walk(s, p, &sb, layout->swap, layout->big_endian, false);
	return close_page(p, &sb);
}

/* --- pages -------------------------------------------------------------------------- */

/* Bounds of a page's model time. */
static void page_times(const struct trace_stream *stream, uint64_t page, uint32_t count, int64_t *first, int64_t *last)
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
static bool gap_may_match(const struct trace_stream *stream, unsigned int nr, struct filter_run *run, uint64_t page,
			  uint32_t count)
{
	struct trace_event event = {
		.kind = TRACE_ROW_LOST, .stream = nr, .file = stream->source, .buffer = stream->buffer, .cpu = stream->cpu,
		.pid = -1, .type_id = -1, .raw_ts = page_index_first(&stream->index, page),
	};

	if (!(count & (PAGE_LOST | PAGE_DAMAGED)))
		return false;
	if (count & (PAGE_DAMAGED | PAGE_BACKWARDS) || stream->clock.sync)
		return true;		/* its time is not known */
	event.ts = event.key = trace_clock_ts(&stream->clock, event.raw_ts);
	return filter_run_event(run, &event);
}

bool match_page_may(const struct trace *trace, unsigned int nr, struct filter_run *run, uint64_t page)
{
	const struct trace_stream *stream = trace_stream_at(trace, nr);
	uint32_t count = page_index_count(&stream->index, page);
	struct page_sets sets;
	int64_t first, last;

	if (stream->is_text)
		return true;
	page_times(stream, page, count, &first, &last);
	sets = page_index_sets(&stream->index, page);
	return filter_run_page(run, &sets, first, last) || gap_may_match(stream, nr, run, page, count);
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
		if (!page_rows(page_index_count(&stream->index, task->first + i)))
			s->wanted[i] = false;
		else if (task->base && i < task->base->nr_pages && match_page_state(&base, i, NULL) == MATCH_NONE)
			s->wanted[i] = false;
		else
			s->wanted[i] = match_page_may(s->trace, task->stream, task->run, task->first + i);
	}
}

/* Are most of the pages from i on wanted? */
static bool is_dense(const struct match_scanner *s, const struct match_task *task, uint32_t i)
{
	uint32_t end = task->nr_pages - i < NEAR_PAGES ? task->nr_pages : i + NEAR_PAGES, wanted = 0;

	for (; i < end; i++)
		wanted += s->wanted[i];
	return wanted >= NEAR_WANTED;
}

/* The bytes of page i, valid until the next call; NULL if it cannot be read. */
struct page_bytes {
	const uint8_t	*bytes;		/* from page `from` on */
	uint32_t	 from, to, last;	/* pages of the task; bytes of the last one */
};

static const uint8_t *read_page(struct match_scanner *s, const struct match_task *task, struct page_bytes *at, uint32_t i,
				uint32_t *len)
{
	const struct trace_stream *stream = trace_stream_at(s->trace, task->stream);
	struct scan_reader *reader = &s->readers[stream->source];
	uint32_t page_size = stream->layout->page_size, nr = 0;

	if (i < at->from || i >= at->to) {
		const struct trace_file *file = trace_source_at(s->trace, stream->source)->file;
		bool all = is_dense(s, task, i);
		struct page_reader **chosen = all ? &reader->all : &reader->single;

		if (!*chosen) {
			*chosen = page_reader_new(file, all ? WINDOW_BYTES : page_size);
			page_reader_keep_chunks(*chosen, 1);	/* reuses the same memory, which
								 * stays in the CPU's cache */
		}
		at->bytes = page_reader_get(*chosen, stream->number, task->first + i, &nr, &at->last, NULL);
		at->from = i;
		at->to = at->bytes ? i + nr : i;
		if (!at->bytes)
			return NULL;
	}
	*len = i + 1 < at->to ? page_size : at->last;
	return at->bytes + (size_t)(i - at->from) * page_size;
}

/* Bits of the base's page as whole words; NULL: all of its rows may match. */
static const uint64_t *base_words(const struct match_task *task, const struct trace_stream *stream, uint32_t i,
				  uint64_t **words, uint32_t *cap)
{
	struct match_place base = { task->base, &stream->index, task->first };
	uint32_t bit, rows;

	if (!task->base || i >= task->base->nr_pages || match_page_state(&base, i, &bit) != MATCH_SOME)
		return NULL;
	rows = page_rows(match_page_count(&base, i));
	if (rows / 64 + 1 > *cap) {
		*cap = rows / 64 + 1;
		*words = mem_resize(*words, *cap, sizeof(**words));
	}
	for (uint32_t k = 0; k * 64 < rows; k++)
		(*words)[k] = match_bits(task->base, bit + k * 64);
	return *words;
}

static void prepare_page(struct match_scanner *s, const struct match_task *task, uint32_t i, uint32_t len,
			 struct match_words *words, struct scan_page *p)
{
	const struct trace_stream *stream = trace_stream_at(s->trace, task->stream);
	uint32_t known = task->directory ? page_rows(page_index_count(&stream->index, task->first + i)) : 0;

	clear_words(words, len / 4 + 2 > known ? len / 4 + 2 : known);
	*p = (struct scan_page){ .task = task, .stream = stream, .source = trace_source_at(s->trace, stream->source),
				 .page = task->first + i, .words = words->words };
}

/* Add the result for a page. */
static void add_page(struct match_scanner *s, struct match_task *task, struct scan_page *p, uint32_t count)
{
	task->damaged += !!(count & PAGE_DAMAGED);
	/* if the file has changed, the directory's number of rows counts */
	if (task->directory) {
		count = page_index_count(&p->stream->index, p->page);
		cut_rows(p->words, page_rows(count));
	}
	match_builder_page(&s->builder, count, p->words);
}

static void scan_text(struct match_scanner *s, struct match_task *task, uint32_t i, const uint64_t *base)
{
	struct scan_page p;

	prepare_page(s, task, i, 4 * TEXT_BLOCK_LINES, &s->rows[0], &p);
	p.base = base;
	walk_text(s, &p);
	add_page(s, task, &p, p.row);
}

static void scan_page(struct match_scanner *s, struct match_task *task, struct page_bytes *at, uint32_t i,
		      const uint64_t *base)
{
	uint32_t len = 0;
	const uint8_t *bytes = read_page(s, task, at, i, &len);
	struct scan_page p;

	prepare_page(s, task, i, len, &s->rows[0], &p);
	p.base = base;
	add_page(s, task, &p, match_page(s, &p, bytes, bytes ? len : 0));
}

/* Scan page i and the next one side by side.  False, with nothing done, if that is not possible. */
static bool scan_two(struct match_scanner *s, struct match_task *task, struct page_bytes *at, uint32_t i)
{
	const struct trace_stream *stream = trace_stream_at(s->trace, task->stream);
	const uint8_t *bytes;
	struct scan_page p[2];
	struct sub_buffer sb[2];
	uint32_t len = 0;

	if (task->base || i + 1 >= task->nr_pages || !s->wanted[i + 1] || stream->layout->page_size > PAIR_MAX_PAGE)
		return false;
	bytes = read_page(s, task, at, i, &len);
	if (!bytes || i + 1 >= at->to)
		return false;
	for (unsigned int k = 0; k < 2; k++) {
		bytes = read_page(s, task, at, i + k, &len);
		prepare_page(s, task, i + k, len, &s->rows[k], &p[k]);
		if (!is_standard(&p[k]))
			return false;
		open_page(&p[k], &sb[k], bytes, len);
	}
	walk_two(s, p, sb);
	for (unsigned int k = 0; k < 2; k++)
		add_page(s, task, &p[k], close_page(&p[k], &sb[k]));
	return true;
}

struct match_item *match_scan(struct match_scanner *s, struct match_task *task)
{
	const struct trace_stream *stream = trace_stream_at(s->trace, task->stream);
	enum filter_verdict verdict = filter_run_stream(task->run, task->stream);
	uint32_t i = match_builder_begin(&s->builder, !task->directory, task->old);
	struct page_bytes at = { 0 };
	struct match_item *known;
	uint64_t *words = NULL;
	uint32_t cap = 0;

	if (verdict == FILTER_NEVER) {
		for (i = s->builder.nr_pages; i < task->nr_pages; i++)
			match_builder_none(&s->builder, 0);
		return match_builder_end(&s->builder);
	}
	known = task->directory ? filter_run_item(task->run, task->first, task->nr_pages) : NULL;
	if (known)
		return known;
	memset(s->verdicts, VERDICT_UNKNOWN, sizeof(s->verdicts));
	s->nr_ranges = 0;
	mark_wanted(s, task, i);
	for (uint32_t looked = 0; i < task->nr_pages; i++) {
		if (!s->wanted[i]) {
			match_builder_none(&s->builder, 0);
			continue;
		}
		if (looked++ % PAGES_PER_LOOK == 0 && is_stopped(task)) {
			free(words);
			return NULL;
		}
		if (stream->is_text)
			scan_text(s, task, i, base_words(task, stream, i, &words, &cap));
		else if (scan_two(s, task, &at, i))
			i++;
		else
			scan_page(s, task, &at, i, base_words(task, stream, i, &words, &cap));
	}
	free(words);
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

static void join_page(struct match_scanner *s, const struct match_place *places, unsigned int nr, uint32_t page)
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

struct match_item *match_join(struct match_scanner *s, const struct match_task *task, struct match_item *const *items,
			      unsigned int nr)
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

