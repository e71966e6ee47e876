/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_exclude - tests of one record that cannot all be true: pid == 5 && pid == 6.
 *
 * Only counts what is certain, for numbers and strings that are the same in all tests of a record.
 * Below a `not`, only a single test is considered.
 */
#include <string.h>

#include "src/filter/filter_private.h"

#define MAX_TESTS	64u		/* that must all be true; further ones are ignored */

struct holding {
	const struct filter	*f;
	struct {
		const struct filter_test *test;
		bool		 negated;
	}			 list[MAX_TESTS];
	unsigned int		 nr;
};

/* --- numbers -------------------------------------------------------------------- */

/* Ranges as in tests: from lo to lo + span, wrapping around at 64 bits. */
struct ranges {
	const struct filter_set	*set;		/* NULL = a single range */
	uint64_t		 lo, span;
	unsigned int		 nr;
};

static bool is_number(const struct filter_test *t)
{
	return (t->kind == FILTER_TEST_RANGE || t->kind == FILTER_TEST_SET) && !t->nr_steps;
}

static struct ranges ranges_of(const struct filter *f, const struct filter_test *t)
{
	struct ranges r = { .lo = t->lo, .span = t->span, .nr = 1 };

	if (t->kind == FILTER_TEST_SET) {
		r.set = f->sets[t->index];
		r.nr = r.set->nr;
	}
	return r;
}

static void get_range(const struct ranges *r, unsigned int i, uint64_t *lo, uint64_t *span)
{
	*lo = r->set ? r->set->parts[i].lo : r->lo;
	*span = r->set ? r->set->parts[i].hi - r->set->parts[i].lo : r->span;
}

/* Is no number of the first ranges in the second?  With @inside: are all? */
static bool compare_ranges(const struct ranges *a, const struct ranges *b, bool inside)
{
	for (unsigned int i = 0; i < a->nr; i++) {
		bool found = false;
		uint64_t x, n, y, m;

		get_range(a, i, &x, &n);
		for (unsigned int k = 0; k < b->nr && !found; k++) {
			get_range(b, k, &y, &m);
			found = inside ? x - y <= m && n <= m - (x - y) : x - y <= m || y - x <= n;
		}
		if (found != inside)
			return false;
	}
	return true;
}

static bool numbers_exclude(const struct filter *f, const struct filter_test *a, bool not_a,
			    const struct filter_test *b, bool not_b)
{
	struct ranges x = ranges_of(f, a), y = ranges_of(f, b);

	/*
	 * A negated test is true for other numbers only; `not` before a test is also true for
	 * records without the number.
	 */
	if (!filter_load_same(&a->load, &b->load) || (a->negate && not_a) || (b->negate && not_b))
		return false;
	not_a ^= a->negate;
	not_b ^= b->negate;
	if (not_a && not_b)
		return false;
	if (not_a)
		return compare_ranges(&y, &x, true);
	return compare_ranges(&x, &y, not_b);
}

/* --- strings ---------------------------------------------------------------------- */

static bool is_string(const struct filter_test *t)
{
	return t->kind == FILTER_TEST_STRING || t->kind == FILTER_TEST_COMM ||
	       t->kind == FILTER_TEST_SAVED_COMM;
}

/* The first is true for a single text: does that show that the other one is false? */
static bool text_excludes(const struct filter *f, const struct filter_test *a,
			  const struct filter_test *b, bool not_b)
{
	const struct filter_pattern *one = f->patterns[a->index];

	return one->kind == FILTER_PATTERN_EQUAL && !one->fold &&
	       f->patterns[b->index]->kind != FILTER_PATTERN_REGEX_LINES &&
	       filter_pattern_test(f->patterns[b->index], f->lookup, one->text, one->len) == not_b;
}

static bool strings_exclude(const struct filter *f, const struct filter_test *a, bool not_a,
			    const struct filter_test *b, bool not_b)
{
	if (a->kind != b->kind || a->field != b->field)
		return false;
	return (!not_a && text_excludes(f, a, b, not_b)) ||
	       (!not_b && text_excludes(f, b, a, not_a));
}

/* --- tests ------------------------------------------------------------------------- */

/* prev_state == R and prev_state == S: the same bits cannot be two numbers. */
static bool steps_exclude(const struct filter_test *a, const struct filter_test *b)
{
	uint32_t last = a->nr_steps - 1;

	if (a->op != FILTER_OP_EQ || b->op != FILTER_OP_EQ || a->nr_steps != b->nr_steps ||
	    !a->nr_steps || a->steps[last].op != FILTER_PUSH_CONST ||
	    b->steps[last].op != FILTER_PUSH_CONST)
		return false;
	return filter_steps_same(a->steps, b->steps, last) &&
	       a->steps[last].value != b->steps[last].value;
}

static bool exclude(const struct filter *f, const struct filter_test *a, bool not_a,
		    const struct filter_test *b, bool not_b)
{
	if (is_number(a) && is_number(b))
		return numbers_exclude(f, a, not_a, b, not_b);
	if (is_string(a) && is_string(b))
		return strings_exclude(f, a, not_a, b, not_b);
	if (a->kind == FILTER_TEST_COMPARE && b->kind == FILTER_TEST_COMPARE && !not_a && !not_b)
		return steps_exclude(a, b);
	return a->kind == FILTER_TEST_BITS && b->kind == FILTER_TEST_BITS && not_a != not_b &&
	       a->lo == b->lo && filter_load_same(&a->load, &b->load);
}

/* Require another test.  Return: true if it contradicts the others. */
static bool add(struct holding *h, const struct filter_test *test, bool negated)
{
	for (unsigned int i = 0; i < h->nr; i++)
		if (exclude(h->f, h->list[i].test, h->list[i].negated, test, negated))
			return true;
	if (h->nr < MAX_TESTS) {
		h->list[h->nr].test = test;
		h->list[h->nr++].negated = negated;
	}
	return false;
}

/* Add the tests joined by `and`. */
static bool add_tests(struct holding *h, const struct filter_bound *n)
{
	if (n->kind == FILTER_BOUND_AND)
		return add_tests(h, n->a) || add_tests(h, n->b);
	if (n->kind == FILTER_BOUND_TEST)
		return add(h, &n->test, false);
	return n->kind == FILTER_BOUND_NOT && n->a->kind == FILTER_BOUND_TEST &&
	       add(h, &n->a->test, true);
}

static bool cannot_hold(struct holding *h, const struct filter_bound *n);

/* Is each alternative of the choices impossible together with these tests? */
static bool no_choice(struct holding *h, const struct filter_bound *n)
{
	if (n->kind == FILTER_BOUND_AND)
		return no_choice(h, n->a) || no_choice(h, n->b);
	return n->kind == FILTER_BOUND_OR && cannot_hold(h, n->a) && cannot_hold(h, n->b);
}

static bool cannot_hold(struct holding *h, const struct filter_bound *n)
{
	unsigned int nr = h->nr;
	bool never = n->kind == FILTER_BOUND_FALSE || add_tests(h, n) || no_choice(h, n);

	h->nr = nr;
	return never;
}

bool filter_bound_excludes_itself(const struct filter *f, const struct filter_bound *bound)
{
	struct holding h = { .f = f };

	return cannot_hold(&h, bound);
}
