/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random expressions on recorded traces: what the engine keeps is what a naive
 * evaluator over libtraceevent's field reads keeps (tests/lib/filter_oracle.h), and
 * for the language of `trace-cmd report -F` what libtraceevent's own filters keep.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/filter/filter.h"
#include "src/filter/filter_program.h"
#include "src/base/memory.h"
#include "tests/lib/filter_oracle.h"
#include "tests/lib/recorded.h"

#define MAX_TERMS	8u
#define MAX_RECORDS	200u
#define WANTED		200u		/* of each operator with each kind of field; see share() */

static uint64_t seed = 20261120;		/* or FTOP_TEST_SEED of the environment */

/* A sixty-fourth of the expressions, or all with FTOP_TEST_LONG. */
static unsigned int share(void)
{
	return getenv("FTOP_TEST_LONG") ? 1 : 64;
}

static unsigned int wanted(void)
{
	return WANTED / share();
}

static unsigned int random_number(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(seed >> 33);
}

/* An expression: terms, joined as the tree says. */
struct expression {
	unsigned int		 nr;
	struct oracle_term	 terms[MAX_TERMS];
	bool			 negated[MAX_TERMS];
	bool			 is_or[MAX_TERMS];	/* what joins a term with those
							   before it, in brackets */
	char			 text[6000];
};

static unsigned int counts[KIND_NR][OP_NR], nr_expressions, nr_some;
static bool possible[KIND_NR][OP_NR];

static bool holds(const struct oracle *o, const struct expression *e, const struct oracle_record *r)
{
	bool all = false;

	for (unsigned int i = 0; i < e->nr; i++) {
		bool one = oracle_term_holds(o, &e->terms[i], r) != e->negated[i];

		all = !i ? one : e->is_or[i] ? all || one : all && one;
	}
	return all;
}

static void add_term(struct expression *e, const struct oracle_term *term)
{
	char before[4200];
	unsigned int i = e->nr++;

	e->terms[i] = *term;
	e->negated[i] = random_number() % 5 == 0;
	e->is_or[i] = random_number() % 2;
	snprintf(before, sizeof(before), "%.4199s", e->text);
	if (!i)
		snprintf(e->text, sizeof(e->text), "%s%s", e->negated[i] ? "!" : "", term->text);
	else
		snprintf(e->text, sizeof(e->text), "(%.4199s) %s %s%s", before,
			 e->is_or[i] ? "||" : "&&", e->negated[i] ? "not " : "", term->text);
}

/* The pairs of this trace that were used least come first. */
static bool next_pair(const bool pairs[KIND_NR][OP_NR], unsigned int *kind, unsigned int *op)
{
	unsigned int best = UINT32_MAX, start = random_number();

	for (unsigned int i = 0; i < KIND_NR * OP_NR; i++) {
		unsigned int at = (start + i) % (KIND_NR * OP_NR), k = at / OP_NR, p = at % OP_NR;

		if (pairs[k][p] && counts[k][p] < best) {
			best = counts[k][p];
			*kind = k;
			*op = p;
		}
	}
	return best < wanted();
}

static bool keeps_some(const struct oracle *o, const struct expression *e)
{
	bool any = false, all = true;

	for (unsigned int i = 0; i < o->nr && (all || !any); i++) {
		bool one = holds(o, e, &o->records[i]);

		any |= one;
		all &= one;
	}
	return any && !all;
}

static unsigned int nr_range_records;

/* Where a type's test is a range, that says the same. */
static void check_range(const struct filter_run *run, const struct oracle_record *r,
			const char *text, bool want)
{
	struct filter_range range;

	if (!filter_run_range(run, r->type_id, &range))
		return;
	nr_range_records++;
	if (filter_range_has(&range, r->record.data, (uint32_t)r->record.size) != want)
		fail_msg("%s: the range says otherwise of a %s", text,
			 r->event ? r->event->name : "?");
}

static void check(struct oracle *o, const struct expression *e)
{
	struct filter_source source = { .text = e->text, .file = -1 };
	struct filter_error err = { 0 };
	struct filter *filter = filter_new(o->trace, &source, 1, NULL, &err);
	struct filter_run *run;

	if (!filter)
		fail_msg("%s: [%zu,%zu) %s", e->text, err.from, err.to, text_str(&err.message));
	run = filter_run_new(filter);
	for (unsigned int i = 0; i < o->nr; i++) {
		const struct oracle_record *r = &o->records[i];
		bool want = holds(o, e, r), got;

		filter_run_stream(run, r->stream);
		got = filter_run_match(run, TRACE_REF_NONE, r->type_id, r->record.data,
				       (uint32_t)r->record.size, r->room, r->ts);
		if (got != want)
			fail_msg("%s: record %u (%s) is %s", e->text, i,
				 r->event ? r->event->name : "?", got ? "kept" : "left out");
		/* What is said of a type holds for its records. */
		if (filter_run_type(run, r->type_id) != FILTER_TEST)
			assert_int_equal(want, filter_run_type(run, r->type_id) == FILTER_ALWAYS);
		check_range(run, r, e->text, want);
	}
	filter_run_free(run);
	filter_free(filter);
}

/* Which pairs does the trace have records for? */
static void find_pairs(struct oracle *o, bool pairs[KIND_NR][OP_NR])
{
	struct oracle_term term;

	for (unsigned int k = 0; k < KIND_NR; k++) {
		bool have = false;

		for (unsigned int tries = 0; tries < 400 && !have && o->nr; tries++) {
			enum oracle_op op = k == KIND_TIME                    ? OP_LT :
					    k == KIND_FLAG || k == KIND_EVENT ? OP_ALONE :
										OP_EQ;

			have = oracle_term_make(o, &o->records[random_number() % o->nr], k, op,
						random_number, &term);
		}
		for (unsigned int p = 0; p < OP_NR; p++) {
			pairs[k][p] = have && oracle_can(k, p);
			possible[k][p] |= pairs[k][p];
		}
	}
}

static bool make_expression(struct oracle *o, const bool pairs[KIND_NR][OP_NR],
			    struct expression *e)
{
	unsigned int want = 1 + random_number() % (MAX_TERMS - 1), tries = 0;

	memset(e, 0, sizeof(*e));
	while (e->nr < want && tries++ < 500) {
		struct oracle_term term;
		unsigned int kind = 0, op = 0;

		if (!next_pair(pairs, &kind, &op))
			break;
		if (random_number() % 4 == 0) {		/* and others beside them */
			kind = random_number() % KIND_NR;
			op = random_number() % OP_NR;
			if (!pairs[kind][op])
				continue;
		}
		if (!oracle_term_make(o, &o->records[random_number() % o->nr], kind, op,
				      random_number, &term))
			continue;
		counts[kind][op]++;
		add_term(e, &term);
	}
	return e->nr > 0;
}

static const char *const traces[] = { "sched", "cpu4", "kprobe", "sample", "fgraph-7.2", "marker",
				      "stack", "lost-text", "hist",
				      "subbuf", "syscalls", "mem", "function", "irq", "sample-7.2",
				      "block" };

#define NR_TRACES	(sizeof(traces) / sizeof(traces[0]))

static struct oracle *oracles[NR_TRACES];	/* owned; opened when they are asked for */

/* NULL: there is no such trace here. */
static struct oracle *oracle_of(size_t i)
{
	char path[4096];

	if (oracles[i] || !recorded_path(traces[i], "trace.dat", path, sizeof(path)))
		return oracles[i];
	oracles[i] = oracle_new(path, MAX_RECORDS);
	if (!oracles[i] || !oracles[i]->nr)
		fail_msg("%s cannot be read", path);
	return oracles[i];
}

static int free_oracles(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_TRACES; i++)
		oracle_free(oracles[i]);
	return 0;
}

static void test_against_naive(void **state)
{
	struct expression *e = mem_alloc(sizeof(*e));
	unsigned int missing = 0, nr_pairs = 0, rounds = 0;

	(void)state;
	for (size_t i = 0; i < 3 * NR_TRACES; i++) {
		bool pairs[KIND_NR][OP_NR] = { { false } };
		struct oracle *o = oracle_of(i % NR_TRACES);

		if (!o)
			continue;
		rounds++;
		find_pairs(o, pairs);
		for (unsigned int n = 0; n < 700 / share() && make_expression(o, pairs, e); n++) {
			nr_expressions++;
			nr_some += keeps_some(o, e);
			check(o, e);
		}
	}
	free(e);
	if (!rounds)
		skip();
	for (unsigned int k = 0; k < KIND_NR; k++)
		for (unsigned int p = 0; p < OP_NR; p++) {
			nr_pairs += possible[k][p];
			if (possible[k][p] && counts[k][p] < wanted()) {
				missing++;
				print_message("# %s %s: %u times\n", oracle_kind_names[k],
					      oracle_op_texts[p], counts[k][p]);
			}
		}
	print_message(
		"# %u expressions, %u keep some but not all, %u pairs of a kind and an operator\n",
		nr_expressions, nr_some, nr_pairs);
	assert_int_equal(missing, 0);
	assert_true(nr_some * 2 >= nr_expressions);
	assert_true(nr_expressions >= 2000 / share());
}

/* Two terms about the same number, which are one test where they are ranges: x > 3 && x <= 5. */
static bool make_ranges(struct oracle *o, enum oracle_kind kind, struct expression *e)
{
	const struct oracle_record *r = &o->records[random_number() % o->nr];
	struct oracle_term a, b;

	memset(e, 0, sizeof(*e));
	if (!oracle_term_make(o, r, kind, OP_EQ + random_number() % 6, random_number, &a))
		return false;
	for (unsigned int tries = 0; tries < 60; tries++) {
		if (!oracle_term_make(o, r, kind, OP_EQ + random_number() % 6, random_number, &b) ||
		    strcmp(a.field, b.field) || strcmp(a.event, b.event))
			continue;
		e->nr = 2;
		e->terms[0] = a;
		e->terms[1] = b;
		snprintf(e->text, sizeof(e->text), "%s && %s", a.text, b.text);
		return true;
	}
	return false;
}

static void test_ranges(void **state)
{
	static const enum oracle_kind kinds[] = { KIND_SIGNED, KIND_UNSIGNED, KIND_PID };
	struct expression *e = mem_alloc(sizeof(*e));
	unsigned int nr = 0, some = 0;

	(void)state;
	for (size_t i = 0; i < NR_TRACES; i++) {
		struct oracle *o = oracle_of(i);

		for (unsigned int n = 0; o && n < 400 / share(); n++) {
			if (!make_ranges(o, kinds[n % 3], e))
				continue;
			nr++;
			some += keeps_some(o, e);
			check(o, e);
		}
	}
	free(e);
	if (!nr)
		skip();
	print_message("# %u pairs of ranges, %u keep some but not all\n", nr, some);
	assert_true(nr > 500 / share());
	assert_true(some * 4 > nr);
	assert_true(nr_range_records > 1000);
}

/* --- trace-cmd's language ------------------------------------------------------- */

static unsigned int tep_counts[KIND_NR][OP_NR];

/* What libtraceevent's filters can ask of a field. */
static bool tep_can(enum oracle_kind kind, enum oracle_op op)
{
	switch (kind) {
	case KIND_SIGNED:
	case KIND_UNSIGNED:
		return op <= OP_SHR;
	case KIND_CPU:
		return op <= OP_GE;
	case KIND_STRING:
	case KIND_DYNAMIC:
	case KIND_COMM:
		return op == OP_EQ || op == OP_NE || op == OP_POSIX || op == OP_NOT_POSIX;
	default:
		return false;
	}
}

/* Where trace-cmd has no signs, and we have: these are asked by its own rules only. */
static bool has_sign(enum oracle_kind kind, enum oracle_op op)
{
	return kind == KIND_SIGNED &&
	       ((op >= OP_LT && op <= OP_GE) || op == OP_DIV || op == OP_MOD || op == OP_SHR);
}

/* The inside of "(system/event: …)", without what trace-cmd does not take. */
static bool tep_term(const struct oracle_term *term, char *out, size_t room)
{
	const char *inner = strstr(term->text, ": ");
	const char *from = term->kind == KIND_COMM || term->kind == KIND_CPU ? term->text :
			   inner                                             ? inner + 2 :
									       term->text;
	size_t len = strlen(from) - (from != term->text);

	/* A dynamic string without a NUL: libtraceevent cuts it to the four bytes of its place. */
	if (!strcmp(term->field, "lstr"))
		return false;
	snprintf(out, room, "%.*s", (int)len, from);
	if (term->op >= OP_BITS && term->op <= OP_SHR) {
		/* "field op number compare number": a number by itself is asked */
		char field[64], op[8];
		long long number;

		if (sscanf(out, "%63s %7s %lld", field, op, &number) != 3 || number < 0)
			return false;
		snprintf(out, room, "%s %s %lld", field, op, number);
	} else if (strstr(out, " -")) {
		return false;		/* no negative numbers */
	}
	if (term->kind == KIND_COMM || term->kind == KIND_CPU)
		memcpy(out, term->kind == KIND_COMM ? "COMM" : "CPU ",
		       term->kind == KIND_COMM ? 4 : 3);
	return true;
}

struct tep_expression {
	char	text[4300], scope[160];
	bool	signs, comm;
};

/* A pair that was used least, of some. */
static void choose_pair(enum oracle_kind *kind, enum oracle_op *op)
{
	unsigned int best = UINT32_MAX;

	for (unsigned int tries = 0; tries < 40; tries++) {
		enum oracle_kind k = random_number() % KIND_NR;
		enum oracle_op p = random_number() % OP_NR;

		if (!tep_can(k, p) || tep_counts[k][p] >= best)
			continue;
		best = tep_counts[k][p];
		*kind = k;
		*op = p;
	}
}

static bool make_tep_term(struct oracle *o, const struct oracle_record *r, enum oracle_kind kind,
			  enum oracle_op op, struct tep_expression *e, char *one, size_t room)
{
	struct oracle_term term;

	if (!r->event || !oracle_term_make(o, r, kind, op, random_number, &term) ||
	    !tep_term(&term, one, room))
		return false;
	tep_counts[kind][op]++;
	e->signs |= has_sign(kind, op) || strstr(one, " < 0");
	e->comm |= kind == KIND_COMM;
	return true;
}

/*
 * Terms about one event (or its system), from left to right; @bracketed: as precedence would not
 * have it otherwise.
 */
static bool make_tep(struct oracle *o, struct tep_expression *e, bool bracketed)
{
	unsigned int nr = 1 + random_number() % 5, made = 0;
	const struct oracle_record *r = NULL;
	enum oracle_kind kind = KIND_CPU;
	enum oracle_op op = OP_EQ;
	char before[4096], one[800];

	memset(e, 0, sizeof(*e));
	choose_pair(&kind, &op);
	for (unsigned int tries = 0; tries < 300 && made < nr; tries++) {
		const struct oracle_record *at = made ? r : &o->records[random_number() % o->nr];

		if (tries > 150 || made)
			choose_pair(&kind, &op);
		if (!make_tep_term(o, at, kind, op, e, one, sizeof(one)))
			continue;
		r = at;
		snprintf(before, sizeof(before), "%.4095s", e->text);
		if (!made++)
			snprintf(e->text, sizeof(e->text), "%s%s%s",
				 random_number() % 5 ? "(" : "!(", one, ")");
		else
			snprintf(e->text, sizeof(e->text),
				 bracketed ? "(%.3300s) %s %s(%s)" : "%.3300s %s %s(%s)", before,
				 random_number() % 2 ? "&&" : "||", random_number() % 5 ? "" : "!",
				 one);
	}
	if (r)
		snprintf(e->scope, sizeof(e->scope), random_number() % 3 ? "%s/%s" : "%s",
			 r->event->system, r->event->name);
	return made > 0;
}

/*
 * libtraceevent forgets brackets that it has read, and the sanitizer cannot tell that it is the
 * library.
 */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static int add_their_filter(struct tep_event_filter *theirs, const char *text)
{
	int ret;

	if (__lsan_disable)
		__lsan_disable();
	ret = tep_filter_add_filter_str(theirs, text);
	if (__lsan_enable)
		__lsan_enable();
	return ret;
}

static void check_tep(struct oracle *o, const struct tep_expression *e, bool compat,
		      unsigned int *some)
{
	char text[4500];
	struct filter_source source = { .text = text, .file = -1 };
	struct filter_options options = { .compat = compat };
	struct tep_event_filter *theirs = tep_filter_alloc(o->tep);
	struct filter_error err = { 0 };
	struct filter *filter;
	struct filter_run *run;
	unsigned int kept = 0;

	snprintf(text, sizeof(text), "%s: %s", e->scope, e->text);
	if (add_their_filter(theirs, text) < 0)
		fail_msg("libtraceevent does not take %s", text);
	filter = filter_new(o->trace, &source, 1, &options, &err);
	if (!filter)
		fail_msg("%s: [%zu,%zu) %s", text, err.from, err.to, text_str(&err.message));
	run = filter_run_new(filter);
	for (unsigned int i = 0; i < o->nr; i++) {
		struct oracle_record *r = &o->records[i];
		bool want = tep_filter_match(theirs, &r->record) == TEP_ERRNO__FILTER_MATCH, got;

		/* Names that trace-cmd does not know are ours alone. */
		if (e->comm && r->pid && !r->saved_comm)
			continue;
		filter_run_stream(run, r->stream);
		got = filter_run_match(run, TRACE_REF_NONE, r->type_id, r->record.data,
				       (uint32_t)r->record.size, r->room, r->ts);
		if (got != want)
			fail_msg("%s%s: record %u (%s) is %s", compat ? "compat " : "", text, i,
				 r->event ? r->event->name : "?", got ? "kept" : "left out");
		kept += got;
	}
	*some += kept > 0 && kept < o->nr;
	filter_run_free(run);
	filter_free(filter);
	tep_filter_free(theirs);
}

/* How often the pair was used that was used least. */
static unsigned int least_used(void)
{
	unsigned int least = UINT32_MAX;

	for (unsigned int k = 0; k < KIND_NR; k++)
		for (unsigned int p = 0; p < OP_NR; p++)
			if (tep_can(k, p) && tep_counts[k][p] < least)
				least = tep_counts[k][p];
	return least;
}

static void test_against_libtraceevent(void **state)
{
	struct tep_expression *e = mem_alloc(sizeof(*e));
	unsigned int nr = 0, some = 0, rounds = 0;

	(void)state;
	for (size_t i = 0; i < 4 * NR_TRACES && least_used() < wanted(); i++) {
		struct oracle *o = oracle_of(i % NR_TRACES);

		if (!o)
			continue;
		rounds++;
		for (unsigned int n = 0; n < 350 / share(); n++) {
			bool bracketed = n % 2;

			if (!make_tep(o, e, bracketed))
				continue;
			nr++;
			check_tep(o, e, true, &some);
			if (bracketed && !e->signs)
				check_tep(o, e, false, &(unsigned int){ 0 });
		}
	}
	free(e);
	if (!rounds)
		skip();
	print_message(
		"# %u expressions of trace-cmd's language, %u keep some but not all, each pair at least %u times\n",
		nr, some, least_used());
	assert_true(least_used() >= wanted());
	assert_true(some * 2 >= nr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_libtraceevent), cmocka_unit_test(test_against_naive),
		cmocka_unit_test(test_ranges),
	};
	const char *other = getenv("FTOP_TEST_SEED");

	if (other)
		seed = strtoull(other, NULL, 0);
	return cmocka_run_group_tests(tests, NULL, free_oracles);
}
