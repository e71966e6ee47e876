/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/growing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "parsers/file/trace_file.h"
#include "parsers/io/byte_reader.h"
#include "parsers/open/open.h"
#include "parsers/pages/page_reader.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "tests/lib/open_recorded.h"

#define SYMBOLS_MAX	4096		/* bytes */

char growing_dir[64];
static struct invoker self;

int growing_set_up(void **state)
{
	(void)state;
	strcpy(growing_dir, "/tmp/ftop-grow-XXXXXX");
	return mkdtemp(growing_dir) ? 0 : -1;
}

int growing_tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", growing_dir);
	return system(command);
}

uint64_t growing_seed(void)
{
	const char *seed = getenv("FTOP_TEST_SEED");

	return seed ? strtoull(seed, NULL, 0) : 0;
}

/* --- the whole trace -------------------------------------------------------------------- */

static void list_rows(struct growing *g)
{
	struct trace_cursor *cursor = trace_cursor_new(g->whole);
	struct trace_event event;

	trace_cursor_seek(cursor, trace_first(g->whole));
	while (trace_cursor_next(cursor, &event)) {
		if (g->nr_all == g->cap) {
			g->cap = g->cap ? 2 * g->cap : 1024;
			g->all = mem_resize(g->all, g->cap, sizeof(*g->all));
		}
		g->all[g->nr_all] = (struct growing_row){ g->nr_all,        event.ref,
							  event.key,        event.raw_ts,
							  event.kind,       event.size,
							  event.lost_known, event.lost_count };
		g->is_sane &= !trace_is_event(&event) || event.ts == event.key;
		g->nr_all++;
	}
	trace_cursor_free(cursor);
}

/* The rows that are left. */
void growing_keep_rows(struct growing *g)
{
	free(g->rows);
	g->rows = mem_array(g->nr_all + 1, sizeof(*g->rows));
	g->nr = 0;
	for (size_t i = 0; i < g->nr_all; i++)
		if (trace_ref_page(g->all[i].ref) >= g->dropped[trace_ref_stream(g->all[i].ref)])
			g->rows[g->nr++] = g->all[i];
}

/* --- the recording ----------------------------------------------------------------- */

static void put_text(const struct growing *g, struct output_file *o, enum trace_text kind)
{
	struct text t = { 0 };
	uint64_t size;
	const char *text = source_text(g->source, kind, &size);

	text_bytes(&t, text, size);
	output_text(o, kind, &t);
	text_fini(&t);
}

/* Those of a kernel are many, which takes time, and no test needs them. */
static void put_symbols(const struct growing *g, struct output_file *o)
{
	struct ft_error err = { 0 };
	struct text t = { 0 };
	uint64_t size;
	const char *text = source_text(g->source, TRACE_TEXT_KALLSYMS, &size);

	if (size > SYMBOLS_MAX)
		return;
	text_bytes(&t, text, size);
	assert_int_equal(output_kallsyms(o, &t, &err), 0);
	text_fini(&t);
}

static void put_formats(const struct growing *g, struct output_file *o)
{
	for (unsigned int i = 0; i < source_nr_formats(g->source); i++) {
		const struct source_format *format = source_format(g->source, i);
		struct text t = { 0 };

		text_bytes(&t, format->text, format->size);
		output_event_format(o, format->system, &t);
		text_fini(&t);
	}
}

/* What changes the times. */
static void put_options(const struct growing *g, struct output_file *file)
{
	for (unsigned int i = 0; i < trace_file_nr_options(g->source); i++) {
		const struct trace_file_option *o = trace_file_option(g->source, i);

		if (o->id == TRACE_OPTION_UNAME || o->id == TRACE_OPTION_DATE ||
		    o->id == TRACE_OPTION_OFFSET || o->id == TRACE_OPTION_TSC2NSEC)
			output_option(file, o->id, o->data, o->size);
	}
}

struct output_file *growing_output(const struct growing *g, const char *name,
				   struct output_stream **streams)
{
	struct ft_error err = { 0 };
	struct output_file *o;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", growing_dir, name);
	o = output_new(path, &self, &err);
	if (!o)
		fail_msg("%s", err.message);
	put_text(g, o, TRACE_TEXT_HEADER_PAGE);
	put_text(g, o, TRACE_TEXT_HEADER_EVENT);
	put_text(g, o, TRACE_TEXT_CMDLINES);
	put_formats(g, o);
	put_options(g, o);
	output_clock(o, source_info(g->source)->clock_text);
	for (unsigned int b = 0; b < source_nr_buffers(g->source); b++) {
		const struct source_buffer *buffer = source_buffer(g->source, b);

		output_buffer(o, buffer->name, buffer->clock, buffer->layout.page_size);
		for (unsigned int i = 0; i < buffer->nr_streams; i++) {
			unsigned int nr = buffer->first_stream + i;

			streams[nr] = output_stream(o, (int)b, source_stream(g->source, nr)->cpu);
		}
	}
	if (output_begin(o, 0, &err))
		fail_msg("%s", err.message);
	put_symbols(g, o);
	return o;
}

void growing_begin(struct growing *g, const char *path, uint64_t seed, bool is_ring)
{
	struct ft_error err = { 0 };
	char part[128];

	snprintf(part, sizeof(part), "%s/g.dat.part", growing_dir);
	unlink(part);		/* of a test that failed */
	*g = (struct growing){ .is_ring = is_ring, .is_sane = true };
	gen_random_init(&g->random, growing_seed() + seed);
	g->whole = open_path(path, 2);
	trace_wait(g->whole);
	list_rows(g);
	g->source = source_open(path, -1, &err);
	g->reader = page_reader_new(g->source, 65536);
	g->nr_streams = source_nr_streams(g->source);
	g->streams = mem_array(g->nr_streams, sizeof(*g->streams));
	g->written = mem_array(g->nr_streams, sizeof(*g->written));
	g->dropped = mem_array(g->nr_streams, sizeof(*g->dropped));
	g->gone = mem_array(g->nr_streams, sizeof(*g->gone));
	g->o = growing_output(g, "g.dat", g->streams);
	growing_keep_rows(g);
}

/* The earliest stamp of what a stream has still to come; after all others if that is nothing. */
static void settle(struct growing *g, unsigned int stream)
{
	uint64_t least = INT64_MAX - 1;

	for (size_t i = 0; i < g->nr_all; i++)
		if (trace_ref_stream(g->all[i].ref) == stream &&
		    trace_ref_page(g->all[i].ref) >= g->written[stream] && g->all[i].raw_ts < least)
			least = g->all[i].raw_ts;
	atomic_store(&g->streams[stream]->settled, least);
}

void growing_copy_page(const struct growing *g, unsigned int stream, uint64_t nr,
		       struct output_file *o, struct output_stream *to)
{
	uint32_t page_size = to->page_size, last;
	uint8_t *page = mem_alloc(page_size);
	struct ft_error err = { 0 };

	assert_int_equal(page_reader_copy(g->reader, stream, nr, 1, page, &last), 1);
	assert_int_equal(output_stream_append(o, to, page, page_size, &err), 0);
	free(page);
}

/* Append up to @nr pages of a stream. */
void growing_append(struct growing *g, unsigned int stream, uint64_t nr)
{
	uint64_t pages = source_stream_pages(g->source, stream);

	for (; nr && g->written[stream] < pages; nr--)
		growing_copy_page(g, stream, g->written[stream]++, g->o, g->streams[stream]);
	settle(g, stream);
}

/* A page is all zeros then, here also on a file system without holes. */
void growing_give_back(struct growing *g, unsigned int stream)
{
	const struct output_stream *s = g->streams[stream];
	uint8_t *zeros = mem_array(s->page_size, 1);

	for (; g->gone[stream] < g->dropped[stream]; g->gone[stream]++) {
		assert_int_equal(pwrite(s->fd, zeros, s->page_size,
					(off_t)(s->base + g->gone[stream] * s->page_size)),
				 s->page_size);
		g->given_back += s->page_size;
	}
	free(zeros);
}

/* What was dropped the time before, which the reader has seen, is given back. */
void growing_drop(struct growing *g, unsigned int stream, uint64_t nr)
{
	uint64_t most = g->written[stream] ? g->written[stream] - 1 : 0;

	growing_give_back(g, stream);
	nr += g->dropped[stream];
	g->dropped[stream] = nr < most ? nr : most;
	atomic_store(&g->streams[stream]->start,
		     g->dropped[stream] * g->streams[stream]->page_size);
}

static bool is_written(const struct growing *g)
{
	for (unsigned int i = 0; i < g->nr_streams; i++)
		if (g->written[i] < source_stream_pages(g->source, i))
			return false;
	return true;
}

void growing_end(struct growing *g)
{
	char part[128];

	snprintf(part, sizeof(part), "%s/g.dat.part", growing_dir);
	unlink(part);
	page_reader_free(g->reader);
	source_close(g->source);
	trace_close(g->whole);
	free(g->all);
	free(g->rows);
	free(g->dropped);
	free(g->gone);
	free(g->streams);
	free(g->written);
}

struct trace *growing_open(void)
{
	const struct trace_options options = { .nr_workers = 2, .hold_permille = -1,
					       .follow = true, .filter_names = derived_names };
	struct ft_error err = { 0 };
	char part[128];
	const char *name = part;
	struct trace *trace;

	snprintf(part, sizeof(part), "%s/g.dat.part", growing_dir);
	trace = trace_open(&name, 1, true, &options, &err);
	if (!trace)
		fail_msg("%s", err.message);
	trace_wait(trace);
	return trace;
}

/* Look until all that was written so far is there. */
enum trace_growth growing_catch_up(struct trace *trace)
{
	enum trace_growth growth = TRACE_GREW;

	for (unsigned int i = 0; i < 4; i++) {
		growth = trace_grow(trace);
		/* what is dropped goes only while no job runs, not even one that is about to end */
		while (!workers_idle(trace_workers(trace)))
			usleep(50);
	}
	return growth;
}

struct trace *growing_open_empty(struct growing *g, uint64_t seed)
{
	struct ft_error err = { 0 };
	char path[4096];

	assert_true(recorded_path("cpu4", "trace.dat", path, sizeof(path)));
	growing_begin(g, path, seed, false);
	assert_int_equal(output_update(g->o, &err), 0);
	return growing_open();
}

void growing_come(struct growing *g, struct trace *trace)
{
	struct ft_error err = { 0 };

	for (unsigned int i = 0; i < g->nr_streams; i++)
		growing_append(g, i, 1000);
	assert_int_equal(output_update(g->o, &err), 0);
	growing_catch_up(trace);
}

void growing_end_with(struct growing *g, struct trace *trace)
{
	trace_close(trace);
	output_abort(g->o, true);
	growing_end(g);
}

/* --- to the end ------------------------------------------------------------------------ */

static uint64_t below(struct growing *g, uint64_t most)
{
	return gen_random_below(&g->random, (uint32_t)most);
}

void growing_check(const struct growing_case *c, bool is_ring, const struct growing_checks *checks)
{
	uint64_t most_pages = c->most_pages;
	struct ft_error err = { 0 };
	struct trace *trace;
	struct growing g;
	size_t steps = 0;
	void *arg;

	if (getenv("FTOP_TEST_SEED"))
		print_message("# %s, %u%s\n", c->path, c->nr, is_ring ? ", a ring" : "");
	growing_begin(&g, c->path, c->nr, is_ring);
	g.is_sane &= c->is_sane;
	for (unsigned int i = 0; i < g.nr_streams; i++) {	/* long ones in larger steps */
		uint64_t step = source_stream_pages(g.source, i) / 20;

		most_pages = step > most_pages ? step : most_pages;
	}
	for (unsigned int i = 0; i < g.nr_streams; i++)
		growing_append(&g, i, gen_random_below(&g.random, 3));
	assert_int_equal(output_update(g.o, &err), 0);
	trace = growing_open();
	arg = checks->begin(&g, trace);
	do {
		if (growing_catch_up(trace) == TRACE_WHOLE)
			fail_msg("%s: no recorder is seen", c->path);
		growing_keep_rows(&g);
		checks->grew(arg, &g, trace);
		for (unsigned int i = 0; i < g.nr_streams; i++)
			if (gen_random_one_in(&g.random, 2))
				growing_append(&g, i, 1 + below(&g, most_pages));
		for (unsigned int i = 0; i < g.nr_streams && is_ring; i++)
			if (gen_random_one_in(&g.random, 2))
				growing_drop(&g, i, 1 + below(&g, most_pages));
		assert_int_equal(output_update(g.o, &err), 0);
	} while (!is_written(&g) || ++steps < 3);
	if (c->nr % 4 == 3) {		/* it gets its name: what is open is not that file */
		for (unsigned int i = 0; i < g.nr_streams; i++)
			growing_append(&g, i, 1);
		assert_int_equal(output_update(g.o, &err), 0);
		trace_grow(trace);	/* indexes what was appended, perhaps when it has moved */
		assert_int_equal(output_finish(g.o, &err), 0);
		assert_int_equal(trace_grow(trace), TRACE_ENDED);
	} else {
		output_abort(g.o, true);	/* the recorder is gone */
		assert_int_equal(growing_catch_up(trace), TRACE_WHOLE);
		growing_keep_rows(&g);
		if (checks->whole)
			checks->whole(arg, &g, trace);
	}
	checks->end(arg, &g);
	trace_close(trace);
	growing_end(&g);
}

static bool can_be_recorded(const char *path)
{
	struct ft_error err = { 0 };
	struct source *source = source_open(path, -1, &err);
	bool can = source && source_info(source)->version && !source_info(source)->is_text &&
		   source_info(source)->big_endian == HOST_BIG_ENDIAN;

	for (unsigned int i = 0; can && i < source_nr_streams(source); i++)
		can = source_stream_bytes(source, i) %
			      source_buffer(source, (unsigned int)source_stream(source, i)->buffer)
				      ->layout.page_size ==
		      0;
	for (unsigned int i = 0; can && i < source_nr_buffers(source); i++)
		can = !source_buffer(source, i)->is_text;
	source_close(source);
	return can;
}

void growing_each_recorded(void (*check)(const struct growing_case *c))
{
	char folder[4000], path[4096];
	struct growing_case c = { .path = path, .is_sane = true };
	struct dirent **all;
	int nr;

	assert_true(recorded_dir(folder, sizeof(folder)));
	nr = scandir(folder, &all, NULL, alphasort);	/* each grows alike on every machine */
	assert_true(nr > 0);
	for (int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%.80s/trace.dat", folder, all[i]->d_name);
		/* that trace-cmd recorded one task is found in a whole trace; our recorder tells */
		if (all[i]->d_name[0] != '.' && strcmp(all[i]->d_name, "pid") != 0 &&
		    !access(path, R_OK) && can_be_recorded(path)) {
			c.nr++;
			c.most_pages = 1 + c.nr % 3 * 7;
			check(&c);
		}
		free(all[i]);
	}
	free(all);
	assert_true(c.nr > 10);
}

void growing_each_made_up(void (*check)(const struct growing_case *c))
{
	char path[128];

	snprintf(path, sizeof(path), "%s/t.dat", growing_dir);
	for (unsigned int seed = 1; seed <= 12; seed++) {
		struct gen_options options = {
			.seed = growing_seed() + seed,
			.layout = { 4096, 8, false },
			.nr_cpus = 1 + seed % 5,
			.pages = 4 + (getenv("FTOP_TEST_LONG") ? 6 : 2) * seed,
			.records = seed % 3 ? 8 : 0,
			/* no kernel marks lost events in a sub-buffer without events */
			.features = seed % 4 ? GEN_ALL & ~(GEN_EMPTY_PAGES | GEN_ZERO_PAGES) :
					       GEN_PLAIN,
		};
		const struct gen_trace *gen = gen_trace_new(&options);
		struct gen_file file = { .version = 6 + seed % 2 };
		struct ft_error err = { 0 };

		if (gen_write(path, &file, &gen, NULL, 1, &err))
			fail_msg("%s", err.message);
		gen_trace_free((struct gen_trace *)gen);
		check(&(struct growing_case){ path, seed, seed % 2 ? 1 : 12, seed % 4 == 0 });
	}
}
