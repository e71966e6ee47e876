/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_pass.h"

#include <stdlib.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/events/verdicts.h"
#include "src/sched/run_queue.h"
#include "src/sched/limits/limits_untold.h"
#include "src/sched/sched_only.h"
#include "src/sched/limits/sched_limits.h"
#include "src/trace/trace_streams.h"

#define FAIR_SERVER	(6u << 16 | 8)	/* Linux: a deadline entity that runs nice tasks */

struct sched_pass {
	struct trace		*trace;		/* borrowed */
	struct sched_pass_options options;
	int64_t			 end_then;	/* the trace's end when it began */
	struct sched_types	*types;		/* owned, unless it is a fork */
	bool			 is_fork;
	struct name_table	*names;		/* owned, unless they are options.names */
	unsigned int		 buffer;
	bool			 seen;
	int			*cpus;		/* owned, [nr_cpus] */
	bool			*only;		/* owned, [nr_cpus]; NULL: all */
	unsigned int		 nr_cpus;
	struct sched_feed	*feed;		/* owned */
	struct sched_feed	**former;	/* owned, [nr_former]: feeds of earlier buffers */
	unsigned int		 nr_former, cap_former;
	struct sched_rules	*rules;		/* owned */
	struct sched_limits	*limits;	/* owned; NULL: not known */
	struct limits_untold	*untold;	/* owned; NULL: not done, or there are none */
	bool			 has_limits;	/* the rules have them */
	int64_t			 asked;		/* with limits, parked: it may go on up to there */
	enum sched_pass_state	 state;
};

/* Keep the feed: freeing it waits for its helpers, which may be queued behind this very worker. */
static void end_buffer(struct sched_pass *pass)
{
	mem_grow(&pass->former, pass->nr_former, &pass->cap_former);
	pass->former[pass->nr_former++] = pass->feed;
	sched_rules_free(pass->rules);
	free(pass->cpus);
	free(pass->only);
}

static bool has_waking(void *arg)
{
	return sched_feed_has_waking(arg);
}

static uint32_t limit_of_timer(void *arg, uint64_t function)
{
	const struct sched_pass *pass = arg;

	return sched_limits_of_timer(pass->trace, pass->options.file, function);
}

static bool is_only(void *arg, uint32_t pid)
{
	const struct sched_pass *pass = arg;

	return trace_is_only(pass->trace, pass->options.file, (int)pid);
}

/* The feed is there: the rules for its CPUs. */
static struct sched_rules_options rules_for(struct sched_pass *pass)
{
	const struct sched_pass_options *o = &pass->options;
	struct sched_rules_options rules = { .range = o->range, .filtered = o->nr_filters,
					     .no_sums = o->no_sums,
					     .goes_on = o->goes_on,
					     .splits = o->splits, .nr_splits = o->nr_splits,
					     .listener = o->listener, .queue = o->queue };
	unsigned int release = source_release(trace_file_of(pass->trace, o->file));

	pass->nr_cpus = sched_feed_nr_cpus(pass->feed);
	pass->cpus = mem_array(pass->nr_cpus, sizeof(*pass->cpus));
	for (unsigned int i = 0; i < pass->nr_cpus; i++)
		pass->cpus[i] = sched_feed_cpu(pass->feed, i);
	pass->only = o->only ? mem_array(pass->nr_cpus + 1, sizeof(*pass->only)) : NULL;
	for (unsigned int i = 0; o->only && i < pass->nr_cpus; i++)
		pass->only[i] = pass->cpus[i] >= 0 && (unsigned int)pass->cpus[i] < o->nr_only &&
				o->only[pass->cpus[i]];
	rules.only = pass->only;
	rules.has_waking = pass->types->has_waking ? has_waking : NULL;
	rules.waking_arg = pass->feed;
	rules.limit_of_timer = limit_of_timer;
	rules.timer_arg = pass;
	rules.has_prios = pass->types->has_prios;
	rules.has_server = !release || release >= FAIR_SERVER;
	rules.tells_preempted = pass->types->states.preempted;
	rules.lacks_flags = pass->types->lacks_flags;
	rules.nr_cpus = pass->nr_cpus;
	rules.cpus = pass->cpus;
	rules.lacks_cpus = trace_lacks_cpus(pass->trace, o->file, pass->buffer);
	if (trace_has_only(pass->trace, o->file, &rules.only_children))
		rules.is_only = is_only;
	rules.only_arg = pass;
	return rules;
}

static void begin_buffer(struct sched_pass *pass, unsigned int buffer, bool seen)
{
	const struct sched_pass_options *o = &pass->options;
	struct sched_rules_options rules;

	pass->buffer = buffer;
	pass->seen = seen;
	pass->feed = sched_feed_new(&(struct sched_feed_options){
		.scan = { .trace = pass->trace, .types = pass->types, .names = pass->names,
			  .pairs = o->pairs, .nameless = o->nameless, .last_seen = seen,
			  .filters = o->filters, .nr_filters = o->nr_filters },
		.file = o->file, .buffer = buffer, .workers = o->workers, .stopped = o->stopped,
		.parks = o->parks });
	rules = rules_for(pass);
	pass->rules = sched_rules_new(&rules);
	if (o->queue)
		run_queue_begin(o->queue, pass);
	if (o->begun)
		o->begun(o->listener->arg, pass);
}

bool sched_lacks_wakes(struct trace *trace, unsigned int file)
{
	return trace_has_switches(trace, file) && !trace_has_event(trace, file, "sched_waking") &&
	       !trace_has_event(trace, file, "sched_wakeup") &&
	       !trace_has_event(trace, file, "sched_wakeup_new");
}

const char *sched_pass_lacks(const struct sched_pass *pass)
{
	struct sched_feed_totals totals = sched_pass_totals(pass);

	if (totals.switches && !totals.wakes)
		return verdict_words(VERDICT_LACKS_WAKES, false);
	return sched_rules_has_late(pass->rules) ? verdict_words(VERDICT_LACKS_WAKING, false) :
						   NULL;
}

static struct sched_pass *alloc_pass(struct trace *trace, const struct sched_pass_options *options)
{
	static const atomic_bool never;
	struct sched_pass *pass = mem_alloc(sizeof(*pass));

	pass->trace = trace;
	pass->end_then = trace_end(trace);
	pass->options = *options;
	if (!options->stopped)
		pass->options.stopped = &never;
	return pass;
}

struct sched_pass *sched_pass_new(struct trace *trace, const struct sched_pass_options *options)
{
	struct sched_pass *pass = alloc_pass(trace, options);

	pass->types = sched_types_new(trace, options->file,
				      options->pictures || options->interrupts, options->calls);
	pass->names = options->names ? options->names : name_table_new();
	sched_only_find(trace, options->file, pass->types);
	begin_buffer(pass, options->one_buffer ? options->buffer : 0, false);
	if (options->limits)
		pass->limits = sched_limits_new(trace, options);
	pass->asked = INT64_MIN;
	return pass;
}

struct sched_pass *sched_pass_fork(const struct sched_pass *parked,
				   const struct sched_pass_options *options)
{
	struct sched_pass *pass = alloc_pass(parked->trace, options);
	struct sched_rules_options rules;

	pass->is_fork = true;
	pass->types = parked->types;
	pass->options.names = pass->names = parked->names;
	pass->buffer = parked->buffer;
	pass->feed = sched_feed_fork(parked->feed, options->workers, pass->options.stopped);
	rules = rules_for(pass);
	pass->rules = sched_rules_fork(parked->rules, &rules);
	if (sched_feed_is_wrong(pass->feed)) {
		end_buffer(pass);
		begin_buffer(pass, parked->buffer, false);
		if (parked->limits)
			pass->limits = sched_limits_new(pass->trace, options);
	} else if (parked->limits) {
		pass->limits = sched_limits_fork(parked->limits, options);
	}
	return pass;
}

void sched_pass_free(struct sched_pass *pass)
{
	if (!pass)
		return;
	end_buffer(pass);
	for (unsigned int i = 0; i < pass->nr_former; i++)
		sched_feed_free(pass->former[i]);
	free(pass->former);
	sched_limits_free(pass->limits);
	limits_untold_free(pass->untold);
	if (pass->names != pass->options.names)
		name_table_free(pass->names);
	if (!pass->is_fork)
		free(pass->types);
	free(pass);
}

/* Without scheduling records, the tasks seen are shown, of a buffer that has events. */
static unsigned int first_with_events(const struct sched_pass *pass)
{
	for (unsigned int i = 0; i < trace_nr_streams(pass->trace); i++)
		if (trace_stream_at(pass->trace, i)->source == pass->options.file &&
		    trace_stream_at(pass->trace, i)->has_events)
			return trace_stream_at(pass->trace, i)->buffer;
	return 0;
}

/* The buffer has ended: should another one be read, or this one again for the tasks seen? */
static bool look_again(struct sched_pass *pass, const struct sched_feed_totals *totals)
{
	unsigned int nr = source_nr_buffers(trace_file_of(pass->trace, pass->options.file));
	bool any = totals->sched_records, more = !any && pass->buffer + 1 < nr;
	unsigned int next = any ? pass->buffer : more ? pass->buffer + 1 : first_with_events(pass);
	bool seen = !more && pass->options.pictures && !totals->switches;

	/* no buffer has such records, and none is read for the tasks seen: this is the end */
	if (pass->options.one_buffer || pass->seen || !(more || seen))
		return false;
	end_buffer(pass);
	begin_buffer(pass, next, seen);
	pass->has_limits = false;
	return true;
}

static void finish(struct sched_pass *pass)
{
	struct sched_feed_totals totals = sched_pass_totals(pass);

	if (look_again(pass, &totals))
		return;
	if (totals.any)
		sched_rules_end(pass->rules, totals.last_ts, totals.migrations);
	if (pass->options.limits && !pass->options.parks)
		pass->untold = limits_untold_new(pass->trace, pass->options.file, pass->limits);
	pass->state = SCHED_PASS_DONE;
}

/* A record may have told what the numbers of states are. */
static void see_states(struct sched_pass *pass)
{
	struct sched_states *states = &pass->types->states;
	unsigned int told = sched_feed_totals(pass->feed).classes;
	bool bits = told & SCHED_CLASS_TELLS_BITS;

	if (states->encoding != SCHED_STATES_ARE_UNSURE ||
	    !(bits || told & SCHED_CLASS_TELLS_NUMBERS))
		return;
	states->encoding = bits ? SCHED_STATES_ARE_BITS : SCHED_STATES_ARE_NUMBERS;
	trace_see_task_states(pass->trace, pass->options.file, states->encoding);
}

/* Who is throttled is found before the first record. */
static enum sched_pass_state find_limits(struct sched_pass *pass, uint64_t records)
{
	enum sched_pass_state state = sched_limits_step(pass->limits, records);
	const struct sched_limit_edge *edges;
	uint32_t nr;

	if (state == SCHED_PASS_MORE)
		return state;
	edges = sched_limits_edges(pass->limits, &nr);
	sched_rules_limit(pass->rules, edges, nr);
	pass->has_limits = true;
	if (state == SCHED_PASS_PARKED) {
		int64_t decided = sched_limits_decided(pass->limits);

		sched_feed_go_on(pass->feed, pass->asked < decided ? pass->asked : decided);
	}
	if (state == SCHED_PASS_STOPPED)
		pass->state = state;
	return SCHED_PASS_DONE;
}

enum sched_pass_state sched_pass_step(struct sched_pass *pass, uint64_t records)
{
	struct sched_item items[SCHED_ITEMS];

	if (pass->limits && !pass->has_limits && find_limits(pass, records) == SCHED_PASS_MORE)
		return SCHED_PASS_MORE;

	for (uint64_t done = 0; pass->state == SCHED_PASS_MORE && done < records;) {
		uint32_t nr = sched_feed_next(pass->feed, items);

		see_states(pass);
		if (!sched_rules_take(pass->rules, items, nr))
			pass->state = SCHED_PASS_FULL;
		else if (nr)
			done += nr;
		else if (pass->options.parks && !atomic_load(pass->options.stopped)) {
			sched_rules_settle(pass->rules, sched_feed_until(pass->feed));
			return SCHED_PASS_PARKED;
		} else if (atomic_load(pass->options.stopped))
			pass->state = SCHED_PASS_STOPPED;
		else
			finish(pass);
	}
	return pass->state;
}

int sched_pass_run(struct sched_pass *pass, struct ft_error *err)
{
	while (pass->state == SCHED_PASS_MORE)
		sched_pass_step(pass, UINT64_MAX);
	if (pass->state != SCHED_PASS_FULL)
		return 0;
	return ft_error_set(err, FT_E_LIMIT, -1, "%s: more than %u tasks, the limit of the kernel",
			    trace_path(pass->trace, pass->options.file), SCHED_MAX_TASKS);
}

uint64_t sched_count_missing(struct trace *trace, struct text *absent)
{
	const struct sched_pass_options options = { .no_sums = true,
						    .nameless = true,
						    .workers = trace_workers(trace) };
	struct sched_pass *pass = sched_pass_new(trace, &options);
	struct ft_error ignored;
	uint64_t nr;

	sched_pass_run(pass, &ignored);
	nr = sched_rules_missing(sched_pass_rules(pass));
	sched_pass_absent(pass, absent);
	sched_pass_free(pass);
	return nr;
}

void sched_pass_go_on(struct sched_pass *pass, int64_t until)
{
	if (!pass->limits || (pass->has_limits && until <= sched_limits_decided(pass->limits))) {
		sched_feed_go_on(pass->feed, until);
		return;
	}
	pass->asked = until;
	pass->has_limits = false;
	sched_limits_go_on(pass->limits, sched_feed_until(pass->feed));
}

int64_t sched_pass_until(const struct sched_pass *pass)
{
	return sched_feed_until(pass->feed);
}

bool sched_pass_outlive(struct sched_pass *pass)
{
	return sched_feed_outlive(pass->feed) &&
	       (!pass->limits || sched_limits_outlive(pass->limits));
}

static bool is_before(const struct sched_pass *pass, int64_t until)
{
	return pass->state == SCHED_PASS_MORE && sched_feed_until(pass->feed) <= until &&
	       !sched_types_are_wrong(pass->types, pass->trace, pass->options.file) &&
	       (!pass->options.limits ||
		sched_limits_serve(pass->limits, pass->trace, pass->options.file));
}

bool sched_pass_serves(const struct sched_pass *pass, int64_t until)
{
	return is_before(pass, until) && !sched_feed_is_stale(pass->feed);
}

bool sched_pass_follows(const struct sched_pass *pass, int64_t until)
{
	int64_t first, last;

	return is_before(pass, until) && !sched_feed_is_wrong(pass->feed) &&
	       sched_feed_has_all(pass->feed) &&
	       trace_file_span(pass->trace, pass->options.file, &first, &last) &&
	       first < pass->end_then;
}

enum sched_pass_state sched_pass_reach(struct sched_pass *pass, int64_t until, uint64_t records)
{
	enum sched_pass_state state = SCHED_PASS_STOPPED;

	if (sched_pass_follows(pass, until)) {
		sched_pass_outlive(pass);
		sched_pass_go_on(pass, until);
		state = sched_pass_step(pass, records);
	}
	/* what was appended may have told that it was wrong */
	return state == SCHED_PASS_PARKED && !sched_pass_follows(pass, until) ? SCHED_PASS_STOPPED :
										state;
}

void sched_pass_turn(struct sched_pass *pass, const struct time_slices *slices,
		     const struct time_range *range)
{
	sched_rules_turn(pass->rules, slices, range);
}

void sched_pass_forget(struct sched_pass *pass, uint32_t nr)
{
	sched_rules_forget(pass->rules, nr);
}

int64_t sched_pass_key(const struct sched_pass *pass)
{
	return sched_feed_key(pass->feed);
}

uint32_t sched_pass_task(struct sched_pass *pass, uint32_t pid)
{
	return sched_rules_add(pass->rules, pid);
}

int32_t sched_pass_cpu_index(const struct sched_pass *pass, uint32_t number)
{
	return sched_rules_cpu(pass->rules, number);
}

const struct sched_rules *sched_pass_rules(const struct sched_pass *pass)
{
	return pass->rules;
}

const struct sched_types *sched_pass_types(const struct sched_pass *pass)
{
	return pass->types;
}

struct trace *sched_pass_trace(const struct sched_pass *pass)
{
	return pass->trace;
}

struct sched_feed_totals sched_pass_totals(const struct sched_pass *pass)
{
	struct sched_feed_totals totals = sched_feed_totals(pass->feed);
	int64_t end = trace_end(pass->trace);

	if (pass->options.goes_on && totals.any && totals.last_ts < end - 1)
		totals.last_ts = end - 1;
	return totals;
}

unsigned int sched_pass_buffer(const struct sched_pass *pass)
{
	return pass->buffer;
}

bool sched_pass_is_seen(const struct sched_pass *pass)
{
	return pass->seen;
}

unsigned int sched_pass_nr_cpus(const struct sched_pass *pass)
{
	return pass->nr_cpus;
}

int sched_pass_cpu(const struct sched_pass *pass, unsigned int i)
{
	return pass->cpus[i];
}

/* Switches and wake-ups of all buffers. */
static uint64_t count_all(const struct sched_pass *pass)
{
	struct trace_type_count *types;
	unsigned int nr = trace_type_counts(pass->trace, &types);
	uint64_t events = 0;

	for (unsigned int i = 0; i < nr; i++)
		if (types[i].file == pass->options.file && types[i].type &&
		    (event_type_is(types[i].type, "sched:sched_switch") ||
		     event_type_is(types[i].type, "sched:sched_waking") ||
		     event_type_is(types[i].type, "sched:sched_wakeup*")))
			events += types[i].events;
	free(types);
	return events;
}

bool sched_pass_other_buffers(const struct sched_pass *pass, struct text *out)
{
	struct sched_feed_totals totals = sched_pass_totals(pass);
	unsigned int last = pass->buffer, nr = 0;

	if (source_nr_buffers(trace_file_of(pass->trace, pass->options.file)) < 2)
		return false;
	trace_wait_all(pass->trace);
	if (count_all(pass) <= totals.switches + totals.wakes)
		return false;
	text_add(out, "tasks and CPUs are those of one buffer; these are left out: ");
	for (unsigned int i = 0; i < trace_nr_streams(pass->trace); i++) {
		struct trace_stream_info s = trace_stream_info(pass->trace, i);

		if (s.file != pass->options.file || s.buffer == pass->buffer || !s.events ||
		    s.buffer == last)
			continue;
		text_add(out, nr++ ? ", " : "");
		if (*s.buffer_name)
			text_printable(out, s.buffer_name, strlen(s.buffer_name));
		else
			text_add(out, "the top one");
		last = s.buffer;
	}
	return true;
}

bool sched_pass_has_only(const struct sched_pass *pass)
{
	bool children;

	return trace_has_only(pass->trace, pass->options.file, &children);
}

bool sched_pass_lacks_cpus(const struct sched_pass *pass)
{
	return trace_lacks_cpus(pass->trace, pass->options.file, pass->buffer);
}

const char *sched_pass_left_out(const struct sched_pass *pass)
{
	return sched_pass_has_only(pass)           ? verdict_words(VERDICT_ONLY_TASKS, false) :
	       sched_rules_lacks_cpus(pass->rules) ? verdict_words(VERDICT_WITHOUT_CPUS, false) :
						     NULL;
}

bool sched_pass_is_partial(const struct sched_pass *pass)
{
	return sched_rules_missing(pass->rules) || sched_pass_left_out(pass);
}

/* Of a ring, the first records of CPUs are of different times. */
static bool only_let_go(const struct sched_pass *pass)
{
	return !sched_rules_has_lost(pass->rules, true) &&
	       trace_has_let_go(pass->trace, pass->options.file);
}

const char *sched_pass_lost(const struct sched_pass *pass)
{
	const char *left_out = sched_pass_left_out(pass);
	bool has_lost = sched_rules_has_lost(pass->rules, false);

	if (left_out || (!has_lost && !sched_rules_missing(pass->rules)))
		return left_out;
	return verdict_words(!has_lost         ? VERDICT_SWITCHES_MISSING :
			     only_let_go(pass) ? VERDICT_NOT_KEPT :
			     trace_is_thinned(pass->trace, pass->options.file) ?
						 VERDICT_EVENTS_CUT :
						 VERDICT_EVENTS_LOST,
			     false);
}

const struct limits_untold *sched_pass_untold(const struct sched_pass *pass)
{
	return pass->untold;
}

const struct sched_limits *sched_pass_limits(const struct sched_pass *pass)
{
	return pass->limits;
}

/* @cpu: -1: all of them. */
static void add_absent(const struct sched_pass *pass, enum trace_absent why, bool inferred, int cpu,
		       int64_t time, struct text *out)
{
	if (time <= 0)
		return;
	text_add(out, out->len ? ", " : "");
	if (cpu >= 0)
		text_printf(out, "CPU %d ", pass->cpus[cpu]);
	text_printf(out, "%s for %.3f s", trace_absent_name(why, inferred), (double)time / 1e9);
}

bool sched_pass_absent(const struct sched_pass *pass, struct text *out)
{
	const struct sched_rules *rules = pass->rules;

	for (unsigned int kind = 0; kind < 2 * TRACE_OFFLINE; kind++) {
		enum trace_absent why = kind / 2;
		int64_t longest = 0;

		/* a CPU may have lost events, too: then these are its gap */
		for (unsigned int i = 0; why && i < pass->nr_cpus; i++) {
			int64_t time = sched_rules_absent(rules, i, why, kind % 2);

			longest = time > longest ? time : longest;
		}
		add_absent(pass, why, kind % 2, -1, longest, out);
	}
	for (unsigned int i = 0; i < pass->nr_cpus; i++)
		add_absent(pass, TRACE_OFFLINE, true, (int)i,
			   sched_rules_absent(rules, i, TRACE_OFFLINE, true), out);
	return out->len;
}

unsigned int sched_pass_stream(const struct sched_pass *pass, unsigned int i)
{
	return sched_feed_stream(pass->feed, i);
}

const char *sched_pass_name(const struct sched_pass *pass, uint32_t name)
{
	return name_table_text(pass->names, name);
}

struct sched_task *sched_pass_give_tasks(struct sched_pass *pass)
{
	return sched_rules_give_tasks(pass->rules);
}

const char *sched_pass_comm_of(const struct sched_pass *pass, const struct sched_task *task,
			       uint32_t comm)
{
	const char *saved;

	if (!comm)
		comm = task->first_comm;
	if (comm)
		return name_table_text(pass->names, comm);
	saved = comm_table_saved_name(trace_source_at(pass->trace, pass->options.file)->comms,
				      (int)task->pid);
	return saved ? saved : "<...>";
}

const char *sched_pass_comm_at(const struct sched_pass *pass, uint32_t task, uint32_t comm)
{
	if (task == SCHED_IDLE_TASK)
		return "<idle>";
	if (task == SCHED_NO_TASK)
		return "<...>";
	return sched_pass_comm_of(pass, sched_rules_task(pass->rules, task), comm);
}

const char *sched_pass_comm(const struct sched_pass *pass, uint32_t task)
{
	return sched_pass_comm_at(pass, task,
				  task < SCHED_IDLE_TASK ?
					  sched_rules_task(pass->rules, task)->comm :
					  0);
}
