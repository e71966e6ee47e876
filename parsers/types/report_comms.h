/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_REPORT_COMMS_H
#define FTOP_PARSERS_REPORT_COMMS_H
/*
 * report_comms - names of tasks by trace-cmd's rule: saved cmdlines, and of other pids
 * the first name that a sched event told when it was printed.  What report shows so
 * depends on what it has shown before; comm_table.h knows better.  One thread.
 *
 * libtraceevent looks for a pid's second name only when it has once been asked for the
 * name of a pid other than 0.  Names learnt before that stand beside the saved ones,
 * and which of the two it shows is a matter of where its search by halves comes first.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report_comms;

/* @saved: "pid comm" lines; read up to the first that is none, as libtraceevent does. */
struct report_comms *report_comms_new(const char *saved, uint64_t size);
void report_comms_free(struct report_comms *comms);	/* NULL is allowed */

/* A string that lives as long as @comms; pid 0 is "<idle>".  NULL: nothing is known of it. */
const char *report_comms_get(struct report_comms *comms, int pid);

/* Is there a name that will stay, whatever is told?  Asks nothing. */
bool report_comms_knows(const struct report_comms *comms, int pid);

/* A name (len bytes, or up to a NUL in them) that an event told. */
void report_comms_learn(struct report_comms *comms, int pid, const char *comm, size_t len);
#endif
