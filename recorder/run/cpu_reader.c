/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/cpu_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/run/ring_stats.h"
#include "recorder/tracefs/refusal.h"
#include "src/base/memory.h"

/*
 * Small enough to stay in the CPU's cache, and for the file system to allocate single pages: larger
 * writes get large folios of cold memory, and copying then takes ten times as long (measured).
 */
#define PIPE_BYTES	(1 << 17)
#define MAX_THREADS	32u
/* after a wake-up with nothing to read, on kernels that ignore buffer_percent */
#define IDLE_WAIT_US	10000
#define VISIT_BYTES	(1 << 20)	/* read from one CPU before the others get their turn */
/* run for so long without letting others run, even under SCHED_FIFO ... */
#define BUSY_US		5000u
#define REST_PART	8u		/* ... then sleep for this part of that time */
/* how long full sub-buffers of an idle CPU may stay in the ring */
#define SWEEP_US	500000u
/* how often, at most, we find out up to which time the file is complete */
#define SETTLE_US	100000u
#define MOST_PARTS	4u	/* sub-buffers read then: more may come all the time */
#define MAX_EVENTS	64
/* dropped data is returned to the file system in pieces of this size */
#define PUNCH_BYTES	(16u << 20)
/*
 * A ring drops this fraction of what it keeps in one step, on all CPUs at the same time: each step
 * makes the screen that follows it count from the beginning.
 */
#define DROP_PART	10

struct cpu_ring {
	struct output_stream	*stream;
	int			 raw;
	int			 stats;		/* -1: none */
	uint64_t		 punched;	/* bytes of the region already returned */
};

struct reader_thread {
	struct cpu_readers	*readers;
	pthread_t		 thread;
	unsigned int		 index;
	int			 tid;
	atomic_bool		 is_ready;	/* tid and priority are known */
	int			 epoll;
	int			 pipe[2];
	size_t			 pipe_bytes;
	bool			 by_read;	/* splice was refused once: always read */
	char			*page;		/* one sub-buffer of the largest size */
	struct ft_error		 failure;
	uint64_t		 worked;	/* its processor time when it was told to stop */
	bool			 is_late;	/* it did not end: what it uses stays */
};

struct cpu_readers {
	struct cpu_readers_options options;
	int			 stop_fd, failed_fd;
	struct cpu_ring		*cpus;
	size_t			 nr_cpus, cap_cpus;
	uint32_t		 max_page;
	struct reader_thread	*readers;	/* [nr_readers] */
	unsigned int		 nr_readers, nr_started, nr_late;
	char			 priority[128];	/* the scheduling that thread 0 got */
	atomic_bool		 stopping;
};

struct cpu_readers *cpu_readers_new(const struct cpu_readers_options *options)
{
	struct cpu_readers *readers = mem_alloc(sizeof(*readers));

	readers->options = *options;
	readers->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	readers->failed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return readers;
}

int cpu_readers_add(struct cpu_readers *readers, const struct tracefs_dir *instance,
		    const char *raw, struct output_stream *stream, struct ft_error *err)
{
	const char *file = TRACEFS_TEXT("per_cpu/cpu%d/%s", stream->cpu, raw);
	int fd = tracefs_dir_file(instance, file, O_RDONLY | O_NONBLOCK, err);

	if (fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO)) {
		atomic_store(&stream->settled, UINT64_MAX);
		return 0;
	}
	if (fd < 0)
		return refusal_add(err, instance, file, errno, NULL);
	mem_grow(&readers->cpus, readers->nr_cpus, &readers->cap_cpus);
	file = TRACEFS_TEXT("per_cpu/cpu%d/stats", stream->cpu);
	readers->cpus[readers->nr_cpus++] = (struct cpu_ring){
		.stream = stream, .raw = fd,
		.stats = tracefs_dir_file(instance, file, O_RDONLY, NULL),
	};
	if (stream->page_size > readers->max_page)
		readers->max_page = stream->page_size;
	return 0;
}

/* --- moving bytes ----------------------------------------------------------------------------- */

/* Drop the sub-buffers before this byte; the rest of the region stays contiguous. */
static void drop_before(struct cpu_ring *cpu, uint64_t start)
{
	struct output_stream *s = cpu->stream;

	atomic_store_explicit(&s->start, start, memory_order_release);
	start = atomic_load_explicit(&s->released, memory_order_acquire);
	start -= start % PUNCH_BYTES;
	if (start <= cpu->punched)
		return;
	fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)(s->base + cpu->punched), (off_t)(start - cpu->punched));
	cpu->punched = start;
}

/* -m KB: keeps at most this much. */
static void drop_oldest(struct reader_thread *r, struct cpu_ring *cpu)
{
	struct output_stream *s = cpu->stream;
	uint64_t keep = r->readers->options.keep_bytes;

	if (!keep)
		return;
	if (keep < s->page_size)
		keep = s->page_size;	/* only whole sub-buffers are kept */
	if (s->size - s->start <= keep)
		return;
	keep -= keep / DROP_PART / s->page_size * s->page_size;
	drop_before(cpu, (s->size - keep + s->page_size - 1) / s->page_size * s->page_size);
}

/*
 * -m TIME: keeps at least this much.  A sub-buffer begins with its time; the one that holds the
 * oldest moment stays.
 */
static void drop_older(struct reader_thread *r, struct cpu_ring *cpu, uint64_t now)
{
	struct output_stream *s = cpu->stream;
	uint64_t keep = r->readers->options.keep_ns, from = s->start / s->page_size,
		 to = s->size / s->page_size, oldest, time;

	if (!keep || now <= keep)
		return;
	oldest = now - keep;
	oldest -= oldest % (keep / DROP_PART + 1);
	while (to - from > 1) {
		uint64_t page = from + (to - from) / 2;

		if (pread(s->fd, &time, sizeof(time), (off_t)(s->base + page * s->page_size)) !=
		    sizeof(time))
			return;
		if (time <= oldest)
			from = page;
		else
			to = page;
	}
	if (from * s->page_size > s->start)
		drop_before(cpu, from * s->page_size);
}

/* Bytes were written to the file: count whole sub-buffers only. */
static void count_committed(struct reader_thread *r, struct cpu_ring *cpu, uint64_t bytes)
{
	atomic_fetch_add_explicit(&cpu->stream->size, bytes, memory_order_acq_rel);
	drop_oldest(r, cpu);
}

static int region_full(struct cpu_ring *cpu, struct ft_error *err)
{
	return ft_error_set(err, FT_E_LIMIT, -1, "CPU %d has filled its %llu MiB of the file",
			    cpu->stream->cpu, (unsigned long long)(cpu->stream->room >> 20));
}

/*
 * Read one sub-buffer with read(2), even if it is not full.  Return: bytes, 0 if there is nothing,
 * -1 on failure.
 */
static ssize_t take_by_read(struct reader_thread *r, struct cpu_ring *cpu, struct ft_error *err)
{
	struct output_stream *s = cpu->stream;
	ssize_t got = read(cpu->raw, r->page, s->page_size);

	if (got < 0 && (errno == EAGAIN || errno == EINTR || errno == ENODEV))
		return 0;
	if (got < 0)
		return ft_error_errno(err, errno, -1, "cannot read the ring buffer of CPU %d",
				      s->cpu);
	if (!got)
		return 0;
	if (s->size + s->page_size > s->room)
		return region_full(cpu, err);
	/* clear the unused rest of a sub-buffer */
	memset(r->page + got, 0, s->page_size - got);
	if (output_write_fully(s->fd, r->page, s->page_size, s->base + s->size))
		return ft_error_errno(err, errno, -1, "cannot write what CPU %d recorded", s->cpu);
	count_committed(r, cpu, s->page_size);
	return s->page_size;
}

/*
 * Write the contents of the pipe to the file.  On failure, whole sub-buffers already written still
 * count.
 */
static int empty_pipe(struct reader_thread *r, struct cpu_ring *cpu, size_t bytes,
		      struct ft_error *err)
{
	struct output_stream *s = cpu->stream;
	loff_t at = (loff_t)(s->base + s->size);
	size_t done = 0;
	int ret = 0;

	while (done < bytes) {
		ssize_t put = splice(r->pipe[0], NULL, s->fd, &at, bytes - done, SPLICE_F_MOVE);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EINVAL && !done) {
			/*
			 * this file system does not support splice: write what is in the pipe, and
			 * use read from now on
			 */
			r->by_read = true;
		}
		if (put < 0 && r->by_read) {
			size_t part = bytes - done < s->page_size ? bytes - done : s->page_size;

			put = read(r->pipe[0], r->page, part);
			if (put > 0)
				put = pwrite(s->fd, r->page, put, at);
			at += put > 0 ? put : 0;
		}
		if (put <= 0) {
			ret = ft_error_errno(err, put ? errno : EIO, -1,
					     "cannot write what CPU %d recorded", s->cpu);
			break;
		}
		done += put;
	}
	count_committed(r, cpu, done / s->page_size * s->page_size);
	return ret;
}

/*
 * Drain the full sub-buffers of a CPU, at most @most bytes: some tracers (branch, function) record
 * our own work here, and produce more than we read.  Return: bytes, or -1.
 */
static int64_t drain_cpu(struct reader_thread *r, struct cpu_ring *cpu, int64_t most,
			 struct ft_error *err)
{
	struct output_stream *s = cpu->stream;
	int64_t total = 0;

	while (!r->by_read && total < most) {
		size_t want = r->pipe_bytes / s->page_size * s->page_size;
		ssize_t got;

		if (!want) {
			r->by_read = true;
			break;
		}
		if (s->size + want > s->room)
			want = (s->room - s->size) / s->page_size * s->page_size;
		if (!want)
			return region_full(cpu, err);
		got = splice(cpu->raw, NULL, r->pipe[1], NULL, want,
			     SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == EINVAL || errno == ENOSYS || errno == EPERM)) {
			r->by_read = true;
			break;
		}
		if (got < 0 && errno != EAGAIN && errno != ENODEV)
			return ft_error_errno(err, errno, -1,
					      "cannot read the ring buffer of CPU %d", s->cpu);
		if (got <= 0)
			return total;
		if (empty_pipe(r, cpu, got, err))
			return -1;
		total += got;
	}
	for (ssize_t got; total < most && (got = take_by_read(r, cpu, err)); total += got) {
		if (got < 0)
			return -1;
		/* while tracing, a partly filled sub-buffer is not worth a page of the file */
		if (!atomic_load_explicit(&r->readers->stopping, memory_order_acquire) &&
		    got < (ssize_t)s->page_size)
			break;
	}
	return total;
}

static int drain_last(struct reader_thread *r, struct cpu_ring *cpu, struct ft_error *err)
{
	ssize_t got;

	if (drain_cpu(r, cpu, INT64_MAX, err) < 0)
		return -1;
	while ((got = take_by_read(r, cpu, err)) > 0)
		;
	return got < 0 ? -1 : 0;
}

/* --- the threads ------------------------------------------------------------------------------ */

static void take_priority(struct reader_thread *r)
{
	struct cpu_readers *readers = r->readers;
	struct sched_param param = { .sched_priority = readers->options.rt_priority };
	char words[128];
	int errnum = 0;

	if (readers->options.rt_priority) {
		/* not inherited by children, although we start none */
		if (!sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param)) {
			snprintf(words, sizeof(words), "SCHED_FIFO %d", param.sched_priority);
			goto out;
		}
		errnum = errno;
	}
	for (int nice = -20; nice < 0; nice++)
		if (!setpriority(PRIO_PROCESS, r->tid, nice))
			break;
	errno = 0;
	snprintf(words, sizeof(words), "nice %d%s%s", getpriority(PRIO_PROCESS, r->tid),
		 errnum ? ", because SCHED_FIFO was refused: " : "",
		 errnum ? strerror(errnum) : "");
out:
	if (!r->index)
		snprintf(readers->priority, sizeof(readers->priority), "%s", words);
	r->is_ready = true;
}

static void fail_reader(struct reader_thread *r)
{
	uint64_t one = 1;

	if (write(r->readers->failed_fd, &one, sizeof(one)) < 0)
		errno = 0;
}

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* A sub-buffer begins with its time.  0: none was read. */
static uint64_t last_stamp(const struct output_stream *s)
{
	uint64_t stamp, size = s->size;

	return size && pread(s->fd, &stamp, sizeof(stamp),
			     (off_t)(s->base + size - s->page_size)) == sizeof(stamp) ?
		       stamp :
		       0;
}

/*
 * Read also what is in a partly filled sub-buffer, so that all from before now is in the file.  If
 * there is too much for that, it is all from before the last sub-buffer that was read.  The
 * kernel's "oldest event ts" is later, but events may be lost before it, of which only the next
 * sub-buffer tells.
 */
static int settle_cpu(struct reader_thread *r, struct cpu_ring *cpu, bool is_busy)
{
	struct ring_stats stats = ring_stats_read(cpu->stats);
	uint64_t settled;
	ssize_t got = is_busy ? 1 : 0;

	for (unsigned int i = 0; !is_busy && i < MOST_PARTS; i++) {
		got = take_by_read(r, cpu, &r->failure);
		if (got < 0)
			return -1;
		if (!got)
			break;
	}
	settled = got ? last_stamp(cpu->stream) : stats.now;
	if (settled > atomic_load_explicit(&cpu->stream->settled, memory_order_relaxed))
		atomic_store_explicit(&cpu->stream->settled, settled, memory_order_release);
	drop_older(r, cpu, stats.now);
	return 0;
}

/*
 * Drain those of our CPUs that have waited for long, even idle ones: if the recorder is killed, the
 * data in the ring is lost.
 */
static int sweep_cpus(struct reader_thread *r, bool settles)
{
	struct cpu_readers *readers = r->readers;

	for (size_t i = r->index; i < readers->nr_cpus; i += readers->nr_readers) {
		struct cpu_ring *cpu = &readers->cpus[i];
		int64_t got = drain_cpu(r, cpu, VISIT_BYTES, &r->failure);

		if (got < 0 || (settles && settle_cpu(r, cpu, got >= VISIT_BYTES)))
			return -1;
	}
	return 0;
}

/* Read until stopped.  Return: -1 on failure. */
static int run_reader(struct reader_thread *r)
{
	struct cpu_readers *readers = r->readers;
	struct epoll_event events[MAX_EVENTS];
	unsigned int interval_us = readers->options.interval_us ? readers->options.interval_us :
								  SWEEP_US;
	int timeout = (int)((interval_us + 999) / 1000);
	uint64_t swept = now_us(), rested = swept, settled = swept;

	while (!atomic_load_explicit(&readers->stopping, memory_order_acquire)) {
		int nr = epoll_wait(r->epoll, events, MAX_EVENTS, timeout);
		int64_t moved = 0, most = 0;

		for (int i = 0; i < nr; i++) {
			struct cpu_ring *cpu = events[i].data.ptr;
			int64_t got = cpu ? drain_cpu(r, cpu, VISIT_BYTES, &r->failure) : 1;

			if (got < 0)
				return -1;
			moved += got;
			most = got > most ? got : most;
		}
		if (now_us() - swept >= interval_us) {
			swept = now_us();
			if (sweep_cpus(r, swept - settled >= SETTLE_US))
				return -1;
			settled = swept - settled >= SETTLE_US ? swept : settled;
		}
		if (nr > 0 && !moved)
			usleep(IDLE_WAIT_US);
		if (most < VISIT_BYTES) {
			rested = now_us();
		} else if (now_us() - rested >= BUSY_US) {
			usleep((useconds_t)((now_us() - rested) / REST_PART));
			rested = now_us();
		}
	}
	return 0;
}

/* After the last record. */
static void settle_last(struct cpu_ring *cpu)
{
	uint64_t now = ring_stats_read(cpu->stats).now;

	if (now > atomic_load_explicit(&cpu->stream->settled, memory_order_relaxed))
		atomic_store_explicit(&cpu->stream->settled, now, memory_order_release);
}

static void *reader_main(void *arg)
{
	struct reader_thread *r = arg;
	struct cpu_readers *readers = r->readers;
	int ret;

	r->tid = (int)syscall(SYS_gettid);
	take_priority(r);
	ret = run_reader(r);
	for (size_t i = r->index; i < readers->nr_cpus && !ret; i += readers->nr_readers)
		ret = drain_last(r, &readers->cpus[i], &r->failure);
	for (size_t i = r->index; i < readers->nr_cpus && !ret; i += readers->nr_readers)
		settle_last(&readers->cpus[i]);
	if (ret)
		fail_reader(r);
	return NULL;
}

/* Where bytes go through. */
static int reader_room(struct reader_thread *r, struct ft_error *err)
{
	struct cpu_readers *readers = r->readers;
	int size;

	r->page = mem_alloc(readers->max_page ? readers->max_page : 1);
	if (pipe2(r->pipe, O_CLOEXEC | O_NONBLOCK)) {
		r->pipe[0] = r->pipe[1] = -1;
		return ft_error_errno(err, errno, -1, "cannot make a pipe");
	}
	size = fcntl(r->pipe[1], F_SETPIPE_SZ,
		     readers->max_page > PIPE_BYTES ? readers->max_page : PIPE_BYTES);
	if (size < 0)
		size = fcntl(r->pipe[1], F_GETPIPE_SZ);
	r->pipe_bytes = size > 0 ? (size_t)size : 65536;
	return 0;
}

static int reader_init(struct reader_thread *r, struct ft_error *err)
{
	struct cpu_readers *readers = r->readers;
	struct epoll_event event = { .events = EPOLLIN };

	if (reader_room(r, err))
		return -1;
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	event.data.ptr = NULL;
	if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, readers->stop_fd, &event))
		return ft_error_errno(err, errno, -1, "cannot wait for the ring buffers");
	for (size_t i = r->index; i < readers->nr_cpus; i += readers->nr_readers) {
		event.data.ptr = &readers->cpus[i];
		if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, readers->cpus[i].raw, &event))
			return ft_error_errno(err, errno, -1, "cannot wait for the ring buffers");
	}
	return 0;
}

static unsigned int threads_for(const struct cpu_readers *readers)
{
	unsigned int nr = readers->nr_cpus / 8 > 2 ? readers->nr_cpus / 8 : 2;

	if (nr > readers->nr_cpus)
		nr = readers->nr_cpus ? readers->nr_cpus : 1;
	return nr > MAX_THREADS ? MAX_THREADS : nr;
}

static void make_readers(struct cpu_readers *readers, unsigned int nr)
{
	readers->nr_readers = nr;
	readers->readers = mem_array(nr, sizeof(*readers->readers));
	for (unsigned int i = 0; i < nr; i++) {
		struct reader_thread *r = &readers->readers[i];

		r->readers = readers;
		r->index = i;
		r->pipe[0] = r->pipe[1] = r->epoll = -1;
	}
}

int cpu_readers_take(struct cpu_readers *readers, struct ft_error *err)
{
	make_readers(readers, 1);
	if (reader_room(readers->readers, err))
		return -1;
	for (size_t i = 0; i < readers->nr_cpus; i++)
		if (drain_last(readers->readers, &readers->cpus[i], err))
			return -1;
	return 0;
}

/* Name the first CPU that it reads; it may read others, too. */
static int set_late(const struct reader_thread *r, struct ft_error *err)
{
	const struct cpu_readers *readers = r->readers;
	int cpu = r->index < readers->nr_cpus ? readers->cpus[r->index].stream->cpu : 0;

	return ft_error_set(err, FT_E_IO, -1,
			    "the thread that reads the ring buffer of CPU %d does not answer", cpu);
}

static bool is_ready(void *reader)
{
	return ((struct reader_thread *)reader)->is_ready;
}

int cpu_readers_start(struct cpu_readers *readers, struct text *priority, struct ft_error *err)
{
	make_readers(readers, threads_for(readers));
	for (unsigned int i = 0; i < readers->nr_readers; i++) {
		int ret;

		if (reader_init(&readers->readers[i], err))
			return -1;
		ret = pthread_create(&readers->readers[i].thread, NULL, reader_main,
				     &readers->readers[i]);
		if (ret)
			return ft_error_errno(err, ret, -1, "cannot start a reader");
		readers->nr_started++;
	}
	for (unsigned int i = 0; i < readers->nr_readers; i++) {
		struct reader_thread *r = &readers->readers[i];

		if (!await_done(readers->options.await, is_ready, r,
				await_clock_of_thread(r->thread)))
			return set_late(r, err);
	}
	text_add(priority, readers->priority);
	return 0;
}

unsigned int cpu_readers_tids(const struct cpu_readers *readers, int *tids, unsigned int max)
{
	unsigned int nr = 0;

	for (; nr < readers->nr_started && nr < max; nr++)
		tids[nr] = readers->readers[nr].tid;
	return nr;
}

int cpu_readers_failed_fd(const struct cpu_readers *readers)
{
	return readers->failed_fd;
}

/* What did not work while another one was late has been waited for as long. */
static bool await_reader(const struct reader_thread *r)
{
	if (r->readers->nr_late && await_clock_ns(await_clock_of_thread(r->thread)) == r->worked)
		return !pthread_tryjoin_np(r->thread, NULL);
	return await_thread(r->readers->options.await, r->thread);
}

int cpu_readers_stop(struct cpu_readers *readers, struct ft_error *err)
{
	uint64_t one = 1;
	int ret = 0;

	atomic_store_explicit(&readers->stopping, true, memory_order_release);
	if (write(readers->stop_fd, &one, sizeof(one)) < 0)
		errno = 0;
	for (unsigned int i = 0; i < readers->nr_started; i++) {
		clockid_t clock = await_clock_of_thread(readers->readers[i].thread);

		readers->readers[i].worked = await_clock_ns(clock);
	}
	for (unsigned int i = 0; i < readers->nr_started; i++) {
		struct reader_thread *r = &readers->readers[i];

		r->is_late = !await_reader(r);
		readers->nr_late += r->is_late;
		if (r->is_late && !ret)
			ret = set_late(r, err);
		else if (r->failure.code && !ret)
			ret = ft_error_set(err, r->failure.code, r->failure.offset, "%s",
					   r->failure.message);
	}
	readers->nr_started = 0;
	return ret;
}

bool cpu_readers_are_late(const struct cpu_readers *readers)
{
	return readers->nr_late;
}

/* The kernel removes no instance while its files are open; the thread finds nothing in them now. */
static void take_away(struct cpu_readers *readers)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (size_t i = 0; null >= 0 && i < readers->nr_cpus; i++) {
		dup3(null, readers->cpus[i].raw, O_CLOEXEC);
		if (readers->cpus[i].stats >= 0)
			dup3(null, readers->cpus[i].stats, O_CLOEXEC);
	}
	if (null >= 0)
		close(null);
}

void cpu_readers_free(struct cpu_readers *readers)
{
	struct ft_error err;

	if (!readers)
		return;
	cpu_readers_stop(readers, &err);
	if (readers->nr_late) {
		take_away(readers);
		return;
	}
	for (unsigned int i = 0; i < readers->nr_readers; i++) {
		struct reader_thread *r = &readers->readers[i];

		if (r->pipe[0] >= 0) {
			close(r->pipe[0]);
			close(r->pipe[1]);
		}
		if (r->epoll >= 0)
			close(r->epoll);
		free(r->page);
	}
	for (size_t i = 0; i < readers->nr_cpus; i++) {
		close(readers->cpus[i].raw);
		if (readers->cpus[i].stats >= 0)
			close(readers->cpus[i].stats);
	}
	close(readers->stop_fd);
	close(readers->failed_fd);
	free(readers->readers);
	free(readers->cpus);
	free(readers);
}
