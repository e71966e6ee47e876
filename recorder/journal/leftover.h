/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_JOURNAL_LEFTOVER_H
#define FTOP_RECORDER_JOURNAL_LEFTOVER_H
/*
 * leftover - finds what our own processes have in tracefs, whether they are still alive, and
 * removes what dead ones left.  Never touches things with other names.
 *
 * A process of ours has an instance, a journal (see journal.h), or both, with the same name (see
 * owner.h).  Its instance for names is an item of its own only if no journal knows of it.
 */
#include <stdbool.h>
#include "recorder/tracefs/tracefs_dir.h"

enum leftover_state {
	LEFTOVER_LIVES,
	LEFTOVER_DEAD,		/* proved by its journal's lock */
	LEFTOVER_UNSEEN,	/* no journal and no such process here: it is gone, or in another
				 * container */
	LEFTOVER_WAITS,		/* gone; the rest (journal_waits()) can be undone when nobody
				 * else traces */
};

struct leftover {
	char			*name;		/* owned */
	int			 pid;
	enum leftover_state	 state;
	bool			 has_instance, has_journal;
};

struct leftovers {
	struct leftover	*items;		/* owned: ours, sorted by name */
	size_t		 nr, cap, nr_stale;	/* stale: not alive as far as we know, and not
						 * waiting */
	size_t		 nr_waiting;
	struct name_list foreign;	/* all other instances */
};

struct leftover_places {
	const char	*run_dir;	/* folder of journals */
	const char	*proc;		/* "/proc", except in tests */
};

/* Folder of this user's journals: /run/ftop-trace for root, else $XDG_RUNTIME_DIR. */
const char *leftover_run_dir(void);

/* Call leftovers_fini() afterwards, even after a failure. */
int leftovers_find(struct leftovers *leftovers, const struct tracefs_dir *root,
		   const struct leftover_places *places, struct ft_error *err);
void leftovers_fini(struct leftovers *leftovers);

/**
 * leftovers_clean() - undo what dead processes left
 * @notes: receives a line for each
 *
 * An instance whose process is not visible is only removed if the kernel allows it, because no
 * process has a file of it open.  Journals that wait for others keep waiting while those trace,
 * without a note.
 *
 * Return: the number found, without those that wait.
 */
unsigned int leftovers_clean(const struct tracefs_dir *root, const struct leftover_places *places,
			     struct text *notes);
#endif
