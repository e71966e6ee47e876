/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_KEPT_H
#define FTOP_UI_ROWS_KEPT_H
/*
 * kept - saves marks, notes and filters of a trace in a text file, for later or for a colleague:
 *
 *	ftop-trace marks 1
 *	file 1234567 /home/me/trace.dat		(bytes, path; one line for each file)
 *	span 7328262112 7692151302		(first and last time stamp)
 *	offset 0 1500000			(file, what is added to its times)
 *	mark a 1:17:4 7574227913		(letter, stream:page:item, time stamp)
 *	mark b - 7574228000 0:80:1		(a moment without a row: time stamp, file:pid:CPU of
 *                                              the cursor)
 *	note 1:17:9 7574321342 here it waits
 *	filter sched_switch && cpu == 1		(from the bottom of the stack on)
 *	keep view 3				(what the screen shows: ui/session/remember.c)
 *
 * Time stamps are as recorded, without offsets.
 *
 * Such a file is not trusted: its marks are looked up in the trace, its notes are made printable.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/error.h"
#include "src/trace/trace.h"
#include "ui/rows/places.h"

#define KEPT_MAX_BYTES	(1 << 20)	/* size limit of such a file */
#define KEPT_MAX_NOTES	1000
#define KEPT_MAX_FILTERS 16
#define KEPT_MAX_KEEPS	200
#define KEPT_FILTER_BYTES 4096	/* as in a prompt: PROMPT_MAX_BYTES */
#define KEPT_MAX_NUMBERS 192	/* in a line of a view: 17 bytes each, below KEPT_FILTER_BYTES */
#define KEPT_MAX_FILES	200		/* files of marks kept in the user's state */

/* The lines "file" and "span", which identify a trace.  Call it when the trace is opened. */
void kept_identity(const struct trace *trace, struct text *out);

/* The file of marks in the user's state, named by a hash of the identity.  NULL: no such folder. */
const char *kept_path(const struct text *identity, char *buf, size_t size);

/*
 * Removes the oldest files of marks beyond KEPT_MAX_FILES, but never @path, which kept_path() gave
 * for the open trace.  Files with other names are left in place.
 */
void kept_prune(const char *path);

/*
 * The single traces of which something is kept, newest first: path and size as they were, and what
 * is kept ("2 marks, 1 filter").  @opened: when it was open last, in s since 1970.
 */
void kept_each(void (*each)(void *arg, const char *path, uint64_t size, int64_t opened,
			    const char *kept),
	       void *arg);

/* Appends the text of such a file.  @filters, @keeps: a line for each; may be NULL. */
void kept_text(const struct trace *trace, const struct text *identity, const struct places *places,
	       const struct text *filters, const struct text *keeps, struct text *out);

/**
 * kept_write() - write marks, notes, filters and offsets of the trace, replacing the file
 * @filters, @keeps: a line for each; may be NULL
 * @mode:    permissions of the file, less the umask
 *
 * The file is replaced atomically: a new one is written and renamed.  Missing folders are made.
 * Return: 0, or -1 with FT_E_IO.
 */
int kept_write(const char *path, const struct trace *trace, const struct text *identity,
	       const struct places *places, const struct text *filters, const struct text *keeps,
	       unsigned int mode, struct ft_error *err);

/* Reads offsets of a file that kept_read() would accept: [trace_nr_files()].  False: none. */
bool kept_offsets(const char *path, const struct text *identity, bool anywhere,
		  const struct trace *trace, struct trace_offset *offsets);

struct kept_count {
	unsigned int	marks, notes;	/* found in the trace */
	unsigned int	filters;
	unsigned int	lost;		/* not found */
};

/**
 * kept_read() - add the marks and notes of a file to @places
 * @filters:  receives one line per filter, unparsed: another recording may lack their fields
 * @keeps:    likewise, one line per "keep"; may be NULL
 * @identity: the trace's, which the file has to match; @anywhere: paths may differ
 *
 * Return: 0, or -1 and nothing added: FT_E_IO (ENOENT among others), or FT_E_FORMAT if the
 * format is wrong or the file belongs to another trace.
 */
int kept_read(const char *path, const struct text *identity, bool anywhere, struct trace *trace,
	      struct places *places, struct text *filters, struct text *keeps,
	      struct kept_count *count, struct ft_error *err);

/*
 * Looks up a place saved for this trace or its predecessor: the same row, else a row of its task
 * and CPU with its time, else a moment in the span.
 */
bool kept_find(struct trace *trace, struct place *place);

/* A place as in such a file: "1:17:4 7574227913"; false: it is wrong, or not in the trace. */
void kept_place_text(const struct trace *trace, const struct place *place, struct text *out);
bool kept_place(struct trace *trace, const char *s, struct place *place);

/* A line "KEY NUMBER…" of a view (struct view_kept); of too many numbers, the last ones. */
void kept_add_numbers(struct text *out, const char *key, const uint64_t *numbers, unsigned int nr);
/* Returns how many of the value's numbers there are, at most KEPT_MAX_NUMBERS. */
unsigned int kept_numbers(const char *value, uint64_t *numbers);
#endif
