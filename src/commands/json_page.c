/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_page - ftop-trace-json(5): the keys of each command's JSON. */
#include "src/base/man.h"
#include "src/commands/check_report.h"
#include "src/commands/commands.h"
#include "src/commands/kind_list.h"
#include "src/diff/diff.h"
#include "src/lists/comparison.h"

/*
 * The keys of tables are those of their columns.  Where there are no columns, a new key is a word
 * here, in the order in which it is printed.  Those of a list_source are in its table keys.
 */
static const struct list_keys objects[] = {
	{ "report", "An event, or events that were lost. If the clock has no unit, ts\n"
		"replaces ts_ns. Events of the top buffer have no instance. fields has the\n"
		"event's own fields by their names; in fields.eventheader are those that the record itself\n"
		"describes (EventHeader), and cut_short if it ends before them.",
		"lost, ts_ns, ts, clock, cpu, pid, comm, instance, system, event, fields" },
	{ "info", "The whole file. If the clock has no unit, first_ts and last_ts replace\n"
		"first_ts_ns and last_ts_ns. latency is the measurement of a latency tracer;\n"
		"hits are the hits of record --until, in the trace's clock; unknown_lines counts the lines of a\n"
		"text that were not understood. lost_events is null if gaps of unknown size (lost_unknown), damage\n"
		"or a cut hide some. processes counts processes whose program, user or cgroup is known.\n"
		"In machine.topology, CPUs with the same number share a core, a cluster or another part; unknown\n"
		"values are null, and the largest capacity is 1024. machine.steal is what the hypervisor took from the\n"
		"CPUs between from_ns and to_ns, in the trace's clock: growth has each second in which there was some.\n"
		"It is null where the recorder did not look. cgroup_stats are the cgroups of tasks: cpu.max\n"
		"(quota_us 0: no limit), cpu.weight, and the growth of cpu.stat between from_ns and to_ns, in the\n"
		"trace's clock.",
		"version, unknown_lines, compression, extracted, cut, cpus, clock, kernel, first_ts_ns,\n"
		"last_ts_ns, first_ts, last_ts, size_bytes, events, lost_events, lost_unknown, missing_switches,\n"
		"not_recorded, damaged_pages, processes, cgroups, machine, machine.cores, machine.sockets, machine.nodes, machine.memory_bytes,\n"
		"machine.virtualization, machine.steal, machine.steal.tick_ns, machine.steal.from_ns,\n"
		"machine.steal.to_ns, machine.steal.stolen_ns, machine.steal.growth, machine.steal.growth.cpu,\n"
		"machine.steal.growth.from_ns, machine.steal.growth.to_ns, machine.steal.growth.stolen_ns,\n"
		"machine.topology, machine.topology.cpu, machine.topology.core,\n"
		"machine.topology.cluster, machine.topology.die, machine.topology.socket, machine.topology.node,\n"
		"machine.topology.l2, machine.topology.l3, machine.topology.capacity, machine.topology.min_khz,\n"
		"machine.topology.max_khz, cgroup_stats, cgroup_stats.cgroup, cgroup_stats.quota_us,\n"
		"cgroup_stats.period_us, cgroup_stats.weight, cgroup_stats.from_ns, cgroup_stats.to_ns,\n"
		"cgroup_stats.usage_us, cgroup_stats.periods, cgroup_stats.throttled, cgroup_stats.throttled_us,\n"
		"hits, hits.condition, hits.from_ns, hits.to_ns, hits.what, buffers,\n"
		"buffers.name, buffers.clock, buffers.cpus, buffers.sub_buffer_bytes, buffers.text, buffers.events, latency,\n"
		"latency.tracer, latency.latency_ns, latency.entries, latency.entries_written, latency.cpu,\n"
		"latency.pid, latency.comm, latency.uid, latency.nice, latency.policy, latency.rt_prio,\n"
		"latency.started_at, latency.ended_at, latency.kernel, latency.preemption, latency.cpus_online,\n"
		"event_types, event_types.system, event_types.name, event_types.id, event_types.count,\n"
		"cpu_stats, cpu_stats.cpu, cpu_stats.events, cpu_stats.lost_events, cpu_stats.lost_unknown,\n"
		"cpu_stats.buffer, notes, notes.offset_bytes, notes.message, sandbox, sandbox.landlock,\n"
		"sandbox.seccomp" },
	{ "summary", "The whole file. If the clock has no unit, first_ts, last_ts, span and\n"
		"cpu_time replace those with _ns. lost_events is null as in info; of a part of a recording,\n"
		"overwritten and dropped are null. The lists are those of the text; at_ns is when\n"
		"the worst began; for noise, when it was measured.",
		"file, size_bytes, format, kernel, tracer, latency_ns, latency_cpu, latency_task, started_at,\n"
		"ended_at, clock, first_ts_ns, last_ts_ns, span_ns, cpu_time_ns, first_ts, last_ts, span,\n"
		"cpu_time, cpus, events, lost_events, lost_unknown, overwritten, dropped, damaged_pages,\n"
		"selected, event_types, event_types.events, event_types.event, latency, latency.kind, latency.n,\n"
		"latency.open, latency.p99_ns, latency.max_ns, latency.at_ns, latency.task, latency.what,\n"
		"cpu_stats, cpu_stats.cpu, cpu_stats.busy_ns, cpu_stats.switches, cpu_stats.queue,\n"
		"cpu_stats.spare_ns, cpu_stats.longest_ns, cpu_stats.at_ns, tasks, tasks.task, tasks.run_ns,\n"
		"tasks.run_cut_ns, tasks.wait_ns, tasks.doubtful_ns, tasks.max_wakeup_ns, tasks.at_ns,\n"
		"functions, functions.calls,\n"
		"functions.self_ns, functions.max_ns, functions.at_ns, functions.function, noise,\n"
		"noise.tracer, noise.samples, noise.worst_ns, noise.at_ns, noise.cpu, notes" },
	{ "fields", "A name that filters can use in this trace, and the number of events with it.",
		"events, system, event, field, type, values" },
	{ "fields --kinds", "A kind of latency. from is the file that defines it; events are those to record.",
		.columns = &kind_list_columns },
	{ "graph --events", "A call, a time off the CPU, or an event: kind says which.",
		"kind, level, pid, comm, cpu, end_cpu, instance, start_ns, start, function, depth, context,\n"
		"duration_ns, self_ns, net_ns, calls, doubtful, state, text, args, return, caller" },
	{ "timeline", "An interval of a CPU, a task, an interrupt: row says whose.",
		"row, start_ns, end_ns, duration_ns, state, clock, cpu, pid, comm, detail, doubtful" },
	{ "check -e latency<1", "A rule, with its worst row. Its value is between least and most, null: no\n"
		"limit is known. verdict is holds, broken, not known or skipped. word is a value\n"
		"that is no number.",
		.columns = &check_columns },
	{ "list --full", "An event, a tracer, an option or another thing that the kernel offers; the\n"
		"keys depend on the kind. Without --full, only the names.",
		"kind, system, name, set, module, owner, events, tracers, value, since, id, fields, fields.offset_bytes,\n"
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

static void add_object(const struct list_keys *object, FILE *out)
{
	char title[80];

	snprintf(title, sizeof(title), "ftop-trace %s", object->command);
	man_subsection(title, out);
	man_text(object->what, out);
	if (object->keys)
		man_paragraph(object->keys, out);
	else
		add_keys(object->columns ?: object->made(), out);
}

/* A comparison; @figures: bits for diff_columns(). */
static void add_comparison(const char *word, const char *what, unsigned int figures, FILE *out)
{
	static const char *const no_names[2] = { NULL, NULL };
	const struct table_columns columns = diff_columns(figures | DIFF_HAS_COUNT |
								  DIFF_PER_SECOND,
							  no_names);
	char command[80];

	snprintf(command, sizeof(command), "diff --by=%s", word);
	add_object(&(struct list_keys){ command, what, .columns = &columns }, out);
}

void json_page(FILE *out)
{
	man_begin("ftop-trace-json", "5", "the keys of the JSON that ftop-trace prints", out);
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
		"ftop-trace live --text prints the objects of the commands that its help names, and\n"
		"before those of each interval one with the keys type (window), from_ns and to_ns,\n"
		"which are what --from and --to take.\n\n"
		"With several files, the first key of each object is file. The columns of csv\n"
		"and parquet have the same names. a.b is the key b of the object a, or of the objects in\n"
		"the array a. The keys of ftop-trace hist are the names of the histogram's own\n"
		"keys and values; then come histogram, the number of the histogram in the file,\n"
		"histogram_dropped, hits that are in no row, if there are any, and histogram_of,\n"
		"its event, if the file is a trace.",
		out);
	man_section("KEYS", out);
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		add_object(&objects[i], out);
	for (unsigned int i = 0; i < LIST_NR_ALL; i++)
		for (const struct list_keys *k = list_sources[i]->keys; k && k->command; k++)
			add_object(k, out);
	for (unsigned int by = 0; by < COMPARISON_NR; by++)
		if (comparison_what(by))
			add_comparison(comparison_word(by), comparison_what(by),
				       comparison_figures(by), out);
	man_end("ftop-trace-json", out);
}
