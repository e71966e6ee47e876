/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_RECORD_PLAN_H
#define FTOP_RECORDER_PLAN_RECORD_PLAN_H
/*
 * record_plan - the plan of a recording.  The whole plan is checked before tracefs is touched, and
 * all mistakes are reported at once, with the nearest existing name.
 *
 * Options for a buffer (-e -f -R -p -C -b -M -l -n -O) apply to the one begun by the last -B;
 * before any -B, to the unnamed one.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/writer/trace_writer.h"
#include "recorder/tracefs/name_list.h"
#include "src/base/error.h"
#include "src/base/text.h"

#define RECORD_MOST_HITS	100	/* of --hits */
#define PLAN_SYSCALL_BYTES	"syscall_user_buf_size"

struct plan_event {			/* an -e */
	char			*pattern;	/* "sched", "sched:sched_switch",
						   "sched_*", "all" */
	char			*filter;	/* the -f that follows it; NULL = none */
	struct name_list	 triggers;	/* the -R that follow it */
	bool			 negated;	/* after -v: removed again */
	bool			 triggers_only;	/* neither enabled nor left out by this */
	bool			 of_module;	/* "sched:*:mod:NAME": the kernel finds them, even
						   in a module that is loaded later */
};

struct plan_buffer {
	char			*name;		/* "" = the unnamed one */
	char			*tracer;	/* NULL = nop */
	char			*clock;		/* NULL = default */
	struct plan_event	*events;
	size_t			 nr_events, cap_events;
	struct name_list	 options;	/* "stacktrace", "nooverwrite" */
	struct name_list	 functions, notrace;
	uint64_t		 size_kb;	/* per CPU; 0 = default */
	bool			*cpus;		/* [nr_cpus], NULL = all */
	/* Set by record_plan_check() */
	bool			*enabled;	/* [events of the catalog] */
	const char		**filters;	/* [events of the catalog], NULL = none */
};

struct probe_kind;

struct plan_probe {			/* an event to be defined */
	char			*definition;	/* in the syntax of dynamic_events */
	char			*system, *name;
	const struct probe_kind	*kind;
};

struct measure_key;

struct plan_priority {			/* as sched_setattr(2) has it */
	unsigned int		 policy;	/* SCHED_OTHER... */
	int			 nice;
	unsigned int		 priority;
	uint64_t		 runtime_ns, period_ns;		/* of SCHED_DEADLINE */
};

struct plan_measure {			/* a key of --measure */
	char			*name, *value;	/* value: "" if it takes none */
	uint64_t		 us;		/* a time, as a number */
	struct plan_priority	 priority;
	/* Set by record_plan_check() */
	const struct measure_key *key;
};

struct plan_catalog {			/* all events of this kernel, sorted by system and name */
	struct plan_catalog_event {
		char	*system, *name;
	}			*events;
	size_t			 nr, cap;
};

struct record_plan {
	struct plan_buffer	*buffers;	/* the first one has no name */
	size_t			 nr_buffers, cap_buffers;
	struct name_list	 graph, graph_notrace;
	struct name_list	 pids;		/* -P, each a number */
	struct name_list	 until;		/* --until, each a condition */
	struct name_list	 monitors;	/* --monitor, as they were given */
	struct name_list	 queries;	/* --synth: "NAME SELECT ..."; the check makes
						   probes and triggers of them, and leaves
						   those that are mistaken */
	struct plan_probe	*probes;
	size_t			 nr_probes, cap_probes;
	struct plan_measure	*measures;
	size_t			 nr_measures, cap_measures;
	bool			*measure_cpus;	/* [nr_cpus], NULL = all that the kernel has set */
	bool			 only_command;	/* -F */
	bool			 children;	/* -c */
	bool			 ignore_missing;	/* -i */
	bool			 quiet, browse, func_stack;
	long long		 max_graph_depth;	/* 0 = no limit */
	long long		 subbuf_kb;		/* 0 = a page */
	long long		 syscall_bytes;		/* -1 = as many as the kernel has set */
	int			 rt_priority;
	unsigned int		 interval_us;
	uint64_t		 keep_kb, keep_ns;	/* -m, per CPU; 0 = keep everything */
	uint64_t		 duration_ns, max_bytes;	/* 0 = none */
	int			 file_version;
	enum trace_compression	 compression;
	const char		*output;		/* borrowed */
	bool			 named;			/* by the user */
	int			 status_fd, control_fd;	/* -1 = none */
	bool			 stack_max;		/* measure the deepest kernel stack */
	bool			 check_only;		/* record nothing */
	const char		*tracefs;		/* borrowed: the folder to check against;
							 * NULL = where it is mounted */
	const char *const	*command;		/* borrowed, NULL-ended; NULL = none */
	const char		*root;			/* borrowed: prefix of paths outside of
							 * tracefs; "" except in tests */

#define RECORD_FLAG(id, field, ...)	bool field;
#define RECORD_NUMBER(id, field, ...)	long long field;
#define RECORD_TIME(id, field, ...)	uint64_t field;
#define RECORD_TEXT(id, field, ...)	const char *field;
#include "recorder/plan/record_fields.h"

	unsigned int		 nr_cpus;
	struct plan_catalog	 catalog;
	/* Set by record_plan_check(): those of --monitor, "sched:sco"; see plan_limits.h */
	struct name_list	 enabled_monitors;
	char			*limit_filter;
	struct plan_probe	 limit_probes[3];	/* kind: NULL; the events are in the
							 * catalog, and need not be had */
	unsigned int		 nr_limit_probes;
	struct text		 mistakes;		/* one per line */
	unsigned int		 nr_mistakes;
	struct text		 notes;			/* not mistakes, but useful to know: one
							 * per line */
	unsigned int		 nr_missing;	/* mistakes that are valid requests, which this
						 * kernel lacks or refuses */
};

void record_plan_init(struct record_plan *plan);
void record_plan_fini(struct record_plan *plan);

/* the buffer that options currently apply to */
struct plan_buffer *record_plan_buffer(struct record_plan *plan);
struct plan_buffer *record_plan_add_buffer(struct record_plan *plan, const char *name);
/* to a buffer, and to that which options currently apply to */
struct plan_event *record_plan_add_event_to(struct plan_buffer *b, const char *pattern,
					    bool negated);
struct plan_event *record_plan_add_event(struct record_plan *plan, const char *pattern,
					 bool negated);

void record_plan_mistake(struct record_plan *plan, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Add a mistake about an unknown name: "...; did you mean NEAR?".  If @near is NULL, it ends in
 * @otherwise instead.
 */
void record_plan_unknown(struct record_plan *plan, const char *near, const char *otherwise,
			 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Add a mistake and count it in nr_missing: "...: not in this kernel (CONFIG_X is not set)". */
void record_plan_missing(struct record_plan *plan, const char *config, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Parse a size: "4096", "4M", "1G".  @unit: in bytes, for a number without a letter. */
bool record_plan_size(const char *text, uint64_t unit, uint64_t *bytes);
/* Parse a time: "10" (seconds), "500ms", "2m". */
bool record_plan_time(const char *text, uint64_t *ns);

/**
 * record_plan_check() - check the plan against this kernel
 * @root: where tracefs is mounted
 *
 * Only reads.  Return: 0, or -1 if there are mistakes; plan->mistakes has all of them.
 */
int record_plan_check(struct record_plan *plan, const char *root);

/* Is it a tracer whose result is a text, the kernel's snapshot of a maximum?  NULL: no tracer. */
bool record_plan_is_latency_tracer(const char *tracer);

/* Does the pattern of an -e match this event? */
bool record_plan_event_matches(const char *pattern, const struct plan_catalog_event *event);

/*
 * Does an event's format have all fields that a filter compares?  @missing receives the first
 * missing one; may be NULL.
 */
bool record_plan_filter_fits(const char *filter, const char *format, struct text *missing);
#endif
