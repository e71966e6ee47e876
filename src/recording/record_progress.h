/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_RECORD_PROGRESS_H
#define FTOP_SRC_RECORD_PROGRESS_H
/*
 * record_progress - how a recording goes, as `ftop-trace record --status-fd` tells it line by line (the lines are drawn
 * in recorder/run/status_stream.h).
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
	uint64_t		 pid;		/* of the recorder */
	struct text		 file, part;	/* as bytes: names of files, in the folder the recorder was started in */
	uint64_t		 time_ns, bytes, events, events_per_s, lost;
	uint64_t		 needs_kb;	/* the buffer that would have held what was lost; 0: nothing was */
	struct record_cpu	*cpus;		/* owned, [nr_cpus]: of all buffers */
	unsigned int		 nr_cpus, cap_cpus;
	uint64_t		 packed_bytes, to_pack_bytes;	/* while it is compressed */
	struct text		 notes;		/* printable, a line each */
	/* at the end */
	bool			 ok, written;
	bool			 partial;	/* the file holds some of the events alone */
	uint64_t		 command_status;
	struct text		 stopped_by, error;	/* printable */
};

void record_progress_line(struct record_progress *progress, const char *line, size_t len);	/* others are passed over */
void record_progress_fini(struct record_progress *progress);
#endif
