/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/file/pack_team.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/memory.h"

struct piece {
	struct text	packed;
	struct ft_error	failure;
};

struct pack_team {
	struct workers		*workers;
	struct packer		*packers;	/* [nr_workers]: a codec's state must not be
						 * shared between threads */
	unsigned int		 nr_workers;
	struct piece		*pieces;	/* [nr_pieces], kept from run to run */
	size_t			 nr_pieces;
	/* Input of the current run */
	const struct out	*out;
	const char		*data;
	size_t			 nr, chunk;
	atomic_size_t		 next;		/* the first piece that no worker has taken */
};

struct pack_team *pack_team_new(enum trace_compression compression, struct workers *workers)
{
	struct pack_team *team = mem_alloc(sizeof(*team));

	team->workers = workers;
	team->nr_workers = workers ? workers_nr(workers) : 1;
	team->packers = mem_array(team->nr_workers, sizeof(*team->packers));
	for (unsigned int i = 0; i < team->nr_workers; i++)
		team->packers[i].compression = compression;
	return team;
}

void pack_team_free(struct pack_team *team)
{
	if (!team)
		return;
	for (unsigned int i = 0; i < team->nr_workers; i++)
		packer_fini(&team->packers[i]);
	for (size_t i = 0; i < team->nr_pieces; i++)
		text_fini(&team->pieces[i].packed);
	free(team->packers);
	free(team->pieces);
	free(team);
}

static void pack_some(void *arg, unsigned int worker, bool cancelled)
{
	struct pack_team *team = arg;

	(void)cancelled;	/* runs are never cancelled: the caller waits for them */
	for (size_t i;
	     (i = atomic_fetch_add_explicit(&team->next, 1, memory_order_relaxed)) < team->nr;) {
		struct piece *piece = &team->pieces[i];

		text_clear(&piece->packed);
		packer_run(&team->packers[worker], team->out, &piece->packed,
			   team->data + i * team->chunk, team->chunk, &piece->failure);
	}
}

int pack_team_run(struct pack_team *team, const struct out *out, const char *data, size_t nr,
		  size_t chunk, struct ft_error *err)
{
	struct worker_group group = { 0 };

	if (nr > team->nr_pieces) {
		team->pieces = mem_resize(team->pieces, nr, sizeof(*team->pieces));
		for (; team->nr_pieces < nr; team->nr_pieces++)
			team->pieces[team->nr_pieces] = (struct piece){ .failure = { 0 } };
	}
	team->out = out;
	team->data = data;
	team->nr = nr;
	team->chunk = chunk;
	atomic_store_explicit(&team->next, 0, memory_order_relaxed);
	if (!team->workers)
		pack_some(team, 0, false);
	for (unsigned int i = 0; team->workers && i < team->nr_workers && i < nr; i++)
		workers_add(team->workers, &group, WORKER_REQUESTED, pack_some, team);
	if (team->workers)
		workers_wait(team->workers, &group);
	for (size_t i = 0; i < nr; i++) {
		if (!team->pieces[i].failure.code)
			continue;
		if (err)
			*err = team->pieces[i].failure;
		team->pieces[i].failure = (struct ft_error){ 0 };
		return -1;
	}
	return 0;
}

const struct text *pack_team_result(const struct pack_team *team, size_t i)
{
	return &team->pieces[i].packed;
}
