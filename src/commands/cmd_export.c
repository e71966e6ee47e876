/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export - a trace in the format of another program. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/file_names.h"
#include "src/base/memory.h"
#include "src/commands/table_command.h"
#include "src/export/perfetto.h"
#include "src/export/tables.h"
#include "src/trace/warnings.h"

enum { OPT_PERFETTO = 1, OPT_TABLES, OPT_TABLES_FORMAT, OPT_NAME, OPT_CHROME };

#define MOST_BYTES	500000000u	/* that a viewer in a browser holds without trouble */

const struct command_def cmd_export_def = {
	.name = "export",
	.operands = "[FILE...]",
	.summary = "write a trace in the format of another program: Perfetto, Parquet, CSV",
	.details = "--perfetto writes a trace that ui.perfetto.dev and trace_processor open. It has\n"
		   "switches and wake-ups, interrupts, softirqs, system calls, slices and counters of\n"
		   "atrace, with all their fields, and every other event as the trace describes it.\n"
		   "Calls of function_graph become slices of their tasks, from calltime to rettime; a\n"
		   "call without an exit ends at the gap in which the exit was lost. Marks and\n"
		   "functions of the tracer function become instants, gaps become slices of their CPUs.\n"
		   "The wall clock is included if the trace has it. A task whose process is unknown is\n"
		   "shown as its own process. With --from and --to, the rest of the trace is not read:\n"
		   "calls that end in the range are whole, and a call that is open at the end of the\n"
		   "range is closed there. Several FILEs are written as a tar with a manifest; Perfetto\n"
		   "shows each file as a machine of its own.\n\n"
		   "An existing file is replaced when the new one, OUT.part, is complete. A pipe or a\n"
		   "device, such as /dev/null, is written directly.\n\n"
		   "--tables adds each FILE to a dataset for DuckDB, ClickHouse, Spark or pandas: a\n"
		   "folder for each table, with a file for each trace. The column trace has the name of\n"
		   "the trace. Tables and columns have Perfetto's names; times are in ns of the trace's\n"
		   "clock. A value that the records do not contain is NULL. Queries in SQL, and a page\n"
		   "about all columns: " FTOP_DATADIR "/queries",
	.examples = "The part of a trace in which a deadline was missed:\n"
		    "  ftop-trace export --perfetto late.pftrace --from 7.5 --to 7.6 trace.dat\n"
		    "The longest wait of each task, in all traces of a folder:\n"
		    "  ftop-trace export --tables dataset */trace.dat\n"
		    "  duckdb -c \"SELECT trace, comm, max(dur) FROM 'dataset/wakeup/*.parquet'\n"
		    "  GROUP BY ALL ORDER BY 3 DESC\"",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "perfetto", .arg = "OUT", .id = OPT_PERFETTO, .kind = OPTION_REPLACED,
		  .help = "write a trace of Perfetto to this file; - is the standard output" },
		{ .name = "chrome", .arg = "OUT", .id = OPT_CHROME, .kind = OPTION_REPLACED,
		  .help = "write calls, marks and gaps as JSON of Chrome, for speedscope and Firefox Profiler" },
		{ .name = "tables", .arg = "DIR", .id = OPT_TABLES, .kind = OPTION_FOLDER,
		  .help = "add tables to this folder (created if missing): sched_slice, slice..." },
		{ .name = "format", .arg = "parquet|csv", .id = OPT_TABLES_FORMAT,
		  .help = "format of the tables (default: parquet)" },
		{ .name = "name", .arg = "NAME", .id = OPT_NAME,
		  .help = "name of the trace in tables (default: x for x.dat and for x/trace.dat)" },
		PART_OPTIONS("limit --perfetto and --chrome; --tables writes whole traces"),
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct export_command {
	struct table_command base;
	struct event_sweep_options what;
	uint64_t	 damaged;	/* sub-buffers */
};

static struct {				/* what was asked for all files */
	const struct option_value *to;	/* the format's option */
	const char	*name;		/* --name */
	bool		 csv;
	int		 fd;		/* file that --perfetto and --chrome write */
	struct perfetto_tar tar;	/* archive of the traces, if there are several files */
} asked;

/* --- formats ---------------------------------------------------------------------- */

/* A file that is larger than trace viewers in a browser can hold: which part would fit? */
static void propose_part(const struct export_command *c, uint64_t bytes)
{
	struct time_range range = c->what.range;
	struct text from = { 0 }, to = { 0 };
	int64_t first, last;

	if (!trace_file_span(c->base.trace, c->what.file, &first, &last))
		return;
	first = range.set && range.from > first ? range.from : first;
	last = range.set && range.to < last ? range.to : last;
	last = time_after(first, (int64_t)((double)time_between(first, last) * MOST_BYTES /
					   (double)bytes));
	trace_time_text(c->base.trace, first, 9, &from);
	trace_time_text(c->base.trace, last, 9, &to);
	warnings_tell("%s has %" PRIu64
		      " MB; ui.perfetto.dev may not hold more than %u, trace_processor does; "
		      "--from=%s --to=%s would fit",
		      asked.to->value, bytes / 1000000, MOST_BYTES / 1000000, text_str(&from),
		      text_str(&to));
	text_fini(&from);
	text_fini(&to);
}

static void tell_perfetto(const struct export_command *c, const struct perfetto_totals *totals)
{
	const struct trace *trace = c->base.trace;
	const char *clock = trace_clock(trace);

	if (trace_unit(trace) != TRACE_UNIT_NS)
		warnings_tell("the clock %s counts: a count is shown as 1 ns", clock);
	else if (strcmp(clock, "boot") != 0)
		warnings_tell("times of the clock %s are shown as times since boot",
			      *clock ? clock : "of the trace");
	if (totals->too_deep)
		warnings_tell("%" PRIu64 " call%s below the %u outermost levels left out",
			      totals->too_deep, PLURAL(totals->too_deep), PERFETTO_DEEPEST);
	if (totals->unknown)
		warnings_tell("%" PRIu64 " event%s without a format left out", totals->unknown,
			      PLURAL(totals->unknown));
	if (totals->bytes > MOST_BYTES)
		propose_part(c, totals->bytes);
	if (!totals->events && !totals->calls)
		warnings_tell("no events are selected");
}

/* "web-1" of web-1.dat, and of web-1/trace.dat or web-1/trace.txt.gz. */
static void add_name(const char *path, struct text *out)
{
	static const char *const ends[] = { ".gz", ".xz", ".zst", ".dat", ".txt" };
	const char *name = strcmp(path, "-") != 0 ? file_names_base(path) : "stdin";
	const char *folder = file_names_tail(path, 1);
	size_t len = strlen(name);

	for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end = strlen(ends[i]);

		if (len > end && !memcmp(name + len - end, ends[i], end))
			len -= end;
	}
	if (folder && len == strlen("trace") && !memcmp(name, "trace", len))
		tables_name(folder, strcspn(folder, "/"), out);
	else
		tables_name(name, len, out);
}

/* Several files are members of a tar: "2-web-1.pftrace" is the second one. */
static int end_member(const struct command_file *file, struct ft_error *err)
{
	struct text name = { 0 };
	bool aligned = false;
	int ret;

	for (unsigned int i = 0; i < file->list->nr; i++)
		aligned |= file->list->values[i].id == OFFSET_OPTION_ID;
	text_printf(&name, "%u-", file->index + 1);
	add_name(file->path, &name);
	if (name.len > 80)
		name.len = 80;
	ret = perfetto_tar_end(&asked.tar, &name, aligned, err);
	if (!ret && file->index == file->nr - 1)
		ret = perfetto_tar_manifest(&asked.tar, err);
	text_fini(&name);
	return ret;
}

static int export_perfetto(struct export_command *c, struct ft_error *err)
{
	const struct command_file *file = c->base.file;
	struct perfetto_totals totals;
	struct perfetto *perfetto;

	if (trace_is_untimed(c->base.trace, 0))
		return ft_error_set(err, FT_E_UNSUPPORTED, -1,
				    "%s: the text has no times, which Perfetto needs", file->path);
	if (file->nr > 1 && perfetto_tar_begin(&asked.tar, asked.fd, err))
		return -1;
	perfetto = perfetto_new(c->base.trace, &c->what, asked.to->id == OPT_CHROME, asked.fd);
	perfetto_wait(perfetto);
	if (perfetto_end(perfetto, &totals, err))
		return ft_error_prefix(err, "%s", asked.to->value);
	c->damaged = totals.damaged;
	if (!totals.events && !totals.calls && table_command_check_tasks(&c->base, err))
		return -1;
	tell_perfetto(c, &totals);
	return file->nr > 1 ? end_member(file, err) : 0;
}

static int export_tables(struct export_command *c, struct ft_error *err)
{
	const struct table_command *b = &c->base;
	struct tables_options options = { .folder = asked.to->value, .csv = asked.csv,
					  .begin = command_begin_file };
	struct text name = { 0 };
	int ret;

	if (b->has_from || b->has_to || b->given.cpus || b->given.nr || b->given.nr_tasks)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--tables writes whole traces: let the queries select");
	if (asked.name)
		tables_name(asked.name, strlen(asked.name), &name);
	else
		add_name(b->file->path, &name);
	options.name = text_str(&name);
	ret = tables_export(b->trace, &options, err);
	c->damaged = trace_status(b->trace).damaged_pages;
	text_fini(&name);
	return command_end_files(!ret, ret ? NULL : err) ? -1 : ret;
}

/* --- the command -------------------------------------------------------------------- */

static int run(const struct command_file *file, struct ft_error *err)
{
	struct export_command c = { 0 };
	struct table_command *b = &c.base;
	bool tables = asked.to->id == OPT_TABLES;
	int ret = table_command_init(b, file, err);

	if (!ret)
		ret = filter_given_add_part(&b->given, false, err);
	if (!ret)
		ret = table_command_bind(b, err);
	if (!ret) {
		c.what = table_command_sweep(b);
		if (tables || !c.what.range.set || c.what.nr_filters) {
			trace_wait_all(b->trace);
		}
		ret = tables ? export_tables(&c, err) : export_perfetto(&c, err);
	}
	if (!ret)
		warnings_show(b->trace, c.damaged);
	table_command_fini(b);
	return ret;
}

/* One file is written, of one trace or of all. */
static int export_file(const struct option_list *list, struct ft_error *err)
{
	const char *path = asked.to->value;
	bool is_stdout = !strcmp(path, "-");
	int ret;

	if (is_stdout && isatty(STDOUT_FILENO))
		return ft_error_set(err, FT_E_USAGE, -1, "this is not written to a terminal");
	asked.fd = is_stdout ? STDOUT_FILENO : command_begin_file(path, err);
	if (asked.fd < 0)
		return -1;
	if (!is_stdout && isatty(asked.fd))
		return ft_error_set(err, FT_E_USAGE, -1, "this is not written to a terminal");
	ret = command_each(list, run, err);
	perfetto_tar_fini(&asked.tar);
	if (is_stdout)
		return ret;
	if (close(asked.fd) && !ret)
		ret = ft_error_errno(err, errno, -1, "%s", path);
	return command_end_files(!ret, ret ? NULL : err) ? -1 : ret;
}

static int read_option(const struct option_value *v, bool *of_tables, struct ft_error *err)
{
	static const char *const words[] = { "parquet", "csv" };
	int choice = 0;

	*of_tables |= v->id == OPT_TABLES_FORMAT || v->id == OPT_NAME;
	if (v->id == OPT_TABLES_FORMAT) {
		choice = options_choice("--format", v->value, words, 2, err);
		asked.csv = choice == 1;
	} else if (v->id == OPT_NAME) {
		asked.name = v->value;
	} else if (v->id == OPT_PERFETTO || v->id == OPT_CHROME || v->id == OPT_TABLES) {
		if (asked.to)
			return ft_error_set(err, FT_E_USAGE, -1,
					    "export writes one format at a time");
		asked.to = v;
	}
	return choice < 0 ? -1 : 0;
}

int cmd_export(const struct option_list *list, struct ft_error *err)
{
	bool of_tables = false;

	for (unsigned int i = 0; i < list->nr; i++)
		if (read_option(&list->values[i], &of_tables, err))
			return -1;
	if (!asked.to)
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"export needs a format: --perfetto OUT, --chrome OUT, --tables DIR");
	if (asked.to->id != OPT_TABLES && of_tables)
		return ft_error_set(err, FT_E_USAGE, -1, "--format and --name are for --tables");
	if (list->nr_operands > 1 && (asked.name || asked.to->id == OPT_CHROME))
		return ft_error_set(err, FT_E_USAGE, -1, "%s is for one FILE",
				    asked.name ? "--name" : "--chrome");
	return asked.to->id == OPT_TABLES ? command_each(list, run, err) : export_file(list, err);
}
