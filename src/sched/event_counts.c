/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/event_counts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/pages/page_sequence.h"
#include "parsers/pages/text_trace.h"
#include "parsers/file/trace_file.h"
#include "src/filter/filter.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/sched/sched_values.h"
#include "src/trace/trace_streams.h"

#define PIECE_BYTES	(4u << 20)	/* of a stream, counted by a job before it looks at other
					 * streams again */
#define WINDOW_BYTES	(256u << 10)

struct count_table {
	struct event_count	*counts; /* owned, [nr] */
	unsigned int		 nr, cap;
	struct index_map	 map;	/* of counts, by file and key */
};

struct event_counts {
	struct trace		*trace;		/* borrowed */
	struct event_counts_options options;
	bool			 of_other;	/* filters apply to the task that a record is
						 * about */
	struct worker_group	 group;
	unsigned int		 generation;
	pthread_mutex_t		 lock;		/* protects everything below */
	unsigned int		 stream;	/* the next piece to count */
	uint64_t		 page;
	uint64_t		 pages_done, pages;	/* of all streams, weighted by their size
							 * in KiB */
	struct count_table	 tables[EVENT_COUNTS_NR];
};

/* --- tables -------------------------------------------------------------- */

static void table_fini(struct count_table *t)
{
	free(t->counts);
	index_map_fini(&t->map);
}

/* Not inlined into the walk over records: most records have the same task as the previous one. */
static __attribute__((noinline)) void add(struct count_table *t, unsigned int file, int key, uint64_t events)
{
	uint32_t hash = index_map_hash((uint64_t)file << 32 | (uint32_t)key);

	if (!events)
		return;
	index_map_each(&t->map, hash, i) {
		if (t->counts[i].key == key && t->counts[i].file == file) {
			t->counts[i].events += events;
			return;
		}
	}
	mem_grow(&t->counts, t->nr, &t->cap);
	t->counts[t->nr] = (struct event_count){ file, key, events };
	index_map_add(&t->map, hash, t->nr++);
}

/* --- pieces -------------------------------------------------------------- */

struct piece {
	unsigned int	stream;
	uint64_t	from, to;	/* pages */
};

static uint64_t weight(const struct trace_stream *stream, uint64_t pages)
{
	return pages * (stream->layout->page_size / 1024 + 1);
}

static bool next_piece(struct event_counts *c, struct piece *piece)
{
	bool found = false;

	pthread_mutex_lock(&c->lock);
	while (!found && c->stream < trace_nr_streams(c->trace)) {
		const struct trace_stream *stream = trace_stream_at(c->trace, c->stream);
		uint64_t pages = trace_stream_pages(c->trace, stream), most = PIECE_BYTES / (stream->layout->page_size + 1) + 1;

		found = c->page < pages;
		*piece = (struct piece){ c->stream, c->page, pages - c->page < most ? pages : c->page + most };
		c->page = piece->to;
		if (!found) {
			c->stream++;
			c->page = 0;
		}
	}
	pthread_mutex_unlock(&c->lock);
	return found;
}

/* State of one job. */
struct counter {
	const struct event_counts *c;
	struct count_table	 tables[EVENT_COUNTS_NR];
	struct filter_run	**runs;		/* owned, [nr_filters] */
	bool			 never;		/* nothing in the piece's stream can match */
};

static bool is_in_range(const struct event_counts *c, int64_t ts)
{
	return !c->options.has_range || (ts >= c->options.from && ts <= c->options.to);
}

static bool is_plain(const struct event_counts *c)
{
	return !c->options.has_range && !c->options.nr_filters;
}

static void count_text(struct counter *counter, const struct piece *piece, uint64_t page)
{
	struct trace *trace = counter->c->trace;
	const struct trace_stream *stream = trace_stream_at(trace, piece->stream);
	struct sub_buffer sb;
	struct record rec;

	text_blocks_open(&stream->text, page, &sb);
	for (uint32_t item = 1; text_blocks_next(&sb, &rec); item++) {
		struct cursor_row row = { .page = page, .item = item, .size = rec.size, .key = rec.ts, .ts = rec.ts, .data = rec.data };
		struct trace_event event;
		bool keep;

		trace_fill_event(trace, piece->stream, &row, &event);
		keep = event.cpu >= 0 && event.pid >= 0 && is_in_range(counter->c, event.ts);
		for (unsigned int i = 0; keep && i < counter->c->options.nr_filters; i++)
			keep = filter_run_event(counter->runs[i], &event);
		if (keep)
			add(&counter->tables[EVENT_COUNTS_TASK], stream->source, event.pid, 1);
		if (keep && !counter->c->options.tasks_only)
			add(&counter->tables[EVENT_COUNTS_CPU], stream->source, event.cpu, 1);
	}
}

static bool is_kept(struct counter *counter, const struct trace_stream *stream, trace_ref ref, const struct record *rec,
		    int type, const uint8_t *end)
{
	int64_t ts = trace_clock_ts(&stream->clock, rec->ts);

	if (!is_in_range(counter->c, ts))
		return false;
	for (unsigned int i = 0; i < counter->c->options.nr_filters; i++)
		if (!filter_run_match(counter->runs[i], ref, type, rec->data, rec->size, (uint32_t)(end - rec->data), ts))
			return false;
	return true;
}

/* The task that a record counts for. */
static int task_of(const struct event_counts *c, const struct trace_source *source, const struct record *rec, int type, bool swap)
{
	const struct common_layout *common = &source->kinds.common;
	const struct event_field *other = NULL;

	if (c->of_other)
		other = sched_values_other_pid(event_types_find(source->types, type));
	if (other)
		return (int)field_u64(other, rec->data, rec->size, swap);
	return (int)field_load(rec->data, rec->size, common->pid_offset, common->pid_size, swap);
}

/* Consecutive records with one key, before they are added to a table. */
struct row_of {
	struct count_table	*table;
	unsigned int		 file;
	int			 key;
	uint64_t		 nr;
};

static inline void count_one(struct row_of *row, int key)
{
	if (key != row->key) {
		add(row->table, row->file, row->key, row->nr);
		row->key = key;
		row->nr = 0;
	}
	row->nr++;
}

/* @page: the ref before the page's first record. */
static void count_page(struct counter *counter, const struct trace_stream *stream, trace_ref page, const uint8_t *bytes,
		       uint32_t len)
{
	const struct trace_source *source = trace_source_at(counter->c->trace, stream->source);
	const struct common_layout *common = &source->kinds.common;
	struct row_of tasks = { &counter->tables[EVENT_COUNTS_TASK], stream->source, 0, 0 };
	struct row_of types = { &counter->tables[EVENT_COUNTS_TYPE], stream->source, 0, 0 };
	bool swap = stream->layout->swap, standard = source->kinds.standard;
	bool all = !counter->c->options.tasks_only, plain = is_plain(counter->c);
	uint64_t nr = 0;
	struct sub_buffer sb;
	struct record rec;

	sub_buffer_open(&sb, stream->layout, bytes, len);
	for (trace_ref ref = page + 1; sub_buffer_next(&sb, &rec); ref++) {
		bool known = standard && rec.size >= 8;
		int type = known ? (int)load_u16(rec.data, swap) :
			   (uint16_t)field_load(rec.data, rec.size, common->type_offset, common->type_size, swap);

		if (!plain && !is_kept(counter, stream, ref, &rec, type, bytes + len))
			continue;
		count_one(&tasks, known && plain ? (int)load_u32(rec.data + 4, swap) :
				  task_of(counter->c, source, &rec, type, swap));
		if (all)
			count_one(&types, type);
		nr++;
	}
	add(tasks.table, tasks.file, tasks.key, tasks.nr);
	add(types.table, types.file, types.key, types.nr);
	if (all)
		add(&counter->tables[EVENT_COUNTS_CPU], stream->source, stream->cpu, nr);
}

static void begin_stream(struct counter *counter, unsigned int stream)
{
	const struct event_counts_options *o = &counter->c->options;

	counter->runs = mem_array(o->nr_filters + 1, sizeof(struct filter_run *));
	for (unsigned int i = 0; i < o->nr_filters; i++) {
		counter->runs[i] = filter_run_new(o->filters[i]);
		counter->never |= filter_run_stream(counter->runs[i], stream) == FILTER_NEVER;
	}
}

/* False if it was cancelled. */
static bool count_piece(struct event_counts *c, const struct piece *piece, struct counter *counter)
{
	const struct trace_stream *stream = trace_stream_at(c->trace, piece->stream);
	const struct trace_source *source = trace_source_at(c->trace, stream->source);
	struct page_reader *reader = stream->is_text ? NULL : page_reader_new(source->file, WINDOW_BYTES);
	struct page_sequence pages = { .reader = reader, .stream = stream->number, .page_size = stream->layout->page_size,
				       .page = piece->from, .end = piece->to };
	bool cancelled = false;
	const uint8_t *bytes;
	uint32_t len;

	begin_stream(counter, piece->stream);
	for (uint64_t page = piece->from; page < piece->to && !cancelled && !counter->never; page++) {
		if (stream->is_text)
			count_text(counter, piece, page);
		else if (page_sequence_next(&pages, &bytes, &len))
			count_page(counter, stream, trace_ref_make(piece->stream, page, 0), bytes, len);
		cancelled = workers_cancelled(&c->group, c->generation);
	}
	page_reader_free(reader);
	return !cancelled;
}

static void take_tables(struct event_counts *c, const struct piece *piece, const struct count_table *tables)
{
	pthread_mutex_lock(&c->lock);
	for (unsigned int by = 0; by < EVENT_COUNTS_NR; by++)
		for (unsigned int i = 0; i < tables[by].nr; i++)
			add(&c->tables[by], tables[by].counts[i].file, tables[by].counts[i].key, tables[by].counts[i].events);
	c->pages_done += weight(trace_stream_at(c->trace, piece->stream), piece->to - piece->from);
	pthread_mutex_unlock(&c->lock);
}

/* Count one piece, then queue a job for the next, so that more urgent jobs get their turn. */
static void count_job(void *arg, unsigned int worker, bool cancelled)
{
	struct event_counts *c = arg;
	struct counter counter = { .c = c };
	struct piece piece;

	(void)worker;
	if (cancelled || workers_cancelled(&c->group, c->generation) || !next_piece(c, &piece))
		return;
	if (count_piece(c, &piece, &counter)) {
		take_tables(c, &piece, counter.tables);
		workers_add(trace_workers(c->trace), &c->group, WORKER_REQUESTED, count_job, c);
	}
	for (unsigned int i = 0; i < c->options.nr_filters; i++)
		filter_run_free(counter.runs[i]);
	free(counter.runs);
	for (unsigned int by = 0; by < EVENT_COUNTS_NR; by++)
		table_fini(&counter.tables[by]);
}

/* --- the caller's thread ------------------------------------------------- */

struct event_counts *event_counts_new(struct trace *trace, const struct event_counts_options *options)
{
	struct event_counts *c = mem_alloc(sizeof(*c));

	c->trace = trace;
	c->options = *options;
	for (unsigned int i = 0; i < options->nr_filters; i++)
		c->of_other |= filter_is_of_other(options->filters[i]);
	pthread_mutex_init(&c->lock, NULL);
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++)
		c->pages += weight(trace_stream_at(trace, i), trace_stream_pages(trace, trace_stream_at(trace, i)));
	for (unsigned int i = 0; i < workers_nr(trace_workers(trace)); i++)
		workers_add(trace_workers(trace), &c->group, WORKER_REQUESTED, count_job, c);
	return c;
}

void event_counts_free(struct event_counts *c)
{
	if (!c)
		return;
	workers_cancel(&c->group);
	workers_wait(trace_workers(c->trace), &c->group);
	pthread_mutex_destroy(&c->lock);
	for (unsigned int by = 0; by < EVENT_COUNTS_NR; by++)
		table_fini(&c->tables[by]);
	free(c);
}

static int most_first(const void *a, const void *b)
{
	const struct event_count *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

unsigned int event_counts_get(struct event_counts *c, enum event_counts_by by, struct event_count **list,
			      unsigned int *permille)
{
	const struct count_table *table = &c->tables[by];
	unsigned int nr = 0;

	pthread_mutex_lock(&c->lock);
	*list = mem_array(table->nr + 1, sizeof(**list));
	for (; nr < table->nr; nr++)
		(*list)[nr] = table->counts[nr];
	*permille = c->pages_done >= c->pages ? 1000 : (unsigned int)(c->pages_done * 1000 / c->pages);
	pthread_mutex_unlock(&c->lock);
	qsort(*list, nr, sizeof(**list), most_first);
	return nr;
}

void event_counts_type_name(struct trace *trace, const struct event_count *count, struct text *out)
{
	const struct event_type *type = event_types_find(trace_event_types(trace, count->file), count->key);

	if (!type) {
		text_printf(out, "type %d, unknown", count->key);
		return;
	}
	text_printable(out, type->system, strlen(type->system));
	text_char(out, '/');
	text_printable(out, type->name, strlen(type->name));
}

void event_counts_wait(struct event_counts *c)
{
	workers_wait(trace_workers(c->trace), &c->group);
}
