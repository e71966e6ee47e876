/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_PERFETTO_H
#define FTOP_SRC_EXPORT_PERFETTO_H
/*
 * perfetto - a trace as packets of Perfetto's protobuf format, for ui.perfetto.dev and
 * trace_processor.
 *
 *   clocks, kernel, names of tasks    first, and lost events at the end
 *   FtraceEventBundle                 events, CPU by CPU, in pieces
 *   TrackEvent                        calls as slices of their task, from calltime to rettime;
 *                                     marks, functions of the tracer function, gaps
 *
 * Workers read the events, then the calls.
 */
#include "src/base/output.h"
#include "src/match/event_sweep.h"

#define PERFETTO_DEEPEST	512u	/* levels of slices that trace_processor takes */

struct perfetto;			/* opaque */

struct perfetto_totals {
	uint64_t	 bytes;		/* written */
	uint64_t	 events, calls;
	uint64_t	 unknown;	/* events without a format: not written */
	uint64_t	 too_deep;	/* calls below PERFETTO_DEEPEST levels: not written */
	uint64_t	 damaged;	/* sub-buffers */
};

/**
 * perfetto_new() - begin to write a file's events and calls
 * @what: the file, and which of its events.  A call is written if its exit matches and is in the
 *        range, or it is still open at the range's end, where it ends then.  What it points to must
 *        outlive the result.
 * @chrome: write only slices and instants, in Chrome's JSON
 * @fd:   is written to, until perfetto_end(); borrowed
 *
 * The trace's directory must be complete, unless there is a range and no filter: then the rows of
 * the range are read, and no others.  Main thread.
 */
struct perfetto *perfetto_new(struct trace *trace, const struct event_sweep_options *what,
			      bool chrome, int fd);

/* Is there more to do? Call it now and then, or perfetto_wait(). */
bool perfetto_step(struct perfetto *perfetto);
void perfetto_wait(struct perfetto *perfetto);

/*
 * Stops the workers, writes what is left, and frees @perfetto; NULL is allowed.  @totals: may be
 * NULL.
 * Return: 0, or -1 with FT_E_IO.
 */
int perfetto_end(struct perfetto *perfetto, struct perfetto_totals *totals, struct ft_error *err);

/*
 * --- perfetto_tar.c: several traces as one ------------------------------------------------------
 *
 * A tar of Perfetto traces with a manifest, which tells that each is of a machine of its own.  The
 * file must be one, not a pipe: sizes are written last.
 */

struct perfetto_tar {			/* zero it; free it with perfetto_tar_fini() */
	int		fd;		/* borrowed */
	int64_t		start;		/* where the member that is being written begins */
	struct text	first;		/* name of the first member */
	struct text	manifest;	/* manifest entries for the members so far */
};

/* A member follows at the end of the file.  -1 with FT_E_IO. */
int perfetto_tar_begin(struct perfetto_tar *tar, int fd, struct ft_error *err);

/**
 * perfetto_tar_end() - end the member that was begun
 * @machine: name of the machine: letters, digits and . _ + -; the member is "MACHINE.pftrace"
 * @aligned: the user aligned their times by --offset; else Perfetto does, by the wall clock
 *
 * Return: 0, or -1 with FT_E_IO, or FT_E_LIMIT: a member has at most 8 GB.
 */
int perfetto_tar_end(struct perfetto_tar *tar, const struct text *machine, bool aligned,
		     struct ft_error *err);

/* The last member, and the end. */
int perfetto_tar_manifest(struct perfetto_tar *tar, struct ft_error *err);
void perfetto_tar_fini(struct perfetto_tar *tar);
#endif
