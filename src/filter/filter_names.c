/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_names.h"

#include <stddef.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/trace/lock_wait.h"
#include "src/trace/trace_streams.h"

static bool is_stack(unsigned int number, const struct event_type *type)
{
	(void)number;
	return !strcmp(type->system, "ftrace") &&
	       (!strcmp(type->name, "kernel_stack") || !strcmp(type->name, "user_stack"));
}

static const struct filter_model stack_model = { .needs = is_stack };

/* What the recorder kept of the CPU; @member: offset in struct machine_cpu. */
static bool of_machine(const struct trace *trace, unsigned int file, int cpu, unsigned int member,
		       int *value)
{
	const struct machine_cpu *found = machine_cpu(trace_machine(trace, file), cpu);

	*value = found ? *(const int *)((const char *)found + member) : -1;
	return *value >= 0;
}

static bool machine_value(unsigned int member, const struct filter_record *rec, int64_t *value)
{
	int number;
	bool is_known = of_machine(rec->trace, trace_stream_at(rec->trace, rec->stream)->source,
				   rec->cpu, member, &number);

	*value = number;
	return is_known;
}

static bool machine_told(const struct trace *trace, unsigned int file, unsigned int member)
{
	const struct machine *machine = trace_machine(trace, file);
	int value;

	for (unsigned int i = 0; i < machine->nr; i++)
		if (of_machine(trace, file, machine->cpus[i].cpu, member, &value))
			return true;
	return false;
}

static const struct filter_model machine_model = { .value = machine_value, .told = machine_told };

/* Of the event with which a wait for a lock begins. */
enum { LOCK_HOLDER, LOCK_ADDRESS };

static bool is_lock(unsigned int number, const struct event_type *type)
{
	(void)number;
	return lock_wait_is_begin(type);
}

static bool lock_value(unsigned int number, const struct filter_record *rec, int64_t *value)
{
	const struct event_field *pid = event_type_field(rec->type, "common_pid");
	const struct trace_event event = {
		.ref = rec->ref, .ts = rec->ts, .stream = rec->stream,
		.file = trace_stream_at(rec->trace, rec->stream)->source, .type = rec->type,
		.data = rec->data, .size = rec->size, .swap = rec->swap,
		.pid = pid ? (int)field_u64(pid, rec->data, rec->size, rec->swap) : -1,
	};
	struct lock_wait wait;

	if (!lock_wait_read(rec->trace, &event, &wait))
		return false;
	*value = number == LOCK_HOLDER ? wait.holder : (int64_t)wait.address;
	return number == LOCK_ADDRESS || wait.holder;
}

static const struct filter_model lock_model = {
	.applies = is_lock, .needs = is_lock, .value = lock_value,
};

#define OF_LOCK(what) \
	.kind = FILTER_NAME_VALUE, .model = &lock_model, .number = what, \
	.needs = "waits for locks: record --setup=locks records them"

#define OF_MACHINE(member) \
	.kind = FILTER_NAME_VALUE, .model = &machine_model, \
	.number = offsetof(struct machine_cpu, member), \
	.needs = "record of the machine: ftop-trace record keeps which CPUs share a " #member

const struct filter_name filter_names[] = {
	{ .name = "comm", .kind = FILTER_NAME_COMM,
	  .help = "name of the task at the time of the event" },
	{ .name = "pid", .kind = FILTER_NAME_PID, .help = "the task that ran" },
	{ .name = "tgid", .kind = FILTER_NAME_TGID,
	  .help = "process id of the task that ran, if the trace has it" },
	{ .name = "process", .kind = FILTER_NAME_WHO, .number = FILTER_WHO_PROCESS,
	  .help = "name of the process: that of its first thread" },
	{ .name = "exe", .kind = FILTER_NAME_WHO, .number = FILTER_WHO_EXE,
	  .help = "path of the program that the process runs" },
	{ .name = "cmdline", .kind = FILTER_NAME_WHO, .number = FILTER_WHO_CMDLINE,
	  .help = "command line of the process" },
	{ .name = "cgroup", .kind = FILTER_NAME_WHO, .number = FILTER_WHO_CGROUP,
	  .help = "cgroup of the task: cgroup == */docker-3f*" },
	{ .name = "user", .kind = FILTER_NAME_WHO, .number = FILTER_WHO_USER,
	  .help = "user of the task, by name or number" },
	{ .name = "allowed", .kind = FILTER_NAME_WHO, .number = FILTER_WHO_ALLOWED,
	  .help = "CPUs on which the task may run, as record saw them: allowed == 3, allowed == 0-2" },
	{ .name = "policy", .kind = FILTER_NAME_WHO, .number = FILTER_WHO_POLICY,
	  .help = "how the task is scheduled, as record saw it: other, fifo, rr, batch, idle, deadline, ext" },
	{ .name = "cpu", .kind = FILTER_NAME_CPU, .help = "CPU of the event" },
	{ .name = "node", OF_MACHINE(node), .help = "NUMA node of the event's CPU" },
	{ .name = "core", OF_MACHINE(core),
	  .help = "core of the event's CPU, counted from 0: threads of a core share it" },
	{ .name = "file", .kind = FILTER_NAME_FILE,
	  .help = "with several files, the file of the event: file == cpu4" },
	{ .name = "instance", .kind = FILTER_NAME_INSTANCE,
	  .help = "the instance that recorded the event; top is the unnamed one" },
	{ .name = "time", .kind = FILTER_NAME_TIME,
	  .help = "time stamp: 7.554, 7554ms; +1ms counts from the first event" },
	{ .name = "func", .kind = FILTER_NAME_FUNC, .help = "function that is called or returns" },
	{ .name = "irq", .kind = FILTER_NAME_FLAG, .bits = 0x08, .help = "in a hard interrupt" },
	{ .name = "softirq", .kind = FILTER_NAME_FLAG, .bits = 0x10,
	  .help = "in a soft interrupt" },
	{ .name = "nmi", .kind = FILTER_NAME_FLAG, .bits = 0x40,
	  .help = "in a non-maskable interrupt" },
	{ .name = "irqs_off", .kind = FILTER_NAME_FLAG, .bits = 0x01,
	  .help = "interrupts were off" },
	{ .name = "need_resched", .kind = FILTER_NAME_FLAG, .bits = 0x04,
	  .help = "a reschedule was needed" },
	{ .name = "preempt_count", .kind = FILTER_NAME_PREEMPT,
	  .help = "preemption was disabled this many times (nested)" },
	{ .name = "lost", .kind = FILTER_NAME_LOST, .help = "lost events, and damage" },
	{ .name = "stack", .kind = FILTER_NAME_STACK,
	  .help = "stack contains FUNCTION: events whose stack has it", .model = &stack_model,
	  .needs = "stacks: record -T records them" },
	{ .name = "holder", OF_LOCK(LOCK_HOLDER),
	  .help = "where a wait for a lock begins: pid of the task that holds it, if that is known" },
	{ .name = "lock", OF_LOCK(LOCK_ADDRESS),
	  .help = "where a wait for a lock begins: the address of the lock" },
	{ .name = "COMM", .kind = FILTER_NAME_SAVED_COMM,
	  .help = "saved name of the task, as in trace-cmd" },
	{ .name = "CPU", .kind = FILTER_NAME_CPU, .help = "CPU of the event" },
	{ .name = NULL },
};

static const struct filter_name *find_in(const struct filter_name *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table;
	return NULL;
}

const struct filter_name *filter_name_find(const char *name, const struct filter_name *const *more)
{
	const struct filter_name *found = find_in(filter_names, name);

	for (; more && *more && !found; more++)
		found = find_in(*more, name);
	return found;
}

/* Words of other tools, and plain English. */
static const char *const meant[][2] = {
	{ "duration", "dur" }, { "elapsed", "dur" }, { "latency", "wakelat" }, { "wakeup", "wakelat" },
	{ "delay", "wait" }, { "waited", "wait" }, { "waiting", "wait" }, { "runnable", "wait" },
	{ "runtime", "ran" }, { "running", "ran" }, { "run", "ran" },
	{ "command", "comm" }, { "name", "comm" }, { "container", "cgroup" },
	{ "affinity", "allowed" }, { "cpus_allowed", "allowed" }, { "uid", "user" }, { "binary", "exe" },
	{ "tid", "pid" }, { "thread", "pid" },
	{ "function", "func" }, { "fn", "func" }, { "symbol", "func" },
	{ "ts", "time" }, { "timestamp", "time" }, { "processor", "cpu" }, { "numa", "node" },
	{ "priority", "prio" }, { "retval", "ret" }, { "caller", "under" }, { "in_func", "under" },
	{ "hardirq", "irq" }, { "interrupt", "irq" }, { "backtrace", "stack" },
	{ "callstack", "stack" }, { "dropped", "lost" }, { "overrun", "lost" },
};

const char *filter_name_meant(const char *word, const struct filter_name *const *more)
{
	for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++)
		if (!strcasecmp(meant[i][0], word) && filter_name_find(meant[i][1], more))
			return meant[i][1];
	return NULL;
}

const struct filter_name *filter_name_at(const struct filter_name *const *more, unsigned int i)
{
	const struct filter_name *name = filter_names;

	for (;; name++) {
		while (!name->name) {
			if (!more || !*more)
				return NULL;
			name = *more++;
		}
		if (!i--)
			return name;
	}
}
