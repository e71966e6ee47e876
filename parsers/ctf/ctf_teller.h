/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_TELLER_H
#define FTOP_PARSERS_CTF_CTF_TELLER_H
/*
 * ctf_teller - messages of the graph become those of ctf_wire.h.  Knows which task runs on each
 * CPU, since LTTng's records of the kernel do not have it.
 */
#include <babeltrace2/babeltrace.h>
#include "parsers/ctf/ctf_types.h"

struct ctf_teller {
	int		 fd;
	bool		 is_broken;	/* the other side is gone */
	struct text	 out;		/* not sent yet */
	struct ctf_types types;
	int64_t		 base;		/* ns from the origin, of the raw stamp 0 */
	struct ctf_host	*hosts;		/* owned, [nr_hosts] */
	unsigned int	 nr_hosts, cap_hosts;
	struct text	 record;
	uint64_t	 cut;		/* records of which something was left out */
	uint64_t	 untyped;	/* events that are left out: too many event types */
};

/* One of the merged streams of messages. */
struct ctf_lane {
	unsigned int	 host, cpu;	/* of the packet that is open */
	bool		 has_cpu;	/* it tells the CPU */
};

/* From here on, signals tell the other side that this one works, and limit its time. */
void ctf_teller_init(struct ctf_teller *teller, int fd);
void ctf_teller_fini(struct ctf_teller *teller);

/*
 * A stream of a trace begins, the first ones before any event: hosts, and the clock.  @earliest: of
 * all times, in ns from the origin.
 */
void ctf_teller_begin(struct ctf_teller *teller, const bt_stream *stream, struct ctf_lane *lane);
void ctf_teller_clock(struct ctf_teller *teller, const bt_clock_class *clock, int64_t earliest);
/* @ns: the message's time from the origin; that of the one before, if it has none. */
void ctf_teller_take(struct ctf_teller *teller, const bt_message *message, int64_t ns,
		     struct ctf_lane *lane);
void ctf_teller_text(struct ctf_teller *teller, enum ctf_kind kind, const char *text);
void ctf_teller_number(struct ctf_teller *teller, enum ctf_kind kind, uint64_t number);
/* Which trace is looked at now. */
void ctf_teller_at(struct ctf_teller *teller, uint32_t nr, const char *name);
/* All was taken: sends what is left, and CTF_END. */
void ctf_teller_end(struct ctf_teller *teller);
#endif
