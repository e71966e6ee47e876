/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cut - a part of a trace, or several traces, as one trace.dat. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/base/shell_words.h"
#include "src/base/workers.h"
#include "src/commands/derived_names.h"
#include "src/commands/table_command.h"
#include "src/commands/scope.h"
#include "src/cut/cut.h"
#include "src/match/given_filter.h"
#include "src/trace/warnings.h"
#include "src/trace/time_option.h"

enum { OPT_OUTPUT = 1, OPT_BUFFER, OPT_VERSION, OPT_COMPRESSION };

#define TOP_BUFFER "top"

const struct command_def cmd_cut_def = {
	.name = "cut",
	.operands = "-o NEW [FILE...]",
	.summary = "write a part of a trace as a trace.dat; join traces; convert them",
	.details = "NEW has all metadata of FILE, and the events that the options choose, with their\n"
		   "stacks. trace-cmd and KernelShark open it. Without such options it has all events,\n"
		   "so --file-version and --compression convert a trace. FILE may also be the text of\n"
		   "a trace; NEW then has its events, as far as the text contains them.\n\n"
		   "Several files that one kernel recorded become one file with several buffers: the\n"
		   "buffers of the first keep their names, the others are named after their files.\n\n"
		   "-F and --task may remove a sched_switch, a wake-up or a call between others that\n"
		   "stay. NEW marks lost events there, so that readers do not take the task for\n"
		   "sleeping. Such a mark can only be at the beginning of a sub-buffer, so NEW may\n"
		   "have many sub-buffers with few events; compression keeps it small. NEW never has\n"
		   "more sub-buffers than FILE: if marks are closer to each other, one mark at the\n"
		   "next sub-buffer stands for all. ftop-trace info shows the options that were used.\n\n"
		   "A TIME is written as for report. If the clock of a CPU goes backwards, some events\n"
		   "of a window may be missing.\n\n"
		   "Until it is complete, NEW is called NEW.part.",
	.examples = "A tenth of a second, to send to a colleague:\n"
		    "  ftop-trace cut -o part.dat --from 7.4 --to 7.5 trace.dat\n"
		    "The text that a colleague sent, to open it in KernelShark:\n"
		    "  ftop-trace cut -o trace.dat trace.txt",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "output", .letter = 'o', .arg = "NEW", .id = OPT_OUTPUT,
		  .help = "write this file, which must not exist", .kind = OPTION_NEW },
		{ .name = "force", .id = COMMAND_FORCE, .help = "replace NEW if it exists" },
		{ .name = "buffer", .arg = "NAME", .id = OPT_BUFFER,
		  .help = "only this buffer (repeatable); " TOP_BUFFER " is the one without a name" },
		{ .name = "file-version", .arg = "N", .id = OPT_VERSION,
		  .help = "write version 6 or 7 of the file format (default: that of FILE; for a "
			  "text: 6)" },
		{ .name = "compression", .arg = "CODEC", .id = OPT_COMPRESSION,
		  .help = "none, zlib or zstd (default: that of FILE)" },
		INPUT_OPTION,
		PART_OPTIONS(NULL),
		OPTION_END,
	},
};

struct cut_command {
	const struct option_list *list;
	struct filter_given	 given;
	const char		*output;
	const char		**buffers;	/* owned array */
	unsigned int		 nr_buffers, cap_buffers;
	struct cut_options	 options;
	bool			*streams;	/* owned */
	struct trace		*trace;
	struct graph_scope	 scope;
	uint64_t		 events;	/* written */
};

/* --- options -------------------------------------------------------------------------- */

static bool has_ending(const char *path, const char *ending)
{
	size_t len = strlen(path), tail = strlen(ending);

	return len >= tail && !strcmp(path + len - tail, ending);
}

static int read_options(struct cut_command *c, struct ft_error *err)
{
	static const char *const versions[] = { "6", "7" }, *const codecs[] = { "none", "zlib",
										"zstd" };

	for (unsigned int i = 0; i < c->list->nr; i++) {
		const struct option_value *v = &c->list->values[i];
		int taken = filter_option(&c->given, v, err);

		if (v->id == OPT_OUTPUT)
			c->output = v->value;
		if (v->id == OPT_BUFFER) {
			mem_grow(&c->buffers, c->nr_buffers, &c->cap_buffers);
			c->buffers[c->nr_buffers++] = v->value;
		}
		if (v->id == OPT_VERSION) {
			taken = options_choice("--file-version", v->value, versions, 2, err);
			c->options.version = 6 + taken;
		}
		if (v->id == OPT_COMPRESSION) {
			taken = options_choice("--compression", v->value, codecs, 3, err);
			c->options.has_compression = true;
			c->options.compression = (enum trace_compression)taken;
		}
		if (taken < 0)
			return -1;
	}
	if (!c->output)
		return ft_error_set(err, FT_E_USAGE, -1, "-o NEW is missing: the file to write");
	if (has_ending(c->output, ".pftrace") || has_ending(c->output, ".perfetto-trace"))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "-o %s: cut writes a trace.dat; for Perfetto: "
				    "ftop-trace export --perfetto=%s",
				    c->output, c->output);
	if (c->options.version == 6 && c->options.has_compression && c->options.compression)
		return ft_error_set(err, FT_E_USAGE, -1, "--file-version 6 cannot be compressed");
	return 0;
}

/* Does the option choose what stays? */
static bool is_choice(const struct option_value *v)
{
	return v->id != OPT_OUTPUT && v->id != COMMAND_FORCE && v->id != OPT_VERSION &&
	       v->id != OPT_COMPRESSION;
}

/* A part needs the names that its tasks have in the whole. */
static bool is_part(const struct cut_command *c)
{
	bool is_part = false;

	for (unsigned int i = 0; i < c->list->nr; i++)
		is_part |= is_choice(&c->list->values[i]);
	return is_part;
}

static int open_files(struct cut_command *c, struct ft_error *err)
{
	struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1,
					 .no_index = !is_part(c),
					 .progress.tell = warnings_opening,
					 .filter_names = derived_names };
	const char *const here[] = { "trace.dat" };
	unsigned int nr = c->list->nr_operands;

	c->trace = trace_open(nr ? c->list->operands : here, nr ? nr : 1, nr < 2, &options, err);
	return c->trace ? 0 : -1;
}

/* --- what stays ----------------------------------------------------------------------- */

static bool has_buffer(const struct cut_command *c, const char *name)
{
	for (unsigned int i = 0; i < c->nr_buffers; i++)
		if (!strcmp(c->buffers[i], *name ? name : TOP_BUFFER))
			return true;
	return !c->nr_buffers;
}

static int choose_streams(struct cut_command *c, struct ft_error *err)
{
	const bool *cpus = c->given.cpus;
	unsigned int nr = trace_nr_streams(c->trace);
	bool any = false;

	if (!cpus && !c->nr_buffers)
		return 0;
	c->streams = mem_array(nr + 1ul, sizeof(*c->streams));
	for (unsigned int i = 0; i < nr; i++) {
		struct trace_stream_info info = trace_stream_info(c->trace, i);

		c->streams[i] = has_buffer(c, info.buffer_name) &&
				(!cpus || (info.cpu >= 0 && cpus[info.cpu]));
		any |= c->streams[i];
	}
	c->options.streams = c->streams;
	return any ? 0 :
		     ft_error_set(
			     err, FT_E_USAGE, -1,
			     "the trace has no such CPU or buffer; ftop-trace info lists them");
}

/* What was chosen, as options; times do not depend on where the trace begins. */
static void add_words(const struct cut_command *c, struct text *out)
{
	struct shell_words words = { 0 };
	struct text value = { 0 };

	for (unsigned int i = 0; i < c->list->nr; i++) {
		const struct option_value *v = &c->list->values[i];
		const struct option_def *def = options_by_id(&cmd_cut_def, v->id);

		if (!is_choice(v))
			continue;
		text_clear(&value);
		if (v->id == FILTER_OPTION_FROM)
			trace_time_text(c->trace, c->options.range.from, 9, &value);
		else if (v->id == FILTER_OPTION_TO)
			trace_time_text(c->trace, c->options.range.to, 9, &value);
		else
			text_add(&value, v->value ? v->value : "");
		if (def->name)
			shell_words_addf(&words, "--%s=%s", def->name, text_str(&value));
		else
			shell_words_addf(&words, "-%c", def->letter);
	}
	shell_words_join(&words, out);
	shell_words_fini(&words);
	text_fini(&value);
}

static int choose(struct cut_command *c, struct ft_error *err)
{
	struct graph_scope *s = &c->scope;
	bool all;

	if (scope_init(s, &all, c->trace, &c->given, err))
		return -1;
	if (s->has_from || s->has_to)
		c->options.range = (struct time_range){ .set = true,
							.from = s->has_from ? s->from : INT64_MIN,
							.to = s->has_to ? s->to : INT64_MAX };
	c->options.filters = s->filters;
	c->options.nr_filters = s->nr_filters;
	return choose_streams(c, err);
}

/* --- writing -------------------------------------------------------------------------- */

static int write_file(struct cut_command *c, struct ft_error *err)
{
	struct text words = { 0 };
	struct cut *cut = NULL;
	int fd = command_begin_file(c->output, err), ret = -1;

	if (fd < 0)
		return -1;
	trace_wait(c->trace);
	add_words(c, &words);
	c->options.words = text_str(&words);
	c->options.name = c->output;
	cut = cut_new(c->trace, &c->options, fd, err);
	if (cut)
		ret = cut_finish(cut, &c->events, err);
	cut_free(cut);
	text_fini(&words);
	if (!ret)
		ret = scope_check(&c->scope, c->trace, &c->given, c->events, err);
	return command_end_files(!ret, ret ? NULL : err) ? -1 : ret;
}

static void tell(struct cut_command *c)
{
	const struct graph_scope *s = &c->scope;
	struct text number = { 0 };
	bool told = false;

	text_counted(&number, c->events, "event");
	if (source_info(trace_file_of(c->trace, 0))->is_text &&
	    source_info(trace_file_of(c->trace, 0))->version)
		warnings_tell("%s: the text of a latency tracer", c->output);
	else
		warnings_tell("%s: %s", c->output, text_str(&number));
	text_fini(&number);
	if (!c->events &&
	    !time_option_tell_outside(c->trace, s->has_from, s->from, s->has_to, s->to))
		for (unsigned int i = 0; i < s->nr_filters && !told; i++)
			told = given_filter_tell_empty(c->trace, s->filters[i], false);
	warnings_show(c->trace, 0);
}

int cmd_cut(const struct option_list *list, struct ft_error *err)
{
	struct cut_command c = { .list = list };
	int ret = read_options(&c, err) || open_files(&c, err) || choose(&c, err) ||
				  write_file(&c, err) ?
			  -1 :
			  0;

	if (!ret)
		tell(&c);
	scope_fini(&c.scope);
	trace_close(c.trace);
	free(c.streams);
	free(c.buffers);
	filter_given_fini(&c.given);
	return ret;
}
