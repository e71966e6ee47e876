/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_APP_OPTIONS_H
#define FTOP_UI_DESK_APP_OPTIONS_H
/* app_options - options that the screen is started with. */
#include <stdbool.h>
#include "src/base/options.h"
#include "src/trace/trace.h"

struct broker;

struct app_options {
	const char	*theme;		/* name or path; NULL: that of the
					   background, or mono without colours */
	int		 depth;		/* enum theme_depth at most; -1: what
					   the terminal can do; 0: no colours */
	bool		 ascii;
	bool		 no_mouse;
	const char	*script;	/* tests: play keys from this file, without a terminal */
	const char	*program;	/* runs list, doctor, record; NULL: found by name */
	struct broker	*broker;	/* src/sandbox/broker.h: starts programs and makes
					   files; NULL: this process does it itself */
	const struct command_def *record;	/* options of its record command;
						   NULL: there is none */
	const char	*live;		/* options of a recording that begins at once; NULL: none */
	const char	*demo;		/* path of the sample trace for the
					   start screen, NULL: not installed */
	const char	*view, *at, *filter;	/* where to begin: its title, a place as after ":",
						 * an expression; NULL: not given */
	bool		 tour;		/* begin with the tour: the trace is the demo */
	bool		 plays;		/* begin with Now, which plays the trace */
	const char	*notice;	/* message for :messages; NULL: none */
	const char	*mistake;	/* mistake in the user's files, shown first; NULL: none */
	const struct trace_options *trace_options;	/* options for traces opened from the
							   screen; may be NULL */
};
#endif
