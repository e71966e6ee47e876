/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/text/sched_text.h"

#include <string.h>

#include "parsers/print/print_parser.h"
#include "parsers/types/field.h"
#include "parsers/print/text_pattern.h"

/*
 * The value of the constant expression that begins there, in brackets or not: (0x1 | 0x2) << 1.
 * False if there is none.
 */
static bool read_constant(const char *s, uint64_t *value)
{
	static const struct event_type no_fields = { .id = -1 };
	struct arena arena = { 0 };
	struct print_parser p = { .arena = &arena, .type = &no_fields, .long_size = 8 };
	const struct print_node *node;
	bool known;

	print_lexer_init(&p.lexer, s, strlen(s));
	node = print_parser_expression(&p);
	if (node && node->kind == NODE_COND)
		node = node->a;
	known = node && print_constant(node, value);
	arena_fini(&arena);
	return known;
}

/* --- states ------------------------------------------------------------- */

/* REC->prev_state & (((0x0 | 0x1 | …) + 1) << 1) ? "+" : "" */
static uint64_t preempted_bit(const char *print_fmt)
{
	static const char test[] = "REC->prev_state &";
	const char *plus = strstr(print_fmt, "? \"+\""), *p = print_fmt, *last = NULL;
	uint64_t v;

	while (plus && (p = strstr(p, test)) && p < plus)
		last = p++;
	return last && read_constant(last + sizeof(test) - 1, &v) ? v : 0;
}

void sched_states_parse(struct sched_states *states, const char *print_fmt)
{
	static const struct sched_states newer = {
		.nr = 8,
		.states = { { 1, 'S' }, { 2, 'D' }, { 4, 'T' }, { 8, 't' }, { 0x10, 'X' }, { 0x20,
			'Z' },
			    { 0x40, 'P' }, { 0x80, 'I' } },
		.preempted = 0x100,
	};
	const char *p = strstr(print_fmt, "__print_flags(REC->prev_state");

	memset(states, 0, sizeof(*states));
	while (p && states->nr < SCHED_STATES) {
		const char *open = strchr(p, '{'), *close = open ? strchr(open, '}') : NULL, *quote;
		uint64_t bit;

		if (!close)
			break;
		quote = memchr(open, '"', (size_t)(close - open));
		if (!quote || quote + 2 >= close || !read_constant(open + 1, &bit))
			break;
		states->states[states->nr].bit = bit;
		states->states[states->nr++].letter = quote[1];
		p = close + 1;
		while (*p == ' ')
			p++;
		if (*p != ',')		/* end of the list */
			break;
	}
	states->preempted = preempted_bit(print_fmt);
	if (!states->nr)
		*states = newer;
}

void sched_states_text(const struct sched_states *states, uint64_t state, struct text *out)
{
	bool any = false;

	for (unsigned int i = 0; i < states->nr; i++) {
		uint64_t bit = states->states[i].bit;

		if (!bit || (state & bit) != bit)
			continue;
		if (any)
			text_char(out, '|');
		text_char(out, states->states[i].letter);
		any = true;
	}
	if (!any)
		text_char(out, 'R');
	if (states->preempted && (state & states->preempted))
		text_char(out, '+');
}

/* --- sched_switch ------------------------------------------------------- */

bool sched_text_is_switch(const struct event_type *type)
{
	return !strcmp(type->name, "sched_switch") && !strcmp(type->system, "sched");
}

void sched_text_task_pattern(struct text_pattern *p)
{
	text_pattern_hole(p, TEXT_PATTERN_STRING);
	text_pattern_str(p, ":");
	text_pattern_chars(p, TEXT_PATTERN_NUMBER);
	text_pattern_str(p, " [");
	text_pattern_chars(p, TEXT_PATTERN_NUMBER);
	text_pattern_str(p, "]");
}
