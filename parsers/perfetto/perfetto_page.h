/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PERFETTO_PAGE_H
#define FTOP_PARSERS_PERFETTO_PERFETTO_PAGE_H
/* perfetto_page - a part of a bundle in the file, of which a page is made when it is read. */
#include "parsers/perfetto/perfetto_bundle.h"
#include "parsers/source/source_form.h"

#define PERFETTO_MAX_PIECE	(4u << 20)	/* bytes that are read for a page, at most */

struct page_maker;

struct perfetto_piece {			/* of the file */
	uint64_t	 offset;
	uint32_t	 bytes;
};

struct perfetto_columns {		/* compact rows of a page */
	struct perfetto_piece piece;	/* all of the CompactSched */
	uint32_t	 at[COMPACT_NUMBERS];	/* where its columns go on there */
	uint64_t	 switch_time, waking_time;
	bool		 has_switch, has_waking;
	struct perfetto_running running;
};

struct perfetto_place {
	struct perfetto_piece events;
	uint32_t	 nr;		/* rows */
	uint32_t	 nr_types;	/* that were known */
	int64_t		 offset;	/* ns that times are added */
	const struct perfetto_names *symbols;	/* borrowed */
	const struct perfetto_columns *columns;	/* borrowed; NULL: none */
};

struct perfetto_reader {
	struct source_reader base;
	struct text	 events, columns, record;	/* bytes of pieces; of a row */
	uint64_t	 columns_at;	/* the offset of what is in @columns; 0: nothing */
	struct perfetto_compact compact;	/* these columns */
};

/* Where the compact rows go on.  @piece: all of rows->compact in the file */
void perfetto_columns_of(struct perfetto_columns *columns, const struct perfetto_rows *rows,
			 struct perfetto_piece piece);

/* Put the records of a page.  False, with a warning of the source: the file cannot be read. */
bool perfetto_page_make(struct perfetto_reader *reader, const struct perfetto_types *types,
			const struct perfetto_place *place, struct page_maker *page);
void perfetto_reader_fini(struct source_reader *reader);
#endif
