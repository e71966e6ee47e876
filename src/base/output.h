/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_OUTPUT_H
#define FTOP_SRC_OUTPUT_H
/*
 * output - text to a file descriptor in large blocks.  A reader that has gone
 * (`| head`) ends the output quietly; a full disk is an error.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct output {
	int		fd;
	struct text	block;		/* append to it, then output_more() */
	bool		closed;		/* nobody reads any more: stop */
};

void output_init(struct output *out, int fd);	/* SIGPIPE is ignored from now on */

/* Call it after every few lines: writes the block when it is full.  -1 with FT_E_IO; 0 with out->closed to stop. */
int output_more(struct output *out, struct ft_error *err);

/* Append bytes; many of them go to the descriptor without a copy, behind the block.  As output_more(). */
int output_piece(struct output *out, const char *s, size_t len, struct ft_error *err);

int output_now(struct output *out, struct ft_error *err);	/* write the block now */

/* Cells of a row, where it is a terminal; 0: it is none, or does not tell. */
int output_cells(int fd);

/* Write what is left, free the block.  -1 with FT_E_IO. */
int output_end(struct output *out, struct ft_error *err);
#endif
