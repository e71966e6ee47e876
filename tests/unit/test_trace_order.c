/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of recorded traces against the text of trace-cmd report: the same records in
 * the same order at the same times, and the same losses before them.  The text is
 * taken apart here, by a regular expression, and by nothing of the project.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/lines/line_source.h"
#include "parsers/types/event_types.h"
#include "src/trace/trace.h"
#include "tests/lib/recorded.h"

#define RECORD	"-([0-9]+) +\\[([0-9]{3,})\\] *([0-9]+)(\\.([0-9]+))?: +([^ ]*):( |$)"
#define DROPPED	"CPU:([0-9]+) \\[(([0-9]+) )?EVENTS DROPPED\\]"

struct report {				/* the text, line by line */
	FILE	*file;
	bool	 piped;
	char	*line;
	size_t	 cap;
	regex_t	 record, dropped;
	/* The line at hand: */
	bool	 more;			/* there is one */
	bool	 is_dropped;
	int	 cpu, pid, decimals;
	uint64_t time;			/* all digits, without the point */
	uint64_t dropped_count;		/* 0: not told */
	char	 name[128];
};

static uint64_t number(const char *line, const regmatch_t *m)
{
	return m->rm_so < 0 ? 0 : strtoull(line + m->rm_so, NULL, 10);
}

/* The next line that tells a record or a loss; the others belong to the text of a record. */
static void report_next(struct report *r)
{
	regmatch_t m[8];

	r->more = false;
	while (getline(&r->line, &r->cap, r->file) >= 0) {
		r->is_dropped = regexec(&r->dropped, r->line, 8, m, 0) == 0;
		if (r->is_dropped) {
			r->cpu = (int)number(r->line, &m[1]);
			r->dropped_count = number(r->line, &m[3]);
			r->more = true;
			return;
		}
		if (regexec(&r->record, r->line, 8, m, 0))
			continue;
		r->pid = (int)number(r->line, &m[1]);
		r->cpu = (int)number(r->line, &m[2]);
		r->time = number(r->line, &m[3]);
		r->decimals = m[5].rm_so < 0 ? 0 : (int)(m[5].rm_eo - m[5].rm_so);
		for (int i = 0; i < r->decimals; i++)
			r->time = r->time * 10 + (uint64_t)(r->line[m[5].rm_so + i] - '0');
		snprintf(r->name, sizeof(r->name), "%.*s", (int)(m[6].rm_eo - m[6].rm_so),
			 r->line + m[6].rm_so);
		r->more = true;
		return;
	}
}

static bool report_open(struct report *r, const char *path)
{
	char command[4200];
	size_t len = strlen(path);

	memset(r, 0, sizeof(*r));
	if (access(path, R_OK))
		return false;
	r->piped = len > 3 && !strcmp(path + len - 3, ".gz");
	snprintf(command, sizeof(command), "gzip -dc '%s'", path);
	r->file = r->piped ? popen(command, "r") : fopen(path, "r");
	assert_non_null(r->file);
	assert_int_equal(regcomp(&r->record, RECORD, REG_EXTENDED), 0);
	assert_int_equal(regcomp(&r->dropped, DROPPED, REG_EXTENDED), 0);
	report_next(r);
	return true;
}

static void report_close(struct report *r)
{
	if (r->piped)
		pclose(r->file);
	else
		fclose(r->file);
	regfree(&r->record);
	regfree(&r->dropped);
	free(r->line);
}

static bool same_record(const struct report *r, const struct trace_event *event)
{
	uint64_t time = (uint64_t)event->ts;

	if (r->decimals == 6)
		time = (time + 500) / 1000;
	return !r->is_dropped && r->pid == event->pid && r->cpu == event->cpu && r->time == time &&
	       !strcmp(r->name, event->type ? event->type->name : "");
}

/*
 * Lost events are told only before a record that comes first in its page, and not before unknown
 * ones.
 */
static bool is_told(struct trace *trace, const struct trace_event *lost)
{
	trace_ref ref = trace_ref_make(lost->stream, trace_ref_page(lost->ref), 1);
	struct trace_event event;

	return trace_event_at(trace, ref, &event) && event.first_in_page && event.type;
}

/*
 * Exits that were not in the text at their place: most are part of the line of their entry.  After
 * such a line trace-cmd's merge may take a CPU's records too late, and tells one later than it
 * should.
 */
#define MAX_LATE	64u
struct late {
	struct trace_event	events[MAX_LATE];
	unsigned int		nr;
};

static bool is_late(const struct report *r, const struct late *late)
{
	for (unsigned int i = 0; r->more && i < late->nr && i < MAX_LATE; i++)
		if (same_record(r, &late->events[i]))
			return true;
	return false;
}

/* Returns how many records were compared. */
static unsigned long compare(const char *path, struct report *r)
{
	struct ft_error err = { 0 };
	struct trace *trace = trace_open(&path, 1, true, NULL, &err);
	struct trace_cursor *cursor;
	struct trace_event event;
	struct late late = { .nr = 0 };
	unsigned long nr = 0;

	if (!trace)
		fail_msg("%s", err.message);
	/* report shows a text as it is */
	if (line_source_file(trace_file_of(trace, 0))) {
		trace_close(trace);
		return 0;
	}
	cursor = trace_cursor_new(trace);
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		if (event.kind == TRACE_ROW_LOST) {
			if (!is_told(trace, &event))
				continue;
			if (!r->more || !r->is_dropped || r->cpu != event.cpu ||
			    r->dropped_count != event.lost_count)
				fail_msg("%s: record %lu: lost %" PRIu64 " on CPU %d, report: %s",
					 path, nr, event.lost_count, event.cpu,
					 r->more ? r->line : "(end)");
			report_next(r);
			continue;
		}
		while (!(r->more && same_record(r, &event)) && is_late(r, &late)) {
			nr++;
			report_next(r);
		}
		if (r->more && same_record(r, &event)) {
			nr++;
			report_next(r);
			continue;
		}
		/*
		 * The exit of a call that calls nothing is part of the line of its entry; unknown
		 * types have no such line.
		 */
		if (!event.type)
			continue;
		if (!strcmp(event.type->name, "funcgraph_exit")) {
			late.events[late.nr++ % MAX_LATE] = event;
			continue;
		}
		fail_msg("%s: record %lu: pid %d CPU %d %" PRId64 " %s, report: %s", path, nr,
			 event.pid, event.cpu, event.ts, event.type->name,
			 r->more ? r->line : "(end)");
	}
	while (is_late(r, &late))
		report_next(r);
	if (r->more)
		fail_msg("%s: record %lu is missing: %s", path, nr, r->line);
	trace_cursor_free(cursor);
	trace_close(trace);
	return nr;
}

static unsigned long compare_files(const char *dir, const char *trace, const char *text)
{
	char trace_path[2100], text_path[2100];
	struct report report;
	unsigned long nr;

	snprintf(trace_path, sizeof(trace_path), "%s/%s", dir, trace);
	snprintf(text_path, sizeof(text_path), "%s/%s", dir, text);
	if (access(trace_path, R_OK) || !report_open(&report, text_path))
		return 0;
	/* trace-cmd 3.1.6 cannot read zlib: then there is no text. */
	nr = report.more ? compare(trace_path, &report) : 0;
	report_close(&report);
	return nr;
}

static DIR *open_shared(const char *folder, char *path, size_t size)
{
	const char *shared = getenv("FTOP_SHARED");

	if (!shared || !*shared) {
		print_message("skipped: no corpus beside the project (FTOP_SHARED)\n");
		skip();
	}
	snprintf(path, size, "%s/%s", shared, folder);
	return opendir(path);
}

static void test_fixtures(void **state)
{
	static const char *const texts[] = { "report.txt", "report.txt.gz", "report-t.txt",
					     "report-t.txt.gz" };
	char base[1024], dir[1400];
	unsigned long nr = 0;
	struct dirent *e;
	DIR *d;

	(void)state;
	assert_true(recorded_dir(base, sizeof(base)));
	d = opendir(base);
	assert_non_null(d);
	while ((e = readdir(d))) {
		/*
		 * trace-cmd prints graph-two-cpus out of order: tests/compare/report_parity.py
		 * checks it.
		 */
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "graph-two-cpus"))
			continue;
		snprintf(dir, sizeof(dir), "%s/%s", base, e->d_name);
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			nr += compare_files(dir, "trace.dat", texts[i]);
	}
	closedir(d);
	assert_true(nr > 50000);
}

static void test_corpus(void **state)
{
	char base[1024], text[512];
	DIR *d = open_shared("corpus", base, sizeof(base));
	unsigned long nr = 0;
	struct dirent *e;

	(void)state;
	if (!d)
		skip();
	while ((e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (len < 5 || len > 400 || strcmp(e->d_name + len - 4, ".dat"))
			continue;
		snprintf(text, sizeof(text), "%.*s.report.txt", (int)len - 4, e->d_name);
		nr += compare_files(base, e->d_name, text);
	}
	closedir(d);
	assert_true(nr > 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures),
		cmocka_unit_test(test_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
