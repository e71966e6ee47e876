/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RECORD_STATE_H
#define FTOP_RECORDER_RECORD_STATE_H
/*
 * record_state - what the parts of a recording share: record.c (its course),
 * record_meta.c (what the file says of the machine), record_watch.c (the wait,
 * signals, limits), record_status.c (the status line and stream, the summary).
 */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "recorder/tracefs/clock_reading.h"
#include "recorder/tracefs/command.h"
#include "recorder/tracefs/comms.h"
#include "recorder/run/cpu_reader.h"
#include "recorder/run/exit_names.h"
#include "recorder/run/instance.h"
#include "recorder/journal/journal.h"
#include "recorder/run/max_records.h"
#include "recorder/output/output.h"
#include "recorder/run/record.h"

struct recording {
	const struct record_plan	*plan;
	const struct tracefs_dir	*root;
	struct record_result		*result;
	struct journal			*journal;	/* NULL: nothing shared may be touched */
	struct ft_error			 no_journal;	/* why there is none */
	struct instance			*instances;	/* [plan->nr_buffers]; those without a dir are not used */
	struct exit_names		 exit_names;
	struct clock_reading		 clock_at_start;
	struct output			*output;
	struct output_stream		**streams;	/* [nr_buffers × nr_cpus], NULL: not recorded */
	struct cpu_readers		*readers;
	struct command			 command;
	struct comms			 comms;
	pthread_t			 names_reader;	/* puts names into comms, while names_read */
	bool				 names_read;
	int				 signal_fd;
	uint64_t			 started_ns;	/* CLOCK_MONOTONIC */
	struct instance_stats		*stats;		/* the newest: [nr_buffers × nr_cpus] */
	uint64_t			*peak_bytes;	/* of each: fullest that was seen */
	bool				 latency;	/* the tracer keeps a maximum: its text is what counts */
	bool				 has_max;	/* there was one */
	struct output_stream		**max_streams;	/* [nr_cpus] for its records; NULL: none */
	struct max_header		 max;
	bool				 nothing;	/* the command could not be executed: there is nothing to keep */
	struct text			 stack;		/* the deepest one, as the kernel tells it */
	bool				 warned_lost;
	uint64_t			 packing_told_ns;
	bool				 status_shown;	/* a line without an end stands on the terminal */
	struct status_stream		*status;	/* borrowed; NULL: nobody asked */
	uint64_t			 rate_ns, rate_events;	/* when events were counted last, and how many */
	uint64_t			 events_per_s;	/* since the count before that */
};

static inline uint64_t record_now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* record_meta.c */
void record_meta_names_start(struct recording *r);			/* of all tasks, while others wait for the kernel */
void record_meta_names_wait(struct recording *r);			/* until they are there, if it was started */
int record_meta_begin(struct recording *r, struct ft_error *err);	/* all that output_begin() needs, and it */
int record_meta_kallsyms(struct recording *r, struct ft_error *err);	/* once the file is begun */
int record_meta_btf(struct recording *r, struct ft_error *err);		/* the same; nothing where no arguments are recorded */
void record_meta_end(struct recording *r);				/* what is known at the end alone */
void record_meta_stack(struct recording *r);				/* before tracing is stopped */
void record_meta_comms(struct recording *r, unsigned int ticks);		/* names so far; once a tick */

/* record_watch.c */
int record_watch(struct recording *r, struct ft_error *err);		/* until it is to be stopped */
int record_ended_before_it_began(struct recording *r, struct ft_error *err);	/* -1: a signal came during the set-up */
void record_note_signal(struct recording *r, int signo);		/* one that came, at whatever time */

/* record_status.c */
void record_read_stats(struct recording *r);
void record_status(struct recording *r);				/* the status line, now */
void record_status_end(struct recording *r);
void record_count(struct recording *r);					/* the same, and the rate */
bool record_has_terminal(const struct recording *r);			/* for a status line that is drawn over */
void record_tell_begin(struct recording *r);				/* to the status stream */
void record_tell_status(struct recording *r);
void record_tell_stopped(struct recording *r);
bool record_tell_packing(void *recording, uint64_t done, uint64_t total);	/* for output_tell_packing() */
void record_summary(struct recording *r);
#endif
