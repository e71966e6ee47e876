/* SPDX-License-Identifier: GPL-2.0-or-later */
/* until_judge - what has come true: passes over what the ring holds, and the rows that are new. */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/latency/latency.h"
#include "src/latency/latency_columns.h"
#include "src/until/until_private.h"

#define MOST_FOUND	(1u << 20)	/* instances of a pass */
#define MOST_COVERED	(1u << 16)	/* found at once, if a hit stands for others */
#define MOST_LOOKED_AT	1000u		/* of what is new, one by one */
#define MOST_WORDS	300u		/* bytes that are told of a hit */

struct pass {
	const struct until *until;
	const struct until_condition *c;
	struct latency_instance *found;	/* owned, [nr] */
	unsigned int	 nr, cap;
};

/* --- hits ------------------------------------------------------------------------------------- */

/* The caller owns it. */
static char *printable(const struct text *words)
{
	struct text shown = { 0 };
	char *copy;

	text_printable(&shown, text_str(words), words->len < MOST_WORDS ? words->len : MOST_WORDS);
	copy = mem_strdup(text_str(&shown));
	text_fini(&shown);
	return copy;
}

static void add_hit(struct until *until, struct until_hit hit, const struct text *words)
{
	hit.words = printable(words);
	mem_grow(&until->hits, until->nr_hits, &until->cap_hits);
	until->hits[until->nr_hits++] = hit;
}

/* A start is that of one instance; when a call has ended, its start is known better. */
static bool is_same(const struct until_hit *a, const struct until_hit *b)
{
	return a->condition == b->condition && a->ref == b->ref &&
	       (a->ref != TRACE_REF_NONE || (a->from == b->from && a->pid == b->pid));
}

static bool is_known(const struct until *until, const struct until_hit *hit)
{
	for (unsigned int i = 0; i < until->nr_hits; i++)
		if (is_same(&until->hits[i], hit))
			return true;
	for (unsigned int i = 0; i < until->nr_covered; i++)
		if (is_same(&until->covered[i], hit))
			return true;
	return false;
}

/* --- latencies -------------------------------------------------------------------------------- */

/* Can only its own end end it?  See until.h. */
static bool lasts(const struct pass *p, const struct latency_instance *i)
{
	if (p->c->kind == LATENCY_CALL)
		return true;
	return p->c->kind < LATENCY_OWN_KINDS ? !p->until->partly :
						p->until->kinds.rules[i->rule].first;
}

static bool is_over(const struct pass *p, const struct latency_instance *i)
{
	if (latency_duration(i) <= p->c->limit)
		return false;
	if (i->flags & LATENCY_OPEN)
		return !(i->flags & LATENCY_DOUBTFUL) && lasts(p, i);
	return latency_counts(i);
}

/* It may be over the limit, which is no hit. */
static bool is_in_doubt(const struct pass *p, const struct latency_instance *i)
{
	return i->flags & LATENCY_DOUBTFUL && latency_duration(i) > p->c->limit && !is_over(p, i);
}

static void find(struct pass *p, const struct latency_instance *i)
{
	mem_grow(&p->found, p->nr, &p->cap);
	p->found[p->nr++] = *i;
}

static bool see(void *arg, struct latency *latency, unsigned int kind,
		const struct latency_instance *i)
{
	struct pass *p = arg;

	(void)latency;
	if ((int)kind == p->c->kind && p->nr < MOST_FOUND && (is_over(p, i) || is_in_doubt(p, i)))
		find(p, i);
	return true;
}

static int by_end(const void *a, const void *b)
{
	const struct latency_instance *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* "wakeup of 20.001 ms: server-80, CPU 1: client-81" */
static void tell_instance(const struct pass *p, struct latency *latency,
			  const struct latency_instance *i, struct text *out)
{
	struct text what = { 0 }, cell = { 0 };
	struct latency_row row = latency_row(latency, &p->until->kinds, (unsigned int)p->c->kind, i,
					     &what);

	text_duration(&cell, row.duration);
	text_printf(out, "%s of ", row.kind);
	text_trimmed(out, &cell);
	text_add(out, row.has_end ? ": " : " so far: ");
	latency_task_text(latency, i->pid, i->start, false, out);
	if (row.has_cpu)
		text_printf(out, ", CPU %d", row.cpu);
	if (*row.words)
		text_printf(out, ": %s", row.words);
	text_fini(&what);
	text_fini(&cell);
}

static void take_found(struct until *until, struct pass *p, struct latency *latency,
		       const struct latency_result *result, unsigned int most)
{
	struct text words = { 0 };

	if (p->nr)
		qsort(p->found, p->nr, sizeof(*p->found), by_end);
	for (unsigned int k = 0; k < p->nr && until->nr_hits < most; k++) {
		const struct latency_instance *i = &p->found[k];
		const struct until_hit hit = {
			.condition = (unsigned int)(p->c - until->list),
			.from = i->start,
			.to = i->end,
			.open = i->flags & LATENCY_OPEN,
			.ref = i->from,
			.pid = i->pid,
			.waits = p->c->kind > LATENCY_CALL && p->c->kind < LATENCY_OWN_KINDS ?
					 i->pid :
					 0,
		};

		if (result->replaced[i->rule] || !is_over(p, i) || is_known(until, &hit))
			continue;
		text_clear(&words);
		tell_instance(p, latency, i, &words);
		add_hit(until, hit, &words);
	}
	text_fini(&words);
}

static void take_doubtful(struct until_condition *c, const struct pass *p, struct latency *latency,
			  const struct latency_result *result)
{
	const struct latency_instance *longest = NULL;
	struct text words = { 0 };

	c->nr_doubtful = 0;
	for (unsigned int k = 0; k < p->nr; k++) {
		const struct latency_instance *i = &p->found[k];

		if (result->replaced[i->rule] || !is_in_doubt(p, i))
			continue;
		if (!c->nr_doubtful++ || latency_duration(i) > latency_duration(longest))
			longest = i;
	}
	free(c->doubtful);
	c->doubtful = NULL;
	if (!longest)
		return;
	tell_instance(p, latency, longest, &words);
	c->doubtful = printable(&words);
	text_fini(&words);
}

/* --- what is new ------------------------------------------------------------------------------ */

/* Without the filter of the condition, and also what is doubtful. */
static bool see_new(void *arg, struct latency *latency, unsigned int kind,
		    const struct latency_instance *i)
{
	struct pass *p = arg;
	bool over = i->flags & LATENCY_OPEN ? is_over(p, i) : latency_duration(i) > p->c->limit;

	(void)latency;
	if ((int)kind == p->c->kind && over && p->nr <= MOST_LOOKED_AT)
		find(p, i);
	return true;
}

static bool may_match(struct trace *trace, struct filter_run *run, trace_ref ref)
{
	struct trace_event event;

	return ref != TRACE_REF_NONE &&
	       (trace_is_dropped(trace, ref) || !trace_event_at(trace, ref, &event) ||
		filter_run_event(run, &event));
}

/* Could one of those found be a hit?  A filter is about the ends of a pair. */
static bool any_may_match(struct trace *trace, const struct pass *p, const struct filter *filter)
{
	bool any = p->nr > MOST_LOOKED_AT || (p->nr && !filter);
	struct filter_run *run;

	if (any || !p->nr)
		return any;
	run = filter_run_new(filter);
	for (unsigned int k = 0; k < p->nr && !any; k++) {
		const struct latency_instance *i = &p->found[k];

		if (p->c->kind < LATENCY_OWN_KINDS)
			any = !(i->flags & LATENCY_OPEN);
		else
			any = may_match(trace, run, i->from) || may_match(trace, run, i->to);
	}
	filter_run_free(run);
	return any;
}

/*
 * Can what is new have hits: an instance over the limit that ended there, or that lasts longer now?
 * What is older is not read again, but for calls.
 */
static bool may_have_hits(struct until *until, struct trace *trace, struct until_condition *c,
			  const struct filter *filter, struct ft_error *err)
{
	struct pass p = { .until = until, .c = c };
	struct latency_options options = {
		.what.range = { true, c->seen, INT64_MAX }, .by_end = true,
		.kinds = &until->kinds, .only = c->kind, .each = see_new, .each_arg = &p,
	};
	struct latency *former = c->window;
	bool may;

	if (c->kind == LATENCY_CALL)
		return true;
	c->window = latency_next(former, trace, &options, err);
	latency_free(former);
	if (!c->window)
		return true;
	latency_wait(c->window);
	c->seen = trace_end(trace);
	may = any_may_match(trace, &p, filter);
	free(p.found);
	return may;
}

/* --- the whole trace -------------------------------------------------------------------------- */

/* The pass of `ftop-trace latency` over the whole trace. */
static int judge_latency(struct until *until, struct trace *trace, struct until_condition *c,
			 struct filter *filter, unsigned int most, struct ft_error *err)
{
	const struct filter *const filters[] = { filter };
	struct pass p = { .until = until, .c = c };
	struct latency_options options = {
		.what = { .filters = filters, .nr_filters = filter != NULL },
		.kinds = &until->kinds, .only = c->kind, .each = see, .each_arg = &p,
	};
	struct latency_result result = { 0 };
	struct latency *latency = latency_run(trace, &options, &result, err);
	int ret = latency ? 0 : -1;

	if (latency && result.failed)
		ret = ft_error_set(err, FT_E_LIMIT, -1, "--until %s: there are too many tasks",
				   c->text);
	if (!ret) {
		take_found(until, &p, latency, &result, most);
		take_doubtful(c, &p, latency, &result);
	}
	latency_free(latency);
	latency_result_fini(&result);
	free(p.found);
	return ret;
}

/* --- rows ------------------------------------------------------------------------------------- */

static void tell_row(struct trace *trace, const struct trace_event *event, struct text *out)
{
	if (trace_is_event(event))
		text_printf(out, "%s-%d, CPU %d: %s: ",
			    trace_comm(trace, event->file, event->pid, event->ts), event->pid,
			    event->cpu, trace_event_name(event));
	trace_event_text(trace, event, NULL, TRACE_TEXT_LONG, out);
}

static void take_row(struct until *until, struct trace *trace, unsigned int condition,
		     const struct trace_event *event)
{
	const struct until_hit hit = { .condition = condition, .from = event->ts, .to = event->ts,
				       .ref = event->ref, .pid = (uint32_t)event->pid };
	struct text words = { 0 };

	if (until->list[condition].late && is_known(until, &hit))
		return;
	tell_row(trace, event, &words);
	add_hit(until, hit, &words);
	text_fini(&words);
}

/* @filters: [nr] of the conditions; NULL: it is not about rows.  @late: only of those that are */
static void judge_rows(struct until *until, struct trace *trace, struct filter *const *filters,
		       bool late, unsigned int most)
{
	struct filter_run **runs = mem_array(until->nr, sizeof(*runs));
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;

	trace_printer(trace, 0);
	for (unsigned int i = 0; i < until->nr; i++)
		runs[i] = filters[i] && until->list[i].late == late ? filter_run_new(filters[i]) :
								      NULL;
	trace_cursor_seek_time(cursor, late ? INT64_MIN : until->rows_from);
	while (until->nr_hits < most && trace_cursor_next(cursor, &event))
		for (unsigned int i = 0; i < until->nr && until->nr_hits < most; i++)
			if (runs[i] && filter_run_event(runs[i], &event))
				take_row(until, trace, i, &event);
	trace_cursor_free(cursor);
	for (unsigned int i = 0; i < until->nr; i++)
		filter_run_free(runs[i]);
	free(runs);
}

/* --- all -------------------------------------------------------------------------------------- */

/* Made anew each time: names of tasks that have come since may be meant.  @all: late ones, too. */
static int make_filters(const struct until *until, struct trace *trace, bool all,
			struct filter **filters, struct ft_error *err)
{
	for (unsigned int i = 0; i < until->nr; i++) {
		const struct filter_source source = until_source(&until->list[i]);
		struct filter_error e = { 0 };

		if (!*source.text || (until->list[i].late && !all))
			continue;
		filters[i] = filter_new_ready(trace, &source, 1, NULL, &e);
		if (!filters[i]) {
			filter_error_tell(&source, 1, &e, err);
			text_fini(&e.message);
			return -1;
		}
	}
	return 0;
}

/* So many hits in all, if @room of one condition may come to those found before. */
static unsigned int more(const struct until *until, unsigned int room)
{
	return room < UINT32_MAX - until->nr_hits ? until->nr_hits + room : UINT32_MAX;
}

static int hit_by_end(const void *a, const void *b)
{
	const struct until_hit *x = a, *y = b;

	return x->to < y->to ? -1 : x->to > y->to;
}

/* Does one of the first @nr stand for it?  Then it is told of that one. */
static bool is_covered(struct until *until, unsigned int nr, const struct until_hit *hit)
{
	for (unsigned int i = 0; i < nr && until->cover_ns; i++) {
		struct until_hit *h = &until->hits[i];

		if (time_between(h->to, hit->to) > until->cover_ns ||
		    time_between(hit->to, h->to) > until->cover_ns)
			continue;
		if (h->more < UNTIL_MOST_MORE) {
			mem_grow(&until->covered, until->nr_covered, &until->cap_covered);
			until->covered[until->nr_covered] = *hit;
			until->covered[until->nr_covered++].words = NULL;
			h->more++;
		}
		return true;
	}
	return false;
}

/* Of those that a look has found, from @first on: in the order of time, and @most in all. */
static void keep_hits(struct until *until, unsigned int first, unsigned int most)
{
	unsigned int found = until->nr_hits, kept = first;

	if (found > first)
		qsort(&until->hits[first], found - first, sizeof(*until->hits), hit_by_end);
	for (unsigned int i = first; i < found; i++) {
		struct until_hit hit = until->hits[i];

		if (!is_covered(until, kept, &hit) && kept < most)
			until->hits[kept++] = hit;
		else
			free(hit.words);
	}
	until->nr_hits = kept;
}

int until_judge(struct until *until, struct trace *trace, unsigned int most, bool all,
		struct ft_error *err)
{
	unsigned int first = until->nr_hits, room = until->cover_ns ? MOST_COVERED :
						    most > first    ? most - first :
								      0;
	struct filter **filters = mem_array(until->nr + 1, sizeof(*filters)),
		      **of_rows = mem_array(until->nr + 1, sizeof(*of_rows));
	int ret = make_filters(until, trace, all, filters, err);
	bool rows[2] = { false };	/* plain, late */

	for (unsigned int i = 0; i < until->nr && !ret; i++) {
		struct until_condition *c = &until->list[i];

		if (c->kind == UNTIL_ROWS)
			rows[c->late] |= (of_rows[i] = filters[i]) != NULL;
		else if (room &&
			 (all || (!c->late && may_have_hits(until, trace, c, filters[i], err))))
			ret = judge_latency(until, trace, c, filters[i], more(until, room), err);
		if (!ret && filters[i] && filter_given_up(filters[i]))
			ret = ft_error_set(err, FT_E_LIMIT, -1, "--until %s: " FILTER_GIVEN_UP,
					   c->text);
	}
	for (int late = 0; late < 2 && !ret; late++)
		if (rows[late])
			judge_rows(until, trace, of_rows, late, more(until, room));
	keep_hits(until, first, most);
	until->rows_from = trace_end(trace);
	for (unsigned int i = 0; i < until->nr; i++)
		filter_free(filters[i]);
	free(filters);
	free(of_rows);
	return ret;
}
