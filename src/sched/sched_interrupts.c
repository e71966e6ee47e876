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
	i->lacks_flags = sched_pass_types(pass)->lacks_flags;
	i->not_known = name_table_add(names, SCHED_CONTEXT_NOT_KNOWN,
				      strlen(SCHED_CONTEXT_NOT_KNOWN));
}

void sched_interrupts_fini(struct sched_interrupts *i)
{
	free(i->contexts);
	sched_sources_fini(&i->sources);
	*i = (struct sched_interrupts){ 0 };
}

void sched_interrupts_copy(struct sched_interrupts *to, const struct sched_interrupts *from)
{
	*to = *from;
	to->contexts = mem_copy(from->contexts, from->nr_contexts, sizeof(*to->contexts));
	sched_sources_copy(&to->sources, &from->sources);
}

uint32_t sched_interrupts_waker(struct sched_interrupts *i, const struct sched_change *c)
{
	uint32_t source = c->in ? sched_sources_add(&i->sources, c->in) : c->by;
	const struct sched_source *s = sched_sources_at(&i->sources, source);
	char form[96];

	if (sched_change_by_task(c))
		return c->no_context || c->waker == SCHED_NO_TASK ? i->not_known : 0;
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

	if (!comm) {
		text_add(out, SCHED_CONTEXT_NOT_KNOWN);
		return;
	}
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
