/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_PRINTER_WIRE_H
#define FTOP_PARSERS_PRINTER_PRINTER_WIRE_H
/*
 * printer_wire - what a printer and its helper say to each other: messages through a socket.  Each
 * is a head and its bytes.
 *
 *   printer_library.c   asks; one question at a time
 *   printer_helper.c    the other process: libtraceevent; it may ask for symbols before it answers
 */
#include <stdint.h>

#include "src/base/framing.h"
#include "src/base/text.h"

enum wire_what {
	WIRE_BEGIN,		/* flags; bytes: the plugins' options, each with its NUL.  Answer:
				 * flags; bytes: the plugins' folder, or none */
	WIRE_CMDLINES,		/* bytes: the file's text; WIRE_PRINTK the same */
	WIRE_PRINTK,
	WIRE_ADDRESS,		/* number; bytes: the symbol that is there */
	WIRE_FORMAT,		/* id; bytes: system, NUL, format.  Answer: flags */
	WIRE_TEXT,		/* all below; bytes: NUL, record.  Answer: bytes: its text */
	WIRE_TEXTS,		/* bytes: for each record, the head and the bytes of a WIRE_TEXT.
				 * Answer: for each, the length of its text in 32 bits, the text */
	WIRE_FIELD,		/* bytes: name of a field, NUL, record.  Answer: flags, bytes */
	WIRE_COMM,		/* id: a pid.  Answer: bytes: its name */
	/* from the helper */
	WIRE_ANSWER,
	WIRE_SYMBOL,		/* number: an address.  Answer: flags; number: where it begins;
				 * bytes: name, NUL, module */
};

enum wire_flags {
	WIRE_BIG_ENDIAN = 1 << 0,	/* to the helper: about the trace, and options */
	WIRE_LONG_IS_4 = 1 << 1,
	WIRE_NO_PLUGINS = 1 << 2,
	WIRE_NO_SYSTEM_PLUGINS = 1 << 3,
	WIRE_ERA_34 = 1 << 4,
	WIRE_NO_HANDLER = 1 << 5,	/* about a record: print it by its print format */
	WIRE_SORT_NAMES = 1 << 6,	/* look a name up first */
	WIRE_KNOWN = 1 << 7,		/* answers: it is there */
	WIRE_IS_OWN = 1 << 8,		/* an event that our own graph_text prints */
	WIRE_IS_USERS = 1 << 9,		/* one that the user's plugin prints */
	WIRE_TAILPRINT = 1 << 10,	/* options of our own graph_text */
	WIRE_DEPTH = 1 << 11,
};

struct wire {
	uint32_t	what;		/* enum wire_what */
	uint32_t	bytes;		/* how many follow */
	uint32_t	flags;		/* enum wire_flags */
	int32_t		id;		/* id of an event type */
	int32_t		cpu;
	uint32_t	size;		/* bytes of the record; some behind it follow as well */
	uint32_t	style;		/* enum print_style */
	uint32_t	time;		/* enum print_time */
	uint64_t	number;		/* an address; the record's time */
};

#define WIRE_MAX_QUESTION	(64u << 20)	/* bytes of one */
#define WIRE_MAX_ANSWER		(8u << 20)

/*
 * Send @wire and its bytes; receive a message, which has at most @max bytes.  Return: 0, or -1 if
 * the other side is gone or is not ready at the time @until.
 */
int wire_send(int fd, const struct wire *wire, const void *bytes, int64_t until);
int wire_receive(int fd, struct wire *wire, struct text *bytes, uint32_t max, int64_t until);

/* A copy of @name that lasts until wire_forget(), shared by equal names.  @names: NULL at first. */
const char *wire_keep(void **names, const char *name);
void wire_forget(void **names);
#endif
