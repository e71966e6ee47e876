/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/counts/counts_block.h"

#include "src/base/index_map.h"

#define MOST_MOVES	(1u << 21)	/* 64 MB */

struct request {			/* the last one with this key; or a device */
	uint64_t	sector, rwbs;
	uint32_t	device;
	enum block_step	step;
	bool		is_open;
	int64_t		since;
	uint64_t	in_flight;	/* of a device */
};

struct sum {
	struct index_map map;
	struct request	*requests;	/* owned, [map.nr] */
	uint32_t	cap;
};

void block_moves_add(struct block_moves *m, struct block_move move)
{
	m->is_full = m->nr == MOST_MOVES;
	if (m->is_full)
		return;
	mem_grow(&m->list, m->nr, &m->cap);
	m->list[m->nr++] = move;
}

/* A completion ends a request before another one of that moment begins. */
static int in_order(const void *a, const void *b)
{
	const struct block_move *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static struct request *find(struct sum *s, struct request key)
{
	uint32_t hash = index_map_hash_pair(key.sector, key.device ^ key.rwbs ^ (uint64_t)key.step);
	uint32_t nr = s->map.nr;

	index_map_each (&s->map, hash, i) {
		const struct request *r = &s->requests[i];

		if (r->sector == key.sector && r->rwbs == key.rwbs && r->device == key.device &&
		    r->step == key.step)
			return &s->requests[i];
	}
	mem_grow(&s->requests, nr, &s->cap);
	s->requests[nr] = key;
	index_map_add(&s->map, hash, nr);
	return &s->requests[nr];
}

/* The request that began with @step.  A bio has other letters than the request that it becomes. */
static struct request *request_of(struct sum *s, const struct block_move *move,
				  enum block_step step)
{
	return find(s, (struct request){ move->sector, step == BLOCK_ISSUE ? move->rwbs : 0,
					 move->device, step });
}

/* Its requests that were issued and did not complete: no request begins with a completion. */
static uint64_t *in_flight(struct sum *s, uint32_t device)
{
	return &find(s, (struct request){ .device = device, .step = BLOCK_COMPLETE })->in_flight;
}

static void add(struct counts_span *to, uint64_t ns)
{
	to->nr++;
	to->sum += ns;
	to->max = to->max > ns ? to->max : ns;
	to->average = to->sum / to->nr;
}

static void begin(struct sum *s, const struct block_move *move, struct counts_row *row)
{
	struct request *request = request_of(s, move, move->step);
	bool was_open = request->is_open;
	uint64_t *nr;

	request->is_open = true;
	request->since = move->ts;
	if (move->step != BLOCK_ISSUE)
		return;
	nr = in_flight(s, move->device);
	*nr += !was_open;
	row->in_flight = row->in_flight > *nr ? row->in_flight : *nr;
}

static void end(struct sum *s, const struct block_move *move, struct counts_row *row)
{
	for (enum block_step step = BLOCK_QUEUE; step <= BLOCK_ISSUE; step++) {
		struct request *request = request_of(s, move, step);

		if (!request->is_open)
			continue;
		request->is_open = false;
		add(step == BLOCK_QUEUE ? &row->q2c : &row->d2c,
		    (uint64_t)move->ts - (uint64_t)request->since);
		if (step == BLOCK_ISSUE)
			--*in_flight(s, move->device);
	}
}

void block_moves_sum(struct block_moves *m, struct counts_row *rows)
{
	struct sum s = { 0 };
	bool any = false;

	for (uint32_t i = 0; i < m->nr; i++)
		any |= m->list[i].step == BLOCK_COMPLETE;
	if (m->is_full || !any)		/* a filter left the others */
		return;
	qsort(m->list, m->nr, sizeof(*m->list), in_order);
	for (uint32_t i = 0; i < m->nr; i++) {
		const struct block_move *move = &m->list[i];

		(move->step == BLOCK_COMPLETE ? end : begin)(&s, move, &rows[move->row]);
	}
	index_map_fini(&s.map);
	free(s.requests);
}
