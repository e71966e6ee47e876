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

#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/text.h"

struct probe_misses {			/* the files of one moment; zeroed: no probes */
	struct text	events, profile;	/* kprobe_events, kprobe_profile: the same order */
};

/* Read the files, instead of what was read before.  Nothing where the kernel does not have them. */
void probe_misses_read(struct probe_misses *misses, const struct tracefs_dir *root);
void probe_misses_fini(struct probe_misses *misses);

/* What all probes of an event have missed since they were defined; 0 if it has none. */
uint64_t probe_misses_of(const struct probe_misses *misses, const char *system, const char *name);
#endif
