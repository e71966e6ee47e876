/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_CONFIG_FILE_H
#define FTOP_SRC_BASE_CONFIG_FILE_H
/*
 * config_file - reads and changes lines "name = value"; a # at the beginning or after a blank
 * begins a comment.
 */
#include <stdbool.h>
#include "src/base/text.h"

#define CONFIG_FILE_BYTES	(64u << 10)	/* size limit of such a file */

struct config_line {			/* zero it before the first line */
	const char	*rest;		/* what config_file_next() reads next */
	unsigned int	 nr;		/* from 1 */
	unsigned int	 name_column, value_column;	/* from 1 */
	char		 name[64];
	char		 value[256];
	const char	*wrong;		/* a message; NULL: name and value are set */
	unsigned int	 wrong_column;
};

/*
 * The next line that is not empty.  @contents: the text for the first one, then NULL.  False: no
 * more.
 */
bool config_file_next(const char *contents, struct config_line *line);

/* Appends the contents with this value for the name; all other lines stay as they are. */
void config_file_change(const char *contents, const char *name, const char *value,
			struct text *out);
#endif
