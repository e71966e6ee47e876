/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_TABLES_PRIVATE_H
#define FTOP_SRC_EXPORT_TABLES_PRIVATE_H
/* tables_private - shared by tables.c and the passes that it runs. */
#include "src/base/number_set.h"
#include "src/export/tables.h"
#include "src/parquet/parquet.h"
#include "src/sched/sched_pass.h"
#include "src/trace/comm_cache.h"

enum tables_table { SCHED_SLICE, THREAD_STATE, THREAD, PROCESS, SLICE, IRQ_SLICE, SOFTIRQ_SLICE,
		    COUNTER, FTRACE_EVENT, ARGS, WAKEUP, LATENCY, NR_TABLES };

struct tables {
	struct trace	*trace;		/* borrowed; its file 0 */
	struct cell	name;		/* the trace's name: the first column */
	struct parquet	*files[NR_TABLES];	/* owned */
	int64_t		rows[NR_TABLES];	/* so far: the next one's id */
	bool		timed;		/* else there are no times */
	struct number_set event_tasks, tasks;	/* pids of events; of tasks that have a state: each
						 * gets a row of its own */
	struct comm_cache comms;
	struct text	text, key;	/* for a while */
};

/* Add a row: the values of all columns behind `trace`. */
#define tables_cells(t, table, ...) \
	parquet_row((t)->files[table], (const struct cell[]){ (t)->name, __VA_ARGS__ })

/*
 * Add a row to a table whose columns behind `trace` begin with an id and a time (NULL where there
 * are no times).
 */
#define tables_row(t, table, ts, ...) tables_row_as(t, table, (t)->rows[table]++, ts, __VA_ARGS__)
#define tables_row_as(t, table, id, ts, ...) \
	tables_cells(t, table, cell_int(id), cell_int_if((t)->timed, ts), __VA_ARGS__)

/* The task's name at that time; "<...>": it is not known. */
static inline const char *tables_comm(struct tables *t, uint32_t pid, int64_t ts)
{
	return comm_cache_name(&t->comms, t->trace, 0, (int32_t)pid, ts);
}

/* A number in a field of a record; none, if there is no such field. */
struct cell tables_number(const struct trace_event *event, const char *name);

/* The passes.  -1 with their error. */
struct event_rows *tables_events(struct tables *t);	/* a worker's, until: */
void tables_events_end(struct event_rows *rows);	/* the worker has ended */
struct sched_rows *tables_sched(struct tables *t);
/* for the pass that makes the rows; borrowed */
const struct sched_pass_options *tables_sched_pass(const struct sched_rows *rows);
/* After the pass; NULL: it did not begin. */
int tables_sched_end(struct sched_rows *rows, struct sched_pass *pass, struct ft_error *err);
int tables_latency(struct tables *t, struct ft_error *err);	/* its pass makes those, too */
void tables_calls(struct tables *t);
void tables_tasks(struct tables *t);			/* last */
#endif
