/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_LEFTOVER_H
#define FTOP_RECORDER_LEFTOVER_H
/*
 * leftover - what our own processes have of tracefs, whether they still live, and
 * how to take away what those left that do not.  Never touches what has another
 * name.
 *
 * A process of ours has an instance, a journal (see journal.h), or both, by the
 * same name (see owner.h).
 */
#include <stdbool.h>
#include "recorder/tracefs/tracefs_dir.h"

enum leftover_state {
	LEFTOVER_LIVES,
	LEFTOVER_DEAD,		/* its journal's lock proves it */
	LEFTOVER_UNSEEN,	/* no journal, no such process here: it is gone, or in another container */
	LEFTOVER_WAITS,		/* gone; what is left of it (journal_waits()) is for when nobody else traces */
};

struct leftover {
	char			*name;		/* owned */
	int			 pid;
	enum leftover_state	 state;
	bool			 has_instance, has_journal;
};

struct leftovers {
	struct leftover	*items;		/* owned: ours, by name */
	size_t		 nr, cap, nr_stale;	/* stale: those that do not live, as far as is known, and do not wait */
	size_t		 nr_waiting;
	struct name_list foreign;	/* all the other instances */
};

struct leftover_places {
	const char	*run_dir;	/* of journals */
	const char	*proc;		/* "/proc", but for tests */
};

/* Where journals of this user lie: /run/ftop-trace of root, else $XDG_RUNTIME_DIR. */
const char *leftover_run_dir(void);

/* Ends with leftovers_fini(), also on failure. */
int leftovers_find(struct leftovers *leftovers, const struct tracefs_dir *root, const struct leftover_places *places,
		   struct ft_error *err);
void leftovers_fini(struct leftovers *leftovers);

/**
 * leftovers_clean() - undo what those left that do not live
 * @notes: receives a line about each
 *
 * An instance of one that is unseen is removed only if the kernel allows it as it is: nobody has a file of it open.
 * What waits for others to end goes on waiting, without a word, while they trace.
 *
 * Return: how many were found, without those that wait.
 */
unsigned int leftovers_clean(const struct tracefs_dir *root, const struct leftover_places *places, struct text *notes);
#endif
