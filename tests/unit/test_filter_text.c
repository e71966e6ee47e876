/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text anywhere in a line: what a filter keeps that does not make most of the lines, beside all
 * lines made and searched one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "parsers/printer/printer.h"
#include "src/base/memory.h"
#include "src/commands/derived_names.h"
#include "src/filter/filter.h"
#include "src/trace/trace_streams.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/recorded.h"

#define EACH		8u		/* expressions for a trace */
#define EACH_LONG	40u		/* with FTOP_TEST_LONG */
#define MAX_EVENTS	6000u

struct lines {
	struct trace	*trace;
	struct text	*lines;		/* owned, [nr] */
	unsigned int	nr;
};

static void make_line(struct trace *trace, const struct trace_event *e, struct text *out)
{
	struct print_record rec = { .type = e->type, .data = e->data, .size = e->size,
				    .room = e->room, .ts = (uint64_t)e->ts,
				    .cpu = e->cpu };

	text_printf(out, "%s-%d %s: ", trace_comm(trace, e->file, e->pid, e->ts), e->pid,
		    e->type ? e->type->name : "?");
	printer_text(trace_printer(trace, e->file), PRINT_KERNEL, &rec, NULL, NULL, out);
}

static void make_lines(struct lines *l)
{
	struct trace_cursor *c = trace_cursor_new(l->trace);
	struct trace_event e;

	l->lines = mem_array(MAX_EVENTS, sizeof(*l->lines));
	trace_cursor_seek(c, trace_first(l->trace));
	while (l->nr < MAX_EVENTS && trace_cursor_next(c, &e))
		if (e.kind == TRACE_ROW_EVENT)
			make_line(l->trace, &e, &l->lines[l->nr++]);
	trace_cursor_free(c);
}

/* --- expressions: what they say, and what pcre2 is to look for -------------------- */

struct expression {
	struct text	filter;		/* "\"bash\"", "/ba.*h/" */
	struct text	regex;
	bool		fold;
};

static void add_piece(struct gen_random *r, const struct lines *l, struct text *out)
{
	const struct text *line = &l->lines[gen_random_below(r, l->nr)];
	size_t begin = gen_random_below(r, (unsigned int)line->len),
	       len = 1 + gen_random_below(r, 12);

	for (size_t i = begin; i < line->len && i < begin + len; i++)
		if (isprint((unsigned char)line->data[i]))
			text_char(out, line->data[i]);
}

static void add_escaped(struct text *out, const char *s)
{
	for (; *s; s++) {
		if (ispunct((unsigned char)*s))
			text_char(out, '\\');
		text_char(out, *s);
	}
}

static void make_expression(struct gen_random *r, const struct lines *l, struct expression *e)
{
	struct text one = { 0 }, other = { 0 };

	add_piece(r, l, &one);
	add_piece(r, l, &other);
	switch (gen_random_below(r, 4)) {
	case 0:				/* as it stands; in either case without a capital */
	case 1:
		e->fold = true;
		for (size_t i = 0; i < one.len; i++)
			e->fold &= !isupper((unsigned char)one.data[i]);
		text_char(&e->filter, '"');
		for (size_t i = 0; i < one.len; i++) {
			if (strchr("\"\\", one.data[i]))
				text_char(&e->filter, '\\');
			text_char(&e->filter, one.data[i]);
		}
		text_char(&e->filter, '"');
		add_escaped(&e->regex, text_str(&one));
		break;
	case 2:
		add_escaped(&e->regex, text_str(&one));
		text_add(&e->regex, ".*");
		add_escaped(&e->regex, text_str(&other));
		break;
	default:
		add_escaped(&e->regex, text_str(&one));
		text_char(&e->regex, '|');
		add_escaped(&e->regex, text_str(&other));
		break;
	}
	if (!e->filter.len)
		text_printf(&e->filter, "/%s/", text_str(&e->regex));
	text_fini(&one);
	text_fini(&other);
}

/* --- the comparison ----------------------------------------------------------------- */

static unsigned int compare(const struct lines *l, const struct expression *e)
{
	struct filter_source source = { .text = text_str(&e->filter), .file = -1 };
	struct filter_error err = { 0 };
	struct filter *filter = filter_new(l->trace, &source, 1, NULL, &err);
	struct trace_cursor *c = trace_cursor_new(l->trace);
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	unsigned int kept = 0, nr = 0;
	struct filter_run *run;
	struct trace_event event;
	PCRE2_SIZE offset;
	pcre2_code *code;
	int error;

	if (!filter)
		fail_msg("%s: %s", text_str(&e->filter), text_str(&err.message));
	code = pcre2_compile((PCRE2_SPTR)text_str(&e->regex), e->regex.len,
			     e->fold ? PCRE2_CASELESS : 0, &error, &offset, NULL);
	assert_non_null(code);
	run = filter_run_new(filter);
	trace_cursor_seek(c, trace_first(l->trace));
	while (nr < l->nr && trace_cursor_next(c, &event)) {
		const struct text *line = &l->lines[nr];
		bool expected, got;

		if (event.kind != TRACE_ROW_EVENT)
			continue;
		expected = pcre2_match(code, (PCRE2_SPTR)text_str(line), line->len, 0, 0, data,
				       NULL) >= 0;
		got = filter_run_event(run, &event);
		if (got != expected)
			fail_msg("%s %s \"%s\"", text_str(&e->filter), got ? "keeps" : "leaves out",
				 text_str(line));
		kept += got;
		nr++;
	}
	filter_run_free(run);
	filter_free(filter);
	trace_cursor_free(c);
	pcre2_match_data_free(data);
	pcre2_code_free(code);
	return kept;
}

static const char *const traces[] = { "sched",  "cpu4",  "kprobe",    "sample", "fgraph-7.2",
				      "marker", "stack", "lost-text", "hist",   "blk" };

static void test_lines(void **state)
{
	const unsigned int each = getenv("FTOP_TEST_LONG") ? EACH_LONG : EACH;
	unsigned int some = 0, all = 0;
	struct gen_random r;

	(void)state;
	gen_random_init(&r, 3);
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		struct trace_options options = { .nr_workers = 1,
						 .filter_names = derived_names,
						 .hold_permille = -1 };
		struct lines l = { .nr = 0 };
		struct ft_error err = { 0 };
		char path[4096];
		const char *p = path;

		if (!recorded_path(traces[i], "trace.dat", path, sizeof(path)))
			continue;
		l.trace = trace_open(&p, 1, true, &options, &err);
		assert_non_null(l.trace);
		trace_wait(l.trace);
		make_lines(&l);
		for (unsigned int k = 0; k < each; k++) {
			struct expression e = { .fold = false };
			unsigned int kept;

			make_expression(&r, &l, &e);
			kept = compare(&l, &e);
			all++;
			some += kept > 0 && kept < l.nr;
			text_fini(&e.filter);
			text_fini(&e.regex);
		}
		for (unsigned int k = 0; k < l.nr; k++)
			text_fini(&l.lines[k]);
		free(l.lines);
		trace_close(l.trace);
	}
	print_message("%u expressions, %u of them kept some\n", all, some);
	assert_true(some > all / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
