/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/functions/call_team.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/base/workers.h"

#define BATCH_RECORDS	2048u		/* fit into a CPU's cache */
#define NR_BATCHES	8u

struct batch {
	unsigned int	 nr;
	struct graph_record records[BATCH_RECORDS];
};

struct team {
	struct batch	*batches;	/* owned, [NR_BATCHES]: a ring */
	unsigned int	 nr_members;
	pthread_mutex_t	 lock;
	pthread_cond_t	 filled, emptied;
	uint64_t	 written;	/* batches so far */
	bool		 ended;
	struct member {
		struct team	*team;
		struct call_tree *tree;
		unsigned int	 number;
		pthread_t	 thread;
		uint64_t	 done;	/* batches it has processed */
	} members[CALL_TEAM_MAX];
};

unsigned int call_team_size(unsigned int cpus)
{
	return cpus <= 2 ? 1 : cpus - 1 > CALL_TEAM_MAX ? CALL_TEAM_MAX : cpus - 1;
}

/* The member that handles the record's task.  Pid 0 is a different task on each CPU. */
static inline unsigned int member_of(const struct graph_record *record, unsigned int nr)
{
	uint32_t key = record->pid ? (uint32_t)record->pid : 0x80000000u + record->stream;

	return (unsigned int)((uint64_t)(key * 0x9e3779b1u) * nr >> 32);
}

static void add_batch(struct member *m, const struct batch *batch)
{
	unsigned int nr_members = m->team->nr_members;

	for (unsigned int i = 0; i < batch->nr; i++) {
		const struct graph_record *record = &batch->records[i];

		if (nr_members == 1 || graph_is_loss(record) ||
		    member_of(record, nr_members) == m->number)
			call_tree_add(m->tree, record);
	}
}

static void *run_member(void *arg)
{
	struct member *m = arg;
	struct team *team = m->team;
	bool more;

	for (;;) {
		pthread_mutex_lock(&team->lock);
		while (m->done == team->written && !team->ended)
			pthread_cond_wait(&team->filled, &team->lock);
		more = m->done < team->written;
		pthread_mutex_unlock(&team->lock);
		if (!more)
			break;
		add_batch(m, &team->batches[m->done % NR_BATCHES]);
		pthread_mutex_lock(&team->lock);
		m->done++;
		pthread_cond_signal(&team->emptied);
		pthread_mutex_unlock(&team->lock);
	}
	call_tree_end(m->tree);
	return NULL;
}

/* A batch that all members have processed. */
static struct batch *free_batch(struct team *team)
{
	bool busy = true;

	pthread_mutex_lock(&team->lock);
	while (busy) {
		busy = false;
		for (unsigned int i = 0; i < team->nr_members; i++)
			busy |= team->written - team->members[i].done >= NR_BATCHES;
		if (busy)
			pthread_cond_wait(&team->emptied, &team->lock);
	}
	pthread_mutex_unlock(&team->lock);
	return &team->batches[team->written % NR_BATCHES];
}

static bool read_all(struct team *team, struct graph_reader *reader,
		     const struct call_team_watch *watch)
{
	bool go_on = true;

	for (;;) {
		struct batch *batch = free_batch(team);

		if (watch)
			go_on = watch->go_on(watch->arg, graph_reader_bytes(reader));
		batch->nr = go_on ? graph_reader_read(reader, batch->records, BATCH_RECORDS) : 0;
		pthread_mutex_lock(&team->lock);
		team->written += batch->nr != 0;
		team->ended = !batch->nr;
		pthread_cond_broadcast(&team->filled);
		pthread_mutex_unlock(&team->lock);
		if (!batch->nr)
			return go_on;
	}
}

/* The main thread handles signals. */
static unsigned int start_members(struct team *team)
{
	sigset_t all, old;
	unsigned int nr = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (nr < team->nr_members &&
	       !pthread_create(&team->members[nr].thread, NULL, run_member, &team->members[nr]))
		nr++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return nr;
}

/* Without threads: process everything here. */
static bool run_alone(struct team *team, struct graph_reader *reader,
		      const struct call_team_watch *watch)
{
	struct batch *batch = team->batches;
	bool go_on;

	for (;;) {
		go_on = !watch || watch->go_on(watch->arg, graph_reader_bytes(reader));
		batch->nr = go_on ? graph_reader_read(reader, batch->records, BATCH_RECORDS) : 0;
		if (!batch->nr)
			break;
		for (unsigned int i = 0; i < team->nr_members; i++)
			add_batch(&team->members[i], batch);
	}
	for (unsigned int i = 0; i < team->nr_members; i++)
		call_tree_end(team->members[i].tree);
	return go_on;
}

bool call_team_run(struct graph_reader *reader, struct call_tree *const *trees, unsigned int nr,
		   const struct call_team_watch *watch)
{
	struct team team = { .nr_members = nr };
	unsigned int started;
	bool whole = false;

	team.batches = mem_array(NR_BATCHES, sizeof(*team.batches));
	for (unsigned int i = 0; i < nr; i++)
		team.members[i] = (struct member){ .team = &team, .tree = trees[i], .number = i };
	pthread_mutex_init(&team.lock, NULL);
	pthread_cond_init(&team.filled, NULL);
	pthread_cond_init(&team.emptied, NULL);
	started = workers_cpus() > 1 ? start_members(&team) : 0;
	if (started == nr) {
		whole = read_all(&team, reader, watch);
	} else {
		/* members that were started end at once with empty trees */
		pthread_mutex_lock(&team.lock);
		team.ended = true;
		pthread_cond_broadcast(&team.filled);
		pthread_mutex_unlock(&team.lock);
	}
	for (unsigned int i = 0; i < started; i++)
		pthread_join(team.members[i].thread, NULL);
	if (started != nr)
		whole = run_alone(&team, reader, watch);
	pthread_cond_destroy(&team.filled);
	pthread_cond_destroy(&team.emptied);
	pthread_mutex_destroy(&team.lock);
	free(team.batches);
	return whole;
}
