/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_COMMS_H
#define FTOP_RECORDER_TRACEFS_COMMS_H
/*
 * comms - names of tasks for the trace: from the kernel's saved_cmdlines, which forgets, from /proc
 * for running tasks, and from exit_names for tasks that ended.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/index_map.h"
#include "src/base/text.h"

#define COMM_LEN	15u

struct comm_entry {
	int	pid;
	char	comm[64];	/* NUL-ended; the kernel's has COMM_LEN characters at most */
};

struct comms {
	struct comm_entry	*entries;	/* owned, [nr] */
	unsigned int		 nr, cap;
	struct index_map	 map;		/* indexes of entries, by pid */
};

void comms_fini(struct comms *comms);
/* the last name wins */
void comms_set(struct comms *comms, int pid, const char *comm, size_t len);
void comms_from_saved(struct comms *comms, const char *text);	/* "PID COMM" lines */
/* The length of the task's name within the @len bytes that /proc shows. */
size_t comms_proc_len(const char *shown, size_t len);
/* running tasks, including threads; @again: update known ones, too */
void comms_from_proc(struct comms *comms, bool again);
void comms_text(const struct comms *comms, struct text *out);   /* in the format of
								 * saved_cmdlines, sorted by pid */
const char *comms_find(const struct comms *comms, int pid);	/* NULL if unknown */
#endif
