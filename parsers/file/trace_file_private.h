/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_FILE_TRACE_FILE_PRIVATE_H
#define FTOP_PARSERS_FILE_TRACE_FILE_PRIVATE_H
/*
 * trace_file_private - shared by the sources of trace_file: the opened file, and the draft of its
 * buffers while the metadata is read.
 *
 *   trace_file.c     open, close, accessors
 *   trace_load.c     loads bytes and metadata, unpacks them, chunk directories
 *   trace_file_v6.c  the fixed sequence of version 6
 *   trace_file_v7.c  sections and option chain of version 7
 *   trace_options.c  parses each option
 *   trace_layout.c   turns drafts into buffers and streams, checked against the file and each other
 *   trace_recover.c  finds CPU data that no table lists
 *   trace_resync.c   finds sections after damage
 *   trace_own.c      finds our own section, whole or cut off
 *   trace_extra.c    reads it: saved_tgids, wall time and cuts, for which the format has no place
 *   trace_texts.c    texts and formats, read on first use
 *   trace_pages.c    reads sub-buffers
 *   trace_part.c     a file that is still being recorded
 */
#include <pthread.h>
#include <stdatomic.h>
#include "parsers/io/byte_reader.h"
#include "parsers/file/chunks.h"
#include "parsers/io/read_at.h"
#include "parsers/file/trace_file.h"
#include "parsers/source/source_form.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define MAX_STRING	4096u		/* names and clocks in options */

/* A piece of metadata: in v7 a section's payload, in v6 the same bytes in the sequence. */
enum metadata_kind {
	META_HEADER_INFO,
	META_FTRACE,
	META_EVENTS,
	META_KALLSYMS,
	META_PRINTK,
	META_CMDLINES,
	META_BTF,
	META_MODULES,
	NR_METADATA,
};

struct metadata {
	uint64_t	offset;		/* where the payload begins, after any section header */
	uint64_t	size;		/* bytes in the file; 0 = the file has none */
	bool		present;
	bool		compressed;
};

/* A buffer as the file's tables describe it; only the limits have been checked. */
struct draft_cpu {
	int		cpu;
	uint64_t	offset, size;
	bool		is_cut;		/* the file ends before its data does */
	uint64_t	where;		/* file offset of this entry, for warnings */
};

struct draft_buffer {
	const char	*name, *clock;	/* in the file's arena */
	uint64_t	 section;	/* v7: section header; v6: CPU table; 0 = never written */
	uint64_t	 where;		/* file offset of the option */
	uint32_t	 page_size;	/* bytes; 0 = that of the file */
	int		 nr_cpus;
	bool		 is_text;
	bool		 compressed;
	bool		 present;	/* the file describes it; false for a buffer we made up */
	uint64_t	 text_offset, text_size;	/* v7: the section's payload, whatever it
							 * holds */
	struct draft_cpu *cpus;		/* owned, [nr] */
	unsigned int	 nr, cap;
	unsigned int	 option_cpus;	/* v6: CPUCOUNT after the BUFFER option, 0 = none */
};

struct stream_state {
	atomic_uint_least64_t bytes;	/* unpacked, readable now */
	atomic_bool	 known;		/* the chunk directory has been read (always true if
					 * plain) */
	pthread_mutex_t	 lock;		/* held while the directory is read */
	struct chunk_directory directory;
	uint64_t	 limit;		/* file offset that its chunks cannot pass */
	atomic_uint_least64_t gone;	/* pages before this one were dropped, and are zeros */
};

struct unpackers {			/* idle ones, for any thread */
	pthread_mutex_t	 lock;
	struct unpacker	*idle[16];
	unsigned int	 nr;
};

struct own_section {			/* trace_own.c */
	struct metadata	 text;		/* not present: there is none, or nothing is left */
	bool		 is_cut;	/* the text ends before the section did */
	const char	*lost;		/* in words: what of it is gone; NULL = nothing */
};

struct trace_file {
	struct source		 base;
	bool			 swap;
	enum trace_compression	 codec;
	uint64_t		 header_bytes;	/* file offset after the initial header */
	uint64_t		 options_offset; /* v7: of the first options
						    section; 0 = unfinished */
	int			 max_cpus;	/* highest of all CPU counts of the file */
	bool			 damaged;	/* part of the structure is missing: try to
						 * recover data */
	struct arena		 arena;
	struct metadata		 metadata[NR_METADATA];
	struct sub_buffer_layout layout;	/* layout of the top buffer, from header_page */

	struct draft_buffer	*drafts;	/* owned, [nr_drafts]; 0 = top; freed after
						 * opening */
	unsigned int		 nr_drafts, cap_drafts;

	struct own_section	 own;
	struct metadata		*texts;		/* owned, [nr_buffers]: latency text */
	struct source_text_slot	*latency;	/* owned, [nr_buffers]: these texts, read */
	struct stream_state	*states;	/* owned, [nr_streams] */

	struct trace_file_option *options;	/* owned, [nr_options]; data in blobs */
	unsigned int		 nr_options, cap_options;
	uint8_t			**blobs;	/* owned, [nr_blobs], each owned: sections of
						 * options */
	unsigned int		 nr_blobs, cap_blobs;
	uint64_t		*seen_sections;	/* v7, owned: offsets of the options sections
						 * already read */
	unsigned int		 nr_seen, cap_seen;
	uint64_t		 option_bytes;	/* read so far; limit TRACE_MAX_OPTION_BYTES */
	bool			 has_tasks;	/* trace_part.c: lines about tasks are appended */
	uint64_t		 tasks_read;	/* bytes of those */
	unsigned int		 nr_draft_cpus;	/* CPUs of all drafts; limit TRACE_MAX_STREAMS */
	unsigned int		 last_draft;	/* index of the buffer that the last BUFFER
						 * option describes */

	struct unpackers	*unpackers;	/* owned */
};

/* trace_file.c */
/* The trace.dat that a source is, or is the text of; or NULL. */
const struct trace_file *trace_file_from(const struct source *source);

/* trace_load.c */
const char *trace_file_arena_string(struct trace_file *file, const char *s, size_t len);
/*
 * Borrow an unpacker; the caller returns it with trace_file_unpacker_put().  @last: the one the
 * caller used before, or NULL; it is preferred if idle, because its state is in this CPU's cache.
 * It is only compared, so it may be gone.
 */
struct unpacker *trace_file_unpacker_get(const struct trace_file *file,
					 const struct unpacker *last);
void trace_file_unpacker_put(const struct trace_file *file, struct unpacker *unpacker);

/**
 * trace_file_load() - read bytes of the file into memory, NUL-ended
 *
 * Return: owned memory, or NULL.  Reading past the end of the file is an error (offset: the file's
 * end).
 */
uint8_t *trace_file_load(const struct trace_file *file, uint64_t offset, uint64_t size,
			 struct ft_error *err);

/*
 * Load metadata, unpacked if it is compressed.  *size: bytes without the NUL.  Return: as
 * trace_file_load().
 */
uint8_t *trace_file_load_metadata(const struct trace_file *file, const struct metadata *meta,
				  uint64_t *size, struct ft_error *err);

/* Directory of a chunked stream; NULL if it is plain.  The first call reads it. */
const struct chunk_directory *trace_file_directory(const struct trace_file *file,
						   unsigned int stream);

/*
 * trace_file_v6.c, trace_file_v7.c: read drafts, options and metadata places.  -1 only if nothing
 * can be shown.
 */
int trace_file_open_v6(struct trace_file *file, struct ft_error *err);
int trace_file_open_v7(struct trace_file *file, struct ft_error *err);

struct section {			/* a section of v7 */
	uint16_t	id, flags;
	uint64_t	offset;		/* where its header begins */
	uint64_t	size;		/* bytes of the payload, clipped to the file */
	bool		is_cut;		/* the file ends before it does */
};

/* Read one options section; -1 if it cannot be read.  *next: offset in its DONE option. */
int trace_file_read_options(struct trace_file *file, uint64_t offset, uint64_t *next,
			    struct ft_error *err);
bool trace_file_options_seen(const struct trace_file *file, uint64_t offset);
void trace_file_keep_blob(struct trace_file *file, uint8_t *blob);	/* freed with the file */

/* Read the section of a v7 buffer: whether its data is compressed, and where it lies. */
void trace_file_buffer_section(struct trace_file *file, struct draft_buffer *draft);
/* Is there a packed piece, after the header of its chunk? */
bool trace_file_is_packed(const struct trace_file *file, uint64_t offset);

/* Read a section header; a size beyond the file is clipped and noted. */
int trace_file_section(struct trace_file *file, uint64_t offset, struct section *section,
		       struct ft_error *err);
enum metadata_kind trace_file_metadata_kind(unsigned int option_id);	/* NR_METADATA: none */
void trace_file_set_metadata(struct trace_file *file, enum metadata_kind kind,
			     const struct section *section);

/* trace_options.c */
struct option_source {
	bool		compressed;	/* compressed section: option offsets are the section's */
	uint64_t	offset;		/* file offset of the section */
	uint64_t	next;		/* v7: the offset in DONE */
	bool		done;		/* a DONE option was found */
};
/* Read a list of options; warns and stops at damage.  The bytes must live as long as the file. */
void trace_options_parse(struct trace_file *file, struct byte_reader *r,
			 struct option_source *source);
/* "[local] global" -> "local" */
const char *trace_clock_chosen(struct trace_file *file, const char *text);

/* trace_layout.c */
/* a new one, or the top one for "" */
struct draft_buffer *trace_file_draft(struct trace_file *file, const char *name);
/* Add a CPU; false, with a warning, if all buffers together have too many. */
bool trace_file_draft_cpu(struct trace_file *file, struct draft_buffer *draft,
			  const struct draft_cpu *cpu);
void trace_file_read_layout(struct trace_file *file);	/* sets file->layout from header_page */
int trace_file_finish_buffers(struct trace_file *file, struct ft_error *err);

/*
 * trace_recover.c: find the CPUs' data in [from, to) without a table.  Return: the number of CPUs
 * found.
 */
unsigned int trace_recover_cpus(struct trace_file *file, struct draft_buffer *draft, uint64_t from,
				uint64_t to);
/*
 * v7 without (all of) its options: walk the sections and read what is there.  Return: the file
 * offset where the walk first lost its way, 0 if it did not.
 */
uint64_t trace_recover_sections(struct trace_file *file);

/* trace_resync.c: the first section from @from on that holds a valid list of options; 0 = none. */
uint64_t trace_find_options(const struct trace_file *file, uint64_t from);

/* trace_own.c: set file->own, with a warning if the section is not all there */
void trace_own_find(struct trace_file *file);
/* What our writers say before it: the offset of its header, and its bytes from there on. */
bool trace_own_place(const struct trace_file *file, uint64_t *offset, uint64_t *bytes);

/*
 * trace_extra.c: set info.cuts, .extracted, .hits, .missed, .has_wall and the other wall_ members
 * from our section.
 */
void trace_file_read_extra(struct trace_file *file);
/* trace_extra.c: mark the formats of events of which probes missed hits. */
void trace_file_mark_missed(const struct trace_file *file, struct source_formats *formats);

/*
 * trace_extra.c: fill a slot with the text of our section, or of a block of it.  @kind: from
 * TRACE_TEXT_TGIDS on.
 */
void trace_file_find_private(const struct trace_file *file, enum trace_text kind,
			     struct source_text_slot *slot);

/* trace_texts.c: source_ops.text and .formats */
void trace_file_text(const struct source *source, enum trace_text kind,
		     struct source_text_slot *slot);
void trace_file_formats(const struct source *source, struct source_formats *formats);

/* trace_part.c */
/* Is the file still being recorded?  Then sets growth, settled and firsts. */
void trace_part_open(struct trace_file *file);
/* Was this page, which is zeros, dropped?  Any thread. */
bool trace_part_has_dropped(const struct trace_file *file, unsigned int stream, uint64_t page);
enum source_growth trace_part_grow(struct source *source);	/* source_ops.grow */
bool trace_part_has_ended(const struct source *source);		/* source_ops.has_ended */

/* trace_pages.c */
struct chunk_slot {
	uint8_t		*data;		/* owned */
	uint32_t	 cap;		/* bytes of data */
	unsigned int	 stream;
	uint32_t	 chunk;
	bool		 valid;
	uint64_t	 used;		/* last use, by reader->clock */
};

struct trace_reader {
	struct source_reader base;
	uint8_t		*page;			/* owned: one that spans several chunks */
	uint32_t	 page_cap;
	uint8_t		*packed;		/* owned, packed_cap bytes: chunks as in the file */
	uint32_t	 packed_cap, packed_len;
	uint64_t	 packed_at;		/* file offset of packed[0] */
	const struct unpacker *unpacker;	/* the one used last; borrowed, may be freed */
	struct chunk_slot *slots;			/* owned, [nr_slots] */
	unsigned int	 nr_slots;
	uint64_t	 clock;
};

/* source_ops.read, .borrow, .offset, .reader_fini */
uint32_t trace_pages_read(struct source_reader *reader, unsigned int stream, uint64_t page,
			  uint32_t max, uint8_t *to, uint32_t *last);
const uint8_t *trace_pages_borrow(struct source_reader *reader, unsigned int stream, uint64_t page,
				  uint32_t *nr, uint32_t *last);
uint64_t trace_pages_offset(const struct source *source, unsigned int stream, uint64_t page);
void trace_pages_fini(struct source_reader *reader);
#endif
