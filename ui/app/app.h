/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_APP_H
#define FTOP_UI_APP_APP_H
/*
 * app - the screen: one loop that waits for keys, signals and workers, draws, and
 * does searches in slices of a few ms.  It never waits for anything else.
 */
#include <stdbool.h>
#include "src/base/error.h"
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
	const char	*demo;		/* path of the sample trace for the
					   start screen, NULL: not installed */
	bool		 tour;		/* begin with the tour: the trace is the demo */
	const char	*notice;	/* for :messages; NULL: none */
	const char	*mistake;	/* in the user's files, shown first; NULL: none */
	const struct trace_options *trace_options;	/* for traces opened from the
							   screen; may be NULL */
};

/**
 * app_run() - browse
 * @trace:   owned from here on; NULL: the start screen, which opens one
 *
 * Return: 0 when the user quits, -1 if the screen could not be set up.  Ends the process by the
 * signal itself on SIGTERM and SIGHUP, after the terminal is restored.
 */
int app_run(struct trace *trace, const struct app_options *options, struct ft_error *err);
#endif
