/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_HELP_H
#define FTOP_SRC_FILTER_HELP_H
/* filter_help - the language of filters, as the man page tells it. */

extern const char filter_help[];
#endif
