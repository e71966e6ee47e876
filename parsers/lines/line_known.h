/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_KNOWN_H
#define FTOP_PARSERS_LINES_LINE_KNOWN_H
/* line_known - what is known of events before a line was read: tables of patterns and systems. */
#include "parsers/lines/line_types.h"

/* The next pattern of an event; NULL: there are no more.  *at: 0 at first. */
const char *line_known_pattern(struct text_slice name, unsigned int *at);
/* The kind of fields with this name, whatever their values; false: of any. */
bool line_known_kind(const char *name, size_t len, enum line_kind *kind);
/* Static; "text" if it is not known. */
const char *line_known_system(struct text_slice name);
#endif
