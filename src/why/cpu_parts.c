/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/why/cpu_parts.h"

#include <inttypes.h>

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
	if (p->context.from <= p->at && p->context.kind != SCHED_CONTEXT_TASK) {
		part.kind = CPU_PART_INTERRUPT;
		part.arg = sched_source_of(p->sched, p->context.arg)->same;
	} else if (p->run.from <= p->at) {
		part.kind = (enum cpu_part_kind)p->run.kind;
		part.arg = part.kind == CPU_PART_TASK ? p->run.arg : 0;
	}
	p->at = part.to;
	return part;
}

void cpu_parts_begin(struct cpu_parts *p, const struct sched *sched, unsigned int cpu, int64_t from,
		     int64_t to)
{
	*p = (struct cpu_parts){ .sched = sched, .at = from, .to = to,
				 .run.to = INT64_MIN, .context.to = INT64_MIN };
	pyramid_iter_init(&p->runs, sched_cpu(sched, cpu), sched_end(sched), from);
	pyramid_iter_init(&p->contexts, sched_contexts(sched, cpu), sched_end(sched), from);
	p->next = read_part(p);
}

bool cpu_parts_begin_at(struct cpu_parts *p, const struct sched *sched, trace_ref record,
			int64_t from, int64_t to)
{
	unsigned int cpu = 0, nr = record == TRACE_REF_NONE ? 0 : sched_nr_cpus(sched);

	while (cpu < nr && sched_pass_stream(sched_pass_of(sched), cpu) != trace_ref_stream(record))
		cpu++;
	if (cpu < nr)
		cpu_parts_begin(p, sched, cpu, from, to);
	return cpu < nr;
}

bool cpu_parts_next(struct cpu_parts *p, struct cpu_part *part)
{
	*part = p->next;
	if (part->from >= part->to)
		return false;
	for (;;) {
		p->next = read_part(p);
		if (p->next.from >= p->next.to || p->next.kind != part->kind ||
		    p->next.arg != part->arg)
			return true;
		part->to = p->next.to;
	}
}

/* --- words --------------------------------------------------------------------------------- */

void cpu_parts_task(const struct sched *sched, uint32_t task, int64_t ts, struct text *out)
{
	uint32_t pid = sched_rules_task(sched_pass_rules(sched_pass_of(sched)), task)->pid;

	text_printf(out, "%s-%" PRIu32,
		    trace_comm(sched_trace(sched), sched_file(sched), (int)pid, ts), pid);
}

void cpu_part_text(const struct sched *sched, const struct cpu_part *part, struct text *out)
{
	static const char *const words[] = {
		[CPU_PART_UNKNOWN] = "unknown", [CPU_PART_LOST] = "lost", [CPU_PART_IDLE] = "idle",
	};

	if (part->kind == CPU_PART_TASK)
		cpu_parts_task(sched, part->arg, part->from, out);
	else if (part->kind == CPU_PART_INTERRUPT)
		sched_source_text(sched_trace(sched), sched_pass_of(sched), sched_file(sched),
				  sched_source_of(sched, part->arg), out);
	else
		text_add(out, words[part->kind]);
}
