/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_FORM_H
#define FTOP_SRC_REPORT_REPORT_FORM_H
/*
 * report_form - turns items of a report into output: lines, CSV, JSON; applies --grep.  For any
 * thread, with a report_hand of its own.
 */
#include "src/filter/filter_pattern.h"
#include "src/report/report.h"
#include "src/report/report_filter.h"
#include "src/report/report_line.h"
#include "src/report/report_rows.h"
#include "src/trace/comm_cache.h"

struct report_form;

/*
 * Lines of a style other than trace-cmd's and the kernel's: one for each record, none for lost
 * events.  Any thread may use it.
 */
struct report_line_style {
	/* What it knows of the trace, whose page directory is complete.  Both NULL: nothing. */
	void		*(*prepare)(struct trace *trace, const struct report_options *options);
	void		 (*release)(void *prepared);	/* NULL is allowed */
	/*
	 * Append the line up to the record's text.  @lines: with the time of the line before.
	 * @comm: of its task.  Return: is that the whole line?  If it is empty, there is none.
	 */
	bool		 (*head)(const struct report_form *form, const struct report_lines *lines,
				 const struct trace_event *event, const char *comm,
				 struct text *out);
	/* Append what follows the text, of @len bytes.  NULL: nothing. */
	void		 (*end)(size_t len, struct text *out);
	bool		 chained;	/* a line depends on the time of the line before */
	bool		 has_buffers;	/* it names the buffer of a record itself */
};

struct report_form {			/* common to all items; immutable */
	struct trace		*trace;
	const struct report_options *options;
	const struct report_cpu	*cpus;		/* by lane */
	struct report_filter	*filter;	/* for --grep; or NULL */
	const struct report_line_style *style;	/* NULL: trace-cmd's */
	void			*prepared;	/* by the style */
	struct report_csv_sources sources;
	const char		*clock;		/* unit of stamps that are not in ns; NULL = ns */
};

struct report_hand {			/* state of one thread */
	struct report_pen	pen;
	struct comm_cache	names;		/* of tasks in rows */
	struct text		line;
	struct filter_scratch	*scratch;	/* for --grep; NULL = not used */
};

struct report_cut {			/* end of the output of a record */
	size_t		end;		/* bytes */
	int64_t		counted;	/* counted items up to here */
};

struct report_piece {			/* some items, in their order */
	const struct report_item *items;
	unsigned int	nr;
	const char	*side;		/* texts made by libtraceevent; report_item.note is the
					 * place */
	struct report_lines lines;	/* state before the first of them */
	struct report_cut *cuts;	/* [nr]; NULL: not needed */
	/* Result */
	struct text	out;
	int64_t		counted;	/* selected items that were printed */
	unsigned int	nr_cuts;
};

struct report_hand *report_hand_new(const struct report_form *form);
void report_hand_free(struct report_hand *hand);	/* NULL is allowed */

/**
 * report_form_make() - make the output of some items
 * @ask: libtraceevent may print what programs cannot: only in one thread, for pieces in order
 *
 * Return: false if libtraceevent is needed but @ask is false: make the piece again.
 */
bool report_form_make(const struct report_form *form, struct report_hand *hand,
		      struct report_piece *piece, bool ask);
#endif
