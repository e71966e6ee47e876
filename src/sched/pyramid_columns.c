/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pyramid_columns - sums of a series of columns; each edge is computed once. */
#include "src/sched/pyramid_private.h"

#define AHEAD		4u
#define LINE		64u		/* size of a cache line */

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
static inline __attribute__((always_inline)) void walk(struct place *at, int64_t to, int64_t from,
						       struct pyramid_sum *votes)
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

/* Advance to the edge at the end of a column inside a chunk, and collect the column's votes. */
static void go_voting(struct place *at, int64_t from, int64_t to, uint32_t chunk,
		      struct pyramid_sum *sum)
{
	if (chunk > at->chunk) {
		struct pyramid_state last;

		walk(at, INT64_MAX, from, sum);
		last = look(at);
		vote_state(&last, from, to, sum);
		sum_votes(at->p, at->chunk + 1, chunk, sum);
		enter(at, chunk);
	}
	walk(at, to, from, sum);
}

static void go(struct place *at, int64_t to, uint32_t chunk)
{
	if (chunk > at->chunk)
		enter(at, chunk);
	walk(at, to, 0, NULL);
}

/* Sums between two edges in one chunk, and in different chunks. */
static void sum_within(const struct edge *left, const struct edge *right, struct pyramid_sum *sum)
{
	uint64_t begun = right->begun - left->begun, any = begun | (right->again - left->again);

	for (unsigned int k = 1; k <= PYRAMID_TIMED; k++)
		sum->ns[k] = right->ns[k] - left->ns[k];
	while (any) {
		unsigned int k = (unsigned int)__builtin_ctzll(any) / 8;

		sum->begun[k] = begun >> k * 8 & 0xff;
		sum->kinds |= (uint8_t)(1u << k);
		any &= ~(UINT64_C(0xff) << k * 8);
	}
}

static void sum_over(const struct pyramid *p, const struct edge *left, const struct edge *right,
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
	if (left->chunk == right->chunk)
		sum_within(left, right, sum);
	else
		sum_over(p, left, right, sum);
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

/* A column inside of a single state: reuse its left edge. */
static void sum_one(struct edge *edge, int64_t from, int64_t to, bool votes,
		    struct pyramid_sum *sum)
{
	const struct pyramid_state *state = &edge->last;
	uint64_t ns = (uint64_t)to - (uint64_t)from;

	edge->ns[state->kind] += ns;
	if (state->kind && state->kind <= PYRAMID_TIMED)
		sum->ns[state->kind] = ns;
	if (votes && state->kind == 1)
		pyramid_vote(&sum->top, &sum->weight, state->arg, ns);
	sum->touched = (uint8_t)(1u << state->kind);
	sum->carried = sum->goes_on = true;
	sum->carried_kind = sum->last_kind = state->kind;
	sum->carried_arg = sum->last_arg = state->arg;
}

/* Chunks of the next edges: far apart in memory, prefetched while earlier columns are summed. */
struct ahead {
	const struct pyramid *p;
	const int64_t	*edges;		/* [nr] */
	unsigned int	nr, found;	/* found: edges whose chunk is known */
	uint32_t	chunks[AHEAD];	/* of the last ones found */
	uint32_t	stride;		/* recent distance in chunks from edge to edge */
};

/* Prefetch a chunk's totals, and an edge's place if all its states were equally long. */
static void fetch(const struct pyramid *p, uint32_t chunk, int64_t ts)
{
	const struct pyramid_chunk *c = &p->chunks[chunk];
	uint64_t from = chunk ? c->at - sizeof(p->total) : 0,
		 to = c->at + PYRAMID_CHUNK_STATES + LINE;

	if (chunk + 1 < p->nr_chunks) {
		double part = ((double)ts - (double)c->first) /
			      ((double)c[1].first - (double)c->first);

		/* NaN if the chunk takes no time */
		if (part > 0 && part <= 1)
			to += (uint64_t)((double)(c[1].at - c->at) * part);
	}
	for (; from < to; from += LINE)
		__builtin_prefetch(p->bytes + from);
}

static void look_ahead(struct ahead *ahead)
{
	const struct pyramid *p = ahead->p;
	uint32_t from = ahead->found ? ahead->chunks[(ahead->found - 1) % AHEAD] : 0;
	uint32_t guess = p->nr_chunks - from > ahead->stride ? from + ahead->stride : from;
	int64_t ts = ahead->edges[ahead->found];
	uint32_t chunk = pyramid_find_chunk(p, p->chunks[guess].first < ts ? guess : from, ts,
					    false);

	ahead->stride = chunk - from;
	ahead->chunks[ahead->found++ % AHEAD] = chunk;
	fetch(p, chunk, ts);
	guess = p->nr_chunks - chunk > 2 * ahead->stride ? chunk + 2 * ahead->stride : chunk;
	__builtin_prefetch(&p->chunks[guess]);
}

static uint32_t chunk_of_edge(struct ahead *ahead, unsigned int edge)
{
	while (ahead->found < ahead->nr && ahead->found < edge + AHEAD)
		look_ahead(ahead);
	return ahead->chunks[edge % AHEAD];
}

void pyramid_columns(const struct pyramid *p, int64_t end, const int64_t *edges, unsigned int nr,
		     struct pyramid_sum *sums)
{
	struct ahead ahead = { .p = p, .edges = edges, .nr = nr + 1 };
	struct place at = { .p = p, .end = end };
	struct edge sides[2], *left = &sides[0], *right = &sides[1];

	memset(sums, 0, nr * sizeof(*sums));
	if (!nr || !p->nr_chunks)
		return;
	enter(&at, chunk_of_edge(&ahead, 0));
	go(&at, edges[0], at.chunk);
	cut(&at, edges[0], left);
	for (unsigned int i = 0; i < nr; i++) {
		struct edge *former = left;
		uint32_t chunk;

		if (left->within && left->last.to > edges[i + 1]) {
			sum_one(left, edges[i], edges[i + 1], p->votes, &sums[i]);
			continue;
		}
		chunk = chunk_of_edge(&ahead, i + 1);
		if (p->votes)
			go_voting(&at, edges[i], edges[i + 1], chunk, &sums[i]);
		else
			go(&at, edges[i + 1], chunk);
		cut(&at, edges[i + 1], right);
		if (p->votes && right->within)
			vote_state(&right->last, edges[i], edges[i + 1], &sums[i]);
		sum_column(p, left, right, edges[i], edges[i + 1], &sums[i]);
		left = right;
		right = former;
	}
}
