/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_DYNAMIC_EVENT_H
#define FTOP_RECORDER_DYNAMIC_EVENT_H
/*
 * dynamic_event - events that a recording defines, and takes away again: probes of the kernel and of programs, of other
 * events, and synthetic ones.
 *
 * libtracefs defines what it has a call for; what it has none for (synthetic events of a given text, fprobes, probes at
 * tracepoints, the number of a kretprobe's instances) is added to dynamic_events as it was written.
 */
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/error.h"

/**
 * dynamic_event_define() - make an event
 * @root:	tracefs
 * @system:	its group, that of @definition where this has one
 * @name:	its name, as in @definition
 * @definition:	as dynamic_events takes it: "p:my_open do_sys_openat2 $arg2"
 *
 * Return: 0, or -1 with FT_E_IO and errno; the kernel's reason is in error_log.
 */
int dynamic_event_define(const struct tracefs_dir *root, const char *system, const char *name, const char *definition,
			 struct ft_error *err);

/* Take away GROUP/NAME; one that is not there is none.  Return: 0, or -1 with FT_E_IO: EBUSY while it is used. */
int dynamic_event_remove(const struct tracefs_dir *root, const char *group_and_name, struct ft_error *err);
#endif
