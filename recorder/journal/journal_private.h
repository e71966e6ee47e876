/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_JOURNAL_JOURNAL_PRIVATE_H
#define FTOP_RECORDER_JOURNAL_JOURNAL_PRIVATE_H
/*
 * journal_private - shared by the parts of the journal: journal.c (writes it before files are
 * touched), journal_undo.c (restores the files), journal_read.c (opens the journal of a recorder
 * that is gone), journal_top.c (locks the top instance).
 */
#include <stddef.h>

#include "recorder/journal/journal.h"
#include "src/base/text.h"

#define JOURNAL_HEAD	"ftop-trace journal 1"	/* first line of the file */

enum journal_what { JOURNAL_INSTANCE, JOURNAL_DYNAMIC, JOURNAL_SAVED };

struct journal_entry {
	enum journal_what	 what;
	enum journal_kind	 kind;		/* kind of control file; only for JOURNAL_SAVED */
	char			*name;		/* file, instance or event; owned */
	char			*old;		/* contents of the file before; owned */
	char			*wrote;		/* contents after our last write; NULL = not
						 * written yet; owned */
};

struct journal {
	char			*path;		/* path of the journal file; owned */
	const struct tracefs_dir *root;		/* borrowed */
	int			 fd;		/* journal file, locked while the recorder runs */
	struct journal_entry	*entries;	/* owned, nr of them */
	size_t			 nr, cap;
	bool			 waits;		/* the rest can only be undone when nobody else
						 * traces */
	int			 top;		/* journal_lock_top(); 0: not locked */
};

/*
 * Read a control file by its name in the journal: below tracefs, or after JOURNAL_SYSCTL.  Return:
 * 0, or -1 with the kernel's errno.
 */
int journal_read_file(const struct journal *j, const char *file, struct text *out,
		      struct ft_error *err);
int journal_write_file(const struct journal *j, const char *file, const char *value,
		       enum tracefs_dir_mode mode, struct ft_error *err);

/* Append "WORD NAME\n" to the journal's file. */
int journal_append_line(struct journal *j, const char *word, const char *name,
			struct ft_error *err);

/*
 * Add an entry in memory only.  It belongs to the journal and is valid until the next one is added;
 * @name is copied.
 */
struct journal_entry *journal_add_entry(struct journal *j, enum journal_what what,
					const char *name);
/* NULL if it was not saved */
struct journal_entry *journal_find_saved(struct journal *j, const char *file);
/* removes the entry of this instance or event */
void journal_forget_made(struct journal *j, const char *name);
void journal_free_entry(struct journal_entry *entry);	/* frees its members */
void journal_free(struct journal *j);			/* the file stays, unlocked */
#endif
