/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_OUTPUT_OUTPUT_LAYOUT_H
#define FTOP_RECORDER_OUTPUT_OUTPUT_LAYOUT_H
/*
 * output_layout - shared by the parts of the output: output.c (the file, its regions and streams
 * while recording), output_head.c (everything before the data), output_spool.c (streams in separate
 * files), output_close.c (finishes the file), output_pack.c (other formats) and output_recover.c
 * (finishes an interrupted recording).
 *
 * The layout section (parsers/io/part_layout.h) follows the header of every .part.
 */
#include "parsers/io/part_layout.h"
#include "recorder/output/output.h"
#include "src/base/file_names.h"
#include "src/base/file_place.h"

/* version "7", codec "zstd" or "none", its version "" */
#define HEADER_BYTES		(TRACE_MAGIC_LEN + 2 + 1 + 1 + 4 + 5 + 1 + 8)
/* offset of the page size in the header */
#define HEADER_PAGE_SIZE	(TRACE_MAGIC_LEN + 2 + 1 + 1)
#define HEADER_OPTIONS		(HEADER_BYTES - 8) /* offset of the options' offset in the header */
/* in a sub-buffer: the kernel's long with the bytes in use and the flags of lost events */
#define OUTPUT_COMMIT_OFFSET	8u
#define MIN_ALIGN		4096u						/* bytes */
/* Bytes of the hole that are allocated at once: then the end can be written to a full disk, too. */
#define TAIL_RESERVE		(1u << 20)

struct output_range {		/* recorded data that is kept */
	int	 fd;		/* the file that holds it */
	uint64_t from, to;	/* file offsets, multiples of the alignment */
	uint64_t final;		/* offset in the finished file */
};

struct output_format {			/* the format file of one event type */
	char		*system;
	struct text	 text;
};

struct output_option {			/* in the form of an options section */
	uint16_t	id;
	struct text	data;
};

struct output_buffer {
	char		*name;
	char		*clock;
	uint32_t	 page_size;
	uint64_t	 section;	/* offset of its header, while recording */
};

struct output_file {
	char			*path, *part, *max_path;	/* for messages */
	struct file_place		 place;		/* in its folder all files are opened */
	struct invoker		*who;		/* borrowed; NULL: use our own privileges */
	const char		*replaces;	/* of @path, as of output_name_replaces() */
	int			 fd;
	int			 version;	/* final version */
	enum trace_compression	 compression;
	uint32_t		 align;
	bool			 late_written;	/* the last metadata is in the file */

	struct text		 texts[TRACE_NR_TEXTS];
	struct text		 latency;	/* output_latency_text(); empty: none */
	bool			(*tell_packing)(void *arg, uint64_t done, uint64_t total);
	void			*tell_arg;	/* argument for tell_packing, which may be NULL */

	struct output_format	*formats;
	size_t			 nr_formats, cap_formats;
	bool			 late_formats;	/* some are not in the file yet */
	struct output_option	*options;
	size_t			 nr_options, cap_options;
	char			*clock;

	struct output_buffer	*buffers;
	size_t			 nr_buffers, cap_buffers;
	struct output_stream	**streams;	/* in the order of their regions */
	size_t			 nr_streams, cap_streams;

	uint64_t		 pos;		/* next free offset in the head */
	uint64_t		 head_end;	/* start of the first region's page */
	struct layout_head	 layout;
	struct layout_tasks	 tasks;		/* in the hole behind the head */
	struct text		 table;		/* reused for the tables written each second */
	uint64_t		 announced_ns;	/* monotonic: when streams got their `announced` */
};

/* output_spool.c: streams in separate files, for file systems without holes */

/* Does the file system store holes without blocks?  Tries it at the end of the file. */
bool output_takes_holes(struct output_file *o);
int output_spool_begin(struct output_file *o, struct ft_error *err);
/* For `recover`: open the files that exist. */
int output_spool_open(struct output_file *o, struct ft_error *err);
/* Append the files to the head.  Continues from the layout. */
int output_spool_close(struct output_file *o, struct ft_error *err);
void output_spool_unlink(struct output_file *o);	/* removes all of the files */

int output_write_at(struct output_file *o, const void *data, size_t len, uint64_t pos,
		    struct ft_error *err);

/* output_head.c; everything in this machine's byte order */

/* Append HEADER_BYTES; the offset of the options is still 0. */
void output_put_file_header(const struct output_file *o, struct text *t);
/* Write the metadata that is known before the recording, a section each. */
int output_write_metadata(struct output_file *o, struct ft_error *err);
int output_cmdlines_section(struct output_file *o, struct ft_error *err);
int output_private_section(struct output_file *o, struct ft_error *err);

/* Write the header of a section that begins at @at and ends at @end. */
int output_section_header_at(struct output_file *o, uint16_t id, uint64_t at, uint64_t end,
			     struct ft_error *err);

/* Write a section at the next free offset of the head.  @offset: receives that. */
int output_section(struct output_file *o, uint16_t id, const void *payload, uint64_t size,
		   uint64_t *offset, struct ft_error *err);

/*
 * Write an options section with all options and the buffers' tables; the final one omits streams
 * without data.
 */
int output_options_section(struct output_file *o, bool final, uint64_t *offset,
			   struct ft_error *err);
/* Write them for a file that is still being recorded, with what is known now. */
int output_recording_options(struct output_file *o, struct ft_error *err);
int output_write_layout(struct output_file *o, bool head_only, struct ft_error *err);
int output_patch_u64(struct output_file *o, uint64_t pos, uint64_t value, struct ft_error *err);

/*
 * Move the data to its final place and point the header to the final options.  Continues from the
 * layout.
 */
int output_close_file(struct output_file *o, struct ft_error *err);
int output_write_final_head(struct output_file *o, struct ft_error *err);
/* Once all sub-buffers are there: mark those before which others were dropped (-m). */
int output_mark_dropped(struct output_file *o, struct ft_error *err);

/*
 * The kept data, from front to back: the head, and for each buffer its header's page and its
 * streams.  The caller frees it.
 */
struct output_range *output_ranges(const struct output_file *o, size_t *nr);

/* Write the header of a buffer's section as in the finished file. */
int output_final_buffer_header(struct output_file *o, size_t b, struct ft_error *err);

/*
 * Write another format: one pass with trace_writer into a second file, which gets the name.  @keep:
 * the .part stays.
 */
int output_pack(struct output_file *o, bool keep, struct ft_error *err);

struct output_file *output_alloc(void);
void output_free(struct output_file *o);
int output_rename(struct output_file *o, const char *from, struct ft_error *err);
void output_unlink(struct output_file *o, const char *path);	/* with the user's privileges */

/* Open a file beside o->path, as openat().  -1 with errno. */
int output_open(const struct output_file *o, const char *path, int flags, mode_t mode);

static inline uint64_t align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}
#endif
