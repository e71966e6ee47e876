/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_directory - lets workers build the page directory, tells how far it is, and follows files
 * to which a recorder appends.
 */
#include "parsers/source/source.h"
#include "src/trace/trace_private.h"

#define SCAN_WINDOW_BYTES	(256u << 10)	/* fits into a CPU's cache */

/* --- the directory ----------------------------------------------------------------- */

uint64_t trace_stream_pages(const struct trace *trace, const struct trace_stream *stream)
{
	return source_stream_pages(trace->sources[stream->source].file, stream->number);
}

/* Number of a stream's pages that may be scanned now. */
static uint64_t pages_wanted(const struct trace *trace, const struct trace_stream *stream)
{
	uint64_t pages = trace_stream_pages(trace, stream);

	if (trace->hold >= 0)
		pages = pages * (unsigned int)trace->hold / 1000;
	return pages;
}

/*
 * Claim the next range of any stream.  The streams advance evenly, in passes, so that rows are
 * exact from the start of the time line on. Called with the lock held.
 */
static struct page_range *claim_range(struct trace *trace, unsigned int *nr)
{
	for (; trace->pass < trace->nr_passes; trace->pass++, trace->turn = 0) {
		for (; trace->turn < trace->nr_streams; trace->turn++) {
			struct trace_stream *stream = &trace->streams[trace->turn];
			uint64_t wanted = pages_wanted(trace, stream);
			uint64_t due = (wanted * (trace->pass + 1) + trace->nr_passes - 1) /
				       trace->nr_passes;
			struct page_range *range;

			if (stream->index.claimed >= due)
				continue;
			range = page_index_claim(&stream->index, wanted);
			if (range) {
				*nr = trace->turn;
				return range;
			}
			/* its last, partial slab is being scanned: pages added since must wait */
			trace->passed_over = true;
		}
	}
	return NULL;
}

bool trace_is_closing(const struct trace *trace)
{
	return atomic_load_explicit(&trace->group.generation, memory_order_relaxed) != 0;
}

static bool index_cancelled(void *arg)
{
	return trace_is_closing(arg);
}

static int64_t clock_time(const void *arg, uint64_t raw)
{
	return trace_clock_ts(arg, raw);
}

static bool scan_range(struct trace *trace, unsigned int nr, unsigned int worker,
		       struct page_range *range)
{
	struct trace_stream *stream = &trace->streams[nr];
	struct trace_source *source = &trace->sources[stream->source];
	struct trace_scanner *scanner =
		&trace->scanners[stream->source * workers_nr(trace->workers) + worker];
	struct page_clock clock = { clock_time, &stream->clock };

	if (!scanner->scan) {
		scanner->scan = page_scan_new(&source->kinds);
		scanner->reader = page_reader_new(source->file, SCAN_WINDOW_BYTES);
	}
	return page_scan_range(scanner->scan, scanner->reader, stream->number, stream->layout,
			       &clock, range, index_cancelled, trace);
}

static void tell_listeners(const struct trace *trace)
{
	for (unsigned int i = 0; i < TRACE_LISTENERS; i++)
		if (trace->listeners[i].grew)
			trace->listeners[i].grew(trace->listeners[i].arg);
}

/* Scan one range, then queue again, so that more urgent jobs get their turn. */
static void index_job(void *arg, unsigned int worker, bool cancelled)
{
	struct trace *trace = arg;
	struct page_range *range;
	unsigned int nr = 0;
	bool is_end, again;

	pthread_mutex_lock(&trace->lock);
	range = cancelled ? NULL : claim_range(trace, &nr);
	is_end = !range && !--trace->jobs && !cancelled && trace->hold < 0;
	pthread_mutex_unlock(&trace->lock);
	for (unsigned int i = 0; is_end && i < trace->nr_sources; i++)
		comm_table_settle(trace->sources[i].comms);
	if (!range)
		return;
	if (!scan_range(trace, nr, worker, range)) {
		page_range_free(range);		/* the trace is being closed */
		return;
	}
	pthread_mutex_lock(&trace->lock);
	page_index_commit(&trace->streams[nr].index, range);
	tell_listeners(trace);
	again = trace->passed_over;
	trace->passed_over = false;
	pthread_mutex_unlock(&trace->lock);
	if (again)
		trace_start_jobs(trace);
	workers_add(trace->workers, &trace->group, WORKER_BACKGROUND, index_job, trace);
}

void trace_start_jobs(struct trace *trace)
{
	unsigned int more;

	pthread_mutex_lock(&trace->lock);
	trace->pass = 0;
	trace->turn = 0;
	trace->nr_passes = 1;
	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		uint64_t ranges = pages_wanted(trace, &trace->streams[i]) /
					  trace->streams[i].index.slab_pages +
				  1;

		if (ranges > trace->nr_passes)
			trace->nr_passes = ranges;
	}
	more = workers_nr(trace->workers) - trace->jobs;
	trace->jobs += more;
	pthread_mutex_unlock(&trace->lock);
	while (more--)
		workers_add(trace->workers, &trace->group, WORKER_BACKGROUND, index_job, trace);
}

void trace_listen(struct trace *trace, void (*listener)(void *arg), void *arg)
{
	struct trace_listener *slot = NULL;

	pthread_mutex_lock(&trace->lock);
	for (unsigned int i = 0; i < TRACE_LISTENERS; i++) {
		if (trace->listeners[i].grew && trace->listeners[i].arg == arg)
			trace->listeners[i] = (struct trace_listener){ 0 };
		if (!trace->listeners[i].grew && !slot)
			slot = &trace->listeners[i];
	}
	if (slot && listener)
		*slot = (struct trace_listener){ listener, arg };
	pthread_mutex_unlock(&trace->lock);
}

void trace_news(struct trace *trace)
{
	pthread_mutex_lock(&trace->lock);
	tell_listeners(trace);
	pthread_mutex_unlock(&trace->lock);
}

struct workers *trace_workers(struct trace *trace)
{
	return trace->workers;
}

void trace_wait(struct trace *trace)
{
	workers_wait(trace->workers, &trace->group);
}

void trace_hold(struct trace *trace, int permille)
{
	pthread_mutex_lock(&trace->lock);
	trace->hold = permille;
	pthread_mutex_unlock(&trace->lock);
	trace_start_jobs(trace);
}

void trace_wait_all(struct trace *trace)
{
	trace_hold(trace, -1);
	trace_wait(trace);
}

/* --- how far it is ------------------------------------------------------------------------ */

/* Estimates the events and rows of a long file from those of its head, which alone was read. */
static void add_rest(const struct trace *trace, struct trace_status *status)
{
	unsigned int least = 1000;

	for (unsigned int i = 0; i < trace->nr_sources; i++) {
		const struct source *file = trace->sources[i].file;
		uint64_t head = source_info(file)->head, size = source_info(file)->size;

		if (!head)
			continue;
		status->events = (uint64_t)((double)status->events * size / head);
		status->rows = (uint64_t)((double)status->rows * size / head);
		least = source_permille(file) < least ? source_permille(file) : least;
	}
	status->permille = least;
	status->complete = false;
}

struct trace_status trace_status(const struct trace *trace)
{
	struct trace_status status = { .complete = true };
	uint64_t bytes = 0, done = 0, end_rows;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct trace_stream *stream = &trace->streams[i];
		struct page_totals totals = page_index_totals(&stream->index);
		uint64_t pages = trace_stream_pages(trace, stream);
		uint64_t left = pages > totals.pages ? pages - totals.pages : 0;
		uint64_t start = page_index_start(&stream->index);

		status.events += totals.events;
		status.rows += totals.rows;
		status.lost_perhaps |= !trace_told_losses(trace, stream, &totals);
		status.lacks_begin |= stream->told.has_first;
		status.lost_events += totals.lost_events;
		status.lost_unknown += totals.lost_unknown;
		status.damaged_pages += totals.damaged_pages;
		bytes += (pages - start) * stream->layout->page_size;
		done += (totals.pages - start) * stream->layout->page_size;
		if (!left)
			continue;
		status.complete = false;
		if (totals.pages > start) {
			double share = (double)left / (double)(totals.pages - start);

			status.events += (uint64_t)((double)totals.events * share);
			status.rows += (uint64_t)((double)totals.rows * share);
		} else {
			status.events += left * stream->sample_events;
			status.rows += left * stream->sample_rows;
		}
	}
	status.permille = status.complete ? 1000 :
			  bytes           ? (unsigned int)(done * 1000 / bytes) :
					    1000;
	if (trace->is_head)
		add_rest(trace, &status);
	end_rows = atomic_load(&trace->end_rows);
	if (end_rows != UINT64_MAX) {
		status.rows = end_rows;
		status.events = atomic_load(&trace->end_events);
		status.permille = 1000;
		status.complete = true;
	}
	return status;
}

/* --- files that grow ---------------------------------------------------------------------- */

int64_t trace_end(const struct trace *trace)
{
	return atomic_load_explicit(&trace->end, memory_order_acquire);
}

bool trace_grows(const struct trace *trace)
{
	return trace->grows;
}

/* The least of the times up to which the CPUs are known. */
static int64_t find_end(const struct trace *trace)
{
	int64_t end = INT64_MAX;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct trace_stream *stream = &trace->streams[i];
		const struct source *file = trace->sources[stream->source].file;
		uint64_t raw = source_settled(file, stream->number);
		int64_t key = raw ? trace_clock_key(&stream->clock, raw) : INT64_MIN;

		if (source_growth(file) != SOURCE_WHOLE && key < end)
			end = key;
	}
	return end;
}

static bool any_grows(const struct trace *trace)
{
	bool any = false;

	for (unsigned int i = 0; i < trace->nr_sources; i++)
		any |= source_growth(trace->sources[i].file) != SOURCE_WHOLE;
	return any;
}

void trace_begin_growth(struct trace *trace)
{
	trace->grows = trace->options.follow && any_grows(trace);
	trace->next_end = trace->grows ? find_end(trace) : INT64_MAX;
	atomic_init(&trace->end, trace->next_end);
	atomic_init(&trace->end_rows, UINT64_MAX);
	atomic_init(&trace->end_events, UINT64_MAX);
}

bool trace_has_dropped(const struct trace *trace)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		if (source_first_page(trace->sources[trace->streams[i].source].file,
				      trace->streams[i].number))
			return true;
	return false;
}

int64_t trace_kept_from(const struct trace *trace, unsigned int file, uint64_t *dropped)
{
	int64_t from = INT64_MIN;

	*dropped = 0;
	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct trace_stream *stream = &trace->streams[i];
		uint64_t start = page_index_start(&stream->index);

		if (stream->source != file || !start)
			continue;
		*dropped += start;
		from = stream->first_ts > from ? stream->first_ts : from;
	}
	return from;
}

#define TASKS_GONE	512u		/* what there is of so many is a MB or two */

bool trace_is_stale(struct trace *trace)
{
	uint32_t nr = 0;

	for (unsigned int i = 0; i < trace->nr_sources; i++)
		nr += comm_table_nr(trace->sources[i].comms);
	if (!trace->ring_tasks && trace_has_dropped(trace))
		trace->ring_tasks = nr;
	return trace->ring_tasks && nr / 3 > trace->ring_tasks / 2 + TASKS_GONE;
}

bool trace_is_dropped(const struct trace *trace, trace_ref ref)
{
	unsigned int nr = trace_ref_stream(ref);

	return nr < trace->nr_streams &&
	       trace_ref_page(ref) < page_index_start(&trace->streams[nr].index);
}

bool trace_follows_dropped(const struct trace *trace, trace_ref ref)
{
	unsigned int nr = trace_ref_stream(ref);
	const struct page_index *index;
	uint64_t page;
	uint32_t count = 0;

	if (ref == TRACE_REF_NONE || nr >= trace->nr_streams)
		return false;
	index = &trace->streams[nr].index;
	page = page_index_start(index);
	if (!page)
		return false;
	for (; page < page_index_pages(index) && !page_rows(count); page++)
		count = page_index_count(index, page);
	return trace_ref_page(ref) + 1 == page && page_rows(count) &&
	       trace_ref_item(ref) == !(count & PAGE_LOST);
}

/* Has the recorder dropped pages that are in the directory? */
static bool must_drop(const struct trace *trace, const struct trace_stream *stream)
{
	uint64_t first = source_first_page(trace->sources[stream->source].file, stream->number);
	uint64_t start = page_index_start(&stream->index);

	return first > start && page_index_pages(&stream->index) > start;
}

static bool any_must_drop(const struct trace *trace)
{
	bool any = false;

	for (unsigned int i = 0; i < trace->nr_streams; i++)
		any |= must_drop(trace, &trace->streams[i]);
	return any;
}

static void drop_pages(struct trace *trace, struct trace_stream *stream)
{
	struct page_index *index = &stream->index;
	uint64_t page;

	page_index_drop(index,
			source_first_page(trace->sources[stream->source].file, stream->number));
	page = page_index_start(index);
	while (page < page_index_pages(index) &&
	       !(page_index_count(index, page) & PAGE_EVENTS_MASK))
		page++;
	if (page < page_index_pages(index))
		stream->first_ts = trace_clock_key(&stream->clock, page_index_first(index, page));
}

/* What the recorder has dropped goes. */
static void move_start(struct trace *trace)
{
	pthread_mutex_lock(&trace->lock);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		if (must_drop(trace, &trace->streams[i]))
			drop_pages(trace, &trace->streams[i]);
	tell_listeners(trace);
	pthread_mutex_unlock(&trace->lock);
}

/* All that was appended up to the next end is in the directory: show it. */
static void move_end(struct trace *trace)
{
	int64_t end = trace->next_end;

	if (any_must_drop(trace))
		move_start(trace);
	atomic_store_explicit(&trace->end, end, memory_order_release);
	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct trace_stream *stream = &trace->streams[i];
		int64_t key;

		if (!trace_last_key(trace, i, &key)) {
			stream->has_events = false;	/* any more */
			continue;
		}
		if (!stream->has_events)
			trace_look_at_ends(trace, i);
		stream->last_ts = key > stream->first_ts ? key : stream->first_ts;
	}
	trace->grows = any_grows(trace);
	atomic_store(&trace->end_events,
		     trace->grows ? trace_count_below(trace, end, true) : UINT64_MAX);
	atomic_store(&trace->end_rows,
		     trace->grows ? trace_count_below(trace, end, false) : UINT64_MAX);
}

static bool is_indexed(struct trace *trace)
{
	bool all = true;

	pthread_mutex_lock(&trace->lock);
	for (unsigned int i = 0; i < trace->nr_streams && all; i++)
		all = page_index_pages(&trace->streams[i].index) >=
		      trace_stream_pages(trace, &trace->streams[i]);
	pthread_mutex_unlock(&trace->lock);
	return all;
}

bool trace_has_ended(const struct trace *trace)
{
	bool any = false;

	for (unsigned int i = 0; i < trace->nr_sources; i++)
		any |= source_has_ended(trace->sources[i].file);
	return any;
}

enum trace_growth trace_grow(struct trace *trace)
{
	if (!trace->grows)
		return TRACE_WHOLE;
	if (trace_has_ended(trace))	/* what was indexed since the last time may be damaged */
		return TRACE_ENDED;
	if (!is_indexed(trace))
		return TRACE_INDEXES;
	if (trace->next_end != trace_end(trace) || atomic_load(&trace->end_rows) == UINT64_MAX ||
	    any_must_drop(trace) || !any_grows(trace)) {
		if (any_must_drop(trace) && !workers_idle(trace->workers))
			return TRACE_SETTLED;
		move_end(trace);
		return TRACE_GREW;
	}
	for (unsigned int i = 0; i < trace->nr_sources; i++) {
		if (source_grow(trace->sources[i].file) == SOURCE_ENDED)
			return TRACE_ENDED;
		trace_who_grow(&trace->sources[i]);
	}
	trace->next_end = find_end(trace);
	trace_start_jobs(trace);
	return trace->next_end != trace_end(trace) ? TRACE_INDEXES : TRACE_SETTLED;
}
