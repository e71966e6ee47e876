/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_WIRE_H
#define FTOP_PARSERS_CTF_CTF_WIRE_H
/*
 * ctf_wire - what the helper tells ctf_source.c.  It gets struct ctf_ask with the descriptor of the
 * folder, and answers with messages, each a struct ctf_head and its bytes, the last one CTF_END.
 * Records come nearly in the order of time.  What is told may be hostile.
 *
 * A library that only waits for a slow disk says CTF_ALIVE.  One that computes without an end is
 * ended by its own limit of processor time, which other work on the machine does not use up.
 */
#include <stdint.h>

#define CTF_MAX_BYTES	(1u << 20)	/* most bytes of a message */
#define CTF_MAX_RECORD	(32u << 10)	/* most bytes of a record, a multiple of 4 */
#define CTF_MAX_HOSTS	256u
#define CTF_SECONDS	8		/* of processor time, at most, until something is told */
#define CTF_ALIVE_MS	1000		/* between two signs of life */

#define CTF_MOST_LEFT_OUT 3u
#define CTF_NO_TRACE	UINT32_MAX

/* Traces of the folder that killed a helper before, by their numbers: they are left out. */
struct ctf_ask {
	uint32_t	nr, left_out[CTF_MOST_LEFT_OUT];
};

enum ctf_kind {
	CTF_HOST = 1,	/* .host: its name */
	CTF_UNAME, CTF_WRITER, CTF_CLOCK,	/* texts of struct source_info */
	CTF_WALL,	/* .ts: ns since the epoch at the raw stamp 0 */
	CTF_SIZE,	/* .ts: bytes of all files */
	CTF_DONE,	/* .ts: about as many of them are read */
	CTF_ALIVE,	/* nothing new, but it is at work */
	CTF_AT,		/* .id: the trace that is looked at, or CTF_NO_TRACE; its name */
	CTF_FORMAT,	/* .id: its event type; .cpu: bits of enum source_format_lacks;
			 * "SYSTEM\nOWN NAME\n", and a format as the kernel has them */
	CTF_RECORD,	/* .host, .cpu, .ts; the payload of a record */
	CTF_LOST,	/* .host, .cpu, .ts; .id: lost events, 0: number unknown */
	CTF_TASK,	/* .id: its pid; .cpu: its process, 0: unknown; .ts: from when on; name */
	CTF_WARNING,	/* what is missing */
	CTF_FAILED,	/* nothing can be read, and why */
	CTF_END,	/* all was told */
};

struct ctf_head {
	uint32_t	bytes;		/* that follow, at most CTF_MAX_BYTES */
	uint16_t	kind;
	uint16_t	host;
	uint32_t	cpu, id;
	uint64_t	ts;		/* raw stamp, ns */
};
#endif
