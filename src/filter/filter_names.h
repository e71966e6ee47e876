/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_NAMES_H
#define FTOP_SRC_FILTER_NAMES_H
/*
 * filter_names - names that a filter knows besides the fields of events: the task,
 * the CPU, the time, contexts, and what models derive.  Each is one entry of a table.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/event_types.h"
#include "src/filter/filter_program.h"
#include "src/trace/trace.h"

enum filter_name_kind {
	FILTER_NAME_COMM,		/* the task's name at that time */
	FILTER_NAME_SAVED_COMM,		/* the name that the file saved for it, as trace-cmd compares */
	FILTER_NAME_PID,
	FILTER_NAME_TGID,
	FILTER_NAME_CPU,
	FILTER_NAME_FILE,		/* of several, the one that the event is of */
	FILTER_NAME_INSTANCE,		/* name of the buffer in it; "" is the top one */
	FILTER_NAME_TIME,
	FILTER_NAME_FUNC,		/* address of the function that the event is about */
	FILTER_NAME_FLAG,		/* true or false: bits of common_flags */
	FILTER_NAME_PREEMPT,		/* depth of disabled preemption */
	FILTER_NAME_LOST,		/* rows of lost events and of damage */
	FILTER_NAME_STACK,		/* functions of a stack record */
	FILTER_NAME_VALUE,		/* a number that a model derives: value(), or one that it tells (struct filter_told) */
	FILTER_NAME_WORD,		/* takes a function behind it and is true or false: holds() */
};

struct value_seen;

/* What such a function sees of a record; any thread. */
struct filter_record {
	struct trace		*trace;
	unsigned int		 stream;
	trace_ref		 ref;
	const struct event_type	*type;
	const uint8_t		*data;
	uint32_t		 size;
	bool			 swap;
	int			 cpu;
	int64_t			 ts;
	struct value_seen	*seen;		/* value_sets.h: of the thread */
};

/* What a model tells of a record during its pass: names have their numbers in it. */
#define FILTER_TOLD_MAX	4u
struct filter_told {
	int64_t			 values[FILTER_TOLD_MAX];
	uint32_t		 known;		/* bits by number: those that the record has */
};

static inline void filter_told_set(struct filter_told *told, unsigned int number, int64_t value)
{
	told->values[number] = value;
	told->known |= 1u << number;
}

static inline bool filter_told_has(const struct filter_told *told, unsigned int number)
{
	return told->known >> number & 1;
}

struct filter_name_word {
	const char		*name;		/* ends a list: NULL */
	int64_t			 value;
};

struct filter;				/* filter.h */
struct match_item;			/* match_items.h */

struct filter_name {
	const char		*name;
	enum filter_name_kind	 kind;
	const char		*help;
	uint8_t			 bits;		/* FLAG */
	bool			 is_duration;	/* VALUE: ns, so that 1ms may be compared with it */
	bool			 (*applies)(const struct event_type *type);	/* VALUE, WORD: has such an event it? NULL: all */
	bool			 (*told_by)(const struct event_type *type);	/* VALUE, WORD: nothing matches without such events; NULL: applies */
	const char		*needs;		/* what these are: "function_graph" */
	bool			 (*value)(const struct filter_record *rec, int64_t *value);	/* false: this one has none */
	bool			 (*holds)(const struct filter_record *rec, const void *model);
	bool			 of_other;	/* VALUE: of the task that a switch leads to, or that is woken, not of the one that ran */
	bool			 of_leaving;	/* VALUE: at a switch, of the task that leaves alone; at a wake-up, of the one that is woken */
	const struct filter_name_word *words;	/* VALUE: names of its numbers, or NULL */
	/*
	 * Of a model that is made when a filter first asks for it, or NULL: begin (main thread, may be called again), is it made
	 * (any thread), wait for it (not a worker), is something wrong with it (words; NULL: no).
	 */
	void			 (*begin)(struct trace *trace, unsigned int file);
	bool			 (*ready)(struct trace *trace, unsigned int file);
	void			 (*wait)(struct trace *trace, unsigned int file);
	const char		*(*trouble)(struct trace *trace, unsigned int file);
	/*
	 * Ask that model for what the name needs of it, before it begins; NULL: it makes all.  @functions: of a WORD.
	 * Return: for holds(), until it is dropped.
	 */
	const void		*(*want)(struct trace *trace, unsigned int file, const struct filter_set *functions);
	/*
	 * VALUE: the same where nothing is asked but whether a record has a value that is among some numbers (@negate: has one
	 * that is not).  Return: for is_among(), until it is dropped (any thread).  NULL: there is value().
	 */
	void			*(*want_among)(struct trace *trace, unsigned int file, const struct filter_set *numbers, bool negate);
	/*
	 * Such a value is known during the model's pass alone, by its number in struct filter_told.  What computes with it is
	 * asked then, of each record that has one: @asks is taken (filter_computed.h).  Return: for value_set_has().
	 */
	uint8_t			 told;
	void			*(*want_computed)(struct trace *trace, unsigned int file, struct filter *asks);
	/* WORD: for what the function holds, and @asks, which is taken, as well.  Return: for value_set_has().  NULL: never. */
	void			*(*want_beside)(struct trace *trace, unsigned int file, const struct filter_set *functions,
						struct filter *asks);
	bool			 (*is_among)(const struct filter_record *rec, const void *model);
	/* That of the records of some sub-buffers, as match_items.h has them: a reference; NULL: it is not known so.  NULL: it never is. */
	struct match_item	*(*item)(const void *model, unsigned int stream, uint64_t page, uint32_t nr_pages);
	bool			 (*made)(const void *model);	/* any thread: is it? */
	uint64_t		 (*bytes)(const void *model);	/* any thread: of memory, once it is made */
	void			 (*drop)(void *model);	/* any thread; NULL: want() returns nothing */
};

extern const struct filter_name filter_names[];		/* ended by .name NULL */

/* By name; @more: of filter_options, ended like the table, or NULL. */
const struct filter_name *filter_name_find(const char *name, const struct filter_name *more);
#endif
