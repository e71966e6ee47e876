/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of many event types, where it is known which page holds which: the page directory never
 * rules out a page that holds a type, and those that do not hold a rare one are ruled out; however
 * it was made (by several workers, piece by piece as the file grew), and for filters as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/open/open.h"
#include "parsers/pages/page_scan.h"
#include "src/match/matches_private.h"
#include "src/trace/trace_streams.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/may_hold.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/temp_path.h"

#define FIRST_ID	2000
#define NR_STREAMS	3u

static const uint32_t stream_pages[NR_STREAMS] = { 2500, 1100, 300 };

struct mix {
	uint32_t	page_size, shrink;	/* so many times fewer pages */
	unsigned int	frequent;		/* types that any record may be of; with
						   the first ids, or, if late, the last */
	unsigned int	rare, each;		/* types that are in so many pages each */
	unsigned int	phase;			/* this type is in the last third of
						   the pages only, and there in all */
	bool		late;
	/* Expected. */
	double		looked_at;		/* the part of the other pages that may
						   hold a rare type, of any; 0: none */
};

static const struct mix mixes[] = {
	{ .page_size = 4096, .frequent = 10, .rare = 100, .each = 3 },
	{ .page_size = 4096, .frequent = 10, .rare = 100, .each = 3, .late = true },
	/* More than there are bits. */
	{ .page_size = 4096, .frequent = 80, .rare = 200, .each = 2 },
	{ .page_size = 4096, .frequent = 80, .rare = 200, .each = 2, .late = true, .phase = 1 },
	{ .page_size = 65536, .shrink = 10, .frequent = 150, .rare = 300, .each = 2 },
	/* Many more than there is room for in lists. */
	{ .page_size = 4096, .frequent = 12, .rare = 1300, .each = 4, .phase = 1,
	  .looked_at = 0.1 },
	{ .page_size = 4096, .frequent = 70, .rare = 1300, .each = 4, .looked_at = 0.2 },
};

struct truth {
	const struct mix *mix;
	unsigned int	nr_types;
	uint32_t	pages[NR_STREAMS], total;
	uint8_t		*holds;		/* [nr_types][total] */
};

static uint32_t page_number(const struct truth *t, unsigned int stream, uint32_t page)
{
	for (unsigned int i = 0; i < stream; i++)
		page += t->pages[i];
	return page;
}

static bool *holds(const struct truth *t, unsigned int type, uint32_t page)
{
	return (bool *)&t->holds[(size_t)type * t->total + page];
}

static bool is_rare(const struct truth *t, unsigned int type)
{
	const struct mix *mix = t->mix;

	return mix->late ? type < mix->rare :
			   type >= mix->frequent && type < mix->frequent + mix->rare;
}

/* --- the file --------------------------------------------------------------------- */

static void add_format(struct trace_writer *w, unsigned int type)
{
	char text[600];

	snprintf(
		text, sizeof(text),
		"name: kind_%u\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"x=%%d\", REC->x\n",
		type, FIRST_ID + type);
	trace_writer_format(w, "many", text, strlen(text));
}

static uint32_t add_record(struct gen_page *page, const struct gen_layout *layout,
			   unsigned int type)
{
	uint8_t body[40] = { 0 }, payload[64];
	uint32_t size = gen_payload(layout, payload, (uint16_t)(FIRST_ID + type), 7, body,
				    sizeof(body));

	return gen_page_record(page, 100, payload, size, false);
}

/* Records of a page: what was chosen for it, then frequent types. */
static void fill_page(const struct truth *t, struct gen_page *page, const struct gen_layout *layout,
		      struct gen_random *random, uint32_t nr)
{
	unsigned int first = t->mix->late ? t->mix->rare : 0, type;

	for (type = 0; type < t->nr_types; type++)
		if (*holds(t, type, nr))
			assert_true(add_record(page, layout, type));
	for (;;) {
		type = first + gen_random_below(random, t->mix->frequent);
		if (!add_record(page, layout, type))
			return;
		*holds(t, type, nr) = true;
	}
}

static void choose_rare(const struct truth *t, struct gen_random *random)
{
	for (unsigned int type = 0; type < t->nr_types; type++)
		for (unsigned int i = 0; is_rare(t, type) && i < t->mix->each; i++)
			*holds(t, type, gen_random_below(random, t->total)) = true;
	for (unsigned int stream = 0; t->mix->phase && stream < NR_STREAMS; stream++)
		for (uint32_t page = t->pages[stream] * 2 / 3; page < t->pages[stream]; page++)
			*holds(t, t->nr_types - 1, page_number(t, stream, page)) = true;
}

static void write_trace(struct truth *t, const struct mix *mix, uint64_t seed)
{
	const struct gen_layout layout = { mix->page_size, 8, false };
	struct trace_writer_options options = { .version = 7,
						.long_size = 8,
						.page_size = mix->page_size };
	uint8_t *bytes = malloc(mix->page_size);
	struct ft_error err = { 0 };
	struct trace_writer *w = trace_writer_new(temp_path, &options, &err);
	struct gen_random random;
	int buffers[2];

	*t = (struct truth){ .mix = mix, .nr_types = mix->frequent + mix->rare + mix->phase };
	for (unsigned int i = 0; i < NR_STREAMS; i++)
		t->total += t->pages[i] = stream_pages[i] / (mix->shrink ? mix->shrink : 1);
	t->holds = calloc(t->nr_types, t->total);
	gen_random_init(&random, seed);
	choose_rare(t, &random);
	assert_non_null(w);
	gen_write_metadata(w, &layout);
	for (unsigned int type = 0; type < t->nr_types; type++)
		add_format(w, type);
	buffers[0] = trace_writer_buffer(w, "", NULL, 0);
	buffers[1] = trace_writer_buffer(w, "other", NULL, 0);
	for (unsigned int stream = 0; stream < NR_STREAMS; stream++)
		for (uint32_t i = 0; i < t->pages[stream]; i++) {
			struct gen_page page;

			gen_page_begin(&page, &layout, bytes, 1000 + 1000000ull * i);
			fill_page(t, &page, &layout, &random, page_number(t, stream, i));
			gen_page_end(&page, GEN_LOST_NONE, 0);
			assert_int_equal(trace_writer_pages(w, buffers[stream == 2], stream == 1,
							    bytes, mix->page_size, &err),
					 0);
		}
	if (trace_writer_finish(w, &err))
		fail_msg("%s", err.message);
	free(bytes);
}

/* --- the directory ------------------------------------------------------------------ */

static int64_t same_time(const void *arg, uint64_t raw)
{
	(void)arg;
	return (int64_t)raw;
}

struct scanned {
	struct source	*file;
	struct event_types	*types;
	struct page_kinds	 kinds;
	struct page_index	 indexes[NR_STREAMS];
};

/* By two workers that take turns; @step: so many pages more each time, 0: all are there. */
static void scan_file(struct scanned *s, uint64_t step)
{
	static const struct page_clock clock = { same_time, NULL };
	struct ft_error err = { 0 };
	struct page_reader *reader;
	struct page_scan *scans[2];
	unsigned int turn = 0;

	s->file = source_open(temp_path, -1, &err);
	if (!s->file)
		fail_msg("%s", err.message);
	s->types = event_types_new(s->file);
	page_kinds_init(&s->kinds, s->types, NULL, NULL);
	scans[0] = page_scan_new(&s->kinds);
	scans[1] = page_scan_new(&s->kinds);
	reader = page_reader_new(s->file, 64 << 10);
	assert_int_equal(source_nr_streams(s->file), NR_STREAMS);
	for (unsigned int i = 0; i < NR_STREAMS; i++) {
		const struct sub_buffer_layout *layout =
			&source_buffer(s->file, source_stream(s->file, i)->buffer)->layout;
		uint64_t pages = source_stream_pages(s->file, i);

		page_index_init(&s->indexes[i], layout->page_size);
		for (uint64_t there = step ? step : pages;; there += step) {
			struct page_range *range;

			while ((range = page_index_claim(&s->indexes[i],
							 there < pages ? there : pages))) {
				assert_true(page_scan_range(scans[turn++ % 2], reader, i, layout,
							    &clock, range, NULL, NULL));
				page_index_commit(&s->indexes[i], range);
			}
			if (there >= pages)
				break;
		}
	}
	page_reader_free(reader);
	page_scan_free(scans[0]);
	page_scan_free(scans[1]);
}

static void scanned_fini(struct scanned *s)
{
	for (unsigned int i = 0; i < NR_STREAMS; i++)
		page_index_fini(&s->indexes[i]);
	page_kinds_fini(&s->kinds);
	event_types_free(s->types);
	source_close(s->file);
}

/*
 * Pages that may hold the type although they do not.  Those that hold it must be among those that
 * may.
 */
static uint32_t too_many(const struct truth *t, const struct scanned *s, unsigned int type)
{
	uint32_t nr = 0, wrong = 0;

	for (unsigned int i = 0; i < NR_STREAMS; i++)
		for (uint32_t page = 0; page < t->pages[i]; page++, nr++) {
			struct page_sets sets = page_index_sets(&s->indexes[i], page);
			bool may = may_hold(&s->kinds, &sets, FIRST_ID + (int)type);

			if (*holds(t, type, nr) && !may)
				fail_msg("kind_%u is in page %u of stream %u, which is ruled out",
					 type, page, i);
			wrong += may && !*holds(t, type, nr);
		}
	return wrong;
}

/*
 * @spoilt: so many rare types may be taken for others: where pages come one by one, the first ones
 * tell little.
 */
static void check_directory(const struct truth *t, uint64_t step, unsigned int spoilt)
{
	double looked_at = t->mix->looked_at * t->total;
	struct scanned s;
	unsigned int nr = 0;

	scan_file(&s, step);
	for (unsigned int i = 0; i < NR_STREAMS; i++)
		assert_int_equal(page_index_pages(&s.indexes[i]), t->pages[i]);
	for (unsigned int type = 0; type < t->nr_types; type++) {
		uint32_t wrong = too_many(t, &s, type);

		nr += is_rare(t, type) && wrong > looked_at;
	}
	if (nr > spoilt)
		fail_msg(
			"%u frequent and %u rare types, %u pages, step %u: of %u types many are looked at for nothing",
			t->mix->frequent, t->mix->rare, t->total, (unsigned int)step, nr);
	scanned_fini(&s);
}

static void test_directory(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
		struct truth t;

		write_trace(&t, &mixes[i], 77 + i);
		check_directory(&t, 0, 0);
		check_directory(&t, 300, 0);
		check_directory(&t, 7, mixes[i].rare / 20);
		free(t.holds);
	}
}

/* --- filters ------------------------------------------------------------------------- */

/* Pages that the filter does not rule out; the others hold none of the types. */
static uint32_t pages_left(const struct truth *t, struct trace *trace, const char *text,
			   const unsigned int *types, unsigned int nr_types)
{
	struct filter *filter = new_filter(trace, text);
	struct filter_run *run = filter_run_new(filter);
	uint32_t left = 0, nr = 0;

	for (unsigned int i = 0; i < NR_STREAMS; i++) {
		filter_run_stream(run, i);
		for (uint32_t page = 0; page < t->pages[i]; page++, nr++) {
			bool may = match_page_may(trace, i, run, page), has = false;

			for (unsigned int k = 0; k < nr_types; k++)
				has |= *holds(t, types[k], nr);
			if (has && !may)
				fail_msg("%s: page %u of stream %u is ruled out", text, page, i);
			left += may;
		}
	}
	filter_run_free(run);
	filter_free(filter);
	return left;
}

/* Matches by the workers, with the directory. */
static uint64_t count_matches(struct trace *trace, const char *text)
{
	struct matches *m = matches_new(trace, MATCHES_BROWSE);
	struct match_filter *filter = matches_add(m, new_filter(trace, text));
	uint64_t events;

	matches_use(m, &filter, 1);
	matches_wait(m);
	assert_true(matches_status(m).exact);
	events = matches_status(m).events;
	matches_drop(m, filter);
	matches_free(m);
	return events;
}

static uint32_t pages_of(const struct truth *t, unsigned int type)
{
	uint32_t nr = 0;

	for (uint32_t page = 0; page < t->total; page++)
		nr += *holds(t, type, page);
	return nr;
}

/* Return: were more pages looked at than are to be? */
static bool check_filters(const struct truth *t, struct trace *trace, unsigned int type)
{
	const unsigned int both[] = { type, (type * 7 + 3) % t->nr_types };
	uint32_t left, most = pages_of(t, type) + (uint32_t)(t->mix->looked_at * t->total);
	char text[100];

	snprintf(text, sizeof(text), "kind_%u", type);
	left = pages_left(t, trace, text, both, 1);
	/* one record in each */
	assert_int_equal(count_matches(trace, text), pages_of(t, type));
	snprintf(text, sizeof(text), "kind_%u || (kind_%u && x == 0)", both[0], both[1]);
	pages_left(t, trace, text, both, 2);
	/* The scopes of terms, within a filter that many types may match. */
	snprintf(text, sizeof(text), "kind_%u && x >= 0 || many:* && x == 1 && kind_%u", both[0],
		 both[1]);
	pages_left(t, trace, text, both, 1);
	return left > most;
}

static void test_filters(void **state)
{
	const struct trace_options options = { .nr_workers = 2, .hold_permille = -1 };
	const char *paths[] = { temp_path };

	(void)state;
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
		unsigned int nr = 0, spoilt = 0;
		struct ft_error err = { 0 };
		struct trace *trace;
		struct truth t;

		write_trace(&t, &mixes[i], 77 + i);
		trace = trace_open(paths, 1, false, &options, &err);
		if (!trace)
			fail_msg("%s", err.message);
		trace_wait(trace);
		for (unsigned int type = 0; type < t.nr_types; type += 1 + t.nr_types / 50) {
			nr += is_rare(&t, type);
			spoilt += is_rare(&t, type) && check_filters(&t, trace, type);
		}
		/*
		 * Two workers begin at the same time, and each makes its own mind up of the first
		 * pages.
		 */
		if (spoilt > nr / 10)
			fail_msg(
				"%u frequent and %u rare types: of %u, %u are looked for where they are not",
				mixes[i].frequent, mixes[i].rare, nr, spoilt);
		trace_close(trace);
		free(t.holds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_filters),
	};

	return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
