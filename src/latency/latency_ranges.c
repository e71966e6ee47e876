/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_ranges.h"

#include <string.h>

#include "src/base/memory.h"
#include "src/base/name_table.h"

#define LOST_NS		1000000000	/* see the header */
#define MOST_PIECES	(1u << 16)	/* of ranges; then the older half is dropped */
#define MOST_SHARED	64u		/* pieces that have keys in common */
#define BUCKET		8192u		/* keys: of a piece, none is in another one's bucket */
#define NO_START	UINT32_MAX

/* Take what is in one bucket from a range that has not been looked at. */
static struct latency_at take_bucket(struct latency_at *rest)
{
	uint64_t room = BUCKET - rest->key % BUCKET;
	struct latency_at part = *rest;

	part.length = rest->length < room ? rest->length : room;
	rest->key += part.length;
	rest->length -= part.length;
	return part;
}

static inline uint32_t *chain_of(struct latency_open *open, uint64_t scope, uint64_t key)
{
	return latency_open_chain(open, key / BUCKET, scope);
}

/* "FWS" and "WS", as which a flush ends once the disk's cache is written. */
static bool is_tail(const struct latency_open *open, uint32_t label, uint32_t of_end)
{
	const char *name, *tail;

	if (label == of_end || !label || !of_end)
		return label == of_end;
	name = name_table_text(open->names, label);
	tail = name_table_text(open->names, of_end);
	return strlen(tail) <= strlen(name) && !strcmp(name + strlen(name) - strlen(tail), tail);
}

/* Have they keys in common? */
static bool overlap(const struct latency_open *open, const struct latency_piece *p,
		    const struct latency_at *at)
{
	const struct latency_start *s = &open->starts[p->start];

	if (s->scope != at->scope)
		return false;
	if (!p->length || !at->length)
		return p->length == at->length && p->key == at->key &&
		       is_tail(open, s->label, at->label);
	return p->key < at->key ? at->key - p->key < p->length : p->key - at->key < at->length;
}

/* The next piece with keys of a range in one bucket, which *link leads to; NULL: none. */
static struct latency_piece *find_piece(struct latency_open *open, const struct latency_at *part,
					uint32_t *link)
{
	while (*link) {
		struct latency_piece *p = &open->pieces[*link - 1];

		if (overlap(open, p, part))
			return p;
		*link = p->next;
	}
	return NULL;
}

static void add_pieces(struct latency_open *open, uint32_t start, uint64_t key, uint64_t length)
{
	struct latency_at rest = { .key = key, .length = length };

	do {
		struct latency_at part = take_bucket(&rest);
		uint32_t place = open->free_piece, *chain;

		if (place) {
			open->free_piece = open->pieces[place - 1].next;
		} else {
			mem_grow(&open->pieces, open->nr_pieces, &open->cap_pieces);
			place = ++open->nr_pieces;
		}
		chain = chain_of(open, open->starts[start].scope, part.key);
		open->pieces[place - 1] = (struct latency_piece){ part.key, part.length, start,
								  *chain };
		*chain = place;
	} while (rest.length);
}

static void drop_piece(struct latency_open *open, struct latency_piece *piece)
{
	uint32_t place = (uint32_t)(piece - open->pieces) + 1,
		 *link = chain_of(open, open->starts[piece->start].scope, piece->key);

	while (*link != place)
		link = &open->pieces[*link - 1].next;
	*link = piece->next;
	piece->next = open->free_piece;
	piece->start = NO_START;
	open->free_piece = place;
}

/* Halfway between the oldest and the newest. */
static uint64_t middle_age(const struct latency_open *open)
{
	uint64_t least = open->nr_begun;

	for (uint32_t i = 0; i < open->nr; i++)
		if (open->starts[i].is_open && open->starts[i].age < least)
			least = open->starts[i].age;
	return least + (open->nr_begun - least) / 2 + 1;
}

/* Starts with a smaller age: their ends were not recorded. */
static void drop_older(struct latency_open *open, uint64_t age)
{
	for (uint32_t i = 0; i < open->nr_pieces; i++)
		if (open->pieces[i].start != NO_START &&
		    open->starts[open->pieces[i].start].age < age)
			drop_piece(open, &open->pieces[i]);
	for (uint32_t i = 0; i < open->nr; i++)
		if (open->starts[i].is_open && open->starts[i].age < age) {
			latency_open_give_back(open, i + 1);
			open->replaced++;
		}
}

static void remove_pieces(struct latency_open *open, uint32_t start)
{
	const struct latency_start *s = &open->starts[start];
	struct latency_at rest = { .key = s->key, .length = s->length };

	do {
		struct latency_at part = take_bucket(&rest);
		uint32_t link = *chain_of(open, s->scope, part.key);

		while (link) {
			struct latency_piece *p = &open->pieces[link - 1];

			link = p->next;
			if (p->start == start)
				drop_piece(open, p);
		}
	} while (rest.length);
}

/* Its end was not recorded. */
static void drop_start(struct latency_open *open, uint32_t start)
{
	remove_pieces(open, start);
	latency_open_give_back(open, start + 1);
	open->replaced++;
}

/* Does it go on that began before?  *nr: others that have some of its keys; *first: the oldest */
static bool begins_again(struct latency_open *open, const struct latency_at *at, uint32_t *nr,
			 uint32_t *first)
{
	struct latency_at rest = *at;

	*nr = 0;
	do {
		struct latency_at part = take_bucket(&rest);
		uint32_t link = *chain_of(open, at->scope, part.key);
		struct latency_piece *p;

		for (; (p = find_piece(open, &part, &link)); link = p->next) {
			struct latency_start *s = &open->starts[p->start];

			if (s->begins_again && p->key == at->key) {
				s->begins_again = false;
				s->began_again = true;
				return true;
			}
			if (!(*nr)++ || s->age < open->starts[*first].age)
				*first = p->start;
		}
	} while (rest.length);
	return false;
}

static void mark_shared(struct latency_open *open, const struct latency_at *at)
{
	struct latency_at rest = *at;

	do {
		struct latency_at part = take_bucket(&rest);
		uint32_t link = *chain_of(open, at->scope, part.key);
		struct latency_piece *p;

		for (; (p = find_piece(open, &part, &link)); link = p->next)
			open->starts[p->start].is_shared = true;
	} while (rest.length);
}

/* A new start drops the oldest one at its place, if that is too old or they are too many. */
static bool drops_first(struct latency_open *open, const struct latency_at *at, uint32_t nr,
			uint32_t first)
{
	if (!nr || (nr < MOST_SHARED && at->ts - open->starts[first].ts < LOST_NS))
		return false;
	drop_start(open, first);
	return true;
}

struct latency_start *latency_ranges_start(struct latency_open *open, const struct latency_at *at)
{
	uint32_t place, nr_shared, first;

	do {
		if (begins_again(open, at, &nr_shared, &first))
			return NULL;
	} while (drops_first(open, at, nr_shared, first));
	if (nr_shared)
		mark_shared(open, at);
	if (open->nr_pieces >= MOST_PIECES && !open->free_piece)
		drop_older(open, middle_age(open));
	place = latency_open_add(open, at);
	if (!place)
		return NULL;
	open->starts[place - 1].is_shared = nr_shared;
	open->starts[place - 1].age = ++open->nr_begun;
	add_pieces(open, place - 1, at->key, at->length);
	return &open->starts[place - 1];
}

/* A piece loses [key, key + length), which it has. */
static void cut_piece(struct latency_open *open, struct latency_piece *p, uint64_t key,
		      uint64_t length)
{
	uint64_t before = key - p->key, after = p->length - before - length;
	uint32_t start = p->start;

	p->length = before;
	if (!before)
		drop_piece(open, p);
	if (after)
		add_pieces(open, start, key + length, after);
}

struct ending {				/* what ends, and who is told of it */
	struct latency_open *open;
	void		(*ended)(void *arg, const struct latency_start *start);
	void		*arg;
};

static void end_start(const struct ending *e, uint32_t start)
{
	e->ended(e->arg, &e->open->starts[start]);
	latency_open_give_back(e->open, start + 1);
}

static bool is_older(const struct latency_open *open, const struct latency_piece *a,
		     const struct latency_piece *b)
{
	return !b || open->starts[a->start].age < open->starts[b->start].age;
}

/*
 * End the first key of a range in one bucket, and those behind it that are of the same start.
 * Returns their number.
 */
static uint64_t end_first(const struct ending *e, const struct latency_at *part)
{
	uint64_t nr = part->length;
	uint32_t chain = *chain_of(e->open, part->scope, part->key), link = chain, start;
	struct latency_piece *first = NULL, *p;
	bool more = false;

	for (; (p = find_piece(e->open, part, &link)); link = p->next)
		if (p->key > part->key)
			more = true;
		else if (is_older(e->open, p, first))
			first = p;
	for (link = chain; more && (p = find_piece(e->open, part, &link)); link = p->next)
		if (p->key > part->key && p->key - part->key < nr && is_older(e->open, p, first))
			nr = p->key - part->key;
	if (!first)
		return nr;
	start = first->start;
	if (nr > first->length - (part->key - first->key))
		nr = first->length - (part->key - first->key);
	cut_piece(e->open, first, part->key, nr);
	e->open->starts[start].left -= nr;
	if (!e->open->starts[start].left)
		end_start(e, start);
	return nr;
}

/* How well a start and an end of a whole one fit; 0: not at all. */
static unsigned int fit(const struct latency_open *open, const struct latency_start *s,
			const struct latency_at *at)
{
	if (s->scope != at->scope)
		return 0;
	if (!s->length)
		return !at->length && s->key == at->key && is_tail(open, s->label, at->label) ? 3 :
												0;
	return 2 * (s->key + s->length == at->key + at->length) + (s->key == at->key);
}

/*
 * End the oldest of those that fit best.  A bio that was split tells of its last part, one whose
 * driver counted its sectors off of what is left, at its end.
 */
static void end_whole(const struct ending *e, const struct latency_at *at)
{
	struct latency_piece *found = NULL, *p;
	unsigned int best = 1;
	uint32_t start;

	for (unsigned int i = 0; i < 2; i++) {
		uint64_t key = at->key + (i ? at->length - 1 : 0);
		uint32_t link = *chain_of(e->open, at->scope, key);

		for (; link; link = p->next) {
			unsigned int fits;

			p = &e->open->pieces[link - 1];
			fits = fit(e->open, &e->open->starts[p->start], at);
			if (fits < best || (fits == best && !is_older(e->open, p, found)))
				continue;
			found = p;
			best = fits;
		}
	}
	if (!found)
		return;
	start = found->start;
	remove_pieces(e->open, start);
	end_start(e, start);
}

void latency_ranges_end(struct latency_open *open, const struct latency_at *at,
			void (*ended)(void *arg, const struct latency_start *start), void *arg)
{
	struct ending e = { open, ended, arg };
	struct latency_at rest = *at;
	uint64_t nr;

	if (at->is_whole) {
		end_whole(&e, at);
		return;
	}
	do {
		struct latency_at part = take_bucket(&rest);

		do {
			nr = end_first(&e, &part);
			part.key += nr;
			part.length -= nr;
		} while (part.length);
	} while (rest.length);
}

void latency_ranges_again(struct latency_open *open, const struct latency_at *at)
{
	struct latency_at rest = *at, part = take_bucket(&rest);
	uint32_t link = *chain_of(open, at->scope, part.key);
	struct latency_start *newest = NULL;
	struct latency_piece *p;

	for (; (p = find_piece(open, &part, &link)); link = p->next)
		if (!newest || open->starts[p->start].age > newest->age)
			newest = &open->starts[p->start];
	if (newest)
		newest->begins_again = true;
}
