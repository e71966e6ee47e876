/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pyramid_columns - sums of a series of columns; each edge is computed once. */
#include "src/sched/pyramid_private.h"

/* The majority of whole chunks, from the largest pieces that fit. */
static void sum_votes(const struct pyramid *p, uint32_t from, uint32_t to, struct pyramid_sum *sum)
{
	while (from < to) {
		unsigned int level = 0;
		uint32_t i = from, step = 1;

		while (level + 1 < PYRAMID_LEVELS && i % PYRAMID_FANOUT == 0 &&
		       to - from >= step * PYRAMID_FANOUT &&
		       i / PYRAMID_FANOUT < p->levels[level + 1].nr) {
			i /= PYRAMID_FANOUT;
			step *= PYRAMID_FANOUT;
			level++;
		}
		pyramid_vote(&sum->top, &sum->weight, p->levels[level].votes[i].top,
			     p->levels[level].votes[i].weight);
		from += step;
	}
}

/*
 * State at an edge: the sums of everything before it, and the state there.  A column is the
 * difference of two edges, so the states of a chunk are walked once, up to the edge.
 */
struct edge {
	uint32_t	chunk;		/* the chunk that contains it */
	uint64_t	ns[PYRAMID_KINDS];	/* of the chunk's states before it */
	uint64_t	begun, again;		/* number of those states: a byte per kind */
	struct pyramid_state last;	/* the last of those states, of the kind it counts as */
	bool		any;		/* there is such a state */
	bool		within;		/* it begins before the edge, and may extend past it */
};

/* A place in a chunk: a state, and the sums of the states before it. */
struct place {
	const struct pyramid *p;
	int64_t		end;
	uint32_t	chunk, i, nr;	/* state i of the chunk's nr */
	int64_t		ts;		/* start of that state */
	const uint8_t	*heads, *pos;	/* of the chunk; of that state's time and argument */
	uint64_t	ns[PYRAMID_KINDS];	/* of the chunk's states before it */
	uint64_t	begun, again;		/* number of those states: a byte per kind */
	unsigned int	kind;		/* kind of the previous state in the chunk */
	uint32_t	word;
};

static void enter(struct place *at, uint32_t chunk)
{
	at->chunk = chunk;
	at->i = 0;
	at->nr = pyramid_chunk_states(at->p, chunk);
	at->ts = at->p->chunks[chunk].first;
	at->heads = at->p->bytes + at->p->chunks[chunk].at;
	at->pos = at->heads + PYRAMID_CHUNK_STATES;
	memset(at->ns, 0, sizeof(at->ns));
	at->begun = at->again = 0;
	at->kind = at->word = 0;
}

/*
 * Advance to the state that an edge cuts, or to the last one of the chunk.  This is most of the
 * work for a picture, so it does as little as possible.  @votes: collects votes of what is after
 * @from; or NULL.
 */
static void walk(struct place *at, int64_t to, int64_t from, struct pyramid_sum *votes)
{
	const uint8_t *heads = at->heads, *pos = at->pos;
	uint64_t begun = at->begun, again = at->again;
	unsigned int kind = at->kind;
	uint32_t i = at->i, word = at->word;
	int64_t ts = at->ts;

	for (; i + 1 < at->nr && ts < to; i++) {
		unsigned int head = heads[i], after = heads[i + 1];
		const uint8_t *next = pos + pyramid_lengths[head >> 4];
		uint64_t length = pyramid_get_bytes(next, pyramid_time_bytes[after >> 4 & 3]);

		if (ts + (int64_t)length > to)
			break;
		word = (uint32_t)pyramid_get_bytes(pos + pyramid_time_bytes[head >> 4 & 3],
						   pyramid_arg_bytes[head >> 6]);
		kind = pyramid_counted_kind(head);
		at->ns[kind] += length;
		begun += (uint64_t)(~word & 1) << kind * 8;
		again += (uint64_t)(word & 1) << kind * 8;
		if (votes && kind == 1)
			pyramid_vote(&votes->top, &votes->weight, word >> 1,
				     length - (ts < from ? (uint64_t)from - (uint64_t)ts : 0));
		ts += (int64_t)length;
		pos = next;
	}
	at->begun = begun;
	at->again = again;
	at->kind = kind;
	at->word = word;
	at->i = i;
	at->ts = ts;
	at->pos = pos;
}

/* The state at a place. */
static struct pyramid_state look(const struct place *at)
{
	unsigned int head = at->heads[at->i];
	const uint8_t *next = at->pos + pyramid_lengths[head >> 4];
	uint32_t word = (uint32_t)pyramid_get_bytes(at->pos + pyramid_time_bytes[head >> 4 & 3],
						    pyramid_arg_bytes[head >> 6]);
	struct pyramid_state state = {
		.from = at->ts, .kind = (uint8_t)pyramid_counted_kind(head), .arg = word >> 1,
		.again = word & 1
	};

	if (at->i + 1 < at->nr) {
		unsigned int after = at->heads[at->i + 1];

		state.to = at->ts +
			   (int64_t)pyramid_get_bytes(next, pyramid_time_bytes[after >> 4 & 3]);
	} else if (at->chunk + 1 < at->p->nr_chunks) {
		state.to = at->p->chunks[at->chunk + 1].first;
	} else {
		state.to = at->end > at->ts ? at->end : at->ts;
	}
	return state;
}

/* Fill in an edge that the place has reached. */
static void cut(const struct place *at, int64_t ts, struct edge *edge)
{
	edge->chunk = at->chunk;
	memcpy(edge->ns, at->ns, sizeof(edge->ns));
	edge->begun = at->begun;
	edge->again = at->again;
	edge->within = at->ts < ts;
	edge->any = at->i || edge->within;
	if (edge->within) {
		const struct pyramid_state last = look(at);

		*(last.again ? &edge->again : &edge->begun) += UINT64_C(1) << last.kind * 8;
		edge->ns[last.kind] += (uint64_t)(last.to < ts ? last.to : ts) -
				       (uint64_t)last.from;
		edge->last = last;
	} else {
		edge->last = (struct pyramid_state){ .from = INT64_MIN, .to = at->ts,
						     .kind = (uint8_t)at->kind,
						     .arg = at->word >> 1, .again = at->word & 1 };
	}
}

/* Vote for the part of a state that is in a column. */
static void vote_state(const struct pyramid_state *state, int64_t from, int64_t to,
		       struct pyramid_sum *sum)
{
	int64_t begin = state->from > from ? state->from : from,
		end = state->to < to ? state->to : to;

	if (state->kind == 1 && end > begin)
		pyramid_vote(&sum->top, &sum->weight, state->arg, (uint64_t)end - (uint64_t)begin);
}

/* Go to an edge.  @votes: collects votes of what is after @from; or NULL. */
static void go(struct place *at, int64_t from, int64_t to, struct pyramid_sum *votes,
	       struct edge *edge)
{
	uint32_t chunk = pyramid_find_chunk(at->p, at->chunk, to, false);

	if (chunk > at->chunk && votes) {
		struct pyramid_state last;

		walk(at, INT64_MAX, from, votes);
		last = look(at);
		vote_state(&last, from, to, votes);
		sum_votes(at->p, at->chunk + 1, chunk, votes);
	}
	if (chunk > at->chunk)
		enter(at, chunk);
	walk(at, to, from, votes);
	cut(at, to, edge);
	if (votes && edge->within)
		vote_state(&edge->last, from, to, votes);
}

/* Sums between two edges. */
static void sum_between(const struct pyramid *p, const struct edge *left, const struct edge *right,
			struct pyramid_sum *sum)
{
	const struct pyramid_totals before = pyramid_totals_before(p, left->chunk),
				    after = pyramid_totals_before(p, right->chunk);

	for (unsigned int k = 1; k <= PYRAMID_TIMED; k++)
		sum->ns[k] = after.ns[k - 1] + right->ns[k] - before.ns[k - 1] - left->ns[k];
	for (unsigned int k = 0; k < PYRAMID_KINDS; k++) {
		uint32_t begun = after.begun[k] - before.begun[k],
			 again = after.again[k] - before.again[k];

		begun += (uint32_t)(right->begun >> k * 8 & 0xff) -
			 (uint32_t)(left->begun >> k * 8 & 0xff);
		again += (uint32_t)(right->again >> k * 8 & 0xff) -
			 (uint32_t)(left->again >> k * 8 & 0xff);
		sum->begun[k] = begun;
		sum->kinds |= (uint8_t)((begun || again) << k);
	}
}

static void sum_column(const struct pyramid *p, const struct edge *left, const struct edge *right,
		       int64_t from, int64_t to, struct pyramid_sum *sum)
{
	sum_between(p, left, right, sum);
	sum->touched = sum->kinds;
	if (left->any && left->last.to > from) {
		sum->carried = true;
		sum->carried_kind = left->last.kind;
		sum->carried_arg = left->last.arg;
		sum->touched |= (uint8_t)(1u << left->last.kind);
	}
	if (right->any && (right->last.to > from || right->last.from >= from)) {
		sum->last_kind = right->last.kind;
		sum->last_arg = right->last.arg;
		sum->goes_on = right->last.to > to;
	}
}

void pyramid_columns(const struct pyramid *p, int64_t end, const int64_t *edges, unsigned int nr,
		     struct pyramid_sum *sums)
{
	struct place at = { .p = p, .end = end };
	struct edge left, right;

	memset(sums, 0, nr * sizeof(*sums));
	if (!nr || !p->nr_chunks)
		return;
	enter(&at, 0);
	go(&at, 0, edges[0], NULL, &left);
	for (unsigned int i = 0; i < nr; i++) {
		go(&at, edges[i], edges[i + 1], p->votes ? &sums[i] : NULL, &right);
		sum_column(p, &left, &right, edges[i], edges[i + 1], &sums[i]);
		left = right;
	}
}
