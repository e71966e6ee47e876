/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_ASK_LIST_H
#define FTOP_RECORDER_ASK_LIST_H
/*
 * list - reads what this kernel offers: events, tracers, functions, options, clocks, monitors of
 * runtime verification, and the existing instances.  Only reads.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/tracefs/kernel_facts.h"
#include "recorder/journal/leftover.h"
#include "recorder/tracefs/tracefs_dir.h"

enum list_kind {
	LIST_TRACER,
	LIST_EVENT,
	LIST_SYSTEM,
	LIST_FUNCTION,
	LIST_OPTION,
	LIST_CLOCK,
	LIST_INSTANCE,
	LIST_MEASURE,		/* a key of record --measure */
	LIST_MONITOR,
	LIST_NR
};

enum list_owner {		/* who made an instance: see leftover.h */
	LIST_OTHER, LIST_OURS, LIST_STALE,
	LIST_REMOTE,		/* firmware or a hypervisor, whose buffer it is: "remotes/NAME" */
};

struct list_field {
	char		*name, *type;	/* owned: "prev_comm", "char[16]" */
	unsigned int	 offset, size;	/* bytes in the record */
	bool		 is_signed, is_common;
};

struct list_item {
	enum list_kind	 kind;
	char		*name;		/* owned: "sched:sched_switch", "nop", "schedule" */
	char		*module;	/* owned: a function's module, or NULL */
	char		*about;		/* owned: what a monitor verifies, or NULL */
	bool		 is_set;	/* an event, option or monitor that is on, the tracer or
					 * clock in use */
	enum list_owner	 owner;		/* who made it, if it is an instance */
	unsigned int	 nr_events;	/* events in it, if it is a system */
	const char	*tracers;	/* of a LIST_MEASURE; borrowed */
	char		*value;		/* owned: of a LIST_MEASURE, what is set; NULL = nothing
					 * that can be read */
	const char	*since;		/* borrowed: this kernel lacks it; NULL = it has it */
	bool		 chosen;	/* matches a pattern, or there are none */
	/* Only for events, and only with details. */
	bool		 has_details;
	int		 id;
	struct list_field *fields;	/* owned, and so are their strings */
	unsigned int	 nr_fields, cap_fields;
	char		*print_fmt, *filter, *triggers;	/* owned; "" if none is set; one trigger
							 * per line */
};

struct list {
	struct list_item *items;	/* owned */
	unsigned int	  nr, cap;
};

struct list_query {
	bool			 kinds[LIST_NR];
	const char		*const *patterns;	/* an item is chosen if any matches; with
							 * none, all are chosen */
	unsigned int		 nr_patterns;
	const char		*instance;	/* whose settings to read; NULL = the top one's */
	bool			 details;	/* read format, filter and triggers of each
						 * chosen event */
	bool			 optional;	/* do not fail if functions cannot be read, or if
						 * the kernel has no monitors */
};

/**
 * list_read() - collect the items, and choose by the patterns
 * @missing: receives a line for each pattern that matches nothing, with the nearest name
 *
 * Reads one file per kind, and three more for each chosen event with details.
 * Return: 0, or -1 with FT_E_IO and why a file cannot be read, or FT_E_USAGE for a bad pattern.
 * After a failure the list still has what could be read; call list_fini() in both cases.
 */
int list_read(struct list *list, const struct tracefs_dir *dir, const struct kernel_facts *facts,
	      const struct leftover_places *places, const struct list_query *query,
	      struct text *missing, struct ft_error *err);
void list_fini(struct list *list);

const char *list_kind_name(enum list_kind kind);	/* "event" */

#endif
