/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/stacks/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/sched/sched_job.h"
#include "src/sched/task_pairs.h"
#include "src/trace/trace_user.h"

#define NO_STACK	"[no stack]"
#define MOST_CURSORS	1024u
#define NEXT_ROWS	4u			/* rows passed over before a seek is cheaper */
#define RECORDS_PER_JOB	20000u			/* others get their turn in between */

struct stack_frames {			/* a name and stacks, the outermost first; or two */
	uint64_t	 list[4 * TRACE_MAX_STACK + 5];
	unsigned int	 nr;
};

struct stack_parts {			/* stacks of one event at the end of frames */
	unsigned int	 first;		/* frame */
	unsigned int	 nr_user;	/* frames of user space before the kernel's; 0: behind */
	bool		 has_user, has_kernel;
	bool		 sampled;	/* no function recorded the event */
};

struct counted_event {			/* an event whose stacks may follow */
	char		 name[128];	/* "": it is not wanted, or there is none */
	struct trace_event event;	/* its data are not valid any more */
	uint64_t	 weight, ip;	/* of a sample of perf; ip 0: not known */
	bool		 interrupted;	/* since then: a stack may be another event's */
	bool		 lost;		/* events were lost before: a stack may be of one of them */
	/* Without flags, interrupts have no context of their own: an event that has no stack yet
	 * may get one behind others. */
	bool		 awaits, unsure;	/* its stack; its stacks may be of an earlier one */
	struct stack_parts parts;	/* its stacks so far, in: */
	struct stack_frames stack;
};

struct wait {				/* a task's wait */
	uint32_t	 off;		/* a path of the store: its name and its stack */
	bool		 is_open;	/* it has begun in what is asked for, and not ended */
	bool		 has_stack;
};

struct stacks_before {			/* what was before a window; the next one goes on there */
	struct sched_pass *pass;	/* owned; parks, without sums */
	unsigned int	 users;		/* windows that have it, whose passes are forks */
};

struct stacks {
	struct trace	*trace;		/* borrowed */
	struct stacks_options options;
	/* The worker's until it is done: */
	struct stacks_result result;	/* its paths are owned */
	struct stack_frames stack, waker;	/* the one at hand; the waker's */
	/* when events are counted: */
	struct event_sweep *sweep;	/* owned */
	struct counted_event *events;	/* owned, by context: the last one of each */
	uint64_t	 first_weight;	/* 0: nothing was counted yet */
	const struct event_type *type;	/* the last one of perf, and its fields; or NULL */
	const struct event_field *period, *ip_field;
	/* when waits are counted: */
	struct sched_job job;
	struct sched_listener listener;
	atomic_bool	 done;
	struct stacks_before *before;	/* or NULL */
	struct sched_pass *own;		/* owned; NULL: not begun */
	const struct sched_pass *pass;	/* borrowed: own, once it has begun */
	struct call_paths *store;	/* owned: stacks of waits that may still be open */
	struct wait	*waits;		/* owned, [nr_tasks] */
	uint32_t	 nr_tasks;
	struct trace_cursor **cursors;	/* owned, [nr_cpus], by CPU index; NULL: not needed yet */
	uint32_t	 nr_cursors;	/* that there are: at most MOST_CURSORS */
	bool		 may_have;	/* records of stacks: else no cursor is needed */
	uint32_t	 nr_cpus;
};

/* --- stacks ------------------------------------------------------------------------------- */

static void put_word(struct stacks *s, struct stack_frames *f, const char *word)
{
	f->list[f->nr++] = trace_slice_address(s->trace, s->options.what.file, word, strlen(word));
}

static void reverse(uint64_t *frames, unsigned int nr)
{
	for (unsigned int i = 0; i < nr / 2; i++) {
		uint64_t frame = frames[i];

		frames[i] = frames[nr - 1 - i];
		frames[nr - 1 - i] = frame;
	}
}

/* Does a function record the event? */
static bool is_tracers(const char *name)
{
	static const char *const heads[] = { "__traceiter_", "trace_event_", "perf_trace_" };

	for (unsigned int i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strncmp(name, heads[i], strlen(heads[i])))
			return true;
	return false;
}

/* Addresses become the functions that they are in; but the first, they are where calls return. */
static void name_frames(struct stacks *s, const struct trace_event *event, uint64_t *frames,
			unsigned int nr)
{
	struct text name = { 0 };

	for (unsigned int i = 0; i < nr; i++) {
		text_clear(&name);
		if (trace_user_name(s->trace, event, frames[i], i > 0, false, &name))
			frames[i] = trace_slice_address(s->trace, event->file, text_str(&name),
							name.len);
	}
	text_fini(&name);
}

/* The frames are the innermost first. */
static void put_user_stack(struct stacks *s, struct stack_frames *f,
			   const struct trace_event *event)
{
	uint64_t *frames = f->list + f->nr;
	unsigned int nr = trace_event_addresses(s->trace, event, frames, TRACE_MAX_STACK);

	name_frames(s, event, frames, nr);
	f->nr += nr;
}

/* The kernel's; if not @sampled, without the innermost functions that recorded it. */
static void put_kernel_stack(struct stacks *s, struct stack_frames *f,
			     const struct trace_event *event, bool sampled)
{
	uint64_t *frames = f->list + f->nr, offset;
	unsigned int nr = trace_event_addresses(s->trace, event, frames, TRACE_MAX_STACK), left = 0;

	for (unsigned int i = 0; i < nr; i++) {
		const char *name = trace_symbol(s->trace, event->file, frames[i], &offset);

		if (name)
			frames[i] -= offset;
		if (!sampled && name && left == i && is_tracers(name))
			left++;
	}
	nr -= left;
	memmove(frames, frames + left, nr * sizeof(*frames));
	f->nr += nr;
}

static bool is_user_stack(const struct trace_event *event)
{
	return !strcmp(event->type->name, "user_stack");
}

/*
 * Append a stack of an event: that of user space, or the kernel's within it, in any order: the
 * kernel's comes first by the option stacktrace, and last by a trigger.  False: it has one.
 */
static bool put_part(struct stacks *s, struct stack_frames *f, struct stack_parts *parts,
		     const struct trace_event *event)
{
	bool is_user = is_user_stack(event), *has = is_user ? &parts->has_user : &parts->has_kernel;

	if (*has)
		return false;
	*has = true;
	if (!is_user) {
		put_kernel_stack(s, f, event, parts->sampled);
		return true;
	}
	put_user_stack(s, f, event);
	if (!parts->has_kernel)
		parts->nr_user = f->nr - parts->first;
	return true;
}

/* Bring the frames into their order, the outermost first. */
static void turn_parts(struct stack_frames *f, const struct stack_parts *parts)
{
	uint64_t *frames = f->list + parts->first;
	unsigned int nr = f->nr - parts->first;

	/* the innermost frames are first: turning all round also swaps the stacks */
	reverse(frames, parts->nr_user);
	reverse(frames + parts->nr_user, nr - parts->nr_user);
}

static uint32_t path_of(struct call_paths *paths, const struct stack_frames *f)
{
	uint32_t path = CALL_PATH_ROOT;

	for (unsigned int i = 0; i < f->nr; i++)
		path = call_paths_below(paths, path, f->list[i]);
	return path;
}

static void add(struct stacks *s, enum stacks_of of, const struct stack_frames *f, uint64_t weight)
{
	struct call_paths *paths = s->result.paths[of];

	call_paths_add(paths, path_of(paths, f), weight, 1);
}

/* --- of events ---------------------------------------------------------------------------- */

static void add_event(struct stacks *s, struct counted_event *e)
{
	if (!s->first_weight)
		s->first_weight = e->weight;
	s->result.varies |= e->weight != s->first_weight;
	add(s, STACKS_EVENTS, &e->stack, e->weight);
	if (e->stack.nr > 1) {
		e->stack.list[1] = e->stack.list[e->stack.nr - 1];
		e->stack.nr = 2;
	}
	add(s, STACKS_FUNCTIONS, &e->stack, e->weight);
}

/* A sample without a call chain is a stack of one frame. */
static void put_sample(struct stacks *s, struct counted_event *e)
{
	uint64_t *frame = &e->stack.list[1], offset;

	put_word(s, &e->stack, e->name);
	*frame = e->ip;
	e->stack.nr++;
	if ((int64_t)e->ip >= 0)
		name_frames(s, &e->event, frame, 1);
	else if (trace_symbol(s->trace, e->event.file, e->ip, &offset))
		*frame -= offset;
	add_event(s, e);
}

/* Count the stacks of an event. */
static void count_event(struct stacks *s, struct counted_event *e)
{
	if (e->parts.has_user || e->parts.has_kernel) {
		turn_parts(&e->stack, &e->parts);
		add_event(s, e);
	} else if (e->name[0] && e->ip) {
		put_sample(s, e);
	}
	e->stack.nr = 0;
	e->parts = (struct stack_parts){ .first = 1, .sampled = e->parts.sampled };
}

/* Interrupts of this level and above are over: no stacks of their events follow. */
static void end_events(struct stacks *s, unsigned int level)
{
	for (; level <= TRACE_MOST_LEVEL; level++) {
		count_event(s, &s->events[level]);
		s->events[level].name[0] = '\0';
	}
}

static void see_stack(struct stacks *s, struct counted_event *e, const struct trace_event *event)
{
	if (!e->name[0] || event->pid != e->event.pid)
		return;
	if (!e->stack.nr)
		put_word(s, &e->stack, e->name);
	s->result.unsure |= e->unsure;
	if (put_part(s, &e->stack, &e->parts, event) || e->interrupted)
		return;
	count_event(s, e);
	see_stack(s, e, event);
}

/* What a sample of perf weighs, and where it was. */
static void see_sample(struct stacks *s, struct counted_event *e, const struct trace_event *event)
{
	if (s->type != event->type) {
		s->type = event->type;
		s->period = event_type_field(event->type, "period");
		s->ip_field = event_type_field(event->type, "ip");
	}
	if (s->period)
		e->weight = field_u64(s->period, event->data, event->size, event->swap);
	if (s->ip_field)
		e->ip = field_u64(s->ip_field, event->data, event->size, event->swap);
}

static void see_event(void *arg, struct event_sweep *sweep, const struct trace_event *event)
{
	bool is_event = event && event->kind == TRACE_ROW_EVENT;
	struct stacks *s = arg;
	unsigned int level = is_event ? trace_context_level(event->flags) : 0;
	struct counted_event *e = &s->events[level];

	if (is_event && trace_event_is_stack(event)) {
		if (level < TRACE_MOST_LEVEL)
			end_events(s, level + 1);
		s->result.orphans += e->lost;
		e->awaits = false;
		see_stack(s, e, event);
		return;
	}
	e->unsure = is_event && (e->awaits || e->unsure) && e->event.pid == event->pid &&
		    event_type_lacks(event->type, FORMAT_LACKS_FLAGS);
	e->awaits = is_event;
	end_events(s, level);	/* behind lost events, a stack belongs to none */
	for (unsigned int i = 0; i < level; i++)
		s->events[i].interrupted = true;
	for (unsigned int i = level; i <= TRACE_MOST_LEVEL; i++)
		s->events[i].lost = event && !is_event;
	if (is_event)
		e->event = *event;
	if (!event || !event_sweep_wants(sweep, event))
		return;
	snprintf(e->name, sizeof(e->name), "%s", trace_event_name(event));
	e->interrupted = false;
	e->weight = 1;
	e->ip = 0;
	e->parts.sampled = event->type && !strcmp(event->type->system, "perf");
	if (e->parts.sampled)
		see_sample(s, e, event);
}

/* --- of waits: stacks behind records ------------------------------------------------------ */

static void forget_cursors(struct stacks *s)
{
	for (uint32_t i = 0; i < s->nr_cpus; i++) {
		trace_cursor_free(s->cursors[i]);
		s->cursors[i] = NULL;
	}
	s->nr_cursors = 0;
}

static void free_cursors(struct stacks *s)
{
	forget_cursors(s);
	free(s->cursors);
	s->cursors = NULL;
	s->nr_cpus = 0;
}

static void clear(struct stacks *s)
{
	free_cursors(s);
	free(s->waits);
	call_paths_free(s->store);
	for (unsigned int i = 0; i < STACKS_NR; i++)
		call_paths_free(s->result.paths[i]);
	s->store = NULL;
	s->waits = NULL;
	s->nr_tasks = 0;
	s->result = (struct stacks_result){ 0 };
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct stacks *s = arg;

	clear(s);
	s->pass = pass;
	s->store = call_paths_new(STACKS_MOST_PATHS);
	for (unsigned int i = 0; i < STACKS_EVENTS; i++)
		s->result.paths[i] = call_paths_new(STACKS_MOST_PATHS);
	s->nr_cpus = sched_pass_nr_cpus(pass);
	s->cursors = mem_array(s->nr_cpus + 1ul, sizeof(*s->cursors));
}

/* Put a cursor behind a row of its CPU, in whose context it was.  Rows are asked for in order. */
static unsigned int pass_row(struct trace_cursor *cursor, trace_ref ref)
{
	struct trace_event event = { .ref = TRACE_REF_NONE };

	for (unsigned int i = 0; i < NEXT_ROWS && trace_cursor_next(cursor, &event); i++)
		if (event.ref == ref)
			return trace_context_level(event.flags);
	trace_cursor_seek(cursor, ref);
	return trace_cursor_next(cursor, &event) ? trace_context_level(event.flags) : 0;
}

static void put_group(struct stacks *s, struct stack_frames *f, const char *comm, int64_t ts,
		      int pid)
{
	const struct sched_rules *rules = sched_pass_rules(s->pass);
	uint32_t known = sched_rules_find(rules, (uint32_t)pid, ts);
	const struct grouped_task task = { .file = s->options.what.file, .pid = pid, .ts = ts,
					   .comm = comm,
					   .prio = known < SCHED_IDLE_TASK ?
							   sched_rules_task(rules, known)->prio :
							   GROUPING_NO_PRIO };
	struct text name = { 0 };

	if (!grouping_name(s->trace, s->options.by, &task, &name))
		text_add(&name, GROUPING_NOT_KNOWN);
	put_word(s, f, text_str(&name));
	text_fini(&name);
}

static void put_stacks(struct stacks *s, struct stack_frames *f, struct trace_cursor *cursor,
		       int pid, unsigned int level)
{
	struct stack_parts parts = { .first = f->nr };
	struct trace_event event;

	while (trace_next_stack(cursor, pid, level, &event) && put_part(s, f, &parts, &event))
		;
	turn_parts(f, &parts);
}

/* A task, and the stacks behind the record of a change; false: there is none. */
static bool put_task(struct stacks *s, struct stack_frames *f, const char *comm,
		     const struct sched_change *c, int pid)
{
	struct trace_cursor **cursor = &s->cursors[c->cpu];
	uint32_t top;		/* the task, and the group around it */

	f->nr = 0;
	if (s->options.by)
		put_group(s, f, comm, c->ts, pid);
	put_word(s, f, comm);
	top = f->nr;
	if (!*cursor && s->may_have) {
		if (s->nr_cursors == MOST_CURSORS)	/* each has some pages */
			forget_cursors(s);
		s->nr_cursors++;
		*cursor = trace_cursor_of_worker(s->trace,
						 sched_pass_stream(s->pass, (unsigned int)c->cpu));
	}
	if (*cursor) {
		unsigned int level = pass_row(*cursor, c->rec->ref);

		put_stacks(s, f, *cursor, pid, level);
	}
	if (f->nr > top)
		return true;
	put_word(s, f, NO_STACK);
	return false;
}

/* --- waits -------------------------------------------------------------------------------- */

static bool is_wait(enum sched_state state)
{
	return state == SCHED_SLEEPS || state == SCHED_BLOCKED || state == SCHED_PREEMPTED;
}

static bool is_asked(const struct stacks *s, int32_t cpu, int64_t ts)
{
	const struct event_sweep_options *o = &s->options.what;
	int number = sched_pass_cpu(s->pass, (unsigned int)cpu);

	if (o->range.set && o->outside == time_range_has(&o->range, ts))
		return false;
	return !o->only || (number >= 0 && (unsigned int)number < o->nr_only && o->only[number]);
}

/* The task leaves a CPU. */
static void begin(struct stacks *s, uint32_t task, const struct sched_change *c)
{
	const char *comm = sched_pass_comm_at(s->pass, task, c->rec->comm);
	uint32_t pid = sched_rules_task(sched_pass_rules(s->pass), task)->pid;
	struct wait *wait = &s->waits[task];

	wait->is_open = is_asked(s, c->cpu, c->ts) &&
			(!s->options.wants || s->options.wants(s->options.arg, pid, comm));
	if (!wait->is_open)
		return;
	wait->has_stack = put_task(s, &s->stack, comm, c, (int)pid);
	wait->off = path_of(s->store, &s->stack);
}

/* Who ended the wait; nobody: it was preempted.  Return: is there a stack? */
static bool put_waker(struct stacks *s, const struct sched_change *c)
{
	const char *kind;

	s->waker.nr = 0;
	if (c->was == SCHED_PREEMPTED)
		return false;
	if (c->state != SCHED_WAITS) {
		/* it ran again; who woke it is not recorded */
		put_word(s, &s->waker, "[no wake-up]");
		put_word(s, &s->waker, NO_STACK);
		return false;
	}
	if (c->no_context || task_pairs_waker(c) == SCHED_NO_TASK) {
		put_word(s, &s->waker, "[not known]");
		put_word(s, &s->waker, NO_STACK);
		return false;
	}
	/* in an interrupt, the task that runs there has not woken anybody */
	kind = task_pairs_kind(task_pairs_waker(c));
	return put_task(s, &s->waker, kind ? kind : sched_pass_comm(s->pass, c->waker), c,
			(int)c->rec->pid2);
}

static void add_wait(struct stacks *s, uint32_t path, uint64_t ns)
{
	struct stack_frames *off = &s->stack, *waker = &s->waker;

	for (off->nr = 0; path != CALL_PATH_ROOT; path = call_paths_at(s->store, path)->parent)
		off->list[off->nr++] = call_paths_at(s->store, path)->address;
	reverse(off->list, off->nr);
	add(s, STACKS_OFF_CPU, off, ns);
	if (waker->nr) {
		add(s, STACKS_WAKER, waker, ns);
		put_word(s, off, "--");
		while (waker->nr)
			off->list[off->nr++] = waker->list[--waker->nr];
	}
	add(s, STACKS_BOTH, off, ns);
}

static void end(struct stacks *s, const struct wait *wait, const struct sched_change *c)
{
	if (c->dropped)
		return;
	if (!c->rec) {
		s->result.open++;
		return;
	}
	if (c->rec->uncounted & SCHED_NOT_OTHER)
		return;
	if (c->doubtful) {
		s->result.doubtful++;
		return;
	}
	s->result.waits++;
	s->result.off_stacks += wait->has_stack;
	s->result.waker_stacks += put_waker(s, c);
	add_wait(s, wait->off, c->ts > c->since ? (uint64_t)c->ts - (uint64_t)c->since : 0);
}

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct stacks *s = arg;

	mem_reach(&s->waits, &s->nr_tasks, task);
	if (s->waits[task].is_open && is_wait(c->was))
		end(s, &s->waits[task], c);
	s->waits[task].is_open = false;
	if (c->rec && c->rec->op == SCHED_SWITCH && is_wait(c->state) && c->cpu >= 0)
		begin(s, task, c);
}

static struct sched_pass_options pass_options(struct stacks *s)
{
	const struct event_sweep_options *what = &s->options.what;

	s->listener = (struct sched_listener){ .task = on_task, .arg = s };
	return (struct sched_pass_options){
		.file = what->file, .range = what->outside ? (struct time_range){ 0 } : what->range,
		.only = what->only,
		.nr_only = what->nr_only, .filters = what->filters, .nr_filters = what->nr_filters,
		.interrupts = true, .listener = &s->listener, .begun = on_begun,
		.workers = trace_workers(s->trace), .stopped = &s->job.stopped,
	};
}

/* Begin; or read a piece of what was before the range.  False: there is more of that. */
static bool begin_pass(struct stacks *s)
{
	const struct sched_pass_options options = pass_options(s);
	enum sched_pass_state state = SCHED_PASS_STOPPED;

	if (s->before)
		state = sched_pass_reach(s->before->pass, options.range.from, RECORDS_PER_JOB);
	if (state == SCHED_PASS_PARKED) {
		s->own = sched_pass_fork(s->before->pass, &options);
		on_begun(s, s->own);	/* no wait that began before the range counts */
	} else if (state != SCHED_PASS_MORE) {
		s->own = sched_pass_new(s->trace, &options);
	}
	return state != SCHED_PASS_MORE;
}

static bool count_waits(void *arg)
{
	struct stacks *s = arg;
	enum sched_pass_state state = SCHED_PASS_MORE;

	if (s->own || begin_pass(s))
		state = sched_pass_step(s->own, RECORDS_PER_JOB);
	if (state == SCHED_PASS_DONE) {
		/* what is open now stays so */
		for (uint32_t i = 0; i < s->nr_tasks; i++)
			s->result.open += s->waits[i].is_open;
		free_cursors(s);
		atomic_store(&s->done, true);
	}
	return state == SCHED_PASS_MORE;
}

/* --- all of it ---------------------------------------------------------------------------- */

/* What was before the window, if it can be parked; or NULL. */
static struct stacks_before *find_before(const struct stacks *former, struct trace *trace,
					 const struct event_sweep_options *what)
{
	struct stacks_before *before = former ? former->before : NULL;
	const struct sched_pass_options options = {
		.file = what->file, .range = { true, INT64_MAX, INT64_MIN },
		.no_sums = true, .interrupts = true, .parks = true
	};

	if (!trace_grows(trace) || !what->range.set || what->outside || what->only ||
	    what->nr_filters)
		return NULL;
	if (!before || former->options.what.file != what->file ||
	    !sched_pass_follows(before->pass, what->range.from)) {
		before = mem_alloc(sizeof(*before));
		before->pass = sched_pass_new(trace, &options);
	}
	before->users++;
	return before;
}

static struct stacks *start(struct trace *trace, const struct stacks_options *options,
			    struct stacks_before *before)
{
	struct stacks *s = mem_alloc(sizeof(*s));
	uint64_t offset;

	s->trace = trace;
	s->options = *options;
	s->before = before;
	s->may_have = !trace_status(trace).complete || stacks_has_events(trace, options->what.file);
	trace_symbol(trace, options->what.file, 0, &offset);	/* workers share the symbols */
	if (options->of_events) {
		for (unsigned int i = STACKS_EVENTS; i < STACKS_NR; i++)
			s->result.paths[i] = call_paths_new(STACKS_MOST_PATHS);
		s->events = mem_array(TRACE_MOST_LEVEL + 1, sizeof(*s->events));
		for (unsigned int i = 0; i <= TRACE_MOST_LEVEL; i++)
			s->events[i].parts.first = 1;
		s->sweep = event_sweep_new(trace, &options->what, see_event, s);
	} else {
		sched_job_start(&s->job, trace_workers(trace), count_waits, s);
	}
	return s;
}

bool stacks_has_events(struct trace *trace, unsigned int file)
{
	const struct source_info *info = source_info(trace_file_of(trace, file));
	bool any = trace_has_event(trace, file, "kernel_stack") ||
		   trace_has_event(trace, file, "user_stack");

	for (unsigned int i = 0; i < info->nr_event_names; i++)
		any |= info->event_names[i].has_ip;
	return any;
}

struct stacks *stacks_new(struct trace *trace, const struct stacks_options *options)
{
	return start(trace, options, NULL);
}

struct stacks *stacks_next(const struct stacks *former, struct trace *trace,
			   const struct stacks_options *options)
{
	return start(trace, options,
		     options->of_events ? NULL : find_before(former, trace, &options->what));
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	sched_job_stop(&s->job);
	event_sweep_free(s->sweep);
	free(s->events);
	sched_pass_free(s->own);
	if (s->before && !--s->before->users) {
		sched_pass_free(s->before->pass);
		free(s->before);
	}
	clear(s);
	free(s);
}

void stacks_wait(struct stacks *s)
{
	if (s->sweep)
		event_sweep_wait(s->sweep);
	else
		sched_job_wait(&s->job);
}

const struct stacks_result *stacks_result(const struct stacks *s)
{
	bool done = s && (s->sweep ? event_sweep_is_done(s->sweep) : atomic_load(&s->done));

	return done ? &s->result : NULL;
}

const struct sched_pass *stacks_pass(const struct stacks *s)
{
	return s->own;
}
