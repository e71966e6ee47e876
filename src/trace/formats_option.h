/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_FORMATS_OPTION_H
#define FTOP_SRC_TRACE_FORMATS_OPTION_H
/*
 * formats_option - --formats, which names the event formats of a text trace, for all commands that
 * open traces.  They are read once, before the command begins, and are kept to its end.
 */
#include "src/base/options.h"

/* Id of the option below, distinct from the commands' own. */
enum { FORMATS_OPTION_ID = 301 };

#define FORMATS_OPTION \
	{ .name = "formats", .arg = "FILE|running", .id = FORMATS_OPTION_ID, \
	  .help = "for a text: find fields by the formats of this trace.dat, or of the running kernel", \
	  .kind = OPTION_PATH }
#define FORMATS_RUNNING "running"

struct line_formats;			/* parsers/lines/line_known.h */

/* What the option names; NULL: it was not given. */
const char *formats_option_value(const struct option_list *list);

/* Add a format file of the running kernel. */
void formats_option_add(const char *system, const char *text, size_t len);

/*
 * Read those of a trace.dat.  Return: 0, or -1 with the errors of source_open(), or FT_E_FORMAT
 * if the file has none.
 */
int formats_option_read(const char *path, struct ft_error *err);

/* What was read, for trace_options.formats; NULL: the option was not given. */
const struct line_formats *formats_option_get(void);
void formats_option_fini(void);		/* no trace is open any more */
#endif
