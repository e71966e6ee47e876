/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_TYPES_PRIVATE_H
#define FTOP_PARSERS_CTF_CTF_TYPES_PRIVATE_H
/* ctf_types_private - where a value goes in a record, between ctf_types.c and ctf_record.c. */
#include "parsers/ctf/ctf_types.h"

#define CTF_COMM_BYTES	16u		/* of a task's name */

struct ctf_slot {
	enum {
		SLOT_NUMBER,
		SLOT_COMM,		/* a name of a task */
		SLOT_STRING,
		SLOT_TEXT,		/* what babeltrace2 prints */
		SLOT_PROCNAME, SLOT_VPID,	/* of the environment */
		SLOT_NOT,		/* there is no room for it */
	}		 kind;
	uint16_t	 at;
	uint8_t		 size;		/* of a number */
	int16_t		 more;		/* is added to a number */
};

static inline const bt_trace *ctf_trace_of(const bt_event *event)
{
	return bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event));
}

/* A value of a trace's environment; NULL: it has none. */
static inline const bt_value *ctf_environment(const bt_trace *trace, const char *name)
{
	return bt_trace_borrow_environment_entry_value_by_name_const(trace, name);
}
#endif
