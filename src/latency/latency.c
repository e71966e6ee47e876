/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The job: each buffer's pairs and states (latency_pass.c), then all calls (latency_calls.c).  The
 * rules of a kind have one list of instances, but for rules with `or`: the result is that of one.
 */
#include "src/latency/latency.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/events/verdicts.h"
#include "src/latency/latency_private.h"
#include "src/trace/syscall_names.h"
#include "src/trace/trace_streams.h"

/* some ms: then other jobs get their turn, and the screen gets new figures */
#define RECORDS_PER_JOB (1u << 18)
#define DURATION_BYTES	(64u << 20)	/* for percentiles of all kinds together */
#define COARSE_BITS	9u		/* leading bits kept of durations: at most 0.4 % too low */

void latency_result_fini(struct latency_result *result)
{
	for (unsigned int i = 0; i < result->nr; i++) {
		free(result->kinds[i].worst.list);
		free(result->kinds[i].opens.list);
	}
	free(result->absent);
	free(result->kinds);
	*result = (struct latency_result){ 0 };
}

/* --- results ---------------------------------------------------------------------------------- */

static uint64_t nr_ended(const struct latency_list *list)
{
	return list->sums.n + list->sums.doubtful + list->left_out;
}

/* The list that counts, of those of the rules of a kind. */
static struct latency_list *list_of_kind(struct latency *l, unsigned int kind, bool *replaced)
{
	const struct latency_kinds *kinds = l->options.kinds;
	struct latency_list *list = NULL;

	for (unsigned int i = 0; i < kinds->nr_rules; i++)
		if (kinds->rules[i].kind == kind &&
		    (!list || nr_ended(l->rules[i].list) > 2 * nr_ended(list)))
			list = l->rules[i].list;
	for (unsigned int i = 0; i < kinds->nr_rules; i++)
		if (kinds->rules[i].kind == kind)
			replaced[i] = l->rules[i].list != list;
	return list;
}

static unsigned int permille_of(const struct latency *l)
{
	uint64_t pages = 0, all = 1;

	if (l->calls)
		return 500 + call_job_permille(l->calls) / 2;
	for (unsigned int i = 0; i < l->nr_buffers && l->passes[i]; i++) {
		struct sched_feed_totals totals = sched_pass_totals(l->passes[i]);

		pages += totals.pages;
		all += totals.all_pages;
	}
	return (unsigned int)(pages * 1000 / all) / (latency_has_calls(l) ? 2 : 1);
}

static void free_result(struct latency_result *result)
{
	if (result)
		latency_result_fini(result);
	free(result);
}

void latency_publish(struct latency *l, bool done)
{
	struct latency_result *result = mem_alloc(sizeof(*result));

	*result = (struct latency_result){
		.nr = l->options.kinds->nr, .done = done, .failed = l->full, .damaged = l->damaged,
		.missing = l->missing, .left_out = l->left_out,
		.absent = mem_strdup(text_str(&l->absent)),
		.last_ts = l->last_ts, .unmeasured = l->jiffies.nr,
		.lacks_wakes = done && l->lacks_wakes, .lacks = done ? l->lacks : NULL,
		.lacks_irqs = done && l->lacks_irqs,
		.permille = done ? 1000 : permille_of(l),
	};
	result->kinds = mem_array(result->nr, sizeof(*result->kinds));
	for (unsigned int i = 0; i < result->nr; i++)
		latency_list_result(list_of_kind(l, i, result->replaced), l->options.keep, done,
				    &result->kinds[i]);
	free_result(sched_job_publish(&l->job, result));
}

/* Too many different durations: drop their low bits. */
static void check_memory(struct latency *l)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < l->options.kinds->nr_rules; i++)
		bytes += duration_set_bytes(&l->lists[i].durations);
	for (unsigned int i = 0; bytes > DURATION_BYTES && i < l->options.kinds->nr_rules; i++) {
		struct latency_list *list = &l->lists[i];

		if (!list->durations.nr)
			continue;
		duration_set_coarsen(&list->durations, COARSE_BITS);
		list->sums.rounded = true;
	}
}

/* --- the worker ------------------------------------------------------------------------------- */

/*
 * Begin with the next buffer; or read a piece of what was before the range.  False: there is more
 * of that.
 */
static bool begin_pass(struct latency *l)
{
	enum sched_pass_state state = SCHED_PASS_STOPPED;

	if (l->before && !l->buffer)
		state = sched_pass_reach(l->before->pass, l->options.what.range.from,
					 RECORDS_PER_JOB);
	if (state == SCHED_PASS_PARKED)
		latency_pass_follow(l);
	else if (state != SCHED_PASS_MORE)
		latency_pass_begin(l);
	return state != SCHED_PASS_MORE;
}

static bool measure(void *arg)
{
	struct latency *l = arg;
	enum sched_pass_state state;

	if (l->host.guest && !l->vcpus) {
		l->vcpus = host_vcpus_new(&l->host, &l->job.stopped);
		l->host.guest = l->vcpus ? l->host.guest : NULL;
	}
	if (!l->pass && !begin_pass(l))
		return true;
	state = sched_pass_step(l->pass, RECORDS_PER_JOB);
	if (state == SCHED_PASS_STOPPED)
		return false;
	check_memory(l);
	l->full |= state == SCHED_PASS_FULL;
	if (state != SCHED_PASS_MORE) {
		latency_pass_end(l);
		l->pass = NULL;
		l->buffer++;
	}
	if (l->buffer < l->nr_buffers) {
		/* the next window comes soon: parts of it are not worth their cost */
		if (!l->before && atomic_load(&l->job.wanted))
			latency_publish(l, false);
		return true;
	}
	if (!latency_has_calls(l) || !latency_calls_start(l))
		latency_publish(l, true);
	return false;
}

/* --- the caller's thread ---------------------------------------------------------------------- */

/* @before: what was before the range, or NULL.  NULL, as latency_new(). */
static struct latency *alloc_latency(struct trace *trace, const struct latency_options *options,
				     struct latency *before, struct ft_error *err)
{
	struct latency *l = mem_alloc(sizeof(*l));

	l->trace = trace;
	l->options = *options;
	l->before = before;
	l->locks = lock_reader_new(trace);
	l->rules = mem_array(options->kinds->nr_rules, sizeof(*l->rules));
	l->lists = mem_array(options->kinds->nr_rules, sizeof(*l->lists));
	l->nr_buffers = source_nr_buffers(trace_file_of(trace, options->what.file));
	l->passes = mem_array(l->nr_buffers + 1, sizeof(*l->passes));
	if (before) {
		before->users++;
		l->names = before->names;
		l->comms = before->comms;
		l->ends = before->ends;
	} else {
		l->names = options->like ? options->like->names : name_table_new();
		l->comms = comm_table_new();
	}
	if (!before && latency_ends_init(l, err)) {
		latency_free(l);
		return NULL;
	}
	if (!before)
		latency_pass_find_host(l);
	if (syscall_names_of_32(source_info(trace_file_of(trace, options->what.file))->uname,
				&l->from_32, &l->to_32))
		l->of_32 = mem_array(LATENCY_OF_32, sizeof(*l->of_32));
	latency_pass_init(l);
	return l;
}

static void start(struct latency *l)
{
	trace_printer(l->trace, l->options.what.file);	/* for names of functions */
	atomic_store(&l->job.wanted, l->options.keep != 0);
	sched_job_start(&l->job, trace_workers(l->trace), measure, l);
}

struct latency *latency_new(struct trace *trace, const struct latency_options *options,
			    struct ft_error *err)
{
	struct latency *l = alloc_latency(trace, options, NULL, err);

	if (!l)
		return NULL;
	latency_pass_begin(l);
	start(l);
	return l;
}

/* What is before any range.  NULL, as latency_new(). */
static struct latency *new_before(struct trace *trace, const struct latency_options *options,
				  struct ft_error *err)
{
	struct latency_options o = { .what.file = options->what.file, .kinds = options->kinds,
				     .only = options->only, .without = options->without };
	struct latency *before;

	o.what.range = (struct time_range){ true, INT64_MAX, INT64_MIN };
	before = alloc_latency(trace, &o, NULL, err);
	if (!before)
		return NULL;
	before->parks = true;
	latency_pass_begin(before);
	return before;
}

static bool can_follow(struct trace *trace, const struct latency_options *o)
{
	return trace_grows(trace) && o->what.range.set && !o->outside && !o->what.nr_filters &&
	       !o->like && !o->also && !o->calls &&
	       source_nr_buffers(trace_file_of(trace, o->what.file)) == 1;
}

struct latency *latency_next(const struct latency *former, struct trace *trace,
			     const struct latency_options *options, struct ft_error *err)
{
	struct latency *before = former ? former->before : NULL, *l;

	if (!can_follow(trace, options))
		return latency_new(trace, options, err);
	if (!before || before->options.what.file != options->what.file ||
	    before->options.kinds != options->kinds || before->options.only != options->only ||
	    before->options.without != options->without ||
	    !sched_pass_follows(before->pass, options->what.range.from))
		before = new_before(trace, options, err);
	if (!before)
		return NULL;
	l = alloc_latency(trace, options, before, err);
	start(l);
	return l;
}

/* What all windows of a trace that grows share. */
static void free_shared(struct latency *l)
{
	if (l->before) {
		if (!--l->before->users)
			latency_free(l->before);
		return;
	}
	latency_ends_free(l->ends);
	comm_table_free(l->comms);
	if (!l->options.like)
		name_table_free(l->names);
}

void latency_free(struct latency *l)
{
	if (!l)
		return;
	sched_job_stop(&l->job);
	latency_calls_finish(l);
	for (unsigned int i = 0; i < l->nr_buffers; i++)
		sched_pass_free(l->passes[i]);
	for (unsigned int i = 0; i < l->options.kinds->nr_rules; i++) {
		latency_open_fini(&l->rules[i].open);
		latency_list_fini(&l->lists[i]);
	}
	sched_interrupts_fini(&l->interrupts);
	text_fini(&l->absent);
	free_shared(l);
	free_result(sched_job_take(&l->job));
	lock_reader_free(l->locks);
	free(l->jiffies.waiting);
	free(l->passes);
	free(l->rules);
	free(l->lists);
	free(l->stretches);
	free(l->busy);
	free(l->paused);
	host_vcpus_free(l->vcpus);
	free(l->tasks);
	free(l->of_32);
	free(l);
}

bool latency_take(struct latency *l, struct latency_result *result)
{
	struct latency_result *ready = sched_job_take(&l->job);

	if (!ready)
		return false;
	latency_result_fini(result);
	*result = *ready;
	free(ready);
	return true;
}

void latency_wait(struct latency *l)
{
	sched_job_wait(&l->job);
	call_job_wait(l->calls);
}

struct sched_pass *latency_pass(const struct latency *l)
{
	return l->sched;
}

static struct latency *run(struct trace *trace, const struct latency_options *options,
			   struct latency_result *result, struct ft_error *err)
{
	struct latency *latency = latency_new(trace, options, err);

	if (latency) {
		latency_wait(latency);
		latency_take(latency, result);
	}
	return latency;
}

/* How many events begin an instance of a rule: it cannot find more. */
static uint64_t nr_starts(struct trace *trace, unsigned int file, const struct latency_rule *rule)
{
	const struct latency_event *start = &rule->ends[0];
	struct trace_type_count *types;
	unsigned int nr = trace_type_counts(trace, &types);
	struct text name = { 0 };
	uint64_t starts = 0;

	text_printf(&name, "%s%s%s", start->system ?: "", start->system ? ":" : "", start->name);
	for (unsigned int i = 0; i < nr; i++)
		if (types[i].file == file && types[i].type &&
		    event_type_is(types[i].type, text_str(&name)))
			starts += types[i].events;
	text_fini(&name);
	free(types);
	return starts;
}

/* Rules with `or` that seem not to count: @starts are their starts, 0 for all other rules. */
static bool find_others(struct trace *trace, const struct latency_options *o, uint64_t *starts)
{
	const struct latency_rule *rules = o->kinds->rules;
	bool any = false;

	for (unsigned int i = LATENCY_OWN_KINDS; i < o->kinds->nr_rules; i++) {
		uint64_t first = 0;

		/* silences are few, however many ticks there are */
		if (!rules[i].otherwise || rules[i].silent)
			continue;
		for (unsigned int k = LATENCY_OWN_KINDS; k < i; k++)
			if (rules[k].kind == rules[i].kind && !rules[k].otherwise)
				first += nr_starts(trace, o->what.file, &rules[k]);
		starts[i] = nr_starts(trace, o->what.file, &rules[i]);
		if (starts[i] > 2 * first)
			starts[i] = 0;
		any |= starts[i] != 0;
	}
	return any;
}

/* None of them would count, even if each of its starts had an end. */
static bool is_sure(const struct latency_kinds *kinds, const struct latency_result *result,
		    const uint64_t *starts)
{
	bool sure = true;

	for (unsigned int i = 0; i < kinds->nr_rules; i++) {
		const struct latency_sums *sums = &result->kinds[kinds->rules[i].kind].sums;

		sure &= starts[i] <= 2 * (sums->n + sums->doubtful);
	}
	return sure;
}

struct latency *latency_run(struct trace *trace, const struct latency_options *options,
			    struct latency_result *result, struct ft_error *err)
{
	const struct event_sweep_options *what = &options->what;
	bool all = !what->range.set && !what->only && !what->nr_filters && !options->wants;
	uint64_t starts[LATENCY_MOST_RULES] = { 0 };
	bool without[LATENCY_MOST_RULES] = { false };
	struct latency_options fewer = *options;
	struct latency *latency;

	if (!all || options->each || options->calls || options->without ||
	    !trace_status(trace).complete || !find_others(trace, options, starts))
		return run(trace, options, result, err);
	for (unsigned int i = 0; i < options->kinds->nr_rules; i++)
		without[i] = starts[i];
	fewer.without = without;
	latency = run(trace, &fewer, result, err);
	if (!latency || is_sure(options->kinds, result, starts))
		return latency;
	latency_free(latency);
	return run(trace, options, result, err);
}

bool latency_knows_host(const struct latency *l)
{
	return l->vcpus;
}

const char *latency_doubt(const struct latency *l, unsigned int kind)
{
	if (latency_knows_host(l) || !latency_kinds_is_silent(l->options.kinds, (int)kind))
		return NULL;
	return verdict_words(VERDICT_STEAL, false);
}

const char *latency_comm(const struct latency *l, uint32_t pid, int64_t ts)
{
	const char *name = comm_table_at(l->comms, (int)pid, ts), *saved = NULL;

	if (!strcmp(name, "<...>"))
		saved = comm_table_saved_name(trace_source_at(l->trace, l->options.what.file)
						      ->comms,
					      (int)pid);
	return saved ? saved : name;
}

struct tgid_life latency_life(const struct latency *l, uint32_t pid, int64_t ts)
{
	struct tgid_life life;

	tgid_table_life(trace_source_at(l->trace, l->options.what.file)->tgids, (int)pid, ts,
			&life);
	return life;
}

void latency_task_text(const struct latency *l, uint32_t pid, int64_t ts, bool now,
		       struct text *out)
{
	const char *then = latency_comm(l, pid, ts);
	const char *last = latency_comm(l, pid, latency_life(l, pid, ts).to);

	text_add(out, then);
	if (pid)
		text_printf(out, "-%" PRIu32, pid);
	if (now && strcmp(then, last) != 0)
		text_printf(out, " (now %s)", last);
	if (now && trace_is_recorder(l->trace, l->options.what.file, (int)pid, ts, then))
		text_add(out, TRACE_OWN);
}
