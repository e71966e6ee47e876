/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_PROBE_MISSES_H
#define FTOP_RECORDER_TRACEFS_PROBE_MISSES_H
/*
 * probe_misses - hits of the kernel's probes that were counted as missed, and not recorded.
 *
 * A return probe misses a call when maxactive others have not returned yet; any probe misses a hit
 * while another one is handled on the CPU.  The kernel counts both in the last column of
 * kprobe_profile.  It counts none for fprobes and uprobes.
 */
#include <stdint.h>

#include "recorder/tracefs/name_list.h"
#include "recorder/tracefs/tracefs_dir.h"

struct probe_misses {			/* lines of one moment; zeroed: no probes */
	struct name_list	events;		/* of kprobe_events */
	struct name_list	profile;	/* of kprobe_profile, in the same order */
};

/* @misses: zeroed; it stays so where the kernel does not have the files. */
void probe_misses_read(struct probe_misses *misses, const struct tracefs_dir *root);
void probe_misses_fini(struct probe_misses *misses);

/* Hits that all probes of an event have missed since they were defined; 0 if it has no probes. */
uint64_t probe_misses_of(const struct probe_misses *misses, const char *system, const char *name);
/* The events that have probes, "SYSTEM:NAME" each, once.  @events: an empty list. */
void probe_misses_events(const struct probe_misses *misses, struct name_list *events);
#endif
