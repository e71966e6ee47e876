/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_REPORT_COMMS_H
#define FTOP_PARSERS_TYPES_REPORT_COMMS_H
/*
 * report_comms - names of tasks by trace-cmd's rule: saved cmdlines, and for other pids the first
 * name in a sched event that was printed.  So what report shows depends on what it has shown
 * before; comm_table.h is more accurate.  One thread.
 *
 * libtraceevent checks whether a pid has a name already only after the first look-up of a pid other
 * than 0.  Names learnt before that are kept next to the saved ones; its binary search decides
 * which of the two is shown.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report_comms;

/* @saved: "pid comm" lines; like libtraceevent, stops at the first malformed line. */
struct report_comms *report_comms_new(const char *saved, uint64_t size);
void report_comms_free(struct report_comms *comms);	/* NULL is allowed */

/* A string that lives as long as @comms; pid 0 is "<idle>".  NULL if the pid is not known. */
const char *report_comms_get(struct report_comms *comms, int pid);

/* Does the pid have a name that no later event can change?  Does not count as a look-up. */
bool report_comms_knows(const struct report_comms *comms, int pid);

/* Add a name (len bytes, or up to a NUL in them) from an event. */
void report_comms_learn(struct report_comms *comms, int pid, const char *comm, size_t len);
#endif
