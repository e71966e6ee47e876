/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_JOURNAL_H
#define FTOP_RECORDER_JOURNAL_H
/*
 * journal - what the files of tracefs held that others use too, and how to put
 * it back: at a normal end, on an error, on a signal, and after SIGKILL by the
 * next run.
 *
 * The journal of a recorder is RUN/journal-ftop-PID-START (root alone may read it).
 * Each entry is on disk before the file of tracefs is touched, so whatever moment
 * the recorder dies at, the next run knows what to undo.  Entries are undone last
 * first.  A file that holds something else than what we wrote was changed by
 * somebody meanwhile: it is left alone, and said.
 *
 * The recorder holds a lock (flock) on its journal for its life.  Who gets the
 * lock knows that it is gone, also when it ran in another container and its
 * process cannot be seen.
 *
 *   ftop-trace journal 1 / boot ID / root DEVICE INODE PATH
 *   instance NAME                       a folder below instances/ that we made
 *   unmade NAME, unmade GROUP/NAME      it could not be made: somebody else may have one of this name
 *   dynamic GROUP/NAME                  an event that we defined
 *   save KIND FILE LEN <old bytes>      before the first write to a file
 *   wrote FILE LEN <bytes>              what the file showed after our write
 *   again FILE                          it is about to be written once more
 *   waits for others                    all is undone but JOURNAL_NAMES
 */
#include <stdbool.h>
#include "recorder/tracefs/tracefs_dir.h"

enum journal_kind {
	JOURNAL_VALUE,		/* one value: written back as it was read */
	JOURNAL_CHOICE,		/* trace_clock: the entry in brackets */
	JOURNAL_LIST,		/* set_ftrace_filter and its like: cleared, then line by line */
	JOURNAL_FILTER,		/* an event's filter: "none" is cleared by "0" */
	JOURNAL_SIZE,		/* buffer_size_kb: "7 (expanded: 1408)" */
	JOURNAL_TRIGGER,	/* an event's trigger: ours is taken off, the rest was never touched */
	JOURNAL_MEASURED,	/* the kernel writes it too (stack_max_size): put back whatever it holds */
	JOURNAL_NAMES,		/* saved_cmdlines_size: writing it empties the list for all, so it waits until nobody else traces */
};

struct journal;

#define JOURNAL_PREFIX "journal-"
#define JOURNAL_SYSCTL "sysctl:"	/* before the name of a file: it lies in /proc/sys/kernel */

/* @run_dir: /run/ftop-trace but in tests; made where it is missing.  @root: tracefs; must outlive the journal. */
struct journal *journal_new(const char *run_dir, const struct tracefs_dir *root, struct ft_error *err);

/* To be called before the thing itself is made. */
int journal_instance(struct journal *j, const char *name, struct ft_error *err);
int journal_dynamic(struct journal *j, const char *group_and_name, struct ft_error *err);
/* That it could not be made: an instance or event of this name is not ours. */
void journal_unmade(struct journal *j, const char *name);

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
 *
 * What is left as it is for others' sake (JOURNAL_NAMES) is told too, but not counted; the journal then waits on disk.
 */
int journal_end(struct journal *j, struct text *notes);

enum journal_state {
	JOURNAL_OF_LIVING,	/* locked */
	JOURNAL_OF_DEAD,
	JOURNAL_OUTDATED,	/* of an earlier boot: nothing of it is left; removed */
	JOURNAL_FOREIGN,	/* not one of ours, damaged in its head, or of another tracefs */
	JOURNAL_ABSENT,
};

/**
 * journal_take_over() - the journal of a recorder that is gone
 * @name: of the recorder, "ftop-PID-START"
 *
 * Return: the journal, to be undone by journal_end() or left by journal_leave(), where @state is JOURNAL_OF_DEAD; else NULL.
 * An entry that the recorder could not write to its end is left out: what it was about to do has not been done.
 */
struct journal *journal_take_over(const char *run_dir, const char *name, const struct tracefs_dir *root, enum journal_state *state);
void journal_leave(struct journal *j);		/* as it is, for another run */
bool journal_waits(const struct journal *j);	/* only for others to end */
#endif
