/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_JOURNAL_H
#define FTOP_RECORDER_JOURNAL_H
/*
 * journal - what the files of tracefs held that others use too, and how to put
 * it back: at a normal end, on an error, on a signal, and after SIGKILL by the
 * next run.
 *
 * The journal of a recorder is RUN/journal-PID (root alone may read it).  Each
 * entry is on disk before the file of tracefs is touched, so whatever moment the
 * recorder dies at, the next run knows what to undo.  Entries are undone last
 * first.  A file that holds something else than what we wrote was changed by
 * somebody meanwhile: it is left alone, and said.
 *
 *   ftop-trace journal 1 / owner PID STARTTIME / root TRACEFS
 *   instance NAME                       a folder below instances/ that we made
 *   dynamic GROUP/NAME                  an event that we defined
 *   save KIND FILE LEN <old bytes>      before the first write to a file
 *   wrote FILE LEN <bytes>              what the file showed after our write
 *   again FILE                          it is about to be written once more
 */
#include <stdbool.h>
#include <sys/types.h>
#include "src/error.h"
#include "src/text.h"

enum journal_kind {
	JOURNAL_VALUE,		/* one value: written back as it was read */
	JOURNAL_CHOICE,		/* trace_clock: the entry in brackets */
	JOURNAL_LIST,		/* set_ftrace_filter and its like: cleared, then line by line */
	JOURNAL_FILTER,		/* an event's filter: "none" is cleared by "0" */
	JOURNAL_SIZE,		/* buffer_size_kb: "7 (expanded: 1408)" */
	JOURNAL_TRIGGER,	/* an event's trigger: ours is taken off, the rest was never touched */
};

struct journal;

/* @run_dir: /run/ftop-trace but in tests; made where it is missing.  @root: where tracefs is mounted; both are copied. */
struct journal *journal_new(const char *run_dir, const char *root, struct ft_error *err);

/* To be called before the thing itself is made. */
int journal_instance(struct journal *j, const char *name, struct ft_error *err);
int journal_dynamic(struct journal *j, const char *group_and_name, struct ft_error *err);

/*
 * Save what a file holds (once), then write a value to it.  @append: add to a list instead of replacing it.  @file is
 * relative to tracefs.  Fails with errno as the kernel set it.
 */
int journal_write(struct journal *j, enum journal_kind kind, const char *file, const char *value, bool append,
		  struct ft_error *err);

/*
 * The two halves of it, for a file that changes by something else: on older kernels the options of a tracer are those of
 * all instances.  journal_save() before, journal_note() after.
 */
int journal_save(struct journal *j, enum journal_kind kind, const char *file, struct ft_error *err);
int journal_note(struct journal *j, const char *file, struct ft_error *err);

/*
 * Undo everything and end the journal.  What cannot be undone is told, a line each, in @notes; the journal then stays on
 * disk for the next run.  Returns the number of things that could not be undone.  NULL is allowed.
 */
int journal_end(struct journal *j, struct text *notes);

/*
 * Undo what recorders left that are gone: their journals, and instances by the name of recorders.  @apply: false only
 * tells.  Returns how many things were left over; a line about each goes to @notes.
 */
int journal_recover(const char *run_dir, const char *root, bool apply, struct text *notes);

/* "ftop-PID-STARTTIME" of this process: the name of its own instance. */
void journal_instance_name(char *name, size_t size);

/* Stop all in an instance and remove it; waits for readers that are just leaving.  @path: its folder. */
int journal_remove_instance(const char *path, struct ft_error *err);
#endif
