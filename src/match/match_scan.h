/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_MATCH_SCAN_H
#define FTOP_SRC_MATCH_MATCH_SCAN_H
/*
 * match_scan - applies one filter to the records of some sub-buffers, or joins several results.  A
 * scanner belongs to one thread; it reads the pages itself.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter.h"
#include "src/trace/match_items.h"
#include "src/trace/trace.h"

struct match_scanner;			/* opaque */

struct match_scanner *match_scanner_new(struct trace *trace);
void match_scanner_free(struct match_scanner *scanner);	/* NULL is allowed */

/* Pages of a stream; with @directory, all of them are in the directory. */
struct match_task {
	unsigned int		 stream;
	uint64_t		 first;		/* first page of the slab */
	uint32_t		 nr_pages;
	bool			 directory;	/* the directory gives the pages' rows, and
						 * excludes pages */
	struct filter_run	*run;
	struct match_item	*base;		/* result of a filter that this one implies:
						 * other rows cannot match; or NULL */
	struct match_item	*old;		/* earlier result of this filter for fewer pages;
						 * or NULL */
	const atomic_bool	*stopped;
	int			 watched;	/* a common_type; -1: none */
	/* Also found in the pass, if there is no directory: */
	uint32_t		 damaged;	/* pages */
	bool			 saw_watched;	/* a record of the watched type that may match */
	bool			 skipped;	/* the stream was not read */
};

/* Return: an item with one reference; NULL if it was stopped. */
struct match_item *match_scan(struct match_scanner *scanner, struct match_task *task);

/* The rows that match in all items for the same pages. */
struct match_item *match_join(struct match_scanner *scanner, const struct match_task *task,
			      struct match_item *const *items, unsigned int nr);

#endif
