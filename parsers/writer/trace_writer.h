/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_WRITER_TRACE_WRITER_H
#define FTOP_PARSERS_WRITER_TRACE_WRITER_H
/*
 * trace_writer - writes a trace.dat of version 6 or 7, sub-buffer by sub-buffer.
 *
 * Shared by the recorder, cut and tests, so it can write both byte orders and long sizes, and does
 * not look inside the data.  trace-cmd and KernelShark read what it writes (trace-cmd.dat.v7(5)).
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/io/trace_format.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct workers;

struct trace_writer_options {
	int			version;	/* 6 or 7 */
	bool			big_endian;
	int			long_size;	/* 4 or 8 */
	uint32_t		page_size;	/* bytes of a sub-buffer of the top buffer */
	enum trace_compression	compression;	/* version 6: TRACE_PLAIN */
	uint32_t		chunk_pages;	/* sub-buffers of a chunk; 0 = 10, as trace-cmd */
	struct workers		*workers;	/* borrowed; pack the chunks of one call in
						 * parallel, with the same result.  NULL = one by
						 * one */
	int			fd;		/* 0 = create and fsync the file; else write this
						 * empty one and close it: the caller syncs it */
};

struct trace_writer;

/*
 * Create @path (truncated if it exists); messages name the file so, also one of options->fd.  NULL
 * with FT_E_IO or FT_E_UNSUPPORTED (a codec that is not built in); options->fd is closed in any
 * case.
 */
struct trace_writer *trace_writer_new(const char *path, const struct trace_writer_options *options,
				      struct ft_error *err);

/*
 * Set metadata, each kind at most once and before trace_writer_finish(); the default is empty.
 * Texts are copied.  Do not set TGIDS: it is a part of PRIVATE.  A file of version 6 has no BTF and
 * no MODULES, and no PRIVATE if it holds latency text; these are dropped.  trace_writer_finish()
 * fails if a text or the size of a sub-buffer exceeds the limits in trace_format.h.
 */
void trace_writer_text(struct trace_writer *w, enum trace_text kind, const void *text,
		       uint64_t size);
/* may be called many times */
void trace_writer_format(struct trace_writer *w, const char *system, const void *text,
			 uint64_t size);
/* default: highest CPU + 1 */
void trace_writer_cpu_count(struct trace_writer *w, uint32_t nr_cpus);
/* trace_clock: "[local] global" */
void trace_writer_clock(struct trace_writer *w, const char *text);
/*
 * Any other option: all options of another file can be given.  The writer drops those that it makes
 * itself (the clock, the CPUs, offsets of sections).  It also drops unknown options of 8 bytes,
 * since they may be offsets.
 */
void trace_writer_option(struct trace_writer *w, uint16_t id, const void *data, uint32_t size);

/**
 * trace_writer_buffer() - begin a buffer (instance)
 * @name: "" for the top one, which must come first if there is one; without one, an empty top
 *        buffer is written
 * @clock: "local"; NULL = the one in brackets in trace_writer_clock()'s text
 * @page_size: of its sub-buffers, 0 = that of the file
 *
 * Return: its number for the calls below.
 */
int trace_writer_buffer(struct trace_writer *w, const char *name, const char *clock,
			uint32_t page_size);

/*
 * Append whole sub-buffers to a CPU (below TRACE_MAX_CPUS) of a buffer.  CPUs and buffers may come
 * in any order, as the data is kept in memory until the end.
 */
int trace_writer_pages(struct trace_writer *w, int buffer, int cpu, const void *pages,
		       uint64_t bytes, struct ft_error *err);

/**
 * trace_writer_fill() - let a CPU's sub-buffers be made when they are written
 * @fill: called once, by trace_writer_finish(); appends them with trace_writer_pages().  They go
 *        straight to the file, so this is for what is too large for memory.
 *
 * trace_writer_finish() calls them buffer by buffer, CPUs ascending.
 */
typedef int (*trace_writer_filler)(void *arg, struct trace_writer *w, int buffer, int cpu,
				   struct ft_error *err);
void trace_writer_fill(struct trace_writer *w, int buffer, int cpu, trace_writer_filler fill,
		       void *arg);

/* Version 7 has no CPU without data, unless it is listed: the data was lost.  6 has all. */
void trace_writer_list(struct trace_writer *w, int buffer, int cpu);

/*
 * Append latency text instead of sub-buffers.  In version 6 only a file with a single buffer can
 * hold it.
 */
int trace_writer_latency_text(struct trace_writer *w, int buffer, const void *text, uint64_t size,
			      struct ft_error *err);

/*
 * For who writes sections itself, in this machine's byte order: the codec that packs metadata, "none"
 * if zstd is not built in; and a section's bytes, packed with it.
 */
const char *trace_writer_codec(void);
int trace_writer_pack(const struct text *from, struct text *to, struct ft_error *err);

/*
 * Write the file, its header last, fsync and close it.  Frees the writer.  On failure (such as a
 * full disk: FT_E_IO with the offset) the file is incomplete, and the caller removes it.
 */
int trace_writer_finish(struct trace_writer *w, struct ft_error *err);
/* closes the file, which is incomplete, and frees the writer; NULL is allowed */
void trace_writer_abort(struct trace_writer *w);
#endif
