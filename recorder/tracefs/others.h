/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_OTHERS_H
#define FTOP_RECORDER_OTHERS_H
/*
 * others - whether somebody else uses tracefs now: what all instances share, the
 * kernel's list of task names above all, is then not ours to make anew.
 */
#include <stdbool.h>
#include <stddef.h>
#include "recorder/tracefs/tracefs_dir.h"

/* The first event that is enabled in the top instance, or NULL; owned. */
char *others_top_event(const struct tracefs_dir *root);

/**
 * others_trace() - an instance that is not ours, or something set in the top one
 * @ours: how many of the instances there are now are the caller's own; the top one must not be in use by it
 *
 * One that stands still counts, too: it may hold records whose tasks' names have not been read yet.
 */
bool others_trace(const struct tracefs_dir *root, size_t ours);
#endif
