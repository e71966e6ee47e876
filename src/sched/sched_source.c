/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/sched/sched_pass.h"

static const struct sched_source unrecorded[SCHED_CONTEXTS] = {
	{ .context = SCHED_CONTEXT_TASK, .type = -1, .same = SCHED_CONTEXT_TASK },
	{ .context = SCHED_CONTEXT_SOFTIRQ, .type = -1, .same = SCHED_CONTEXT_SOFTIRQ },
	{ .context = SCHED_CONTEXT_IRQ, .type = -1, .same = SCHED_CONTEXT_IRQ },
	{ .context = SCHED_CONTEXT_NMI, .type = -1, .same = SCHED_CONTEXT_NMI },
};

static bool are_called_the_same(const struct sched_source *a, const struct sched_source *b)
{
	return a->context == b->context && a->name == b->name && a->function == b->function &&
	       (a->context == SCHED_CONTEXT_TIMER || a->type == b->type) &&
	       (a->name || a->number == b->number);
}

static void append(struct sched_sources *sources, struct sched_source source)
{
	uint32_t hash = index_map_hash_pair((uint64_t)source.context << 32 |
						    (source.name ? 0 : source.number),
					    source.function ^ source.name);

	source.same = sources->nr;
	index_map_each (&sources->names, hash, i)
		if (are_called_the_same(&sources->list[i], &source)) {
			source.same = i;
			break;
		}
	if (source.same == sources->nr)
		index_map_add(&sources->names, hash, sources->nr);
	mem_grow(&sources->list, sources->nr, &sources->cap);
	sources->list[sources->nr++] = source;
}

uint32_t sched_sources_add(struct sched_sources *sources, const struct sched_rec *rec)
{
	struct sched_source source = { .context = (enum sched_context)rec->detail };
	uint32_t hash;

	if (source.context == SCHED_CONTEXT_TIMER) {
		source.type = (int)rec->pid;
		source.function = (uint64_t)rec->end;
	} else {
		source.type = (int)rec->pid2;
		source.number = rec->pid;
		source.name = rec->comm;
	}
	hash = index_map_hash_pair((uint64_t)source.type << 32 | source.number,
				   source.function ^ source.name);
	index_map_each (&sources->map, hash, i) {
		const struct sched_source *s = &sources->list[i];

		if (s->type == source.type && s->number == source.number &&
		    s->name == source.name && s->function == source.function)
			return i;
	}
	for (unsigned int i = sources->nr; i < SCHED_CONTEXTS; i++)
		append(sources, unrecorded[i]);
	index_map_add(&sources->map, hash, sources->nr);
	append(sources, source);
	return sources->nr - 1;
}

const struct sched_source *sched_sources_at(const struct sched_sources *sources, uint32_t number)
{
	if (number < SCHED_CONTEXTS)
		return &unrecorded[number];
	return number < sources->nr ? &sources->list[number] : &unrecorded[SCHED_SOURCE_ANY];
}

void sched_sources_copy(struct sched_sources *to, const struct sched_sources *from)
{
	*to = *from;
	to->list = mem_copy(from->list, from->cap, sizeof(*to->list));
	index_map_copy(&to->map, &from->map);
	index_map_copy(&to->names, &from->names);
}

void sched_sources_fini(struct sched_sources *sources)
{
	free(sources->list);
	index_map_fini(&sources->map);
	index_map_fini(&sources->names);
	*sources = (struct sched_sources){ 0 };
}

/* --- nested ones ---------------------------------------------------------------------------- */

/* Who raised a softirq; NULL: that is not followed. */
static uint32_t *raised(struct sched_nest *nest, uint32_t number)
{
	return number == SCHED_NET_TX || number == SCHED_NET_RX ?
		       &nest->raised[number - SCHED_NET_TX] :
		       NULL;
}

void sched_nest_raise(struct sched_nest *nest, const struct sched_rec *rec)
{
	const struct sched_rec *in = nest->nr ? &nest->open[nest->nr - 1] : NULL;
	bool is_own = in && in->detail == SCHED_CONTEXT_SOFTIRQ && in->prio2;
	unsigned int others = SCHED_IN_INTERRUPT & ~(is_own ? TRACE_IN_SOFTIRQ : 0);
	uint32_t *by = raised(nest, rec->pid);

	if (by)
		*by = !(rec->detail & others) && rec->pid2 && (!*by || *by == rec->pid2) ?
			      rec->pid2 :
			      SCHED_NOT_RAISED;
}

/* An interrupt begins: a softirq that was raised, or one that may add to its work. */
static void enter_raised(struct sched_nest *nest, const struct sched_rec *rec,
			 struct sched_rec *open)
{
	uint32_t *by = rec->detail == SCHED_CONTEXT_SOFTIRQ ? raised(nest, rec->pid) : NULL;

	if (by && open)
		open->prio2 = *by == rec->comm2;
	if (by)
		*by = 0;
	for (unsigned int i = 0; rec->detail == SCHED_CONTEXT_IRQ && i < 2; i++)
		if (nest->raised[i])
			nest->raised[i] = SCHED_NOT_RAISED;
}

/* Can the one not be open, as the other one begins?  Softirqs are not in each other. */
static bool is_over(const struct sched_rec *open, const struct sched_rec *rec)
{
	bool is_same = open->pid == rec->pid && open->end == rec->end;

	if (rec->detail == SCHED_CONTEXT_TIMER)
		return is_same;
	return open->cpu && open->cpu == rec->cpu &&
	       (is_same || rec->detail == SCHED_CONTEXT_SOFTIRQ);
}

void sched_nest_take(struct sched_nest *nest, const struct sched_rec *rec)
{
	unsigned int nr = nest->nr;

	nest->before = sched_nest_interrupts(nest);
	nest->is_astray = false;
	if (rec->op == SCHED_ENTER) {
		/* what cannot be open has ended: the record of that is missing */
		for (unsigned int i = nr; i > 0 && nest->open[i - 1].detail == rec->detail; i--)
			if (is_over(&nest->open[i - 1], rec))
				nr = i - 1;
		if (nr < SCHED_NEST_MAX)
			nest->open[nr++] = *rec;
		nest->nr = nr;
		enter_raised(nest, rec, nr ? &nest->open[nr - 1] : NULL);
		return;
	}
	/* drop the ones above the one that ends: their exits are missing */
	while (nr && nest->open[nr - 1].detail != rec->detail)
		nr--;
	nest->is_astray = !nr;
	if (nr)
		nest->nr = nr - 1;
}

bool sched_nest_end(struct sched_nest *nest, const struct sched_rec *rec)
{
	unsigned int nr = 0;

	while (nr < nest->nr && !(nest->open[nr].cpu & ~rec->cpu))
		nr++;
	if (nr == nest->nr)
		return false;
	nest->before = sched_nest_interrupts(nest);
	nest->is_astray = false;
	nest->nr = nr;
	return true;
}

void sched_nest_leave(struct sched_nest *nest, uint32_t pid)
{
	for (unsigned int i = 0; i < nest->nr; i++) {
		const struct sched_rec *open = &nest->open[i];

		if (open->detail == SCHED_CONTEXT_SOFTIRQ && open->prio && open->comm2 == pid &&
		    nest->nr_paused < SCHED_NEST_MAX)
			nest->paused[nest->nr_paused++] = *open;
	}
	nest->nr = 0;
}

unsigned int sched_nest_return(struct sched_nest *nest, uint32_t pid)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < nest->nr_paused; i++) {
		if (nest->paused[i].comm2 == pid)
			nest->open[nest->nr++] = nest->paused[i];
		else
			nest->paused[nr++] = nest->paused[i];
	}
	nest->nr_paused = nr;
	return nest->nr;
}

/* --- words --------------------------------------------------------------------------------- */

/* A softirq's name in the print format of its event: { 1, "TIMER" }. */
static bool add_action(const struct event_type *type, uint32_t number, struct text *out)
{
	const char *at = type && type->print_fmt ? strchr(type->print_fmt, '{') : NULL;

	for (; at; at = strchr(at + 1, '{')) {
		char *end, *quote;
		unsigned long n = strtoul(at + 1, &end, 0);

		quote = end + strspn(end, " ,");
		if (end == at + 1 || n != number || *quote != '"')
			continue;
		text_printable(out, quote + 1, strcspn(quote + 1, "\""));
		return true;
	}
	return false;
}

static void add_function(struct trace *trace, unsigned int file, uint64_t address, struct text *out)
{
	uint64_t offset;
	const char *name = trace_symbol(trace, file, address, &offset);

	if (name)
		text_printable(out, name, strlen(name));
	else
		text_printf(out, "0x%" PRIx64, address);
}

static void add_irq(const struct sched_pass *pass, const struct event_type *type,
		    const struct sched_source *source, struct text *out)
{
	const char *end = type && !strcmp(type->system, "irq_vectors") ? strrchr(type->name, '_') :
									 NULL;

	if (end) {
		text_add(out, "ipi ");
		text_printable(out, type->name, (size_t)(end - type->name));
	} else if (source->name) {
		const char *name = sched_pass_name(pass, source->name);

		text_add(out, "irq ");
		text_printable(out, name, strlen(name));
	} else {
		text_printf(out, "irq %" PRIu32, source->number);
	}
}

void sched_source_text(struct trace *trace, const struct sched_pass *pass, unsigned int file,
		       const struct sched_source *source, struct text *out)
{
	const struct event_type *type = event_types_find(trace_event_types(trace, file),
							 source->type);

	switch (source->context) {
	case SCHED_CONTEXT_SOFTIRQ:
		text_add(out, source->type < 0 ? "softirq" : "softirq ");
		if (source->type >= 0 && !add_action(type, source->number, out))
			text_printf(out, "%" PRIu32, source->number);
		break;
	case SCHED_CONTEXT_IRQ:
		if (source->type < 0)
			text_add(out, "interrupt");
		else
			add_irq(pass, type, source, out);
		break;
	case SCHED_CONTEXT_TIMER:
		text_add(out, "timer ");
		add_function(trace, file, source->function, out);
		break;
	case SCHED_CONTEXT_NMI:
		text_add(out, "NMI");
		break;
	case SCHED_CONTEXT_TASK:
		text_add(out, "interrupt");
		break;
	}
}
