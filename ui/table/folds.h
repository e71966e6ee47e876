/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_TABLE_FOLDS_H
#define FTOP_UI_TABLE_FOLDS_H
/* folds - which rows of a tree are open: all of them or none, but for those that were turned. */
#include "src/base/number_set.h"

struct folds {				/* zeroed: none was turned; free it with folds_fini() */
	struct number_set turned;	/* keys of rows */
};

static inline void folds_fini(struct folds *folds)
{
	number_set_fini(&folds->turned);
	folds->turned = (struct number_set){ 0 };
}

/* @all_open: are those open that were not turned? */
static inline bool folds_is_open(const struct folds *folds, uint64_t key, bool all_open)
{
	return number_set_has(&folds->turned, key) != all_open;
}

void folds_set(struct folds *folds, uint64_t key, bool open, bool all_open);
#endif
