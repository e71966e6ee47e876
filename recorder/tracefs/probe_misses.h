/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_PROBE_MISSES_H
#define FTOP_RECORDER_TRACEFS_PROBE_MISSES_H
/*
 * probe_misses - hits that the kernel says it missed, and did not record: of probes, with their
 * number; of functions that recursed, their names.
 *
 * A return probe misses a call when maxactive others have not returned yet; any probe misses a hit
 * while another one is handled on the CPU.  The kernel counts both in the last column of
 * kprobe_profile.  It counts none for fprobes and uprobes.
 *
 * A function that the kernel calls while it traces one on the same CPU is left out, or tracing
 * would not end.  recursed_functions has each once since boot, as "PARENT:<tab>FUNCTION", and no
 * more than some 128: kernel/trace/trace_recursion_record.c.
 */
#include <stdint.h>

#include "recorder/tracefs/name_list.h"
#include "recorder/tracefs/tracefs_dir.h"

struct probe_misses {			/* lines of one moment; zeroed: no probes */
	struct name_list	events;		/* of kprobe_events */
	struct name_list	profile;	/* of kprobe_profile, in the same order */
	struct name_list	recursed;	/* of recursed_functions */
};

/* @misses: zeroed; it stays so where the kernel does not have the files. */
void probe_misses_read(struct probe_misses *misses, const struct tracefs_dir *root);
void probe_misses_fini(struct probe_misses *misses);

/* Hits that all probes of an event have missed since they were defined; 0 if it has no probes. */
uint64_t probe_misses_of(const struct probe_misses *misses, const char *system, const char *name);
/* The events that have probes, "SYSTEM:NAME" each, once.  @events: an empty list. */
void probe_misses_events(const struct probe_misses *misses, struct name_list *events);

/* Append a line about functions that recursed between two moments for the first time. */
void probe_misses_recursed(const struct probe_misses *before, const struct probe_misses *after,
			   struct text *out);
#endif
