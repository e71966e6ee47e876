/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_OUTPUT_LAYOUT_H
#define FTOP_RECORDER_OUTPUT_LAYOUT_H
/*
 * output_layout - what the parts of the output share: output.c (the file, its regions and streams while it is recorded),
 * output_head.c (what stands before the data), output_spool.c (streams in files of their own), output_close.c (makes the file
 * whole), output_pack.c (other formats) and output_recover.c (what an interrupted recording left).
 *
 * The layout section stands right behind the header of every .part.  Its numbers
 * are in this machine's byte order, as all of the file.
 */
#include "recorder/output/output.h"

#define LAYOUT_MAGIC		"ftoppart"
#define HEADER_BYTES		(TRACE_MAGIC_LEN + 2 + 1 + 1 + 4 + 5 + 1 + 8)	/* version "7", codec "none", its version "" */
#define HEADER_PAGE_SIZE	(TRACE_MAGIC_LEN + 2 + 1 + 1)			/* offset of the page size in it */
#define HEADER_OPTIONS		(HEADER_BYTES - 8)				/* offset of the options' offset in it */
#define MIN_ALIGN		4096u						/* bytes */
#define TAIL_RESERVE		(1u << 20)	/* bytes of the hole, allocated at once: the end can be written to a full disk */

enum layout_phase {
	LAYOUT_RECORDING,
	LAYOUT_CLOSING,		/* final metadata is in place, data is being moved to its final place */
	LAYOUT_DONE,		/* the file is whole, but for its name */
};

struct output_range {		/* of what was recorded: what is kept */
	int	 fd;		/* the file it lies in */
	uint64_t from, to;	/* multiples of the alignment */
	uint64_t final;		/* where it lies in the finished file */
};

struct layout_head {			/* on disk */
	char		magic[8];
	uint32_t	phase;
	uint32_t	align;		/* bytes: of regions, and of what is moved */
	uint32_t	nr_buffers;
	uint32_t	nr_streams;
	uint64_t	recording_options; /* offset of the options section that is valid while recording */
	uint64_t	final_options;	/* the one of the finished file */
	uint64_t	final_data;	/* where the first buffer's data begins in the finished file */
	uint64_t	moved_range;	/* without collapse: ranges below it lie at their final place */
	uint64_t	moved_bytes;	/* and so much of this one */
	uint32_t	spooled;	/* streams lie in files of their own */
	uint32_t	pad;
};

struct layout_buffer {			/* on disk, nr_buffers of them */
	uint64_t	section;	/* offset of its section's header while recording */
	uint32_t	page_size;
	uint32_t	pad;
};

struct layout_stream {			/* on disk, nr_streams of them */
	uint32_t	buffer;
	uint32_t	cpu;
	uint64_t	base, room, start, size;
};

struct output_format {			/* of an event */
	char		*system;
	struct text	 text;
};

struct output_option {			/* as it goes into an options section */
	uint16_t	id;
	struct text	data;
};

struct output_buffer {
	char		*name;
	char		*clock;
	uint32_t	 page_size;
	uint64_t	 section;	/* of its header while recording */
};

struct output {
	char			*path, *part, *max_path;
	struct invoker		*who;		/* borrowed; NULL: one's own rights */
	int			 fd;
	int			 version;	/* what it is to be in the end */
	enum trace_compression	 compression;
	uint32_t		 align;
	bool			 begun, late_written;	/* the last metadata are in the file */

	struct text		 header_page, header_event, printk, kallsyms, btf, cmdlines, private, latency;
	bool			(*tell_packing)(void *arg, uint64_t done, uint64_t total);	/* NULL: nobody asked */
	void			*tell_arg;

	struct output_format	*formats;
	size_t			 nr_formats, cap_formats;
	struct output_option	*options;
	size_t			 nr_options, cap_options;
	char			*clock;

	struct output_buffer	*buffers;
	size_t			 nr_buffers, cap_buffers;
	struct output_stream	**streams;	/* in the order of their regions */
	size_t			 nr_streams, cap_streams;

	uint64_t		 pos;		/* next free byte of the head */
	uint64_t		 head_end;	/* where the first region's page begins */
	struct layout_head	 layout;
	struct text		 table;		/* scratch for what is written each second */
};

/* output_spool.c: streams in files of their own, where the file system has no holes */
bool output_takes_holes(struct output *o);			/* tries it at the end of the file */
int output_spool_begin(struct output *o, struct ft_error *err);
int output_spool_open(struct output *o, struct ft_error *err);	/* for recover: those that are there */
int output_spool_close(struct output *o, struct ft_error *err);	/* copies them behind the head; goes on from what the layout says */
void output_spool_unlink(struct output *o);			/* all there are */

int output_write_at(struct output *o, const void *data, size_t len, uint64_t pos, struct ft_error *err);

/* output_head.c; all in this machine's byte order */
void output_put_file_header(const struct output *o, struct text *t);	/* HEADER_BYTES, pointing to no options yet */
void output_put_section_header(struct text *t, uint16_t id, uint64_t size);	/* @size: bytes behind it */
int output_write_metadata(struct output *o, struct ft_error *err);	/* what is known before the recording, a section each */

/* A section at the next free place of the head.  Gives its offset. */
int output_section(struct output *o, uint16_t id, const void *payload, uint64_t size, uint64_t *offset, struct ft_error *err);

/* An options section with all options and the buffers' tables; streams without data are left out of the final one. */
int output_options_section(struct output *o, bool final, uint64_t *offset, struct ft_error *err);
void output_set_option(struct output *o, uint16_t id, const void *data, uint32_t size);	/* in place of one with that id */
int output_recording_options(struct output *o, struct ft_error *err);	/* anew, with all that is known now */
int output_write_layout(struct output *o, bool head_only, struct ft_error *err);
int output_patch_u64(struct output *o, uint64_t pos, uint64_t value, struct ft_error *err);

/* Bring the data to its final place and point the header to the final options.  Goes on from what the layout says. */
int output_close_file(struct output *o, struct ft_error *err);
int output_write_final_head(struct output *o, struct ft_error *err);

/* What is kept, from front to back: head, and for each buffer the page of its header and its streams.  For the caller to free. */
struct output_range *output_ranges(const struct output *o, size_t *nr);

/* The header of a buffer's section as it is in the finished file. */
int output_final_buffer_header(struct output *o, size_t b, struct ft_error *err);

/* The other formats: one pass with trace_writer into a second file, which then takes the name.  @keep: the .part stays. */
int output_pack(struct output *o, bool keep, struct ft_error *err);

struct output *output_alloc(void);
void output_free(struct output *o);
int output_rename(struct output *o, const char *from, struct ft_error *err);
void output_unlink(struct output *o, const char *path);	/* with the rights of the user */
#define PACKING_SUFFIX ".packing"	/* behind the name of a .part */

static inline uint64_t align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}
#endif
