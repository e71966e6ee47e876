/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_GOTO_H
#define FTOP_UI_ROWS_GOTO_H
/*
 * goto - parses what is typed after ":": a place or a command.
 *
 *	12.345678   +1ms   -20us   50%   #1000   'c   @14:03:22.5   … cpu3   … pid80
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"

enum goto_kind {
	GOTO_NOTHING,			/* an empty line */
	GOTO_TIME,			/* value: ns from the clock's zero, or counts */
	GOTO_DELTA,			/* value: ns or counts from here */
	GOTO_PERCENT,			/* value: millionths of the rows */
	GOTO_ROW,			/* value: row, from 1 */
	GOTO_MARK,			/* letter */
	GOTO_WALL,			/* value: ns since midnight, or
					   since the epoch where has_date */
	GOTO_HERE,			/* only cpu is set: the next row of that CPU */
	GOTO_COMMAND,			/* command */
};

struct goto_place {
	enum goto_kind	 kind;
	int64_t		 value;
	bool		 has_date;
	bool		 rounded;	/* TIME, WALL: to µs, as the screen shows them */
	char		 letter;
	int		 cpu, pid;	/* -1: any */
	const char	*command;	/* within the text given */
};

/**
 * goto_parse() - read a line
 * @counts: the clock has no unit: times are raw numbers
 *
 * Return: 0, or -1 with FT_E_USAGE, err->offset the byte in @text.
 */
int goto_parse(const char *text, bool counts, struct goto_place *place, struct ft_error *err);

/* A duration such as "20us" "1.5ms" "300" (ns); -1 with the offset. */
int goto_parse_duration(const char *text, int64_t *ns, struct ft_error *err);
#endif
