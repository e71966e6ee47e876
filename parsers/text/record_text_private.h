/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_RECORD_TEXT_PRIVATE_H
#define FTOP_PARSERS_RECORD_TEXT_PRIVATE_H
/*
 * record_text_private - what the handlers of single events get (plugin_text*.c,
 * kernel_text*.c), and what programs are run with.
 */
#include "parsers/text/graph_text.h"
#include "parsers/text/record_text.h"
#include "parsers/types/report_comms.h"

/* What is the same for all records of a type in a style.  Immutable. */
struct text_context {
	const struct trace_file	*file;
	struct event_types	*types;
	const struct kallsyms	*syms;
	const struct record_text_options *options;
	const struct graph_text	*graph;
	enum text_style		 style;
	bool			 swap;		/* the trace is of the other byte order than this machine */
	bool			 big_endian;	/* the trace is */
	int			 long_size;	/* of the kernel */
	int			 user_long_size; /* of the file's header: what libtraceevent takes for the kernel's */
	const struct btf	*btf;		/* of the file, or NULL; TEXT_ERA_3_4 */
	const struct printk_formats *printk;	/* strings by address: trace_printk()'s formats */
	const struct event_field *const *f;	/* of a handler: the fields it asked for; NULL where the type has none */
};

/*
 * What records printed in order leave for the next ones.  Handlers keep what they need behind .plugin and .kernel,
 * made when first needed; the functions beside them end it.
 */
struct record_text_state {
	void	*plugin, *kernel;
	void	(*free_plugin)(void *plugin), (*free_kernel)(void *kernel);
	struct report_comms *comms;	/* names of tasks; made when first needed: record_text_learn_comm() */
	struct text_arrays {
		int		id;
		uint64_t	fields;
	} *arrays;			/* owned, [nr_arrays]: see below */
	unsigned int nr_arrays, cap_arrays;
};

/* Fields of a type, by a bit of the program's own, that libtraceevent has found to hold no text (print_run_bytes.c). */
uint64_t *record_text_state_arrays(struct record_text_state *state, int type_id);

/* Is a task's name known for good?  Then no event tells another one. */
bool record_text_knows_comm(const struct record_text_state *state, int pid);

/* A sched event tells a task's name when it is printed. */
void record_text_learn_comm(const struct text_context *c, struct record_text_state *state, int pid, const char *comm, size_t len);

/*
 * Functions that plugins of libtraceevent bring for print formats (scsi_trace_parse_cdb(p, …)).  Arguments are numbers;
 * __get_dynamic_array() gives an address in the record's bytes, which @rec bounds.
 */
struct text_function {
	const char	*name;
	unsigned int	nr_args;	/* at least 1 */
	/*
	 * Appends to @out what it prints (for %s and %p), and returns its value (for numbers: @out is NULL).
	 * NULL: formats that call it are left to libtraceevent.
	 */
	uint64_t	(*call)(const struct text_context *c, const struct print_record *rec, const uint64_t *args,
				struct text *out);
};
extern const struct text_function plugin_functions[];	/* parsers/text/plugin_text*.c; ended by .name NULL */
const struct text_function *text_function_find(const char *name);	/* or NULL */
#endif
