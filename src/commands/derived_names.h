/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_DERIVED_NAMES_H
#define FTOP_SRC_COMMANDS_DERIVED_NAMES_H
/*
 * derived_names - all tables of names that models add to filters.  A model with a new one is a line
 * of derived_names.c.
 */
struct filter_name;			/* filter_names.h */

extern const struct filter_name *const derived_names[];	/* for trace_options.filter_names */
#endif
