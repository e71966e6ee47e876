/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_OUTPUT_H
#define FTOP_RECORDER_OUTPUT_H
/*
 * output - the file that is recorded into: a trace.dat that can be read at every
 * moment, written once.
 *
 * While recording it is NAME.part, version 7, without compression, and sparse:
 *
 *   header | layout | headers, formats … | options |   hole   | CPU 0 …  hole | CPU 1 …  hole | …
 *            (private section)             (tables)             a region each
 *
 * Readers append whole sub-buffers to the regions of their CPUs; the offsets and
 * sizes in the options' tables follow each second.  At the end the last metadata
 * goes into the hole behind the options, the holes are cut out of the file
 * (FALLOC_FL_COLLAPSE_RANGE; where that is not known, the data is moved down
 * piece by piece), the header is pointed to the final options, and the file takes
 * its name.  What was done is noted in the layout section, so that `recover` can
 * go on from any moment.
 *
 * A file system that takes no holes (vfat, some of networks) has a spool file for
 * each CPU, NAME.part.cpuN, and the head alone in NAME.part; in the end the data
 * is copied behind it, a CPU at a time.  Until then NAME.part can be read, but is
 * empty; recover finds the data.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/writer/trace_writer.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct output;

struct output_stream {			/* one CPU of one buffer */
	int		 buffer;
	int		 cpu;
	uint32_t	 page_size;	/* bytes of a sub-buffer */
	int		 fd;		/* of the output, or of its own spool file */
	uint64_t	 base, room;	/* of its region: offset in that file, bytes */
	_Atomic uint64_t start;		/* bytes of the region that were given up (-m) */
	_Atomic uint64_t size;		/* bytes of the region in use, those included; whole sub-buffers */
	uint64_t	 entry;		/* where the options' table names it */
	uint64_t	 final;		/* offset in the finished file */
};

/**
 * output_new() - create NAME.part
 * @path: the name it takes in the end
 * @who:  whose rights are used to create and to rename; must outlive the output
 *
 * The file must not exist yet: it would be what an interrupted recording left.
 */
struct output *output_new(const char *path, struct invoker *who, struct ft_error *err);

/* What the file is to be in the end.  Plain version 7 costs nothing; all else is one pass over the data after the stop. */
void output_format_as(struct output *o, int version, enum trace_compression compression);

/**
 * output_tell_packing() - how far that pass is
 * @tell: called some times a second with bytes of the streams; returns true to give it up: the file then becomes a plain one
 *        of version 7, and output_finish() succeeds
 */
void output_tell_packing(struct output *o, bool (*tell)(void *arg, uint64_t done, uint64_t total), void *arg);

/* Metadata, any time before output_begin(); texts are copied. */
void output_header_page(struct output *o, const struct text *text);
void output_header_event(struct output *o, const struct text *text);
void output_event_format(struct output *o, const char *system, const struct text *text);
void output_printk(struct output *o, const struct text *text);
void output_clock(struct output *o, const char *text);		/* trace_clock: "[local] global" */
void output_option(struct output *o, uint16_t id, const void *data, uint32_t size);

/* Buffers and their CPUs, before output_begin(); the first is the one without a name.  Returns its number. */
int output_buffer(struct output *o, const char *name, const char *clock, uint32_t page_size);
struct output_stream *output_stream(struct output *o, int buffer, int cpu);

/* Use spool files though holes may be possible: for tests.  Before output_begin(). */
void output_spool(struct output *o);

/**
 * output_begin() - lay out the file; from then on it can be read, and streams have their places
 * @max_bytes: of all streams that the recording is limited to; 0 = none
 */
int output_begin(struct output *o, uint64_t max_bytes, struct ft_error *err);

/* Append a sub-buffer, where no cpu_reader does. */
int output_stream_append(struct output *o, struct output_stream *s, const void *page, uint32_t size, struct ft_error *err);

/* Symbols: large, so they are written while the recording runs already. */
int output_kallsyms(struct output *o, const struct text *text, struct ft_error *err);
/* The kernel's types, as large: names and types of functions' arguments.  Version 6 has no place for them. */
int output_btf(struct output *o, const struct text *btf, struct ft_error *err);

const char *output_part_name(const struct output *o);
uint64_t output_bytes(const struct output *o);		/* of all streams, kept ones */
bool output_gave_up(const struct output *o);		/* of a stream the oldest (-m) */

/* Note the streams' sizes in the file.  While readers run. */
int output_update(struct output *o, struct ft_error *err);

/* What is known at the end alone; readers have stopped. */
void output_cmdlines(struct output *o, const struct text *text);
void output_private(struct output *o, const struct text *text);		/* what only ftop-trace reads */

/*
 * The file becomes this text, instead of sub-buffers.  If streams hold any, they become a file beside it: "t.max.dat" beside
 * "t.dat", "t.max.dat" beside "t".
 */
void output_latency_text(struct output *o, const struct text *text);
const char *output_max_name(struct output *o);		/* its name; until the output is gone */
void output_add_max_name(const char *path, struct text *name);	/* the same for any "t.dat" */

/*
 * Finish and rename.  The output is gone afterwards; on failure NAME.part stays as it was recorded, with the last metadata
 * where the disk had room for them: readable, and for recover to make whole.
 */
int output_finish(struct output *o, struct ft_error *err);
void output_abort(struct output *o, bool keep);		/* !keep: removes NAME.part.  NULL is allowed */

/**
 * output_recover() - finish what an interrupted recording left
 * @part: a NAME.part;  @path: the name it takes
 * @bytes: receives the bytes of the streams
 *
 * Fails with FT_E_FORMAT for a file that no recorder left, or that it had not begun to write.
 */
int output_recover(const char *part, const char *path, uint64_t *bytes, struct ft_error *err);
#endif
