/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A state takes a byte that says what follows, then the time since the one before (in a chunk) and its argument, in as
 * few bytes as they need:
 *
 *   7 6   bytes of the argument: 0, 1, 2 or 4
 *   5 4   bytes of the time: 2, 3, 4 or 8
 *   3     the state before is dropped
 *   2 1 0 kind
 *
 * The argument's lowest bit says that it goes on (again).  Lengths in the first byte, and loads that read too much and mask
 * it off, spare the branches that bytes of continuation would cost.
 */
#include "src/pyramid.h"

#include <stdlib.h>
#include <string.h>

#include "src/memory.h"

#define CHUNK_STATES	64u
#define FANOUT		8u
#define SLACK		8u	/* bytes that may be read behind the last state */
#define DROPPED		0x08u

static const uint8_t time_bytes[] = { 2, 3, 4, 8 }, arg_bytes[] = { 0, 1, 2, 4 };
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

static void node_state(struct pyramid_node *node, const struct pyramid_state *s)
{
	uint64_t ns = (uint64_t)s->to - (uint64_t)s->from;

	node->kinds |= (uint8_t)(1u << s->kind);
	if (!s->again && s->kind)
		node->begun[s->kind - 1]++;
	if (s->kind && s->kind <= PYRAMID_TIMED)
		node->ns[s->kind - 1] += ns;
	if (s->kind == 1)
		vote(&node->top, &node->weight, s->arg, ns);
}

static void node_add(struct pyramid_node *node, const struct pyramid_node *more)
{
	for (unsigned int i = 0; i < PYRAMID_TIMED; i++)
		node->ns[i] += more->ns[i];
	for (unsigned int i = 0; i < PYRAMID_KINDS - 1; i++)
		node->begun[i] += more->begun[i];
	node->kinds |= more->kinds;
	vote(&node->top, &node->weight, more->top, more->weight);
}

static void sum_node(struct pyramid_sum *sum, const struct pyramid_node *node)
{
	for (unsigned int i = 0; i < PYRAMID_TIMED; i++)
		sum->ns[i + 1] += node->ns[i];
	for (unsigned int i = 0; i < PYRAMID_KINDS - 1; i++)
		sum->begun[i + 1] += node->begun[i];
	sum->kinds |= node->kinds;
	vote(&sum->top, &sum->weight, node->top, node->weight);
}

/* The part of a state that is in [from, to), where it is known to touch it. */
static inline void sum_state(struct pyramid_sum *sum, const struct pyramid_state *s, int64_t from, int64_t to)
{
	bool begins = s->from >= from;
	uint64_t ns = (uint64_t)(s->to < to ? s->to : to) - (uint64_t)(begins ? s->from : from);

	if (begins) {
		sum->kinds |= (uint8_t)(1u << s->kind);
		sum->begun[s->kind] += !s->again && s->kind;
	} else {
		sum->carried = true;
		sum->carried_kind = s->kind;
		sum->carried_arg = s->arg;
	}
	sum->last_kind = s->kind;
	sum->last_arg = s->arg;
	sum->goes_on = s->to > to;
	sum->touched |= (uint8_t)(1u << s->kind);
	if (s->kind && s->kind <= PYRAMID_TIMED)
		sum->ns[s->kind] += ns;
	if (s->kind == 1)
		vote(&sum->top, &sum->weight, s->arg, ns);
}

/* --- adding ---------------------------------------------------------------------------- */

static uint64_t put_node(struct pyramid *p, unsigned int level, const struct pyramid_node *node)
{
	struct pyramid_node above = { 0 };
	uint32_t cap = p->cap[level];
	uint64_t grown;

	mem_grow(&p->levels[level], p->nr[level], &p->cap[level]);
	grown = (uint64_t)(p->cap[level] - cap) * sizeof(*node);
	p->levels[level][p->nr[level]++] = *node;
	if (p->nr[level] % FANOUT || level + 1 >= PYRAMID_LEVELS)
		return grown;
	for (uint32_t i = p->nr[level] - FANOUT; i < p->nr[level]; i++)
		node_add(&above, &p->levels[level][i]);
	return grown + put_node(p, level + 1, &above);
}

static unsigned int time_code(uint64_t v)
{
	return v <= 0xffff ? 0 : v <= 0xffffff ? 1 : v <= 0xffffffff ? 2 : 3;
}

static unsigned int arg_code(uint32_t v)
{
	return !v ? 0 : v <= 0xff ? 1 : v <= 0xffff ? 2 : 3;
}

/* The lowest bytes of a number, in the machine's order. */
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

static uint64_t begin_chunk(struct pyramid *p, int64_t ts)
{
	uint32_t cap = p->cap_chunks;
	uint64_t grown = 0;

	if (p->nr_chunks)
		grown = put_node(p, 0, &p->open);
	p->open = (struct pyramid_node){ 0 };
	p->in_chunk = 0;
	if (p->nr_chunks == p->cap_chunks) {
		p->cap_chunks = p->cap_chunks ? p->cap_chunks * 2 : 1;
		p->chunks = mem_resize(p->chunks, p->cap_chunks, sizeof(*p->chunks));
	}
	p->chunks[p->nr_chunks++] = (struct pyramid_chunk){ .first = ts, .at = p->nr_bytes };
	return grown + (uint64_t)(p->cap_chunks - cap) * sizeof(*p->chunks);
}

static uint64_t reserve(struct pyramid *p)
{
	uint64_t cap = p->cap_bytes;

	if (p->nr_bytes + 1 + 8 + 4 + SLACK <= cap)
		return 0;
	p->cap_bytes = cap ? cap * 2 : 48;
	p->bytes = mem_resize(p->bytes, p->cap_bytes, 1);
	memset(p->bytes + cap, 0, p->cap_bytes - cap);
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
		node_state(&p->open, &former);
	}
	if (!p->nr_chunks || p->in_chunk == CHUNK_STATES)
		grown += begin_chunk(p, ts);
	else
		since = (uint64_t)ts - (uint64_t)p->last;
	time = time_code(since);
	p->bytes[p->nr_bytes++] = (uint8_t)(size << 6 | time << 4 | (dropped ? DROPPED : 0) | kind);
	put_bytes(p, since, time_bytes[time]);
	put_bytes(p, word, arg_bytes[size]);
	p->in_chunk++;
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
	it->pos = it->pyramid->bytes + it->pyramid->chunks[chunk].at;
	it->fresh = true;
}

/* Read one more; false: there is none.  *dropped: of the one before. */
static inline bool read_state(struct pyramid_iter *it, bool *dropped)
{
	unsigned int head, time, size;
	uint32_t word;

	if (!it->left) {
		if (it->chunk + 1 >= it->pyramid->nr_chunks)
			return false;
		enter_chunk(it, it->chunk + 1);
	}
	head = *it->pos++;
	time = time_bytes[head >> 4 & 3];
	size = arg_bytes[head >> 6];
	word = (uint32_t)get_bytes(it->pos + time, size);
	it->ts = it->fresh ? it->pyramid->chunks[it->chunk].first : it->ts + (int64_t)get_bytes(it->pos, time);
	it->pos += time + size;
	it->left--;
	it->kind = head & 7;
	it->arg = word >> 1;
	it->again = word & 1;
	it->first = it->fresh;
	it->fresh = false;
	*dropped = head & DROPPED;
	return true;
}

static inline bool next_state(struct pyramid_iter *it, struct pyramid_state *state)
{
	bool dropped = false;

	if (!it->held && !read_state(it, &dropped))
		return false;
	*state = (struct pyramid_state){ .from = it->ts, .arg = it->arg, .kind = it->kind, .again = it->again };
	it->was_first = it->first;
	it->was_chunk = it->chunk;
	it->held = read_state(it, &dropped);
	if (it->held)
		state->to = it->ts;
	else
		state->to = it->end > state->from ? it->end : state->from;
	if (it->held && dropped)
		state->kind = 0;
	return true;
}

bool pyramid_iter_next(struct pyramid_iter *it, struct pyramid_state *state)
{
	return next_state(it, state);
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

/* --- columns --------------------------------------------------------------------------- */

/* Whole chunks, by the largest nodes that fit. */
static void sum_chunks(const struct pyramid *p, uint32_t from, uint32_t to, struct pyramid_sum *sum)
{
	while (from < to) {
		unsigned int level = 0;
		uint32_t i = from, step = 1;

		while (level + 1 < PYRAMID_LEVELS && i % FANOUT == 0 && to - from >= step * FANOUT && i / FANOUT < p->nr[level + 1]) {
			i /= FANOUT;
			step *= FANOUT;
			level++;
		}
		sum_node(sum, &p->levels[level][i]);
		from += step;
	}
}

void pyramid_columns(const struct pyramid *p, int64_t end, const int64_t *edges, unsigned int nr, struct pyramid_sum *sums)
{
	struct pyramid_state state = { 0 };
	struct pyramid_iter it;
	bool have;

	memset(sums, 0, nr * sizeof(*sums));
	if (!nr || !p->nr_chunks)
		return;
	/* What begins at the first edge is in the first column, of several at one time all. */
	start(&it, p, end, find_chunk(p, 0, edges[0], false));
	have = next_state(&it, &state);
	while (have && state.to <= edges[0] && state.from < edges[0])
		have = next_state(&it, &state);
	for (unsigned int i = 0; i < nr; i++) {
		struct pyramid_sum *sum = &sums[i];

		while (have && state.from < edges[i + 1]) {
			uint32_t chunk = it.was_first && state.from >= edges[i] ?
					 find_chunk(p, it.was_chunk, edges[i + 1], false) : it.was_chunk;

			if (chunk > it.was_chunk) {
				sum_chunks(p, it.was_chunk, chunk, sum);
				start(&it, p, end, chunk);
			} else {
				sum_state(sum, &state, edges[i], edges[i + 1]);
				if (state.to > edges[i + 1])
					break;
			}
			have = next_state(&it, &state);
		}
		sum->touched |= sum->kinds;
	}
}

uint64_t pyramid_memory(const struct pyramid *p)
{
	uint64_t bytes = p->cap_bytes + (uint64_t)p->cap_chunks * sizeof(*p->chunks);

	for (unsigned int i = 0; i < PYRAMID_LEVELS; i++)
		bytes += (uint64_t)p->cap[i] * sizeof(*p->levels[i]);
	return bytes;
}
