/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_KINDS_H
#define FTOP_SRC_LATENCY_LATENCY_KINDS_H
/*
 * latency_kinds - what is measured: one small language for the kinds that the program knows and for
 * the user's pairs of events.  A line is a rule:
 *
 *	NAME START [FILTER] [->] END [FILTER] [|END [FILTER]…] by KEY,KEY… [WORD…]
 *
 * START, END: event, or system:event; a * stands for the same text in both; if only START has one,
 * END is that of any of them.  Events with a * that lack a field of KEY are left out.  Of several
 * ENDs with | between them, the first one that comes counts.  marker:B is a line of trace_marker
 * that begins with B (trace_marker.h), which has its own key.  [FILTER]: in brackets, an expression
 * of the filter language: only records that match.  KEY: cpu, pid, none, * (the text that the *
 * stands for), a field of both, or START_FIELD=END_FIELD; FIELD?: one that the events may lack.
 * WORDs:
 *
 *	nested		starts with the same key form a stack; without it the last one counts
 *	first		the first start counts until its end
 *	queue		of starts with the same key, the first one ends first: which end is whose
 *			is a guess while there are several
 *	alone		one is open at a time, whatever the fields and the * are: another start
 *			replaces it, and the end of another one shows that its own is missing
 *	or		this rule replaces the kind's rules above it if it finds more than twice
 *			as many instances
 *	unmatched	starts without an end are not open: they are counted apart
 *	late A B	the duration is field A of the end less field B of the start, in ns; the
 *			instance ends at the record of its end
 *	jiffies		the same, in jiffies
 *	within FIELD	the last key is where a range begins that is FIELD long, of start and end
 *			(1: a start without the field).  A start has ended when all of its range
 *			has.  An END after a | ends all of a start, if it ends where that ends or
 *			begins where that begins.  Several are a queue.  A label is the rwbs of a
 *			request: see below.  Keys with a label are less than 2^48
 *	again EVENT WORD  after this event, the next start that has the same keys, or more, is
 *			none: the one that is open goes on, and WORD is said of it.  Of several
 *			that are merged so, the oldest goes on.  They are a queue
 *	label FIELD	what instances are grouped by: a field of the start; with a *, a string,
 *			and the * as well
 *	value FIELD	a number of the end that the instance keeps
 *	task FIELD	instances, and the key pid, are of the task in this field of start and end,
 *			not of the one that ran
 *	lock		the start is a wait for a lock (src/trace/lock_wait.h): instances have a
 *			lock, which is what they are grouped by, and a holder
 *	silent		start and end are the same event, the tick of a CPU: see below
 *	what "TEXT"	the text of an instance; {f} is field f of the start, {>f} one of the end,
 *			{*} what the * stands for.  {f} without such a field: what is after "f=" or
 *			"f " in the record's text; {f:WORD}: then WORD
 *	and "TEXT"	more text, by which instances are not grouped
 *
 *	unless EVENT [FILTER]
 *			what is open when this event comes is no instance; may be there several
 *			times; events and fields that a trace lacks do not matter
 *
 * A FILTER that begins with ? keeps all records of a trace in which it cannot be asked, since a
 * field is missing.
 *
 * Several rules may have one name: they are of one kind.
 *
 * within, with a label: only what does the same (R, W, D, …) ends a start.  A start without a
 * length is a flush: it ends with an end that has no length and whose label equals the start's,
 * apart from any F.  If the end of a range lacks an F that its start has, a flush follows: then the
 * start ends with the next end that has no length.  The end of a discard has the first key and the
 * number of keys of several ranges (latency_ranges.c).
 *
 * silent: an instance is a time in which a busy CPU recorded nothing although its tick was due.
 *
 *	tick t0    last record a                                   b, in the interrupt of tick t1
 *	|  records |---------------- nothing is recorded ----------||
 *	|----- PERIOD -----|---------------- the instance -----------|
 *	                  due
 *
 * It is one if t1 - due >= PERIOD, a <= due, b and all records from it to t1 are of hard
 * interrupts, and from t0 to t1 the CPU ran tasks, by its switches: neither the idle task, nor one
 * that is not known, and no record is lost or switch missing there.  PERIOD is 1 s / HZ for the
 * lowest HZ of 100, 250, 300 and 1000 to which 24 of the intervals between ticks of busy CPUs so
 * far, and a tenth of all, come within 8 %; until then there are no instances.  Nor are there any
 * if the machine is known not to be a virtual one.
 *
 * No switch is in the silence, so the task at due is that of t1, whose records are not filtered
 * out: the tick that was due did not come.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/memory.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

#define LATENCY_MOST_KEYS	4u
#define LATENCY_MOST_RULES	256u

/* Kinds that no rule describes: they come from the states of tasks, and from calls. */
enum { LATENCY_CALL, LATENCY_WAKEUP, LATENCY_PREEMPTED, LATENCY_BLOCKED, LATENCY_SLEEP,
       LATENCY_OWN_KINDS };

struct latency_rule {
	unsigned int	kind;		/* its number */
	const char	*from;		/* latency_kinds.from when it was added */
	bool		must_fit;	/* it is an error if the trace lacks its events or fields */
	struct latency_event {
		const char *system, *name;	/* system: NULL = any */
		const char *filter;	/* NULL = all */
		const struct latency_event *other;	/* this one instead, of an end; NULL = no
							 * other */
	}		ends[2];	/* start, end */
	bool		by_cpu, by_pid, by_star;
	unsigned int	nr_keys;
	const char	*keys[LATENCY_MOST_KEYS][2];
	unsigned int	may_lack;	/* bits of keys */
	bool		nested, first, queue, alone, otherwise, jiffies, unmatched, locks, silent;
	bool		irqs_off, preempt_off;	/* what is so while it is open */
	struct latency_event again;	/* name: NULL = none */
	const char	*again_word;
	const char	*late[2];	/* fields whose difference is the duration: the end's, the
					 * start's; NULL: a span of time */
	const char	*within, *label, *value, *task;	/* NULL = none */
	const struct latency_event *unless;	/* a list by `other`; NULL = none */
	const char	*what, *more;	/* NULL = nothing */
};

struct latency_kinds {
	struct arena	arena;		/* strings */
	const char	**names;	/* owned, [nr] */
	unsigned int	nr, cap;
	unsigned int	nr_known;	/* the first ones are the program's, not the user's */
	struct latency_rule *rules;	/* owned, [nr_rules]; the first ones are those of the kinds
					 * that no rule describes: they have no events */
	unsigned int	nr_rules, cap_rules;
	const char	*from;		/* the file of the rules that are added next; NULL: none */
	bool		is_complete;	/* has all that is known: lines now need new names */
};

void latency_kinds_init(struct latency_kinds *kinds);	/* with the program's own kinds */
void latency_kinds_fini(struct latency_kinds *kinds);
/* Check a user's line: for known_checks.pair in known_events.h. */
int latency_kinds_check(const char *line, struct ft_error *err);

/*
 * Add a user's pair.  -1 with FT_E_USAGE, which says where the line is wrong.  @must_fit: it is an
 * error if the trace lacks its events or fields.
 */
int latency_kinds_add(struct latency_kinds *kinds, const char *line, bool must_fit,
		      struct ft_error *err);

#define LATENCY_PAIRS_BYTES	(64u << 10)	/* most bytes of the file of pairs */

/*
 * Add the pairs of a file, one a line ("pair NAME …"; # begins a comment), as far as a trace has
 * them.  @path: NULL, or a file that need not exist.  @contents: empty; receives them.  -1 with
 * the first mistake, which costs its line only.
 */
int latency_kinds_read(struct latency_kinds *kinds, const char *path, struct text *contents,
		       struct ft_error *err);
/* Add the pairs in the contents of a file with this name. */
int latency_kinds_read_text(struct latency_kinds *kinds, const char *lines, const char *name,
			    struct ft_error *err);

/* Add the hooks that trace-cmd record -H left in a file, as far as they fit it. */
void latency_kinds_hooks(struct latency_kinds *kinds, const struct trace *trace, unsigned int file);

/*
 * Append the rule that a hook of trace-cmd record -H stands for: "START,FIELD[,PID]/END,FIELD[,
 * FLAGS]".  -1 with FT_E_USAGE.
 */
int latency_kinds_hook(const char *hook, struct text *line, struct ft_error *err);

/* Are its instances waits for locks? */
bool latency_kinds_is_of_locks(const struct latency_kinds *kinds, int kind);

/* Are they silences whose cause is inferred? */
bool latency_kinds_is_silent(const struct latency_kinds *kinds, int kind);

/* The number of a kind, or -1 with FT_E_USAGE, which lists the names. */
int latency_kinds_find(const struct latency_kinds *kinds, const char *name, struct ft_error *err);

/* An address that %p printed as (____ptrval____) or (ptrval) is 0 here: it is not known. */
bool latency_rule_hides(const char *field, size_t len, uint64_t value);
#endif
