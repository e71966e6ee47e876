/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/max_records.h"
#include "recorder/run/ring_stats.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "parsers/pages/raw_page.h"
#include "src/base/memory.h"

#define ROUNDED_NS	2000u	/* the kernel's file tells µs: no stamp is later than that */
#define MOST_TRIES	60	/* half of them end with the buffers as they were */
#define SLEEPS		4	/* latencies that we cause per try */
#define SLEEP_NS	1000000
#define POLICY_DEADLINE	6	/* SCHED_DEADLINE */

struct cpu_pages {
	int	 fd;		/* trace_pipe_raw, or -1 */
	uint8_t	*pages;		/* owned, [nr × layout.size] */
	size_t	 nr, cap;
};

struct sleeper {		/* what its thread uses */
	bool	of_one_cpu;	/* the kernel only exchanges that CPU's buffer */
	int	cpu;
};

struct fetch {
	struct instance		*inst;
	struct raw_page_layout	 layout;
	struct cpu_pages	*cpus;		/* [nr_cpus] */
	unsigned int		 nr_cpus;
	uint64_t		 stopped;	/* in the trace clock: later records are not part
						 * of the maximum */
	uint8_t			*page;		/* [layout.size] */
	const struct await	*await;
	struct sleeper		*sleeper;	/* owned, unless its thread is late */
	int			 cpu;
};

bool max_records_header(const char *text, struct max_header *h)
{
	const char *line = strstr(text, "\n# latency: ");

	return line &&
	       sscanf(line, "\n# latency: %" SCNu64 " us, #%" SCNu64 "/%*u, CPU#%d", &h->latency_us,
		      &h->nr, &h->cpu) == 3 &&
	       h->nr && h->cpu >= 0;
}

/* --- a latency of our making ------------------------------------------------------------------ */

/*
 * All wakeup tracers measure tasks of the deadline class; if we may not use it, some measure tasks
 * of the real-time class.
 */
static void raise_class(void)
{
	/* sched_setattr(2); its header conflicts with the C library's */
	const struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t	 nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;	/* ns */
	} attr = { .size = sizeof(attr), .policy = POLICY_DEADLINE, .runtime = 2000000,
		   .deadline = 100000000, .period = 100000000 };
	struct sched_param fifo = { .sched_priority = 99 };

	if (syscall(SYS_sched_setattr, 0, &attr, 0))
		sched_setscheduler(0, SCHED_FIFO, &fifo);
}

static void *sleep_and_wake(void *arg)
{
	const struct timespec pause = { .tv_nsec = SLEEP_NS };
	const struct sleeper *s = arg;
	cpu_set_t one;

	if (s->of_one_cpu && s->cpu < CPU_SETSIZE) {
		CPU_ZERO(&one);
		CPU_SET(s->cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
	} else {
		raise_class();
	}
	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&pause, NULL);
	return NULL;
}

static int make_latency(struct fetch *f, struct ft_error *err)
{
	pthread_t thread;
	bool is_late;
	int errnum;

	if (instance_set(f->inst, "tracing_max_latency", "0", err) || instance_start(f->inst, err))
		return -1;
	errnum = pthread_create(&thread, NULL, sleep_and_wake, f->sleeper);
	is_late = !errnum && !await_thread(f->await, thread);
	instance_stop(f->inst);
	if (is_late) {
		f->sleeper = NULL;
		return ft_error_set(err, FT_E_IO, -1,
				    "the thread that causes latencies does not answer");
	}
	return errnum ? ft_error_errno(err, errnum, -1, "cannot start a thread") : 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

static void keep_page(struct fetch *f, struct cpu_pages *cpu)
{
	uint64_t first, last;

	if (!raw_page_times(&f->layout, f->page, &first, &last) || first > f->stopped)
		return;
	if (cpu->nr == cpu->cap) {
		cpu->cap = cpu->cap ? cpu->cap * 2 : 64;
		cpu->pages = mem_resize(cpu->pages, cpu->cap, f->layout.size);
	}
	memcpy(cpu->pages + cpu->nr++ * f->layout.size, f->page, f->layout.size);
}

/* Read everything in the first buffer; @keep: store it as part of the maximum. */
static void read_all(struct fetch *f, bool keep)
{
	for (unsigned int i = 0; i < f->nr_cpus; i++)
		while (f->cpus[i].fd >= 0) {
			ssize_t got = read(f->cpus[i].fd, f->page, f->layout.size);

			if (got < 0 && errno == EINTR)
				continue;
			if (got != (ssize_t)f->layout.size)
				break;
			if (keep)
				keep_page(f, &f->cpus[i]);
		}
}

/* Tracing is off, so no record has this stamp. */
static uint64_t now_in_trace(const struct instance *inst, int cpu)
{
	struct text t = { 0 };
	uint64_t now;

	tracefs_dir_read(&inst->dir, TRACEFS_TEXT("per_cpu/cpu%d/stats", cpu), &t, NULL);
	now = ring_stats_parse(text_str(&t)).now;
	text_fini(&t);
	return now ? now + ROUNDED_NS : 0;
}

static int open_all(struct fetch *f, struct ft_error *err)
{
	struct text t = { 0 };

	tracefs_dir_read(&f->inst->dir, "events/header_page", &t, NULL);
	f->layout = raw_page_layout(text_str(&t));
	text_fini(&t);
	if (!f->layout.size)
		return ft_error_set(err, FT_E_FORMAT, -1,
				    "events/header_page has an unknown format");
	f->page = mem_try_alloc(f->layout.size, err);
	if (!f->page)
		return -1;
	for (unsigned int i = 0; i < f->nr_cpus; i++) {
		const char *file = TRACEFS_TEXT("per_cpu/cpu%u/trace_pipe_raw", i);

		f->cpus[i].fd = tracefs_dir_file(&f->inst->dir, file, O_RDONLY | O_NONBLOCK, NULL);
	}
	return 0;
}

/*
 * Cause latencies until the buffer of the CPU in the kernel's header is back.  A wakeup tracer
 * exchanges all CPUs' buffers together.
 */
static int bring_back(struct fetch *f, struct ft_error *err)
{
	/*
	 * no more than necessary: the maximum must not be overwritten while it is in the first
	 * buffer
	 */
	if (!f->inst->top) {
		instance_set(f->inst, "events/enable", "0", NULL);
		instance_set(f->inst, "options/function-trace", "0", NULL);
	}
	f->stopped = now_in_trace(f->inst, f->cpu);
	read_all(f, false);
	for (int i = 0; i < MOST_TRIES && !f->cpus[f->cpu].nr; i++) {
		if (make_latency(f, err))
			return -1;
		read_all(f, true);
	}
	if (!f->cpus[f->cpu].nr)
		return ft_error_set(err, FT_E_IO, -1,
				    "the kernel did not give back the buffer of CPU %d", f->cpu);
	return 0;
}

/* --- which are of the maximum ----------------------------------------------------------------- */

static int compare_stamps(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The time of the first of the newest @nr records that are not later than the stop. */
static uint64_t begin_of(const struct fetch *f, uint64_t nr)
{
	uint64_t *stamps = NULL, begin;
	size_t n = 0, cap = 0;

	for (unsigned int i = 0; i < f->nr_cpus; i++)
		for (size_t k = 0; k < f->cpus[i].nr; k++) {
			size_t most = n + f->layout.size / 8;

			if (most > cap) {
				cap = most * 2;
				stamps = mem_resize(stamps, cap, sizeof(*stamps));
			}
			n += raw_page_stamps(&f->layout, f->cpus[i].pages + k * f->layout.size,
					     stamps + n);
		}
	qsort(stamps, n, sizeof(*stamps), compare_stamps);
	while (n && stamps[n - 1] > f->stopped)
		n--;
	begin = n > nr ? stamps[n - nr] : 0;
	free(stamps);
	return begin;
}

static int tell_all(const struct fetch *f, uint64_t begin, max_records_fn *fn, void *arg,
		    struct ft_error *err)
{
	for (unsigned int i = 0; i < f->nr_cpus; i++)
		for (size_t k = 0; k < f->cpus[i].nr; k++) {
			uint8_t *page = f->cpus[i].pages + k * f->layout.size;

			if (raw_page_keep(&f->layout, page, begin, f->stopped) &&
			    fn(arg, (int)i, page, f->layout.size, err))
				return -1;
		}
	return 0;
}

int max_records_fetch(struct instance *inst, const char *tracer, const struct max_header *header,
		      unsigned int nr_cpus, const struct await *await, max_records_fn *fn,
		      void *arg, struct ft_error *err)
{
	struct fetch f = {
		.inst = inst, .nr_cpus = nr_cpus, .await = await, .cpu = header->cpu,
	};
	int ret;

	if ((unsigned int)f.cpu >= nr_cpus)
		return ft_error_set(err, FT_E_LIMIT, -1, "there is no CPU %d", f.cpu);
	f.sleeper = mem_alloc(sizeof(*f.sleeper));
	*f.sleeper = (struct sleeper){ strncmp(tracer, "wakeup", 6) != 0, f.cpu };
	f.cpus = mem_array(nr_cpus, sizeof(*f.cpus));
	for (unsigned int i = 0; i < nr_cpus; i++)
		f.cpus[i].fd = -1;
	ret = open_all(&f, err);
	if (!ret)
		ret = bring_back(&f, err);
	if (!ret)
		ret = tell_all(&f, begin_of(&f, header->nr), fn, arg, err);
	for (unsigned int i = 0; i < nr_cpus; i++) {
		if (f.cpus[i].fd >= 0)
			close(f.cpus[i].fd);
		free(f.cpus[i].pages);
	}
	free(f.sleeper);
	free(f.cpus);
	free(f.page);
	return ret;
}
