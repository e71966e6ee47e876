/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CUT_CUT_H
#define FTOP_SRC_CUT_CUT_H
/*
 * cut - writes a part of a trace, of one or several files, as one trace.dat with all metadata.
 *
 * Sub-buffers whose records all stay are copied, the others packed anew.  A thread of its own does
 * it.  README.md says how missing records are marked.
 */
#include "parsers/writer/trace_writer.h"
#include "src/base/time_math.h"
#include "src/filter/filter.h"
#include "src/trace/trace.h"

struct cut_options {
	const char	*name;		/* of the file, for messages; copied */
	struct time_range range;	/* events to keep, in ts */
	const bool	*streams;	/* [trace_nr_streams()]: these only; copied; NULL = all */
	const struct filter *const *filters;	/* [nr_filters]: all must match the event; ready;
						 * borrowed */
	unsigned int	 nr_filters;
	const char	*words;		/* what of the above was chosen, a line to keep in the file;
					 * "" = everything stays */
	const char	*hits;		/* lines of trace_hit_line() to keep in the file, too;
					 * NULL = none */
	int		 version;	/* 6 or 7; 0 = that of the first file, if it can hold the
					 * compression */
	bool		 has_compression;
	enum trace_compression compression;	/* unless it has, that of the first file */
};

struct cut;				/* opaque */

/**
 * cut_new() - begin to write
 * @trace: borrowed
 * @fd:    an empty file, open for reading and writing; taken over, in any case
 *
 * Return: NULL with FT_E_UNSUPPORTED or FT_E_USAGE: such files cannot be cut or joined, and why.
 */
struct cut *cut_new(struct trace *trace, const struct cut_options *options, int fd,
		    struct ft_error *err);
/* Stops it.  NULL is allowed. */
void cut_free(struct cut *cut);

bool cut_is_done(const struct cut *cut);
/*
 * Wait for the end.  @events: receives how many were written.  Return: 0, or -1: the file is not
 * complete.
 */
int cut_finish(struct cut *cut, uint64_t *events, struct ft_error *err);
#endif
