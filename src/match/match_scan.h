/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_SCAN_H
#define FTOP_SRC_MATCH_SCAN_H
/*
 * match_scan - one filter over the records of some sub-buffers, or several results
 * of it joined.  A scanner belongs to one thread; it reads pages by itself.
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

/* Pages of a stream: all of them are in the directory, if @directory. */
struct match_task {
	unsigned int		 stream;
	uint64_t		 first;		/* of the slab */
	uint32_t		 nr_pages;
	bool			 directory;	/* it tells the rows of the pages, and which need not be looked at */
	struct filter_run	*run;
	const struct match_item	*base;		/* of a filter that this one implies: what it lacks is not looked at; or NULL */
	const struct match_item	*old;		/* of this filter, and fewer pages; or NULL */
	const atomic_bool	*stopped;
	int			 watched;	/* a common_type; -1: none */
	/* What the pass saw besides, where there is no directory to tell: */
	uint32_t		 damaged;	/* pages */
	bool			 saw_watched;	/* a record of the watched type that may match */
};

/* Return: an item with one reference; NULL: stopped. */
struct match_item *match_scan(struct match_scanner *scanner, struct match_task *task);

/* Rows that match in all of some items of the same pages. */
struct match_item *match_join(struct match_scanner *scanner, const struct match_task *task,
			      struct match_item *const *items, unsigned int nr);

/* Count the matches of an item by common_type, from page @from on; false: stopped. */
bool match_tally(struct match_scanner *scanner, const struct match_task *task, const struct match_item *item,
		 uint32_t from, uint64_t *types);
#endif
