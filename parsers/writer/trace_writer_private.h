/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_WRITER_TRACE_WRITER_PRIVATE_H
#define FTOP_PARSERS_WRITER_TRACE_WRITER_PRIVATE_H
/*
 * trace_writer_private - shared by the sources of trace_writer: the data kept until the file is
 * written.
 *
 *   trace_writer.c           collects the contents, begins and finishes the file
 *   trace_writer_metadata.c  common to both versions: headers and the payloads of the metadata
 *   trace_writer_v6.c        the fixed sequence of version 6
 *   trace_writer_v7.c        sections and option chain of version 7
 */
#include "parsers/io/out.h"
#include "parsers/file/pack_team.h"
#include "parsers/io/spool.h"
#include "parsers/writer/trace_writer.h"
#include "src/base/text.h"

#define NO_DESCRIPTION	UINT32_MAX	/* for a section without a description */

struct writer_stream {			/* one CPU of one buffer */
	struct spool_stream	 stored;	/* sub-buffers, or chunks without their count */
	struct text		 chunk;		/* sub-buffers of the next compressed chunk */
	uint32_t		 nr_chunks;
	trace_writer_filler	 fill;		/* goes straight to the file; or NULL */
	void			*arg;
};

struct writer_buffer {
	char			*name;
	char			*clock;		/* "local" */
	uint32_t		 page_size;
	bool			 is_text;
	struct writer_stream	*streams;	/* [nr_cpus]; latency text is in [0] */
	int			 nr_cpus, cap_cpus;
	uint64_t		 section;	/* file offset of its section (v7) */
	uint32_t		 description;	/* offset of the section's description in the
						 * strings */
	uint64_t		 option;	/* file offset of the place in its option where
						 * the section's offset is to be patched in */
	struct text		 table;		/* table of its CPUs, for the BUFFER option (v7) */
	uint32_t		 nr_listed;
};

struct writer_system {
	char		*name;
	uint32_t	 nr;		/* of its event formats */
	struct text	 formats;	/* as in the file: u64 size, text */
};

struct trace_writer {
	struct trace_writer_options options;
	char			*path;
	struct out		 out;
	struct ft_error		 failure;	/* first error of a function that cannot return
						 * one */
	struct text		 texts[TRACE_NR_TEXTS], clock;
	bool			 has_clock;
	uint32_t		 cpu_count;	/* as set by the caller; 0 = not set */
	struct writer_system	*systems;	/* [0] is "ftrace" */
	size_t			 nr_systems, cap_systems;
	struct text		 own_options;	/* of the caller, as in the file */
	struct writer_buffer	*buffers;
	int			 nr_buffers, cap_buffers;
	struct spool		 spool;
	struct pack_team	*team;		/* NULL: nothing is packed */
	struct text		 strings;	/* descriptions of the sections */
};

#define OPTION_HEADER_BYTES	6	/* id, size */

/* Append an option; the chosen clock and the caller's own options. */
void writer_put_option(const struct trace_writer *w, struct text *t, uint16_t id, const void *data,
		       size_t size);
void writer_put_own_options(const struct trace_writer *w, struct text *t);

/* The metadata in the order of version 6; the ids are those of version 7's sections. */
#define WRITER_NR_METADATA_V6	6u
#define WRITER_NR_METADATA	8u	/* version 7 also has BTF and modules, if they were set */

struct writer_metadata {
	uint16_t	 id;
	const char	*description;
};
/* @t: becomes its bytes. */
struct writer_metadata writer_metadata(const struct trace_writer *w, size_t i, struct text *t);

/*
 * Write a CPU's data at a place for it, if there is any.  @offset, @size: receive that place and
 * the bytes there; NULL in @buffer->streams is allowed.
 */
int writer_out_stream(struct trace_writer *w, const struct writer_buffer *buffer, int cpu,
		      uint64_t *offset, uint64_t *size, struct ft_error *err);

/* number of CPUs in the file's tables */
uint32_t writer_nr_cpus(const struct trace_writer *w);
/* alignment of a CPU's data, in bytes */
uint64_t writer_buffer_align(const struct writer_buffer *buffer);
void writer_out_header(struct trace_writer *w);

/* Return: the file offset of the section. */
uint64_t writer_out_section_header(struct trace_writer *w, uint16_t id, bool packed,
				   uint32_t description, uint64_t size);

/* All that was written is on the disk, if the caller does not see to that. */
void writer_sync(struct trace_writer *w);
/* Write the whole file. */
int writer_write_v6(struct trace_writer *w, struct ft_error *err);
int writer_write_v7(struct trace_writer *w, struct ft_error *err);
#endif
