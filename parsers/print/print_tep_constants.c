/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_tep_constants - what libtraceevent evaluates while it parses: operators on numbers, entries
 * of tables.
 */
#include <stdlib.h>
#include <string.h>

#include "parsers/print/print_tep_parser.h"

void tep_atom(struct print_node *node, const char *text, bool quoted)
{
	*node = (struct print_node){ .kind = NODE_STRING, .text = text, .value = quoted };
}

bool tep_is_operator(const struct print_node *node)
{
	return node->kind == NODE_UNARY || node->kind == NODE_BINARY || node->kind == NODE_COND ||
	       node->kind == NODE_INDEX;
}

static const char *number_text(struct tep_parser *t, int64_t v)
{
	return arena_printf(t->p.arena, "%lld", (long long)v);
}

bool tep_fold(struct tep_parser *t, struct print_node *node)
{
	uint64_t a, b;

	if (!tep_is_operator(node))
		return true;
	if (!tep_fold(t, node->a) || !tep_fold(t, node->b))
		return false;
	if (node->kind == NODE_COND)
		return tep_fold(t, node->c);
	if (node->kind != NODE_BINARY || node->a->kind != NODE_STRING ||
	    node->b->kind != NODE_STRING)
		return true;
	a = strtoull(node->a->text, NULL, 0);
	b = strtoull(node->b->text, NULL, 0);
	if ((node->op == OP_DIV || node->op == OP_MOD) && !b)
		return tep_parser_unsure(t);
	if ((node->op == OP_SHL || node->op == OP_SHR) && b > 63)
		return tep_parser_unsure(t);
	tep_atom(node, number_text(t, (int64_t)print_apply(node->op, false, a, b)), false);
	return true;
}

/* The value of a table's entry, computed with signed numbers; false on failure. */
static bool entry_number(const struct print_node *node, int64_t *value)
{
	int64_t a = 0, b;
	uint64_t v;

	switch (node->kind) {
	case NODE_STRING:
		*value = strtoll(node->text, NULL, 0);
		return true;
	case NODE_CAST:
		if (!entry_number(node->a, &a))
			return false;
		*value = (int64_t)tep_cast(node->text, (uint64_t)a, false);
		return true;
	case NODE_UNARY:
		if (node->op == OP_NOT || node->a->kind != NODE_NUMBER ||
		    !entry_number(node->b, &b))
			return false;
		v = node->op == OP_INVERT ? ~(uint64_t)b :
		    node->op == OP_SUB    ? 0 - (uint64_t)b :
					    (uint64_t)b;
		*value = (int64_t)v;
		return true;
	case NODE_BINARY:
		if (node->op == OP_MUL || node->op == OP_DIV || node->op == OP_MOD ||
		    node->op == OP_XOR)
			return false;
		if (node->a->kind != NODE_NUMBER && !entry_number(node->a, &a))
			return false;
		if (!entry_number(node->b, &b))
			return false;
		*value = (int64_t)print_apply(node->op, true, (uint64_t)a, (uint64_t)b);
		return true;
	default:
		return false;
	}
}

const char *tep_entry_text(struct tep_parser *t, const struct print_node *node)
{
	int64_t value;

	while (node->kind == NODE_CAST)
		node = node->a;
	if (node->kind == NODE_STRING)
		return node->text;
	if (!tep_is_operator(node) || !entry_number(node, &value)) {
		tep_parser_fails(t);
		return NULL;
	}
	return number_text(t, value);
}

int64_t tep_entry_value(const char *text)
{
	static const struct print_word names[] = {
		{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 },
		{ "BLOCK_SOFTIRQ", 4 }, { "IRQ_POLL_SOFTIRQ", 5 }, { "TASKLET_SOFTIRQ", 6 },
		{ "SCHED_SOFTIRQ", 7 },
		{ "HRTIMER_SOFTIRQ", 8 }, { "RCU_SOFTIRQ", 9 }, { "HRTIMER_NORESTART", 0 },
		{ "HRTIMER_RESTART", 1 },
		{ NULL, 0 },
	};
	const struct print_word *known = print_word_find(names, text, strlen(text));

	if (text[0] >= '0' && text[0] <= '9')
		return (int64_t)strtoull(text, NULL, 0);
	return known ? (int64_t)known->value : -1;
}
