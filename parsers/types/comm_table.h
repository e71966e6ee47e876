/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_COMM_TABLE_H
#define FTOP_PARSERS_TYPES_COMM_TABLE_H
/*
 * comm_table - the name of a task at a given time.
 *
 * Sources, weakest first: saved_cmdlines (no time), then names seen in records (sched_switch,
 * sched_wakeup*, sched_waking, task_rename, sched_process_exec, sched_process_fork …), each with
 * its time.  Any thread may call any function: index workers write, the screen reads.
 *
 * Several workers add sightings at the same time, in any order, and the answers must not depend on
 * that.  So every sighting is stored, in 16 bytes, until comm_table_settle() keeps only the changes
 * of names.  A worker that sees a task with the same name again and again adds it once in
 * PAGE_RANGE_BYTES.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct comm_table;

struct comm_table *comm_table_new(void);
void comm_table_free(struct comm_table *table);	/* NULL is allowed */

/* saved_cmdlines: "pid comm" lines.  The comm may hold blanks and bytes that are not UTF-8. */
void comm_table_saved(struct comm_table *table, const char *text, uint64_t size);

/* Add a sighting: pid had this comm (len bytes, no NUL) at ts (model time).  In any order. */
void comm_table_seen(struct comm_table *table, int pid, int64_t ts, const char *comm,
		     unsigned int len);

struct comm_sighting {
	int64_t		ts;
	int		pid;
	char		comm[16];	/* NUL-ended if shorter */
};

/*
 * Add the sightings of one reader, in the order of its records.  As long as a task keeps its name
 * there, only the first sighting is stored.
 */
void comm_table_add(struct comm_table *table, const struct comm_sighting *seen, size_t nr);

/*
 * To be called when all sightings are added: keeps only what the answers need.  The answers stay
 * the same, but hold for longer spans.
 */
void comm_table_settle(struct comm_table *table);

/**
 * comm_table_at() - the name of a task at a time
 *
 * The last name seen at or before ts, else the first one seen after it, else the saved one; pid 0
 * is "<idle>".  With a coarse clock, several names may have been seen at the same ts.  Then a name
 * that was seen at the task's next ts, too, is preferred; after that, one that was not seen at its
 * ts before; after that, the last one in the order of strcmp().
 * Return: a string that lives as long as the table (interned), never NULL: "<...>" where nothing is
 * known.
 */
const char *comm_table_at(struct comm_table *table, int pid, int64_t ts);

/**
 * comm_table_span() - the name of a task at a time, and the time span in which the answer is the
 * same
 * @from, @to: receive the span, both ends included; valid while comm_table_changes() returns what
 *        it returned before the call.  The answer may be the same beyond it, too
 *
 * While names are still being collected an answer may change, because an earlier sighting may be
 * added later.
 */
const char *comm_table_span(struct comm_table *table, int pid, int64_t ts, int64_t *from,
			    int64_t *to);
uint64_t comm_table_changes(const struct comm_table *table);

/* How many tasks have a name. */
uint32_t comm_table_nr(struct comm_table *table);

/*
 * Call @each for every name that a task has at any time or in saved_cmdlines, maybe several times;
 * not for "<idle>".
 */
void comm_table_each(struct comm_table *table, void (*each)(void *arg, int pid, const char *name),
		     void *arg);

/*
 * Call @each for the names that tasks have from @from to @to, with the time since when; the name
 * seen first afterwards, if there is none before.  Not where the saved name says the same.
 */
void comm_table_between(struct comm_table *table, int64_t from, int64_t to,
			void (*each)(void *arg, int64_t ts, int pid, const char *name), void *arg);

/* The name in saved_cmdlines, or NULL. */
const char *comm_table_saved_name(struct comm_table *table, int pid);
#endif
