/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/clock_reading.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "parsers/pages/raw_page.h"
#include "src/base/memory.h"

#define TRIES		16
#define MOST_CPUS	16	/* if each CPU has a clock of its own */
#define MOST_PAGES	4096	/* read at most, as older data may come first */

static const char marker[] = "ftop-trace reads the clock\n";

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* @ts: a stamp between two readings of the wall clock. */
static void keep_narrowest(struct clock_reading *reading, uint64_t before, uint64_t ts,
			   uint64_t after)
{
	uint64_t within = (after - before + 1) / 2;

	/* the wall clock may be set back in between */
	if (after < before || (reading->known && within >= reading->within_ns))
		return;
	*reading = (struct clock_reading){ .known = true,
					   .ts_ns = ts,
					   .realtime_ns = before + (after - before) / 2,
					   .within_ns = within };
}

/* --- as the kernel stamps --------------------------------------------------------------------- */

static ssize_t read_page(int fd, void *page, uint32_t size)
{
	ssize_t got;

	do {
		got = read(fd, page, size);
	} while (got < 0 && errno == EINTR);
	return got;
}

static void read_around_markers(int marker_fd, int raw_fd, const struct raw_page_layout *layout,
				void *page, struct clock_reading *reading)
{
	for (int i = 0; i < MOST_PAGES && read_page(raw_fd, page, layout->size) > 0; i++)
		;
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = now_ns(CLOCK_REALTIME), after, first, last;
		ssize_t put = write(marker_fd, marker, sizeof(marker) - 1);

		after = now_ns(CLOCK_REALTIME);
		if (put < 0 || read_page(raw_fd, page, layout->size) != (ssize_t)layout->size)
			continue;
		/* a single record, so it must be ours */
		if (raw_page_times(layout, page, &first, &last) && first == last)
			keep_narrowest(reading, before, first, after);
	}
}

static void read_on_this_cpu(const struct tracefs_dir *dir, int cpu, struct clock_reading *reading)
{
	struct raw_page_layout layout;
	struct text t = { 0 };
	int marker_fd, raw_fd;
	void *page;

	tracefs_dir_read(dir, "events/header_page", &t, NULL);
	layout = raw_page_layout(text_str(&t));
	text_fini(&t);
	page = layout.size ? mem_try_alloc(layout.size, NULL) : NULL;
	if (!page)
		return;
	marker_fd = tracefs_dir_file(dir, "trace_marker", O_WRONLY, NULL);
	raw_fd = tracefs_dir_file(dir, TRACEFS_TEXT("per_cpu/cpu%d/trace_pipe_raw", cpu),
				  O_RDONLY | O_NONBLOCK, NULL);
	if (marker_fd >= 0 && raw_fd >= 0)
		read_around_markers(marker_fd, raw_fd, &layout, page, reading);
	if (marker_fd >= 0)
		close(marker_fd);
	if (raw_fd >= 0)
		close(raw_fd);
	free(page);
}

/* Setting the clock that is already set would still make the kernel wait for all CPUs. */
static bool use_clock(const struct tracefs_dir *dir, const char *clock)
{
	char *line = tracefs_dir_line(dir, "trace_clock");
	bool used = line && !strcmp(tracefs_dir_chosen(line), clock);

	free(line);
	return used || !tracefs_dir_write(dir, "trace_clock", clock, TRACEFS_DIR_REPLACE, NULL);
}

/*
 * Combine with another CPU's reading: afterwards no stamp of either CPU is further off than
 * within_ns.
 */
static void take_in(struct clock_reading *reading, const struct clock_reading *other)
{
	int64_t apart = (int64_t)((other->realtime_ns - other->ts_ns) -
				  (reading->realtime_ns - reading->ts_ns));
	uint64_t within = (uint64_t)(apart < 0 ? -apart : apart) + other->within_ns;

	if (!other->known)
		return;
	if (!reading->known)
		*reading = *other;
	else if (within > reading->within_ns)
		reading->within_ns = within;
}

/* @most: number of CPUs to read on, including this one. */
static void read_by_marker(const struct tracefs_dir *dir, const char *clock, int most,
			   struct clock_reading *reading)
{
	int here = sched_getcpu();
	cpu_set_t before, one;

	if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof(before), &before) ||
	    !use_clock(dir, clock))
		return;
	/* a new instance starts with the top instance's options */
	tracefs_dir_write(dir, "options/markers", "1", TRACEFS_DIR_REPLACE, NULL);
	for (int i = 0; i < CPU_SETSIZE && most > 0; i++) {
		int cpu = (here + i) % CPU_SETSIZE;
		struct clock_reading other = { 0 };

		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!CPU_ISSET(cpu, &before) || sched_setaffinity(0, sizeof(one), &one))
			continue;
		read_on_this_cpu(dir, cpu, &other);
		take_in(reading, &other);
		most--;
	}
	sched_setaffinity(0, sizeof(before), &before);
}

/* --- clocks that we can read ourselves -------------------------------------------------------- */

static void read_by_itself(clockid_t id, struct clock_reading *reading)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = now_ns(CLOCK_REALTIME), ts = now_ns(id);

		keep_narrowest(reading, before, ts, now_ns(CLOCK_REALTIME));
	}
}

void clock_reading_take(const struct tracefs_dir *dir, const char *clock,
			struct clock_reading *reading)
{
	static const struct { const char *name; clockid_t id; bool ours; int cpus; } known[] = {
		{ "mono", CLOCK_MONOTONIC, true }, { "mono_raw", CLOCK_MONOTONIC_RAW, true },
		{ "boot", CLOCK_BOOTTIME, true },
		{ "tai", CLOCK_TAI, true }, { "global", .cpus = 1 },
		/* each CPU has its own */
		{ "local", .cpus = MOST_CPUS }, { "perf", .cpus = MOST_CPUS },
	};

	*reading = (struct clock_reading){ 0 };
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(clock, known[i].name))
			continue;
		if (known[i].ours)
			read_by_itself(known[i].id, reading);
		else if (dir)
			read_by_marker(dir, clock, known[i].cpus, reading);
	}
}
