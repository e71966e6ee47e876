/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rows say, on traces of real kernels beside those kernels' own text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/types/field.h"
#include "parsers/file/trace_file.h"
#include "parsers/printer/printer.h"
#include "parsers/source/source.h"
#include "parsers/lines/line_record.h"
#include "src/trace/syscall_names.h"
#include "src/trace/trace.h"
#include "src/trace/trace_streams.h"
#include "src/trace/trace_latency.h"
#include "tests/lib/open_recorded.h"

static struct trace *open_fixture(const char *name)
{
	struct trace *trace = open_recorded(name, 1);

	trace_wait(trace);
	return trace;
}

/* --- flags ------------------------------------------------------------------------ */

static void test_flag_letters(void **state)
{
	static const struct {
		uint8_t		flags, preempt;
		bool		lazy;
		const char	*text;
	} cases[] = {
		{ 0x00, 0x00, false, "....." }, { 0x01, 0x00, false, "d...." },
		{ 0x80, 0x00, false, "b...." },
		{ 0x81, 0x00, false, "D...." }, { 0x02, 0x00, false, "X...." },
		{ 0x04, 0x01, false, ".n.1." },
		{ 0x20, 0x00, false, ".p..." }, { 0x24, 0x00, false, ".N..." },
		{ 0x08, 0x00, false, "..h.." },
		{ 0x10, 0x00, false, "..s.." }, { 0x18, 0x00, false, "..H.." },
		{ 0x40, 0x00, false, "..z.." },
		{ 0x48, 0x00, false, "..Z.." }, { 0x00, 0x2f, false, "...f2" },
		{ 0x02, 0x00, true, ".l..." },
		{ 0x06, 0x00, true, ".b..." }, { 0x22, 0x00, true, ".L..." },
		{ 0x26, 0x00, true, ".B..." },
		{ 0x09, 0x12, true, "d.h21" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_event event = { .kind = TRACE_ROW_EVENT, .flags = cases[i].flags,
					     .preempt_count = cases[i].preempt,
					     .lazy_resched = cases[i].lazy };
		struct text out = { 0 };

		trace_latency_flags(&event, &out);
		assert_string_equal(text_str(&out), cases[i].text);
		text_fini(&out);
	}
}

/*
 * Is it what the kernel says behind the time: "name: text", or text that needs no name?  Function
 * records are told shortly.
 */
static bool says(struct trace *trace, const struct trace_event *event, const char *body)
{
	const char *name = trace_event_name(event);
	struct text out = { 0 };
	bool same;

	trace_event_text(trace, event, NULL, TRACE_TEXT_KERNEL, &out);
	same = !strcmp(text_str(&out), body) ||
	       (!strncmp(body, name, strlen(name)) && !strncmp(body + strlen(name), ": ", 2) &&
		!strcmp(text_str(&out), body + strlen(name) + 2));
	text_fini(&out);
	return same;
}

/*
 * The record of a line of the kernel's text: same CPU, task and microsecond; one of them has its
 * flags, one its text.
 */
static bool find_record(struct trace *trace, struct trace_cursor *cursor, int cpu, int pid,
			uint64_t us, const char *flags, const char *body, bool *same_text)
{
	struct trace_event event;
	bool any = false, same = false;

	trace_cursor_seek_time(cursor, (int64_t)us * 1000 - 500);
	*same_text = false;
	while ((!same || !*same_text) && trace_cursor_next(cursor, &event) &&
	       event.ts < (int64_t)us * 1000 + 500) {
		struct text out = { 0 };

		if (event.cpu != cpu || event.pid != pid || event.kind != TRACE_ROW_EVENT)
			continue;
		any = true;
		trace_latency_flags(&event, &out);
		same = same || !strcmp(text_str(&out), flags);
		*same_text = *same_text || says(trace, &event, body);
		text_fini(&out);
	}
	if (any && !same)
		fail_msg("%s: CPU %d pid %d at %llu us: no record has the flags %s",
			 trace_path(trace, 0), cpu, pid, (unsigned long long)us, flags);
	return any;
}

struct compared {
	unsigned int	records, texts;	/* found by their flags; of those: with the same text */
};

static struct compared compare_lines(const char *name, const char *text_path)
{
	struct trace *trace = open_fixture(name);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	char command[2600], line[1024], flags[16];
	struct compared nr = { 0 };
	unsigned int lines = 0;
	bool same_text;
	regex_t record;
	regmatch_t m[7];
	FILE *f;

	snprintf(command, sizeof(command), "gzip -dcf '%s'", text_path);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(
		regcomp(&record,
			"-([0-9]+) +(\\([ 0-9-]+\\) )?\\[([0-9]+)\\] ([^ ]{5,7}) +([0-9]+)\\.([0-9]{6}): ",
			REG_EXTENDED),
		0);
	while (fgets(line, sizeof(line), f) && lines < 3000) {
		uint64_t us;

		if (line[0] == '#' || regexec(&record, line, 7, m, 0))
			continue;
		lines++;
		us = strtoull(line + m[5].rm_so, NULL, 10) * 1000000 +
		     strtoull(line + m[6].rm_so, NULL, 10);
		snprintf(flags, sizeof(flags), "%.*s", (int)(m[4].rm_eo - m[4].rm_so),
			 line + m[4].rm_so);
		line[strcspn(line, "\n")] = '\0';
		if (!find_record(trace, cursor, atoi(line + m[3].rm_so), atoi(line + m[1].rm_so),
				 us, flags, line + m[0].rm_eo, &same_text))
			continue;
		nr.records++;
		/* it hashed an address */
		nr.texts += same_text || strstr(line, "(____ptrval____)");
	}
	pclose(f);
	regfree(&record);
	trace_cursor_free(cursor);
	trace_close(trace);
	return nr;
}

/*
 * Others have records of tracers, which the screen tells in its own way, lines that are broken, and
 * what only the kernel knew.
 */
static bool is_of_events(const char *name)
{
	static const char *const fixtures[] = { "kprobe",    "irq",  "net", "syscalls",
						"empty-cpu", "date", "hist" };

	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++)
		if (!strcmp(fixtures[i], name))
			return true;
	return false;
}

static void test_flags_and_texts_are_the_kernels(void **state)
{
	struct compared all = { 0 }, nr;
	char base[2048], text[2400];
	struct dirent *e;
	DIR *d;

	(void)state;
	assert_true(recorded_dir(base, sizeof(base)));
	d = opendir(base);
	assert_non_null(d);
	while ((e = readdir(d))) {
		for (int gz = 0; gz < 2; gz++) {
			snprintf(text, sizeof(text), "%s/%s/kernel-trace.txt%s", base, e->d_name,
				 gz ? ".gz" : "");
			if (!access(text, R_OK))
				nr = compare_lines(e->d_name, text);
			else
				continue;
			all.records += nr.records;
			if (!is_of_events(e->d_name))
				continue;
			if (nr.texts * 100 < nr.records * 99)
				fail_msg("%s: of %u records %u have the kernel's text", e->d_name,
					 nr.records, nr.texts);
			all.texts += nr.texts;
		}
	}
	closedir(d);
	assert_true(all.records > 5000);
	assert_true(all.texts > 100);
}

/* --- names ------------------------------------------------------------------------- */

/* At a switch the two tasks have the names that the record tells. */
static void check_switch(struct trace *trace, const struct trace_event *event,
			 const char *pid_field, const char *comm_field)
{
	const struct event_field *pid = event_type_field(event->type, pid_field);
	const struct event_field *comm = event_type_field(event->type, comm_field);
	struct field_span span = field_bytes(comm, event->data, event->size, event->swap);
	int p = (int)field_u64(pid, event->data, event->size, event->swap);
	const char *name = trace_comm(trace, event->file, p, event->ts);

	if (!p) {
		assert_string_equal(name, "<idle>");
		return;
	}
	assert_int_equal(strlen(name), span.len);
	assert_memory_equal(name, span.data, span.len);
}

static void test_names_by_time(void **state)
{
	static const char *const fixtures[] = { "sched", "sched-7.2", "cpu4", "instances" };
	struct trace_event event;
	unsigned int nr = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		struct trace *trace = open_fixture(fixtures[i]);
		struct trace_cursor *cursor = trace_cursor_new(trace);

		trace_cursor_seek(cursor, trace_first(trace));
		while (trace_cursor_next(cursor, &event)) {
			if (event.kind != TRACE_ROW_EVENT ||
			    strcmp(trace_event_name(&event), "sched_switch"))
				continue;
			check_switch(trace, &event, "prev_pid", "prev_comm");
			check_switch(trace, &event, "next_pid", "next_comm");
			nr++;
		}
		trace_cursor_free(cursor);
		trace_close(trace);
	}
	assert_true(nr > 1000);
}

/* --- latency text ------------------------------------------------------------------- */

/* A row is a line and the lines of its stack, which begin with a blank and an arrow. */
static void check_text_row(struct trace *trace, const struct trace_event *event, const char *text,
			   uint64_t size, uint64_t *pos)
{
	struct text_slice lines = line_record_lines(event->data, event->size);
	unsigned int nr, newlines = 0;
	struct text *frames;

	if (!lines.len)			/* the exit of a call, which is one line */
		return;
	while (*pos < size && text[*pos] == '#')
		*pos = (uint64_t)((char *)memchr(text + *pos, '\n', size - *pos) + 1 - text);
	assert_int_equal(event->kind, TRACE_ROW_EVENT);
	assert_true(lines.len <= size - *pos);
	assert_memory_equal(lines.s, text + *pos, lines.len);
	*pos += lines.len + 1;
	for (size_t i = 0; i < lines.len; i++)
		newlines += lines.s[i] == '\n';
	nr = trace_event_stack(trace, event, &frames);
	assert_int_equal(nr, newlines);
	assert_int_equal(trace_event_is_stack(event), nr > 0);
	for (unsigned int i = 0; i < nr; i++)
		assert_non_null(memmem(lines.s, lines.len, text_str(&frames[i]), frames[i].len));
	trace_stack_free(frames, nr);
}

static void test_latency_text_is_rows(void **state)
{
	struct trace *trace = open_fixture("irqsoff");
	uint64_t size, pos = 0, row = 0;
	const char *text = trace_file_latency_text(trace_file_of(trace, 0), 0, &size);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	bool exact;

	(void)state;
	assert_non_null(trace_text_header(trace));
	trace_cursor_seek(cursor, trace_first(trace));
	for (; trace_cursor_next(cursor, &event); row++) {
		check_text_row(trace, &event, text, size, &pos);
		assert_int_equal(trace_rank(trace, event.ref, &exact), row);
		assert_int_equal(trace_select(trace, row), event.ref);
	}
	assert_true(pos >= size);
	assert_int_equal(trace_status(trace).rows, row);
	while (trace_cursor_prev(cursor, &event))
		row--;
	assert_int_equal(row, 0);
	trace_cursor_free(cursor);
	trace_close(trace);
}

/* Read by hand from each fixture's report.txt: the section's ends, and the latency, in µs. */
static void test_latency_section(void **state)
{
	static const struct { const char *name; int latency, first, last; } cases[] = {
		{ "irqsoff", 2439, 1, 2439 },
		{ "irqsoff-7.2", 8684, 0, 8683 },
		{ "irqsoff-graph", 3200, 0, 3198 },
		{ "preemptoff", 6649, 0, 6648 },
		{ "preemptirqsoff", 2913, 1, 2913 },
		{ "wakeup", 248, 9, 247 },
		{ "wakeup-rt", 4096, 4, 4093 },
		{ "wakeup-rt-7.2", 252, 3, 251 },
		{ "wakeup-rt-graph", 629, 1, 628 },
		{ "tc34-irqsoff", 9814, 0, 9814 },
	};
	struct trace_latency latency;
	struct trace_event event;
	char path[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace *trace;

		if (!recorded_path(cases[i].name, "trace.dat", path, sizeof(path)))
			continue;
		trace = open_fixture(cases[i].name);
		assert_true(trace_latency(trace, &latency));
		assert_int_equal(latency.header->latency_ns, cases[i].latency * 1000);
		assert_true(trace_event_at(trace, latency.first, &event));
		assert_int_equal(event.ts, cases[i].first * 1000);
		assert_int_equal(latency.before_ns, event.ts);
		assert_true(trace_event_at(trace, latency.last, &event));
		assert_int_equal(event.ts, cases[i].last * 1000);
		assert_int_equal(latency.after_ns, latency.header->latency_ns - event.ts);
		assert_int_equal(trace_latency_is_whole(&latency),
				 cases[i].latency - (cases[i].last - cases[i].first) <= 1);
		trace_close(trace);
	}
	assert_string_equal(trace_latency_policy(6), "deadline");
	assert_string_equal(trace_latency_policy(-1), "?");
	assert_string_equal(trace_latency_policy(8), "?");
}

/* --- rows ------------------------------------------------------------------------------ */

static void test_lost_row_says_what_is_known(void **state)
{
	struct trace *trace = open_fixture("cpu4");
	struct trace_event event;
	struct text out = { 0 };
	bool wrapped;
	trace_ref ref = trace_next_trouble(trace, trace_first(trace), &wrapped);

	(void)state;
	assert_true(trace_event_at(trace, ref, &event));
	assert_int_equal(event.kind, TRACE_ROW_LOST);
	trace_event_text(trace, &event, NULL, TRACE_TEXT_KERNEL, &out);
	assert_string_equal(text_str(&out),
			    "CPU 0 lost 949 events between 7.328262 (its beginning) and 7.430860; "
			    "949 is the kernel's count");
	assert_int_equal(trace_status(trace).lost_events, 949);
	assert_int_equal(trace_status(trace).events, 15823);
	text_fini(&out);
	trace_close(trace);
}

static void test_stack_lines(void **state)
{
	struct trace *trace = open_fixture("stack");
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	struct text *lines;
	unsigned int nr = 0;

	(void)state;
	trace_cursor_seek(cursor, trace_first(trace));
	do
		assert_true(trace_cursor_next(cursor, &event));
	while (!trace_event_is_stack(&event));
	nr = trace_event_stack(trace, &event, &lines);
	assert_true(nr > 5);
	assert_memory_equal(text_str(&lines[0]), "trace_event_raw_event_sched_wakeup_template+0x",
			    46);
	assert_memory_equal(text_str(&lines[1]), "try_to_wake_up+0x", 17);
	trace_stack_free(lines, nr);
	trace_cursor_free(cursor);
	trace_close(trace);
}

static void test_fields_of_an_event(void **state)
{
	struct trace *trace = open_fixture("sched");
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_field_value *fields;
	struct trace_event event;
	unsigned int nr, found = 0;

	(void)state;
	trace_cursor_seek(cursor, trace_first(trace));
	do
		assert_true(trace_cursor_next(cursor, &event));
	while (strcmp(trace_event_name(&event), "sched_switch"));
	assert_string_equal(trace_event_system(&event), "sched");
	nr = trace_event_fields(trace, &event, &fields);
	assert_int_equal(nr, event.type->nr_fields);
	for (unsigned int i = 0; i < nr; i++) {
		if (!strcmp(fields[i].name, "common_pid")) {
			assert_int_equal(atoi(text_str(&fields[i].raw)), event.pid);
			found++;
		} else if (!strcmp(fields[i].name, "next_pid")) {
			const struct event_field *field = event_type_field(event.type, "next_pid");

			assert_int_equal(atoi(text_str(&fields[i].raw)),
					 field_u64(field, event.data, event.size, event.swap));
			found++;
		}
	}
	assert_int_equal(found, 2);
	assert_int_equal(trace_event_duration(&event), -1);
	/* no offset behind the last symbol */
	assert_null(trace_symbol(trace, 0, UINT64_MAX, NULL));
	trace_fields_free(fields, nr);
	trace_cursor_free(cursor);
	trace_close(trace);
}

/*
 * The value of a field is never libtraceevent's "ARRAY[…]": it gives one for strings with bytes
 * that are not ASCII, and from then on for all strings of that field.
 */
/* The numbers are those of the kernel's asm/unistd.h of each architecture. */
static void test_syscall_names(void **state)
{
	static const struct {
		const char	*uname;
		uint64_t	 nr;
		const char	*name;
	} cases[] = {
		{ "Linux host 6.1.0 x86_64", 257, "openat" },
		{ "Linux host 6.1.0 i686", 295, "openat" },
		{ "Linux ? 5.10.107-android13 aarch64", 56, "openat" },
		{ "Linux host 6.1.0 armv7l", 322, "openat" },
		{ "Linux host 6.1.0 ppc64le", 286, "openat" },
		{ "Linux host 6.1.0 s390x", 288, "openat" },
		{ "Linux host 6.1.0 x86_64", 4000, NULL },
		{ "Linux host 6.1.0 mips64", 5247, "openat" },
		{ "Linux box 6.1.0", 257, NULL },
		{ "", 257, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena arena = { 0 };
		const struct value_names *names = syscall_names_find(&arena, cases[i].uname);
		const char *name = NULL;

		for (unsigned int n = 0; names && n < names->nr; n++)
			if (names->names[n].value == cases[i].nr)
				name = names->names[n].name;
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
		else
			assert_null(name);
		arena_fini(&arena);
	}
}

/* The numbers of sigreturn and rt_sigreturn, from the same files. */
static void test_syscall_ends(void **state)
{
	static const struct {
		const char	*uname;
		int64_t		 call, end;
		bool		 ends;
	} cases[] = {
		{ "Linux host 6.1.0 x86_64", 15, -1, true },
		{ "Linux host 6.1.0 x86_64", 15, 15, true },
		{ "Linux host 6.1.0 x86_64", 173, -1, true },	/* of i386 */
		{ "Linux host 6.1.0 x86_64", 119, -1, true },
		{ "Linux host 6.1.0 x86_64", 139, -1, false },
		{ "Linux host 6.1.0 x86_64", 0, -1, false },
		{ "Linux host 6.1.0 x86_64", 0, 0, true },
		{ "Linux host 6.1.0 x86_64", 0, 15, false },
		{ "Linux host 6.1.0 aarch64", 139, -1, true },
		{ "Linux host 6.1.0 aarch64", 15, -1, false },
		{ "Linux host 6.1.0 i686", 173, -1, true },
		{ "Linux host 6.1.0 i686", 15, -1, false },
		{ "", 15, -1, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct syscall_returns returns = syscall_names_returns(cases[i].uname);

		assert_int_equal(syscall_names_ends(&returns, cases[i].call, cases[i].end),
				 cases[i].ends);
	}
}

static void test_no_arrays(void **state)
{
	static const char *const names[] = { "cpu4",   "blk",       "sample",
					     "marker", "sched-7.2", "kprobe" };
	unsigned int strings = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct trace *trace = open_fixture(names[i]);
		struct trace_cursor *cursor = trace_cursor_new(trace);
		struct trace_event event;

		trace_cursor_seek(cursor, trace_first(trace));
		for (unsigned int n = 0; n < 3000 && trace_cursor_next(cursor, &event); n++) {
			struct trace_field_value *fields;
			unsigned int nr = trace_event_fields(trace, &event, &fields);

			for (unsigned int f = 0; f < nr; f++) {
				if (strstr(text_str(&fields[f].printed), "ARRAY["))
					fail_msg("%s: %s of %s is %s", names[i], fields[f].name,
						 trace_event_name(&event),
						 text_str(&fields[f].printed));
				strings += strstr(fields[f].type, "char[") != NULL;
			}
			trace_fields_free(fields, nr);
		}
		trace_cursor_free(cursor);
		trace_close(trace);
	}
	assert_true(strings > 1000);
}

/* A line of a text has no other line in it, as the printer says of each. */
static void test_lines_are_not_merged(void **state)
{
	struct trace *trace;
	struct trace_cursor *cursor;
	struct trace_event event;
	struct print_record rec;
	struct text out = { 0 };
	bool merged = true;
	char path[4096];

	(void)state;
	assert_true(recorded_path("cpu4", "kernel-trace.txt.gz", path, sizeof(path)));
	trace = open_path(path, 1);
	trace_wait(trace);
	cursor = trace_cursor_new(trace);
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event) && event.kind != TRACE_ROW_EVENT)
		;
	rec = trace_print_record(&event);
	printer_text_by_library(trace_printer(trace, 0), PRINT_TRACE_CMD, &rec, &rec, &merged,
				&out);
	assert_false(merged);
	assert_true(out.len > 0);
	trace_cursor_free(cursor);
	trace_close(trace);
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_not_merged),
		cmocka_unit_test(test_flag_letters),
		cmocka_unit_test(test_flags_and_texts_are_the_kernels),
		cmocka_unit_test(test_names_by_time),
		cmocka_unit_test(test_latency_text_is_rows),
		cmocka_unit_test(test_latency_section),
		cmocka_unit_test(test_lost_row_says_what_is_known),
		cmocka_unit_test(test_stack_lines),
		cmocka_unit_test(test_fields_of_an_event),
		cmocka_unit_test(test_no_arrays),
		cmocka_unit_test(test_syscall_names),
		cmocka_unit_test(test_syscall_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
