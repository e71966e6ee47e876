/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TRACE_WRITER_H
#define FTOP_PARSERS_TRACE_WRITER_H
/*
 * trace_writer - writes a trace.dat of version 6 or 7, sub-buffer by sub-buffer.
 *
 * Shared by the recorder and by tests, so it can write both byte orders and long
 * sizes, and does not look into what it is given.  trace-cmd and KernelShark read
 * what it writes (rules: trace-dat-format, trace-cmd.dat.v7(5)).
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/io/trace_format.h"
#include "src/base/error.h"

enum trace_compression { TRACE_PLAIN, TRACE_ZLIB, TRACE_ZSTD };

struct workers;

struct trace_writer_options {
	int			version;	/* 6 or 7 */
	bool			big_endian;
	int			long_size;	/* 4 or 8 */
	uint32_t		page_size;	/* bytes of a sub-buffer of the top buffer */
	enum trace_compression	compression;	/* v7 only */
	uint32_t		chunk_pages;	/* sub-buffers of a chunk; 0 = 10, as trace-cmd */
	struct workers		*workers;	/* borrowed; pack the chunks of one call at once.  The file is the same.  NULL = one by one */
};

struct trace_writer;

/* Create PATH (truncated if it exists).  NULL with FT_E_IO, FT_E_LIMIT or FT_E_UNSUPPORTED (a codec that is not built in). */
struct trace_writer *trace_writer_new(const char *path, const struct trace_writer_options *options, struct ft_error *err);

/*
 * Metadata, each at most once and before trace_writer_finish(); what is not given is written as empty.  Texts are
 * copied.  One that is too large (trace_format.h) makes trace_writer_pages() and trace_writer_finish() fail.
 */
void trace_writer_header_page(struct trace_writer *w, const void *text, uint64_t size);
void trace_writer_header_event(struct trace_writer *w, const void *text, uint64_t size);
void trace_writer_format(struct trace_writer *w, const char *system, const void *text, uint64_t size);	/* any number */
void trace_writer_kallsyms(struct trace_writer *w, const void *text, uint64_t size);
void trace_writer_printk(struct trace_writer *w, const void *text, uint64_t size);
void trace_writer_btf(struct trace_writer *w, const void *btf, uint64_t size);	/* the kernel's types; version 6 has no place for it */
void trace_writer_cmdlines(struct trace_writer *w, const void *text, uint64_t size);
/* TRACE_PRIVATE_MAGIC and lines, see trace_extra.c; latency text of version 6 has no place for it. */
void trace_writer_private(struct trace_writer *w, const void *text, uint64_t size);
void trace_writer_cpu_count(struct trace_writer *w, uint32_t nr_cpus);	/* default: highest CPU + 1 */
void trace_writer_clock(struct trace_writer *w, const char *text);	/* trace_clock: "[local] global" */
void trace_writer_option(struct trace_writer *w, uint16_t id, const void *data, uint32_t size);	/* any other option */

/**
 * trace_writer_buffer() - begin a buffer (instance)
 * @name: "" for the top one, which must come first if it is written at all (an empty one is written where it is not)
 * @clock: "local"; NULL = the one in brackets in trace_writer_clock()'s text
 * @page_size: of its sub-buffers, 0 = that of the file
 *
 * Return: its number for the calls below.
 */
int trace_writer_buffer(struct trace_writer *w, const char *name, const char *clock, uint32_t page_size);

/*
 * Append whole sub-buffers to a CPU of a buffer.  CPUs and buffers may take turns: data is kept in memory (64 MiB) and
 * in an unnamed file beside the target until the end.
 */
int trace_writer_pages(struct trace_writer *w, int buffer, int cpu, const void *pages, uint64_t bytes, struct ft_error *err);

/* Append latency text, instead of sub-buffers.  Version 6 holds it in the only buffer of a file. */
int trace_writer_latency_text(struct trace_writer *w, int buffer, const void *text, uint64_t size, struct ft_error *err);

/*
 * Write the file, fsync it, patch its header last and close it.  The writer is gone afterwards.  On failure (the disk is
 * full: FT_E_IO with the offset) the file is gone too, so that no half of a trace passes for a whole one.
 */
int trace_writer_finish(struct trace_writer *w, struct ft_error *err);
void trace_writer_abort(struct trace_writer *w);	/* closes and removes the file (a regular one); NULL is allowed */
#endif
