/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/task_counts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/field.h"
#include "parsers/text_trace.h"
#include "parsers/trace_file.h"
#include "src/memory.h"
#include "src/trace_private.h"

#define PIECE_BYTES	(4u << 20)	/* of a stream that a job counts before it looks at others again */
#define WINDOW_BYTES	(256u << 10)
#define MIN_SLOTS	64u		/* a power of two */

struct pid_table {			/* open addressing; a slot is free where it counts nothing */
	struct task_count	*slots;	/* owned, [cap] */
	unsigned int		 nr, cap;
};

struct task_counts {
	struct trace		*trace;		/* borrowed */
	struct worker_group	 group;
	unsigned int		 generation;
	pthread_mutex_t		 lock;		/* all below */
	unsigned int		 stream;	/* the next piece to be counted */
	uint64_t		 page;
	uint64_t		 pages_done, pages;	/* of all streams, weighed by their size in KiB */
	struct pid_table	 table;
};

/* --- tables -------------------------------------------------------------- */

static uint32_t slot_of(const struct pid_table *t, unsigned int file, int pid)
{
	uint32_t h = ((uint32_t)pid ^ file * 0x85ebca6bu) * 0x9e3779b1u;

	h = (h ^ h >> 15) & (t->cap - 1);
	while (t->slots[h].events && (t->slots[h].pid != pid || t->slots[h].file != file))
		h = (h + 1) & (t->cap - 1);
	return h;
}

static void grow(struct pid_table *t)
{
	struct pid_table wider = { .cap = t->cap ? t->cap * 2 : MIN_SLOTS, .nr = t->nr };

	wider.slots = mem_array(wider.cap, sizeof(*wider.slots));
	for (unsigned int i = 0; i < t->cap; i++)
		if (t->slots[i].events)
			wider.slots[slot_of(&wider, t->slots[i].file, t->slots[i].pid)] = t->slots[i];
	free(t->slots);
	*t = wider;
}

/* Not inlined where records are walked over: most are of the same task as the one before. */
static __attribute__((noinline)) void add(struct pid_table *t, unsigned int file, int pid, uint64_t events)
{
	struct task_count *slot;

	if (!events)
		return;
	if (t->nr * 2 >= t->cap)
		grow(t);
	slot = &t->slots[slot_of(t, file, pid)];
	t->nr += !slot->events;
	*slot = (struct task_count){ file, pid, slot->events + events };
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

static bool next_piece(struct task_counts *c, struct piece *piece)
{
	bool found = false;

	pthread_mutex_lock(&c->lock);
	while (!found && c->stream < c->trace->nr_streams) {
		const struct trace_stream *stream = &c->trace->streams[c->stream];
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

static void count_text(struct trace *trace, const struct piece *piece, uint64_t page, struct pid_table *table)
{
	const struct trace_stream *stream = &trace->streams[piece->stream];
	struct sub_buffer sb;
	struct record rec;

	text_blocks_open(&stream->text, page, &sb);
	for (uint32_t item = 1; text_blocks_next(&sb, &rec); item++) {
		struct cursor_row row = { .page = page, .item = item, .size = rec.size, .key = rec.ts, .ts = rec.ts, .data = rec.data };
		struct trace_event event;

		trace_fill_event(trace, piece->stream, &row, &event);
		if (event.cpu >= 0 && event.pid >= 0)
			add(table, stream->source, event.pid, 1);
	}
}

static void count_page(const struct trace_stream *stream, const struct trace_source *source, const uint8_t *bytes, uint32_t len,
		       struct pid_table *table)
{
	const struct common_layout *common = &source->kinds.common;
	bool swap = stream->layout->swap, standard = source->kinds.standard;
	struct sub_buffer sb;
	struct record rec;
	uint64_t run = 0;
	int last = 0;

	sub_buffer_open(&sb, stream->layout, bytes, len);
	while (sub_buffer_next(&sb, &rec)) {
		int pid = standard && rec.size >= 8 ? (int)load_u32(rec.data + 4, swap) :
			  (int)field_load(rec.data, rec.size, common->pid_offset, common->pid_size, swap);

		if (pid != last) {
			add(table, stream->source, last, run);
			last = pid;
			run = 0;
		}
		run++;
	}
	add(table, stream->source, last, run);
}

/* False: cancelled. */
static bool count_piece(struct task_counts *c, const struct piece *piece, struct pid_table *table)
{
	const struct trace_stream *stream = &c->trace->streams[piece->stream];
	const struct trace_source *source = &c->trace->sources[stream->source];
	struct page_reader *reader = stream->is_text ? NULL : page_reader_new(source->file, WINDOW_BYTES);
	uint64_t page = piece->from;
	bool cancelled = false;

	while (page < piece->to && !cancelled) {
		uint32_t nr = 1, last = 0;
		const uint8_t *bytes = NULL;

		if (stream->is_text)
			count_text(c->trace, piece, page, table);
		else
			bytes = page_reader_get(reader, stream->number, page, &nr, &last, NULL);
		for (uint32_t i = 0; bytes && i < nr && page + i < piece->to; i++)
			count_page(stream, source, bytes + (size_t)i * stream->layout->page_size,
				   i + 1 < nr ? stream->layout->page_size : last, table);
		page += nr ? nr : 1;
		cancelled = workers_cancelled(&c->group, c->generation);
	}
	page_reader_free(reader);
	return !cancelled;
}

static void take_table(struct task_counts *c, const struct piece *piece, const struct pid_table *table)
{
	pthread_mutex_lock(&c->lock);
	for (unsigned int i = 0; i < table->cap; i++)
		add(&c->table, table->slots[i].file, table->slots[i].pid, table->slots[i].events);
	c->pages_done += weight(&c->trace->streams[piece->stream], piece->to - piece->from);
	pthread_mutex_unlock(&c->lock);
}

/* One piece, and a job for the next: what is more urgent gets its turn. */
static void count_job(void *arg, unsigned int worker, bool cancelled)
{
	struct task_counts *c = arg;
	struct pid_table table = { 0 };
	struct piece piece;

	(void)worker;
	if (cancelled || workers_cancelled(&c->group, c->generation) || !next_piece(c, &piece))
		return;
	if (count_piece(c, &piece, &table)) {
		take_table(c, &piece, &table);
		workers_add(c->trace->workers, &c->group, WORKER_REQUESTED, count_job, c);
	}
	free(table.slots);
}

/* --- the caller's thread ------------------------------------------------- */

struct task_counts *task_counts_new(struct trace *trace)
{
	struct task_counts *c = mem_alloc(sizeof(*c));

	c->trace = trace;
	pthread_mutex_init(&c->lock, NULL);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		c->pages += weight(&trace->streams[i], trace_stream_pages(trace, &trace->streams[i]));
	for (unsigned int i = 0; i < workers_nr(trace->workers); i++)
		workers_add(trace->workers, &c->group, WORKER_REQUESTED, count_job, c);
	return c;
}

void task_counts_free(struct task_counts *c)
{
	if (!c)
		return;
	workers_cancel(&c->group);
	workers_wait(c->trace->workers, &c->group);
	pthread_mutex_destroy(&c->lock);
	free(c->table.slots);
	free(c);
}

static int most_first(const void *a, const void *b)
{
	const struct task_count *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

unsigned int task_counts_get(struct task_counts *c, struct task_count **tasks, unsigned int *permille)
{
	unsigned int nr = 0;

	pthread_mutex_lock(&c->lock);
	*tasks = mem_array(c->table.nr + 1, sizeof(**tasks));
	for (unsigned int i = 0; i < c->table.cap; i++)
		if (c->table.slots[i].events)
			(*tasks)[nr++] = c->table.slots[i];
	*permille = c->pages_done >= c->pages ? 1000 : (unsigned int)(c->pages_done * 1000 / c->pages);
	pthread_mutex_unlock(&c->lock);
	qsort(*tasks, nr, sizeof(**tasks), most_first);
	return nr;
}

void task_counts_wait(struct task_counts *c)
{
	workers_wait(c->trace->workers, &c->group);
}
