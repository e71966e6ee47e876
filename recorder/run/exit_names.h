/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_EXIT_NAMES_H
#define FTOP_RECORDER_EXIT_NAMES_H
/*
 * exit_names - the names of tasks that end while we record, from an instance of our own.
 *
 * The kernel keeps names (saved_cmdlines) of tasks with events alone, saves them at the next switch of their CPU, and
 * does not where another CPU has its list just then, a reader of the list included.  So it has no name for
 *  - a task that a filter leaves out: it still runs some traced functions on its way off the CPU to one that is not
 *    left out, and that CPU's next switch is no longer its own;
 *  - a task that ended in the moment when somebody had the list;
 *  - tasks that only the text of a latency tracer names.
 * The instance takes an event of each task that ends, which holds its name.  It also makes the kernel save the name at
 * the task's last switch, as its own texts want it.
 */
#include "recorder/tracefs/comms.h"
#include "recorder/run/instance.h"

struct exit_names {
	struct instance	instance;
	int		pipe;		/* its events as text; -1: none are to be had */
};

#define EXIT_NAMES_NONE { .instance = INSTANCE_UNUSED, .pipe = -1 }

/**
 * exit_names_begin() - make the instance; names come from exit_names_start() on
 * @journal: told of the instance, so that others can remove it if we are killed; NULL: then there is none
 * @nr_cpus: how many ring buffers it has, to keep them small in all
 *
 * Where that cannot be, none come: the kernel's list is all there is.
 */
void exit_names_begin(struct exit_names *names, const struct tracefs_dir *root, struct journal *journal, unsigned int nr_cpus);

void exit_names_start(struct exit_names *names);	/* before the recording starts */

/* The instance, for other use of its buffer: before exit_names_start(), or when no more names are wanted.  NULL: there is none. */
const struct tracefs_dir *exit_names_idle(const struct exit_names *names);

/* Names of those that ended since; never waits.  To be called each second: the ring keeps the newest. */
void exit_names_read(const struct exit_names *names, struct comms *comms);

int exit_names_end(struct exit_names *names, struct ft_error *err);

static inline bool exit_names_come(const struct exit_names *names)
{
	return names->pipe >= 0;
}

/* The same from the kernel's text of events; those of other kinds are passed over. */
void exit_names_from_text(const char *text, struct comms *comms);
#endif
