/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PATTERN_H
#define FTOP_RECORDER_PATTERN_H
/*
 * pattern - how a user names events, functions, options and their like.
 *
 *   sched_switch      that name; if there is none, all names that hold it, in any case
 *   sched:*  *read?   a glob, over the whole name
 *   '^tcp_.*ack$'     a regular expression (extended, any case), as trace-cmd list takes it:
 *                     what has one of ^ $ \ | ( ) + { or a dot before * + ?
 *   :mod:ext4         the functions of a module
 *
 * An event answers to "system:name" (also system/name), to its system, and to its name.
 */
#include <regex.h>
#include <stdbool.h>
#include "src/base/error.h"

enum pattern_kind { PATTERN_WORD, PATTERN_GLOB, PATTERN_REGEX, PATTERN_MODULE };

struct pattern {
	enum pattern_kind kind;
	char		 *text;		/* owned; of a module without ":mod:" */
	regex_t		  regex;
};

struct pattern_subject {
	const char	*name;		/* whole: "sched:sched_switch", "schedule" */
	const char	*system;	/* "sched", or NULL where there are no parts */
	const char	*event;		/* "sched_switch" */
	const char	*module;	/* of a function, or NULL */
};

/* Return: 0 (end with pattern_fini()), or -1 with FT_E_USAGE for a bad regular expression. */
int pattern_init(struct pattern *pattern, const char *text, struct ft_error *err);
void pattern_fini(struct pattern *pattern);

/* A word matches a whole name or part alone. */
bool pattern_matches(const struct pattern *pattern, const struct pattern_subject *subject);

/* The second way of a word, for where the first finds nothing: it is somewhere in the name, in any case. */
bool pattern_is_part_of(const struct pattern *pattern, const struct pattern_subject *subject);
#endif
