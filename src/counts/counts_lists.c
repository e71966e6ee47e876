/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts_lists - counted events as a list_source; of a file that holds the kernel's histograms, the
 * table of one of them (hist_lists.c).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_header.h"
#include "parsers/types/event_types.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/options.h"
#include "src/base/shell_words.h"
#include "src/counts/counts_private.h"
#include "src/filter/filter_value.h"
#include "src/trace/groupings.h"
#include "src/trace/warnings.h"

#define NONE		"No such events. Try :count EVENT by FIELD."
#define MOST_ROWS	65536u		/* their texts are made while the screen waits */

enum { OPT_EVENT = LIST_OWN, OPT_BY, OPT_SUM };

/* --- options and life ------------------------------------------------------------------------ */

static int read_options(struct counts_lists *m, const struct list_scope *scope,
			struct ft_error *err)
{
	const struct option_list *list = scope->options;
	struct counts_options *o = &m->options;
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
			ret = counts_add_names(o, false, "--by", v->value, &m->names, err);
		else if (v->id == OPT_SUM)
			ret = counts_add_names(o, true, "--sum", v->value, &m->names, err);
	}
	if (!o->keys[0] && (o->event || o->sums[0] || scope->same_columns))
		o->keys[0] = "event";
	return ret;
}

static void end(void *model)
{
	struct counts_lists *m = model;
	counts_free(m->counts);
	arena_fini(&m->names);
	text_fini(&m->heading);
	text_fini(&m->command);
	hist_list_fini(&m->hists);
	free(m);
}

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct counts_lists *m = mem_alloc(sizeof(*m));
	int ret = 0;

	m->trace = scope->trace;
	m->is_one_of_several = scope->options && scope->options->nr_operands > 1;
	m->is_mine = scope->options || *scope->words;
	if (!scope->options && hist_lists_read(m, scope->what.file, scope->variant))
		return m;
	if (scope->options)
		ret = read_options(m, scope, err);
	else if (m->is_mine)
		ret = counts_parse(scope->words, &m->names, &m->options, err);
	if (ret) {
		end(m);
		return NULL;
	}
	if (!m->options.keys[0])
		m->options = counts_of_tracer(m->trace, scope->what.file);
	m->options.events = scope->what;
	m->options.most_rows = scope->options ? 0 : MOST_ROWS;
	m->counts = counts_new(m->trace, &m->options);
	return m;
}

static bool has_table(struct trace *trace, unsigned int file)
{
	return trace_histograms(trace, file, NULL) || counts_of_tracer(trace, file).event;
}

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	if (hist_lists_find(trace, *file, variant, next))
		return true;
	if (!list_find_file(trace, file, next, has_table))
		return false;
	*variant = 0;
	return true;
}

/* The event whose name is nearest to this one; NULL: none is near. */
static const char *nearest_event(struct trace *trace, const char *event)
{
	struct trace_type_count *types;
	unsigned int nr = trace_type_counts(trace, &types), nr_names = 0;
	const char **names = mem_array(nr + 1ul, sizeof(*names)), *near;

	for (unsigned int i = 0; i < nr; i++)
		if (types[i].type)
			names[nr_names++] = types[i].type->name;
	near = options_nearest(event, names, nr_names);
	free(names);
	free(types);
	return near;
}

/* The field of an event whose name is nearest to the unknown one; NULL: none, or it is that. */
static const char *nearest_field(struct trace *trace, const char *unknown)
{
	struct trace_type_count *types;
	unsigned int nr = trace_type_counts(trace, &types), nr_names = 0, cap = 0;
	const char **names = NULL, *near;

	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int k = 0; types[i].type && k < types[i].type->nr_fields; k++) {
			mem_grow(&names, nr_names, &cap);
			names[nr_names++] = types[i].type->fields[k].name;
		}
	near = options_nearest(unknown, names, nr_names);
	if (near && !strcmp(near, unknown))
		near = NULL;
	free(names);
	free(types);
	return near;
}

static int refuse_event(struct trace *trace, const char *event, struct ft_error *err)
{
	const char *near = nearest_event(trace, event);

	return ft_error_set(err, FT_E_USAGE, -1, "the trace has no events %s%s%s%s", event,
			    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int refuse_field(struct trace *trace, const char *field, struct ft_error *err)
{
	const char *near = nearest_field(trace, field);

	return ft_error_set(
		err, FT_E_USAGE, -1,
		"%s: no counted event has this field, or the field is not a number (--sum); %s%s%s",
		field, near ? "did you mean " : "see ftop-trace fields", near ? near : "",
		near ? "?" : "");
}

/* The first field that no event of the wanted types has; NULL: all are known. */
static const char *unknown_field(const struct counts_options *o,
				 const struct trace_type_count *types, unsigned int nr)
{
	for (unsigned int i = 0; i < 2 * COUNTS_FIELDS; i++) {
		const char *name = i < COUNTS_FIELDS ? o->keys[i] : o->sums[i - COUNTS_FIELDS];
		bool has = !name || (i < COUNTS_FIELDS && counts_is_own_key(name));

		for (unsigned int k = 0; k < nr && !has; k++)
			has = types[k].type &&
			      (!o->event || event_type_is(types[k].type, o->event)) &&
			      (event_type_field(types[k].type, name) ||
			       (event_header_name(name) && event_header_is(types[k].type)));
		if (!has)
			return name;
	}
	return NULL;
}

int counts_check(struct trace *trace, const struct counts_options *o, struct ft_error *err)
{
	struct trace_type_count *types;
	unsigned int nr = trace_type_counts(trace, &types);
	bool has = !o->event;
	const char *unknown;

	for (unsigned int i = 0; i < nr && !has; i++)
		has = types[i].type && event_type_is(types[i].type, o->event);
	unknown = unknown_field(o, types, nr);
	free(types);
	return !has    ? refuse_event(trace, o->event, err) :
	       unknown ? refuse_field(trace, unknown, err) :
			 0;
}

/* Of several files, one may lack the event. */
static int check_event(struct counts_lists *m, struct ft_error *err)
{
	const struct counts_options *o = &m->options;

	if (!o->event || m->is_one_of_several || m->result->nr || m->result->lacking ||
	    o->events.nr_filters || o->events.only || o->events.range.set)
		return 0;
	return refuse_event(m->trace, o->event, err);
}

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct counts_lists *m = model;

	if (!m->counts)
		return LIST_DONE;
	m->result = counts_result(m->counts, wait);
	if (!m->result) {
		if (permille)
			*permille = event_sweep_permille(counts_sweep(m->counts));
		return LIST_LATER;
	}
	if (!m->result->unknown)
		return check_event(m, err) ? LIST_FAILED : LIST_DONE;
	refuse_field(m->trace, m->result->unknown, err);
	return LIST_FAILED;
}

/* --- rows ------------------------------------------------------------------------------------- */

static void add_names(const char *option, const char *const *names, unsigned int most,
		      struct text *out)
{
	struct text list = { 0 };

	for (unsigned int i = 0; i < most && names[i]; i++)
		text_printf(&list, "%s%s", i ? "," : "", names[i]);
	if (list.len) {
		text_add(out, option);
		shell_words_quote(out, text_str(&list));
	}
	text_fini(&list);
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	struct counts_lists *m = model;
	const struct counts_options *o = &m->options;
	const struct counts_result *r = m->result;

	(void)list;
	if (!m->counts)
		return hist_lists_rows(m, by);
	text_clear(&m->heading);
	text_printf(&m->heading, "%s by ", o->event ? o->event : "events");
	for (unsigned int k = 0; k < COUNTS_FIELDS && o->keys[k]; k++)
		text_printf(&m->heading, "%s%s", k ? ", " : "", o->keys[k]);
	text_clear(&m->command);
	text_add(&m->command, "count");
	if (m->is_mine) {
		add_names(" --event ", &o->event, 1, &m->command);
		add_names(" --by ", o->keys, COUNTS_FIELDS, &m->command);
		add_names(" --sum ", o->sums, COUNTS_FIELDS, &m->command);
	}
	return (struct list_rows){
		.columns = &r->columns, .array = r->rows, .bytes = sizeof(*r->rows), .nr = r->nr,
		.whole = r->nr ? r->rows[0].all : 0, .lacks = r->columns.lacks,
		/* The place that was wrong most often, or the most frequent row, is the first. */
		.order = table_column_own(&r->columns, o->is_branch ? COUNTS_WRONG : COUNTS_EVENTS),
		.figure = LIST_BY_ORDER, .damaged = trace_status(m->trace).damaged_pages,
		.heading = text_str(&m->heading), .command = text_str(&m->command),
		.nothing = o->event && !trace_has_event(m->trace, o->events.file, o->event) ?
				   NONE :
				   NULL,
	};
}

/* Its values: a ring may drop its first event. */
static uint64_t key(const void *of)
{
	const struct counts_row *row = of;
	uint64_t hash = 0;

	for (unsigned int k = 0; k < COUNTS_FIELDS && row->keys[k]; k++)
		hash = index_map_mix(hash,
				     index_map_hash_bytes(row->keys[k], strlen(row->keys[k])));
	return hash;
}

/* Its first event, in Events. */
static struct list_step enter(void *model, unsigned int list, const void *row)
{
	struct counts_lists *m = model;
	(void)list;
	if (!m->counts)
		return (struct list_step){ .to = LIST_STAYS,
					   .message = "the kernel counted these events, and kept "
						      "none of them" };
	return (struct list_step){ .to = LIST_TO_EVENTS,
				   .place.ref = ((const struct counts_row *)row)->first };
}

/* --- a row as a filter ----------------------------------------------------------------------- */

/* "prev_state == S" */
static bool add_field_term(const struct counts_lists *m, const struct trace_event *event,
			   const char *key, struct text *out)
{
	enum filter_value_form form = FILTER_ASKS_NOTHING;
	uint64_t mask = counts_mask(event->type, key);
	struct trace_field_value *fields;
	unsigned int nr = trace_event_fields(m->trace, event, &fields);
	struct text value = { 0 };

	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(fields[i].name, key))
			form = filter_value_ask(m->trace, event, key, text_str(&fields[i].raw),
						text_str(&fields[i].printed), &value);
	trace_fields_free(fields, nr);
	if (form == FILTER_ASKS_VALUE)
		text_printf(out, mask ? "%s & 0x%" PRIx64 " == " : "%s == ", key, mask);
	if (mask)
		text_u64(out, strtoull(text_str(&value), NULL, 0) & mask);
	else
		text_add(out, text_str(&value));
	text_fini(&value);
	return form != FILTER_ASKS_NOTHING;
}

/* False: the event does not tell it. */
static bool add_own_term(const char *key, const char *value, struct text *out)
{
	int pid;

	if (!strcmp(value, GROUPING_NOT_KNOWN))
		return false;
	if (!strcmp(key, "process")) {
		grouping_process_name(value, &pid);
		text_printf(out, " && tgid == %d", pid);
		return true;
	}
	text_printf(out, " && %s == ", key);
	if (!strcmp(key, "pid") || !strcmp(key, "cpu"))
		text_add(out, value);
	else
		filter_text_quote(value, out);
	return true;
}

/*
 * "(sched_switch: prev_comm == sh && prev_state == S) && cpu == 1".  With the event before it, the
 * name of a field is not taken for that of something else: file, comm.
 */
static bool add_terms(const struct counts_lists *m, const struct counts_row *row,
		      const struct trace_event *event, struct text *out)
{
	struct text own = { 0 }, fields = { 0 };
	bool of_event = m->options.event, can = true;

	for (unsigned int k = 0; k < COUNTS_FIELDS && m->options.keys[k] && can; k++) {
		const char *key = m->options.keys[k];

		if (!strcmp(key, "event")) {
			of_event = true;
		} else if (counts_is_own_key(key)) {
			can = add_own_term(key, row->keys[k], &own);
		} else {
			text_add(&fields, fields.len ? " && " : "");
			can = add_field_term(m, event, key, &fields);
		}
	}
	if (of_event && fields.len)
		text_printf(out, "(%s: %s)", trace_event_name(event), text_str(&fields));
	else
		text_add(out, of_event ? trace_event_name(event) : text_str(&fields));
	if (own.len)
		text_add(out, out->len ? text_str(&own) : text_str(&own) + strlen(" && "));
	text_fini(&fields);
	text_fini(&own);
	return can;
}

static bool filter(const void *model, unsigned int list, const void *row, struct text *out)
{
	const struct counts_lists *m = model;
	const struct counts_row *of = row;
	struct trace_event event;

	(void)list;
	return m->counts && trace_event_at(m->trace, of->first, &event) &&
	       add_terms(m, of, &event, out);
}

/* --- words ------------------------------------------------------------------------------------ */

static void say(const void *model, unsigned int list, const void *row, struct text *heading,
		struct text *out)
{
	const struct counts_lists *m = model;
	struct trace_status status = trace_status(m->trace);
	const struct counts_row *of = row;

	(void)list;
	if (!m->counts) {
		hist_lists_say(m, row, heading, out);
		return;
	}
	text_add(heading, "count");
	text_counted(out, of->events, "event");
	text_add(out, " with these values. Enter shows the first one; i i filters by them. ");
	if (m->result->beyond) {
		text_counted(out, m->result->beyond, "event");
		text_add(out, " with yet other values: in no row. ");
	}
	if (status.lost_events || status.lost_unknown)
		text_add(out, "Lost events are in no count. ");
	if (trace_has_missed(m->trace, -1))
		text_add(out, "> marks events of which the kernel's probe missed some. ");
	if (m->result->lacking) {
		text_counted(out, m->result->lacking, "event");
		text_add(out, " without all of the fields: not counted.");
	}
}

static void tell_lost(const struct counts_lists *m)
{
	struct trace_status status = trace_status(m->trace);

	if (status.lost_unknown && !status.lost_events)
		warnings_tell("events were %s, how many is unknown: they are not counted",
			      trace_lost_words(m->trace, 0));
	else if (status.lost_unknown && trace_is_thinned(m->trace, 0))
		warnings_tell("%" PRIu64 " event%s lost, and an unknown number cut out or lost: "
			      "not counted",
			      status.lost_events, PLURAL(status.lost_events));
	else if (status.lost_events)
		warnings_tell("%s%" PRIu64 " event%s lost: not counted",
			      status.lost_unknown ? "at least " : "", status.lost_events,
			      PLURAL(status.lost_events));
}

static void tell(const void *model, unsigned int list, bool any)
{
	const struct counts_lists *m = model;
	const struct counts_options *o = &m->options;
	const struct counts_result *r = m->result;

	(void)list;
	(void)any;
	tell_lost(m);
	if (r->beyond)
		warnings_tell("%" PRIu64 " event%s with other values than the first %" PRIu32
			      " rows: not counted",
			      r->beyond, PLURAL(r->beyond), r->nr);
	if (r->lacking)
		warnings_tell("%" PRIu64 " event%s without all of the fields: not counted",
			      r->lacking, PLURAL(r->lacking));
	else if (!r->nr && o->event)
		warnings_tell("the trace has no events %s%s", o->event,
			      o->events.nr_filters || o->events.only ? " that are selected" : "");
	else if (!r->nr)
		warnings_tell("no events are selected");
}

/* --- comparing ------------------------------------------------------------------------------ */

/* Rows have the values of their keys as names. */
static void compare(void *model, unsigned int list, struct diff *diff, unsigned int side)
{
	struct counts_lists *m = model;
	const char *event = m->options.event, *const *keys = m->options.keys;
	struct text name = { 0 };

	(void)list;
	diff->of_events = !event && keys[0] && !keys[1] && !strcmp(keys[0], "event");
	diff->is_whole[side] = !event || trace_has_event(m->trace, m->options.events.file, event);
	/* A and B may count different events */
	if (side && strcmp(event ?: "", diff->counted ?: "") != 0)
		diff->of_events = diff->is_whole[0] = diff->is_whole[1] = false;
	diff->counted = event;
	for (uint32_t i = 0; m->counts && i < m->result->nr; i++) {
		const struct counts_row *row = &m->result->rows[i];

		text_clear(&name);
		for (unsigned int k = 0; k < COUNTS_FIELDS && m->options.keys[k]; k++)
			text_printf(&name, "%s%s", k ? ", " : "", row->keys[k]);
		diff_side(diff, text_str(&name), side)->count += row->events;
	}
	text_fini(&name);
}

/* --- the source ------------------------------------------------------------------------------- */

static const struct list_def lists[] = {
	{ "row", .name_least = 20, .name_most = 60, .figure_word = "count",
	  .key = key },
};

static const struct list_keys keys[] = {
	{ "count --by=event,comm --sum=common_pid", "A row; the names that --by and --sum give are keys.",
		"count, common_pid, event, comm" },
	{ 0 },
};

const struct list_source count_list_source = {
	.title = "Counts",
	.short_title = "Count",
	.about = "events by their fields (:count); branches, accesses to mapped I/O",
	.command = {
		.name = "count",
		.operands = "[FILE...]",
		.summary = "count events by the values of their fields; branches, block devices",
		.details = "Each line is a combination of values, the most frequent first. The kernel's\n"
			   "trigger hist: makes the same table while it runs; this one is made from a trace.\n"
			   "Fields are those of the event, which ftop-trace fields lists, and event, comm,\n"
			   "pid, cpu, process, cgroup and user, which describe the task that ran. A stack\n"
			   "belongs to the event before it: only --event and --by=event count it.\n\n"
			   "Without --by, a trace of the branch tracer is counted by place, with the number\n"
			   "of times that likely() or unlikely() was wrong. A trace of mmiotrace is counted\n"
			   "by map, read or write, width in bytes and address. A trace of the blk tracer, or\n"
			   "with events block:*, is counted by device and action, with the largest number of\n"
			   "requests in flight; D2C and Q2C are the times of a request from its issue and\n"
			   "from the queue to its completion, which are the kinds block and block_queue of\n"
			   "ftop-trace latency; its help says what ~ and shared mean. All other traces are\n"
			   "counted by event, and so is the CSV of several files, because its columns must\n"
			   "be the same.",
		.word_means = "--event=%s",
		.examples = "Which tasks allocate most memory, in a trace with the event kmalloc:\n"
			    "  ftop-trace count -e kmalloc --by comm --sum bytes_alloc --head 10",
		.max_operands = LIST_MOST_FILES,
		.options = (const struct option_def[]){
			{ "event", 'e', "EVENT", OPT_EVENT, "only these events: sched_switch, block:*, sys_exit_*" },
			{ .name = "by", .arg = "FIELD,...", .id = OPT_BY,
			  .help = "count events with the same values in these fields" },
			{ .name = "sum", .arg = "FIELD,...", .id = OPT_SUM,
			  .help = "also add up these fields" },
			LIST_OPTIONS,
		},
	},
	.keys = keys,
	.lists = lists,
	.takes_words = true,
	.nr = 1,
	.help = {
		.enter_bar = "Event",
		.enter = "show the first event of the row; q returns",
		.search = "find text or /regex/ in the values",
		.only_bar = "Keep",
		.only = "filter: only events with the values of the row",
		.without = "filter: without the events of the row",
		.next = "show the next histogram, if there are several",
	},
	.next_word = "next histogram",
	.left = "No such event is left.",
	.none = NONE,
	.find = find,
	.begin = begin,
	.end = end,
	.take = take,
	.rows = rows,
	.enter = enter,
	.filter = filter,
	.say = say,
	.tell = tell,
	.compare = compare,
	.compared = "The values that count prints.",
};
