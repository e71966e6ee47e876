/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_EXIT_NAMES_H
#define FTOP_RECORDER_RUN_EXIT_NAMES_H
/*
 * exit_names - the names of tasks that end while we record, from an instance of our own.
 *
 * The kernel keeps names (saved_cmdlines) only of tasks with events, saves them at the next switch
 * of their CPU, and skips that if another CPU, or a reader of the list, has it locked at that
 * moment.  So it has no name for
 *  - a task that a filter excludes: it still runs some traced functions while it switches to a task
 *    that is not excluded, and that CPU's next switch is no longer its own;
 *  - a task that ended while the list was locked;
 *  - tasks that occur only in the text of a latency tracer.
 * The instance records an event with the name of each task that ends.  It also makes the kernel
 * save the name at the task's last switch, because printing the instance's own text needs it.
 */
#include "recorder/tracefs/comms.h"
#include "recorder/run/instance.h"

struct exit_names {
	struct instance	instance;
	int		pipe;		/* its events as text; -1 = not available */
};

#define EXIT_NAMES_NONE { .instance = INSTANCE_UNUSED, .pipe = -1 }

/**
 * exit_names_begin() - make the instance; names arrive after exit_names_start()
 * @journal: records the instance, so that others can remove it if we are killed; NULL: no instance
 *        is made
 * @nr_cpus: number of its ring buffers, to limit their total size
 *
 * If it cannot be made, only the kernel's list is available.
 */
void exit_names_begin(struct exit_names *names, const struct tracefs_dir *root,
		      struct journal *journal, unsigned int nr_cpus);

void exit_names_start(struct exit_names *names);	/* before the recording starts */

/*
 * The instance, for other uses of its buffer: before exit_names_start(), or when no more names are
 * needed.  NULL if there is none.
 */
const struct tracefs_dir *exit_names_idle(const struct exit_names *names);

/*
 * Add the names of tasks that ended since the last call; never waits.  Call it each second: the
 * ring keeps the newest.
 */
void exit_names_read(const struct exit_names *names, struct comms *comms);

int exit_names_end(struct exit_names *names, struct ft_error *err);

static inline bool exit_names_come(const struct exit_names *names)
{
	return names->pipe >= 0;
}

/* Add the names that the kernel's text of exit events has; other events are skipped. */
void exit_names_from_text(const char *text, struct comms *comms);
#endif
