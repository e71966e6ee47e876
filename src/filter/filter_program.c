/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_program.h"

#include <stdlib.h>
#include <string.h>

const struct filter_bound filter_bound_false = { .kind = FILTER_BOUND_FALSE };
const struct filter_bound filter_bound_true = { .kind = FILTER_BOUND_TRUE };

bool filter_load_same(const struct filter_load *a, const struct filter_load *b)
{
	return a->from == b->from && a->width == b->width && a->flags == b->flags &&
	       a->offset == b->offset && a->arg == b->arg && a->name == b->name &&
	       a->field == b->field;
}

bool filter_steps_same(const struct filter_step *a, const struct filter_step *b, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (a[i].op != b[i].op || a[i].value != b[i].value ||
		    !filter_load_same(&a[i].load, &b[i].load))
			return false;
	return true;
}

/* --- trees -------------------------------------------------------------------------- */

static const struct filter_bound *join(struct arena *arena, enum filter_bound_kind kind,
				       const struct filter_bound *a, const struct filter_bound *b)
{
	struct filter_bound *n = arena_alloc(arena, sizeof(*n));

	n->kind = kind;
	n->a = a;
	n->b = b;
	return n;
}

const struct filter_bound *filter_bound_and(struct arena *arena, const struct filter_bound *a,
					    const struct filter_bound *b)
{
	if (a->kind == FILTER_BOUND_FALSE || b->kind == FILTER_BOUND_TRUE)
		return a;
	if (b->kind == FILTER_BOUND_FALSE || a->kind == FILTER_BOUND_TRUE)
		return b;
	return join(arena, FILTER_BOUND_AND, a, b);
}

const struct filter_bound *filter_bound_or(struct arena *arena, const struct filter_bound *a,
					   const struct filter_bound *b)
{
	if (a->kind == FILTER_BOUND_TRUE || b->kind == FILTER_BOUND_FALSE)
		return a;
	if (b->kind == FILTER_BOUND_TRUE || a->kind == FILTER_BOUND_FALSE)
		return b;
	return join(arena, FILTER_BOUND_OR, a, b);
}

const struct filter_bound *filter_bound_not(struct arena *arena, const struct filter_bound *a)
{
	if (a->kind == FILTER_BOUND_FALSE)
		return &filter_bound_true;
	if (a->kind == FILTER_BOUND_TRUE)
		return &filter_bound_false;
	return a->kind == FILTER_BOUND_NOT ? a->a : join(arena, FILTER_BOUND_NOT, a, NULL);
}

const struct filter_bound *filter_bound_test(struct arena *arena, const struct filter_test *test)
{
	struct filter_bound *n = arena_alloc(arena, sizeof(*n));

	n->kind = FILTER_BOUND_TEST;
	n->test = *test;
	return n;
}

/* --- instructions ---------------------------------------------------------------------- */

struct gen {
	struct filter_code	*code;
	bool			 full;
};

static bool quick_field(const struct filter_test *t, uint8_t *op, bool bits)
{
	static const uint8_t plain[9] = { [1] = FILTER_INSN_RANGE1, [2] = FILTER_INSN_RANGE2,
					  [4] = FILTER_INSN_RANGE4,
					  [8] = FILTER_INSN_RANGE8 };
	static const uint8_t with_sign[9] = { [1] = FILTER_INSN_RANGE1S, [2] = FILTER_INSN_RANGE2S,
					      [4] = FILTER_INSN_RANGE4S, [8] = FILTER_INSN_RANGE8 };
	static const uint8_t masked[9] = { [1] = FILTER_INSN_BITS1, [2] = FILTER_INSN_BITS2,
					   [4] = FILTER_INSN_BITS4,
					   [8] = FILTER_INSN_BITS8 };
	const struct filter_load *l = &t->load;

	if (l->from != FILTER_FROM_FIELD || (l->flags & FILTER_SWAP) ||
	    (l->width != 1 && l->width != 2 && l->width != 4 && l->width != 8))
		return false;
	if (bits && (l->flags & FILTER_SIGNED) && l->width < 8)
		return false;
	*op = bits                     ? masked[l->width] :
	      l->flags & FILTER_SIGNED ? with_sign[l->width] :
					 plain[l->width];
	return true;
}

static unsigned int emit_test(struct gen *g, const struct filter_test *test, unsigned int yes,
			      unsigned int no)
{
	struct filter_code *code = g->code;
	struct filter_insn *in;
	unsigned int at = code->nr;

	if (at >= FILTER_MAX_INSNS) {
		g->full = true;
		return FILTER_NO;
	}
	mem_grow(&code->insns, code->nr, &code->cap);
	in = &code->insns[code->nr++];
	*in = (struct filter_insn){ .op = FILTER_INSN_TEST, .offset = test->load.offset, .yes = yes,
				    .no = no,
				    .lo = test->lo, .span = test->span, .test = test };
	if (test->kind == FILTER_TEST_RANGE && test->load.from == FILTER_FROM_TIME)
		in->op = FILTER_INSN_TIME;
	else if (test->kind == FILTER_TEST_RANGE)
		quick_field(test, &in->op, false);
	else if (test->kind == FILTER_TEST_BITS)
		quick_field(test, &in->op, true);
	return at;
}

static bool is_range(const struct filter_bound *n)
{
	return n->kind == FILTER_BOUND_TEST && n->test.kind == FILTER_TEST_RANGE && !n->test.negate;
}

static bool same_load(const struct filter_test *a, const struct filter_test *b)
{
	return a->load.from == FILTER_FROM_FIELD && b->load.from == FILTER_FROM_FIELD &&
	       !a->nr_steps && !b->nr_steps && a->load.offset == b->load.offset &&
	       a->load.width == b->load.width && a->load.flags == b->load.flags;
}

/* The intersection of two ranges; false if it is empty or not a single range. */
static bool cut_range(const struct filter_test *a, const struct filter_test *b,
		      struct filter_test *both)
{
	uint64_t skip = b->lo - a->lo;

	if (skip > a->span || skip + b->span < skip)
		return false;
	*both = *a;
	both->lo = b->lo;
	both->span = b->span < a->span - skip ? b->span : a->span - skip;
	return true;
}

/* x > 0 && x < 20 is one test, whose branch is easier to predict than those of two. */
static bool emit_range(struct gen *g, const struct filter_bound *n, unsigned int yes,
		       unsigned int no, unsigned int *at)
{
	const struct filter_test *a = &n->a->test, *b = &n->b->test;
	struct filter_test both;
	uint8_t op;

	if (!is_range(n->a) || !is_range(n->b) || !same_load(a, b) || !quick_field(a, &op, false))
		return false;
	if (!cut_range(a, b, &both) && !cut_range(b, a, &both))
		return false;
	*at = emit_test(g, &both, yes, no);
	if (!g->full)
		g->code->insns[*at].test = NULL;	/* it is not a test of the tree */
	return true;
}

/*
 * Instructions are emitted from the last to the first, so that targets of jumps are known: a
 * program begins at its last instruction, and jumps go back.
 */
static unsigned int emit(struct gen *g, const struct filter_bound *n, unsigned int yes,
			 unsigned int no)
{
	unsigned int at;

	switch (n->kind) {
	case FILTER_BOUND_FALSE:
		return no;
	case FILTER_BOUND_TRUE:
		return yes;
	case FILTER_BOUND_AND:
		if (emit_range(g, n, yes, no, &at))
			return at;
		return emit(g, n->a, emit(g, n->b, yes, no), no);
	case FILTER_BOUND_OR:
		return emit(g, n->a, yes, emit(g, n->b, yes, no));
	case FILTER_BOUND_NOT:
		return emit(g, n->a, no, yes);
	case FILTER_BOUND_TEST:
		return emit_test(g, &n->test, yes, no);
	}
	return no;
}

uint32_t filter_code_add(struct filter_code *code, const struct filter_bound *bound, bool *full)
{
	struct gen g = { .code = code };
	uint32_t first;

	first = emit(&g, bound, FILTER_YES, FILTER_NO);
	*full |= g.full;
	return first;
}

void filter_code_fini(struct filter_code *code)
{
	free(code->insns);
	memset(code, 0, sizeof(*code));
}

/* --- sets ------------------------------------------------------------------------------- */

void filter_set_add(struct filter_set *set, uint64_t lo, uint64_t hi)
{
	mem_grow(&set->parts, set->nr, &set->cap);
	set->parts[set->nr++] = (struct filter_part){ lo, hi };
}

static int compare_parts(const void *a, const void *b)
{
	const struct filter_part *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

void filter_set_sort(struct filter_set *set)
{
	unsigned int out = 0;

	if (set->nr)
		qsort(set->parts, set->nr, sizeof(*set->parts), compare_parts);
	for (unsigned int i = 0; i < set->nr; i++) {
		struct filter_part *part = &set->parts[i],
				   *last = out ? &set->parts[out - 1] : NULL;

		if (!last || (last->hi != UINT64_MAX && part->lo > last->hi + 1))
			set->parts[out++] = *part;
		else if (part->hi > last->hi)
			last->hi = part->hi;
	}
	set->nr = out;
}

void filter_set_copy(struct filter_set *to, const struct filter_set *set)
{
	for (unsigned int i = 0; i < set->nr; i++)
		filter_set_add(to, set->parts[i].lo, set->parts[i].hi);
	filter_set_sort(to);
}

bool filter_set_same(const struct filter_set *a, const struct filter_set *b)
{
	return a->nr == b->nr && (!a->nr || !memcmp(a->parts, b->parts, a->nr * sizeof(*a->parts)));
}

void filter_set_fini(struct filter_set *set)
{
	free(set->parts);
	memset(set, 0, sizeof(*set));
}
