/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/told_rows.h"

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/trace/stream_walk.h"

#define LOG_ROWS	8192u
#define WINDOW_BYTES	(64u << 10)	/* read at once */

struct told_row {
	trace_ref		ref;
	struct filter_told	told;
};

struct told_rows {
	const struct trace	*trace;
	struct stream_walk	walk;
	struct told_row		log[LOG_ROWS];
	unsigned int		 nr;
};

struct told_rows *told_rows_new(struct trace *trace)
{
	struct told_rows *rows = mem_alloc(sizeof(*rows));

	rows->trace = trace;
	rows->walk.window_bytes = WINDOW_BYTES;
	return rows;
}

void told_rows_free(struct told_rows *rows)
{
	if (!rows)
		return;
	stream_walk_end(&rows->walk);
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

void told_rows_read(struct told_rows *rows,
		    void (*see)(void *arg, trace_ref ref, const struct filter_told *told,
				const struct record *rec, uint32_t room),
		    void *arg)
{
	struct stream_walk *walk = &rows->walk;
	trace_ref page = UINT64_MAX;
	struct record rec = { 0 };

	if (rows->nr)
		qsort(rows->log, rows->nr, sizeof(*rows->log), compare_rows);
	for (unsigned int i = 0; i < rows->nr; i++) {
		const struct told_row *row = &rows->log[i];

		if (row->ref - trace_ref_item(row->ref) != page) {
			stream_walk_begin(walk, rows->trace, trace_ref_stream(row->ref),
					  trace_ref_page(row->ref), UINT64_MAX);
			stream_walk_page(walk);
			page = walk->ref;
		}
		while (walk->ref < row->ref && stream_walk_next(walk, &rec, walk->native))
			;
		if (walk->ref == row->ref)
			see(arg, row->ref, &row->told, &rec, stream_walk_room(walk, &rec));
	}
	rows->nr = 0;
}
