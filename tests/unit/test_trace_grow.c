/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace that is opened while it is recorded, and grows in any steps, has the rows of the finished
 * file: recorded traces and made-up ones are written once more as a NAME.part, page by page.  With
 * a ring, the recorder drops the oldest pages: then it has the rows of the pages that are left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "parsers/open/open.h"
#include "parsers/pages/page_reader.h"
#include "parsers/file/trace_file.h"
#include "parsers/types/event_types.h"
#include "recorder/output/output.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/cut/cut.h"
#include "src/functions/function_job.h"
#include "src/stacks/stacks.h"
#include "src/latency/latency.h"
#include "src/latency/latency_kinds.h"
#include "src/match/matches.h"
#include "src/sched/event_counts.h"
#include "src/sched/sched.h"
#include "src/sched/task_table.h"
#include "src/trace/stream_walk.h"
#include "src/trace/trace_streams.h"
#include "src/until/until.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/open_recorded.h"

static char dir[64];
static struct {
	uint64_t	tasks, latencies, matches, window_runs;	/* ns of runs in windows */
	uint64_t	window_latencies, binned, calls, stacks, parked;
	uint64_t	grown, states, dropped;
	uint64_t	hits, open_hits;	/* of --until */
	uint64_t	given_back;	/* bytes, by the recorders of rings */
} compared;
static struct invoker self;

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ftop-grow-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* --- the whole trace ------------------------------------------------------------- */

struct row {
	size_t		 nr;		/* in the whole trace */
	trace_ref	 ref;
	int64_t		 key;
	uint64_t	 raw_ts;
	enum trace_row_kind kind;
	uint32_t	 size;
	bool		 lost_known;
	uint64_t	 lost;
};

struct recording {			/* a trace, and its NAME.part */
	struct trace	*whole;
	struct row	*all;		/* owned, [nr_all] */
	size_t		 nr_all;
	unsigned int	 cap;
	struct row	*rows;		/* owned, [nr]: those that are not dropped */
	size_t		 nr;
	bool		 is_ring;
	uint64_t	*dropped, *gone; /* owned, [nr_streams]: pages; those given back */
	struct source	*source;	/* owned: of the whole */
	struct page_reader *reader;
	struct output_file *o;
	struct output_stream **streams;	/* owned, [nr_streams] */
	uint64_t	*written;	/* owned, [nr_streams]: pages */
	size_t		*next;		/* owned, [nr_streams]: its first row that is not written */
	unsigned int	 nr_streams;
	struct gen_random random;
};

static void list_rows(struct recording *r)
{
	struct trace_cursor *cursor = trace_cursor_new(r->whole);
	struct trace_event event;

	trace_cursor_seek(cursor, trace_first(r->whole));
	while (trace_cursor_next(cursor, &event)) {
		if (r->nr_all == r->cap) {
			r->cap = r->cap ? 2 * r->cap : 1024;
			r->all = mem_resize(r->all, r->cap, sizeof(*r->all));
		}
		r->all[r->nr_all] = (struct row){ r->nr_all, event.ref, event.key, event.raw_ts,
						  event.kind, event.size, event.lost_known,
						  event.lost_count };
		r->nr_all++;
	}
	trace_cursor_free(cursor);
}

/* The rows that are left. */
static void keep_rows(struct recording *r)
{
	free(r->rows);
	r->rows = mem_array(r->nr_all + 1, sizeof(*r->rows));
	r->nr = 0;
	for (size_t i = 0; i < r->nr_all; i++)
		if (trace_ref_page(r->all[i].ref) >= r->dropped[trace_ref_stream(r->all[i].ref)])
			r->rows[r->nr++] = r->all[i];
}

/* --- the recording ----------------------------------------------------------------- */

static void put_text(struct recording *r, struct output_file *o, enum trace_text kind)
{
	struct text t = { 0 };
	uint64_t size;
	const char *text = source_text(r->source, kind, &size);

	text_bytes(&t, text, size);
	output_text(o, kind, &t);
	text_fini(&t);
}

static void put_formats(struct recording *r, struct output_file *o)
{
	for (unsigned int i = 0; i < source_nr_formats(r->source); i++) {
		const struct source_format *format = source_format(r->source, i);
		struct text t = { 0 };

		text_bytes(&t, format->text, format->size);
		output_event_format(o, format->system, &t);
		text_fini(&t);
	}
}

/* What changes the times. */
static void put_options(struct recording *r, struct output_file *file)
{
	for (unsigned int i = 0; i < trace_file_nr_options(r->source); i++) {
		const struct trace_file_option *o = trace_file_option(r->source, i);

		if (o->id == TRACE_OPTION_UNAME || o->id == TRACE_OPTION_DATE ||
		    o->id == TRACE_OPTION_OFFSET || o->id == TRACE_OPTION_TSC2NSEC)
			output_option(file, o->id, o->data, o->size);
	}
}

static struct output_file *begin_output(struct recording *r, const char *name,
					struct output_stream **streams)
{
	struct ft_error err = { 0 };
	struct output_file *o;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	o = output_new(path, &self, &err);
	if (!o)
		fail_msg("%s", err.message);
	put_text(r, o, TRACE_TEXT_HEADER_PAGE);
	put_text(r, o, TRACE_TEXT_HEADER_EVENT);
	put_text(r, o, TRACE_TEXT_CMDLINES);
	put_formats(r, o);
	put_options(r, o);
	output_clock(o, source_info(r->source)->clock_text);
	for (unsigned int b = 0; b < source_nr_buffers(r->source); b++) {
		const struct source_buffer *buffer = source_buffer(r->source, b);

		output_buffer(o, buffer->name, buffer->clock, buffer->layout.page_size);
		for (unsigned int i = 0; i < buffer->nr_streams; i++) {
			unsigned int nr = buffer->first_stream + i;

			streams[nr] = output_stream(o, (int)b, source_stream(r->source, nr)->cpu);
		}
	}
	if (output_begin(o, 0, &err))
		fail_msg("%s", err.message);
	return o;
}

static void begin(struct recording *r, const char *path, uint64_t seed, bool is_ring)
{
	struct ft_error err = { 0 };

	*r = (struct recording){ .is_ring = is_ring };
	gen_random_init(&r->random, seed);
	r->whole = open_path(path, 2);
	trace_wait(r->whole);
	list_rows(r);
	r->source = source_open(path, -1, &err);
	r->reader = page_reader_new(r->source, 65536);
	r->nr_streams = source_nr_streams(r->source);
	r->streams = mem_array(r->nr_streams, sizeof(*r->streams));
	r->written = mem_array(r->nr_streams, sizeof(*r->written));
	r->dropped = mem_array(r->nr_streams, sizeof(*r->dropped));
	r->gone = mem_array(r->nr_streams, sizeof(*r->gone));
	r->next = mem_array(r->nr_streams, sizeof(*r->next));
	r->o = begin_output(r, "g.dat", r->streams);
	keep_rows(r);
}

/* The earliest stamp of what a stream has still to come; behind all if that is nothing. */
static void settle(struct recording *r, unsigned int stream)
{
	uint64_t least = INT64_MAX - 1;

	for (size_t i = 0; i < r->nr_all; i++)
		if (trace_ref_stream(r->all[i].ref) == stream &&
		    trace_ref_page(r->all[i].ref) >= r->written[stream] && r->all[i].raw_ts < least)
			least = r->all[i].raw_ts;
	atomic_store(&r->streams[stream]->settled, least);
}

static void append_page(struct recording *r, unsigned int stream, uint64_t nr,
			struct output_file *o, struct output_stream *to)
{
	uint32_t page_size = to->page_size, last;
	uint8_t *page = mem_alloc(page_size);
	struct ft_error err = { 0 };

	assert_int_equal(page_reader_copy(r->reader, stream, nr, 1, page, &last), 1);
	assert_int_equal(output_stream_append(o, to, page, page_size, &err), 0);
	free(page);
}

/* Append up to @nr pages of a stream. */
static void append(struct recording *r, unsigned int stream, uint64_t nr)
{
	uint64_t pages = source_stream_pages(r->source, stream);

	for (; nr && r->written[stream] < pages; nr--)
		append_page(r, stream, r->written[stream]++, r->o, r->streams[stream]);
	settle(r, stream);
}

/* A page is all zeros then, here also on a file system without holes. */
static void give_back(struct recording *r, unsigned int stream)
{
	const struct output_stream *s = r->streams[stream];
	uint8_t *zeros = mem_array(s->page_size, 1);

	for (; r->gone[stream] < r->dropped[stream]; r->gone[stream]++) {
		assert_int_equal(pwrite(s->fd, zeros, s->page_size,
					(off_t)(s->base + r->gone[stream] * s->page_size)),
				 s->page_size);
		compared.given_back += s->page_size;
	}
	free(zeros);
}

/* What was dropped the time before, which the reader has seen, is given back. */
static void drop(struct recording *r, unsigned int stream, uint64_t nr)
{
	uint64_t most = r->written[stream] ? r->written[stream] - 1 : 0;

	give_back(r, stream);
	nr += r->dropped[stream];
	r->dropped[stream] = nr < most ? nr : most;
	atomic_store(&r->streams[stream]->start,
		     r->dropped[stream] * r->streams[stream]->page_size);
}

static bool is_written(const struct recording *r)
{
	for (unsigned int i = 0; i < r->nr_streams; i++)
		if (r->written[i] < source_stream_pages(r->source, i))
			return false;
	return true;
}

static void end(struct recording *r)
{
	char part[128];

	snprintf(part, sizeof(part), "%s/g.dat.part", dir);
	unlink(part);
	page_reader_free(r->reader);
	source_close(r->source);
	trace_close(r->whole);
	free(r->all);
	free(r->rows);
	free(r->dropped);
	free(r->gone);
	free(r->streams);
	free(r->written);
	free(r->next);
}

/* --- the reader ------------------------------------------------------------------------ */

static size_t settled_rows(const struct recording *r, const struct trace *trace)
{
	size_t nr = 0;

	while (nr < r->nr && (trace_end(trace) == INT64_MAX || r->rows[nr].key < trace_end(trace)))
		nr++;
	return nr;
}

static void assert_same(const struct recording *r, size_t nr, const struct trace_event *event)
{
	const struct row *row = &r->rows[nr];

	if (event->ref != row->ref)
		fail_msg("row %zu is stream %u page %lu item %u, not %u %lu %u", nr,
			 trace_ref_stream(event->ref), (unsigned long)trace_ref_page(event->ref),
			 trace_ref_item(event->ref), trace_ref_stream(row->ref),
			 (unsigned long)trace_ref_page(row->ref), trace_ref_item(row->ref));
	assert_int_equal(event->key, row->key);
	assert_int_equal(event->kind, row->kind);
	assert_int_equal(event->size, row->size);
}

/* Rows are found by number and by time, and the last one is the last. */
static void check_rows(struct recording *r, struct trace *trace, size_t nr)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	bool exact;

	assert_true(trace_last(trace) == (nr ? r->rows[nr - 1].ref : TRACE_REF_NONE));
	trace_cursor_seek(cursor, TRACE_REF_NONE);
	for (size_t i = 0; i < 5 && i < nr; i++) {
		assert_true(trace_cursor_prev(cursor, &event));
		assert_same(r, nr - 1 - i, &event);
	}
	for (unsigned int i = 0; i < 5 && nr; i++) {
		size_t row = gen_random_below(&r->random, (uint32_t)nr), first = row;

		while (first && r->rows[first - 1].key == r->rows[row].key)
			first--;
		assert_true(trace_select(trace, row) == r->rows[row].ref);
		assert_int_equal(trace_rank(trace, r->rows[row].ref, &exact), row);
		assert_true(exact);
		assert_true(trace_seek_time(trace, r->rows[row].key, -1) == r->rows[first].ref);
		trace_cursor_seek(cursor, r->rows[row].ref);
		for (size_t k = row; k < nr && k < row + 3; k++) {
			assert_true(trace_cursor_next(cursor, &event));
			assert_same(r, k, &event);
		}
	}
	assert_true(nr == r->nr || trace_seek_time(trace, trace_end(trace), -1) == TRACE_REF_NONE);
	trace_cursor_free(cursor);
}

/* The first row of each stream that is left follows what the ring dropped, and no other. */
static void check_beginnings(const struct recording *r, const struct trace *trace, size_t nr)
{
	bool *seen = mem_array(r->nr_streams, sizeof(*seen));

	for (size_t i = 0; i < nr; i++) {
		unsigned int stream = trace_ref_stream(r->rows[i].ref);

		assert_int_equal(trace_follows_dropped(trace, r->rows[i].ref),
				 !seen[stream] && r->dropped[stream]);
		seen[stream] = true;
	}
	free(seen);
}

static void check_status(const struct recording *r, struct trace *trace, size_t nr)
{
	struct trace_status status = trace_status(trace);
	int64_t first, last, least = INT64_MAX, greatest = INT64_MIN;
	uint64_t events = 0, lost = 0, unknown = 0, damaged = 0;

	for (size_t i = 0; i < nr; i++)
		if (r->rows[i].kind == TRACE_ROW_EVENT) {
			events++;
			greatest = r->rows[i].key;
			least = r->rows[i].key < least ? r->rows[i].key : least;
		}
	for (size_t i = 0; i < r->nr; i++) {	/* these are told before they are settled */
		const struct row *row = &r->rows[i];
		bool there = trace_ref_page(row->ref) < r->written[trace_ref_stream(row->ref)];

		lost += there && row->kind == TRACE_ROW_LOST && row->lost_known ? row->lost : 0;
		unknown += there && row->kind == TRACE_ROW_LOST && !row->lost_known;
		damaged += there && row->kind == TRACE_ROW_DAMAGE;
	}
	assert_int_equal(status.lost_events, lost);
	assert_int_equal(status.lost_unknown, unknown);
	assert_int_equal(status.damaged_pages, damaged);
	assert_true(status.complete);
	assert_int_equal(status.rows, nr);
	assert_int_equal(status.events, events);
	assert_int_equal(trace_span(trace, &first, &last), events > 0);
	if (events)
		assert_int_equal(last, greatest);
	if (events)
		assert_int_equal(first, least);
}

/* --- models ---------------------------------------------------------------------------- */

/* The pages that are left, as a file of its own. */
static struct trace *open_kept(struct recording *r)
{
	struct output_stream **streams = mem_array(r->nr_streams, sizeof(*streams));
	struct output_file *o = begin_output(r, "k.dat", streams);
	struct ft_error err = { 0 };
	struct trace *kept;
	char path[128];

	for (unsigned int i = 0; i < r->nr_streams; i++)
		for (uint64_t page = r->dropped[i]; page < source_stream_pages(r->source, i);
		     page++)
			append_page(r, i, page, o, streams[i]);
	assert_int_equal(output_finish(o, &err), 0);
	free(streams);
	snprintf(path, sizeof(path), "%s/k.dat", dir);
	kept = open_path(path, 2);
	trace_wait(kept);
	unlink(path);
	return kept;
}

/* What is left up to the settled time, as a file of its own; NULL: nothing is in it. */
static struct trace *open_settled(struct recording *r, const struct trace *trace)
{
	struct cut_options options = { .range = { true, INT64_MIN, trace_end(trace) - 1 },
				       .words = "" };
	struct trace *kept = r->is_ring ? open_kept(r) : NULL, *part;
	struct ft_error err = { 0 };
	struct cut *cut;
	char path[128];
	uint64_t events;

	snprintf(path, sizeof(path), "%s/c.dat", dir);
	cut = cut_new(kept ? kept : r->whole, &options,
		      open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), &err);
	if (!cut || cut_finish(cut, &events, &err))
		fail_msg("%s", err.message);
	cut_free(cut);
	trace_close(kept);
	if (!events)
		return NULL;
	part = open_path(path, 2);
	trace_wait(part);
	return part;
}

/* Of each type as many events; equal counts have any order. */
static void same_types(struct trace *trace, struct trace *part)
{
	const struct event_counts_options all = { 0 };
	struct trace_type_count *a, *b;
	unsigned int nr = event_counts_types(trace, &all, &a), k;

	assert_int_equal(event_counts_types(part, &all, &b), nr);
	for (unsigned int i = 0; i < nr; i++) {
		for (k = 0; k < nr && b[k].id != a[i].id; k++)
			;
		assert_true(k < nr);
		assert_int_equal(a[i].events, b[k].events);
	}
	free(a);
	free(b);
}

static void take_figures(struct trace *trace, struct task_figures *figures)
{
	const struct task_table_options all = { 0 };
	struct task_table *table = task_table_new(trace, &all);

	task_table_wait(table);
	assert_true(task_table_take(table, figures));
	task_table_free(table);
}

/* Return: the sum of their runs. */
static uint64_t same_sums(const struct task_figures *a, const struct task_figures *b)
{
	uint64_t runs = 0;

	assert_int_equal(a->nr_tasks, b->nr_tasks);
	assert_int_equal(a->sched_records, b->sched_records);
	assert_int_equal(a->switches, b->switches);
	assert_int_equal(a->wakes, b->wakes);
	for (uint32_t i = 0; i < a->nr_tasks; i++) {
		const struct sched_task *x = &a->tasks[i], *y = &b->tasks[i];
		const struct task_sums *s = &a->sums[i], *t = &b->sums[i];

		assert_int_equal(x->pid, y->pid);
		assert_int_equal(x->run, y->run);
		assert_int_equal(x->run_cut, y->run_cut);
		assert_int_equal(x->wait, y->wait);
		assert_int_equal(x->sleep, y->sleep);
		assert_int_equal(x->blocked, y->blocked);
		assert_int_equal(x->doubtful_wait, y->doubtful_wait);
		assert_int_equal(x->doubtful_sleep, y->doubtful_sleep);
		assert_int_equal(x->doubtful_blocked, y->doubtful_blocked);
		assert_int_equal(x->switches, y->switches);
		assert_int_equal(x->preemptions, y->preemptions);
		assert_int_equal(x->wakeups, y->wakeups);
		assert_int_equal(x->migrations, y->migrations);
		assert_int_equal(x->answered, y->answered);
		assert_int_equal(x->unsure, y->unsure);
		assert_int_equal(x->woke, y->woke);
		assert_int_equal(x->max_wakeup, y->max_wakeup);
		assert_int_equal(x->max_wake_ts, y->max_wake_ts);
		assert_string_equal(a->text.data + a->comms[i], b->text.data + b->comms[i]);
		assert_int_equal(s->waits, t->waits);
		assert_int_equal(s->waited, t->waited);
		assert_int_equal(s->wait_p99, t->wait_p99);
		assert_int_equal(s->unsure, t->unsure);
		assert_memory_equal(s->longest, t->longest, sizeof(s->longest));
		assert_memory_equal(s->asleep, t->asleep, sizeof(s->asleep));
		assert_memory_equal(s->runs, t->runs, sizeof(s->runs));
		assert_int_equal(s->calls, t->calls);
		assert_int_equal(s->call_time, t->call_time);
		assert_int_equal(s->irqs, t->irqs);
		assert_int_equal(s->irq_time, t->irq_time);
		runs += (uint64_t)x->run;
	}
	return runs;
}

static unsigned int same_tasks(struct trace *trace, struct trace *part)
{
	struct task_figures a = { 0 }, b = { 0 };
	unsigned int nr;

	take_figures(trace, &a);
	take_figures(part, &b);
	nr = a.nr_tasks;
	same_sums(&a, &b);
	task_figures_fini(&a);
	task_figures_fini(&b);
	return nr;
}

/* What a filter keeps that was on from the beginning. */
static void same_matches(struct trace *trace, struct matches *m, const struct filter *filter)
{
	struct trace_cursor *cursor = trace_cursor_new(trace), *all = trace_cursor_new(trace);
	struct filter_run *run = filter_run_new(filter);
	struct trace_event match, event;
	uint64_t nr = 0;

	matches_wait(m);
	trace_cursor_only_matches(cursor, m);
	trace_cursor_seek_time(cursor, INT64_MIN);
	trace_cursor_seek_time(all, INT64_MIN);
	while (trace_cursor_next(all, &event)) {
		filter_run_stream(run, event.stream);
		if (!filter_run_event(run, &event))
			continue;
		assert_true(trace_cursor_next(cursor, &match));
		assert_true(match.ref == event.ref);
		nr++;
	}
	assert_false(trace_cursor_next(cursor, &match));
	assert_true(matches_status(m).exact);
	assert_int_equal(matches_status(m).rows, nr);
	compared.matches += nr;
	filter_run_free(run);
	trace_cursor_free(cursor);
	trace_cursor_free(all);
}

static void measure(struct trace *trace, const struct latency_kinds *kinds,
		    struct latency_result *result)
{
	struct latency_options options = { .kinds = kinds, .only = -1, .keep = 16 };
	struct ft_error err = { 0 };
	struct latency *latency = latency_run(trace, &options, result, &err);

	if (!latency)
		fail_msg("%s", err.message);
	latency_free(latency);
}

/* Return: how many have an end. */
static uint64_t same_latencies(struct trace *trace, struct trace *part)
{
	struct latency_result a = { 0 }, b = { 0 };
	struct latency_kinds kinds;
	uint64_t nr = 0;

	latency_kinds_init(&kinds);
	measure(trace, &kinds, &a);
	measure(part, &kinds, &b);
	assert_int_equal(a.nr, b.nr);
	for (unsigned int i = 0; i < a.nr; i++) {
		const struct latency_sums *x = &a.kinds[i].sums, *y = &b.kinds[i].sums;

		assert_int_equal(x->n, y->n);
		assert_int_equal(x->open, y->open);
		assert_int_equal(x->doubtful, y->doubtful);
		assert_int_equal(x->total, y->total);
		assert_int_equal(x->max, y->max);
		assert_int_equal(x->p99, y->p99);
		nr += x->n;
	}
	latency_result_fini(&a);
	latency_result_fini(&b);
	latency_kinds_fini(&kinds);
	return nr;
}

#define BINS	8u

struct parked {				/* a reader of calls that goes on where it is */
	struct graph_types *types;
	struct graph_reader *graph;
	struct graph_record *records;	/* owned, [cap]: nr it has read */
	size_t		 nr, cap;
};

struct reader {				/* who has the recording open */
	struct trace	*trace;
	int64_t		 to;		/* where the last density ended */
	struct task_table *before;	/* what was before the last window; or NULL */
	struct latency	*measured;	/* in the last window; or NULL */
	struct call_past *past;		/* of the last window; or NULL */
	struct stacks	*stacks;	/* in the last window; or NULL */
	struct parked	 parked;
	struct latency_kinds kinds;
	struct sched	*sched;		/* or NULL */
	struct trace_cursor *cursor;	/* goes on where it was */
	size_t		 at;		/* rows of the whole trace that it has passed */
	struct matches	*matches;
	struct match_filter *filter;
	struct until	*until;		/* of some kinds a condition; NULL: a ring */
	unsigned int	 nr_conditions;
	struct latency_result latencies;	/* of the whole trace */
};

/* Look until all that was written so far is there. */
static enum trace_growth catch_up(struct reader *reader)
{
	enum trace_growth growth = TRACE_GREW;

	for (unsigned int i = 0; i < 4; i++) {
		growth = trace_grow(reader->trace);
		/* what is dropped goes only while no job runs, not even one that is about to end */
		while (!workers_idle(trace_workers(reader->trace)))
			usleep(1000);
	}
	return growth;
}

static void open_reader(struct reader *reader)
{
	const struct trace_options options = { .nr_workers = 2, .hold_permille = -1,
					       .follow = true };
	struct ft_error err = { 0 };
	char part[128];
	const char *name = part;

	snprintf(part, sizeof(part), "%s/g.dat.part", dir);
	*reader = (struct reader){ .trace = trace_open(&name, 1, true, &options, &err) };
	trace_wait(reader->trace);
	latency_kinds_init(&reader->kinds);
	reader->cursor = trace_cursor_new(reader->trace);
	trace_cursor_seek_time(reader->cursor, INT64_MIN);
	reader->matches = matches_new(reader->trace, MATCHES_BROWSE);
	reader->filter = matches_add(reader->matches,
				     new_ready_filter(reader->trace, "pid > 60 || cpu == 1"));
	matches_use(reader->matches, &reader->filter, 1);
}

static void same_cpus(const struct task_figures *a, const struct task_figures *b)
{
	assert_int_equal(a->nr_cpus, b->nr_cpus);
	for (unsigned int i = 0; i < a->nr_cpus; i++) {
		const struct cpu_sums *x = &a->cpus[i], *y = &b->cpus[i];

		assert_int_equal(x->busy, y->busy);
		assert_int_equal(x->idle, y->idle);
		assert_int_equal(x->irq, y->irq);
		assert_int_equal(x->softirq, y->softirq);
		assert_int_equal(x->idle_irq, y->idle_irq);
		assert_int_equal(x->switches, y->switches);
		assert_int_equal(x->wakeups, y->wakeups);
		assert_int_equal(x->migrations, y->migrations);
		assert_int_equal(x->calls, y->calls);
		assert_int_equal(x->irqs, y->irqs);
		assert_memory_equal(&x->queue.known, &y->queue.known, 3 * sizeof(int64_t));
		assert_int_equal(x->queue.most, y->queue.most);
		assert_memory_equal(&x->queue.most_at, &y->queue.most_at, sizeof(x->queue.most_at));
		assert_int_equal(x->queue.spare, y->queue.spare);
		assert_memory_equal(&x->queue.spare_at, &y->queue.spare_at,
				    sizeof(x->queue.spare_at));
	}
}

static void same_pairs(const struct task_pair_figures *a, const struct task_pair_figures *b)
{
	assert_int_equal(a->nr, b->nr);
	for (uint32_t i = 0; i < a->nr; i++) {
		const struct task_pair *x = &a->pairs[i], *y = &b->pairs[i];

		assert_int_equal(x->pid, y->pid);
		assert_int_equal(x->by_pid, y->by_pid);
		assert_int_equal(x->count, y->count);
		assert_int_equal(x->doubtful, y->doubtful);
		assert_int_equal(x->total, y->total);
		assert_int_equal(x->max, y->max);
		assert_int_equal(x->max_ts, y->max_ts);
	}
}

/* The numbers of labels may differ, but not their texts. */
static void same_texts(struct latency *x, const struct latency_instance *i, struct latency *y,
		       const struct latency_instance *k, unsigned int kind)
{
	struct text a = { 0 }, b = { 0 };

	latency_what(x, kind, i, true, &a);
	latency_what(y, kind, k, true, &b);
	latency_context(x, i, &a);
	latency_context(y, k, &b);
	latency_task_text(x, i->pid, i->start, true, &a);
	latency_task_text(y, k->pid, k->start, true, &b);
	assert_string_equal(text_str(&a), text_str(&b));
	text_fini(&a);
	text_fini(&b);
}

static void same_instances(struct latency *x, const struct latency_kept *a, struct latency *y,
			   const struct latency_kept *b, unsigned int kind)
{
	assert_int_equal(a->nr, b->nr);
	assert_int_equal(a->left_out, b->left_out);
	for (uint32_t n = 0; n < a->nr; n++) {
		const struct latency_instance *i = &a->list[n], *k = &b->list[n];

		assert_int_equal(i->start, k->start);
		assert_int_equal(i->end, k->end);
		assert_true(i->from == k->from && i->to == k->to);
		assert_int_equal(i->value, k->value);
		assert_int_equal(i->pid, k->pid);
		assert_int_equal(i->cpu, k->cpu);
		assert_int_equal(i->prio, k->prio);
		assert_int_equal(i->flags, k->flags);
		assert_int_equal(i->rule, k->rule);
		same_texts(x, i, y, k, kind);
	}
}

/* Return: how many have an end. */
static uint64_t same_measures(struct latency *x, const struct latency_result *a, struct latency *y,
			      const struct latency_result *b)
{
	uint64_t nr = 0;

	assert_true(a->done && b->done);
	assert_int_equal(a->nr, b->nr);
	assert_int_equal(a->last_ts, b->last_ts);
	assert_int_equal(a->damaged, b->damaged);
	assert_int_equal(a->unmeasured, b->unmeasured);
	assert_int_equal(a->lacks_wakes, b->lacks_wakes);
	assert_memory_equal(a->replaced, b->replaced, sizeof(a->replaced));
	for (unsigned int i = 0; i < a->nr; i++) {
		const struct latency_kind *m = &a->kinds[i], *n = &b->kinds[i];

		assert_memory_equal(&m->sums, &n->sums, offsetof(struct latency_sums, rounded));
		same_instances(x, &m->worst, y, &n->worst, i);
		same_instances(x, &m->opens, y, &n->opens, i);
		nr += m->sums.n;
	}
	return nr;
}

/* Latencies of a window, likewise. */
static void check_measure(struct reader *reader, struct time_range range)
{
	struct latency_options options = { .what.range = range, .kinds = &reader->kinds,
					   .only = -1, .keep = 16 };
	struct latency_result a = { 0 }, b = { 0 };
	struct latency *former = reader->measured, *fresh;
	struct ft_error err = { 0 };

	reader->measured = latency_next(former, reader->trace, &options, &err);
	fresh = latency_new(reader->trace, &options, &err);
	if (!reader->measured || !fresh)
		fail_msg("%s", err.message);
	latency_free(former);
	latency_wait(reader->measured);
	latency_wait(fresh);
	assert_true(latency_take(reader->measured, &a) && latency_take(fresh, &b));
	compared.window_latencies += same_measures(reader->measured, &a, fresh, &b);
	latency_result_fini(&a);
	latency_result_fini(&b);
	latency_free(fresh);
}

static void same_rows(const struct function_row *x, const struct function_row *y)
{
	const struct call_total *a = x->total, *b = y->total;

	assert_string_equal(x->name, y->name);
	assert_string_equal(x->group, y->group);
	assert_true(a->address == b->address && a->calls == b->calls && a->sum == b->sum &&
		    a->total == b->total && a->self == b->self && a->net == b->net &&
		    a->has_net == b->has_net && a->min == b->min && a->max == b->max &&
		    a->unclosed == b->unclosed && a->entries == b->entries &&
		    a->orphans == b->orphans && a->doubtful == b->doubtful &&
		    a->leaf_calls == b->leaf_calls && a->leaf_sum == b->leaf_sum &&
		    a->worst == b->worst && a->most_self.exit == b->most_self.exit &&
		    a->most_net.exit == b->most_net.exit);
	assert_true(x->p50 == y->p50 && x->p99 == y->p99 && x->deviation == y->deviation);
}

/* @b may have paths without calls that @a does not have: of calls before the window. */
static uint64_t same_paths(const struct call_paths *a, struct call_paths *b)
{
	uint32_t *numbers = mem_array(call_paths_nr(a), sizeof(*numbers));
	uint64_t all[2] = { 0 };

	for (uint32_t i = 1; i < call_paths_nr(a); i++) {
		const struct call_path *x = call_paths_at(a, i), *y;

		numbers[i] = call_paths_below(b, numbers[x->parent], x->address);
		y = call_paths_at(b, numbers[i]);
		assert_true(x->calls == y->calls && x->self == y->self && x->total == y->total &&
			    x->net == y->net && x->net_within == y->net_within &&
			    x->entries == y->entries && x->doubtful == y->doubtful);
		all[0] += x->calls + x->entries;
	}
	for (uint32_t i = 1; i < call_paths_nr(b); i++)
		all[1] += call_paths_at(b, i)->calls + call_paths_at(b, i)->entries;
	assert_int_equal(all[0], all[1]);
	free(numbers);
	return all[0];
}

static void check_stacks(struct reader *reader, struct time_range range)
{
	const struct stacks_options options = { .what.range = range };
	struct stacks *former = reader->stacks, *fresh = stacks_new(reader->trace, &options);
	const struct stacks_result *a, *b;

	reader->stacks = stacks_next(former, reader->trace, &options);
	stacks_free(former);
	stacks_wait(reader->stacks);
	stacks_wait(fresh);
	a = stacks_result(reader->stacks);
	b = stacks_result(fresh);
	assert_true(a->waits == b->waits && a->doubtful == b->doubtful && a->open == b->open &&
		    a->off_stacks == b->off_stacks && a->waker_stacks == b->waker_stacks);
	for (unsigned int i = 0; i < STACKS_EVENTS; i++)
		compared.stacks += same_paths(a->paths[i], b->paths[i]);
	stacks_free(fresh);
}

static size_t read_all(struct graph_reader *graph, struct graph_record **records, size_t nr,
		       size_t *cap)
{
	for (unsigned int got = 1; got; nr += got) {
		if (*cap < nr + 1024) {
			*cap = 2 * *cap + 1024;
			*records = mem_resize(*records, *cap, sizeof(**records));
		}
		got = graph_reader_read(graph, *records + nr, 1024);
	}
	return nr;
}

/* A parked reader of calls, and one that goes on there, read what one reads from the beginning. */
static void check_parked(struct reader *reader, int64_t from)
{
	struct parked *p = &reader->parked;
	struct graph_types *types = graph_types_new(reader->trace, 0);
	struct graph_reader_options options = { .events = true, .switches = true, .parks = true };
	struct graph_record *fresh = NULL;
	struct graph_reader *graph;
	uint64_t damaged;
	size_t nr, cap = 0;

	if (p->graph && !graph_reader_serves(p->graph, from)) {
		graph_reader_free(p->graph);
		p->graph = NULL;
	}
	if (types && !p->graph) {
		p->types = p->types ?: graph_types_new(reader->trace, 0);
		p->graph = graph_reader_new(reader->trace, p->types, 0, 0, &options);
		p->nr = 0;
	}
	if (types && graph_reader_go_on(p->graph, from))
		p->nr = read_all(p->graph, &p->records, p->nr, &p->cap);
	if (types && graph_reader_serves(p->graph, from)) {
		options.parks = false;
		graph = graph_reader_new(reader->trace, types, 0, 0, &options);
		graph_reader_follow(graph, p->graph);
		nr = read_all(graph, &p->records, p->nr, &p->cap);
		damaged = graph_reader_damaged(graph);
		graph_reader_free(graph);
		graph = graph_reader_new(reader->trace, types, 0, 0, &options);
		assert_int_equal(read_all(graph, &fresh, 0, &cap), nr);
		assert_int_equal(graph_reader_damaged(graph), damaged);
		for (size_t i = 0; i < nr; i++)
			assert_memory_equal(&p->records[i], &fresh[i],
					    offsetof(struct graph_record, event) + 1);
		compared.parked += p->nr;
		graph_reader_free(graph);
	}
	free(fresh);
	graph_types_free(types);
}

static void check_calls(struct reader *reader, struct time_range range, enum grouping by)
{
	const struct graph_scope scope = { .has_from = true, .has_to = true, .from = range.from,
					   .to = range.to };
	struct function_table *a, *b;
	struct function_job *job;

	if (!call_past_serves(reader->trace, 0, &scope))
		return;
	if (!reader->past)
		reader->past = call_past_new(reader->trace, 0, FUNCTION_TREE_CALLS);
	job = function_job_new(reader->trace, 0, &scope, by, reader->past,
			       trace_workers(reader->trace));
	b = by ? function_table_grouped(reader->trace, 0, &scope, by) :
		 function_table_new(reader->trace, 0, &scope, true, NULL);
	while (function_job_permille(job) < 1000)
		usleep(1000);
	a = function_job_take(job);
	assert_true(a->nr == b->nr && a->damaged == b->damaged && a->has_away == b->has_away &&
		    a->exact == b->exact && a->left_out == b->left_out &&
		    a->inferred == b->inferred);
	for (unsigned int i = 0; i < a->nr; i++)
		same_rows(&a->rows[i], &b->rows[i]);
	if (!by)
		compared.calls += same_paths(a->paths, b->paths);
	function_table_free(a);
	function_table_free(b);
	function_job_free(job);
}

/*
 * Windows whose table goes on where the former one began are as if each was counted from the
 * beginning.  Now and then one begins before the former one.
 */
static void check_window(struct recording *r, struct reader *reader)
{
	struct task_table_options options = { .range.set = true };
	struct task_figures a = { 0 }, b = { 0 };
	struct task_table *window, *fresh;
	int64_t first, last;

	if (!trace_grows(reader->trace) || !trace_span(reader->trace, &first, &last))
		return;
	options.range.to = trace_end(reader->trace) - 1;
	options.range.from = options.range.to -
			     (last - first) / (2 + gen_random_below(&r->random, 6));
	check_measure(reader, options.range);
	check_stacks(reader, options.range);
	check_parked(reader, options.range.from);
	if (gen_random_one_in(&r->random, 3))
		check_calls(reader, options.range,
			    gen_random_one_in(&r->random, 3) ? GROUPING_NAME : GROUPING_NONE);
	window = task_table_next(&reader->before, reader->trace, &options);
	fresh = task_table_new(reader->trace, &options);
	task_table_wait(window);
	task_table_wait(fresh);
	assert_true(task_table_take(window, &a));
	assert_true(task_table_take(fresh, &b));
	assert_true(a.done && b.done);
	compared.window_runs += same_sums(&a, &b);
	same_cpus(&a, &b);
	for (unsigned int i = 0; i < TASK_PAIR_KINDS; i++)
		same_pairs(&a.pairs[i], &b.pairs[i]);
	task_figures_fini(&a);
	task_figures_fini(&b);
	task_table_free(fresh);
	task_table_free(reader->before);	/* where it could not serve */
	reader->before = task_table_park(window);
	task_table_free(window);
}

/* @all: they know the same; else a row's last state may go on. */
static uint64_t same_states(const struct pyramid *a, const struct pyramid *b, int64_t end, bool all)
{
	struct pyramid_state x, y, next;
	struct pyramid_iter i, k;
	uint64_t nr = 0;
	bool more;

	pyramid_iter_init(&i, a, end, INT64_MIN);
	pyramid_iter_init(&k, b, end, INT64_MIN);
	for (more = pyramid_iter_next(&i, &next); more; nr++) {
		x = next;
		more = pyramid_iter_next(&i, &next);
		assert_true(pyramid_iter_next(&k, &y));
		assert_int_equal(x.from, y.from);
		assert_int_equal(x.arg, y.arg);
		if (!all && !more)
			break;
		assert_int_equal(x.to, y.to);
		assert_int_equal(x.kind, y.kind);
		assert_int_equal(x.again, y.again);
		assert_int_equal(x.doubtful, y.doubtful);
	}
	assert_true(!all || !pyramid_iter_next(&k, &y));
	return nr;
}

/* @all: else @b does not know that a ring has dropped what a CPU recorded before. */
static uint64_t same_runs(struct sched *a, struct sched *b, unsigned int cpu, bool all)
{
	const struct pyramid *of_a = sched_cpu(a, cpu);
	struct pyramid after = { 0 };
	struct pyramid_state state;
	struct pyramid_iter i;
	uint64_t nr;

	pyramid_iter_init(&i, of_a, sched_end(a), INT64_MIN);
	if (all || !pyramid_iter_next(&i, &state) || state.kind != SCHED_CPU_LOST ||
	    state.arg != SCHED_CPU_DROPPED)
		return same_states(of_a, sched_cpu(b, cpu), sched_end(a), all);
	while (pyramid_iter_next(&i, &state))
		pyramid_add(&after, state.from, state.kind, state.arg, state.again, PYRAMID_SURE);
	nr = same_states(&after, sched_cpu(b, cpu), sched_end(a), false);
	pyramid_fini(&after);
	return nr;
}

static uint64_t same_pictures(struct sched *a, struct sched *b, bool all)
{
	int64_t end = sched_end(a);
	uint64_t nr = 0;

	assert_int_equal(sched_nr_cpus(a), sched_nr_cpus(b));
	for (unsigned int i = 0; i < sched_nr_cpus(a); i++) {
		nr += same_runs(a, b, i, all);
		nr += same_states(sched_contexts(a, i), sched_contexts(b, i), end, all);
		nr += same_states(sched_idle(a, i), sched_idle(b, i), end, all);
	}
	for (uint32_t i = 0; i < sched_nr_tasks(a); i++) {
		nr += same_states(sched_task(a, i), sched_task(b, i), end, all);
		nr += same_states(sched_wakes(a, i), sched_wakes(b, i), end, all);
		nr += same_states(sched_marks(a, i), sched_marks(b, i), end, all);
	}
	return nr;
}

/* A density that was kept is as one that is counted now. */
static void check_density(struct recording *r, struct reader *reader)
{
	struct trace_bin kept[BINS], bins[BINS];
	int64_t first, last, to;

	if (!trace_grows(reader->trace) || !trace_span(reader->trace, &first, &last))
		return;
	to = first + (last + 1 - first) / (1 + gen_random_below(&r->random, 4));
	to = gen_random_one_in(&r->random, 2) && reader->to > first ? reader->to : to;
	reader->to = to;
	trace_density(reader->trace, first, to, BINS, kept);
	for (unsigned int nr = 1; nr < BINS; nr++)	/* takes its place in the cache */
		trace_density(reader->trace, first, to, nr, bins);
	trace_density(reader->trace, first, to, BINS, bins);
	for (unsigned int i = 0; i < BINS; i++) {
		assert_int_equal(kept[i].events, bins[i].events);
		assert_int_equal(kept[i].lost, bins[i].lost);
		assert_int_equal(kept[i].damaged, bins[i].damaged);
		compared.binned += bins[i].events;
	}
}

/* A model of the settled part knows the same, up to where the other one ends. */
static void same_part(struct trace *trace, struct trace *part)
{
	struct sched *a = sched_new(trace, 0, 0), *b = sched_new(part, 0, 0);

	sched_wait(a);
	sched_wait(b);
	if (sched_nr_tasks(a))
		compared.states += same_pictures(a, b, false);
	sched_free(a);
	sched_free(b);
}

/* What models tell of a trace that grows is what they tell of the part that is settled. */
static void check_models(struct trace *trace, struct recording *r)
{
	struct trace *part = trace_end(trace) < INT64_MAX ? open_settled(r, trace) : NULL;

	/* CPUs without records have no stream in a part: whether a task waited there is unknown */
	if (!part || trace_nr_streams(part) != trace_nr_streams(trace)) {
		trace_close(part);
		return;
	}
	same_types(trace, part);
	compared.tasks += same_tasks(trace, part);
	compared.latencies += same_latencies(trace, part);
	same_part(trace, part);
	trace_close(part);
}

/* What a CPU did just before the first row that a ring has left is not known. */
static void check_dropped(const struct recording *r, struct sched *sched)
{
	for (unsigned int i = 0; i < sched_nr_cpus(sched); i++) {
		unsigned int stream = sched_pass_stream(sched_pass_of(sched), i);
		const struct pyramid *runs = sched_cpu(sched, i);
		struct pyramid_state state;
		int64_t first, last, ts;
		size_t row = 0;

		while (row < r->nr && trace_ref_stream(r->rows[row].ref) != stream)
			row++;
		if (row == r->nr || !r->dropped[stream] || !sched_span(sched, &first, &last))
			continue;
		ts = trace_stream_ts(sched_trace(sched), stream, r->rows[row].raw_ts);
		if (ts <= first || !pyramid_at(runs, sched_end(sched), ts, &state))
			continue;
		assert_true(pyramid_at(runs, sched_end(sched), ts - 1, &state));
		assert_int_equal(state.kind, SCHED_CPU_LOST);
		compared.dropped += state.arg == SCHED_CPU_DROPPED;
	}
}

/* The timeline's model that grows is as one that begins now.  @sane: no clock goes back. */
static void check_pictures(const struct recording *r, struct reader *reader, bool sane)
{
	struct sched *fresh;

	if (!trace_grows(reader->trace))
		return;
	if (!reader->sched || !sched_grow(reader->sched)) {
		sched_free(reader->sched);
		reader->sched = sched_new(reader->trace, 0, 0);
	} else {
		compared.grown++;
	}
	fresh = sched_new(reader->trace, 0, 0);
	sched_wait(reader->sched);
	sched_wait(fresh);
	assert_int_equal(sched_end(fresh), sched_end(reader->sched));
	if (sane)
		check_dropped(r, fresh);
	if (!sched_progress(reader->sched).stale)
		compared.states += same_pictures(reader->sched, fresh, true);
	sched_free(fresh);
}

/* --- record --until -------------------------------------------------------------------- */

#define HITS_OF_KIND	12u
#define SWITCHES	"sched_switch && prev_pid != 0"

/* A limit that the longest instances of each kind exceed, and a plain filter. */
static void begin_until(struct recording *r, struct reader *reader)
{
	const struct until_recorded recorded = {
		.calls = true,
		.functions = true,
		.blk = true,
		.partly = strstr(trace_path(r->whole, 0), "/pid/"),	/* trace-cmd record -P */
	};
	struct latency_options options = { .only = -1, .keep = LATENCY_KEEP };
	struct latency_kinds kinds;
	struct ft_error err = { 0 };
	char condition[128];

	latency_kinds_init(&kinds);
	options.kinds = &kinds;
	latency_free(latency_run(r->whole, &options, &reader->latencies, &err));
	reader->until = until_new();
	for (unsigned int i = 0; i < kinds.nr; i++) {
		const struct latency_kept *worst = &reader->latencies.kinds[i].worst;
		uint32_t nr = worst->nr < HITS_OF_KIND ? worst->nr : HITS_OF_KIND;
		uint64_t limit = nr ? latency_duration(&worst->list[nr - 1]) : 0;

		if (limit < 2)
			continue;
		snprintf(condition, sizeof(condition), "%s > %luns", kinds.names[i],
			 (unsigned long)limit - 1);
		assert_int_equal(until_add(reader->until, condition, &err), 0);
		reader->nr_conditions++;
	}
	if (event_types_by_name(trace_event_types(r->whole, 0), "sched", "sched_switch")) {
		assert_int_equal(until_add(reader->until, SWITCHES, &err), 0);
		reader->nr_conditions++;
	}
	if (trace_unit(r->whole) != TRACE_UNIT_NS ||
	    until_bind(reader->until, reader->trace, NULL, &recorded, &err)) {
		if (trace_unit(r->whole) == TRACE_UNIT_NS)
			fail_msg("%s: %s", trace_path(r->whole, 0), err.message);
		until_free(reader->until);
		reader->until = NULL;
	}
	latency_kinds_fini(&kinds);
}

static void judge(struct reader *reader)
{
	struct ft_error err = { 0 };

	if (reader->until && until_judge(reader->until, reader->trace, UINT32_MAX, false, &err))
		fail_msg("%s", err.message);
}

static bool is_hit(const struct latency_instance *i, const struct until_hit *hit)
{
	return i->from == hit->ref && i->pid == hit->pid &&
	       (hit->open || (i->start == hit->from && i->end == hit->to));
}

/* How many hits of the condition are this instance? */
static unsigned int times_hit(const struct until *until, unsigned int condition,
			      const struct latency_instance *i)
{
	unsigned int nr, found = 0;
	const struct until_hit *hits = until_hits(until, &nr);

	for (unsigned int k = 0; k < nr; k++)
		found += hits[k].condition == condition && is_hit(i, &hits[k]);
	return found;
}

/*
 * The hit is one that the whole trace has: also one that missing records made doubtful later, or
 * one that is open there, too.
 */
static bool is_in(const struct latency_kind *kind, const struct until_hit *hit)
{
	bool found = false;

	for (uint32_t i = 0; i < kind->worst.nr; i++)
		found |= is_hit(&kind->worst.list[i], hit);
	for (uint32_t i = 0; i < kind->opens.nr && hit->open; i++)
		found |= is_hit(&kind->opens.list[i], hit);
	return found;
}

static void same_hits_of_kind(struct recording *r, const struct reader *reader,
			      unsigned int condition, const struct latency_kind *kind,
			      uint64_t limit)
{
	struct trace_status whole = trace_status(r->whole);
	bool has_gaps = whole.lost_events || whole.lost_unknown;
	unsigned int nr;
	const struct until_hit *hits = until_hits(reader->until, &nr);

	for (uint32_t i = 0; i < kind->worst.nr; i++) {
		const struct latency_instance *one = &kind->worst.list[i];

		if (latency_duration(one) > limit && latency_counts(one))
			if (times_hit(reader->until, condition, one) != 1)
				fail_msg("%s: %s: from %ld is %u hits", trace_path(r->whole, 0),
					 until_text(reader->until, condition), (long)one->start,
					 times_hit(reader->until, condition, one));
	}
	for (unsigned int i = 0; i < nr; i++) {
		if (hits[i].condition != condition)
			continue;
		assert_true(latency_between(hits[i].from, hits[i].to) > limit);
		/* missing records that come to light later may have held its end */
		if (!is_in(kind, &hits[i]) && !(hits[i].open && has_gaps))
			fail_msg("%s: %s: %s, from %ld, is no hit of the whole",
				 trace_path(r->whole, 0), until_text(reader->until, condition),
				 hits[i].words, (long)hits[i].from);
		compared.hits++;
		compared.open_hits += hits[i].open;
	}
}

/* Each row of the whole that the filter keeps is a hit, in their order. */
static void same_hits_of_rows(struct recording *r, const struct reader *reader,
			      unsigned int condition)
{
	struct trace_cursor *cursor = trace_cursor_new(r->whole);
	struct filter *filter = new_ready_filter(r->whole, SWITCHES);
	struct filter_run *run = filter_run_new(filter);
	struct trace_event event;
	unsigned int nr, at = 0;
	const struct until_hit *hits = until_hits(reader->until, &nr);

	trace_cursor_seek_time(cursor, INT64_MIN);
	while (trace_cursor_next(cursor, &event)) {
		if (!filter_run_event(run, &event))
			continue;
		while (at < nr && hits[at].condition != condition)
			at++;
		assert_true(at < nr && hits[at].ref == event.ref);
		at++;
		compared.hits++;
	}
	for (; at < nr; at++)
		assert_true(hits[at].condition != condition);
	filter_run_free(run);
	filter_free(filter);
	trace_cursor_free(cursor);
}

static void same_hits(struct recording *r, struct reader *reader)
{
	unsigned int nr = reader->until ? reader->nr_conditions : 0;
	struct latency_kinds kinds;
	struct ft_error err;

	latency_kinds_init(&kinds);
	for (unsigned int i = 0; i < nr; i++) {
		const char *text = until_text(reader->until, i), *at = strstr(text, " > ");
		char *name = at ? mem_strndup(text, (size_t)(at - text)) : NULL;

		if (name)
			same_hits_of_kind(r, reader, i,
					  &reader->latencies
						   .kinds[latency_kinds_find(&kinds, name, &err)],
					  strtoul(at + 3, NULL, 10));
		else
			same_hits_of_rows(r, reader, i);
		free(name);
	}
	latency_kinds_fini(&kinds);
}

static void close_reader(struct reader *reader)
{
	until_free(reader->until);
	latency_result_fini(&reader->latencies);
	sched_free(reader->sched);
	task_table_free(reader->before);
	latency_free(reader->measured);
	call_past_free(reader->past);
	stacks_free(reader->stacks);
	graph_reader_free(reader->parked.graph);
	graph_types_free(reader->parked.types);
	free(reader->parked.records);
	latency_kinds_fini(&reader->kinds);
	matches_drop(reader->matches, reader->filter);
	matches_free(reader->matches);
	trace_cursor_free(reader->cursor);
	trace_close(reader->trace);
}

/* All that is settled is there, and only that; what the cursor had not seen comes next. */
static void check_settled(struct recording *r, struct reader *reader)
{
	size_t nr, at = 0;
	struct trace_event event;

	keep_rows(r);
	nr = settled_rows(r, reader->trace);
	while (at < nr && r->rows[at].nr < reader->at)
		at++;
	for (; trace_cursor_next(reader->cursor, &event); at++) {
		assert_true(at < nr);
		assert_same(r, at, &event);
		reader->at = r->rows[at].nr + 1;
	}
	assert_int_equal(at, nr);
	check_rows(r, reader->trace, nr);
	check_beginnings(r, reader->trace, nr);
	check_status(r, reader->trace, nr);
	same_matches(reader->trace, reader->matches, match_filter_of(reader->filter));
}

/* Once the recorder is gone, it is the whole trace. */
static void check_whole(struct recording *r, struct reader *reader)
{
	int64_t first, last, whole_first;

	assert_int_equal(catch_up(reader), TRACE_WHOLE);
	assert_true(trace_end(reader->trace) == INT64_MAX);
	check_settled(r, reader);
	assert_int_equal(reader->at, r->nr_all);
	if (!r->is_ring && trace_span(reader->trace, &first, &last)) {
		assert_true(trace_span(r->whole, &whole_first, &last));
		assert_int_equal(first, whole_first);
	}
}

static void check_growth(const char *path, uint64_t seed, uint64_t most_pages, bool models,
			 bool is_ring)
{
	struct ft_error err = { 0 };
	struct recording r;
	struct reader reader;
	size_t steps = 0;

	begin(&r, path, seed, is_ring);
	for (unsigned int i = 0; i < r.nr_streams; i++) {	/* long ones in larger steps */
		uint64_t step = source_stream_pages(r.source, i) / 20;

		most_pages = step > most_pages ? step : most_pages;
	}
	for (unsigned int i = 0; i < r.nr_streams; i++)
		append(&r, i, gen_random_below(&r.random, 3));
	assert_int_equal(output_update(r.o, &err), 0);
	open_reader(&reader);
	if (models && !is_ring)
		begin_until(&r, &reader);
	do {
		if (catch_up(&reader) == TRACE_WHOLE)
			fail_msg("%s: no recorder is seen", path);
		judge(&reader);
		check_settled(&r, &reader);
		check_window(&r, &reader);
		check_pictures(&r, &reader, models);
		check_density(&r, &reader);
		if (models && gen_random_one_in(&r.random, 6))
			check_models(reader.trace, &r);
		for (unsigned int i = 0; i < r.nr_streams; i++)
			if (gen_random_one_in(&r.random, 2))
				append(&r, i,
				       1 + gen_random_below(&r.random, (uint32_t)most_pages));
		for (unsigned int i = 0; i < r.nr_streams && is_ring; i++)
			if (gen_random_one_in(&r.random, 2))
				drop(&r, i, 1 + gen_random_below(&r.random, (uint32_t)most_pages));
		assert_int_equal(output_update(r.o, &err), 0);
	} while (!is_written(&r) || ++steps < 3);
	if (seed % 4 == 3) {		/* it gets its name: what is open is not that file */
		assert_int_equal(output_finish(r.o, &err), 0);
		assert_int_equal(catch_up(&reader), TRACE_ENDED);
	} else {
		output_abort(r.o, true);	/* the recorder is gone */
		check_whole(&r, &reader);
		judge(&reader);
		same_hits(&r, &reader);
	}
	close_reader(&reader);
	end(&r);
}

/* --- tests ----------------------------------------------------------------------------- */

static bool can_be_recorded(const char *path)
{
	struct ft_error err = { 0 };
	struct source *source = source_open(path, -1, &err);
	bool can = source && source_info(source)->version && !source_info(source)->is_text &&
		   !source_info(source)->big_endian;

	for (unsigned int i = 0; can && i < source_nr_streams(source); i++)
		can = source_stream_bytes(source, i) %
			      source_buffer(source, (unsigned int)source_stream(source, i)->buffer)
				      ->layout.page_size ==
		      0;
	for (unsigned int i = 0; can && i < source_nr_buffers(source); i++)
		can = !source_buffer(source, i)->is_text;
	source_close(source);
	return can;
}

static void test_recorded_traces(void **state)
{
	char folder[4000], path[4096];
	unsigned int seen = 0;
	struct dirent *entry;
	DIR *all;

	(void)state;
	assert_true(recorded_dir(folder, sizeof(folder)));
	all = opendir(folder);
	assert_non_null(all);
	while ((entry = readdir(all))) {
		snprintf(path, sizeof(path), "%s/%.80s/trace.dat", folder, entry->d_name);
		if (entry->d_name[0] == '.' || access(path, R_OK) || !can_be_recorded(path))
			continue;
		seen++;
		check_growth(path, seen, 1 + seen % 3 * 7, true, false);
		check_growth(path, seen, 1 + seen % 3 * 7, true, true);
	}
	closedir(all);
	assert_true(seen > 10);
	assert_true(compared.tasks > 100 && compared.latencies > 1000 && compared.matches > 1000 &&
		    compared.window_runs > 1000000 && compared.window_latencies > 10000 &&
		    compared.calls > 10000 && compared.parked > 100000 && compared.stacks > 10000 &&
		    compared.binned > 10000 && compared.grown > 100 && compared.states > 10000);
	assert_true(compared.given_back > 1 << 20 && compared.dropped > 10);
	assert_true(compared.hits > 1000 && compared.open_hits > 10);
}

static void test_made_up_traces(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/t.dat", dir);
	for (unsigned int seed = 1; seed <= 12; seed++) {
		struct gen_options options = {
			.seed = seed, .layout = { 4096, 8, false }, .nr_cpus = 1 + seed % 5,
			.pages = 4 + 6 * seed, .records = seed % 3 ? 8 : 0,
			/* no kernel marks lost events in a sub-buffer without events */
			.features = seed % 4 ? GEN_ALL & ~(GEN_EMPTY_PAGES | GEN_ZERO_PAGES) :
					       GEN_PLAIN,
		};
		const struct gen_trace *gen = gen_trace_new(&options);
		struct gen_file file = { .version = 6 + seed % 2 };
		struct ft_error err = { 0 };

		if (gen_write(path, &file, &gen, NULL, 1, &err))
			fail_msg("%s", err.message);
		check_growth(path, seed, seed % 2 ? 1 : 12, seed % 4 == 0, false);
		check_growth(path, seed, seed % 2 ? 1 : 12, seed % 4 == 0, true);
		gen_trace_free((struct gen_trace *)gen);
	}
}

/* Each page that is left has the events of the whole trace; the others are damaged, without any. */
static void walk_dropped(const struct recording *r, struct trace *trace, unsigned int stream)
{
	struct stream_walk walk = { 0 };
	struct record rec;
	size_t events = 0;

	stream_walk_begin(&walk, trace, stream, 0, UINT64_MAX);
	for (uint64_t page = 0; stream_walk_page(&walk); page++) {
		assert_int_equal(walk.sb.damage != SUB_BUFFER_SOUND, page < r->dropped[stream]);
		while (stream_walk_next(&walk, &rec, walk.native)) {
			assert_true(page >= r->dropped[stream]);
			events++;
		}
	}
	stream_walk_end(&walk);
	for (size_t i = 0; i < r->nr_all; i++)
		events -= r->all[i].kind == TRACE_ROW_EVENT &&
			  trace_ref_stream(r->all[i].ref) == stream &&
			  trace_ref_page(r->all[i].ref) >= r->dropped[stream];
	assert_int_equal(events, 0);
}

/*
 * The recorder gives pages back while they are read, since the reader was away for long: a pass
 * finds damage there, and nothing else is different.  At the next look they are dropped.
 */
static void test_dropped_while_read(void **state)
{
	struct reader reader;
	struct ft_error err = { 0 };
	struct recording r;
	char path[4096];

	(void)state;
	assert_true(recorded_path("cpu4", "trace.dat", path, sizeof(path)));
	begin(&r, path, 1, true);
	for (unsigned int i = 0; i < r.nr_streams; i++)
		append(&r, i, UINT64_MAX);
	assert_int_equal(output_update(r.o, &err), 0);
	open_reader(&reader);
	catch_up(&reader);
	for (unsigned int i = 0; i < r.nr_streams; i++) {
		drop(&r, i, r.written[i] / 2);
		give_back(&r, i);
	}
	assert_int_equal(output_update(r.o, &err), 0);
	for (unsigned int i = 0; i < r.nr_streams; i++)
		walk_dropped(&r, reader.trace, i);
	catch_up(&reader);
	assert_true(trace_has_dropped(reader.trace));
	reader.at = 0;
	trace_cursor_seek_time(reader.cursor, INT64_MIN);
	check_settled(&r, &reader);
	close_reader(&reader);
	output_abort(r.o, true);
	end(&r);
}

static void tell_tasks(struct recording *r, const char *lines)
{
	struct ft_error err = { 0 };
	struct text t = { 0 };

	text_add(&t, lines);
	output_tasks(r->o, &t);
	text_fini(&t);
	assert_int_equal(output_update(r->o, &err), 0);
}

/* What is known of two tasks that are in no event: their cgroups, and the process of the second. */
static void expect_tasks(struct trace *trace, const char *first, const char *second, int process)
{
	const char *wanted[] = { first, second };

	for (int i = 0; i < 2; i++) {
		int64_t from, to;
		struct who who;

		trace_who(trace, 0, 4000001 + i, 1000, &who, &from, &to);
		assert_int_equal(who.cgroup != NULL, wanted[i] != NULL);
		if (wanted[i])
			assert_string_equal(who.cgroup, wanted[i]);
		assert_int_equal(who.tgid, i ? process : wanted[i] ? 4000001 : 0);
	}
}

/*
 * Who tasks are comes in pieces, and a later one names strings of those before.  It is not in the
 * finished file, which has the recorder's own text; but in one that is recovered.
 */
static void test_tasks_are_told(void **state)
{
	struct ft_error err = { 0 };
	struct output_recovered done;
	struct reader reader;
	struct recording r;
	struct trace *trace;
	char path[4096], part[128];
	const char *name = part;

	(void)state;
	assert_true(recorded_path("cpu4", "trace.dat", path, sizeof(path)));
	snprintf(part, sizeof(part), "%s/g.dat.part", dir);
	begin(&r, path, 1, false);
	append(&r, 0, 1);
	assert_int_equal(output_update(r.o, &err), 0);
	open_reader(&reader);
	expect_tasks(reader.trace, NULL, NULL, 0);
	tell_tasks(&r, "string 2\n/a\ntask 5 6 4000001 1 -1 -1 0 0 1 0\n");
	catch_up(&reader);
	expect_tasks(reader.trace, "/a", NULL, 0);
	tell_tasks(&r, "string 4\n/b/c\nthread 7 8 4000002 4000001 2\n");
	trace = trace_open(&name, 1, false, NULL, &err);
	trace_wait(trace);
	expect_tasks(trace, "/a", "/b/c", 4000001);
	trace_close(trace);
	catch_up(&reader);
	expect_tasks(reader.trace, "/a", "/b/c", 4000001);
	close_reader(&reader);
	output_abort(r.o, true);
	if (output_recover(part, &done, &err))
		fail_msg("%s", err.message);
	trace = trace_open(&name, 1, false, NULL, &err);
	trace_wait(trace);
	expect_tasks(trace, "/a", "/b/c", 4000001);
	trace_close(trace);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks_are_told),
		cmocka_unit_test(test_made_up_traces),
		cmocka_unit_test(test_recorded_traces),
		cmocka_unit_test(test_dropped_while_read),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
