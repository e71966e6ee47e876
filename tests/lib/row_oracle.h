/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_ROW_ORACLE_H
#define FTOP_TESTS_ROW_ORACLE_H
/*
 * row_oracle - the rows of made-up traces in the order they must have, found by
 * listing them all and sorting.  Shares nothing with the model.
 */
#include <stdlib.h>
#include "src/base/memory.h"
#include "src/trace/trace.h"
#include "tests/lib/gen_trace.h"

struct oracle_row {
	enum trace_row_kind kind;
	uint64_t	 key, ts;	/* raw */
	uint32_t	 stream;	/* of the model: traces one behind the other */
	uint32_t	 position;	/* in the stream */
	uint64_t	 page;
	uint32_t	 item;
	const struct gen_event *event;
	const struct gen_page_info *info;
};

struct oracle {
	struct oracle_row *rows;	/* owned, [nr] in order */
	size_t		   nr, cap;
	size_t		   nr_events;
};

static inline int oracle_compare(const void *pa, const void *pb)
{
	const struct oracle_row *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

static inline void oracle_add_stream(struct oracle *o, const struct gen_stream *stream, uint32_t nr)
{
	uint64_t run = 0;
	uint32_t position = 0;

	for (uint32_t p = 0; p < stream->nr_pages; p++) {
		const struct gen_page_info *info = &stream->info[p];
		struct oracle_row row = { .stream = nr, .page = p, .info = info };

		if (info->lost != GEN_LOST_NONE) {
			uint64_t ts = info->nr ? stream->events[info->first].ts : info->ts;

			row.kind = TRACE_ROW_LOST;
			row.ts = ts;
			row.key = info->nr ? stream->events[info->first].key : run ? run : ts;
			run = row.key;
			row.position = position++;
			mem_grow(&o->rows, o->nr, &o->cap);
			o->rows[o->nr++] = row;
		}
		for (uint32_t i = 0; i < info->nr; i++) {
			const struct gen_event *event = &stream->events[info->first + i];

			row.kind = TRACE_ROW_EVENT;
			row.event = event;
			row.ts = event->ts;
			run = event->ts > run ? event->ts : run;
			row.key = run;
			row.position = position++;
			row.item = i + 1;
			mem_grow(&o->rows, o->nr, &o->cap);
			o->rows[o->nr++] = row;
			o->nr_events++;
		}
	}
}

/* @trace: tells by what numbers the streams go; buffer i is traces[i]. */
static inline void oracle_init(struct oracle *o, const struct gen_trace *const *traces,
			       unsigned int nr, const struct trace *trace)
{
	*o = (struct oracle){ 0 };
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		struct trace_stream_info info = trace_stream_info(trace, i);

		for (uint32_t s = 0; info.buffer < nr && s < traces[info.buffer]->nr_streams; s++)
			if (traces[info.buffer]->streams[s].cpu == info.cpu)
				oracle_add_stream(o, &traces[info.buffer]->streams[s], i);
	}
	qsort(o->rows, o->nr, sizeof(*o->rows), oracle_compare);
}

static inline trace_ref oracle_ref(const struct oracle_row *row)
{
	return trace_ref_make(row->stream, row->page, row->item);
}
#endif
