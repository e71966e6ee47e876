/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_COMMS_H
#define FTOP_RECORDER_COMMS_H
/*
 * comms - names of tasks for the trace: the kernel's saved_cmdlines, which forgets,
 * what /proc shows of those that live, and exit_names of those that ended.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/text.h"

#define COMM_LEN	15u

struct comm_entry {
	int	pid;		/* 0: empty */
	char	comm[64];	/* NUL-ended; the kernel's has COMM_LEN characters at most */
};

struct comms {
	struct comm_entry	*entries;	/* hash table, [cap] */
	size_t			 nr, cap;
};

void comms_fini(struct comms *comms);
void comms_set(struct comms *comms, int pid, const char *comm, size_t len);	/* the last name wins */
void comms_from_saved(struct comms *comms, const char *text);	/* "PID COMM" lines */
/* Of the @len bytes that /proc shows of a task's name, how many are the name. */
size_t comms_proc_len(const char *shown, size_t len);
void comms_from_proc(struct comms *comms, bool again);		/* tasks that run now, threads too; again: those already known, too */
void comms_text(const struct comms *comms, struct text *out);	/* as saved_cmdlines has it, sorted by pid */
const char *comms_find(const struct comms *comms, int pid);	/* NULL: unknown */
#endif
