/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/source/source.h"
#include "src/base/memory.h"

#define COMM_BYTES	16u

/* Names of fields; the second name is that of old kernels. */
static const struct sched_type_source {
	const char	*system, *name;
	enum sched_op	 op;
	enum sched_context context;
	const char	*pid, *comm, *prio, *pid2, *comm2, *prio2, *state, *cpu, *old_cpu;
	bool		 is_futex;
	enum sched_limit_op limit;
} sources[] = {
	{ .system = "sched", .name = "sched_switch", .op = SCHED_SWITCH, .pid = "prev_pid",
	  .comm = "prev_comm", .prio = "prev_prio", .pid2 = "next_pid", .comm2 = "next_comm",
	  .prio2 = "next_prio", .state = "prev_state" },
	{ .system = "sched", .name = "sched_waking", .op = SCHED_WAKING, .pid = "pid",
	  .comm = "comm", .prio = "prio", .cpu = "target_cpu" },
	{ .system = "sched", .name = "sched_wakeup", .op = SCHED_WAKEUP, .pid = "pid",
	  .comm = "comm", .prio = "prio", .cpu = "target_cpu", .old_cpu = "cpu" },
	{ .system = "sched", .name = "sched_wakeup_new", .op = SCHED_WAKEUP_NEW, .pid = "pid",
	  .comm = "comm", .prio = "prio", .cpu = "target_cpu", .old_cpu = "cpu" },
	{ .system = "sched", .name = "sched_migrate_task", .op = SCHED_MIGRATE, .pid = "pid",
	  .comm = "comm", .prio = "prio", .cpu = "dest_cpu" },
	{ .system = "sched", .name = "sched_blocked_reason", .op = SCHED_REASON, .pid = "pid",
	  .state = "caller", .cpu = "io_wait" },
	{ .system = "sched", .name = "sched_process_fork", .op = SCHED_FORK, .pid = "child_pid",
	  .comm = "child_comm" },
	{ .system = "sched", .name = "sched_process_exit", .op = SCHED_EXIT, .pid = "pid" },
	{ .system = "sched", .name = "sched_process_exec", .op = SCHED_EXEC, .pid = "pid",
	  .pid2 = "old_pid" },
	{ .system = "task", .name = "task_rename", .op = SCHED_EXEC, .pid = "pid",
	  .comm = "newcomm" },
	{ .system = "sched", .name = "sched_pi_setprio", .op = SCHED_TOLD, .pid = "pid",
	  .comm = "comm", .prio = "newprio" },
	{ .system = "syscalls", .name = "sys_enter_sched_yield", .op = SCHED_YIELD,
	  .state = "__syscall_nr" },
	{ .system = "syscalls", .name = "sys_exit_sched_yield", .op = SCHED_YIELDED,
	  .state = "__syscall_nr" },
	{ .system = "syscalls", .name = "syscall_entry_sched_yield", .op = SCHED_YIELD },
	{ .system = "syscalls", .name = "syscall_exit_sched_yield", .op = SCHED_YIELDED },
	{ .system = "task", .name = "task_newtask", .op = SCHED_FORK, .pid = "pid",
	  .comm = "comm" },
	{ .system = "irq", .name = "irq_handler_entry", .op = SCHED_ENTER,
	  .context = SCHED_CONTEXT_IRQ, .comm = "name", .state = "irq" },
	{ .system = "irq", .name = "irq_handler_exit", .op = SCHED_LEAVE,
	  .context = SCHED_CONTEXT_IRQ, .state = "irq" },
	{ .system = "irq", .name = "softirq_entry", .op = SCHED_ENTER,
	  .context = SCHED_CONTEXT_SOFTIRQ, .state = "vec" },
	{ .system = "irq", .name = "softirq_exit", .op = SCHED_LEAVE,
	  .context = SCHED_CONTEXT_SOFTIRQ, .state = "vec" },
	{ .system = "irq", .name = "softirq_raise", .op = SCHED_RAISE, .state = "vec" },
	{ .system = "timer", .name = "hrtimer_expire_entry", .op = SCHED_ENTER,
	  .context = SCHED_CONTEXT_TIMER, .state = "function", .pid2 = "hrtimer" },
	{ .system = "timer", .name = "hrtimer_expire_exit", .op = SCHED_LEAVE,
	  .context = SCHED_CONTEXT_TIMER },
	{ .system = "timer", .name = "timer_expire_entry", .op = SCHED_ENTER,
	  .context = SCHED_CONTEXT_TIMER, .state = "function" },
	{ .system = "timer", .name = "timer_expire_exit", .op = SCHED_LEAVE,
	  .context = SCHED_CONTEXT_TIMER },
	{ .system = "power", .name = "cpu_idle", .op = SCHED_POWER, .state = "state" },
	{ .system = "power", .name = "cpu_frequency", .op = SCHED_FREQUENCY, .state = "state",
	  .cpu = "cpu_id" },
	{ .system = "cgroup", .name = "cgroup_freeze", .op = SCHED_FREEZE,
	  .limit = SCHED_LIMIT_BEGINS, .comm = "path" },
	{ .system = "cgroup", .name = "cgroup_unfreeze", .op = SCHED_FREEZE,
	  .limit = SCHED_LIMIT_ENDS, .comm = "path" },
	{ .system = "locks", .name = "futex", .op = SCHED_LOCK, .state = "op",
	  .pid = "val", .pid2 = "word", .prio = "users", .prio2 = "kind", .is_futex = true },
	{ .system = "locks", .name = "mutex_wait", .op = SCHED_LOCK, .state = "lock_addr" },
	{ .system = "locks", .name = "rwsem_wait", .op = SCHED_LOCK, .state = "lock_addr" },
	{ .system = "locks", .name = "lock_wait", .op = SCHED_LOCK, .state = "lock_addr" },
	{ .system = "locks", .name = "sys_exit_futex", .op = SCHED_LOCKED, .is_futex = true },
	{ .system = "lock", .name = "contention_end", .op = SCHED_LOCKED, .state = "lock_addr" },
	{ .system = "syscalls", .name = "sys_exit_futex", .op = SCHED_LOCKED, .is_futex = true },
	{ .system = "limits", .name = "throttle_group", .op = SCHED_LIMIT,
	  .limit = SCHED_LIMIT_BEGINS, .state = "cgroup", .cpu = "cpu" },
	{ .system = "limits", .name = "unthrottle_group", .op = SCHED_LIMIT,
	  .limit = SCHED_LIMIT_ENDS, .state = "cgroup", .cpu = "cpu" },
	{ .system = "limits", .name = "throttle_task", .op = SCHED_LIMIT,
	  .limit = SCHED_LIMIT_TAKES },
};

/* A field that a record may lack; extends the payload that a plain record needs. */
static const struct event_field *find(struct sched_shape *shape, const struct event_type *type,
				      const char *name, const char *old, uint32_t size,
				      uint16_t *at)
{
	const struct event_field *field = name ? event_type_field(type, name) : NULL;

	if (!field && old)
		field = event_type_field(type, old);
	if (!field) {
		shape->plain &= !name;
		return NULL;
	}
	*at = field->offset;
	if (field->offset + field->size > shape->bytes)
		shape->bytes = field->offset + field->size;
	shape->plain &= field->size == size && !field->is_dynamic;
	return field;
}

static void add_shape(struct sched_types *types, const struct event_type *type,
		      const struct sched_type_source *source)
{
	struct sched_shape *shape = &types->shapes[types->nr_shapes];

	if ((unsigned int)type->id >= sizeof(types->shape_of) || types->nr_shapes >= SCHED_SHAPES ||
	    types->shape_of[type->id])
		return;
	shape->op = source->op;
	shape->is_sched = !strcmp(type->system, "sched");
	shape->context = source->context;
	shape->is_futex = source->is_futex;
	shape->limit = source->limit;
	shape->is_selected = source->op == SCHED_RAISE;
	shape->may_pause = source->op == SCHED_ENTER && source->context == SCHED_CONTEXT_SOFTIRQ &&
			   !event_type_lacks(type, FORMAT_LACKS_FLAGS);
	shape->type_id = type->id;
	shape->plain = true;
	shape->bytes = 8;
	shape->pid = find(shape, type, source->pid, NULL, 4, &shape->pid_at);
	shape->comm = find(shape, type, source->comm, NULL, COMM_BYTES, &shape->comm_at);
	shape->prio = find(shape, type, source->prio, NULL, 4, &shape->prio_at);
	shape->pid2 = find(shape, type, source->pid2, NULL, 4, &shape->pid2_at);
	shape->comm2 = find(shape, type, source->comm2, NULL, COMM_BYTES, &shape->comm2_at);
	shape->prio2 = find(shape, type, source->prio2, NULL, 4, &shape->prio2_at);
	shape->state = find(shape, type, source->state, NULL, 8, &shape->state_at);
	shape->cpu = find(shape, type, source->cpu, source->old_cpu, 4, &shape->cpu_at);
	if (source->op >= SCHED_WAKING && source->op <= SCHED_WAKEUP_NEW)
		shape->success = event_type_field(type, "success");
	if (source->op == SCHED_MIGRATE)
		shape->from = event_type_field(type, "orig_cpu");
	if (source->op != SCHED_SWITCH)
		shape->plain &= shape->prio && shape->cpu;
	types->shape_of[type->id] = (uint8_t)types->nr_shapes++;
}

/* Were some recorded, or may some yet be counted? */
static bool may_have(struct trace *trace, unsigned int file, const char *name)
{
	return !trace_status(trace).complete || trace_has_event(trace, file, name);
}

/*
 * Are beginnings of interrupts, timers or calls, as sys_enter, recorded without their ends?  As far
 * as counted.
 */
static bool lacks_end(struct trace *trace, unsigned int file, const char *system, const char *begin)
{
	const char *at = strstr(begin, "_ent");
	char end[32];

	if (!at)
		return false;
	snprintf(end, sizeof(end), "%.*s_exit%s", (int)(at - begin), begin, at + strlen("_entry"));
	return !event_types_by_name(trace_event_types(trace, file), system, end) ||
	       !(trace_grows(trace) ? trace_has_event(trace, file, end) :
				      may_have(trace, file, end));
}

/* Of an ENTER, or of a call to sched_yield: a shape that was added. */
static void see_end(struct sched_types *types, struct trace *trace, unsigned int file,
		    const struct event_type *type)
{
	struct sched_shape *shape = &types->shapes[types->shape_of[type->id]];

	shape->lacks_end = lacks_end(trace, file, type->system, type->name);
	if (shape->lacks_end && shape->op == SCHED_ENTER)
		shape->op = SCHED_EXPIRED;
}

/* irq_vectors: local_timer_entry and the like; nmi_handler is a record at the end, no interval. */
static void add_vector(struct sched_types *types, struct trace *trace, unsigned int file,
		       const struct event_type *type)
{
	const char *end = strrchr(type->name, '_');
	struct sched_type_source source = { .system = type->system, .name = type->name,
					    .context = SCHED_CONTEXT_IRQ, .state = "vector" };

	if (!end || (strcmp(end, "_entry") && strcmp(end, "_exit")))
		return;
	source.op = strcmp(end, "_entry") ? SCHED_LEAVE : SCHED_ENTER;
	add_shape(types, type, &source);
	see_end(types, trace, file, type);
	types->shapes[types->shape_of[type->id]].is_ipi = !strncmp(type->name, "reschedule_", 11) ||
							  !strncmp(type->name, "call_function_",
								   14);
}

static bool begins(const struct source_format *format, const char *head)
{
	return format->size > strlen(head) && !memcmp(format->text, head, strlen(head));
}

/*
 * syscalls: sys_enter_read and the like.  There are hundreds, all alike for this purpose: two
 * shapes are enough, and the other formats are not parsed.
 */
static void add_syscall(struct sched_types *types, struct event_types *known,
			const struct source_format *format, uint8_t shapes[2])
{
	bool lttng = begins(format, "name: syscall_"), /* without a number */
		enter = begins(format, "name: sys_enter_") ||
			begins(format, "name: syscall_entry_"),
	     leave = begins(format, "name: sys_exit_") || begins(format, "name: syscall_exit_");
	struct sched_type_source source = { .op = enter ? SCHED_CALL : SCHED_RETURN,
					    .state = lttng ? NULL : "__syscall_nr" };
	const struct event_type *type = NULL;

	if ((!enter && !leave) || types->shape_of[format->id])
		return;
	if (!shapes[leave])
		type = event_types_find(known, format->id);
	if (type && !lttng && !event_type_field(type, source.state))
		source.state = "nr";
	if (type) {
		add_shape(types, type, &source);
		shapes[leave] = types->shape_of[format->id];
	}
	types->shape_of[format->id] = shapes[leave];
}

/* Without @calls, those to sched_yield alone. */
static void add_raw_syscalls(struct sched_types *types, struct trace *trace, unsigned int file,
			     bool calls)
{
	struct event_types *known = trace_event_types(trace, file);
	static const char *const names[] = { "sys_enter", "sys_exit" };
	static const enum sched_op ops[2][2] = { { SCHED_YIELD, SCHED_YIELDED },
						 { SCHED_CALL, SCHED_RETURN } };

	for (unsigned int i = 0; i < 2 && (calls || types->yield >= 0); i++) {
		const struct event_type *type = event_types_by_name(known, "raw_syscalls",
								    names[i]);

		if (!type)
			continue;
		add_shape(types, type,
			  &(struct sched_type_source){ .op = ops[calls][i], .state = "id" });
		types->shapes[types->shape_of[type->id]].is_raw = true;
		types->shapes[types->shape_of[type->id]].is_selected = true;
		types->shapes[types->shape_of[type->id]].yields = true;
		see_end(types, trace, file, type);
	}
}

/* The calls to sched_yield are counted like others. */
static struct sched_type_source call_of(const struct sched_type_source *yield,
					const struct event_type *type)
{
	struct sched_type_source call = *yield;

	call.op = yield->op == SCHED_YIELD ? SCHED_CALL : SCHED_RETURN;
	if (call.state && !event_type_field(type, call.state))
		call.state = "nr";
	return call;
}

/* Types that are recognised by their system only. */
static void add_systems(struct sched_types *types, struct trace *trace, unsigned int file,
			bool pictures, bool calls)
{
	const struct source *f = trace_file_of(trace, file);
	uint8_t syscalls[2] = { 0 };

	for (unsigned int i = 0; i < source_nr_formats(f); i++) {
		const struct source_format *format = source_format(f, i);
		bool sched = !types->is_of_tasks && !strcmp(format->system, "sched"),
		     vector = pictures && !strcmp(format->system, "irq_vectors");
		bool call = calls && !strcmp(format->system, "syscalls");
		const struct event_type *type;

		if (format->id < 0 || format->id > 65535 || (!sched && !vector && !call) ||
		    source_format_by_id(f, format->id) != format)
			continue;
		if (sched && !types->shape_of[format->id])
			types->shape_of[format->id] = SCHED_SYSTEM;
		if (sched)
			continue;
		if (call) {
			add_syscall(types, trace_event_types(trace, file), format, syscalls);
			continue;
		}
		type = event_types_find(trace_event_types(trace, file), format->id);
		if (type)
			add_vector(types, trace, file, type);
	}
}

enum sched_class sched_types_find_class(const struct sched_types *types, uint64_t state)
{
	bool blocked = false, gone = false;

	if (!state || (types->states.preempted && (state & types->states.preempted)))
		return SCHED_CLASS_RUNNABLE;
	for (unsigned int i = 0; i < types->states.nr; i++) {
		uint64_t bit = types->states.states[i].bit;

		if (!bit || (state & bit) != bit)
			continue;
		blocked |= types->states.states[i].letter == 'D';
		gone |= strchr("XZx", types->states.states[i].letter) != NULL;
	}
	return blocked ? SCHED_CLASS_BLOCKED : gone ? SCHED_CLASS_GONE : SCHED_CLASS_SLEEP;
}

static unsigned int told_by(const struct sched_types *types, uint64_t state)
{
	static const unsigned int tells[] = {
		[SCHED_STATES_ARE_BITS] = SCHED_CLASS_TELLS_BITS,
		[SCHED_STATES_ARE_NUMBERS] = SCHED_CLASS_TELLS_NUMBERS,
		[SCHED_STATES_ARE_UNSURE] = 0,
	};

	return types->states.encoding == SCHED_STATES_ARE_UNSURE ?
		       tells[sched_states_evidence(state)] :
		       0;
}

/* NULL: it is not known, or does not tell what it should. */
static const struct event_type *type_of(struct trace *trace, unsigned int file,
					const struct sched_type_source *source)
{
	const struct event_type *type = event_types_by_name(trace_event_types(trace, file),
							    source->system, source->name);

	return type && (source->op != SCHED_SWITCH || event_type_tells_switch(type)) ? type : NULL;
}

static void add_sources(struct sched_types *types, struct trace *trace, unsigned int file,
			bool pictures, bool calls)
{
	bool has_locks = false;

	for (unsigned int i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		const struct event_type *type = NULL;

		if (types->is_of_tasks && !strcmp(sources[i].system, "sched"))
			continue;
		/* nothing is made of ends alone, and of system calls that are counted */
		if (sources[i].op == SCHED_LOCKED && (calls || !has_locks))
			continue;
		if (pictures || sources[i].op <= SCHED_EXIT)
			type = type_of(trace, file, &sources[i]);
		if (!type)
			continue;
		if (sources[i].op == SCHED_YIELD || sources[i].op == SCHED_YIELDED) {
			struct sched_type_source call = call_of(&sources[i], type);

			add_shape(types, type, calls ? &call : &sources[i]);
			types->shapes[types->shape_of[type->id]].yields = true;
			see_end(types, trace, file, type);
			continue;
		}
		add_shape(types, type, &sources[i]);
		if (sources[i].op == SCHED_ENTER)
			see_end(types, trace, file, type);
		if (sources[i].op == SCHED_SWITCH) {
			const struct sched_shape *shape = &types->shapes[types->shape_of[type->id]];

			trace_task_states(trace, file, type, &types->states);
			types->has_prios = shape->prio && shape->prio2;
		}
		has_locks |= sources[i].op == SCHED_LOCK;
		types->has_switch |= sources[i].op == SCHED_SWITCH &&
				     may_have(trace, file, sources[i].name);
		types->has_waking |= sources[i].op == SCHED_WAKING &&
				     may_have(trace, file, sources[i].name);
		types->has_wakeup |= sources[i].op == SCHED_WAKEUP;
		types->lacks_flags |= sources[i].op >= SCHED_WAKING &&
				      sources[i].op <= SCHED_WAKEUP_NEW &&
				      event_type_lacks(type, FORMAT_LACKS_FLAGS);
		types->has_migrate |= sources[i].op == SCHED_MIGRATE;
	}
}

struct sched_types *sched_types_new(struct trace *trace, unsigned int file, bool pictures,
				    bool calls)
{
	struct sched_types *types = mem_alloc(sizeof(*types));
	const char *uname = source_info(trace_file_of(trace, file))->uname;
	bool is_timed = !trace_is_untimed(trace, (int)file);

	types->shapes[SCHED_SYSTEM] = (struct sched_shape){ .op = SCHED_SYSTEM, .is_sched = true };
	types->nr_shapes = SCHED_SYSTEM + 1;
	types->is_of_tasks = trace_is_of_tasks(trace, (int)file);
	types->yield = syscall_names_number(uname, "sched_yield");
	types->returns = syscall_names_returns(uname);
	sched_states_parse(&types->states, "");
	if (is_timed)
		add_sources(types, trace, file, pictures, calls);
	if (is_timed)
		add_raw_syscalls(types, trace, file, calls);
	if (is_timed)
		add_systems(types, trace, file, pictures, calls);
	for (unsigned int i = 0; i < sizeof(types->class_of); i++)
		types->class_of[i] =
			(uint8_t)(sched_types_find_class(types,
							 sched_states_bits(&types->states, i)) |
				  told_by(types, i));
	return types;
}

/* Were ends of interrupts or calls counted since? */
static bool have_ends(const struct sched_types *types, struct trace *trace, unsigned int file)
{
	for (unsigned int i = 0; i < types->nr_shapes; i++) {
		const struct sched_shape *shape = &types->shapes[i];
		const struct event_type *type = shape->lacks_end ?
							event_types_find(trace_event_types(trace,
											   file),
									 shape->type_id) :
							NULL;

		if (type && !lacks_end(trace, file, type->system, type->name))
			return true;
	}
	return false;
}

bool sched_types_are_wrong(const struct sched_types *types, struct trace *trace, unsigned int file)
{
	if (have_ends(types, trace, file))
		return true;
	if (types->is_of_tasks || (types->has_switch && types->has_waking))
		return false;
	for (unsigned int i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (((sources[i].op == SCHED_SWITCH && !types->has_switch) ||
		     (sources[i].op == SCHED_WAKING && !types->has_waking)) &&
		    type_of(trace, file, &sources[i]) &&
		    trace_has_event(trace, file, sources[i].name))
			return true;
	return false;
}
