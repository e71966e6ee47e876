/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SPOOL_SPOOL_PRIVATE_H
#define FTOP_PARSERS_SPOOL_SPOOL_PRIVATE_H
/*
 * spool_private - what waits, and what is written.
 *
 * A CPU's pages are one run as long as their stamps only rise.  A stamp below those that are
 * written begins a new run, and spool_merge.c makes one of all.
 */
#include "parsers/io/temporary.h"
#include "parsers/source/page_maker.h"
#include "parsers/spool/spool.h"
#include "src/base/text.h"

#define SPOOL_TYPES	(UINT16_MAX + 1ul)

struct spool_entry {			/* a record that waits */
	uint64_t	 ts;
	uint32_t	 at;		/* in the lane's bytes; tells the order of equal stamps */
	uint32_t	 bytes;		/* 0: events were lost; their u64 number is there */
};

struct spool_page {			/* in a slot of SPOOL_PAGE_BYTES of the file */
	struct page_sum	 sum;
	uint32_t	 slot;		/* or the place that it is made from */
	uint32_t	 bytes;		/* 0: it is made when it is read */
};

struct spool_lane {
	unsigned int	 buffer, cpu;
	struct spool_entry *waiting;	/* owned, [nr_waiting] */
	unsigned int	 nr_waiting, cap_waiting;
	bool		 is_unsorted;
	struct text	 bytes;		/* of what waits */
	struct spool_page *pages;	/* owned, [nr_pages] */
	unsigned int	 nr_pages, cap_pages;
	unsigned int	*runs;		/* owned, [nr_runs]: first page of each */
	unsigned int	 nr_runs, cap_runs;
	uint64_t	 latest;	/* highest stamp of the last run */
};

struct spool {
	struct temporary file;
	uint64_t	 room;		/* bytes that may be written */
	uint32_t	 memory;
	uint64_t	 waiting;	/* bytes that wait, of all lanes */
	struct spool_lane *lanes;	/* owned, [nr_lanes]; at the end by buffer and CPU */
	unsigned int	 nr_lanes, cap_lanes;
	uint32_t	*numbers[SPOOL_MAX_BUFFERS];	/* owned, [nr_numbers] by CPU:
							 * lane + 1; 0: none */
	unsigned int	 nr_numbers[SPOOL_MAX_BUFFERS];
	struct text	 rest;		/* takes what goes on waiting */
	/* the page that is being made */
	struct sub_buffer_layout layout;
	struct page_maker page;
	uint8_t		*page_bytes;	/* owned, [SPOOL_PAGE_BYTES] */
	struct page_sum	 sum;
	bool		 is_begun;
	/* slots */
	uint32_t	 nr_slots;
	uint32_t	*unused;	/* owned, [nr_unused] */
	unsigned int	 nr_unused, cap_unused;
	struct type_count *counts;	/* owned, [nr_counts]: of all sums */
	uint64_t	 nr_counts, cap_counts;
	uint64_t	*counted;	/* owned, [SPOOL_TYPES]: where a type was counted last */
	struct source_reader *reader;	/* owned; while runs are merged */
	uint64_t	 too_long, without_lane, dropped;	/* records */
	struct ft_error	 err;		/* why some are dropped */
};

/* Write the next record of a lane; 0 @bytes: a u64 of lost events. */
void spool_put(struct spool *spool, struct spool_lane *lane, uint64_t ts, const void *record,
	       uint32_t bytes);
/* The page that is being made is the lane's; there may be none. */
void spool_end_page(struct spool *spool, struct spool_lane *lane);
/* Does a stamp go on with the lane's last run?  Begin another one if not. */
void spool_reach(struct spool *spool, struct spool_lane *lane, uint64_t ts);
/* Read or make a page.  Return: its bytes; 0: it cannot be read. */
uint32_t spool_load(struct source_reader *reader, const struct spool_page *page, uint8_t *to);

void spool_merge(struct spool *spool, struct spool_lane *lane);	/* spool_merge.c */
#endif
