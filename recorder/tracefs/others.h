/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_OTHERS_H
#define FTOP_RECORDER_TRACEFS_OTHERS_H
/*
 * others - detects whether someone else uses tracefs now; then we must not reset what all instances
 * share, above all the kernel's list of task names.
 */
#include <stdbool.h>
#include <stddef.h>
#include "recorder/tracefs/tracefs_dir.h"

/* The first event that is enabled in the top instance, or NULL; owned. */
char *others_top_event(const struct tracefs_dir *root);

/**
 * others_trace() - is there an instance that is not ours, or anything set in the top one?
 * @ours: number of the caller's own instances; it must not use the top one
 *
 * An instance that is stopped counts, too: it may hold records whose tasks' names have not been
 * read yet.
 */
bool others_trace(const struct tracefs_dir *root, size_t ours);
#endif
