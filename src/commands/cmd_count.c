/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count - how many events have the same values in some fields. */
#include <inttypes.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/commands/sched_command.h"
#include "src/commands/table_rows.h"
#include "src/counts/counts.h"
#include "src/trace/notes.h"

enum { OPT_EVENT = SCHED_OPT_TASK + 1, OPT_BY, OPT_SUM };

const struct command_def cmd_count_def = {
	.name = "count",
	.operands = "[FILE...]",
	.summary = "count events by the values of their fields; branches, block devices",
	.details = "A line for each combination of values, the most frequent first: what the\n"
		   "kernel's trigger hist: counts, but of a trace. Fields are those of the event\n"
		   "(ftop-trace fields lists them), and the words event, comm, pid and cpu.\n\n"
		   "Without --by, a trace of the branch tracer is counted by place, with how often\n"
		   "likely() or unlikely() was wrong, and a trace of mmiotrace by map, read or write,\n"
		   "width in bytes and address. One of the blk tracer or with events block:* is\n"
		   "counted by device and action, with the most requests in flight, and how long\n"
		   "they took from issue (D2C) and queue (Q2C) to completion: the kinds block and\n"
		   "block_queue of ftop-trace latency.\n"
		   "Other traces, and CSV of several files, are counted by event.",
	.examples = "Which tasks allocate most memory, in a trace with the event kmalloc:\n"
		    "  ftop-trace count --event kmalloc --by comm --sum bytes_alloc --sort bytes_alloc",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ "event", 'e', "EVENT", OPT_EVENT, "only this event: sched_switch, block:*" },
		{ .name = "by", .arg = "FIELD,...", .id = OPT_BY,
		  .help = "count events with the same values in these fields" },
		{ .name = "sum", .arg = "FIELD,...", .id = OPT_SUM,
		  .help = "add up these fields, too" },
		SCHED_WINDOW_OPTIONS("only events", "only"),
		FILTER_OPTIONS("only events that match, see ftop-trace-filter(7); with several -F, any may match", "rows"),
		TABLE_ROWS_OPTIONS,
		ASCII_OPTION,
		SCHED_LAST_OPTIONS,
	},
};

struct count_command {
	struct sched_command base;
	struct counts_options options;
	struct arena	names;		/* of its fields */
	struct counts	*counts;	/* owned */
	const struct counts_result *result;	/* of it */
};

static int read_options(struct count_command *c, const struct option_list *list,
			struct ft_error *err)
{
	struct counts_options *o = &c->options;
	int ret = 0;

	for (unsigned int i = 0; i < list->nr && !ret; i++) {
		const struct option_value *v = &list->values[i];

		if (v->id == OPT_EVENT && o->event)
			ret = ft_error_set(
				err, FT_E_USAGE, -1,
				"--event may be given once; --by event,FIELD counts several");
		else if (v->id == OPT_EVENT)
			o->event = v->value;
		else if (v->id == OPT_BY)
			ret = counts_add_names(o, false, "--by", v->value, &c->names, err);
		else if (v->id == OPT_SUM)
			ret = counts_add_names(o, true, "--sum", v->value, &c->names, err);
	}
	/* All files of a CSV have the same columns. */
	if (!o->keys[0] && (o->event || o->sums[0] ||
			    (c->base.file->nr > 1 && c->base.given.format == FORMAT_CSV)))
		o->keys[0] = "event";
	return ret;
}

static int count_and_print(struct count_command *c, struct ft_error *err)
{
	struct sched_command *b = &c->base;
	struct table_rows rows = { .clock = b->clock, .bytes = sizeof(struct counts_row) };

	trace_hold(b->trace, -1);
	trace_wait(b->trace);		/* the names of tasks, and which events there are */
	if (!c->options.keys[0])
		c->options = counts_of_tracer(b->trace, 0);
	c->options.events = sched_command_sweep(b);
	c->counts = counts_new(b->trace, &c->options);
	c->result = counts_result(c->counts, true);
	if (c->result->unknown)
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"%s: no counted event has this field, or it is no number to add up; see ftop-trace fields",
			c->result->unknown);
	rows.columns = &c->result->columns;
	rows.array = c->result->rows;
	rows.nr = c->result->nr;
	return table_rows_print(&rows, b->file, &b->given, &b->picker, NULL, err);
}

static void tell(const struct count_command *c)
{
	const struct sched_command *b = &c->base;
	struct trace_status status = trace_status(b->trace);
	const struct counts_result *r = c->result;

	if (sched_command_tell_rows(b, status.damaged_pages))
		return;
	if (status.lost_unknown && !status.lost_events)
		notes_tell("events were %s, how many is unknown: they are not counted",
			   trace_lost_words(b->trace, 0));
	else if (status.lost_unknown && trace_is_thinned(b->trace, 0))
		notes_tell("%" PRIu64 " events were lost, and an unknown number cut out or lost: "
			   "they are not counted",
			   status.lost_events);
	else if (status.lost_events)
		notes_tell("%s%" PRIu64 " events were lost and are not counted",
			   status.lost_unknown ? "at least " : "", status.lost_events);
	if (r->beyond)
		notes_tell("%" PRIu64 " events have other values than the first %" PRIu32
			   " rows and are not counted",
			   r->beyond, r->nr);
	if (r->lacking)
		notes_tell("%" PRIu64 " events do not have all fields and are not counted",
			   r->lacking);
	else if (!r->nr && c->options.event)
		notes_tell("the trace has no events %s%s", c->options.event,
			   b->filter || b->given.cpus ? " that are selected" : "");
	else if (!r->nr)
		notes_tell("no events are selected");
}

int cmd_count(const struct command_file *file, struct ft_error *err)
{
	struct count_command c = { 0 };
	bool ok = !sched_command_init(&c.base, file, err) && !read_options(&c, file->list, err) &&
		  !sched_command_bind(&c.base, err) && !count_and_print(&c, err);

	if (ok)
		tell(&c);
	counts_free(c.counts);
	arena_fini(&c.names);
	sched_command_fini(&c.base);
	return ok ? 0 : -1;
}
