/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_page - ftop-trace-json(5): the keys of each command's JSON. */
#include "src/base/man.h"
#include "src/commands/commands.h"

/* A new key of a command is a word here, in the order in which it is printed. */
static const struct {
	const char	*command, *what, *keys;
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
		"cpu_time replace those with _ns. The lists are those of the text; at_ns is the\n"
		"moment of the worst.",
		"file, size_bytes, format, kernel, tracer, latency_ns, latency_cpu, latency_task, started_at,\n"
		"ended_at, clock, first_ts_ns, last_ts_ns, span_ns, cpu_time_ns, first_ts, last_ts, span,\n"
		"cpu_time, cpus, events, lost_events, lost_unknown, overwritten, dropped, damaged_pages,\n"
		"event_types, event_types.events, event_types.event, latency, latency.kind, latency.n,\n"
		"latency.open, latency.p99_ns, latency.max_ns, latency.at_ns, latency.task, latency.what,\n"
		"cpu_stats, cpu_stats.cpu, cpu_stats.busy_ns, cpu_stats.switches, cpu_stats.queue,\n"
		"cpu_stats.spare_ns, cpu_stats.longest_ns, cpu_stats.at_ns, tasks, tasks.task, tasks.run_ns,\n"
		"tasks.wait_ns, tasks.max_wakeup_ns, tasks.at_ns, functions, functions.calls,\n"
		"functions.self_ns, functions.max_ns, functions.at_ns, functions.function, noise,\n"
		"noise.tracer, noise.samples, noise.worst_ns, noise.at_ns, noise.cpu, notes" },
	{ "fields", "A name that filters can use in this trace, and how many events have it.",
		"events, system, event, field, type, values" },
	{ "tasks", "A task.",
		"pid, comm, clock, run_ns, run_cut_ns, wait_ns, sleep_ns, blocked_ns, switches, preemptions,\n"
		"migrations, wakeups, max_wakeup_ns, doubtful_ns" },
	{ "tasks --preempted", "Who preempted whom; with --woken, who woke whom.",
		"pid, comm, by_pid, by_comm, clock, count, total_ns, avg_ns, max_ns, max_ts_ns, doubtful" },
	{ "tasks --queues", "A CPU.",
		"cpu, known_ns, waited_ns, most, most_start_ns, most_length_ns, spare_ns, max_spare_ns,\n"
		"max_spare_start_ns, doubtful_ns" },
	{ "wakeups", "A wake-up.",
		"wake_ts_ns, clock, run_ts_ns, latency_ns, pid, comm, cpu, waker_pid, waker_comm, doubtful" },
	{ "latency", "A kind.",
		"kind, n, open, doubtful, min_ns, avg_ns, p50_ns, p95_ns, p99_ns, p999_ns, max_ns, total_ns" },
	{ "latency --kind=wakeup", "An instance; the same keys for all kinds.",
		"kind, clock, start_ns, end_ns, duration_ns, cpu, pid, comm, what, doubtful, moved, prio,\n"
		"wakeup_ns, leaf, net_ns, mark" },
	{ "latency --kind=wakeup --histogram", "A range of durations: from_ns <= duration < to_ns.",
		"from_ns, to_ns, count" },
	{ "latency --kind=wakeup --anatomy", "A part of the instance that began at start_ns.",
		"start_ns, clock, part_start_ns, part_end_ns, what" },
	{ "latency --kind=wakeup --culprits", "What CPUs did meanwhile, in all instances.",
		"what, clock, count, total_ns, max_ns" },
	{ "functions", "A function.",
		"function, calls, total_ns, self_ns, net_ns, min_ns, avg_ns, p50_ns, p95_ns, p99_ns, max_ns,\n"
		"leaf_calls, unclosed, orphans, doubtful" },
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
	{ "why --blocked-by", "What held up all tasks, or that of --task.",
		"what, pid, comm, clock, count, total_ns, max_ns, max_start_ns" },
	{ "count --by=event,comm --sum=common_pid", "A row; the names that --by and --sum give are keys.",
		"count, common_pid, event, comm" },
	{ "diff --by=functions", "A function of A or B; z is null if one of them has fewer\n"
		"than 8 calls; what only one of them can have is null in the other.",
		"name, verdict, z, a_cpu_ns, b_cpu_ns, a_total_ns, b_total_ns, delta_total_ns_per_s, a_self_ns,\n"
		"b_self_ns, delta_self_ns_per_s, a_net_ns, b_net_ns, delta_net_ns_per_s, a_count, b_count,\n"
		"delta_count_per_s, a_p50_ns, b_p50_ns, delta_p50_ns, a_p99_ns, b_p99_ns, delta_p99_ns,\n"
		"a_max_ns, b_max_ns, delta_max_ns" },
	{ "diff --by=tasks", "The tasks with a name; total is the time they ran.",
		"name, verdict, z, a_cpu_ns, b_cpu_ns, a_total_ns, b_total_ns, delta_total_ns_per_s, a_wait_ns,\n"
		"b_wait_ns, delta_wait_ns_per_s, a_count, b_count, delta_count_per_s, a_p50_ns, b_p50_ns,\n"
		"delta_p50_ns, a_p99_ns, b_p99_ns, delta_p99_ns, a_max_ns, b_max_ns, delta_max_ns" },
	{ "diff --by=latency", "A kind; the same keys with --by=scheduler.",
		"name, verdict, z, a_cpu_ns, b_cpu_ns, a_total_ns, b_total_ns, delta_total_ns_per_s, a_count,\n"
		"b_count, delta_count_per_s, a_p50_ns, b_p50_ns, delta_p50_ns, a_p99_ns, b_p99_ns,\n"
		"delta_p99_ns, a_max_ns, b_max_ns, delta_max_ns" },
	{ "diff --by=stacks", "A stack.",
		"name, verdict, a_cpu_ns, b_cpu_ns, a_total_ns, b_total_ns, delta_total_ns_per_s, a_count,\n"
		"b_count, delta_count_per_s" },
	{ "diff --by=events", "An event type.",
		"name, verdict, a_cpu_ns, b_cpu_ns, a_count, b_count, delta_count_per_s" },
	{ "noise", "A CPU; each tracer has its own of these keys.",
		"cpu, samples, periods, runtime_ns, noise_ns, available_percent, max_noise_ns, max_single_ns,\n"
		"inner_cur_ns, inner_min_ns, inner_avg_ns, inner_max_ns, outer_cur_ns, outer_min_ns,\n"
		"outer_avg_ns, outer_max_ns, count, nmi_count, irq_count, irq_cur_ns, irq_min_ns, irq_avg_ns,\n"
		"irq_max_ns, thread_count, thread_cur_ns, thread_min_ns, thread_avg_ns, thread_max_ns,\n"
		"user_count, user_cur_ns, user_min_ns, user_avg_ns, user_max_ns, hw, nmi, irq, softirq, thread,\n"
		"nmi_time_ns, irq_time_ns, softirq_time_ns, thread_time_ns, doubtful" },
	{ "noise --samples", "A sample; each tracer has its own of these keys.",
		"seq, cpu, ts_ns, irq_ns, thread_ns, user_ns, inner_ns, outer_ns, count, nmi_count, nmi_ns,\n"
		"runtime_ns, noise_ns, available_percent, max_single_ns, hw, nmi, irq, softirq, thread, doubtful" },
	{ "noise --histogram", "A range of durations; each tracer has its own of these keys.",
		"from_ns, to_ns, irq_count, thread_count, user_count, noise_count, inner_count, outer_count" },
	{ "noise --analysis=2", "A part of one of the worst samples.",
		"ts_ns, cpu, seq, part, duration_ns, share_percent, what, doubtful" },
	{ "list --full", "Something the kernel has; each kind has its own of these keys. Without --full,\n"
		"only the names.",
		"kind, system, name, set, module, owner, events, id, fields, fields.offset_bytes,\n"
		"fields.size_bytes, fields.signed, fields.common, fields.name, fields.type, filter, triggers,\n"
		"print_fmt" },
	{ "doctor", "A check.",
		"check, state, file, errno, cause, text, remedy, kernel" },
};

void json_page(FILE *out)
{
	man_begin("ftop-trace-json", "5", "the keys of what ftop-trace prints as JSON", out);
	man_section("DESCRIPTION", out);
	man_text(
		"With --format=json, a command prints one object per line, in UTF-8. The\n"
		"section KEYS lists the keys of each command in the order in which they are\n"
		"printed. These keys keep their names; new keys may come.\n\n"
		"Keys that end in _ns are in ns, as integers. If the clock of the trace has no\n"
		"unit, these numbers are in units of the clock, and the key clock names it;\n"
		"else there is no key clock. Other numbers that a double cannot hold (above\n"
		"2^53) are strings. What does not exist is null, or its key is missing: a row\n"
		"has the keys of its kind. Times are those of the trace's clock. Bytes of a\n"
		"trace that are not UTF-8 become U+FFFD.\n\n"
		"With several files, the first key of each object is file. The columns of csv\n"
		"and parquet have the same names. a.b is the key b of the object a, or of the objects in\n"
		"the array a. The keys of ftop-trace hist are the names of the histogram's own\n"
		"keys and values; the last one, histogram, is the number of the histogram in\n"
		"the file.",
		out);
	man_section("KEYS", out);
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		char title[80];

		snprintf(title, sizeof(title), "ftop-trace %s", objects[i].command);
		man_subsection(title, out);
		man_text(objects[i].what, out);
		man_paragraph(objects[i].keys, out);
	}
	man_end("ftop-trace-json", out);
}
