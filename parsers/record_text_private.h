/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_RECORD_TEXT_PRIVATE_H
#define FTOP_PARSERS_RECORD_TEXT_PRIVATE_H
/*
 * record_text_private - what the handlers of single events get (plugin_text*.c,
 * kernel_text*.c), and what programs are run with.
 */
#include "parsers/graph_text.h"
#include "parsers/record_text.h"

/* What is the same for all records of a file.  Immutable. */
struct text_context {
	const struct trace_file	*file;
	struct event_types	*types;
	const struct kallsyms	*syms;
	const struct record_text_options *options;
	const struct graph_text	*graph;
	enum text_style		 style;		/* of this call */
	bool			 swap;		/* the trace is of the other byte order than this machine */
	bool			 big_endian;	/* the trace is */
	int			 long_size;	/* of the kernel */
	int			 user_long_size; /* of the file's header: what libtraceevent takes for the kernel's */
	struct record_text_state *state;	/* of this call; NULL: the record stands by itself */
};
#endif
