/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MAIN_SET_UP_H
#define FTOP_SRC_MAIN_SET_UP_H
/*
 * set_up - what is done before a command reads a trace: rights are dropped, the processes of
 * libraries are started, the user's own events are read.
 */
#include <stdbool.h>

#include "src/base/error.h"
#include "src/base/options.h"
#include "src/sandbox/confine.h"

/* Read the folder events.  false, with a message: there is a mistake in a file. */
bool set_up_events(struct ft_error *err);

/* Check the events that come with the program.  -1, with a message. */
int set_up_check_events(struct ft_error *err);

/*
 * Open the files, under sudo as root, then become the user who called sudo.  @follows: a pipe is
 * not read to its end here.
 */
int set_up_rights_of_user(const char *const *paths, unsigned int nr, bool follows,
			  struct ft_error *err);

/* The same; before, what these files need root's rights for is opened: the kernel's symbols. */
int set_up_rights(const char *const *paths, unsigned int nr, bool follows, struct ft_error *err);

/* The file of --formats, or NULL.  The running kernel's are read here, with root's rights. */
int set_up_formats(const struct option_list *list, const char **path, struct ft_error *err);

/* Warn of what the kernel could not confine; only root is warned. */
void set_up_tell_missing(struct confine in_force);

/* Start the process that starts helpers and creates temporary files: a confined one cannot. */
void set_up_helpers(void);

/* Who names functions of user space, and where their files are: --sysroot. */
void set_up_names(const struct option_list *list);
#endif
