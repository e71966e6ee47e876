/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_LIST_H
#define FTOP_RECORDER_LIST_H
/*
 * list - what this kernel offers: events, tracers, functions, options, clocks,
 * and the instances there are.  Reads; changes nothing.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/tracefs/kernel_facts.h"
#include "recorder/journal/leftover.h"
#include "recorder/tracefs/tracefs_dir.h"

enum list_kind { LIST_TRACER, LIST_EVENT, LIST_SYSTEM, LIST_FUNCTION, LIST_OPTION, LIST_CLOCK, LIST_INSTANCE, LIST_NR };

enum list_owner { LIST_OTHER, LIST_OURS, LIST_STALE };	/* of an instance: see leftover.h */

struct list_field {
	char		*name, *type;	/* owned: "prev_comm", "char[16]" */
	unsigned int	 offset, size;	/* bytes in the record */
	bool		 is_signed, is_common;
};

struct list_item {
	enum list_kind	 kind;
	char		*name;		/* owned: "sched:sched_switch", "nop", "schedule" */
	char		*module;	/* owned: of a function, or NULL */
	bool		 is_set;	/* event on, option on, the tracer or clock in use */
	enum list_owner	 owner;		/* of an instance */
	unsigned int	 nr_events;	/* of a system */
	bool		 chosen;	/* by a pattern, or as there is none */
	/* Of events, where details were asked for. */
	bool		 has_details;
	int		 id;
	struct list_field *fields;	/* owned, each of them too */
	unsigned int	 nr_fields, cap_fields;
	char		*print_fmt, *filter, *triggers;	/* owned; "" if none is set; triggers: a line each */
};

struct list {
	struct list_item *items;	/* owned */
	unsigned int	  nr, cap;
};

struct list_query {
	bool			 kinds[LIST_NR];
	const char		*const *patterns;	/* any may match; none: all are chosen */
	unsigned int		 nr_patterns;
	const char		*instance;	/* whose settings, NULL: the top one's */
	bool			 details;	/* format, filter and triggers of each chosen event */
	bool			 optional_functions;	/* not asked for by name: it is no failure that they cannot be read */
};

/**
 * list_read() - collect, and choose by the patterns
 * @missing: receives a line for each pattern that matches nothing, with the nearest name
 *
 * Costs a read of each kind's file, and three for each chosen event with details.
 * Return: 0, or -1 with FT_E_IO and why the file cannot be read, FT_E_USAGE for a bad pattern; end with list_fini() in
 * both cases.  What could be read is there in both cases.
 */
int list_read(struct list *list, const struct tracefs_dir *dir, const struct kernel_facts *facts,
	      const struct leftover_places *places, const struct list_query *query, struct text *missing, struct ft_error *err);
void list_fini(struct list *list);

const char *list_kind_name(enum list_kind kind);	/* "event" */

/**
 * list_format() - take the text of an event's format file apart
 * @item: receives id, fields and print_fmt; what is not a line of a format is passed over
 */
void list_format(struct list_item *item, const char *text);
#endif
