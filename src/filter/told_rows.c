/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/told_rows.h"

#include <stdlib.h>

#include "parsers/pages/page_reader.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define LOG_ROWS	8192u
#define WINDOW_BYTES	(64u << 10)	/* read at once */

struct told_row {
	trace_ref		ref;
	struct filter_told	told;
};

struct told_rows {
	struct trace		*trace;
	struct page_reader	**readers;	/* owned, [files] */
	struct told_row		log[LOG_ROWS];
	unsigned int		 nr;
};

/* Consecutive sub-buffers in a reader's window. */
struct window {
	const uint8_t	*bytes;		/* from page `from` on; NULL = unreadable */
	unsigned int	 stream;
	uint64_t	 from, to;
	uint32_t	 last;		/* bytes of the last one */
};

struct told_rows *told_rows_new(struct trace *trace)
{
	struct told_rows *rows = mem_alloc(sizeof(*rows));

	rows->trace = trace;
	rows->readers = mem_array(trace_nr_files(trace) + 1, sizeof(*rows->readers));
	return rows;
}

void told_rows_free(struct told_rows *rows)
{
	if (!rows)
		return;
	for (unsigned int i = 0; i < trace_nr_files(rows->trace); i++)
		page_reader_free(rows->readers[i]);
	free(rows->readers);
	free(rows);
}

bool told_rows_add(struct told_rows *rows, trace_ref ref, const struct filter_told *told)
{
	rows->log[rows->nr++] = (struct told_row){ ref, *told };
	return rows->nr == LOG_ROWS;
}

static int compare_rows(const void *a, const void *b)
{
	const struct told_row *x = a, *y = b;

	return x->ref < y->ref ? -1 : x->ref > y->ref;
}

/* Begin with a page's records; false if it cannot be read. */
static bool open_page(struct told_rows *rows, struct window *w, trace_ref ref, struct sub_buffer *sb)
{
	const struct trace_stream *stream = trace_stream_at(rows->trace, trace_ref_stream(ref));
	struct page_reader **reader = &rows->readers[stream->source];
	uint32_t page_size = stream->layout->page_size, nr = 1;
	uint64_t page = trace_ref_page(ref);

	if (!*reader)
		*reader = page_reader_new(trace_source_at(rows->trace, stream->source)->file, WINDOW_BYTES);
	if (!w->bytes || w->stream != trace_ref_stream(ref) || page < w->from || page >= w->to) {
		w->bytes = page_reader_get(*reader, stream->number, page, &nr, &w->last, NULL);
		w->stream = trace_ref_stream(ref);
		w->from = page;
		w->to = page + nr;
	}
	if (!w->bytes)
		return false;
	sub_buffer_open(sb, stream->layout, w->bytes + (page - w->from) * page_size, page + 1 < w->to ? page_size : w->last);
	return true;
}

static bool same_page(trace_ref a, trace_ref b)
{
	return trace_ref_stream(a) == trace_ref_stream(b) && trace_ref_page(a) == trace_ref_page(b);
}

void told_rows_read(struct told_rows *rows, void (*see)(void *arg, trace_ref ref, const struct filter_told *told,
							const struct record *rec, uint32_t room), void *arg)
{
	struct window window = { .bytes = NULL };
	struct sub_buffer sb;
	struct record rec;

	qsort(rows->log, rows->nr, sizeof(*rows->log), compare_rows);
	for (unsigned int i = 0, end; i < rows->nr; i = end) {
		uint32_t item = 0;
		bool any = open_page(rows, &window, rows->log[i].ref, &sb);

		for (end = i; end < rows->nr && same_page(rows->log[i].ref, rows->log[end].ref); end++) {
			while (any && item < trace_ref_item(rows->log[end].ref)) {
				any = sub_buffer_next(&sb, &rec);
				item++;
			}
			if (any && item == trace_ref_item(rows->log[end].ref))
				see(arg, rows->log[end].ref, &rows->log[end].told, &rec, (uint32_t)(sb.end - rec.data));
		}
	}
	rows->nr = 0;
}
