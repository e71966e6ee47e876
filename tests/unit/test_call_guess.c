/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of call_guess.h, one by one: what is called from where, and how deep it is then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parsers/types/kallsyms.h"
#include "src/calls/call_guess.h"

/* Functions a to h, 16 bytes each. */
static const char symbols[] =
	"ffffffff81000000 T a\nffffffff81000010 T b\nffffffff81000020 T c\nffffffff81000030 T d\n"
	"ffffffff81000040 T e\nffffffff81000050 T f\nffffffff81000060 T g\nffffffff81000070 T h\nffffffff81000080 T end\n";

static uint64_t in(char letter)
{
	return letter ? 0xffffffff81000004u + 16u * (uint64_t)(letter - 'a') : 0;
}

struct step {
	char		function, caller;	/* caller 0: an address of no function */
	int		depth;			/* expected */
	uint8_t		level;
	int32_t		pid;			/* 0: 7 */
	uint16_t	stream;
	const char	*stack;			/* the innermost first; '?': no
						   function's; NULL: none */
	bool		lost;			/* something was lost on its CPU before */
};

static void check(const struct step *steps, size_t nr, const struct kallsyms *syms)
{
	struct call_guess *guess = call_guess_new(syms);

	for (size_t i = 0; i < nr; i++) {
		const struct step *s = &steps[i];
		struct graph_record record = { .func = in(s->function), .pid = s->pid ? s->pid : 7,
					       .stream = s->stream,
					       .level = s->level };
		uint64_t stack[16];
		uint32_t len = s->stack ? (uint32_t)strlen(s->stack) : 0;

		for (uint32_t k = 0; k < len; k++)
			stack[k] = s->stack[k] == '?' ? 0x1234 : in(s->stack[k]);
		if (s->lost)
			call_guess_lost(guess, s->stream);
		assert_int_equal(call_guess_depth(guess, &record, in(s->caller), stack, len),
				 s->depth);
	}
	call_guess_free(guess);
}

#define CHECK(...) do { \
		static const struct step steps[] = { __VA_ARGS__ }; \
		struct kallsyms *syms = kallsyms_new(symbols, sizeof(symbols) - 1); \
		check(steps, sizeof(steps) / sizeof(steps[0]), syms); \
		kallsyms_free(syms); \
	} while (0)

static void callers(void **state)
{
	(void)state;
	/* a calls b and c, b calls d; an unknown caller: the outermost again. */
	CHECK({ 'a', 0, 0 }, { 'b', 'a', 1 }, { 'd', 'b', 2 }, { 'c', 'a', 1 }, { 'd', 'b', 0 },
	      { 'a', 0, 0 }, { 'h', 'g', 0 });
	/* Recursion: the innermost one is meant. */
	CHECK({ 'a', 0, 0 }, { 'a', 'a', 1 }, { 'a', 'a', 2 }, { 'b', 'a', 3 }, { 'c', 'a', 3 },
	      { 'd', 'c', 4 });
	/*
	 * Two tasks in turn; one goes on on another CPU; the idle task of each CPU is one by
	 * itself.
	 */
	CHECK({ 'a', 0, 0 }, { 'b', 'a', 0, .pid = 8 }, { 'b', 'a', 1 }, { 'c', 'b', 1, .pid = 8 },
	      { 'c', 'b', 2, .stream = 1 });
}

static void idle_tasks(void **state)
{
	struct kallsyms *syms = kallsyms_new(symbols, sizeof(symbols) - 1);
	struct call_guess *guess = call_guess_new(syms);
	struct graph_record a = { .func = in('a') }, b = { .func = in('b') };

	(void)state;
	assert_int_equal(call_guess_depth(guess, &a, 0, NULL, 0), 0);
	b.stream = 1;
	assert_int_equal(call_guess_depth(guess, &b, in('a'), NULL, 0), 0);
	b.stream = 0;
	assert_int_equal(call_guess_depth(guess, &b, in('a'), NULL, 0), 1);
	call_guess_free(guess);
	kallsyms_free(syms);
}

static void interrupts(void **state)
{
	(void)state;
	/*
	 * In b an interrupt: its functions stand below b, and find their callers among themselves
	 * alone.
	 */
	CHECK({ 'a', 0, 0 }, { 'b', 'a', 1 }, { 'e', 0, 2, GRAPH_HARDIRQ },
	      { 'f', 'e', 3, GRAPH_HARDIRQ }, { 'g', 'a', 2, GRAPH_HARDIRQ }, { 'c', 'b', 2 },
	      { 'd', 'a', 1 });
	/* A soft irq, in it a hard one, in that an NMI; each is over when a lower level runs. */
	CHECK({ 'a', 0, 0 }, { 'b', 0, 1, GRAPH_SOFTIRQ }, { 'c', 0, 2, GRAPH_HARDIRQ },
	      { 'd', 0, 3, GRAPH_NMI }, { 'e', 'c', 3, GRAPH_HARDIRQ },
	      { 'f', 'b', 2, GRAPH_SOFTIRQ }, { 'g', 0, 1, GRAPH_SOFTIRQ }, { 'h', 'a', 1 });
}

static void stacks(void **state)
{
	(void)state;
	/* Between a and d two functions were not traced; then a is off the stack. */
	CHECK({ 'a', 0, 0, .stack = "ah" }, { 'd', 'c', 1, .stack = "?dcbah" }, { 'e', 'c', 1, .stack = "?ecbah" },
	      { 'f', 'e', 2, .stack = "fecbah" }, { 'e', 'b', 0, .stack = "ebh" });
	/*
	 * Calls stay from the outermost on, in the order of the stack: with b gone what it called
	 * is, too.
	 */
	CHECK({ 'a', 0, 0, .stack = "a" }, { 'b', 'a', 1, .stack = "ba" }, { 'c', 'b', 2, .stack = "cba" },
	      { 'd', 'c', 1, .stack = "dca" });
	/* Recursion: as often as on the stack. */
	CHECK({ 'a', 0, 0, .stack = "a" }, { 'a', 'a', 1, .stack = "aa" }, { 'a', 'a', 2, .stack = "aaa" },
	      { 'a', 'a', 1, .stack = "aa" });
	/* f is not on it: all of it counts.  An interrupt's stack says nothing of whom it hit. */
	CHECK({ 'a', 0, 0, .stack = "a" }, { 'b', 'a', 1, .stack = "a" },
	      { 'e', 0, 2, GRAPH_HARDIRQ, .stack = "e" },
	      { 'f', 'e', 3, GRAPH_HARDIRQ, .stack = "fe" }, { 'c', 'b', 2, .stack = "cba" });
	/* A trace without one among them goes by its caller. */
	CHECK({ 'a', 0, 0, .stack = "ah" }, { 'd', 'c', 0 }, { 'e', 'd', 1 });
}

static void losses(void **state)
{
	(void)state;
	CHECK({ 'a', 0, 0 }, { 'b', 'a', 1 }, { 'c', 'b', 0, .lost = true }, { 'd', 'c', 1 });
	/* On another CPU: nothing to do with it, unless that is where the task is seen next. */
	CHECK({ 'a', 0, 0 }, { 'h', 0, 0, .pid = 8, .stream = 1, .lost = true }, { 'b', 'a', 1 },
	      { 'c', 'b', 2, .stream = 1 });
	CHECK({ 'a', 0, 0 }, { 'h', 0, 0, .pid = 8, .stream = 1, .lost = true },
	      { 'b', 'a', 0, .stream = 1 });
	/* It was seen last where something was lost then. */
	CHECK({ 'a', 0, 0, .stream = 1 }, { 'h', 0, 0, .pid = 8, .stream = 1, .lost = true },
	      { 'b', 'a', 0 });
	/* A new task is not hit by what was lost before it. */
	CHECK({ 'h', 0, 0, .lost = true }, { 'a', 0, 0, .pid = 9 }, { 'b', 'a', 1, .pid = 9 });
}

/*
 * Without symbols all stand outermost; what is deeper than any stack begins anew; any number of
 * tasks is let in.
 */
static void hostile(void **state)
{
	struct kallsyms *syms = kallsyms_new(symbols, sizeof(symbols) - 1);
	struct call_guess *guess = call_guess_new(NULL);
	struct graph_record record = { .func = in('a'), .pid = 7 };

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(call_guess_depth(guess, &record, in('a'), NULL, 0), 0);
	call_guess_free(guess);
	guess = call_guess_new(syms);
	for (uint32_t i = 0; i < 3 * CALL_GUESS_DEEPEST; i++)
		assert_int_equal(call_guess_depth(guess, &record, in('a'), NULL, 0),
				 i % CALL_GUESS_DEEPEST);
	for (int32_t pid = 0; pid < 100000; pid++) {
		record.pid = pid * 7919;
		call_guess_depth(guess, &record, in('a'), NULL, 0);
	}
	call_guess_free(guess);
	kallsyms_free(syms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers),
		cmocka_unit_test(idle_tasks),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(stacks),
		cmocka_unit_test(losses),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
