/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_TABLES_PRIVATE_H
#define FTOP_SRC_EXPORT_TABLES_PRIVATE_H
/*
 * tables_private - shared by tables.c (what tables there are, in which order they are made), and
 * the passes that make them: tables_sched.c (states of tasks), tables_latency.c (what takes time),
 * tables_calls.c (function calls), tables_events.c (events and their fields).
 */
#include "src/base/number_set.h"
#include "src/export/tables_file.h"
#include "src/export/tables.h"
#include "src/base/name_table.h"
#include "src/sched/sched_pass.h"

enum tables_table { SCHED_SLICE, THREAD_STATE, THREAD, PROCESS, SLICE, IRQ_SLICE, SOFTIRQ_SLICE,
		    COUNTER, FTRACE_EVENT, ARGS, WAKEUP, LATENCY, NR_TABLES };

/* Columns of each table, without `trace`: in the order of tables.c. */
enum { SCHED_SLICE_ID, SCHED_SLICE_TS, SCHED_SLICE_DUR, SCHED_SLICE_CPU, SCHED_SLICE_UTID,
       SCHED_SLICE_END_STATE, SCHED_SLICE_PRIORITY, SCHED_SLICE_CUT };
enum { THREAD_STATE_ID, THREAD_STATE_TS, THREAD_STATE_DUR, THREAD_STATE_CPU, THREAD_STATE_UTID,
       THREAD_STATE_STATE, THREAD_STATE_IO_WAIT, THREAD_STATE_BLOCKED_FUNCTION,
       THREAD_STATE_WAKER_UTID, THREAD_STATE_IRQ_CONTEXT, THREAD_STATE_CUT, THREAD_STATE_DOUBTFUL };
enum { THREAD_UTID, THREAD_TID, THREAD_NAME, THREAD_UPID, THREAD_IS_MAIN };
enum { PROCESS_UPID, PROCESS_PID, PROCESS_NAME };
enum { SLICE_ID, SLICE_TS, SLICE_DUR, SLICE_CPU, SLICE_UTID, SLICE_CATEGORY, SLICE_NAME,
       SLICE_DEPTH, SLICE_PARENT_ID };
enum { IRQ_ID, IRQ_TS, IRQ_DUR, IRQ_CPU, IRQ_NUMBER, IRQ_NAME, IRQ_DOUBTFUL };	/* both tables */
enum { COUNTER_ID, COUNTER_TS, COUNTER_NAME, COUNTER_CPU, COUNTER_UPID, COUNTER_VALUE };
enum { EVENT_ID, EVENT_TS, EVENT_NAME, EVENT_SYSTEM, EVENT_CPU, EVENT_UTID, EVENT_FLAGS,
       EVENT_ARG_SET_ID, EVENT_INSTANCE };
enum { ARG_SET_ID, ARG_FLAT_KEY, ARG_KEY, ARG_INT_VALUE, ARG_STRING_VALUE, ARG_VALUE_TYPE };
enum { WAKEUP_ID, WAKEUP_TS, WAKEUP_DUR, WAKEUP_RUN_TS, WAKEUP_CPU, WAKEUP_UTID, WAKEUP_COMM,
       WAKEUP_WAKER_UTID, WAKEUP_WAKER_COMM, WAKEUP_IRQ_CONTEXT, WAKEUP_DOUBTFUL };
enum { LATENCY_ID, LATENCY_TS, LATENCY_DUR, LATENCY_ROW_KIND, LATENCY_NAME, LATENCY_CPU,
       LATENCY_UTID, LATENCY_COMM, LATENCY_VALUE, LATENCY_ROW_DOUBTFUL };

struct tables {
	struct trace	*trace;		/* borrowed; its file 0 */
	struct tables_file *files[NR_TABLES];	/* owned */
	int64_t		rows[NR_TABLES];	/* so far: the next one's id */
	bool		timed;		/* else there are no times */
	struct name_table *names;	/* owned: of tasks */
	struct sched_pass **passes;	/* owned, [nr_buffers], complete: names and tasks */
	unsigned int	nr_buffers;
	unsigned int	buffer;		/* that tells the states of tasks */
	struct number_set tasks;	/* pids that occur: they get rows of their own */
	struct text	text, key;	/* for a while */
};

/* Begin a row: the first two columns are its id, and its time where there are times. */
struct tables_file *tables_row(struct tables *t, enum tables_table table, int64_t ts);
/* The task's name, where a record has none: its first one in this buffer, else the saved one. */
const char *tables_comm(const struct tables *t, unsigned int buffer, uint32_t pid);

/* The passes.  -1 with their error. */
int tables_names(struct tables *t, struct ft_error *err);	/* first */
void tables_events(struct tables *t);
int tables_sched(struct tables *t, struct ft_error *err);
int tables_latency(struct tables *t, struct ft_error *err);
void tables_calls(struct tables *t);
void tables_tasks(struct tables *t);				/* last */
#endif
