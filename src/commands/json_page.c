/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_page - ftop-trace-json(5): the keys of each command's JSON. */
#include "src/base/man.h"
#include "src/commands/commands.h"
#include "src/diff/diff.h"
#include "src/functions/function_columns.h"
#include "src/latency/latency_columns.h"
#include "src/sched/task_columns.h"
#include "src/why/cpu_parts.h"

/*
 * The keys of tables are those of their columns.  Where there are no columns, a new key is a word
 * here, in the order in which it is printed.
 */
static const struct {
	const char	*command, *what, *keys;
	const struct table_columns *columns;	/* instead of keys */
	unsigned int	diff;		/* instead of keys, too: bits for diff_columns() */
} objects[] = {
	{ "report", "An event, or events that were lost. If the clock has no unit, ts\n"
		"replaces ts_ns. Events of the top buffer have no instance. fields has the\n"
		"event's own fields by their names.",
		"lost, ts_ns, ts, clock, cpu, pid, comm, instance, system, event, fields" },
	{ "info", "The whole file. If the clock has no unit, first_ts and last_ts replace\n"
		"first_ts_ns and last_ts_ns. latency is what a latency tracer measured;\n"
		"unknown_lines are those of a text.",
		"version, unknown_lines, compression, cut, cpus, clock, kernel, first_ts_ns, last_ts_ns,\n"
		"first_ts, last_ts, size_bytes, events, lost_events, lost_unknown, damaged_pages, buffers,\n"
		"buffers.name, buffers.clock, buffers.cpus, buffers.sub_buffer_bytes, buffers.text, buffers.events, latency,\n"
		"latency.tracer, latency.latency_ns, latency.entries, latency.entries_written, latency.cpu,\n"
		"latency.pid, latency.comm, latency.uid, latency.nice, latency.policy, latency.rt_prio,\n"
		"latency.started_at, latency.ended_at, latency.kernel, latency.preemption, latency.cpus_online,\n"
		"event_types, event_types.system, event_types.name, event_types.id, event_types.count,\n"
		"cpu_stats, cpu_stats.cpu, cpu_stats.events, cpu_stats.lost_events, cpu_stats.lost_unknown,\n"
		"cpu_stats.buffer, notes, notes.offset_bytes, notes.message, sandbox, sandbox.landlock,\n"
		"sandbox.seccomp" },
	{ "summary", "The whole file. If the clock has no unit, first_ts, last_ts, span and\n"
		"cpu_time replace those with _ns. The lists are those of the text; at_ns is when\n"
		"the worst began; of noise, when it was measured.",
		"file, size_bytes, format, kernel, tracer, latency_ns, latency_cpu, latency_task, started_at,\n"
		"ended_at, clock, first_ts_ns, last_ts_ns, span_ns, cpu_time_ns, first_ts, last_ts, span,\n"
		"cpu_time, cpus, events, lost_events, lost_unknown, overwritten, dropped, damaged_pages,\n"
		"event_types, event_types.events, event_types.event, latency, latency.kind, latency.n,\n"
		"latency.open, latency.p99_ns, latency.max_ns, latency.at_ns, latency.task, latency.what,\n"
		"cpu_stats, cpu_stats.cpu, cpu_stats.busy_ns, cpu_stats.switches, cpu_stats.queue,\n"
		"cpu_stats.spare_ns, cpu_stats.longest_ns, cpu_stats.at_ns, tasks, tasks.task, tasks.run_ns,\n"
		"tasks.run_cut_ns, tasks.wait_ns, tasks.max_wakeup_ns, tasks.at_ns, functions, functions.calls,\n"
		"functions.self_ns, functions.max_ns, functions.at_ns, functions.function, noise,\n"
		"noise.tracer, noise.samples, noise.worst_ns, noise.at_ns, noise.cpu, notes" },
	{ "fields", "A name that filters can use in this trace, and how many events have it.",
		"events, system, event, field, type, values" },
	{ "tasks", "A task.",
		.columns = &task_columns },
	{ "tasks --preempted", "Who preempted whom; with --woken, who woke whom.",
		.columns = &task_preempted_columns },
	{ "tasks --queues", "A CPU.",
		.columns = &task_cpu_columns },
	{ "wakeups", "A wake-up.",
		"wake_ts_ns, clock, run_ts_ns, latency_ns, pid, comm, cpu, waker_pid, waker_comm, doubtful, context" },
	{ "latency", "A kind.",
		.columns = &latency_kind_columns },
	{ "latency --kind=wakeup", "An instance; the same keys for all kinds.",
		.columns = &latency_columns },
	{ "latency --kind=wakeup --by=task", "A group of instances; the same keys for all groups.",
		.columns = &latency_group_columns },
	{ "latency --kind=wakeup --histogram", "A range of durations: from_ns <= duration < to_ns.",
		.columns = &latency_bin_columns },
	{ "latency --kind=wakeup --anatomy", "A part of the instance that began at start_ns.",
		"start_ns, clock, part_start_ns, part_end_ns, what" },
	{ "latency --kind=wakeup --culprits", "What CPUs did meanwhile, in all instances.",
		.columns = &culprit_columns },
	{ "functions", "A function.",
		.columns = &function_columns },
	{ "graph --events", "A call, a time off the CPU, or an event: kind says which.",
		"kind, level, pid, comm, cpu, end_cpu, instance, start_ns, start, function, depth, context,\n"
		"duration_ns, self_ns, net_ns, calls, doubtful, state, text, args, return, caller" },
	{ "timeline", "An interval of a CPU, a task, an interrupt: row says whose.",
		"row, start_ns, end_ns, duration_ns, state, clock, cpu, pid, comm, detail, doubtful" },
	{ "stacks", "A stack, the outermost frame first, with a semicolon between two.",
		"total_ns, waits, stack" },
	{ "stacks --events", "The same, of events.",
		"count, stack" },
	{ "why --task=rcu_preempt", "A part of the task's time.",
		"start_ns, end_ns, duration_ns, clock, depth, pid, comm, what" },
	{ "why --task=rcu_preempt --sums", "The parts that are alike.",
		"what, pid, comm, clock, count, total_ns, max_ns, max_start_ns" },
	{ "why --blocked-by", "What held up all tasks, or that of --task; held is wait, blocked or sleep.",
		"what, pid, comm, clock, count, total_ns, max_ns, max_start_ns, held" },
	{ "count --by=event,comm --sum=common_pid", "A row; the names that --by and --sum give are keys.",
		"count, common_pid, event, comm" },
	{ "diff --by=functions", "A function of A or B; z is null if one of them has fewer\n"
		"than 8 calls; what only one of them can have is null in the other.",
		.diff = DIFF_HAS_COUNT | DIFF_HAS_TOTAL | DIFF_HAS_SELF | DIFF_HAS_DURATIONS },
	{ "diff --by=tasks", "The tasks with a name; total is the time they ran.",
		.diff = DIFF_HAS_COUNT | DIFF_HAS_TOTAL | DIFF_HAS_WAIT | DIFF_HAS_DURATIONS },
	{ "diff --by=latency", "A kind; the same keys with --by=scheduler.",
		.diff = DIFF_HAS_COUNT | DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS },
	{ "diff --by=stacks", "A stack.",
		.diff = DIFF_HAS_COUNT | DIFF_HAS_TOTAL },
	{ "diff --by=events", "An event type.",
		.diff = DIFF_HAS_COUNT },
	{ "diff --by=counts", "The values that count prints.",
		.diff = DIFF_HAS_COUNT },
	{ "diff --by=noise", "A latency, a noise or a gap of a CPU.",
		.diff = DIFF_HAS_COUNT | DIFF_HAS_TOTAL | DIFF_HAS_MAX },
	{ "noise", "A CPU; which of these keys it has depends on the tracer.",
		"cpu, samples, periods, runtime_ns, noise_ns, available_percent, max_noise_ns, max_single_ns,\n"
		"inner_cur_ns, inner_min_ns, inner_avg_ns, inner_max_ns, outer_cur_ns, outer_min_ns,\n"
		"outer_avg_ns, outer_max_ns, count, nmi_count, irq_count, irq_cur_ns, irq_min_ns, irq_avg_ns,\n"
		"irq_max_ns, thread_count, thread_cur_ns, thread_min_ns, thread_avg_ns, thread_max_ns,\n"
		"user_count, user_cur_ns, user_min_ns, user_avg_ns, user_max_ns, hw, nmi, irq, softirq, thread,\n"
		"nmi_time_ns, irq_time_ns, softirq_time_ns, thread_time_ns, doubtful" },
	{ "noise --samples", "A sample; which of these keys it has depends on the tracer.",
		"seq, cpu, ts_ns, irq_ns, thread_ns, user_ns, inner_ns, outer_ns, count, nmi_count, nmi_ns,\n"
		"runtime_ns, noise_ns, available_percent, max_single_ns, hw, nmi, irq, softirq, thread, doubtful" },
	{ "noise --histogram",
		"A range of durations; which of these keys it has depends on the tracer.",
		"from_ns, to_ns, irq_count, thread_count, user_count, noise_count, inner_count, outer_count" },
	{ "noise --analysis=2", "A part of one of the worst samples.",
		"ts_ns, cpu, seq, part, duration_ns, share_percent, what, doubtful" },
	{ "list --full", "Something the kernel has; which of these keys it has depends on the\n"
		"kind. Without --full, only the names.",
		"kind, system, name, set, module, owner, events, id, fields, fields.offset_bytes,\n"
		"fields.size_bytes, fields.signed, fields.common, fields.name, fields.type, filter, triggers,\n"
		"print_fmt" },
	{ "doctor", "A check.",
		"check, state, file, errno, cause, text, remedy, kernel" },
};

static void add_keys(const struct table_columns *columns, FILE *out)
{
	struct table_out table;
	struct text keys = { 0 };

	table_out_init(&table, columns, FORMAT_JSON, false);
	for (unsigned int i = 0; i < table.nr; i++)
		text_printf(&keys, "%s%s", i ? ", " : "", table.shown[i]->name);
	man_paragraph(text_str(&keys), out);
	text_fini(&keys);
	table_out_fini(&table);
}

void json_page(FILE *out)
{
	man_begin("ftop-trace-json", "5", "the keys of what ftop-trace prints as JSON", out);
	man_section("DESCRIPTION", out);
	man_text(
		"With --format=json, a command prints one object per line, in UTF-8. The\n"
		"section KEYS lists the keys of each command in the order in which they are\n"
		"printed. Key names are stable; new keys may be added.\n\n"
		"Keys that end in _ns are in ns, as integers. If the clock of the trace has no\n"
		"unit, these numbers are in units of the clock, and the key clock names it;\n"
		"else there is no key clock. Other numbers that a double cannot hold (above\n"
		"2^53) are strings. Absent values are null or omitted; each kind of row has its\n"
		"own keys. Times are those of the trace's clock. Bytes of a\n"
		"trace that are not UTF-8 become U+FFFD.\n\n"
		"With several files, the first key of each object is file. The columns of csv\n"
		"and parquet have the same names. a.b is the key b of the object a, or of the objects in\n"
		"the array a. The keys of ftop-trace hist are the names of the histogram's own\n"
		"keys and values; the last one, histogram, is the number of the histogram in\n"
		"the file.",
		out);
	man_section("KEYS", out);
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		static const char *const no_names[2] = { NULL, NULL };
		const struct table_columns compared = diff_columns(objects[i].diff |
									   DIFF_PER_SECOND,
								   no_names);
		char title[80];

		snprintf(title, sizeof(title), "ftop-trace %s", objects[i].command);
		man_subsection(title, out);
		man_text(objects[i].what, out);
		if (objects[i].keys)
			man_paragraph(objects[i].keys, out);
		else
			add_keys(objects[i].columns ?: &compared, out);
	}
	man_end("ftop-trace-json", out);
}
