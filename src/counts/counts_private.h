/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COUNTS_COUNTS_PRIVATE_H
#define FTOP_SRC_COUNTS_COUNTS_PRIVATE_H
/* counts_private - what counts_lists.c and hist_lists.c share: the model behind the lists. */
#include "src/counts/counts.h"
#include "src/hist/hist.h"
#include "src/model/list_source.h"

struct counts_lists {
	struct trace	*trace;		/* borrowed */
	struct arena	names;		/* names given as options */
	struct counts_options options;
	bool		is_mine;	/* the user said what to count */
	bool		is_one_of_several;	/* files of a command */
	struct counts	*counts;	/* owned; NULL: of the kernel's histograms */
	const struct counts_result *result;	/* what counts has found; NULL: not all is read */
	struct hist_list hists;		/* histograms of the file: if any, they are shown: */
	unsigned int	at;		/* this one, */
	struct hist_table columns;	/* with these columns */
	struct text	heading, command;	/* texts that list_rows points to */
};

/* hist_lists.c */
/* Read the file's histograms; @at: the one to show.  False: it has none. */
bool hist_lists_read(struct counts_lists *model, unsigned int file, unsigned int at);
/*
 * The histogram's number in the file, or the @next one's; behind the last is the table of the
 * file's tracer, if it has one.  False: that was the last.
 */
bool hist_lists_find(struct trace *trace, unsigned int file, unsigned int *at, bool next);
/* @by: the column that rows are sorted by has the share and the bar; 0: none is chosen */
struct list_rows hist_lists_rows(struct counts_lists *model, unsigned int by);
void hist_lists_say(const struct counts_lists *model, const struct hist_row *row,
		    struct text *heading, struct text *words);
#endif
