/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_ranges.h"

#include <string.h>

#include "src/base/memory.h"
#include "src/base/name_table.h"

#define LOST_NS		1000000000	/* see the header */
#define MOST_PIECES	(1u << 16)	/* of ranges; then the older half is dropped */
#define MOST_SHARED	64u		/* pieces that have keys in common */
#define MOST_DISCARDS	4096u		/* that are looked at */
#define BUCKET		8192u		/* keys; a piece lies in one bucket */
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

/*
 * Are they the same but for flushes?  "FWFSM" of one without keys ends as "WSM" once the disk's
 * cache is written: its F are left out as they are done, or as the disk need not do them.
 */
static bool is_same_but_flushes(const struct latency_open *open, uint32_t a, uint32_t b)
{
	const char *x, *y;

	if (a == b || !a || !b)
		return a == b;
	x = name_table_text(open->names, a);
	y = name_table_text(open->names, b);
	for (;; x++, y++) {
		x += strspn(x, "F");
		y += strspn(y, "F");
		if (*x != *y || !*x)
			return *x == *y;
	}
}

/* What is done, behind the F of a flush before it: R, W, D, … */
static char work_of(const struct latency_open *open, uint32_t label)
{
	const char *rwbs = name_table_text(open->names, label);

	return rwbs[*rwbs == 'F' && rwbs[1]];
}

/* Only bios that do the same are merged. */
static bool is_same_work(const struct latency_open *open, uint32_t a, uint32_t b)
{
	return a == b || !a || !b || work_of(open, a) == work_of(open, b);
}

static unsigned int nr_flushes(const struct latency_open *open, uint32_t label)
{
	unsigned int nr = 0;

	for (const char *rwbs = name_table_text(open->names, label); *rwbs; rwbs++)
		nr += *rwbs == 'F';
	return nr;
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
		       is_same_but_flushes(open, s->label, at->label);
	return (p->key < at->key ? at->key - p->key < p->length : p->key - at->key < at->length) &&
	       is_same_work(open, s->label, at->label);
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

/* Has it not begun, as far as was recorded?  See await_late(). */
static bool is_awaited(const struct latency_start *s)
{
	return s->is_late && !s->began_again;
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
			open->replaced += !is_awaited(&open->starts[i]);
		}
}

/* Also those of one that waits: see await_flush(). */
static void remove_pieces(struct latency_open *open, uint32_t start)
{
	const struct latency_start *s = &open->starts[start];
	struct latency_at rest = { .key = s->key, .length = s->length + 1 };

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
	open->replaced += !is_awaited(&open->starts[start]);
}

struct range_starts {			/* those with keys of a new one; NO_START: none */
	uint32_t	nr, first;	/* the oldest */
	uint32_t	again, merged;	/* the oldest that begins again there, and another one */
	bool		is_same;	/* `again` has just these keys: nothing was merged */
};

static void find_again(const struct latency_open *open, uint32_t start, const struct latency_at *at,
		       struct range_starts *found)
{
	const struct latency_start *s = &open->starts[start];
	bool is_same = s->key == at->key && s->left == at->length;

	if (start == found->again || (found->is_same && !is_same))
		return;
	if (found->again == NO_START || is_same > found->is_same ||
	    s->age < open->starts[found->again].age) {
		found->merged = is_same ? NO_START : found->again;
		found->again = start;
	} else if (!is_same) {
		found->merged = start;
	}
	found->is_same = is_same;
}

static struct range_starts find_starts(struct latency_open *open, const struct latency_at *at)
{
	struct range_starts found = { 0, NO_START, NO_START, NO_START, false };
	struct latency_at rest = *at;

	do {
		struct latency_at part = take_bucket(&rest);
		uint32_t link = *chain_of(open, at->scope, part.key);
		struct latency_piece *p;

		for (; (p = find_piece(open, &part, &link)); link = p->next) {
			if (open->starts[p->start].begins_again && p->key >= at->key &&
			    p->key - at->key + p->length <= at->length)
				find_again(open, p->start, at, &found);
			else if (!found.nr++ ||
				 open->starts[p->start].age < open->starts[found.first].age)
				found.first = p->start;
		}
	} while (rest.length);
	return found;
}

/* What was given back may have been merged with others since: it has their keys, too. */
static void go_on(struct latency_open *open, uint32_t start, const struct latency_at *at)
{
	struct latency_start *s = &open->starts[start];

	remove_pieces(open, start);
	s->begins_again = false;
	s->began_again = true;
	s->key = at->key;
	s->length = s->left = at->length;
	s->ts = at->ts;
	add_pieces(open, start, at->key, at->length);
}

/*
 * A new start, or what it waits for, shares keys with others.  If they have the same range, one of
 * them ends at each end; it is just not known which.  Otherwise even their sum may be wrong.
 */
static void mark_shared(struct latency_open *open, const struct latency_at *at, uint32_t start)
{
	struct latency_start *mine = &open->starts[start];
	struct latency_at rest = *at;

	do {
		struct latency_at part = take_bucket(&rest);
		uint32_t link = *chain_of(open, at->scope, part.key);
		struct latency_piece *p;

		for (; (p = find_piece(open, &part, &link)); link = p->next) {
			struct latency_start *s = &open->starts[p->start];

			s->is_shared = mine->is_shared = true;
			if (s->key != at->key || s->length != at->length || mine->is_mixed)
				s->is_mixed = mine->is_mixed = true;
		}
	} while (rest.length);
}

/* A new start drops the oldest one at its place, if that is too old or they are too many. */
static bool drops_first(struct latency_open *open, const struct latency_at *at,
			const struct range_starts *found)
{
	if (!found->nr ||
	    (found->nr < MOST_SHARED && at->ts - open->starts[found->first].ts < LOST_NS))
		return false;
	drop_start(open, found->first);
	return true;
}

struct latency_start *latency_ranges_start(struct latency_open *open, const struct latency_at *at)
{
	struct latency_start *again;
	struct range_starts found;
	bool lost = false, is_first;
	uint32_t place;

	while (found = find_starts(open, at), found.merged != NO_START)
		drop_start(open, found.merged);
	if (found.again != NO_START) {
		again = &open->starts[found.again];
		is_first = is_awaited(again);
		go_on(open, found.again, at);
		return is_first ? again : NULL;
	}
	for (; drops_first(open, at, &found); found = find_starts(open, at))
		lost = true;
	if (open->nr_pieces >= MOST_PIECES && !open->free_piece)
		drop_older(open, middle_age(open));
	place = latency_open_add(open, at);
	if (!place)
		return NULL;
	/* the end of what was dropped may still come */
	open->starts[place - 1].is_mixed = lost;
	if (found.nr)
		mark_shared(open, at, place - 1);
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
	const struct latency_start *s = &e->open->starts[start];

	if (!is_awaited(s))
		e->ended(e->arg, s);
	latency_open_give_back(e->open, start + 1);
}

static bool is_older(const struct latency_open *open, const struct latency_piece *a,
		     const struct latency_piece *b)
{
	return !b || open->starts[a->start].age < open->starts[b->start].age;
}

/*
 * The data have ended of a request that a flush is part of, which the disk does not do itself.  The
 * kernel tells of its end once more when all steps have been taken, then without sectors, where the
 * data begin or (Linux 6.10) end.
 */
static void await_flush(struct latency_open *open, uint32_t start, const struct latency_at *at)
{
	struct latency_start *s = &open->starts[start];
	struct latency_at last = { s->key, s->scope, 0, at->label, false, at->ts };
	struct range_starts found;

	s->label = at->label;
	for (unsigned int i = 0; i < 2; i++, last.key += s->length) {
		do
			found = find_starts(open, &last);
		while (drops_first(open, &last, &found));
		mark_shared(open, &last, start);
	}
	add_pieces(open, start, s->key, 0);
	add_pieces(open, start, s->key + s->length, 0);
}

/* The start of a piece has ended as far as the piece goes, from a key on.  Returns how far. */
static uint64_t end_piece(const struct ending *e, struct latency_piece *p,
			  const struct latency_at *at)
{
	uint64_t nr = p->length - (at->key - p->key);
	uint32_t start = p->start;
	struct latency_start *s = &e->open->starts[start];

	nr = nr < at->length ? nr : at->length;
	if (!nr)
		remove_pieces(e->open, start);
	else
		cut_piece(e->open, p, at->key, nr);
	s->left -= nr;
	s->is_mixed |= s->left && s->is_shared;
	if (!s->left && nr && s->label && at->label &&
	    nr_flushes(e->open, s->label) > nr_flushes(e->open, at->label))
		await_flush(e->open, start, at);
	else if (!s->left)
		end_start(e, start);
	return nr;
}

/*
 * End the first key of a range in one bucket, and those behind it that are of the same start.
 * Returns their number.
 */
static uint64_t end_first(const struct ending *e, const struct latency_at *part)
{
	struct latency_at first_part = *part;
	uint32_t chain = *chain_of(e->open, part->scope, part->key), link = chain;
	struct latency_piece *first = NULL, *p;
	bool more = false;

	for (; (p = find_piece(e->open, part, &link)); link = p->next)
		if (p->key > part->key)
			more = true;
		else if (is_older(e->open, p, first))
			first = p;
	for (link = chain; more && (p = find_piece(e->open, part, &link)); link = p->next)
		if (p->key > part->key && p->key - part->key < first_part.length &&
		    is_older(e->open, p, first))
			first_part.length = p->key - part->key;
	return first ? end_piece(e, first, &first_part) : first_part.length;
}

/* How well a start and an end of a whole one fit; 0: not at all. */
static unsigned int fit(const struct latency_open *open, const struct latency_start *s,
			const struct latency_at *at)
{
	if (s->scope != at->scope || !is_same_work(open, s->label, at->label))
		return 0;
	if (!s->length && (at->length || s->key != at->key))
		return 0;
	if (!s->length)
		return is_same_but_flushes(open, s->label, at->label) ? 3 : 0;
	return s->key + s->length == at->key + at->length ? 1 + (s->key == at->key) : 0;
}

/*
 * End the oldest of those that fit best.  A bio that was split tells of its last part, one whose
 * driver counted its sectors off of what is left, at its end.  A part with the first sector of
 * the bio and another end is a bio that was split off: since Linux 5.14, each ends by itself.
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

/* --- discards --------------------------------------------------------------------------------- */

static bool is_discard(const struct latency_open *open, uint32_t label)
{
	return label && work_of(open, label) == 'D';
}

/* May it be one of the ranges of a discard that has so many keys left? */
static bool may_be_in(const struct latency_open *open, uint32_t start, const struct latency_at *at)
{
	const struct latency_start *s = &open->starts[start];

	return s->is_open && s->scope == at->scope && s->length && s->left == s->length &&
	       s->length <= at->length && is_discard(open, s->label);
}

/* The piece that has the first key, if possible as its own first one. */
static struct latency_piece *discard_at(struct latency_open *open, const struct latency_at *at)
{
	struct latency_at first = { at->key, at->scope, 1, at->label, false, at->ts };
	uint32_t link = *chain_of(open, at->scope, at->key);
	struct latency_piece *found = NULL, *p;

	for (; (p = find_piece(open, &first, &link)); link = p->next)
		if (!found || (p->key == at->key) > (found->key == at->key) ||
		    ((p->key == at->key) == (found->key == at->key) && is_older(open, p, found)))
			found = p;
	return found;
}

/*
 * The oldest discard, other than @near, that may be a part of this one.  If several may, all are
 * marked.
 * NO_START: there is none.  @guess: only one that another one was taken for.
 */
static uint32_t other_discard(struct latency_open *open, const struct latency_at *at, uint32_t near,
			      bool guess)
{
	uint32_t most = open->nr < MOST_DISCARDS ? open->nr : MOST_DISCARDS, oldest = NO_START,
		 nr = near != NO_START;

	for (uint32_t i = 0; i < most; i++) {
		const struct latency_start *s = &open->starts[i];

		if (i == near || !may_be_in(open, i, at) || (guess && !s->is_mixed))
			continue;
		nr++;
		if (oldest == NO_START || s->age < open->starts[oldest].age)
			oldest = i;
	}
	for (uint32_t i = 0; i < most && nr > 1; i++)
		open->starts[i].is_mixed |= i == near || may_be_in(open, i, at);
	return oldest;
}

/*
 * A discard may have several ranges, of bios that were merged, but tells of the first one's key and
 * of the number of keys of all.  What is behind the first one may as well be elsewhere.
 */
static void end_discard(const struct ending *e, struct latency_at at)
{
	uint32_t start = NO_START;
	uint64_t nr;

	for (bool is_first = true; at.length; is_first = false) {
		struct latency_piece *p = discard_at(e->open, &at);
		uint32_t near = p ? p->start : NO_START, other = NO_START;

		if (!p || (!is_first && near != start))
			other = other_discard(e->open, &at, near, is_first);
		if (p) {
			start = near;
			nr = end_piece(e, p, &at);
		} else if (other != NO_START) {
			nr = e->open->starts[other].length;
			remove_pieces(e->open, other);
			end_start(e, other);
		} else {
			return;
		}
		at.key += nr;
		at.length -= nr;
	}
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
	if (at->length && is_discard(open, at->label)) {
		end_discard(&e, *at);
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

/* What begins again was not recorded as it began first. */
static void await_late(struct latency_open *open, const struct latency_at *at)
{
	uint32_t place = latency_open_add(open, at);
	struct latency_start *s;

	if (!place)
		return;
	s = &open->starts[place - 1];
	s->begins_again = s->is_late = true;
	s->age = ++open->nr_begun;
	add_pieces(open, place - 1, at->key, at->length);
}

void latency_ranges_again(struct latency_open *open, const struct latency_at *at)
{
	struct latency_at rest = *at, part = take_bucket(&rest);
	uint32_t link = *chain_of(open, at->scope, part.key);
	struct latency_start *newest = NULL;
	struct latency_piece *p;
	bool any = false;

	for (; (p = find_piece(open, &part, &link)); link = p->next) {
		any = true;
		if (!open->starts[p->start].begins_again &&
		    (!newest || open->starts[p->start].age > newest->age))
			newest = &open->starts[p->start];
	}
	if (newest)
		newest->begins_again = true;
	else if (!any)
		await_late(open, at);
}

void latency_ranges_drop(struct latency_open *open, const struct latency_at *at)
{
	struct range_starts found;

	while (found = find_starts(open, at), found.nr) {
		remove_pieces(open, found.first);
		latency_open_give_back(open, found.first + 1);
	}
}
