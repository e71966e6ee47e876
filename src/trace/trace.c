/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace - opens files as one time line; answers questions about the whole of it. */
#include "src/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/record_text.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "parsers/io/archive.h"
#include "parsers/io/input.h"
#include "src/base/memory.h"
#include "src/base/name_table.h"
#include "src/trace/stream_walk.h"
#include "src/trace/trace_private.h"

#define CACHE_BYTES		(6u << 20)	/* single pages cached, for all files */
#define MANY_STREAMS		512u
#define CHUNK_WINDOW		(64u << 10)	/* chunks are unpacked whole, so read them whole */

/* --- opening ------------------------------------------------------------------------- */

/* The name of the file comes first in a message, then the offset. */
static int name_file(struct ft_error *err, const char *path)
{
	char line[sizeof(err->message)];

	if (!err)
		return -1;
	ft_error_text(err, NULL, line, sizeof(line));
	return ft_error_set(err, err->code, -1, "%s: %s", path, line);
}

/* Lines of latency format have the first bytes of a name; a trace.dat has all of it. */
static bool is_cut(const struct trace_source *source, const struct source_name *name)
{
	const char *saved = source_info(source->file)->version ?
				    comm_table_saved_name(source->comms, name->pid) :
				    NULL;

	return saved && !strncmp(saved, name->name, name->len);
}

/* Each line of a text has the name of its task. */
static void learn_line_names(struct trace_source *source)
{
	const struct source_info *info = source_info(source->file);
	struct trace_clock clock;

	trace_clock_init(&clock, source->file, -1, source->offset);
	for (unsigned int i = 0; i < info->nr_names; i++) {
		const struct source_name *name = &info->names[i];

		if (!is_cut(source, name))
			comm_table_seen(source->comms, name->pid, trace_clock_ts(&clock, name->ts),
					name->name, name->len);
	}
	trace_clock_fini(&clock);
}

static int open_source(struct trace *trace, struct trace_source *source, const char *path,
		       struct ft_error *err)
{
	const struct open_progress *progress = &trace->options.progress;
	struct trace *former = trace->former;
	const struct source_options reading = { trace->options.head_bytes,
						trace->options.formats, progress };
	uint64_t size;
	int fd;
	const char *text;

	if (former)
		source->file = source_open_again(former->sources[source - trace->sources].file,
						 &reading, err);
	else if (!archive_open(path, &fd, progress, err))
		source->file = source_open_with(path, fd, &reading, err);
	if (!source->file)
		return name_file(err, path);
	if (!trace->options.histograms && source_info(source->file)->is_hist) {
		source_close(source->file);
		source->file = NULL;
		ft_error_set(
			err, FT_E_FORMAT, -1,
			"histograms of the kernel, without events: ftop-trace hist prints them");
		return name_file(err, path);
	}
	source->own = mem_alloc(sizeof(*source->own));
	source->own->path = mem_strdup(path);
	source->own->slices = name_table_new();
	source->own->absent = trace_absent_new();
	source->offset = trace->options.offsets ?
				 trace->options.offsets[source - trace->sources].by :
				 0;
	source->types = event_types_new(source->file);
	source->comms = comm_table_new();
	text = source_text(source->file, TRACE_TEXT_CMDLINES, &size);
	comm_table_saved(source->comms, text, size);
	trace_names_open(source);
	source->is_lines = source_info(source->file)->is_text;
	learn_line_names(source);
	trace_who_open(source);
	page_kinds_init(&source->kinds, source->types, source->comms, source->who);
	source->own->cache = page_cache_new(source->file, CACHE_BYTES / trace->nr_sources);
	source->nr_streams = source_nr_streams(source->file);
	trace_source_release(source);
	return 0;
}

static const struct source_buffer *buffer_of(const struct trace *trace,
					     const struct trace_stream *stream)
{
	return source_buffer(trace->sources[stream->source].file, stream->buffer);
}

static int check_clocks(const struct trace *trace, struct ft_error *err)
{
	const struct trace_stream *first = NULL;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct trace_stream *stream = &trace->streams[i];

		/* a time shift from guest to host time makes clocks comparable */
		if (!stream->has_events || stream->clock.sync || !*buffer_of(trace, stream)->clock)
			continue;
		if (!first)
			first = stream;
		else if (!trace_clock_comparable(buffer_of(trace, first)->clock,
						 buffer_of(trace, stream)->clock))
			return ft_error_set(
				err, FT_E_UNSUPPORTED, -1,
				"%s%s%s and %s%s%s have clocks that cannot be compared: %s and %s",
				trace->sources[first->source].own->path,
				*buffer_of(trace, first)->name ? ", buffer " : "",
				buffer_of(trace, first)->name,
				trace->sources[stream->source].own->path,
				*buffer_of(trace, stream)->name ? ", buffer " : "",
				buffer_of(trace, stream)->name, buffer_of(trace, first)->clock,
				buffer_of(trace, stream)->clock);
	}
	return 0;
}

static void add_stream(struct trace *trace, unsigned int source, unsigned int nr)
{
	const struct trace_source *s = &trace->sources[source];
	const struct source_stream *from = source_stream(s->file, nr);
	struct trace_stream *stream = &trace->streams[trace->nr_streams++];
	uint32_t page_bytes;

	stream->source = source;
	stream->number = nr;
	stream->buffer = from->buffer;
	stream->cpu = from->cpu;
	stream->layout = &source_buffer(s->file, from->buffer)->layout;
	trace_clock_init(&stream->clock, s->file, from->cpu, s->offset);
	trace_learn_losses(s, stream);
	page_bytes = source_info(s->file)->page_bytes;
	page_index_init(&stream->index, page_bytes ? page_bytes : stream->layout->page_size);
	stream->index.may_drop = trace->options.follow && source_growth(s->file) != SOURCE_WHOLE;
}

/* Streams of a file, in order of buffer and CPU. */
static void add_streams(struct trace *trace, unsigned int source)
{
	struct trace_source *s = &trace->sources[source];

	s->first_stream = trace->nr_streams;
	for (unsigned int i = 0; i < source_nr_buffers(s->file); i++) {
		const struct source_buffer *buffer = source_buffer(s->file, i);

		for (unsigned int k = 0; k < buffer->nr_streams; k++)
			add_stream(trace, source, buffer->first_stream + k);
	}
}

/* Go to a page.  If it is empty, many others may be: then the cursor reads large pieces. */
static uint32_t look_at_page(struct cursor *cursor, uint64_t page)
{
	uint32_t count;

	cursor->borrow = true;
	cursor_seek(cursor, page, CURSOR_LOST);
	count = cursor_page_count(cursor);
	cursor->borrow = count != 0;
	return count;
}

/* The streams of a head last to its end. */
static void look_at_tail(const struct trace *trace, struct trace_stream *stream)
{
	const struct source *file = trace->sources[stream->source].file;
	uint64_t ts = source_info(file)->tail_ts;

	if (ts && trace_clock_key(&stream->clock, ts) > stream->last_ts)
		stream->last_ts = trace_clock_key(&stream->clock, ts);
}

static void set_sample(struct trace_stream *stream, uint32_t count)
{
	stream->sample_rows = page_rows(count);
	stream->sample_events = count & PAGE_EVENTS_MASK;
}

/* The next page from @page on that has events, or before; false: none, or its records differ. */
static bool sum_with_events(const struct trace *trace, const struct trace_stream *stream,
			    uint64_t page, int step, struct page_sum *sum)
{
	const struct page_reader *reader = trace->sources[stream->source].own->reader;
	const struct type_count *counts;

	for (uint64_t pages = trace_stream_pages(trace, stream); page < pages;
	     page += (uint64_t)step) {
		if (!page_reader_sum(reader, stream->number, page, sum, &counts) || sum->is_unsure)
			return false;
		if (sum->events)
			return true;
	}
	return false;
}

/* Take the ends of a text's stream from what the pass over its lines has found. */
static bool look_at_sums(const struct trace *trace, struct trace_stream *stream)
{
	uint64_t pages = trace_stream_pages(trace, stream);
	struct page_sum first, last;

	if (!sum_with_events(trace, stream, 0, 1, &first) ||
	    !sum_with_events(trace, stream, pages - 1, -1, &last))
		return false;
	set_sample(stream, first.events | (first.is_lost ? PAGE_LOST : 0));
	stream->has_events = true;
	stream->first_ts = trace_clock_key(&stream->clock, first.first);
	stream->last_ts = trace_clock_key(&stream->clock, last.last);
	return true;
}

/* Read the first and last rows of a stream, from its first and last page. */
static void read_ends(struct trace *trace, unsigned int nr)
{
	struct trace_stream *stream = &trace->streams[nr];
	struct cursor cursor;
	struct cursor_row row;

	trace_init_cursor(trace, nr, &cursor);
	set_sample(stream, look_at_page(&cursor, page_index_start(&stream->index)));
	for (bool is_first = true; cursor_next(&cursor, &row); is_first = false) {
		int64_t key = trace_clock_key(&stream->clock, row.key);

		if (key >= trace_end(trace) && trace->grows)
			break;
		if (is_first)		/* 0: a page that cannot be read */
			stream->first_key = row.key;
		if (is_first && row.item == CURSOR_LOST) {
			stream->told.has_first = true;
			stream->told.first_count = row.lost_known ? row.lost_count : 0;
		}
		if (row.item != CURSOR_LOST && row.item != CURSOR_DAMAGE) {
			stream->has_events = true;
			stream->first_ts = key;
			break;
		}
	}
	if (!trace->grows) {
		look_at_page(&cursor, cursor_pages(&cursor) - 1);
		cursor_seek(&cursor, cursor_pages(&cursor) - 1, CURSOR_END);
	} else {
		trace_seek_stream(trace, nr, &cursor, INT64_MAX, true);
	}
	while (stream->has_events && cursor_prev(&cursor, &row)) {
		if (row.item != CURSOR_LOST && row.item != CURSOR_DAMAGE) {
			stream->last_ts = trace_clock_key(&stream->clock, row.key);
			break;
		}
	}
	cursor_fini(&cursor);
}

void trace_look_at_ends(struct trace *trace, unsigned int nr)
{
	struct trace_stream *stream = &trace->streams[nr];

	if (!trace_stream_pages(trace, stream))
		return;
	if (!look_at_sums(trace, stream))
		read_ends(trace, nr);
	look_at_tail(trace, stream);
	if (stream->last_ts < stream->first_ts)
		stream->last_ts = stream->first_ts;
}

/* The ends of so many streams have no room in the cache: they would fill it for nothing. */
static void look_at_all_ends(struct trace *trace)
{
	uint64_t limit = CACHE_BYTES / trace->nr_sources;
	bool is_many = trace->nr_streams > MANY_STREAMS;

	for (unsigned int i = 0; is_many && i < trace->nr_sources; i++)
		page_cache_set_limit(trace->sources[i].own->cache, 0);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		trace_look_at_ends(trace, i);
	for (unsigned int i = 0; is_many && i < trace->nr_sources; i++)
		page_cache_set_limit(trace->sources[i].own->cache, limit);
}

/* Cursors read ahead; with more streams their windows are smaller. */
static void make_cursor_source(const struct trace *trace, struct trace_source *source)
{
	bool chunked = source_nr_streams(source->file) && source_stream(source->file, 0)->chunked;
	uint32_t bytes = stream_walk_window(trace->nr_streams);

	if (chunked && bytes < CHUNK_WINDOW)
		bytes = CHUNK_WINDOW;
	source->own->reader = page_reader_new(source->file, bytes);
	source->own->times = mem_array(CURSOR_TIMES, sizeof(*source->own->times));
	source->own->cursor_source = (struct cursor_source){ .file = source->file,
							     .cache = source->own->cache,
							.reader = source->own->reader,
							.window_bytes = bytes,
							.times = source->own->times };
}

static int check_offsets(const struct trace *trace, struct ft_error *err)
{
	const struct trace_offset *offsets = trace->options.offsets;

	for (unsigned int i = 0; offsets && i < trace->nr_sources; i++)
		if (offsets[i].by && offsets[i].unit != trace->unit)
			return ft_error_set(
				err, FT_E_USAGE, -1,
				trace->unit == TRACE_UNIT_COUNT ?
					"%s: its clock does not measure time, so the offset must be a whole number like +1500" :
					"%s: an offset needs a unit, like +1.5ms",
				trace_path(trace, i));
	return 0;
}

static int open_all(struct trace *trace, const char *const *paths, bool merge_any,
		    struct ft_error *err)
{
	uint64_t nr_streams = 0;

	for (unsigned int i = 0; i < trace->nr_sources; i++) {
		if (open_source(trace, &trace->sources[i], paths[i], err))
			return -1;
		nr_streams += trace->sources[i].nr_streams;
	}
	if (nr_streams > TRACE_MAX_STREAMS)
		return ft_error_set(err, FT_E_LIMIT, -1,
				    "%llu CPUs of all buffers and files are more than %u",
				    (unsigned long long)nr_streams, TRACE_MAX_STREAMS);
	trace->streams = mem_array(nr_streams, sizeof(*trace->streams));
	for (unsigned int i = 0; i < trace->nr_sources; i++)
		add_streams(trace, i);
	trace_begin_growth(trace);
	for (unsigned int i = 0; i < trace->nr_sources; i++)
		make_cursor_source(trace, &trace->sources[i]);
	look_at_all_ends(trace);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		trace->has_text_times |= trace->streams[i].clock.step;
	if (!merge_any && check_clocks(trace, err))
		return -1;
	for (unsigned int i = 0; i < trace->nr_sources; i++) {
		const struct source_info *info = source_info(trace->sources[i].file);

		trace->is_head |= source_is_head(trace->sources[i].file);
		if (trace_clock_unit(trace_clock(trace), info->has_tsc2nsec) == TRACE_UNIT_COUNT)
			trace->unit = TRACE_UNIT_COUNT;
		trace_note_boots(trace, i);
	}
	return check_offsets(trace, err);
}

/* Have the lines of a file to be looked at that are not open? */
static bool needs_rest(const struct trace *trace, unsigned int file)
{
	return trace->reads_more || source_is_head(trace->sources[file].file);
}

/* Look at a part of the lines of these files, and queue again for the rest. */
static void rest_job(void *arg, unsigned int worker, bool cancelled)
{
	struct trace *trace = arg;
	int ret;

	(void)worker;
	while (trace->read < trace->nr_sources && !needs_rest(trace, trace->read))
		trace->read++;
	if (cancelled || trace_is_closing(trace))
		return;
	if (trace->read == trace->nr_sources) {
		atomic_store(&trace->has_rest, true);
		return;
	}
	ret = source_read_rest(trace->sources[trace->read].file);
	trace->read += ret != 1;
	workers_add(trace->workers, &trace->group, WORKER_BACKGROUND, rest_job, trace);
}

static struct trace *open_as(struct trace *former, const char *const *paths, unsigned int nr,
			     bool merge_any, const struct trace_options *options,
			     struct ft_error *err)
{
	static const struct trace_options defaults = { .hold_permille = -1 };
	struct trace *trace = mem_alloc(sizeof(*trace));

	trace->options = options ? *options : defaults;
	trace->opener = pthread_self();
	trace->former = former;
	trace->merge_any = merge_any;
	trace->hold = trace->options.no_index ? 0 : trace->options.hold_permille;
	trace->nr_sources = nr;
	trace->sources = mem_array(nr, sizeof(*trace->sources));
	trace->probe_stream = trace->at_stream = UINT32_MAX;
	pthread_mutex_init(&trace->lock, NULL);
	if (open_all(trace, paths, merge_any, err)) {
		trace_close(trace);
		return NULL;
	}
	trace->options.offsets = NULL;
	trace->former = NULL;
	trace->workers = workers_new(trace->options.nr_workers);
	trace->scanners = mem_array((size_t)nr * workers_nr(trace->workers),
				    sizeof(*trace->scanners));
	if (trace->hold != 0)
		trace_start_jobs(trace);
	if (trace->is_head && trace->hold < 0)
		workers_add(trace->workers, &trace->group, WORKER_BACKGROUND, rest_job, trace);
	return trace;
}

struct trace *trace_open(const char *const *paths, unsigned int nr, bool merge_any,
			 const struct trace_options *options, struct ft_error *err)
{
	return open_as(NULL, paths, nr, merge_any, options, err);
}

bool trace_is_head(const struct trace *trace)
{
	return trace->is_head;
}

bool trace_has_rest(const struct trace *trace)
{
	return atomic_load(&trace->has_rest);
}

struct trace *trace_open_rest(struct trace *head, struct ft_error *err)
{
	struct trace_offset *offsets = mem_array(head->nr_sources, sizeof(*offsets));
	const char **paths = mem_array(head->nr_sources, sizeof(*paths));
	struct trace_options options = head->options;
	struct trace *trace;

	for (unsigned int i = 0; i < head->nr_sources; i++) {
		offsets[i] = trace_offset(head, i);
		paths[i] = trace_path(head, i);
	}
	head->has_rest = false;
	options.head_bytes = 0;
	options.offsets = offsets;
	trace = open_as(head, paths, head->nr_sources, head->merge_any, &options, err);
	free(offsets);
	free(paths);
	return trace;
}

/* --- a text that comes from a pipe ------------------------------------------ */

enum trace_pipe trace_pipe(const struct trace *trace)
{
	uint64_t size = source_info(trace->sources[0].file)->size;
	bool goes_on;

	if (input_size(trace_path(trace, 0), size, &goes_on) > size)
		return goes_on ? TRACE_PIPE_MORE : TRACE_PIPE_LAST;
	return goes_on ? TRACE_PIPE_WAITS : TRACE_PIPE_NONE;
}

void trace_read_more(struct trace *trace)
{
	trace->reads_more = true;
	trace->read = 0;
	workers_add(trace->workers, &trace->group, WORKER_BACKGROUND, rest_job, trace);
}

const char *trace_pipe_trouble(const struct trace *trace)
{
	return strcmp(trace_path(trace, 0), INPUT_PATH) ? NULL : input_trouble();
}

static void close_source(struct trace_source *source)
{
	if (!source->file)
		return;
	record_text_free(source->texts);
	printer_free(source->printer);
	page_reader_free(source->own->reader);
	free(source->own->times);
	page_cache_free(source->own->cache);
	page_kinds_fini(&source->kinds);
	comm_table_free(source->comms);
	trace_who_close(source);
	event_types_free(source->types);
	source_close(source->file);
	name_table_free(source->own->slices);
	trace_users_free(atomic_load(&source->own->users));
	trace_absent_free(source->own->absent);
	free(source->own->path);
	free(source->own);
}

const struct filter_name *const *trace_filter_names(const struct trace *trace)
{
	return trace ? trace->options.filter_names : NULL;
}

/* --- what models keep ------------------------------------------------------ */

void *trace_kept(const struct trace *trace, unsigned int file, const void *key)
{
	for (const struct trace_kept *kept = trace->sources[file].own->kept; kept;
	     kept = kept->next)
		if (kept->key == key)
			return kept->data;
	return NULL;
}

void trace_keep(struct trace *trace, unsigned int file, const void *key, void *data,
		const struct trace_keeper *keeper)
{
	_Atomic(struct trace_kept *) *end = &trace->sources[file].own->kept;
	struct trace_kept *kept = mem_alloc(sizeof(*kept));

	kept->key = key;
	kept->data = data;
	kept->keeper = keeper;
	while (*end)
		end = &(*end)->next;
	*end = kept;
}

static void stop_kept(const struct trace_source *source)
{
	if (!source->own)		/* it was not opened */
		return;
	for (const struct trace_kept *kept = source->own->kept; kept; kept = kept->next)
		kept->keeper->stop(kept->data);
}

static void free_kept(struct trace_source *source)
{
	struct trace_kept *next;

	if (!source->own)		/* it was not opened */
		return;
	for (struct trace_kept *kept = source->own->kept; kept; kept = next) {
		next = kept->next;
		kept->keeper->free(kept->data);
		free(kept);
	}
	source->own->kept = NULL;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	for (unsigned int i = 0; i < trace->nr_sources; i++)
		stop_kept(&trace->sources[i]);
	for (unsigned int i = 0; i < trace->nr_sources; i++)
		free_kept(&trace->sources[i]);
	if (trace->workers) {
		workers_cancel(&trace->group);
		workers_wait(trace->workers, &trace->group);
		for (unsigned int i = 0; i < trace->nr_sources * workers_nr(trace->workers); i++) {
			page_scan_free(trace->scanners[i].scan);
			page_reader_free(trace->scanners[i].reader);
		}
		workers_free(trace->workers);
	}
	free(trace->scanners);
	cursor_fini(&trace->probe);
	cursor_fini(&trace->at);
	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		page_index_fini(&trace->streams[i].index);
		trace_clock_fini(&trace->streams[i].clock);
	}
	free(trace->streams);
	for (unsigned int i = 0; i < trace->nr_sources; i++)
		close_source(&trace->sources[i]);
	free(trace->sources);
	trace_density_fini(trace);
	pthread_mutex_destroy(&trace->lock);
	free(trace);
}

/* --- what it is ------------------------------------------------------------------------ */

struct trace_stream *trace_stream_at(const struct trace *trace, unsigned int i)
{
	return &trace->streams[i];
}

struct trace_source *trace_source_at(const struct trace *trace, unsigned int file)
{
	return &trace->sources[file];
}

unsigned int trace_nr_files(const struct trace *trace)
{
	return trace->nr_sources;
}

const struct source *trace_file_of(const struct trace *trace, unsigned int file)
{
	return trace->sources[file].file;
}

bool trace_is_cut_by(const struct trace *trace, int file, const char *option)
{
	bool any = false;

	for (unsigned int i = 0; i < trace->nr_sources; i++)
		any |= (file < 0 || i == (unsigned int)file) &&
		       *source_info(trace->sources[i].file)->cuts &&
		       strstr(source_info(trace->sources[i].file)->cuts, option);
	return any;
}

bool trace_has_missed(const struct trace *trace, int file)
{
	bool any = false;

	for (unsigned int i = 0; i < trace->nr_sources; i++)
		any |= (file < 0 || i == (unsigned int)file) &&
		       *source_info(trace->sources[i].file)->missed;
	return any;
}

bool trace_is_thinned(const struct trace *trace, int file)
{
	return trace_is_cut_by(trace, file, "--filter=") || trace_is_cut_by(trace, file, "--task=");
}

bool trace_is_of_tasks(const struct trace *trace, int file)
{
	return trace_is_cut_by(trace, file, SOURCE_CUT_OF_TASKS);
}

const char *trace_lacks_switches(const struct trace *trace, int file)
{
	return trace_is_of_tasks(trace, file) ? "Only sched_switch of some tasks was recorded" :
						"No sched_switch was recorded";
}

const char *trace_lost_words(const struct trace *trace, int file)
{
	return trace_is_thinned(trace, file) ? "cut out or lost" : "lost";
}

const char *trace_missing_words(const struct trace *trace, int file)
{
	return trace_is_thinned(trace, file) ? "cut out or lost" : "though no loss is marked there";
}

const char *trace_path(const struct trace *trace, unsigned int file)
{
	return trace->sources[file].own->path;
}

struct trace_offset trace_offset(const struct trace *trace, unsigned int file)
{
	return (struct trace_offset){ trace->sources[file].offset, trace->unit };
}

unsigned int trace_nr_warnings(const struct trace *trace, unsigned int file)
{
	return source_nr_warnings(trace->sources[file].file);
}

struct ft_error trace_warning(const struct trace *trace, unsigned int file, unsigned int i)
{
	return source_warning(trace->sources[file].file, i);
}

enum trace_unit trace_unit(const struct trace *trace)
{
	return trace->unit;
}

const char *trace_clock(const struct trace *trace)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const char *clock = buffer_of(trace, &trace->streams[i])->clock;

		if (trace->streams[i].has_events && *clock)
			return clock;
	}
	return trace->nr_sources && source_nr_buffers(trace->sources[0].file) ?
		       source_buffer(trace->sources[0].file, 0)->clock :
		       "";
}

struct event_types *trace_event_types(struct trace *trace, unsigned int file)
{
	return trace->sources[file].types;
}

const char *trace_kernel(const struct trace *trace)
{
	return trace->nr_sources ? trace->sources[0].own->release : "";
}

int64_t trace_wall_offset_ns(const struct trace *trace, bool *known)
{
	const struct source_info *info = trace->nr_sources ? source_info(trace->sources[0].file) :
							     NULL;
	const struct trace_clock *clock = trace->nr_streams ? &trace->streams[0].clock : NULL;

	*known = false;
	if (!info || trace->unit != TRACE_UNIT_NS)
		return 0;
	/* with --date, stamps and the file's offset are wall time, and so is model time */
	*known = info->has_date || (info->has_wall && clock && clock->plain);
	return info->has_date || !*known ?
		       0 :
		       (int64_t)((uint64_t)info->wall_offset_ns - (uint64_t)clock->offset);
}

unsigned int trace_nr_streams(const struct trace *trace)
{
	return trace->nr_streams;
}

int64_t trace_resolution(const struct trace *trace)
{
	return trace && trace->has_text_times && trace->unit == TRACE_UNIT_NS ?
		       TRACE_TEXT_RESOLUTION :
		       1;
}

int64_t trace_row_time(const struct trace *trace, const struct trace_event *event)
{
	return time_between(event->ts, event->key) < trace_resolution(trace) ? event->ts :
									       event->key;
}

/* CPUs with a stream; a CPU in several buffers counts once. */
unsigned int trace_nr_cpus(const struct trace *trace)
{
	unsigned int most = 0;

	for (unsigned int f = 0; f < trace->nr_sources; f++) {
		const struct trace_source *source = &trace->sources[f];
		const struct trace_stream *streams = &trace->streams[source->first_stream];
		unsigned int nr = 0;
		int last = 0;
		bool *seen;

		for (unsigned int i = 0; i < source->nr_streams; i++)
			last = streams[i].cpu > last ? streams[i].cpu : last;
		seen = mem_array((size_t)last + 1, sizeof(*seen));
		for (unsigned int i = 0; i < source->nr_streams; i++) {
			nr += !seen[streams[i].cpu];
			seen[streams[i].cpu] = true;
		}
		free(seen);
		if (nr > most)
			most = nr;
	}
	return most;
}

bool trace_is_hist(const struct trace *trace, unsigned int file)
{
	return source_info(trace->sources[file].file)->is_hist;
}

bool trace_histograms(const struct trace *trace, unsigned int file, struct text *out)
{
	return source_histograms(trace->sources[file].file, out);
}

const char *trace_lost_histograms(const struct trace *trace, unsigned int file)
{
	return source_text_lost(trace->sources[file].file, TRACE_TEXT_HISTS);
}

bool trace_is_untimed(const struct trace *trace, int file)
{
	bool any = false;

	for (unsigned int i = 0; i < trace->nr_sources; i++)
		any |= (file < 0 || i == (unsigned int)file) &&
		       source_info(trace->sources[i].file)->is_untimed;
	return any;
}

/*
 * Finds the first and last time of a file, or of all files (@file -1).  @recorded: as recorded,
 * without the offsets given for the files.
 */
static bool find_span(const struct trace *trace, int file, bool recorded, int64_t *first,
		      int64_t *last)
{
	bool any = false;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct trace_stream *stream = &trace->streams[i];
		int64_t offset = recorded ? trace->sources[stream->source].offset : 0, from, to;

		if (!stream->has_events || (file >= 0 && stream->source != (unsigned int)file))
			continue;
		from = time_between(offset, stream->first_ts);
		to = time_between(offset, stream->last_ts);
		*first = !any || from < *first ? from : *first;
		*last = !any || to > *last ? to : *last;
		any = true;
	}
	return any;
}

bool trace_span(const struct trace *trace, int64_t *first, int64_t *last)
{
	return find_span(trace, -1, false, first, last);
}

bool trace_file_span(const struct trace *trace, unsigned int file, int64_t *first, int64_t *last)
{
	return find_span(trace, (int)file, false, first, last);
}

bool trace_recorded_span(const struct trace *trace, int64_t *first, int64_t *last)
{
	return find_span(trace, -1, true, first, last);
}

struct trace_stream_info trace_stream_info(const struct trace *trace, unsigned int nr)
{
	struct trace_stream *stream = &trace->streams[nr];
	struct page_totals totals = page_index_totals(&stream->index);
	uint64_t pages = trace_stream_pages(trace, stream) - page_index_start(&stream->index);
	bool knows;

	knows = trace_told_losses(trace, stream, &totals);
	return (struct trace_stream_info){
		.file = stream->source, .buffer = stream->buffer,
		.cpu = stream->cpu,
		.buffer_name = buffer_of(trace, stream)->name,
		.pages = pages, .bytes = pages * stream->layout->page_size,
		.events = totals.events, .lost_events = totals.lost_events,
		.lost_unknown = totals.lost_unknown, .lost_perhaps = !knows,
		.lacks_end = stream->told.unread,
	};
}

int trace_type_counts_order(const void *a, const void *b)
{
	const struct trace_type_count *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return x->file != y->file ? (x->file < y->file ? -1 : 1) : x->id - y->id;
}

unsigned int trace_type_counts(struct trace *trace, struct trace_type_count **counts)
{
	unsigned int nr = 0, cap = 0;

	*counts = NULL;
	for (unsigned int f = 0; f < trace->nr_sources; f++) {
		struct page_kinds *kinds = &trace->sources[f].kinds;
		uint32_t n = atomic_load(&kinds->nr);

		for (uint32_t i = 0; i < n; i++) {
			uint64_t events = atomic_load(&kinds->events[i]);

			if (!events)
				continue;
			mem_grow(counts, nr, &cap);
			(*counts)[nr++] = (struct trace_type_count){
				.type = event_types_find(trace->sources[f].types, kinds->ids[i]),
				.id = kinds->ids[i],
				.file = f, .events = events };
		}
	}
	return nr;
}

bool trace_has_event(struct trace *trace, unsigned int file, const char *name)
{
	struct trace_source *source = &trace->sources[file];
	uint32_t nr = atomic_load(&source->kinds.nr);
	const struct event_type *type;
	bool has = false;

	for (uint32_t i = 0; i < nr && !has; i++) {
		type = atomic_load(&source->kinds.events[i]) ?
			       event_types_find(source->types, source->kinds.ids[i]) :
			       NULL;
		has = type && event_type_is(type, name);
	}
	return has;
}

bool trace_has_switches(struct trace *trace, unsigned int file)
{
	const struct event_type *type = event_types_by_name(trace->sources[file].types, "sched",
							    "sched_switch");

	return type && event_type_tells_switch(type) &&
	       trace_has_event(trace, file, "sched_switch");
}

static const struct event_type *saved_type(const struct trace_source *source, unsigned int i)
{
	return event_types_find(source->types, source_format(source->file, i)->id);
}

/* Has the file a format of these events?  @system: NULL: of any. */
static bool saves_format(const struct trace_source *source, const char *name, const char *system)
{
	for (unsigned int i = 0; i < source_nr_formats(source->file); i++) {
		const struct event_type *type = saved_type(source, i);

		if (type && event_type_is(type, name) && (!system || !strcmp(type->system, system)))
			return true;
	}
	return false;
}

/* The formats of these are in the file in any case.  @type: NULL: it is of the system @system. */
static bool is_always_saved(const struct event_type *type, const char *system)
{
	return !strcmp(system, "ftrace") || (type && event_type_is(type, "sched:sched_switch"));
}

/*
 * A recorder saves the formats of what it records, and that of sched_switch.  Are there systems
 * without any event among them, then it saved all that the kernel has.
 */
bool trace_records_event(struct trace *trace, unsigned int file, const char *name)
{
	const struct trace_source *source = &trace->sources[file];
	bool has_format = saves_format(source, name, NULL), is_choice = has_format;

	for (unsigned int i = 0; is_choice && i < source_nr_formats(source->file); i++) {
		const char *system = source_format(source->file, i)->system;
		const struct event_type *type = saved_type(source, i);
		bool is_always = is_always_saved(type, system);
		char one[256];

		snprintf(one, sizeof(one), "%s:%s", system, type ? type->name : "");
		if (is_always && type && event_type_is(type, name) &&
		    !trace_has_event(trace, file, one))
			return false;
		snprintf(one, sizeof(one), "%s:*", system);
		is_choice = is_always || trace_has_event(trace, file, one) ||
			    saves_format(source, name, system);
	}
	return is_choice || (has_format && trace_has_event(trace, file, name));
}
