/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched_probe - what the timeline costs by itself, for measuring.
 *
 *   sched_probe sums FILE       one pass over the file: what `tasks` does, but for printing
 *   sched_probe model FILE      the whole model of the timeline
 *   sched_probe redraw FILE     200 columns of 40 rows, at every zoom from the whole to a
 *                               nanosecond a column
 *   sched_probe latency FILE    the pass of `latency`, all kinds without instances
 *   sched_probe why FILE        the slowest tree of some tasks, over 10 s
 *   sched_probe first FILE      from opening to a picture of 200 columns around the first events
 *
 * Prints one line of JSON: CPU and wall seconds, bytes of the model, milliseconds of a redraw: of
 * the slowest zoom, which is the median of some places, and the average.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/commands/derived_names.h"
#include "src/latency/latency.h"
#include "src/latency/latency_kinds.h"
#include "src/sched/sched.h"
#include "src/timeline/timeline.h"
#include "src/why/why.h"
#include "tests/bench/stopwatch.h"

#define COLUMNS	200u
#define ROWS	40u
#define PLACES	7u		/* of a zoom, over the trace */

static double thread_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct trace *open_trace(const char *path)
{
	struct trace_options options = { .nr_workers = workers_cpus(),
					 .filter_names = derived_names,
					 .hold_permille = -1,
					 .no_index = true };
	struct ft_error err = { 0 };
	struct trace *trace = trace_open(&path, 1, false, &options, &err);

	if (!trace) {
		fprintf(stderr, "sched_probe: %s\n", err.message);
		exit(1);
	}
	return trace;
}

static void add_up(const char *path)
{
	static const atomic_bool never;
	struct stopwatch begin = now(), end;
	struct trace *trace = open_trace(path);
	struct sched_pass_options options = { .workers = trace_workers(trace), .stopped = &never };
	struct sched_pass *pass = sched_pass_new(trace, &options);

	while (sched_pass_step(pass, UINT64_MAX) == SCHED_PASS_MORE)
		;
	end = now();
	printf("{\"cpu\": %.3f, \"wall\": %.3f, \"tasks\": %" PRIu32 "}\n", end.cpu - begin.cpu,
	       end.wall - begin.wall, sched_rules_nr_tasks(sched_pass_rules(pass)));
	sched_pass_free(pass);
	trace_close(trace);
}

static void build(const char *path)
{
	struct stopwatch begin = now(), end;
	struct trace *trace = open_trace(path);
	struct sched *sched = sched_new(trace, 0, 0);
	struct rusage used;

	sched_wait(sched);
	end = now();
	getrusage(RUSAGE_SELF, &used);
	printf("{\"cpu\": %.3f, \"wall\": %.3f, \"bytes\": %" PRIu64 ", \"rss\": %ld}\n",
	       end.cpu - begin.cpu, end.wall - begin.wall, sched_progress(sched).memory,
	       used.ru_maxrss * 1024);
	sched_free(sched);
	trace_close(trace);
}

/* CPUs first, then tasks; again from the start until there are enough. */
static void make_rows(struct sched *sched, struct timeline_row *rows)
{
	unsigned int cpus = sched_nr_cpus(sched), all = cpus + sched_nr_tasks(sched);

	for (unsigned int i = 0; i < ROWS; i++) {
		unsigned int k = i % all;

		rows[i] = k < cpus ? (struct timeline_row){ TIMELINE_CPU, k } :
				     (struct timeline_row){ TIMELINE_OF_TASK, k - cpus };
	}
}

static double draw_rows(struct timeline *t, const struct timeline_row *rows, unsigned int nr)
{
	static struct timeline_cell cells[COLUMNS];
	double begin = thread_ms();

	for (unsigned int i = 0; i < nr; i++)
		timeline_draw(t, &rows[i], cells);
	return thread_ms() - begin;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void redraw(const char *path)
{
	struct trace *trace = open_trace(path);
	struct sched *sched = sched_new(trace, 0, 0);
	double slowest = 0, sum = 0, ms[PLACES];
	struct timeline_row rows[ROWS];
	struct timeline t = { 0 };
	unsigned int nr = 0;
	int64_t first, last, slowest_step = 0;

	sched_wait(sched);
	trace_hold(trace, -1);
	trace_wait(trace);
	sched_lock(sched);
	make_rows(sched, rows);
	sched_span(sched, &first, &last);
	for (int64_t step = (last - first) / COLUMNS + 1; step; step /= 2) {
		for (unsigned int i = 0; i < PLACES; i++) {
			timeline_set(&t, sched,
				     first + (last - first - step * (int64_t)COLUMNS) /
						     (int64_t)PLACES * i,
				     step, COLUMNS);
			ms[i] = draw_rows(&t, rows, ROWS);
			sum += ms[i];
			nr++;
		}
		qsort(ms, PLACES, sizeof(ms[0]), by_size);
		if (ms[PLACES / 2] > slowest) {
			slowest = ms[PLACES / 2];
			slowest_step = step;
		}
	}
	printf("{\"slowest_ms\": %.3f, \"at_ns\": %" PRId64
	       ", \"average_ms\": %.3f, \"redraws\": %u}\n",
	       slowest, slowest_step, sum / nr, nr);
	timeline_fini(&t);
	sched_unlock(sched);
	sched_free(sched);
	trace_close(trace);
}

/* What a user sees first: the beginning, while the rest is still being read. */
static void first_picture(const char *path)
{
	struct stopwatch begin = now(), end;
	struct trace *trace = open_trace(path);
	struct sched *sched = sched_new(trace, 0, 0);
	struct timespec pause = { 0, 200000 };
	struct timeline_row rows[ROWS];
	struct timeline t = { 0 };
	int64_t first, last;

	do {
		nanosleep(&pause, NULL);
	} while (sched_progress(sched).known == INT64_MIN && !sched_progress(sched).done);
	sched_lock(sched);
	make_rows(sched, rows);
	sched_span(sched, &first, &last);
	timeline_set(&t, sched, first, (last - first) / COLUMNS + 1, COLUMNS);
	draw_rows(&t, rows, ROWS);
	end = now();
	printf("{\"cpu\": %.4f, \"wall\": %.4f}\n", end.cpu - begin.cpu, end.wall - begin.wall);
	timeline_fini(&t);
	sched_unlock(sched);
	sched_free(sched);
	trace_close(trace);
}

/*
 * The tree of each of some tasks that did something, over 10 s in the middle; then what blocked all
 * of them.
 */
static void ask_why(const char *path)
{
	struct trace *trace = open_trace(path);
	struct sched *sched = sched_new(trace, 0, 0);
	double slowest = 0, begin;
	uint32_t nr, most = 0, asked = 0;
	int64_t first, last;
	struct why *all;

	sched_wait(sched);
	sched_lock(sched);
	sched_span(sched, &first, &last);
	first += (last - first) / 2;
	for (uint32_t i = 0; asked < ROWS && i < sched_nr_tasks(sched); i++) {
		struct why *why;

		begin = thread_ms();
		why = why_new(sched, i, first, first + 10 * INT64_C(1000000000));
		why_work(why, INT64_MAX);
		free(why_tree(why, &nr));
		slowest = thread_ms() - begin > slowest ? thread_ms() - begin : slowest;
		why_parts(why, &nr);
		most = nr > most ? nr : most;
		asked += nr != 0;
		why_free(why);
	}
	begin = thread_ms();
	all = why_blocked_by(sched);
	for (uint32_t i = 0; i < sched_nr_tasks(sched); i++)
		why_blocked_add(all, i, INT64_MIN, last);
	why_free(all);
	printf("{\"slowest_ms\": %.3f, \"parts\": %" PRIu32 ", \"all_ms\": %.3f}\n", slowest, most,
	       thread_ms() - begin);
	sched_unlock(sched);
	sched_free(sched);
	trace_close(trace);
}

/* All kinds of latency, without instances. */
static void measure_latencies(const char *path)
{
	struct stopwatch begin = now(), end;
	struct trace *trace = open_trace(path);
	struct latency_options options = { .only = -1 };
	struct latency_result result = { 0 };
	struct latency_kinds kinds = { 0 };
	struct ft_error err = { 0 };
	struct latency *latency;

	latency_kinds_init(&kinds);
	options.kinds = &kinds;
	latency = latency_run(trace, &options, &result, &err);
	end = now();
	printf("{\"cpu\": %.3f, \"wall\": %.3f, \"kinds\": %u}\n", end.cpu - begin.cpu,
	       end.wall - begin.wall, result.nr);
	latency_result_fini(&result);
	latency_free(latency);
	latency_kinds_fini(&kinds);
	trace_close(trace);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "sums"))
		add_up(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "model"))
		build(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "redraw"))
		redraw(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "first"))
		first_picture(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "why"))
		ask_why(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "latency"))
		measure_latencies(argv[2]);
	else
		return fprintf(stderr,
			       "usage: sched_probe sums|model|latency|redraw|first|why FILE\n"),
		       2;
	return 0;
}
