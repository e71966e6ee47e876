/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_COMM_TABLE_H
#define FTOP_PARSERS_TYPES_COMM_TABLE_H
/*
 * comm_table - the name of a task at a given time.
 *
 * Sources, weakest first: saved_cmdlines (no time), then names seen in records (sched_switch,
 * sched_wakeup*, sched_waking, task_rename, sched_process_exec, sched_process_fork …), each with
 * its time.  Stores changes of name, not sightings, so it grows with the number of renames. Written
 * by index workers, read by the screen: any thread may call any function.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct comm_table;

struct comm_table *comm_table_new(void);
void comm_table_free(struct comm_table *table);	/* NULL is allowed */

/* saved_cmdlines: "pid comm" lines.  The comm may hold blanks and bytes that are not UTF-8. */
void comm_table_saved(struct comm_table *table, const char *text, uint64_t size);

/*
 * Add a sighting: pid had this comm (len bytes, no NUL) at ts (model time).  Calls may come in any
 * order of time: the answers do not depend on it unless a task returns to an old name.  If several
 * names were seen at one moment, the one that was seen until later is the task's name after that
 * moment.
 */
void comm_table_seen(struct comm_table *table, int pid, int64_t ts, const char *comm,
		     unsigned int len);

/*
 * Add many sightings of one reader: pid had this comm at from and at to, and the reader saw no
 * other name in between.
 */
void comm_table_seen_span(struct comm_table *table, int pid, int64_t from, int64_t to,
			  const char *comm, unsigned int len);

/**
 * comm_table_at() - the name of a task at a time
 *
 * The last name seen at or before ts, else the first one seen after it, else the saved one; pid 0
 * is "<idle>".
 * Return: a string that lives as long as the table (interned), never NULL: "<...>" where nothing is
 * known.
 */
const char *comm_table_at(struct comm_table *table, int pid, int64_t ts);

/**
 * comm_table_span() - the name of a task at a time, and the time span in which the answer is the
 * same
 * @from, @to: receive the span, both ends included; valid while comm_table_changes() returns what
 *        it returned before the call
 *
 * While names are still being collected an answer may change, because an earlier sighting may be
 * added later.
 */
const char *comm_table_span(struct comm_table *table, int pid, int64_t ts, int64_t *from,
			    int64_t *to);
uint64_t comm_table_changes(const struct comm_table *table);

/*
 * Call @each for every name that a task was seen with or has in saved_cmdlines; not for "<idle>".
 */
void comm_table_each(struct comm_table *table, void (*each)(void *arg, int pid, const char *name),
		     void *arg);

/* The name in saved_cmdlines, or NULL. */
const char *comm_table_saved_name(struct comm_table *table, int pid);
#endif
