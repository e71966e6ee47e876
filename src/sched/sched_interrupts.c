/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_interrupts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/events/verdicts.h"

/* A source as a name, because names may be read while the pass goes on. */
#define FORM	"%u %d %" PRIu32 " %" PRIu32 " %" PRIx64
#define READ	"%u %d %" SCNu32 " %" SCNu32 " %" SCNx64

void sched_interrupts_begin(struct sched_interrupts *i, const struct sched_pass *pass)
{
	struct name_table *names = i->names;

	sched_interrupts_fini(i);
	i->names = names;
	if (sched_pass_types(pass)->lacks_flags)
		i->unknown = name_table_add(names, SCHED_CONTEXT_NOT_KNOWN,
					    strlen(SCHED_CONTEXT_NOT_KNOWN));
	i->nests = mem_array(sched_pass_nr_cpus(pass) + 1, sizeof(*i->nests));
}

void sched_interrupts_fini(struct sched_interrupts *i)
{
	free(i->nests);
	free(i->contexts);
	sched_sources_fini(&i->sources);
	*i = (struct sched_interrupts){ 0 };
}

void sched_interrupts_copy(struct sched_interrupts *to, const struct sched_interrupts *from,
			   unsigned int nr_cpus)
{
	*to = *from;
	to->nests = mem_copy(from->nests, nr_cpus + 1, sizeof(*to->nests));
	to->contexts = mem_copy(from->contexts, from->nr_contexts, sizeof(*to->contexts));
	sched_sources_copy(&to->sources, &from->sources);
}

void sched_interrupts_take(struct sched_interrupts *i, unsigned int cpu,
			   const struct sched_rec *rec)
{
	if (rec->op == SCHED_ENTER)
		sched_nest_take(&i->nests[cpu], rec, sched_sources_add(&i->sources, rec));
	else if (rec->op == SCHED_LEAVE)
		sched_nest_take(&i->nests[cpu], rec, 0);
}

void sched_interrupts_cut(struct sched_interrupts *i, unsigned int cpu)
{
	i->nests[cpu].nr = 0;
}

uint32_t sched_interrupts_waker(struct sched_interrupts *i, unsigned int cpu, unsigned int flags,
				bool is_idle)
{
	const struct sched_nest *nest = &i->nests[cpu];
	struct sched_source any = { .context = SCHED_CONTEXT_TASK };
	const struct sched_source *s = &any;
	uint32_t source = SCHED_SOURCE_ANY;
	char form[96];

	if (!is_idle && (i->unknown ? !nest->nr : !(flags & SCHED_IN_INTERRUPT)))
		return i->unknown;
	if (nest->nr) {
		source = nest->open[nest->nr - 1].source;
		s = &i->sources.list[source];
	}
	mem_reach(&i->contexts, &i->nr_contexts, source);
	if (!i->contexts[source]) {
		snprintf(form, sizeof(form), FORM, s->context, s->type, s->number, s->name,
			 s->function);
		i->contexts[source] = name_table_add(i->names, form, strlen(form));
	}
	return i->contexts[source];
}

void sched_interrupts_text(struct trace *trace, unsigned int file, const struct sched_pass *pass,
			   struct name_table *names, uint32_t context, struct text *out)
{
	const char *told = name_table_text(names, context);
	struct sched_source s = { 0 };
	unsigned int kind;

	if (!strcmp(told, SCHED_CONTEXT_NOT_KNOWN))
		text_add(out, told);
	if (sscanf(told, READ, &kind, &s.type, &s.number, &s.name, &s.function) != 5)
		return;
	s.context = (enum sched_context)kind;
	sched_source_text(trace, pass, file, &s, out);
}

void sched_interrupts_add_waker(const char *context, const char *comm, uint32_t pid,
				struct text *out)
{
	bool is_known = !context || strcmp(context, SCHED_CONTEXT_NOT_KNOWN) != 0;

	if (context && is_known)
		text_printf(out, "%s (in ", context);
	text_add(out, comm);
	if (pid <= INT32_MAX && (pid || !context))	/* a negative one is nobody's */
		text_printf(out, "-%" PRIu32, pid);
	if (!is_known)
		text_printf(out, " (%s)", verdict_words(VERDICT_NO_CONTEXT, false));
	else
		text_add(out, context ? ")" : "");
}
