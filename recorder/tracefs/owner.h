/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_OWNER_H
#define FTOP_RECORDER_TRACEFS_OWNER_H
/*
 * owner - a name for this process that no other process gets while this machine runs:
 * ftop-PID-STARTTIME, with the start time from field 22 of /proc/PID/stat.  Our instances and
 * journals have this name; the instance for the names of tasks that end has OWNER_NAMES behind it.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/error.h"

#define OWNER_NAME_BYTES	64
#define OWNER_NAMES		"-names"
#define OWNER_BOOT_BYTES	64

/* The name of this process. */
int owner_name(char *name, size_t size, struct ft_error *err);

/* Parse "ftop-PID-START", also with OWNER_NAMES; false if there is anything else. */
bool owner_parse(const char *name, int *pid, unsigned long long *start);

/*
 * Is the process visible here?  A process of another pid namespace is not.  @proc: "/proc", except
 * in tests.
 */
bool owner_is_seen(const char *proc, int pid, unsigned long long start);

/* The kernel's id of the current boot; "-" if it is not available.  Return: @boot. */
const char *owner_boot_id(char boot[OWNER_BOOT_BYTES]);
#endif
