/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches like an automaton: the string is advanced through all places of the pattern at once.  A
 * state is a character of a literal, a run of characters, or a hole.  States reached without
 * leaving a hole are tracked separately.
 */
#include "parsers/print/text_pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

enum kind { LITERAL, CHARS, HOLE, BRANCH };

struct pattern_piece {
	enum kind	kind;
	bool		only;		/* BRANCH: always goes to the target */
	enum text_pattern_place place;	/* HOLE */
	unsigned int	target;		/* BRANCH: a later piece */
	uint32_t	state;		/* its first state */
	uint32_t	len;		/* LITERAL */
	const char	*text;		/* LITERAL */
	uint8_t		chars[32];	/* CHARS: a bit for each character */
};

struct text_pattern {
	struct arena	arena;
	struct pattern_piece *pieces;
	unsigned int	nr, cap;
	uint32_t	nr_states;
};

struct text_pattern *text_pattern_new(void)
{
	return mem_alloc(sizeof(struct text_pattern));
}

void text_pattern_free(struct text_pattern *p)
{
	if (!p)
		return;
	arena_fini(&p->arena);
	free(p->pieces);
	free(p);
}

static struct pattern_piece *add_piece(struct text_pattern *p, enum kind kind, uint32_t states)
{
	struct pattern_piece *piece;

	mem_grow(&p->pieces, p->nr, &p->cap);
	piece = &p->pieces[p->nr++];
	*piece = (struct pattern_piece){ .kind = kind, .state = p->nr_states };
	p->nr_states += states;
	return piece;
}

void text_pattern_literal(struct text_pattern *p, const char *s, size_t len)
{
	struct pattern_piece *piece;

	if (!len)
		return;
	piece = add_piece(p, LITERAL, (uint32_t)len);
	piece->text = arena_strndup(&p->arena, s, len);
	piece->len = (uint32_t)len;
}

static void set_char(struct pattern_piece *piece, unsigned char c)
{
	piece->chars[c / 8] |= (uint8_t)(1u << c % 8);
}

void text_pattern_chars(struct text_pattern *p, const char *chars)
{
	struct pattern_piece *piece = add_piece(p, CHARS, 1);

	for (; *chars; chars++)
		set_char(piece, (unsigned char)*chars);
}

void text_pattern_any(struct text_pattern *p)
{
	memset(add_piece(p, CHARS, 1)->chars, 0xff, sizeof(p->pieces->chars));
}

void text_pattern_hole(struct text_pattern *p, enum text_pattern_place what)
{
	add_piece(p, HOLE, 1)->place = what;
}

void text_pattern_optional(struct text_pattern *p, const char *s)
{
	unsigned int skip = text_pattern_branch(p, false);

	text_pattern_str(p, s);
	text_pattern_set_target(p, skip, text_pattern_nr(p));
}

unsigned int text_pattern_branch(struct text_pattern *p, bool only)
{
	add_piece(p, BRANCH, 0)->only = only;
	return p->nr - 1;
}

unsigned int text_pattern_nr(const struct text_pattern *p)
{
	return p->nr;
}

void text_pattern_set_target(struct text_pattern *p, unsigned int branch, unsigned int target)
{
	p->pieces[branch].target = target;
}

/* --- finding ------------------------------------------------------------- */

struct pattern_walk {
	const struct text_pattern *p;
	bool		fold;
	uint8_t		*mixed, *next_mixed;	/* [nr_states + 1] a way through several pieces
						 * is in this state */
	uint8_t		*pure, *next_pure;	/* a way that has only seen the current hole */
};

static unsigned char fold_char(const struct pattern_walk *w, char c)
{
	return (unsigned char)(w->fold ? tolower((unsigned char)c) : c);
}

static bool has_char(const struct pattern_piece *piece, unsigned char c)
{
	return piece->chars[c / 8] >> c % 8 & 1;
}

static bool state_takes(const struct pattern_walk *w, const struct pattern_piece *piece,
			uint32_t at, char c)
{
	switch (piece->kind) {
	case LITERAL:
		return fold_char(w, piece->text[at]) == fold_char(w, c);
	case CHARS:
		return has_char(piece, (unsigned char)c) ||
		       (w->fold && (has_char(piece, (unsigned char)tolower((unsigned char)c)) ||
				    has_char(piece, (unsigned char)toupper((unsigned char)c))));
	case HOLE:
		return true;
	case BRANCH:
		break;
	}
	return false;
}

/*
 * A way before a piece is also before every piece that a branch can skip to.  Branches lead forward
 * only, so one pass is enough.
 * @mixed marks states by the first state of each piece; @before marks pieces.
 */
static void spread_ways(struct pattern_walk *w, uint8_t *before)
{
	const struct text_pattern *p = w->p;

	for (unsigned int i = 0; i < p->nr; i++) {
		const struct pattern_piece *piece = &p->pieces[i];

		if (!before[i])
			continue;
		if (piece->kind == BRANCH) {
			if (piece->target > i && piece->target <= p->nr)
				before[piece->target] = true;
			before[i + 1] |= !piece->only;
		} else {
			w->mixed[piece->state] = true;
			before[i + 1] |= piece->kind != LITERAL;
		}
	}
}

/* Consume one character.  Return: where the ways that took it may end. */
static unsigned int walk_char(struct pattern_walk *w, char c, uint8_t *before)
{
	const struct text_pattern *p = w->p;
	unsigned int found = 0;

	memset(w->next_mixed, 0, p->nr_states + 1);
	memset(w->next_pure, 0, p->nr_states + 1);
	memset(before, 0, p->nr + 1);
	for (unsigned int i = 0; i < p->nr; i++) {
		const struct pattern_piece *piece = &p->pieces[i];
		uint32_t states = piece->kind == LITERAL ? piece->len : piece->kind != BRANCH;

		if (piece->kind == HOLE && w->pure[piece->state]) {
			w->next_pure[piece->state] = true;
			before[i + 1] = true;
			found |= piece->place;
		}
		for (uint32_t k = 0; k < states; k++) {
			if (!w->mixed[piece->state + k] || !state_takes(w, piece, k, c))
				continue;
			found |= TEXT_PATTERN_ELSEWHERE;
			if (piece->kind != LITERAL) {
				w->next_mixed[piece->state] = true;
				before[i + 1] = true;
			} else if (k + 1 < states) {
				w->next_mixed[piece->state + k + 1] = true;
			} else {
				before[i + 1] = true;
			}
		}
	}
	return found;
}

static void swap_states(uint8_t **a, uint8_t **b)
{
	uint8_t *t = *a;

	*a = *b;
	*b = t;
}

unsigned int text_pattern_find(const struct text_pattern *p, const char *s, size_t len, bool fold)
{
	uint8_t *memory = mem_array(4 * (size_t)(p->nr_states + 1) + p->nr + 2, 1), *before;
	struct pattern_walk w = { .p = p, .fold = fold };
	unsigned int found = TEXT_PATTERN_ELSEWHERE;

	w.mixed = memory;
	w.next_mixed = w.mixed + p->nr_states + 1;
	w.pure = w.next_mixed + p->nr_states + 1;
	w.next_pure = w.pure + p->nr_states + 1;
	before = w.next_pure + p->nr_states + 1;
	/* A match may begin anywhere. */
	for (unsigned int i = 0; i < p->nr; i++) {
		const struct pattern_piece *piece = &p->pieces[i];

		if (piece->kind == HOLE)
			w.pure[piece->state] = true;
		else if (piece->kind != BRANCH)
			memset(w.mixed + piece->state, true,
			       piece->kind == LITERAL ? piece->len : 1);
	}
	for (size_t i = 0; i < len && found; i++) {
		found = walk_char(&w, s[i], before);
		swap_states(&w.mixed, &w.next_mixed);
		swap_states(&w.pure, &w.next_pure);
		spread_ways(&w, before);
	}
	free(memory);
	return found;
}
