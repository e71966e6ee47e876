/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/text/sched_text.h"

#include <stdlib.h>
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

/* Those of Linux 4.14 and later. */
static const struct sched_states newer = {
	.nr = 8,
	.states = { { 1, 'S' }, { 2, 'D' }, { 4, 'T' }, { 8, 't' }, { 0x10, 'X' }, { 0x20, 'Z' },
		    { 0x40, 'P' }, { 0x80, 'I' } },
	.preempted = 0x100,
};

void sched_states_parse(struct sched_states *states, const char *print_fmt)
{
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

/* --- numbers of bits ---------------------------------------------------- */

static bool are_newer(const struct sched_states *states)
{
	bool same = states->nr == newer.nr;

	for (unsigned int i = 0; same && i < newer.nr; i++)
		same = states->states[i].bit == newer.states[i].bit &&
		       states->states[i].letter == newer.states[i].letter;
	return same;
}

void sched_states_doubt(struct sched_states *states, const char *release)
{
	char *end;
	unsigned long major = strtoul(release, &end, 10),
		      minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

	if (are_newer(states) && (!major || (major == 4 && minor >= 14 && minor < 20)))
		states->encoding = SCHED_STATES_ARE_UNSURE;
}

enum sched_encoding sched_states_evidence(uint64_t state)
{
	bool is_bit = !(state & (state - 1));

	/* 3 T, 5 X, 6 Z, 7 P: a task is in one state */
	return state && state < 8 && !is_bit        ? SCHED_STATES_ARE_NUMBERS :
	       state > 8 && state < 0x100 && is_bit ? SCHED_STATES_ARE_BITS :
						      SCHED_STATES_ARE_UNSURE;
}

uint64_t sched_states_bits(const struct sched_states *states, uint64_t state)
{
	bool is_number = states->encoding == SCHED_STATES_ARE_NUMBERS ||
			 (states->encoding == SCHED_STATES_ARE_UNSURE &&
			  sched_states_evidence(state) == SCHED_STATES_ARE_NUMBERS);

	return is_number && state && state <= newer.nr ? 1ull << (state - 1) : state;
}

/* --- words -------------------------------------------------------------- */

void sched_states_text(const struct sched_states *states, uint64_t state, struct text *out)
{
	bool any = false;

	if (states->encoding == SCHED_STATES_ARE_UNSURE && (state == 4 || state == 8)) {
		text_add(out, state == 4 ? "T or t" : "t or I");
		return;
	}
	state = sched_states_bits(states, state);

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
