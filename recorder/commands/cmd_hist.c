/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist - histograms of the kernel's trigger hist:, of the running kernel or of a file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/commands/record_commands.h"
#include "recorder/tracefs/invoker.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/memory.h"
#include "src/commands/command_open.h"
#include "src/commands/table_rows.h"
#include "src/hist/hist.h"
#include "src/trace/trace.h"
#include "src/trace/warnings.h"

#define FILE_BYTES	(256u << 20)

enum { OPT_NUMBER, OPT_INSTANCE, OPT_TRACEFS };

const struct command_def cmd_hist_def = {
	.name = "hist",
	.operands = "[FILE|EVENT...]",
	.summary = "print the kernel's hist-trigger histograms as tables",
	.details = "The kernel counts histograms of an event if the trigger hist: is set:\n"
		   "  cd /sys/kernel/tracing/events/sched/sched_switch\n"
		   "  echo hist:keys=next_comm > trigger\n"
		   "An EVENT (sched_switch, sched:sched_switch) shows its histograms in the running\n"
		   "kernel; without an operand, all histograms are shown. A FILE is a trace, in which\n"
		   "record -R hist:... and extract keep the histograms as they were at the end, or a\n"
		   "copy of the tracefs file events/SYSTEM/EVENT/hist. The browser shows its tables,\n"
		   "too, and sorts them: the view Counts of a trace, or\n"
		   "  sudo cat events/sched/sched_switch/hist | ftop-trace -\n\n"
		   "The kernel does not count what finds no room in a full table. Then a > marks the\n"
		   "figures: they may be higher.\n\n"
		   "Symbols are followed by their address, tasks are NAME-PID, and a stack is one line\n"
		   "with the outermost function first. A key with .log2 shows the largest value of its\n"
		   "row (32: from 17 to 32), a key with .buckets the smallest. The share and the bar\n"
		   "belong to the value that --sort names, or to the first value.\n\n"
		   "CSV has one heading, so with several histograms --number must choose one.\n\n"
		   "ftop-trace count makes such tables from the events of a trace.",
	.examples = "Which call sites asked for most memory:\n"
		    "  ftop-trace hist kmalloc --sort=bytes_alloc --head=10",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ "number", 'n', "N", OPT_NUMBER, "only the Nth histogram of each event" },
		{ "instance", 0, "INSTANCE", OPT_INSTANCE,
		  "histograms of this instance instead of the top instance" },
		SORT_OPTION,
		ASCII_OPTION,
		{ .name = "format", .arg = "text|csv|json", .id = FILTER_OPTION_FORMAT,
		  .help = "json: one object per line" },
		ROWS_OPTIONS,
		{ "tracefs", 0, "DIR", OPT_TRACEFS, NULL, OPTION_PATH },
		OPTION_END,
	},
};

struct hist_command {
	struct filter_given given;
	struct tracefs_dir dir;		/* top folder, or the instance's; opened at first use */
	const char	*tracefs, *instance;
	long long	 number;	/* 0: all */
	struct hist_source *sources;	/* owned, [nr] */
	unsigned int	 nr, cap;
	struct hist_list hists;		/* .file: index of the source */
};

struct hist_source {
	char		*name;		/* owned: "sched:sched_switch", or a path */
	char		*lost;		/* owned: why a file has none; NULL: it never had any */
	struct text	 text;
	bool		 is_file;
};

/* --- a histogram as a table ---------------------------------------------------------------- */

/* "sched:sched_switch: hist:keys=… [active]", and the kernel's totals. */
static void head(const char *name, const struct hist *h, struct text *out)
{
	text_printable(out, name, strlen(name));
	text_add(out, ": ");
	text_printable(out, h->of, strlen(h->of));
	text_add(out, *h->of ? ": " : "");
	text_printable(out, h->trigger, strlen(h->trigger));
	text_char(out, '\n');
	hist_totals(h, out);
	text_char(out, '\n');
}

static int print_hist(struct hist_command *c, struct hist *h, struct ft_error *err)
{
	const struct hist_source *source = &c->sources[h->file];
	struct command_file file = { .path = source->name,
				     .nr = c->given.format == FORMAT_JSON ? c->nr : 1 };
	struct hist_table table;
	struct table_rows rows = { .columns = &table.columns, .nr = h->nr,
				   .array = h->entries, .bytes = sizeof(*h->entries) };
	struct row_picker picker;
	struct text title = { 0 };
	int ret = row_picker_init(&picker, &c->given, err);

	hist_table_init(&table, h, c->given.sort);
	if (!ret && c->given.format == FORMAT_TEXT && !c->given.count) {
		head(source->name, h, &title);
		ret = output_whole(STDOUT_FILENO, &title, err);
	}
	if (!ret)
		ret = table_rows_print(&rows, &file, &c->given, &picker, NULL, err);
	if (!ret && h->dropped && c->given.format != FORMAT_TEXT)
		warnings_tell("%s: %" PRIu64 " hit%s in no row: the table was full", source->name,
			      h->dropped, h->dropped == 1 ? " is" : "s are");
	if (!ret && h->bad)
		fprintf(stderr, "ftop-trace: %s: %" PRIu64 " line%s not understood\n", source->name,
			h->bad, PLURAL(h->bad));
	row_picker_fini(&picker);
	return ret;
}

/* --- where they are --------------------------------------------------------------------- */

static struct hist_source *add_source(struct hist_command *c, const char *name)
{
	mem_grow(&c->sources, c->nr, &c->cap);
	c->sources[c->nr] = (struct hist_source){ .name = mem_strdup(name) };
	return &c->sources[c->nr++];
}

static int open_kernel(struct hist_command *c, struct ft_error *err)
{
	struct tracefs_dir top;
	int ret;

	if (c->dir.path)
		return 0;
	if (!c->instance)
		return tracefs_dir_open(&c->dir, c->tracefs, err);
	if (tracefs_dir_open(&top, c->tracefs, err))
		return -1;
	ret = tracefs_dir_open_below(&c->dir, &top, TRACEFS_TEXT("instances/%s", c->instance), err);
	tracefs_dir_close(&top);
	return ret;
}

/* @named: it is an error if the event cannot have one. */
static int read_hist(struct hist_command *c, struct hist_source *source, bool named,
		     struct ft_error *err)
{
	const char *colon = strchr(source->name, ':');
	const char *file = TRACEFS_TEXT("events/%.*s/%s/hist", (int)(colon - source->name),
					source->name, colon + 1);

	if (!tracefs_dir_read(&c->dir, file, &source->text, err))
		return 0;
	if (errno != ENOENT)
		return -1;
	*err = (struct ft_error){ 0 };
	return !named ?
		       0 :
		       ft_error_set(
			       err, FT_E_UNSUPPORTED, -1,
			       "%s: this kernel counts no histograms of it (no file %s/%s; kernels need CONFIG_HIST_TRIGGERS)",
			       source->name, c->dir.path, file);
}

/* Is it the event's name: "SYSTEM:NAME", "SYSTEM/NAME", "NAME", or "" of all? */
static bool is_meant(const char *event, const char *name)
{
	size_t system = strcspn(event, ":");

	if (!event[system] || !*name)
		return event[system];
	if (!strncmp(event, name, system) && name[system] && strchr(":/", name[system]))
		name += system + 1;
	return !strcmp(event + system + 1, name);
}

static int add_events(struct hist_command *c, const char *name, struct ft_error *err)
{
	struct name_list events;
	unsigned int had = c->nr;
	int ret = open_kernel(c, err);

	if (ret)
		return -1;
	ret = tracefs_dir_read_words(&c->dir, "available_events", &events, err);
	if (ret && errno == EACCES)
		ft_error_set(
			err, FT_E_IO, -1,
			"%s/available_events: EACCES (Permission denied); try: sudo ftop-trace hist ...",
			c->dir.path);
	for (unsigned int i = 0; i < events.nr && !ret; i++) {
		if (is_meant(events.names[i], name))
			ret = read_hist(c, add_source(c, events.names[i]), *name, err);
	}
	name_list_fini(&events);
	if (!ret && c->nr == had)
		ret = ft_error_set(
			err, FT_E_USAGE, -1,
			"%s: neither a file nor an event; ftop-trace list -e lists the events",
			name);
	return ret;
}

/* A file is read later, with the rights of the user. */
static int add_operand(struct hist_command *c, const char *operand, struct ft_error *err)
{
	if (access(operand, F_OK))
		return add_events(c, operand, err);
	add_source(c, operand)->is_file = true;
	return 0;
}

/* Histograms that the recorder kept beside the events. */
static int read_kept(struct hist_source *source, struct ft_error *err)
{
	const struct trace_options options = { .no_index = true, .histograms = true };
	const char *const path = source->name;
	struct trace *trace = trace_open(&path, 1, false, &options, err);
	const char *lost;

	if (!trace)
		return -1;
	if (!trace_histograms(trace, 0, &source->text))
		warnings_show(trace, 0);
	lost = trace_lost_histograms(trace, 0);
	source->lost = lost ? mem_strdup(lost) : NULL;
	if (source->text.len && trace_is_cut_by(trace, 0, ""))
		warnings_tell("%s: the histograms are of the whole recording, of which this file "
			      "is a part",
			      source->name);
	trace_close(trace);
	return 0;
}

/* A copy of the kernel's text may have other lines before it. */
static int read_file(struct hist_source *source, struct ft_error *err)
{
	int ret = command_read_text(source->name, "# event histogram", FILE_BYTES, &source->text,
				    err);

	return ret ? ret : read_kept(source, err);
}

static int print_all(struct hist_command *c, struct ft_error *err)
{
	const struct hist_list *hists = &c->hists;
	int ret = 0;

	for (unsigned int i = 0; i < c->nr; i++) {
		struct hist_source *source = &c->sources[i];

		if (source->is_file && read_file(source, err) < 0)
			return -1;
		hist_list_read(&c->hists, &source->text, i, (unsigned int)c->number);
	}
	if (!hists->nr && c->nr == 1 && c->sources[0].lost)
		return ft_error_set(err, FT_E_FORMAT, -1, "%s: no histogram is left: %s",
				    c->sources[0].name, c->sources[0].lost);
	if (!hists->nr && c->nr == 1)
		return ft_error_set(
			err, FT_E_FORMAT, -1,
			"%s: no histogram; the trigger hist: makes the kernel count one. ftop-trace count counts the events of a trace",
			c->sources[0].name);
	if (!hists->nr)
		return ft_error_set(
			err, FT_E_FORMAT, -1,
			"no event has a histogram; the trigger hist: makes the kernel count one");
	if (hists->nr > 1 && c->given.format == FORMAT_CSV)
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"--format=csv: there are %u histograms with columns of their own; name one event, and --number",
			hists->nr);
	for (unsigned int i = 0; i < hists->nr && !ret; i++) {
		if (i && c->given.format == FORMAT_TEXT && !c->given.count)
			puts("");
		fflush(stdout);
		ret = print_hist(c, &hists->list[i], err);
	}
	return ret;
}

static int take_option(struct hist_command *c, const struct option_value *option,
		       struct ft_error *err)
{
	switch (option->id) {
	case OPT_NUMBER:
		return options_number("--number", option->value, 1, INT32_MAX, &c->number, err);
	case OPT_INSTANCE:
		c->instance = option->value;
		return 0;
	case OPT_TRACEFS:
		c->tracefs = option->value;
		return invoker_check_folder("--tracefs", option->value, err);
	}
	return filter_option(&c->given, option, err) < 0 ? -1 : 0;
}

/* What cmd_hist_read_kernel() leaves to cmd_hist(). */
static struct hist_command command;

static void command_fini(struct hist_command *c)
{
	for (unsigned int i = 0; i < c->nr; i++) {
		free(c->sources[i].name);
		free(c->sources[i].lost);
		text_fini(&c->sources[i].text);
	}
	free(c->sources);
	hist_list_fini(&c->hists);
	tracefs_dir_close(&c->dir);
	filter_given_fini(&c->given);
}

int cmd_hist_read_kernel(const struct option_list *list, struct ft_error *err)
{
	struct hist_command *c = &command;
	int ret = 0;

	for (unsigned int i = 0; i < list->nr && !ret; i++)
		ret = take_option(c, &list->values[i], err);
	if (!ret && !list->nr_operands)
		ret = add_events(c, "", err);
	for (unsigned int i = 0; i < list->nr_operands && !ret; i++)
		ret = add_operand(c, list->operands[i], err);
	tracefs_dir_close(&c->dir);
	if (ret)
		command_fini(c);
	return ret;
}

int cmd_hist(const struct option_list *list, struct ft_error *err)
{
	int ret = print_all(&command, err);

	(void)list;
	command_fini(&command);
	return ret;
}
