/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RECORD_PLAN_H
#define FTOP_RECORDER_RECORD_PLAN_H
/*
 * record_plan - what is to be recorded.  The whole plan is checked before tracefs
 * is touched, and every mistake is told at once, with the nearest name that exists.
 *
 * Options that belong to a buffer (-e -f -R -p -C -b -M -l -n -O) go to the one
 * that the last -B began; before any -B to the unnamed one.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/writer/trace_writer.h"
#include "recorder/tracefs/name_list.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct plan_event {			/* an -e */
	char			*pattern;	/* "sched", "sched:sched_switch", "sched_*", "all" */
	char			*filter;	/* -f behind it, NULL: none */
	struct name_list	 triggers;	/* -R behind it */
	bool			 negated;	/* -v before it: taken out again */
};

struct plan_buffer {
	char			*name;		/* "" = the unnamed one */
	char			*tracer;	/* NULL = nop */
	char			*clock;		/* NULL = default */
	struct plan_event	*events;
	size_t			 nr_events, cap_events;
	struct name_list	 options;	/* "stacktrace", "nooverwrite" */
	struct name_list	 functions, notrace;
	uint64_t		 size_kb;	/* of each CPU; 0 = default */
	bool			*cpus;		/* [nr_cpus], NULL = all */
	/* found by record_plan_check() */
	bool			*enabled;	/* [events of the catalog] */
	const char		**filters;	/* [events of the catalog], NULL: none */
};

struct probe_kind;

struct plan_probe {			/* an event to be defined */
	char			*definition;	/* as dynamic_events takes it */
	char			*system, *name;
	const struct probe_kind	*kind;
};

struct plan_catalog {			/* all events of this kernel, sorted: system by system */
	struct plan_catalog_event {
		char	*system, *name;
	}			*events;
	size_t			 nr, cap;
};

struct record_plan {
	struct plan_buffer	*buffers;	/* the first is the unnamed one */
	size_t			 nr_buffers, cap_buffers;
	struct name_list	 graph, graph_notrace;
	struct name_list	 pids;		/* -P, each a number */
	struct plan_probe	*probes;
	size_t			 nr_probes, cap_probes;
	bool			 only_command;	/* -F */
	bool			 children;	/* -c */
	bool			 ignore_missing;	/* -i */
	bool			 quiet, force, date, browse, exit_status, func_stack;
	bool			 top;			/* not in an instance of our own */
	long long		 max_graph_depth;	/* 0 = no limit */
	long long		 cmdlines_size;		/* 0 = raised where nobody else traces */
	long long		 subbuf_kb;		/* 0 = a page */
	int			 rt_priority;
	unsigned int		 interval_us;
	uint64_t		 keep_kb;		/* -m, of each CPU; 0 = all */
	uint64_t		 duration_ns, linger_ns, max_bytes;	/* 0 = none */
	int			 file_version;
	enum trace_compression	 compression;
	const char		*output;		/* borrowed */
	const char		*user;			/* borrowed, NULL = who called sudo */
	int			 status_fd, control_fd;	/* -1 = none */
	bool			 stack_max;		/* the deepest kernel stack is measured */
	bool			 check_only;		/* nothing is to be recorded */
	const char		*tracefs;		/* borrowed: what is compared with then; NULL: where it is mounted */
	const char *const	*command;		/* borrowed, NULL-ended; NULL = none */
	const char		*root;			/* borrowed: put before paths outside of tracefs; "" but for tests */

	unsigned int		 nr_cpus;
	struct plan_catalog	 catalog;
	struct text		 mistakes;		/* a line each */
	unsigned int		 nr_mistakes;
	struct text		 notes;			/* what is no mistake, but to be known: a line each */
	unsigned int		 nr_missing;	/* of these: what this kernel lacks or refuses, asked for in the right words */
};

void record_plan_init(struct record_plan *plan);
void record_plan_fini(struct record_plan *plan);

struct plan_buffer *record_plan_buffer(struct record_plan *plan);		/* the one options go to now */
struct plan_buffer *record_plan_add_buffer(struct record_plan *plan, const char *name);
struct plan_event *record_plan_add_event(struct record_plan *plan, const char *pattern, bool negated);

void record_plan_mistake(struct record_plan *plan, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Sizes as users write them: "4096", "4M", "1G".  @unit: of a number without a letter, in bytes. */
bool record_plan_size(const char *text, uint64_t unit, uint64_t *bytes);
/* "10" (seconds), "500ms", "2m". */
bool record_plan_time(const char *text, uint64_t *ns);

/**
 * record_plan_check() - compare the plan with what this kernel has
 * @root: where tracefs is mounted
 *
 * Reads alone.  Return: 0, or -1 when there are mistakes (all of them are in plan->mistakes).
 */
int record_plan_check(struct record_plan *plan, const char *root);

/* Whether it is one whose result is a text, the kernel's snapshot of a maximum.  NULL: no tracer. */
bool record_plan_is_latency_tracer(const char *tracer);

/* Whether the pattern of an -e means this event. */
bool record_plan_event_matches(const char *pattern, const struct plan_catalog_event *event);

/* Whether an event's format has all the fields that a filter compares.  @missing receives the first that it lacks, if given. */
bool record_plan_filter_fits(const char *filter, const char *format, struct text *missing);
#endif
