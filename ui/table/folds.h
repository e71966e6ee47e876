/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_TABLE_FOLDS_H
#define FTOP_UI_TABLE_FOLDS_H
/* folds - which rows of a tree are open: all of them or none, but for those that were turned. */
#include "src/base/number_set.h"
#include "src/base/text.h"

struct folds {				/* zeroed: as at first; free it with folds_fini() */
	struct number_set turned;	/* keys of rows */
	enum folds_all { FOLDS_AS_AT_FIRST, FOLDS_ALL_OPEN, FOLDS_ALL_CLOSED } all;
};

void folds_fini(struct folds *folds);	/* as at first again */

/* @at_first: is the row open where nobody has opened or closed all? */
static inline bool folds_is_open(const struct folds *folds, uint64_t key, bool at_first)
{
	bool all_open = folds->all ? folds->all == FOLDS_ALL_OPEN : at_first;

	return number_set_has(&folds->turned, key) != all_open;
}

void folds_set(struct folds *folds, uint64_t key, bool open, bool at_first);
void folds_set_all(struct folds *folds, bool open);

/* A line "NAME NUMBER…" of struct view_kept; nothing if they are as at first.  Keys must last. */
void folds_save(const struct folds *folds, const char *name, struct text *out);
void folds_restore(struct folds *folds, const char *value);	/* not trusted */
#endif
