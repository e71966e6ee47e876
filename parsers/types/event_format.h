/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_EVENT_FORMAT_H
#define FTOP_PARSERS_TYPES_EVENT_FORMAT_H
/*
 * event_format - parses one format file of tracefs into an event type.
 *
 * 	name: sched_switch
 * 	ID: 314
 * 	format:
 * 		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 * 		...
 *
 * 		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *
 * 	print fmt: "prev_comm=%s", REC->prev_comm
 *
 * Understands types as the kernel's macros write them, as far as needed to read values.  The print
 * format is only used to find out which numbers are addresses and which arrays are bitmasks.
 */
#include "parsers/types/event_types.h"
#include "src/base/memory.h"

/**
 * event_format_parse() - parse one format text
 * @arena:     owns the type, its fields and its strings
 * @format:    text with its length, and system; kept as type->format
 * @long_size: of the kernel: 4 or 8
 *
 * Return: the type; NULL if the text has no name, no id, or a malformed field or one whose numbers
 * are out of range.
 */
struct event_type *event_format_parse(struct arena *arena, const struct source_format *format,
				      int long_size);
#endif
