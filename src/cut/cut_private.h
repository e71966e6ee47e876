/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CUT_CUT_PRIVATE_H
#define FTOP_SRC_CUT_CUT_PRIVATE_H
/*
 * cut_private - shared by the sources of cut.
 *
 *   cut.c           begins, ends and waits
 *   cut_metadata.c  texts, formats and options; joins those of several files
 *   cut_stream.c    the records of one CPU
 */
#include "parsers/writer/trace_writer.h"
#include "src/base/workers.h"
#include "src/cut/cut.h"
#include "src/trace/trace_streams.h"

struct cut_lane {			/* one CPU of a buffer */
	struct cut	*cut;		/* borrowed */
	unsigned int	 stream;	/* of the trace */
	uint64_t	 first;		/* sub-buffer to look at, roughly */
};

struct cut {
	struct trace		*trace;		/* borrowed */
	struct cut_options	 options;	/* words are not kept */
	bool			 whole;		/* everything stays */
	struct trace_writer	*writer;	/* owned until it is finished */
	struct cut_lane		*lanes;		/* owned */
	unsigned int		 nr_lanes;
	struct workers		*thread;	/* owned: of one */
	struct worker_group	 group;
	atomic_bool		 done;
	uint64_t		 events;	/* written; once it is done */
	int			 ret;
	struct ft_error		 err;
};

/* Give the writer all metadata.  @words: as in the options. */
int cut_write_metadata(const struct cut *cut, const char *words, struct ft_error *err);

/* For trace_writer_fill(): the sub-buffers of a struct cut_lane. */
int cut_fill_stream(void *arg, struct trace_writer *w, int buffer, int cpu, struct ft_error *err);
#endif
