/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary - what is in a trace, what it lacks, and the worst of each list, in at most 200 lines.
 * Text and JSON have the same facts, from the same lists of columns.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/file/trace_file.h"
#include "parsers/source/source.h"
#include "parsers/lines/line_file.h"
#include "parsers/lines/line_source.h"
#include "parsers/types/event_types.h"
#include "src/base/json_out.h"
#include "src/base/number_set.h"
#include "src/commands/command_open.h"
#include "src/commands/scope.h"
#include "src/events/verdicts.h"
#include "src/functions/function_table.h"
#include "src/latency/latency.h"
#include "src/noise/noise.h"
#include "src/sched/event_counts.h"
#include "src/sched/run_queue.h"
#include "src/sched/task_table.h"
#include "src/trace/time_option.h"

#define MOST_ROWS	12u		/* most rows of a sorted list */
#define MOST_KINDS	24u		/* most rows of any other list */
#define MOST_NOTES	12u
#define KEEP		256u		/* instances of a kind: the longest may be doubtful */
#define WIDTH		80		/* cells of a line */

const struct command_def cmd_summary_def = {
	.name = "summary",
	.operands = "[FILE...]",
	.summary = "a one-page overview of a trace, for bug reports",
	.details = "The output has at most 200 lines of 80 columns for each file: the file, lost\n"
		   "events and whatever else is missing, the most frequent events, the worst latency\n"
		   "of each kind and when it began, CPUs, the busiest tasks and functions, and the\n"
		   "results of timerlat, osnoise and hwlat. The tasks of the recorder itself are left\n"
		   "out of the busiest, unless --task names them, and so is what the idle tasks call.\n"
		   "System calls in which tasks chose to sleep, such as nanosleep and poll, are not\n"
		   "the worst. Times are in us. %cpu and %busy\n"
		   "refer to the span of the trace, or to the part between --from and --to; a > before\n"
		   "%busy means that a part of what the CPU did is not recorded. json has the same\n"
		   "facts as one object, see ftop-trace-json(5). The commands latency, tasks,\n"
		   "functions, noise and count print the complete lists.",
	.examples = "The overview of a trace, to attach to a bug report:\n"
		    "  ftop-trace summary --ascii trace.dat >overview.txt\n"
		    "The worst of a tenth of a second on CPU 2:\n"
		    "  ftop-trace summary --from=7.5 --to=7.6 --cpu=2",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "format", .arg = "text|json", .id = FILTER_OPTION_FORMAT,
		  .help = "json: one object" },
		ASCII_OPTION,
		PART_OPTIONS("limit all lists; the facts about the file are those of the whole file"),
		ROWS_OPTIONS_REFUSED("it has lists of its own length; the commands latency, tasks and functions print them all"),
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct fact {				/* a line of a list; strings live until it is printed */
	const char	*name, *what, *task;
	uint64_t	count, open, total, self, p99, max, run, cut;
	uint64_t	doubtful;	/* part of total; of a CPU: see run_queue_sums.guessed */
	bool		is_guess;	/* p99, max: latency_sums.shared */
	bool		is_least;	/* p99, max, and of a task total, may be more */
	uint64_t	unknown;	/* of a CPU: part of whole, if self may be more for it */
	int64_t		whole;		/* count or self is a percentage of this total */
	int64_t		cpu, at;	/* at: where max began */
	bool		has_max, has_p99, has_at, has_self;
	bool		is_known;	/* of a CPU: what was on it, for some time */
	bool		has_queue;	/* of a CPU: how many tasks waited for it may be known */
	bool		is_count, is_call;	/* at is no ns; of a call, what it is comes first */
	const struct call_total *worst;	/* its longest call is that of max; NULL: at is set */
};

struct cpu_times {			/* what a CPU did */
	int64_t		busy, idle;	/* unknown times are in neither */
	uint64_t	switches;
	uint32_t	task;		/* since then: a task, SCHED_IDLE_TASK, SCHED_NO_TASK */
	int64_t		since;
};

struct sched_part {			/* what CPUs and tasks did: a pass that is also latency's */
	struct sched_listener listener;
	struct sched_pass_options options;
	struct sched_pass *pass;	/* borrowed: latency's */
	struct task_table *table;	/* owned; NULL: the pass told all */
	struct task_figures figures;	/* of the table */
	struct cpu_times *cpus;		/* owned, by index */
	bool		is_call[LATENCY_MOST_RULES];	/* rules of latency: system calls */
	struct number_set seen;		/* pids of system calls and interrupts: tasks, too */
	uint32_t	last;		/* of these */
};

struct summary {
	const struct command_file *of;
	struct filter_given given;
	struct trace	*trace;
	struct graph_scope scope;	/* owned: the part that the lists are about */
	struct event_sweep_options events, states;	/* the same, see scope_sweep() */
	bool		is_all;		/* it is all of the trace */
	struct latency_kinds own;	/* what latency measures: the program's own kinds */
	struct latency	*latency;	/* owned */
	struct sched_part sched;
	struct worker_group group;	/* the job that makes: */
	struct function_table *functions;	/* owned; NULL: there are no calls */
	struct latency_calls calls;	/* latency tells of them; zeroed: it does not */
	struct arena	arena;
	struct text	out, notes;
	struct fact	*facts;		/* owned, [nr]: of the next list */
	uint32_t	nr, cap;
	int64_t		cpu_time, span;
	int64_t		of_recorder;	/* time that its tasks ran, which are not listed */
	unsigned int	nr_notes;
	bool		is_json, is_unitless;
};

static void note(struct summary *s, const char *line)
{
	struct text printable = { 0 };

	if (s->nr_notes++ >= MOST_NOTES)
		return;
	if (s->is_json) {
		json_out_string(&s->notes, NULL, line);
		return;
	}
	text_printable(&printable, line, strlen(line));
	text_fold(&s->notes, text_str(&printable), WIDTH, 2);
	text_char(&s->notes, '\n');
	text_fini(&printable);
}

/* --- the top ---------------------------------------------------------------------------------- */

/* A member of JSON, or a line of text with a blank in place of _. */
static void put_bytes(struct summary *s, const char *key, const char *value, size_t len)
{
	struct text line = { 0 };

	if (s->is_json) {
		json_out_bytes(&s->out, key, value, len);
		return;
	}
	if (!len)
		return;
	text_add(&line, key);
	for (size_t i = 0; i < line.len; i++)
		if (line.data[i] == '_')
			line.data[i] = ' ';
	text_pad(&line, line.len < 16 ? 16 - line.len : 1);
	text_printable(&line, value, len);
	text_excerpt(&s->out, text_str(&line), line.len, WIDTH - 1);
	text_char(&s->out, '\n');
	text_fini(&line);
}

static void put_string(struct summary *s, const char *key, const char *value)
{
	put_bytes(s, key, value, strlen(value));
}

static void put_slice(struct summary *s, const char *key, struct text_slice words)
{
	if (words.len)
		put_bytes(s, key, words.s, words.len);
}

static void put_number(struct summary *s, const char *key, int64_t number)
{
	struct text digits = { 0 };

	if (s->is_json) {
		json_out_exact_i64(&s->out, key, number);
		return;
	}
	text_count(&digits, number > 0 ? (uint64_t)number : 0);
	put_string(s, key, text_str(&digits));
	text_fini(&digits);
}

static void put_lost(struct summary *s, uint64_t lost)
{
	struct text least = { 0 };

	if (trace_knows_lost(s->trace)) {
		put_number(s, "lost_events", (int64_t)lost);
	} else if (s->is_json) {
		json_out_null(&s->out, "lost_events");
	} else {
		text_count(&least, lost);
		text_add(&least, " or more");
		put_string(s, "lost_events", text_str(&least));
	}
	text_fini(&least);
}

/* The kernel counted for the whole recording: for a part of it, the number is not known. */
static void put_stat(struct summary *s, const char *key, const char *stat)
{
	const struct source *file = trace_file_of(s->trace, 0);

	if (!*source_info(file)->cuts)
		put_number(s, key, (int64_t)trace_file_cpu_stat(file, -1, -1, stat));
	else if (s->is_json)
		json_out_null(&s->out, key);
	else
		put_string(s, key, "unknown in this part");
}

/* "span_ns" of JSON is "span" in s of text; without _ns where the clock has no unit. */
static void put_time(struct summary *s, const char *key, int64_t time)
{
	struct text name = { 0 }, digits = { 0 };

	text_printf(&name, "%s%s", key, s->is_unitless || !s->is_json ? "" : "_ns");
	trace_time_text(s->trace, time, trace_resolution(s->trace) > 1 ? 6 : 9, &digits);
	text_add(&digits, s->is_unitless ? "" : " s");
	if (s->is_json)
		json_out_i64(&s->out, text_str(&name), time);
	else
		put_string(s, text_str(&name), text_str(&digits));
	text_fini(&name);
	text_fini(&digits);
}

/* Above the lines of a text: its tracer, and what a latency tracer measured. */
static void add_header(struct summary *s, const struct text_trace_header *h)
{
	put_slice(s, "tracer", h->tracer);
	if (!h->has_latency)
		return;
	put_time(s, "latency", h->latency_ns);
	put_number(s, "latency_cpu", h->cpu);
	put_slice(s, "latency_task", h->comm);
	put_slice(s, "started_at", h->started_at);
	put_slice(s, "ended_at", h->ended_at);
}

/* The part of the trace that the lists are about, as it was given. */
static void put_selected(struct summary *s)
{
	const struct option_list *list = s->of->list;
	struct ft_error outside = { 0 };
	struct text words = { 0 };

	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_value *value = &list->values[i];
		const struct option_def *of = options_by_id(list->command, value->id);

		if (value->id < FILTER_OPTION_FROM || value->id > FILTER_OPTION_COMPAT)
			continue;
		text_printf(&words, "%s%s%s%s%s", words.len ? " " : "", of->name ? "--" : "-v",
			    of->name ?: "", value->value ? "=" : "", value->value ?: "");
	}
	if (words.len)
		put_string(s, "selected", text_str(&words));
	text_fini(&words);
	/* of a single file, that is an error */
	if (time_option_check(s->trace, s->scope.has_from, s->scope.from, s->scope.has_to,
			      s->scope.to, &outside))
		note(s, outside.message);
}

static void add_top(struct summary *s)
{
	const struct source *file = trace_file_of(s->trace, 0);
	const struct source_info *head = source_info(file);
	struct trace_status status = trace_status(s->trace);
	const char *kernel = *head->uname ? head->uname : trace_kernel(s->trace);
	int64_t first, last;
	unsigned int cpus;

	put_string(s, "file", trace_path(s->trace, 0));
	put_number(s, "size_bytes", (int64_t)head->size);
	put_string(s, "format", head->form);
	put_string(s, "kernel", kernel);
	if (line_source_file(file))
		add_header(s, &line_file_info(line_source_file(file))->header);
	put_string(s, "clock", trace_clock(s->trace));
	s->cpu_time = trace_covered(s->trace, 0, -1, &(struct trace_part){ 0 }, &cpus);
	if (trace_span(s->trace, &first, &last) && !trace_is_untimed(s->trace, -1)) {
		put_time(s, "first_ts", first);
		put_time(s, "last_ts", last);
		put_time(s, "span", time_between(first, last));
		put_time(s, "cpu_time", s->cpu_time);
		s->span = time_between(first, last);
		if (s->events.range.set)
			s->span = time_range_part(&s->events.range, first, last);
	}
	put_number(s, "cpus", cpus);
	put_number(s, "events", (int64_t)status.events);
	put_lost(s, status.lost_events);
	put_number(s, "lost_unknown", (int64_t)status.lost_unknown);
	put_stat(s, "overwritten", "\noverrun:");
	put_stat(s, "dropped", "\ndropped events:");
	put_number(s, "damaged_pages", (int64_t)status.damaged_pages);
	put_selected(s);
	if (trace_is_untimed(s->trace, -1))
		note(s, "the text has no times: only durations of calls are real");
}

/* --- lists ------------------------------------------------------------------------------------ */

static void add(struct summary *s, struct fact f)
{
	f.is_count = s->is_unitless;
	mem_grow(&s->facts, s->nr, &s->cap);
	s->facts[s->nr++] = f;
}

/* The largest self time first, then the largest count, then by name. */
static int by_size(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void add_line(struct summary *s, struct table_out *table, struct fact *f)
{
	struct trace_event event;
	struct text line = { 0 };

	if (f->worst && function_longest(s->trace, 0, f->worst, &event, &f->at))
		f->has_at = true;
	table_out_row(table, f, s->is_json ? &s->out : &line);
	if (s->is_json)
		s->out.len--;		/* an element has no line of its own */
	else
		text_excerpt(&s->out, text_str(&line), line.len - 1, WIDTH - 1);
	text_add(&s->out, s->is_json ? "" : "\n");
	text_fini(&line);
}

/* Print the facts as they are, or the largest ones.  @rest: what the others are, and where. */
static void list(struct summary *s, const char *key, const struct table_columns *columns,
		 bool sorted, const char *rest)
{
	uint32_t most = sorted ? MOST_ROWS : MOST_KINDS;
	struct table_out table;

	table_out_init(&table, columns, s->given.format, s->is_unitless);
	if (sorted && s->nr)
		qsort(s->facts, s->nr, sizeof(*s->facts), by_size);
	if (s->is_json)
		json_out_array(&s->out, key);
	else if (s->nr)
		text_char(&s->out, '\n');
	if (s->nr)
		table_out_heading(&table, &s->out);
	for (uint32_t i = 0; i < s->nr && i < most; i++)
		add_line(s, &table, &s->facts[i]);
	if (s->is_json)
		json_out_end(&s->out, ']');
	if (s->nr > most)
		note(s, arena_printf(&s->arena, "%u more %s", s->nr - most, rest));
	table_out_fini(&table);
	s->nr = 0;
}

/*
 * Append the fact's function and task.  A call begins with its function, any other fact with its
 * task: that says most.
 */
static void add_of(const void *row, struct text *out)
{
	const struct fact *f = row;

	if (f->task)
		text_printf(out, f->is_call ? "%s %s" : "%2$s %1$s", f->what, f->task);
}

static void add_at(const void *row, struct text *out)
{
	const struct fact *f = row;

	if (f->is_count)
		text_printf(out, "%" PRId64, f->at);
	else
		text_seconds(out, f->at, 6);
}

#define FACT(member)	TABLE_MEMBER(struct fact, member)
#define COUNT(id, title, member, cells) \
	{ id, title, FACT(member), .kind = TABLE_COUNT, .width = cells }
#define TIME(id, title, member, cells, ...) \
	{ id, title, FACT(member), .kind = TABLE_DURATION, .width = cells, __VA_ARGS__ }
#define MAX(id, title, member, cells) \
	TIME(id, title, member, cells, TABLE_IF(struct fact, has_max), \
	     TABLE_DOUBT(struct fact, is_guess), TABLE_LEAST(struct fact, is_least))
#define STARTS \
	{ "at_ns", "starts", FACT(at), .kind = TABLE_MOMENT, .width = 12, .text = add_at, \
	  TABLE_IF(struct fact, has_at) }
#define CPU	{ "cpu", "CPU", FACT(cpu), .kind = TABLE_NUMBER, .width = 4 }
#define PART(name, member) \
	{ .title = name, FACT(member), .kind = TABLE_PERCENT, TABLE_WHOLE(struct fact, whole), \
	  .width = 5 }
#define NAME(id, cells)	{ id, id, FACT(name), .width = cells, .align = TABLE_LEFT }
#define LIST(name, ...) \
	static const struct table_column of_##name[] = { __VA_ARGS__ }; \
	static const struct table_columns name = { TABLE_COLUMNS(of_##name), .gap = 1, \
						   .clocked = true, .exact = true }

LIST(events, COUNT("events", "events", count, 12), PART("%", count), NAME("event", 1));
LIST(kinds, NAME("kind", 13), COUNT("n", "n", count, 7), COUNT("open", "open", open, 4),
     TIME("p99_ns", "p99", p99, 10, TABLE_IF(struct fact, has_p99),
	  TABLE_DOUBT(struct fact, is_guess), TABLE_LEAST(struct fact, is_least)),
     MAX("max_ns", "max", max, 11), STARTS,
     { .title = "of", .text = add_of, .width = 1, .align = TABLE_LEFT },
     { "task", FACT(task) }, { "what", FACT(what) });
LIST(cpus, CPU,
     { .title = "%busy", FACT(self), .kind = TABLE_PERCENT, TABLE_WHOLE(struct fact, whole),
       .width = 5, TABLE_IF(struct fact, is_known), TABLE_LEAST(struct fact, unknown) },
     TIME("busy_ns", "busy", self, 13, TABLE_IF(struct fact, is_known)),
     COUNT("switches", "switches", count, 9),
     { "queue", "queue", FACT(open), .kind = TABLE_COUNT, .width = 6,
       TABLE_IF(struct fact, has_queue), TABLE_DOUBT(struct fact, doubtful) },
     TIME("spare_ns", "wasted", total, 12, TABLE_IF(struct fact, has_queue),
	  TABLE_DOUBT(struct fact, doubtful)),
     TIME("longest_ns", "longest", max, 10, TABLE_IF(struct fact, has_max),
	  TABLE_DOUBT(struct fact, doubtful)),
     STARTS);
LIST(tasks, NAME("task", 22), TIME("run_ns", NULL, run, 0), TIME("run_cut_ns", NULL, cut, 0),
     { .title = "run", FACT(self), .kind = TABLE_TIME, .width = 12 }, PART("%cpu", self),
     { "wait_ns", "wait", FACT(total), .kind = TABLE_TIME, .width = 12,
       TABLE_DOUBT(struct fact, doubtful), TABLE_LEAST(struct fact, is_least) },
     TIME("doubtful_ns", NULL, doubtful, 0), MAX("max_wakeup_ns", "max wake", max, 11), STARTS);
LIST(functions, COUNT("calls", "calls", count, 9),
     TIME("self_ns", "self", self, 12, TABLE_IF(struct fact, has_self)),
     MAX("max_ns", "max", max, 11), STARTS, NAME("function", 1));
LIST(samples, NAME("tracer", 8), COUNT("samples", "samples", count, 9),
     MAX("worst_ns", "worst", max, 13),
     { "at_ns", "measured", FACT(at), .kind = TABLE_MOMENT, .width = 12, .text = add_at,
       TABLE_IF(struct fact, has_at) },
     CPU);

/* --- what is in it -------------------------------------------------------------------------- */

static void add_events(struct summary *s)
{
	const struct event_counts_options options = { .range = s->events.range,
						      .only = s->events.only,
						      .nr_only = s->events.nr_only,
						      .filters = s->events.filters,
						      .nr_filters = s->events.nr_filters };
	struct trace_type_count *types = NULL;
	unsigned int nr = event_counts_types(s->trace, &options, &types);
	int64_t all = 0;

	for (unsigned int i = 0; i < nr; i++)
		all += (int64_t)types[i].events;
	for (unsigned int i = 0; i < nr; i++) {
		const struct event_type *type = types[i].type;

		add(s, (struct fact){ .name = type ? arena_printf(&s->arena, "%s/%s", type->system,
								  type->name) :
						     "unknown",
				      .count = types[i].events,
				      .whole = all });
	}
	free(types);
	list(s, "event_types", &events, true, "event types; see ftop-trace info");
}

/* --- the pass over CPUs and tasks ------------------------------------------------------------- */

static void add_time(const struct sched_part *p, struct cpu_times *cpu, int64_t to)
{
	int64_t *sum = cpu->task == SCHED_IDLE_TASK ? &cpu->idle : &cpu->busy;

	if (cpu->task != SCHED_NO_TASK && to > cpu->since)
		*sum = time_after(*sum, time_range_part(&p->options.range, cpu->since, to));
}

static void on_cpu(void *arg, unsigned int nr, const struct sched_change *change)
{
	struct sched_part *p = arg;
	struct cpu_times *cpu = &p->cpus[nr];

	if (!change->dropped)
		add_time(p, cpu, change->ts);
	cpu->switches += change->rec && time_range_has(&p->options.range, change->ts);
	cpu->task = change->task;
	cpu->since = change->ts;
}

/* Tasks without a switch are listed, too, if they made a system call or were interrupted. */
static void on_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	struct sched_part *p = arg;
	uint32_t pid = p->last;
	bool is_new;

	(void)cpu;
	if (rec->op == SCHED_PAIR && !(rec->end_number & 1) && p->is_call[rec->end_number / 2])
		pid = rec->common_pid;
	else if (rec->op == SCHED_CALL)
		pid = rec->pid2;
	else if (rec->op == SCHED_ENTER && rec->detail != SCHED_CONTEXT_TIMER)
		pid = rec->comm2;
	if (pid != p->last && p->seen.nr < SCHED_MAX_TASKS)
		number_set_add(&p->seen, pid, &is_new);
	p->last = pid;
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct sched_part *p = arg;
	unsigned int nr = sched_pass_nr_cpus(pass);

	free(p->cpus);
	p->cpus = mem_array(nr + 1, sizeof(*p->cpus));
	for (unsigned int i = 0; i < nr; i++)
		p->cpus[i].task = SCHED_NO_TASK;
	number_set_fini(&p->seen);
	p->seen = (struct number_set){ 0 };
	p->last = 0;
}

static void begin_sched(struct summary *s)
{
	struct sched_part *p = &s->sched;

	p->listener = (struct sched_listener){ .cpu = on_cpu, .other = s->is_all ? on_other : NULL,
					       .arg = p };
	p->options = (struct sched_pass_options){ .range = s->states.range,
						  .only = s->states.only,
						  .nr_only = s->states.nr_only,
						  .filters = s->states.filters,
						  .nr_filters = s->states.nr_filters,
						  .listener = &p->listener, .begun = on_begun,
						  .workers = trace_workers(s->trace) };
	if (!s->states.nr_filters)
		p->options.queue = run_queue_new(&p->options.range);
	for (unsigned int i = 0; i < s->own.nr_rules; i++)
		p->is_call[i] = !strcmp(s->own.names[s->own.rules[i].kind], "syscall");
}

/* Latency's pass has ended.  Without switches, the table of tasks has those that were seen. */
static void end_sched(struct summary *s)
{
	const struct task_table_options options = { .range = s->states.range,
						    .only = s->states.only,
						    .nr_only = s->states.nr_only,
						    .filters = s->states.filters,
						    .nr_filters = s->states.nr_filters,
						    .no_pairs = true };
	struct sched_part *p = &s->sched;
	struct sched_feed_totals totals;

	p->pass = latency_pass(s->latency);
	totals = sched_pass_totals(p->pass);
	if (totals.sched_records && !totals.switches) {
		p->table = task_table_new(s->trace, &options);
		task_table_wait(p->table);
		task_table_take(p->table, &p->figures);
	}
	for (unsigned int i = 0; p->cpus && i < sched_pass_nr_cpus(p->pass); i++)
		add_time(p, &p->cpus[i], totals.last_ts);
	if (p->options.queue)
		run_queue_end(p->options.queue, totals.last_ts);
	for (uint32_t i = 0; i < p->seen.nr; i++)
		sched_pass_task(p->pass, (uint32_t)p->seen.numbers[i]);
}

static void free_sched(struct sched_part *p)
{
	task_table_free(p->table);
	task_figures_fini(&p->figures);
	run_queue_free(p->options.queue);
	number_set_fini(&p->seen);
	free(p->cpus);
}

/* --- latency ---------------------------------------------------------------------------------- */

static void add_kind(struct summary *s, struct latency *latency, const char *name,
		     unsigned int number, const struct latency_kind *kind)
{
	const struct latency_instance *worst = latency_longest(kind);
	const struct latency_sums *sums = &kind->sums;
	struct fact f = { .name = name,
			  .count = sums->n,
			  .open = sums->open,
			  .has_max = sums->n,
			  .p99 = sums->p99,
			  .max = sums->max,
			  .is_guess = sums->shared,
			  .is_least = sums->late,
			  .has_at = worst,
			  .is_call = number == LATENCY_CALL };
	struct text what = { 0 };

	if (sums->chosen) {
		f.has_max &= worst && !(worst->flags & LATENCY_OPEN);
		f.max = f.has_max ? latency_duration(worst) : 0;
	}
	if (sums->n && f.max != sums->max)
		note(s, arena_printf(&s->arena, "%s: max leaves out %s", name,
				     number == LATENCY_CALL ?
					     "calls of the idle task" :
					     "sleeps that tasks chose (nanosleep, poll, …)"));
	f.has_p99 = f.has_max && f.p99 <= f.max;	/* that is of all */
	if (worst) {
		f.at = worst->start;
		f.task = arena_printf(&s->arena, "%s-%" PRIu32,
				      latency_comm(latency, worst->pid, worst->start), worst->pid);
		latency_what(latency, number, worst, number == LATENCY_WAKEUP, &what);
		f.what = arena_strndup(&s->arena, text_str(&what), what.len);
		text_fini(&what);
	}
	if (sums->n || sums->open)
		add(s, f);
	if (sums->n && latency_doubt(latency, number))
		note(s, arena_printf(&s->arena, "%s is %s", name, latency_doubt(latency, number)));
}

static int add_latency(struct summary *s, struct ft_error *err)
{
	struct latency_options options = { .what = s->states,
					   .kinds = &s->own,
					   .only = -1,
					   .wants = s->given.nr_tasks ? scope_wants : NULL,
					   .wants_arg = &s->given,
					   .keep = KEEP,
					   .unchosen = true };
	struct latency_result result = { 0 };

	latency_kinds_hooks(&s->own, s->trace, 0);
	begin_sched(s);
	if (trace_has_event(s->trace, 0, "sched:*"))
		options.also = &s->sched.options;
	if (s->calls.arg)
		options.calls = &s->calls;
	s->latency = latency_run(s->trace, &options, &result, err);
	for (unsigned int i = 0; i < result.nr; i++)
		add_kind(s, s->latency, s->own.names[i], i, &result.kinds[i]);
	list(s, "latency", &kinds, false, "kinds of latency; see ftop-trace latency");
	latency_result_fini(&result);
	return s->latency ? 0 : -1;
}

/* --- CPUs and tasks --------------------------------------------------------------------------- */

static void add_cpus(struct summary *s, bool has_switches)
{
	const struct trace_part part = { .only = s->events.only, .nr_only = s->events.nr_only };
	const struct sched_part *p = &s->sched;
	bool has = has_switches && !s->events.nr_filters;

	if (has_switches && !has)
		note(s, "CPUs have no figures of a task or a filter");
	for (unsigned int i = 0; has && i < sched_pass_nr_cpus(p->pass); i++) {
		const struct run_queue_sums queue = run_queue_sums(p->options.queue, i);
		const struct run_queue_place *at = &queue.spare_at;
		const struct cpu_times *cpu = &p->cpus[i];
		int64_t rest = (int64_t)s->span - cpu->busy - cpu->idle;
		int number = sched_pass_cpu(p->pass, i);

		if (!trace_part_has_cpu(&part, number))
			continue;
		add(s, (struct fact){ .cpu = number, .self = (uint64_t)cpu->busy,
				      .count = cpu->switches,
				      .whole = s->span,
				      .is_known = cpu->busy || cpu->idle,
				      .unknown = rest > (int64_t)(s->span / 1000) ?
							 (uint64_t)rest :
							 0,
				      .has_queue = !sched_pass_has_only(p->pass),
				      .open = queue.most,
				      .total = (uint64_t)queue.spare,
				      .doubtful = (uint64_t)queue.guessed,
				      .has_max = at->length, .has_at = at->length,
				      .max = (uint64_t)at->length, .at = at->from });
	}
	list(s, "cpu_stats", &cpus, false, "CPUs; see ftop-trace tasks --queues");
}

static void add_task(struct summary *s, const struct sched_task *t, const char *comm)
{
	if (!filter_given_wants(&s->given, t->pid, comm) || t->outside ||
	    (!s->is_all && !t->run && !t->run_cut && !t->wait))
		return;
	if (!s->given.nr_tasks && trace_is_recorder(s->trace, 0, (int)t->pid, t->to, comm)) {
		s->of_recorder = time_after(s->of_recorder, time_after(t->run, t->run_cut));
		return;
	}
	add(s, (struct fact){ .name = arena_printf(&s->arena, "%s-%" PRIu32, comm, t->pid),
			      .self = (uint64_t)time_after(t->run, t->run_cut),
			      .run = (uint64_t)t->run, .cut = (uint64_t)t->run_cut,
			      .whole = s->span,
			      .total = (uint64_t)t->wait,
			      .is_least = (t->woken_late || t->lost_waking) && t->wait,
			      .doubtful = (uint64_t)t->doubtful_wait,
			      .has_max = t->answered > t->unsure, .has_at = t->max_wakeup,
			      .max = (uint64_t)t->max_wakeup, .at = t->max_wake_ts });
}

static void add_tasks(struct summary *s, bool has_any)
{
	const struct sched_rules *rules = sched_pass_rules(s->sched.pass);
	const struct task_figures *figures = &s->sched.figures;
	const struct sched_task *t;

	for (uint32_t i = 0; i < figures->nr_tasks; i++)
		add_task(s, &figures->tasks[i], figures->text.data + figures->comms[i]);
	for (uint32_t i = 0; has_any && !s->sched.table && i < sched_rules_nr_tasks(rules); i++) {
		t = sched_rules_task(rules, i);
		if (t->listed || number_set_has(&s->sched.seen, t->pid))
			add_task(s, t, sched_pass_comm(s->sched.pass, i));
	}
	list(s, "tasks", &tasks, true, "tasks; see ftop-trace tasks");
	if (s->of_recorder)
		note(s,
		     arena_printf(
			     &s->arena,
			     "the recorder's own tasks are not listed: they ran %.1f %% of a CPU",
			     s->span ? 100 * (double)s->of_recorder / (double)s->span : 0));
}

static void note_lost(struct summary *s)
{
	const char *lost = sched_pass_lost(s->sched.pass);
	const struct sched_rules *rules = sched_pass_rules(s->sched.pass);
	uint64_t missing = sched_rules_missing(rules);
	struct text absent = { 0 };
	struct trace_status status = trace_status(s->trace);

	if (missing)
		note(s, arena_printf(&s->arena, "missing switches: at least %" PRIu64 ", %s",
				     missing, trace_missing_words(s->trace, 0)));
	if (sched_pass_absent(s->sched.pass, &absent))
		note(s, arena_printf(&s->arena, "%s: " SCHED_ABSENT_WORDS, text_str(&absent)));
	text_fini(&absent);
	if (lost)
		note(s, arena_printf(&s->arena, "%s%s", lost,
				     sched_rules_has_lost(rules, false) ?
					     ", and what lasted meanwhile is doubtful" :
					     ""));
	else if (s->is_all && (status.lost_events || status.lost_unknown))
		note(s, "events of another buffer than that of the tasks were lost");
	if (status.damaged_pages || source_is_damaged(trace_file_of(s->trace, 0)))
		note(s,
		     "parts of the trace are damaged or missing: their events are in no count, nor "
		     "among the lost ones");
}

/* Of the whole recording, like lost events. */
static void note_stolen(struct summary *s)
{
	struct text t = { 0 };

	if (machine_stolen(trace_machine(s->trace, 0), -1) && trace_stolen_text(s->trace, 0, &t))
		note(s, arena_printf(
				&s->arena,
				"stolen time, when the hypervisor ran others: %s; times that tasks "
				"ran, and all durations, contain it",
				text_str(&t)));
	text_fini(&t);
}

static void add_sched(struct summary *s)
{
	struct sched_feed_totals totals;
	struct text others = { 0 };

	end_sched(s);
	note_lost(s);
	if (sched_pass_other_buffers(s->sched.pass, &others))
		note(s, arena_printf(&s->arena, "%s", text_str(&others)));
	text_fini(&others);
	totals = sched_pass_totals(s->sched.pass);
	if (trace_is_of_tasks(s->trace, 0))
		note(s, TRACE_OF_TASKS);
	else if (!totals.switches)
		note(s, totals.sched_records ? "no sched_switch events: who ran is unknown" :
					       "no sched events: what tasks did is unknown");
	else if (sched_pass_lacks(s->sched.pass))
		note(s, sched_pass_lacks(s->sched.pass));
	add_cpus(s, totals.switches);
	add_tasks(s, totals.sched_records);
}

/* --- functions, noise ------------------------------------------------------------------------- */

static void count_functions(void *arg, unsigned int worker, bool cancelled)
{
	struct summary *s = arg;

	(void)worker;
	if (!cancelled)
		s->functions = function_table_new(s->trace, 0, s->is_all ? NULL : &s->scope, false,
						  NULL);
}

static const struct call_visitor *begin_buffer(void *arg)
{
	return function_table_begin(((struct summary *)arg)->functions);
}

static void end_buffer(void *arg, const struct call_tree *tree, const struct graph_reader *reader)
{
	function_table_end(((struct summary *)arg)->functions, tree, reader);
}

/* Latency tells of all calls of function_graph; a worker counts others meanwhile. */
static void begin_functions(struct summary *s)
{
	unsigned int buffer;

	if (!graph_has_calls(s->trace, 0, &buffer))
		return;
	if (s->is_all && trace_has_event(s->trace, 0, "ftrace:funcgraph_*")) {
		s->functions = function_table_empty(false);
		s->calls = (struct latency_calls){ begin_buffer, end_buffer, s };
		return;
	}
	trace_printer(s->trace, 0);	/* for names of functions */
	workers_add(trace_workers(s->trace), &s->group, WORKER_REQUESTED, count_functions, s);
}

static void add_functions(struct summary *s)
{
	const struct function_table *table;
	uint64_t idle = 0;

	workers_wait(trace_workers(s->trace), &s->group);
	if (s->calls.arg)
		function_table_make_rows(s->functions, s->trace, 0);
	table = s->functions;
	if (!table || !table->nr)
		note(s, "no function calls");
	else if (table->inferred)
		note(s, "calls of the tracer function have no times");
	else if (function_table_has_gap_cut(table, s->trace, 0))
		note(s, verdict_words(VERDICT_NOSLEEP, false));
	else if (!table->has_away)
		note(s, arena_printf(&s->arena, "%s; self contains time off the CPU",
				     graph_net_needs(s->trace, 0)));
	if (table && table->nr && graph_slow_alone(s->trace, 0))
		note(s, graph_slow_alone(s->trace, 0));
	for (unsigned int i = 0; table && i < table->nr; i++) {
		const struct call_total *total = table->rows[i].total;

		idle += total->idle_self;
		add(s, (struct fact){ .name = table->rows[i].name,
				      .self = total->self - total->idle_self,
				      .has_self = call_total_has_self(total),
				      .count = total->calls + total->entries,
				      .has_max = total->calls, .max = total->max,
				      .worst = total->calls ? total : NULL });
	}
	list(s, "functions", &functions, true, "functions; see ftop-trace functions");
	if (idle)
		note(s, arena_printf(&s->arena,
				     "self of functions leaves out %" PRIu64
				     " us of the idle tasks' own calls",
				     idle / 1000));
}

static void add_noise(struct summary *s)
{
	for (int t = 0; t < NOISE_TRACERS; t++) {
		const struct noise_result *r;
		struct noise *noise;
		uint64_t count = 0;

		if (!trace_has_event(s->trace, 0, noise_tracer_names[t]))
			continue;
		noise = noise_new(s->trace, (enum noise_tracer)t, &s->events);
		event_sweep_wait(noise_sweep(noise));
		r = noise_result(noise);
		for (uint32_t i = 0; i < r->nr_cpus; i++)
			count += r->cpus[i].samples;
		if (r->nr_samples)
			add(s, (struct fact){ .name = noise_tracer_names[t], .count = count,
					      .has_max = true, .max = r->samples->worst,
					      .has_at = true, .at = r->samples->ts,
					      .cpu = r->samples->cpu });
		noise_free(noise);
	}
	list(s, "noise", &samples, false, "tracers; see ftop-trace noise");
}

static void add_notes(struct summary *s)
{
	const struct source *file = trace_file_of(s->trace, 0);
	char line[512];

	note_stolen(s);
	for (unsigned int i = 0; i < source_nr_warnings(file); i++) {
		struct ft_error wrong = source_warning(file, i);

		ft_error_text(&wrong, NULL, line, sizeof(line));
		note(s, line);
	}
	if (s->is_json)
		json_out_array(&s->out, "notes");
	else
		text_add(&s->out, s->nr_notes ? "\nnotes\n" : "");
	text_bytes(&s->out, text_str(&s->notes), s->notes.len);
	if (s->is_json)
		json_out_end(&s->out, ']');
}

/* --- the command ----------------------------------------------------------------------------- */

static int select_part(struct summary *s, struct ft_error *err)
{
	s->given.several = s->of->nr > 1;
	trace_wait(s->trace);
	if (scope_init(&s->scope, &s->is_all, s->trace, &s->given, err))
		return -1;
	s->events = scope_sweep(&s->scope, &s->given, true);
	s->states = scope_sweep(&s->scope, &s->given, false);
	return scope_check(&s->scope, s->trace, &s->given, false, err);
}

static int add_all(struct summary *s, struct ft_error *err)
{
	s->is_json = s->given.format == FORMAT_JSON;
	s->is_unitless = trace_unit(s->trace) == TRACE_UNIT_COUNT;
	if (s->is_json)
		json_out_object(&s->out, NULL);
	else if (s->of->index)
		text_char(&s->out, '\n');
	begin_functions(s);
	add_top(s);
	add_events(s);
	if (add_latency(s, err))
		return -1;
	add_sched(s);
	add_functions(s);
	add_noise(s);
	add_notes(s);
	if (scope_check(&s->scope, s->trace, &s->given, true, err))
		return -1;
	if (s->is_json)
		json_out_end_line(&s->out);
	else if (s->given.ascii || output_locale_is_ascii())
		text_to_ascii(&s->out, 0);
	return output_whole(STDOUT_FILENO, &s->out, err);
}

int cmd_summary(const struct command_file *file, struct ft_error *err)
{
	struct summary s = { .of = file };
	int ret = 0;

	latency_kinds_init(&s.own);
	for (unsigned int i = 0; i < file->list->nr && ret >= 0; i++)
		ret = filter_option(&s.given, &file->list->values[i], err);
	if (ret >= 0 && s.given.format == FORMAT_CSV)
		ret = ft_error_set(err, FT_E_USAGE, -1, "--format: text or json");
	if (ret >= 0)
		s.trace = command_open(file, false, err);
	ret = s.trace && !select_part(&s, err) ? add_all(&s, err) : -1;
	if (s.trace)
		workers_wait(trace_workers(s.trace), &s.group);
	function_table_free(s.functions);
	latency_free(s.latency);
	free_sched(&s.sched);
	latency_kinds_fini(&s.own);
	scope_fini(&s.scope);
	trace_close(s.trace);
	text_fini(&s.out);
	text_fini(&s.notes);
	free(s.facts);
	arena_fini(&s.arena);
	filter_given_fini(&s.given);
	return ret;
}
