/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SOURCE_SOURCE_FORM_H
#define FTOP_PARSERS_SOURCE_SOURCE_FORM_H
/*
 * source_form - for those who make a source of one form of trace.  A form has a struct that begins
 * with a struct source, fills in what it finds on opening, and says with source_ops how the rest is
 * read.  tests/unit/test_source.c is an example.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include "parsers/io/open_progress.h"
#include "parsers/source/source.h"
#include "src/base/text.h"

/* Reads sub-buffers for one thread.  A form may put it first in a struct of its own. */
struct source_reader {
	const struct source	*source;	/* borrowed */
	uint32_t		 window_bytes;	/* read at once, where that saves time */
	unsigned int		 nr_chunks;	/* unpacked chunks to keep */
};

struct source_text_slot {		/* a text that is read once */
	atomic_bool	 done;
	const char	*text;		/* inside blob, or borrowed from what lives as long; "" */
	uint64_t	 size;
	char		*blob;		/* owned; or NULL */
	const char	*lost;		/* source_text_lost(); borrowed */
};

/* Give the slot what a text holds.  An empty text stays "". */
void source_text_take(struct source_text_slot *slot, struct text *text);

/*
 * Append what a trace.dat keeps of the source in our own section (parsers/file/trace_extra.c): the
 * wall clock, by info, and processes, by TRACE_TEXT_TGIDS of `text`.  For TRACE_TEXT_PRIVATE.
 */
void source_add_private(const struct source *source, struct text *out);

/* The event formats while they are made: source_add_format() adds one. */
struct source_formats {
	char			*blobs[2];	/* owned: the texts lie in them */
	struct source_format	*formats;	/* owned, [nr] */
	unsigned int		 nr, cap;
	uint32_t		*by_id;		/* owned, [nr_ids]: index + 1, 0 = no such format */
	int			 nr_ids;
};

/* All may be called by any thread; those after `formats` may be NULL. */
struct source_ops {
	const char	*form;			/* its name, as `info` prints it */
	/* Pages times page_size; less only by what the last page is shorter. */
	uint64_t	(*stream_bytes)(const struct source *source, unsigned int stream);
	/*
	 * Read at most @max sub-buffers from @page on.  They are page_size apart at @to.  *last:
	 * bytes of the last of them.  Return: how many, at least 1; 0, with a warning, if the first
	 * one cannot be read, or without one if it was dropped.  A page is read more than once, in
	 * any order: it always has the same bytes.
	 */
	uint32_t	(*read)(struct source_reader *reader, unsigned int stream, uint64_t page,
				uint32_t max, uint8_t *to, uint32_t *last);
	/* Call source_add_format() for each, those of the system "ftrace" first. */
	void		(*formats)(const struct source *source, struct source_formats *formats);

	/* File offset of a page; in a chunked stream, that of its chunk.  NULL: not in the file. */
	uint64_t	(*offset)(const struct source *source, unsigned int stream, uint64_t page);
	/*
	 * Find a text: set the slot's text and size, and blob if the source is to free it.  An
	 * empty slot is a text that the form does not have.  @kind: parsers/io/trace_format.h.
	 */
	void		(*text)(const struct source *source, enum trace_text kind,
				struct source_text_slot *slot);
	/*
	 * As `read`, but in the reader's own memory until its next call.  NULL with *nr = 0: use
	 * `read`.
	 */
	const uint8_t	*(*borrow)(struct source_reader *reader, unsigned int stream, uint64_t page,
				   uint32_t *nr, uint32_t *last);
	size_t		reader_bytes;		/* its reader's size; 0 = struct source_reader */
	void		(*reader_fini)(struct source_reader *reader);
	/* What a page has, if that is known without reading it. */
	bool		(*sum)(const struct source *source, unsigned int stream, uint64_t page,
			       struct page_sum *sum, const struct type_count **counts);
	/*
	 * Required if info.head is set: source_read_rest(), source_permille(),
	 * source_open_again().
	 */
	int		(*read_rest)(struct source *source);
	unsigned int	(*permille)(const struct source *source);
	struct source	*(*open_again)(struct source *former, struct ft_error *err);
	/*
	 * Required if `growth` is not SOURCE_WHOLE: as source_grow(), sets `settled`; and as
	 * source_has_ended().
	 */
	enum source_growth (*grow)(struct source *source);
	bool		(*has_ended)(const struct source *source);
	/* NULL: none.  See source_cpu_stat(). */
	uint64_t	(*cpu_stat)(const struct source *source, int buffer, int cpu,
				    const char *key);
	/* As source_file_format() and _record(), if its own are not those of a trace.dat. */
	void		(*file_format)(const struct source *source, unsigned int i,
				       struct text *out);
	uint32_t	(*file_record)(const struct source *source, const uint8_t *data,
				       uint32_t size, uint8_t *to, uint32_t room);
	/* Required if info.nr_parts is set: as source_part() and source_part_text(). */
	uint64_t	(*part)(const struct source *source, unsigned int stream, uint64_t page);
	bool		(*part_text)(const struct source *source, uint64_t part, struct text *out);
	bool		(*histograms)(const struct source *source, struct text *out);
	void		(*fini)(struct source *source);	/* free what the form added */
};

/* The threads of a source share these. */
struct source_shared {
	pthread_mutex_t		 lock;		/* protects texts and formats */
	struct source_text_slot	 texts[TRACE_NR_TEXTS];
	atomic_bool		 formats_done;
	struct source_formats	 formats;
	pthread_mutex_t		 warnings_lock;
	struct ft_error		*warnings;		/* owned, [256]; NULL until the first */
	atomic_uint		 nr_warnings;
};

struct source {				/* strings are borrowed from the form */
	const struct source_ops	*ops;
	char			*path;		/* owned */
	int			 fd;		/* owned; or -1 */
	struct source_info	 info;
	struct source_buffer	*buffers;	/* owned, [nr_buffers] */
	unsigned int		 nr_buffers;
	struct source_stream	*streams;	/* owned, [nr_streams] */
	unsigned int		 nr_streams;
	bool			 is_reread;	/* source_read_rest() has begun */
	enum source_growth	 growth;
	uint64_t		*settled;	/* owned, [nr_streams]: source_settled();
						 * NULL: the file is whole */
	struct text		 more_who;	/* source_more_who() */
	atomic_uint_least64_t	*firsts;	/* owned, [nr_streams]: source_first_page();
						 * NULL: the same */
	struct trace_time_shift	*shifts;	/* made by the form, [nr_shifts] by CPU */
	unsigned int		 nr_shifts;
	bool			 shift_interpolates;
	uint64_t		 shift_peer;
	struct source_guest	*guests;	/* owned, [nr_guests] */
	unsigned int		 nr_guests, cap_guests;
	struct source		*around;	/* owned: the one whose text this is; or NULL */
	struct source_shared	*shared;	/* owned */
};

/* A file that is to be opened. */
struct source_start {
	const char	*path;
	int		 fd;		/* taken over, in any case */
	bool		 is_folder;
	uint64_t	 size;		/* bytes; 0 of a folder */
	const uint8_t	*head;		/* its first bytes, [nr_head] */
	size_t		 nr_head;
	uint64_t	 head_bytes;	/* bytes of a long file to read at first; 0 = all */
	const struct line_formats *formats;	/* formats of its events; or NULL */
	const struct open_progress *progress;	/* or NULL; only while it is opened */
};

/* A reader of a source; free it with source_reader_free(), which accepts NULL. */
struct source_reader *source_reader_new(const struct source *source);
void source_reader_free(struct source_reader *reader);

/*
 * @bytes: of the form's struct, which is zeroed, but for info: this machine's byte order, and a
 * user_long_size of 8.  On a failure of opening, source_close() it.
 */
void *source_new(size_t bytes, const struct source_ops *ops, const struct source_start *start);

/* Add a format.  @text lives as long as the source; it is not parsed. */
void source_add_format(struct source_formats *formats, const struct source_format *format);

/* Return the text of a slot, which @load fills on first use.  *size: may be NULL. */
const char *source_slot_text(const struct source *source, struct source_text_slot *slot,
			     unsigned int nr,
			     void (*load)(const struct source *source, unsigned int nr,
					  struct source_text_slot *slot),
			     uint64_t *size);
#endif
