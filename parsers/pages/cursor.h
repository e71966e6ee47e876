/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_CURSOR_H
#define FTOP_PARSERS_PAGES_CURSOR_H
/*
 * cursor - a place between two rows of one stream, that moves both ways.
 *
 * The rows of a sub-buffer are a row for lost events, if any, then its records, then a row for
 * damage, if any.  Where the page directory is not complete yet, page headers are read instead, so
 * everything here works without it.
 *
 * Stamps and keys are raw.  A key is the running maximum of the stamps; without the directory it is
 * only known within a page, or from the place where the cursor started.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/pages/page_cache.h"
#include "parsers/pages/page_index.h"
#include "parsers/source/sub_buffer.h"

/*
 * Items of a page: the place before record 1..n; CURSOR_LOST is the row before them, CURSOR_DAMAGE
 * the row after them.
 */
#define CURSOR_LOST	0u
#define CURSOR_DAMAGE	((1u << 20) - 1)	/* as TRACE_REF_ITEM_LAST */
#define CURSOR_END	(CURSOR_DAMAGE + 1)

struct cursor_row {
	uint64_t	 page;
	uint32_t	 item;		/* CURSOR_LOST, 1..n, CURSOR_DAMAGE */
	uint32_t	 size;		/* bytes of data */
	uint32_t	 room;		/* bytes from data to the end of the page */
	uint32_t	 in_page;	/* bytes from the page's start to data */
	uint64_t	 key, ts;	/* raw; the ts of a row without a record is that of a
					 * neighbour */
	const uint8_t	*data;		/* payload; valid until the cursor
					   moves on to another page */
	uint64_t	 lost_count;	/* CURSOR_LOST */
	bool		 lost_known;
	bool		 first_in_page;	/* the record's header is the first of the page */
	uint32_t	 damage_offset;	/* CURSOR_DAMAGE: bytes from the start of the page */
};

/* Times of pages that searches without the directory have read. */
#define CURSOR_TIMES	4096u	/* a power of two */
struct cursor_time {
	uint64_t	 page;		/* number + 1; 0 = unused */
	unsigned int	 stream;
	uint64_t	 ts;
};

/* Shared by the cursors of one file. */
struct cursor_source {
	const struct source	*file;		/* borrowed */
	struct page_cache	*cache;		/* borrowed: single pages */
	struct page_reader	*reader;	/* borrowed: pages in sequence;
						   NULL = always the cache */
	uint32_t		 window_bytes;	/* own window of a cursor that reads in sequence */
	struct cursor_time	*times;		/* borrowed, [CURSOR_TIMES]; NULL
						   = nothing is remembered */
};

/* A decoded record of the cursor's page. */
struct cursor_record {
	uint32_t	offset;		/* where the record's header is in the page */
	uint32_t	data;		/* where its payload is in the page */
	uint32_t	size;
	uint32_t	item;
	uint64_t	ts, key;
};

/* Keeps the bytes of records after the cursor has moved on. */
struct cursor_keeper {
	/*
	 * Take over a window of @size bytes, which is malloc()ed or NULL, and return one of @wanted
	 * bytes instead.
	 */
	uint8_t		*(*renew)(void *arg, uint8_t *window, uint64_t size, uint64_t wanted);
	void		*arg;
};

struct cursor_mark;

struct cursor {
	const struct cursor_source *source;
	struct page_index	*index;		/* borrowed */
	const struct sub_buffer_layout *layout;	/* borrowed */
	unsigned int		 stream;	/* its number in the file */
	bool			 borrow;	/* pages are read in place in the cache, without
						 * a copy, until its next use */
	const struct cursor_keeper *keeper;	/* borrowed, or NULL */

	uint64_t		 page;		/* the cursor is before this item of this page */
	uint32_t		 item;
	bool			 loaded;	/* bytes, len … are of this page */
	bool			 carried;	/* run_in is known from the previous page */
	bool			 run_is_final;	/* run_in is from the directory */
	uint64_t		 run_in;	/* running maximum before the page */
	const uint8_t		*bytes;
	uint32_t		 len;
	struct sub_buffer	 start;		/* at its first record */

	struct sub_buffer	 walk;		/* its next record is item walk_item */
	uint32_t		 walk_item;
	uint64_t		 run;		/* running maximum before that record */

	uint8_t			*window;	/* owned: pages window_first … + window_nr */
	uint32_t		 window_cap, window_last;
	uint64_t		 window_first;
	uint32_t		 window_nr;
	bool			 window_given;	/* it holds records that were returned */
	uint64_t		 last_loaded;	/* page loaded before, to detect sequential
						 * reading */

	/* Going backwards: the page's records in blocks, decoded from marks. */
	bool			 counted;	/* nr and damage of this page are known */
	uint32_t		 nr;		/* records of the page */
	enum sub_buffer_damage	 damage;
	uint32_t		 damage_offset;
	uint64_t		 last_ts, last_key;
	struct cursor_mark	*marks;		/* owned */
	uint32_t		 marks_cap;
	struct cursor_record	*block;		/* owned */
	uint32_t		 block_nr;	/* UINT32_MAX: none decoded */
};

/*
 * @stream: number in the file; @index: its directory.  A zeroed cursor may be passed to
 *                                                      cursor_fini().
 */
void cursor_init(struct cursor *cursor, const struct cursor_source *source, unsigned int stream,
		 struct page_index *index);
/* Free what was read, unless rows would have other keys then, or a keeper has it. */
bool cursor_release(struct cursor *c);
/* The same, and go back over the row that cursor_next() or cursor_prev() returned last. */
bool cursor_rest(struct cursor *c, const struct cursor_row *row, bool forward);
void cursor_fini(struct cursor *cursor);

/* Number of sub-buffers that the stream has now. */
uint64_t cursor_pages(const struct cursor *cursor);

/* To a dropped page: before the first row of those that are not. */
void cursor_seek(struct cursor *cursor, uint64_t page, uint32_t item);
void cursor_seek_end(struct cursor *cursor);

/* Move before the first row with a key of at least @key. */
void cursor_seek_key(struct cursor *cursor, uint64_t key);

/*
 * Move there, but only as precisely as page headers allow: before a page that contains such a row
 * or precedes one that does.
 */
void cursor_seek_near(struct cursor *cursor, uint64_t key);

/* Return the next row and step over it; false if there is none. */
bool cursor_next(struct cursor *cursor, struct cursor_row *row);
/*
 * Return the records that follow in the current page, at most @max, and step over them: the same
 * records as cursor_next() one by one.  Their page is then c->page, its bytes are c->bytes and
 * c->len.  Return: their number; 0 if something else, or another page, follows: call cursor_next().
 */
unsigned int cursor_next_records(struct cursor *cursor, struct cursor_record *records,
				 unsigned int max);

/* Return the previous row and step over it; false if there is none. */
bool cursor_prev(struct cursor *cursor, struct cursor_row *row);

/* Number of rows (events) of the current page that are before the cursor. */
uint32_t cursor_rows_in_page(struct cursor *cursor);
uint32_t cursor_events_in_page(struct cursor *cursor);

/*
 * Number of events of the current page, with flags (enum page_flag: LOST and DAMAGED only), like a
 * page_index count.
 */
uint32_t cursor_page_count(struct cursor *cursor);

/* Item number of the row-th row (the event-th event) of a page. */
uint32_t cursor_item_of_row(struct cursor *cursor, uint64_t page, uint32_t row);
#endif
