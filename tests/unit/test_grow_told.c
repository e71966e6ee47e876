/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of groups, and times in which nothing was recorded, in traces that grow
 * (tests/lib/growing.h).  Traces are played here, as text.  At each step a pass that parks and its
 * fork tell what a pass over the whole settled part does, and at the end what one over the finished
 * file does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/base/text.h"
#include "src/cut/cut.h"
#include "src/sched/limits/sched_limits.h"
#include "src/sched/task_table.h"
#include "src/trace/trace_absence.h"
#include "src/until/until.h"
#include "tests/lib/growing.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/open_recorded.h"

#define SECOND		INT64_C(1000000000)
#define CPUS		2
#define FIRST_NS	INT64_C(100000000000)
#define FIRST_PID	101		/* 101, 102: in /one; 103, 104: in another; 105: in none */
#define TASKS		5
#define STOPPER		22		/* of CPU 1 */
#define LOOKS		16
#define MOST_BEHIND	3000000000	/* ns */
#define THROTTLED	"throttled > 5ms"

struct line {
	int64_t		us;
	unsigned int	nr;
	struct text	text;
};

struct play {
	struct line	*lines;		/* owned, [nr] */
	unsigned int	nr, cap;
	struct gen_random random;
	int64_t		us;		/* since the first record */
	int		on[CPUS];	/* pid; 0: idle */
	const char	*who;
	struct text	looks[LOOKS];	/* what the recorder tells of groups, each second */
	unsigned int	nr_looks;
};

#define WHO(second)                                                                                \
	"string 4\n/one\nstring " second "\n"                                                 \
	"task 0 0 101 1 -1 0 0 0 1 0\ntask 0 0 102 1 -1 0 0 0 1 0\n"                            \
	"task 0 0 103 1 -1 0 0 0 2 0\ntask 0 0 104 1 -1 0 0 0 2 0\n"

/* --- a trace ------------------------------------------------------------------------- */

static void record(struct play *p, int cpu, const char *event, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void record(struct play *p, int cpu, const char *event, const char *format, ...)
{
	struct line *line;
	char words[256];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	mem_grow(&p->lines, p->nr, &p->cap);
	line = &p->lines[p->nr];
	*line = (struct line){ p->us, p->nr, { 0 } };
	p->nr++;
	text_printf(&line->text, "%16s-%-5d [%03d] d..1. %5" PRId64 ".%06" PRId64 ": %s: %s\n",
		    p->on[cpu] ? "t" : "<idle>", p->on[cpu], cpu,
		    FIRST_NS / 1000000000 + p->us / 1000000, p->us % 1000000, event, words);
	p->us++;
}

static void change(struct play *p, int cpu, int pid, char state)
{
	record(p, cpu, "sched_switch",
	       "prev_comm=t prev_pid=%d prev_prio=120 prev_state=%c ==> next_comm=%s next_pid=%d next_prio=%d",
	       p->on[cpu], p->on[cpu] ? state : 'R', pid == STOPPER ? "migration/1" : "t", pid,
	       pid == STOPPER ? 0 : 120);
	p->on[cpu] = pid;
}

static void wake(struct play *p, int cpu, int pid, int target)
{
	record(p, cpu, "sched_waking", "comm=t pid=%d prio=120 target_cpu=%03d", pid, target);
	record(p, cpu, "sched_wakeup", "comm=t pid=%d prio=120 target_cpu=%03d", pid, target);
}

static void expire(struct play *p, int cpu, unsigned int timer)
{
	record(p, cpu, "hrtimer_expire_entry",
	       "hrtimer=%016x function=sched_cfs_period_timer now=1", timer);
}

static uint32_t below(struct play *p, uint32_t n)
{
	return gen_random_below(&p->random, n);
}

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->us < y->us ? -1 : x->us > y->us ? 1 : x->nr < y->nr ? -1 : x->nr > y->nr;
}

static void write_text(struct play *p, const char *path)
{
	FILE *out = fopen(path, "we");

	fputs("# tracer: nop\n#\n", out);
	qsort(p->lines, p->nr, sizeof(*p->lines), by_time);
	for (unsigned int i = 0; i < p->nr; i++) {
		fputs(text_str(&p->lines[i].text), out);
		text_fini(&p->lines[i].text);
	}
	fclose(out);
	free(p->lines);
}

/* What cpu.stat has counted of a group; @string: its number in `who`. */
static void look(struct play *p, int string, int periods, int throttled, int64_t ns)
{
	text_printf(&p->looks[p->nr_looks],
		    "cgroup %" PRId64 " %d 20000 100000 100 0 %d %d %" PRId64 " 0\n"
		    "cgroup_id %d %d\n",
		    FIRST_NS + p->us * 1000, string, periods, throttled, ns / 1000, string,
		    string * 10);
}

/* The kernel's probes tell; of anybody, and in any order: ends are missing, begins are nested. */
static void play_probes(struct play *p)
{
	static const char *const words[] = { "throttle", "unthrottle" };

	p->who = WHO("7\n/one/in");
	look(p, 1, 0, 0, 0);
	look(p, 2, 0, 0, 0);
	p->nr_looks++;
	for (unsigned int i = 0; i < 4000; i++) {
		int cpu = (int)below(p, CPUS), pid = FIRST_PID + (int)below(p, TASKS);
		uint32_t what = below(p, 100);

		p->us += below(p, 1500);
		if (what < 30 && p->on[!cpu] != pid && p->on[cpu] != pid)
			change(p, cpu, below(p, 4) ? pid : 0, below(p, 3) ? 'R' : 'S');
		else if (what < 55)
			record(p, cpu, what < 42 ? "throttle_group" : "unthrottle_group",
			       "(tg_%s+0x0/0x30) cgroup=%u cpu=%u", words[what >= 42],
			       10 + 10 * below(p, 2), below(p, CPUS));
		else if (what < 75)
			change(p, cpu, 0, what < 70 ? 'R' : 'S');
		else if (p->on[0] != pid && p->on[1] != pid)
			wake(p, cpu, pid, (int)below(p, CPUS));
	}
}

/*
 * Each group is on a CPU of its own, and uses its quota up in most periods: its tasks wait until
 * its timer expires.  Meanwhile others run.
 */
static void play_period(struct play *p, int cpu, int *throttled, int64_t *ns)
{
	int64_t begin = p->us, since;
	int first = FIRST_PID + 2 * cpu;

	expire(p, cpu, 28 + (unsigned int)cpu);
	p->us += 20;
	change(p, cpu, first, 'S');
	p->us += 3000 + below(p, 2000);
	change(p, cpu, first + 1, 'R');
	p->us += 3000 + below(p, 2000);
	since = p->us;
	if (below(p, 5)) {
		change(p, cpu, cpu ? 0 : 105, 'R');
		p->us += 20000 + below(p, 20000);
		change(p, cpu, 0, 'S');
		*throttled += 1;
		*ns += (begin + 100000 - since) * 1000;
	} else {
		change(p, cpu, 0, 'S');
	}
	/* so that sub-buffers are as short as those of a recorder that reads often */
	for (unsigned int i = 0; i < 40; i++) {
		record(p, cpu, "filler", "text=%0150d", 0);
		p->us += 1000;
	}
}

static void play_timers(struct play *p)
{
	int throttled[CPUS] = { 0 };
	int64_t ns[CPUS] = { 0 };

	p->who = WHO("6\n/other");
	for (int i = 0; i < 70; i++) {
		int64_t begin = (int64_t)i * 100000;

		p->us = begin;
		if (i % 10 == 0) {
			look(p, 1, i, throttled[0], ns[0]);
			look(p, 2, i, throttled[1], ns[1]);
			p->nr_looks++;
		}
		play_period(p, 0, &throttled[0], &ns[0]);
		p->us = begin + 45000;
		play_period(p, 1, &throttled[1], &ns[1]);
	}
	p->us += 100000;
	look(p, 1, 70, throttled[0], ns[0]);
	look(p, 2, 70, throttled[1], ns[1]);
	p->nr_looks++;
}

/* Tasks run on both CPUs, or on one. */
static void play_steps(struct play *p, unsigned int nr, bool both)
{
	for (unsigned int i = 0; i < nr; i++) {
		int cpu = both && below(p, 2), pid = FIRST_PID + (int)below(p, TASKS);

		p->us += below(p, 5000);
		if (p->on[0] == pid || p->on[1] == pid)
			change(p, cpu, 0, below(p, 2) ? 'R' : 'S');
		else if (below(p, 3))
			change(p, cpu, pid, below(p, 2) ? 'R' : 'S');
		else
			wake(p, cpu, pid, cpu);
		record(p, cpu, "filler", "text=%0150d", 0);
	}
}

/* Tracing is off; the machine is suspended; CPU 1 is offline. */
static void play_absences(struct play *p)
{
	p->who = WHO("6\n/other");
	for (unsigned int i = 0; i < 24; i++) {
		play_steps(p, 40 + below(p, 40), true);
		if (i % 3 == 0) {
			p->us += 2200000 + below(p, 4000000);
		} else if (i % 3 == 1) {
			record(p, 0, "suspend_resume", "machine_suspend[3] begin");
			p->us += 700000 + below(p, 30000000);
			record(p, 0, "suspend_resume", "machine_suspend[3] end");
		} else {
			change(p, 1, STOPPER, 'R');
			p->on[1] = 0;
			play_steps(p, 200, false);
		}
		/* it may be a while until a CPU has its first record again */
		play_steps(p, below(p, 2) * 100, false);
	}
}

/* --- what is told -------------------------------------------------------------------- */

struct log {				/* of one pass */
	const struct sched_pass *pass;
	struct sched_listener listener;
	struct text	text;
	unsigned int	nr;		/* times that a group's limit was told */
	bool		is_whole;	/* it began with the first record */
	unsigned int	nr_absent;	/* absences of a kind, of a CPU */
};

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct log *log = arg;

	text_printf(&log->text, "%" PRId64 " %u %d -> %d%s%s%s\n", c->ts,
		    sched_rules_task(sched_pass_rules(log->pass), task)->pid, c->was, c->state,
		    c->limit ? " for a limit" : "", c->dropped ? " dropped" : "",
		    c->doubtful ? " ~" : "");
}

static void on_cpu(void *arg, unsigned int cpu, const struct sched_change *c)
{
	struct log *log = arg;

	if (c->lost || c->cut)
		text_printf(&log->text, "%" PRId64 " CPU %u %s\n", c->ts, cpu,
			    c->lost ? "lost" : "begins");
}

static void on_end(struct log *log, const struct sched_pass *pass)
{
	struct text absent = { 0 };

	log->nr_absent = 0;
	for (unsigned int i = 0; i < sched_pass_nr_cpus(pass); i++)
		for (enum trace_absent why = TRACE_TRACING_OFF; why <= TRACE_OFFLINE; why++)
			log->nr_absent += sched_rules_absent(sched_pass_rules(pass), i, why,
							     why != TRACE_SUSPENDED) > 0;
	sched_pass_absent(pass, &absent);
	text_printf(&log->text, "%s\n", text_str(&absent));
	text_fini(&absent);
}

static void on_limited(void *arg, uint32_t task, uint32_t limit, int64_t ts, bool doubtful)
{
	struct log *log = arg;

	text_printf(&log->text, "%" PRId64 " %u ", ts,
		    sched_rules_task(sched_pass_rules(log->pass), task)->pid);
	if (limit == SCHED_NO_LIMIT)
		text_add(&log->text, "no longer");
	else
		sched_limits_text(sched_pass_limits(log->pass), limit, &log->text);
	text_add(&log->text, doubtful ? " ~\n" : "\n");
	log->nr += limit >= SCHED_LIMIT_GROUP && limit != SCHED_NO_LIMIT;
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct log *log = arg;

	log->pass = pass;
	log->is_whole = true;
	log->nr = 0;
	text_clear(&log->text);
}

static struct sched_pass_options options_for(struct log *log, bool parks)
{
	log->listener = (struct sched_listener){ .task = on_task, .cpu = on_cpu,
						 .limited = on_limited, .arg = log };
	return (struct sched_pass_options){ .no_sums = true, .limits = true, .parks = parks,
					    .listener = &log->listener, .begun = on_begun };
}

static void read_whole(struct trace *trace, struct log *log)
{
	struct sched_pass_options options = options_for(log, false);
	struct sched_pass *pass = sched_pass_new(trace, &options);
	struct ft_error err = { 0 };

	assert_int_equal(sched_pass_run(pass, &err), 0);
	on_end(log, pass);
	sched_pass_free(pass);
}

/* --- while it grows ------------------------------------------------------------------ */

struct growth {
	struct growing	g;
	struct trace	*trace;		/* the NAME.part */
	struct trace	*finished;
	struct sched_pass *parked;	/* or NULL */
	struct log	log;		/* its */
	unsigned int	begun;		/* times that it began again */
	struct until	*until;		/* THROTTLED; or NULL, as long as no limits are told */
	struct task_table *tables;	/* or NULL */
	struct time_range range;	/* of the last window: */
	struct task_figures window;
	unsigned int	limited;	/* tasks in windows whose longest wait was for a limit */
};

/* What a recorder would have left, had it told these tasks. */
static struct trace *open_finished(struct growing *g, const struct text *tasks)
{
	struct output_stream *streams[CPUS];
	struct output_file *o = growing_output(g, "k.dat", streams);
	struct ft_error err = { 0 };
	struct text private = { 0 };
	struct trace *finished;
	char path[128];

	for (unsigned int i = 0; i < g->nr_streams; i++)
		for (uint64_t page = 0; page < source_stream_pages(g->source, i); page++)
			growing_copy_page(g, i, page, o, streams[i]);
	text_printf(&private, TRACE_PRIVATE_MAGIC "saved_tgids 0\ntasks %zu\n%s", tasks->len,
		    text_str(tasks));
	output_text(o, TRACE_TEXT_PRIVATE, &private);
	text_fini(&private);
	assert_int_equal(output_finish(o, &err), 0);
	snprintf(path, sizeof(path), "%s/k.dat", growing_dir);
	finished = open_path(path, 2);
	trace_wait(finished);
	unlink(path);
	return finished;
}

/* A part of a trace as a file. */
static struct trace *cut_to(struct trace *trace, const struct time_range *range, const char *name)
{
	const struct cut_options options = { .name = "the file", .range = *range, .words = "" };
	struct ft_error err = { 0 };
	uint64_t events = 0;
	struct trace *part;
	struct cut *cut;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", growing_dir, name);
	cut = cut_new(trace, &options, open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), &err);
	if (!cut || cut_finish(cut, &events, &err))
		fail_msg("%s", err.message);
	cut_free(cut);
	part = open_path(path, 2);
	trace_wait(part);
	return part;
}

/* The parked pass, and the log of a fork to the end of what is settled. */
static void read_more(struct growth *w, struct log *forked)
{
	struct sched_pass_options options = options_for(forked, false);
	struct sched_pass *fork;
	struct ft_error err = { 0 };

	if (w->parked && !sched_pass_serves(w->parked, INT64_MAX)) {
		sched_pass_free(w->parked);
		w->parked = NULL;
	}
	if (!w->parked) {
		struct sched_pass_options parked = options_for(&w->log, true);

		w->parked = sched_pass_new(w->trace, &parked);
		w->begun++;
	}
	sched_pass_go_on(w->parked, INT64_MAX);
	while (sched_pass_step(w->parked, 100) == SCHED_PASS_MORE)
		;
	text_clear(&forked->text);
	forked->nr = 0;
	forked->is_whole = false;
	fork = sched_pass_fork(w->parked, &options);
	forked->pass = fork;
	assert_int_equal(sched_pass_run(fork, &err), 0);
	on_end(forked, fork);
	sched_pass_free(fork);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines in an order of their own: a pass that parks tells some things of one moment earlier. */
static void sort(struct text *log)
{
	struct text sorted = { 0 };
	unsigned int nr = 0, cap = 0;
	char **lines = NULL, *save;

	for (char *line = strtok_r(log->data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		mem_grow(&lines, nr, &cap);
		lines[nr++] = line;
	}
	qsort(lines, nr, sizeof(*lines), by_text);
	for (unsigned int i = 0; i < nr; i++)
		text_printf(&sorted, "%s\n", lines[i]);
	free(lines);
	text_fini(log);
	*log = sorted;
}

static void expect_log(const struct growth *w, const struct log *forked, struct log *expected)
{
	struct text told = { 0 };

	if (!forked->is_whole)
		text_add(&told, text_str(&w->log.text));
	text_add(&told, text_str(&forked->text));
	sort(&told);
	sort(&expected->text);
	assert_string_equal(text_str(&told), text_str(&expected->text));
	assert_int_equal((forked->is_whole ? 0 : w->log.nr) + forked->nr, expected->nr);
	text_fini(&told);
}

/* --- windows ------------------------------------------------------------------------- */

static void take_figures(struct task_table *table, struct task_figures *figures)
{
	task_table_wait(table);
	assert_true(task_table_take(table, figures));
	assert_true(figures->done);
}

/* Go on to the last seconds of what is settled. */
static void take_window(struct growth *w)
{
	int64_t last = trace_end(w->trace) - 1;
	struct task_table_options options = { .range = { true, 0, last }, .slice = SECOND };
	struct task_table *window;

	options.range.from = last / SECOND * SECOND - 2 * SECOND;
	w->range = options.range;
	window = task_table_next(&w->tables, w->trace, &options);
	task_figures_fini(&w->window);
	w->window = (struct task_figures){ 0 };
	take_figures(window, &w->window);
	task_table_free(w->tables);
	w->tables = task_table_park(window);
	task_table_free(window);
}

static const char *limit_of(const struct task_figures *f, uint32_t task)
{
	uint32_t limit = f->sums[task].longest[TASK_WAITED].limit;

	return limit ? f->text.data + f->limits[limit - 1] : "";
}

static void check_window(struct growth *w, struct trace *part)
{
	struct task_table_options options = { .range = w->range };
	struct task_table *fresh = task_table_new(part, &options);
	struct task_figures f = { 0 };

	take_figures(fresh, &f);
	assert_int_equal(w->window.nr_tasks, f.nr_tasks);
	for (uint32_t i = 0, k; i < f.nr_tasks; i++) {
		const struct sched_task *a = &f.tasks[i], *b;

		for (k = 0; k < f.nr_tasks && w->window.tasks[k].pid != a->pid; k++)
			;
		assert_true(k < f.nr_tasks);
		b = &w->window.tasks[k];
		assert_int_equal(a->run, b->run);
		assert_int_equal(a->wait, b->wait);
		assert_int_equal(a->throttled, b->throttled);
		assert_int_equal(a->preemptions, b->preemptions);
		assert_string_equal(limit_of(&f, i), limit_of(&w->window, k));
		w->limited += *limit_of(&f, i) && a->throttled;
	}
	task_figures_fini(&f);
	task_table_free(fresh);
}

/* A pass over the settled part knows as much. */
static void check_part(struct growth *w, const struct log *forked)
{
	const struct time_range settled = { true, INT64_MIN, trace_end(w->trace) - 1 };
	struct trace *part = cut_to(w->finished, &settled, "c.dat");
	struct log fresh = { 0 };

	read_whole(part, &fresh);
	expect_log(w, forked, &fresh);
	check_window(w, part);
	text_fini(&fresh.text);
	trace_close(part);
}

/* --- conditions ---------------------------------------------------------------------- */

static void judge(struct growth *w)
{
	const struct until_recorded recorded = { 0 };
	struct ft_error err = { 0 };

	if (!w->until) {
		w->until = until_new();
		assert_int_equal(until_add(w->until, THROTTLED, &err), 0);
		if (until_bind(w->until, w->trace, NULL, &recorded, &err))
			fail_msg("%s", err.message);
	}
	assert_int_equal(until_judge(w->until, w->trace, UINT32_MAX, true, &err), 0);
}

/* Each hit is a match of the finished file; the others, in the last seconds, were not decided. */
static void check_hits(const struct growth *w)
{
	struct trace_cursor *cursor = trace_cursor_new(w->finished);
	struct filter *filter = new_ready_filter(w->finished, THROTTLED);
	struct filter_run *run = filter_run_new(filter);
	struct trace_event event;
	unsigned int nr, found = 0;
	const struct until_hit *hits = until_hits(w->until, &nr);
	int64_t first, last;

	assert_true(trace_span(w->finished, &first, &last));
	trace_cursor_seek_time(cursor, INT64_MIN);
	while (trace_cursor_next(cursor, &event)) {
		unsigned int i = 0;

		if (!filter_run_event(run, &event))
			continue;
		while (i < nr && hits[i].ref != event.ref)
			i++;
		found += i < nr;
		assert_true(i < nr || event.ts > last - MOST_BEHIND);
	}
	assert_true(nr > 50);
	assert_int_equal(found, nr);
	filter_run_free(run);
	filter_free(filter);
	trace_cursor_free(cursor);
}

static int next_stream(const struct growing *g)
{
	int next = -1;

	for (unsigned int i = 0; i < g->nr_streams; i++)
		if (g->written[i] < source_stream_pages(g->source, i) &&
		    (next < 0 || atomic_load(&g->streams[i]->settled) <
					 atomic_load(&g->streams[next]->settled)))
			next = (int)i;
	return next;
}

static void tell(struct growth *w, const struct play *p, unsigned int *told)
{
	int64_t end = w->trace ? trace_end(w->trace) : INT64_MIN;
	struct text lines = { 0 };

	if (!*told && w->trace)
		text_add(&lines, p->who);
	/* a look is told a while later */
	for (; w->trace && *told < p->nr_looks && end > FIRST_NS + *told * SECOND + 300000000;
	     ++*told)
		text_add(&lines, text_str(&p->looks[*told]));
	if (lines.len && *told)
		output_tasks(w->g.o, &lines);
	text_fini(&lines);
}

static void grow(struct growth *w, const struct play *p, bool checks_parts)
{
	struct log forked = { 0 }, whole = { 0 };
	struct ft_error err = { 0 };
	unsigned int told = 0, steps = 0;

	for (unsigned int i = 0; i < w->g.nr_streams; i++)
		growing_append(&w->g, i, 1);
	assert_int_equal(output_update(w->g.o, &err), 0);
	w->trace = growing_open();
	for (int next = next_stream(&w->g); next >= 0; next = next_stream(&w->g)) {
		growing_append(&w->g, (unsigned int)next, 1);
		tell(w, p, &told);
		assert_int_equal(output_update(w->g.o, &err), 0);
		growing_catch_up(w->trace);
		read_more(w, &forked);
		take_window(w);
		if (told)
			judge(w);
		if (p->nr_looks && trace_end(w->trace) < INT64_MAX / 2)
			assert_in_range(trace_end(w->trace) - sched_pass_until(w->parked), 0,
					MOST_BEHIND);
		if ((told || !p->nr_looks) && checks_parts && ++steps % 8 == 0)
			check_part(w, &forked);
	}
	tell(w, p, &told);
	assert_int_equal(output_update(w->g.o, &err), 0);
	growing_catch_up(w->trace);
	read_more(w, &forked);
	read_whole(w->finished, &whole);
	expect_log(w, &forked, &whole);
	if (p->nr_looks) {
		assert_true(whole.nr > 50 && w->log.nr > 50);
		/* once more, when the recorder tells of limits */
		assert_in_range(w->begun, 1, 2);
		judge(w);
		check_hits(w);
	} else {
		assert_int_equal(whole.nr_absent, 5);
		assert_true(w->begun < 30);
	}
	text_fini(&forked.text);
	text_fini(&whole.text);
}

static void check(void (*play)(struct play *p), uint64_t seed, bool checks_parts)
{
	const struct time_range all = { 0 };
	struct play p = { 0 };
	struct growth w = { 0 };
	struct text tasks = { 0 };
	char path[128];
	struct trace *text;

	gen_random_init(&p.random, growing_seed() + seed);
	play(&p);
	snprintf(path, sizeof(path), "%s/t.txt", growing_dir);
	write_text(&p, path);
	text = open_path(path, 2);
	trace_wait(text);
	trace_close(cut_to(text, &all, "w.dat"));
	trace_close(text);
	snprintf(path, sizeof(path), "%s/w.dat", growing_dir);
	growing_begin(&w.g, path, seed, false);
	text_add(&tasks, p.who);
	for (unsigned int i = 0; i < p.nr_looks; i++)
		text_add(&tasks, text_str(&p.looks[i]));
	w.finished = open_finished(&w.g, &tasks);
	grow(&w, &p, checks_parts);
	assert_true(w.limited > 3 || play != play_probes);
	task_figures_fini(&w.window);
	task_table_free(w.tables);
	sched_pass_free(w.parked);
	until_free(w.until);
	trace_close(w.trace);
	trace_close(w.finished);
	output_abort(w.g.o, true);
	growing_end(&w.g);
	for (unsigned int i = 0; i < p.nr_looks; i++)
		text_fini(&p.looks[i]);
	text_fini(&w.log.text);
	text_fini(&tasks);
}

static void test_probes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++)
		check(play_probes, seed, true);
}

static void test_timers(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++)
		check(play_timers, seed, false);
}

static void test_absences(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++)
		check(play_absences, seed, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_absences),
		cmocka_unit_test(test_probes),
		cmocka_unit_test(test_timers),
	};

	return cmocka_run_group_tests(tests, growing_set_up, growing_tear_down);
}
