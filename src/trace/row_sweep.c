/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/row_sweep.h"

#include <stdlib.h>

#include "parsers/types/field.h"
#include "parsers/pages/page_sequence.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define WINDOWS_BYTES	(512u << 10)	/* read-ahead of all streams together */
#define WINDOW_MAX	(64u << 10)

struct lane {				/* a stream */
	unsigned int	 stream;
	struct page_sequence pages;	/* its reader is owned */
	struct sub_buffer walk;		/* over the page before the next one */
	bool		 open;
	bool		 held;		/* `row` was later than the limit and is still to be
					 * reported */
	struct swept_row row;		/* the last one read */
};

struct row_sweep {
	struct trace	*trace;
	const struct common_layout *common;
	struct lane	*lanes;		/* owned, [nr] */
	unsigned int	 nr;
};

struct row_sweep *row_sweep_new(struct trace *trace, unsigned int file)
{
	struct row_sweep *sweep = mem_alloc(sizeof(*sweep));
	uint32_t window;

	sweep->trace = trace;
	sweep->common = &trace_source_at(trace, file)->kinds.common;
	sweep->lanes = mem_array(trace_nr_streams(trace) + 1, sizeof(*sweep->lanes));
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++)
		if (trace_stream_at(trace, i)->source == file && !trace_stream_at(trace, i)->is_text)
			sweep->lanes[sweep->nr++].stream = i;
	window = sweep->nr && WINDOWS_BYTES / sweep->nr < WINDOW_MAX ? WINDOWS_BYTES / sweep->nr : WINDOW_MAX;
	for (unsigned int i = 0; i < sweep->nr; i++) {
		struct lane *lane = &sweep->lanes[i];
		struct trace_stream *stream = trace_stream_at(trace, lane->stream);

		lane->pages = (struct page_sequence){
			.reader = page_reader_new(trace_source_at(trace, file)->file, window), .stream = stream->number,
			.page_size = stream->layout->page_size, .end = trace_stream_pages(trace, stream) };
		lane->row.lane = i;
		lane->row.cpu = stream->cpu;
	}
	return sweep;
}

void row_sweep_free(struct row_sweep *sweep)
{
	if (!sweep)
		return;
	for (unsigned int i = 0; i < sweep->nr; i++)
		page_reader_free(sweep->lanes[i].pages.reader);
	free(sweep->lanes);
	free(sweep);
}

unsigned int row_sweep_nr_lanes(const struct row_sweep *sweep)
{
	return sweep->nr;
}

/* Begin with the next page; false if there is none. */
static bool open_page(const struct row_sweep *sweep, struct lane *lane)
{
	const uint8_t *bytes;
	uint32_t len;

	lane->row.ref = trace_ref_make(lane->stream, lane->pages.page, 0);
	if (!page_sequence_next(&lane->pages, &bytes, &len))
		return false;
	sub_buffer_open(&lane->walk, trace_stream_at(sweep->trace, lane->stream)->layout, bytes, len);
	lane->open = true;
	return true;
}

/* Walk the rows of a page up to a time; false: the next row is later. */
static inline __attribute__((always_inline)) bool walk_page(const struct row_sweep *sweep, struct lane *lane, int64_t until,
							    bool swap, bool big_endian, bool standard,
							    void (*see)(void *arg, const struct swept_row *row), void *arg)
{
	const struct trace_clock *clock = &trace_stream_at(sweep->trace, lane->stream)->clock;
	const struct common_layout *common = sweep->common;
	struct sub_buffer walk = lane->walk;
	struct swept_row row = lane->row;
	struct record rec;

	while (sub_buffer_step(&walk, &rec, swap, big_endian)) {
		row.ref++;
		row.ts = trace_clock_ts(clock, rec.ts);
		if (standard && __builtin_expect(rec.size >= 8, 1)) {
			row.type = load_u16(rec.data, swap);
			row.pid = (int32_t)load_u32(rec.data + 4, swap);
		} else {
			row.type = (uint16_t)field_load(rec.data, rec.size, common->type_offset, common->type_size, swap);
			row.pid = (int32_t)field_load(rec.data, rec.size, common->pid_offset, common->pid_size, swap);
		}
		if (row.ts > until) {
			lane->walk = walk;
			lane->row = row;
			lane->held = true;
			return false;
		}
		see(arg, &row);
	}
	lane->row = row;
	lane->open = false;
	return true;
}

static bool walk(const struct row_sweep *sweep, struct lane *lane, int64_t until,
		 void (*see)(void *arg, const struct swept_row *row), void *arg)
{
	const struct trace_stream *stream = trace_stream_at(sweep->trace, lane->stream);
	const struct sub_buffer_layout *layout = stream->layout;

	if (trace_source_at(sweep->trace, stream->source)->kinds.standard && !layout->swap && !layout->big_endian)
		return walk_page(sweep, lane, until, false, false, true, see, arg);
	return walk_page(sweep, lane, until, layout->swap, layout->big_endian, false, see, arg);
}

bool row_sweep_on(struct row_sweep *sweep, int64_t until, uint64_t max, void (*see)(void *arg, const struct swept_row *row),
		  void *arg)
{
	uint64_t rows = 0;

	for (unsigned int i = 0; i < sweep->nr; i++) {
		struct lane *lane = &sweep->lanes[i];

		if (lane->held && lane->row.ts > until)
			continue;
		if (lane->held)
			see(arg, &lane->row);
		lane->held = false;
		while ((lane->open || open_page(sweep, lane)) && walk(sweep, lane, until, see, arg)) {
			rows += trace_ref_item(lane->row.ref);
			if (rows >= max)
				return true;
		}
	}
	return false;
}
