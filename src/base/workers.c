/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/workers.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "src/base/memory.h"

#define NR_PRIORITIES	(WORKER_BACKGROUND + 1)
#define MAX_WORKERS	256u

struct worker_job {
	struct worker_job	*next;
	struct worker_group	*group;
	unsigned int		 generation;	/* the group's generation when the job was queued */
	void			(*run)(void *arg, unsigned int worker, bool cancelled);
	void			*arg;
};

struct job_queue {
	struct worker_job *first;
	struct worker_job **end;	/* where to link in the next job */
};

struct worker {
	struct workers	*pool;
	unsigned int	 nr;
	pthread_t	 thread;
};

struct workers {
	pthread_mutex_t	 lock;
	pthread_cond_t	 wake;		/* a job was queued, or the pool is ending */
	pthread_cond_t	 done;		/* the last job of a group has ended */
	struct job_queue queues[NR_PRIORITIES];
	atomic_uint	 jobs;		/* queued or running */
	bool		 ending;
	unsigned int	 nr;
	struct worker	*workers;	/* owned, [nr] */
	int		 pipe[2];	/* contains a byte if a job has ended since the last
					 * workers_acknowledge() */
	atomic_bool	 told;		/* the pipe contains the byte */
};

/*
 * The first job of the most urgent queue, unlinked; NULL if there is none.  Called with the lock
 * held.
 */
static struct worker_job *take_job(struct workers *pool)
{
	for (int i = 0; i < NR_PRIORITIES; i++) {
		struct job_queue *queue = &pool->queues[i];
		struct worker_job *job = queue->first;

		if (!job)
			continue;
		queue->first = job->next;
		if (!queue->first)
			queue->end = &queue->first;
		return job;
	}
	return NULL;
}

/* Wake the main loop.  One byte is enough, however many jobs end before it looks. */
static void wake_main_loop(struct workers *pool)
{
	if (!atomic_exchange(&pool->told, true)) {
		ssize_t n = write(pool->pipe[1], "", 1);

		(void)n;		/* cannot fail: the pipe holds at most this byte */
	}
}

static void run_job(struct workers *pool, struct worker_job *job, unsigned int worker)
{
	struct worker_group *group = job->group;

	job->run(job->arg, worker, workers_cancelled(group, job->generation));
	free(job);
	atomic_fetch_sub(&pool->jobs, 1);
	pthread_mutex_lock(&pool->lock);
	/* waking a thread for each job would cost more than many jobs do */
	if (atomic_fetch_sub(&group->pending, 1) == 1)
		pthread_cond_broadcast(&pool->done);
	pthread_mutex_unlock(&pool->lock);
	wake_main_loop(pool);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct workers *pool = worker->pool;

	for (;;) {
		struct worker_job *job;

		pthread_mutex_lock(&pool->lock);
		while (!(job = take_job(pool)) && !pool->ending)
			pthread_cond_wait(&pool->wake, &pool->lock);
		pthread_mutex_unlock(&pool->lock);
		if (!job)
			return NULL;
		run_job(pool, job, worker->nr);
	}
}

unsigned int workers_cpus(void)
{
	cpu_set_t set;
	int nr = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		nr = CPU_COUNT(&set);
	else
		nr = (int)sysconf(_SC_NPROCESSORS_ONLN);
	return nr > 1 ? nr : 1;
}

static unsigned int default_nr(void)
{
	unsigned int nr = workers_cpus();

	return nr > 1 ? nr - 1 : 1;
}

struct workers *workers_new(unsigned int nr)
{
	struct workers *pool = mem_alloc(sizeof(*pool));
	sigset_t all, old;

	if (!nr)
		nr = default_nr();
	if (nr > MAX_WORKERS)
		nr = MAX_WORKERS;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wake, NULL);
	pthread_cond_init(&pool->done, NULL);
	for (int i = 0; i < NR_PRIORITIES; i++)
		pool->queues[i].end = &pool->queues[i].first;
	if (pipe2(pool->pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		pool->pipe[0] = pool->pipe[1] = -1;
	pool->workers = mem_array(nr, sizeof(*pool->workers));

	/* the main loop handles signals */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned int i = 0; i < nr; i++) {
		pool->workers[i] = (struct worker){ .pool = pool, .nr = i };
		if (pthread_create(&pool->workers[i].thread, NULL, work, &pool->workers[i]) != 0)
			break;
		pool->nr++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return pool;
}

void workers_free(struct workers *pool)
{
	struct worker_job *job;

	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	while ((job = take_job(pool))) {
		pthread_mutex_unlock(&pool->lock);
		job->run(job->arg, 0, true);
		atomic_fetch_sub(&job->group->pending, 1);
		free(job);
		pthread_mutex_lock(&pool->lock);
	}
	pool->ending = true;
	pthread_cond_broadcast(&pool->wake);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned int i = 0; i < pool->nr; i++)
		pthread_join(pool->workers[i].thread, NULL);
	for (int i = 0; i < 2; i++)
		if (pool->pipe[i] >= 0)
			close(pool->pipe[i]);
	pthread_cond_destroy(&pool->wake);
	pthread_cond_destroy(&pool->done);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool);
}

unsigned int workers_nr(const struct workers *pool)
{
	return pool->nr ? pool->nr : 1;
}

void workers_add(struct workers *pool, struct worker_group *group, enum worker_priority priority,
		 void (*run)(void *arg, unsigned int worker, bool cancelled), void *arg)
{
	struct worker_job *job;

	atomic_fetch_add(&group->pending, 1);
	atomic_fetch_add(&pool->jobs, 1);
	job = mem_alloc(sizeof(*job));
	*job = (struct worker_job){ .group = group,
			     .generation = atomic_load(&group->generation),
			     .run = run,
			     .arg = arg };
	if (!pool->nr) {		/* no thread could be started: run the job now */
		run_job(pool, job, 0);
		return;
	}
	pthread_mutex_lock(&pool->lock);
	*pool->queues[priority].end = job;
	pool->queues[priority].end = &job->next;
	pthread_cond_signal(&pool->wake);
	pthread_mutex_unlock(&pool->lock);
}

void workers_cancel(struct worker_group *group)
{
	atomic_fetch_add(&group->generation, 1);
}

/*
 * A queued job of a cancelled group, unlinked; NULL if there is none.  Called with the lock held.
 */
static struct worker_job *take_cancelled(struct workers *pool, const struct worker_group *group)
{
	for (int i = 0; i < NR_PRIORITIES; i++) {
		struct job_queue *queue = &pool->queues[i];

		for (struct worker_job **link = &queue->first; *link; link = &(*link)->next) {
			struct worker_job *job = *link;

			if (job->group != group || !workers_cancelled(group, job->generation))
				continue;
			*link = job->next;
			if (!*link)
				queue->end = link;
			return job;
		}
	}
	return NULL;
}

/* Cancelled jobs do not wait for jobs of other owners, which may take long. */
void workers_wait(struct workers *pool, struct worker_group *group)
{
	struct worker_job *job;

	pthread_mutex_lock(&pool->lock);
	while ((job = take_cancelled(pool, group))) {
		pthread_mutex_unlock(&pool->lock);
		run_job(pool, job, 0);
		pthread_mutex_lock(&pool->lock);
	}
	while (atomic_load(&group->pending))
		pthread_cond_wait(&pool->done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

bool workers_idle(const struct workers *pool)
{
	return !atomic_load(&pool->jobs);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int64_t workers_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t workers_cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

int workers_fd(const struct workers *pool)
{
	return pool->pipe[0];
}

void workers_acknowledge(struct workers *pool)
{
	char buf[16];

	/*
	 * Read the byte first: a job that ends before the flag is cleared does not send another
	 * one, but the caller looks at its results after this call anyway.
	 */
	while (read(pool->pipe[0], buf, sizeof(buf)) > 0)
		;
	atomic_store(&pool->told, false);
}
