/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_RECORDING_RECORD_PROGRESS_H
#define FTOP_SRC_RECORDING_RECORD_PROGRESS_H
/*
 * record_progress - the progress of a recording, parsed from the lines of `ftop-trace record
 * --status-fd` (see recorder/run/status_stream.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/text.h"

#define RECORD_PROGRESS_MAX_CPUS	65536

enum record_phase { RECORD_PREPARES, RECORD_RUNS, RECORD_STOPS, RECORD_ENDED };

struct record_cpu {
	uint64_t	cpu, fill_percent, events, lost;
};

struct record_progress {
	enum record_phase	 phase;
	uint64_t		 pid;		/* the recorder's pid */
	struct text		 file, part;	/* raw bytes: file names, relative to the
						 * recorder's folder */
	uint64_t		 time_ns, bytes, file_bytes, events, events_per_s, lost;
	uint64_t		 needs_kb;	/* buffer size that would have held what was
						 * lost; 0 = nothing was lost */
	uint64_t		 cpu_ns;	/* the recorder's own time on CPUs */
	uint64_t		 judged_ns_ago;	/* how long ago was recorded what --until has
						 * judged; 0 = not known */
	uint64_t		 load_permille;	/* of a CPU, since the status before */
	struct record_cpu	*cpus;		/* owned, [nr_cpus]: sums over all buffers */
	unsigned int		 nr_cpus, cap_cpus;
	uint64_t		 packed_bytes, to_pack_bytes;	/* while compressing */
	struct text		 notes;		/* printable, one per line */
	/* At the end */
	bool			 ok, written;
	bool			 partial;	/* the file has only some of the events */
	uint64_t		 command_status;
	struct text		 stopped_by, error;	/* printable */
};

/* unknown lines are skipped */
void record_progress_line(struct record_progress *progress, const char *line, size_t len);
void record_progress_fini(struct record_progress *progress);
#endif
