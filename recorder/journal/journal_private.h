/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_JOURNAL_PRIVATE_H
#define FTOP_RECORDER_JOURNAL_PRIVATE_H
/*
 * journal_private - what the parts of the journal share: journal.c (writes it, before files are touched),
 * journal_undo.c (puts back what they held), journal_read.c (takes over that of a recorder that is gone).
 */
#include <stddef.h>

#include "recorder/journal/journal.h"
#include "src/base/text.h"

#define JOURNAL_HEAD	"ftop-trace journal 1"	/* its first line */

enum journal_what { JOURNAL_INSTANCE, JOURNAL_DYNAMIC, JOURNAL_SAVED };

struct journal_entry {
	enum journal_what	 what;
	enum journal_kind	 kind;		/* of what was saved */
	char			*name;		/* file, instance or event; owned */
	char			*old;		/* what a file held; owned */
	char			*wrote;		/* what it showed after our last write; NULL: not written yet; owned */
};

struct journal {
	char			*path;		/* of its own file; owned */
	const struct tracefs_dir *root;		/* borrowed */
	int			 fd;		/* of that file, locked while its recorder lives */
	struct journal_entry	*entries;	/* owned, nr of them */
	size_t			 nr, cap;
	bool			 waits;		/* what is left to undo can be done when nobody else traces */
};

/* A control file by its name in the journal: below tracefs, or behind JOURNAL_SYSCTL.  0, or -1 with errno as the kernel set it. */
int journal_read_file(const struct journal *j, const char *file, struct text *out, struct ft_error *err);
int journal_write_file(const struct journal *j, const char *file, const char *value, enum tracefs_dir_mode mode,
		       struct ft_error *err);

/* "WORD NAME\n" behind what the journal's own file holds. */
int journal_append_line(struct journal *j, const char *word, const char *name, struct ft_error *err);

/* In memory alone.  The entry is the journal's, valid until the next one is added; @name is copied. */
struct journal_entry *journal_add_entry(struct journal *j, enum journal_what what, const char *name);
struct journal_entry *journal_find_saved(struct journal *j, const char *file);	/* NULL: it was not saved */
void journal_forget_made(struct journal *j, const char *name);	/* the instance or event of this name */
void journal_free_entry(struct journal_entry *entry);	/* what it owns */
void journal_free(struct journal *j);			/* its file stays, without the lock */
#endif
