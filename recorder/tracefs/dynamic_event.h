/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_DYNAMIC_EVENT_H
#define FTOP_RECORDER_TRACEFS_DYNAMIC_EVENT_H
/*
 * dynamic_event - defines events for a recording and removes them again: probes of the kernel, of
 * programs and of other events, and synthetic events.
 *
 * libtracefs defines the kinds that it supports.  The others (synthetic events given as text,
 * fprobes, probes at tracepoints, the number of a kretprobe's instances) are appended to
 * dynamic_events as written.
 */
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/error.h"

/**
 * dynamic_event_define() - define an event
 * @root:	tracefs
 * @system:        its group, the same as in @definition if that has one
 * @name:	its name, as in @definition
 * @definition:    in the syntax of dynamic_events: "p:my_open do_sys_openat2 $arg2"
 *
 * Return: 0, or -1 with FT_E_IO and errno; the kernel's reason is in error_log.
 */
int dynamic_event_define(const struct tracefs_dir *root, const char *system, const char *name,
			 const char *definition, struct ft_error *err);

/*
 * Remove GROUP/NAME; success if it does not exist.  Return: 0, or -1 with FT_E_IO: EBUSY while it
 * is in use.
 */
int dynamic_event_remove(const struct tracefs_dir *root, const char *group_and_name,
			 struct ft_error *err);
#endif
