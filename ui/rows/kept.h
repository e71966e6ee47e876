/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_KEPT_H
#define FTOP_UI_KEPT_H
/*
 * kept - marks, notes and filters of a trace as a file of text, for the next sitting or for a colleague:
 *
 *	ftop-trace marks 1
 *	file 1234567 /home/me/trace.dat		(bytes, path; one line for each file)
 *	span 7328262112 7692151302		(first and last time stamp)
 *	mark a 1:17:4 7574227913		(letter, stream:page:item, time stamp)
 *	mark b - 7574228000 0:80:1		(a moment without a row: time stamp, file:pid:CPU of the cursor)
 *	note 1:17:9 7574321342 here it waits
 *	filter sched_switch && cpu == 1		(from the bottom of the stack on)
 *
 * Such a file is as little trusted as a trace: its marks are looked for in the trace, its notes made printable.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/error.h"
#include "src/trace/trace.h"
#include "ui/rows/places.h"

#define KEPT_MAX_BYTES	(1 << 20)	/* of such a file */
#define KEPT_MAX_NOTES	1000
#define KEPT_MAX_FILTERS 16
#define KEPT_FILTER_BYTES 4096	/* as many as can be typed: PROMPT_MAX_BYTES */
#define KEPT_MAX_FILES	200		/* of the traces used last; the user's state holds no more */

/* What tells a trace from others: its lines "file" and "span".  Taken when it is opened. */
void kept_identity(const struct trace *trace, struct text *out);

/* Where the user's state has the marks of it: a hash of the identity names the file.  NULL: there is no such folder. */
const char *kept_path(const struct text *identity, char *buf, size_t size);

/*
 * Of the marks of all traces, remove those beyond KEPT_MAX_FILES that were written longest ago: @path is what kept_path()
 * gave for the trace that is open, whose own stay.  Files of other names are nobody's business.
 */
void kept_prune(const char *path);

/* Appends what a file of them says.  @filters: a line for each; may be NULL. */
void kept_text(const struct text *identity, const struct places *places, const struct text *filters, struct text *out);

/**
 * kept_write() - write marks, notes and filters, in place of what is there
 * @filters: a line for each; may be NULL
 * @mode:    permissions of the file, less the umask
 *
 * The file is whole at any moment: another one is written and takes its name.  Folders are made where they lack.
 * Return: 0, or -1 with FT_E_IO.
 */
int kept_write(const char *path, const struct text *identity, const struct places *places, const struct text *filters,
	       unsigned int mode, struct ft_error *err);

struct kept_count {
	unsigned int	marks, notes;	/* that were found in the trace */
	unsigned int	filters;
	unsigned int	lost;		/* that were not */
};

/**
 * kept_read() - add the marks and notes of a file to @places
 * @filters:  receives a line for each filter; unread, as a trace of another recording may lack what they ask for
 * @identity: of the trace, for a file that must be of just this one; paths do not count if @anywhere
 *
 * Return: 0, or -1 with FT_E_IO (ENOENT among others), or FT_E_FORMAT: no such file, or of another trace; then nothing
 * is added.
 */
int kept_read(const char *path, const struct text *identity, bool anywhere, struct trace *trace, struct places *places,
	      struct text *filters, struct kept_count *count, struct ft_error *err);

/* A place of the same trace, or of one that replaced it: the same row, else one of the same moment; a moment in its span. */
bool kept_find(struct trace *trace, struct place *place);
#endif
