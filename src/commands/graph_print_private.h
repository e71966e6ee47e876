/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_GRAPH_PRINT_PRIVATE_H
#define FTOP_SRC_COMMANDS_GRAPH_PRINT_PRIVATE_H
/*
 * graph_print_private - what graph_print.c (which rows) and graph_print_rows.c (what they say)
 * share.
 */
#include "src/base/index_map.h"
#include "src/calls/call_text.h"
#include "src/calls/call_tree.h"
#include "src/commands/graph_print.h"

#define GRAPH_TIME_CELLS	13
#define GRAPH_TASK_CELLS	22

struct graph_print {
	struct trace	*trace;
	unsigned int	 file;
	const struct graph_print_options *options;
	struct output	*out;
	struct graph_print_result *result;
	struct call_text *text;
	const char	*buffer;	/* name of the instance; "" = top */
	bool		 has_net;	/* its calls have net times: graph_tells_away() */
	/* what is being printed */
	const struct call_tree *tree;
	const struct call_task *task;
	int32_t		 told_pid;	/* pid in the last heading; -2: none yet */
	uint16_t	 told_stream;
	uint8_t		*shown;		/* owned, [cap_shown] by number of a call: enum shown */
	uint32_t	 cap_shown;
	uint64_t	 rows;		/* printed */
	bool		 picked;	/* the picker has restricted shown */
	trace_ref	*begun;		/* owned, [nr_begun]: entries of calls whose line was
					   printed before all in them was known; NONE: it ended */
	uint32_t	 nr_begun, cap_begun;
	uint32_t	 nr_ended;	/* how many of these have ended */
	struct index_map begun_map;	/* by entry */
	struct text	 name;
	int		 failed;
	struct ft_error	*err;
};

/* Indent a line; from some level on its number says how deep it is. */
void graph_print_indent(unsigned int level, struct text *out);
/* Append a row of CSV or an object, or a line. */
void graph_print_data(struct graph_print *p, const struct call *call, unsigned int level,
		      struct text *out);
/*
 * @brace: '{' what is in it follows, '}' it was above, ';' nothing is in it; @hidden: children that
 * are not shown.
 */
void graph_print_text(struct graph_print *p, const struct call *call, unsigned int level,
		      char brace, unsigned int hidden, struct text *out);
#endif
