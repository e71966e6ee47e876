/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_ends - the rules of latency_kinds.h for one file: which of its event types begin or end
 * something, and where the fields are that say what.
 */

#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "parsers/types/event_types.h"
#include "src/base/memory.h"
#include "src/latency/latency_private.h"

#define MOST_ENDS	65535u

struct binder {
	struct latency	*latency;
	struct latency_ends *ends;	/* its own */
	struct trace	*trace;
	unsigned int	 file;
	const struct latency_rule *rule;	/* being bound */
	const char	*name;		/* name of the rule's kind */
	uint16_t	 number;	/* number of the rule */
	struct ft_error	*err;		/* NULL: the rule need not fit */
};

/*
 * What the * of a pattern stands for in the name of an event, which is in the first line of its
 * format: "name: sys_enter_read".  False: the name does not match.
 */
static bool find_star(const char *pattern, const struct source_format *format, const char **star,
		      size_t *star_len)
{
	static const char word[] = "name: ";
	const char *end = memchr(format->text, '\n', format->size);
	size_t head = strcspn(pattern, "*"), before = sizeof(word) - 1 + head;
	const char *tail = pattern[head] ? pattern + head + 1 : "";
	size_t tail_len = strlen(tail);

	if (!end || (size_t)(end - format->text) < before + tail_len ||
	    memcmp(format->text, word, sizeof(word) - 1) ||
	    memcmp(format->text + sizeof(word) - 1, pattern, head) ||
	    memcmp(end - tail_len, tail, tail_len))
		return false;
	*star = format->text + before;
	*star_len = (size_t)(end - *star) - tail_len;
	return *star_len ? pattern[head] : !pattern[head];
}

/* --- an end of one event type ----------------------------------------------------------------- */

static int no_field(struct binder *b, const struct event_type *type, const char *name)
{
	return ft_error_set(b->err, FT_E_USAGE, -1, "%s: %s has no field %s", b->name, type->name,
			    name);
}

/* Return: 0; -1: the event lacks a field that is needed. */
static int find_fields(struct binder *b, const struct event_type *type, bool is_end,
		       struct sched_pair_end *end)
{
	const struct latency_rule *rule = b->rule;
	const char *label = rule->late[0] ? rule->late[!is_end ? 1 : 0] :
			    is_end        ? rule->value :
					    rule->label;

	end->nr_keys = 0;
	end->silent = rule->silent && is_end;
	b->ends->pairs.has_silent |= end->silent;
	for (unsigned int i = 0; i < rule->nr_keys; i++) {
		const struct event_field *field = event_type_field(type, rule->keys[i][is_end]);

		if (!field && rule->may_lack >> i & 1)
			continue;
		if (!field)
			return no_field(b, type, rule->keys[i][is_end]);
		if (!strcmp(rule->keys[i][is_end], "common_pid") ||
		    !strcmp(rule->keys[i][!is_end], "common_pid"))
			end->pid = field;
		else
			end->keys[end->nr_keys++] = field;
	}
	end->of_calls = !strcmp(type->system, "raw_syscalls") && end->nr_keys == 1 &&
			!strcmp(end->keys[0]->name, "id");
	if (rule->task) {
		end->pid = event_type_field(type, rule->task);
		if (!end->pid)
			return no_field(b, type, rule->task);
	}
	if (rule->within) {
		end->is_range = true;
		end->length = event_type_field(type, rule->within);
		end->label = rule->label ? event_type_field(type, rule->label) : NULL;
		if (!end->nr_keys || (is_end && !end->length))
			return no_field(b, type, rule->within);
		return rule->label && !end->label ? no_field(b, type, rule->label) : 0;
	}
	if (label)
		end->label = event_type_field(type, label);
	return rule->late[0] && !end->label ? no_field(b, type, label) : 0;
}

static void add_end(struct binder *b, int type, struct sched_pair_end end)
{
	struct sched_pairs *pairs = &b->ends->pairs;

	if ((unsigned int)type > UINT16_MAX || pairs->nr == MOST_ENDS)
		return;
	end.type = (uint16_t)type;
	mem_grow(&pairs->ends, pairs->nr, &b->ends->cap);
	pairs->ends[pairs->nr++] = end;
}

/* --- filters ---------------------------------------------------------------------------------- */

/* @only_type: 0 = it is for several event types */
static int bind_filter(struct binder *b, const char *text, int only_type, const struct filter **out)
{
	struct latency_ends *ends = b->ends;
	struct filter_source source = { .text = text, .file = -1 };
	struct filter_options options = { .only_type = only_type };
	struct filter_error e = { 0 };
	struct filter *filter = filter_new_ready(b->trace, &source, 1, &options, &e);

	if (!filter)
		ft_error_set(b->err, FT_E_USAGE, -1, "%s: %s: %s", b->name, text,
			     text_str(&e.message));
	text_fini(&e.message);
	if (!filter)
		return -1;
	mem_grow(&ends->filters, ends->nr_filters, &ends->cap_filters);
	ends->filters[ends->nr_filters++] = filter;
	*out = filter;
	return 0;
}

/* --- rules ------------------------------------------------------------------------------------ */

/* The fields and the filter of an end. */
static int bind_type(struct binder *b, const struct event_type *type, bool is_end,
		     const struct latency_event *event, struct sched_pair_end *end)
{
	static const char idle[] = "common_pid == 0", and[] = " && ";
	const char *text = event->filter;
	bool alone = !b->rule->must_fit && !strchr(event->name, '*');

	if (!type || find_fields(b, type, is_end, end))
		return -1;
	if (!event_type_lacks(type, FORMAT_LACKS_FLAGS))
		end->held = (b->rule->irqs_off ? SCHED_HELD_IRQS : 0) |
			    (b->rule->preempt_off ? SCHED_HELD_PREEMPTION : 0);
	if (!text || end->filter)
		return 0;
	if (!strncmp(text, idle, sizeof(idle) - 1) && end->start == SCHED_START_NONE) {
		end->idle = true;	/* asked of many records: faster than a filter */
		text += sizeof(idle) - 1;
		text += strncmp(text, and, sizeof(and) - 1) ? 0 : sizeof(and) - 1;
	}
	if (*text == '?')
		bind_filter(b, text + 1, type->id, &end->filter);	/* if it can be asked */
	else if (*text)
		return bind_filter(b, text, alone ? type->id : 0, &end->filter);
	return 0;
}

/* The number of the * goes with the label, or is the label. */
static void set_star(const struct binder *b, bool is_end, uint64_t star, struct sched_pair_end *end)
{
	end->plain = end->label && (is_end || b->rule->late[0]) ? 0 : star;
	end->star = strchr(b->rule->ends[!is_end].name, '*') ? star : 0;
	end->of_calls &= !end->star;
}

/*
 * Event types of a family with a * are alike, and the fields of one are those of all.  If fields
 * are keys, those that lack one are not meant.
 */
static int bind_formats(struct binder *b, bool is_end, const struct latency_event *event,
			struct sched_pair_end *end)
{
	const struct source *f = trace_file_of(b->trace, b->file);
	struct event_types *types = trace_event_types(b->trace, b->file);
	bool stars = strchr(event->name, '*'), some = stars && (b->rule->nr_keys || b->rule->task),
	     bound = false, lacks = false;

	for (unsigned int i = 0; i < source_nr_formats(f); i++) {
		const struct source_format *format = source_format(f, i);
		const char *star;
		size_t star_len;

		if ((event->system && strcmp(event->system, format->system)) ||
		    !find_star(event->name, format, &star, &star_len) ||
		    source_format_by_id(f, format->id) != format)
			continue;
		if ((some || !stars || !bound) &&
		    bind_type(b, event_types_find(types, format->id), is_end, event, end)) {
			lacks = true;
			if (some)
				continue;
			return -1;
		}
		bound = true;
		if (stars)
			set_star(b, is_end, name_table_add(b->latency->names, star, star_len), end);
		add_end(b, format->id, *end);
		b->ends->missed[b->number][is_end] |= !!(format->lacks & FORMAT_LACKS_HITS);
	}
	return lacks && !bound ? -1 : 0;
}

static int bind_end(struct binder *b, bool is_end, const struct latency_event *event,
		    enum sched_start start)
{
	struct sched_pair_end end = { .number = (uint16_t)(b->number * 2 + is_end),
				      .start = (uint8_t)start };
	const struct event_type *blk = event_types_blk(trace_event_types(b->trace, b->file));

	if (event->system && !strcmp(event->system, "marker")) {
		/* all that it needs is in its text */
		if (!sched_pair_marker(b->trace, b->file, *event->name, &end))
			return 0;
		if (event->filter && bind_filter(b, event->filter, end.type, &end.filter))
			return -1;
		add_end(b, end.type, end);
		return 0;
	}
	if (!blk || strcmp(event->name, blk->name) != 0)
		return bind_formats(b, is_end, event, &end);
	if (bind_type(b, blk, is_end, event, &end))
		return -1;
	add_end(b, blk->id, end);
	return 0;
}

static int bind_rule(struct binder *b)
{
	unsigned int before = b->ends->pairs.nr;

	/* the end first: an event that is both ends one instance before it starts the next */
	for (unsigned int i = 2; i--;) {
		const struct latency_event *event = &b->rule->ends[i];
		unsigned int nr = b->ends->pairs.nr;
		bool failed = false;

		for (const struct latency_event *e = event; e; e = e->other)
			failed |= bind_end(b, i, e,
					   b->rule->within && e != event ? SCHED_END_WHOLE :
									   SCHED_START) != 0;
		/* of several, one is enough */
		failed &= !event->other || b->ends->pairs.nr == nr;
		/* a start whose end the file does not have is open */
		if (!failed && (b->ends->pairs.nr > nr || (i && !b->rule->must_fit)))
			continue;
		if (!failed)
			ft_error_set(b->err, FT_E_USAGE, -1, "%s: the trace has no event %s%s%s",
				     b->name, event->system ? event->system : "",
				     event->system ? ":" : "", event->name);
		b->ends->pairs.nr = before;
		return b->rule->must_fit ? -1 : 0;
	}
	if (b->rule->again.name)	/* a trace need not have it */
		bind_formats(b, false, &b->rule->again,
			     &(struct sched_pair_end){ .number = (uint16_t)(b->number * 2),
						       .start = SCHED_START_AGAIN });
	b->err = NULL;
	for (const struct latency_event *e = b->rule->unless; e; e = e->other)
		bind_end(b, false, e, SCHED_START_NONE);
	return 0;
}

/* No pairs: they only tell that there are calls, or stacks. */
static void bind_others(struct binder *b)
{
	static const char *const names[] = {
		"kernel_stack", "funcgraph_entry", "fgraph_retaddr_entry", "funcgraph_exit"
	};
	struct event_types *types = trace_event_types(b->trace, b->file);

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct event_type *type = event_types_by_name(types, "ftrace", names[i]);
		atomic_bool *seen = i ? &b->ends->has_calls : &b->ends->has_stacks;

		if (type)
			add_end(b, type->id, (struct sched_pair_end){ .seen = seen });
	}
}

static bool drops(const struct sched_pair_end *end)
{
	return end->start == SCHED_START_NONE;
}

/*
 * Those of a type in the order of the rules, the end before the start; what drops starts is before
 * their ends.
 */
static int by_type(const void *a, const void *b)
{
	const struct sched_pair_end *x = a, *y = b;

	return x->type != y->type   ? x->type - y->type :
	       drops(x) != drops(y) ? drops(y) - drops(x) :
				      (x->number ^ 1) - (y->number ^ 1);
}

static void sort_ends(struct sched_pairs *pairs)
{
	if (pairs->nr)
		qsort(pairs->ends, pairs->nr, sizeof(*pairs->ends), by_type);
	for (unsigned int i = pairs->nr; i--;) {
		pairs->held |= pairs->ends[i].held;
		pairs->ends[i].more = pairs->first[pairs->ends[i].type];
		pairs->first[pairs->ends[i].type] = (uint16_t)(i + 1);
	}
}

int latency_ends_init(struct latency *l, struct ft_error *err)
{
	const struct latency_options *o = &l->options;
	const struct latency_kinds *kinds = o->kinds;
	struct binder b = { l, mem_alloc(sizeof(*l->ends)), l->trace, o->what.file };
	bool untimed = trace_is_untimed(l->trace, (int)o->what.file);
	bool is_real = !strcmp(trace_machine(l->trace, o->what.file)->virt, "none");
	int ret = 0;

	l->ends = b.ends;
	for (unsigned int i = LATENCY_OWN_KINDS; i < kinds->nr_rules && !ret && !untimed; i++) {
		b.rule = &kinds->rules[i];
		b.number = (uint16_t)i;
		b.name = kinds->names[b.rule->kind];
		b.err = b.rule->must_fit ? err : NULL;
		if (!(o->without && o->without[i]) && !(b.rule->silent && is_real) &&
		    (o->only < 0 || b.rule->kind == (unsigned int)o->only) &&
		    ((!b.rule->late[0] && !b.rule->silent) ||
		     trace_unit(l->trace) == TRACE_UNIT_NS))
			ret = bind_rule(&b);
	}
	bind_others(&b);
	sort_ends(&l->ends->pairs);
	return ret;
}

void latency_ends_free(struct latency_ends *ends)
{
	for (unsigned int i = 0; i < ends->nr_filters; i++)
		filter_free(ends->filters[i]);
	free(ends->filters);
	free(ends->pairs.ends);
	free(ends);
}
