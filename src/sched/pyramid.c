/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/pyramid_private.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define SLACK		8u	/* bytes that may be read past the last state */
#define FIRST_BYTES	(PYRAMID_CHUNK_STATES + 48)

void pyramid_fini(struct pyramid *p)
{
	free(p->bytes);
	free(p->chunks);
	for (unsigned int i = 0; p->levels && i < PYRAMID_LEVELS; i++)
		free(p->levels[i].votes);
	free(p->levels);
	*p = (struct pyramid){ 0 };
}

/* --- adding ---------------------------------------------------------------------------- */

/* Add a state that has ended to the totals. */
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
		pyramid_vote(&p->open.top, &p->open.weight, s->arg, ns);
}

static uint64_t put_vote(struct pyramid_level *levels, unsigned int level,
			 struct pyramid_vote vote_of)
{
	struct pyramid_level *l = &levels[level];
	struct pyramid_vote above = { 0 };
	uint32_t cap = l->cap;
	uint64_t grown;

	mem_grow(&l->votes, l->nr, &l->cap);
	grown = (uint64_t)(l->cap - cap) * sizeof(vote_of);
	l->votes[l->nr++] = vote_of;
	if (l->nr % PYRAMID_FANOUT || level + 1 >= PYRAMID_LEVELS)
		return grown;
	for (uint32_t i = l->nr - PYRAMID_FANOUT; i < l->nr; i++)
		pyramid_vote(&above.top, &above.weight, l->votes[i].top, l->votes[i].weight);
	return grown + put_vote(levels, level + 1, above);
}

static unsigned int time_code(uint64_t v)
{
	return v <= 0xffff ? 0 : v <= 0xffffff ? 1 : v <= 0xffffffff ? 2 : 3;
}

static unsigned int arg_code(uint32_t v)
{
	return !v ? 0 : v <= 0xff ? 1 : v <= 0xffff ? 2 : 3;
}

/* Append the lowest bytes of a number.  Writes eight: bytes read in excess are initialised. */
static void put_bytes(struct pyramid *p, uint64_t v, unsigned int nr)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p->bytes + p->nr_bytes, &v, sizeof(v));
	p->nr_bytes += nr;
}

/* Begin a chunk after all others; the last state must have ended. */
static uint64_t begin_chunk(struct pyramid *p, int64_t ts)
{
	uint32_t cap = p->cap_chunks;
	uint64_t grown = 0;

	if (p->nr_chunks) {
		memcpy(p->bytes + p->nr_bytes, &p->total, sizeof(p->total));
		p->nr_bytes += sizeof(p->total);
	}
	if (p->nr_chunks && p->votes) {
		if (!p->levels)
			p->levels = mem_array(PYRAMID_LEVELS, sizeof(*p->levels));
		grown = put_vote(p->levels, 0, p->open);
	}
	p->open = (struct pyramid_vote){ 0 };
	p->in_chunk = 0;
	if (p->nr_chunks == p->cap_chunks) {
		p->cap_chunks = p->cap_chunks ? p->cap_chunks * 2 : 1;
		p->chunks = mem_resize(p->chunks, p->cap_chunks, sizeof(*p->chunks));
	}
	p->chunks[p->nr_chunks++] = (struct pyramid_chunk){ .first = ts, .at = p->nr_bytes };
	p->nr_bytes += PYRAMID_CHUNK_STATES;
	return grown + (uint64_t)(p->cap_chunks - cap) * sizeof(*p->chunks);
}

static uint64_t reserve(struct pyramid *p)
{
	uint64_t cap = p->cap_bytes;

	if (p->nr_bytes + (p->nr_chunks ? sizeof(p->total) : 0) + PYRAMID_CHUNK_STATES + 8 + 4 +
		    SLACK <=
	    cap)
		return 0;
	p->cap_bytes = cap ? cap * 2 : FIRST_BYTES;
	p->bytes = mem_resize(p->bytes, p->cap_bytes, 1);
	return p->cap_bytes - cap;
}

static uint8_t *last_head(const struct pyramid *p)
{
	return &p->bytes[p->chunks[p->nr_chunks - 1].at + p->in_chunk - 1];
}

void pyramid_doubt_last(struct pyramid *p)
{
	if (p->nr_chunks)
		*last_head(p) |= PYRAMID_IN_DOUBT;
}

/* What the header says of the last state now that it has ended: the kind it counts as. */
static unsigned int end_last(struct pyramid *p, enum pyramid_end end)
{
	if (end == PYRAMID_DROPPED)
		*last_head(p) &= (uint8_t)~PYRAMID_KIND;
	else if (end == PYRAMID_DOUBTFUL)
		pyramid_doubt_last(p);
	return pyramid_counted_kind(*last_head(p));
}

uint64_t pyramid_add(struct pyramid *p, int64_t ts, unsigned int kind, uint32_t arg, bool again,
		     enum pyramid_end end)
{
	uint32_t word = arg << 1 | again;
	unsigned int time, size = arg_code(word);
	uint64_t grown = reserve(p), since = 0;

	if (p->nr_chunks) {
		const struct pyramid_state former = { .from = p->last,
						      .to = ts > p->last ? ts : p->last,
						      .arg = p->last_arg,
						      .kind = (uint8_t)end_last(p, end),
						      .again = p->last_again };

		ts = former.to;
		total_state(p, &former);
	}
	if (!p->nr_chunks || p->in_chunk == PYRAMID_CHUNK_STATES)
		grown += begin_chunk(p, ts);
	else
		since = (uint64_t)ts - (uint64_t)p->last;
	time = time_code(since);
	p->bytes[p->chunks[p->nr_chunks - 1].at + p->in_chunk++] = (uint8_t)(size << 6 | time << 4 |
									     kind);
	put_bytes(p, since, pyramid_time_bytes[time]);
	put_bytes(p, word, pyramid_arg_bytes[size]);
	p->last = ts;
	p->last_kind = (uint8_t)kind;
	p->last_arg = arg;
	p->last_again = again;
	return grown;
}

/* --- reading --------------------------------------------------------------------------- */

static void enter_chunk(struct pyramid_iter *it, uint32_t chunk)
{
	it->chunk = chunk;
	it->left = pyramid_chunk_states(it->pyramid, chunk);
	it->head = it->pyramid->bytes + it->pyramid->chunks[chunk].at;
	it->pos = it->head + PYRAMID_CHUNK_STATES;
	it->ts = it->pyramid->chunks[chunk].first;
}

/* Read one more state; false if there is none. */
static bool read_state(struct pyramid_iter *it)
{
	unsigned int head, time;
	uint32_t word;

	if (!it->left) {
		if (it->chunk + 1 >= it->pyramid->nr_chunks)
			return false;
		enter_chunk(it, it->chunk + 1);
	}
	head = *it->head++;
	time = pyramid_time_bytes[head >> 4 & 3];
	word = (uint32_t)pyramid_get_bytes(it->pos + time, pyramid_arg_bytes[head >> 6]);
	/* the first state's time is 0 */
	it->ts += (int64_t)pyramid_get_bytes(it->pos, time);
	it->pos += pyramid_lengths[head >> 4];
	it->left--;
	it->kind = head & PYRAMID_KIND;
	it->doubtful = head & PYRAMID_IN_DOUBT;
	it->arg = word >> 1;
	it->again = word & 1;
	return true;
}

bool pyramid_iter_next(struct pyramid_iter *it, struct pyramid_state *state)
{
	if (!it->held && !read_state(it))
		return false;
	*state = (struct pyramid_state){ .from = it->ts, .arg = it->arg, .kind = it->kind,
					 .again = it->again, .doubtful = it->doubtful };
	it->held = read_state(it);
	if (it->held)
		state->to = it->ts;
	else
		state->to = it->end > state->from ? it->end : state->from;
	return true;
}

uint32_t pyramid_find_chunk(const struct pyramid *p, uint32_t from, int64_t ts, bool at)
{
	uint32_t lo = from, hi = from + 1;

	/* search nearby first: that is where it usually is */
	for (uint32_t step = 1;
	     hi < p->nr_chunks && (p->chunks[hi].first < ts || (at && p->chunks[hi].first == ts));
	     step *= 2) {
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

/* Pass by the states of a chunk, except its last one, that end before or at a time. */
static void pass_by(struct pyramid_iter *it, int64_t ts)
{
	const uint8_t *head = it->head, *last = head + it->left - 1, *pos = it->pos;
	int64_t before = it->ts, from = it->ts;

	for (; head < last; head++) {
		const uint8_t *next = pos + pyramid_lengths[*head >> 4];
		uint64_t length = pyramid_get_bytes(next, pyramid_time_bytes[head[1] >> 4 & 3]);

		if (from + (int64_t)length > ts)
			break;
		before = from;
		from += (int64_t)length;
		pos = next;
	}
	it->left -= (uint32_t)(head - it->head);
	it->head = head;
	it->pos = pos;
	it->ts = before;
}

void pyramid_iter_init(struct pyramid_iter *it, const struct pyramid *p, int64_t end, int64_t ts)
{
	start(it, p, end, pyramid_find_chunk(p, 0, ts, true));
	if (!it->left)
		return;
	pass_by(it, ts);
	it->held = read_state(it);
	if (!it->left && it->chunk + 1 == p->nr_chunks && it->ts <= ts && end <= ts)
		it->held = false;
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

	start(&it, p, end, pyramid_find_chunk(p, 0, ts, false));
	while (pyramid_iter_next(&it, &next) && next.from < ts) {
		*state = next;
		found = true;
	}
	return found;
}

/* --- finding --------------------------------------------------------------------------- */

/* May a chunk contain a state of these kinds? */
static bool chunk_has(const struct pyramid *p, uint32_t chunk, const struct pyramid_find *find)
{
	unsigned int kinds = find->kinds | (find->sure ? 0 : 1u << PYRAMID_DOUBT);
	struct pyramid_totals before, after;

	if (chunk + 1 >= p->nr_chunks)
		return true;
	before = pyramid_totals_before(p, chunk);
	after = pyramid_totals_before(p, chunk + 1);
	for (unsigned int k = 0; k < PYRAMID_KINDS; k++)
		if (kinds >> k & 1 &&
		    (after.begun[k] != before.begun[k] || after.again[k] != before.again[k]))
			return true;
	return false;
}

/* Search in one chunk: the first match, or going backwards the last. */
static bool find_in_chunk(const struct pyramid *p, int64_t end, uint32_t chunk, int64_t ts,
			  bool forward, const struct pyramid_find *find,
			  struct pyramid_state *found)
{
	struct pyramid_state state;
	struct pyramid_iter it;
	bool any = false;

	start(&it, p, end, chunk);
	for (uint32_t i = pyramid_chunk_states(p, chunk); i > 0 && pyramid_iter_next(&it, &state);
	     i--) {
		if (!forward && state.from >= ts)
			break;
		if ((forward && state.from <= ts) || !(find->kinds >> state.kind & 1) ||
		    state.to - state.from < find->least || (find->sure && state.doubtful))
			continue;
		*found = state;
		any = true;
		if (forward)
			break;
	}
	return any;
}

bool pyramid_find_next(const struct pyramid *p, int64_t end, int64_t ts,
		       const struct pyramid_find *find, struct pyramid_state *state)
{
	for (uint32_t chunk = pyramid_find_chunk(p, 0, ts, true); chunk < p->nr_chunks; chunk++)
		if (chunk_has(p, chunk, find) &&
		    find_in_chunk(p, end, chunk, ts, true, find, state))
			return true;
	return false;
}

bool pyramid_find_before(const struct pyramid *p, int64_t end, int64_t ts,
			 const struct pyramid_find *find, struct pyramid_state *state)
{
	for (uint32_t chunk = p->nr_chunks ? pyramid_find_chunk(p, 0, ts, false) + 1 : 0;
	     chunk-- > 0;)
		if (chunk_has(p, chunk, find) &&
		    find_in_chunk(p, end, chunk, ts, false, find, state))
			return true;
	return false;
}
