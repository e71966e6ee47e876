/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export - a trace in the format of another program. */
#include <errno.h>
#include <unistd.h>

#include "src/commands/sched_command.h"
#include "src/export/perfetto.h"
#include "src/trace/notes.h"

enum { OPT_PERFETTO = SCHED_OPT_TASK + 1 };

const struct command_def cmd_export_def = {
	.name = "export",
	.operands = "[FILE]",
	.summary = "write a trace in the format of another program: Perfetto",
	.details = "--perfetto writes a trace that ui.perfetto.dev and trace_processor open.",
	.max_operands = 1,
	.options = (const struct option_def[]){
		{ .name = "perfetto", .arg = "OUT", .id = OPT_PERFETTO,
		  .help = "write a trace of Perfetto to this file; - is the standard output" },
		SCHED_WINDOW_OPTIONS("only events", "only"),
		{ .name = "filter", .letter = 'F', .arg = "EXPR", .id = FILTER_OPTION_FILTER,
		  .help = "only events that match, see ftop-trace-filter(7); with several -F, any may match" },
		{ .letter = 'v', .id = FILTER_OPTION_NEGATE,
		  .help = "negate each -F after this: leave out what matches" },
		OFFSET_OPTION,
		OPTION_END,
	},
};

struct export_command {
	struct sched_command base;
	struct event_sweep_options what;
	const struct option_value *to;	/* the format's option */
};

/* --- formats ---------------------------------------------------------------------- */

static int export_perfetto(struct export_command *c, struct ft_error *err)
{
	struct output out;
	int ret;

	/* what was in it stays if the trace cannot be opened; a pipe has no length */
	if (ftruncate(c->to->fd, 0))
		errno = 0;
	output_init(&out, c->to->fd);
	ret = perfetto_export(c->base.trace, &c->what, &out, err);
	return output_end(&out, ret ? NULL : err) || ret ? -1 : 0;
}

static const struct export_format {
	int	option;
	int	(*export)(struct export_command *command, struct ft_error *err);
} formats[] = {
	{ OPT_PERFETTO, export_perfetto },
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

static const struct export_format *find_format(const struct option_value *v)
{
	for (unsigned int i = 0; i < NR_FORMATS; i++)
		if (formats[i].option == v->id)
			return &formats[i];
	return NULL;
}

/* The one that is asked for; NULL with FT_E_USAGE. */
static const struct export_format *
asked_format(struct export_command *c, const struct option_list *list, struct ft_error *err)
{
	const struct export_format *asked = NULL;

	for (unsigned int i = 0; i < list->nr; i++) {
		const struct export_format *format = find_format(&list->values[i]);

		if (format && asked) {
			ft_error_set(err, FT_E_USAGE, -1, "export writes one format at a time");
			return NULL;
		}
		if (format) {
			asked = format;
			c->to = &list->values[i];
		}
	}
	if (!asked)
		ft_error_set(err, FT_E_USAGE, -1, "export needs a format: --perfetto OUT");
	return asked;
}

/* --- the command -------------------------------------------------------------------- */

static int run(const struct command_file *file, struct ft_error *err)
{
	struct export_command c = { 0 };
	const struct export_format *format = asked_format(&c, file->list, err);
	struct sched_command *b = &c.base;
	int ret = format ? 0 : -1;

	if (!ret)
		ret = sched_command_init(b, file, err);
	if (!ret)
		ret = sched_command_bind(b, err);
	if (!ret) {
		trace_hold(b->trace, -1);
		trace_wait(b->trace);
		c.what = sched_command_sweep(b);
		ret = format->export(&c, err);
	}
	if (!ret)
		notes_show(b->trace, trace_status(b->trace).damaged_pages);
	sched_command_fini(b);
	return ret;
}

int cmd_export(const struct option_list *list, struct ft_error *err)
{
	return command_each(list, run, err);
}
