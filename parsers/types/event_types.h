/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_EVENT_TYPES_H
#define FTOP_PARSERS_TYPES_EVENT_TYPES_H
/*
 * event_types - the event types of a file: name, id and fields.  A type is parsed from its format
 * file when its id is first looked up, and does not change afterwards.
 *
 * This is our own table for bulk work: for any thread, look-ups take no lock, and it does not use
 * libtraceevent.  The printer makes the text of records (printer.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/source/sub_buffer.h"
#include "parsers/source/source.h"

enum field_kind {
	FIELD_UINT,			/* unsigned integer of 1, 2, 4 or 8 bytes */
	FIELD_SINT,			/* signed integer of 1, 2, 4 or 8 bytes */
	FIELD_POINTER,			/* address: a pointer type, or an unsigned long that the
					 * print format shows as an address */
	FIELD_STRING,			/* char[n], NUL-ended or full */
	FIELD_ARRAY,			/* n numbers of element_size bytes;
					   size 0 = to the end of the record */
	FIELD_DYNAMIC_STRING,		/* __data_loc char[] or __rel_loc char[] */
	FIELD_DYNAMIC_ARRAY,		/* __data_loc T[] or __rel_loc T[] */
	FIELD_BITMASK,			/* __data_loc cpumask_t, unsigned
					   long[]: a set of numbers */
	FIELD_OPAQUE,			/* a struct or a number of an odd size: bytes */
};

struct event_field {
	const char	*name;
	const char	*type;		/* as written in the format: "pid_t", "__data_loc
					 * char[]", "char[16]" */
	uint16_t	 offset;	/* bytes from the start of the payload */
	uint16_t	 size;		/* bytes; 4 for the location word of a dynamic field */
	uint16_t	 element_size;	/* bytes of one element of arrays and strings, else size */
	enum field_kind	 kind;
	bool		 is_signed;	/* a number, or an array's elements, have a sign */
	bool		 is_dynamic;	/* __data_loc or __rel_loc: `offset` is the location
					 * word's */
	bool		 is_relative;	/* __rel_loc: the offset counts from the end of the
					 * location word */
	bool		 is_common;	/* common_type … */
};

static inline bool event_field_is_number(const struct event_field *field)
{
	return field->kind == FIELD_UINT || field->kind == FIELD_SINT ||
	       field->kind == FIELD_POINTER;
}

struct event_type {
	int			 id;
	const char		*system;	/* "sched" */
	const char		*name;		/* "sched_switch" */
	const char		*print_fmt;	/* text after "print fmt: ", borrowed; "" if none */
	unsigned int		 nr_fields;	/* common ones first */
	unsigned int		 nr_common;
	const struct event_field *fields;	/* [nr_fields], in the format's order */
	unsigned int		 size;		/* bytes of the fixed fields */
	const struct source_format *format;	/* its text */
};

/* @what: bits of enum source_format_lacks.  @type: or NULL. */
static inline bool event_type_lacks(const struct event_type *type, unsigned int what)
{
	return type && type->format->lacks & what;
}

struct event_types;			/* opaque */

/* @file is borrowed and must outlive the result.  Parses one format, for the common fields. */
struct event_types *event_types_new(const struct source *file);
void event_types_free(struct event_types *types);	/* NULL is allowed */

/*
 * The type with this id, parsed on first use; NULL if the file has no (valid) format for it. Any
 * thread. Records of the blk tracer have no format in tracefs: they get the type that trace-cmd
 * assigns to them.
 */
const struct event_type *event_types_find(struct event_types *types, int id);

/*
 * The type with this name, and this system if it is not NULL; parsed on first use.  With a system,
 * it may have the name that another tool has for the event (src/events/known).  NULL if there is
 * none.
 */
const struct event_type *event_types_by_name(struct event_types *types, const char *system,
					     const char *name);

/*
 * The type of the blk tracer's records, which no format of the file describes; NULL if there is
 * none.
 */
const struct event_type *event_types_blk(struct event_types *types);

/* NULL: the usual layout. */
const struct common_layout *event_types_common(const struct event_types *types);
/* or NULL */
const struct event_field *event_type_field(const struct event_type *type, const char *name);
/*
 * @name: "sched_switch", "sched:sched_switch", "sched/sched_switch"; the event may be a glob:
 * "sched:*", "sched_w*".  It may be the kernel's name of an event of another tool.
 */
bool event_type_is(const struct event_type *type, const char *name);
/* Does a sched_switch tell who leaves and who comes? */
bool event_type_tells_switch(const struct event_type *type);
#endif
