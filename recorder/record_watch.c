/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_watch - the wait while a recording runs: command, signals, limits, status line; and the summary. */
#include "recorder/record_state.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/memory.h"

#define TICK_NS		1000000000ull
#define COMMS_TICKS	5		/* names are looked up again so often */
#define PLAIN_TICKS	10		/* of a status line that is not on a terminal */
#define WAIT_COMMAND_NS	1000000000ull	/* after SIGTERM and SIGHUP, which were passed on */

/* --- counters ------------------------------------------------------------------------------------------ */

void record_read_stats(struct recording *r)
{
	unsigned int nr = r->plan->nr_cpus;

	r->result->events = r->result->lost = 0;
	for (size_t i = 0; i < r->plan->nr_buffers * nr; i++) {
		if (!r->streams[i])
			continue;
		instance_read_stats(&r->instances[i / nr], (int)(i % nr), &r->stats[i]);
		r->result->events += r->stats[i].read + r->stats[i].entries;
		r->result->lost += r->stats[i].lost;
		if (r->stats[i].bytes > r->peak_bytes[i])
			r->peak_bytes[i] = r->stats[i].bytes;
	}
	r->result->bytes = output_bytes(r->output);
}

/* The least -b, in KiB, that would have held what was lost where most was lost; 0: nothing was. */
static uint64_t size_that_holds(const struct recording *r)
{
	unsigned int nr = r->plan->nr_cpus;
	uint64_t best = 0;

	for (size_t i = 0; i < r->plan->nr_buffers * nr; i++) {
		const struct instance_stats *s = &r->stats[i];
		uint64_t kept = s->read + s->entries, kb, rounded = 1024;

		if (!r->streams[i] || !s->lost)
			continue;
		kb = instance_size_kb(&r->instances[i / nr]);
		kb += (uint64_t)((double)kb * (double)s->lost / (double)(kept ? kept : 1));
		while (rounded < kb)
			rounded *= 2;
		if (rounded > best)
			best = rounded;
	}
	return best;
}

/* --- the status line ---------------------------------------------------------------------------------- */

static void add_size(struct text *t, uint64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double v = (double)bytes;
	size_t u = 0;

	for (; v >= 1000 && u < 4; u++)
		v /= 1000;
	text_printf(t, u ? "%.1f %s" : "%.0f %s", v, units[u]);
}

static void add_fill(const struct recording *r, struct text *t)
{
	unsigned int nr = r->plan->nr_cpus, shown = 0, worst = 0, worst_cpu = 0;

	for (size_t i = 0; i < r->plan->nr_buffers * nr; i++) {
		uint64_t size = r->streams[i] ? instance_size_kb(&r->instances[i / nr]) << 10 : 0;
		unsigned int percent = size ? (unsigned int)(r->stats[i].bytes * 100 / size) : 0;

		if (!size)
			continue;
		if (percent >= worst) {
			worst = percent;
			worst_cpu = (unsigned int)(i % nr);
		}
		if (nr <= 4 && i < nr) {
			text_printf(t, "  CPU %u %u %%", (unsigned int)i, percent);
			shown++;
		}
	}
	if (!shown)
		text_printf(t, "  fullest: CPU %u %u %%", worst_cpu, worst);
}

static void add_lost(const struct recording *r, struct text *t)
{
	uint64_t kb = size_that_holds(r);

	text_add(t, "  lost ");
	text_count(t, r->result->lost);
	if (kb)
		text_printf(t, ": -b %" PRIu64 "M would hold them", kb >> 10);
}

static void add_status(struct recording *r, struct text *t)
{
	uint64_t ns = record_now_ns(CLOCK_MONOTONIC) - r->started_ns;
	uint64_t rate = ns ? (uint64_t)((double)r->result->events * 1e9 / (double)ns) : 0;

	text_printf(t, "rec %02" PRIu64 ":%02" PRIu64 "  ", ns / 1000000000 / 60, ns / 1000000000 % 60);
	add_size(t, r->result->bytes);
	text_add(t, "  ");
	text_count(t, rate);
	text_add(t, "/s");
	add_fill(r, t);
	add_lost(r, t);
}

/* On a terminal that a command writes to as well the line would stand in the middle of its output. */
static bool has_terminal(const struct recording *r)
{
	return isatty(STDERR_FILENO) && !r->plan->command;
}

void record_status(struct recording *r)
{
	struct text t = { 0 };
	struct winsize size;

	add_status(r, &t);
	if (has_terminal(r)) {
		if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 1 && t.len >= size.ws_col)
			t.data[size.ws_col - 1] = '\0';
		fprintf(stderr, "\r%s\033[K", text_str(&t));
		r->status_shown = true;
	} else {
		fprintf(stderr, "ftop-trace: %s\n", text_str(&t));
	}
	fflush(stderr);
	text_fini(&t);
}

void record_status_end(struct recording *r)
{
	if (r->status_shown)
		fputc('\n', stderr);
	r->status_shown = false;
}

static void tick(struct recording *r, unsigned int nr)
{
	bool lost_now;

	record_read_stats(r);
	if (nr % COMMS_TICKS == 0)
		record_meta_comms(r);
	lost_now = r->result->lost && !r->warned_lost;
	r->warned_lost |= lost_now;
	if (r->plan->quiet)
		return;
	/* that events are lost is said at once */
	if (has_terminal(r) || lost_now || (!isatty(STDERR_FILENO) && nr % PLAIN_TICKS == 0))
		record_status(r);
}

/* --- why it stops -------------------------------------------------------------------------------------- */

static void stop(struct recording *r, const char *why)
{
	if (!r->stopped_by[0])
		snprintf(r->stopped_by, sizeof(r->stopped_by), "%s", why);
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->instances[b].dir)
			instance_stop(&r->instances[b]);
}

/* Ctrl-C goes to the command first: the terminal sends it to both, kill(1) to us alone.  True: stop now. */
static bool take_signal(struct recording *r, unsigned int *interrupts)
{
	struct signalfd_siginfo info;
	char why[64];

	if (read(r->signal_fd, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo == SIGCHLD)
		return false;
	snprintf(why, sizeof(why), "SIG%s", sigabbrev_np((int)info.ssi_signo));
	if (info.ssi_signo == SIGINT && r->command.pid && !r->command.ended && !(*interrupts)++) {
		if (info.ssi_code <= 0)
			kill(r->command.pid, SIGINT);
		return false;
	}
	stop(r, why);
	if (r->command.pid && !r->command.ended && info.ssi_signo != SIGINT)
		kill(r->command.pid, (int)info.ssi_signo);
	return true;
}

static bool command_is_done(struct recording *r)
{
	return r->plan->command && command_poll(&r->command);
}

/* A trigger (traceoff) may have stopped it. */
static bool stopped_by_kernel(const struct recording *r)
{
	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		if (r->instances[b].dir && instance_is_on(&r->instances[b]))
			return false;
	return true;
}

static bool limit_reached(struct recording *r, uint64_t now)
{
	if (r->plan->duration_ns && now - r->started_ns >= r->plan->duration_ns)
		stop(r, "--duration");
	else if (r->plan->max_bytes && output_bytes(r->output) >= r->plan->max_bytes)
		stop(r, "--size");
	else
		return false;
	return true;
}

/* Milliseconds to sleep: until the tick, or an earlier limit. */
static int wait_ms(const struct recording *r, uint64_t now, uint64_t next_tick)
{
	uint64_t until = next_tick, end = r->started_ns + r->plan->duration_ns;

	if (r->plan->duration_ns && end < until)
		until = end;
	if (r->plan->max_bytes && until > now + 50000000)
		until = now + 50000000;
	return until <= now ? 0 : (int)((until - now + 999999) / 1000000);
}

static void linger(struct recording *r, struct pollfd *fds)
{
	uint64_t end = record_now_ns(CLOCK_MONOTONIC) + r->plan->linger_ns, now;
	unsigned int interrupts = 1;

	while ((now = record_now_ns(CLOCK_MONOTONIC)) < end)
		if (poll(fds, 2, (int)((end - now + 999999) / 1000000)) > 0 && fds[1].revents && take_signal(r, &interrupts))
			return;
}

int record_watch(struct recording *r, struct ft_error *err)
{
	struct pollfd fds[] = {
		{ .fd = cpu_readers_failed_fd(r->readers), .events = POLLIN },
		{ .fd = r->signal_fd, .events = POLLIN },
		{ .fd = r->command.pidfd, .events = POLLIN },
	};
	uint64_t next_tick = r->started_ns + TICK_NS, now;
	unsigned int ticks = 0, interrupts = 0;

	for (;;) {
		now = record_now_ns(CLOCK_MONOTONIC);
		if (command_is_done(r)) {
			if (r->plan->linger_ns)
				linger(r, fds);
			return 0;
		}
		if (limit_reached(r, now))
			return 0;
		if (now >= next_tick) {
			next_tick = now + TICK_NS;
			tick(r, ++ticks);
			if (output_update(r->output, err))
				return -1;
			if (stopped_by_kernel(r)) {
				stop(r, "the kernel (a trigger, or somebody wrote to tracing_on)");
				return 0;
			}
		}
		if (poll(fds, r->command.pid ? 3 : 2, wait_ms(r, now, next_tick)) <= 0)
			continue;
		/* what failed is told by cpu_readers_stop() */
		if (fds[0].revents)
			return 0;
		if (fds[1].revents && take_signal(r, &interrupts))
			return 0;
	}
}

/* --- the summary --------------------------------------------------------------------------------------- */

void record_summary(struct recording *r)
{
	struct text *t = &r->result->summary;
	unsigned int nr = r->plan->nr_cpus;
	char result[64];

	text_printf(t, "%s: ", r->plan->output);
	text_count(t, r->result->events);
	text_add(t, " events, ");
	add_size(t, r->result->bytes);
	text_printf(t, " in %.1f s", (double)r->result->duration_ns / 1e9);
	if (r->stopped_by[0])
		text_printf(t, "; stopped by %s", r->stopped_by);
	text_char(t, '\n');
	if (r->plan->command && *command_result(&r->command, result, sizeof(result)))
		text_printf(t, "%s %s\n", r->plan->command[0], result);
	if (!r->result->lost)
		return;
	text_count(t, r->result->lost);
	text_add(t, " events were lost:");
	for (size_t i = 0; i < r->plan->nr_buffers * nr; i++)
		if (r->stats[i].lost)
			text_printf(t, " %" PRIu64 " on CPU %zu", r->stats[i].lost, i % nr);
	text_printf(t, "; -b %" PRIu64 "M would have held them\n", size_that_holds(r) >> 10);
}
