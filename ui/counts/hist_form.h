/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_COUNTS_HIST_FORM_H
#define FTOP_UI_COUNTS_HIST_FORM_H
/*
 * hist_form - the Counts view of files that are the kernel's histograms: the table of one of them.
 */
#include "src/hist/hist_table.h"
#include "ui/table/table.h"
#include "ui/view/view.h"

struct hist_form {			/* zero it, and set host and shared */
	const struct view_host *host;	/* borrowed */
	struct shared	*shared;	/* borrowed */
	struct hist_list hists;		/* nr 0: the trace has none */
	unsigned int	 at;		/* the one that is shown, with: */
	struct hist_table columns;
	struct table	 table;
	struct table_order order;
};

bool hist_form_applies(const struct shared *shared);
void hist_form_read(struct hist_form *form);	/* all histograms of the trace; shows the first */
void hist_form_fini(struct hist_form *form);
bool hist_form_request(struct hist_form *form, enum request request, char letter);
void hist_form_draw(struct hist_form *form, const struct view_area *area);
/* The entry under the cursor, and the trigger, in words. */
void hist_form_words(const struct hist_form *form, struct text *out);
void hist_form_command(const struct hist_form *form, struct text *out);
#endif
