/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_who - the identity of tasks, and the machine they run on. */
#include <string.h>

#include "parsers/source/source.h"
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

bool trace_leaves_out(struct trace *trace, unsigned int file, int prev, int next)
{
	struct who_table *table = trace->sources[file].who;

	return who_table_is_named(table, prev) && who_table_is_named(table, next);
}

bool trace_is_over(struct trace *trace, unsigned int file, int pid, int64_t ts)
{
	return who_table_is_over(trace->sources[file].who, pid, ts);
}

bool trace_has_own_pids(struct trace *trace, unsigned int file, int tgid)
{
	return who_table_has_own_pids(trace->sources[file].who, tgid);
}

bool trace_is_recorder(struct trace *trace, unsigned int file, int pid, int64_t ts,
		       const char *comm)
{
	const struct source_info *info = source_info(trace->sources[file].file);
	struct who_table *table = trace->sources[file].who;
	const char *name = strncmp(info->writer ?: "", OUR_NAME " ", sizeof(OUR_NAME)) ?
				   "trace-cmd" :
				   OUR_NAME;

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
