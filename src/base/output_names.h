/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_OUTPUT_NAMES_H
#define FTOP_SRC_BASE_OUTPUT_NAMES_H
/*
 * output_names - the files beside one that is written, whose names are made from its name: one
 * list, which recorder, judge and broker share.
 *
 * The user did not name these files.  So a link of such a name is not followed, and only what the
 * program itself writes there is replaced.
 */
#include <stdbool.h>
#include <sys/types.h>
#include "src/base/error.h"
#include "src/base/text.h"

#define OUTPUT_TRACE_HEAD	"\x17\x08\x44tracing"	/* trace-cmd.dat.v6(5) */
#define OUTPUT_MARKS_HEAD	"ftop-trace marks 1\n"

enum output_name {
	OUTPUT_PART,		/* t.dat.part: t.dat, until it is complete */
	OUTPUT_PACKING,		/* t.dat.part.packing, of t.dat.part: it in another format */
	OUTPUT_CPU,		/* t.dat.part.cpu3, of t.dat.part: where files have no holes; the
				 * second buffer's of t.dat.part.1 */
	OUTPUT_MARKS,		/* t.dat.marks */
	OUTPUT_MAX,		/* t.max.dat: the records of a latency tracer's maximum */
	OUTPUT_NUMBER,		/* t.1.dat: what --split writes at the first hit */
	OUTPUT_NUMBER_PART,	/* t.1.dat.part */
};

/* Append the name of a file beside @output, which is "t.dat"; @number: 0 if it has none. */
void output_name_add(enum output_name which, const char *output, unsigned int number,
		     struct text *name);

struct output_names {			/* which of them a recording writes */
	bool		has_max;
	unsigned int	numbers;	/* files of --split: 1 to this */
};

/**
 * output_names_check() - may a recording write all files beside this one?
 * @folder: open, or AT_FDCWD
 * @output: a path from there
 *
 * Return: 0, or -1 with FT_E_USAGE, which names the file.  t.dat.part is checked by who creates it.
 */
int output_names_check(int folder, const char *output, const struct output_names *names,
		       struct ft_error *err);

/*
 * What of a name may be replaced, as its first bytes (@head, at most 32 of them): NULL: nothing;
 * "": a plain file or a link; else a plain file that begins so, or is empty.  Never what
 * file_place_is_foreign().
 */
bool output_name_replaces(int folder, const char *name, const char *head);

/* The permissions of a new file: @mode, less what others may not do with the file of this name. */
mode_t output_name_mode(int folder, const char *name, mode_t mode);

/**
 * output_name_give() - rename a complete file
 * @into: the folder that gets it; both are open, or AT_FDCWD
 * @head: as of output_name_replaces()
 *
 * A link of the name @to is replaced, not followed.  The permissions of a plain file that is
 * replaced stay, if they are stricter.  Return: 0, or -1 with FT_E_IO.
 */
int output_name_give(int folder, const char *from, int into, const char *to, const char *head,
		     struct ft_error *err);

/* Remove a file that the program wrote, if it is one. */
void output_name_remove(int folder, const char *name, const char *head);
#endif
