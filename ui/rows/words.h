/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_WORDS_H
#define FTOP_UI_ROWS_WORDS_H
/* words - explains a row in sentences for the detail pane. */
#include "ui/rows/row.h"
#include "ui/rows/shared.h"

struct words_field {			/* printable */
	struct text	 name, type, raw, printed;
	bool		 is_common;
	bool		 printed_alone;	/* the raw value tells nothing more: "254,16" of a device */
	bool		 told;		/* the sentence already contains its value */
};

/* One or two sentences; nothing is added where there is nothing to say. */
void words_row(const struct shared *shared, const struct row *row, const struct words_field *fields,
	       unsigned int nr, struct text *out);
/*
 * Completes @fields: adds the letter of a task's state, and marks values that the sentence
 * contains.
 */
void words_complete(const struct row *row, struct words_field *fields, unsigned int nr);
/* "d interrupts off, 2 preempt depth" */
void words_flags(const struct row *row, struct text *out);
#endif
