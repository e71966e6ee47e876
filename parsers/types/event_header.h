/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_EVENT_HEADER_H
#define FTOP_PARSERS_TYPES_EVENT_HEADER_H
/*
 * event_header - records that name their own fields: user_events with an EventHeader.
 *
 * A few tracepoints, PROVIDER_LxKx, carry all events of a provider.  Behind the fields of the
 * tracepoint's format, which are the header, come extensions; one has the event's name, and names
 * and types of its fields.  Then come their values:
 *
 *   u8 flags   u8 version   u16 id   u16 tag   u8 opcode   u8 level
 *   u16 size   u16 kind     size bytes: "name\0" { "field\0" u8 encoding [u8 format] … }
 *   values, without padding
 *
 * Numbers have the byte order that the flags say.
 * Source: eventheader.h of microsoft/LinuxTracepoints.
 */
#include "parsers/types/event_types.h"
#include "src/base/text.h"

struct event_header_value {		/* valid while it is taken */
	const char	*name;		/* untrusted, [len] */
	size_t		 len;
	const char	*type;		/* "u32", "string", "struct", "array" */
	const char	*text;		/* untrusted; of a structure "{x=1 y=2}", of an array "[1 2]" */
	size_t		 text_len;
	bool		 is_number;	/* the text is a decimal integer */
};

typedef void (*event_header_take)(void *arg, const struct event_header_value *value);

/* Does the type have the header's fields? */
bool event_header_is(const struct event_type *type);

/*
 * Take the event's name, as "event_name", then the ids of its activity, if it has some, then its
 * fields, in their order.
 *
 * Return: 1; 0: the record does not describe its fields; -1: its end is missing or invalid, and
 * what was taken comes before that.
 */
int event_header_read(const struct event_type *type, const uint8_t *data, uint32_t size,
		      event_header_take take, void *arg);

/*
 * Append "NAME: field=value field=value", printable; … marks that the rest is missing.  False:
 * nothing.
 */
bool event_header_text(const struct event_type *type, const uint8_t *data, uint32_t size,
		       struct text *out);
#endif
