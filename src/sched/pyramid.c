/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How states are stored: a chunk begins with a header byte for each of its states, with room for
 * all of them; the first one with room for few at first, since most tasks have few states.  After
 * these come, for each state, the time since the previous one (in the chunk) and the argument, in
 * as few bytes as possible:
 *
 *   7 6   bytes of the argument: 0, 1, 2 or 4
 *   5 4   bytes of the time: 2, 3, 4 or 8
 *   3     the state is doubtful
 *   2 1 0 kind
 *
 * The argument's lowest bit marks a continuation (again).  Because the lengths are stored
 * separately, no state has to wait for the previous one's bytes; loading too much and masking
 * avoids the branches of variable-length bytes.
 */
#include "src/sched/pyramid.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define CHUNK_STATES	64u
#define FIRST_ROOM	4u	/* headers at first */
#define FIRST_BYTES	24u	/* and so on: what malloc() gives without loss */
#define SLACK		8u	/* bytes that may be read and written behind a state's time */
#define FANOUT		4u	/* votes that one of the level above joins */
#define KIND		0x07u
#define IN_DOUBT	0x08u

static const uint8_t time_bytes[] = { 2, 3, 4, 8 }, arg_bytes[] = { 0, 1, 2, 4 };
/* Length of time and argument together, by the upper half of the header. */
static const uint8_t lengths[] = { 2, 3, 4, 8, 3, 4, 5, 9, 4, 5, 6, 10, 6, 7, 8, 12 };
static const uint64_t masks[] = {
	0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0, 0, 0, UINT64_MAX
};

/* Majority vote (Boyer and Moore): what has more than half of the total weight is left. */
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

/* The lowest bytes of a number; may read eight. */
static inline uint64_t get_bytes(const uint8_t *bytes, unsigned int nr)
{
	uint64_t v;

	memcpy(&v, bytes, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v & masks[nr];
}

static inline uint32_t chunk_states(const struct pyramid *p, uint32_t chunk)
{
	return chunk + 1 < p->nr_chunks ? CHUNK_STATES : p->in_chunk;
}

static inline const uint8_t *bytes_of(const struct pyramid *p)
{
	return p->cap_bytes ? p->bytes : p->few;
}

static inline bool has_chunks(const struct pyramid *p)
{
	return p->cap_bytes && p->chunks;
}

static inline uint64_t chunk_at(const struct pyramid *p, uint32_t chunk)
{
	return has_chunks(p) ? p->chunks->list[chunk].at : 0;
}

/* Totals of everything before a chunk. */
static inline struct pyramid_totals totals_before(const struct pyramid *p, uint32_t chunk)
{
	struct pyramid_totals totals = { 0 };
	uint64_t at = chunk_at(p, chunk);

	if (at)
		memcpy(&totals, p->bytes + at - sizeof(totals), sizeof(totals));
	return totals;
}

/* The last chunk, from @from on, that begins before ts (@at: at or before it); or @from. */
static uint32_t find_chunk(const struct pyramid *p, uint32_t from, int64_t ts, bool at)
{
	const struct pyramid_chunk *list = has_chunks(p) ? p->chunks->list : NULL;
	uint32_t lo = from, hi = from + 1;

	/* search nearby first: that is where it usually is */
	for (uint32_t step = 1;
	     hi < p->nr_chunks && (list[hi].first < ts || (at && list[hi].first == ts));
	     step *= 2) {
		lo = hi;
		hi = p->nr_chunks - hi > step ? hi + step : p->nr_chunks;
	}
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (list[mid].first < ts || (at && list[mid].first == ts))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void free_chunks(struct pyramid_chunks *chunks)
{
	for (unsigned int i = 0; chunks->levels && i < PYRAMID_LEVELS; i++)
		free(chunks->levels[i].votes);
	free(chunks->levels);
	free(chunks->list);
	free(chunks);
}

void pyramid_fini(struct pyramid *p)
{
	if (has_chunks(p))
		free_chunks(p->chunks);
	if (p->cap_bytes)
		free(p->bytes);
	*p = (struct pyramid){ 0 };
}

/* --- reading --------------------------------------------------------------------------- */

static void enter_chunk(struct pyramid_iter *it, uint32_t chunk)
{
	it->chunk = chunk;
	it->left = chunk_states(it->pyramid, chunk);
	it->head = bytes_of(it->pyramid) + chunk_at(it->pyramid, chunk);
	it->pos = it->head + (has_chunks(it->pyramid) ? CHUNK_STATES : it->pyramid->room);
	it->ts = has_chunks(it->pyramid) ? it->pyramid->chunks->list[chunk].first :
					   it->pyramid->first;
}

/* Read one more state; false if there is none. */
static inline bool read_state(struct pyramid_iter *it)
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
	/* the first state's time is 0 */
	it->ts += (int64_t)get_bytes(it->pos, time);
	it->pos += lengths[head >> 4];
	it->left--;
	it->kind = head & KIND;
	it->doubtful = head & IN_DOUBT;
	it->arg = word >> 1;
	it->again = word & 1;
	return true;
}

static inline bool next_of(struct pyramid_iter *it, struct pyramid_state *state)
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

bool pyramid_iter_next(struct pyramid_iter *it, struct pyramid_state *state)
{
	return next_of(it, state);
}

static void start(struct pyramid_iter *it, const struct pyramid *p, int64_t end, uint32_t chunk)
{
	*it = (struct pyramid_iter){ .pyramid = p, .end = end };
	if (p->nr_chunks)
		enter_chunk(it, chunk);
}

/* --- adding ---------------------------------------------------------------------------- */

/* Add a state to totals, up to a time. */
static inline void add_state(struct pyramid_totals *total, const struct pyramid_state *s,
			     int64_t to)
{
	if (s->again)
		total->again[s->kind]++;
	else
		total->begun[s->kind]++;
	if (s->kind && s->kind <= PYRAMID_TIMED)
		total->ns[s->kind - 1] += (uint64_t)to - (uint64_t)s->from;
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
	if (l->nr % FANOUT || level + 1 >= PYRAMID_LEVELS)
		return grown;
	for (uint32_t i = l->nr - FANOUT; i < l->nr; i++)
		vote(&above.top, &above.weight, l->votes[i].top, l->votes[i].weight);
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
	uint8_t *bytes = p->cap_bytes ? p->bytes : p->few;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(bytes + p->nr_bytes, &v, sizeof(v));
	p->nr_bytes += nr;
}

/* The last chunk is full and ends: its totals and its votes follow from its states. */
static uint64_t end_chunk(struct pyramid *p, int64_t ts)
{
	struct pyramid_totals total = totals_before(p, p->nr_chunks - 1);
	struct pyramid_vote open = { 0 };
	struct pyramid_state state;
	struct pyramid_iter it;

	start(&it, p, ts, p->nr_chunks - 1);
	while (next_of(&it, &state)) {
		if (state.doubtful)
			state.kind = PYRAMID_DOUBT;
		add_state(&total, &state, state.to);
		if (state.kind == 1 && p->votes)
			vote(&open.top, &open.weight, state.arg,
			     (uint64_t)state.to - (uint64_t)state.from);
	}
	memcpy(p->bytes + p->nr_bytes, &total, sizeof(total));
	p->nr_bytes += sizeof(total);
	if (!p->chunks)
		p->chunks = mem_alloc(sizeof(*p->chunks));
	if (!p->votes)
		return 0;
	if (!p->chunks->levels)
		p->chunks->levels = mem_array(PYRAMID_LEVELS, sizeof(*p->chunks->levels));
	return put_vote(p->chunks->levels, 0, open);
}

/* Begin a chunk after all others; the last state must have ended. */
static uint64_t begin_chunk(struct pyramid *p, int64_t ts)
{
	uint64_t grown = p->nr_chunks ? end_chunk(p, ts) : 0;
	struct pyramid_chunks *c = p->chunks;
	uint32_t cap;

	p->in_chunk = 0;
	if (!p->nr_chunks) {
		p->nr_chunks = 1;
		p->first = ts;
		p->nr_bytes = p->room = FIRST_ROOM;
		return 0;
	}
	cap = c->cap;
	mem_grow_from(&c->list, p->nr_chunks, &c->cap, 2);
	if (!cap)
		c->list[0] = (struct pyramid_chunk){ .first = p->first };
	c->list[p->nr_chunks++] = (struct pyramid_chunk){ .first = ts, .at = p->nr_bytes };
	p->nr_bytes += CHUNK_STATES;
	return grown + (uint64_t)(c->cap - cap) * sizeof(*c->list);
}

/* Room for twice as many headers in the first chunk. */
static void widen(struct pyramid *p)
{
	uint8_t *bytes = p->cap_bytes ? p->bytes : p->few;

	memmove(bytes + 2 * p->room, bytes + p->room, p->nr_bytes - p->room);
	p->nr_bytes += p->room;
	p->room *= 2;
}

/* Room for a state whose time has so many bytes, and for what has to be made for it before. */
static uint64_t reserve(struct pyramid *p, unsigned int time)
{
	uint64_t cap = p->cap_bytes, need = p->nr_bytes + time + SLACK;
	uint8_t *bytes = cap ? p->bytes : NULL;

	if (p->in_chunk == p->room)
		need += !p->room               ? FIRST_ROOM :
			p->room < CHUNK_STATES ? p->room :
						 sizeof(struct pyramid_totals) + CHUNK_STATES;
	if (need <= (cap ? cap : sizeof(p->few)))
		return 0;
	while (need > p->cap_bytes)
		p->cap_bytes = p->cap_bytes ? p->cap_bytes * 2 - 8 : FIRST_BYTES;
	bytes = mem_resize(bytes, p->cap_bytes, 1);
	if (!cap) {
		memcpy(bytes, p->few, sizeof(p->few));
		p->chunks = NULL;
	}
	p->bytes = bytes;
	return p->cap_bytes - cap;
}

static uint8_t *last_head(struct pyramid *p)
{
	uint8_t *bytes = p->cap_bytes ? p->bytes : p->few;

	return &bytes[chunk_at(p, p->nr_chunks - 1) + p->in_chunk - 1];
}

void pyramid_doubt_last(struct pyramid *p, bool doubtful)
{
	p->doubted = doubtful;
	if (p->nr_chunks)
		*last_head(p) = (uint8_t)((*last_head(p) & ~IN_DOUBT) | (doubtful ? IN_DOUBT : 0));
}

/*
 * Correct the header of the last state, which has ended, where needed.  The header is not read:
 * with many CPUs it is not in the cache.
 */
static void end_last(struct pyramid *p, enum pyramid_end end)
{
	if (end == PYRAMID_DROPPED)
		*last_head(p) &= (uint8_t)~KIND;
	if (end == PYRAMID_DOUBTFUL || p->doubted)
		pyramid_doubt_last(p, end == PYRAMID_DOUBTFUL);
	p->doubted = false;
}

uint64_t pyramid_add(struct pyramid *p, int64_t ts, unsigned int kind, uint32_t arg, bool again,
		     enum pyramid_end end)
{
	bool begins = p->in_chunk == p->room && p->room % CHUNK_STATES == 0;
	uint32_t word = arg << 1 | again;
	unsigned int time, size = arg_code(word);
	uint64_t grown, since;

	if (p->nr_chunks)
		ts = ts > p->last ? ts : p->last;
	since = begins ? 0 : (uint64_t)ts - (uint64_t)p->last;
	time = time_code(since);
	grown = reserve(p, time_bytes[time]);
	if (p->nr_chunks)
		end_last(p, end);
	if (begins)
		grown += begin_chunk(p, ts);
	else if (p->in_chunk == p->room)
		widen(p);
	p->in_chunk++;
	*last_head(p) = (uint8_t)(size << 6 | time << 4 | kind);
	put_bytes(p, since, time_bytes[time]);
	put_bytes(p, word, arg_bytes[size]);
	p->last = ts;
	p->last_kind = (uint8_t)kind;
	return grown;
}

/* --- forgetting -------------------------------------------------------------------------- */

static void forget_votes(struct pyramid_level *levels, uint32_t nr)
{
	uint32_t left = levels[0].nr - nr;
	struct pyramid_vote *votes = levels[0].votes;

	for (unsigned int i = 0; i < PYRAMID_LEVELS; i++)
		levels[i].nr = 0;
	for (uint32_t i = 0; i < left; i++)
		put_vote(levels, 0, votes[nr + i]);
}

void pyramid_forget(struct pyramid *p, int64_t before)
{
	uint32_t nr = p->nr_chunks ? find_chunk(p, 0, before, false) : 0;
	struct pyramid_chunk *list = nr ? p->chunks->list : NULL;
	uint64_t bytes;

	if (!nr || nr < p->nr_chunks / 2)
		return;
	bytes = list[nr].at - sizeof(struct pyramid_totals);
	p->nr_bytes -= bytes;
	memmove(p->bytes, p->bytes + bytes, p->nr_bytes);
	p->nr_chunks -= nr;
	for (uint32_t i = 0; i < p->nr_chunks; i++)
		list[i] = (struct pyramid_chunk){ .first = list[nr + i].first,
						  .at = list[nr + i].at - bytes };
	p->first = list[0].first;
	if (p->chunks->levels)
		forget_votes(p->chunks->levels, nr);
}

/* --- reading from a time on ---------------------------------------------------------------- */

/* Pass by the states of a chunk, except its last one, that end before or at a time. */
static void pass_by(struct pyramid_iter *it, int64_t ts)
{
	const uint8_t *head = it->head, *last = head + it->left - 1, *pos = it->pos;
	int64_t before = it->ts, from = it->ts;

	for (; head < last; head++) {
		const uint8_t *next = pos + lengths[*head >> 4];
		uint64_t length = get_bytes(next, time_bytes[head[1] >> 4 & 3]);

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
	start(it, p, end, find_chunk(p, 0, ts, true));
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

	start(&it, p, end, find_chunk(p, 0, ts, false));
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
	before = totals_before(p, chunk);
	after = totals_before(p, chunk + 1);
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
	for (uint32_t i = chunk_states(p, chunk); i > 0 && pyramid_iter_next(&it, &state); i--) {
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
	for (uint32_t chunk = find_chunk(p, 0, ts, true); chunk < p->nr_chunks; chunk++)
		if (chunk_has(p, chunk, find) &&
		    find_in_chunk(p, end, chunk, ts, true, find, state))
			return true;
	return false;
}

bool pyramid_find_before(const struct pyramid *p, int64_t end, int64_t ts,
			 const struct pyramid_find *find, struct pyramid_state *state)
{
	for (uint32_t chunk = p->nr_chunks ? find_chunk(p, 0, ts, false) + 1 : 0; chunk-- > 0;)
		if (chunk_has(p, chunk, find) &&
		    find_in_chunk(p, end, chunk, ts, false, find, state))
			return true;
	return false;
}

/* --- columns --------------------------------------------------------------------------- */

/* The majority of whole chunks, from the largest pieces that fit. */
static void sum_votes(const struct pyramid *p, uint32_t from, uint32_t to, struct pyramid_sum *sum)
{
	while (from < to) {
		unsigned int level = 0;
		uint32_t i = from, step = 1;

		while (level + 1 < PYRAMID_LEVELS && i % FANOUT == 0 &&
		       to - from >= step * FANOUT && i / FANOUT < p->chunks->levels[level + 1].nr) {
			i /= FANOUT;
			step *= FANOUT;
			level++;
		}
		vote(&sum->top, &sum->weight, p->chunks->levels[level].votes[i].top,
		     p->chunks->levels[level].votes[i].weight);
		from += step;
	}
}

/* Vote for the part of a state that is in a column. */
static inline void vote_state(const struct pyramid_state *state, int64_t from, int64_t to,
			      struct pyramid_sum *sum)
{
	int64_t begin = state->from > from ? state->from : from,
		end = state->to < to ? state->to : to;

	if (state->kind == 1 && end > begin)
		vote(&sum->top, &sum->weight, state->arg, (uint64_t)end - (uint64_t)begin);
}

/* An edge of a column: the column is the difference of its two edges. */
struct edge {
	struct pyramid_totals total;	/* totals of everything before it */
	struct pyramid_state last;	/* the last state that begins before it; its start is
					 * INT64_MIN if it has ended */
};

/* A place between states. */
struct pyramid_place {
	struct pyramid_iter it;
	uint32_t	chunk;		/* chunk of the state behind it */
	struct pyramid_state state;	/* that state, with the kind it counts as */
	struct edge	before;
};

static inline void next_state(struct pyramid_place *at)
{
	at->chunk = at->it.chunk;
	next_of(&at->it, &at->state);
	at->state.kind = at->state.doubtful ? PYRAMID_DOUBT : at->state.kind;
}

static void enter(struct pyramid_place *at, uint32_t chunk)
{
	at->before.total = totals_before(at->it.pyramid, chunk);
	start(&at->it, at->it.pyramid, at->it.end, chunk);
	next_state(at);
}

/* Go to an edge.  @votes: collects votes of what is after @from; or NULL. */
static void go(struct pyramid_place *at, int64_t from, int64_t to, struct pyramid_sum *votes,
	       struct edge *edge)
{
	uint32_t here = at->chunk, chunk = find_chunk(at->it.pyramid, here, to, false);

	while (votes && chunk > here && at->chunk == here) {
		vote_state(&at->state, from, to, votes);
		next_state(at);
	}
	if (votes && chunk > here)
		sum_votes(at->it.pyramid, here + 1, chunk, votes);
	if (chunk > here)
		enter(at, chunk);
	/* the state that the edge cuts, or the last one, remains */
	while (at->it.held && at->state.from < to && at->state.to <= to) {
		if (votes)
			vote_state(&at->state, from, to, votes);
		add_state(&at->before.total, &at->state, at->state.to);
		at->before.last = (struct pyramid_state){ .from = INT64_MIN, .to = at->state.to,
							  .kind = at->state.kind,
							  .arg = at->state.arg };
		next_state(at);
	}
	*edge = at->before;
	if (at->state.from >= to)
		return;
	if (votes)
		vote_state(&at->state, from, to, votes);
	add_state(&edge->total, &at->state, at->state.to < to ? at->state.to : to);
	edge->last = at->state;
}

static void sum_column(const struct edge *left, const struct edge *right, int64_t from, int64_t to,
		       struct pyramid_sum *sum)
{
	for (unsigned int k = 1; k <= PYRAMID_TIMED; k++)
		sum->ns[k] = right->total.ns[k - 1] - left->total.ns[k - 1];
	for (unsigned int k = 0; k < PYRAMID_KINDS; k++) {
		sum->begun[k] = right->total.begun[k] - left->total.begun[k];
		if (sum->begun[k] || right->total.again[k] != left->total.again[k])
			sum->kinds |= (uint8_t)(1u << k);
	}
	sum->touched = sum->kinds;
	if (left->last.to > from) {
		sum->carried = true;
		sum->carried_kind = left->last.kind;
		sum->carried_arg = left->last.arg;
		sum->touched |= (uint8_t)(1u << left->last.kind);
	}
	if (right->last.to > from || right->last.from >= from) {
		sum->last_kind = right->last.kind;
		sum->last_arg = right->last.arg;
		sum->goes_on = right->last.to > to;
	}
}

/* A column in the middle of a state. */
static void sum_inside(const struct pyramid_state *state, uint64_t width, bool votes,
		       struct pyramid_sum *sum)
{
	if (state->kind && state->kind <= PYRAMID_TIMED)
		sum->ns[state->kind] = width;
	if (votes && state->kind == 1)
		vote(&sum->top, &sum->weight, state->arg, width);
	sum->touched = (uint8_t)(1u << state->kind);
	sum->carried = sum->goes_on = true;
	sum->carried_kind = sum->last_kind = state->kind;
	sum->carried_arg = sum->last_arg = state->arg;
}

void pyramid_columns(const struct pyramid *p, int64_t end, const int64_t *edges, unsigned int nr,
		     struct pyramid_sum *sums)
{
	struct pyramid_place at = { .it = { .pyramid = p, .end = end },
			    .before.last = { .from = INT64_MIN, .to = INT64_MIN } };
	struct edge both[2], *left = &both[0], *right = &both[1];
	bool is_left = false;		/* *left is of this column */

	memset(sums, 0, nr * sizeof(*sums));
	if (!nr || !p->nr_chunks)
		return;
	enter(&at, 0);
	for (unsigned int i = 0; i < nr; i++) {
		struct edge *former = left;

		if (!is_left)
			go(&at, 0, edges[i], NULL, left);
		is_left = !(at.state.from < edges[i] && at.state.to > edges[i + 1]);
		if (!is_left) {
			sum_inside(&at.state, (uint64_t)edges[i + 1] - (uint64_t)edges[i], p->votes,
				   &sums[i]);
			continue;
		}
		go(&at, edges[i], edges[i + 1], p->votes ? &sums[i] : NULL, right);
		sum_column(left, right, edges[i], edges[i + 1], &sums[i]);
		left = right;
		right = former;
	}
}
