/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_RECORD_STATE_H
#define FTOP_RECORDER_RUN_RECORD_STATE_H
/*
 * record_state - shared by the parts of a recording: record.c (its steps), record_meta.c (the
 * machine's metadata), record_watch.c (waiting, signals, limits), record_status.c (the status line
 * and stream, the summary) and others.
 */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "recorder/run/census_clock.h"
#include "recorder/tracefs/command.h"
#include "recorder/tracefs/comms.h"
#include "recorder/tracefs/last_boot.h"
#include "recorder/tracefs/saved_boot.h"
#include "recorder/tracefs/probe_misses.h"
#include "recorder/run/census.h"
#include "recorder/run/cpu_reader.h"
#include "recorder/run/exit_names.h"
#include "recorder/run/instance.h"
#include "recorder/run/judge_link.h"
#include "recorder/journal/journal.h"
#include "recorder/run/max_records.h"
#include "recorder/run/measure.h"
#include "recorder/output/output.h"
#include "recorder/run/record.h"
#include "recorder/run/steal_watch.h"
#include "src/base/await.h"

struct user_maps;

struct record_maps {			/* record_maps.c */
	struct user_maps		*seen;		/* owned; NULL: not wanted */
	struct census_clock		 clock;
	bool				 has_clock;
	uint64_t			 next_command_ns, next_all_ns, next_new_ns;
	uint64_t			 interval_ns;	/* between looks at the command */
};

struct record_steal {			/* record_steal.c */
	struct steal_watch		 watch;
	struct census_clock		 clock;
	bool				 has_clock, is_wanted;
};

struct names_reader;

struct recording {
	const struct record_plan	*plan;
	const struct tracefs_dir	*root;
	struct record_result		*result;
	struct journal			*journal;	/* NULL: nothing shared may be changed */
	struct ft_error			 no_journal;	/* why there is no journal */
	struct instance			*instances;	/* [plan->nr_buffers]; an unused one has
							 * no name */
	struct exit_names		 exit_names;
	struct measuring		 measuring;
	struct clock_reading		 clock_at_start;
	struct census			*census;	/* NULL = none */
	struct output_file			*output;
	struct output_stream		**streams;	/* [nr_buffers × nr_cpus], NULL = not
							 * recorded */
	struct cpu_readers		*readers;
	const struct watcher		*watcher;	/* borrowed */
	struct traced_command		 command;
	struct comms			 comms;
	struct names_reader		*names_reader;	/* finds those for comms; NULL: it has */
	int				 signal_fd;
	int				 signal;	/* the last that was taken; 0 = none */
	bool				 hurries;	/* a signal ends it, or came later: who does
							 * nothing is not waited for */
	struct await			 await;		/* how long helpers are waited for */
	uint64_t			 started_ns;	/* CLOCK_MONOTONIC */
	bool				 is_stopped;	/* tracing, by us */
	struct instance_stats		*stats;		/* the newest: [nr_buffers × nr_cpus] */
	bool				 latency;	/* the tracer keeps a maximum: its text
							 * is the result */
	bool				 has_max;	/* the tracer found a maximum */
	struct output_stream		**max_streams;	/* [nr_cpus] for the maximum's records;
							 * NULL = none */
	struct max_header		 max;
	bool				 nothing;	/* the command could not be executed:
							   there is nothing to keep */
	struct text			 stack;		/* the deepest stack, as the kernel shows
							 * it */
	struct probe_misses		 misses_before;	/* when tracing started */
	struct probe_misses		 misses_after;	/* when it had stopped */
	struct name_list		 late_events;	/* "system:event": registered meanwhile */
	struct text			 late_notes;	/* lines: what may be missing in the file */
	bool				 hides_functions;	/* those of our own tasks */
	struct text			 hists;		/* the kernel's histograms */
	struct text			 hist_drops;	/* lines: hits that are in none */
	bool				 extracts;	/* somebody else filled the buffer, with
							 * any events */
	bool				 snapshot;	/* it is a snapshot: the kernel's counters
							 * are not about it */
	const struct last_boot		*last_boot;	/* borrowed; NULL: it is of this boot */
	const struct saved_boot		*saved_boot;	/* borrowed: what is known of that boot */
	bool				 same_kernel;	/* the user says that this boot's formats
							 * are those of that boot, too */
	struct text			 events_seen;	/* set_event of buffers with events of
							 * modules, when it was read last */
	struct text			 unsure;	/* lines: what may be wrong in the file */
	bool				 warned_lost;
	uint64_t			 packing_told_ns;
	bool				 left_unpacked;	/* because of: */
	atomic_bool			 stop_packing;	/* for the thread that packs */
	bool				 status_shown;	/* the terminal shows a line without a
							 * newline */
	struct status_stream		*status;	/* borrowed; NULL = none */
	struct judge_link		 judge;
	struct record_maps		 maps;
	struct record_steal		 steal;
	uint64_t			 rate_ns, rate_events;	/* time and number of events at
								 * the last count */
	uint64_t			 events_per_s;	/* between the last two counts */
};

static inline uint64_t record_now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Is the buffer needed?  "-B foo -e sched" does not need the unnamed one. */
bool record_uses(const struct record_plan *plan, size_t b);

/* --- record_meta.c, in the order of a recording --- */

/* Begin to collect the names of all tasks, in a thread beside the set-up; wait for its end. */
void record_meta_names_start(struct recording *r);
void record_meta_names_wait(struct recording *r);
/* Give the output all that output_begin() needs, and call that. */
int record_meta_begin(struct recording *r, struct ft_error *err);
/* The name of the trace clock.  To be freed. */
char *record_meta_clock(const struct recording *r);
/* Tell readers which tasks and CPUs will be recorded: tracing has not begun. */
void record_meta_recorded(struct recording *r);
/* Begin to look at who the tasks are: tracing has begun. */
void record_meta_census_begin(struct recording *r);
/* Give the output what has been found of them since. */
void record_meta_census_more(struct recording *r);
/*
 * Write the symbols, and BTF if arguments of functions are recorded: after record_meta_begin().  A
 * failure is only noted: a trace without symbols is better than none.
 */
void record_meta_symbols(struct recording *r);
/* Collect names; once per tick. */
void record_meta_comms(struct recording *r, unsigned int ticks);
/* Write an event's format to the output. */
void record_meta_format(struct recording *r, const char *system, const char *name);
/*
 * Find formats of modules loaded since the start, and write those that are not in the file.  Call
 * it before readers of the file see the records, and at the end.
 */
void record_meta_late_formats(struct recording *r);
/* Keep the deepest stack, also as lines of the trace: before tracing is stopped. */
void record_meta_stack(struct recording *r);
/* Give the output the metadata that is only known at the end. */
void record_meta_end(struct recording *r);

/* --- record_watch.c --- */

/* Wait until the recording should stop. */
int record_watch(struct recording *r, struct ft_error *err);
/* -1 with the reason: a signal came during the set-up. */
int record_ended_before_it_began(struct recording *r, struct ft_error *err);
void record_stop_instances(struct recording *r);
/* Take and remember the next signal, but for SIGCHLD.  0: none has come. */
int record_take_signal(struct recording *r);
/* For struct await: has a signal come? */
bool record_hurries(void *recording);

/* --- record_judge.c: nothing of it without --until --- */

/* Let the judge open the file, and wait until it says that recording may begin.  -1: why not. */
int record_judge_begin(struct recording *r, struct ft_error *err);
/* Has it said that the recording is to stop, or ended?  @why: for the summary. */
bool record_judge_stops(struct recording *r, const char **why);
/* All that was recorded is in the file: wait for the last hits. */
void record_judge_end(struct recording *r);

/* --- record_maps.c: nothing of it, if no addresses of user space are recorded --- */

bool record_maps_wanted(const struct record_plan *plan);
/* To call when tracing has begun. */
void record_maps_begin(struct recording *r);
/* Look at processes, if it is time to.  Return: CLOCK_MONOTONIC of the next look. */
uint64_t record_maps_look(struct recording *r, uint64_t now);
/* Look a last time, and append the block to our section.  @at_end: the clocks, now */
void record_maps_end(struct recording *r, const struct clock_reading *at_end, struct text *out);
void record_maps_fini(struct recording *r);

/* --- record_steal.c: nothing of it with --no-who --- */

/* To call when tracing has begun; then once per tick, and when tracing has stopped. */
void record_steal_begin(struct recording *r);
void record_steal_look(struct recording *r);
/* Append the lines of the block "machine".  @at_end: the clocks, now */
void record_steal_lines(struct recording *r, const struct clock_reading *at_end, struct text *out);
/* --- record_events.c --- */

/* Time between looks at the events that programs register. */
#define RECORD_EVENTS_MS	250u
/* Enable those that are new, and keep their formats. */
void record_events_look(struct recording *r);

/* --- record_hists.c --- */

/* Keep the histograms of the kernel: as soon as tracing has stopped, since they go on counting. */
void record_hists_read(struct recording *r);

/* --- record_status.c --- */

/* Read the counters of the CPUs; record_count() also computes the rate. */
void record_read_stats(struct recording *r);
void record_count(struct recording *r);
/* Show the status line; end the line that is shown. */
void record_status(struct recording *r);
void record_status_end(struct recording *r);
/* Say on stderr what ends the recording. */
void record_say_begin(const struct recording *r);
/* Is there a terminal for a status line that is overwritten? */
bool record_has_terminal(const struct recording *r);
/* Write a line to the status stream; the last one is for output_tell_packing(). */
void record_tell_begin(struct recording *r);
void record_tell_status(struct recording *r);
void record_tell_stopped(struct recording *r);
bool record_tell_packing(void *recording, uint64_t done, uint64_t total);
/* Fill in result->summary; add the size of the finished file, if it is much more than the data. */
void record_summary(struct recording *r);
void record_summary_size(struct recording *r);
#endif
