/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_NAMES_H
#define FTOP_SRC_FILTER_FILTER_NAMES_H
/*
 * filter_names - names in filters besides the fields of events: the task, the CPU, the time,
 * contexts, and values derived by models.  Each is an entry of a table.  The filter has a table of
 * its own; the tables of models above it come with the trace (trace_options.filter_names).
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/event_types.h"
#include "src/filter/filter_program.h"
#include "src/trace/trace.h"

enum filter_name_kind {
	FILTER_NAME_COMM,		/* the task's name at the time */
	FILTER_NAME_SAVED_COMM,		/* the name in saved_cmdlines, as trace-cmd compares it */
	FILTER_NAME_PID,
	FILTER_NAME_TGID,
	FILTER_NAME_WHO,		/* words about the task's process: enum filter_who */
	FILTER_NAME_CPU,
	FILTER_NAME_FILE,		/* with several files, the event's file */
	FILTER_NAME_INSTANCE,		/* name of the event's buffer in the file; "" is the top
					 * one */
	FILTER_NAME_TIME,
	FILTER_NAME_FUNC,		/* address of the function that the event is about */
	FILTER_NAME_FLAG,		/* true or false: bits of common_flags */
	FILTER_NAME_PREEMPT,		/* depth of disabled preemption */
	FILTER_NAME_LOST,		/* rows of lost events and of damage */
	FILTER_NAME_STACK,		/* functions of a stack record */
	FILTER_NAME_VALUE,		/* a number: the model's value() */
	FILTER_NAME_DERIVED,		/* a number that the model's pass makes a column of: see
					 * want() */
	FILTER_NAME_WORD,		/* takes a function: is the record's task in it?  The pass
					 * makes spans of time: see want() */
};

enum filter_who {
	FILTER_WHO_PROCESS,
	FILTER_WHO_EXE,
	FILTER_WHO_CMDLINE,
	FILTER_WHO_CGROUP,
	FILTER_WHO_USER,
	FILTER_WHO_ALLOWED,
	FILTER_WHO_POLICY
}; /* filter_name.number
										 * of WHO */

/* A record, as value() sees it. */
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
};

struct filter_name_word {
	const char		*name;		/* NULL at the end of a table */
	int64_t			 value;
};

struct derived_value;			/* derived_values.h */
struct filter_set;			/* filter_program.h */

/*
 * A model that provides names.  If it needs a pass it has want(), begin() and wait(); the pass is
 * made for a file when a filter first needs it.
 */
struct filter_model {
	/* Can records of this type have a value?  NULL: all types can. */
	bool			 (*applies)(unsigned int number, const struct event_type *type);
	/* For names with .needs: a trace without such types has no values. */
	bool			 (*needs)(unsigned int number, const struct event_type *type);
	/* VALUE: the value for a record, in any thread; false: it has none. */
	bool			 (*value)(unsigned int number, const struct filter_record *rec,
					  int64_t *value);
	/* As that, where no event type tells: has the file the data?  NULL: ask needs(). */
	bool			 (*told)(const struct trace *trace, unsigned int file,
					 unsigned int number);
	/*
	 * Request what the pass makes for a name, before begin(); main thread.
	 * @functions: those after a WORD, else NULL.
	 * Return: a reference, for derived_value_drop(); NULL for a VALUE.
	 */
	struct derived_value	*(*want)(struct trace *trace, unsigned int file,
					 unsigned int number, const struct filter_set *functions);
	/* main thread; may be called again */
	void			 (*begin)(struct trace *trace, unsigned int file);
	/* workers must not call it */
	void			 (*wait)(struct trace *trace, unsigned int file);
	/* are the values for value() available? any thread */
	bool			 (*ready)(struct trace *trace, unsigned int file);
	/* with value(): a message; NULL = none */
	const char		*(*trouble)(struct trace *trace, unsigned int file);
};

/* The task to which a value belongs, at a switch or a wakeup. */
enum filter_name_task {
	FILTER_TASK_CURRENT,
	FILTER_TASK_OTHER,		/* the next task, or the task being woken */
	FILTER_TASK_LEAVING,		/* the task that leaves; at a wakeup, the one being woken */
};

struct filter_name {
	const char		*name;
	enum filter_name_kind	 kind;
	const char		*help;
	const struct filter_model *model;	/* for VALUE, DERIVED, WORD; STACK: only needs() */
	unsigned int		 number;	/* in the model; DERIVED: below DERIVED_MAX */
	const char		*needs;		/* the data that needs() looks for: "calls
						 * (function_graph)"; or NULL */
	uint8_t			 bits;		/* FLAG */
	bool			 is_duration;	/* VALUE, DERIVED: in ns, so that 1ms may be
						 * compared with it */
	int64_t			 least;		/* VALUE: what is less, as a signed number, is
						 * an address, above all others; 0: nothing is */
	const struct filter_name_word *words;	/* VALUE, DERIVED: names of its numbers, or NULL */
	enum filter_name_task	 task;
};

static inline bool filter_name_applies(const struct filter_name *name,
				       const struct event_type *type)
{
	return !name->model->applies || name->model->applies(name->number, type);
}

/* the filter's own; the last one has .name NULL */
extern const struct filter_name filter_names[];

/*
 * Find a name in that table or in @more (a list of such tables, ended by NULL; or NULL).  Return:
 * NULL if there is none.
 */
const struct filter_name *filter_name_find(const char *name, const struct filter_name *const *more);

/* The name of these tables that people call by this word: dur for "duration"; NULL: none. */
const char *filter_name_meant(const char *word, const struct filter_name *const *more);

/* The i-th of all these names; NULL past the last. */
const struct filter_name *filter_name_at(const struct filter_name *const *more, unsigned int i);
#endif
