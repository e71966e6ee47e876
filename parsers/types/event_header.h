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
#include <string.h>
#include "parsers/types/event_types.h"
#include "src/base/text.h"

/* In filters and lists: "eventheader.count" is the field that a record describes as "count". */
#define EVENT_HEADER_PREFIX	"eventheader."

struct event_header_value {		/* valid while it is taken */
	const char	*name;		/* untrusted, [len]; "place.x" is a member of "place" */
	size_t		 len;
	const char	*type;		/* "u32", "string", "struct", "array" */
	const char	*text;		/* untrusted, NUL-ended; of a structure "{x=1 y=2}", of an
					 * array "[1 2]" */
	size_t		 text_len;
	bool		 is_inner;	/* a member or an element, given before the whole of its
					 * structure or array, and with the array's name */
	bool		 is_decimal;	/* the text is a decimal integer */
	bool		 has_number;
	long double	 number;	/* exact where long double has 64 bits */
};

typedef void (*event_header_take)(void *arg, const struct event_header_value *value);

/* The name after the prefix; NULL: it does not begin with that. */
static inline const char *event_header_name(const char *name)
{
	const size_t len = sizeof(EVENT_HEADER_PREFIX) - 1;

	return strncmp(name, EVENT_HEADER_PREFIX, len) ? NULL : name + len;
}

/* Does the type have the header's fields? */
bool event_header_is(const struct event_type *type);

/*
 * Take the event's name, as "event_name", then the ids of its activity, if it has some, then its
 * fields, in their order.
 *
 * Return: 1; 0: the record does not describe its fields; -1: its end is missing or invalid, or the
 * texts would be longer than RECORD_TEXT_BYTES (the last one ends in …), and what was taken comes
 * before that.
 */
int event_header_read(const struct event_type *type, const uint8_t *data, uint32_t size,
		      event_header_take take, void *arg);

/* The value with a name, in *out; the first, if several have it.  False: the record has none. */
bool event_header_find(const struct event_type *type, const uint8_t *data, uint32_t size,
		       const char *name, struct text *out);

/*
 * Append "NAME: field=value field=value", printable; … marks that the rest is missing.  False:
 * nothing.
 */
bool event_header_text(const struct event_type *type, const uint8_t *data, uint32_t size,
		       struct text *out);
#endif
