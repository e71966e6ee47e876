/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_open.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/name_table.h"

#define MOST_OPEN	(1u << 20)	/* 100 MB; further starts are not kept */
#define MOST_IN_ORDER	(1u << 16)	/* starts of queues: each new one moves pieces of others */
#define CHAINS		(1u << 14)

void latency_open_fini(struct latency_open *open)
{
	free(open->starts);
	free(open->chains);
	free(open->pieces);
	*open = (struct latency_open){ .rule = open->rule, .names = open->names };
}

void latency_open_copy(struct latency_open *to, const struct latency_open *from)
{
	*to = *from;
	to->starts = mem_copy(from->starts, from->cap, sizeof(*to->starts));
	to->chains = mem_copy(from->chains, from->chains ? CHAINS : 0, sizeof(*to->chains));
	to->pieces = mem_copy(from->pieces, from->cap_pieces, sizeof(*to->pieces));
}

/* What refers to the start that this key replaces or ends: 0 there if there is none. */
static inline uint32_t *find(struct latency_open *open, uint64_t key, uint64_t scope)
{
	bool alone = open->rule->alone;
	uint32_t *link;

	if (!open->chains)
		open->chains = mem_array(CHAINS, sizeof(*open->chains));
	link = &open->chains[index_map_mix(alone ? 0 : key, scope) % CHAINS];
	while (*link) {
		struct latency_start *s = &open->starts[*link - 1];

		if (s->scope == scope && (alone || s->key == key))
			break;
		link = &s->next;
	}
	return link;
}

/* Take a place; @at is not yet found by its key.  0: there is no room. */
static uint32_t add(struct latency_open *open, const struct latency_at *at)
{
	uint32_t place = open->free ? open->free : open->nr + 1;

	if (place > (open->rule->queue ? MOST_IN_ORDER : MOST_OPEN))
		return 0;
	mem_grow(&open->starts, open->nr, &open->cap);
	if (open->free)
		open->free = open->starts[place - 1].next;
	else
		open->nr++;
	open->starts[place - 1] = (struct latency_start){
		.key = at->key, .scope = at->scope, .left = at->length,
		.label = at->label, .is_open = true
	};
	return place;
}

static void give_back(struct latency_open *open, uint32_t place)
{
	struct latency_start *start = &open->starts[place - 1];

	start->next = open->free;
	start->is_open = false;
	open->free = place;
}

/* --- queues ----------------------------------------------------------------------------------- */

static inline struct latency_start *start_of(const struct latency_open *open, uint32_t piece)
{
	return &open->starts[open->pieces[piece].start];
}

/* How many pieces come before a new one with this key. */
static uint32_t place_in_order(const struct latency_open *open, uint64_t scope, uint64_t key,
			       uint64_t age)
{
	return bisect(open->nr_pieces, i,
		      start_of(open, i)->scope != scope ? start_of(open, i)->scope < scope :
		      open->pieces[i].key != key        ? open->pieces[i].key < key :
							  start_of(open, i)->age < age);
}

/* The first one that may have some of a range's keys. */
static uint32_t first_of(const struct latency_open *open, const struct latency_at *at)
{
	uint64_t back = open->longest < at->key ? open->longest : at->key;

	return place_in_order(open, at->scope, at->key - back, 0);
}

static bool is_before_end(const struct latency_open *open, uint32_t i, const struct latency_at *at)
{
	return i < open->nr_pieces && start_of(open, i)->scope == at->scope &&
	       (open->pieces[i].key <= at->key || open->pieces[i].key - at->key < at->length);
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
static bool overlap(const struct latency_open *open, uint32_t i, const struct latency_at *at)
{
	const struct latency_piece *p = &open->pieces[i];

	if (!p->length || !at->length)
		return p->length == at->length && p->key == at->key &&
		       is_tail(open, start_of(open, i)->label, at->label);
	return p->key < at->key ? at->key - p->key < p->length : p->key - at->key < at->length;
}

static void add_piece(struct latency_open *open, uint32_t start, uint64_t key, uint64_t length)
{
	const struct latency_start *s = &open->starts[start];
	uint32_t to = place_in_order(open, s->scope, key, s->age);

	mem_grow(&open->pieces, open->nr_pieces, &open->cap_pieces);
	memmove(&open->pieces[to + 1], &open->pieces[to],
		(open->nr_pieces++ - to) * sizeof(*open->pieces));
	open->pieces[to] = (struct latency_piece){ key, length, start };
}

static void drop_piece(struct latency_open *open, uint32_t i)
{
	memmove(&open->pieces[i], &open->pieces[i + 1],
		(--open->nr_pieces - i) * sizeof(*open->pieces));
}

static struct latency_start *queue_start(struct latency_open *open, const struct latency_at *at)
{
	bool is_shared = false;
	uint32_t place;

	for (uint32_t i = first_of(open, at); is_before_end(open, i, at); i++) {
		struct latency_start *s = start_of(open, i);

		if (s->begins_again && open->pieces[i].key == at->key && overlap(open, i, at)) {
			s->begins_again = false;
			s->began_again = true;
			return NULL;
		}
	}
	for (uint32_t i = first_of(open, at); is_before_end(open, i, at); i++)
		if (overlap(open, i, at))
			is_shared = start_of(open, i)->is_shared = true;
	place = add(open, at);
	if (!place)
		return NULL;
	open->starts[place - 1].is_shared = is_shared;
	open->starts[place - 1].age = ++open->nr_begun;
	open->longest = at->length > open->longest ? at->length : open->longest;
	add_piece(open, place - 1, at->key, at->length);
	return &open->starts[place - 1];
}

/* Of those that have some of its keys; nr_pieces: there is none. */
static uint32_t oldest(const struct latency_open *open, const struct latency_at *at)
{
	uint32_t found = open->nr_pieces;

	for (uint32_t i = first_of(open, at); is_before_end(open, i, at); i++)
		if (overlap(open, i, at) && (found == open->nr_pieces ||
					     start_of(open, i)->age < start_of(open, found)->age))
			found = i;
	return found;
}

/* A piece loses [key, key + length), which it has. */
static void cut_piece(struct latency_open *open, uint32_t i, uint64_t key, uint64_t length)
{
	struct latency_piece *p = &open->pieces[i];
	struct latency_piece rest = { key + length, p->length - (key - p->key) - length, p->start };

	p->length = key - p->key;
	if (!p->length)
		drop_piece(open, i);
	if (rest.length && open->nr_pieces < 2 * MOST_IN_ORDER)
		add_piece(open, rest.start, rest.key, rest.length);
}

static void queue_end(struct latency_open *open, const struct latency_at *at,
		      void (*ended)(void *arg, const struct latency_start *start), void *arg)
{
	struct latency_at rest = *at;
	uint32_t i;

	while ((i = oldest(open, &rest)) < open->nr_pieces) {
		const struct latency_piece p = open->pieces[i];
		struct latency_start *s = &open->starts[p.start];
		struct latency_at before = rest;
		uint64_t key = p.key > rest.key ? p.key : rest.key, to_end = p.key + p.length - key,
			 length = rest.key + rest.length - key;

		length = to_end < length ? to_end : length;
		before.length = key - rest.key;
		rest = (struct latency_at){ key + length, rest.scope,
					    rest.length - before.length - length, rest.label };
		s->left -= length;
		cut_piece(open, i, key, length);
		if (!s->left) {
			ended(arg, s);
			give_back(open, p.start + 1);
		}
		if (before.length)
			queue_end(open, &before, ended, arg);
		if (!rest.length)
			return;
	}
}

/* --- one start for a key ---------------------------------------------------------------------- */

struct latency_start *latency_open_start(struct latency_open *open, const struct latency_at *at)
{
	struct latency_start *start;
	uint32_t *link, place;

	if (open->rule->queue)
		return queue_start(open, at);
	link = find(open, at->key, at->scope);
	if (*link && open->rule->first)
		return NULL;
	if (*link && !open->rule->nested) {
		start = &open->starts[*link - 1];
		start->key = at->key;
		open->replaced++;
		return start;
	}
	place = add(open, at);
	if (!place)
		return NULL;
	start = &open->starts[place - 1];
	start->next = *link;
	*link = place;
	return start;
}

/* Take a start out of its chain. */
static const struct latency_start *take(struct latency_open *open, uint32_t *link)
{
	uint32_t place = *link;

	*link = open->starts[place - 1].next;
	give_back(open, place);
	return &open->starts[place - 1];
}

void latency_open_end(struct latency_open *open, const struct latency_at *at,
		      void (*ended)(void *arg, const struct latency_start *start), void *arg)
{
	const struct latency_start *start;
	uint32_t *link;

	if (open->rule->queue) {
		queue_end(open, at, ended, arg);
		return;
	}
	link = find(open, at->key, at->scope);
	if (!*link)
		return;
	start = take(open, link);
	if (start->key == at->key)
		ended(arg, start);
}

void latency_open_drop(struct latency_open *open, const struct latency_at *at)
{
	uint32_t *link = find(open, at->key, at->scope);

	if (*link)
		take(open, link);
}

void latency_open_again(struct latency_open *open, const struct latency_at *at)
{
	struct latency_start *newest = NULL;

	for (uint32_t i = first_of(open, at); is_before_end(open, i, at); i++)
		if (overlap(open, i, at) && (!newest || start_of(open, i)->age > newest->age))
			newest = start_of(open, i);
	if (newest)
		newest->begins_again = true;
}
