/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_HELP_H
#define FTOP_SRC_FILTER_FILTER_HELP_H
/* filter_help - description of the filter language, for the man page. */

extern const char filter_help[];
#endif
