/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_OUTPUT_H
#define FTOP_SRC_BASE_OUTPUT_H
/*
 * output - writes text to a file descriptor in large blocks.  If the reader goes away (`| head`),
 * output ends without an error; a full disk is an error.  A terminal receives no control characters
 * but newlines, whatever the text holds.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct output {
	int		fd;
	struct text	block;		/* append to it, then call output_more() */
	uint64_t	written;	/* bytes */
	bool		closed;		/* the reader has gone: stop */
	bool		terminal;
	bool		ascii;		/* glyphs of the block are replaced by ASCII ones */
};

void output_init(struct output *out, int fd);	/* SIGPIPE is ignored from now on */

/*
 * Call it after every few lines: writes the block when it is full.  -1 with FT_E_IO; 0 with
 * out->closed to stop.
 */
int output_more(struct output *out, struct ft_error *err);

/*
 * Append bytes; large pieces are written directly, after the block, without a copy.  Returns like
 * output_more().
 */
int output_piece(struct output *out, const char *s, size_t len, struct ft_error *err);

int output_now(struct output *out, struct ft_error *err);	/* write the block now */

/* The locale has no characters beyond ASCII, or is not UTF-8. */
bool output_locale_is_ascii(void);

/* Width of the terminal in cells; 0 if it is not a terminal, or its width is unknown. */
int output_cells(int fd);

/* Write a text, and free it.  -1 with FT_E_IO. */
int output_whole(int fd, struct text *text, struct ft_error *err);

/* From now on, append to @to what would go to standard output.  NULL: write it again. */
void output_take(struct text *to);

/* Write the rest, free the block.  -1 with FT_E_IO. */
int output_end(struct output *out, struct ft_error *err);
#endif
