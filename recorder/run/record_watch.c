/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_watch - waits while a recording runs: for the command, signals, limits. */
#include "recorder/run/record_state.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "recorder/plan/plan_pids.h"
#include "src/base/text.h"

#define TICK_NS		1000000000ull
/* how often readers of the file learn what is in it; with -s, twice in that time if more often */
#define UPDATE_NS	(RECORD_EVENTS_MS * 1000000ull)
#define UPDATE_LEAST_NS	50000000ull
/* interval of a status line that is not on a terminal, or on one that the command also writes to */
#define PLAIN_TICKS	10

/* --- the tick --------------------------------------------------------------------------------- */

static void run_tick(struct recording *r, unsigned int nr)
{
	bool lost_now;

	record_count(r);
	record_steal_look(r);
	record_meta_comms(r, nr);
	lost_now = r->result->lost && !r->warned_lost;
	r->warned_lost |= lost_now;
	record_tell_status(r);
	if (r->plan->quiet || r->status)
		return;
	/* report lost events at once */
	if (record_has_terminal(r) || lost_now || nr % PLAIN_TICKS == 0)
		record_status(r);
}

/* --- why it stops ----------------------------------------------------------------------------- */

void record_stop_instances(struct recording *r)
{
	if (r->census && !r->is_stopped)
		census_stop(r->census);
	r->is_stopped = true;
	/* first: the kernel kills what timerlat wakes when tracing stops */
	measure_end(&r->measuring, &r->result->notes);
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->instances[b].name)
			instance_stop(&r->instances[b]);
}

static void stop_tracing(struct recording *r, const char *why)
{
	char *by = r->result->stopped_by;

	if (!by[0])
		snprintf(by, sizeof(r->result->stopped_by), "%s", why);
	record_stop_instances(r);
}

/*
 * With Ctrl-C the user stops a recording as intended; other signals come from someone who should
 * learn that it did not end by itself.
 */
static void note_signal(struct recording *r, int signo)
{
	r->signal = signo;
	if (signo != SIGINT)
		r->result->told_to_end = signo;
}

int record_take_signal(struct recording *r)
{
	struct signalfd_siginfo info;

	while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD) {
			note_signal(r, (int)info.ssi_signo);
			return (int)info.ssi_signo;
		}
	return 0;
}

bool record_hurries(void *recording)
{
	struct recording *r = recording;

	while (record_take_signal(r))
		r->hurries = r->result->interrupted = true;
	return r->hurries;
}

int record_ended_before_it_began(struct recording *r, struct ft_error *err)
{
	int signo = r->signal ? r->signal : record_take_signal(r);

	return signo ? ft_error_set(err, FT_E_CANCELLED, -1,
				    "received %s before the recording began: nothing was recorded",
				    text_signal_name(signo)) :
		       0;
}

/*
 * Ctrl-C goes to the command first: the terminal sends it to both processes, kill(1) only to us.
 * Return: true to stop now.
 */
static bool take_signal(struct recording *r, unsigned int *interrupts)
{
	struct signalfd_siginfo info;
	char why[64];

	if (read(r->signal_fd, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo == SIGCHLD)
		return false;
	note_signal(r, (int)info.ssi_signo);
	snprintf(why, sizeof(why), "%s", text_signal_name((int)info.ssi_signo));
	if (info.ssi_signo == SIGINT && r->command.pid && !r->command.ended && !(*interrupts)++) {
		if (info.ssi_code <= 0)
			kill(r->command.pid, SIGINT);
		return false;
	}
	r->hurries = info.ssi_signo != SIGINT;
	stop_tracing(r, why);
	if (r->command.pid && !r->command.ended && info.ssi_signo != SIGINT)
		kill(r->command.pid, (int)info.ssi_signo);
	return true;
}

static bool command_is_done(struct recording *r)
{
	return r->plan->command && command_poll(&r->command);
}

/* A trigger (traceoff) may have stopped tracing. */
static bool stopped_by_kernel(const struct recording *r)
{
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->instances[b].name && instance_is_on(&r->instances[b]))
			return false;
	return true;
}

static bool any_alive(const struct name_list *pids)
{
	for (size_t i = 0; i < pids->nr; i++)
		if (plan_pids_alive(pids->names[i]))
			return true;
	return false;
}

/*
 * The kernel adds children to its list of pids and removes those that end, but keeps pids that had
 * ended before they were added.
 */
static bool any_child_alive(const struct recording *r)
{
	bool found = false;

	for (size_t b = 0; b < r->plan->nr_buffers && !found; b++) {
		struct name_list pids = { 0 };

		if (!r->instances[b].name)
			continue;
		found = tracefs_dir_read_words(&r->instances[b].dir, "set_event_pid", &pids,
					       NULL) ||
			any_alive(&pids);
		name_list_fini(&pids);
	}
	return found;
}

/* With -P, no more events can come when all these tasks, and with -c their children, have ended. */
static bool tasks_have_ended(const struct recording *r)
{
	if (!r->plan->pids.nr || r->plan->command)
		return false;
	return !any_alive(&r->plan->pids) && !(r->plan->children && any_child_alive(r));
}

static bool limit_reached(struct recording *r, uint64_t now)
{
	if (r->plan->duration_ns && now - r->started_ns >= r->plan->duration_ns)
		stop_tracing(r, "--duration");
	else if (r->plan->max_bytes && output_bytes(r->output) >= r->plan->max_bytes)
		stop_tracing(r, "--size");
	else
		return false;
	return true;
}

/*
 * Milliseconds to sleep: until the tick, or an earlier limit.  @linger_end: 0 while the command
 * runs.
 */
static int wait_ms(const struct recording *r, uint64_t now, uint64_t next_tick, uint64_t linger_end)
{
	uint64_t until = next_tick, end = r->started_ns + r->plan->duration_ns;

	if (r->plan->duration_ns && end < until)
		until = end;
	if (linger_end && linger_end < until)
		until = linger_end;
	if (r->plan->max_bytes && until > now + 50000000)
		until = now + 50000000;
	return until <= now ? 0 : (int)((until - now + 999999) / 1000000);
}

/* Return: true if the reader of the status stream wants the recording to end. */
static bool reader_asks_stop(struct recording *r)
{
	const char *why;

	if (!status_stream_asks_stop(r->status, &why))
		return false;
	stop_tracing(r, why);
	if (r->command.pid && !r->command.ended)
		kill(r->command.pid, SIGTERM);
	return true;
}

/* As of a limit: the command continues. */
static bool judge_stops(struct recording *r)
{
	const char *why;

	if (!record_judge_stops(r, &why))
		return false;
	stop_tracing(r, why);
	return true;
}

static uint64_t update_ns(const struct recording *r)
{
	uint64_t half = r->plan->interval_us * 500ull;

	return !half || half > UPDATE_NS ? UPDATE_NS :
	       half < UPDATE_LEAST_NS    ? UPDATE_LEAST_NS :
					   half;
}

int record_watch(struct recording *r, struct ft_error *err)
{
	struct pollfd fds[] = {
		{ .fd = cpu_readers_failed_fd(r->readers), .events = POLLIN },
		{ .fd = r->signal_fd, .events = POLLIN },
		{ .fd = status_stream_fd(r->status), .events = POLLIN },
		{ .fd = r->command.pid ? r->command.pidfd : -1, .events = POLLIN },
		{ .fd = r->judge.fd, .events = POLLIN },
	};
	uint64_t next_tick = r->started_ns + TICK_NS, next_update = r->started_ns + update_ns(r);
	uint64_t linger_end = 0, now, next_look;
	unsigned int ticks = 0, interrupts = 0;

	if (r->hurries)			/* it came while the command began */
		stop_tracing(r, text_signal_name(r->signal));
	while (!r->hurries) {
		now = record_now_ns(CLOCK_MONOTONIC);
		if (!linger_end && command_is_done(r)) {
			linger_end = now + r->plan->linger_ns;
			fds[3].fd = -1;		/* it would stay readable */
		}
		if ((linger_end && now >= linger_end) || limit_reached(r, now) || judge_stops(r) ||
		    reader_asks_stop(r))
			return 0;
		if (now >= next_update) {
			next_update = now + update_ns(r);
			record_meta_census_more(r);
			record_events_look(r);
			record_meta_late_formats(r);
			if (output_update(r->output, err))
				return -1;
		}
		if (now >= next_tick) {
			next_tick = now + TICK_NS;
			run_tick(r, ++ticks);
			if (stopped_by_kernel(r)) {
				stop_tracing(r, "the kernel (a trigger or a write to tracing_on)");
				return 0;
			}
			if (tasks_have_ended(r)) {
				stop_tracing(r, "the end of the tasks of -P");
				return 0;
			}
		}
		next_look = record_maps_look(r, now);
		if (poll(fds, sizeof(fds) / sizeof(fds[0]),
			 wait_ms(r, now, next_update < next_look ? next_update : next_look,
				 linger_end)) <= 0)
			continue;
		/* cpu_readers_stop() reports the failure */
		if (fds[0].revents)
			return 0;
		if (fds[1].revents && take_signal(r, &interrupts))
			return 0;
		fds[2].fd = status_stream_fd(r->status);
	}
	return 0;
}
