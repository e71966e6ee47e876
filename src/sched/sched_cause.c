/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_cause.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/sched/sched_values.h"

#define LOOK_BACK	4000u		/* records searched for the function of a sleep */
#define MOST_EVENTS	100u		/* events counted at one time, at most */
#define LOOK_NS		5000000		/* time limit of a search */

/* --- states of a task ---------------------------------------------------------------------- */

bool sched_cause_after(const struct sched *sched, uint32_t task, const struct pyramid_state *state,
		       struct pyramid_state *next)
{
	struct pyramid_iter it;

	pyramid_iter_init(&it, sched_task(sched, task), sched_end(sched), state->from);
	while (pyramid_iter_next(&it, next))
		if (next->from > state->from ||
		    (next->from == state->from && next->from >= state->to &&
		     next->kind != state->kind))
			return true;
	return false;
}

bool sched_cause_before(const struct sched *sched, uint32_t task, int64_t ts,
			struct pyramid_state *state)
{
	return pyramid_before(sched_task(sched, task), sched_end(sched), ts, state);
}

static int64_t spent_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* --- the record of a wake-up ------------------------------------------------------------- */

static int pid_in(const struct trace_event *event, const struct event_field *field)
{
	return field ? (int)field_u64(field, event->data, event->size, event->swap) : -1;
}

static int field_in(const struct trace_event *event, const char *name)
{
	return pid_in(event, event_type_field(event->type, name));
}

/* The other task of a switch, or of a wake-up; -1: the event is none. */
static int other_pid(const struct trace_event *event, bool of_switch)
{
	const struct event_type *type = event->kind == TRACE_ROW_EVENT ? event->type : NULL;

	return sched_values_is_switch(type) == of_switch ?
		       pid_in(event, sched_values_other_pid(type)) :
		       -1;
}

int sched_cause_woken(const struct trace_event *event)
{
	return other_pid(event, false);
}

int sched_cause_runs(const struct trace_event *event)
{
	return other_pid(event, true);
}

/* A cursor over the streams of the model's buffer, from a time on. */
static struct trace_cursor *buffer_cursor(struct sched *sched, int64_t ts)
{
	struct trace *trace = sched_trace(sched);
	unsigned int nr = trace_nr_streams(trace), buffer = sched_pass_buffer(sched_pass_of(sched));
	bool *streams = mem_array(nr, sizeof(*streams));
	struct trace_cursor *cursor = trace_cursor_new(trace);

	for (unsigned int i = 0; i < nr; i++) {
		struct trace_stream_info info = trace_stream_info(trace, i);

		streams[i] = info.file == sched_file(sched) && info.buffer == buffer;
	}
	trace_cursor_only_streams(cursor, streams, nr);
	free(streams);
	trace_cursor_seek_time(cursor, ts);
	return cursor;
}

/* A cursor over a CPU (its index), from a time on. */
static struct trace_cursor *cpu_cursor(struct sched *sched, unsigned int cpu, int64_t ts)
{
	struct trace_cursor *cursor = trace_cursor_of_stream(sched_trace(sched),
							     sched_pass_stream(sched_pass_of(sched),
									       cpu));

	trace_cursor_seek_time(cursor, ts);
	return cursor;
}

static struct sched_wake_record wake_record(const struct trace_event *event)
{
	return (struct sched_wake_record){ .ref = event->ref, .ts = event->ts, .cpu = event->cpu,
					   .pid = event->pid,
					   .flags = event->flags };
}

/* The CPU (its index) on which the waker ran; -1: not known, or it idled. */
static int waker_cpu(const struct sched *sched, uint32_t task, int64_t ts)
{
	int64_t end = sched_end(sched);
	struct pyramid_state wait, run;
	uint32_t waker;

	if (!pyramid_at(sched_task(sched, task), end, ts, &wait) || wait.kind != SCHED_WAITS)
		return -1;
	waker = sched_waker(sched, wait.arg);
	return waker < sched_nr_tasks(sched) &&
			       pyramid_at(sched_task(sched, waker), end, ts, &run) &&
			       run.kind == SCHED_RUNS ?
		       (int)run.arg :
		       -1;
}

/* Ends the cursor. */
static bool find_wake(struct trace_cursor *cursor, uint32_t pid, int64_t ts,
		      struct sched_wake_record *record)
{
	struct trace_event event;
	bool found = false;

	/* if the CPU's clock went back, the record comes later than its time: it is not found */
	while (!found && trace_cursor_next(cursor, &event) && event.key <= ts) {
		found = event.ts == ts && sched_cause_woken(&event) == (int)pid;
		if (found)
			*record = wake_record(&event);
	}
	trace_cursor_free(cursor);
	return found;
}

bool sched_cause_wake(struct sched *sched, uint32_t task, int64_t ts,
		      struct sched_wake_record *record)
{
	uint32_t pid = sched_rules_task(sched_pass_rules(sched_pass_of(sched)), task)->pid;
	int cpu = waker_cpu(sched, task, ts);

	/* the records of all CPUs take long where there are many */
	return (cpu >= 0 && find_wake(cpu_cursor(sched, (unsigned int)cpu, ts), pid, ts, record)) ||
	       find_wake(buffer_cursor(sched, ts), pid, ts, record);
}

bool sched_cause_switch(struct sched *sched, int64_t ts, int cpu, int prev, int next, bool last,
			struct sched_switch_record *record)
{
	struct trace_cursor *cursor = cpu >= 0 ? cpu_cursor(sched, (unsigned int)cpu, ts) :
						 buffer_cursor(sched, ts);
	struct trace_event event;
	bool found = false;

	while ((last || !found) && trace_cursor_next(cursor, &event) && event.key <= ts) {
		int comes = event.ts == ts ? sched_cause_runs(&event) : -1, leaves;

		if (comes < 0 || (next >= 0 && comes != next))
			continue;
		leaves = field_in(&event, "prev_pid");
		if (prev >= 0 && leaves != prev)
			continue;
		*record = (struct sched_switch_record){ .cpu = event.cpu,
							.prev = leaves,
							.next = comes,
							.prev_prio = field_in(&event, "prev_prio"),
							.next_prio = field_in(&event, "next_prio") };
		found = true;
	}
	trace_cursor_free(cursor);
	return found;
}

bool sched_cause_next_wake(struct sched *sched, unsigned int cpu, int64_t ts,
			   struct sched_wake_record *record, uint32_t *task)
{
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(sched));
	int64_t until = spent_ns() + LOOK_NS;
	struct trace_cursor *cursor = cpu_cursor(sched, cpu, ts);
	struct trace_event event;

	*task = SCHED_NO_TASK;
	for (unsigned int i = 0; i < LOOK_BACK && *task == SCHED_NO_TASK &&
				 trace_cursor_next(cursor, &event) && spent_ns() < until;
	     i++) {
		int woken = sched_cause_woken(&event);

		if (woken > 0)
			*task = sched_rules_find(rules, (uint32_t)woken, ts);
		if (*task != SCHED_NO_TASK)
			*record = wake_record(&event);
	}
	trace_cursor_free(cursor);
	return *task < sched_nr_tasks(sched);
}

unsigned int sched_cause_events(struct sched *sched, unsigned int cpu, int64_t ts,
				const char **name)
{
	struct trace_cursor *cursor = cpu_cursor(sched, cpu, ts);
	struct trace_event event;
	unsigned int nr = 0;

	*name = NULL;
	while (nr < MOST_EVENTS && trace_cursor_next(cursor, &event) && event.key == ts)
		if (event.kind == TRACE_ROW_EVENT && event.ts == ts && !nr++)
			*name = event.type ? event.type->name : NULL;
	trace_cursor_free(cursor);
	return nr;
}

bool sched_cause_loss(struct sched *sched, unsigned int cpu, int64_t ts, struct sched_loss *loss)
{
	struct trace_cursor *cursor = cpu_cursor(sched, cpu, ts);
	struct trace_event event;
	bool found;

	/* the row of a gap is at the first time after it */
	found = trace_cursor_next(cursor, &event) && event.kind == TRACE_ROW_LOST &&
		event.gap_to == ts;
	if (found)
		*loss = (struct sched_loss){ .known = event.lost_known,
					     .events = event.lost_count };
	trace_cursor_free(cursor);
	return found;
}

uint32_t sched_cause_absence(const struct sched *sched, uint32_t cpu, int64_t from, int64_t *to)
{
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(sched));
	struct trace_absence absence;

	for (unsigned int i = 0; i < sched_nr_cpus(sched); i++) {
		bool found = sched_rules_absence(rules, i, from, &absence);

		/* that a CPU is offline says nothing of others */
		while (found && absence.why == TRACE_OFFLINE && i != cpu)
			found = sched_rules_absence(rules, i, absence.to, &absence);
		if (!found)
			continue;
		if (absence.from > from) {
			*to = absence.from < *to ? absence.from : *to;
			continue;
		}
		*to = absence.to < *to ? absence.to : *to;
		return (uint32_t)absence.why << 1 | absence.inferred;
	}
	return 0;
}

const char *sched_absence_name(uint32_t number)
{
	return trace_absent_name((enum trace_absent)(number >> 1), number & 1);
}

/* --- where a task slept -------------------------------------------------------------------- */

/* Functions of the scheduler, and of the code that records them, are not the cause. */
static bool is_schedulers(const char *name)
{
	static const char *const heads[] = { "schedule", "__schedule", "io_schedule",
					     "preempt_schedule", "__cond_resched",
					     "__traceiter_", "trace_", "do_task_dead",
					     "__kthread_parkme" };

	for (unsigned int i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strncmp(name, heads[i], strlen(heads[i])))
			return true;
	return false;
}

/* Functions that take a lock of the kernel, and those that record that, are not its user. */
static bool is_of_locks(const char *name)
{
	static const char *const heads[] = { "eprobe", "event_triggers", "trace_", "__traceiter_",
					     "kprobe", "__mutex", "mutex_", "ww_mutex", "__down",
					     "down_", "rwsem_", "__percpu_down", "percpu_down",
					     "queued_", "native_queued_", "__pv_queued_", "_raw_",
					     "__rt_mutex", "rt_mutex", "rtlock", "rt_spin", "schedule",
					     "__schedule", "0" };

	for (unsigned int i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (!strncmp(name, heads[i], strlen(heads[i])))
			return true;
	return false;
}

/* "pthread_mutex_lock+0x10 [libc.so.6]": of the libraries that have locks; or no function. */
static bool is_of_libraries(const char *name)
{
	const char *file = strstr(name, " [");

	return !file || !strncmp(file, " [libc", 6) || !strncmp(file, " [libpthread", 12) ||
	       !strncmp(file, " [ld-", 5);
}

static const char *function_of(struct trace *trace, const struct trace_event *event)
{
	const struct event_field *func = event_type_field(event->type, "func");
	uint64_t offset;

	return func ? trace_symbol(trace, event->file,
				   field_u64(func, event->data, event->size, event->swap),
				   &offset) :
		      NULL;
}

/*
 * Finds the calls that were open, from the innermost on, while records are read backwards.  NULL:
 * not an open call, or the scheduler's.
 */
struct open_calls {
	bool		closed;		/* the entry of an exit is still to come */
	uint64_t	depth;		/* depth of that call, or of the innermost open call */
	bool		any;
};

static const char *open_call(struct trace *trace, struct open_calls *calls,
			     const struct trace_event *event)
{
	bool entry = !strcmp(event->type->name, "funcgraph_entry"),
	     exit = !strcmp(event->type->name, "funcgraph_exit");
	const struct event_field *field = event_type_field(event->type, "depth");
	const char *name;
	uint64_t depth;

	if ((!entry && !exit) || !field)
		return NULL;
	depth = field_u64(field, event->data, event->size, event->swap);
	if (exit) {
		calls->depth = !calls->closed || depth < calls->depth ? depth : calls->depth;
		calls->closed = true;
		return NULL;
	}
	if (calls->closed) {
		calls->closed = depth > calls->depth;
		return NULL;
	}
	name = function_of(trace, event);
	return name && !is_schedulers(name) ? name : NULL;
}

struct stack_search {
	const char	*event;		/* "kernel_stack", "user_stack" */
	bool		(*skips)(const char *name);
};

static bool skips_schedulers(const char *name)
{
	return is_schedulers(name) || *name == '0';
}

/* In a stack: the first function that is not skipped. */
static bool stack_function(struct trace *trace, const struct trace_event *event,
			   const struct stack_search *search, struct text *out)
{
	struct text *lines;
	unsigned int nr = trace_event_stack(trace, event, &lines);
	bool found = false;

	for (unsigned int i = 0; i < nr && !found; i++) {
		const char *name = text_str(&lines[i]);

		found = !search->skips(name);
		if (found)
			text_bytes(out, name, strcspn(name, "+/ "));
	}
	trace_stack_free(lines, nr);
	return found;
}

/* From the stack behind the record where a cursor stands, or a few records later. */
static bool stack_behind(struct trace *trace, struct trace_cursor *cursor, int pid,
			 const struct stack_search *search, struct text *out)
{
	struct trace_event event = { .kind = TRACE_ROW_LOST };
	unsigned int level = TRACE_MOST_LEVEL;
	bool found = false;

	for (unsigned int i = 0; i < 4 && !found; i++) {
		if (trace_next_stack(cursor, pid, level, &event) &&
		    !strcmp(event.type->name, search->event))
			found = stack_function(trace, &event, search, out);
		level = trace_context_level(event.flags);
	}
	return found;
}

static const struct stack_search slept_in = { "kernel_stack", skips_schedulers };

bool sched_cause_called_in(struct trace *trace, trace_ref ref, int pid, bool user, struct text *out)
{
	const struct stack_search search = { user ? "user_stack" : "kernel_stack",
					     user ? is_of_libraries : is_of_locks };
	struct trace_cursor *cursor = trace_cursor_of_stream(trace, trace_ref_stream(ref));
	bool found;

	trace_cursor_seek(cursor, ref);
	found = stack_behind(trace, cursor, pid, &search, out);
	trace_cursor_free(cursor);
	return found;
}

/* From the calls before it; @hurry: search for a short time only. */
static bool call_before(struct trace *trace, struct trace_cursor *cursor, int pid, bool hurry,
			struct text *out)
{
	int64_t until = hurry ? spent_ns() + LOOK_NS : INT64_MAX;
	struct open_calls calls = { 0 };
	struct trace_event event;
	const char *name = NULL;

	for (unsigned int i = 0; i < LOOK_BACK && !name && trace_cursor_prev(cursor, &event) &&
				 (!hurry || spent_ns() < until);
	     i++) {
		if (event.kind == TRACE_ROW_LOST)
			break;
		if (event.kind == TRACE_ROW_EVENT && event.pid == pid && event.type)
			name = open_call(trace, &calls, &event);
	}
	if (name)
		text_bytes(out, name, strcspn(name, "."));
	return name;
}

/* from its calls, or from the record's stack */
bool sched_cause_sleep(struct sched *sched, uint32_t task, unsigned int cpu, int64_t ts,
		       struct text *out)
{
	int pid = (int)sched_rules_task(sched_pass_rules(sched_pass_of(sched)), task)->pid;
	struct trace_cursor *cursor = cpu_cursor(sched, cpu, ts);
	struct trace *trace = sched_trace(sched);
	uint64_t offset;
	bool found;

	/* the first look-up loads the symbols: do not count that */
	trace_symbol(trace, sched_file(sched), 0, &offset);
	found = stack_behind(trace, cursor, pid, &slept_in, out);
	if (!found) {
		trace_cursor_seek_time(cursor, ts);
		found = call_before(trace, cursor, pid, true, out);
	}
	trace_cursor_free(cursor);
	return found;
}

bool sched_cause_slept_in(struct trace *trace, trace_ref ref, int pid, bool calls, struct text *out)
{
	struct trace_cursor *cursor = trace_cursor_of_stream(trace, trace_ref_stream(ref));
	bool found;

	trace_cursor_seek(cursor, ref);
	found = stack_behind(trace, cursor, pid, &slept_in, out);
	if (!found && calls) {
		trace_cursor_seek(cursor, ref);
		found = call_before(trace, cursor, pid, false, out);
	}
	trace_cursor_free(cursor);
	return found;
}

/* Its first sys_exit, if it does not leave the CPU before. */
enum sched_returned sched_cause_returned(struct sched *sched, uint32_t task, unsigned int cpu,
					 int64_t run)
{
	int pid = (int)sched_rules_task(sched_pass_rules(sched_pass_of(sched)), task)->pid;
	struct trace_cursor *cursor = cpu_cursor(sched, cpu, run);
	enum sched_returned returned = SCHED_RETURNED_UNKNOWN;
	int64_t until = spent_ns() + LOOK_NS;
	struct trace_event event;

	for (unsigned int i = 0;
	     i < LOOK_BACK && !returned && trace_cursor_next(cursor, &event) && spent_ns() < until;
	     i++) {
		const struct event_field *field;

		if (event.kind != TRACE_ROW_EVENT || !event.type || event.pid != pid)
			continue;
		if (sched_cause_runs(&event) >= 0)
			break;
		field = strncmp(event.type->name, "sys_exit", 8) ?
				NULL :
				event_type_field(event.type, "ret");
		if (field)
			returned = (int64_t)field_u64(field, event.data, event.size, event.swap) <
						   0 ?
					   SCHED_RETURNED_ERROR :
					   SCHED_RETURNED_WELL;
	}
	trace_cursor_free(cursor);
	return returned;
}

/* --- locks ------------------------------------------------------------------------------------ */

#define MOST_WAKES	1000u		/* of a holder, searched for its release */

/* The record with which a wait for a lock began. */
static bool read_lock(struct sched *sched, uint32_t task, const struct pyramid_state *in,
		      struct lock_wait *wait, struct text *name)
{
	uint32_t pid = sched_rules_task(sched_pass_rules(sched_pass_of(sched)), task)->pid;
	struct trace_cursor *cursor = cpu_cursor(sched, in->arg, in->from);
	struct trace_event event;
	bool found = false;

	while (!found && trace_cursor_next(cursor, &event) && event.key <= in->from)
		found = event.ts == in->from && event.pid == (int)pid &&
			lock_wait_read(sched_trace(sched), &event, wait);
	if (found && name)
		lock_wait_name(sched_trace(sched), &event, wait, name);
	trace_cursor_free(cursor);
	return found;
}

bool sched_cause_lock(struct sched *sched, uint32_t task, const struct pyramid_state *sleep,
		      struct sched_lock *lock, struct text *name)
{
	static const struct pyramid_find sleeps = { .kinds = 1u << SCHED_SLEEPS |
							     1u << SCHED_BLOCKED };
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(sched));
	int64_t end = sched_end(sched);
	struct pyramid_state in, before;

	/* a sleep before this one was in the same wait: the lock may have another holder now */
	if (!pyramid_at(sched_locks(sched, task), end, sleep->from, &in) ||
	    in.kind == SCHED_LOCK_NONE || sched_rules_gap(rules, in.from, sleep->from) ||
	    (pyramid_find_before(sched_task(sched, task), end, sleep->from, &sleeps, &before) &&
	     before.to > in.from) ||
	    !read_lock(sched, task, &in, &lock->wait, name))
		return false;
	lock->since = in.from;
	lock->holder = lock->wait.holder ?
			       sched_rules_find(rules, (uint32_t)lock->wait.holder, in.from) :
			       SCHED_NO_TASK;
	return true;
}

/* Did a task, and no interrupt, wake this one from a wait for the lock? */
static bool ends_wait(struct sched *sched, uint32_t task, int64_t ts, const struct lock_wait *wait)
{
	int64_t end = sched_end(sched);
	struct pyramid_state in, woken;
	struct lock_wait other;

	return pyramid_at(sched_task(sched, task), end, ts, &woken) && woken.kind == SCHED_WAITS &&
	       !sched_wake_source(sched, woken.arg) &&
	       pyramid_at(sched_locks(sched, task), end, ts, &in) && in.kind == SCHED_LOCK_WAITS &&
	       read_lock(sched, task, &in, &other, NULL) && other.address == wait->address &&
	       other.tgid == wait->tgid;
}

int64_t sched_cause_release(struct sched *sched, const struct sched_lock *lock, int64_t from,
			    int64_t to)
{
	struct pyramid_state wake;
	struct pyramid_iter iter;

	pyramid_iter_init(&iter, sched_wakes(sched, lock->holder), sched_end(sched), from);
	for (unsigned int i = 0; pyramid_iter_next(&iter, &wake) && wake.from < to; i++) {
		if (i == MOST_WAKES)
			return from;
		if (wake.from >= from && ends_wait(sched, wake.arg, wake.from, &lock->wait))
			return wake.from;
	}
	return INT64_MAX;
}

/* --- chains ----------------------------------------------------------------------------------- */

/* The last wait begun by a wakeup up to ts, which led to a task's state. */
static bool last_wait(struct sched *sched, uint32_t task, int64_t ts, struct pyramid_state *wait)
{
	static const struct pyramid_find waits = { .kinds = 1u << SCHED_WAITS };
	/* The states that a wakeup leads to. */
	static const struct pyramid_find others = { .kinds = ~(1u << SCHED_RUNS |
							       1u << SCHED_PREEMPTED) };
	const struct pyramid *p = sched_task(sched, task);
	int64_t end = sched_end(sched);
	struct pyramid_state state;

	/* From the state at ts go back over runs and preemptions to the wakeup that caused them. */
	if (!pyramid_at(p, end, ts, &state) && !pyramid_before(p, end, ts, &state))
		return false;
	if ((state.kind == SCHED_RUNS || state.kind == SCHED_PREEMPTED) &&
	    !pyramid_find_before(p, end, state.from, &others, &state))
		return false;
	/* Asleep: take the wakeup before that. */
	if ((state.kind == SCHED_SLEEPS || state.kind == SCHED_BLOCKED ||
	     state.kind == SCHED_GONE) &&
	    !pyramid_find_before(p, end, state.from, &waits, &state))
		return false;
	*wait = state;
	return state.kind == SCHED_WAITS;
}

bool sched_cause_wait(struct sched *sched, uint32_t task, int64_t ts, struct pyramid_state *wait)
{
	struct pyramid_state state;

	if (!pyramid_at(sched_task(sched, task), sched_end(sched), ts, &state))
		state.kind = SCHED_UNKNOWN;
	if (state.kind == SCHED_SLEEPS || state.kind == SCHED_BLOCKED)
		return sched_cause_after(sched, task, &state, wait) && wait->kind == SCHED_WAITS;
	return state.kind != SCHED_GONE && last_wait(sched, task, ts, wait);
}

/* How long a task waited from its wakeup to a time, or to the end of the wait at that time. */
static void add_waits(const struct sched *sched, int64_t from, int64_t to, struct sched_link *link)
{
	const struct pyramid *p = sched_task(sched, link->task);
	int64_t end = sched_end(sched), edges[2] = { from, to };
	struct pyramid_state state;
	struct pyramid_sum sum;

	if (pyramid_at(p, end, to, &state) &&
	    (state.kind == SCHED_WAITS || state.kind == SCHED_PREEMPTED))
		edges[1] = state.to;
	pyramid_columns(p, end, edges, 1, &sum);
	link->preempted = (int64_t)sum.ns[SCHED_PREEMPTED];
	link->waited = (int64_t)sum.ns[SCHED_WAITS] + link->preempted;
	link->doubtful |= sum.touched >> SCHED_TASK_LOST & 1;
}

unsigned int sched_cause_chain(struct sched *sched, uint32_t task, int64_t ts,
			       struct sched_link *links, unsigned int max)
{
	unsigned int nr = 0;

	while (nr < max && task < SCHED_IDLE_TASK && task < sched_nr_tasks(sched) &&
	       !(nr && (links[nr - 1].doubtful || links[nr - 1].source))) {
		struct pyramid_state wait;

		if (!(nr ? last_wait(sched, task, ts, &wait) :
			   sched_cause_wait(sched, task, ts, &wait)))
			break;
		links[nr] = (struct sched_link){ .task = task,
						 .waker = sched_waker(sched, wait.arg),
						 .source = sched_wake_source(sched, wait.arg),
						 .wake_ts = wait.from,
						 .doubtful = wait.doubtful };
		add_waits(sched, wait.from, ts > wait.from ? ts : wait.from, &links[nr]);
		ts = wait.from;
		task = links[nr++].waker;
	}
	return nr;
}

bool sched_serves_softirqs(const struct sched *sched, uint32_t task, int64_t ts)
{
	static const char *const names[] = { "ksoftirqd/", "ktimers/", "ktimersd/", "irq/" };
	const char *comm = task < SCHED_IDLE_TASK ? sched_comm(sched, task, ts) : "";

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(comm, names[i], strlen(names[i])))
			return true;
	return false;
}
