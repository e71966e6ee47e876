/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chunk begins with a byte for each of its states, room for all of them, that says what of each follows: the time since the
 * one before (in the chunk), then its argument, in as few bytes as they need:
 *
 *   7 6   bytes of the argument: 0, 1, 2 or 4
 *   5 4   bytes of the time: 2, 3, 4 or 8
 *   3     the state before is dropped
 *   2 1 0 kind
 *
 * The argument's lowest bit says that it goes on (again).  With the lengths by themselves no state has to wait for the bytes
 * of the one before; loads that read too much and mask it off spare the branches that bytes of continuation would cost.
 */
#include "src/pyramid.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/memory.h"

#define CHUNK_STATES	64u
#define FANOUT		4u
#define SLACK		8u	/* bytes that may be read behind the last state */
#define DROPPED		0x08u
#define AHEAD		4u
#define LINE		64u		/* bytes that memory is fetched by */
#define LARGE_BYTES	(4u << 20)
#define FIRST_BYTES	(CHUNK_STATES + 48)

static const uint8_t time_bytes[] = { 2, 3, 4, 8 }, arg_bytes[] = { 0, 1, 2, 4 };
/* Of both, by the upper half of the first byte. */
static const uint8_t lengths[] = { 2, 3, 4, 8, 3, 4, 5, 9, 4, 5, 6, 10, 6, 7, 8, 12 };
static const uint64_t masks[] = { 0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0, 0, 0, UINT64_MAX };

void pyramid_fini(struct pyramid *p)
{
	free(p->bytes);
	free(p->chunks);
	for (unsigned int i = 0; i < PYRAMID_LEVELS; i++)
		free(p->levels[i]);
	*p = (struct pyramid){ 0 };
}

/* --- sums ------------------------------------------------------------------------------ */

/* A vote of the majority (Boyer and Moore): what has more than half of all that was put in is left over. */
static inline void vote(uint32_t *top, uint64_t *weight, uint32_t arg, uint64_t more)
{
	if (*top == arg || !*weight) {
		*top = arg;
		*weight += more;
	} else if (*weight >= more) {
		*weight -= more;
	} else {
		*top = arg;
		*weight = more - *weight;
	}
}

/* --- adding ---------------------------------------------------------------------------- */

/* A state has come to its end. */
static void total_state(struct pyramid *p, const struct pyramid_state *s)
{
	uint64_t ns = (uint64_t)s->to - (uint64_t)s->from;

	if (s->again)
		p->total.again[s->kind]++;
	else
		p->total.begun[s->kind]++;
	if (s->kind && s->kind <= PYRAMID_TIMED)
		p->total.ns[s->kind - 1] += ns;
	if (s->kind == 1 && p->votes)
		vote(&p->open.top, &p->open.weight, s->arg, ns);
}

static uint64_t put_vote(struct pyramid *p, unsigned int level, struct pyramid_vote vote_of)
{
	struct pyramid_vote above = { 0 };
	uint32_t cap = p->cap[level];
	uint64_t grown;

	mem_grow(&p->levels[level], p->nr[level], &p->cap[level]);
	grown = (uint64_t)(p->cap[level] - cap) * sizeof(vote_of);
	p->levels[level][p->nr[level]++] = vote_of;
	if (p->nr[level] % FANOUT || level + 1 >= PYRAMID_LEVELS)
		return grown;
	for (uint32_t i = p->nr[level] - FANOUT; i < p->nr[level]; i++)
		vote(&above.top, &above.weight, p->levels[level][i].top, p->levels[level][i].weight);
	return grown + put_vote(p, level + 1, above);
}

static unsigned int time_code(uint64_t v)
{
	return v <= 0xffff ? 0 : v <= 0xffffff ? 1 : v <= 0xffffffff ? 2 : 3;
}

static unsigned int arg_code(uint32_t v)
{
	return !v ? 0 : v <= 0xff ? 1 : v <= 0xffff ? 2 : 3;
}

/* The lowest bytes of a number.  Eight are written: so what reading takes too much of is set. */
static void put_bytes(struct pyramid *p, uint64_t v, unsigned int nr)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p->bytes + p->nr_bytes, &v, sizeof(v));
	p->nr_bytes += nr;
}

static inline uint64_t get_bytes(const uint8_t *bytes, unsigned int nr)
{
	uint64_t v;

	memcpy(&v, bytes, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v & masks[nr];
}

/* Behind all others, whose last state is at its end. */
static uint64_t begin_chunk(struct pyramid *p, int64_t ts)
{
	uint32_t cap = p->cap_chunks;
	uint64_t grown = 0;

	if (p->nr_chunks) {
		memcpy(p->bytes + p->nr_bytes, &p->total, sizeof(p->total));
		p->nr_bytes += sizeof(p->total);
	}
	if (p->nr_chunks && p->votes)
		grown = put_vote(p, 0, p->open);
	p->open = (struct pyramid_vote){ 0 };
	p->in_chunk = 0;
	if (p->nr_chunks == p->cap_chunks) {
		p->cap_chunks = p->cap_chunks ? p->cap_chunks * 2 : 1;
		p->chunks = mem_resize(p->chunks, p->cap_chunks, sizeof(*p->chunks));
	}
	p->chunks[p->nr_chunks++] = (struct pyramid_chunk){ .first = ts, .at = p->nr_bytes };
	p->nr_bytes += CHUNK_STATES;
	return grown + (uint64_t)(p->cap_chunks - cap) * sizeof(*p->chunks);
}

/* Edges of columns are far apart in it: with large pages, finding them takes a fifth less. */
static void ask_for_large_pages(void *bytes, uint64_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)bytes + page - 1) / page * page;

	if (size >= LARGE_BYTES)
		madvise((void *)from, ((uintptr_t)bytes + size - from) / page * page, MADV_HUGEPAGE);
#else
	(void)bytes;
	(void)size;
#endif
}

static uint64_t reserve(struct pyramid *p)
{
	uint64_t cap = p->cap_bytes;

	if (p->nr_bytes + (p->nr_chunks ? sizeof(p->total) : 0) + CHUNK_STATES + 8 + 4 + SLACK <= cap)
		return 0;
	p->cap_bytes = cap ? cap * 2 : FIRST_BYTES;
	p->bytes = mem_resize(p->bytes, p->cap_bytes, 1);
	ask_for_large_pages(p->bytes, p->cap_bytes);
	return p->cap_bytes - cap;
}

uint64_t pyramid_add(struct pyramid *p, int64_t ts, unsigned int kind, uint32_t arg, bool again, bool dropped)
{
	uint32_t word = arg << 1 | again;
	unsigned int time, size = arg_code(word);
	uint64_t grown = reserve(p), since = 0;

	if (p->nr_chunks) {
		const struct pyramid_state former = { .from = p->last, .to = ts > p->last ? ts : p->last, .arg = p->last_arg,
						      .kind = dropped ? 0 : p->last_kind, .again = p->last_again };

		ts = former.to;
		total_state(p, &former);
	}
	if (!p->nr_chunks || p->in_chunk == CHUNK_STATES)
		grown += begin_chunk(p, ts);
	else
		since = (uint64_t)ts - (uint64_t)p->last;
	time = time_code(since);
	p->bytes[p->chunks[p->nr_chunks - 1].at + p->in_chunk++] =
		(uint8_t)(size << 6 | time << 4 | (dropped ? DROPPED : 0) | kind);
	put_bytes(p, since, time_bytes[time]);
	put_bytes(p, word, arg_bytes[size]);
	p->last = ts;
	p->last_kind = (uint8_t)kind;
	p->last_arg = arg;
	p->last_again = again;
	return grown;
}

/* --- reading --------------------------------------------------------------------------- */

static uint32_t chunk_states(const struct pyramid *p, uint32_t chunk)
{
	return chunk + 1 < p->nr_chunks ? CHUNK_STATES : p->in_chunk;
}

static void enter_chunk(struct pyramid_iter *it, uint32_t chunk)
{
	it->chunk = chunk;
	it->left = chunk_states(it->pyramid, chunk);
	it->head = it->pyramid->bytes + it->pyramid->chunks[chunk].at;
	it->pos = it->head + CHUNK_STATES;
	it->ts = it->pyramid->chunks[chunk].first;
}

/* Read one more; false: there is none.  *dropped: of the one before. */
static bool read_state(struct pyramid_iter *it, bool *dropped)
{
	unsigned int head, time;
	uint32_t word;

	if (!it->left) {
		if (it->chunk + 1 >= it->pyramid->nr_chunks)
			return false;
		enter_chunk(it, it->chunk + 1);
	}
	head = *it->head++;
	time = time_bytes[head >> 4 & 3];
	word = (uint32_t)get_bytes(it->pos + time, arg_bytes[head >> 6]);
	/* The first one's time is 0. */
	it->ts += (int64_t)get_bytes(it->pos, time);
	it->pos += lengths[head >> 4];
	it->left--;
	it->kind = head & 7;
	it->arg = word >> 1;
	it->again = word & 1;
	*dropped = head & DROPPED;
	return true;
}

bool pyramid_iter_next(struct pyramid_iter *it, struct pyramid_state *state)
{
	bool dropped = false;

	if (!it->held && !read_state(it, &dropped))
		return false;
	*state = (struct pyramid_state){ .from = it->ts, .arg = it->arg, .kind = it->kind, .again = it->again };
	it->held = read_state(it, &dropped);
	if (it->held)
		state->to = it->ts;
	else
		state->to = it->end > state->from ? it->end : state->from;
	if (it->held && dropped)
		state->kind = 0;
	return true;
}

/* The last chunk from one on that begins before ts (or at it, too); that one if there is none. */
static uint32_t find_chunk(const struct pyramid *p, uint32_t from, int64_t ts, bool at)
{
	uint32_t lo = from, hi = from + 1;

	/* It is near more often than not. */
	for (uint32_t step = 1; hi < p->nr_chunks && (p->chunks[hi].first < ts || (at && p->chunks[hi].first == ts)); step *= 2) {
		lo = hi;
		hi = p->nr_chunks - hi > step ? hi + step : p->nr_chunks;
	}
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->chunks[mid].first < ts || (at && p->chunks[mid].first == ts))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void start(struct pyramid_iter *it, const struct pyramid *p, int64_t end, uint32_t chunk)
{
	*it = (struct pyramid_iter){ .pyramid = p, .end = end };
	if (p->nr_chunks)
		enter_chunk(it, chunk);
}

void pyramid_iter_init(struct pyramid_iter *it, const struct pyramid *p, int64_t end, int64_t ts)
{
	struct pyramid_iter ahead;
	struct pyramid_state state;

	start(it, p, end, p->nr_chunks ? find_chunk(p, 0, ts, true) : 0);
	for (ahead = *it; pyramid_iter_next(&ahead, &state) && state.to <= ts; )
		*it = ahead;
}

bool pyramid_at(const struct pyramid *p, int64_t end, int64_t ts, struct pyramid_state *state)
{
	struct pyramid_iter it;

	pyramid_iter_init(&it, p, end, ts);
	return pyramid_iter_next(&it, state) && state->from <= ts && ts < state->to;
}

bool pyramid_before(const struct pyramid *p, int64_t end, int64_t ts, struct pyramid_state *state)
{
	struct pyramid_state next;
	struct pyramid_iter it;
	bool found = false;

	if (!p->nr_chunks)
		return false;
	start(&it, p, end, find_chunk(p, 0, ts, false));
	while (pyramid_iter_next(&it, &next) && next.from < ts) {
		*state = next;
		found = true;
	}
	return found;
}

/* --- finding --------------------------------------------------------------------------- */

/* Of all that was before a chunk. */
static struct pyramid_totals totals_before(const struct pyramid *p, uint32_t chunk)
{
	struct pyramid_totals totals = { 0 };

	if (chunk)
		memcpy(&totals, p->bytes + p->chunks[chunk].at - sizeof(totals), sizeof(totals));
	return totals;
}

/* May a chunk have a state of these kinds? */
static bool chunk_has(const struct pyramid *p, uint32_t chunk, unsigned int kinds)
{
	struct pyramid_totals before, after;

	if (chunk + 1 >= p->nr_chunks)
		return true;
	before = totals_before(p, chunk);
	after = totals_before(p, chunk + 1);
	for (unsigned int k = 0; k < PYRAMID_KINDS; k++)
		if (kinds >> k & 1 && (after.begun[k] != before.begun[k] || after.again[k] != before.again[k]))
			return true;
	return false;
}

/* In one chunk; of several that match the first one, or the last one. */
static bool find_in_chunk(const struct pyramid *p, int64_t end, uint32_t chunk, int64_t ts, bool forward,
			  const struct pyramid_find *find, struct pyramid_state *found)
{
	struct pyramid_state state;
	struct pyramid_iter it;
	bool any = false;

	start(&it, p, end, chunk);
	for (uint32_t i = chunk_states(p, chunk); i > 0 && pyramid_iter_next(&it, &state); i--) {
		if (!forward && state.from >= ts)
			break;
		if ((forward && state.from <= ts) || !(find->kinds >> state.kind & 1) || state.to - state.from < find->least)
			continue;
		*found = state;
		any = true;
		if (forward)
			break;
	}
	return any;
}

bool pyramid_find_next(const struct pyramid *p, int64_t end, int64_t ts, const struct pyramid_find *find, struct pyramid_state *state)
{
	for (uint32_t chunk = p->nr_chunks ? find_chunk(p, 0, ts, true) : 0; chunk < p->nr_chunks; chunk++)
		if (chunk_has(p, chunk, find->kinds) && find_in_chunk(p, end, chunk, ts, true, find, state))
			return true;
	return false;
}

bool pyramid_find_before(const struct pyramid *p, int64_t end, int64_t ts, const struct pyramid_find *find, struct pyramid_state *state)
{
	for (uint32_t chunk = p->nr_chunks ? find_chunk(p, 0, ts, false) + 1 : 0; chunk-- > 0; )
		if (chunk_has(p, chunk, find->kinds) && find_in_chunk(p, end, chunk, ts, false, find, state))
			return true;
	return false;
}

/* --- columns --------------------------------------------------------------------------- */

/* Who has most of whole chunks, by the largest pieces that fit. */
static void sum_votes(const struct pyramid *p, uint32_t from, uint32_t to, struct pyramid_sum *sum)
{
	while (from < to) {
		unsigned int level = 0;
		uint32_t i = from, step = 1;

		while (level + 1 < PYRAMID_LEVELS && i % FANOUT == 0 && to - from >= step * FANOUT && i / FANOUT < p->nr[level + 1]) {
			i /= FANOUT;
			step *= FANOUT;
			level++;
		}
		vote(&sum->top, &sum->weight, p->levels[level][i].top, p->levels[level][i].weight);
		from += step;
	}
}

/*
 * What an edge cuts: all that was before it, and the state there.  A column is the difference of two of them, so the states of a
 * chunk are gone through once, up to the edge.
 */
struct edge {
	uint32_t	chunk;		/* that it lies in */
	uint64_t	ns[PYRAMID_KINDS];	/* of the states of the chunk before it */
	uint64_t	begun, again;		/* how many begin before it: a byte a kind */
	struct pyramid_state last;	/* of all these; its kind is 0 where it is dropped */
	bool		any;		/* there is one */
	bool		within;		/* it begins before the edge, and may reach behind it */
};

/* A place in a row of states: at one of them, what lies before it in its chunk added up. */
struct place {
	const struct pyramid *p;
	int64_t		end;
	uint32_t	chunk, i, nr;	/* state of the chunk; of how many */
	int64_t		ts;		/* when it begins */
	const uint8_t	*heads, *pos;	/* of the chunk; of its time and argument */
	uint64_t	ns[PYRAMID_KINDS];	/* of those before it in the chunk */
	uint64_t	begun, again;		/* and how many: a byte a kind */
	unsigned int	kind;		/* of the one before it, in the chunk */
	uint32_t	word;
};

static void enter(struct place *at, uint32_t chunk)
{
	at->chunk = chunk;
	at->i = 0;
	at->nr = chunk_states(at->p, chunk);
	at->ts = at->p->chunks[chunk].first;
	at->heads = at->p->bytes + at->p->chunks[chunk].at;
	at->pos = at->heads + CHUNK_STATES;
	memset(at->ns, 0, sizeof(at->ns));
	at->begun = at->again = 0;
	at->kind = at->word = 0;
}

/*
 * On to the state that an edge cuts, or the last one of the chunk.  Most of what there is to do for a picture, so it is done with
 * as little as can be.  @votes: or NULL; of what lies behind @from.
 */
static inline __attribute__((always_inline)) void walk(struct place *at, int64_t to, int64_t from, struct pyramid_sum *votes)
{
	const uint8_t *heads = at->heads, *pos = at->pos;
	uint64_t begun = at->begun, again = at->again;
	unsigned int kind = at->kind;
	uint32_t i = at->i, word = at->word;
	int64_t ts = at->ts;

	for (; i + 1 < at->nr && ts < to; i++) {
		unsigned int head = heads[i], after = heads[i + 1];
		const uint8_t *next = pos + lengths[head >> 4];
		uint64_t length = get_bytes(next, time_bytes[after >> 4 & 3]);

		if (ts + (int64_t)length > to)
			break;
		word = (uint32_t)get_bytes(pos + time_bytes[head >> 4 & 3], arg_bytes[head >> 6]);
		kind = after & DROPPED ? 0 : head & 7;
		at->ns[kind] += length;
		begun += (uint64_t)(~word & 1) << kind * 8;
		again += (uint64_t)(word & 1) << kind * 8;
		if (votes && kind == 1)
			vote(&votes->top, &votes->weight, word >> 1, length - (ts < from ? (uint64_t)from - (uint64_t)ts : 0));
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

/* The state that a walk has come to. */
static struct pyramid_state look(const struct place *at)
{
	unsigned int head = at->heads[at->i];
	const uint8_t *next = at->pos + lengths[head >> 4];
	uint32_t word = (uint32_t)get_bytes(at->pos + time_bytes[head >> 4 & 3], arg_bytes[head >> 6]);
	struct pyramid_state state = { .from = at->ts, .kind = head & 7, .arg = word >> 1, .again = word & 1 };
	unsigned int after = 0;

	if (at->i + 1 < at->nr) {
		after = at->heads[at->i + 1];
		state.to = at->ts + (int64_t)get_bytes(next, time_bytes[after >> 4 & 3]);
	} else if (at->chunk + 1 < at->p->nr_chunks) {
		after = at->p->bytes[at->p->chunks[at->chunk + 1].at];
		state.to = at->p->chunks[at->chunk + 1].first;
	} else {
		state.to = at->end > at->ts ? at->end : at->ts;
	}
	if (after & DROPPED)
		state.kind = 0;
	return state;
}

/* What lies before an edge that the place has come to. */
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
		edge->ns[last.kind] += (uint64_t)(last.to < ts ? last.to : ts) - (uint64_t)last.from;
		edge->last = last;
	} else {
		edge->last = (struct pyramid_state){ .from = INT64_MIN, .to = at->ts, .kind = (uint8_t)at->kind,
						     .arg = at->word >> 1, .again = at->word & 1 };
	}
}

/* The part of a state that is in a column. */
static void vote_state(const struct pyramid_state *state, int64_t from, int64_t to, struct pyramid_sum *sum)
{
	int64_t begin = state->from > from ? state->from : from, end = state->to < to ? state->to : to;

	if (state->kind == 1 && end > begin)
		vote(&sum->top, &sum->weight, state->arg, (uint64_t)end - (uint64_t)begin);
}

/* To the edge at the end of a column, that lies in a chunk; who has most of the column on the way. */
static void go_voting(struct place *at, int64_t from, int64_t to, uint32_t chunk, struct pyramid_sum *sum)
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

/* What lies between two edges: of one chunk, and of different ones. */
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

static void sum_over(const struct pyramid *p, const struct edge *left, const struct edge *right, struct pyramid_sum *sum)
{
	const struct pyramid_totals before = totals_before(p, left->chunk), after = totals_before(p, right->chunk);

	for (unsigned int k = 1; k <= PYRAMID_TIMED; k++)
		sum->ns[k] = after.ns[k - 1] + right->ns[k] - before.ns[k - 1] - left->ns[k];
	for (unsigned int k = 0; k < PYRAMID_KINDS; k++) {
		uint32_t begun = after.begun[k] - before.begun[k], again = after.again[k] - before.again[k];

		begun += (uint32_t)(right->begun >> k * 8 & 0xff) - (uint32_t)(left->begun >> k * 8 & 0xff);
		again += (uint32_t)(right->again >> k * 8 & 0xff) - (uint32_t)(left->again >> k * 8 & 0xff);
		sum->begun[k] = begun;
		sum->kinds |= (uint8_t)((begun || again) << k);
	}
}

static void sum_column(const struct pyramid *p, const struct edge *left, const struct edge *right, int64_t from, int64_t to,
		       struct pyramid_sum *sum)
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

/* A column of one state that reaches over both its edges: it is the one before. */
static void sum_one(struct edge *edge, int64_t from, int64_t to, bool votes, struct pyramid_sum *sum)
{
	const struct pyramid_state *state = &edge->last;
	uint64_t ns = (uint64_t)to - (uint64_t)from;

	edge->ns[state->kind] += ns;
	if (state->kind && state->kind <= PYRAMID_TIMED)
		sum->ns[state->kind] = ns;
	if (votes && state->kind == 1)
		vote(&sum->top, &sum->weight, state->arg, ns);
	sum->touched = (uint8_t)(1u << state->kind);
	sum->carried = sum->goes_on = true;
	sum->carried_kind = sum->last_kind = state->kind;
	sum->carried_arg = sum->last_arg = state->arg;
}

/*
 * The chunks of the edges that come next: what is in them is far apart in memory, and fetched while the columns before are
 * summed.
 */
struct ahead {
	const struct pyramid *p;
	const int64_t	*edges;		/* [nr] */
	unsigned int	nr, found;	/* edges whose chunk is known */
	uint32_t	chunks[AHEAD];	/* of the last ones */
	uint32_t	stride;		/* from edge to edge, lately */
};

/* From the totals before a chunk to where an edge is in it, if its states are as long as one another. */
static void fetch(const struct pyramid *p, uint32_t chunk, int64_t ts)
{
	const struct pyramid_chunk *c = &p->chunks[chunk];
	uint64_t from = chunk ? c->at - sizeof(p->total) : 0, to = c->at + CHUNK_STATES + LINE;

	if (chunk + 1 < p->nr_chunks) {
		double part = ((double)ts - (double)c->first) / ((double)c[1].first - (double)c->first);

		/* Not a number where the chunk takes no time. */
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
	uint32_t chunk = find_chunk(p, p->chunks[guess].first < ts ? guess : from, ts, false);

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

void pyramid_columns(const struct pyramid *p, int64_t end, const int64_t *edges, unsigned int nr, struct pyramid_sum *sums)
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

uint64_t pyramid_memory(const struct pyramid *p)
{
	uint64_t bytes = p->cap_bytes + (uint64_t)p->cap_chunks * sizeof(*p->chunks);

	for (unsigned int i = 0; i < PYRAMID_LEVELS; i++)
		bytes += (uint64_t)p->cap[i] * sizeof(*p->levels[i]);
	return bytes;
}
