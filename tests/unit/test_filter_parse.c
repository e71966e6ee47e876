/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of filters to trees: what binds closer, where errors are, what is no filter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/filter/filter_pattern.h"
#include "src/filter/filter_tree.h"

static void show(const struct filter_node *n, struct text *out);

/* Of a scope, of "in" or of CPUs. */
static void show_list(const struct filter_node *n, struct text *out)
{
	bool is_scope = n->kind == FILTER_NODE_SCOPE;

	if (n->kind == FILTER_NODE_IN) {
		show(n->a, out);
		text_printf(out, " %s ", filter_op_text(n->op));
	}
	text_char(out, is_scope ? '<' : '{');
	for (const struct filter_node *i = n->list; i; i = i->next) {
		show(i, out);
		if (i->next)
			text_char(out, ',');
	}
	text_char(out, is_scope ? '>' : '}');
	if (is_scope && n->a)
		show(n->a, out);
}

/* A tree with all its brackets. */
static void show(const struct filter_node *n, struct text *out)
{
	static const char *const names[] = { [FILTER_NODE_AND] = "&&", [FILTER_NODE_OR] = "||" };

	switch (n->kind) {
	case FILTER_NODE_AND:
	case FILTER_NODE_OR:
	case FILTER_NODE_COMPARE:
	case FILTER_NODE_BINARY:
		text_char(out, '(');
		show(n->a, out);
		text_printf(out, " %s ", n->op ? filter_op_text(n->op) : names[n->kind]);
		show(n->b, out);
		text_char(out, ')');
		break;
	case FILTER_NODE_NOT:
		text_char(out, '!');
		show(n->a, out);
		break;
	case FILTER_NODE_UNARY:
		text_add(out, filter_op_text(n->op));
		show(n->a, out);
		break;
	case FILTER_NODE_SCOPE:
	case FILTER_NODE_IN:
	case FILTER_NODE_CPUS:
		show_list(n, out);
		break;
	case FILTER_NODE_BETWEEN:
		text_add(out, "between ");
		show(n->a, out);
		text_char(out, ' ');
		show(n->b, out);
		break;
	case FILTER_NODE_CONSTANT:
		text_add(out, n->value ? "true" : "false");
		break;
	case FILTER_NODE_NUMBER:
		text_printf(out, "%s%llu", n->relative ? "+" : "", (unsigned long long)n->value);
		if (n->has_fraction)
			text_printf(out, ".%09u", n->nano);
		if (n->unit == FILTER_UNIT_TIME)
			text_add(out, "ns");
		break;
	case FILTER_NODE_RANGE:
		show(n->a, out);
		text_add(out, "..");
		show(n->b, out);
		break;
	case FILTER_NODE_INDEX:
		show(n->a, out);
		text_char(out, '[');
		if (n->b)
			show(n->b, out);
		else
			text_add(out, "any");
		text_char(out, ']');
		break;
	case FILTER_NODE_PREFIX:
		text_printf(out, "%s<", n->text);
		show(n->a, out);
		text_char(out, '>');
		break;
	case FILTER_NODE_STRING:
	case FILTER_NODE_CHAR:
		text_printf(out, n->kind == FILTER_NODE_STRING ? "\"%s\"" : "'%s'", n->text);
		break;
	case FILTER_NODE_REGEX:
		text_printf(out, "/%s/%s", n->text, n->value ? "i" : "");
		if (n->a) {
			text_char(out, '@');
			show(n->a, out);
		}
		break;
	case FILTER_NODE_WORD:
		text_add(out, n->text);
		break;
	case FILTER_NODE_GLOB:
		text_printf(out, "glob:%s", n->text);
		break;
	}
}

static bool under(void *arg, const char *word)
{
	(void)arg;
	return !strcmp(word, "under");
}

static bool dashed(void *arg, const char *name)
{
	(void)arg;
	return !strcmp(name, "a-system");
}

static const struct filter_macro macros[] = {
	{ "slow", "dur > 100us" }, { "bad", "ret < 0 or ret == " },
	{ "either", "a == 1 || b == 2" }, { "loop", "x && loop" },
};
static const struct filter_syntax syntax = {
	.macros = macros, .nr_macros = 4, .is_prefix = under, .is_system = dashed
};

static void expect(const char *text, const char *tree)
{
	struct filter_error err = { 0 };
	struct filter_tree t;
	struct text out = { 0 };

	if (!filter_tree_parse(&t, text, &syntax, &err))
		fail_msg("%s: [%zu,%zu) %s", text, err.from, err.to, text_str(&err.message));
	if (t.root)
		show(t.root, &out);
	if (strcmp(text_str(&out), tree))
		fail_msg("%s: %s, not %s", text, text_str(&out), tree);
	text_fini(&out);
	filter_tree_fini(&t);
}

static void expect_error(const char *text, size_t from, size_t to, const char *message)
{
	struct filter_error err = { 0 };
	struct filter_tree t;

	if (filter_tree_parse(&t, text, &syntax, &err))
		fail_msg("%s is taken", text);
	if (err.from != from || err.to != to || !strstr(text_str(&err.message), message))
		fail_msg("%s: [%zu,%zu) %s", text, err.from, err.to, text_str(&err.message));
	text_fini(&err.message);
	filter_tree_fini(&t);
}

static void expect_message(const char *text, const char *message)
{
	struct filter_error err = { 0 };
	struct filter_tree t;

	assert_false(filter_tree_parse(&t, text, &syntax, &err));
	assert_string_equal(text_str(&err.message), message);
	text_fini(&err.message);
	filter_tree_fini(&t);
}

static void test_precedence(void **state)
{
	(void)state;
	expect("", "");
	expect("  ", "");
	expect("a == 1 || b == 2 && c == 3", "((a == 1) || ((b == 2) && (c == 3)))");
	expect("a == 1 or b == 2 and not c == 3", "((a == 1) || ((b == 2) && !(c == 3)))");
	expect("(a == 1 || b == 2) && c == 3", "(((a == 1) || (b == 2)) && (c == 3))");
	expect("!a == 1", "!(a == 1)");
	expect("!a && b", "(!a && b)");
	expect("!!a", "!!a");
	expect("a & 4 == 4", "((a & 4) == 4)");
	expect("a | b ^ c & d << 1 + 2 * 3", "(a | (b ^ (c & (d << (1 + (2 * 3))))))");
	expect("a - b - c", "((a - b) - c)");
	expect("(a - b) * -c > ~d", "(((a - b) * -c) > ~d)");
	expect("x == -ENOENT", "(x == -ENOENT)");
}

static void test_events(void **state)
{
	(void)state;
	expect("sched_switch", "sched_switch");
	expect("sched_switch: prev_pid == 1 || a", "<sched_switch>((prev_pid == 1) || a)");
	expect("sched/sched_switch", "<glob:sched/sched_switch>");
	expect("sched:sched_switch: x", "<sched><sched_switch>x");
	expect("sched : next_pid == 123", "<sched>(next_pid == 123)");
	expect("a, b/c* : x", "<a,glob:b/c*>x");
	expect("a,b", "<a,b>");
	expect("sched_*", "<glob:sched_*>");
	expect("*:pid == 3", "<glob:*>(pid == 3)");
	expect(".*:pid == 3", "<glob:.*>(pid == 3)");
	expect("sys_enter_[rw]* && x", "(<glob:sys_enter_[rw]*> && x)");
	expect("(irq/*) || x", "(<glob:irq/*> || x)");
	expect("x && (a: b || c) && d", "((x && <a>(b || c)) && d)");
	expect("sample-trace/foo: x-y > 1", "<glob:sample-trace/foo>((x - y) > 1)");
	expect("sample-trace: x", "<sample-trace>x");
	expect("a-b", "(a - b)");
	expect("a-system", "<a-system>");
	expect("!a-system && (a-system)", "(!<a-system> && <a-system>)");
	expect("a-system > 1", "((a - system) > 1)");
	expect("a-system/", "<glob:a-system/>");
	expect("a-*/b", "<glob:a-*/b>");
	expect("a -system", "(a - system)");
	expect("a * 2 > b", "((a * 2) > b)");
	expect("a / 2 > b", "((a / 2) > b)");
	expect("a*2 > b", "((a * 2) > b)");
}

static void test_values(void **state)
{
	(void)state;
	expect("dur > 100us", "(dur > 100000ns)");
	expect("dur > 1.5ms", "(dur > 1500000ns)");
	expect("dur > 2\302\265s", "(dur > 2000ns)");
	expect("len > 4k", "(len > 4000)");
	expect("len > 4Ki", "(len > 4096)");
	expect("x == 0x1F", "(x == 31)");
	expect("x == 017", "(x == 15)");
	expect("time > 7.25", "(time > 7.250000000)");
	expect("time > +1ms", "(time > +1000000ns)");
	expect("cpu in 0-3,7 && !irq", "(cpu in {0..3,7} && !irq)");
	expect("pid in (1, 1450)", "pid in {1,1450}");
	expect("cgroup == /shop/web-1.slice && x", "((cgroup == \"/shop/web-1.slice\") && x)");
	expect("cgroup != */docker-3f*", "(cgroup != glob:*/docker-3f*)");
	expect("cgroup in (/, /a,*/b)", "cgroup in {\"/\",\"/a\",glob:*/b}");
	expect("(/ab c/) && (/d/)", "(/ab c/ && /d/)");
	expect("cgroup == / || x", "((cgroup == \"/\") || x)");
	expect("pid not in (1,5-9)", "pid not in {1,5..9}");
	expect("comm in (a, \"b c\", k*)", "comm in {a,\"b c\",glob:k*}");
	expect("mask == 0-3,7", "(mask == {0..3,7})");
	expect("cpu & CPUS{1-2}", "(cpu & {1..2})");
	expect("x == 5 - 3", "(x == (5 - 3))");
	expect("args[2] == 1", "(args[2] == 1)");
	expect("args[any] == 1", "(args[any] == 1)");
	expect("func == ext4_*", "(func == glob:ext4_*)");
	expect("func =~ /^ext4_[a-z]\\/x/i", "(func =~ /^ext4_[a-z]/x/i)");
	expect("comm !~ \"a\\\"b\\.c\"", "(comm !~ \"a\"b\\.c\")");
	expect("c == 'x'", "(c == 'x')");
	expect("\"page fault\"", "\"page fault\"");
	expect("/a b/ || x", "(/a b/ || x)");
	expect("stack contains do_one.isra.0", "(stack contains do_one.isra.0)");
	expect("between a b", "between a b");
	expect("between 7.5, +2s", "between 7.500000000 +2000000000ns");
	expect("under vfs_read && x", "(under<vfs_read> && x)");
	expect("comm ~ \"k*\"", "(comm ~ \"k*\")");
}

static void test_macros(void **state)
{
	(void)state;
	expect("slow", "(dur > 100000ns)");
	expect("either && c", "(((a == 1) || (b == 2)) && c)");
	expect("!slow", "!(dur > 100000ns)");
	expect_error("x && bad", 5, 8, "in the filter bad: a value is missing here");
	expect_error("loop", 0, 4, "too deep");
}

static void test_errors(void **state)
{
	char deep[300];

	(void)state;
	expect_error("a ==", 4, 4, "a value is missing");
	expect_error("a = 3", 2, 3, "==");
	expect_error("(a == 3", 7, 7, "closing bracket");
	expect_error("a == 3)", 6, 7, "closing bracket");
	expect_error("a == 3 b", 7, 8, "&&, || or the end");
	expect_error("a < b < c", 6, 7, "cannot be chained");
	expect_error("a == \"x", 5, 7, "no closing \"");
	expect_error("a =~ /x", 5, 7, "no closing /");
	expect_error("a == 5x", 6, 7, "not a unit");
	expect_error("a == 08", 5, 7, "octal");
	expect_error("a == 99999999999999999999", 5, 25, "64 bits");
	expect_error("a == 20000000000G", 5, 17, "64 bits");
	expect_error("a in 5-3", 5, 8, "empty");
	expect_error("a in x", 5, 6, "a list");
	expect_error("a in (1, 2", 10, 10, "closing bracket");
	expect_error("(a == 1) + 2", 0, 8, "not a condition");
	expect_error("a && ", 5, 5, "missing");
	expect_error("sched_switch:", 13, 13, "after the colon");
	expect_error("a \001", 2, 3, "unexpected character");
	expect_error("a == kworker/0:1", 14, 15,
		     "expected here; put a name with a colon in quotes");
	expect_error("a == R+", 7, 7, "missing here; put a name with a + in quotes");
	expect_error("a == R+ && b", 8, 10, "expected here; put a name with a + in quotes");
	expect_error("a =~ wl-.*", 8, 9, "expected here; put a pattern in quotes");
	expect_error("a in 0-1, 3", 8, 9, "expected here; put a list with blanks in brackets");
	/* These have not lost quotes. */
	expect_message("\"a\": b", "&&, || or the end is expected here");
	expect_message("(a == 1): b", "&&, || or the end is expected here");
	expect_message("a +", "a value is missing here");
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	expect_error(deep, 64, 65, "too deep");
}

/* The same with trace-cmd's rules. */
static void expect_compat(const char *text, const char *tree)
{
	struct filter_error err = { 0 };
	struct filter_tree t;
	struct text out = { 0 };

	if (!filter_tree_parse_compat(&t, text, &err)) {
		if (!tree)
			assert_true(err.message.len > 0);
		else
			fail_msg("%s: [%zu,%zu) %s", text, err.from, err.to,
				 text_str(&err.message));
	} else {
		if (t.root)
			show(t.root, &out);
		if (!tree || strcmp(text_str(&out), tree))
			fail_msg("%s: %s, not %s", text, text_str(&out), tree ? tree : "an error");
	}
	text_fini(&err.message);
	text_fini(&out);
	filter_tree_fini(&t);
}

static void test_compat(void **state)
{
	(void)state;
	expect_compat("sched : a == 1 || b == 2 && c == 3",
		      "</sched/>(((a == 1) || (b == 2)) && (c == 3))");
	expect_compat("sched/sched_.* , irq", "</sched_.*/@/sched/,/irq/>");
	expect_compat("x:!a==1&&(b & 4)", "</x/>(!(a == 1) && (b & 4))");
	expect_compat("x: a == 10k", "</x/>(a == 10)");
	expect_compat("x: COMM =~ \"a.*b\"", "</x/>(COMM =~ \"a.*b\")");
	expect_compat("x: a", NULL);
	expect_compat("x: a == b", NULL);
	expect_compat("x: 1 == a", NULL);
	expect_compat("x: a < \"b\"", NULL);
	expect_compat("x: a + 1 == 2", NULL);
	expect_compat("x:", NULL);
	expect_compat(",x", NULL);
}

/* --- strings ------------------------------------------------------------------- */

static void test_globs(void **state)
{
	static const struct {
		const char *pattern, *s;
		bool fold, match;
	} cases[] = {
		{ "sched_*", "sched_switch", false, true }, { "sched_*", "sched", false, false },
		{ "*", "", false, true },
		{ "a?c", "abc", false, true }, { "a?c", "ac", false, false },
		{ "[ab]x", "bx", false, true },
		{ "[!ab]x", "bx", false, false }, { "[a-c]*z", "bqqz", false, true },
		{ "a*b*c", "aXbYbZc", false, true },
		{ "a*b*c", "aXbYbZ", false, false }, { "SCHED_*", "sched_switch", true, true },
		{ "SCHED_*", "sched_switch", false, false },
		{ "[a", "[a", false, true }, { "**a", "ba", false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (filter_glob(cases[i].pattern, strlen(cases[i].pattern), cases[i].s,
				strlen(cases[i].s), cases[i].fold) != cases[i].match)
			fail_msg("%s and %s", cases[i].pattern, cases[i].s);
}

static void test_posix(void **state)
{
	static const char *const cases[][2] = {
		{ "a+b", "a\\+b" }, { "a\\+b", "a+b" }, { "a|b", "a\\|b" }, { "a\\|b", "a|b" },
		{ "(x)", "\\(x\\)" },
		{ "\\(x\\)*", "(x)*" }, { "*a", "\\*a" }, { "^*a", "^\\*a" },
		{ "a^b$c$", "a\\^b\\$c$" }, { "[*+]x", "[*+]x" },
		{ "a\\{2\\}", "a{2}" }, { "a{2}", "a\\{2\\}" }, { "[^]a]", "[^]a]" },
		{ "[[:alpha:]]+", "[[:alpha:]]\\+" },
		{ "a\\.b", "a\\.b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text out = { 0 };

		filter_posix_regex(cases[i][0], strlen(cases[i][0]), &out);
		assert_string_equal(text_str(&out), cases[i][1]);
		text_fini(&out);
	}
}

/*
 * One that takes too many steps now and then is asked on, one that always does is given up in all
 * threads.
 */
static void test_given_up(void **state)
{
	static const char hostile[] =
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
			  good[] = "aaa";
	struct filter_scratch *scratch = filter_scratch_new(), *other = filter_scratch_new();
	struct filter_error err = { 0 };
	struct filter_pattern m;

	(void)state;
	assert_true(filter_pattern_init(&m, FILTER_PATTERN_REGEX, "^(a+)+$", 7, false, 0, 7, &err));
	for (unsigned int i = 0; i < 300000; i++) {
		if (i % 200 == 0)
			assert_false(filter_pattern_test(&m, scratch, hostile, strlen(hostile)));
		assert_true(filter_pattern_test(&m, scratch, good, strlen(good)));
	}
	assert_false(filter_pattern_given_up(&m));
	for (unsigned int i = 0; i < 999; i++)
		filter_pattern_test(&m, other, hostile, strlen(hostile));
	assert_false(filter_pattern_given_up(&m));
	assert_true(filter_pattern_test(&m, other, good, strlen(good)));
	filter_pattern_test(&m, other, hostile, strlen(hostile));
	assert_true(filter_pattern_given_up(&m));
	assert_false(filter_pattern_test(&m, scratch, good, strlen(good)));
	filter_pattern_fini(&m);
	filter_scratch_free(scratch);
	filter_scratch_free(other);
}

/* A pattern that would take for ever ends, does not match, and says so. */
static void test_hostile_regex(void **state)
{
	static const char text[] =
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";
	struct filter_scratch *scratch = filter_scratch_new();
	struct filter_error err = { 0 };
	struct filter_pattern m;

	(void)state;
	assert_true(filter_pattern_init(&m, FILTER_PATTERN_REGEX, "^(a+)+$", 7, false, 0, 7, &err));
	assert_false(filter_pattern_limited(&m));
	assert_false(filter_pattern_test(&m, scratch, text, strlen(text)));
	assert_true(filter_pattern_limited(&m));
	filter_pattern_fini(&m);
	assert_false(filter_pattern_init(&m, FILTER_PATTERN_REGEX, "(a", 2, false, 5, 7, &err));
	assert_int_equal(err.from, 5);
	assert_non_null(strstr(text_str(&err.message), "invalid regular expression"));
	filter_pattern_fini(&m);
	text_fini(&err.message);
	filter_scratch_free(scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precedence), cmocka_unit_test(test_events),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_macros), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_compat),
		cmocka_unit_test(test_globs), cmocka_unit_test(test_posix),
		cmocka_unit_test(test_hostile_regex),
		cmocka_unit_test(test_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
