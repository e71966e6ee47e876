/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_JOURNAL_JOURNAL_H
#define FTOP_RECORDER_JOURNAL_JOURNAL_H
/*
 * journal - remembers the old contents of tracefs files that others use too, and restores them: at
 * a normal end, on an error or a signal; after SIGKILL by the recorder's watcher, or in the next
 * run.
 *
 * The journal of a recorder is RUN/journal-ftop-PID-START (readable by root only). Each entry is
 * written before the tracefs file is touched, so the next run knows what to undo, whenever the
 * recorder dies.  Entries are undone in reverse order.  If a file no longer holds what we wrote,
 * someone else has changed it: it is left as it is, with a note.
 *
 * The recorder holds a lock (flock) on its journal while it runs. A process that gets the lock
 * knows that the recorder is gone, even if it ran in another container where its process is not
 * visible.
 *
 *   ftop-trace journal 1 / boot ID / root DEVICE INODE PATH
 *   instance NAME                       a folder below instances/ that we made
 *   unmade NAME, unmade GROUP/NAME      it could not be made: someone else may have one of this
 *                                       name
 *   dynamic GROUP/NAME                  an event that we defined
 *   save KIND FILE LEN <old bytes>      before the first write to a file
 *   wrote FILE LEN <bytes>              what the file showed after our write
 *   again FILE                          it is about to be written again
 *   waits for others                    everything is undone except JOURNAL_NAMES
 */
#include <stdbool.h>
#include "recorder/tracefs/tracefs_dir.h"

enum journal_kind {
	JOURNAL_VALUE,		/* one value: restored as it was read */
	JOURNAL_CHOICE,		/* trace_clock: the entry in brackets */
	JOURNAL_LIST,		/* set_ftrace_filter and the like: cleared, then written line by
				 * line */
	JOURNAL_FILTER,		/* an event's filter: "none" is cleared by "0" */
	JOURNAL_SIZE,		/* buffer_size_kb: "7 (expanded: 1408)" */
	JOURNAL_TRIGGER,	/* an event's trigger: ours is removed, others are not touched */
	JOURNAL_MEASURED,	/* the kernel writes it, too (stack_max_size; tracing_on, by a
				 * trigger): restored whatever it holds */
	JOURNAL_NAMES,		/* saved_cmdlines_size: writing it clears the list for everyone,
				 * so it waits until nobody else traces */
	JOURNAL_WORDS,		/* osnoise/options: each word is written alone */
	JOURNAL_EVENTS,		/* set_event: what we appended is removed, if it is there still */
	JOURNAL_PIDS,		/* set_event_pid and the like: a list that the kernel changes when
				 * its tasks fork and exit: restored whatever it holds */
};

struct journal;

#define JOURNAL_PREFIX "journal-"
#define JOURNAL_SYSCTL "sysctl:"	/* prefix of a file name: the file is in /proc/sys/kernel */

/*
 * @run_dir: /run/ftop-trace except in tests; created if missing.  @root: tracefs; must outlive the
 *        journal.
 */
struct journal *journal_new(const char *run_dir, const struct tracefs_dir *root,
			    struct ft_error *err);

/* Call it before the instance is made. */
int journal_instance(struct journal *j, const char *name, struct ft_error *err);
int journal_dynamic(struct journal *j, const char *group_and_name, struct ft_error *err);
/* Record that it could not be made: an instance or event with this name is not ours. */
void journal_unmade(struct journal *j, const char *name);

/*
 * Save what a file holds (once), then write a value to it.  @append: add to a list instead of
 * replacing it.  @file is relative to tracefs.  On failure errno is the kernel's.
 */
int journal_write(struct journal *j, enum journal_kind kind, const char *file, const char *value,
		  bool append, struct ft_error *err);

/*
 * The two halves of journal_write(), for a file that changes by other means: on older kernels all
 * instances share a tracer's options. Call journal_save() before the change and journal_note()
 * after it.
 */
int journal_save(struct journal *j, enum journal_kind kind, const char *file, struct ft_error *err);
int journal_note(struct journal *j, const char *file, struct ft_error *err);

/*
 * Let no other recorder use the top instance until journal_end().  -1 with FT_E_IO: one does; the
 * message names its process.
 */
int journal_lock_top(struct journal *j, struct ft_error *err);

/*
 * Undo everything and free the journal.  @notes receives a line for each thing that could not be
 * undone; the journal then stays on disk for the next run.  Return: the number of such things. NULL
 * is allowed.
 *
 * Settings left for the sake of others (JOURNAL_NAMES) get a line but are not counted; the journal
 * stays on disk for them.
 */
int journal_end(struct journal *j, struct text *notes);

enum journal_state {
	JOURNAL_OF_LIVING,	/* locked by its recorder */
	JOURNAL_OF_DEAD,
	JOURNAL_OUTDATED,	/* from an earlier boot: nothing to undo; the file is removed */
	JOURNAL_FOREIGN,	/* not one of ours, its head damaged, or for another tracefs */
	JOURNAL_ABSENT,
};

/**
 * journal_take_over() - open the journal of a recorder that has ended
 * @name: name of the recorder, "ftop-PID-START"
 *
 * Return: the journal if @state is JOURNAL_OF_DEAD, for journal_end() or journal_leave(); else
 * NULL.  An incomplete last entry is ignored: the recorder had not acted on it yet.
 */
struct journal *journal_take_over(const char *run_dir, const char *name,
				  const struct tracefs_dir *root, enum journal_state *state);
void journal_leave(struct journal *j);		/* frees it and leaves the file for another run */
bool journal_waits(const struct journal *j);	/* only waits for others to finish tracing */
#endif
