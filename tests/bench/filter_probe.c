/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_probe - what a filter costs by itself, for measuring.
 *
 *   filter_probe pass FILE EXPR     one pass over the whole file, with no directory
 *   filter_probe index FILE EXPR    the same with the page directory there, which is made before
 *                                   the clock is started
 *   filter_probe unpack FILE        every chunk of a packed file read and unpacked, by a bare loop
 *                                   that looks at nothing
 *   filter_probe typing FILE EXPR   EXPR typed letter by letter, every 100 ms; the workers are not
 *                                   waited for
 *
 * Prints one line of JSON: CPU and wall seconds, matches, bytes that are held for the filter; of
 * pass and index the bytes of the heap as well, from before it is made on: when all is found, and
 * the most until then, with what work takes.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parsers/open/open.h"
#include "parsers/file/trace_file_private.h"
#include "parsers/io/read_at.h"
#include "parsers/io/trace_format.h"
#include "src/base/workers.h"
#include "src/commands/derived_names.h"
#include "src/filter/filter.h"
#include "src/match/matches.h"
#include "src/trace/trace.h"
#include "tests/bench/heap.h"
#include "tests/bench/stopwatch.h"

#define ROWS_OF_SCREEN	17
#define BUDGET_NS	8000000
#define KEY_NS		100000000

static void fail(const char *what)
{
	fprintf(stderr, "filter_probe: %s\n", what);
	exit(1);
}

static struct trace *open_trace(const char *path, bool index)
{
	struct trace_options options = { .nr_workers = workers_cpus(),
					 .filter_names = derived_names,
					 .hold_permille = -1,
					 .no_index = !index };
	struct ft_error err = { 0 };
	struct trace *trace = trace_open(&path, 1, false, &options, &err);

	if (!trace)
		fail(err.message);
	if (index)
		trace_wait(trace);
	return trace;
}

static struct filter *bind(struct trace *trace, const char *text, bool must)
{
	struct filter_source source = { .text = text, .file = -1 };
	struct filter_error err = { 0 };
	struct filter *filter = filter_new(trace, &source, 1, NULL, &err);

	if (!filter && must)
		fail(text_str(&err.message));
	text_fini(&err.message);
	return filter;
}

static void look_at_all(const char *path, const char *text, bool index)
{
	struct trace *trace = open_trace(path, index);
	struct matches *m = matches_new(trace, index ? MATCHES_BROWSE : MATCHES_WAIT);
	struct stopwatch begin = now(), end;
	struct matches_status status;
	struct match_filter *filter;

	heap_begin();
	filter = matches_add(m, bind(trace, text, true));
	matches_use(m, &filter, 1);
	matches_wait(m);
	status = matches_status(m);
	end = now();
	if (!status.exact)
		fail("the pass ended early");
	printf("{\"cpu\": %.4f, \"wall\": %.4f, \"matches\": %" PRIu64 ", \"bytes\": %" PRIu64
	       ", \"heap\": %" PRId64 ", \"peak\": %" PRId64 "}\n",
	       end.cpu - begin.cpu, end.wall - begin.wall, status.events, matches_memory(m),
	       heap_bytes(), heap_peak());
	matches_drop(m, filter);
	matches_free(m);
	trace_close(trace);
}

/* Chunk after chunk, with a read and a call of the library for each. */
static uint64_t archive_stream(const struct trace_file *file, unsigned int stream,
			       struct unpacker *unpacker, uint8_t *in, uint8_t *out)
{
	const struct chunk_directory *dir = trace_file_directory(file, stream);
	struct ft_error err = { 0 };

	if (!dir)
		fail("the file is not packed");
	for (uint32_t i = 0; i < dir->nr; i++) {
		const struct chunk *chunk = &dir->chunks[i];

		if (read_at(file->base.fd, in, chunk->csize, chunk->offset) < (int64_t)chunk->csize)
			fail("a chunk cannot be read");
		if (unpacker_run(unpacker, in, chunk->csize, out, chunk->usize, chunk->offset,
				 &err))
			fail(err.message);
	}
	return dir->bytes;
}

static void unpack(const char *path)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);
	uint8_t *in = malloc(TRACE_MAX_CHUNK), *out = malloc(TRACE_MAX_CHUNK);
	struct stopwatch begin = now(), end;
	struct unpacker *unpacker;
	uint64_t bytes = 0;

	if (!file || !in || !out)
		fail(file ? "no memory" : err.message);
	unpacker = trace_file_unpacker_get(trace_file_from(file), NULL);
	for (unsigned int i = 0; i < source_nr_streams(file); i++)
		bytes += archive_stream(trace_file_from(file), i, unpacker, in, out);
	trace_file_unpacker_put(trace_file_from(file), unpacker);
	end = now();
	printf("{\"cpu\": %.4f, \"wall\": %.4f, \"matches\": 0, \"bytes\": %" PRIu64 "}\n",
	       end.cpu - begin.cpu, end.wall - begin.wall, bytes);
	free(in);
	free(out);
	source_close(file);
}

struct longest {			/* seconds, of all keys */
	double	frame;			/* from a key to a screen, which may not be full yet */
	double	slice;			/* in which no other key is heard */
};

static void note(double *longest, double seconds)
{
	if (seconds > *longest)
		*longest = seconds;
}

/*
 * A screen of rows, from the middle of the trace on; in slices, until it is full or the next key
 * comes.
 */
static void fill_screen(struct trace *trace, struct matches *m, struct trace_cursor *cursor,
			int64_t middle, double key, struct longest *longest)
{
	struct trace_event event;
	unsigned int rows = 0;

	trace_cursor_only_matches(cursor, m);
	trace_cursor_seek_time(cursor, middle);
	for (bool first = true;; first = false) {
		double from = now().wall;

		matches_budget(m, BUDGET_NS);
		while (rows < ROWS_OF_SCREEN && trace_cursor_next(cursor, &event))
			rows++;
		note(&longest->slice, now().wall - from);
		if (first)
			note(&longest->frame, now().wall - key);
		if (rows == ROWS_OF_SCREEN || !trace_cursor_is_later(cursor) ||
		    now().wall - key > KEY_NS / 1e9)
			return;
		poll(&(struct pollfd){ .fd = workers_fd(trace_workers(trace)), .events = POLLIN },
		     1, 5);
		workers_acknowledge(trace_workers(trace));
	}
}

static void sleep_until(double wall)
{
	double left = wall - now().wall;

	if (left > 0)
		nanosleep(&(struct timespec){ .tv_sec = (time_t)left,
					      .tv_nsec = (long)((left - (double)(time_t)left) *
								1e9) },
			  NULL);
}

static void type(const char *path, const char *text)
{
	struct trace *trace = open_trace(path, true);
	struct matches *m = matches_new(trace, MATCHES_BROWSE);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct match_filter *filter = NULL;
	double key = 0, cpu = now().cpu;
	struct longest longest = { 0 };
	char *typed = calloc(1, strlen(text) + 1);
	int64_t first = 0, end = 0;

	trace_span(trace, &first, &end);
	for (size_t i = 0; text[i]; i++) {
		struct match_filter *next;
		struct filter *bound;

		typed[i] = text[i];
		if (i)
			sleep_until(key + KEY_NS / 1e9);
		key = now().wall;
		bound = bind(trace, typed, false);
		if (!bound)
			continue;
		next = matches_add(m, bound);
		matches_use(m, &next, 1);
		matches_focus(m, first + (end - first) / 2);
		matches_drop(m, filter);
		filter = next;
		note(&longest.slice, now().wall - key);
		fill_screen(trace, m, cursor, first + (end - first) / 2, key, &longest);
	}
	matches_wait(m);
	printf("{\"cpu\": %.4f, \"wall\": %.4f, \"frame\": %.4f, \"slice\": %.4f, "
	       "\"matches\": %" PRIu64 ", \"bytes\": %" PRIu64 "}\n",
	       now().cpu - cpu, now().wall - key, longest.frame, longest.slice,
	       matches_status(m).events, matches_memory(m));
	free(typed);
	trace_cursor_free(cursor);
	matches_drop(m, filter);
	matches_free(m);
	trace_close(trace);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";

	if (argc == 4 && !strcmp(mode, "pass"))
		look_at_all(argv[2], argv[3], false);
	else if (argc == 4 && !strcmp(mode, "index"))
		look_at_all(argv[2], argv[3], true);
	else if (argc == 4 && !strcmp(mode, "typing"))
		type(argv[2], argv[3]);
	else if (argc == 3 && !strcmp(mode, "unpack"))
		unpack(argv[2]);
	else
		fail("usage: filter_probe pass|index|typing FILE EXPR, unpack FILE");
	return 0;
}
