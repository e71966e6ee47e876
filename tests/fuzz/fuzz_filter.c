/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_filter - the bytes as a filter's text: parsed, bound to a small trace, and run on its rows.
 */
#include "src/commands/derived_names.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/filter/filter.h"
#include "src/match/matches_private.h"
#include "src/base/memory.h"
#include "src/trace/trace.h"
#include "tests/lib/samples.h"

const char fuzz_name[] = "fuzz_filter";

static uint64_t sum;

/* One trace for all texts. */
static struct trace *the_trace(void)
{
	static struct trace *trace;
	struct trace_options options = { .nr_workers = 1,
					 .filter_names = derived_names,
					 .hold_permille = -1 };
	const char *path = "fuzz_filter.dat";
	struct ft_error err = { 0 };

	if (trace)
		return trace;
	if (sample_write(sample_find("v6"), path, &err))
		abort();
	trace = trace_open(&path, 1, true, &options, &err);
	if (!trace)
		abort();
	trace_wait(trace);
	unlink(path);
	return trace;
}

static void run(struct trace *trace, const struct filter *filter)
{
	struct filter_run *r = filter_run_new(filter);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;

	trace_cursor_seek(cursor, trace_first(trace));
	for (unsigned int i = 0; i < 50 && trace_cursor_next(cursor, &event); i++) {
		bool match = filter_run_event(r, &event);

		if (event.kind == TRACE_ROW_EVENT &&
		    filter_run_type(r, event.type_id) != FILTER_TEST)
			assert(match == (filter_run_type(r, event.type_id) == FILTER_ALWAYS));
		if (event.kind == TRACE_ROW_EVENT && match)
			assert(match_page_may(trace, event.stream, r, trace_ref_page(event.ref)));
		sum += match;
	}
	trace_cursor_free(cursor);
	filter_run_free(r);
}

static void try_text(const char *text, bool compat)
{
	static const struct filter_macro macros[] = { { "slow", "common_pid > 3 && x" },
						      { "again", "again || 1" } };
	struct filter_options options = {
		.compat = compat, .has_a = true, .a = 5, .macros = macros, .nr_macros = 2
	};
	struct filter_source source = { .text = text, .file = -1 };
	struct filter_error err = { 0 };
	struct filter *filter = filter_new(the_trace(), &source, 1, &options, &err);

	if (!filter) {
		assert(err.message.len && err.from <= err.to && err.to <= strlen(text));
	} else {
		assert(!err.message.len);
		assert(filter_implies(filter, filter) || compat || !*text || source.negate);
		filter_empty_reason(filter);
		run(the_trace(), filter);
	}
	filter_free(filter);
	text_fini(&err.message);
}

static void try_completion(const char *text)
{
	struct filter_word *words = NULL;
	size_t len = strlen(text), from = 0;
	unsigned int nr = filter_complete(the_trace(), text, len - len / 3, NULL, &from, &words);

	assert(from <= len);
	filter_words_free(words, nr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > 2000)
		size = 2000;
	text = mem_strndup((const char *)data, size);
	try_text(text, false);
	try_text(text, true);
	try_completion(text);
	free(text);
	return 0;
}

static const char *const seeds[] = {
	"sched_switch: prev_state == R && next_prio < 100 || !irq",
	"pid in (1, 2-5) and cpu not in 0-3,7 or comm =~ /^a+b|c$/i",
	"(common_pid & 4) * -3 + 2 >= ~7 << 1 || common_type % 2 == common_pid / 3",
	"*: \"text\" || 'c' == common_flags && comm ~ \"k[a-z]*\" && comm contains \"x\"",
	"sched/sched_*, ftrace/print : buf == a* || buf != \"\\\"q\\\"\" || ip =~ \"\\(x\\|y\\)*\"",
	"between a +1.5ms && time > 7.25 && slow && stack contains vfs_read",
	"args[0] == 3 || args[any] < -1 || mask & CPUS{1-3,5} || func == do_* || lost",
	".*:COMM != \"x\" && CPU == 1 || !(a =~ \"b.*\")", "again", "((((((",
	"self > 10us || net not in (1, 2) && under vfs_* || !(tgid == pid) && ret < -ENOENT",
	"tgid in (1, 5-9) && under f",
	 "a==1&&b==2||c==3",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
