/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_who - the identity of tasks, and the machine they run on; what was stolen from it. */
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/time_math.h"
#include "src/events/verdicts.h"
#include "src/trace/trace_private.h"

#define OUR_NAME	"ftop-trace"

static int64_t clock_time(const void *arg, uint64_t raw)
{
	return trace_clock_ts(arg, raw);
}

static void load_tasks(struct trace_source *source, const char *text, uint64_t size, bool more)
{
	struct trace_clock clock;
	struct ft_error err;

	trace_clock_init(&clock, source->file, -1, source->offset);
	if (who_table_load(source->who, text, size, more, clock_time, &clock, &err))
		source_add_warning(source->file, -1, "%s: byte %lld of the block: %s",
				   source_text_name(TRACE_TEXT_WHO), (long long)err.offset,
				   err.message);
	trace_clock_fini(&clock);
}

void trace_who_grow(struct trace_source *source)
{
	uint64_t size;
	const char *text = source_more_who(source->file, &size);

	if (size)
		load_tasks(source, text, size, true);
}

static void steal_time(const struct trace_clock *clock, int64_t *stamp)
{
	if (*stamp != INT64_MIN)
		*stamp = trace_clock_ts(clock, (uint64_t)*stamp);
}

/* Stamps of the trace clock become times of the file. */
static void place_steals(struct trace_source *source)
{
	struct machine *m = &source->machine;
	struct trace_clock clock;

	trace_clock_init(&clock, source->file, -1, source->offset);
	steal_time(&clock, &m->steal_from);
	steal_time(&clock, &m->steal_to);
	for (unsigned int i = 0; i < m->nr_steals; i++) {
		steal_time(&clock, &m->steals[i].since);
		steal_time(&clock, &m->steals[i].ts);
	}
	trace_clock_fini(&clock);
}

void trace_who_open(struct trace_source *source)
{
	struct ft_error err;
	uint64_t size;
	const char *text = source_text(source->file, TRACE_TEXT_TGIDS, &size);

	source->tgids = tgid_table_new();
	tgid_table_saved(source->tgids, text, size);
	source->who = who_table_new(source->tgids);
	text = source_text(source->file, TRACE_TEXT_WHO, &size);
	load_tasks(source, text, size, false);
	trace_who_grow(source);
	text = source_text(source->file, TRACE_TEXT_MACHINE, &size);
	if (machine_load(&source->machine, text, size, &err))
		source_add_warning(source->file, -1, "%s: byte %lld of the block: %s",
				   source_text_name(TRACE_TEXT_MACHINE), (long long)err.offset,
				   err.message);
	else
		place_steals(source);
}

void trace_who_close(struct trace_source *source)
{
	machine_fini(&source->machine);
	who_table_free(source->who);
	tgid_table_free(source->tgids);
}

bool trace_tgid(struct trace *trace, unsigned int file, int pid, int64_t ts, int *tgid)
{
	int64_t from, to;

	return tgid_table_at(trace->sources[file].tgids, pid, ts, tgid, &from, &to);
}

bool trace_who(struct trace *trace, unsigned int file, int pid, int64_t ts, struct who *who,
	       int64_t *from, int64_t *to)
{
	return who_table_at(trace->sources[file].who, pid, ts, who, from, to);
}

bool trace_has_only(struct trace *trace, unsigned int file, bool *children)
{
	return who_table_has_only(trace->sources[file].who, children);
}

bool trace_is_only(struct trace *trace, unsigned int file, int pid)
{
	return who_table_is_only(trace->sources[file].who, pid);
}

bool trace_asks_only(struct trace *trace, unsigned int file)
{
	return who_table_asks_only(trace->sources[file].who);
}

void trace_add_only(struct trace *trace, unsigned int file, int pid)
{
	who_table_add_only(trace->sources[file].who, pid);
}

bool trace_lacks_cpus(struct trace *trace, unsigned int file, unsigned int buffer)
{
	const struct trace_source *source = &trace->sources[file];

	return trace_is_cut_by(trace, (int)file, "--cpu=") ||
	       who_table_lacks_cpus(source->who, source_buffer(source->file, buffer)->name);
}

bool trace_leaves_out(struct trace *trace, unsigned int file, int prev, int next)
{
	struct who_table *table = trace->sources[file].who;
	bool children;

	return (who_table_is_named(table, prev) && who_table_is_named(table, next)) ||
	       (who_table_has_only(table, &children) && !who_table_is_only(table, prev) &&
		!who_table_is_only(table, next));
}

bool trace_is_over(struct trace *trace, unsigned int file, int pid, int64_t ts)
{
	return who_table_is_over(trace->sources[file].who, pid, ts);
}

bool trace_has_own_pids(struct trace *trace, unsigned int file, int tgid)
{
	return who_table_has_own_pids(trace->sources[file].who, tgid);
}

bool trace_is_ours(const struct source_info *info)
{
	return !strncmp(info->writer ?: "", OUR_NAME " ", sizeof(OUR_NAME));
}

bool trace_is_recorder(struct trace *trace, unsigned int file, int pid, int64_t ts,
		       const char *comm)
{
	const struct source_info *info = source_info(trace->sources[file].file);
	struct who_table *table = trace->sources[file].who;
	const char *name = trace_is_ours(info) ? OUR_NAME : "trace-cmd";

	if (who_table_has_recorder(table))
		return who_table_is_recorder(table, pid, ts);
	/* what it starts is called so, too, until its exec */
	return !strcmp(info->form, "trace.dat") && !strcmp(comm, name) &&
	       !strcmp(trace_comm(trace, file, pid, INT64_MAX), name);
}

void trace_who_each(struct trace *trace, unsigned int file,
		    void (*each)(void *arg, int pid, int64_t from, int64_t to,
				 const struct who *who),
		    void *arg)
{
	who_table_each(trace->sources[file].who, each, arg);
}

void trace_who_moves(struct trace *trace, unsigned int file, int64_t first, int64_t last,
		     bool tgids,
		     void (*each)(void *arg, int pid, int64_t from, int64_t to,
				  const struct who *who),
		     void *arg)
{
	who_table_moves(trace->sources[file].who, first, last, tgids, each, arg);
}

bool trace_sched(struct trace *trace, unsigned int file, int pid, int64_t ts,
		 struct who_sched *sched)
{
	return who_table_sched(trace->sources[file].who, pid, ts, sched);
}

bool trace_allows(const struct who_sched *sched, int cpu)
{
	const char *at = sched->allowed;

	while (*at) {
		char *end;
		long first = strtol(at, &end, 10), last = first;

		if (end == at)
			return false;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (first <= cpu && cpu <= last)
			return true;
		at = *end == ',' ? end + 1 : "";
	}
	return false;
}

bool trace_is_bound(const struct trace *trace, unsigned int file, const struct who_sched *sched)
{
	const struct machine *m = trace_machine(trace, file);
	bool knows_off = false;

	for (unsigned int i = 0; i < m->nr; i++)
		knows_off |= m->cpus[i].core >= 0;
	for (unsigned int i = 0; sched->allowed && i < m->nr; i++)
		if ((!knows_off || m->cpus[i].core >= 0) && !trace_allows(sched, m->cpus[i].cpu))
			return true;
	return false;
}

void trace_bound_text(const struct who_sched *sched, struct text *out)
{
	struct text cpus = { 0 };

	text_printable(&cpus, sched->allowed, strlen(sched->allowed));
	text_add(out, sched->is_doubtful ? "~" : "");
	verdict_add(out, strpbrk(sched->allowed, "-,") ? VERDICT_BOUND_TO_SOME : VERDICT_BOUND,
		    text_str(&cpus));
	text_fini(&cpus);
}

void trace_cgroups(struct trace *trace, unsigned int file,
		   void (*each)(void *arg, const struct who_cgroup *cgroup), void *arg)
{
	who_table_cgroups(trace->sources[file].who, each, arg);
}

uint64_t trace_who_changes(const struct trace *trace, unsigned int file)
{
	return who_table_changes(trace->sources[file].who);
}

const struct machine *trace_machine(const struct trace *trace, unsigned int file)
{
	return &trace->sources[file].machine;
}

/* --- stolen time ------------------------------------------------------------------------------ */

#define MOST_CPUS	4u		/* by name */

static void add_seconds(uint64_t ns, struct text *out)
{
	text_printf(out, "%.3f s", (double)ns / 1e9);
}

/* "CPU 0 0.120 s, CPU 2 0.010 s": those from which something was stolen. */
static void add_stolen_cpus(const struct machine *m, struct text *out)
{
	unsigned int nr = 0;

	for (int cpu = machine_next_stolen(m, -1); cpu >= 0; cpu = machine_next_stolen(m, cpu)) {
		if (nr++ >= MOST_CPUS)
			continue;
		text_printf(out, "%sCPU %d ", nr > 1 ? ", " : "", cpu);
		add_seconds(machine_ticks_ns(m, machine_stolen(m, cpu)), out);
	}
	if (nr <= MOST_CPUS)
		return;
	text_printf(out, " and %u more CPUs, ", nr - MOST_CPUS);
	add_seconds(machine_ticks_ns(m, machine_stolen(m, -1)), out);
	text_add(out, " in all");
}

bool trace_stolen_text(const struct trace *trace, unsigned int file, struct text *out)
{
	const struct machine *m = trace_machine(trace, file);
	const struct machine_steal *most = machine_most_stolen(m);

	if (!m->steal_hz || (!most && !strcmp(m->virt, "none")))
		return false;
	if (most)
		add_stolen_cpus(m, out);
	else
		text_add(out, "nothing");
	if (m->steal_from != INT64_MIN) {
		text_add(out, " in ");
		add_seconds((uint64_t)time_between(m->steal_from, m->steal_to), out);
	}
	text_add(out, ", counted in ticks of ");
	add_seconds(machine_ticks_ns(m, 1), out);
	if (!most || most->ts == INT64_MIN)
		return true;
	text_add(out, "; most at once ");
	add_seconds(machine_ticks_ns(m, most->ticks), out);
	text_printf(out, " of CPU %d, from ", most->cpu);
	trace_time_text(trace, most->since, 9, out);
	text_add(out, " to ");
	trace_time_text(trace, most->ts, 9, out);
	return true;
}
