/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models of a trace that grows (tests/lib/growing.h): each window that goes on where the former one
 * began is as one that is counted from the beginning; a picture that grows, as one that begins now;
 * all of them as what a file of the settled part has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/cut/cut.h"
#include "src/functions/function_job.h"
#include "src/latency/latency.h"
#include "src/latency/latency_kinds.h"
#include "src/sched/event_counts.h"
#include "src/sched/sched.h"
#include "src/sched/task_table.h"
#include "src/stacks/stacks.h"
#include "src/trace/trace_streams.h"
#include "tests/lib/gen_sched.h"
#include "tests/lib/growing.h"
#include "tests/lib/open_recorded.h"
#include "tests/lib/recorded.h"

static struct {
	uint64_t	tasks, latencies, window_runs;	/* ns of runs in windows */
	uint64_t	window_latencies, calls, stacks, parked;
	uint64_t	grown, states, dropped, outlived, kept_windows;
	uint64_t	sliced_windows, split_windows, held_windows;
} compared;

struct parked {				/* a reader of calls that goes on where it is */
	struct graph_types *types;
	struct graph_reader *graph;
	struct graph_record *records;	/* owned, [cap]: nr it has read */
	size_t		 nr, cap;
};

struct reader {				/* who has the recording open */
	struct trace	*trace;
	struct task_table *before;	/* what was before the last window; or NULL */
	struct gen_random random;	/* for the next ones: */
	struct time_range held;		/* a window that stays, and what was before it; or NULL */
	struct task_table *held_before;
	bool		 no_slices;	/* of windows; with a ring all are alike, for .begun */
	uint32_t	 pid;		/* of a task in the last window; or 0 */
	int64_t		 slice;		/* windows begin at multiples of it; 0: none yet */
	uint64_t	*begun;		/* owned: what was dropped when it was begun */
	struct latency	*measured;	/* in the last window; or NULL */
	struct call_past *past;		/* of the last window; or NULL */
	struct stacks	*stacks;	/* in the last window; or NULL */
	struct parked	 parked;
	struct latency_kinds kinds;
	struct sched	*sched;		/* or NULL */
	struct sched	*outlives;	/* goes on when a ring drops records; NULL: no more */
	struct sched	*whole;		/* of the trace that no ring has; with a ring */
};

/* --- the part that is settled ---------------------------------------------------------- */

/* A recording of the whole whose ring has dropped the first pages of streams, @dropped of each. */
static struct trace *open_kept(struct growing *g, const uint64_t *dropped)
{
	struct output_stream **streams = mem_array(g->nr_streams, sizeof(*streams));
	struct output_file *o = growing_output(g, "k.dat", streams);
	struct ft_error err = { 0 };
	struct trace *kept;
	char path[128];

	for (unsigned int i = 0; i < g->nr_streams; i++) {
		for (uint64_t page = 0; page < source_stream_pages(g->source, i); page++)
			growing_copy_page(g, i, page, o, streams[i]);
		atomic_store(&streams[i]->start, dropped[i] * streams[i]->page_size);
	}
	assert_int_equal(output_finish(o, &err), 0);
	free(streams);
	snprintf(path, sizeof(path), "%s/k.dat", growing_dir);
	kept = open_path(path, 2);
	trace_wait(kept);
	unlink(path);
	return kept;
}

/*
 * What is there up to the settled time, without what was @dropped, as a file of its own; NULL:
 * nothing is in it.
 */
static struct trace *open_settled(struct growing *g, const struct trace *trace,
				  const uint64_t *dropped)
{
	struct cut_options options = { .name = "the file",
				       .range = { true, INT64_MIN, trace_end(trace) - 1 },
				       .words = "" };
	struct trace *kept = g->is_ring ? open_kept(g, dropped) : NULL, *part;
	struct ft_error err = { 0 };
	struct cut *cut;
	char path[128];
	uint64_t events = 0;

	snprintf(path, sizeof(path), "%s/c.dat", growing_dir);
	cut = cut_new(kept ? kept : g->whole, &options,
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

static void take_all(struct task_table *table, struct task_figures *figures)
{
	task_table_wait(table);
	assert_true(task_table_take(table, figures));
	assert_true(figures->done);
}

static void take_figures(struct trace *trace, struct task_figures *figures)
{
	const struct task_table_options all = { 0 };
	struct task_table *table = task_table_new(trace, &all);

	take_all(table, figures);
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

/* Refs are those of other files. */
static void same_totals(const struct call_total *a, const struct call_total *b)
{
	assert_int_equal(a->calls, b->calls);
	assert_int_equal(a->sum, b->sum);
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->self, b->self);
	assert_int_equal(a->net, b->net);
	assert_int_equal(a->has_net, b->has_net);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->unclosed, b->unclosed);
	assert_int_equal(a->entries, b->entries);
	assert_int_equal(a->orphans, b->orphans);
	assert_int_equal(a->doubtful, b->doubtful);
}

/* Return: the calls of those that have an end. */
static uint64_t same_functions(struct trace *trace, struct trace *part)
{
	struct function_table *a = function_table_new(trace, 0, NULL, true, NULL);
	struct function_table *b = function_table_new(part, 0, NULL, true, NULL);
	uint64_t nr = 0;
	unsigned int k;

	assert_int_equal(a->nr, b->nr);
	assert_int_equal(a->left_out, b->left_out);
	for (unsigned int i = 0; i < a->nr; i++) {
		for (k = 0; k < b->nr && b->rows[k].total->address != a->rows[i].total->address;
		     k++)
			;
		assert_true(k < b->nr);
		same_totals(a->rows[i].total, b->rows[k].total);
		nr += a->rows[i].total->calls;
	}
	function_table_free(a);
	function_table_free(b);
	return nr;
}

/* Paths have numbers for the names of tasks, which are those of other files. */
static void same_waits(struct trace *trace, struct trace *part)
{
	const struct stacks_options all = { 0 };
	struct stacks *x = stacks_new(trace, &all), *y = stacks_new(part, &all);
	const struct stacks_result *a, *b;

	stacks_wait(x);
	stacks_wait(y);
	a = stacks_result(x);
	b = stacks_result(y);
	assert_int_equal(a->waits, b->waits);
	assert_int_equal(a->doubtful, b->doubtful);
	assert_int_equal(a->open, b->open);
	assert_int_equal(a->off_stacks, b->off_stacks);
	assert_int_equal(a->waker_stacks, b->waker_stacks);
	stacks_free(x);
	stacks_free(y);
}

/* --- windows --------------------------------------------------------------------------- */

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
		assert_int_equal(x->idle_entries, y->idle_entries);
		assert_int_equal(x->wakeups, y->wakeups);
		assert_int_equal(x->migrations, y->migrations);
		assert_int_equal(x->calls, y->calls);
		assert_int_equal(x->irqs, y->irqs);
		assert_memory_equal(x->idle_in, y->idle_in, sizeof(x->idle_in));
		assert_int_equal(x->khz_known, y->khz_known);
		assert_memory_equal(x->moves, y->moves, sizeof(x->moves));
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

static void same_kinds(struct latency *x, const struct latency_kind *m, struct latency *y,
		       const struct latency_kind *n, unsigned int kind)
{
	assert_memory_equal(&m->sums, &n->sums, offsetof(struct latency_sums, total));
	assert_memory_equal(&m->sums.total, &n->sums.total,
			    offsetof(struct latency_sums, rounded) -
				    offsetof(struct latency_sums, total));
	same_instances(x, &m->worst, y, &n->worst, kind);
	same_instances(x, &m->opens, y, &n->opens, kind);
}

/* The same record and duration; what @k knows of it, @i knows. */
static bool is_same(const struct latency_instance *i, const struct latency_instance *k)
{
	unsigned int of_move = LATENCY_MOVED | LATENCY_MAY_HAVE_MOVED;

	return latency_counts(i) && i->start == k->start && i->end == k->end && i->to == k->to &&
	       i->pid == k->pid && i->cpu == k->cpu && i->rule == k->rule &&
	       (!(k->flags & LATENCY_HAS_VALUE) || i->value == k->value) &&
	       (k->flags & LATENCY_MAY_HAVE_MOVED || !((i->flags ^ k->flags) & of_move));
}

/*
 * @m also knows what a ring has dropped: it has all that @n is sure of.  What one of them doubts,
 * or does not end, the other one may not even begin.
 */
static void knows_all(const struct latency_kind *m, const struct latency_kind *n)
{
	const struct latency_kept *a = &m->worst, *b = &n->worst;

	assert_true(m->sums.n >= n->sums.n && m->sums.total >= n->sums.total &&
		    m->sums.max >= n->sums.max && (!n->sums.n || m->sums.min <= n->sums.min));
	for (unsigned int i = 0; i < LATENCY_BINS; i++)
		assert_true(m->sums.histogram[i] >= n->sums.histogram[i]);
	for (uint32_t k = 0, i = 0; k < b->nr; k++) {
		if (!latency_counts(&b->list[k]))
			continue;
		for (i = 0; i < a->nr && !is_same(&a->list[i], &b->list[k]);)
			i++;
		/* or it is behind those that are kept */
		assert_true(i < a->nr ||
			    (a->left_out &&
			     latency_duration(&b->list[k]) <= latency_duration(&a->list[i - 1])));
	}
}

/*
 * @all: else @x knows names, and starts without an end, from before what a ring has left; and
 * later times, unless it is @sane: of a clock that goes back.  Return: how many have an end.
 */
static uint64_t same_measures(struct latency *x, const struct latency_result *a, struct latency *y,
			      const struct latency_result *b, bool all, bool sane)
{
	uint64_t nr = 0;

	assert_true(a->done && b->done);
	assert_int_equal(a->nr, b->nr);
	assert_true(a->last_ts == b->last_ts || (!all && !sane && a->last_ts > b->last_ts));
	assert_int_equal(a->damaged, b->damaged);
	assert_true(!all || a->unmeasured == b->unmeasured);
	assert_true(!all || a->lacks_wakes == b->lacks_wakes);
	/* the only records of the events that one of two rules needs may be dropped */
	if (!all && memcmp(a->replaced, b->replaced, sizeof(a->replaced)) != 0)
		return 0;
	assert_memory_equal(a->replaced, b->replaced, sizeof(a->replaced));
	for (unsigned int i = 0; i < a->nr; i++) {
		if (all)
			same_kinds(x, &a->kinds[i], y, &b->kinds[i], i);
		else
			knows_all(&a->kinds[i], &b->kinds[i]);
		nr += b->kinds[i].sums.n;
	}
	return nr;
}

/* Latencies of a window, likewise. */
static void check_measure(const struct growing *g, struct reader *reader, struct time_range range)
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
	compared.window_latencies += same_measures(reader->measured, &a, fresh, &b, !g->is_ring,
						   g->is_sane);
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

static void check_stacks(struct reader *reader, struct time_range range, bool is_ring)
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
	/* as in knows_all(): so, if as many are sure, they are the same */
	assert_true(a->waits >= b->waits);
	if (!is_ring ||
	    (a->waits == b->waits && a->doubtful == b->doubtful && a->open == b->open)) {
		assert_true(a->waits == b->waits && a->doubtful == b->doubtful &&
			    a->open == b->open && a->off_stacks == b->off_stacks &&
			    a->waker_stacks == b->waker_stacks);
		for (unsigned int i = 0; i < STACKS_EVENTS; i++)
			compared.stacks += same_paths(a->paths[i], b->paths[i]);
	}
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
		usleep(50);
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

/* From when on all CPUs still have their records. */
static int64_t horizon(const struct growing *g, const struct trace *trace)
{
	int64_t latest = INT64_MIN;

	for (unsigned int i = 0; i < g->nr_streams; i++) {
		size_t row = 0;
		int64_t ts;

		while (row < g->nr && trace_ref_stream(g->rows[row].ref) != i)
			row++;
		if (row == g->nr || !g->dropped[i])
			continue;
		ts = trace_stream_ts(trace, i, g->rows[row].raw_ts);
		latest = ts > latest ? ts : latest;
	}
	return latest;
}

/*
 * Most windows begin at a multiple of the same length, so that sums of slices serve several of
 * them.
 */
static int64_t choose_slice(struct growing *g, struct reader *reader, struct time_range *range)
{
	int64_t rest, span = time_between(range->from, range->to);

	if (!reader->slice || span / reader->slice > 90 || gen_random_one_in(&reader->random, 20))
		reader->slice = 1 + span / (1 + gen_random_below(&reader->random, 30));
	rest = range->from % reader->slice;
	rest = rest > 0 ? reader->slice - rest : -rest;
	if (reader->no_slices || (!g->is_ring && gen_random_one_in(&reader->random, 6)))
		return 0;
	range->from = time_after(range->from, rest);
	return reader->slice;
}

/* False: the window is empty. */
static bool choose_table(struct growing *g, struct reader *reader,
			 struct task_table_options *options, struct sched_split *split)
{
	uint64_t length = (uint64_t)time_between(options->range.from, options->range.to);

	/* in short windows, what is over all of it is frequent */
	length >>= gen_random_below(&reader->random, 6);
	options->range.from = time_after(options->range.to, -(int64_t)length);
	options->slice = choose_slice(g, reader, &options->range);
	if (options->range.from > options->range.to)
		return false;
	length = (uint64_t)time_between(options->range.from, options->range.to);
	split->ts = options->range.from + (int64_t)gen_random_below(&reader->random, length + 1);
	split->pid = reader->pid;
	options->nr_splits = reader->pid && (!g->is_ring || reader->no_slices) &&
			     gen_random_one_in(&reader->random, 3);
	return true;
}

static bool is_split(const struct task_figures *figures, uint32_t pid)
{
	for (uint32_t i = 0; i < figures->nr_tasks; i++)
		if (figures->tasks[i].pid == pid && figures->tasks[i].to < INT64_MAX)
			return true;
	return false;
}

static void same_figures(const struct task_figures *a, const struct task_figures *b)
{
	compared.window_runs += same_sums(a, b);
	same_cpus(a, b);
	for (unsigned int i = 0; i < TASK_PAIR_KINDS; i++)
		same_pairs(&a->pairs[i], &b->pairs[i]);
}

static struct task_table *new_table(struct trace *trace, const struct task_table_options *o,
				    const struct sched_split *split)
{
	struct task_table_options options = *o;

	options.splits = mem_copy(split, o->nr_splits, sizeof(*split));
	return task_table_new(trace, &options);
}

/*
 * Windows whose table goes on where the former one began are as if each was counted from the
 * beginning: of the time when the first one was begun, if a ring has dropped records since.  Now
 * and then one begins before the former one.
 */
static void check_table(struct growing *g, struct reader *reader, struct time_range range)
{
	struct task_table_options options = { .range = range };
	struct task_figures a = { 0 }, b = { 0 };
	struct task_table *window, *fresh, *parked;
	bool had_before = reader->before, outlived, begun_again;
	struct sched_split split;
	struct trace *then = NULL;

	if (!choose_table(g, reader, &options, &split))
		return;
	options.splits = mem_copy(&split, options.nr_splits, sizeof(split));
	window = task_table_next(&reader->before, reader->trace, &options);
	if (!had_before || reader->before)
		memcpy(reader->begun, g->dropped, g->nr_streams * sizeof(*g->dropped));
	fresh = new_table(reader->trace, &options, &split);
	take_all(window, &a);
	take_all(fresh, &b);
	parked = task_table_park(window);
	compared.sliced_windows += options.slice && had_before && !reader->before;
	/* without switches all is read again */
	outlived = had_before && !reader->before && parked &&
		   sched_pass_follows(task_table_pass(parked), INT64_MAX) &&
		   !sched_pass_is_seen(task_table_pass(window)) &&
		   memcmp(reader->begun, g->dropped, g->nr_streams * sizeof(*g->dropped)) != 0;
	/* it may have found that events are lost before the first of a CPU, and begun again */
	begun_again = outlived && a.sched_records == b.sched_records;
	if (outlived && g->is_sane && !begun_again) {
		task_table_free(fresh);
		then = open_settled(g, reader->trace, reader->begun);
		fresh = new_table(then, &options, &split);
		take_all(fresh, &b);
	}
	/* if a clock goes back, no file can be cut at a time; a cut lacks CPUs without records */
	if (!outlived || (g->is_sane && a.nr_cpus == b.nr_cpus && !begun_again)) {
		compared.kept_windows += outlived;
		compared.split_windows += is_split(&a, split.pid);
		same_figures(&a, &b);
		if (b.nr_tasks)
			reader->pid = b.tasks[gen_random_below(&reader->random, b.nr_tasks)].pid;
	}
	task_figures_fini(&a);
	task_figures_fini(&b);
	task_table_free(fresh);
	trace_close(then);
	task_table_free(reader->before);	/* where it could not serve */
	reader->before = parked;
	task_table_free(window);
}

/* A window that stays is of what is left, when a ring has dropped its first records. */
static void check_held(struct reader *reader, int64_t first)
{
	/* what comes behind the window need not be read */
	struct task_table_options options = { .range = reader->held, .known_only = true };
	struct task_figures a = { 0 }, b = { 0 };
	struct task_table *window, *fresh, *parked;

	window = task_table_next(&reader->held_before, reader->trace, &options);
	fresh = task_table_new(reader->trace, &options);
	take_all(window, &a);
	take_all(fresh, &b);
	if (reader->held.from < first) {
		a.sched_records = b.sched_records;
		a.switches = b.switches;
		a.wakes = b.wakes;
		same_figures(&a, &b);
		compared.held_windows += b.nr_tasks > 0;
	}
	task_figures_fini(&a);
	task_figures_fini(&b);
	task_table_free(fresh);
	parked = task_table_park(window);
	task_table_free(reader->held_before);
	reader->held_before = parked;
	task_table_free(window);
	reader->held.set = reader->held.to > first;
}

static void check_window(struct growing *g, struct reader *reader)
{
	struct time_range range = { .set = true };
	int64_t first, last;

	if (!trace_grows(reader->trace) || !trace_span(reader->trace, &first, &last))
		return;
	range.to = trace_end(reader->trace) - 1;
	range.from = range.to - (last - first) / (2 + gen_random_below(&g->random, 6));
	check_parked(reader, range.from);
	if (gen_random_one_in(&g->random, 3))
		check_calls(reader, range,
			    gen_random_one_in(&g->random, 3) ? GROUPING_NAME : GROUPING_NONE);
	first = horizon(g, reader->trace);
	if (first >= range.to)
		return;
	range.from = range.from < first ? first : range.from;
	check_measure(g, reader, range);
	check_stacks(reader, range, g->is_ring);
	check_table(g, reader, range);
	if (!reader->held.set)
		reader->held = range;
	if (g->is_ring)
		check_held(reader, first);
}

/* --- pictures --------------------------------------------------------------------------- */

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

/* @all: else @b is a file, which tells of lost events, but not that a ring has dropped them. */
static uint64_t same_runs(struct sched *a, struct sched *b, unsigned int cpu, bool all)
{
	struct pyramid as_file = { 0 };
	struct pyramid_state state;
	struct pyramid_iter i;
	uint64_t nr;

	if (all)
		return same_states(sched_cpu(a, cpu), sched_cpu(b, cpu), sched_end(a), true);
	pyramid_iter_init(&i, sched_cpu(a, cpu), sched_end(a), INT64_MIN);
	while (pyramid_iter_next(&i, &state)) {
		if (state.kind == SCHED_CPU_LOST && state.arg == SCHED_CPU_DROPPED)
			state.arg = 0;
		pyramid_add(&as_file, state.from, state.kind, state.arg, state.again, PYRAMID_SURE);
	}
	nr = same_states(&as_file, sched_cpu(b, cpu), sched_end(a), false);
	pyramid_fini(&as_file);
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
		nr += same_states(sched_queues(a, i), sched_queues(b, i), end, all);
	}
	return nr;
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
static void check_models(struct trace *trace, struct growing *g)
{
	struct trace *part = trace_end(trace) < INT64_MAX ? open_settled(g, trace, g->dropped) :
							    NULL;

	/* CPUs without records have no stream in a part: whether a task waited there is unknown */
	if (!part || trace_nr_streams(part) != trace_nr_streams(trace)) {
		trace_close(part);
		return;
	}
	same_types(trace, part);
	compared.tasks += same_tasks(trace, part);
	compared.latencies += same_latencies(trace, part);
	compared.calls += same_functions(trace, part);
	same_waits(trace, part);
	same_part(trace, part);
	trace_close(part);
}

/* What a CPU did just before the first row that a ring has left is not known. */
static void check_dropped(const struct growing *g, struct sched *sched)
{
	for (unsigned int i = 0; i < sched_nr_cpus(sched); i++) {
		unsigned int stream = sched_pass_stream(sched_pass_of(sched), i);
		const struct pyramid *runs = sched_cpu(sched, i);
		struct pyramid_state state;
		int64_t first, last, ts;
		size_t row = 0;

		while (row < g->nr && trace_ref_stream(g->rows[row].ref) != stream)
			row++;
		if (row == g->nr || !g->dropped[stream] || !sched_span(sched, &first, &last))
			continue;
		ts = trace_stream_ts(sched_trace(sched), stream, g->rows[row].raw_ts);
		if (ts <= first || !pyramid_at(runs, sched_end(sched), ts, &state))
			continue;
		assert_true(pyramid_at(runs, sched_end(sched), ts - 1, &state));
		assert_int_equal(state.kind, SCHED_CPU_LOST);
		compared.dropped += state.arg == SCHED_CPU_DROPPED;
	}
}

/* The timeline's model that grows is as one that begins now.  @sane: no clock goes back. */
static void check_pictures(const struct growing *g, struct reader *reader, bool sane)
{
	struct sched *fresh;

	if (!trace_grows(reader->trace))
		return;
	if (!reader->sched || !sched_grow(reader->sched, SCHED_IN_TRACE)) {
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
		check_dropped(g, fresh);
	if (!sched_progress(reader->sched).stale)
		compared.states += same_pictures(reader->sched, fresh, true);
	sched_free(fresh);
}

#define LINE_COLUMNS	12u

/* In columns of what @a still knows of a row, up to its last state, are the sums of @b. */
static void same_columns(struct growing *g, const struct pyramid *a, int64_t a_end,
			 const struct pyramid *b, int64_t b_end, int64_t first)
{
	struct pyramid_sum of_a[LINE_COLUMNS], of_b[LINE_COLUMNS];
	int64_t edges[LINE_COLUMNS + 1], span = a->last - first;

	if (!a->nr_chunks || span <= 0)
		return;
	edges[0] = first + gen_random_below(&g->random, 3) * span / 4;
	for (unsigned int i = 0; i < LINE_COLUMNS; i++)
		edges[i + 1] = edges[i] + (a->last - edges[i]) / (LINE_COLUMNS - i);
	pyramid_columns(a, a_end, edges, LINE_COLUMNS, of_a);
	pyramid_columns(b, b_end, edges, LINE_COLUMNS, of_b);
	for (unsigned int i = 0; i < LINE_COLUMNS; i++) {
		assert_memory_equal(of_a[i].ns, of_b[i].ns, sizeof(of_a[i].ns));
		assert_memory_equal(of_a[i].begun, of_b[i].begun, sizeof(of_a[i].begun));
		assert_int_equal(of_a[i].touched, of_b[i].touched);
		compared.outlived += of_a[i].ns[SCHED_RUNS] > 0;
	}
}

/*
 * A model that goes on when records are dropped knows what one of the whole trace does, as far back
 * as it was to, and as the ring goes.
 */
static void check_outlived(struct growing *g, struct reader *reader)
{
	const struct sched_rules *rules;
	int64_t first, last, from, kept;

	if (!reader->outlives || !trace_grows(reader->trace))
		return;
	sched_wait(reader->outlives);
	from = sched_span(reader->outlives, &first, &last) ?
		       first + (last - first) / (1 + gen_random_below(&g->random, 4)) :
		       INT64_MIN;
	/* a new one would not know what was dropped */
	if (!sched_grow(reader->outlives, from)) {
		sched_free(reader->outlives);
		reader->outlives = NULL;
		return;
	}
	sched_wait(reader->outlives);
	if (!sched_progress(reader->outlives).outlived || sched_progress(reader->outlives).stale)
		return;
	rules = sched_pass_rules(sched_pass_of(reader->outlives));
	if (!sched_span(reader->outlives, &first, &last)) {	/* no record came yet */
		assert_int_equal(sched_nr_tasks(reader->outlives), 0);
		return;
	}
	if (trace_span(reader->trace, &kept, &last))
		assert_true(first <= (from < kept ? kept : from));
	for (uint32_t i = 0; i < sched_nr_tasks(reader->outlives); i++) {
		uint32_t task = sched_rules_same(sched_pass_rules(sched_pass_of(reader->whole)),
						 sched_rules_task(rules, i));

		same_columns(g, sched_task(reader->outlives, i), sched_end(reader->outlives),
			     sched_task(reader->whole, task), sched_end(reader->whole), first);
	}
}

/* --- tests ----------------------------------------------------------------------------- */

static void *open_reader(struct growing *g, struct trace *trace)
{
	struct trace_status status = trace_status(g->whole);
	struct reader *reader = mem_alloc(sizeof(*reader));

	reader->trace = trace;
	reader->begun = mem_array(g->nr_streams, sizeof(*reader->begun));
	gen_random_init(&reader->random, growing_seed() + g->nr_all);
	reader->no_slices = gen_random_one_in(&reader->random, 3);
	latency_kinds_init(&reader->kinds);
	/* a loss that is told later makes earlier states doubtful */
	if (g->is_ring && !status.lost_events && !status.lost_unknown) {
		reader->outlives = sched_new(trace, 0, 0);
		reader->whole = sched_new(g->whole, 0, 0);
		sched_wait(reader->whole);
	}
	return reader;
}

static void close_reader(void *arg, struct growing *g)
{
	struct reader *reader = arg;

	(void)g;
	sched_free(reader->sched);
	sched_free(reader->outlives);
	sched_free(reader->whole);
	task_table_free(reader->before);
	task_table_free(reader->held_before);
	free(reader->begun);
	latency_free(reader->measured);
	call_past_free(reader->past);
	stacks_free(reader->stacks);
	graph_reader_free(reader->parked.graph);
	graph_types_free(reader->parked.types);
	free(reader->parked.records);
	latency_kinds_fini(&reader->kinds);
	free(reader);
}

static void check_growth(void *arg, struct growing *g, struct trace *trace)
{
	check_window(g, arg);
	check_pictures(g, arg, g->is_sane);
	check_outlived(g, arg);
	if (g->is_sane && gen_random_one_in(&g->random, 4))
		check_models(trace, g);
}

static const struct growing_checks checks = { open_reader, check_growth, NULL, close_reader };

static void check(const struct growing_case *c)
{
	growing_check(c, c->nr % 2, &checks);
}

static void test_recorded_traces(void **state)
{
	(void)state;
	growing_each_recorded(check);
	assert_true(compared.tasks > 50 && compared.latencies > 1000 &&
		    compared.window_runs > 1000000 && compared.window_latencies > 10000 &&
		    compared.calls > 1000 && compared.parked > 100000 && compared.stacks > 1000 &&
		    compared.grown > 10 && compared.states > 10000 && compared.dropped > 10 &&
		    compared.kept_windows > 0 && compared.held_windows > 0);
}

/* The stream whose next page begins first; -1: all are written. */
static int next_stream(const struct growing *g)
{
	uint64_t least = INT64_MAX - 1;
	int next = -1;

	for (unsigned int i = 0; i < g->nr_streams; i++) {
		uint64_t settled = atomic_load(&g->streams[i]->settled);

		if (settled < least && g->written[i] < source_stream_pages(g->source, i)) {
			least = settled;
			next = (int)i;
		}
	}
	return next;
}

/* Pages of a stream before the last one that has rows from before a time. */
static uint64_t read_pages(const struct growing *g, unsigned int stream, int64_t before)
{
	uint64_t last = g->dropped[stream];

	for (size_t i = 0; i < g->nr_all; i++)
		if (trace_ref_stream(g->all[i].ref) == stream && g->all[i].key < before &&
		    trace_ref_page(g->all[i].ref) > last)
			last = trace_ref_page(g->all[i].ref);
	return last;
}

/* Eight more pages; then the ring drops what the model has read. */
static void outlive_step(struct growing *g, struct reader *reader)
{
	struct ft_error err = { 0 };
	int next = next_stream(g);

	for (unsigned int i = 0; i < 8 && next >= 0; i++) {
		growing_append(g, (unsigned int)next, 1);
		next = next_stream(g);
	}
	assert_int_equal(output_update(g->o, &err), 0);
	growing_catch_up(reader->trace);
	growing_keep_rows(g);
	check_outlived(g, reader);
	assert_non_null(reader->outlives);
	for (unsigned int i = 0; i < g->nr_streams; i++)
		growing_drop(g, i, read_pages(g, i, sched_end(reader->outlives)) - g->dropped[i]);
}

/* A ring that is shorter than what the model is needed for. */
static void test_model_outlives_ring(void **state)
{
	static const char *const names[] = { "sched", "sched-7.2" };
	struct ft_error err = { 0 };

	(void)state;
	for (unsigned int k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		struct reader *reader;
		struct trace *trace;
		struct growing g;
		char path[4096];

		assert_true(recorded_path(names[k], "trace.dat", path, sizeof(path)));
		growing_begin(&g, path, 1 + k, true);
		for (unsigned int i = 0; i < g.nr_streams; i++)
			growing_append(&g, i, 1);
		assert_int_equal(output_update(g.o, &err), 0);
		reader = open_reader(&g, growing_open());
		while (next_stream(&g) >= 0)
			outlive_step(&g, reader);
		output_abort(g.o, true);
		trace = reader->trace;
		close_reader(reader, &g);
		trace_close(trace);
		growing_end(&g);
	}
	assert_true(compared.outlived > 200);
}

/* All models know of a loss before a page, even if only some of its records are settled. */
static void test_loss_before_records(void **state)
{
	struct ft_error err = { 0 };
	struct trace *trace;
	struct growing g;
	char path[4096];

	(void)state;
	assert_true(recorded_path("lost-text", "trace.dat", path, sizeof(path)));
	growing_begin(&g, path, 1, false);
	for (unsigned int i = 0; i < g.nr_streams; i++)
		growing_append(&g, i, 1);
	assert_int_equal(output_update(g.o, &err), 0);
	trace = growing_open();
	for (int next = next_stream(&g); next >= 0; next = next_stream(&g)) {
		growing_catch_up(trace);
		growing_keep_rows(&g);
		check_models(trace, &g);
		growing_append(&g, (unsigned int)next, 1);
		assert_int_equal(output_update(g.o, &err), 0);
	}
	output_abort(g.o, true);
	trace_close(trace);
	growing_end(&g);
}

/* A window after each page. */
static void check_slices(const char *path, uint64_t seed)
{
	struct ft_error err = { 0 };
	struct reader *reader;
	struct trace *trace;
	struct growing g;
	int64_t first, last;

	growing_begin(&g, path, seed, false);
	for (unsigned int i = 0; i < g.nr_streams; i++)
		growing_append(&g, i, 1);
	assert_int_equal(output_update(g.o, &err), 0);
	trace = growing_open();
	reader = open_reader(&g, trace);
	gen_random_init(&reader->random, growing_seed() + seed);
	for (int next = next_stream(&g); next >= 0; next = next_stream(&g)) {
		growing_append(&g, (unsigned int)next, 1);
		assert_int_equal(output_update(g.o, &err), 0);
		growing_catch_up(trace);
		if (!trace_span(trace, &first, &last))		/* nothing is settled yet */
			continue;
		last = trace_end(trace) - 1;
		check_table(&g, reader, (struct time_range){ true, first, last });
	}
	output_abort(g.o, true);
	close_reader(reader, &g);
	trace_close(trace);
	growing_end(&g);
}

/* Made-up tasks on some CPUs, of which records are missing or tell what cannot be. */
static void check_played(uint64_t seed)
{
	struct gen_sched_options options = gen_sched_sample(growing_seed() + seed,
							    getenv("FTOP_TEST_LONG") ? 3000 : 1500);
	struct gen_sched *gen;
	struct ft_error err = { 0 };
	char path[128];

	options.second_buffer = false;
	/* in later ones, a record may tell what the states of earlier ones mean */
	options.era = seed % 2 ? GEN_SCHED_2_6 : GEN_SCHED_3;
	gen = gen_sched_new(&options);
	snprintf(path, sizeof(path), "%s/t.dat", growing_dir);
	if (gen_sched_write(gen, path, &err))
		fail_msg("%s", err.message);
	gen_sched_free(gen);
	check_slices(path, seed);
}

static void test_slices(void **state)
{
	/* the last one, with system calls, is only where all fixtures are */
	static const char *const names[] = { "sched", "sched-7.2", "cpu4", "subbuf", "filter-cmd" };
	const unsigned int last = sizeof(names) / sizeof(names[0]) - 1;
	bool is_long = getenv("FTOP_TEST_LONG");
	unsigned int played = is_long ? 200 : 8;
	char path[4096];

	(void)state;
	compared.sliced_windows = compared.split_windows = 0;
	for (unsigned int k = 0; k <= last; k++) {
		bool has = recorded_path(names[k], "trace.dat", path, sizeof(path));

		assert_true(has || k == last);
		for (uint64_t seed = 1; has && seed <= 2; seed++)
			if (is_long || seed == 1 + k % 2)
				check_slices(path, seed);
	}
	for (uint64_t seed = 1; seed <= played; seed++)
		check_played(seed);
	assert_true(compared.sliced_windows > 50 && compared.split_windows > 50);
}

static void check_both(const struct growing_case *c)
{
	growing_check(c, false, &checks);
	growing_check(c, true, &checks);
}

static void test_made_up_traces(void **state)
{
	(void)state;
	growing_each_made_up(check_both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_up_traces),
		cmocka_unit_test(test_recorded_traces),
		cmocka_unit_test(test_model_outlives_ring),
		cmocka_unit_test(test_loss_before_records),
		cmocka_unit_test(test_slices),
	};

	return cmocka_run_group_tests(tests, growing_set_up, growing_tear_down);
}
