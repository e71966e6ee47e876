/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_MONITORS_H
#define FTOP_RECORDER_TRACEFS_MONITORS_H
/*
 * monitors - the monitors of the kernel's runtime verification, in the folder rv of tracefs.
 *
 * A monitor compares what the kernel does with a model.  Since Linux 6.15 monitors are nested, one
 * level deep: "sched:sco" is the monitor sco in the container sched, which only stands for its
 * monitors.  Names are unique whatever their container is.  See the kernel's
 * Documentation/trace/rv/runtime-verification.rst.
 */
#include "recorder/tracefs/name_list.h"
#include "recorder/tracefs/tracefs_dir.h"

#define MONITORS_AVAILABLE	"rv/available_monitors"
#define MONITORS_ON		"rv/monitoring_on"	/* 0: no monitor looks at anything */
#define MONITORS_CONFIG		"RV"			/* the kernel's option */

/*
 * The monitors of this kernel: "wip", "sched", "sched:sco".  Call name_list_fini() even after a
 * failure.
 */
int monitors_read(const struct tracefs_dir *root, struct name_list *available,
		  struct ft_error *err);

/*
 * Append the monitors that a name stands for: "sco" and "sched:sco" for sched:sco, "sched" for all
 * in it.  False: there is none.
 */
bool monitors_find(const struct name_list *available, const char *name, struct name_list *found);

/* "sco" of "sched:sco": as the names of its events have it */
const char *monitors_own_name(const char *name);

/* Is "event_sco", "error_sco" or "error_env_sco" the event of a monitor? */
bool monitors_has_event(const char *name, const char *event);

/*
 * Path of a file of a monitor, MONITORS_FILE("sched:sco", "enable"), valid in the block where it
 * stands.
 */
#define MONITORS_FILE(name, file) monitors_file((char[TRACEFS_TEXT_BYTES]){ 0 }, name, file)
const char *monitors_file(char path[static TRACEFS_TEXT_BYTES], const char *name, const char *file);

/* Is it enabled? */
bool monitors_is_enabled(const struct tracefs_dir *root, const char *name);
#endif
