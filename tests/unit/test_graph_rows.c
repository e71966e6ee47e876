/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a tree as lines of text:
 *
 *   + closed, - open, nothing: a leaf;  } the end of an open one; x3 siblings; @ off the CPU; *
 *                                       event; . dimmed
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/calls/graph_rows.h"
#include "src/base/text.h"

#define FUNC(letter) (0xffffffff81000000u + 16 * (uint64_t)((letter) - 'a'))

struct maker {
	struct call_tree *tree;
	uint64_t	 now;
	int		 depth, pid;
	uint16_t	 stream;
	struct { char func; uint64_t call; } open[16];
	trace_ref	 ref;
};

static void add(struct maker *m, enum graph_kind kind, char func, uint64_t call, bool wanted)
{
	struct graph_record record = { .kind = (uint8_t)kind, .func = FUNC(func), .depth = m->depth,
				       .pid = m->pid,
				       .stream = m->stream, .ts = m->now, .key = (int64_t)m->now,
				       .call = call, .ret = m->now - 1,
				       .ref = ++m->ref, .wanted = wanted };

	call_tree_add(m->tree, &record);
}

/*
 * "a(b c)": calls; '!' behind a name: the filter keeps it; '*' an event; '@' off the CPU; each
 * takes 10 ns, times ':9'.
 */
static void play(struct maker *m, const char *s)
{
	for (; *s && *s != '|'; s++) {
		bool wanted, nested;
		int times = 1;
		char func = *s;

		if (*s == ' ')
			continue;
		if (*s == ')') {
			m->depth--;
			m->now += 10;
			add(m, GRAPH_EXIT, m->open[m->depth].func, m->open[m->depth].call, false);
			continue;
		}
		m->now += 10;
		if (*s == '*') {
			add(m, GRAPH_EVENT, 'a', 0, s[1] == '!');
			s += s[1] == '!';
			continue;
		}
		if (*s == '@') {
			add(m, GRAPH_AWAY, 'a', 0, false);
			m->now += 100;
			add(m, GRAPH_BACK, 'a', 0, false);
			continue;
		}
		wanted = s[1] == '!';
		s += wanted;
		if (s[1] == ':') {
			times = s[2] - '0';
			s += 2;
		}
		nested = s[1] == '(';
		s += nested;
		add(m, GRAPH_ENTRY, func, 0, wanted);
		m->open[m->depth].func = func;
		m->open[m->depth].call = m->now - 1;
		if (nested) {
			m->depth++;
			continue;
		}
		m->now += 10 * (uint64_t)times;
		add(m, GRAPH_EXIT, func, m->open[m->depth].call, false);
	}
}

static struct call_tree *make(const char *s)
{
	struct call_tree_options options = { .local_clock = true, .either = true };
	struct maker m = { .tree = call_tree_new(&options), .now = 1000, .pid = 7 };

	play(&m, s);
	s = strchr(s, '|');
	if (s) {			/* another task, on the other CPU */
		m.pid = 8;
		m.stream = 1;
		m.now = 1005;
		play(&m, s + 1);
	}
	call_tree_end(m.tree);
	call_tree_figures(m.tree);
	return m.tree;
}

static void show(const struct graph_rows *rows, const struct call_tree *tree, struct text *out)
{
	for (unsigned int i = 0; i < rows->nr; i++) {
		const struct graph_row *row = &rows->rows[i];
		const struct call *call = call_tree_call(tree, row->call);

		text_pad(out, row->level);
		text_add(out, row->dimmed ? "." : "");
		if (row->kind == GRAPH_ROW_END) {
			text_add(out, "}\n");
			continue;
		}
		if (row->kind == GRAPH_ROW_AWAY || row->kind == GRAPH_ROW_EVENT) {
			text_add(out, row->kind == GRAPH_ROW_AWAY ? "@\n" : "*\n");
			continue;
		}
		text_add(out, row->open ? "-" : row->full ? "+" : "");
		text_char(out,
			  (char)('a' + (call_tree_function(tree, call->func) - FUNC('a')) / 16));
		if (row->kind == GRAPH_ROW_GROUP)
			text_printf(out, "x%u", row->nr);
		if (!rows->levels && row->level && row->kind == GRAPH_ROW_CALL &&
		    call_duration(call) > 12)
			text_printf(out, ":%u", (unsigned int)call_duration(call) / 10);
		text_char(out, '\n');
	}
}

static const int cpus[] = { 0, 1 };
static const struct graph_roots task7 = { .pid = 7, .stream_cpus = cpus };

static void check(struct graph_rows *rows, const struct call_tree *tree,
		  const struct graph_roots *roots, bool filtered, bool dim, const char *expected)
{
	struct text shown = { 0 };

	graph_rows_build(rows, tree, roots, filtered, dim);
	show(rows, tree, &shown);
	assert_string_equal(text_str(&shown), expected);
	text_fini(&shown);
}

static void levels_are_folded(void **state)
{
	struct call_tree *tree = make("a(b(c) * @ d) e");
	struct graph_rows rows;

	(void)state;
	graph_rows_init(&rows);
	check(&rows, tree, &task7, false, false, "+a\ne\n");
	graph_rows_forget(&rows, 1);
	check(&rows, tree, &task7, false, false, "-a\n +b\n *\n @\n d\n}\ne\n");
	graph_rows_fold(&rows, tree, &rows.rows[1], true);
	check(&rows, tree, &task7, false, false, "-a\n -b\n  c\n }\n *\n @\n d\n}\ne\n");
	graph_rows_fold(&rows, tree, &rows.rows[0], false);
	check(&rows, tree, &task7, false, false, "+a\ne\n");
	graph_rows_forget(&rows, GRAPH_LEVELS_ALL);
	check(&rows, tree, &task7, false, false, "-a\n -b\n  c\n }\n *\n @\n d\n}\ne\n");
	graph_rows_fini(&rows);
	call_tree_free(tree);
}

static void siblings_share_a_row(void **state)
{
	/* Not past others. */
	struct call_tree *tree = make("k i k a(b:2 b:7 b(c) d b b * b)");
	struct graph_rows rows;

	(void)state;
	graph_rows_init(&rows);
	check(&rows, tree, &task7, false, false, "k\ni\nk\n+a\n");
	graph_rows_fold(&rows, tree, &rows.rows[3], true);
	check(&rows, tree, &task7, false, false, "k\ni\nk\n-a\n +bx3\n d\n +bx2\n *\n b\n}\n");
	/* Open: the longest first; those of one parent share it. */
	graph_rows_fold(&rows, tree, &rows.rows[4], true);
	check(&rows, tree, &task7, false, false,
	      "k\ni\nk\n-a\n -bx3\n  b:7\n  +b:3\n  b:2\n d\n -bx2\n  b\n  b\n *\n b\n}\n");
	graph_rows_fini(&rows);
	call_tree_free(tree);
}

static void outermost_calls_share_a_row(void **state)
{
	struct call_tree *tree = make("k k(c) k:7 a k k|k k");
	static const int same[] = { 0, 0 };
	const struct graph_roots both = { .by_cpu = true, .cpu = 0, .stream_cpus = same };
	struct graph_rows rows;

	(void)state;
	graph_rows_init(&rows);
	check(&rows, tree, &task7, false, false, "+kx3\na\n+kx2\n");
	graph_rows_fold(&rows, tree, &rows.rows[0], true);
	check(&rows, tree, &task7, false, false, "-kx3\n k:7\n +k:3\n k\na\n-kx2\n k\n k\n");
	graph_rows_fold(&rows, tree, &rows.rows[2], true);
	check(&rows, tree, &task7, false, false,
	      "-kx3\n k:7\n -k:3\n  c\n }\n k\na\n-kx2\n k\n k\n");
	graph_rows_forget(&rows, 0);
	/* Not across tasks, as they alternate on a CPU. */
	check(&rows, tree, &both, false, false, "k\nk\n+k\nk\nk\na\n+kx2\n");
	graph_rows_fold(&rows, tree, &rows.rows[6], true);
	graph_rows_build(&rows, tree, &both, false, false);
	assert_int_equal(call_tree_task(tree, rows.rows[1].task)->pid, 8);
	assert_int_equal(call_tree_task(tree, rows.rows[8].task)->pid, 7);
	graph_rows_fini(&rows);
	call_tree_free(tree);
}

static void a_call_is_revealed(void **state)
{
	struct call_tree *tree = make("a(b(c(d)) b(c(e)) f)");
	struct graph_rows rows;
	uint32_t e = 0;
	int at;

	(void)state;
	for (uint32_t n = 1; n < call_tree_limit(tree); n++)
		if (call_tree_function(tree, call_tree_call(tree, n)->func) == FUNC('e'))
			e = n;
	graph_rows_init(&rows);
	check(&rows, tree, &task7, false, false, "+a\n");
	assert_int_equal(graph_rows_find(&rows, tree, e), 0);
	graph_rows_fold(&rows, tree, &rows.rows[0], true);
	check(&rows, tree, &task7, false, false, "-a\n +bx2\n f\n}\n");
	assert_int_equal(graph_rows_find(&rows, tree, e), 1);
	graph_rows_reveal(&rows, tree, e);
	check(&rows, tree, &task7, false, false,
	      "-a\n -bx2\n  +b:5\n  -b:5\n   -c:3\n    e\n   }\n  }\n f\n}\n");
	at = graph_rows_find(&rows, tree, e);
	assert_int_equal(rows.rows[at].call, e);
	graph_rows_fini(&rows);
	call_tree_free(tree);
}

/* A call in one of the calls of the tracer `function`, which have no end, and share a row, too. */
static void a_call_without_end_is_revealed(void **state)
{
	static const struct { char func; int depth; } calls[] = {
		{ 'a', 0 }, { 'b', 1 }, { 'c', 2 }, { 'b', 1 }, { 'c', 2 }, { 'e', 3 }
	};
	struct call_tree *tree = call_tree_new(&(struct call_tree_options){ .local_clock = true });
	struct graph_rows rows;

	(void)state;
	for (unsigned int i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct graph_record record = { .kind = GRAPH_ENTRY, .func = FUNC(calls[i].func),
					       .depth = calls[i].depth, .pid = 7,
					       .ts = 100 + i, .key = 100 + i, .ref = 1 + i,
					       .wanted = true, .inferred = true, .calls = 1 };

		call_tree_add(tree, &record);
	}
	call_tree_end(tree);
	graph_rows_init(&rows);
	graph_rows_forget(&rows, 1);
	check(&rows, tree, &task7, false, false, "-a\n +bx2\n}\n");
	graph_rows_reveal(&rows, tree, 6);
	check(&rows, tree, &task7, false, false,
	      "-a\n -bx2\n  +b\n  -b\n   -c\n    e\n   }\n  }\n}\n");
	assert_int_equal(graph_rows_find(&rows, tree, 6), 5);
	graph_rows_fini(&rows);
	call_tree_free(tree);
}

/*
 * What was looked for stands among those before and behind it; what is opened begins with the
 * longest.
 */
static void revealed_siblings_stand_as_they_came(void **state)
{
	struct call_tree *tree = make("a(b b:7 b(e) b:5)");
	struct graph_rows rows;

	(void)state;
	graph_rows_init(&rows);
	graph_rows_forget(&rows, 1);
	check(&rows, tree, &task7, false, false, "-a\n +bx4\n}\n");
	graph_rows_reveal(&rows, tree, 4);
	graph_rows_forget(&rows, 0);
	graph_rows_reveal(&rows, tree, 4);
	check(&rows, tree, &task7, false, false, "-a\n -bx4\n  b\n  b:7\n  +b:3\n  b:5\n}\n");
	assert_true(rows.rows[1].by_time);
	graph_rows_fold(&rows, tree, &rows.rows[1], false);
	check(&rows, tree, &task7, false, false, "-a\n +bx4\n}\n");
	graph_rows_fold(&rows, tree, &rows.rows[1], true);
	check(&rows, tree, &task7, false, false, "-a\n -bx4\n  b:7\n  b:5\n  +b:3\n  b\n}\n");
	/* They are open: revealing leaves them as they are. */
	graph_rows_reveal(&rows, tree, 4);
	check(&rows, tree, &task7, false, false, "-a\n -bx4\n  b:7\n  b:5\n  +b:3\n  b\n}\n");
	graph_rows_fini(&rows);
	call_tree_free(tree);
}

static void filters_keep_what_is_above(void **state)
{
	struct call_tree *tree = make("a(b(c d!(e f) g) h) i(j) k(*!)");
	struct graph_rows rows;

	(void)state;
	graph_rows_init(&rows);
	graph_rows_forget(&rows, GRAPH_LEVELS_ALL);
	/* What is kept, what it stands in, and what is in it. */
	check(&rows, tree, &task7, true, false,
	      "-a\n -b\n  -d\n   e\n   f\n  }\n }\n}\n-k\n *\n}\n");
	/* Without what is in it. */
	rows.bare = true;
	check(&rows, tree, &task7, true, false, "-a\n -b\n  d\n }\n}\n-k\n *\n}\n");
	rows.bare = false;
	check(&rows, tree, &task7, true, true,
	      ".-a\n .-b\n  .c\n  -d\n   .e\n   .f\n  }\n  .g\n .}\n .h\n.}\n.-i\n .j\n.}\n.-k\n *\n.}\n");
	graph_rows_fini(&rows);
	call_tree_free(tree);
}

static void roots_of_a_cpu(void **state)
{
	struct call_tree *tree = make("a b(c)|d e");
	const struct graph_roots task8 = { .pid = 8, .stream_cpus = cpus },
				 cpu0 = { .by_cpu = true, .cpu = 0, .stream_cpus = cpus };
	static const int same[] = { 0, 0 };
	const struct graph_roots both = { .by_cpu = true, .cpu = 0, .stream_cpus = same };
	struct graph_rows rows;

	(void)state;
	graph_rows_init(&rows);
	check(&rows, tree, &task8, false, false, "d\ne\n");
	check(&rows, tree, &cpu0, false, false, "a\n+b\n");
	/* In the order of time, with their tasks. */
	check(&rows, tree, &both, false, false, "a\nd\n+b\ne\n");
	assert_int_equal(call_tree_task(tree, rows.rows[0].task)->pid, 7);
	assert_int_equal(call_tree_task(tree, rows.rows[1].task)->pid, 8);
	assert_int_equal(call_tree_task(tree, rows.rows[2].task)->pid, 7);
	graph_rows_fini(&rows);
	call_tree_free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_folded),
		cmocka_unit_test(siblings_share_a_row),
		cmocka_unit_test(outermost_calls_share_a_row),
		cmocka_unit_test(a_call_is_revealed),
		cmocka_unit_test(a_call_without_end_is_revealed),
		cmocka_unit_test(revealed_siblings_stand_as_they_came),
		cmocka_unit_test(filters_keep_what_is_above),
		cmocka_unit_test(roots_of_a_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
