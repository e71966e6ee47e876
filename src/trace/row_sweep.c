/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/row_sweep.h"

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/trace/stream_walk.h"

struct lane {				/* a stream */
	struct stream_walk walk;
	bool		 held;		/* `row` is later than the limit: report it next time */
	struct swept_row row;		/* the last one read */
};

struct row_sweep {
	struct lane	*lanes;		/* owned, [nr] */
	unsigned int	 nr;
};

struct row_sweep *row_sweep_new(struct trace *trace, unsigned int file)
{
	struct row_sweep *sweep = mem_alloc(sizeof(*sweep));

	sweep->lanes = mem_array(trace_nr_streams(trace) + 1, sizeof(*sweep->lanes));
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		const struct trace_stream *stream = trace_stream_at(trace, i);
		struct lane *lane = &sweep->lanes[sweep->nr];

		if (stream->source != file)
			continue;
		lane->walk.window_bytes = stream_walk_window(trace_nr_streams(trace));
		stream_walk_begin(&lane->walk, trace, i, 0, UINT64_MAX);
		lane->row = (struct swept_row){ .lane = sweep->nr++, .cpu = stream->cpu };
	}
	return sweep;
}

void row_sweep_free(struct row_sweep *sweep)
{
	if (!sweep)
		return;
	for (unsigned int i = 0; i < sweep->nr; i++)
		stream_walk_end(&sweep->lanes[i].walk);
	free(sweep->lanes);
	free(sweep);
}

unsigned int row_sweep_nr_lanes(const struct row_sweep *sweep)
{
	return sweep->nr;
}

/* Walk the rows of a page up to a time; false: the next row is later. */
static inline __attribute__((always_inline)) bool
walk_page(struct lane *lane, int64_t until, bool native,
	  void (*see)(void *arg, const struct swept_row *row), void *arg)
{
	struct stream_walk walk = lane->walk;
	struct swept_row row = lane->row;
	struct record rec;

	lane->held = false;
	while (!lane->held && stream_walk_next(&walk, &rec, native)) {
		row.ref = walk.ref;
		row.ts = stream_walk_ts(&walk, &rec);
		row.type = stream_walk_type(&walk, &rec, native);
		row.pid = stream_walk_pid(&walk, &rec, native);
		lane->held = row.ts > until;
		if (!lane->held)
			see(arg, &row);
	}
	lane->walk = walk;
	lane->row = row;
	return !lane->held;
}

bool row_sweep_on(struct row_sweep *sweep, int64_t until, uint64_t max,
		  void (*see)(void *arg, const struct swept_row *row), void *arg)
{
	uint64_t rows = 0;

	for (unsigned int i = 0; i < sweep->nr; i++) {
		struct lane *lane = &sweep->lanes[i];

		if (lane->held && lane->row.ts > until)
			continue;
		if (lane->held)
			see(arg, &lane->row);
		while (lane->held || stream_walk_page(&lane->walk)) {
			if (!(lane->walk.native ? walk_page(lane, until, true, see, arg) :
						  walk_page(lane, until, false, see, arg)))
				break;
			rows += trace_ref_item(lane->walk.ref);
			if (rows >= max)
				return true;
		}
	}
	return false;
}
