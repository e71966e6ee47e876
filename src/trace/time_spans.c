/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   task     its spans, ascending, not touching each other, in blocks
 *   block    up to BLOCK_SPANS spans: their total range, and varints: length of the first span,
 *            then distance from the previous end, length, …
 *
 * New spans are appended to those of their task.  If they reach back into its last blocks, these
 * are unpacked again.
 */
#include "src/trace/time_spans.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/varint.h"

#define BLOCK_SPANS	64u
#define LOG_SPANS	8192u

struct packed_span {
	int64_t		from, to;
};

struct span_block {
	int64_t		from, to;	/* start of its first span, end of its last */
	uint64_t	at;		/* offset in the task's bytes */
};

struct time_spans_task {
	uint64_t	 key;
	struct span_block *blocks;	/* owned */
	uint32_t	 nr, cap;
	uint8_t		*bytes;		/* owned */
	uint64_t	 nr_bytes, cap_bytes;
};

struct waiting {
	uint64_t	task;
	struct packed_span span;
};

struct time_spans {
	struct time_spans_task	*tasks;		/* owned, [nr]; by key after time_spans_end() */
	uint32_t	 nr, cap;
	struct index_map map;		/* finds a task by its key; only while spans are added */
	struct waiting	*log;		/* owned, [LOG_SPANS] */
	unsigned int	 nr_log;
	struct packed_span *open;	/* owned: unpacked spans of a task, in order */
	uint32_t	 nr_open, cap_open;
};

struct time_spans *time_spans_new(void)
{
	return mem_alloc(sizeof(struct time_spans));
}

static void free_scratch(struct time_spans *s)
{
	index_map_fini(&s->map);
	free(s->log);
	free(s->open);
	s->log = NULL;
	s->open = NULL;
	s->cap_open = 0;
}

void time_spans_free(struct time_spans *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->nr; i++) {
		free(s->tasks[i].blocks);
		free(s->tasks[i].bytes);
	}
	free(s->tasks);
	free_scratch(s);
	free(s);
}

/* --- tasks --------------------------------------------------------------------------------- */

static struct time_spans_task *task_of(struct time_spans *s, uint64_t key)
{
	index_map_each (&s->map, index_map_hash(key), i)
		if (s->tasks[i].key == key)
			return &s->tasks[i];
	mem_grow(&s->tasks, s->nr, &s->cap);
	s->tasks[s->nr] = (struct time_spans_task){ .key = key };
	index_map_add(&s->map, index_map_hash(key), s->nr);
	return &s->tasks[s->nr++];
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void put_number(struct time_spans_task *t, uint64_t v)
{
	if (t->nr_bytes + VARINT_BYTES > t->cap_bytes) {
		t->cap_bytes += t->cap_bytes / 8 + 64;
		t->bytes = mem_resize(t->bytes, t->cap_bytes, 1);
	}
	t->nr_bytes = (uint64_t)(varint_put(t->bytes + t->nr_bytes, v) - t->bytes);
}

static uint64_t between(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

/* Step to the next span of a block; for the first, *at is the block's bytes and *span is zero. */
static void next_span(const struct span_block *block, const uint8_t **at, struct packed_span *span,
		      bool first)
{
	span->from = first ? block->from : (int64_t)((uint64_t)span->to + varint_take(at));
	span->to = (int64_t)((uint64_t)span->from + varint_take(at));
}

/* Pack spans as new blocks of a task. */
static void pack_spans(struct time_spans_task *t, const struct packed_span *spans, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		if (i % BLOCK_SPANS == 0) {
			mem_grow(&t->blocks, t->nr, &t->cap);
			t->blocks[t->nr++] = (struct span_block){ .from = spans[i].from,
							     .at = t->nr_bytes };
		} else {
			put_number(t, between(spans[i - 1].to, spans[i].from));
		}
		put_number(t, between(spans[i].from, spans[i].to));
		t->blocks[t->nr - 1].to = spans[i].to;
	}
}

static void add_open(struct time_spans *s, struct packed_span span)
{
	struct packed_span *last = s->nr_open ? &s->open[s->nr_open - 1] : NULL;

	if (last && span.from <= last->to) {
		last->to = span.to > last->to ? span.to : last->to;
		return;
	}
	mem_grow(&s->open, s->nr_open, &s->cap_open);
	s->open[s->nr_open++] = span;
}

static void unpack(struct time_spans *s, const struct time_spans_task *t, uint32_t nr)
{
	const struct span_block *block = &t->blocks[nr];
	const uint8_t *at = t->bytes + block->at;
	struct packed_span span = { 0, 0 };

	for (bool first = true; first || span.to != block->to; first = false) {
		next_span(block, &at, &span, first);
		mem_grow(&s->open, s->nr_open, &s->cap_open);
		s->open[s->nr_open++] = span;
	}
}

static int compare_spans(const void *a, const void *b)
{
	const struct packed_span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Sort the open spans, and join those that touch. */
static void join_open(struct time_spans *s)
{
	uint32_t nr = s->nr_open;

	if (nr)
		qsort(s->open, nr, sizeof(*s->open), compare_spans);
	s->nr_open = 0;
	for (uint32_t i = 0; i < nr; i++)
		add_open(s, s->open[i]);
}

/* Add spans of one task, in ascending order. */
static void add_to_task(struct time_spans *s, struct time_spans_task *t,
			const struct waiting *waiting, unsigned int nr)
{
	uint32_t keep = t->nr;

	/* fill up the last block */
	keep -= keep > 0;
	while (keep && t->blocks[keep - 1].to >= waiting[0].span.from)
		keep--;
	s->nr_open = 0;
	for (uint32_t i = keep; i < t->nr; i++)
		unpack(s, t, i);
	for (unsigned int i = 0; i < nr; i++) {
		mem_grow(&s->open, s->nr_open, &s->cap_open);
		s->open[s->nr_open++] = waiting[i].span;
	}
	join_open(s);
	t->nr_bytes = keep < t->nr ? t->blocks[keep].at : t->nr_bytes;
	t->nr = keep;
	pack_spans(t, s->open, s->nr_open);
}

/* --- what comes ------------------------------------------------------------------------------- */

static int compare_waiting(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return compare_spans(&x->span, &y->span);
}

static void empty_log(struct time_spans *s)
{
	if (s->nr_log)
		qsort(s->log, s->nr_log, sizeof(*s->log), compare_waiting);
	for (unsigned int i = 0, end; i < s->nr_log; i = end) {
		for (end = i + 1; end < s->nr_log && s->log[end].task == s->log[i].task;)
			end++;
		add_to_task(s, task_of(s, s->log[i].task), s->log + i, end - i);
	}
	s->nr_log = 0;
}

void time_spans_add(struct time_spans *s, uint64_t task, int64_t from, int64_t to)
{
	if (!s->log)
		s->log = mem_array(LOG_SPANS, sizeof(*s->log));
	s->log[s->nr_log++] = (struct waiting){ task, { from, to } };
	if (s->nr_log == LOG_SPANS)
		empty_log(s);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct time_spans_task *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

void time_spans_end(struct time_spans *s)
{
	if (s->nr_log)
		empty_log(s);
	if (s->nr)
		qsort(s->tasks, s->nr, sizeof(*s->tasks), compare_tasks);
	for (uint32_t i = 0; i < s->nr; i++) {
		struct time_spans_task *t = &s->tasks[i];

		t->cap = t->nr;
		t->cap_bytes = t->nr_bytes;
		t->blocks = mem_resize(t->blocks, t->cap, sizeof(*t->blocks));
		t->bytes = mem_resize(t->bytes, t->cap_bytes, 1);
	}
	free_scratch(s);
}

uint64_t time_spans_bytes(const struct time_spans *s)
{
	uint64_t bytes = sizeof(*s) + s->cap * sizeof(*s->tasks);

	for (uint32_t i = 0; i < s->nr; i++)
		bytes += s->tasks[i].cap * sizeof(*s->tasks[i].blocks) + s->tasks[i].cap_bytes;
	return bytes;
}

/* --- asking ----------------------------------------------------------------------------------- */

static const struct time_spans_task *find_task(const struct time_spans *s, uint64_t key)
{
	uint32_t first = bisect(s->nr, i, s->tasks[i].key < key);

	return first < s->nr && s->tasks[first].key == key ? &s->tasks[first] : NULL;
}

/* Go to the first span, from block @low on, that ends at or after a time; false: there is none. */
static bool go_to(const struct time_spans_task *t, struct time_spans_at *at, uint32_t low,
		  int64_t ts)
{
	struct packed_span span = { 0, 0 };

	low += bisect(t->nr - low, i, t->blocks[low + i].to < ts);
	if (low == t->nr)
		return false;
	at->block = low;
	at->next = t->bytes + t->blocks[low].at;
	next_span(&t->blocks[low], &at->next, &span, true);
	while (span.to < ts)
		next_span(&t->blocks[low], &at->next, &span, false);
	at->from = span.from;
	at->to = span.to;
	return true;
}

bool time_spans_near(const struct time_spans *s, struct time_spans_at *at, uint64_t key, int64_t ts)
{
	if (__builtin_expect(!at->known || at->key != key || ts < at->ts, 0)) {
		*at = (struct time_spans_at){ .known = true,
					      .key = key,
					      .task = find_task(s, key) };
		if (at->task && !go_to(at->task, at, 0, ts))
			at->task = NULL;
	}
	at->ts = ts;
	if (!at->task)
		return false;
	if (at->to < ts && ts > at->task->blocks[at->block].to &&
	    !go_to(at->task, at, at->block + 1, ts)) {
		at->task = NULL;
		return false;
	}
	while (at->to < ts) {
		struct packed_span span = { at->from, at->to };

		next_span(&at->task->blocks[at->block], &at->next, &span, false);
		at->from = span.from;
		at->to = span.to;
	}
	return at->from <= ts;
}
