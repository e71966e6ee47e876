/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MODEL_LIST_RUN_H
#define FTOP_SRC_MODEL_LIST_RUN_H
/*
 * list_run - a model of a list_source from when it begins to read until it is no longer needed: for
 * its command, its view, and comparisons.
 */
#include "src/model/list_source.h"

struct list_run {			/* zero it: nothing is read yet */
	const struct list_source *source;
	void		*model;		/* owned; NULL: it has not begun, or could not */
	bool		 done;		/* all is read, or it failed */
	bool		 failed;
	unsigned int	 permille;	/* how much is read */
};

/* Begin to read; the trace is indexed.  -1 with FT_E_USAGE. */
int list_run_begin(struct list_run *run, const struct list_source *source,
		   const struct list_scope *scope, struct ft_error *err);
/* Look how far it is; @wait: until all is read.  LIST_FAILED with the model's error. */
enum list_state list_run_take(struct list_run *run, bool wait, struct ft_error *err);
/* Both: read all.  -1 with an error. */
int list_run_all(struct list_run *run, const struct list_source *source,
		 const struct list_scope *scope, struct ft_error *err);
void list_run_end(struct list_run *run);	/* stops workers, frees the model; zeroes it */
#endif
