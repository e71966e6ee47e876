/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_FORM_H
#define FTOP_SRC_REPORT_FORM_H
/*
 * report_form - items of a report as what is written: lines, CSV, JSON; --grep.
 * Any thread, with a hand of its own.
 */
#include "src/filter/filter_match.h"
#include "src/report/report.h"
#include "src/report/report_filter.h"
#include "src/report/report_line.h"
#include "src/report/report_rows.h"

struct report_form {			/* the same for all items; immutable */
	struct trace		*trace;
	const struct report_options *options;
	const struct report_cpu	*cpus;		/* by lane */
	struct report_filter	*filter;	/* for --grep; or NULL */
	struct report_csv_sources sources;
	const char		*clock;		/* of stamps without a unit; NULL = ns */
};

struct report_hand {			/* one thread's */
	struct report_pen	pen;
	struct text		line;
	struct filter_scratch	*scratch;	/* of --grep; NULL: without */
};

struct report_cut {			/* the end of what a record brought */
	size_t		end;		/* bytes */
	int64_t		counted;	/* of the items so far */
};

struct report_piece {			/* some items, in their order */
	const struct report_item *items;
	unsigned int	nr;
	const char	*side;		/* texts that libtraceevent made of them; report_item.note tells where */
	struct report_lines lines;	/* before the first of them */
	struct report_cut *cuts;	/* [nr]; NULL: not asked for */
	/* result */
	struct text	out;
	int64_t		counted;	/* items asked for that were printed */
	unsigned int	nr_cuts;
};

struct report_hand *report_hand_new(const struct report_form *form);
void report_hand_free(struct report_hand *hand);	/* NULL is allowed */

/**
 * report_form_make() - what is to be written of some items
 * @ask: libtraceevent may be asked for what programs cannot print: one thread, for pieces in their order
 *
 * Return: false where it would have to be asked, and must not: the piece is to be made again.
 */
bool report_form_make(const struct report_form *form, struct report_hand *hand, struct report_piece *piece, bool ask);
#endif
