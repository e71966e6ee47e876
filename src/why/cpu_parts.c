/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/why/cpu_parts.h"

#include <stdlib.h>

#include "src/base/time_math.h"
#include "src/events/verdicts.h"
#include "src/sched/limits/sched_limits.h"
#include "src/sched/sched_cause.h"
#include "src/why/why_rule.h"

/* Go to the state that holds a time; where there is none, one without a kind. */
static void move_to(struct pyramid_iter *it, struct pyramid_state *state, int64_t ts)
{
	while (state->to <= ts && pyramid_iter_next(it, state))
		;
	if (state->to <= ts)
		*state = (struct pyramid_state){ .from = ts, .to = INT64_MAX };
}

static int64_t end_of(const struct pyramid_state *state, int64_t ts)
{
	return state->from > ts ? state->from : state->to;
}

static struct cpu_part read_part(struct cpu_parts *p)
{
	struct cpu_part part = { .from = p->at, .to = p->to };
	int64_t end;

	if (p->at >= p->to)
		return part;
	move_to(&p->runs, &p->run, p->at);
	move_to(&p->contexts, &p->context, p->at);
	end = end_of(&p->run, p->at);
	part.to = end < part.to ? end : part.to;
	end = end_of(&p->context, p->at);
	part.to = end < part.to ? end : part.to;
	/* doubtful: an interrupt ended whose entry is missing */
	if (p->context.from <= p->at &&
	    (p->context.kind != SCHED_CONTEXT_TASK || p->context.doubtful)) {
		part.kind = CPU_PART_INTERRUPT;
		part.arg = sched_source_of(p->sched, p->context.arg)->same;
	} else if (p->run.from <= p->at) {
		part.kind = (enum cpu_part_kind)p->run.kind;
		part.arg = part.kind == CPU_PART_TASK ? p->run.arg : 0;
	}
	if (part.kind == CPU_PART_LOST)
		part.arg = sched_cause_absence(p->sched, p->of.cpu, part.from, &part.to);
	p->at = part.to;
	return part;
}

static void begin_cpu(struct cpu_parts *p, unsigned int cpu, int64_t from, int64_t to)
{
	int64_t end = sched_end(p->sched);

	p->at = from;
	p->to = to;
	p->run.to = p->context.to = INT64_MIN;
	pyramid_iter_init(&p->runs, sched_cpu(p->sched, cpu), end, from);
	pyramid_iter_init(&p->contexts, sched_contexts(p->sched, cpu), end, from);
	p->next = read_part(p);
}

void cpu_parts_begin(struct cpu_parts *p, const struct sched *sched, unsigned int cpu, int64_t from,
		     int64_t to)
{
	*p = (struct cpu_parts){ .sched = sched, .of.cpu = cpu };
	begin_cpu(p, cpu, from, to);
}

void cpu_parts_begin_wait(struct cpu_parts *p, const struct sched *sched, uint32_t task,
			  uint32_t cpu, int64_t from, int64_t to, int64_t end)
{
	*p = (struct cpu_parts){ .sched = sched };
	wait_parts_begin(&p->wait, sched, task, cpu, from, to, end);
}

static enum cpu_part_kind idle_kind(struct cpu_parts *p)
{
	if (p->idles == IDLE_NOT_ASKED)
		p->idles = !p->wait.sched || wait_parts_is_idle_exit(&p->wait, &p->of) ?
				   IDLE_EXIT :
				   IDLE_UNEXPLAINED;
	return p->idles == IDLE_EXIT ? CPU_PART_IDLE : CPU_PART_UNEXPLAINED;
}

/* The next part of what the present CPU did. */
static bool next_of_cpu(struct cpu_parts *p, struct cpu_part *part)
{
	enum cpu_part_kind kind = p->next.kind;

	*part = p->next;
	part->cpu = p->of.cpu;
	part->doubtful = p->of.doubtful;
	if (part->from >= part->to)
		return false;
	if (kind == CPU_PART_IDLE)
		part->kind = idle_kind(p);
	for (;;) {
		p->next = read_part(p);
		if (p->next.from >= p->next.to || p->next.kind != kind || p->next.arg != part->arg)
			return true;
		part->to = p->next.to;
	}
}

bool cpu_parts_next(struct cpu_parts *p, struct cpu_part *part)
{
	while (!next_of_cpu(p, part)) {
		if (!p->wait.sched || !wait_parts_next(&p->wait, &p->of))
			return false;
		switch (p->of.reason) {
		case WAIT_QUEUED:
			p->idles = IDLE_NOT_ASKED;
			begin_cpu(p, p->of.cpu, p->of.from, p->of.to);
			break;
		case WAIT_ASTRAY:
			*part = (struct cpu_part){ .from = p->of.from, .to = p->of.to,
						   .kind = CPU_PART_ASTRAY };
			return true;
		case WAIT_THROTTLED:
			*part = (struct cpu_part){ .from = p->of.from, .to = p->of.to,
						   .kind = CPU_PART_THROTTLED,
						   .arg = p->of.limit,
						   .doubtful = p->of.doubtful };
			return true;
		}
	}
	return true;
}

/* --- words --------------------------------------------------------------------------------- */

void cpu_part_text(const struct sched *sched, const struct cpu_part *part, struct text *out)
{
	static const char *const words[] = {
		[CPU_PART_LOST] = "lost", [CPU_PART_IDLE] = "idle",
		[CPU_PART_UNEXPLAINED] = "idle (not explained)",
	};

	if (part->kind == CPU_PART_LOST && part->arg)
		text_add(out, sched_absence_name(part->arg));
	else if (part->kind == CPU_PART_THROTTLED)
		sched_limits_text(sched_pass_limits(sched_pass_of(sched)), part->arg, out);
	else if (part->kind == CPU_PART_TASK)
		sched_task_text(sched, part->arg, part->from, SCHED_THEN, out);
	else if (part->kind == CPU_PART_INTERRUPT)
		sched_source_text(sched_trace(sched), sched_pass_of(sched), sched_file(sched),
				  sched_source_of(sched, part->arg), out);
	else if (part->kind == CPU_PART_UNKNOWN || part->kind == CPU_PART_ASTRAY)
		verdict_add(out, part->kind == CPU_PART_UNKNOWN ? VERDICT_NO_SWITCH :
								  VERDICT_NO_MIGRATION);
	else
		text_add(out, words[part->kind]);
}

/* --- sums ------------------------------------------------------------------------------------- */

void culprits_fini(struct culprits *c)
{
	free(c->list);
	index_map_fini(&c->map);
	*c = (struct culprits){ 0 };
}

struct why_node *culprits_node(struct culprits *c, uint32_t parent, unsigned int kind,
			       uint32_t task, uint32_t arg)
{
	uint32_t hash = index_map_hash_pair((uint64_t)parent << 8 | kind, arg);

	index_map_each (&c->map, hash, i)
		if (c->list[i].parent == parent && c->list[i].kind == kind && c->list[i].arg == arg)
			return &c->list[i];
	mem_grow(&c->list, c->nr, &c->cap);
	c->list[c->nr] = (struct why_node){ .index = c->nr, .parent = parent, .task = task,
					    .arg = arg, .kind = (uint8_t)kind };
	index_map_add(&c->map, hash, c->nr);
	return &c->list[c->nr++];
}

void culprits_lengthen(struct why_node *node, int64_t since, int64_t from, int64_t to)
{
	int64_t length = time_between(since, to);

	node->total = time_after(node->total, time_between(from, to));
	if (length > node->max) {
		node->max = length;
		node->max_from = since;
	}
}

void culprits_count(struct why_node *node, int64_t from, int64_t to)
{
	node->count++;
	culprits_lengthen(node, from, from, to);
}

void culprits_hold(struct culprits *c, struct why_node *node, int64_t from, int64_t to, bool task,
		   bool interrupt)
{
	struct culprit_hold *hold = &c->hold;
	int64_t length = time_between(from, to);
	bool goes_on = hold->length && hold->to == from;

	if (!task || !goes_on || hold->node != node->index) {
		culprits_count(node, from, to);
		if (task)
			*hold = (struct culprit_hold){ node->index, from, to, length };
		else if (interrupt && goes_on)
			hold->to = to;
		else
			hold->length = 0;
		return;
	}
	hold->to = to;
	hold->length += length;
	node->total = time_after(node->total, length);
	if (hold->length > node->max) {
		node->max = hold->length;
		node->max_from = hold->from;
	}
}

void culprits_add(struct culprits *c, const struct cpu_part *part)
{
	struct why_node *node = culprits_node(c, 0, part->kind, SCHED_NO_TASK, part->arg);

	culprits_hold(c, node, part->from, part->to, part->kind == CPU_PART_TASK,
		      part->kind == CPU_PART_INTERRUPT);
	node->doubtful |= part->doubtful;
	c->total = time_after(c->total, time_between(part->from, part->to));
}

static int by_total(const void *a, const void *b)
{
	const struct why_node *x = a, *y = b;

	return x->total > y->total ? -1 : x->total < y->total ? 1 : x->index < y->index ? -1 : 1;
}

void culprits_sort(struct culprits *c)
{
	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), by_total);
	index_map_fini(&c->map);
}

/* --- columns ---------------------------------------------------------------------------------- */

struct culprit_row culprits_row(const struct culprits *c, uint32_t i, struct sched *sched)
{
	return (struct culprit_row){ &c->list[i], sched, c->total };
}

#define CULPRIT(member) TABLE_MEMBER_OF(struct culprit_row, culprit, member)

static void add_culprit(const struct culprit_row *r, enum sched_naming naming, struct text *out)
{
	struct cpu_part part = culprits_longest(r->culprit);

	if (part.kind == CPU_PART_TASK)
		sched_task_text(r->sched, part.arg, part.from, naming, out);
	else
		cpu_part_text(r->sched, &part, out);
}

static void add_what(const void *row, struct text *out)
{
	add_culprit(row, SCHED_LAST, out);
}

/* With the priority of a task. */
static void add_words(const void *row, struct text *out)
{
	const struct culprit_row *r = row;
	struct text prio = { 0 };

	add_culprit(r, SCHED_LAST_WAS, out);
	if (r->culprit->kind == CPU_PART_TASK &&
	    why_rule_priority(r->sched, r->culprit->arg, r->culprit->max_from, &prio))
		text_printf(out, " (%s)", text_str(&prio));
	text_fini(&prio);
}

static bool is_guess(const void *row)
{
	return ((const struct culprit_row *)row)->culprit->doubtful;
}

#define GUESS	.doubtful = is_guess

static const struct table_column columns[] = {
	{ "what", "culprit", .cells = 14, .text = add_what,
	  .help = "what the CPU did in whose queue the task stood" },
	TABLE_CLOCK_AT(0),
	{ "count", "count", .kind = TABLE_COUNT, CULPRIT(count), .width = 7, .cells = 9,
	  .help = "how often it did that; interrupts do not end what a task did" },
	{ "total_ns", "total", .kind = TABLE_TIME, CULPRIT(total), .width = 13, .cells = 10,
	  .own = CULPRIT_TOTAL, GUESS, .help = "how long, in all" },
	{ .title = "%", .kind = TABLE_PERCENT, CULPRIT(total),
	  TABLE_WHOLE(struct culprit_row, all), .width = 5, .cells = 7,
	  .help = "share of the time that was waited" },
	{ "max_ns", "max", .kind = TABLE_TIME, CULPRIT(max), .width = 12, .cells = 10, GUESS,
	  .help = "the longest time without a break, interrupts left out" },
	{ .title = "what", .text = add_words, .width = 1, .align = TABLE_LEFT },
};

const struct table_columns culprit_columns = { TABLE_COLUMNS(columns), .gap = 1 };
