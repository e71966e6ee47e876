/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_OUTPUT_OUTPUT_H
#define FTOP_RECORDER_OUTPUT_OUTPUT_H
/*
 * output - the file being recorded: a trace.dat that can be read at any time, and is written once.
 *
 * While recording it is NAME.part, version 7 and sparse.  Its metadata is compressed at once, if
 * zstd is built in; sub-buffers are not.
 *
 *   header | layout | headers, formats … | options |   hole   | CPU 0 …  hole | CPU 1 …  hole | …
 *            (private section)             (tables)             a region each
 *
 * Readers append whole sub-buffers to the regions of their CPUs; the offsets and sizes in the
 * options' tables follow each second.  At the end, the last metadata goes into the hole after the
 * options, the holes are cut out of the file (by FALLOC_FL_COLLAPSE_RANGE; without it, the data is
 * moved down piece by piece), the header is pointed to the final options, and the file gets its
 * name.  The layout section records each step, so that `recover` can continue from any point.
 *
 * On a file system without holes (vfat, some network file systems) each CPU has a spool file,
 * NAME.part.cpuN, and NAME.part only holds the head; at the end the data is appended to it, one CPU
 * at a time.  Until then NAME.part can be read, but is empty; `recover` finds the data.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/writer/trace_writer.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct output_file;

struct output_stream {			/* one CPU of one buffer */
	int		 buffer;
	int		 cpu;
	uint32_t	 page_size;	/* bytes of a sub-buffer */
	int		 fd;		/* open output file, or the stream's spool file */
	uint64_t	 base, room;	/* its region: offset in that file, bytes */
	_Atomic uint64_t start;		/* bytes dropped at the region's start (-m) */
	_Atomic uint64_t released;	/* of those, whose blocks may be given back */
	uint64_t	 told, announced; /* that the layout tells; that are released next */
	_Atomic uint64_t size;		/* bytes of the region in use, including dropped ones;
					 * whole sub-buffers */
	_Atomic uint64_t settled;	/* stamp: all records from before it are in the file; 0 =
					 * unknown */
	uint64_t	 entry;		/* file offset of its entry in the options' table */
	uint64_t	 final;		/* offset of its data in the finished file */
	bool		 is_lost;	/* has no data, since it could not be written: the finished
					 * file lists it all the same */
};

/**
 * output_new() - create NAME.part
 * @path: its final name
 * @who:  the user whose privileges are used to create and rename it; must outlive the output
 *
 * NAME.part must not exist: it would be from an interrupted recording.
 */
struct output_file *output_new(const char *path, struct invoker *who, struct ft_error *err);

/*
 * Set the final format.  Version 7 with plain sub-buffers is free; any other format needs a pass
 * over the data after the stop.
 */
void output_format_as(struct output_file *o, int version, enum trace_compression compression);

/**
 * output_tell_packing() - set a function for the progress of that pass
 * @tell: called several times a second with bytes done and in total; returns true to cancel: the
 *        file then becomes an uncompressed one of version 7, and output_finish() succeeds
 */
void output_tell_packing(struct output_file *o,
			 bool (*tell)(void *arg, uint64_t done, uint64_t total), void *arg);

/*
 * Metadata; texts are copied.  Before output_begin(): header_page, header_event, printk, cmdlines,
 * and what is set by the calls below.  At the end, when the readers have stopped: cmdlines again,
 * and private.  Symbols and BTF are written by output_kallsyms() and output_btf().
 */
void output_text(struct output_file *o, enum trace_text kind, const struct text *text);
/*
 * Add a format that is not there yet.  After output_begin(), output_late_formats() writes those
 * that were added since, in a new section with all of them.
 */
void output_event_format(struct output_file *o, const char *system, const struct text *text);
int output_late_formats(struct output_file *o, struct ft_error *err);
/* trace_clock: "[local] global" */
void output_clock(struct output_file *o, const char *text);
void output_option(struct output_file *o, uint16_t id, const void *data, uint32_t size);

/* Add a buffer before output_begin(); the first one has no name.  Return: its number. */
int output_buffer(struct output_file *o, const char *name, const char *clock, uint32_t page_size);
struct output_stream *output_stream(struct output_file *o, int buffer, int cpu);

/* Use spool files even if holes are possible: for tests.  Call it before output_begin(). */
void output_spool(struct output_file *o);

/**
 * output_begin() - lay out the file; afterwards it can be read, and the streams have their regions
 * @max_bytes: limit of the recording, for all streams together; 0 = none
 */
int output_begin(struct output_file *o, uint64_t max_bytes, struct ft_error *err);

/*
 * A thread that appends to streams does not answer.  What it still writes goes nowhere, and what it
 * counts does not matter; the streams given out before are its own, and never freed.
 */
void output_take_back(struct output_file *o);

/* Write all bytes at a file offset.  -1 with errno. */
int output_write_fully(int fd, const void *data, size_t len, uint64_t offset);

/* Append a sub-buffer to a stream that has no cpu_reader. */
int output_stream_append(struct output_file *o, struct output_stream *s, const void *page,
			 uint32_t size, struct ft_error *err);

/* Write the symbols.  They are large, so this is done after the recording has started. */
int output_kallsyms(struct output_file *o, const struct text *text, struct ft_error *err);
/*
 * Write the kernel's BTF: names and types of functions' arguments.  As large as the symbols.
 * Version 6 has no place for it.
 */
int output_btf(struct output_file *o, const struct text *btf, struct ft_error *err);

const char *output_part_name(const struct output_file *o);
/* NAME.part, open and locked. */
int output_fd(const struct output_file *o);
uint64_t output_bytes(const struct output_file *o);		/* kept bytes of all streams */
/* were the oldest sub-buffers of a stream dropped (-m)? */
bool output_gave_up(const struct output_file *o);

/*
 * Append lines of the block "tasks" (parsers/file/trace_extra.c) for who reads the file while it is
 * recorded: output_update() tells it that they are there.  They are not in the finished file, which
 * has what is in the text "private".  What finds no room is left out.
 */
void output_tasks(struct output_file *o, const struct text *lines);

/* Write the streams' sizes into the file; readers may be running. */
int output_update(struct output_file *o, struct ft_error *err);

/*
 * At the end: make this text the contents of the file, instead of sub-buffers.  The streams' data,
 * if any, goes to a second file: "t.max.dat" for "t.dat" and for "t".
 */
void output_latency_text(struct output_file *o, const struct text *text);
/* name of the second file; valid until the output is freed */
const char *output_max_name(struct output_file *o);

/*
 * Finish and rename the file.  Frees the output.  On failure NAME.part stays as recorded, with the
 * last metadata if the disk had room for them: it is readable, and `recover` can finish it.
 */
int output_finish(struct output_file *o, struct ft_error *err);
/* Free the output; without @keep, remove NAME.part.  NULL is allowed. */
void output_abort(struct output_file *o, bool keep);

/**
 * output_salvage() - append what a recorder that died had not yet read from the ring buffers
 * @part: its NAME.part; @fd: that, open and locked as the recorder had it; it is closed
 * @who: whose privileges are used to open files of CPUs beside it
 * @open_raw: opens trace_pipe_raw of a CPU, not blocking; @buffer is the buffer's name, "" for the
 *            first one.  -1: it cannot be read
 * @bytes: the number of bytes appended is added to it
 *
 * The first sub-buffer of each CPU is marked as one before which events were lost: what the
 * recorder had taken out of the ring buffer, but not yet written, is gone.  Afterwards
 * output_recover() finds the sub-buffers.  Return: -1 with FT_E_FORMAT for a recording that had not
 * begun, FT_E_IO.
 */
int output_salvage(const char *part, int fd, struct invoker *who,
		   int (*open_raw)(void *arg, const char *buffer, int cpu), void *arg,
		   uint64_t *bytes, struct ft_error *err);

struct output_recovered {
	uint64_t	bytes;		/* bytes of data in all streams */
	bool		spooled;	/* streams were in separate files: output_spool_each() */
};

/**
 * output_recover() - finish an interrupted recording, in place
 * @part: a NAME.part
 *
 * Afterwards it is complete, and needs its name.  Fails with FT_E_FORMAT for a file that is not
 * from a recorder, or without any data yet.
 */
int output_recover(const char *part, struct output_recovered *done, struct ft_error *err);

/* Give the file its name, and remove those that it needs no more. */
int output_recover_name(const char *part, const char *path, bool spooled, struct ft_error *err);

/* Call @each for files in a folder whose names are those of @part's CPUs' own files. */
void output_spool_each(int folder, const char *part,
		       void (*each)(void *arg, int folder, const char *name), void *arg);
#endif
