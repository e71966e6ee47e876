/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_OWNER_H
#define FTOP_RECORDER_OWNER_H
/*
 * owner - the name of a process that no other one ever gets while this machine
 * runs: ftop-PID-STARTTIME, the second as in field 22 of /proc/PID/stat.  Our
 * instances and journals are called so.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/error.h"

#define OWNER_NAME_BYTES	64
#define OWNER_BOOT_BYTES	64

/* The name of this process. */
int owner_name(char *name, size_t size, struct ft_error *err);

/* "ftop-PID-START" and nothing else. */
bool owner_parse(const char *name, int *pid, unsigned long long *start);

/* Whether such a process is seen from here.  One of another pid namespace is not.  @proc: "/proc", but for tests. */
bool owner_is_seen(const char *proc, int pid, unsigned long long start);

/* The kernel's word for the time since it was started; "-" where it does not tell.  Returns @boot. */
const char *owner_boot_id(char boot[OWNER_BOOT_BYTES]);
#endif
