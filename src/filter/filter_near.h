/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_NEAR_H
#define FTOP_SRC_FILTER_FILTER_NEAR_H
/* filter_near - the names nearest to a wrong one, and texts to put in its place. */
#include "src/filter/filter.h"

/* The names nearest to a wrong one. */
struct filter_near {
	const char	*name;
	unsigned int	 distance;
	char		 best[3][64];
	unsigned int	 distances[3];
	unsigned int	 nr;
};
void filter_near_init(struct filter_near *near, const char *name);
void filter_near_add(struct filter_near *near, const char *candidate);
void filter_near_offer(const struct filter_near *near, struct filter_offers *offers);
/* appends "; did you mean a or b?", or nothing */
void filter_near_text(const struct filter_near *near, struct text *out);

/* Adds an offer; drops it if it is too long, there already, or one too many. */
void filter_offers_add(struct filter_offers *offers, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* appends "; did you mean a or b?", or nothing */
void filter_offers_text(const struct filter_offers *offers, struct text *out);

/*
 * Makes them the offers of an error about a node, unless the text has a named filter there.
 * Without a place of their own they stand for the node.
 */
struct filter_node;
void filter_offers_give(const struct filter_offers *offers, const char *source,
			const struct filter_node *n, struct filter_error *err);
#endif
