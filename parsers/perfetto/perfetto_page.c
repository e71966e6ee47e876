/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perfetto/perfetto_page.h"

#include <errno.h>
#include <string.h>

#include "parsers/io/read_at.h"
#include "parsers/source/page_maker.h"

void perfetto_columns_of(struct perfetto_columns *columns, const struct perfetto_rows *rows,
			 struct perfetto_piece piece)
{
	*columns = (struct perfetto_columns){
		.piece = piece, .switch_time = rows->switch_time, .waking_time = rows->waking_time,
		.has_switch = rows->has_switch, .has_waking = rows->has_waking,
		.running = rows->running,
	};
	for (unsigned int i = 0; i < COMPACT_NUMBERS; i++)
		if (rows->columns[i].at)
			columns->at[i] = (uint32_t)(rows->columns[i].at - rows->compact->bytes);
}

/* Rows that go on there. */
static void go_on(struct perfetto_rows *rows, const struct perfetto_columns *columns)
{
	rows->switch_time = columns->switch_time;
	rows->waking_time = columns->waking_time;
	rows->has_switch = columns->has_switch;
	rows->has_waking = columns->has_waking;
	rows->running = columns->running;
	for (unsigned int i = 0; i < COMPACT_NUMBERS; i++)
		if (rows->columns[i].at)
			rows->columns[i].at = rows->compact->bytes + columns->at[i];
}

static bool read_piece(struct perfetto_reader *reader, const struct perfetto_piece *piece,
		       struct text *to)
{
	const struct source *source = reader->base.source;

	text_clear(to);
	text_reserve(to, piece->bytes);
	errno = 0;
	if (read_at(source->fd, to->data, piece->bytes, piece->offset) == piece->bytes)
		return true;
	source_add_warning(source, (int64_t)piece->offset, "cannot read: %s",
			   errno ? strerror(errno) : "the file has become shorter");
	return false;
}

static struct proto_reader inside(const struct text *bytes, const struct perfetto_piece *piece)
{
	return proto_reader((const uint8_t *)bytes->data, piece->bytes);
}

/* Pages that follow one another mostly have the same columns. */
static bool read_columns(struct perfetto_reader *reader, const struct perfetto_piece *piece)
{
	if (reader->columns_at == piece->offset)
		return true;
	reader->columns_at = 0;
	if (!read_piece(reader, piece, &reader->columns))
		return false;
	reader->columns_at = piece->offset;
	perfetto_compact_read(&reader->compact, inside(&reader->columns, piece));
	return true;
}

bool perfetto_page_make(struct perfetto_reader *reader, const struct perfetto_types *types,
			const struct perfetto_place *place, struct page_maker *page)
{
	static const struct perfetto_compact none;
	const struct perfetto_context context = { types, place->nr_types, place->symbols };
	const struct perfetto_columns *columns = place->columns;
	struct perfetto_rows rows;
	uint64_t time;

	if (!read_piece(reader, &place->events, &reader->events) ||
	    (columns && !read_columns(reader, &columns->piece)))
		return false;
	perfetto_rows_begin(&rows, inside(&reader->events, &place->events),
			    columns ? &reader->compact : &none, &perfetto_running_unknown);
	if (columns)
		go_on(&rows, columns);
	for (uint32_t i = 0;
	     i < place->nr && perfetto_rows_record(&rows, &context, &reader->record, &time); i++)
		if (!page_maker_put(page, time + (uint64_t)place->offset, reader->record.data,
				    (uint32_t)reader->record.len))
			break;		/* the file has changed */
	return true;
}

void perfetto_reader_fini(struct source_reader *base)
{
	struct perfetto_reader *reader = (struct perfetto_reader *)base;

	text_fini(&reader->events);
	text_fini(&reader->columns);
	text_fini(&reader->record);
	perfetto_compact_fini(&reader->compact);
}
