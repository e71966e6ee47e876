/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/event_counts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/filter/filter.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/sched/sched_values.h"
#include "src/trace/stream_walk.h"

/* Bytes of a stream that a job counts before it looks at other streams again. */
#define PIECE_BYTES (4u << 20)

struct count_table {
	struct event_count	*counts; /* owned, [nr] */
	unsigned int		 nr, cap;
	struct index_map	 map;	/* finds a count by file and key */
};

struct event_counts {
	struct trace		*trace;		/* borrowed */
	struct event_counts_options options;
	bool			 of_other;	/* filters apply to the task a record is about */
	struct worker_group	 group;
	unsigned int		 generation;
	pthread_mutex_t		 lock;		/* protects everything below */
	unsigned int		 stream;	/* the next piece to count */
	uint64_t		 page;
	uint64_t		 pages_done, pages;	/* counted, and all: KiB of all streams */
	struct count_table	 tables[EVENT_COUNTS_NR];
};

/* --- tables -------------------------------------------------------------- */

static void table_fini(struct count_table *t)
{
	free(t->counts);
	index_map_fini(&t->map);
}

/* Not inlined into the walk over records: most records have the same task as the previous one. */
static __attribute__((noinline)) void add(struct count_table *t, unsigned int file, int key,
					  uint64_t events)
{
	uint32_t hash = index_map_hash((uint64_t)file << 32 | (uint32_t)key);

	if (!events)
		return;
	index_map_each (&t->map, hash, i) {
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

struct event_counts_piece {
	unsigned int	stream;
	uint64_t	from, to;	/* pages */
};

static uint64_t weight(const struct trace_stream *stream, uint64_t pages)
{
	return pages * (stream->layout->page_size / 1024 + 1);
}

static bool next_piece(struct event_counts *c, struct event_counts_piece *piece)
{
	bool found = false;

	pthread_mutex_lock(&c->lock);
	while (!found && c->stream < trace_nr_streams(c->trace)) {
		const struct trace_stream *stream = trace_stream_at(c->trace, c->stream);
		uint64_t pages = trace_stream_pages(c->trace, stream),
			 most = PIECE_BYTES / (stream->layout->page_size + 1) + 1;

		if (c->page < page_index_start(&stream->index))
			c->page = page_index_start(&stream->index);
		found = c->page < pages;
		*piece = (struct event_counts_piece){ c->stream, c->page,
					 pages - c->page < most ? pages : c->page + most };
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
	struct stream_walk	 walk;
	struct count_table	 tables[EVENT_COUNTS_NR];
	struct filter_runs	 filters;
};

static bool is_kept(struct counter *counter, trace_ref ref, const struct record *rec, int type)
{
	int64_t ts = stream_walk_ts(&counter->walk, rec);
	uint32_t room = stream_walk_room(&counter->walk, rec);

	return time_range_has(&counter->c->options.range, ts) &&
	       filter_runs_match(&counter->filters, ref, type, rec->data, rec->size, room, ts);
}

/* The task that a record counts for. */
static inline int task_of(const struct counter *counter, const struct record *rec, int type,
			  bool native)
{
	const struct event_field *other = NULL;

	if (__builtin_expect(counter->c->of_other, 0))
		other = sched_values_other_pid(event_types_find(counter->walk.source->types, type));
	if (other)
		return (int)field_u64(other, rec->data, rec->size, counter->walk.sb.swap);
	return stream_walk_pid(&counter->walk, rec, native);
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

static inline __attribute__((always_inline)) void count_page(struct counter *counter, bool native)
{
	const struct trace_stream *stream = counter->walk.stream;
	struct row_of tasks = { &counter->tables[EVENT_COUNTS_TASK], stream->source, 0, 0 };
	struct row_of types = { &counter->tables[EVENT_COUNTS_TYPE], stream->source, 0, 0 };
	const struct event_counts_options *o = &counter->c->options;
	bool all = !o->tasks_only, plain = !o->range.set && !o->nr_filters;
	struct stream_walk walk = counter->walk;
	struct record rec;
	uint64_t nr = 0;

	while (stream_walk_next(&walk, &rec, native)) {
		int type = stream_walk_type(&walk, &rec, native);

		if (!plain && !is_kept(counter, walk.ref, &rec, type))
			continue;
		count_one(&tasks, task_of(counter, &rec, type, native));
		if (all)
			count_one(&types, type);
		nr++;
	}
	add(tasks.table, tasks.file, tasks.key, tasks.nr);
	add(types.table, types.file, types.key, types.nr);
	if (all)
		add(&counter->tables[EVENT_COUNTS_CPU], stream->source, stream->cpu, nr);
}

/* False if it was cancelled. */
static bool count_piece(struct event_counts *c, const struct event_counts_piece *piece,
			struct counter *counter)
{
	const struct event_counts_options *o = &c->options;
	const struct trace_part cpus = { .only = o->only, .nr_only = o->nr_only };
	const struct trace_stream *stream = trace_stream_at(c->trace, piece->stream);
	struct stream_walk *walk = &counter->walk;
	bool cancelled = false, wanted;

	filter_runs_init(&counter->filters, o->filters, o->nr_filters);
	wanted = trace_part_has_cpu(&cpus, stream->cpu) &&
		 (!o->one_buffer || (stream->source == o->file && stream->buffer == o->buffer)) &&
		 filter_runs_stream(&counter->filters, piece->stream);
	stream_walk_begin(walk, c->trace, piece->stream, piece->from,
			  wanted ? piece->to : piece->from);
	while (!cancelled && stream_walk_page(walk)) {
		if (walk->native)
			count_page(counter, true);
		else
			count_page(counter, false);
		cancelled = workers_cancelled(&c->group, c->generation);
	}
	stream_walk_end(walk);
	return !cancelled;
}

static void take_tables(struct event_counts *c, const struct event_counts_piece *piece,
			const struct count_table *tables)
{
	pthread_mutex_lock(&c->lock);
	for (unsigned int by = 0; by < EVENT_COUNTS_NR; by++)
		for (unsigned int i = 0; i < tables[by].nr; i++)
			add(&c->tables[by], tables[by].counts[i].file, tables[by].counts[i].key,
			    tables[by].counts[i].events);
	c->pages_done += weight(trace_stream_at(c->trace, piece->stream), piece->to - piece->from);
	pthread_mutex_unlock(&c->lock);
}

/* Count one piece, then queue a job for the next, so that more urgent jobs get their turn. */
static void count_job(void *arg, unsigned int worker, bool cancelled)
{
	struct event_counts *c = arg;
	struct counter counter = { .c = c };
	struct event_counts_piece piece;

	(void)worker;
	if (cancelled || workers_cancelled(&c->group, c->generation) || !next_piece(c, &piece))
		return;
	if (count_piece(c, &piece, &counter)) {
		take_tables(c, &piece, counter.tables);
		workers_add(trace_workers(c->trace), &c->group, WORKER_REQUESTED, count_job, c);
	}
	filter_runs_fini(&counter.filters);
	for (unsigned int by = 0; by < EVENT_COUNTS_NR; by++)
		table_fini(&counter.tables[by]);
}

/* --- the caller's thread ------------------------------------------------- */

struct event_counts *event_counts_new(struct trace *trace,
				      const struct event_counts_options *options)
{
	struct event_counts *c = mem_alloc(sizeof(*c));

	c->trace = trace;
	c->options = *options;
	for (unsigned int i = 0; i < options->nr_filters; i++)
		c->of_other |= filter_is_of_other(options->filters[i]);
	pthread_mutex_init(&c->lock, NULL);
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++)
		c->pages += weight(trace_stream_at(trace, i), trace_stream_info(trace, i).pages);
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

unsigned int event_counts_get(struct event_counts *c, enum event_counts_by by,
			      struct event_count **list, unsigned int *permille)
{
	const struct count_table *table = &c->tables[by];
	unsigned int nr = 0;

	pthread_mutex_lock(&c->lock);
	*list = mem_array(table->nr + 1, sizeof(**list));
	for (; nr < table->nr; nr++)
		(*list)[nr] = table->counts[nr];
	*permille = c->pages_done >= c->pages ? 1000 :
						(unsigned int)(c->pages_done * 1000 / c->pages);
	pthread_mutex_unlock(&c->lock);
	qsort(*list, nr, sizeof(**list), most_first);
	return nr;
}

int event_count_by_key(const void *a, const void *b)
{
	const struct event_count *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

void event_counts_of_file(struct event_counts *counts, enum event_counts_by by, unsigned int file,
			  struct event_count **list, unsigned int *nr, unsigned int *permille)
{
	unsigned int all;

	free(*list);
	all = event_counts_get(counts, by, list, permille);
	*nr = 0;
	for (unsigned int i = 0; i < all; i++)
		if ((*list)[i].file == file)
			(*list)[(*nr)++] = (*list)[i];
	if (*nr)
		qsort(*list, *nr, sizeof(**list), event_count_by_key);
}

void event_counts_type_name(struct trace *trace, const struct event_count *count, struct text *out)
{
	const struct event_type *type = event_types_find(trace_event_types(trace, count->file),
							 count->key);

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

unsigned int event_counts_types(struct trace *trace, const struct event_counts_options *options,
				struct trace_type_count **types)
{
	struct event_counts *c;
	struct event_count *list;
	unsigned int nr, permille;

	/* what the directory counts may not all be settled, or some of it may be dropped */
	if (!options->range.set && !options->only && !options->nr_filters && !trace_grows(trace) &&
	    !trace_has_dropped(trace))
		return trace_type_counts(trace, types);
	c = event_counts_new(trace, options);
	event_counts_wait(c);
	nr = event_counts_get(c, EVENT_COUNTS_TYPE, &list, &permille);
	*types = mem_array(nr, sizeof(**types));
	for (unsigned int i = 0; i < nr; i++)
		(*types)[i] = (struct trace_type_count){
			.type = event_types_find(trace_event_types(trace, list[i].file),
						 list[i].key),
			.id = list[i].key,
			.file = list[i].file,
			.events = list[i].events
		};
	free(list);
	event_counts_free(c);
	return nr;
}
