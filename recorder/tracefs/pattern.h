/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_PATTERN_H
#define FTOP_RECORDER_TRACEFS_PATTERN_H
/*
 * pattern - the patterns by which a user names events, functions, options and the like.
 *
 *   sched_switch      that name; if there is none, all names that contain it, ignoring case
 *   sched:*  *read?   a glob for the whole name
 *   '^tcp_.*ack$'     a regular expression (extended, any case), as in trace-cmd list:
 *                     text with one of ^ $ \ | ( ) + { or a dot before * + ?
 *   :mod:ext4         the functions of a module
 *
 * An event matches by "system:name" (or system/name), by its system, or by its name.
 */
#include <regex.h>
#include <stdbool.h>
#include "src/base/error.h"

enum pattern_kind { PATTERN_WORD, PATTERN_GLOB, PATTERN_REGEX, PATTERN_MODULE };

struct pattern {
	enum pattern_kind kind;
	char		 *text;		/* owned; for a module, without ":mod:" */
	regex_t		  regex;
};

struct pattern_subject {
	const char	*name;		/* whole: "sched:sched_switch", "schedule" */
	const char	*system;	/* "sched", or NULL if the name has no system */
	const char	*event;		/* "sched_switch" */
	const char	*module;	/* the function's module, or NULL */
};

/*
 * Return: 0, or -1 with FT_E_USAGE for an invalid regular expression.  Call pattern_fini() after
 * success.
 */
int pattern_init(struct pattern *pattern, const char *text, struct ft_error *err);
void pattern_fini(struct pattern *pattern);

/* A plain word must match a whole name or part. */
bool pattern_matches(const struct pattern *pattern, const struct pattern_subject *subject);

/* For plain words that match nothing: is the word anywhere in the name, ignoring case? */
bool pattern_is_part_of(const struct pattern *pattern, const struct pattern_subject *subject);
#endif
